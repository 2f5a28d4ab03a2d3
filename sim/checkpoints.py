"""Checkpoints: what was played, kept on disk so that no end of a build loses more than seconds.

A run folder belongs to all that decides a deal's outcome, and its name is a digest of that. In it:

- ``journal``: every chunk as it comes, one checked record each;
- ``<rounds>-<chunks>.tally``: sums over many chunks. The journal starts anew after each;
- ``notes.json``: what else is worth keeping, as the errors at the stages of an adaptive build;
- ``lock``: one build at a time.

Few sums are kept: of every doubling of rounds (64 chunks) the best two, so that a smaller build
of the same deals need not start from nothing either, and a damaged file has another behind it.

Whatever is torn, flipped or of another run is named and not used. A disk that cannot be written
costs the checkpoints, not the build.
"""

import contextlib
import hashlib
import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final, Self

from filelock import FileLock

from .files import Say, open_to_read, replace_file, wait_for
from .jit import cache_root
from .played import BATCHES, MAX_BYTES, DamagedError, ForeignError, Played, unpack

JOURNAL_BYTES: Final = 1 << 24
"""A journal that has grown so far is replaced by one file of sums."""

KEPT_PER_DOUBLING: Final = 2

_JOURNAL_MAGIC: Final = b"cribodds journal 1\n"
_RECORD: Final = b"chunk"
_HEAD: Final = len(_RECORD) + 8 + 4 + 32
_MAX_RECORD: Final = 1 << 18
_MAX_NOTES: Final = 1 << 22
_SECONDS_TO_DISK: Final = 1.0
_NAME: Final = re.compile(r"(\d{8,})-(\d{8,})\.tally")


