"""What a table depends on: the digests that tell whether it is of this code."""

import shutil
from pathlib import Path

import pytest

from cribodds.sim import sources


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the code and of the solved play."""
    root = sources.ROOT
    for name in ("sim", "tables"):
        unwanted = shutil.ignore_patterns("__pycache__", "*.parquet")
        shutil.copytree(root / name, tmp_path / name, ignore=unwanted)
    monkeypatch.setattr(sources, "ROOT", tmp_path)
    monkeypatch.setattr(sources, "SHIPPED", tmp_path / sources.SHIPPED.relative_to(root))
    return tmp_path


def digest() -> str:
    return sources.table_digest.__wrapped__()


@pytest.mark.parametrize(
    "file",
    [
        "sim/show.py",
        "sim/played.py",  # which batch a chunk is of
        "sim/farm.py",  # which deals a chunk is
        "sim/equilibrium/policy.py",
        "sim/equilibrium/data/equilibrium-3/policy.npz",
        "sim/equilibrium/data/equilibrium-3/discards.npz",
        "tables/solve.py",
        "tables/build.py",  # when there are enough deals
    ],
)
def test_a_table_is_of_other_code_once_anything_that_decides_it_is_changed(
    tree: Path, file: str
) -> None:
    before = digest()
    sources._imported.cache_clear()
    with (tree / file).open("ab") as code:
        code.write(b"\n")
    assert digest() != before


def test_a_table_does_not_hang_on_what_only_reads_it(tree: Path) -> None:
    before = digest()
    (tree / "tables" / "lookup.py").write_text("")
    (tree / "sim" / "equilibrium" / "data" / "notes.txt").write_text("of somebody")
    assert digest() == before
