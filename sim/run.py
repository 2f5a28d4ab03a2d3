"""A run: deals of one seed, played as far as they are wanted, and never played twice."""

import hashlib
import sys
from contextlib import ExitStack, closing
from typing import Self

from tqdm import tqdm

from .book import Books
from .checkpoints import Checkpoints
from .farm import HERE, Chunks, Engine, Farm, chunks_of, deals_digest
from .files import Say
from .played import Played, unpack
from .tally import Tally


class Run:
    """The deals of a seed: what was played before is taken up, what is missing is played.

    Parameters
    ----------
    books : Books
    seed, chunk : int
        Which deals, and how many are one task.
    engine : Engine
        Where they are played.
    progress : bool, optional
        Show deals done, deals/s and time left; by default if stderr is a terminal.
    say : callable
        Is told, in one line each, what is being done and what went wrong.
    """

    def __init__(
        self,
        books: Books,
        *,
        seed: int,
        chunk: int,
        engine: Engine = HERE,
        progress: bool | None = None,
        say: Say = lambda line: None,
    ) -> None:
        self._chunk = chunk
        self._say = say
        self._show = sys.stderr.isatty() if progress is None else progress
        code = deals_digest()
        self._checkpoints = Checkpoints(_key(seed, chunk, books.digest(), code), chunk, say)
        self._farm = Farm(engine, books, Chunks(seed, chunk, code), say)
        self._played: Played | None = None
        self._open = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as opened:
            opened.enter_context(self._checkpoints)
            opened.enter_context(self._farm)
            self._open = opened.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def play_to(self, deals: int) -> list[Tally]:
        """Return the tally of each batch of deals ``0 .. deals - 1``.

        Parameters
        ----------
        deals : int
            A multiple of ``BATCHES`` chunks; not less than at the call before.

        Returns
        -------
        list of ``BATCHES`` tallies

        Raises
        ------
        FarmError
            If workers die again and again; what was played is kept.
        """
        chunks = chunks_of(deals, self._chunk)
        if self._played is None:
            self._played = self._checkpoints.resume(chunks)
            if self._played.deals:
                self._say(f"{self._played.deals:,} of {deals:,} deals were played before")
        played = self._played
        if played.done.end > chunks:
            raise ValueError(f"{deals} deals: more have been played")
        if played.deals < deals:
            try:
                self._play(played, chunks)
            except BaseException:
                self._tell_what_is_kept(played, deals)
                raise
        return played.batches()

    def _play(self, played: Played, chunks: int) -> None:
        deals = chunks * self._chunk
        with (
            tqdm(
                total=deals, initial=played.deals, unit=" deals", unit_scale=True,
                disable=not self._show, desc="playing",
            ) as bar,
            closing(self._farm.play(lambda: played.done.missing(chunks))) as results,
        ):  # fmt: skip
            for number, packed in results:
                if played.add(number, unpack(packed, self._chunk)):
                    self._checkpoints.keep(number, packed)
                    bar.update(self._chunk)
                if self._checkpoints.due:
                    self._checkpoints.save(played)
            self._checkpoints.save(played)

    def _tell_what_is_kept(self, played: Played, deals: int) -> None:
        if self._checkpoints.keeps:
            self._say(
                f"stopped: {played.deals:,} of {deals:,} deals are kept in "
                f"{self._checkpoints.folder}; the same command plays the rest"
            )

    def recall(self, name: str) -> dict[str, float]:
        """Return what ``remember`` kept under this name, in this process or an earlier one."""
        found = self._checkpoints.notes().get(name)
        items = found.items() if isinstance(found, dict) else ()
        return {key: value for key, value in items if isinstance(value, float)}

    def remember(self, name: str, notes: dict[str, float]) -> None:
        """Keep numbers by name with the checkpoints of these deals."""
        self._checkpoints.note({**self._checkpoints.notes(), name: notes})


def _key(seed: int, chunk: int, books: str, code: str) -> str:
    """Return the digest of all that decides how a chunk of a given number is tallied."""
    return hashlib.sha256(f"{seed} {chunk} {books} {code}".encode()).hexdigest()
