"""The discard rule: throw the two cards that leave the most expected points.

What a throw is worth, in points:

    mean hand of the keep over the 46 starters, exact
    + the expected crib for the dealer, - for the pone
    + what the keep earns in the play, own points less the opponent's

The opponent throws and keeps as the strategy itself does (``Opponent``). Everything is
a whole number of ``UNIT``: equal expectations are exactly equal, and ties go to the
first throw in the order of ``numbering.THROWS``.

The ranks' part is the same for all suitings of six ranks and is worked out once for
each of the 18,395 rank multisets. Suits add flush and nobs, the same for all suitings
of one pattern: so a throw is chosen for each multiset and pattern, and looked up for
each of the 20,358,520 hands.
"""

import itertools
import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import rules
from .cards import check_cards
from .jit import copy_row, kernel, over_threads
from .numbering import (
    CHOOSE,
    HANDS,
    KEEP_COUNTS,
    KEEPS,
    KEPT_POSITIONS,
    PAIR_NUMBERS,
    PAIR_RANKS,
    PAIRS,
    THROW_POSITIONS,
    THROWS,
    ascending,
    keep_of_ranks,
)
from .show import rank_points
from .suitings import PATTERN_OF, PATTERNS, SUITINGS, SUITS_OF

STARTERS: Final = rules.DECK - rules.DEALT  # 46
_FILLS: Final = math.comb(STARTERS, 3)  # 15,180: the opponent's throw and the starter
# One point: a multiple of the 46 starters and of the fills of a crib, fine to 1e-7 points.
UNIT: Final = 1000 * _FILLS
_PER_STARTER: Final = UNIT // STARTERS
_PER_FILL: Final = UNIT // _FILLS
# Weights of the opponent's throws: ways to draw a pair of ranks divide 48 evenly.
_WAYS_SCALE: Final = 48
# Sorted ranks r0 <= .. <= r5 are the combination r_i + i of 18; five alike are impossible.
RANK_HANDS: Final = math.comb(rules.RANKS + rules.DEALT - 1, rules.DEALT)  # 18,564


class Opponent(NamedTuple):
    """How the other seat throws and keeps, by ranks; whole-number weights.

    Attributes
    ----------
    throws : int64 array, shape (2, 91)
        How often each seat throws each pair of ranks, of 20,358,520 hands.
    keeps : int64 array, shape (2, 1820)
        How often each seat keeps each four ranks.
    """

    throws: NDArray[np.int64]
    keeps: NDArray[np.int64]


def random_opponent() -> Opponent:
    """Return a player who throws and keeps at random: where the rounds of the rule start."""
    a, b = PAIR_RANKS.T
    throws = np.where(a == b, math.comb(rules.SUITS, 2), rules.SUITS**2)
    keeps = CHOOSE[rules.SUITS, KEEP_COUNTS].prod(1)
    return Opponent(np.stack([throws, throws]), np.stack([keeps, keeps]))


@kernel
def _rank_hand_number(ranks: NDArray[np.uint8]) -> int:
    """Return the number 0..18,563 of six sorted ranks."""
    number = 0
    for i in range(rules.DEALT):
        number += CHOOSE[int(ranks[i]) + i, i + 1]
    return number


