"""Digests of source code: what a result depends on, so that nothing stale is ever used."""

import ast
import functools
import hashlib
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

SHIPPED = ROOT / "sim" / "equilibrium" / "data"
SOLVED_FILES = ("policy.npz", "discards.npz", "rounds.json")
"""The solved play that comes with the code; see ``equilibrium.rounds``."""


@functools.cache
def _imported(path: Path) -> frozenset[Path]:
    """Return the files of this project that a module imports, directly."""
    files = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        folder = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
        # "from .room import name" names a module file or, in a folder, a file of that name.
        files |= {folder.with_suffix(".py"), *(folder / f"{name.name}.py" for name in node.names)}
    return frozenset(file for file in files if file.is_file())


def needed_by(modules: Iterable[Path]) -> set[Path]:
    """Return the modules and all of this project that they import, directly or not."""
    found: set[Path] = set()
    waiting = set(modules)
    while waiting:
        found |= waiting
        waiting = set().union(*(_imported(path) for path in waiting)) - found
    return found


def digest_of(files: Iterable[Path]) -> str:
    """Return the sha256 of some of the project's files, with their names."""
    digest = hashlib.sha256()
    for path in sorted(files):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(ROOT).as_posix()}:{len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


@functools.cache
def digest_needed_by(*modules: str) -> str:
    """Return the digest of some modules, such as ``sim/deal.py``, and of all they import."""
    return digest_of(needed_by(ROOT / module for module in modules))


def solved_play(rounds: int | str = "*") -> list[Path]:
    """Return the files of the solved play that comes with the code: of so many rounds, or all."""
    return [file for name in SOLVED_FILES for file in SHIPPED.glob(f"equilibrium-{rounds}/{name}")]


@functools.cache
def table_digest() -> str:
    """Return the digest of what decides a table's values: the code of a build, the solved play.

    It is that of the files as they were when it was first asked for.
    """
    return digest_of([*needed_by([ROOT / "tables" / "build.py"]), *solved_play()])
