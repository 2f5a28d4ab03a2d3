"""What a table says along the board: the numbers behind the figures, without drawing.

Every probability is the named player's, before the cards of the coming deal are dealt. Holes run
from 0 to the target; a *street* is thirty holes.
"""

from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..tables.lookup import Odds, OddsArrays, WinTable
from .stakes import KNOWN

Array = NDArray[np.float64]

STREET: Final = 30
"""Holes in a street, one row of the board."""

TWO_DEALS: Final = 26
"""Points that a player makes, on average, as dealer once and as pone once."""

LAST_POSITION: Final = 25
"""Needed from the last positional hole (96 of 121): by custom where a dealer wants to stand."""

TURN: Final = 0.004
"""A rise or fall smaller than this is no turn of a curve; far above any sampling error."""

ACC: Final = KNOWN["acc"]
"""Game points of the American Cribbage Congress: a win 2, a skunk (or double skunk) 3."""


DECIDED: Final = 1e-4
"""Game points: where the next hole is worth less, the game and its skunk are decided."""


class TurningPoint(NamedTuple):
    """A hole at which a curve turns: a crest (it fell after it) or a trough (it rose)."""

    hole: int
    value: float
    is_crest: bool


def streets(target: int) -> list[int]:
    """Return the last hole of each whole street: 30, 60, 90, 120 of a game to 121."""
    return list(range(STREET, target + 1, STREET))


def positional_holes(target: int) -> list[int]:
    """Return where players say that the dealer is on course: 18, 44, 70 and 96 of 121.

    From hole to hole it is one deal as dealer and one as pone, 26 points on average ("theory of
    26"); from the last a dealer needs 25, his own 16 and the 9 or 10 of the next deal, in which he
    counts first.
    """
    return list(range((target - LAST_POSITION) % TWO_DEALS, target, TWO_DEALS))


def tie_curve(table: WinTable) -> Array:
    """Return the dealer's probability of winning at each tied score, shape (target,)."""
    scores = np.arange(table.target)
    return table.win_array(scores, scores, "player")


def turning_points(curve: Array, turn: float = TURN) -> list[TurningPoint]:
    """Return the crests and troughs of a curve in order, its two ends left out.

    Parameters
    ----------
    curve
        One value for each hole, from 0.
    turn
        The curve has turned once it has come back by this much.
    """
    found: list[TurningPoint] = []
    low = high = 0
    direction = 0  # 0 until the curve has left its start by `turn`
    for hole, value in enumerate(curve):
        if value > curve[high]:
            high = hole
        if value < curve[low]:
            low = hole
        if direction >= 0 and curve[high] - value >= turn:
            if direction > 0:
                found.append(TurningPoint(high, float(curve[high]), True))
            direction, low = -1, hole
        elif direction <= 0 and value - curve[low] >= turn:
            if direction < 0:
                found.append(TurningPoint(low, float(curve[low]), False))
            direction, high = 1, hole
    return found


def bands(curve: Array, level: float) -> list[tuple[float, float]]:
    """Return the stretches of holes in which a curve is above a level, ends interpolated."""
    above = curve > level
    edges = [0.0] if above[0] else []
    for hole in np.flatnonzero(above[1:] != above[:-1]):
        step = (level - curve[hole]) / (curve[hole + 1] - curve[hole])
        edges.append(float(hole + step))
    if above[-1]:
        edges.append(float(len(curve) - 1))
    return [(start, end) for start, end in list(pairwise(edges))[::2] if end > start]


def hole_values(table: WinTable, opponent: int | None = None) -> tuple[Array, Array]:
    """Return what the player's next hole is worth, in probability of winning.

    Parameters
    ----------
    table
        The win table.
    opponent
        The opponent's score; None: the score is tied at every hole.

    Returns
    -------
    dealing, not_dealing
        Arrays of shape (target,): by own score, W(score + 1) - W(score) when the player deals the
        coming deal, and when he does not.
    """
    own = np.arange(table.target)
    other = own if opponent is None else np.full(table.target, opponent)
    dealing, not_dealing = (
        table.win_array(own + 1, other, dealer) - table.win_array(own, other, dealer)
        for dealer in ("player", "opponent")
    )
    return dealing, not_dealing


def deal_values(table: WinTable) -> Array:
    """Return what the deal is worth: W(player deals) - W(opponent deals), shape (target, target).

    Axis 0 is the player's score, axis 1 the opponent's.
    """
    own, other = _all_scores(table)
    return table.win_array(own, other, "player") - table.win_array(own, other, "opponent")


def game_points(odds: Odds | OddsArrays) -> tuple[Array, Array]:
    """Return the ACC game points that the player and that the opponent can expect."""
    mine, yours = (
        np.asarray(ACC.plain * plain + ACC.skunk * skunk + ACC.double_skunk * double)
        for plain, skunk, double in (odds[1:4], odds[4:7])
    )
    return mine, yours


def skunk_shares(table: WinTable, dealer: str) -> Array:
    """Return how much of a hole's worth in ACC game points is about skunks, by both scores.

    A hole is worth so much more of own game points less the opponent's. One part of it is winning
    at all (2 points to the one, none to the other), the rest is the third point of a skunk. The
    share is the rest over the whole: 0 where nobody can be skunked any more, near 1 where the game
    is decided and only the skunk is open.

    Returns
    -------
    ndarray
        Shape (target, target): player's score, opponent's score. NaN where a hole is worth nothing
        (less than `DECIDED`): there is no share of that.
    """
    own, other = _all_scores(table)
    now = table.odds_array(own, other, dealer)
    then = table.odds_array(own + 1, other, dealer)
    net_now, net_then = (mine - yours for mine, yours in map(game_points, (now, then)))
    whole = net_then - net_now
    for_winning = 2 * ACC.plain * (then.win - now.win)
    share: Array = np.full(whole.shape, np.nan)
    np.divide(whole - for_winning, whole, out=share, where=whole >= DECIDED)
    np.clip(share, 0.0, 1.0, out=share)
    return share


def _all_scores(table: WinTable) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return both scores of every unfinished pair, as columns and rows to be broadcast."""
    scores = np.arange(table.target)
    return scores[:, None], scores[None, :]
