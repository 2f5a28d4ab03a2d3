"""A place in the play as both players see it, while the public tree is walked.

Three small arrays hold it, so that a walk can keep one set for each level:

* ``state`` int64[12]: the count, the length of the series, whose turn it is, who laid the
  last card, and the series itself;
* ``hands`` int64[6]: by seat, cards left, least rank they can be, points scored so far;
* ``played`` uint8[13]: by rank, cards the pone has laid times 5 plus those of the dealer.
"""

import numpy as np
from numpy.typing import NDArray

from .. import rules
from ..jit import kernel, whole
from ..play import card_points, is_legal, pip
from .endings import tail_length

# The played code of a rank is the pone's count * 5 + the dealer's count.
CODE_BASE = rules.SUITS + 1

# Columns of ``state`` and ``hands``.
COUNT, LENGTH, TURN, LAST, SERIES = 0, 1, 2, 3, 4
STATE_WIDTH = SERIES + 2 * rules.KEPT
HELD, LOW, POINTS, HANDS_WIDTH = 0, 2, 4, 6


@kernel
def ranks_allowed(count: int) -> int:
    """Return how many ranks, from the ace up, may be laid at this count."""
    ranks = 0
    while ranks < rules.RANKS and is_legal(ranks, count):
        ranks += 1
    return ranks


@kernel
def settle(state: NDArray[np.int64], hands: NDArray[np.int64]) -> None:
    """Find who is to move, passing over gos that everybody can foresee.

    Ends: a reset makes every card legal, and somebody holds one.
    """
    while True:
        limit = ranks_allowed(state[COUNT])
        turn = state[TURN]
        other = 1 - turn
        if hands[HELD + turn] > 0 and hands[LOW + turn] < limit:
            return
        if hands[HELD + other] > 0 and hands[LOW + other] < limit:
            state[TURN] = other
            return
        if state[COUNT] < rules.COUNT_LIMIT:
            hands[POINTS + state[LAST]] += rules.POINTS_FOR_GO
        state[COUNT] = 0
        state[LENGTH] = 0
        next_turn = 1 - state[LAST]
        state[TURN] = next_turn if hands[HELD + next_turn] > 0 else state[LAST]


@kernel
def lay(
    state: NDArray[np.int64],
    hands: NDArray[np.int64],
    played: NDArray[np.uint8],
    series: NDArray[np.uint8],
    rank: int,
) -> None:
    """Lay a card of the player in turn and pass the turn; ``series`` is scratch."""
    turn = state[TURN]
    length = state[LENGTH]
    for i in range(length):
        series[i] = state[SERIES + i]
    state[COUNT] += pip(rank)
    hands[POINTS + turn] += card_points(series, length, rank, state[COUNT])
    state[SERIES + length] = rank
    state[LENGTH] = length + 1
    state[LAST] = turn
    hands[HELD + turn] -= 1
    played[rank] += CODE_BASE if turn == rules.PONE else 1
    state[TURN] = 1 - turn


@kernel
def tail_key(
    state: NDArray[np.int64], series: NDArray[np.uint8], coming: int, lone: int
) -> tuple[int, int]:
    """Return a number shared by places with the same endings, and the length of their tail.

    ``series`` receives the tail.
    """
    length = state[LENGTH]
    for i in range(length):
        series[i] = state[SERIES + i]
    tail = tail_length(series, length, coming)
    key = tail
    for i in range(tail):
        series[i] = series[length - tail + i]
        key = key << 4 | whole(series[i])
    # Who laid the last card matters only while its count can still be paid for.
    last = state[LAST] if state[COUNT] > 0 else 0
    return ((key << 5 | state[COUNT]) << 2 | state[TURN] << 1 | last) << 2 | lone, tail
