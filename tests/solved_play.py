"""One solved play for the tests of the tree, the solver and the policy.

Both seats keep by chance (the ways to draw four ranks from the deck), and five iterations
are done: far enough from equilibrium that every figure is worth comparing.
"""

import functools
import math

import numpy as np

from best_response_twin import KEEPS, History, Keep
from cribodds.sim.equilibrium import best_response, cfr, policy
from cribodds.sim.observation import Observation

ITERATIONS = 5
PRIOR = np.array(
    [math.prod(math.comb(4, keep.count(rank)) for rank in range(13)) for keep in KEEPS]
)


@functools.cache
def game() -> best_response.Game:
    return best_response.game(PRIOR, PRIOR)


@functools.cache
def solution() -> cfr.Solution:
    return cfr.solve(PRIOR, PRIOR, target=0, max_iterations=ITERATIONS, progress=False)


@functools.cache
def solved_policy() -> policy.Policy:
    return policy.make_policy(solution(), PRIOR, PRIOR)


def chances(keep: Keep, seat: int, laid: History) -> list[float]:
    """The policy as the twin asks for it: by what the player sees."""
    return solved_policy().probabilities(Observation(seat, keep, laid))
