"""The table's file: its form, its faults, and a write that never harms what was there."""

import hashlib
import io
import json
import os
import pickle
import random
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cribodds.tables import store
from cribodds.tables.store import TableWriteError, Unavailable, read_table, write_table
from cribodds.tables.table import OUTCOMES, VALUES, TableData, check_table
from tables_for_tests import changed, toy_provenance, toy_table

KEY = b"cribodds"


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("good") / "toy.parquet"
    write_table(path, toy_table())
    return path.read_bytes()


@pytest.fixture
def place(tmp_path: Path, good: bytes) -> Path:
    path = tmp_path / "toy.parquet"
    path.write_bytes(good)
    return path


def reason(path: Path) -> str:
    """Return why `path` is no table; its message names the path and says what to run."""
    with pytest.raises(Unavailable) as caught:
        read_table(path)
    assert str(path) in str(caught.value)
    assert str(caught.value).endswith("; run: make build-table")
    return caught.value.reason


def sealed(table: pa.Table, provenance: dict[str, Any]) -> dict[bytes, bytes]:
    """Seal what a forger changed, by the words of the documentation and not by our code."""
    digest = hashlib.sha256()
    for name in table.column_names[3:]:
        digest.update(table[name].to_numpy().astype("<f8").tobytes())
    bare = {key: value for key, value in provenance.items() if key != "content_sha256"}
    bare["values_sha256"] = digest.hexdigest()
    text = json.dumps(bare, sort_keys=True, separators=(",", ":"))
    bare["content_sha256"] = hashlib.sha256(text.encode()).hexdigest()
    return {KEY: json.dumps(bare, sort_keys=True, separators=(",", ":")).encode()}


def parquet(table: pa.Table, **options: Any) -> bytes:
    sink = io.BytesIO()
    ours = {"compression": "NONE", "use_dictionary": ["dealer"], "write_statistics": False}
    pq.write_table(table, sink, **(ours | options))
    return sink.getvalue()


def forged(
    good: bytes, change: Callable[[pa.Table], pa.Table], seal: bool = True, **options: Any
) -> bytes:
    """Return a good table's file with the arrow table changed and, maybe, sealed again."""
    table = pq.read_table(pa.BufferReader(good))
    provenance = json.loads(table.schema.metadata[KEY])
    table = change(table)
    if seal:
        table = table.replace_schema_metadata(sealed(table, provenance))
    return parquet(table, **options)


def with_value(name: str, row: int, value: float | None) -> Callable[[pa.Table], pa.Table]:
    def change(table: pa.Table) -> pa.Table:
        column = table[name].to_pylist()
        column[row] = value
        at = table.column_names.index(name)
        field = pa.field(name, table.schema.field(name).type, nullable=value is None)
        return table.set_column(at, field, pa.array(column, field.type))

    return change


# --- a good table ------------------------------------------------------------------------------


def test_what_is_written_is_read(place: Path) -> None:
    written, read = toy_table(), read_table(place)
    np.testing.assert_array_equal(read.values, written.values)
    assert {key: read.provenance[key] for key in written.provenance} == written.provenance
    assert read.target == 31
    with pytest.raises(ValueError, match="read-only"):
        read.values[0, 0, 0, 0] = 0.5


def test_the_file_has_the_promised_rows_and_columns(place: Path) -> None:
    table = pq.read_table(place)
    assert table.column_names == ["player_score", "opponent_score", "dealer", *VALUES]
    kinds = [str(field.type) for field in table.schema]
    assert kinds[:3] == ["uint8", "uint8", "dictionary<values=string, indices=int8, ordered=0>"]
    assert set(kinds[3:]) == {"double"}
    rows = table.select(["player_score", "opponent_score", "dealer"]).to_pylist()
    assert [tuple(row.values()) for row in rows] == [
        (player, opponent, dealer)
        for player in range(31)
        for opponent in range(31)
        for dealer in ("player", "opponent")
    ]
    cell = table.slice((7 * 31 + 20) * 2 + 1, 1).to_pylist()[0]
    data = toy_table()
    assert cell == {"player_score": 7, "opponent_score": 20, "dealer": "opponent"} | {
        name: data.column(name)[1, 7, 20] for name in VALUES
    }


def test_polars_reads_the_file_as_it_is(place: Path) -> None:
    frame = pl.read_parquet(place)
    cell = frame.filter(player_score=7, opponent_score=20, dealer="player")
    assert cell["win"].to_list() == [toy_table().column("win")[0, 7, 20]]


