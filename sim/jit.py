"""The one kernel decorator, and where compiled kernels are cached.

Numba's own cache watches the file of a kernel only: a number changed in another
module leaves a stale kernel that gives silently wrong results. Here the cache
folder's name is a digest of every source that its kernels can depend on, so a stale
kernel can never be loaded.
"""

import functools
import hashlib
import os
import pickle
import sys
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar, overload

import numba
import numpy as np
import platformdirs
from llvmlite.binding import get_host_cpu_name

from .sources import digest_of, needed_by

F = TypeVar("F", bound=Callable[..., Any])


def cache_root() -> Path:
    """Return the folder of all caches: ``$CRIBODDS_CACHE``, else the user's cache folder."""
    given = os.environ.get("CRIBODDS_CACHE")
    return Path(given) if given else platformdirs.user_cache_path("cribodds", appauthor=False)


@functools.cache
def _kernel_folder(source: str) -> Path | None:
    """Return a writable folder for the kernels of a source file, or None: compile in memory.

    Its name is a digest of all that they can depend on: the file and what it imports, the
    versions of Python, numba and numpy, and the processor.
    """
    made_with = (sys.version, numba.__version__, np.__version__, get_host_cpu_name())
    path = Path(source)
    digest = hashlib.sha256(f"{digest_of(needed_by([path]))} {made_with}".encode()).hexdigest()
    folder = cache_root() / "kernels" / f"{path.stem}-{digest[:24]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".write-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError:
        return None
    return folder


def _survive_damage(dispatcher: Any) -> None:
    """Make a truncated or damaged cache file mean "compile again" instead of a crash."""
    cache = dispatcher._cache
    load = cache.load_overload

    def load_or_recompile(sig: Any, target_context: Any) -> Any:
        try:
            return load(sig, target_context)
        except (EOFError, pickle.UnpicklingError, ValueError, KeyError, AttributeError, OSError):
            warnings.warn(
                f"damaged kernel cache for {dispatcher.py_func.__name__}: compiled again",
                RuntimeWarning,
                stacklevel=2,
            )
            cache.flush()
            return None

    cache.load_overload = load_or_recompile


@overload
def kernel(function: F) -> F: ...
@overload
def kernel(*, parallel: bool = ..., inline: bool = ...) -> Callable[[F], F]: ...
def kernel(
    function: F | None = None, *, parallel: bool = False, inline: bool = False
) -> F | Callable[[F], F]:
    """Compile a pure function of arrays and plain numbers; cached, without the GIL.

    No fastmath: results are the same bits on every machine. Kernels do not check
    bounds: their callers do.

    Parameters
    ----------
    parallel : bool
        Run ``numba.prange`` loops on all threads.
    inline : bool
        Ask LLVM to inline the function into its callers; for tiny kernels in hot loops.
    """

    def compile_(f: F) -> F:
        folder = _kernel_folder(f.__code__.co_filename)
        before = numba.config.CACHE_DIR
        # The setting is the analyst's too: it is put back at once.
        numba.config.CACHE_DIR = str(folder) if folder else before
        try:
            compiled = numba.njit(
                nogil=True,
                cache=folder is not None,
                parallel=parallel,
                error_model="numpy",
                forceinline=inline,
            )(f)
        finally:
            numba.config.CACHE_DIR = before
        if folder is not None:
            _survive_damage(compiled)
        return compiled  # type: ignore[no-any-return]

    return compile_(function) if function is not None else compile_


@kernel(inline=True)
def whole(number: Any) -> int:
    """Return a number of an array as the 64-bit whole number that kernels count with.

    Numba keeps unsigned numbers unsigned, and mixes of both kinds become floats.
    """
    return int(np.int64(number))


def over_threads(work: Callable[[int], None], tasks: int) -> None:
    """Run ``work(0) .. work(tasks - 1)`` on all cores; kernels run without the GIL.

    Each task must write to places of its own, so that the result does not hang on the order.
    """
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for _ in pool.map(work, range(tasks)):
            pass
