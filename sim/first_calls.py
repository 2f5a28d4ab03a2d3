"""Kernels compiled in a process beside: a compiler takes one core, and a first build waits for it.

While one process makes the books, another calls for the first time what the build calls later.
What it compiles is in the cache of kernels, so nobody compiles it again.
"""

import contextlib
import os
from collections.abc import Iterator

import numpy as np
from joblib.externals.loky import ProcessPoolExecutor

from .book import Books
from .deal import tally_deals
from .discards import compile_discards, random_opponent
from .numbering import HANDS, KEEPS
from .worker import enter_worker


def first_discards() -> None:
    """Choose all throws once."""
    compile_discards(random_opponent(), np.zeros((2, KEEPS), np.int64))


def first_deal() -> None:
    """Play one deal, by books in which nobody scores in the play."""
    none = np.zeros(0, np.int64)
    books = Books(
        np.zeros(HANDS, np.uint8), np.zeros((1, 8), np.uint8),
        np.zeros((1, KEEPS * KEEPS), np.uint16), none, none, none, none, none, np.zeros(0),
    )  # fmt: skip
    tally_deals(books, 0, 0, 1)


@contextlib.contextmanager
def compiled_beside() -> Iterator[None]:
    """Make the first calls in another process while the block runs; the process ends with it."""
    pool = ProcessPoolExecutor(1, initializer=enter_worker, initargs=(os.getpid(),))
    try:
        for call in (first_discards, first_deal):
            pool.submit(call)
        yield
    finally:
        pool.shutdown(wait=True, kill_workers=True)
