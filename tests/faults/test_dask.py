"""A real Dask cluster on loopback: the same bytes, workers lost and builds stopped included."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from builds_for_tests import Lab, Tell, ended, kill_group, wait_until

pytest.importorskip("distributed")

ORPHAN_SECONDS = 20


class Cluster:
    """A scheduler and workers, each a process group of its own."""

    def __init__(self, lab: Lab, before: str = "pass") -> None:
        """Start them; workers run the Python of ``before`` first."""
        self._lab = lab
        self._before = before
        self._processes: list[subprocess.Popen[str]] = []
        self._file = lab.folder / "scheduler.json"
        self._start("scheduler", "--host", "127.0.0.1", "--port", "0")
        wait_until(self._file.exists)
        self.workers = [self.add_worker(number) for number in range(2)]

    def _start(self, kind: str, *options: str) -> subprocess.Popen[str]:
        before = self._before if kind == "worker" else "pass"
        program = f"{before}; from distributed.cli.dask_{kind} import main; main()"
        command = [sys.executable, "-c", program, *options]
        log = (self._lab.folder / f"{kind}-{len(self._processes)}.log").open("wb")
        with log:
            process = subprocess.Popen(
                [*command, "--scheduler-file", str(self._file), "--no-dashboard"],
                env=os.environ | {"CRIBODDS_CACHE": str(self._lab.cache)},
                stdout=log,
                stderr=log,
                text=True,
                start_new_session=True,
            )
        self._processes.append(process)
        return process

    def add_worker(self, number: int) -> subprocess.Popen[str]:
        """Start a worker that nobody restarts."""
        room = self._lab.folder / f"worker-{number}"
        room.mkdir()
        return self._start(
            "worker", "--host", "127.0.0.1", "--nthreads", "1", "--no-nanny",
            "--local-directory", str(room),
        )  # fmt: skip

    @property
    def options(self) -> tuple[str, ...]:
        """What ``cribodds build`` is told so that this cluster plays."""
        from distributed import Client

        with Client(scheduler_file=str(self._file), set_as_default=False) as client:
            client.wait_for_workers(len(self.workers), timeout=60)
            return ("--engine", "dask", "--scheduler", client.scheduler.address)

    def close(self) -> None:
        for process in self._processes:
            kill_group(process)


@pytest.fixture
def cluster(lab: Lab) -> Iterator[Cluster]:
    cluster = Cluster(lab)
    yield cluster
    cluster.close()


@pytest.mark.parametrize(
    ("before", "says", "to_do"),
    [
        (
            "import cribodds.sim.farm as farm; farm.deals_digest = lambda: 'f' * 64",
            "is not the build's",
            "install the build's code on every worker",
        ),
        (
            "import sys; sys.modules['cribodds'] = None",
            "No module named 'cribodds",
            "Install the same there",
        ),
    ],
    ids=["other code", "no code"],
)
def test_dask_workers_of_other_code(
    lab: Lab, config: Path, tell: Tell, before: str, says: str, to_do: str
) -> None:
    """Nothing is played there: it is said what to install."""
    cluster = Cluster(lab, before)
    try:
        said = lab.build(config, *cluster.options, status=1)
    finally:
        cluster.close()
    assert says in said
    assert f"{to_do}, then run the same command again" in said
    assert not lab.out.exists()
    tell("Dask: workers of other code, or of none: refused", 1, 1)


def test_a_dask_worker_killed_in_mid_build(
    lab: Lab, config: Path, whole: bytes, tell: Tell, cluster: Cluster
) -> None:
    process = lab.play_some(config, *cluster.options)
    cluster.workers[0].send_signal(signal.SIGKILL)
    said = ended(process, 0)
    assert "moved to 2 Dask workers" in said
    assert lab.out.read_bytes() == whole
    tell("Dask: one worker of two killed in mid-build, same bytes as here", 1, 1)


@pytest.mark.long
def test_all_dask_workers_killed_and_others_started(
    lab: Lab, config: Path, whole: bytes, tell: Tell, cluster: Cluster
) -> None:
    """The books are lost with the workers: they go to the new ones."""
    process = lab.play_some(config, *cluster.options)
    for worker in cluster.workers:
        worker.send_signal(signal.SIGKILL)
    cluster.add_worker(2)
    said = ended(process, 0)
    assert "workers were lost" in said
    assert lab.out.read_bytes() == whole
    tell("Dask: all workers killed, a new one plays the rest, same bytes", 1, 1)


@pytest.mark.long
def test_a_dask_build_killed_and_taken_up_here_and_there(
    lab: Lab, config: Path, whole: bytes, tell: Tell, cluster: Cluster
) -> None:
    """What a cluster played this machine goes on with, and the other way round."""
    first = lab.play_some(config, *cluster.options)
    kill_group(first)
    first.communicate()
    second = lab.play_some(config)
    second.send_signal(signal.SIGTERM)
    assert "deals were played before" in ended(second, 143)
    said = lab.build(config, *cluster.options)
    assert "deals were played before" in said
    assert lab.out.read_bytes() == whole
    tell("Dask: killed, taken up by processes, stopped, taken up by Dask, same bytes", 1, 1)


@pytest.mark.long
def test_a_dask_scheduler_that_dies_stops_the_build(
    lab: Lab, config: Path, whole: bytes, tell: Tell, cluster: Cluster
) -> None:
    """It says so and keeps what was played."""
    process = lab.play_some(config, *cluster.options)
    cluster.close()
    said = ended(process, 1)
    assert "no Dask scheduler answers at" in said
    assert "deals are kept in" in said
    assert "were played before" in lab.build(config)
    assert lab.out.read_bytes() == whole
    tell("Dask: scheduler and workers killed: stops, keeps, goes on here", 1, 1)
