"""Files that survive: replaced at once and for good, and locks that a dead process lets go."""

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

from filelock import FileLock, Timeout

Say = Callable[[str], None]
"""Is told, in one line each, what a person who waits should know."""


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
    """
    try:
        lock.acquire(blocking=False)
    except Timeout:
        say(f"{held}: waiting until it has ended (Ctrl-C gives up)")
        lock.acquire()
        return True
    return False
