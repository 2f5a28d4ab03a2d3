"""The one kernel decorator, and where compiled kernels are cached.

Numba's own cache watches the file of a kernel only: a number changed in another
module leaves a stale kernel that gives silently wrong results. Here the cache
folder's name is a digest of every source that its kernels can depend on, so a stale
kernel can never be loaded.
"""

import contextlib
import functools
import hashlib
import os
import pickle
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, TypeVar, overload

import numba
import numpy as np
import platformdirs
from llvmlite.binding import get_host_cpu_name
from numba.core.serialize import dumps
from numpy.typing import NDArray

from .files import replace_file
from .sources import digest_of, needed_by

F = TypeVar("F", bound=Callable[..., Any])

_MAX_BYTES: Final = 1 << 26
"""No file of compiled code is larger; the largest have some hundred thousand bytes."""


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


class _SealedFiles:
    """Where numba keeps one function's compiled code: a checked file for each signature.

    Numba's own files are believed as they are, and a flipped byte of machine code crashes or
    answers wrongly. Here a damaged file is as good as none: the function is compiled again. A
    disk that cannot be written costs the time to compile, no more.
    """

    def __init__(self, folder: Path, stem: str) -> None:
        self._folder = folder
        self._stem = stem

    def _path(self, key: object) -> Path:
        digest = hashlib.sha256(repr(key).encode()).hexdigest()
        return self._folder / f"{self._stem}-{digest[:24]}.kernel"

    def load(self, key: object) -> Any:
        """Return what was saved under a key of numba's, or None."""
        path = self._path(key)
        try:
            with path.open("rb") as file:
                raw = file.read(_MAX_BYTES + 1)
        except OSError:
            return None
        sound = len(raw) <= _MAX_BYTES and raw[:32] == _checksum(path, raw[32:])
        return pickle.loads(raw[32:]) if sound else None

    def save(self, key: object, compiled: object) -> None:
        """Keep what numba made, in place of what was there."""
        path, body = self._path(key), dumps(compiled)
        with contextlib.suppress(OSError):
            replace_file(path, _checksum(path, body) + body)

    def flush(self) -> None:
        """Forget what was saved for this function."""
        for path in self._folder.glob(f"{self._stem}-*.kernel"):
            path.unlink(missing_ok=True)


def _checksum(path: Path, body: bytes) -> bytes:
    """Return the checksum of a file's content under its name: another's content is damage too."""
    return hashlib.sha256(path.name.encode() + b"\n" + body).digest()


def _compile_once(compiled: Any) -> None:
    """Let kernels call this one with a constant as with any number of its type.

    Numba would compile it again for each constant, and for each variable that starts as one.
    """
    ask = compiled.get_call_template

    def ask_for_types(args: Any, named: Any) -> Any:
        types = [numba.types.unliteral(each) for each in args]
        return ask(types, {name: numba.types.unliteral(each) for name, each in named.items()})

    compiled.get_call_template = ask_for_types


@overload
def kernel(function: F) -> F: ...
@overload
def kernel(*, inline: bool = ...) -> Callable[[F], F]: ...
def kernel(function: F | None = None, *, inline: bool = False) -> F | Callable[[F], F]:
    """Compile a pure function of arrays and plain numbers; cached, without the GIL.

    No fastmath: results are the same bits on every machine. Kernels do not check
    bounds: their callers do. ``NUMBA_DISABLE_JIT=1`` leaves the functions as they are.

    Parameters
    ----------
    inline : bool
        Ask LLVM to inline the function into its callers; for tiny kernels in hot loops.
    """

    def compile_(f: F) -> F:
        if numba.config.DISABLE_JIT:
            return f
        folder = _kernel_folder(f.__code__.co_filename)
        before = numba.config.CACHE_DIR
        # The setting is the analyst's too: it is put back at once.
        numba.config.CACHE_DIR = str(folder) if folder else before
        try:
            compiled = numba.njit(
                nogil=True,
                cache=folder is not None,
                error_model="numpy",
                forceinline=inline,
            )(f)
        finally:
            numba.config.CACHE_DIR = before
        _compile_once(compiled)
        if folder is not None:
            cache = compiled._cache
            cache._cache_file = _SealedFiles(Path(cache.cache_path), cache._impl.filename_base)
        return compiled  # type: ignore[no-any-return]

    return compile_(function) if function is not None else compile_


@kernel(inline=True)
def whole(number: Any) -> int:
    """Return a number of an array as the 64-bit whole number that kernels count with.

    Numba keeps unsigned numbers unsigned, and mixes of both kinds become floats.
    """
    return int(np.int64(number))


@kernel(inline=True)
def copy_row(source: NDArray[Any], row: NDArray[Any]) -> None:
    """Fill a row from the start of another.

    ``row[:] = source`` takes numba three seconds more to compile: the words of its error.
    """
    for i in range(len(row)):
        row[i] = source[i]


def over_threads(work: Callable[[int], None], tasks: int) -> None:
    """Run ``work(0) .. work(tasks - 1)`` on all cores; kernels run without the GIL.

    Each task must write to places of its own, so that the result does not hang on the order.
    """
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for _ in pool.map(work, range(tasks)):
            pass
