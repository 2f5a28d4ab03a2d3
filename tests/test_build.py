"""The build: its options, its adaptive size, and what it refuses to write."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from builds_for_tests import fake_books, seed_cache, write_config
from cribodds.analysis import cli
from cribodds.sim.farm import Engine, play_batches
from cribodds.sim.played import BATCHES
from cribodds.sim.run import Run
from cribodds.tables import solve
from cribodds.tables.build import BuildError, Built, build
from cribodds.tables.config import load_config
from cribodds.tables.names import ConfigError
from cribodds.tables.store import TableWriteError, read_table, write_table
from tables_for_tests import changed, toy_table

CHUNK = 500
STEP = BATCHES * CHUNK
MOST = 6 * STEP
ALONE = Engine(jobs=1)


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seed_cache(tmp_path / "cache")
    monkeypatch.setenv("CRIBODDS_CACHE", str(tmp_path / "cache"))


def made(folder: Path, more: str = "", said: list[str] | None = None, **options: Any) -> Built:
    """Build a small table in this process."""
    config = load_config(write_config(folder, chunk=CHUNK, deals=MOST, more=more))
    say = (said if said is not None else []).append
    given: dict[str, Any] = {"out": folder / "small.parquet", "engine": ALONE, "progress": False}
    given |= options
    return build(config, say=say, **given)


def run(*words: object) -> Result:
    return CliRunner().invoke(cli.cribodds, [str(word) for word in words])


# --- adaptive size


@pytest.fixture(scope="module")
def worst() -> list[float]:
    """The worst standard error after each step, the plain way: every time from nothing."""
    errors = []
    for deals in range(STEP, MOST + 1, STEP):
        batches = play_batches(fake_books(), seed=11, deals=deals, chunk=CHUNK, engine=ALONE)
        errors.append(float(solve.solve(batches, 31, 20, None)["win_se"].max()))
    return errors


def test_it_stops_at_the_first_step_under_the_target(tmp_path: Path, worst: list[float]) -> None:
    """The target lies between what two steps reach; the steps before do not reach it."""
    for wanted in (1, 3):
        goal = (worst[wanted] + min(worst[:wanted])) / 2
        assert worst[wanted] < goal < min(worst[:wanted])
        said: list[str] = []
        table = made(tmp_path, f"target_win_se = {goal!r}", said).data
        assert table.provenance["deals"] == (wanted + 1) * STEP
        assert table.provenance["adaptive"] == {
            "target_win_se": goal,
            "step_deals": STEP,
            "worst_win_se": worst[wanted],
            "reached": True,
        }
        assert table.column("win_se").max() == worst[wanted] < goal
        assert sum("worst standard error" in line for line in said) <= wanted + 1


def test_a_target_out_of_reach_plays_all_and_says_so(tmp_path: Path, worst: list[float]) -> None:
    table = made(tmp_path, "target_win_se = 1e-9").data
    assert table.provenance["deals"] == MOST
    assert table.provenance["adaptive"]["reached"] is False
    assert table.provenance["adaptive"]["worst_win_se"] == worst[-1]
    plain = made(tmp_path, out=tmp_path / "plain.parquet").data
    np.testing.assert_array_equal(plain.values, table.values)
    assert "adaptive" not in plain.provenance


def test_an_adaptive_build_interrupted_anywhere_is_the_same_file(
    tmp_path: Path, worst: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    more = f"target_win_se = {(worst[4] + min(worst[:4])) / 2!r}"
    whole = made(tmp_path, more).path.read_bytes()
    another = tmp_path / "another"
    seed_cache(another)
    monkeypatch.setenv("CRIBODDS_CACHE", str(another))
    tally_deals = Run.play_to.__globals__["unpack"]
    left = 0

    def dying(*args: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise KeyboardInterrupt
        return tally_deals(*args)

    monkeypatch.setitem(Run.play_to.__globals__, "unpack", dying)
    interruptions = 0
    for lives in [30, 100, 64, 10, 64, 1, 1000]:
        left = lives
        try:
            again = made(tmp_path, more, out=tmp_path / "again.parquet")
        except KeyboardInterrupt:
            interruptions += 1
    assert interruptions == 6
    assert again.path.read_bytes() == whole


def test_what_was_looked_at_is_not_solved_again(tmp_path: Path, worst: list[float]) -> None:
    more = f"target_win_se = {(worst[3] + min(worst[:3])) / 2!r}"
    first = made(tmp_path, more).path.read_bytes()
    said: list[str] = []
    assert made(tmp_path, more, said, force=True).path.read_bytes() == first
    assert sum("worst standard error" in line for line in said) == 1
    assert f"{4 * STEP:,} of {4 * STEP:,} deals were played before" in said


@pytest.mark.parametrize("value", ["0.0", "1.0", "1", "-0.1", '"0.1"', "true", "nan", "inf"])
def test_a_bad_target_gets_one_line(tmp_path: Path, value: str) -> None:
    path = write_config(tmp_path, more=f"target_win_se = {value}")
    with pytest.raises(ConfigError, match="target_win_se: expected a standard error between 0 and"):
        load_config(path)


# --- the command


def test_the_command_builds_says_and_finds_it_there(tmp_path: Path) -> None:
    config = write_config(tmp_path, chunk=CHUNK, deals=MOST, more="target_win_se = 0.5")
    out = tmp_path / "new folder" / "small.parquet"
    told = run("build", config, "--out", out, "--jobs", 1)
    assert told.exit_code == 0, told.output
    assert f"wrote {out}" in told.output
    assert "under 0.5 as wanted" in told.output
    before = out.read_bytes()
    again = run("build", config, "--out", out, "--jobs", 1)
    assert again.exit_code == 0
    assert "already there" in again.output
    assert run("build", config, "--out", out, "--jobs", 1, "--force").exit_code == 0
    assert out.read_bytes() == before


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--scheduler", "tcp://x:1"], "--scheduler is for --engine dask"),
        (["--engine", "dask"], "--engine dask needs --scheduler ADDRESS"),
        (["--engine", "dask", "--scheduler", "tcp://x:1", "--jobs", "2"], "--jobs is not for"),
        (["--engine", "ray"], "Invalid value for '--engine'"),
        (["--jobs", "0"], "Invalid value for '--jobs'"),
    ],
)
def test_options_that_do_not_fit_are_refused(tmp_path: Path, options: list[str], said: str) -> None:
    told = run("build", write_config(tmp_path), *options)
    assert told.exit_code == 2
    assert said in told.output


def test_the_logs_of_dask_are_kept_off_the_terminal() -> None:
    """A cluster that is lost would fill it with tracebacks; Dask sets its levels when imported."""
    pytest.importorskip("distributed")
    program = """
