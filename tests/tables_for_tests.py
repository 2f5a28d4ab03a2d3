"""A small whole table for the tests, solved by a few lines of plain Python.

A toy deal, not cribbage: five fixed orders of scoring with dyadic chances, played from every score
pair in order of rising points. It shares no code with the solver, and every property of a table
holds of it.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribodds.tables.table import OUTCOMES, TableData

Array = NDArray[np.float64]

DEALER, PONE = 0, 1

TOY_DEALS = (
    (0.25, ((PONE, 2), (DEALER, 3), (PONE, 8), (DEALER, 12))),
    (0.25, ((DEALER, 2), (PONE, 1), (PONE, 12), (DEALER, 6))),
    (0.25, ((DEALER, 1), (PONE, 4), (DEALER, 20))),
    (0.125, ((PONE, 3), (DEALER, 3), (PONE, 6), (DEALER, 14))),
    (0.125, ((DEALER, 2), (PONE, 20))),
)
"""Chance and scores in order: whose, and how many points."""


def _kind(loser: int, skunk: int | None, double: int | None) -> int:
    """0 a plain loss, 1 a skunk, 2 a double skunk."""
    if double is not None and loser <= double:
        return 2
    return 1 if skunk is not None and loser <= skunk else 0


def solve_toy(target: int, skunk: int | None, double: int | None) -> Array:
    """Return by dealer's and pone's score the six outcomes, the dealer's first, and the deals."""
    value = np.zeros((target, target, 7))
    for total in range(2 * target - 2, -1, -1):
        for mine in range(max(0, total - target + 1), min(target, total + 1)):
            odds = np.zeros(7)
            for chance, scores in TOY_DEALS:
                odds += chance * _after(value, [mine, total - mine], scores, skunk, double)
            value[mine, total - mine] = odds
    return value


def _after(
    value: Array,
    board: list[int],
    scores: tuple[tuple[int, int], ...],
    skunk: int | None,
    double: int | None,
) -> Array:
    outcome = np.zeros(7)
    outcome[6] = 1
    for who, points in scores:
        board[who] += points
        if board[who] >= len(value):
            outcome[3 * who + _kind(board[1 - who], skunk, double)] = 1
            return outcome
    nxt = value[board[PONE], board[DEALER]]  # the pone deals next
    outcome[:6] = nxt[[3, 4, 5, 0, 1, 2]]
    outcome[6] += nxt[6]
    return outcome


def toy_provenance(target: int, skunk: int | None, double: int | None) -> dict[str, Any]:
    """Everything that a table must say of itself, made up."""
    means = {"pone_pegs": 2.0, "pone_hand": 8.0, "dealer_pegs": 3.0, "dealer_hand": 8.0}
    means |= {"crib": 4.5, "heels": 0.15}
    return {
        "config": {"name": "toy", "text": f"target = {target}\n", "digest": "d" * 64},
        "seed": 7,
        "deals": 6400,
        "target": target,
        "skunk": skunk,
        "double_skunk": double,
        "strategy": {"name": "toy", "version": 1, "digest": "5" * 64},
        "code_digest": "c" * 64,
        "versions": {"python": "3", "numpy": "2", "numba": "0", "pyarrow": "26"},
        "means": means,
    }


@cache
def toy_table(target: int = 31, skunk: int | None = 20, double: int | None = 10) -> TableData:
    """Return the toy game's table; its standard errors are those of 6,400 coin tosses."""
    dealt = solve_toy(target, skunk, double)  # the player deals
    other = dealt.swapaxes(0, 1)[:, :, [3, 4, 5, 0, 1, 2, 6]]  # the opponent deals
    both = np.stack([dealt, other])
    columns = {name: both[..., i] for i, name in enumerate(OUTCOMES)}
    win = columns["win_plain"] + columns["win_skunk"] + columns["win_double_skunk"]
    spread = win[0] * (1 - win[0]) / 6400
    errors = np.sqrt(np.stack([spread, spread.T]))
    return TableData.from_columns(
        columns | {"win": win, "win_se": errors, "deals_left": both[..., 6]},
        toy_provenance(target, skunk, double),
    )


def changed(data: TableData, name: str, cell: tuple[int, int, int], to: float) -> TableData:
    """Return `data` with one value replaced; `cell` is (dealer, player, opponent)."""
    columns = {key: data.column(key).copy() for key in (*OUTCOMES, "win", "win_se", "deals_left")}
    columns[name][cell] = to
    return TableData.from_columns(columns, data.provenance)
