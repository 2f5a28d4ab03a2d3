"""The table for those who serve it elsewhere: text (CSV) and a compact binary.

Both hold the rows of the Parquet file in its order: sorted by the player's score, the opponent's
score, and the dealer (``player`` before ``opponent``). The binary's layout is described in
docs/data-dictionary.md; its Python reader is `read_compact`.
"""

import struct
import zlib
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..tables.lookup import WinTable
from ..tables.table import VALUES

MAGIC: Final = b"CRIBODDS"
COMPACT_VERSION: Final = 1
NO_LINE: Final = 0xFFFF
"""Stands for a skunk line that the game has not."""

# magic, version, target, skunk, double skunk, columns, bytes a value, -, rows, values_sha256
_HEADER: Final = struct.Struct("<8sHHHHHBxI32s8x")
_CHECKSUM: Final = struct.Struct("<I")


class Compact(NamedTuple):
    """What a compact file holds.

    `columns` maps names of `VALUES` to arrays of shape (target, target, 2): player's score,
    opponent's score, dealer (0 the player, 1 the opponent). `values_sha256` is the table's own.
    """

    target: int
    skunk: int | None
    double_skunk: int | None
    values_sha256: str
    columns: dict[str, NDArray[np.floating]]


def checked_columns(names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns named, in the order of `VALUES`; ValueError if one is unknown."""
    for name in names:
        if name not in VALUES:
            raise ValueError(f"no column is called {name!r}; there are {', '.join(VALUES)}")
    return tuple(name for name in VALUES if name in names)


def to_csv(table: WinTable, columns: Sequence[str] = VALUES) -> bytes:
    """Return the table as CSV: a header, then one line a row; reading it gives equal floats."""
    keys = ("player_score", "opponent_score", "dealer")
    chosen = table.frame().select(*keys, *checked_columns(columns))
    return chosen.write_csv().encode()


def to_compact(
    table: WinTable, columns: Sequence[str] = ("win",), *, single: bool = False
) -> bytes:
    """Return the table as the compact binary.

    Parameters
    ----------
    table
        The win table.
    columns
        Which of `VALUES`.
    single
        Write float32 (half the size, probabilities off by up to 3e-8), not float64 (exact).
    """
    names = checked_columns(columns)
    made = table.provenance
    lines = [NO_LINE if made[key] is None else made[key] for key in ("skunk", "double_skunk")]
    chosen = sum(1 << VALUES.index(name) for name in names)
    width = 4 if single else 8
    frame = table.frame()
    head = _HEADER.pack(
        MAGIC, COMPACT_VERSION, table.target, *lines, chosen, width, len(frame),
        bytes.fromhex(made["values_sha256"]),
    )  # fmt: skip
    body = b"".join(frame[name].to_numpy().astype(f"<f{width}").tobytes() for name in names)
    return head + body + _CHECKSUM.pack(zlib.crc32(head + body))


def read_compact(raw: bytes) -> Compact:
    """Return what a compact file holds.

    Raises
    ------
    ValueError
        If it is none, is of another version, or is cut or altered.
    """
    if len(raw) < _HEADER.size + _CHECKSUM.size or not raw.startswith(MAGIC):
        raise ValueError("not a compact table of cribodds")
    _, version, target, skunk, double, chosen, width, rows, digest = _HEADER.unpack_from(raw)
    if version != COMPACT_VERSION:
        raise ValueError(f"compact format version {version}; this is version {COMPACT_VERSION}")
    if zlib.crc32(raw[: -_CHECKSUM.size]) != _CHECKSUM.unpack(raw[-_CHECKSUM.size :])[0]:
        raise ValueError("the compact table is damaged: its checksum does not fit")
    names = [name for bit, name in enumerate(VALUES) if chosen >> bit & 1]
    values = np.frombuffer(raw, f"<f{width}", len(names) * rows, _HEADER.size)
    columns = values.reshape(len(names), target, target, 2)
    skunk, double = (None if line == NO_LINE else line for line in (skunk, double))
    return Compact(target, skunk, double, digest.hex(), dict(zip(names, columns, strict=True)))
