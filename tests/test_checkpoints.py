"""What was played, kept and taken up again: sums, journals, and the ways to damage them."""

import hashlib
import os
import pickle
import random
import time
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cribodds.sim import checkpoints as module
from cribodds.sim.checkpoints import Checkpoints
from cribodds.sim.played import (
    BATCHES,
    MAGIC,
    NUMBERS,
    DamagedError,
    ForeignError,
    Played,
    pack,
    unpack,
)
from cribodds.sim.run import _key
from cribodds.sim.spans import Spans
from cribodds.sim.tally import DEALER_POINTS, PONE_POINTS, Tally

CHUNK = 40
KEY = "a" * 64


@cache
def tally(number: int) -> Tally:
    """Return a made-up tally of a chunk, another for each number."""
    chance = np.random.default_rng(number)
    counts = np.zeros((3, DEALER_POINTS * PONE_POINTS), np.int64)
    for row in counts:
        np.add.at(row, chance.integers(0, 60, CHUNK), 1)
    return Tally(
        CHUNK,
        counts[0].reshape(DEALER_POINTS, PONE_POINTS),
        counts[1].reshape(DEALER_POINTS, PONE_POINTS),
        counts[2].reshape(PONE_POINTS, DEALER_POINTS),
        chance.integers(0, 900, 6),
    )


def added(numbers: set[int]) -> bytes:
    """Return what must have been summed up when these chunks are in."""
    sums = [Tally.empty() for _ in range(BATCHES)]
    for number in numbers:
        sums[number % BATCHES] += tally(number)
    return b"".join(pack(each) for each in sums)


def summed(played: Played) -> bytes:
    return b"".join(pack(each) for each in played.batches())


def numbers_in(played: Played) -> set[int]:
    return {number for start, end in played.done.runs for number in range(start, end)}


class Session:
    """One build's use of the checkpoints."""

    def __init__(self, key: str = KEY) -> None:
        self.said: list[str] = []
        self.checkpoints = Checkpoints(key, CHUNK, self.said.append)

    def play(self, chunks: int, numbers: set[int], save: bool = False) -> Played:
        """Take up what there is of ``chunks``, play ``numbers`` if missing, and be killed."""
        with self.checkpoints as kept:
            played = kept.resume(chunks)
            for number in sorted(numbers):
                packed = pack(tally(number))
                if played.add(number, unpack(packed, CHUNK)):
                    kept.keep(number, packed)
            if save:
                kept.save(played)
        return played

    @property
    def folder(self) -> Path:
        return self.checkpoints.folder

    def sums(self) -> list[Path]:
        return sorted(self.folder.glob("*.tally"))


def found(chunks: int) -> Played:
    return Session().play(chunks, set())


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CRIBODDS_CACHE", str(tmp_path))
    return tmp_path


# --- spans and packed tallies


def test_spans_are_a_set_of_numbers() -> None:
    chance = random.Random(4)
    for _ in range(200):
        spans, numbers = Spans(), chance.sample(range(60), chance.randrange(60))
        for number in numbers:
            spans.add(number)
        here = set(numbers)
        assert Spans(spans.runs).runs == spans.runs
        assert all(a < b for (_, a), (b, _) in zip(spans.runs, spans.runs[1:], strict=False))
        assert (len(spans), spans.end) == (len(here), max(here, default=-1) + 1)
        assert {number for number in range(70) if number in spans} == here
        for limit in (0, 1, 30, 60, 80):
            assert list(spans.missing(limit)) == [n for n in range(limit) if n not in here]
        assert [spans.count(r, 7) for r in range(7)] == [
            sum(number % 7 == r for number in here) for r in range(7)
        ]


def test_what_is_missing_does_not_move_under_who_plays_it() -> None:
    spans = Spans([(3, 5)])
    missing = spans.missing(8)
    played = []
    for number in missing:
        spans.add(number)
        played.append(number)
    assert played == [0, 1, 2, 5, 6, 7]


@pytest.mark.parametrize(
    "runs",
    [[(1, 1)], [(2, 1)], [(-1, 1)], [(0, 2), (2, 3)], [(4, 5), (0, 1)], [(0.0, 2)], [(0, True)]],
)
def test_runs_out_of_order_are_refused(runs: list[tuple[int, int]]) -> None:
    with pytest.raises(ValueError, match="not runs in rising order"):
        Spans(runs)