@kernel
def _chances(
    left: NDArray[np.int64], throws: NDArray[np.int64], chances: NDArray[np.int64]
) -> None:
    """Fill ``chances[seat, pair]``: the weight of a throw by the opponent of ``seat``."""
    for pair in range(PAIRS):
        a, b = PAIR_RANKS[pair]
        if a == b:
            ways = left[a] * (left[a] - 1) // 2 * (_WAYS_SCALE // 6)
        else:
            ways = left[a] * left[b] * (_WAYS_SCALE // 16)
        for seat in range(2):
            chances[seat, pair] = throws[1 - seat, pair] * ways


@kernel
def _expected_crib(
    pair: int,
    left: NDArray[np.int64],
    chances: NDArray[np.int64],
    points: NDArray[np.uint8],
    crib: NDArray[np.int64],
) -> None:
    """Fill ``crib[seat]``: the expected rank points, in UNIT, of a crib with this own throw."""
    sums = np.zeros(2, np.int64)
    total = np.zeros(2, np.int64)
    x, y = PAIR_RANKS[pair]
    for other in range(PAIRS):
        if chances[0, other] == 0 and chances[1, other] == 0:
            continue
        a, b = PAIR_RANKS[other]
        low, c1 = ascending(x, a)
        c2, high = ascending(y, b)
        c1, c2 = ascending(c1, c2)
        four = keep_of_ranks(low, c1, c2, high)
        left[a] -= 1
        left[b] -= 1
        score = 0
        for starter in range(rules.RANKS):
            score += left[starter] * int(points[four, starter])
        left[a] += 1
        left[b] += 1
        for seat in range(2):
            sums[seat] += chances[seat, other] * score
            total[seat] += chances[seat, other]
    for seat in range(2):
        # Whole points apart, so that no product passes 2**63.
        below = total[seat] * (STARTERS - rules.THROWN)
        whole = sums[seat] // below
        rest = sums[seat] - whole * below
        crib[seat] = whole * UNIT + (2 * rest * UNIT + below) // (2 * below)


@kernel
def _fill_rank_parts(
    rank_hands: NDArray[np.uint8],
    throws: NDArray[np.int64],
    worth: NDArray[np.int64],
    points: NDArray[np.uint8],
    parts: NDArray[np.int64],
) -> None:
    """Fill ``parts[number, seat, throw]``: a throw's worth without flush and nobs, in UNIT.

    ``rank_hands`` (n, 6) holds possible sorted ranks of hands.
    """
    chances = np.empty((2, PAIRS), np.int64)
    cribs = np.empty((PAIRS, 2), np.int64)
    known = np.empty(PAIRS, np.bool_)
    for h in range(len(rank_hands)):
        ranks = rank_hands[h]
        number = _rank_hand_number(ranks)
        left = np.full(rules.RANKS, rules.SUITS)
        for i in range(rules.DEALT):
            left[ranks[i]] -= 1
        _chances(left, throws, chances)
        known[:] = False
        for throw in range(len(THROW_POSITIONS)):
            pair = PAIR_NUMBERS[ranks[THROW_POSITIONS[throw, 0]], ranks[THROW_POSITIONS[throw, 1]]]
            if not known[pair]:
                known[pair] = True
                _expected_crib(pair, left, chances, points, cribs[pair])
            k0, k1, k2, k3 = KEPT_POSITIONS[throw]
            keep = keep_of_ranks(ranks[k0], ranks[k1], ranks[k2], ranks[k3])
            hand = 0
            for starter in range(rules.RANKS):
                hand += left[starter] * int(points[keep, starter])
            hand *= _PER_STARTER
            parts[number, rules.PONE, throw] = hand - cribs[pair, 0] + worth[rules.PONE, keep]
            parts[number, rules.DEALER, throw] = hand + cribs[pair, 1] + worth[rules.DEALER, keep]


@kernel
def _add_suits(cards: NDArray[np.uint8], values: NDArray[np.int64]) -> None:
    """Add flush and nobs of keep and crib to ``values[seat, throw]`` of six sorted cards."""
    in_suit = np.full(rules.SUITS, rules.RANKS)
    for i in range(rules.DEALT):
        in_suit[cards[i] & 3] -= 1  # cards of the suit still unseen
    for throw in range(len(THROW_POSITIONS)):
        hand = 0
        for i in range(rules.KEPT):
            card = cards[KEPT_POSITIONS[throw, i]]
            if card >> 2 == rules.JACK:
                hand += in_suit[card & 3] * _PER_STARTER * rules.POINTS_FOR_NOBS
        k0, k1, k2, k3 = KEPT_POSITIONS[throw]
        suit = cards[k0] & 3
        if cards[k1] & 3 == suit and cards[k2] & 3 == suit and cards[k3] & 3 == suit:
            hand += (rules.KEPT * STARTERS + in_suit[suit]) * _PER_STARTER
        crib = 0
        for i in range(rules.THROWN):
            card = cards[THROW_POSITIONS[throw, i]]
            if card >> 2 == rules.JACK:
                crib += in_suit[card & 3] * _PER_STARTER * rules.POINTS_FOR_NOBS
        suit = cards[THROW_POSITIONS[throw, 0]] & 3
        if cards[THROW_POSITIONS[throw, 1]] & 3 == suit:
            crib += 5 * CHOOSE[in_suit[suit], 3] * _PER_FILL
        values[rules.PONE, throw] += hand - crib
        values[rules.DEALER, throw] += hand + crib


@kernel
def _choose_throws(
    rank_hands: NDArray[np.uint8],
    parts: NDArray[np.int64],
    chosen: NDArray[np.uint8],
    throws: NDArray[np.int64],
    keeps: NDArray[np.int64],
) -> None:
    """Choose both seats' throws of all hands with some ranks, by pattern of suits; count them.

    Fills ``chosen[number of the ranks, pattern]``: the pone's throw low, the dealer's high.
    """
    cards = np.empty(rules.DEALT, np.uint8)
    values = np.empty((2, len(THROW_POSITIONS)), np.int64)
    for h in range(len(rank_hands)):
        ranks = rank_hands[h]
        number = _rank_hand_number(ranks)
        alike = 0
        for i in range(rules.DEALT - 1):
            if ranks[i] == ranks[i + 1]:
                alike |= 1 << i
        for pattern in range(PATTERNS):
            hands = SUITINGS[alike, pattern]
            if hands == 0:
                continue
            for i in range(rules.DEALT):
                cards[i] = ranks[i] << 2 | SUITS_OF[pattern, i]
            for seat in range(2):
                copy_row(parts[number, seat], values[seat])
            _add_suits(cards, values)
            byte = 0
            for seat in range(2):
                best = _best_throw(values[seat])
                byte |= best << 4 * seat
                k0, k1, k2, k3 = KEPT_POSITIONS[best]
                t0, t1 = THROW_POSITIONS[best]
                keeps[seat, keep_of_ranks(ranks[k0], ranks[k1], ranks[k2], ranks[k3])] += hands
                throws[seat, PAIR_NUMBERS[ranks[t0], ranks[t1]]] += hands
            chosen[number, pattern] = byte


@kernel
def _best_throw(values: NDArray[np.int64]) -> int:
    best = 0
    for throw in range(1, len(THROW_POSITIONS)):
        if values[throw] > values[best]:
            best = throw
    return best


@kernel
def _fill_book(top: int, chosen: NDArray[np.uint8], book: NDArray[np.uint8]) -> None:
    """Look up the throws of all hands whose highest card is ``top``."""
    hand = CHOOSE[top, 6]
    # Number of the ranks and code of the suits, card by card from the highest down.
    ranks5, suits5 = CHOOSE[(top >> 2) + 5, 6], (top & 3) << 10
    for c4 in range(4, top):
        ranks4, suits4 = ranks5 + CHOOSE[(c4 >> 2) + 4, 5], suits5 | (c4 & 3) << 8
        for c3 in range(3, c4):
            ranks3, suits3 = ranks4 + CHOOSE[(c3 >> 2) + 3, 4], suits4 | (c3 & 3) << 6
            for c2 in range(2, c3):
                ranks2, suits2 = ranks3 + CHOOSE[(c2 >> 2) + 2, 3], suits3 | (c2 & 3) << 4
                for c1 in range(1, c2):
                    ranks1, suits1 = ranks2 + CHOOSE[(c1 >> 2) + 1, 2], suits2 | (c1 & 3) << 2
                    for c0 in range(c1):
                        book[hand] = chosen[ranks1 + (c0 >> 2), PATTERN_OF[suits1 | c0 & 3]]
                        hand += 1


def _possible_rank_hands() -> NDArray[np.uint8]:
    hands = itertools.combinations_with_replacement(range(rules.RANKS), rules.DEALT)
    every = np.array(list(hands), np.uint8)
    # Sorted, five alike stand side by side.
    possible: NDArray[np.uint8] = every[(every[:, :2] != every[:, 4:]).all(1)]
    return possible


def throw_values(
    hand: Sequence[int], opponent: Opponent, worth: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return what each throw of one hand is worth to the thrower, in UNIT of a point.

    Parameters
    ----------
    hand : six different cards 0..51, in any order
    opponent : Opponent
    worth : int64 array, shape (2, 1820)
        What each keep earns in the play for each seat, in UNIT.

    Returns
    -------
    int64 array, shape (2, 15)
        By seat and number of the throw in ``numbering.THROWS`` of the sorted hand.

    Raises
    ------
    CardError
        If there are not six different cards.
    """
    check_cards(hand, rules.DEALT)
    cards = np.array(sorted(hand), np.int64)
    ranks = (cards >> 2).astype(np.uint8)
    parts = np.zeros((RANK_HANDS, 2, len(THROWS)), np.int64)
    _fill_rank_parts(ranks[None], opponent.throws, worth, rank_points(), parts)
    values: NDArray[np.int64] = parts[_rank_hand_number(ranks)].copy()
    _add_suits(cards.astype(np.uint8), values)
    return values


def first_throws() -> None:
    """Choose all throws once: it compiles what chooses them."""
    compile_discards(random_opponent(), np.zeros((2, KEEPS), np.int64))


def compile_discards(
    opponent: Opponent, worth: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], Opponent]:
    """Choose both seats' best throw of every hand against an opponent.

    Parameters
    ----------
    opponent, worth : as ``throw_values``

    Returns
    -------
    book : uint8 array, shape (20358520,)
        By hand number: the pone's throw in the low four bits, the dealer's in the high.
    opponent : Opponent
        How often the book throws and keeps what, over all hands.
    """
    points = rank_points()
    slices = np.array_split(_possible_rank_hands(), 64)
    parts = np.zeros((RANK_HANDS, 2, len(THROWS)), np.int64)
    chosen = np.empty((RANK_HANDS, PATTERNS), np.uint8)
    throws = np.zeros((len(slices), 2, PAIRS), np.int64)
    keeps = np.zeros((len(slices), 2, KEEPS), np.int64)

    def choose(i: int) -> None:
        _fill_rank_parts(slices[i], opponent.throws, worth, points, parts)
        _choose_throws(slices[i], parts, chosen, throws[i], keeps[i])

    over_threads(choose, len(slices))
    book = np.empty(HANDS, np.uint8)
    # The highest cards have the most hands: first, so that the threads end together.
    tops = range(rules.DECK - 1, rules.DEALT - 2, -1)
    over_threads(lambda i: _fill_book(tops[i], chosen, book), len(tops))
    return book, Opponent(throws.sum(0), keeps.sum(0))
