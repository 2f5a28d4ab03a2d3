"""The play solved: both seats' equilibrium by discounted counterfactual regret minimisation.

Each iteration passes the whole tree twice, the seats in turn. A hand plays its actions
in proportion to what it regrets not having played them. Old gains are multiplied by
s / (s + 1) with s = (t - 1)^1.5, old losses by one half, and the average strategy weighs
iteration t by t^4 (Brown and Sandholm, Solving Imperfect-Information Games via Discounted
Regret Minimization, 2019). The average tends to an equilibrium; how far it is from one is
measured exactly, by both best responses.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from tqdm import tqdm

from .. import rules
from .best_response import (
    Exploitability,
    Game,
    TreePlay,
    exploitability,
    game,
    job_for,
    keep_values,
    new_weights,
    points_of,
)
from .sweep import FOLLOW, LEARN, run_pass

_GAIN_POWER = 1.5
_LOSS_KEPT = 0.5
_AVERAGE_POWER = 4
_FIRST_CHECK = 5


class Solution(NamedTuple):
    """A solved play.

    Attributes
    ----------
    play : TreePlay
        The average strategy of both seats.
    exploitability : Exploitability
        Exact; points a deal.
    points : (float, float)
        Mean points in the play of the pone and of the dealer.
    worth : float64[2][1820]
        By seat and own keep: own points less the other's in the play, expected.
    iterations : int
    """

    play: TreePlay
    exploitability: Exploitability
    points: tuple[float, float]
    worth: NDArray[np.float64]
    iterations: int


def _learn(played: Game, regrets: TreePlay, total: TreePlay, iteration: int) -> None:
    """Do one iteration: update the regrets of both seats and what the average is made of."""
    s = (iteration - 1.0) ** _GAIN_POWER
    for owner in (rules.PONE, rules.DEALER):
        job = job_for(played, owner, LEARN, regrets, regrets)._replace(
            total=total.weights,
            weight=np.float32(iteration**_AVERAGE_POWER),
            gain_kept=np.float32(s / (s + 1)),
            loss_kept=np.float32(_LOSS_KEPT),
        )
        run_pass(played.tree, played.tables, played.cut, job, played.priors[1 - owner])


def _next_check(iteration: int, found: float, target: float) -> int:
    """Return when to measure again: exploitability falls about as the square of iterations."""
    hoped = int(0.95 * iteration * (found / target) ** 0.5) if target > 0 else 2 * iteration
    return max(iteration + 2, min(hoped, 2 * iteration))


def solve(
    pone_prior: ArrayLike,
    dealer_prior: ArrayLike,
    *,
    target: float = 0.002,
    max_iterations: int = 200,
    progress: bool = True,
) -> Solution:
    """Solve the play between a pone and a dealer who keep four ranks so often.

    Parameters
    ----------
    pone_prior, dealer_prior : 1,820 non-negative numbers
        How often each seat makes each keep; any scale.
    target : float
        Stop when the exploitability, points a deal, is at most this.
    max_iterations : int
        Stop after so many iterations in any case.
    progress : bool
        Show a line with the exploitability; quiet if stderr is no terminal.

    Returns
    -------
    Solution
        The same bits on any number of threads.

    Raises
    ------
    ValueError
        If a prior or a limit is out of range.
    """
    if max_iterations < 1:
        raise ValueError(f"max_iterations must be at least 1, got {max_iterations}")
    if not target >= 0:
        raise ValueError(f"target must not be negative, got {target}")
    played = game(pone_prior, dealer_prior)
    regrets = TreePlay(new_weights(played.tree), played.tree.pool)
    total = TreePlay(new_weights(played.tree), played.tree.pool)
    check = min(_FIRST_CHECK, max_iterations)
    with tqdm(
        total=max_iterations, desc="solve the play", unit="it", disable=None if progress else True
    ) as line:
        for iteration in range(1, max_iterations + 1):
            _learn(played, regrets, total, iteration)
            line.update()
            if iteration in (check, max_iterations):
                found = exploitability(played, total, total)
                line.set_postfix_str(
                    f"exploitability {found.total:.5f}, value to the dealer {found.value:+.4f}"
                )
                if found.total <= target:
                    break
                check = _next_check(iteration, found.total, target)
    return Solution(
        total,
        found,
        points_of(played, total, total),
        keep_worth(played, total),
        iteration,
    )


def keep_worth(played: Game, play: TreePlay) -> NDArray[np.float64]:
    """Return float64[2][1820]: by seat and keep, own points less the other's, expected."""
    return np.stack(
        [
            keep_values(played, job_for(played, seat, FOLLOW, play, play))
            for seat in (rules.PONE, rules.DEALER)
        ]
    )