def test_the_full_game_has_29_282_rows(tmp_path: Path) -> None:
    path = tmp_path / "full.parquet"
    write_table(path, toy_table(121, 90, 60))
    assert pq.read_metadata(path).num_rows == 29_282
    np.testing.assert_array_equal(read_table(path).values, toy_table(121, 90, 60).values)


def test_the_hashes_are_what_the_documentation_says(good: bytes) -> None:
    table = pq.read_table(pa.BufferReader(good))
    assert sealed(table, json.loads(table.schema.metadata[KEY])) == table.schema.metadata


def test_equal_tables_are_equal_bytes(tmp_path: Path, good: bytes) -> None:
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); from tables_for_tests import toy_table;"
        "from cribodds.tables.store import write_table; write_table(sys.argv[2], toy_table())"
    )
    for seed in ("1", "2"):
        path = tmp_path / f"{seed}.parquet"
        command = [sys.executable, "-c", program, str(Path(__file__).parent), str(path)]
        subprocess.run(command, check=True, env=os.environ | {"PYTHONHASHSEED": seed})
        assert path.read_bytes() == good


def test_a_table_read_and_written_again_is_the_same_file(tmp_path: Path, place: Path) -> None:
    again = tmp_path / "again.parquet"
    write_table(again, read_table(place))
    assert again.read_bytes() == place.read_bytes()


# --- faults of the file ------------------------------------------------------------------------


def test_a_missing_file_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "none.parquet"
    with pytest.raises(Unavailable) as caught:
        read_table(path)
    assert str(caught.value) == f"missing: no table at {path}; run: make build-table"
    assert reason(tmp_path / "no folder" / "none.parquet") == "missing"
    (tmp_path / "file").touch()
    assert reason(tmp_path / "file" / "none.parquet") == "missing"
    (tmp_path / "link").symlink_to(path)
    assert reason(tmp_path / "link") == "missing"


