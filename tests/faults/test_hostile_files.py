"""Files that somebody made to hurt: refused in a line, with little memory, and nobody waits."""

import hashlib
import os
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from filelock import FileLock

from builds_for_tests import Lab, Tell
from cribodds.sim import checkpoints as module
from cribodds.sim.checkpoints import Checkpoints
from cribodds.sim.played import MAGIC, DamagedError, Played, pack
from cribodds.sim.tally import Tally
from cribodds.tables.build import build
from cribodds.tables.config import load_config
from cribodds.tables.store import TableWriteError, Unavailable, read_table
from test_store import parquet

KEY = "a" * 64
CHUNK = 40
LARGE = 8_000_000
MEMORY = 150_000_000
"""Of Python's objects; a file's own bytes, at most twice, are in it."""


@pytest.fixture
def little_memory(tell: Tell) -> Iterator[None]:
    tracemalloc.start()
    yield
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < MEMORY
    tell("a hostile file: refused in a line, with little memory", 1, 1)


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("CRIBODDS_CACHE", str(tmp_path))
    return []


def varint(number: int) -> bytes:
    out = bytearray()
    while number >= 128:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


@pytest.mark.parametrize(
    ("kind", "item"), [(12, b"\0"), (9, b"\x05"), (8, b"\0")], ids=["structs", "lists", "texts"]
)
@pytest.mark.usefixtures("little_memory")
def test_a_footer_of_millions_of_nothings(tmp_path: Path, kind: int, item: bytes) -> None:
    """Each of a byte in the file, and of a hundred bytes when it is an object."""
    footer = b"\x19" + bytes([0xF0 | kind]) + varint(LARGE) + item * LARGE + b"\0"
    path = tmp_path / "hostile.parquet"
    path.write_bytes(b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    with pytest.raises(Unavailable, match=r"damaged: .*more parts than any table needs"):
        read_table(path)


@pytest.mark.parametrize("item", [b"[],", b"{},", b"0,", b'"",'])
@pytest.mark.usefixtures("little_memory")
def test_a_provenance_of_millions_of_nothings(tmp_path: Path, whole: bytes, item: bytes) -> None:
    text = b"[" + item * (5_000_000 // len(item)) + b"0]"
    table = pq.read_table(pa.BufferReader(whole)).replace_schema_metadata({b"cribodds": text})
    path = tmp_path / "hostile.parquet"
    path.write_bytes(parquet(table))
    with pytest.raises(Unavailable, match=r"damaged: .*provenance is larger than 4,194,304 bytes"):
        read_table(path)


@pytest.mark.usefixtures("little_memory")
def test_sums_whose_head_is_millions_of_nothings() -> None:
    head = b'{"key": "' + KEY.encode() + b'", "runs": [' + b"[]," * LARGE + b"[]]}"
    body = len(head).to_bytes(4, "little") + head
    with pytest.raises(DamagedError, match="which deals"):
        Played.unseal(MAGIC + hashlib.sha256(body).digest() + body, KEY, CHUNK)


@pytest.mark.usefixtures("little_memory")
def test_notes_of_millions_of_nothings(said: list[str]) -> None:
    with Checkpoints(KEY, CHUNK, said.append) as kept:
        (kept.folder / "notes.json").write_bytes(b"[" + b"[]," * LARGE + b"{}]")
        assert kept.notes() == {}
    assert len(said) == 1
    assert "damaged" in said[0]


@pytest.mark.usefixtures("little_memory")
def test_a_journal_without_end(said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Of sound records, each a chunk of its own."""
    monkeypatch.setattr(module, "JOURNAL_BYTES", 20_000)
    with Checkpoints(KEY, CHUNK, said.append) as kept:
        kept.resume(64)
        record = kept._record(0, pack(Tally.empty()))
        with (kept.folder / "journal").open("ab") as file:
            for number in range(100_000 // len(record)):
                file.write(kept._record(number, pack(Tally.empty())))
        assert len(list(kept._read_journal())) <= 40_000 // len(record)
    assert len(said) == 1
    assert "torn or damaged" in said[0]


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir], ids=["pipes", "folders"])
def test_nobody_waits_at_pipes_and_folders(
    said: list[str], tell: Tell, make: Callable[[Path], None]
) -> None:
    folder = Checkpoints(KEY, CHUNK, said.append).folder
    folder.mkdir(parents=True)
    names = ["journal", "notes.json", "00000001-00000064.tally"]
    for name in names:
        make(folder / name)
    with Checkpoints(KEY, CHUNK, said.append) as kept:
        assert kept.resume(64).deals == 0
        assert kept.notes() == {}
    for name in names:
        assert any(str(folder / name) in line for line in said), name
    tell("pipes and folders where checkpoints should be: said, nobody waits", 3, 3)


def no_locks(*_: object, **__: object) -> None:
    raise NotImplementedError("FileSystem does not appear to support flock")


def test_a_file_system_without_locks(
    lab: Lab, config: Path, said: list[str], tell: Tell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is written where others may be writing at the same time."""
    monkeypatch.setattr(FileLock, "acquire", no_locks)
    with Checkpoints(KEY, CHUNK, said.append) as kept:
        kept.resume(64)
        kept.note({"a": {}})
        assert not kept.keeps
        assert list(kept.folder.iterdir()) == []
    assert len(said) == 1
    assert "checkpoints cannot be written (its file system has no locks" in said[0]
    with pytest.raises(TableWriteError, match="has no locks; name another place"):
        build(load_config(config), out=lab.out)
    assert not lab.out.exists()
    tell("a file system without locks: said, nothing written unlocked", 2, 2)
