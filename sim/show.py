"""The show: what four cards and the starter are worth, as a number and as named events.

The fast way is one look-up of the ranks' points (fifteens, pairs and runs do not
depend on suits) plus flush and nobs by arithmetic on suits. The readable way lists
each score with its cards. Tests hold that both agree on every hand there is.
"""

import functools
import itertools
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import rules
from .cards import CardError, check_cards, rank_of, suit_of
from .jit import copy_row, kernel
from .numbering import KEEP_RANKS, KEEPS, KEPT_POSITIONS, THROWS, ascending, keep_of_cards
from .play import pip

EventName = Literal["fifteen", "pair", "pair royal", "double pair royal", "run", "flush", "nobs"]
_PAIR_NAMES: dict[int, EventName] = {2: "pair", 3: "pair royal", 4: "double pair royal"}


class ScoreEvent(NamedTuple):
    """One score of the show: its name, its cards and its points."""

    name: EventName
    cards: tuple[int, ...]
    points: int


@kernel
def _fifteens(ranks: NDArray[np.int64]) -> int:
    """Return the points of all fifteens among five ranks."""
    points = 0
    for subset in range(1, 32):
        total = 0
        for i in range(5):
            if subset >> i & 1:
                total += pip(ranks[i])
        if total == rules.FIFTEEN:
            points += rules.POINTS_FOR_FIFTEEN
    return points


@kernel
def _pairs(ranks: NDArray[np.int64]) -> int:
    """Return the points of all pairs among five ranks."""
    points = 0
    for i in range(5):
        for j in range(i):
            if ranks[i] == ranks[j]:
                points += rules.POINTS_FOR_PAIR
    return points


@kernel
def _runs(ranks: NDArray[np.int64]) -> int:
    """Return the points of the runs among five ranks, every choice of alike cards counted."""
    held = np.zeros(rules.RANKS + 1, np.int64)
    for i in range(5):
        held[ranks[i]] += 1
    points = 0
    length = 0
    ways = 1
    # The empty place past the king ends every run.
    for rank in range(rules.RANKS + 1):
        if held[rank]:
            length += 1
            ways *= held[rank]
        else:
            if length >= rules.SHORTEST_RUN:
                points += length * ways * rules.POINTS_FOR_RUN_CARD
            length = 0
            ways = 1
    return points


@kernel
def _fill_rank_points(keep_ranks: NDArray[np.uint8], table: NDArray[np.uint8]) -> None:
    ranks = np.empty(5, np.int64)
    for keep in range(len(keep_ranks)):
        copy_row(keep_ranks[keep], ranks[: rules.KEPT])
        for starter in range(rules.RANKS):
            ranks[4] = starter
            table[keep, starter] = _fifteens(ranks) + _pairs(ranks) + _runs(ranks)


@functools.cache
def rank_points() -> NDArray[np.uint8]:
    """Return the points of fifteens, pairs and runs of all fours of ranks with a starter.

    Returns
    -------
    uint8 array, shape (1820, 16)
        By number of the four ranks as a keep, and rank of the starter; three columns of
        padding make a row 16 bytes. All of it fits the nearest cache. Impossible hands
        (five alike) have a value that nobody asks for.
    """
    table = np.zeros((KEEPS, 16), np.uint8)
    _fill_rank_points(KEEP_RANKS, table)
    table.flags.writeable = False
    return table


@kernel(inline=True)
def nobs_points(a: int, b: int, c: int, d: int, starter: int) -> int:
    """Return 1 if one of four cards is the jack of the starter's suit, else 0."""
    jack = 4 * rules.JACK + (starter & 3)
    return (
        int(a == jack) + int(b == jack) + int(c == jack) + int(d == jack)
    ) * rules.POINTS_FOR_NOBS


@kernel(inline=True)
def flush_points(a: int, b: int, c: int, d: int, starter: int, crib: int) -> int:
    """Return 5 if all five cards share a suit, 4 if only the hand's four do and it is no crib."""
    four_alike = int(((a ^ b) | (a ^ c) | (a ^ d)) & 3 == 0)
    five_alike = four_alike & int((a ^ starter) & 3 == 0)
    return (4 * (four_alike & (1 - crib)) + (1 + 4 * crib) * five_alike) * (
        rules.POINTS_FOR_FLUSH_CARD
    )


