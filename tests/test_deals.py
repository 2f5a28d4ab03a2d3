"""Whole deals: the simulator's cards, throws, plays, counts and tallies against the twin."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import pytest

import reference
import reference_strategy as strategy
from cribodds.sim import show
from cribodds.sim.book import Books
from cribodds.sim.cards import hand_number
from cribodds.sim.deal import drawn_cards, tally_deals
from cribodds.sim.numbering import KEEPS
from cribodds.sim.replay import replay
from cribodds.sim.rng import random_bits
from cribodds.sim.strategy import Strategy
from cribodds.sim.tally import DEALER_POINTS, PONE_POINTS, SOURCES, Tally
from reference import DEALER, PONE, rank

SEED = 121
PLAIN = 20_000
STRATEGY = Strategy("look-ahead", 4)
PLAYER = strategy.chooser(strategy.look_ahead)


@pytest.fixture(scope="module")
def books() -> Books:
    return STRATEGY.books()


# --- The cards of a deal --------------------------------------------------------------------------


def random_bits_of(seed: int, place: int) -> int:
    """SplitMix64 in plain Python."""
    mask = 2**64 - 1
    z = seed + (place + 1) * 0x9E3779B97F4A7C15 & mask
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
    z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
    return z ^ z >> 31


def cards_of(seed: int, deal: int) -> list[int]:
    """The thirteen cards of a deal: each half of a random number picks a card of those left."""
    halves = []
    for place in range(7):
        bits = random_bits_of(seed, 7 * deal + place)
        halves += [bits >> 32, bits & 0xFFFFFFFF]
    left = list(range(52))
    pone = sorted(left.pop(half * len(left) >> 32) for half in halves[:6])
    dealer = sorted(left.pop(half * len(left) >> 32) for half in halves[6:12])
    return [*pone, *dealer, left.pop(halves[12] * len(left) >> 32)]


def test_random_bits_are_splitmix64() -> None:
    published = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    places = range(len(published))
    assert [random_bits_of(1234567, place) for place in places] == published
    assert [int(random_bits(np.uint64(1234567), np.uint64(place))) for place in places] == published


@pytest.mark.parametrize("seed", [0, 1, SEED, 2**64 - 1])
@pytest.mark.parametrize("first", [0, 10**9, 2**60])
def test_cards_of_a_deal_hang_on_seed_and_number_alone(seed: int, first: int) -> None:
    deals = drawn_cards(seed, first, 600)  # more than one block of the simulator
    assert deals.tolist() == [cards_of(seed, first + i) for i in range(600)]
    assert drawn_cards(seed, first + 599, 1).tolist() == [deals[599].tolist()]
    assert all(len(set(deal)) == 13 for deal in deals.tolist())


# --- One deal by the twin, and by the books -------------------------------------------------------

Deal = tuple[list[list[int]], int, list[list[int]]]
"""Six cards by seat, the starter, the throws by seat."""


def deal_by_book(books: Books, cards: Sequence[int]) -> Deal:
    hands = [sorted(cards[:6]), sorted(cards[6:12])]
    throws = []
    for seat, hand in enumerate(hands):
        number = int(books.discards[hand_number(hand)]) >> 4 * seat & 15
        throws.append([hand[place] for place in strategy.THROWS[number]])
    return hands, cards[12], throws


def play_by_book(books: Books, number: int, deal: Deal) -> list[tuple[int, int]]:
    """(seat, points) of the play, as the books have it."""
    hands, _, throws = deal
    pone, dealer = (
        strategy.NUMBER_OF_KEEP[tuple(rank(card) for card in reference.keep_of(hand, throw))]
        for hand, throw in zip(hands, throws, strict=True)
    )
    sequence = books.sequences[books.plays[number % len(books.plays), KEEPS * pone + dealer]]
    return [(int(event) >> 7, int(event) & 127) for event in sequence if event]


def compare_events(books: Books, number: int, cards: Sequence[int]) -> list[reference.Step]:
    """Play one deal by the twin, hold every event to the books and kernels, and return it."""
    deal = deal_by_book(books, cards)
    hands, starter, throws = deal
    steps = reference.play_deal(hands, starter, throws, (PLAYER, PLAYER))
    in_play = [(step.seat, step.points) for step in steps if step.part == "play" and step.points]
    assert play_by_book(books, number, deal) == in_play
    keeps = [reference.keep_of(hand, throw) for hand, throw in zip(hands, throws, strict=True)]
    counted = [
        (PONE, "hand", show.count(keeps[PONE], starter)),
        (DEALER, "hand", show.count(keeps[DEALER], starter)),
        (DEALER, "crib", show.count([*throws[PONE], *throws[DEALER]], starter, crib=True)),
    ]
    assert [(step.seat, step.part, step.points) for step in steps[-3:]] == counted
    return steps


# --- The tally of deals by the twin ---------------------------------------------------------------


def tally_of(deals: Iterable[Sequence[reference.Step]]) -> Tally:
    """What the simulator keeps of deals, from the twin's events: point by point, in their order."""
    tally = Tally.empty()
    number = 0
    for steps in deals:
        number += 1
        board = [0, 0]
        for step in steps:
            reached = (tally.pone_first, tally.dealer_first)[step.seat]
            for _ in range(step.points):
                board[step.seat] += 1
                reached[board[step.seat], board[1 - step.seat]] += 1
            tally.points[SOURCES.index(source_of(step))] += step.points
        tally.totals[board[DEALER], board[PONE]] += 1
    return Tally(number, tally.totals, tally.dealer_first, tally.pone_first, tally.points)


