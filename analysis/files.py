"""Write what was made to where the reader wants it, whole or not at all."""

import os
import tempfile
from pathlib import Path


class OutputError(Exception):
    """A file could not be written: one line that says where and why."""


def check_place(path: Path) -> Path:
    """Return where a file will really stand; try it before minutes are spent on what goes there.

    Raises
    ------
    OutputError
        If nothing can be written there.
    """
    place = Path(os.path.realpath(path))
    if place.is_dir():
        raise OutputError(f"cannot write {path}: a folder of that name is there")
    if not place.parent.is_dir():
        raise OutputError(f"cannot write {path}: there is no folder {place.parent}")
    try:
        with tempfile.TemporaryFile(dir=place.parent):
            return place
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from None


def write_whole(path: Path, raw: bytes) -> None:
    """Write a file beside its place, then move it there: no reader ever sees half of it.

    Raises
    ------
    OutputError
        If the folder is missing, the place is a folder, the disk is full, or the like; what was
        there is untouched.
    """
    place = check_place(path)
    temporary = place.with_name(f".{place.name}.{os.getpid()}.{os.urandom(4).hex()}.tmp")
    try:
        try:
            temporary.write_bytes(raw)
            temporary.replace(place)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from None
