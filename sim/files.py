"""Files that survive: replaced at once and for good, and locks that a dead process lets go."""

import contextlib
import errno
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from filelock import FileLock, Timeout

_NEW = ".new-"
_SECONDS_OF_A_DAY = 86_400

Say = Callable[[str], None]
"""Is told, in one line each, what a person who waits should know."""


def open_to_read(path: Path) -> BinaryIO:
    """Open a file; OSError for a folder, a pipe or a device, which nothing waits for."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        mode = os.fstat(handle).st_mode
        if not stat.S_ISREG(mode):
            fault = errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL
            raise OSError(fault, os.strerror(fault), str(path))
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def replace_file(path: Path, content: bytes) -> None:
    """Put a file in its place at once and for good: the old or the new, whatever happens."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    handle = os.open(path.parent, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # not every file system can
            os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """Give a folder to fill; when the block ends it is at its place, whole and at once.

    If the block is left by an error or an interrupt, what was there stays, and nothing else.

    Raises
    ------
    OSError
        If the place cannot be written.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=_NEW, dir=folder.parent))
    before = temporary / "before"
    try:
        yield temporary
        if folder.exists():
            folder.rename(before)  # a full folder is not replaced
        temporary.rename(folder)
        shutil.rmtree(folder / before.name, ignore_errors=True)
    except BaseException:
        if before.exists():
            before.rename(folder)
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def sweep_folders(place: Path) -> None:
    """Remove what `whole_folder` left half filled where it was killed, a day ago or longer."""
    for left in place.glob(f"{_NEW}*"):
        with contextlib.suppress(OSError):  # another process may sweep too
            if time.time() - left.stat().st_mtime > _SECONDS_OF_A_DAY:
                shutil.rmtree(left)


def wait_for(lock: FileLock, held: str, say: Say) -> bool:
    """Take a lock; if it is held, say so and wait. Tell whether it had to wait.

    The lock is the system's: that of a process which died is free at once.

    Raises
    ------
    OSError
        If the place cannot be written, or its file system has no locks.
    """
    try:
        lock.acquire(blocking=False)
    except NotImplementedError as error:
        raise OSError(errno.ENOTSUP, "its file system has no locks") from error
    except Timeout:
        say(f"{held}: waiting until it has ended (Ctrl-C gives up)")
        lock.acquire()
        return True
    return False
