"""Caches that are torn, flipped, emptied or exchanged: made anew, never believed, never a crash."""

import shutil
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from builds_for_tests import Lab, Tell, fake_books, kill_group, write_config
from cribodds.sim.book import Books, open_cached
from cribodds.sim.jit import _checksum, _SealedFiles, cache_root

Harm = Callable[[Path], object]


def cut(path: Path) -> None:
    raw = path.read_bytes()
    path.write_bytes(raw[: len(raw) // 2])


def flip(path: Path) -> None:
    """Flip a bit at a place that the name decides, so that it is another in each file."""
    raw = bytearray(path.read_bytes())
    raw[zlib.crc32(path.name.encode()) % len(raw)] ^= 16
    path.write_bytes(raw)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def fill_with_text(path: Path) -> None:
    path.write_text("something else altogether")


def remove(path: Path) -> None:
    path.unlink()


HARMS: dict[str, Harm] = {
    "cut": cut,
    "flipped": flip,
    "emptied": empty,
    "text": fill_with_text,
    "removed": remove,
}


def kernels_of(lab: Lab) -> list[Path]:
    return sorted((lab.cache / "kernels").rglob("*.kernel"))


def is_sound(path: Path) -> bool:
    """Whether a kernel file begins with its checksum."""
    raw = path.read_bytes()
    return raw[:32] == _checksum(path, raw[32:])


@pytest.fixture
def own_kernels(lab: Lab) -> Lab:
    """The lab with kernels that may be harmed, of which every build needs each."""
    (lab.cache / "kernels").unlink()
    (lab.cache / "kernels").mkdir()
    return lab


@pytest.mark.long
def test_damaged_kernels_are_compiled_again(
    own_kernels: Lab, config: Path, whole: bytes, tell: Tell
) -> None:
    """Each file in another way, and some exchanged for others; then all is whole again."""
    lab = own_kernels
    lab.build(config)
    sound = {path: path.read_bytes() for path in kernels_of(lab)}
    assert len(sound) > 20

    def exchange(path: Path) -> None:
        path.write_bytes(sound[max(sound)])

    harms = [*HARMS.values(), exchange]
    for number, path in enumerate(sound):
        harms[number % len(harms)](path)
    lab.out.unlink()
    shutil.rmtree(lab.cache / "runs")
    lab.build(config)
    assert lab.out.read_bytes() == whole
    healed = sum(is_sound(path) for path in sound)
    assert healed == len(sound) == len(kernels_of(lab))
    tell("a kernel file cut, flipped, emptied, exchanged: compiled anew", len(sound), healed)


def test_every_97th_byte_of_compiled_code_flipped(tmp_path: Path, tell: Tell) -> None:
    """Numba never sees what is not as it was written, nor what is another function's."""
    files = _SealedFiles(tmp_path, "deal.play-1")
    code = [("machine code", bytes(range(256)) * 200)]
    files.save("int64", code)
    assert files.load("int64") == code
    assert files.load("float64") is None
    (path,) = tmp_path.iterdir()
    good = path.read_bytes()
    offsets = range(0, len(good), 97)
    for offset in offsets:
        raw = bytearray(good)
        raw[offset] ^= 1 << offset % 8
        path.write_bytes(raw)
        assert files.load("int64") is None, offset
    tell("a bit flipped at every 97th byte of compiled code: found", len(offsets), len(offsets))
    path.write_bytes(good)
    path.rename(files._path("float64"))
    assert files.load("float64") is None
    files.flush()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("size", [0, 31, 32, 1 << 40], ids=["0", "31", "32", "a terabyte"])
def test_compiled_code_of_no_possible_size(tmp_path: Path, size: int) -> None:
    files = _SealedFiles(tmp_path, "deal.play-1")
    with files._path("int64").open("wb") as file:
        file.truncate(size)
    assert files.load("int64") is None


@pytest.mark.parametrize("name", HARMS)
def test_damaged_books_are_compiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tell: Tell, name: str
) -> None:
    """Each file of the books in turn."""
    monkeypatch.setenv("CRIBODDS_CACHE", str(tmp_path))
    compiled: list[int] = []

    def compile_books() -> Books:
        compiled.append(1)
        return fake_books()

    digest = open_cached("key", compile_books).digest()
    files = sorted((tmp_path / "books" / "key").iterdir())
    assert len(files) == 10
    for number, path in enumerate(files):
        good = path.read_bytes()
        HARMS[name](path)
        assert open_cached("key", compile_books).digest() == digest
        assert len(compiled) == number + 2, path
        assert path.read_bytes() == good
    assert open_cached("key", compile_books).digest() == digest
    assert len(compiled) == len(files) + 1
    assert [path.name for path in (tmp_path / "books").iterdir()] == ["key"]
    tell("a file of the books cut, flipped, emptied, removed: compiled anew", 10, 10)


@pytest.mark.parametrize("name", ["journal", pytest.param("*.tally", marks=pytest.mark.long)])
@pytest.mark.parametrize(
    "harm", [flip, pytest.param(cut, marks=pytest.mark.long)], ids=["flipped", "cut"]
)
def test_damaged_checkpoints_are_named_and_their_deals_played_again(
    lab: Lab, config: Path, whole: bytes, tell: Tell, name: str, harm: Harm
) -> None:
    if name == "journal":
        stopped = lab.play_some(config, grown=500_000)
        kill_group(stopped)
        stopped.communicate()
    else:
        lab.build(config)
        lab.out.unlink()
    (path,) = lab.run.glob(name)
    harm(path)
    said = lab.build(config)
    assert f"checkpoint {path} is " in said
    assert "damaged" in said
    assert "played again" in said
    assert lab.out.read_bytes() == whole
    tell("a checkpoint cut or flipped: named, its deals played again, same bytes", 1, 1)


@pytest.mark.long
def test_a_damaged_cache_of_the_real_strategy(tmp_path: Path, tell: Tell) -> None:
    """Books compiled anew from nothing give the same deals and the same table, to the byte."""
    lab = Lab(tmp_path, cache_root())
    (lab.cache / "books").unlink()
    config = write_config(tmp_path, deals=64 * 1000, chunk=1000)
    lab.build(config)
    table = lab.out.read_bytes()
    (books,) = (lab.cache / "books").iterdir()
    flip(books / "plays.npy")
    again = lab.build(config, "--force")
    assert "64,000 of 64,000 deals were played before" in again
    assert lab.out.read_bytes() == table
    tell("books of the real strategy flipped: compiled anew, the same books", 1, 1)
