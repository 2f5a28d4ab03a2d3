"""Builds that are stopped in every way and started again: the same file, to the byte."""

import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from builds_for_tests import (
    DEALS,
    Lab,
    Tell,
    ended,
    kill_group,
    processes_of,
    wait_until,
    workers_of,
    write_config,
)
from cribodds.tables.store import read_table

# How long after its parent a worker may live; it looks twice a second.
ORPHAN_SECONDS = 20


def start_while_stopped(
    first: subprocess.Popen[str], lab: Lab, config: Path, *options: str, says: str
) -> subprocess.Popen[str]:
    """Start a second build, and let the first go on when the second has said this."""
    first.send_signal(signal.SIGSTOP)
    second = lab.start(config, *options)
    assert second.stderr is not None
    said = iter(second.stderr.readline, "")  # ends when the second build has ended
    assert any(says in line for line in said)
    first.send_signal(signal.SIGCONT)
    return second


def gone(group: int) -> bool:
    return not processes_of(group)


@pytest.mark.parametrize(
    "kills", [4, pytest.param(25, marks=pytest.mark.long)], ids=["some", "many"]
)
@pytest.mark.usefixtures("no_leavings")
def test_a_build_killed_again_and_again(
    lab: Lab, config: Path, whole: bytes, tell: Tell, kills: int
) -> None:
    """SIGKILL of the parent, at any moment of starting, playing and saving."""
    chance = random.Random(5)
    killed = 0
    for number in range(kills):
        process = lab.play_some(config, grown=1) if number % 2 else lab.start(config)
        time.sleep(chance.random() * (0.3 if number % 2 else 4))
        if process.poll() is not None:
            break  # played to its end before the kill came
        process.kill()
        killed += 1
        wait_until(lambda group=process.pid: gone(group), ORPHAN_SECONDS)  # type: ignore[misc]
        process.communicate()
    said = lab.build(config)
    assert lab.out.read_bytes() == whole
    assert killed >= 2
    assert "were played before" in said or killed < kills
    tell("parent killed (SIGKILL), no orphans, same bytes in the end", killed, killed)


@pytest.mark.parametrize(
    ("number", "status"),
    [
        (signal.SIGTERM, 143),
        pytest.param(signal.SIGHUP, 129, marks=pytest.mark.long),
        pytest.param(signal.SIGINT, 130, marks=pytest.mark.long),
    ],
)
@pytest.mark.usefixtures("no_leavings")
def test_a_build_that_is_asked_to_stop(
    lab: Lab, config: Path, whole: bytes, tell: Tell, number: signal.Signals, status: int
) -> None:
    process = lab.play_some(config)
    if number == signal.SIGINT:
        os.killpg(process.pid, number)  # as a terminal does: to the workers too
    else:
        process.send_signal(number)
    said = ended(process, status)
    wait_until(lambda: gone(process.pid), ORPHAN_SECONDS)
    assert "deals are kept in" in said
    assert "the same command plays the rest" in said
    assert not lab.out.exists()
    assert "deals were played before" in lab.build(config)
    assert lab.out.read_bytes() == whole
    tell(f"stopped by {number.name}, said so, same bytes in the end", 1, 1)


def test_a_worker_that_dies_is_replaced(lab: Lab, config: Path, whole: bytes, tell: Tell) -> None:
    process = lab.play_some(config, "--jobs", "2")
    os.kill(workers_of(process.pid)[0], signal.SIGKILL)
    said = ended(process, 0)
    assert "workers were lost" in said
    assert "SIGKILL" in said
    assert lab.out.read_bytes() == whole
    tell("a worker killed, said, replaced, same bytes", 1, 1)


@pytest.mark.long
def test_workers_that_die_always_stop_the_build(
    lab: Lab, config: Path, whole: bytes, tell: Tell
) -> None:
    """A bounded number of restarts; what was played before stays."""
    process = lab.play_some(config, "--jobs", "2")
    deaths = 0
    while process.poll() is None:
        for pid in workers_of(process.pid):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            deaths += 1
        time.sleep(0.05)
    said = ended(process, 1)
    assert "Error: workers died 6 times in a row" in said
    assert said.count("workers were lost") == 5
    assert "deals are kept in" in said
    assert gone(process.pid)
    assert "were played before" in lab.build(config)
    assert lab.out.read_bytes() == whole
    tell("every worker killed at once when it appears: stops, keeps, goes on", deaths, deaths)


def test_a_second_build_waits_and_finds_the_table(
    lab: Lab, config: Path, whole: bytes, tell: Tell
) -> None:
    first = lab.play_some(config)
    second = start_while_stopped(first, lab, config, says="another build is writing")
    assert ended(first, 0)
    assert "playing" not in ended(second, 0)
    assert lab.out.read_bytes() == whole
    tell("two builds of one table at once: the second waits, finds it", 1, 1)


