"""Backward induction: tallies of deals become the odds of every score on the board.

With needs ``nd, np >= 1`` (target minus score) of the dealer and the pone::

    W(nd, np) = P(dealer reaches nd first, pone still short of np)
              + sum over totals (g, h) with g < nd, h < np of P(g, h) * (1 - W(np - h, nd - g))

for after a deal that ends nobody's game the pone deals next. Every deal scores at
least the point for the last card, so needs shrink and the order of increasing
``nd + np`` ends. Skunks come from the same counts: the loser, who needs ``np`` and has
scored ``c``, ends at or under the line iff ``np >= c + target - line``.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..sim.jit import kernel, over_threads
from ..sim.tally import PONE_POINTS, Tally
from .table import OUTCOMES

# Eight numbers a cell are solved side by side: one vector register of the machine.
LANES: Final = 8
_DEALS_LEFT: Final = len(OUTCOMES)


@kernel
def _induct(
    first: NDArray[np.float64],
    chances: NDArray[np.float64],
    spans: NDArray[np.int64],
    mirror: NDArray[np.int64],
    scale: NDArray[np.float64],
    shift: NDArray[np.float64],
    solved: NDArray[np.float64],
    turned: NDArray[np.float64],
) -> None:
    """Fill ``solved[side, nd - 1, np - 1, lane]`` in order of increasing needs.

    Parameters
    ----------
    first : shape (sides, target, target, LANES)
        What this deal itself adds at each pair of needs.
    chances : shape (sides, DEALER_POINTS, PONE_POINTS, LANES)
        Chance of each pair of deal totals.
    spans : shape (sides, DEALER_POINTS, 2)
        From and up to which pone's total each row of ``chances`` is not zero.
    mirror, scale, shift : shape (LANES,)
        A lane seen from the other player: ``shift + scale * solved[mirror]``.
    turned : as ``solved``
        Room for what is solved, seen by the player who was dealer before.
    """
    sides, target = first.shape[0], first.shape[1]
    for needs in range(2 * target - 1):
        for side in range(sides):
            # Sides take turns to deal; one side alone plays itself.
            other = side + 1 - sides * (side + 1 == sides)
            for nd in range(max(0, needs - target + 1), min(needs, target - 1) + 1):
                np_ = needs - nd
                a0, a1, a2, a3 = 0.0, 0.0, 0.0, 0.0
                a4, a5, a6, a7 = 0.0, 0.0, 0.0, 0.0
                for g in range(min(nd + 1, chances.shape[1])):
                    for h in range(spans[side, g, 0], min(np_ + 1, spans[side, g, 1])):
                        p = chances[side, g, h]
                        x = turned[other, nd - g, np_ - h]
                        a0 += p[0] * x[0]
                        a1 += p[1] * x[1]
                        a2 += p[2] * x[2]
                        a3 += p[3] * x[3]
                        a4 += p[4] * x[4]
                        a5 += p[5] * x[5]
                        a6 += p[6] * x[6]
                        a7 += p[7] * x[7]
                cell = solved[side, nd, np_]
                cell[0], cell[1], cell[2], cell[3] = a0, a1, a2, a3
                cell[4], cell[5], cell[6], cell[7] = a4, a5, a6, a7
                for lane in range(LANES):
                    cell[lane] += first[side, nd, np_, lane]
                for lane in range(LANES):
                    turned[side, np_, nd, lane] = shift[lane] + scale[lane] * cell[mirror[lane]]


def _run(
    first: NDArray[np.float64],
    chances: NDArray[np.float64],
    mirror: Sequence[int],
    scale: Sequence[float],
    shift: Sequence[float],
) -> NDArray[np.float64]:
    some: NDArray[np.bool_] = np.greater(chances.max(-1), 0)
    spans = np.stack([some.argmax(-1), PONE_POINTS - some[..., ::-1].argmax(-1)], -1)
    spans[some.sum(-1) == 0] = 0
    solved = np.zeros_like(first)
    _induct(
        first, chances, spans, np.array(mirror), np.array(scale), np.array(shift),
        solved, np.zeros_like(first),
    )  # fmt: skip
    return solved


def _reached_first(
    counts: NDArray[np.int64], target: int, loser_short_of: int
) -> NDArray[np.int64]:
    """Count deals in which a player reaches his need while the other is ``loser_short_of`` off.

    Parameters
    ----------
    counts : shape (points, points), as ``Tally.dealer_first`` or its mirror
    loser_short_of : int
        1: the other only has to be short of the target; more: short by at least so many.

    Returns
    -------
    int64 array, shape (target, target)
        By own need - 1 and the other's need - 1.
    """
    own = min(target, counts.shape[0] - 1)
    reached = np.zeros((target, target), np.int64)
    up_to = counts[1 : own + 1].cumsum(1)
    # The other needs at least his points so far and ``loser_short_of`` more.
    needs = np.arange(1, target + 1)
    last = np.minimum(needs - loser_short_of, counts.shape[1] - 1)
    reached[:own, last >= 0] = up_to[:, last[last >= 0]]
    return reached


def _three_kinds(
    counts: NDArray[np.int64], target: int, skunk: int | None, double_skunk: int | None
) -> NDArray[np.int64]:
    """Return plain, skunk and double-skunk wins within the deal, shape (3, target, target)."""
    nothing = np.zeros((target, target), np.int64)
    at_all = _reached_first(counts, target, 1)
    skunked = nothing if skunk is None else _reached_first(counts, target, target - skunk)
    doubly = (
        nothing if double_skunk is None else _reached_first(counts, target, target - double_skunk)
    )
    return np.stack([at_all - skunked, skunked - doubly, doubly])


def _padded(totals: NDArray[np.int64], deals: int) -> NDArray[np.float64]:
    return np.repeat((totals / deals)[..., None], LANES, -1)


def solve_sides(
    sides: Sequence[Tally], target: int, skunk: int | None, double_skunk: int | None
) -> NDArray[np.float64]:
    """Return the dealer's outcomes and the deals left at every pair of needs.

    Parameters
    ----------
    sides : one or two tallies
        One: the strategy plays itself. Two: the deals that player A deals (B is pone), then
        those that B deals.
    target : int
        The score that wins.
    skunk, double_skunk : int or None
        The loser is skunked at or under the line; None: no such line.

    Returns
    -------
    float64 array, shape (sides, target, target, 7)
        By dealer's need - 1 and pone's need - 1; the last axis holds the dealer's
        ``OUTCOMES`` and the expected number of deals, the coming one included.
    """
    first = np.zeros((len(sides), target, target, LANES))
    for side, tally in enumerate(sides):
        dealer = _three_kinds(tally.dealer_first, target, skunk, double_skunk)
        pone = _three_kinds(tally.pone_first, target, skunk, double_skunk)
        first[side, ..., 0:3] = np.moveaxis(dealer / tally.deals, 0, -1)
        first[side, ..., 3:6] = np.moveaxis(pone.swapaxes(1, 2) / tally.deals, 0, -1)
        first[side, ..., _DEALS_LEFT] = 1.0
    chances = np.stack([_padded(tally.totals, tally.deals) for tally in sides])
    mirror = [3, 4, 5, 0, 1, 2, _DEALS_LEFT, 7]
    return _run(first, chances, mirror, [1.0] * LANES, [0.0] * LANES)[..., : _DEALS_LEFT + 1]


def solve_wins(batches: Sequence[Sequence[Tally]], target: int) -> NDArray[np.float64]:
    """Return the dealer's win probability of each batch by itself.

    Parameters
    ----------
    batches : sides as of ``solve_sides``, equally many each
        Their number is a multiple of ``LANES``.
    target : int

    Returns
    -------
    float64 array, shape (batches, sides, target, target)
        By who deals, dealer's need - 1 and pone's need - 1.
    """
    wins = np.empty((len(batches), len(batches[0]), target, target))

    def work(group: int) -> None:
        some = batches[group * LANES : (group + 1) * LANES]
        sides = list(zip(*some, strict=True))
        first = np.stack(
            [
                np.stack([_reached_first(e.dealer_first, target, 1) / e.deals for e in side], -1)
                for side in sides
            ]
        )
        chances = np.stack([np.stack([e.totals / e.deals for e in side], -1) for side in sides])
        solved = _run(first, chances, range(LANES), [-1.0] * LANES, [1.0] * LANES)
        wins[group * LANES : (group + 1) * LANES] = np.moveaxis(solved, -1, 0)

    over_threads(work, len(batches) // LANES)
    return wins


def solve(
    batches: Sequence[Tally], target: int, skunk: int | None, double_skunk: int | None
) -> dict[str, NDArray[np.float64]]:
    """Return the columns of the win table, from the player's point of view before the deal.

    Parameters
    ----------
    batches : tallies, a multiple of ``LANES``
        Equal numbers of deals; their spread gives the standard errors.
    target, skunk, double_skunk
        As ``solve_sides``.

    Returns
    -------
    dict of float64 arrays, shape (2, target, target)
        By dealer (0 the player, 1 the opponent), player's score, opponent's score; keys as
        ``table.VALUES``.
    """
    total = sum(batches, Tally.empty())
    dealer = solve_sides([total], target, skunk, double_skunk)[0]
    wins = solve_wins([[batch] for batch in batches], target)[:, 0]
    spread = wins.std(0, ddof=1) / np.sqrt(len(batches))
    # Needs become scores: need - 1 counts down as the score goes up.
    dealer = dealer[::-1, ::-1]
    spread = spread[::-1, ::-1]
    columns: dict[str, NDArray[np.float64]] = {}
    for i, name in enumerate(OUTCOMES):
        as_pone = dealer[..., (i + 3) % 6].T
        columns[name] = np.stack([dealer[..., i], as_pone])
    columns["win"] = columns["win_plain"] + columns["win_skunk"] + columns["win_double_skunk"]
    columns["win_se"] = np.stack([spread, spread.T])
    columns["deals_left"] = np.stack([dealer[..., _DEALS_LEFT], dealer[..., _DEALS_LEFT].T])
    return columns
