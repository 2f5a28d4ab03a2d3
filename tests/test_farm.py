"""The farm and the run: the same sums for any workers and interruption, nothing played twice."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from builds_for_tests import fake_books, link_kernels, wait_until, workers_of
from cribodds.sim import farm as module
from cribodds.sim.book import Books
from cribodds.sim.deal import first_deal, tally_deals
from cribodds.sim.farm import (
    RESTARTS,
    Chunks,
    Engine,
    Farm,
    FarmError,
    deals_digest,
    play_batches,
)
from cribodds.sim.first_calls import compiled_beside
from cribodds.sim.played import BATCHES, Played, pack, unpack
from cribodds.sim.run import Run
from cribodds.sim.tally import Tally

SEED, CHUNK = 9, 700
ALONE = Engine(jobs=1)


@pytest.fixture(scope="module")
def books() -> Books:
    return fake_books()


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    link_kernels(tmp_path)
    monkeypatch.setenv("CRIBODDS_CACHE", str(tmp_path))
    return tmp_path


def packed(batches: list[Tally]) -> list[bytes]:
    return [pack(batch) for batch in batches]


@pytest.fixture(scope="module")
def whole(books: Books) -> Callable[[int], list[bytes]]:
    """The batches of so many rounds, played chunk by chunk with no farm."""
    chunks = [tally_deals(books, SEED, n * CHUNK, CHUNK) for n in range(3 * BATCHES)]

    def batches(rounds: int) -> list[bytes]:
        return packed(
            [
                sum((chunks[b + BATCHES * r] for r in range(rounds)), Tally.empty())
                for b in range(BATCHES)
            ]
        )

    return batches


class Dying:
    """Plays chunks until so many have been played, then is interrupted; counts them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, lives: int = 1 << 30) -> None:
        self.firsts: list[int] = []
        self.lives = lives
        monkeypatch.setattr(module, "tally_deals", self)

    def __call__(self, books: Books, seed: int, first: int, deals: int) -> Tally:
        if len(self.firsts) == self.lives:
            raise KeyboardInterrupt
        self.firsts.append(first)
        return tally_deals(books, seed, first, deals)


def run(books: Books, said: list[str] | None = None, **options: Any) -> Run:
    given: dict[str, Any] = {"seed": SEED, "chunk": CHUNK, "engine": ALONE, "progress": False}
    given |= options
    return Run(books, say=(said if said is not None else []).append, **given)


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_any_number_of_workers_gives_the_same_sums(
    books: Books, whole: Callable[[int], list[bytes]], jobs: int
) -> None:
    deals = 2 * BATCHES * CHUNK
    batches = play_batches(books, seed=SEED, deals=deals, chunk=CHUNK, engine=Engine(jobs=jobs))
    assert packed(batches) == whole(2)


@pytest.mark.parametrize("deals", [0, 1, CHUNK, 63 * CHUNK, 64 * CHUNK + 1, -64 * CHUNK])
def test_deals_that_do_not_fill_the_batches_are_refused(books: Books, deals: int) -> None:
    with pytest.raises(ValueError, match="not a multiple of 64 chunks of 700"):
        play_batches(books, seed=SEED, deals=deals, chunk=CHUNK)
    with run(books) as playing, pytest.raises(ValueError, match="not a multiple of 64 chunks"):
        playing.play_to(deals)


