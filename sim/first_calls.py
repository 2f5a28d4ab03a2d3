"""First calls in a process beside: a compiler takes one core, and a first build waits for it.

While one process makes the books, another calls for the first time what is called later.
What it compiles is in the cache of kernels, so nobody compiles it again.
"""

import contextlib
import os
from collections.abc import Callable, Iterator

from joblib.externals.loky import ProcessPoolExecutor

from .worker import enter_worker


@contextlib.contextmanager
def compiled_beside(*calls: Callable[[], object]) -> Iterator[None]:
    """Make first calls in another process while the block runs; the process ends with it.

    Parameters
    ----------
    calls : functions of modules
        Made one after the other. What they return, and whether they fail, is of no matter.
    """
    pool = ProcessPoolExecutor(1, initializer=enter_worker, initargs=(os.getpid(),))
    try:
        for call in calls:
            pool.submit(call)
        yield
    finally:
        pool.shutdown(wait=True, kill_workers=True)
