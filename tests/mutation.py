"""Run a mutation tool over the rules, the show, the play and the solver: `make mutation`.

cosmic-ray changes one place of a copy of the code at a time and runs the tests of that module:
those that are quick with the kernels as plain Python, then, if nothing was noticed and there are
others, those with the kernels compiled anew. What the tests do not notice is printed and written
to `build/mutation/survivors-*.txt`; docs/verification.md explains every one that is left.
"""

import json
import os
import shlex
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PLACE = ROOT / "build" / "mutation"
TIMEOUT = 400.0  # seconds for the tests of one change: a loop that never ends is noticed
TOOL = PLACE / "venv" / "bin"


class Target(NamedTuple):
    """Modules to change, and the tests that must notice."""

    name: str
    modules: tuple[str, ...]
    plain: str
    compiled: str


class Found(NamedTuple):
    """How many changes were tried, how many ran out of time, and the diffs not noticed."""

    tried: int
    late: int
    left: list[str]


# The census of all hands and the longer games are for compiled kernels.
SHOW = "tests/test_show.py -k 'not census'"
SOLVE = "tests/test_solve.py -k"
LONG_GAMES = "61 or 121 or 131 or beyond or every_batch or compiles"
TARGETS = (
    Target("rules", ("sim/rules.py",), f"tests/test_play.py tests/test_rules.py {SHOW}", ""),
    Target("play", ("sim/play.py",), "tests/test_play.py", ""),
    Target("show", ("sim/show.py",), "tests/test_show.py -k facts", "tests/test_show.py"),
    Target(
        "solve",
        ("tables/solve.py",),
        f"{SOLVE} 'not ({LONG_GAMES})'",
        f"{SOLVE} '{LONG_GAMES}'",
    ),
)

# One replacement for each operator is enough; without the compiler a decorator changes nothing.
KEPT = (
    "Add_Sub|Sub_Add|Mul_Add|Div_Mul|FloorDiv_Mul|Mod_Mul|LShift_RShift|RShift_LShift"
    "|BitAnd_BitOr|BitOr_BitAnd|BitXor_BitAnd"
)
EXCLUDED = (
    "core/RemoveDecorator",
    f"core/ReplaceBinaryOperator_(?!({KEPT})$)",
    "core/ReplaceComparisonOperator_(Eq|NotEq|Lt|LtE|Gt|GtE)_(Is|IsNot)$",
    "core/ReplaceComparisonOperator_(Eq_(Gt|Lt)|NotEq_(GtE|LtE))$",
    "core/ReplaceComparisonOperator_(Lt_(Eq|NotEq|Gt)|Gt_(Eq|NotEq|Lt)|LtE_(Eq|NotEq|GtE)"
    "|GtE_(Eq|NotEq|LtE))$",
    "core/ReplaceUnaryOperator_USub_",
)


def install() -> None:
    """Put the tool into an environment of its own."""
    if not (TOOL / "cosmic-ray").exists():
        subprocess.run([sys.executable, "-m", "venv", PLACE / "venv"], check=True)
        subprocess.run([TOOL / "pip", "install", "--quiet", "cosmic-ray>=8.3,<9"], check=True)


def copy_code(tree: Path) -> None:
    """Copy what is changed and tested; `cribodds.sim` is found there before the installed one."""
    shutil.rmtree(tree, ignore_errors=True)
    (tree / "cribodds").mkdir(parents=True)
    unwanted = shutil.ignore_patterns("__pycache__", "*.parquet")
    for name in ("sim", "tables", "tests", "configs"):
        shutil.copytree(ROOT / name, tree / name, ignore=unwanted)
        (tree / "cribodds" / name).symlink_to(Path("..") / name)
    shutil.copy(ROOT / "pyproject.toml", tree)


def command_of(target: Target) -> str:
    """Return the shell's command that runs the tests of a target until one fails."""
    pytest = f"{sys.executable} -m pytest -x -q -p no:cacheprovider"
    steps = []
    if target.plain:
        steps.append(f"NUMBA_DISABLE_JIT=1 {pytest} {target.plain}")
    if target.compiled:
        steps.append(f"{pytest} {target.compiled}")
    return " && ".join(steps)


def config_of(target: Target) -> str:
    """Return the tool's configuration in TOML."""
    modules = ", ".join(f'"{module}"' for module in target.modules)
    excluded = ", ".join(f"'{pattern}'" for pattern in EXCLUDED)
    return f"""[cosmic-ray]
module-path = [{modules}]
timeout = {TIMEOUT}
excluded-modules = []
test-command = {json.dumps(shlex.join(["sh", "-c", command_of(target)]))}

[cosmic-ray.distributor]
name = "local"

[cosmic-ray.filters.operators-filter]
exclude-operators = [{excluded}]
"""


def run(target: Target) -> Found:
    """Change every place of a target in turn."""
    tree = PLACE / f"tree-{target.name}"
    copy_code(tree)
    cache = PLACE / f"cache-{target.name}"
    shutil.rmtree(cache, ignore_errors=True)
    env = {**os.environ, "PYTHONPATH": str(tree), "CRIBODDS_CACHE": str(cache)}
    config, session = PLACE / f"{target.name}.toml", PLACE / f"{target.name}.sqlite"
    config.write_text(config_of(target), encoding="utf-8")
    session.unlink(missing_ok=True)
    commands: tuple[list[str | Path], ...] = (
        ["cosmic-ray", "init", config, session],
        ["cosmic-ray", "baseline", config],
        ["cr-filter-operators", session, config],
        ["cosmic-ray", "exec", config, session],
    )
    for command in commands:
        program, *arguments = command
        done = subprocess.run(
            [TOOL / str(program), *arguments], cwd=tree, env=env, check=False, capture_output=True
        )
        if done.returncode:
            raise SystemExit(f"{program} {arguments[0]}: {done.stdout + done.stderr!r}")
    with sqlite3.connect(session) as results:
        [[untried]] = results.execute(
            "select count(*) from work_items where job_id not in (select job_id from work_results)"
        )
        rows = results.execute(
            "select test_outcome, output = 'timeout', coalesce(diff, output) from work_results"
            " where worker_outcome != 'SKIPPED'"
        ).fetchall()
    if untried:
        raise SystemExit(f"{target.name}: {untried} changes were not tried")
    # A change that could not even be tried is not one that was noticed.
    left = [diff for outcome, _, diff in rows if outcome != "KILLED"]
    return Found(len(rows), sum(late for _, late, _ in rows), left)


def main(names: list[str]) -> None:
    """Run all targets, or those named."""
    install()
    for target in TARGETS:
        if not names or target.name in names:
            found = run(target)
            noticed = found.tried - len(found.left)
            print(
                f"{target.name}: {found.tried} changes, {noticed} noticed, {found.late} of them "
                "by tests that did not end",
                flush=True,
            )
            text = "\n\n".join(found.left)
            (PLACE / f"survivors-{target.name}.txt").write_text(text + "\n", encoding="utf-8")
            print(text, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
