"""The smoke table, real and small, for tests that need cribbage and not a toy."""

from pathlib import Path

from cribodds.tables.build import build
from cribodds.tables.config import load_config


def smoke_table() -> Path:
    """Return the path of the smoke table of this code, built if it is not there."""
    return build(load_config("smoke"), progress=False).path
