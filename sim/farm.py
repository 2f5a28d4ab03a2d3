"""The farm: chunks of deals played by many workers, on this machine or on many.

One code for all engines, which are joblib's: worker processes of this machine (loky), or the
workers of a Dask cluster. A worker returns a packed tally and knows nothing of the others.
"""

import contextlib
import os
import re
import time
import warnings
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import CancelledError
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, fields
from typing import Any, Final, Self

import joblib
import numpy as np

from .book import Books
from .deal import tally_deals
from .files import Say
from .played import BATCHES, Played, pack, unpack
from .sources import digest_needed_by
from .tally import Tally
from .worker import enter_worker

RESTARTS: Final = 5
"""So often workers may die without a round (64 chunks) played in between."""

_SECONDS_TO_FIND: Final = 30
_SECONDS_TO_JOIN: Final = 60

Result = tuple[int, bytes]


def deals_digest() -> str:
    """Return the digest of the code that, with the books, decides the tally of a chunk."""
    return digest_needed_by("sim/deal.py", "sim/played.py")


class FarmError(RuntimeError):
    """The deals cannot be played on: one line, in words for the person who started the build."""


class OtherCodeError(Exception):
    """A worker's copy of the code is not the build's: its deals may be other deals."""


@dataclass(frozen=True)
class Engine:
    """Where the chunks are played.

    Attributes
    ----------
    jobs : int
        Worker processes of this machine; -1 means all cores.
    scheduler : str, optional
        Address of a Dask scheduler (``tcp://host:8786``): its workers play, and none of here.
    """

    jobs: int = -1
    scheduler: str | None = None


HERE: Final = Engine()
"""All cores of this machine."""


@dataclass(frozen=True)
class Chunks:
    """How chunk ``n`` is played: deals ``n * size .. (n + 1) * size - 1`` of a seed."""

    seed: int
    size: int
    code: str

    def play(self, books: Books, number: int) -> Result:
        """Play one chunk, in a worker; return its number and its packed tally."""
        if (code := deals_digest()) != self.code:
            raise OtherCodeError(
                f"the code of worker {os.uname().nodename} is not the build's "
                f"({code[:12]}, not {self.code[:12]})"
            )
        return number, pack(tally_deals(books, self.seed, number * self.size, self.size))


