"""The end of the play, where nothing is left to choose or only one player chooses.

Two kinds of endings close the public tree of the play:

* *pair*: both players hold one card. All is forced; the points depend on the two cards.
* *solo*: one player holds two or three cards, the other none. The order is solved
  exactly: the best of at most six.

What an ending is worth depends on the series only through its tail, so endings are
shared among the many places of the tree with the same tail (`tail_length`).
"""

import numpy as np
from numpy.typing import NDArray

from .. import rules
from ..jit import kernel
from ..play import card_points, is_legal, pip

_LIMIT = rules.COUNT_LIMIT
_GO = rules.POINTS_FOR_GO

# The orders in which two or three cards can be laid; of equally good orders the first wins,
# so the higher rank goes first (hands ascend).
ORDERS: NDArray[np.uint8] = np.array(
    [
        [[1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]],
        [[2, 1, 0], [2, 0, 1], [1, 2, 0], [1, 0, 2], [0, 2, 1], [0, 1, 2]],
    ],
    np.uint8,
)
_NO_ORDER = -100


@kernel
def tail_length(series: NDArray[np.uint8], length: int, coming: int) -> int:
    """Return how many of the last cards of a series can matter to the next ``coming`` cards.

    Cards alike at the end matter to pairs, and a pair stops every longer run. Otherwise
    the last L cards, all different, can be part of a run with the next cards only if
    their span is less than L + ``coming``.
    """
    if length == 0:
        return 0
    alike = 1
    while alike < length and series[length - alike - 1] == series[length - 1]:
        alike += 1
    if alike > 1:
        return alike
    seen = 0
    low = rules.RANKS
    high = -1
    useful = 1
    for cards in range(1, length + 1):
        rank = int(series[length - cards])
        if seen >> rank & 1:
            break
        seen |= 1 << rank
        low = min(low, rank)
        high = max(high, rank)
        if high - low < cards + coming:
            useful = cards
    return useful


@kernel
def finish(
    series: NDArray[np.uint8],
    length: int,
    count: int,
    turn: int,
    cards: NDArray[np.uint8],
    left: NDArray[np.int64],
    seats: NDArray[np.int8],
    ranks: NDArray[np.int8],
    points: NDArray[np.int8],
    laid: int,
) -> None:
    """Lay the cards left, each player's in the order given, and record them.

    Parameters
    ----------
    series : uint8 array
        Ranks since the reset, with room for the cards left; overwritten past ``length``.
    turn : int
        Whose turn it is; there is a card before, whose player is read from ``seats``.
    cards : uint8[2][3]
        By seat, in the order in which they are laid; no order may break the rules.
    left : int64[2]
        How many cards of each; used up.
    seats, ranks, points : int8 arrays
        The cards laid: ``laid`` of them before, the others are added. Points include the
        go or last card, which a card before may still earn.
    """
    total = left[0] + left[1]
    nexts_pone = 0
    nexts_dealer = 0
    for _ in range(total):
        nxt = nexts_pone if turn == rules.PONE else nexts_dealer
        other_nxt = nexts_dealer if turn == rules.PONE else nexts_pone
        if left[turn] == 0 or not is_legal(cards[turn, nxt], count):
            if left[1 - turn] > 0 and is_legal(cards[1 - turn, other_nxt], count):
                turn = 1 - turn
            else:
                if 0 < count < _LIMIT:
                    points[laid - 1] += _GO
                # A new count is written behind the old one, which the caller keeps.
                series = series[length:]
                count = 0
                length = 0
                last = seats[laid - 1]
                turn = 1 - last if left[1 - last] > 0 else last
        rank = int(cards[turn, nexts_pone if turn == rules.PONE else nexts_dealer])
        count += pip(rank)
        seats[laid] = turn
        ranks[laid] = rank
        points[laid] = card_points(series, length, rank, count)
        laid += 1
        series[length] = rank
        length += 1
        left[turn] -= 1
        if turn == rules.PONE:
            nexts_pone += 1
        else:
            nexts_dealer += 1
        turn = 1 - turn
    if count < _LIMIT:
        points[laid - 1] += _GO


@kernel
def solo_order_points(
    series: NDArray[np.uint8],
    length: int,
    count: int,
    hand: NDArray[np.uint8],
    order: NDArray[np.uint8],
    cards: int,
) -> int:
    """Return what a lone player scores by laying his cards in an order, `_NO_ORDER` if barred.

    An order is barred if it breaks the rule that a playable card must be laid. The point
    of a count that he ends without having laid a card in it is the other player's: not
    counted here.
    """
    points = 0
    laid = False
    for i in range(cards):
        rank = int(hand[order[i]])
        if not is_legal(rank, count):
            for j in range(i + 1, cards):
                if is_legal(hand[order[j]], count):
                    return _NO_ORDER
            if laid and count < _LIMIT:
                points += _GO
            series = series[length:]
            count = 0
            length = 0
        count += pip(rank)
        points += card_points(series, length, rank, count)
        series[length] = rank
        length += 1
        laid = True
    if count < _LIMIT:
        points += _GO
    return points


@kernel
def best_solo_order(
    series: NDArray[np.uint8],
    length: int,
    count: int,
    hand: NDArray[np.uint8],
    cards: int,
) -> tuple[int, int]:
    """Return the most a lone player can score with two or three cards, and by which order."""
    best = _NO_ORDER
    chosen = 0
    for i in range(2 if cards == 2 else 6):
        points = solo_order_points(series, length, count, hand, ORDERS[cards - 2, i], cards)
        if points > best:
            best = points
            chosen = i
    return best, chosen