def source_of(step: reference.Step) -> str:
    if step.part in {"heels", "crib"}:
        return step.part
    return f"{reference.SEATS[step.seat]}_{'pegs' if step.part == 'play' else 'hand'}"


def assert_equal_tallies(ours: Tally, twins: Tally) -> None:
    assert ours.deals == twins.deals
    for name in ("totals", "dealer_first", "pone_first", "points"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(twins, name), name)


def test_the_tally_of_one_deal_by_hand() -> None:
    """Heels 2, the pone pegs 1, the dealer 3, the pone's hand 2, the dealer's 0, the crib 1."""
    scored = [(1, "heels", 2), (0, "play", 1), (1, "play", 3), (0, "hand", 2), (1, "crib", 1)]
    steps = [reference.Step(seat, part, None, [("", points)]) for seat, part, points in scored]
    tally = tally_of([steps])
    assert np.argwhere(tally.dealer_first).tolist() == [
        [1, 0],
        [2, 0],
        [3, 1],
        [4, 1],
        [5, 1],
        [6, 3],
    ]
    assert np.argwhere(tally.pone_first).tolist() == [[1, 2], [2, 5], [3, 5]]
    assert np.argwhere(tally.totals).tolist() == [[6, 3]]
    assert tally.points.tolist() == [1, 2, 2, 3, 0, 1]
    assert tally.totals.shape == (DEALER_POINTS, PONE_POINTS)


# --- The comparison -------------------------------------------------------------------------------


def rare_deals() -> list[int]:
    """Numbers of deals, of a million, whose cards make likely what is seldom seen."""
    decks = drawn_cards(SEED, 0, 1_000_000)
    ranks, suits = decks >> 2, decks & 3
    pone, dealer = ranks[:, :6], ranks[:, 6:12]
    alike = [((pone == each).sum(1) == 2) & ((dealer == each).sum(1) == 2) for each in range(13)]
    picked = {
        "two of a low rank against two": np.any(alike[:7], axis=0),
        "low cards everywhere": (ranks[:, :12] < 6).sum(1) >= 10,
        "a low straight": np.all([(ranks[:, :12] == each).any(1) for each in range(8)], axis=0),
        "one suit everywhere": (suits[:, :, None] == range(4)).sum(1).max(1) >= 9,
        "few tens": (ranks[:, :12] >= 9).sum(1) <= 1,
    }
    return [number for kind in picked.values() for number in np.flatnonzero(kind)[:400].tolist()]


KINDS = {
    "heels: heels 2",
    "play: fifteen 2",
    "play: thirty-one 2",
    "play: pair 2",
    "play: pair royal 6",
    "play: double pair royal 12",
    *(f"play: run {cards}" for cards in range(3, 8)),
    "play: go 1",
    "play: last card 1",
    "play: 31 with the last card",
    "play: two cards in a row",
    "play: two cards against a player who is out",
    "hand: flush 4",
    *(
        f"{part}: {kind}"
        for part in ("hand", "crib")
        for kind in ("fifteen 2", "pair 2", "run 3", "run 4", "run 5", "flush 5", "nobs 1")
    ),
}
"""The kinds of events that the compared deals must have had."""


def kinds_of(steps: Sequence[reference.Step]) -> set[str]:
    """The kinds of events in a deal."""
    kinds = {f"{step.part}: {why} {points}" for step in steps for why, points in step.reasons}
    play = [step for step in steps if step.part == "play"]
    seats = "".join(str(step.seat) for step in play)
    if "00" in seats or "11" in seats:
        kinds.add("play: two cards in a row")
    if seats.endswith(("011", "100")):
        kinds.add("play: two cards against a player who is out")
    if ("thirty-one", 2) in play[-1].reasons:
        kinds.add("play: 31 with the last card")
    return kinds


def test_deals_agree_with_the_twin_event_by_event(books: Books) -> None:
    seen: Counter[str] = Counter()
    batch = 50
    for first in range(0, PLAIN, batch):
        deals = [
            compare_events(books, number, cards_of(SEED, number))
            for number in range(first, first + batch)
        ]
        assert_equal_tallies(tally_deals(books, SEED, first, batch), tally_of(deals))
        seen.update(kind for steps in deals for kind in kinds_of(steps))
    for number in rare_deals():
        steps = compare_events(books, number, cards_of(SEED, number))
        assert_equal_tallies(tally_deals(books, SEED, number, 1), tally_of([steps]))
        seen.update(kinds_of(steps))
    assert set(seen) >= KINDS
    assert min(seen.values()) >= 5


def test_a_deal_told_again_is_the_deal_of_the_twin(books: Books) -> None:
    for number in range(300):
        hands, starter, throws = deal_by_book(books, cards_of(SEED, number))
        steps = reference.play_deal(hands, starter, throws, (PLAYER, PLAYER))
        told = replay(STRATEGY, books, SEED, number)
        assert [list(hand) for hand in told.hands] == hands
        assert [list(throw) for throw in told.throws] == throws
        assert told.starter == starter
        play = [
            (step.seat, rank(step.card), step.points)
            for step in steps
            if step.part == "play" and step.card is not None
        ]
        assert play == [
            (lay.seat, rank(card), lay.points + lay.go)
            for lay, card in zip(told.lays, told.laid, strict=True)
        ]
        for events, step in zip(told.counts, steps[-3:], strict=True):
            assert sum(event.points for event in events) == step.points
        assert told.heels == sum(step.points for step in steps if step.part == "heels")
        assert told.totals() == tuple(
            sum(step.points for step in steps if step.seat == seat) for seat in (PONE, DEALER)
        )