@kernel(inline=True)
def count_kernel(
    table: NDArray[np.uint8], a: int, b: int, c: int, d: int, starter: int, crib: int
) -> int:
    """Return the whole count of four cards in any order and a starter; ``crib`` is 0 or 1."""
    suits = nobs_points(a, b, c, d, starter) + flush_points(a, b, c, d, starter, crib)
    a, b = ascending(a, b)
    c, d = ascending(c, d)
    a, c = ascending(a, c)
    b, d = ascending(b, d)
    b, c = ascending(b, c)
    return int(table[keep_of_cards(a, b, c, d), starter >> 2]) + suits


@kernel
def _count_one(
    table: NDArray[np.uint8], a: int, b: int, c: int, d: int, starter: int, crib: int
) -> int:
    return count_kernel(table, a, b, c, d, starter, crib)


@kernel
def _count_many(
    table: NDArray[np.uint8],
    cards: NDArray[np.uint8],
    starters: NDArray[np.uint8],
    crib: int,
    out: NDArray[np.uint8],
) -> None:
    for i in range(len(starters)):
        a, b, c, d = cards[i, 0], cards[i, 1], cards[i, 2], cards[i, 3]
        out[i] = count_kernel(table, int(a), int(b), int(c), int(d), int(starters[i]), crib)


def count(cards: Sequence[int], starter: int, *, crib: bool = False) -> int:
    """Return what four cards and the starter score in the show, 0..29.

    Raises
    ------
    CardError
        If there are not four cards, or a card is impossible or there twice.
    """
    _check(cards, starter)
    a, b, c, d = cards
    return int(_count_one(rank_points(), a, b, c, d, starter, int(crib)))


def _as_cards(given: ArrayLike) -> NDArray[np.uint8]:
    """Return cards as the kernels take them; CardError unless all are whole numbers 0..51."""
    cards = np.asarray(given)
    if cards.size:
        expected = f"expected cards as whole numbers 0..{rules.DECK - 1}"
        if cards.dtype.kind not in "iu":
            raise CardError(f"{expected}, got {cards.dtype}")
        if cards.max() >= rules.DECK:
            raise CardError(f"{expected}, got {cards.max()}")
        if cards.dtype.kind == "i" and cards.min() < 0:
            raise CardError(f"{expected}, got {cards.min()}")
    return np.ascontiguousarray(cards, np.uint8)


def count_all(
    cards: NDArray[np.uint8], starters: NDArray[np.uint8], *, crib: bool = False
) -> NDArray[np.uint8]:
    """Return the scores of many hands: ``cards`` (n, 4) and ``starters`` (n,) of cards 0..51.

    Raises
    ------
    CardError
        If the shapes do not fit or a card is no whole number in 0..51. That cards differ is not
        checked.
    """
    cards, starters = _as_cards(cards), _as_cards(starters)
    if cards.shape != (len(starters), rules.KEPT):
        raise CardError(f"expected ({len(starters)}, 4) cards, got {cards.shape}")
    out = np.empty(len(starters), np.uint8)
    _count_many(rank_points(), cards, starters, int(crib), out)
    return out


@kernel
def _count_throws(
    table: NDArray[np.uint8], hands: NDArray[np.uint8], counts: NDArray[np.uint8]
) -> None:
    extras = np.empty(rules.SUITS, np.uint8)
    starters = np.empty(rules.DECK - rules.DEALT, np.uint8)
    for h in range(len(hands)):
        hand = hands[h]
        unseen = 0
        place = 0
        for card in range(rules.DECK):
            if place < rules.DEALT and hand[place] == card:
                place += 1
            else:
                starters[unseen] = card
                unseen += 1
        for throw in range(len(KEPT_POSITIONS)):
            p0, p1, p2, p3 = KEPT_POSITIONS[throw]
            a, b, c, d = int(hand[p0]), int(hand[p1]), int(hand[p2]), int(hand[p3])
            row = table[keep_of_cards(a, b, c, d)]
            for suit in range(rules.SUITS):
                extras[suit] = nobs_points(a, b, c, d, suit) + flush_points(a, b, c, d, suit, 0)
            for i in range(len(starters)):
                counts[h, throw, i] = row[starters[i] >> 2] + extras[starters[i] & 3]


