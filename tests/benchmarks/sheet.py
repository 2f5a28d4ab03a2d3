"""The sheet of a benchmark: figures, printed as they come and kept as JSON and as tables."""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import click

from cribodds.analysis.strength_tables import TextTable


def median_seconds(work: Callable[[], object], rounds: int) -> float:
    """Return the median time of some rounds, after one that does not count."""
    return medians_in_turn([work], rounds)[0]


def medians_in_turn(works: Sequence[Callable[[], object]], rounds: int) -> list[float]:
    """Return the median times of works that are compared: each round does all in turn.

    A machine that is slow for a while is slow for all of them.
    """
    times: list[list[float]] = [[] for _ in works]
    for round_ in range(rounds + 1):
        for work, taken in zip(works, times, strict=True):
            start = time.perf_counter()
            work()
            if round_ > 0:
                taken.append(time.perf_counter() - start)
    return [statistics.median(taken) for taken in times]


@dataclass(frozen=True)
class Figure:
    """One figure; a target is a bound, from above or from below."""

    topic: str
    name: str
    value: float
    unit: str
    at_most: float | None = None
    at_least: float | None = None

    @property
    def target(self) -> str:
        """The target in signs, or nothing."""
        if self.at_most is not None:
            return f"≤ {self.at_most:g}"
        return "" if self.at_least is None else f"≥ {self.at_least:g}"

    @property
    def met(self) -> str:
        """Whether the target is met: yes, no, or nothing where there is none."""
        if self.at_most is not None:
            return "yes" if self.value <= self.at_most else "no"
        if self.at_least is not None:
            return "yes" if self.value >= self.at_least else "no"
        return ""

    @property
    def measured(self) -> str:
        """The value with three digits or more."""
        digits = 2 if abs(self.value) < 10 else 1 if abs(self.value) < 100 else 0
        return f"{self.value:,.{digits}f}"


class Sheet:
    """The figures of one run."""

    def __init__(self, topics: dict[str, str]) -> None:
        """Start with no figures; ``topics`` gives each topic the title of its table."""
        self.figures: list[Figure] = []
        self._topics = topics

    def add(
        self,
        topic: str,
        name: str,
        value: float,
        unit: str,
        *,
        at_most: float | None = None,
        at_least: float | None = None,
    ) -> None:
        """Keep one figure and say it."""
        figure = Figure(topic, name, value, unit, at_most, at_least)
        self.figures.append(figure)
        line = f"{topic:<8} {name:<58} {figure.measured:>10} {unit:<12}"
        click.echo(f"{line} {figure.target:<8} {figure.met}".rstrip(), err=True)

    def rows(self) -> list[dict[str, Any]]:
        """Return the figures for JSON."""
        return [asdict(figure) for figure in self.figures]

    def tables(self) -> list[TextTable]:
        """Return a table for each topic that has figures."""
        columns = ["what", "measured", "unit", "target", "met"]
        tables = []
        for topic, title in self._topics.items():
            rows = [
                [each.name, each.measured, each.unit, each.target, each.met]
                for each in self.figures
                if each.topic == topic
            ]
            if rows:
                tables.append(TextTable(topic, title, columns, rows))
        return tables
