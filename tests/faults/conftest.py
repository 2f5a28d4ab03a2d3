"""What the fault tests share: a seeded cache, a lab for each test, and the account at the end."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from builds_for_tests import Lab, Tell, seed_cache, wait_until, write_config

OWNER = re.compile(r"(?:joblib_memmapping_folder_|sem\.loky-)(\d+)[_-]")
"""Joblib's names in /dev/shm: folders of arrays and semaphores, with the process's number."""

ACCOUNT = pytest.StashKey[dict[str, list[int]]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[ACCOUNT] = {}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.faults)


@pytest.fixture
def tell(request: pytest.FixtureRequest) -> Tell:
    """Put into the account: what was done, how often, and how often all was well after it."""
    account = request.config.stash[ACCOUNT]

    def put(fault: str, tried: int, survived: int) -> None:
        line = account.setdefault(fault, [0, 0])
        line[0] += tried
        line[1] += survived

    return put


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    account = config.stash[ACCOUNT]
    if account:
        terminalreporter.section("faults tried and survived")
        for fault, (tried, survived) in account.items():
            terminalreporter.line(f"{tried:>7,} {survived:>7,}  {fault}")


@pytest.fixture(scope="session")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with the made-up books; the kernels are those of this machine."""
    cache = tmp_path_factory.mktemp("seeded")
    seed_cache(cache)
    return cache


@pytest.fixture
def lab(tmp_path: Path, seeded: Path) -> Lab:
    return Lab(tmp_path, seeded)


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory, seeded: Path) -> bytes:
    """The table of a build that nothing happened to."""
    folder = tmp_path_factory.mktemp("whole")
    lab = Lab(folder, seeded)
    lab.build(write_config(folder))
    return lab.out.read_bytes()


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return write_config(tmp_path)


@pytest.fixture
def no_leavings() -> Iterator[None]:
    """No shared memory of a dead process may be left behind."""
    before = shared_memory()
    yield

    def left() -> set[str]:
        return {
            name
            for name, owner in shared_memory().items()
            if name not in before and not Path(f"/proc/{owner}").exists()
        }

    wait_until(lambda: not left(), 20)


def shared_memory() -> dict[str, str]:
    """Return what joblib has in shared memory, and the process that put it there."""
    shared = Path("/dev/shm")
    names = [path.name for path in shared.iterdir()] if shared.is_dir() else []
    owners = ((name, OWNER.match(name)) for name in names)
    return {name: owner[1] for name, owner in owners if owner}
