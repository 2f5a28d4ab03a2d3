"""The discard rule: its values against the twin, its book, and what the book makes of all hands."""

from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from math import floor
from random import Random

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

import reference_strategy as strategy
from cribodds.sim import discards
from cribodds.sim.book import Books
from cribodds.sim.cards import CardError, hand_number
from cribodds.sim.discards import Opponent, random_opponent, throw_values
from cribodds.sim.numbering import HANDS, KEEPS, PAIRS, THROWS
from cribodds.sim.show import rank_points
from cribodds.sim.strategy import Strategy
from cribodds.sim.suitings import PATTERN_OF, PATTERNS, SUITINGS, SUITS_OF
from reference import DEALER, PONE, rank, suit

SUIT_PATTERNS = [
    tuple(sorted((a, b, c, 6 - a - b - c), reverse=True))
    for a, b, c in combinations_with_replacement(range(7), 3)
    if c <= 6 - a - b - c
]


@pytest.fixture(scope="module")
def books() -> Books:
    return Strategy("look-ahead", 4).books()


def hands_of_pattern(rng: Random, pattern: tuple[int, ...], number: int) -> Iterator[list[int]]:
    """Sorted hands with so many cards a suit; every other one of few ranks and with a jack."""
    for each in range(number):
        suits = rng.sample(range(4), 4)
        ranks = list(range(13)) if each % 2 else [10, *rng.sample([*range(10), 11, 12], 6)]
        while True:
            cards = [
                4 * card + colour
                for colour, cards in zip(suits, pattern, strict=True)
                for card in rng.sample(ranks, cards)
            ]
            if each % 2 or 10 in map(rank, cards):
                break
        yield sorted(cards)


# --- One hand -------------------------------------------------------------------------------------


def test_there_are_nine_suit_patterns() -> None:
    assert len(SUIT_PATTERNS) == len(set(SUIT_PATTERNS)) == 9


@pytest.mark.parametrize("pattern", SUIT_PATTERNS, ids=str)
def test_values_and_book_agree_with_the_twin(pattern: tuple[int, ...], books: Books) -> None:
    rng = Random(sum(6**place * cards for place, cards in enumerate(pattern)))
    opponent = Opponent(books.opponent_throws, books.opponent_keeps)
    thrown = [books.opponent_throws[1 - seat].tolist() for seat in (PONE, DEALER)]
    worth = books.worth.tolist()
    for hand in hands_of_pattern(rng, pattern, 16):
        assert sorted(Counter(map(suit, hand)).values(), reverse=True) == [
            cards for cards in pattern if cards
        ]
        values = throw_values(rng.sample(hand, 6), opponent, books.worth)
        byte = int(books.discards[hand_number(hand)])
        for seat in (PONE, DEALER):
            twins = [
                strategy.value_of_throw(hand, number, seat, thrown[seat], worth)
                for number in range(15)
            ]
            assert values[seat].tolist() == twins
            assert (byte & 15, byte >> 4)[seat] == twins.index(max(twins))


def test_values_agree_with_the_twin_for_any_opponent() -> None:
    """Weights that the rule never comes to: many noughts, both seats far apart."""
    rng = Random(6)
    for _ in range(40):
        often = [[rng.choice([0, 0, rng.randrange(400_000)]) for _ in range(91)] for _ in range(2)]
        worth = [[rng.randrange(-(10**8), 10**8) for _ in range(KEEPS)] for _ in range(2)]
        keeps = np.ones((2, KEEPS), np.int64)
        hand = sorted(rng.sample(range(52), 6))
        values = throw_values(hand, Opponent(np.array(often), keeps), np.array(worth))
        for seat in (PONE, DEALER):
            assert values[seat].tolist() == [
                strategy.value_of_throw(hand, number, seat, often[1 - seat], worth)
                for number in range(15)
            ]


def test_of_equal_throws_the_book_takes_the_first(books: Books) -> None:
    opponent = Opponent(books.opponent_throws, books.opponent_keeps)
    rng = Random(7)
    ties = 0
    for _ in range(100):
        # Two ranks, three cards of each: throws of the same ranks are often worth the same.
        low, high = rng.sample([*range(10), 11, 12], 2)
        colours = [(each, colour) for each in (low, high) for colour in rng.sample(range(4), 3)]
        hand = sorted(4 * each + colour for each, colour in colours)
        values = throw_values(hand, opponent, books.worth)
        byte = int(books.discards[hand_number(hand)])
        for seat in (PONE, DEALER):
            best = np.flatnonzero(values[seat] == values[seat].max())
            ties += len(best) > 1
            assert (byte & 15, byte >> 4)[seat] == best[0]
    assert ties > 20


@pytest.mark.parametrize(
    "hand",
    [[0, 1, 2, 3, 4], [0, 1, 2, 3, 4, 4], [0, 1, 2, 3, 4, 5, 5], [0, 1, 2, 3, 4, 52]],
    ids=str,
)
def test_hands_that_cannot_be_are_refused(hand: list[int]) -> None:
    worth = np.zeros((2, KEEPS), np.int64)
    with pytest.raises(CardError, match=r"expected 6 cards|there twice|no card"):
        throw_values(hand, random_opponent(), worth)


# --- All hands ------------------------------------------------------------------------------------


