"""Standard errors that are errors: many small builds against a large one."""

from collections.abc import Iterator
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from cribodds.tables.config import BATCHES
from cribodds.tables.solve import solve

from .claim import Claim, by_chance
from .run import Run, batches_of

FAMILY = "errors"
TOLERANCE = 0.10
WHOLE = "all of the board in play"
REGIONS = ((0, 40), (40, 80), (80, 121))
UNDECIDED = 0.01  # cells nearer to 0 or 1 are rare events, not means: they are told apart


def small_builds(run: Run, number: int, chunk: int) -> tuple[NDArray[np.float64], ...]:
    """Return wins and standard errors of small builds with different seeds.

    Two arrays, (number, target, target), by dealer's and pone's score.
    """
    target = run.config.game.target
    wins, errors = np.empty((2, number, target, target))
    for build in range(number):
        seed = run.seed + 1 + build
        batches = batches_of(run.books, seed, BATCHES * chunk, chunk)
        columns = solve(batches, target, None, None)
        wins[build], errors[build] = columns["win"][0], columns["win_se"][0]
    return wins, errors


def claims(run: Run) -> Iterator[Claim]:
    """The ratio of errors made to errors stated, and how often the truth lies within them."""
    number, chunk = run.size(400, 40), 4_000
    wins, errors = small_builds(run, number, chunk)
    truth = run.columns["win"][0]
    own = run.columns["win_se"][0]  # the large build's own error is a part of the difference
    squares = (wins - truth) ** 2
    stated = errors**2 + own**2
    decided = np.minimum(truth, 1 - truth) < UNDECIDED
    for rows_ in REGIONS:
        for columns in REGIONS:
            there = np.zeros_like(decided)
            there[slice(*rows_), slice(*columns)] = True
            words = f"dealer {rows_[0]}-{rows_[1] - 1}, pone {columns[0]}-{columns[1] - 1}"
            yield from _of_region(words, squares, stated, there & ~decided, run)
    yield from _of_region(WHOLE, squares, stated, ~decided, run)
    yield from _of_region("cells all but decided", squares, stated, decided, run)


def _of_region(
    words: str,
    squares: NDArray[np.float64],
    stated: NDArray[np.float64],
    there: NDArray[np.bool_],
    run: Run,
) -> Iterator[Claim]:
    if not there.any():
        return
    some = there & (stated.min(0) > 0)
    ratios = squares[:, some].sum(1) / stated[:, some].sum(1).mean()
    ratio = sqrt(ratios.mean())
    # Cells of one build hang together: the builds are the sample.
    spread = float(ratios.std(ddof=1)) / sqrt(len(ratios)) / (2 * ratio)
    z = (ratio - 1) / spread
    within = [float((squares[:, some] < k**2 * stated[:, some]).mean()) for k in (1, 2)]
    what = f"error made over error stated, {words}"
    note = (
        f"root mean square {ratio:.3f} +- {spread:.3f}; truth within 1 error "
        f"{within[0]:.1%} (normal 68.3%), within 2 {within[1]:.1%} (95.4%)"
    )
    details = {"ratio": ratio, "ratio_error": spread, "within_1": within[0], "within_2": within[1]}
    cases = len(ratios) * int(some.sum())
    if words == WHOLE and not run.quick:
        yield Claim(
            FAMILY, what, "1, within 10%", cases, "cells of builds", abs(ratio - 1),
            abs(ratio - 1) <= TOLERANCE, bound=TOLERANCE,
            false_alarm=2 * NormalDist().cdf(-TOLERANCE / spread), note=note, details=details,
        )  # fmt: skip
    yield by_chance(
        FAMILY, what, "1", cases, "cells of builds", abs(ratio - 1), z, tests=11,
        note=note, details=details,
    )  # fmt: skip
