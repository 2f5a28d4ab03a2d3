"""Small builds for the tests of the farm and of its faults: made-up books, a toy game, real runs.

The books are no strategy: every hand throws its two lowest cards, and each pair of keeps has one
of fifty made-up plays. They are put where the compiled strategy of the config would be kept, so
that ``cribodds build`` finds them there and everything else is as in earnest.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from cribodds.sim import strategy
from cribodds.sim.book import Books, open_cached
from cribodds.sim.jit import cache_root
from cribodds.sim.numbering import HANDS, KEEPS
from cribodds.sim.pairs import SEAT_BIT
from cribodds.tables.build import strategy_of
from cribodds.tables.config import load_config

CRIBODDS = (sys.executable, "-c", "from cribodds.analysis.cli import main; main()")

CHUNK = 100_000
ROUNDS = 4
DEALS = 64 * ROUNDS * CHUNK
EMPTY_JOURNAL = 200

Tell = Callable[[str, int, int], None]
"""Put into the account: a fault, how often it was tried, and how often all was well after it."""

TOML = """
seed = {seed}
deals = {deals}
chunk = {chunk}
{more}

[game]
target = 31
skunk = 20
double_skunk = "none"

[strategy]
discard_rounds = 1
card_play = "greedy"
"""


def fake_books(seed: int = 5) -> Books:
    """Return books that name a play and a throw for everything, and mean nothing."""
    chance = np.random.default_rng(seed)
    points = chance.integers(1, 4, (50, 8), np.uint8)
    events = points | chance.integers(0, 2, (50, 8), np.uint8) << SEAT_BIT
    events[np.arange(8) >= chance.integers(1, 8, (50, 1))] = 0
    plays = chance.integers(0, 50, (1, KEEPS * KEEPS), np.uint16)
    nothing = np.zeros((2, KEEPS), np.int64)
    throws = np.zeros((2, 91), np.int64)
    return Books(
        np.zeros(HANDS, np.uint8), events, plays, throws, nothing, throws, nothing, nothing,
        np.zeros(1),
    )  # fmt: skip


def write_config(folder: Path, **keys: object) -> Path:
    """Write the config of a small build; ``more`` holds further lines."""
    values = {"seed": 11, "chunk": CHUNK, "deals": DEALS, "more": ""} | keys
    path = folder / "small.toml"
    path.write_text(TOML.format(**values))
    return path


def link_kernels(cache: Path) -> None:
    """Give a cache the kernels of this machine's: they are compiled once for all tests."""
    kernels = cache_root() / "kernels"
    kernels.mkdir(parents=True, exist_ok=True)
    (cache / "kernels").symlink_to(kernels)


def seed_cache(cache: Path) -> None:
    """Put the made-up books where the strategy of ``write_config`` looks for its own."""
    cache.mkdir(parents=True, exist_ok=True)
    link_kernels(cache)
    config = load_config(write_config(cache))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CRIBODDS_CACHE", str(cache))
        patch.setattr(strategy, "open_cached", lambda key, _: open_cached(key, fake_books))
        strategy_of(config).books()


class Lab:
    """A folder with a cache of its own, where builds are run, harmed and compared."""

    def __init__(self, folder: Path, books: Path) -> None:
        self.folder = folder
        self.cache = folder / "cache"
        self.out = folder / "small.parquet"
        self.cache.mkdir()
        for room in ("kernels", "books"):
            (self.cache / room).symlink_to(books / room)

    @property
    def run(self) -> Path:
        """The one run folder of this cache."""
        (folder,) = (self.cache / "runs").iterdir()
        return folder

    def journal(self) -> tuple[int, int]:
        """Return which journal there is (a number of the file system's) and its size."""
        for path in (self.cache / "runs").glob("*/journal"):
            found = path.stat()
            return found.st_ino, found.st_size
        return 0, 0

    def start(
        self, config: Path, *options: str, prefix: tuple[str, ...] = (), **environment: str
    ) -> subprocess.Popen[str]:
        """Start a build in a process group of its own."""
        return subprocess.Popen(
            [*prefix, *CRIBODDS, "build", str(config), "--out", str(self.out), *options],
            env=os.environ | {"CRIBODDS_CACHE": str(self.cache)} | environment,
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def build(self, config: Path, *options: str, status: int = 0, **environment: str) -> str:
        """Run a build to its end, which must have this exit status; return what it said."""
        process = self.start(config, *options, **environment)  # type: ignore[arg-type]
        return ended(process, status)

    def play_some(self, config: Path, *options: str, grown: int = 1) -> subprocess.Popen[str]:
        """Start a build and return it when it has kept ``grown`` bytes of deals it played."""
        before, _ = self.journal()
        process = self.start(config, *options)

        def has_played() -> bool:
            which, size = self.journal()
            return process.poll() is not None or (which != before and size > EMPTY_JOURNAL + grown)

        wait_until(has_played)
        return process


def ended(process: subprocess.Popen[str], status: int) -> str:
    """Wait for a build, which must end with ``status``; return what it said."""
    _, said = process.communicate(timeout=120)
    assert process.returncode == status, said
    assert "Traceback" not in said, said
    return said


def wait_until(true: Callable[[], object], seconds: float = 60) -> None:
    """Wait; fail after a time that only a build that hangs can need."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"waited {seconds} s in vain"
        time.sleep(0.02)


def processes_of(group: int) -> list[int]:
    """Return the living processes of a group, from /proc."""
    return [pid for pid, state, pgid in _processes() if pgid == group and state != "Z"]


def _processes() -> Iterator[tuple[int, str, int]]:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, _, pgid = (folder / "stat").read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        yield int(folder.name), state, int(pgid)


def workers_of(group: int) -> list[int]:
    """Return the worker processes of a group."""
    found = []
    for pid in processes_of(group):
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        if b"popen_loky" in command:
            found.append(pid)
    return found


def kill_group(process: subprocess.Popen[str]) -> None:
    """Leave nothing of a build alive."""
    for pid in processes_of(process.pid):
        os.kill(pid, signal.SIGKILL)
    process.wait()