def test_a_tally_travels_whole() -> None:
    played = Played(CHUNK)
    played.add(70, unpack(pack(tally(70)), CHUNK))
    back = played.batches()[70 % BATCHES]
    assert back.deals == CHUNK
    for name in ("totals", "dealer_first", "pone_first", "points"):
        np.testing.assert_array_equal(getattr(back, name), getattr(tally(70), name))


def bomb(size: int) -> bytes:
    return zlib.compress(bytes(size), 9)


@pytest.mark.parametrize(
    "packed",
    [
        b"",
        b"no zlib",
        pack(tally(1))[:-1],
        pack(tally(1)) + b"x",
        pack(tally(1) + tally(2)),
        pack(Tally.empty()),
        bomb(NUMBERS * 8 - 8),
        bomb(NUMBERS * 8 + 8),
        bomb(1 << 30),
        pickle.dumps(tally(1)),
    ],
    ids=["none", "text", "cut", "longer", "two", "empty", "short", "long", "a gigabyte", "pickle"],
)
def test_what_is_no_tally_of_the_chunk_is_refused(packed: bytes) -> None:
    with pytest.raises(DamagedError):
        unpack(packed, CHUNK)


def test_a_negative_count_is_refused() -> None:
    wrong = tally(1) + Tally.empty()
    wrong.dealer_first[3, 3] = -1
    with pytest.raises(DamagedError):
        unpack(pack(wrong), CHUNK)


# --- resuming


def test_killed_at_any_chunk_and_resumed() -> None:
    chance = random.Random(6)
    order = list(range(128))
    chance.shuffle(order)
    done: set[int] = set()
    while order:
        some = {order.pop() for _ in range(min(len(order), chance.randrange(30)))}
        assert numbers_in(Session().play(128, some, save=chance.random() < 0.3)) == done | some
        done |= some
    assert summed(found(128)) == added(set(range(128)))


def test_a_longer_build_reuses_everything() -> None:
    Session().play(64, set(range(64)), save=True)
    assert numbers_in(found(192)) == set(range(64))


def test_a_shorter_build_uses_only_what_fits() -> None:
    """The sums of a longer build cannot be taken apart; those before it are still there."""
    for rounds in range(1, 8):
        Session().play(64 * rounds, set(range(64 * rounds)), save=True)
    best = {7: 7, 6: 6, 5: 3, 4: 3, 3: 3, 2: 2, 1: 1}
    for rounds, used in best.items():
        played = found(64 * rounds)
        assert numbers_in(played) == set(range(64 * used)), rounds
        assert summed(played) == added(set(range(64 * used)))


def test_a_shorter_build_leaves_a_longer_one_its_own() -> None:
    Session().play(640, set(range(0, 600, 2)), save=True)
    Session().play(640, {1, 3, 601})  # in the journal alone
    Session().play(64, set(range(64)), save=True)
    Session().play(128, set(range(100)))
    played = found(640)
    assert numbers_in(played) >= set(range(0, 600, 2)) | {1, 3, 601}
    assert summed(played) == added(numbers_in(played))
    assert numbers_in(found(64)) == set(range(64))


def test_space_stays_bounded() -> None:
    """Of every doubling two, and a journal, however long the build and how often interrupted."""
    session = Session()
    for rounds in range(1, 40):
        session = Session()
        session.play(64 * rounds, {64 * rounds - 1 - rounds % 3}, save=True)
    files = [path.name for path in session.folder.iterdir()]
    assert len(session.sums()) <= 2 * 6 + 1
    assert sorted(set(files) - {path.name for path in session.sums()}) == ["journal", "lock"]
    assert (session.folder / "journal").stat().st_size < 200


def test_a_long_journal_becomes_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "JOURNAL_BYTES", 20_000)
    session = Session()
    with session.checkpoints as kept:
        played = kept.resume(640)
        largest = saves = 0
        for number in range(640):
            packed = pack(tally(number))
            played.add(number, unpack(packed, CHUNK))
            kept.keep(number, packed)
            largest = max(largest, (session.folder / "journal").stat().st_size)
            if kept.due:
                kept.save(played)
                saves += 1
    assert saves > 5
    assert largest < 25_000
    assert summed(found(640)) == added(set(range(640)))


def test_left_over_temporary_files_are_removed() -> None:
    session = Session()
    session.play(64, {1})
    (session.folder / ".journal.1.ab.tmp").write_bytes(b"torn")
    Session().play(64, {2}, save=True)
    assert not list(session.folder.glob(".*"))


# --- damage


def harmed(path: Path, harm: Callable[[bytearray], None]) -> None:
    raw = bytearray(path.read_bytes())
    harm(raw)
    path.write_bytes(raw)


