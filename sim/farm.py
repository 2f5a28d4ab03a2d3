"""The farm: chunks of deals played by worker processes and added up by batch.

A chunk is a fixed run of deals; its number mod ``BATCHES`` is its batch. Tallies are
whole numbers, so the sums are the same for any number of workers and any order.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import joblib
from tqdm import tqdm

from .book import Books
from .deal import tally_deals
from .tally import Tally

BATCHES: Final = 64


def _play_chunk(books: Books, seed: int, chunk: int, size: int) -> tuple[int, Tally]:
    return chunk, tally_deals(books, seed, chunk * size, size)


def play_batches(
    books: Books, *, seed: int, deals: int, chunk: int, jobs: int = -1, progress: bool | None = None
) -> list[Tally]:
    """Play deals ``0 .. deals - 1`` of a seed and return the tally of each batch.

    Parameters
    ----------
    books : Books
    seed, deals, chunk : int
        ``deals`` is a multiple of ``BATCHES * chunk``.
    jobs : int
        Worker processes; -1 means all cores.
    progress : bool, optional
        Show deals done, deals/s and time left; by default if stderr is a terminal.

    Returns
    -------
    list of ``BATCHES`` tallies
    """
    chunks = deals // chunk
    if chunks * chunk != deals or chunks % BATCHES:
        raise ValueError(f"{deals} deals are not a multiple of {BATCHES} chunks of {chunk}")
    batches = [Tally.empty() for _ in range(BATCHES)]
    show = sys.stderr.isatty() if progress is None else progress
    with (
        tqdm(total=deals, unit=" deals", unit_scale=True, disable=not show, desc="playing") as bar,
        _workers(min(jobs if jobs > 0 else os.cpu_count() or 1, chunks)) as parallel,
    ):
        tasks = (joblib.delayed(_play_chunk)(books, seed, i, chunk) for i in range(chunks))
        for number, tally in parallel(tasks):
            batches[number % BATCHES] += tally
            bar.update(tally.deals)
    return batches


@contextmanager
def _workers(jobs: int) -> Iterator[joblib.Parallel]:
    """Yield a pool of worker processes that is gone when the work ends or is broken off."""
    pool = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")
    try:
        yield pool
    finally:
        if jobs > 1:
            # Idle workers would outlive an interrupted build.
            joblib.externals.loky.get_reusable_executor().shutdown(wait=False, kill_workers=True)
