"""Standard errors that are errors: many small builds against a large one."""

from collections.abc import Iterator
from math import log, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from cribodds.tables.config import BATCHES
from cribodds.tables.solve import solve

from .claim import Claim, by_chance, z_of_t
from .run import Run, batches_of

FAMILY = "errors"
REGIONS = ((0, 40), (40, 80), (80, 121))
UNDECIDED = 0.01  # cells nearer to 0 or 1 are rare events, not means: they are told apart
# How far the errors stated may be from those made, as a part of them, and the share of builds
# within one and two of them from that of a normal error.
TOLERANCE = 0.10
WITHIN = {1: 0.04, 2: 0.02}
# The ratio of so few builds is no normal score at the far end: the bound is that of ten times
# as many tests as there are, and simulated builds pass it less often than is stated.
TESTS = 100


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
    number, chunk = run.size(1_000, 100), 4_000
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
            if (there & ~decided).any():
                yield from _of_region(words, squares, stated, there & ~decided, run)
    yield from _of_region("all of the board in play", squares, stated, ~decided, run)
    # Rare events have errors of the right size, but of no normal shape.
    yield next(_of_region("cells all but decided", squares, stated, decided, run))


def _of_region(
    words: str,
    squares: NDArray[np.float64],
    stated: NDArray[np.float64],
    there: NDArray[np.bool_],
    run: Run,
) -> Iterator[Claim]:
    """Test the ratio of a region first, then, in a full run, its size and its shape."""
    some = there & (stated.min(0) > 0)
    # Cells of one build hang together: the builds are the sample.
    builds = len(squares)
    ratios = squares[:, some].sum(1) / stated[:, some].sum(1).mean()
    ratio = sqrt(ratios.mean())
    spread = float(ratios.std(ddof=1) / sqrt(builds) / ratios.mean()) / 2  # of its logarithm
    cases = builds * int(some.sum())
    what = f"error made over error stated, {words}"
    note = f"root mean square {ratio:.3f} +- {ratio * spread:.3f}"
    details = {"ratio": ratio, "ratio_error": ratio * spread}
    yield by_chance(
        FAMILY, what, "1", cases, "cells of builds", abs(ratio - 1),
        z_of_t(log(ratio) / spread, builds - 1), tests=TESTS, note=note, details=details,
    )  # fmt: skip
    if run.quick:
        return
    yield _within(what, "1, within 10%", cases, abs(ratio - 1), TOLERANCE, ratio * spread, note)
    for times, tolerance in WITHIN.items():
        shares = (squares[:, some] < times**2 * stated[:, some]).mean(1)
        share, normal = float(shares.mean()), 2 * NormalDist().cdf(times) - 1
        error = float(shares.std(ddof=1)) / sqrt(builds)
        yield _within(
            f"truth within {times} standard error{'s' if times > 1 else ''}, {words}",
            f"a normal error's {normal:.1%}", cases, abs(share - normal), tolerance, error,
            f"{share:.1%} +- {error:.1%}",
        )  # fmt: skip


def _within(
    what: str, against: str, cases: int, deviation: float, bound: float, error: float, note: str
) -> Claim:
    """Return a claim of a size, with the chance that it is missed by chance alone."""
    return Claim(
        FAMILY, what, against, cases, "cells of builds", deviation, deviation <= bound,
        bound=bound, false_alarm=2 * NormalDist().cdf(-bound / error), note=note,
    )  # fmt: skip
