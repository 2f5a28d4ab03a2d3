"""Files that are no table to answer from: recognised, said by the command line, never believed."""

import io
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from builds_for_tests import Tell
from cribodds.analysis.cli import cribodds
from cribodds.tables.store import Unavailable, read_table
from test_store import KEY, SEALED_FAULTS, forged, parquet


def rewritten_by_polars(good: bytes) -> bytes:
    sink = io.BytesIO()
    pl.read_parquet(good).write_parquet(sink)
    return sink.getvalue()


def bare(good: bytes) -> bytes:
    return parquet(pq.read_table(pa.BufferReader(good)).replace_schema_metadata(None))


FALSE: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "0 bytes": ("damaged", lambda good: b""),
    "half a file": ("damaged", lambda good: good[: len(good) // 2]),
    "the last byte cut": ("damaged", lambda good: good[:-1]),
    "text": ("damaged", lambda good: b"player,opponent,win\n0,0,0.5\n"),
    "zeros": ("damaged", lambda good: bytes(len(good))),
    "another format version": (
        "incompatible",
        lambda good: good.replace(b'"format_version":1', b'"format_version":2'),
    ),
    "without our metadata": ("foreign", bare),
    "rewritten by polars": ("foreign", rewritten_by_polars),
} | {
    f"{fault}, sealed": ("damaged", lambda good, change=change: forged(good, change))
    for fault, change in SEALED_FAULTS.items()
}


def assert_refused(path: Path, reason: str) -> None:
    """Ask and verify by the command line: it says the reason, and answers with no number."""
    asked = CliRunner().invoke(
        cribodds, ["odds", "3", "4", "--dealer", "player", "--table", str(path)]
    )
    assert asked.exit_code == 3, asked.output
    assert asked.output.startswith(f"unavailable: {reason}: ")
    assert str(path) in asked.output
    verified = CliRunner().invoke(cribodds, ["verify", str(path)])
    assert verified.exit_code == (3 if reason == "missing" else 1), verified.output
    assert f"{reason}: " in verified.output


@pytest.mark.parametrize("name", FALSE)
def test_a_false_table_is_never_believed(
    tmp_path: Path, whole: bytes, tell: Tell, name: str
) -> None:
    reason, make = FALSE[name]
    path = tmp_path / "false.parquet"
    path.write_bytes(make(whole))
    assert path.read_bytes() != whole
    assert_refused(path, reason)
    tell(f"a false table ({reason}): recognised and said by odds and verify", 1, 1)


def test_no_file_and_a_folder(tmp_path: Path, tell: Tell) -> None:
    assert_refused(tmp_path / "none.parquet", "missing")
    tell("a false table (missing): recognised and said by odds and verify", 1, 1)
    (tmp_path / "folder.parquet").mkdir()
    assert_refused(tmp_path / "folder.parquet", "damaged")
    tell("a false table (damaged): recognised and said by odds and verify", 1, 1)


def test_a_table_rewritten_by_pandas(tmp_path: Path, whole: bytes, tell: Tell) -> None:
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "false.parquet"
    path.write_bytes(whole)
    pandas.read_parquet(path).to_parquet(path)
    assert_refused(path, "foreign")
    tell("a false table (foreign): recognised and said by odds and verify", 1, 1)


def test_the_table_of_another_config_is_stale(
    tmp_path: Path, whole: bytes, config: Path, tell: Tell
) -> None:
    path = tmp_path / "true.parquet"
    path.write_bytes(whole)
    good = CliRunner().invoke(cribodds, ["verify", str(path), "--config", str(config)])
    assert good.exit_code == 0, good.output
    config.write_text(config.read_text().replace("seed = 11", "seed = 12"))
    stale = CliRunner().invoke(cribodds, ["verify", str(path), "--config", str(config)])
    assert stale.exit_code == 1
    assert "stale: " in stale.output
    tell("a false table (stale): recognised and said by verify", 1, 1)


def test_every_97th_byte_flipped(tmp_path: Path, whole: bytes, tell: Tell) -> None:
    """Each flip gives some Unavailable, or the same values and provenance."""
    path = tmp_path / "flipped.parquet"
    path.write_bytes(whole)
    true = read_table(path)
    counted: Counter[str] = Counter()
    for offset in range(0, len(whole), 97):
        raw = bytearray(whole)
        raw[offset] ^= 1 << offset % 8
        path.write_bytes(raw)
        try:
            read = read_table(path)
        except Unavailable as unavailable:
            counted[unavailable.reason] += 1
            continue
        assert read.provenance == true.provenance, offset
        assert read.values.tobytes() == true.values.tobytes(), offset
        counted["nothing changed"] += 1
    tried = sum(counted.values())
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in counted.most_common())
    assert set(counted) <= {"damaged", "foreign", "incompatible", "nothing changed"}
    assert counted["nothing changed"] < 0.1 * tried  # names, padding and a second copy of the notes
    tell(f"a bit flipped at every 97th byte of a table: {kinds}", tried, tried)


def test_the_provenance_is_where_these_tests_think(whole: bytes) -> None:
    """Else the false version above would be a true table, or damaged."""
    notes = pq.read_metadata(pa.BufferReader(whole)).metadata
    assert b'"format_version":1' in notes[KEY]
