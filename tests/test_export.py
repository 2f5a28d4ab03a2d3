"""Exports: each is read back, by other means than wrote it, and is the table."""

import csv
import io
import os
import re
import shutil
import struct
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner, Result

from cribodds.analysis.cli import cribodds
from cribodds.analysis.export import read_compact, to_compact, to_csv
from cribodds.tables.lookup import WinTable
from cribodds.tables.store import read_table, write_table
from cribodds.tables.table import VALUES
from tables_for_tests import toy_table


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "toy.parquet"
    write_table(path, toy_table(121, 90, 60))
    return path


@pytest.fixture(scope="module")
def table(place: Path) -> WinTable:
    return WinTable(read_table(place), place)


def export(*words: object) -> Result:
    return CliRunner().invoke(cribodds, ["export", *map(str, words)])


# --- CSV


def test_the_csv_holds_every_digit_of_every_row(table: WinTable, place: Path) -> None:
    """Read by Python's own csv and float, compared bit by bit with the Parquet file's rows."""
    rows = list(csv.DictReader(io.StringIO(to_csv(table).decode())))
    truth = pl.read_parquet(place)
    assert len(rows) == len(truth) == 29_282
    assert list(rows[0]) == truth.columns
    for name in truth.columns[:3]:
        assert [row[name] for row in rows] == truth[name].cast(pl.String).to_list()
    for name in VALUES:
        assert [float(row[name]) for row in rows] == truth[name].to_list()


def test_columns_of_the_csv_can_be_chosen(table: WinTable) -> None:
    head = to_csv(table, ["win_se", "win"]).decode().splitlines()[0]
    assert head == "player_score,opponent_score,dealer,win,win_se"


# --- the compact binary


def test_the_compact_file_is_laid_out_as_documented(table: WinTable, place: Path) -> None:
    """Read by offsets from docs/data-dictionary.md alone."""
    raw = to_compact(table, ["win", "deals_left"])
    truth = pl.read_parquet(place)
    assert raw[:8] == b"CRIBODDS"
    assert struct.unpack_from("<HHHH", raw, 8) == (1, 121, 90, 60)
    assert struct.unpack_from("<HB", raw, 16) == (0b1_0000_0001, 8)
    assert struct.unpack_from("<I", raw, 20) == (29_282,)
    assert raw[24:56].hex() == table.provenance["values_sha256"]
    assert len(raw) == 64 + 2 * 29_282 * 8 + 4
    for block, name in enumerate(("win", "deals_left")):
        values = struct.unpack_from("<29282d", raw, 64 + 8 * 29_282 * block)
        assert list(values) == truth[name].to_list()
    assert struct.unpack("<I", raw[-4:]) == (zlib.crc32(raw[:-4]),)


@pytest.mark.parametrize(("skunk", "double"), [(20, 10), (20, None), (None, None)])
def test_the_reader_gives_back_what_was_written(
    tmp_path: Path, skunk: int | None, double: int | None
) -> None:
    data = write_table(tmp_path / "t.parquet", toy_table(31, skunk, double))
    back = read_compact(to_compact(WinTable(data, tmp_path), VALUES))
    assert (back.target, back.skunk, back.double_skunk) == (31, skunk, double)
    assert back.values_sha256 == data.provenance["values_sha256"]
    assert tuple(back.columns) == VALUES
    for name, values in back.columns.items():
        assert np.array_equal(values, data.column(name).transpose(1, 2, 0))


def test_single_precision_is_half_the_size_and_near(table: WinTable) -> None:
    whole, half = to_compact(table, VALUES), to_compact(table, VALUES, single=True)
    assert len(half) - 68 == (len(whole) - 68) / 2
    exact, near = read_compact(whole).columns, read_compact(half).columns
    for name in VALUES[:-1]:
        assert near[name].dtype == np.float32
        assert np.abs(exact[name] - near[name]).max() <= 2**-25
    assert np.abs(exact["deals_left"] / near["deals_left"] - 1).max() <= 2**-24


def test_every_altered_byte_and_every_cut_is_seen(table: WinTable) -> None:
    raw = to_compact(table)
    for at in [*range(68), *range(68, len(raw), 997), len(raw) - 1]:
        with pytest.raises(ValueError, match=r"not a compact table|format version|damaged"):
            read_compact(raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :])
        with pytest.raises(ValueError, match=r"not a compact table|damaged"):
            read_compact(raw[:at])