def test_interrupted_and_taken_up_nothing_is_played_twice(
    books: Books, whole: Callable[[int], list[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    deals = 2 * BATCHES * CHUNK
    firsts: list[int] = []
    for lives in (5, 0, 60, 1, 40):
        dying = Dying(monkeypatch, lives)
        said: list[str] = []
        with pytest.raises(KeyboardInterrupt), run(books, said) as playing:
            playing.play_to(deals)
        assert said[-1].startswith(f"stopped: {(len(firsts) + lives) * CHUNK:,} of {deals:,} deals")
        firsts += dying.firsts
    dying = Dying(monkeypatch)
    said = []
    with run(books, said) as playing:
        assert packed(playing.play_to(deals)) == whole(2)
    assert said == [f"{106 * CHUNK:,} of {deals:,} deals were played before"]
    assert sorted(firsts + dying.firsts) == [n * CHUNK for n in range(2 * BATCHES)]


def test_a_longer_build_plays_what_is_new(
    books: Books, whole: Callable[[int], list[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    with run(books) as playing:
        assert packed(playing.play_to(BATCHES * CHUNK)) == whole(1)
        assert packed(playing.play_to(2 * BATCHES * CHUNK)) == whole(2)
    dying = Dying(monkeypatch)
    with run(books) as playing:
        assert packed(playing.play_to(3 * BATCHES * CHUNK)) == whole(3)
    assert sorted(dying.firsts) == [n * CHUNK for n in range(2 * BATCHES, 3 * BATCHES)]


def test_a_shorter_build_has_its_own_sums(
    books: Books, whole: Callable[[int], list[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether or not it finds sums that fit: never a deal of the longer build."""
    with run(books) as playing:
        playing.play_to(3 * BATCHES * CHUNK)
    for rounds in (1, 2, 1, 3):
        with run(books) as playing:
            assert packed(playing.play_to(rounds * BATCHES * CHUNK)) == whole(rounds)
    dying = Dying(monkeypatch)
    with run(books) as playing:
        assert packed(playing.play_to(BATCHES * CHUNK)) == whole(1)
    assert dying.firsts == []


def test_batches_handed_out_do_not_change_later(
    books: Books, whole: Callable[[int], list[bytes]]
) -> None:
    with run(books) as playing:
        first = playing.play_to(BATCHES * CHUNK)
        playing.play_to(2 * BATCHES * CHUNK)
    assert packed(first) == whole(1)


@pytest.mark.parametrize(
    "other",
    [{"seed": SEED + 1}, {"chunk": CHUNK + 1}, {"books": 6}],
    ids=["seed", "chunk", "books"],
)
def test_other_deals_are_played_apart(
    books: Books, monkeypatch: pytest.MonkeyPatch, other: dict[str, int]
) -> None:
    with run(books) as playing:
        playing.play_to(BATCHES * CHUNK)
    dying = Dying(monkeypatch)
    options: dict[str, Any] = dict(other)
    some = fake_books(options.pop("books")) if "books" in other else books
    with run(some, **options) as playing:
        playing.play_to(BATCHES * other.get("chunk", CHUNK))
    assert len(dying.firsts) == BATCHES


def test_other_code_is_refused_by_workers_and_said(
    books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cribodds.sim.run.deals_digest", lambda: "f" * 64)
    with run(books) as playing, pytest.raises(FarmError, match="the code of worker"):
        playing.play_to(BATCHES * CHUNK)


def broken_farm(books: Books, said: list[str], plays: int) -> Farm:
    """Return a farm whose workers die after ``plays`` chunks, each time anew."""
    farm = Farm(ALONE, books, Chunks(SEED, CHUNK, deals_digest()), said.append)

    def play_once(numbers: Iterator[int]) -> Iterator[tuple[int, bytes]]:
        for _, number in zip(range(plays), numbers, strict=False):
            yield number, b""
        raise BrokenProcessPool("a worker fell. The rest is silence {SIGKILL(-9)}")

    farm._play_once = play_once  # type: ignore[assignment, method-assign]
    return farm


def play_out(farm: Farm, chunks: int, done: set[int]) -> None:
    with farm:
        for number, _ in farm.play(lambda: (n for n in range(chunks) if n not in done)):
            done.add(number)


def test_workers_that_always_die_end_the_farm(books: Books) -> None:
    said: list[str] = []
    done: set[int] = set()
    with pytest.raises(FarmError, match="died 6 times"):
        play_out(broken_farm(books, said, 2), 640, done)
    assert len(said) == RESTARTS
    assert done == set(range(2 * (RESTARTS + 1)))


def test_workers_that_die_rarely_do_not(books: Books) -> None:
    """A night is long: only deaths without a round in between are counted."""
    said: list[str] = []
    done: set[int] = set()
    with pytest.raises(FarmError):  # when there is nothing left to play, they die for nothing
        play_out(broken_farm(books, said, BATCHES), 20 * BATCHES, done)
    assert len(done) == 20 * BATCHES
    assert len(said) > 20


def test_no_worker_is_left_when_the_farm_closes(books: Books) -> None:
    """Half-way through, in a process of its own: its children are all gone."""
    program = (
        "import os, sys, warnings; sys.path.insert(0, sys.argv[1]);"
        "from pathlib import Path;"
        "from builds_for_tests import fake_books;"
        "from cribodds.sim.farm import Chunks, Engine, Farm, deals_digest\n"
        "with Farm(Engine(jobs=2), fake_books(), Chunks(1, 700, deals_digest()), print) as farm:\n"
        "    results = farm.play(lambda: iter(range(10_000)))\n"
        "    next(results); results.close()\n"
        "print('closed', flush=True); sys.stdin.read()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(Path(__file__).parent)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "closed\n"

    def workers() -> int:
        return len(workers_of(process.pid))

    wait_until(lambda: workers() == 0, 20)
    process.communicate("")
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("address", "said"),
    [("tcp://127.0.0.1:1", "no Dask scheduler answers at"), ("nonsense://x", "answers at")],
)
def test_a_cluster_that_does_not_answer(
    books: Books, monkeypatch: pytest.MonkeyPatch, address: str, said: str
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(module, "_SECONDS_TO_FIND", 1)
    with pytest.raises(FarmError, match=said), run(books, engine=Engine(scheduler=address)):
        pass


def test_a_farm_that_cannot_start_leaves_nothing_open(
    books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[str] = []

    def start(self: Farm) -> None:
        self._open.callback(closed.append, "the client")
        raise FarmError("the scheduler has no workers")

    monkeypatch.setattr(Farm, "_start", start)
    farm = Farm(ALONE, books, Chunks(SEED, CHUNK, deals_digest()), lambda line: None)
    with pytest.raises(FarmError, match="no workers"), farm:
        pass
    assert closed == ["the client"]


def test_without_dask_it_says_what_to_install(
    books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(FarmError, match=r"pip install 'cribodds\[dask\]'"):
        run(books, engine=Engine(scheduler="tcp://127.0.0.1:1")).__enter__()


def test_a_chunk_is_played_as_its_number_says(books: Books) -> None:
    number, answer = Chunks(SEED, CHUNK, deals_digest()).play(books, 5)
    played = Played(CHUNK)
    played.add(number, unpack(answer, CHUNK))
    expected = tally_deals(books, SEED, 5 * CHUNK, CHUNK)
    assert pack(played.batches()[5]) == pack(expected)


def test_what_compiles_beside_is_made_when_the_block_ends() -> None:
    before = set(workers_of(os.getpgrp()))
    with compiled_beside(first_deal, partial(time.sleep, 1)):
        began = time.monotonic()
        beside = set(workers_of(os.getpgrp())) - before
        assert beside
    assert time.monotonic() - began >= 1
    assert not beside & set(workers_of(os.getpgrp()))


def test_nobody_waits_for_what_compiles_beside_a_block_that_fails() -> None:
    """It may be in the midst of compiling: nothing of it is left."""
    before = set(workers_of(os.getpgrp()))
    found: set[int] = set()

    def interrupted() -> None:
        with compiled_beside(partial(time.sleep, 600)):
            found.update(set(workers_of(os.getpgrp())) - before)
            raise KeyboardInterrupt

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert time.monotonic() - began < 60
    assert found
    assert not found & set(workers_of(os.getpgrp()))