import logging
from cribodds.analysis.commands import build
build._quiet_dask()
import distributed
for name in ("distributed.core", "distributed.client", "tornado.application", "asyncio"):
    logging.getLogger(name).error("heard %s", name)
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    assert done.stderr == b""


def test_a_faulty_table_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The slow properties too, which the store does not ask."""
    good = solve.solve

    def faulty(*args: Any) -> dict[str, Any]:
        columns = good(*args)
        for cell, sign in (((0, 12, 15), 1), ((1, 15, 12), -1)):
            for name, way in (("win", sign), ("win_plain", sign), ("loss_plain", -sign)):
                columns[name][cell] += way * 0.2
        return columns

    monkeypatch.setattr(solve, "solve", faulty)
    with pytest.raises(BuildError, match=r"nothing was written: not true that win never"):
        made(tmp_path)
    assert not (tmp_path / "small.parquet").exists()


def test_a_folder_of_the_tables_name_is_said_at_once(tmp_path: Path) -> None:
    (tmp_path / "small.parquet").mkdir()
    said: list[str] = []
    with pytest.raises(TableWriteError, match="a folder of that name is there"):
        made(tmp_path, "", said)
    assert said == []


# --- verify


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return made(tmp_path).path


def test_verify_prints_a_line_for_each_property(table: Path) -> None:
    told = run("verify", table)
    assert told.exit_code == 0
    lines = told.output.splitlines()
    assert lines[-1] == f"{table}: no faults found"
    assert len(lines) == 17
    assert all(line.startswith("ok    ") for line in lines[:-1])
    answer = json.loads(run("verify", table, "--json").output)
    assert answer["faults"] == 0
    assert len(answer["findings"]) == 16


def test_verify_finds_what_readers_do_not_look_for(tmp_path: Path) -> None:
    data = toy_table()
    for cell in ((0, 12, 15), (1, 15, 12)):
        data = changed(data, "deals_left", cell, data.column("deals_left")[cell] + 2)
    path = tmp_path / "toy.parquet"
    write_table(path, data)
    told = run("verify", path)
    assert told.exit_code == 1
    assert "FAULT the nearer either player, the fewer deals are left (" in told.output
    assert "FAULT what it says of itself is what its config says" in told.output  # a toy's config
    assert "2 faults found" in told.output


@pytest.mark.parametrize("key", ["seed", "deals", "target", "skunk", "config"])
def test_verify_compares_a_table_with_the_config_in_it(table: Path, key: str) -> None:
    data = read_table(table)
    lie: dict[str, Any] = {"seed": 12, "deals": MOST + STEP, "target": 31, "skunk": 21}
    more: dict[str, Any] = {key: lie.get(key)}
    if key in {"config", "target"}:
        text = data.provenance["config"]["text"].replace("seed = 11", "seed = 1_1 # same")
        text = text.replace("target = 31", "target = 32") if key == "target" else text + "\nx = 1"
        more = {"config": dict(data.provenance["config"]) | {"text": text}}
    write_table(table, type(data)(data.values, dict(data.provenance) | more))
    told = run("verify", table)
    assert told.exit_code == 1
    assert f"FAULT what it says of itself is what its config says (not its {key}" in (
        told.output.replace("(not its config, target", "(not its target")
    )


def test_verify_says_missing_damaged_foreign_and_stale(table: Path, tmp_path: Path) -> None:
    good = table.read_bytes()
    missing = run("verify", tmp_path / "none.parquet")
    assert (missing.exit_code, missing.output[:21]) == (3, "unavailable: missing:")
    other = write_config(tmp_path, seed=12)
    stale = run("verify", table, "--config", other)
    assert stale.exit_code == 1
    assert stale.output.startswith("FAULT stale: ")
    assert json.loads(run("verify", table, "--config", other, "--json").output)["faults"] == 1
    for raw in (b"", good[: len(good) // 2], good[:-1], b"some text\n"):
        table.write_bytes(raw)
        told = run("verify", table)
        assert told.exit_code == 1
        assert told.output.startswith("FAULT damaged: ")
    assert run("verify", tmp_path).output.startswith("FAULT damaged: ")
    assert run("verify", table, "--config", "no-such-config").exit_code == 2
