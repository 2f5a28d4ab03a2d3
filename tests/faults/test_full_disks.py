"""Disks that are full and folders that cannot be written: said, nothing lost, the same table."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from builds_for_tests import DEALS, Lab, Tell, ended, kill_group, wait_until, write_config
from cribodds.tables.store import read_table, write_table
from tables_for_tests import toy_table

Disk = Callable[[Path, str], None]


def run_mount(*arguments: str) -> None:
    """Run mount; skip the test where that is not allowed."""
    done = subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no disk of our own can be mounted here: {done.stderr.strip()}")


@pytest.fixture
def small_disk() -> Iterator[Disk]:
    """Put a disk of so many bytes at a folder, or give the one that is there so many."""
    mounted: list[Path] = []

    def put(folder: Path, size: str) -> None:
        if folder in mounted:
            run_mount("-o", f"remount,size={size}", str(folder))
            return
        folder.mkdir(parents=True, exist_ok=True)
        run_mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder))
        mounted.append(folder)

    yield put
    for folder in reversed(mounted):
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture
def read_only() -> Iterator[Callable[[Path], None]]:
    """Make a folder one that nobody may write: for the superuser modes count for nothing."""
    undo: list[Callable[[], object]] = []

    def make(folder: Path) -> None:
        if os.geteuid():
            folder.chmod(0o555)
            undo.append(lambda: folder.chmod(0o755))
            return
        run_mount("--bind", str(folder), str(folder))
        undo.append(lambda: subprocess.run(["umount", "--lazy", str(folder)], check=True))
        run_mount("-o", "remount,ro,bind", str(folder))

    yield make
    for each in reversed(undo):
        each()


def test_a_disk_full_of_checkpoints_costs_no_deal(
    lab: Lab, config: Path, whole: bytes, tell: Tell, small_disk: Disk
) -> None:
    """The build says so and plays on to the same table."""
    small_disk(lab.cache / "runs", "400k")
    said = lab.build(config)
    assert said.count("checkpoints cannot be written (No space left on device") == 1
    assert lab.out.read_bytes() == whole
    tell("disk full during a checkpoint: said, played on, same bytes", 1, 1)


@pytest.mark.long
def test_a_build_killed_on_a_full_disk_goes_on_when_there_is_room(
    lab: Lab, config: Path, whole: bytes, tell: Tell, small_disk: Disk
) -> None:
    """The record that did not fit is taken back: what was kept before it is sound."""
    small_disk(lab.cache / "runs", "400k")
    process = lab.start(config)
    wait_until(lambda: process.poll() is not None or lab.journal()[1] > 300_000)
    kill_group(process)
    process.communicate()
    small_disk(lab.cache / "runs", "64m")
    said = lab.build(config)
    assert "deals were played before" in said
    assert "cannot be written" not in said
    assert lab.out.read_bytes() == whole
    tell("killed on a full disk: goes on when there is room, same bytes", 1, 1)


def test_a_disk_full_at_the_end_leaves_the_old_table(
    lab: Lab, config: Path, whole: bytes, tell: Tell, small_disk: Disk
) -> None:
    """There is room for the old table and half of the new one."""
    room = lab.folder / "room"
    small_disk(room, "8m")
    lab.out = room / "small.parquet"
    write_table(lab.out, toy_table(33, 20, 10))
    old = lab.out.read_bytes()
    small_disk(room, f"{(len(old) + len(whole) // 2) // 1024}k")
    said = lab.build(config, status=1)
    assert f"cannot write the table {lab.out}: No space left on device" in said
    assert "nothing there was changed; make room" in said
    assert lab.out.read_bytes() == old
    assert read_table(lab.out).target == 33
    assert not list(room.glob("*.tmp"))
    assert not list(room.glob(".*.tmp"))
    small_disk(room, "8m")
    assert f"{DEALS:,} of {DEALS:,} deals were played before" in lab.build(config)
    assert lab.out.read_bytes() == whole
    tell("disk full at the final write: old table whole, no deal played twice", 1, 1)


@pytest.mark.long
def test_a_full_disk_for_all_caches_costs_time_alone(
    lab: Lab, config: Path, whole: bytes, tell: Tell, small_disk: Disk
) -> None:
    """Kernels and checkpoints find no room; the books are elsewhere."""
    small_disk(lab.cache / "kernels-full", "100k")
    (lab.cache / "kernels").unlink()
    (lab.cache / "kernels").symlink_to(lab.cache / "kernels-full")
    small_disk(lab.cache / "runs", "100k")
    said = lab.build(config)
    assert "checkpoints cannot be written" in said
    assert lab.out.read_bytes() == whole
    tell("disk full for kernels and checkpoints: same bytes", 1, 1)


def test_read_only_checkpoints_cost_no_deal(
    lab: Lab, config: Path, whole: bytes, tell: Tell, read_only: Callable[[Path], None]
) -> None:
    """Also where a build was stopped there before: what it kept can still be read."""
    stopped = lab.play_some(config)
    kill_group(stopped)
    stopped.communicate()
    for folder in (lab.run, lab.cache / "runs"):
        read_only(folder)
    said = lab.build(config)
    assert "checkpoints cannot be written (" in said
    assert "deals were played before" in said
    assert lab.out.read_bytes() == whole
    tell("checkpoints in a read-only folder: read, said, same bytes", 1, 1)


def test_a_read_only_place_for_the_table_is_said_before_anything_is_played(
    lab: Lab, tell: Tell, read_only: Callable[[Path], None]
) -> None:
    room = lab.folder / "room"
    room.mkdir()
    lab.out = room / "small.parquet"
    write_table(lab.out, toy_table(33, 20, 10))
    old = lab.out.read_bytes()
    read_only(room)
    said = lab.build(write_config(lab.folder), status=1)
    assert f"cannot write the table {lab.out}: " in said
    assert "name another place (--out)" in said
    assert "playing" not in said
    assert lab.out.read_bytes() == old
    assert not (lab.cache / "runs").exists()
    tell("table in a read-only folder: said before a deal is played, old table whole", 1, 1)


@pytest.mark.long
def test_a_read_only_cache_costs_time_alone(
    lab: Lab, config: Path, whole: bytes, tell: Tell, read_only: Callable[[Path], None]
) -> None:
    """No kernel can be kept: every process compiles its own."""
    (lab.cache / "kernels").unlink()
    (lab.cache / "kernels").mkdir()
    read_only(lab.cache)
    said = ended(lab.start(config), 0)
    assert "checkpoints cannot be written (" in said
    assert lab.out.read_bytes() == whole
    tell("the whole cache read-only: said, same bytes", 1, 1)
