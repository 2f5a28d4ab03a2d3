"""A claim: what was compared with what, how many cases, how far apart, and whether it holds."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from math import sqrt
from statistics import NormalDist
from typing import Any, Final

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
    """Return a claim that leaves nothing to chance: the deviation is at most ``bound``."""
    return Claim(
        family, what, against, cases, unit, deviation, deviation <= bound,
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