def count_throws(hands: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return what the keep scores in hand, for every throw of six cards and every starter.

    Parameters
    ----------
    hands : uint8 array, shape (n, 6)
        Different cards 0..51, ascending in each row.

    Returns
    -------
    uint8 array, shape (n, 15, 46)
        By hand, number of the throw in ``numbering.THROWS``, and unseen card, ascending.

    Raises
    ------
    CardError
        If a row is not six different cards in ascending order.
    """
    hands = _as_cards(hands)
    if hands.ndim != 2 or hands.shape[1] != rules.DEALT:
        raise CardError(f"expected hands of shape (n, 6), got {hands.shape}")
    if (hands[:, :-1] >= hands[:, 1:]).any():
        raise CardError("expected six different cards 0..51 in ascending order in each row")
    counts = np.empty((len(hands), len(THROWS), rules.DECK - rules.DEALT), np.uint8)
    _count_throws(rank_points(), hands, counts)
    return counts


def score_events(cards: Sequence[int], starter: int, *, crib: bool = False) -> list[ScoreEvent]:
    """Return every score of four cards and the starter, in counting order.

    Fifteens first, then pairs, runs, flush and nobs. Three alike are one event, a pair
    royal, as players say it; each run of a double run is an event of its own.

    Raises
    ------
    CardError
        As ``count``.
    """
    _check(cards, starter)
    five = sorted([*cards, starter])
    events: list[ScoreEvent] = []
    for size in range(2, 6):
        for some in itertools.combinations(five, size):
            if sum(min(rank_of(c) + 1, rules.FACE_PIP) for c in some) == rules.FIFTEEN:
                events.append(ScoreEvent("fifteen", some, rules.POINTS_FOR_FIFTEEN))
    for rank in range(rules.RANKS):
        alike = tuple(c for c in five if rank_of(c) == rank)
        if len(alike) >= 2:
            pairs = len(alike) * (len(alike) - 1) // 2
            name = _PAIR_NAMES[len(alike)]
            events.append(ScoreEvent(name, alike, pairs * rules.POINTS_FOR_PAIR))
    events += _run_events(five)
    events += _flush_events(cards, starter, crib)
    for card in cards:
        if rank_of(card) == rules.JACK and suit_of(card) == suit_of(starter):
            events.append(ScoreEvent("nobs", (card, starter), rules.POINTS_FOR_NOBS))
    return events


def _run_events(five: list[int]) -> list[ScoreEvent]:
    for size in range(5, rules.SHORTEST_RUN - 1, -1):
        runs = [
            ScoreEvent("run", some, size * rules.POINTS_FOR_RUN_CARD)
            for some in itertools.combinations(five, size)
            if all(rank_of(b) - rank_of(a) == 1 for a, b in itertools.pairwise(some))
        ]
        # Shorter runs inside the longest do not count again.
        if runs:
            return runs
    return []


def _flush_events(cards: Sequence[int], starter: int, crib: bool) -> list[ScoreEvent]:
    if len({suit_of(card) for card in cards}) > 1:
        return []
    if suit_of(starter) == suit_of(cards[0]):
        five = (*sorted(cards), starter)
        return [ScoreEvent("flush", five, 5 * rules.POINTS_FOR_FLUSH_CARD)]
    if crib:
        return []
    return [ScoreEvent("flush", tuple(sorted(cards)), 4 * rules.POINTS_FOR_FLUSH_CARD)]


def _check(cards: Sequence[int], starter: int) -> None:
    check_cards(cards, rules.KEPT)
    check_cards([*cards, starter], rules.KEPT + 1)
