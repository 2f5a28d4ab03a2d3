"""The cache of compiled books: nothing half written is left, nothing is lost."""

import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from builds_for_tests import fake_books
from cribodds.sim.book import open_cached


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CRIBODDS_CACHE", str(tmp_path))
    return tmp_path / "books"


def test_an_interrupt_while_books_are_saved_leaves_nothing(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(path: Path, *_: Any, **__: Any) -> None:
        path.write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "save", interrupt)
    with pytest.raises(KeyboardInterrupt):
        open_cached("key", fake_books)
    assert list(place.iterdir()) == []


def test_what_a_killed_build_left_is_swept_after_a_day(place: Path) -> None:
    old, fresh = place / ".new-old", place / ".new-fresh"
    for folder in (old, fresh):
        folder.mkdir(parents=True)
        (folder / "plays.npy").write_bytes(b"half")
    two_days_ago = time.time() - 2 * 86_400
    os.utime(old, (two_days_ago, two_days_ago))
    open_cached("key", fake_books)
    assert sorted(each.name for each in place.iterdir()) == [".new-fresh", "key"]
