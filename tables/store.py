"""A win table as a file: Parquet schema, provenance, checked atomic write, checked read.

One row for each (player_score, opponent_score, dealer), sorted so, with the columns of `KEYS` and
`VALUES` (their meaning: `TableData`). The file's metadata holds the sealed provenance under
`METADATA_KEY`. Nothing is trusted that does not fit its hashes, for a flipped byte in a data page
can read without error. Nothing in a file can run code, and sizes are checked before memory is
taken.
"""

import contextlib
import errno
import hashlib
import os
import stat
from pathlib import Path
from typing import Any, Literal, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from .footer import check_layout, footer_notes, read_footer
from .provenance import OtherVersionError, provenance_fault, seal, unseal
from .table import DEALERS, VALUES, TableData, first_fault

METADATA_KEY = b"cribodds"

KEYS = ("player_score", "opponent_score", "dealer")

MAX_BYTES = 1 << 24
"""The largest honest table (target 255) has 10.5 million bytes."""

MAX_NOTES = 1 << 22
"""The largest provenance: a config may have a million bytes, and its text is escaped in it."""

SCHEMA = pa.schema(
    [
        pa.field("player_score", pa.uint8(), nullable=False),
        pa.field("opponent_score", pa.uint8(), nullable=False),
        pa.field("dealer", pa.dictionary(pa.int8(), pa.string()), nullable=False),
        *(pa.field(name, pa.float64(), nullable=False) for name in VALUES),
    ]
)

Reason = Literal["missing", "damaged", "foreign", "incompatible", "stale"]


class Unavailable(Exception):
    """There is no table to answer from: a value for those who ask `get`, raised by `probe`.

    `reason` is one of ``missing``, ``damaged`` (not Parquet, cut, or anything that fails a check),
    ``foreign`` (good Parquet that is no table of ours), ``incompatible`` (another format version)
    and ``stale`` (not the table of the config that was named). `detail` says what was found,
    `path` where, and `advice` what to do.
    """

    def __init__(self, reason: Reason, detail: str, path: Path, advice: str) -> None:
        super().__init__(reason, detail, path, advice)
        self.reason = reason
        self.detail = detail
        self.path = path
        self.advice = advice

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}; {self.advice}"


class TableWriteError(OSError):
    """A table could not be written; what was at its place is untouched."""


def write_table(path: str | os.PathLike[str], data: TableData) -> TableData:
    """Write a table, checked and at once: `path` holds the old file or the whole new one.

    The bytes are written to a file of their own beside `path`, flushed to the disk, closed, read
    back and compared; only then do they take the place of what was there. Equal tables make equal
    bytes (of one pyarrow version). Missing folders are made; a link is followed.

    Returns
    -------
    TableData
        The table as read back, its provenance complete.

    Raises
    ------
    ValueError
        If `data` is not a table that `read_table` would accept.
    TableWriteError
        If the place cannot be written, the disk is full, or what was written reads back otherwise.
    """
    fault = provenance_fault(data.provenance) or first_fault(data)
    if fault:
        raise ValueError(f"not a table to write: {fault}")
    raw = _encode(data)
    place = Path(os.path.realpath(path))
    temporary = place.with_name(f".{place.name}.{os.getpid()}.{os.urandom(4).hex()}.tmp")
    try:
        if place.is_dir():
            raise IsADirectoryError(errno.EISDIR, "a folder of that name is there")
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            with temporary.open("xb") as file:
                file.write(raw)
                file.flush()
                os.fsync(file.fileno())
            written = _verify(temporary, raw)
            temporary.replace(place)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise TableWriteError(
            f"cannot write the table {path}: {error.strerror or error}; "
            "nothing there was changed; make room or name another place (--out)"
        ) from error
    with contextlib.suppress(OSError):  # not every file system can; the table is whole already
        _sync_folder(place.parent)
    return written


def read_table(path: str | os.PathLike[str], *, build: str = "make build-table") -> TableData:
    """Read a table, checking everything that `write_table` promises but the slow properties.

    Parameters
    ----------
    path
        The Parquet file.
    build
        The command that would make it, for the advice.

    Raises
    ------
    Unavailable
        With reason ``missing``, ``damaged``, ``foreign`` or ``incompatible``.
    """
    place = Path(path)
    try:
        return _decode(_read_bytes(place))
    except _Refused as refused:
        reason, detail = refused.args
    detail = f"no table at {place}" if reason == "missing" else f"{place}: {detail}"
    raise Unavailable(reason, detail, place, f"run: {build}")


class _Refused(Exception):
    """Why a file is no table: reason and detail, before the path is known."""


def _refuse(reason: Reason, detail: str) -> NoReturn:
    raise _Refused(reason, detail)


def _read_bytes(place: Path) -> bytes:
    """Return the whole file, unless it is none or too large; never wait on a pipe or device."""
    try:
        handle = os.open(
            place, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        )
    except (FileNotFoundError, NotADirectoryError):
        _refuse("missing", "")
    except OSError as error:
        _refuse("damaged", f"cannot be read: {error.strerror}")
    try:
        mode = os.fstat(handle).st_mode
        if not stat.S_ISREG(mode):
            _refuse("damaged", "a folder" if stat.S_ISDIR(mode) else "not a regular file")
        with open(handle, "rb", closefd=False) as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        _refuse("damaged", f"cannot be read: {error.strerror}")
    finally:
        os.close(handle)
    if len(raw) > MAX_BYTES:
        _refuse("damaged", f"larger than {MAX_BYTES:,} bytes, more than any table needs")
    return raw