# --- the command


def test_the_command_writes_both(table: WinTable, place: Path, tmp_path: Path) -> None:
    for words, raw in (
        (["--format", "csv"], to_csv(table)),
        (["--format", "csv", "--columns", "win"], to_csv(table, ["win"])),
        (["--format", "bin"], to_compact(table)),
        (
            ["--format", "bin", "--columns", "all", "--single"],
            to_compact(table, VALUES, single=True),
        ),
    ):
        result = export(place, *words, "--out", tmp_path / "x")
        assert result.exit_code == 0, result.output
        assert f"{len(raw):,} bytes" in result.output
        assert (tmp_path / "x").read_bytes() == raw


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--format", "xml", "--out", "x"], "'xml'"),
        (["--format", "bin", "--columns", "win,gain", "--out", "x"], "no column is called 'gain'"),
        (["--format", "csv", "--columns", "", "--out", "x"], "no column is called ''"),
        (["--format", "csv", "--single", "--out", "x"], "--single is for --format bin"),
        (["--format", "csv", "--out", "nowhere/x"], "there is no folder"),
        (["--format", "csv"], "--out"),
        (["--out", "x"], "--format"),
    ],
)
def test_bad_questions(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = export(place, *words)
    assert result.exit_code == 2
    assert said in result.output
    assert not list(tmp_path.iterdir())


def test_a_folder_in_the_place_is_left_alone(place: Path, tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    result = export(place, "--format", "csv", "--out", tmp_path / "x")
    assert result.exit_code == 2
    assert "a folder of that name is there" in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_without_a_table_nothing_is_written(tmp_path: Path) -> None:
    out = tmp_path / "x.csv"
    result = export(tmp_path / "none.parquet", "--format", "csv", "--out", out)
    assert result.exit_code == 3
    assert result.output.startswith("unavailable: missing: ")
    assert not out.exists()


# --- the examples of the documentation

DICTIONARY = (Path(__file__).parent.parent / "docs" / "data-dictionary.md").read_text("utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", DICTIONARY, re.DOTALL)


def test_the_dictionary_names_every_column_and_no_other() -> None:
    columns = DICTIONARY.partition("## Columns")[2].partition("## Metadata")[0]
    named = re.findall(r"^\| `(\w+)` \|", columns, re.MULTILINE)
    assert named == ["player_score", "opponent_score", "dealer", *VALUES]
    bits = re.search(r"which columns: (.*) \|", DICTIONARY)
    assert bits
    assert re.findall(r"`(\w+)`", bits[1]) == list(VALUES)


def test_the_dictionary_names_all_metadata(table: WinTable) -> None:
    metadata = DICTIONARY.partition("## Metadata")[2].partition("## Reading it")[0]
    named = {
        name
        for row in re.findall(r"^\| (`.*?) \|", metadata, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", row)
    }
    assert named == set(table.provenance)


def test_the_lines_of_the_readme_run_as_they_stand(place: Path, tmp_path: Path) -> None:
    readme = (Path(__file__).parent.parent / "README.md").read_text("utf-8")
    [lines] = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    environment = {**os.environ, "CRIBODDS_TABLE": str(place)}
    subprocess.run(
        [sys.executable, "-W", "error", "-c", lines], check=True, env=environment, cwd=tmp_path
    )


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_an_example_runs_as_it_stands(
    example: str, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    for library in ("pandas", "duckdb"):
        if f"import {library}" in example:
            pytest.importorskip(library)
    (tmp_path / "tables" / "data").mkdir(parents=True)
    shutil.copy(place, tmp_path / "tables" / "data" / "reference.parquet")
    assert export(place, "--format", "bin", "--out", tmp_path / "odds.bin").exit_code == 0
    monkeypatch.chdir(tmp_path)
    capfd.readouterr()
    subprocess.run([sys.executable, "-W", "error", "-c", example], check=True)
    told = capfd.readouterr()
    assert told.out.strip()
    assert not told.err
    if "odds.bin" in example:
        table = WinTable(read_table(place), place)
        assert float(told.out) == table.win(player=90, opponent=75, dealer="player")
