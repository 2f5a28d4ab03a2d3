"""A strategy compiled to look-ups, and the cache where compiled books are kept.

The cache is a folder a strategy, named by a digest of all that the books depend on;
every file's own digest is checked when it is opened, and what is damaged is compiled again.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .files import sweep_folders, whole_folder
from .jit import cache_root, kernel
from .numbering import KEEPS
from .pairs import IMPOSSIBLE
from .rng import GOLDEN

_MOST_PLAYS = 2**16  # what a uint16 can number
_SLOT_BITS = 18


@dataclass(frozen=True)
class Books:
    """A strategy compiled: all that the simulator looks up, and how it was reached.

    Attributes
    ----------
    discards : uint8 array, shape (20358520,)
        By hand number: throw of the pone in the low four bits, of the dealer in the high.
    sequences : uint8 array, shape (s, 8)
        The different plays there are: scoring events as in ``pairs``.
    plays : uint16 array, shape (books, 1820 * 1820)
        Sequence by book and pair of keeps; deal i is played by book i mod books.
    throws : int64 array, shape (2, 91)
        How often each seat throws each pair of ranks, of all hands.
    keeps : int64 array, shape (2, 1820)
        How often each seat keeps each four ranks, of all hands.
    opponent_throws, opponent_keeps : int64 arrays
        The same of the round before: against these the throws are best.
    worth : int64 array, shape (2, 1820)
        What each keep earns in the play, in ``discards.UNIT``, as the throws count it.
    moved : float64 array, shape (rounds,)
        Share of hands and seats whose throw changed in each round of the discard rule.
    """

    discards: NDArray[np.uint8]
    sequences: NDArray[np.uint8]
    plays: NDArray[np.uint16]
    throws: NDArray[np.int64]
    keeps: NDArray[np.int64]
    opponent_throws: NDArray[np.int64]
    opponent_keeps: NDArray[np.int64]
    worth: NDArray[np.int64]
    moved: NDArray[np.float64]

    def digest(self) -> str:
        """Return the sha256 of what decides a deal: discards, sequences and plays."""
        total = hashlib.sha256()
        for array in (self.discards, self.sequences, self.plays):
            total.update(repr((array.dtype.str, array.shape)).encode())
            total.update(np.ascontiguousarray(array).data)
        return total.hexdigest()


@kernel
def _number_plays(
    events: NDArray[np.uint64],
    keys: NDArray[np.uint64],
    numbers: NDArray[np.int32],
    different: int,
    plays: NDArray[np.uint16],
) -> int:
    """Number plays in the order in which they first come; return how many there are by now.

    ``keys`` and ``numbers`` are an open hash table, -1 where a slot is free. It stops when
    there are too many.
    """
    for i in range(len(events)):
        slot = events[i] * GOLDEN >> np.uint64(64 - _SLOT_BITS)
        while numbers[slot] >= 0 and keys[slot] != events[i]:
            slot = slot + np.uint64(1) & np.uint64((1 << _SLOT_BITS) - 1)
        if numbers[slot] < 0:
            if different >= _MOST_PLAYS:
                return _MOST_PLAYS + 1
            keys[slot] = events[i]
            numbers[slot] = different
            different += 1
        plays[i] = numbers[slot]
    return different


def index_plays(
    books: int, parts: Iterable[NDArray[np.uint64]]
) -> tuple[NDArray[np.uint8], NDArray[np.uint16]]:
    """Return the different plays, (s, 8) uint8, and which one each book and pair has, uint16.

    Parameters
    ----------
    books : int
    parts : uint64 arrays, shape (books, n, 1820)
        As ``pairs.compile_pairs`` by book, some keeps of the pone after others: together
        all 1,820. A part is let go before the next is asked for.

    Raises
    ------
    ValueError
        If there are more different plays than a uint16 can number.
    """
    plays = np.empty((books, KEEPS, KEEPS), np.uint16)
    keys = np.zeros(1 << _SLOT_BITS, np.uint64)
    numbers = np.full(1 << _SLOT_BITS, -1, np.int32)
    different = 0
    past = 0
    for part in parts:
        first, past = past, past + part.shape[1]
        for book in range(books):
            rows = plays[book, first:past].reshape(-1)
            different = _number_plays(part[book].reshape(-1), keys, numbers, different, rows)
        del part
    if different > _MOST_PLAYS:
        raise ValueError(f"more than {_MOST_PLAYS} different plays: they cannot be numbered")
    # In ascending order: so their numbers depend on what is played, not on when it came.
    used = numbers >= 0
    events = np.zeros(different, np.uint64)
    events[numbers[used]] = keys[used]
    order = np.argsort(events)
    place = np.empty(different, np.uint16)
    place[order] = np.arange(different, dtype=np.uint16)
    for each in plays:
        each[:] = place[each]
    events = events[order]
    events[events == IMPOSSIBLE] = 0
    # The first event is the lowest byte, whatever the machine's byte order.
    sequences = events.astype("<u8").view(np.uint8).reshape(-1, 8)
    return sequences, plays.reshape(books, -1)


def share_moved(before: NDArray[np.uint8], after: NDArray[np.uint8]) -> float:
    """Return the share of throws, of both seats, that differ between two discard books."""
    differ = before ^ after
    return (np.count_nonzero(differ & 15) + np.count_nonzero(differ >> 4)) / (2 * len(after))


def open_cached(key: str, compile_books: Callable[[], Books]) -> Books:
    """Return the books of a key from the cache, or compile and keep them.

    Parameters
    ----------
    key : str
        Digest of everything that the books depend on.
    compile_books : callable
        Makes the books when there are none, or damaged ones.
    """
    folder = cache_root() / "books" / key
    books = _load(folder)
    if books is not None:
        return books
    books = compile_books()
    # A cache that cannot be written costs time, not the answer.
    return (_load(folder) or books) if _save(folder, books) else books


def _load(folder: Path) -> Books | None:
    try:
        digests = json.loads((folder / "digests.json").read_text())
        arrays = {}
        for field in fields(Books):
            path = folder / f"{field.name}.npy"
            with path.open("rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() != digests[field.name]:
                    return None
            arrays[field.name] = np.load(path, mmap_mode="r", allow_pickle=False)
        return Books(**arrays)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _save(folder: Path, books: Books) -> bool:
    """Write the books to their place, whole or not at all; tell whether it worked."""
    sweep_folders(folder.parent)
    try:
        with whole_folder(folder) as new:
            digests = {}
            for field in fields(Books):
                path = new / f"{field.name}.npy"
                np.save(path, getattr(books, field.name), allow_pickle=False)
                digests[field.name] = hashlib.sha256(path.read_bytes()).hexdigest()
            (new / "digests.json").write_text(json.dumps(digests, indent=1))
    except OSError:
        return False
    return True