def test_a_lock_whose_owner_was_killed_is_free(
    lab: Lab, config: Path, whole: bytes, tell: Tell
) -> None:
    first = lab.play_some(config)
    second = start_while_stopped(first, lab, config, says="another build is writing")
    first.kill()
    first.communicate()
    assert "deals were played before" in ended(second, 0)
    assert lab.out.read_bytes() == whole
    tell("the owner of the lock killed: the one who waits takes over its deals", 1, 1)


@pytest.mark.long
def test_lock_files_that_were_left_lie_in_nobodys_way(
    lab: Lab, config: Path, whole: bytes, tell: Tell
) -> None:
    """A lock is the system's and dies with its owner; what the file holds says nothing."""
    stopped = lab.play_some(config)
    kill_group(stopped)
    stopped.communicate()
    for lock in (lab.run / "lock", lab.out.with_name(f".{lab.out.name}.lock")):
        assert lock.exists()
        lock.write_text(f"{os.getpid()}\n")
        os.utime(lock, (4e9, 4e9))
    said = lab.build(config)
    assert "another build" not in said
    assert "were played before" in said
    assert lab.out.read_bytes() == whole
    tell("lock files left behind: no build waits for them", 2, 2)


@pytest.mark.long
def test_two_tables_of_the_same_deals_do_not_mix(
    lab: Lab, config: Path, whole: bytes, tell: Tell
) -> None:
    """Another target, the same run folder: one plays, the other waits and has the deals."""
    other = lab.folder / "other.toml"
    other.write_text(config.read_text().replace("target = 31", "target = 41"))
    first = lab.play_some(config)
    elsewhere = ("--out", str(lab.folder / "other.parquet"))
    second = start_while_stopped(
        first, lab, other, *elsewhere, says="another build is playing the same deals"
    )
    ended(first, 0)
    said = ended(second, 0)
    assert f"{DEALS:,} of {DEALS:,} deals were played before" in said
    assert lab.out.read_bytes() == whole
    tell("two tables of the same deals at once: each deal played once", 1, 1)


@pytest.mark.long
def test_more_deals_in_the_config_reuse_what_was_played(lab: Lab, whole: bytes, tell: Tell) -> None:
    lab.build(write_config(lab.folder, deals=DEALS // 2))
    said = lab.build(write_config(lab.folder))
    assert f"{DEALS // 2:,} of {DEALS:,} deals were played before" in said
    assert lab.out.read_bytes() == whole
    tell("deals raised in the config: what was played is used, same bytes", 1, 1)


@pytest.mark.long
def test_an_adaptive_build_that_is_killed_ends_where_it_would_have(lab: Lab, tell: Tell) -> None:
    config = write_config(lab.folder, more="target_win_se = 0.0002")
    lab.build(config)
    unhurt = lab.out.read_bytes()
    lab.out.unlink()
    shutil.rmtree(lab.cache / "runs")
    for _ in range(2):
        stopped = lab.play_some(config)
        kill_group(stopped)
        stopped.communicate()
    said = lab.build(config)
    assert "were played before" in said
    assert lab.out.read_bytes() == unhurt
    assert "adaptive" in read_table(lab.out).provenance
    tell("an adaptive build killed: ends at the same deals, same bytes", 2, 2)


def test_a_config_changed_under_a_build(lab: Lab, config: Path, whole: bytes, tell: Tell) -> None:
    """The table is of what the config was; it is said, and the table is stale for what it is."""
    process = lab.play_some(config)
    config.write_text(config.read_text().replace("target = 31", "target = 41"))
    said = ended(process, 0)
    assert "was changed during the build" in said
    assert lab.out.read_bytes() == whole
    again = lab.build(config)
    assert "solving" in again
    assert lab.out.read_bytes() != whole
    tell("config changed under a running build: said, stale, built anew", 1, 1)


@pytest.mark.long
def test_a_clock_that_jumps(lab: Lab, config: Path, whole: bytes, tell: Tell) -> None:
    """Days back and years ahead at every look, and files from the future and from 1970."""
    site = lab.folder / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(
        "import itertools, time\n"
        "jumps = itertools.cycle([0, -86400, 3e8, -1e9, 5])\n"
        "now = time.time\n"
        "time.time = lambda: now() + next(jumps)\n"
    )
    path = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")]))
    process = lab.start(config, PYTHONPATH=path)
    wait_until(lambda: lab.journal()[1] > 20_000)
    kill_group(process)
    process.communicate()
    for stamp, file in enumerate(sorted(lab.run.iterdir())):
        os.utime(file, (stamp % 2 * 4e9, stamp % 2 * 4e9))
    assert "were played before" in lab.build(config, PYTHONPATH=path)
    assert lab.out.read_bytes() == whole
    tell("clock jumping at every look, files of 1970 and 2096", 1, 1)
