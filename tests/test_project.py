"""The project around the code: who imports whom, what is installed, what make offers."""

import ast
import importlib.metadata
import os
import re
import shutil
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
FLOORS = ("sim", "tables", "analysis")  # each may import itself and what stands before it
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def imported(source: str, package: str) -> set[str]:
    """Return the absolute names that ``source``, a module of ``package``, imports anywhere."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")
            base = parents[: len(parents) - node.level + 1] if node.level else []
            base += [node.module] if node.module else []
            names |= {".".join([*base, alias.name]) for alias in node.names}
    return names


def forbidden(floor: str, names: set[str]) -> set[str]:
    """Return those of ``names`` that a module of ``floor`` must not import."""
    allowed = FLOORS[: FLOORS.index(floor) + 1]
    bad = set()
    for name in names:
        head, *rest = name.split(".")
        if head in FLOORS or (head == "cribodds" and (not rest or rest[0] not in allowed)):
            bad.add(name)
    return bad


def run_python(code: str, cwd: Path) -> str:
    """Return what ``code`` prints in a fresh interpreter started in ``cwd``."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


# --- imports


@pytest.mark.parametrize(
    ("floor", "line", "bad"),
    [
        ("sim", "from . import rules", False),
        ("sim", "from ..tables.store import write", True),
        ("sim", "from .. import tables", True),
        ("sim", "import cribodds.analysis.cli", True),
        ("sim", "import tables", True),
        ("tables", "from ..sim.tally import Tally", False),
        ("tables", "def f():\n    from ..analysis import cli", True),
        ("analysis", "from ..tables import lookup\nfrom ..sim import rules", False),
        ("analysis", "from sim import rules", True),
    ],
)
def test_the_import_check_sees_a_wrong_import(floor: str, line: str, bad: bool) -> None:
    assert bool(forbidden(floor, imported(line, f"cribodds.{floor}"))) is bad


@pytest.mark.parametrize("floor", FLOORS)
def test_imports_run_one_way(floor: str) -> None:
    files = sorted((ROOT / floor).rglob("*.py"))
    assert files, f"no code in {floor}/"
    wrong = {}
    for path in files:
        package = ".".join(["cribodds", *path.parent.relative_to(ROOT).parts])
        bad = forbidden(floor, imported(path.read_text(encoding="utf-8"), package))
        if bad:
            wrong[str(path.relative_to(ROOT))] = sorted(bad)
    assert not wrong


def test_lookup_never_reaches_the_simulator() -> None:
    """Followed from module to module, late imports included."""
    seen: set[str] = set()
    waiting = {"cribodds.tables.lookup"}
    while waiting:
        name = waiting.pop()
        seen.add(name)
        path = ROOT.joinpath(*name.split(".")[1:]).with_suffix(".py")
        if path.exists():
            package = name.rpartition(".")[0]
            found = imported(path.read_text(encoding="utf-8"), package)
            # `from .store import read` names a thing in a module: its module is what is imported.
            found |= {other.rpartition(".")[0] for other in found}
            waiting |= {other for other in found if other} - seen
    assert "cribodds.tables.store" in seen
    assert not {name for name in seen if name.startswith(("cribodds.sim", "cribodds.analysis"))}
    assert not {name.split(".")[0] for name in seen} & {"numba", "joblib", "pydantic"}


def test_lookup_loads_nothing_heavy(tmp_path: Path) -> None:
    """What an interpreter really loads; polars comes when a frame is asked for."""
    code = "import sys, cribodds.tables.lookup\nprint(*sys.modules, sep='\\n')"
    loaded = {name.split(".")[0] for name in run_python(code, tmp_path).split()}
    assert {"cribodds", "numpy"} <= loaded
    assert not loaded & {"numba", "llvmlite", "polars", "joblib", "pydantic", "matplotlib"}


# --- the name `tables`


def test_no_floor_is_a_regular_package() -> None:
    assert not [floor for floor in FLOORS if (ROOT / floor / "__init__.py").exists()]


def test_pytables_is_found_from_the_repository_root(tmp_path: Path) -> None:
    """A stand-in for PyTables, last on the path, wins over our folder in the working directory."""
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "__init__.py").write_text("name = 'PyTables'\n", encoding="utf-8")
    code = f"import sys; sys.path.append({str(tmp_path)!r}); import tables; print(tables.name)"
    assert run_python(code, ROOT) == "PyTables"


@pytest.mark.parametrize("floor", FLOORS)
def test_nothing_is_installed_under_a_bare_name(floor: str, tmp_path: Path) -> None:
    """From another folder, `import tables` finds PyTables or nothing, never ours."""
    where = run_python(
        "import importlib.util as u\n"
        f"spec = u.find_spec({floor!r})\n"
        "print(*(spec.submodule_search_locations or []) if spec else [])",
        tmp_path,
    )
    assert str(ROOT) not in where
    assert importlib.metadata.distribution("cribodds").read_text("top_level.txt") == "cribodds\n"
    assert "cribodds" not in importlib.metadata.packages_distributions().get(floor, [])


def test_every_folder_with_code_is_packed() -> None:
    setup = PROJECT["tool"]["setuptools"]
    folders = {
        path.parent.relative_to(ROOT) for floor in FLOORS for path in (ROOT / floor).rglob("*.py")
    }
    packed = set(setup["packages"])
    assert {".".join(["cribodds", *folder.parts]) for folder in folders} <= packed
    assert all(name.startswith("cribodds.") for name in packed)


