"""What has been played of a seed's deals: their tallies by batch, and which chunks are in.

A chunk is a fixed run of deals; its number mod ``BATCHES`` is its batch. Tallies are whole
numbers, so the sums are the same for any number of workers, any order and any interruption.

Here is also how a tally travels and how it is kept: as bytes that are checked when they are
read. Nothing is pickled, and sizes are checked before memory is taken.
"""

import hashlib
import json
import zlib
from typing import Final

import numpy as np
from numpy.typing import NDArray

from .spans import Spans
from .tally import DEALER_POINTS, PONE_POINTS, SOURCES, Tally

BATCHES: Final = 64

_CELLS: Final = DEALER_POINTS * PONE_POINTS
NUMBERS: Final = 1 + 3 * _CELLS + len(SOURCES)
"""A tally as one row: deals, totals, dealer_first, pone_first, points."""

MAGIC: Final = b"cribodds played 1\n"
MAX_BYTES: Final = 1 << 25
"""No file of sums is larger: 64 rows are 12.6 million bytes before they are packed."""

_MAX_HEAD: Final = 1 << 22
"""Of the text that names the chunks: 25 bytes for each run of them, and those are few."""

_ZLIB_LEVEL: Final = 1  # most cells are 0: more effort gains a tenth


class DamagedError(ValueError):
    """Bytes that are not what was written."""


class ForeignError(ValueError):
    """Sound bytes, but of other deals: another seed, chunk size, strategy or code."""


def pack(tally: Tally) -> bytes:
    """Return a tally as some 10 kB to travel and to be kept."""
    row = np.concatenate(
        [[tally.deals], *(a.ravel() for a in (tally.totals, tally.dealer_first, tally.pone_first)),
         tally.points]
    )  # fmt: skip
    return zlib.compress(row.astype("<i8").tobytes(), _ZLIB_LEVEL)


def unpack(packed: bytes, deals: int) -> NDArray[np.int64]:
    """Return the row of a packed tally, shape (NUMBERS,).

    Raises
    ------
    DamagedError
        If it is no tally of ``deals`` deals.
    """
    row: NDArray[np.int64] = _unpack_rows(packed, 1)[0]
    if row[0] != deals or row[1 : 1 + _CELLS].sum() != deals or row.min() < 0:
        raise DamagedError(f"it is no tally of {deals:,} deals")
    return row


def _unpack_rows(packed: bytes, rows: int) -> NDArray[np.int64]:
    size = rows * NUMBERS * 8
    unpacker = zlib.decompressobj()
    try:
        raw = unpacker.decompress(packed, size + 1)
    except zlib.error as error:
        raise DamagedError(f"it cannot be unpacked: {error}") from None
    if len(raw) != size or not unpacker.eof or unpacker.unused_data:
        raise DamagedError("it does not unpack to a tally")
    numbers: NDArray[np.int64] = np.frombuffer(raw, "<i8").astype(np.int64)
    return numbers.reshape(rows, NUMBERS)


def _tally(row: NDArray[np.int64]) -> Tally:
    totals, dealer_first, pone_first = row[1 : 1 + 3 * _CELLS].reshape(3, _CELLS)
    return Tally(
        int(row[0]),
        totals.reshape(DEALER_POINTS, PONE_POINTS),
        dealer_first.reshape(DEALER_POINTS, PONE_POINTS),
        pone_first.reshape(PONE_POINTS, DEALER_POINTS),
        row[1 + 3 * _CELLS :],
    )


class Played:
    """The chunks that were played, and the sum of their tallies by batch."""

    def __init__(self, chunk: int) -> None:
        """Start with nothing played; ``chunk`` is the number of deals of a chunk."""
        self.chunk = chunk
        self.done = Spans()
        self._sums = np.zeros((BATCHES, NUMBERS), np.int64)

    @property
    def deals(self) -> int:
        """How many deals are in."""
        return len(self.done) * self.chunk

    def add(self, number: int, row: NDArray[np.int64]) -> bool:
        """Add a chunk's row unless it is in already; tell whether it was added."""
        if number in self.done:
            return False
        self.done.add(number)
        self._sums[number % BATCHES] += row
        return True

    def batches(self) -> list[Tally]:
        """Return the tally of each batch; they do not change as more is played."""
        return [_tally(row) for row in self._sums.copy()]

    def seal(self, key: str) -> bytes:
        """Return all of this as bytes that only ``unseal`` of the same key takes."""
        head = json.dumps({"key": key, "runs": self.done.runs}).encode()
        sums = zlib.compress(self._sums.astype("<i8").tobytes(), _ZLIB_LEVEL)
        body = len(head).to_bytes(4, "little") + head + sums
        return MAGIC + hashlib.sha256(body).digest() + body

    @classmethod
    def unseal(cls, raw: bytes, key: str, chunk: int) -> "Played":
        """Return what was sealed.

        Raises
        ------
        DamagedError
            If a bit of it is not as it was written.
        ForeignError
            If it is of another key.
        """
        body = raw[len(MAGIC) + 32 :]
        if raw[: len(MAGIC)] != MAGIC or hashlib.sha256(body).digest() != raw[len(MAGIC) :][:32]:
            raise DamagedError("its checksum does not fit")
        size = int.from_bytes(body[:4], "little")
        played = cls(chunk)
        try:
            if size > _MAX_HEAD:
                raise ValueError("longer than any")
            head = json.loads(body[4 : 4 + size])
            written_for = head["key"]
            played.done = Spans((start, end) for start, end in head["runs"])
        except (ValueError, KeyError, TypeError, RecursionError):
            raise DamagedError("it does not say which deals it holds") from None
        if written_for != key:
            raise ForeignError("it is of another seed, chunk size, strategy or version of the code")
        played._sums = _unpack_rows(body[4 + size :], BATCHES)
        deals = [played.done.count(batch, BATCHES) * chunk for batch in range(BATCHES)]
        sums = played._sums
        fits = np.array_equal(sums[:, 0], deals) and sums.min() >= 0
        if not fits or not np.array_equal(sums[:, 1 : 1 + _CELLS].sum(1), deals):
            raise DamagedError("its tallies do not hold the deals that it names")
        return played
