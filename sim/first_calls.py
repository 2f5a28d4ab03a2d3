"""First calls in a process beside: a compiler takes one core, and a first build waits for it.

While one process makes the books, another calls for the first time what is called later.
What it compiles is in the cache of kernels, so nobody compiles it again.
"""

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
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
        # One task: the pool complains of tasks that wait when it is killed.
        made = pool.submit(_make, calls)
        yield
        wait([made])
    finally:
        pool.shutdown(wait=True, kill_workers=True)


def _make(calls: Sequence[Callable[[], object]]) -> None:
    for call in calls:
        with contextlib.suppress(Exception):
            call()
