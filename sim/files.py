"""Files that survive: replaced at once and for good, and locks that a dead process lets go."""

import contextlib
import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from filelock import FileLock, Timeout

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