@numba.njit  # type: ignore[untyped-decorator]
def count_book(
    book: NDArray[np.uint8],
    throws: NDArray[np.int64],
    pair_numbers: NDArray[np.int64],
    keep_numbers: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count what a book throws and keeps: all hands in colexicographic order."""
    thrown = np.zeros((2, 91), np.int64)
    kept = np.zeros((2, 1820), np.int64)
    hand = np.arange(6)
    ranks = np.empty(6, np.int64)
    for number in range(len(book)):
        for place in range(6):
            ranks[place] = hand[place] >> 2
        for seat in range(2):
            i, j = throws[book[number] >> 4 * seat & 15]
            thrown[seat, pair_numbers[ranks[i], ranks[j]]] += 1
            row = 0
            for place in range(6):
                if place not in (i, j):
                    row = 13 * row + ranks[place]
            kept[seat, keep_numbers[row]] += 1
        place = 0
        while place < 5 and hand[place] + 1 == hand[place + 1]:
            hand[place] = place
            place += 1
        hand[place] += 1
    return thrown, kept


def test_the_frequencies_are_those_of_the_book(books: Books) -> None:
    pair_numbers = np.zeros((13, 13), np.int64)
    for number, pair in enumerate(strategy.RANK_PAIRS):
        pair_numbers[pair] = number
    keep_numbers = np.zeros(13**4, np.int64)
    for keep, number in strategy.NUMBER_OF_KEEP.items():
        a, b, c, d = keep
        keep_numbers[((13 * a + b) * 13 + c) * 13 + d] = number
    thrown, kept = count_book(
        np.asarray(books.discards), np.array(strategy.THROWS), pair_numbers, keep_numbers
    )
    assert thrown.sum(1).tolist() == kept.sum(1).tolist() == [HANDS, HANDS]
    np.testing.assert_array_equal(thrown, books.throws)
    np.testing.assert_array_equal(kept, books.keeps)


def test_the_rounds_start_from_cards_thrown_and_kept_at_random() -> None:
    opponent = random_opponent()
    pairs = [strategy.ways(low, high, [4] * 13) for low, high in strategy.RANK_PAIRS]
    assert opponent.throws.tolist() == [pairs, pairs]
    assert opponent.keeps.sum(1).tolist() == [270_725, 270_725]  # the fours of a deck
    assert opponent.keeps[:, strategy.NUMBER_OF_KEEP[0, 0, 0, 5]].tolist() == [16, 16]
    assert (len(THROWS), PAIRS, KEEPS) == (15, 91, 1820)


@numba.njit  # type: ignore[untyped-decorator]
def sum_of_best_hands(parts: NDArray[np.int64]) -> int:
    """Add up, over all hands, the most that pone's and dealer's value of a throw come to."""
    total = 0
    hand = np.arange(6)
    cards = np.empty(6, np.uint8)
    ranks = np.empty(6, np.uint8)
    while hand[5] < 52:
        for place in range(6):
            cards[place] = hand[place]
            ranks[place] = hand[place] >> 2
        values = parts[discards._rank_hand_number(ranks)].copy()
        discards._add_suits(cards, values)
        total += (values[0] + values[1]).max()
        place = 0
        while place < 5 and hand[place] + 1 == hand[place + 1]:
            hand[place] = place
            place += 1
        hand[place] += 1
    return total


def test_the_best_hands_of_all_deals_add_up_to_the_fact() -> None:
    # The crib is the same gain to the dealer as loss to the pone against one opponent: it drops
    # out of the sum of both values, and leaves twice the hand. A few throws are quick to weigh.
    throws = np.zeros((2, PAIRS), np.int64)
    throws[:, [strategy.RANK_PAIRS.index((each, each)) for each in (0, 3, 6, 9)]] = 1
    parts = np.zeros((discards.RANK_HANDS, 2, len(THROWS)), np.int64)
    worth = np.zeros((2, KEEPS), np.int64)
    hands = discards._possible_rank_hands()
    discards._fill_rank_parts(hands, throws, worth, rank_points(), parts)
    assert sum_of_best_hands(parts) == 7_767_205_480 * 2 * discards.UNIT // 46


def shared_suits(suits: Iterable[int]) -> tuple[int, ...]:
    """For each card, the first card of its suit."""
    each = tuple(suits)
    return tuple(each.index(suit_) for suit_ in each)


@pytest.mark.parametrize("alike", range(32))
def test_every_suiting_of_six_ranks_has_its_pattern(alike: int) -> None:
    """Bit i: cards i and i + 1 are of one rank. Four suits for each, equal ranks ascending."""
    groups = [1]
    for i in range(5):
        if alike >> i & 1:
            groups[-1] += 1
        else:
            groups.append(1)
    counted: Counter[tuple[int, ...]] = Counter()
    for dealt in product(*(combinations(range(4), size) for size in groups)):
        suits = [each for group in dealt for each in group]
        code = sum(each << 2 * i for i, each in enumerate(suits))
        pattern = shared_suits(suits)
        counted[pattern] += 1
        assert shared_suits(SUITS_OF[PATTERN_OF[code]].tolist()) == pattern
    found = {shared_suits(SUITS_OF[p].tolist()): SUITINGS[alike, p] for p in range(PATTERNS)}
    assert {pattern: n for pattern, n in found.items() if n} == counted
    assert len(found) == PATTERNS == 187  # ways to part six cards into at most four heaps


# --- What a keep earns in the play ----------------------------------------------------------------


@pytest.mark.parametrize(("seat", "keep"), [(PONE, "5JQK"), (DEALER, "AA23")])
def test_worth_of_a_keep_agrees_with_the_twin(seat: int, keep: str, books: Books) -> None:
    ranks = tuple("A23456789TJQK".index(letter) for letter in keep)
    worth = strategy.worth_of_keep(ranks, seat, books.opponent_keeps[1 - seat].tolist())
    units = floor(worth * strategy.UNIT + Fraction(1, 2))
    assert books.worth[seat, strategy.NUMBER_OF_KEEP[ranks]] == units