class Farm:
    """Workers that play chunks; gone, with all their processes, when the ``with`` block ends."""

    def __init__(self, engine: Engine, books: Books, chunks: Chunks, say: Say) -> None:
        self._engine = engine
        self._books = books
        self._chunks = chunks
        self._say = say
        self._open = contextlib.ExitStack()
        self._options: dict[str, Any] = {}
        # What an engine raises when workers died and the rest may be played by new ones.
        self._broken: tuple[type[BaseException], ...] = (BrokenProcessPool,)

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self._open.close()  # nobody leaves a block that was not entered
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def _start(self) -> None:
        if self._engine.scheduler is not None:
            self._join_cluster(self._engine.scheduler)
        elif (jobs := self._engine.jobs if self._engine.jobs > 0 else os.cpu_count() or 1) > 1:
            self._options = {
                "backend": "loky",
                "n_jobs": jobs,
                "initializer": enter_worker,
                "initargs": (os.getpid(),),
            }
            self._open.callback(_kill_processes)

    def play(self, missing: Callable[[], Iterable[int]]) -> Generator[Result]:
        """Yield each missing chunk as it has been played, in any order.

        Parameters
        ----------
        missing : callable
            The numbers that have not been yielded yet; asked again after workers died.

        Raises
        ------
        FarmError
            If workers die again and again, or are not of this code.
        """
        left = RESTARTS
        since = 0
        while True:
            try:
                for result in self._play_once(missing()):
                    yield result
                    since += 1
                return
            except (OtherCodeError, ModuleNotFoundError) as error:
                what = (
                    "install the build's code on every worker"
                    if self._engine.scheduler
                    else "the code was changed meanwhile"
                )
                raise FarmError(f"{error}; {what}, then run the same command again") from None
            except self._broken as error:
                left = (RESTARTS if since >= BATCHES else left) - 1
                since = 0
                reason = _in_short(error)
                if left < 0:
                    raise FarmError(
                        f"workers died {RESTARTS + 1} times in a row; the last time: {reason}"
                    ) from None
                self._say(f"workers were lost ({reason}): starting anew with what is missing")
                self._open.close()
                self._start()

    def _play_once(self, numbers: Iterable[int]) -> Generator[Result]:
        pool = joblib.Parallel(return_as="generator_unordered", **self._options)
        results = pool(joblib.delayed(self._chunks.play)(self._books, n) for n in numbers)
        try:
            yield from results
        finally:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that a stopped build throws work away
                results.close()

    def _join_cluster(self, address: str) -> None:
        try:
            from distributed import Client, KilledWorker
            from distributed.client import FutureCancelledError
        except ImportError:
            raise FarmError(
                "the Dask engine is not installed; run: pip install 'cribodds[dask]'"
            ) from None
        try:
            client = Client(address, timeout=_SECONDS_TO_FIND, set_as_default=False)
        except (OSError, ValueError) as error:
            raise FarmError(f"no Dask scheduler answers at {address}: {error}") from None
        self._open.callback(client.close)
        try:
            client.wait_for_workers(1, timeout=_SECONDS_TO_JOIN)
        except TimeoutError:
            raise FarmError(f"the Dask scheduler at {address} has no workers") from None
        # Plain arrays: a memory map would be looked for on the worker's own disk.
        arrays = {f.name: np.array(getattr(self._books, f.name)) for f in fields(Books)}
        self._books = Books(**arrays)
        start = time.monotonic()
        try:
            # The books go to every worker once, not with every chunk.
            books_there = joblib.parallel_config(
                backend="dask", client=client, scatter=[self._books]
            )
        except Exception as error:  # whatever goes wrong on a worker is one to Dask
            raise FarmError(
                f"the books cannot be moved to the Dask workers ({_in_short(error)}): is this "
                "cribodds installed there? Install the same there, then run the same command again"
            ) from None
        self._open.enter_context(books_there)
        count, size = len(client.nthreads()), sum(array.nbytes for array in arrays.values())
        self._say(
            f"books of {size / 1e6:.1f} MB moved to {count} Dask workers "
            f"in {time.monotonic() - start:.1f} s"
        )
        self._options = {"n_jobs": -1, "pre_dispatch": "4*n_jobs"}
        self._broken = (KilledWorker, CancelledError, FutureCancelledError)


def _in_short(error: BaseException) -> str:
    """Return the first sentence of an engine's error, and how the workers ended if it tells."""
    text = str(error) or type(error).__name__
    sentence = re.split(r"[.\n]", text)[0][:200]
    ends = re.search(r"exit codes of the workers are \{(.*?)\}", text)
    return f"{sentence}: {ends[1]}" if ends else sentence


def _kill_processes() -> None:
    """Idle workers would outlive an interrupted build."""
    executor = joblib.externals.loky.get_reusable_executor(reuse=True)
    executor.shutdown(wait=True, kill_workers=True)


def play_batches(
    books: Books,
    *,
    seed: int,
    deals: int,
    chunk: int,
    engine: Engine = HERE,
) -> list[Tally]:
    """Return the tally of each batch of deals ``0 .. deals - 1``; keep nothing on disk.

    Parameters
    ----------
    books : Books
    seed, deals, chunk : int
        ``deals`` is a multiple of ``BATCHES * chunk``.
    engine : Engine
        Where they are played.
    """
    chunks = chunks_of(deals, chunk)
    played = Played(chunk)
    with Farm(engine, books, Chunks(seed, chunk, deals_digest()), lambda line: None) as farm:
        for number, packed in farm.play(lambda: played.done.missing(chunks)):
            played.add(number, unpack(packed, chunk))
    return played.batches()


def chunks_of(deals: int, chunk: int) -> int:
    """Return the number of chunks of a build; ValueError unless every batch has as many."""
    if deals < 1 or deals % (BATCHES * chunk):
        raise ValueError(f"{deals} deals are not a multiple of {BATCHES} chunks of {chunk}")
    return deals // chunk