# --- requirements


def lock() -> dict[str, tuple[str, list[str]]]:
    """Return what requirements.txt pins: name -> (version, sha256 sums)."""
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    pins: dict[str, tuple[str, list[str]]] = {}
    for entry in re.sub(r"\\\n\s*|#.*", "", text).splitlines():
        if entry.strip():
            found = re.fullmatch(
                r"([\w.-]+)==(\S+)(?: ; [^-]+?)?((?:\s*--hash=sha256:[0-9a-f]{64})*)\s*", entry
            )
            assert found, f"not a pinned requirement: {entry[:80]}"
            name, version, hashes = found.groups()
            assert name not in pins, f"{name} is pinned twice"
            pins[canonicalize_name(name)] = (version, hashes.split())
    return pins


def test_every_pin_has_a_hash() -> None:
    pins = lock()
    assert len(pins) > 20
    assert not [name for name, (_, hashes) in pins.items() if not hashes]


def test_the_lock_covers_every_dependency() -> None:
    project = PROJECT["project"]
    wanted = project["dependencies"] + PROJECT["build-system"]["requires"]
    for extra in project["optional-dependencies"].values():
        wanted += extra
    pins = lock()
    for requirement in map(Requirement, wanted):
        if requirement.name != project["name"]:
            assert canonicalize_name(requirement.name) in pins, requirement.name
            version, _ = pins[canonicalize_name(requirement.name)]
            assert requirement.specifier.contains(version), (str(requirement), version)


def test_no_file_names_a_package_registry() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    hosts = re.compile(
        rb"pypi\.(org|io|python)|pythonhosted\.org|anaconda\.(org|com)|registry\.npmjs|conda\.io"
        rb"|--(extra-)?index-url[ =]|--find-links[ =]|--trusted[-]host"
    )
    paths = [ROOT / os.fsdecode(name) for name in listed.stdout.split(b"\0") if name]
    assert ROOT / "requirements.txt" in paths
    naming = [str(path) for path in paths if path.is_file() and hosts.search(path.read_bytes())]
    assert not naming


# --- make


def make(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run make as from a shell, not as a child of the make that runs the tests."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(
        ["make", "--no-print-directory", *arguments],
        cwd=cwd,
        env={**environment, "LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_help_lists_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY: (help .*)$", makefile, re.MULTILINE)
    assert phony
    done = make()
    assert done.returncode == 0, done.stderr
    listed = re.findall(r"^  ([a-z-]+) +\S", done.stdout, re.MULTILINE)
    assert sorted(listed) == sorted(phony.group(1).split())
    assert sorted(listed) == sorted(re.findall(r"^([a-z-]+):.* ## ", makefile, re.MULTILINE))


def fresh_clone(tmp_path: Path, python: str) -> Path:
    """Lay out what `make venv` reads, and a Python that is the shell script ``python``."""
    for name in ("Makefile", "pyproject.toml", "requirements.txt"):
        shutil.copy(ROOT / name, tmp_path)
    script = tmp_path / "python"
    script.write_text(f"#!/bin/sh\n{python}\n", encoding="utf-8")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return script


PRETEND = (
    f"exec '{sys.executable}' -c 'import sys; _, code = sys.argv[1:]; {{}}; exec(code)' \"$@\""
)


@pytest.mark.parametrize(
    ("python", "told"),
    [
        (PRETEND.format("sys.version_info = (3, 10, 13)"), "is Python 3.10"),
        (PRETEND.format("sys.version_info = (3, 15, 0)"), "is Python 3.15"),
        (
            PRETEND.format(
                'import importlib.util as u; u.find_spec = lambda name: name != "ensurepip" or None'
            ),
            "has no venv module",
        ),
        ("exit 127", "cannot be run"),
    ],
)
def test_an_unfit_python_gets_one_line(tmp_path: Path, python: str, told: str) -> None:
    script = fresh_clone(tmp_path, python)
    done = make("venv", f"PYTHON={script}", cwd=tmp_path)
    assert done.returncode != 0
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert f"{script} {told}" in done.stderr
    assert "needs Python 3.11 to 3.14" in done.stderr
    assert not (tmp_path / ".venv").exists()


def test_a_half_made_environment_is_made_again(tmp_path: Path) -> None:
    """An environment without its stamp, or with another folder's, is not trusted."""
    script = fresh_clone(tmp_path, PRETEND.format("sys.version_info = (3, 11, 7)"))
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to(sys.executable)
    ready = tmp_path / ".venv" / ".ready"
    for stamp, trusted in ((None, False), (f"{tmp_path}/old", False), (str(tmp_path), True)):
        if stamp:
            ready.write_text(f"{stamp}\n", encoding="utf-8")
        done = make("--dry-run", "venv", f"PYTHON={script}", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert ("rm -rf .venv" not in done.stdout) is trusted, stamp


def test_make_and_pyproject_agree_on_the_pythons() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    bounds = re.search(r"\(3, (\d+)\) <= v <= \(3, (\d+)\)", makefile)
    assert bounds
    low, high = map(int, bounds.groups())
    assert f"needs Python 3.{low} to 3.{high}" in makefile
    supported = SpecifierSet(PROJECT["project"]["requires-python"])
    inside = [minor for minor in range(30) if supported.contains(f"3.{minor}")]
    assert (inside[0], inside[-1]) == (low, high)