def test_torn_files_and_files_of_another_kind_are_damaged(place: Path, good: bytes) -> None:
    texts = [b"", b"PAR1", b"PAR1PAR1", b"PAR1" + b"\xff" * 4 + b"PAR1", b"player,opponent\n1,2\n"]
    parts = [good[: len(good) // 2], good[:-1], good[1:], good[:-8] + b"\xff\xff\xff\x7fPAR1"]
    longer = [good + b"\n", good + good[:100]]
    for raw in (*texts, *parts, *longer):
        place.write_bytes(raw)
        assert reason(place) == "damaged"


def test_a_folder_and_a_pipe_are_damaged(tmp_path: Path) -> None:
    folder = tmp_path / "folder.parquet"
    folder.mkdir()
    assert reason(folder) == "damaged"
    pipe = tmp_path / "pipe.parquet"
    os.mkfifo(pipe)
    assert reason(pipe) == "damaged"  # and does not wait for a writer


def test_a_huge_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    huge = tmp_path / "huge.parquet"
    with huge.open("wb") as file:
        file.truncate(1 << 40)
    assert reason(huge) == "damaged"


def test_flipped_bytes_are_found_or_harmless(
    place: Path, good: bytes, record_property: Callable[[str, object], None]
) -> None:
    """Every 97th byte, 1,000 at random, and every 5th of the footer, where no checksum guards."""
    whole = read_table(place)
    chance = random.Random(97)
    footer = len(good) - 8 - int.from_bytes(good[-8:-4], "little")
    offsets = [
        *range(0, len(good), 97),
        *(chance.randrange(len(good)) for _ in range(1000)),
        *range(footer, len(good), 5),
    ]
    found: Counter[str] = Counter()
    for offset in offsets:
        raw = bytearray(good)
        raw[offset] ^= 1 << chance.randrange(8) if offset % 2 else 0xFF
        try:
            data = store._decode(bytes(raw))
        except store._Refused as refused:
            found[refused.args[0]] += 1
            continue
        assert data.provenance == whole.provenance, f"byte {offset}"
        assert data.values.tobytes() == whole.values.tobytes(), f"byte {offset}"
        found["harmless"] += 1
    record_property("flips", dict(found))
    print(f"\n{len(offsets)} flips: {dict(found)}")
    assert set(found) <= {"damaged", "foreign", "incompatible", "harmless"}
    assert sum(found.values()) == len(offsets)
    assert found["harmless"] < 0.1 * len(offsets)  # names, padding and a second copy of the notes


def test_every_byte_of_the_provenance_counts(good: bytes) -> None:
    text = pq.read_metadata(pa.BufferReader(good)).metadata[KEY]
    at = good.rindex(text)
    for offset in range(at, at + len(text)):
        raw = bytearray(good)
        raw[offset] ^= 1
        with pytest.raises(store._Refused):
            store._decode(bytes(raw))


def test_values_changed_under_their_seal_are_damaged(place: Path, good: bytes) -> None:
    value = float(np.nextafter(toy_table().column("win_se")[0, 3, 4], 1))
    change = with_value("win_se", (3 * 31 + 4) * 2, value)
    place.write_bytes(forged(good, change, seal=False))
    assert reason(place) == "damaged"
    place.write_bytes(forged(good, change, seal=True))
    assert read_table(place).column("win_se")[0, 3, 4] == value


WIN = OUTCOMES.index("win_plain") + 1
SEALED_FAULTS: dict[str, Callable[[pa.Table], pa.Table]] = {
    "a column less": lambda table: table.drop_columns(["deals_left"]),
    "a column more": lambda table: table.append_column("more", table["win"]),
    "columns in another order": lambda table: table.select(
        ["opponent_score", "player_score", *table.column_names[2:]]
    ),
    "another type": lambda table: table.set_column(3, "win", table["win"].cast(pa.float32())),
    "dealer as plain text": lambda table: table.set_column(
        2, "dealer", table["dealer"].cast(pa.string())
    ),
    "a row less": lambda table: table.slice(1),
    "a row more": lambda table: pa.concat_tables([table, table.slice(0, 1)]),
    "no rows": lambda table: table.slice(0, 0),
    "a cell twice": lambda table: pa.concat_tables([table.slice(0, 1), table.slice(0, 1921)]),
    "rows in another order": lambda table: table.take(list(range(1921, -1, -1))),
    "a NaN": with_value("win_plain", 100, float("nan")),
    "an infinity": with_value("deals_left", 100, float("inf")),
    "a null": with_value("win", 100, None),
    "a probability of 1.2": with_value("win_plain", 100, 1.2),
    "a probability under 0": with_value("loss_skunk", 100, -0.1),
    "a sum that is not 1": with_value("loss_plain", 100, 0.9),
    "a win that is not its sum": with_value("win", 100, 0.123),
    "no deals left": with_value("deals_left", 100, 0.0),
    "a negative error": with_value("win_se", 100, -1e-9),
}


@pytest.mark.parametrize("fault", SEALED_FAULTS)
def test_a_faulty_table_with_a_good_seal_is_damaged(place: Path, good: bytes, fault: str) -> None:
    place.write_bytes(forged(good, SEALED_FAULTS[fault]))
    assert reason(place) == "damaged"


def test_the_forger_of_these_tests_can_make_a_good_table(place: Path, good: bytes) -> None:
    """Else the faults above might be refused for a reason of their own."""
    place.write_bytes(forged(good, lambda table: table))
    np.testing.assert_array_equal(read_table(place).values, toy_table().values)


@pytest.mark.parametrize(
    "keys",
    [
        {"target": 32},
        {"target": 0},
        {"target": 256},
        {"target": 10**9},
        {"target": True},
        {"target": "31"},
        {"skunk": 31},
        {"skunk": 5, "double_skunk": 2},
        {"skunk": None},
        {"config": {"name": "toy"}},
        {"config": None},
        {"means": 5},
    ],
    ids=str,
)
def test_a_provenance_that_does_not_fit_is_damaged(
    place: Path, good: bytes, keys: dict[str, object]
) -> None:
    table = pq.read_table(pa.BufferReader(good))
    provenance = json.loads(table.schema.metadata[KEY]) | keys
    place.write_bytes(parquet(table.replace_schema_metadata(sealed(table, provenance))))
    assert reason(place) == "damaged"


@pytest.mark.parametrize(
    "text", [b"", b"{", b"\xff", b"[]", b"null", b'"x"', b"[" * 200_000, b"9" * 9000], ids=repr
)
def test_a_provenance_that_is_no_json_object_is_damaged(
    place: Path, good: bytes, text: bytes
) -> None:
    change = forged(good, lambda table: table.replace_schema_metadata({KEY: text}), seal=False)
    place.write_bytes(change)
    assert reason(place) == "damaged"


@pytest.mark.parametrize("version", [0, 2, "1", 1.0, True, None])
def test_another_format_version_is_incompatible(place: Path, good: bytes, version: object) -> None:
    table = pq.read_table(pa.BufferReader(good))
    provenance = json.loads(table.schema.metadata[KEY]) | {"format_version": version}
    place.write_bytes(parquet(table.replace_schema_metadata(sealed(table, provenance))))
    assert reason(place) == "incompatible"
    place.write_bytes(parquet(table.slice(3).replace_schema_metadata(sealed(table, provenance))))
    assert reason(place) == "incompatible"  # whatever the layout of that version is


def test_a_table_without_our_key_is_foreign(place: Path, good: bytes) -> None:
    for metadata in (None, {b"other": b"1"}):
        table = pq.read_table(pa.BufferReader(good)).replace_schema_metadata(metadata)
        place.write_bytes(parquet(table))
        assert reason(place) == "foreign"


def test_a_table_rewritten_by_polars_is_foreign(place: Path) -> None:
    pl.read_parquet(place).write_parquet(place)
    assert reason(place) == "foreign"


def test_a_table_rewritten_by_pandas_is_foreign(place: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pandas.read_parquet(place).to_parquet(place)
    assert reason(place) == "foreign"


@pytest.mark.parametrize(
    "options",
    [
        {"compression": "ZSTD"},
        {"compression": "SNAPPY"},
        {"use_dictionary": False, "column_encoding": {"win": "BYTE_STREAM_SPLIT"}},
        {"row_group_size": 1000},
    ],
    ids=str,
)
def test_a_table_that_could_unpack_into_more_than_it_has_is_not_read(
    place: Path, good: bytes, options: dict[str, Any]
) -> None:
    place.write_bytes(forged(good, lambda table: table, **options))
    assert reason(place) == "damaged"


def test_unavailable_survives_a_trip_to_another_process(tmp_path: Path) -> None:
    with pytest.raises(Unavailable) as caught:
        read_table(tmp_path / "none")
    back = pickle.loads(pickle.dumps(caught.value))
    assert (str(back), back.reason, back.path) == (
        str(caught.value),
        "missing",
        tmp_path / "none",
    )


# --- writing -----------------------------------------------------------------------------------


def assert_untouched(place: Path, good: bytes) -> None:
    assert place.read_bytes() == good
    assert [path.name for path in place.parent.iterdir()] == [place.name]


def another() -> TableData:
    return toy_table(33, 20, 10)


def test_a_disk_that_is_full_leaves_the_old_table(place: Path, good: bytes) -> None:
    """The kernel itself refuses more than 100,000 bytes of the 180,000."""
    program = (
        "import resource, sys; sys.path.insert(0, sys.argv[1]);"
        "from tables_for_tests import toy_table; from cribodds.tables.store import write_table;"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000));"
        "write_table(sys.argv[2], toy_table(33, 20, 10))"
    )
    command = [sys.executable, "-c", program, str(Path(__file__).parent), str(place)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert f"TableWriteError: cannot write the table {place}: File too large" in done.stderr
    assert_untouched(place, good)


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_table_and_no_litter(
    monkeypatch: pytest.MonkeyPatch, place: Path, good: bytes, step: str, error: BaseException
) -> None:
    def fail(*_: object) -> None:
        raise error

    if step == "fsync":
        monkeypatch.setattr(os, "fsync", fail)
    else:
        monkeypatch.setattr(Path, "replace", fail)
    expected = TableWriteError if isinstance(error, OSError) else KeyboardInterrupt
    with pytest.raises(expected) as caught:
        write_table(place, another())
    if expected is TableWriteError:
        assert str(place) in str(caught.value)
        assert "No space left on device; nothing there was changed" in str(caught.value)
    assert_untouched(place, good)


def test_a_disk_that_lies_is_found_before_anything_is_replaced(
    monkeypatch: pytest.MonkeyPatch, place: Path, good: bytes
) -> None:
    def spoil(handle: int) -> None:
        os.pwrite(handle, b"\x00\x01\x02", 5000)

    monkeypatch.setattr(os, "fsync", spoil)
    with pytest.raises(TableWriteError, match="reads back wrong"):
        write_table(place, another())
    assert_untouched(place, good)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "file" / "t.parquet", tmp_path / "folder", tmp_path / ("x" * 300)):
        with pytest.raises(TableWriteError) as caught:
            write_table(path, toy_table())
        assert f"cannot write the table {path}: " in str(caught.value)
        assert "--out" in str(caught.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_read_only_folder_is_named(place: Path, good: bytes) -> None:
    place.parent.chmod(0o555)
    try:
        with pytest.raises(TableWriteError, match="Permission denied"):
            write_table(place, another())
        assert_untouched(place, good)
    finally:
        place.parent.chmod(0o755)


def test_a_new_table_takes_the_place_of_whatever_file_was_there(place: Path) -> None:
    place.write_bytes(b"half a tab")
    written = write_table(place, toy_table())
    assert written.provenance == read_table(place).provenance
    assert [path.name for path in place.parent.iterdir()] == [place.name]


def test_missing_folders_are_made_links_followed_and_the_umask_kept(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "t.parquet"
    link = tmp_path / "link.parquet"
    link.symlink_to(path)
    before = os.umask(0o027)
    try:
        write_table(link, toy_table())
    finally:
        os.umask(before)
    assert link.is_symlink()
    assert read_table(path).target == 31
    assert path.stat().st_mode & 0o777 == 0o640


def test_many_writers_and_a_reader_never_see_half_a_table(place: Path, good: bytes) -> None:
    wholes = {31: toy_table(), 33: another()}
    failures: list[BaseException] = []

    def write(data: TableData) -> None:
        try:
            for _ in range(15):
                write_table(place, data)
        except BaseException as error:
            failures.append(error)

    writers = [threading.Thread(target=write, args=(data,)) for data in wholes.values()]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        read = read_table(place)
        np.testing.assert_array_equal(read.values, wholes[read.target].values)
    assert not failures
    assert [path.name for path in place.parent.iterdir()] == [place.name]


def test_a_faulty_table_is_never_written(place: Path, good: bytes) -> None:
    faulty = [
        changed(toy_table(), "win_plain", (0, 3, 4), 1.2),
        changed(toy_table(), "deals_left", (0, 3, 4), float("nan")),
        TableData(toy_table().values, toy_provenance(33, 20, 10)),
        TableData(toy_table().values, {"target": 31}),
    ]
    for data in faulty:
        with pytest.raises(ValueError, match="not a table to write: "):
            write_table(place, data)
    assert_untouched(place, good)


# --- what is always true of a table ------------------------------------------------------------


def test_every_property_holds_of_the_toy_table() -> None:
    for data in (toy_table(), toy_table(121, 90, 60), toy_table(61, 30, None), toy_table(31, None)):
        findings = check_table(data)
        assert len(findings) == 14
        assert [finding for finding in findings if not finding.ok] == []


def broken(**shifts: float) -> TableData:
    """Return the toy table with values shifted at player 12, opponent 15, player dealing."""
    data = toy_table()
    for name, shift in shifts.items():
        cell = (0, 12, 15)
        data = changed(data, name, cell, data.column(name)[cell] + shift)
    return data


def mirrored(step: float) -> TableData:
    """Return the toy table with one position's odds moved for both players alike."""
    data = toy_table()
    for cell, sign in (((0, 12, 15), 1), ((1, 15, 12), -1)):
        for name, way in (("win", sign), ("win_plain", sign), ("loss_plain", -sign)):
            data = changed(data, name, cell, data.column(name)[cell] + way * step)
    return data


def longer(step: float) -> TableData:
    data = toy_table()
    for cell in ((0, 12, 15), (1, 15, 12)):
        data = changed(data, "deals_left", cell, data.column("deals_left")[cell] + step)
    return data


@pytest.mark.parametrize(
    ("data", "property_"),
    [
        (broken(win=float("nan")), "finite number"),
        (broken(win_double_skunk=-2e-12, win_plain=2e-12), "between 0 and 1"),
        (broken(win_plain=1.0, win=1.0, loss_plain=-1.0), "between 0 and 1"),
        (broken(loss_plain=3e-12), "sum to 1"),
        (broken(win=3e-12), "sum of its three"),
        (broken(win_plain=0.01, win=0.01, loss_plain=-0.01), "the other loses"),
        (broken(win_se=2.0), "standard errors"),
        (broken(deals_left=-9.0), "at least the coming deal"),
        (broken(deals_left=0.01), "the same number of deals"),
        (broken(win_double_skunk=1e-300), "no double skunk past 10"),
        (TableData(toy_table().values, toy_provenance(31, 14, 10)), "no skunk past 14"),
        (TableData(toy_table().values, toy_provenance(31, None, None)), "no skunk at all"),
        (mirrored(0.1), "win never rises"),
        (mirrored(-0.1), "win never falls"),
        (longer(2.0), "fewer deals"),
    ],
)
def test_each_property_is_seen_to_fail(data: TableData, property_: str) -> None:
    failed = [finding for finding in check_table(data) if not finding.ok]
    assert any(property_ in finding.property for finding in failed), failed
    assert all(finding.detail for finding in failed)


def test_the_worst_cell_is_named() -> None:
    (failed,) = [finding for finding in check_table(broken(win=0.25)) if not finding.ok]
    assert failed.detail == "1 cells, the first player 12, opponent 15, dealer player"


def test_a_table_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match="expected shape"):
        TableData(np.zeros((9, 2, 31, 30)), {})
    with pytest.raises(ValueError, match="columns: expected win, win_plain"):
        TableData.from_columns({"win": np.zeros((2, 31, 31))}, {})
