"""First calls in a process beside: a compiler takes one core, and a first build waits for it.

While one process makes the books, another calls for the first time what is called later.
What it compiles is in the cache of kernels, so nobody compiles it again.
"""

import contextlib
import os
from collections.abc import Callable, Iterator
from concurrent.futures import wait

from joblib.externals.loky import ProcessPoolExecutor

from .worker import enter_worker


@contextlib.contextmanager
def compiled_beside(*calls: Callable[[], object]) -> Iterator[None]:
    """Make first calls in another process while the block runs.

    What is not made by then is waited for: the caller would have to make it. If the block
    fails nobody waits. Either way the process ends with the block.

    Parameters
    ----------
    calls : functions of modules
        Made one after the other. What they return, and whether they fail, is of no matter.
    """
    pool = ProcessPoolExecutor(1, initializer=enter_worker, initargs=(os.getpid(),))
    try:
        made = [pool.submit(call) for call in calls]
        yield
        wait(made)
    finally:
        pool.shutdown(wait=True, kill_workers=True)
