"""The whole play between two keeps, for all 1,820 x 1,820 pairs of them.

The play is a function of the two keeps (and of the number of the book, where a mixed
strategy is spread over several), so all of it fits in one table. A pair's entry is its
scoring events in order, one byte each, the first in the lowest byte::

    points of the card, go and last card included | seat << 7        0 = no more

A pair that no deck can deal (a rank more than four times) is ``IMPOSSIBLE``.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from . import rules
from .cardplay import choose_card, lay_out
from .discards import UNIT
from .jit import copy_row, kernel, over_threads, whole
from .numbering import CHOOSE, KEEP_COUNTS, KEEPS
from .play import pip

IMPOSSIBLE: Final = 2**64 - 1
SEAT_BIT: Final = 7


@kernel
def _next_card(kind: int, keep: NDArray[np.uint8], series: NDArray[np.uint8], laid: int) -> int:
    """Return the rank laid from a keep after the first 0, 1 or 2 cards of ``series``.

    No count is over by then, and nobody has said go. Returns -1 if no opponent can have laid
    his card: the keep has all four.
    """
    held = keep.copy()
    unseen = np.empty(rules.RANKS, np.int64)
    for rank in range(rules.RANKS):
        unseen[rank] = rules.SUITS - keep[rank]
    count = 0
    opponent_cards = rules.KEPT
    for i in range(laid):
        rank = whole(series[i])
        count += pip(rank)
        if (laid - i) % 2 == 0:
            held[rank] -= 1
            continue
        if unseen[rank] == 0:
            return -1
        unseen[rank] -= 1
        opponent_cards -= 1
    return choose_card(kind, held, unseen, series, laid, count, opponent_cards, False)


@kernel
def _fill_replies(
    kind: int, lead: int, keep_counts: NDArray[np.uint8], replies: NDArray[np.int8]
) -> None:
    """Fill what the dealer lays on a lead, by his keep."""
    series = np.zeros(2 * rules.KEPT, np.uint8)
    series[0] = lead
    for dealer in range(len(keep_counts)):
        replies[dealer] = _next_card(kind, keep_counts[dealer], series, 1)


@kernel
def _fill_row(
    kind: int,
    pone: int,
    keep_counts: NDArray[np.uint8],
    replies: NDArray[np.int8],
    events: NDArray[np.uint64],
) -> None:
    """Fill the play of a keep of the pone against all of the dealer's.

    The first cards hang on one keep alone: the pone's lead, the dealer's reply to it, the
    pone's second card after that. They are chosen once, not for each pair.
    """
    keeps = np.empty((2, rules.RANKS), np.uint8)
    own, other = keeps[rules.PONE], keeps[rules.DEALER]
    copy_row(keep_counts[pone], own)
    series = np.zeros(2 * rules.KEPT, np.uint8)
    lead = _next_card(kind, own, series, 0)
    series[0] = lead
    seconds = np.empty(rules.RANKS, np.int8)
    for reply in range(rules.RANKS):
        series[1] = reply
        seconds[reply] = _next_card(kind, own, series, 2)
    seats = np.empty(2 * rules.KEPT, np.int8)
    ranks = np.empty(2 * rules.KEPT, np.int8)
    points = np.empty(2 * rules.KEPT, np.int8)
    for dealer in range(len(keep_counts)):
        copy_row(keep_counts[dealer], other)
        possible = True
        for rank in range(rules.RANKS):
            possible &= own[rank] + other[rank] <= rules.SUITS
        if not possible:
            events[dealer] = IMPOSSIBLE
            continue
        ranks[0] = lead
        ranks[1] = replies[lead, dealer]
        ranks[2] = seconds[ranks[1]]
        lay_out(kind, keeps, 3, seats, ranks, points)
        packed = np.uint64(0)
        shift = np.uint64(0)
        for i in range(2 * rules.KEPT):
            if points[i]:
                packed |= np.uint64(points[i] | seats[i] << SEAT_BIT) << shift
                shift += np.uint64(8)
        events[dealer] = packed


def compile_pairs(kind: int) -> NDArray[np.uint64]:
    """Return the play of all pairs when both seats follow one rule of ``cardplay``.

    Returns
    -------
    uint64 array, shape (1820, 1820)
        Events by keep of the pone, keep of the dealer.
    """
    replies = np.empty((rules.RANKS, KEEPS), np.int8)
    over_threads(lambda lead: _fill_replies(kind, lead, KEEP_COUNTS, replies[lead]), rules.RANKS)
    events = np.empty((KEEPS, KEEPS), np.uint64)
    over_threads(lambda pone: _fill_row(kind, pone, KEEP_COUNTS, replies, events[pone]), KEEPS)
    return events


@kernel
def _fill_points(events: NDArray[np.uint64], points: NDArray[np.int8]) -> None:
    for i in range(len(events)):
        rest = events[i]
        points[:, i] = 0
        while rest and events[i] != IMPOSSIBLE:
            octet = int(rest & np.uint64(255))
            points[octet >> SEAT_BIT, i] += octet & (1 << SEAT_BIT) - 1
            rest >>= np.uint64(8)


def points_by_seat(events: NDArray[np.uint64]) -> NDArray[np.int8]:
    """Return the points of the pone and of the dealer, shape (2, ...); 0 where impossible."""
    points = np.empty((2, events.size), np.int8)
    _fill_points(events.reshape(-1), points)
    return points.reshape(2, *events.shape)


# The ways to draw a keep's ranks from a whole deck divide this evenly.
_WAYS_SCALE: Final = 2304


@kernel
def _fill_chances(
    keep_counts: NDArray[np.uint8],
    choose: NDArray[np.int64],
    weights: NDArray[np.int64],
    chances: NDArray[np.int64],
) -> None:
    for other in range(len(keep_counts)):
        ways_at_large = 1
        for rank in range(rules.RANKS):
            ways_at_large *= choose[rules.SUITS, keep_counts[other, rank]]
        scale = _WAYS_SCALE // ways_at_large
        for own in range(len(keep_counts)):
            ways = 1
            for rank in range(rules.RANKS):
                if keep_counts[other, rank]:
                    ways *= choose[rules.SUITS - keep_counts[own, rank], keep_counts[other, rank]]
            chances[own, other] = weights[other] * ways * scale


def chances_given(weights: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how likely each keep of the opponent is, given one's own.

    An opponent's keep counts by its weight at large, thinned out by the cards of the own
    keep: times the product over ranks of C(4 - own, other) / C(4, other).

    Parameters
    ----------
    weights : int64 array, shape (1820,)
        How often the opponent keeps each four ranks, at large; the sum is under 2**26.

    Returns
    -------
    int64 array, shape (1820, 1820)
        Whole-number weights by own keep and opponent's keep; 0 for impossible pairs.
    """
    chances = np.empty((KEEPS, KEEPS), np.int64)
    _fill_chances(KEEP_COUNTS, CHOOSE, weights, chances)
    return chances


def worth_of_keeps(
    events: Sequence[NDArray[np.uint64]], keeps: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return what each keep earns in the play: own points less the opponent's, in UNIT.

    Parameters
    ----------
    events : arrays as ``compile_pairs``, all equally likely
    keeps : int64 array, shape (2, 1820)
        How often each seat keeps each four ranks.

    Returns
    -------
    int64 array, shape (2, 1820)
        By seat, to the nearest whole number of ``discards.UNIT``. A keep that meets no
        possible opponent is worth 0.
    """
    edge = np.zeros((KEEPS, KEEPS), np.int64)
    for each in events:
        pone, dealer = points_by_seat(each)
        edge += pone - dealer
    worth = np.zeros((2, KEEPS), np.int64)
    for seat, own_edge in ((rules.PONE, edge), (rules.DEALER, -edge.T)):
        chances = chances_given(keeps[1 - seat])
        below = chances.sum(1) * len(events)
        above = (chances * own_edge).sum(1)
        # Python's whole numbers: the products pass 2**63 when there are several books.
        worth[seat] = [
            (2 * int(a) * UNIT + int(b)) // (2 * int(b)) if b else 0
            for a, b in zip(above, below, strict=True)
        ]
    return worth
