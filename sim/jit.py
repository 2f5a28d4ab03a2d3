"""The one kernel decorator, and where compiled kernels are cached.

Numba's own cache watches the file of a kernel only: a number changed in another
module leaves a stale kernel that gives silently wrong results. Here the cache
folder's name is a digest of every source that a kernel can depend on, so a stale
kernel can never be loaded.
"""

import functools
import hashlib
import os
import pickle
import sys
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar, overload

import numba
import numpy as np
import platformdirs
from llvmlite.binding import get_host_cpu_name

F = TypeVar("F", bound=Callable[..., Any])

ROOT = Path(__file__).resolve().parent.parent


def cache_root() -> Path:
    """Return the folder of all caches: ``$CRIBODDS_CACHE``, else the user's cache folder."""
    given = os.environ.get("CRIBODDS_CACHE")
    return Path(given) if given else platformdirs.user_cache_path("cribodds", appauthor=False)


def _digest_of(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(files):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(ROOT).as_posix()}:{len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


@functools.cache
def sources_digest() -> str:
    """Return the digest of the sources that decide a table: all of ``sim/`` and the solver."""
    return _digest_of([*(ROOT / "sim").glob("*.py"), ROOT / "tables" / "solve.py"])


@functools.cache
def kernels_digest() -> str:
    """Return the digest of all that a compiled kernel can depend on.

    These are the sources of ``sim/``, the files elsewhere that use the decorator, the
    versions of Python, numba and numpy, and the processor.
    """
    files = set((ROOT / "sim").glob("*.py"))
    for room in ("tables", "analysis"):
        files |= {p for p in (ROOT / room).rglob("*.py") if b"sim.jit import" in p.read_bytes()}
    made_with = (sys.version, numba.__version__, np.__version__, get_host_cpu_name())
    return hashlib.sha256(f"{_digest_of(files)} {made_with}".encode()).hexdigest()


@functools.cache
def _kernel_folder() -> Path | None:
    """Return a writable folder for this version's kernels, or None: compile in memory."""
    folder = cache_root() / "kernels" / kernels_digest()[:24]
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
        folder = _kernel_folder()
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


def over_threads(work: Callable[[int], None], tasks: int) -> None:
    """Run ``work(0) .. work(tasks - 1)`` on all cores; kernels run without the GIL.

    Each task must write to places of its own, so that the result does not hang on the order.
    """
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for _ in pool.map(work, range(tasks)):
            pass