class Checkpoints:
    """The checkpoints of one run, locked for this process while they are open.

    Parameters
    ----------
    key : str
        Digest of all that decides a deal's outcome.
    chunk : int
        Deals of a chunk.
    say : callable
        Is told, in one line each, what was found damaged and what cannot be written.
    """

    def __init__(self, key: str, chunk: int, say: Say) -> None:
        self.folder = cache_root() / "runs" / key[:24]
        self._key = key
        self._chunk = chunk
        self._say = say
        self._lock = FileLock(self.folder / "lock")
        self._journal: BinaryIO | None = None
        self._since = 0  # bytes since the last file of sums
        self._synced = 0.0
        self._mine: list[Path] = []
        self._writable = True

    def __enter__(self) -> Self:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            wait_for(self._lock, "another build is playing the same deals", self._say)
        except OSError as error:
            self._cannot_write(error)
        return self

    def __exit__(self, *_: object) -> None:
        self._close_journal()
        self._lock.release()

    @property
    def keeps(self) -> bool:
        """Whether what is played is being kept on disk."""
        return self._writable

    # --- reading

    def resume(self, chunks: int) -> Played:
        """Return the most that was kept of chunks ``0 .. chunks - 1``, and open the journal."""
        records = list(self._read_journal())
        played = self._best(chunks, records)
        if any(number >= chunks for number, _ in records):
            # Of a larger build that was stopped: its last seconds are kept for it.
            self.save(self._best(None, records))
        self.save(played)
        return played

    def _best(self, chunks: int | None, records: list[tuple[int, bytes]]) -> Played:
        """Return the largest sums of chunks under ``chunks`` alone, and the records added."""
        played = Played(self._chunk)
        for path in self._sums():
            found = self._read_sums(path)
            if found is not None and (chunks is None or found.done.end <= chunks):
                self._mine = [path]
                played = found
                break
        for number, packed in records:
            if chunks is None or number < chunks:
                with contextlib.suppress(DamagedError):  # a sound record of a wrong tally
                    played.add(number, unpack(packed, self._chunk))
        return played

    def _sums(self) -> list[Path]:
        """Return the files of sums, by how many chunks they hold, the most first."""
        try:
            found = [path for path in self.folder.iterdir() if _NAME.fullmatch(path.name)]
        except OSError:
            return []
        return sorted(found, key=lambda path: (_chunks_of(path), path.name), reverse=True)

    def _read_sums(self, path: Path) -> Played | None:
        try:
            with open_to_read(path) as file:
                raw = file.read(MAX_BYTES + 1)
            if len(raw) > MAX_BYTES:
                raise DamagedError("it is larger than any checkpoint")
            return Played.unseal(raw, self._key, self._chunk)
        except OSError as error:
            self._say(f"checkpoint {path} cannot be read ({error.strerror}): not used")
        except ForeignError as error:
            self._refuse(path, str(error))
        except DamagedError as error:
            self._say(f"checkpoint {path} is damaged: {error}; its deals are played again")
            with contextlib.suppress(OSError):
                path.unlink()
        return None

    def _refuse(self, path: Path, reason: str) -> None:
        """Put what is not ours aside: somebody carried it here, and may want it back."""
        self._say(f"checkpoint {path} refused: {reason}")
        with contextlib.suppress(OSError):
            path.replace(path.with_name(path.name + ".refused"))

    def _read_journal(self) -> Iterator[tuple[int, bytes]]:
        path = self.folder / "journal"
        try:
            with open_to_read(path) as file:
                start = file.read(len(_JOURNAL_MAGIC) + len(self._key))
                if start == _JOURNAL_MAGIC + self._key.encode():
                    yield from self._read_records(file)
                elif start.startswith(_JOURNAL_MAGIC) and len(start) > len(_JOURNAL_MAGIC):
                    self._refuse(path, "it is of another run")
                elif start:
                    self._say(f"checkpoint {path} is damaged: its deals are played again")
        except FileNotFoundError:
            return
        except OSError as error:
            self._say(f"checkpoint {path} cannot be read ({error.strerror}): not used")

    def _read_records(self, file: BinaryIO) -> Iterator[tuple[int, bytes]]:
        """Yield the sound records; after one that is torn nothing can be trusted.

        Nor after so many bytes as no journal has: they are not taken into memory.
        """
        while head := file.read(_HEAD):
            packed = b""
            size = int.from_bytes(head[len(_RECORD) + 8 : len(_RECORD) + 12], "little")
            if len(head) == _HEAD and size <= _MAX_RECORD:
                packed = file.read(size)
            number = int.from_bytes(head[len(_RECORD) : len(_RECORD) + 8], "little")
            sound = head + packed == self._record(number, packed)
            if not sound or file.tell() > 2 * JOURNAL_BYTES:
                self._say(
                    f"checkpoint {self.folder / 'journal'} is torn or damaged from byte "
                    f"{file.tell() - len(head) - len(packed):,}: deals after it are played again"
                )
                return
            yield number, packed

    def _record(self, number: int, packed: bytes) -> bytes:
        head = _RECORD + number.to_bytes(8, "little") + len(packed).to_bytes(4, "little")
        return head + hashlib.sha256(self._key.encode() + head + packed).digest() + packed

    # --- writing

    @property
    def due(self) -> bool:
        """Whether it is time to ``save``."""
        return self._since >= JOURNAL_BYTES

    def keep(self, number: int, packed: bytes) -> None:
        """Put a chunk into the journal; on the disk within about a second."""
        self._since += len(packed)
        if self._journal is None:
            return
        size = self._journal.tell()
        try:
            record = self._record(number, packed)
            while record:  # a disk that gets full takes a part, and refuses at the next try
                record = record[self._journal.write(record) :]
            now = time.monotonic()
            if now - self._synced >= _SECONDS_TO_DISK:
                os.fsync(self._journal.fileno())
                self._synced = now
        except OSError as error:
            with contextlib.suppress(OSError):  # else the torn record is found when it is read
                self._journal.truncate(size)
            self._cannot_write(error)

    def save(self, played: Played) -> None:
        """Write all that was played as one file of sums, and start the journal anew."""
        self._since = 0
        if not self._lock.is_locked:  # another build may be writing here
            return
        rounds = -(-played.done.end // BATCHES)
        path = self.folder / f"{rounds:08}-{len(played.done):08}.tally"
        try:
            if len(played.done):
                replace_file(path, played.seal(self._key))
            self._mine = [*self._mine[-1:], path]
            self._thin_out()
            self._start_journal()
        except OSError as error:
            self._cannot_write(error)
            return
        if not self._writable:
            self._say("checkpoints are written again")
        self._writable = True

    def _start_journal(self) -> None:
        self._close_journal()
        replace_file(self.folder / "journal", _JOURNAL_MAGIC + self._key.encode())
        # Unbuffered: a record is with the system as soon as it is written.
        self._journal = (self.folder / "journal").open("ab", buffering=0)

    def _close_journal(self) -> None:
        if self._journal is not None:
            with contextlib.suppress(OSError):
                os.fsync(self._journal.fileno())
            self._journal.close()
            self._journal = None

    def _thin_out(self) -> None:
        """Remove all sums but the best of every doubling, and our own last two."""
        seen: dict[int, int] = {}
        for path in self._sums():
            doubling = int(path.name.split("-")[0]).bit_length()
            seen[doubling] = seen.get(doubling, 0) + 1
            if seen[doubling] > KEPT_PER_DOUBLING and path not in self._mine:
                path.unlink(missing_ok=True)
        for litter in self.folder.glob(".*.tmp"):
            litter.unlink(missing_ok=True)

    def _cannot_write(self, error: OSError) -> None:
        if self._journal is not None:
            self._journal.close()
            self._journal = None
        if self._writable:
            self._say(
                f"checkpoints cannot be written ({error.strerror or error}: {self.folder}); "
                "playing on, but what is played from here on is lost if the build stops"
            )
        self._writable = False

    # --- notes

    def notes(self) -> dict[str, Any]:
        """Return what was noted; nothing if that is damaged or of another run."""
        path = self.folder / "notes.json"
        try:
            with open_to_read(path) as file:
                text = file.read(_MAX_NOTES)
            notes, seal = json.loads(text)
            if seal == self._seal_of(notes) and isinstance(notes, dict):
                return notes
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError, RecursionError):
            pass
        self._say(f"checkpoint {path} is damaged or of another run: not used")
        return {}

    def note(self, notes: dict[str, Any]) -> None:
        """Keep ``notes`` in place of those that were."""
        if not self._lock.is_locked:
            return
        try:
            text = json.dumps([notes, self._seal_of(notes)])
            replace_file(self.folder / "notes.json", text.encode())
        except OSError as error:
            self._cannot_write(error)

    def _seal_of(self, notes: object) -> str:
        text = json.dumps([self._key, notes], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def _chunks_of(path: Path) -> int:
    return int(path.stem.split("-")[1])
