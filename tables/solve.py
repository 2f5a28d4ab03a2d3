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

from ..sim.deal import first_deal
from ..sim.jit import kernel, over_threads
from ..sim.tally import PONE_POINTS, Tally
from .table import OUTCOMES

_DEALS_LEFT: Final = len(OUTCOMES)


@kernel(inline=True)
def _add_times(chance: float, values: NDArray[np.float64], sums: NDArray[np.float64]) -> None:
    for i in range(len(sums)):
        sums[i] += chance * values[i]


@kernel
def _induct(
    first: NDArray[np.float64],
    chances: NDArray[np.float64],
    spans: NDArray[np.int64],
    mirror: NDArray[np.int64],
    scale: float,
    shift: float,
    solved: NDArray[np.float64],
    turned: NDArray[np.float64],
) -> None:
    """Fill ``solved[side, nd - 1, np - 1, value]`` in order of increasing needs.

    Cells of equal ``nd + np`` do not depend on each other. They are solved together, one
    pair of deal totals after the other: so what is added lies in a row, and the processor
    adds several numbers at once. Each cell's own sum is still in the order of the totals.

    Parameters
    ----------
    first : shape (sides, target, target, values)
        What this deal itself adds at each pair of needs.
    chances : shape (sides, DEALER_POINTS, PONE_POINTS)
        Chance of each pair of deal totals.
    spans : shape (sides, DEALER_POINTS, 2)
        From and up to which pone's total each row of ``chances`` is not zero.
    mirror : shape (values,)
    scale, shift : float
        The values of a cell seen from the other player: ``shift + scale * solved[mirror]``.
    turned : shape (sides, 2 * target - 1, target * values)
        Room for what is solved, as the pone sees it: by both needs together - 2, then by
        the pone's need - 1.
    """
    sides, target, values = first.shape[0], first.shape[1], first.shape[3]
    sums = np.empty(target * values)
    for needs in range(2 * target - 1):
        low, high = max(0, needs - target + 1), min(needs, target - 1)
        for side in range(sides):
            # Sides take turns to deal; one side alone plays itself.
            other = side + 1 - sides * (side + 1 == sides)
            sums[:] = 0.0
            for g in range(min(high + 1, chances.shape[1])):
                start = max(low, g)
                for h in range(spans[side, g, 0], min(needs - start + 1, spans[side, g, 1])):
                    # The cells from which this deal ends nobody's game.
                    stop = min(high, needs - h) + 1
                    after = turned[other, needs - g - h, (start - g) * values : (stop - g) * values]
                    _add_times(chances[side, g, h], after, sums[start * values : stop * values])
            for nd in range(low, high + 1):
                np_ = needs - nd
                cell = solved[side, nd, np_]
                seen = turned[side, needs, np_ * values : (np_ + 1) * values]
                for i in range(values):
                    cell[i] = sums[nd * values + i] + first[side, nd, np_, i]
                for i in range(values):
                    seen[i] = shift + scale * cell[mirror[i]]


def _run(
    sides: Sequence[Tally],
    first: NDArray[np.float64],
    mirror: Sequence[int],
    scale: float,
    shift: float,
) -> NDArray[np.float64]:
    chances = np.stack([tally.totals / tally.deals for tally in sides])
    some = chances > 0
    spans = np.stack([some.argmax(-1), PONE_POINTS - some[..., ::-1].argmax(-1)], -1)
    spans[some.sum(-1) == 0] = 0
    target, values = first.shape[2:]
    solved = np.zeros_like(first)
    _induct(
        first, chances, spans, np.array(mirror), scale, shift,
        solved, np.zeros((len(sides), 2 * target - 1, target * values)),
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
    first = np.zeros((len(sides), target, target, _DEALS_LEFT + 1))
    for side, tally in enumerate(sides):
        dealer = _three_kinds(tally.dealer_first, target, skunk, double_skunk)
        pone = _three_kinds(tally.pone_first, target, skunk, double_skunk)
        first[side, ..., 0:3] = np.moveaxis(dealer / tally.deals, 0, -1)
        first[side, ..., 3:6] = np.moveaxis(pone.swapaxes(1, 2) / tally.deals, 0, -1)
        first[side, ..., _DEALS_LEFT] = 1.0
    return _run(sides, first, [3, 4, 5, 0, 1, 2, _DEALS_LEFT], 1.0, 0.0)


def solve_wins(batches: Sequence[Sequence[Tally]], target: int) -> NDArray[np.float64]:
    """Return the dealer's win probability of each batch by itself.

    Parameters
    ----------
    batches : sides as of ``solve_sides``, equally many each
    target : int

    Returns
    -------
    float64 array, shape (batches, sides, target, target)
        By who deals, dealer's need - 1 and pone's need - 1.
    """
    wins = np.empty((len(batches), len(batches[0]), target, target))

    def work(batch: int) -> None:
        sides = batches[batch]
        first = np.stack([_reached_first(e.dealer_first, target, 1) / e.deals for e in sides])
        wins[batch] = _run(sides, first[..., None], [0], -1.0, 1.0)[..., 0]

    over_threads(work, len(batches))
    return wins


def first_solution() -> None:
    """Solve a short game of one deal: it compiles what solves."""
    solve([first_deal()] * 2, 31, None, None)


def solve(
    batches: Sequence[Tally], target: int, skunk: int | None, double_skunk: int | None
) -> dict[str, NDArray[np.float64]]:
    """Return the columns of the win table, from the player's point of view before the deal.

    Parameters
    ----------
    batches : tallies, two or more
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