@pytest.fixture
def kept() -> Session:
    """Two files of sums, the second with more, and a journal."""
    Session().play(128, set(range(40)), save=True)
    Session().play(128, set(range(70)), save=True)
    session = Session()
    with session.checkpoints as checkpoints:
        checkpoints.resume(128)
        for number in range(70, 80):
            checkpoints.keep(number, pack(tally(number)))
    return session


def test_a_flip_in_sums_is_found(kept: Session) -> None:
    good = kept.sums()[-1].read_bytes()
    assert Played.unseal(good, KEY, CHUNK).deals == 70 * CHUNK
    for at in range(0, len(good), 97):
        raw = bytearray(good)
        raw[at] ^= 1 << at % 8
        with pytest.raises(DamagedError):
            Played.unseal(bytes(raw), KEY, CHUNK)


def test_damaged_sums_are_named_and_those_before_are_used(kept: Session) -> None:
    path = kept.sums()[-1]
    good = path.read_bytes()
    flipped = good[:700] + bytes([good[700] ^ 4]) + good[701:]
    for raw in (b"", good[:50], good[: len(good) // 2], good[:-1], good + b"\0", flipped):
        path.write_bytes(raw)
        session = Session()
        with session.checkpoints as checkpoints:
            played = checkpoints._best(128, list(checkpoints._read_journal()))
        assert numbers_in(played) == set(range(40)) | set(range(70, 80))
        assert summed(played) == added(numbers_in(played))
        assert len(session.said) == 1
        assert f"{path} is damaged" in session.said[0]
        assert not path.exists()
    path.write_bytes(good)
    assert numbers_in(found(128)) == set(range(80))


def test_a_flip_in_the_journal_is_found(kept: Session) -> None:
    path = kept.folder / "journal"
    good = path.read_bytes()
    for at in range(0, len(good), 97):
        harmed(path, lambda raw, at=at: raw.__setitem__(at, raw[at] ^ 1 << at % 8))  # type: ignore[misc]
        session = Session()
        with session.checkpoints as checkpoints:
            records = list(checkpoints._read_journal())
        assert len(session.said) == 1, at
        assert len(records) < 10
        assert all(packed == pack(tally(number)) for number, packed in records)
        path.with_name("journal.refused").unlink(missing_ok=True)
        path.write_bytes(good)


def test_a_journal_cut_anywhere_gives_the_records_before(kept: Session) -> None:
    """As after a power cut; only a cut between records is no damage."""
    path = kept.folder / "journal"
    good = path.read_bytes()
    start = good.index(b"chunk")
    sizes = [len(kept.checkpoints._record(number, pack(tally(number)))) for number in range(70, 80)]
    ends = [start + sum(sizes[:count]) for count in range(11)]
    for size in (*range(0, len(good), 331), *ends):
        path.write_bytes(good[:size])
        session = Session()
        with session.checkpoints as checkpoints:
            records = [number for number, _ in checkpoints._read_journal()]
        whole = sum(end <= size for end in ends[1:])
        assert records == list(range(70, 70 + whole))
        assert bool(session.said) == (size not in (0, *ends)), (size, session.said)


def test_everything_damaged_is_a_fresh_start(kept: Session) -> None:
    for path in [*kept.sums(), kept.folder / "journal"]:
        path.write_bytes(b"\0" * 5000)
    session = Session()
    assert numbers_in(session.play(128, set(range(128)))) == set(range(128))
    assert len(session.said) == 3
    assert summed(found(128)) == added(set(range(128)))


def test_folders_and_pipes_in_place_of_files(kept: Session) -> None:
    for path in [*kept.sums(), kept.folder / "journal"]:
        path.unlink()
        path.mkdir()
    session = Session()
    played = session.play(128, {5})
    assert numbers_in(played) == {5}
    assert any("cannot be read (Is a directory)" in line for line in session.said)
    assert any("checkpoints cannot be written" in line for line in session.said)


def test_checkpoints_of_another_run_are_refused(kept: Session) -> None:
    """Sound files of another key, carried into the folder by hand."""
    other = Session("b" * 64)
    other.folder.mkdir(parents=True)
    for path in [*kept.sums(), kept.folder / "journal"]:
        (other.folder / path.name).write_bytes(path.read_bytes())
    session = Session("b" * 64)
    assert numbers_in(session.play(128, set())) == set()
    assert len(session.said) == 3
    assert all("refused" in line for line in session.said)
    assert numbers_in(Session("b" * 64).play(128, {1})) == {1}
    assert len(list(other.folder.glob("*.refused"))) == 3


def test_every_part_of_the_key_makes_another_run() -> None:
    keys = {
        _key(*args)
        for args in [(1, 2, "b", "c"), (2, 2, "b", "c"), (1, 3, "b", "c"), (1, 2, "x", "c"),
                     (1, 2, "b", "x"), (12, 2, "b", "c"), (1, 22, "b", "c")]
    }  # fmt: skip
    assert len(keys) == 7


def forged(head: bytes, sums: bytes) -> bytes:
    """Seal whatever a forger likes, by the words of the documentation."""
    body = len(head).to_bytes(4, "little") + head + sums
    return MAGIC + hashlib.sha256(body).digest() + body


@pytest.mark.parametrize(
    "raw",
    [
        forged(b"", b""),
        forged(b"[" * 100_000, b""),
        forged(b'{"key": "' + KEY.encode() + b'"}', b""),
        forged(b'{"key": "' + KEY.encode() + b'", "runs": [[0, 9e99]]}', b""),
        forged(b'{"key": "' + KEY.encode() + b'", "runs": [[0, 64]]}', bomb(1 << 30)),
        forged(b'{"key": "' + KEY.encode() + b'", "runs": [[0, 64]]}', bomb(64 * NUMBERS * 8)),
        forged(b'{"key": "' + KEY.encode() + b'", "runs": []}', pickle.dumps(print)),
        pickle.dumps(print),
        forged(b'{"key": "' + KEY.encode() + b'", "runs": [[0, 1e4]]}', b"") + b"\xff" * (1 << 25),
    ],
    ids=["nothing", "deep", "no runs", "huge", "bomb", "empty", "pickle in", "pickle", "large"],
)
def test_a_hostile_file_of_sums_is_damaged(raw: bytes) -> None:
    with pytest.raises(DamagedError):
        Played.unseal(raw, KEY, CHUNK)


def test_another_key_is_foreign() -> None:
    with pytest.raises(ForeignError):
        Played.unseal(Played(CHUNK).seal(KEY), "b" * 64, CHUNK)
    assert Played.unseal(Played(CHUNK).seal(KEY), KEY, CHUNK).deals == 0


# --- writing


class Disk:
    """A file on a disk with so much room: it takes what fits, then refuses."""

    def __init__(self, file: Any) -> None:
        self.file = file
        self.room = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)

    def write(self, data: bytes) -> int:
        if not self.room:
            raise OSError(28, "No space left on device")
        taken: int = self.file.write(data[: self.room])
        self.room -= taken
        return taken


def test_a_failed_record_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is full for a while: said, the journal stays sound, saved when there is room."""
    session = Session()
    with session.checkpoints as kept:
        played = kept.resume(64)
        disk = Disk(kept._journal)
        monkeypatch.setattr(kept, "_journal", disk)
        for number in range(6):
            disk.room = 100 if number >= 3 else 1 << 20
            packed = pack(tally(number))
            played.add(number, unpack(packed, CHUNK))
            kept.keep(number, packed)
        assert not kept.keeps
        assert len(session.said) == 1
        assert "No space left on device" in session.said[0]
        assert [number for number, _ in kept._read_journal()] == [0, 1, 2]
        kept.save(played)
        assert session.said[1:] == ["checkpoints are written again"]
    assert summed(found(64)) == added(set(range(6)))


def test_notes_are_kept_and_damage_to_them_is_found() -> None:
    session = Session()
    with session.checkpoints as kept:
        assert kept.notes() == {}
        kept.note({"a": {"1": 0.1}})
        assert kept.notes() == {"a": {"1": 0.1}}
    path = session.folder / "notes.json"
    good = path.read_bytes()
    for at in range(len(good)):
        harmed(path, lambda raw, at=at: raw.__setitem__(at, raw[at] ^ 1))  # type: ignore[misc]
        again = Session()
        with again.checkpoints as kept:
            assert kept.notes() == {}
        assert len(again.said) == 1
        path.write_bytes(good)
    other = Session("b" * 64)
    with other.checkpoints as kept:
        (other.folder / "notes.json").write_bytes(good)
        assert kept.notes() == {}


def test_no_wall_clock_decides_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_clock() -> float:
        raise AssertionError("the wall clock was asked")

    monkeypatch.setattr(time, "time", no_clock)
    Session().play(64, set(range(10)), save=True)
    for number, path in enumerate(Session().folder.iterdir()):
        os.utime(path, (number * 1e9, number * 1e9))
    assert numbers_in(found(64)) == set(range(10))
