"""The rest of a deal in scoring order, for many possibilities at once: where the board ends.

Heels, the cards of the play, the pone's hand, the dealer's hand, the crib; it stops where
somebody reaches the target. What comes out is in which *cells*, pairs of scores, the deal
ends: all that the win table needs to go on.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..sim import rules
from ..sim.jit import kernel
from ..sim.pairs import SEAT_BIT
from ..sim.show import count_kernel, rank_points
from .hidden import Hidden
from .playout import Lines

PLAY: Final = 0
PONE_HAND: Final = 1
DEALER_HAND: Final = 2
CRIB: Final = 3
"""What is scored next."""


@dataclass(frozen=True)
class Ahead:
    """What may still happen in a deal, for each option of the player.

    Attributes
    ----------
    seat : int
        The player's.
    keeps : uint8 array, shape (options, 4)
        The player's cards.
    throws : uint8 array, shape (options, 2)
    heels_due : bool
        The starter is yet to be turned.
    stage : int
        ``PLAY``, ``PONE_HAND``, ``DEALER_HAND`` or ``CRIB``.
    lines : Lines
        How the play can go on, by option and by what the opponent holds.
    one_way : bool
        Possibility i meets only one of the ways, number i mod their number; for many drawn
        possibilities and ways of equal chance.
    """

    seat: int
    keeps: NDArray[np.uint8]
    throws: NDArray[np.uint8]
    heels_due: bool
    stage: int
    lines: Lines
    one_way: bool


class Ends(NamedTuple):
    """Where the deal ends.

    Attributes
    ----------
    win : float64 array, shape (options, n)
        The player's probability of winning, by option and possibility.
    shares : float64 array, shape (options, cells)
        How likely each cell is, over all possibilities. A cell is ``player score *
        (target + 1) + opponent score``, none above the target.
    """

    win: NDArray[np.float64]
    shares: NDArray[np.float64]


def ends(
    ahead: Ahead,
    hidden: Hidden,
    rows: NDArray[np.int32],
    player: int,
    opponent: int,
    target: int,
    win: NDArray[np.float64],
) -> Ends:
    """Return in which cells the deal ends, for every option and possibility.

    Parameters
    ----------
    ahead : Ahead
    hidden : Hidden
    rows : int32 array, shape (n,)
        Which of the hands of ``ahead.lines`` the opponent holds, by possibility.
    player, opponent : int
        The scores now, under the target.
    target : int
    win : float64 array, shape (cells,)
        The player's probability of winning after the deal, by cell.
    """
    found = Ends(
        np.zeros((len(ahead.keeps), len(rows))), np.zeros((len(ahead.keeps), (target + 1) ** 2))
    )
    _end(
        rank_points(), ahead.seat, ahead.keeps, ahead.throws, ahead.heels_due, ahead.stage,
        ahead.lines, ahead.one_way, hidden.keeps, hidden.throws, hidden.starters, rows,
        player, opponent, target, win, found.win, found.shares,
    )  # fmt: skip
    found.shares[:] /= len(rows)
    return found


@kernel
def _lay_line(line: NDArray[np.uint8], board: NDArray[np.int64], target: int) -> None:
    """Move the board by the events of a play, until somebody is at the target."""
    for event in line:
        if event == 0:
            return
        scorer = event >> SEAT_BIT
        board[scorer] += event & (1 << SEAT_BIT) - 1
        if board[scorer] >= target:
            return


@kernel
def _count_three(
    points: NDArray[np.uint8],
    own: NDArray[np.uint8],
    own_throw: NDArray[np.uint8],
    other: NDArray[np.uint8],
    other_throw: NDArray[np.uint8],
    starter: int,
    seat: int,
    counts: NDArray[np.int64],
) -> None:
    """Fill what the pone's hand, the dealer's hand and the crib count."""
    counts[seat] = count_kernel(
        points, int(own[0]), int(own[1]), int(own[2]), int(own[3]), starter, 0
    )
    counts[1 - seat] = count_kernel(
        points, int(other[0]), int(other[1]), int(other[2]), int(other[3]), starter, 0
    )
    a, b = int(own_throw[0]), int(own_throw[1])
    c, d = int(other_throw[0]), int(other_throw[1])
    counts[2] = count_kernel(points, a, b, c, d, starter, 1)


@kernel
def _end(
    points: NDArray[np.uint8],
    seat: int,
    own_keeps: NDArray[np.uint8],
    own_throws: NDArray[np.uint8],
    heels_due: bool,
    stage: int,
    lines: Lines,
    one_way: bool,
    keeps: NDArray[np.uint8],
    throws: NDArray[np.uint8],
    starters: NDArray[np.uint8],
    rows: NDArray[np.int32],
    player: int,
    opponent: int,
    target: int,
    values: NDArray[np.float64],
    win: NDArray[np.float64],
    shares: NDArray[np.float64],
) -> None:
    board = np.empty(2, np.int64)
    counts = np.zeros(3, np.int64)
    hands = (len(lines.starts) - 1) // len(own_keeps)
    for option in range(len(own_keeps)):
        for i in range(len(rows)):
            starter = int(starters[i])
            _count_three(
                points, own_keeps[option], own_throws[option], keeps[i], throws[i], starter, seat,
                counts,
            )  # fmt: skip
            group = option * hands + rows[i]
            first, past = lines.starts[group], lines.starts[group + 1]
            chance = 0.0
            if one_way:
                first += i % (past - first)
                past = first + 1
                chance = 1.0
            for way in range(first, past):
                if not one_way:
                    chance = lines.chances[way]
                board[seat] = player
                board[1 - seat] = opponent
                if heels_due and starter >> 2 == rules.JACK:
                    board[rules.DEALER] += rules.POINTS_FOR_HEELS
                if stage == PLAY and board[rules.DEALER] < target:
                    _lay_line(lines.events[lines.which[way]], board, target)
                for hand in range(3):
                    if hand + PONE_HAND >= stage and board[0] < target and board[1] < target:
                        board[rules.PONE if hand == 0 else rules.DEALER] += counts[hand]
                mine = min(board[seat], target)
                cell = mine * (target + 1) + min(board[1 - seat], target)
                win[option, i] += chance * values[cell]
                shares[option, cell] += chance
