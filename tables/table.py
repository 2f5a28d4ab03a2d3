"""What a win table is, and what is always true of one.

`TableData` is the contract between the solver, which makes the values, the store, which keeps
them, and the lookup, which serves them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

DEALERS = ("player", "opponent")
OUTCOMES = (
    "win_plain",
    "win_skunk",
    "win_double_skunk",
    "loss_plain",
    "loss_skunk",
    "loss_double_skunk",
)
VALUES = ("win", *OUTCOMES, "win_se", "deals_left")

TOLERANCE = 1e-12
"""How far rounding may move a sum of probabilities."""

DEALS_TOLERANCE = 1e-9
"""How far rounding may move an expected number of deals (at most some hundreds)."""


@dataclass(frozen=True, eq=False)
class TableData:
    """Win odds of every score pair and dealer, from the player's point of view, before the deal.

    Parameters
    ----------
    values
        float64 array of shape (9, 2, target, target): axis 0 in the order of `VALUES`, axis 1 the
        dealer of the coming deal in the order of `DEALERS` (0 the player, 1 the opponent), axis 2
        the player's score, axis 3 the opponent's (holes, 0 to target - 1).
    provenance
        What made the table, as JSON can hold it. Required keys: ``config`` (a mapping with
        ``name``, ``text``, ``digest``), ``seed``, ``deals``, ``target``, ``skunk`` and
        ``double_skunk`` (None: no such line), ``strategy`` (``name``, ``version``, ``digest``),
        ``code_digest``, ``versions``, ``means``; more may be added. A table that was read has
        ``format_version``, ``values_sha256`` and ``content_sha256`` too; writing makes them anew.
    """

    values: NDArray[np.float64]
    provenance: Mapping[str, Any]

    def __post_init__(self) -> None:
        size = self.values.shape[-1] if self.values.ndim else 0
        if self.values.shape != (len(VALUES), 2, size, size):
            raise ValueError(
                f"values: expected shape ({len(VALUES)}, 2, target, target); "
                f"got {self.values.shape}"
            )

    @classmethod
    def from_columns(
        cls, columns: Mapping[str, NDArray[np.float64]], provenance: Mapping[str, Any]
    ) -> Self:
        """Gather one (2, target, target) array for each name of `VALUES` into a table."""
        if set(columns) != set(VALUES):
            raise ValueError(f"columns: expected {', '.join(VALUES)}; got {', '.join(columns)}")
        return cls(np.stack([columns[name] for name in VALUES]).astype(np.float64), provenance)

    @property
    def target(self) -> int:
        """The score that wins."""
        return int(self.values.shape[-1])

    def column(self, name: str) -> NDArray[np.float64]:
        """Return the (2, target, target) array of one of `VALUES`: dealer, player, opponent."""
        array: NDArray[np.float64] = self.values[VALUES.index(name)]
        return array


class Finding(NamedTuple):
    """One property of a table: what should be true, whether it is, and the first cell if not."""

    property: str
    ok: bool
    detail: str


def quick_checks(data: TableData) -> Iterator[Finding]:
    """Check what the store demands of every table it reads or writes; a few milliseconds."""
    values = data.values
    target = data.provenance["target"]
    yield Finding(
        "there is a cell for every score pair of its target",
        data.target == target,
        f"{data.target} scores, target {target}",
    )
    finite = np.isfinite(values)
    yield _finding("every value is a finite number", ~finite)
    chances = values[: 1 + len(OUTCOMES)]
    yield _finding(
        "probabilities lie between 0 and 1", (chances < -TOLERANCE) | (chances > 1 + TOLERANCE)
    )
    won, lost = values[1:4], values[4:7]
    yield _finding(
        "the six outcomes sum to 1", np.abs(won.sum(axis=0) + lost.sum(axis=0) - 1) > TOLERANCE
    )
    yield _finding(
        "win is the sum of its three kinds", np.abs(won.sum(axis=0) - values[0]) > TOLERANCE
    )
    mirrored = lost[:, ::-1].swapaxes(2, 3)
    yield _finding(
        "what one player wins the other loses", np.abs(won - mirrored) > TOLERANCE, first_column=1
    )
    error, deals = values[7], values[8]
    yield _finding("standard errors lie between 0 and 1", (error < 0) | (error > 1))
    yield _finding("a game takes at least the coming deal", deals < 1 - DEALS_TOLERANCE)
    yield _finding(
        "both players expect the same number of deals",
        np.abs(deals - deals[::-1].swapaxes(1, 2)) > DEALS_TOLERANCE * deals,
    )
    yield from _skunk_checks(data)


def check_table(data: TableData) -> list[Finding]:
    """Check everything that is always true of a table, one finding for each property.

    The slow properties rest on a coupling: let the same deals come, and a player with more points
    is nowhere later at the target. They hold for any strategy that does not look at the board.
    """
    findings = list(quick_checks(data))
    if not all(finding.ok for finding in findings):
        return findings
    win, deals = data.column("win"), data.column("deals_left")
    rises = "win never falls as the own score rises"
    falls = "win never rises with the opponent's score"
    nearer = "the nearer either player, the fewer deals are left"
    findings.append(_finding(rises, np.diff(win, axis=1) < -TOLERANCE))
    findings.append(_finding(falls, np.diff(win, axis=2) > TOLERANCE))
    findings.append(_finding(nearer, np.diff(deals, axis=1) > DEALS_TOLERANCE))
    return findings


def first_fault(data: TableData) -> str | None:
    """Return the first of the quick properties that `data` lacks, and where, or None."""
    for finding in quick_checks(data):
        if not finding.ok:
            return f"not true that {finding.property}: {finding.detail}"
    return None


def _skunk_checks(data: TableData) -> Iterator[Finding]:
    """Check that nobody is skunked at a score past the line, or where there is no line."""
    for kind, line in (
        ("skunk", data.provenance["skunk"]),
        ("double_skunk", data.provenance["double_skunk"]),
    ):
        past = 0 if line is None else line + 1
        won = data.column(f"win_{kind}")[:, :, past:]
        lost = data.column(f"loss_{kind}")[:, past:, :]
        words = kind.replace("_", " ")
        bad = int(np.count_nonzero(won) + np.count_nonzero(lost))
        yield Finding(
            f"no {words} past {line}" if line is not None else f"no {words} at all",
            bad == 0,
            f"{bad:,} cells" if bad else "",
        )


def _finding(text: str, bad: NDArray[np.bool_], first_column: int = 0) -> Finding:
    """Make a finding of the cells where `bad`: (dealer, player, opponent), maybe column first."""
    count = int(np.count_nonzero(bad))
    if not count:
        return Finding(text, True, "")
    *column, dealer, player, opponent = (int(i) for i in np.argwhere(bad)[0])
    name = f"{VALUES[column[0] + first_column]} at " if column else ""
    cell = f"player {player}, opponent {opponent}, dealer {DEALERS[dealer]}"
    return Finding(text, False, f"{count:,} cells, the first {name}{cell}")