def _encode(data: TableData) -> bytes:
    """Return the file's bytes: no clock, no statistics, no compression (sizes are what they say).

    Statistics in the footer would be a second copy of values that no checksum guards.
    """
    target = data.target
    columns = _row_order(data.values)
    provenance = seal(data.provenance, _values_hash(columns))
    player, opponent, dealer = _key_columns(target)
    table = pa.Table.from_arrays(
        [
            pa.array(player),
            pa.array(opponent),
            pa.DictionaryArray.from_arrays(pa.array(dealer), pa.array(DEALERS)),
            *(pa.array(column) for column in columns),
        ],
        schema=SCHEMA.with_metadata({METADATA_KEY: provenance}),
    )
    sink = pa.BufferOutputStream()
    pq.write_table(
        table,
        sink,
        version="2.6",
        data_page_version="1.0",
        compression="NONE",
        use_dictionary=["dealer"],
        write_statistics=False,
        write_page_checksum=True,
        row_group_size=table.num_rows,
    )
    raw: bytes = sink.getvalue().to_pybytes()
    return raw


def _decode(raw: bytes) -> TableData:
    """Return the table that `raw` holds, or raise `_Refused`."""
    provenance = _check_structure(raw)
    target = provenance["target"]
    try:
        file = pq.ParquetFile(pa.BufferReader(raw), page_checksum_verification=True)
        fits = file.schema_arrow.remove_metadata().equals(SCHEMA)
        # Whole and unthreaded: the file is small and in memory.
        table = file.read(use_threads=False).combine_chunks() if fits else None
    except Exception as error:  # pyarrow tells damage by a dozen unrelated types
        _refuse("damaged", f"its pages cannot be read: {_first_line(error)}")
    if table is None:
        _refuse("damaged", "its columns are not those of a table")
    player, opponent = (table.column(name).to_numpy() for name in KEYS[:2])
    dealer = table.column("dealer").chunk(0)
    dealers, dealer_index = dealer.dictionary.to_pylist(), dealer.indices.to_numpy()
    columns = [table.column(name).to_numpy() for name in VALUES]
    found = (player, opponent, dealer_index)
    if dealers != list(DEALERS) or not all(
        np.array_equal(a, b) for a, b in zip(found, _key_columns(target), strict=True)
    ):
        _refuse("damaged", "its rows are not every score pair and dealer once, in order")
    if _values_hash(columns) != provenance["values_sha256"]:
        _refuse("damaged", "its values do not fit the hash written with them")
    values = np.empty((len(VALUES), 2, target, target))
    for array, column in zip(values, columns, strict=True):
        array[...] = column.reshape(target, target, 2).transpose(2, 0, 1)
    values.flags.writeable = False
    data = TableData(values, provenance)
    if fault := first_fault(data):
        _refuse("damaged", fault)
    return data


def _check_structure(raw: bytes) -> dict[str, Any]:
    """Return the provenance of a file whose layout is safe to be read whole, or refuse it."""
    try:
        footer = read_footer(raw)
        notes = footer_notes(footer)
    except ValueError as error:
        _refuse("damaged", f"not a Parquet file: {error}")
    if METADATA_KEY not in notes:
        _refuse("foreign", "Parquet, but not a table written by cribodds (no provenance in it)")
    if len(notes[METADATA_KEY]) > MAX_NOTES:
        _refuse("damaged", f"its provenance is larger than {MAX_NOTES:,} bytes")
    try:
        provenance = unseal(notes[METADATA_KEY])
        rows = 2 * provenance["target"] ** 2
        check_layout(raw, footer, rows, len(SCHEMA), KEYS.index("dealer"))
    except OtherVersionError as error:
        _refuse("incompatible", _first_line(error))
    except ValueError as error:
        _refuse("damaged", str(error))
    return provenance


def _verify(temporary: Path, raw: bytes) -> TableData:
    """Read back what was just written; raise `OSError` unless it is what was meant."""
    try:
        back = _read_bytes(temporary)
        if back == raw:
            return _decode(back)
        detail = "the file differs from what was written"
    except _Refused as refused:
        detail = refused.args[1]
    raise OSError(errno.EIO, f"what was written reads back wrong: {detail}")


def _sync_folder(folder: Path) -> None:
    """Make a rename in `folder` survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _row_order(values: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Return each (dealer, player, opponent) array as a column in row order."""
    return [np.ascontiguousarray(array.transpose(1, 2, 0)).reshape(-1) for array in values]


def _key_columns(target: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.int8]]:
    """Return the key columns in row order: both scores, and the index into `DEALERS`."""
    scores = np.arange(target, dtype=np.uint8)
    return (
        np.repeat(scores, 2 * target),
        np.tile(np.repeat(scores, 2), target),
        np.tile(np.arange(2, dtype=np.int8), target * target),
    )


def _values_hash(columns: list[NDArray[np.float64]]) -> str:
    """Return the sha256 (hex) of the value columns, one after the other, little-endian."""
    digest = hashlib.sha256()
    for column in columns:
        digest.update(column.astype("<f8", copy=False).data)
    return digest.hexdigest()


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
