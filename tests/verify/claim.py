"""A claim: what was compared with what, how many cases, how far apart, and whether it holds."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from math import copysign, exp, inf, log, sqrt
from statistics import NormalDist
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

LEVEL: Final = 1e-6
"""Chance that a statistical claim fails although it is true."""


@dataclass(frozen=True)
class Claim:
    """One line of the proof.

    Attributes
    ----------
    family : the kind of proof: exact, twin, ..
    what, against : what was compared with what
    cases, unit : how many cases, of what
    deviation : the largest difference found
    passed : whether the claim holds
    z : the deviation in standard errors, where chance has a part
    bound : how large ``z``, or else the deviation, may be
    false_alarm : the chance that a true claim fails; 0 where nothing is left to chance
    note : what else a reader wants to know
    details : figures for the JSON
    """

    family: str
    what: str
    against: str
    cases: int
    unit: str
    deviation: float
    passed: bool
    z: float | None = None
    bound: float = 0.0
    false_alarm: float = 0.0
    note: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)

    def line(self) -> str:
        """Return the claim in one line."""
        verdict = "pass" if self.passed else "FAIL"
        parts = [
            f"{verdict} {self.family}: {self.what} against {self.against}",
            f"{self.cases:,} {self.unit}",
            f"largest deviation {self.deviation:.4g}"
            + ("" if self.z is not None or not self.bound else f" (bound {self.bound:.4g})"),
        ]
        if self.z is not None:
            parts.append(f"z {self.z:+.2f} (bound {self.bound:.2f})")
        if self.false_alarm:
            parts.append(f"false alarm {self.false_alarm:.1g}")
        else:
            parts.append("a stated tolerance" if self.bound else "nothing left to chance")
        if self.note:
            parts.append(self.note)
        return "; ".join(parts)

    def as_json(self) -> dict[str, Any]:
        """Return the claim as JSON can hold it."""
        return asdict(self)


def exact(
    family: str,
    what: str,
    against: str,
    cases: int,
    unit: str,
    deviation: float,
    *,
    bound: float = 0.0,
    note: str = "",
    details: Mapping[str, Any] | None = None,
) -> Claim:
    """Return a claim that leaves nothing to chance: the deviation is 0, or up to ``bound``."""
    return Claim(
        family, what, against, cases, unit, deviation, 0 <= deviation <= bound,
        bound=bound, note=note, details=details or {},
    )  # fmt: skip


def by_chance(
    family: str,
    what: str,
    against: str,
    cases: int,
    unit: str,
    deviation: float,
    z: float,
    *,
    tests: int = 1,
    note: str = "",
    details: Mapping[str, Any] | None = None,
) -> Claim:
    """Return a statistical claim: ``z`` is the largest of ``tests``, bounded after Bonferroni."""
    bound = z_bound(tests)
    return Claim(
        family, what, against, cases, unit, deviation, abs(z) <= bound,
        z=z, bound=bound, false_alarm=LEVEL, note=note, details=details or {},
    )  # fmt: skip


def z_bound(tests: int) -> float:
    """Return what the largest of so many ``|z|`` passes with chance ``LEVEL``."""
    return -NormalDist().inv_cdf(LEVEL / (2 * tests))


def z_of_chi_square(statistic: float, freedom: int) -> float:
    """Return a chi-square as a normal score (Wilson and Hilferty, 1931)."""
    spread = 2 / (9 * freedom)
    return float(((statistic / freedom) ** (1 / 3) - (1 - spread)) / sqrt(spread))


def z_of_t(t: float, freedom: int) -> float:
    """Return Student's t as a normal score (Wallace, 1959)."""
    size = sqrt(freedom * log(1 + t**2 / freedom))
    return copysign(size * (8 * freedom + 1) / (8 * freedom + 3), t)


def z_of_count(seen: int, number: int, chance: float) -> float:
    """Return how often something was seen as a normal score.

    The score has the chance of the binomial's tail in which the count lies, the count itself
    included: a true claim fails no oftener than is said, however rare what is counted.
    """
    if not 0 < chance < 1:
        # What is certain, or impossible; NaN is neither and stays what it is.
        certain = number * chance
        return 0.0 if seen == certain else copysign(inf, seen - certain)
    mean = number * chance
    up = seen > mean
    logs = log_factorials(number)
    reach = 200 + int(20 * sqrt(mean * (1 - chance)))  # beyond it the terms are nothing
    k = np.arange(seen, min(number, seen + reach) + 1) if up else np.arange(seen, -1, -1)[:reach]
    terms = k * log(chance) + (number - k) * np.log1p(-chance)
    terms += logs[number] - logs[k] - logs[number - k]
    tail = float(np.exp(terms - terms[0]).sum()) * exp(max(terms[0], -600.0))
    size = max(0.0, -NormalDist().inv_cdf(min(tail, 0.5)))
    return size if up else -size


@cache
def log_factorials(number: int) -> NDArray[np.float64]:
    """Return the logarithms of 0!, 1!, .. ``number``!."""
    return np.concatenate([[0.0], np.log(np.arange(1, number + 1)).cumsum()])
