"""The command as its users meet it: answers, refusals, exit statuses, never a traceback."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cribodds.analysis import cli
from cribodds.tables.store import write_table
from tables_for_tests import toy_table


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "toy.parquet"
    write_table(path, toy_table(121, 90, 60))
    return path


def run(*words: object) -> Result:
    return CliRunner().invoke(cli.cribodds, [str(word) for word in words])


def shell(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, for its true exit status."""
    command = [sys.executable, "-m", "cribodds.analysis.cli", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def test_help_lists_every_command() -> None:
    shown = run("--help").output
    assert all(f"  {name} " in shown for name in cli.COMMANDS)


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_tells_its_use(name: str) -> None:
    result = run(name, "--help")
    assert result.exit_code == 0
    assert "Usage:" in result.output


def test_odds_for_people_and_for_programs_agree(table: Path) -> None:
    told = run("odds", 90, 75, "--dealer", "player", "--table", table)
    assert told.exit_code == 0
    answer = json.loads(
        run("odds", 90, 75, "--dealer", "player", "--table", table, "--json").output
    )
    assert f"{answer['win']:.6f} +- {answer['win_se']:.6f}" in told.output
    six = [answer[f"{end}_{kind}"] for end in ("win", "loss") for kind in ("plain", "skunk")]
    six += [answer["win_double_skunk"], answer["loss_double_skunk"]]
    assert sum(six) == pytest.approx(1)


def test_before_the_cut_is_the_mean_of_both_dealers(table: Path) -> None:
    wins = [
        json.loads(run("odds", 5, 9, "--dealer", who, "--table", table, "--json").output)["win"]
        for who in ("player", "opponent", "cut")
    ]
    assert wins[2] == pytest.approx((wins[0] + wins[1]) / 2)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["odds", "90", "122", "--dealer", "player"], "122"),
        (["odds", "60.5", "0", "--dealer", "player"], "60.5"),
        (["odds", "--dealer", "player", "--", "-1", "0"], "-1"),
        (["odds", "90", "75"], "--dealer"),
        (["odds", "90", "75", "--dealer", "me"], "me"),
        (["deal", "--number", "-5"], "-5"),
        (["deal", "--number", "5", "--config", "nowhere"], "nowhere"),
        (["build", "nowhere"], "reference, short-game, smoke"),
        (["nonsense"], "nonsense"),
    ],
)
def test_bad_questions_are_refused_in_one_go(words: list[str], said: str, table: Path) -> None:
    options = ["--table", str(table)] if words[0] == "odds" else []
    result = run(words[0], *options, *words[1:])
    assert result.exit_code == 2
    assert said in result.output
    assert "Traceback" not in result.output


def test_bad_configs_are_refused_with_the_key(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("seed = 1\ndeals = 64\nchunk = 1\nspeed = 3\n")
    result = run("build", path)
    assert result.exit_code == 2
    assert "speed" in result.output
    assert "game" in result.output


def test_without_a_table_the_answer_is_unavailable(tmp_path: Path) -> None:
    missing = tmp_path / "none.parquet"
    told = shell("odds", 90, 75, "--dealer", "player", "--table", missing, HOME=str(tmp_path))
    assert told.returncode == 3
    assert told.stdout.startswith("unavailable: missing: ")
    assert "make build-table" in told.stdout
    answer = shell(
        "odds", 9, 7, "--dealer", "cut", "--table", missing, "--json", HOME=str(tmp_path)
    )
    assert answer.returncode == 3
    assert json.loads(answer.stdout)["unavailable"]["reason"] == "missing"


def test_info_tells_how_the_table_was_made(table: Path) -> None:
    answer = json.loads(run("info", table, "--json").output)
    told = run("info", table).output
    assert answer["config"]["name"] in told
    assert f"{answer['deals']:,}" in told


def test_a_deal_is_told_whole_and_adds_up() -> None:
    (record,) = json.loads(run("deal", "--config", "look-ahead", "--number", 5, "--json").output)[
        "deals"
    ]
    told = run("deal", "--config", "look-ahead", "--number", 5).output
    pone, dealer = told.strip().splitlines()[-1].removeprefix("total").split(",")
    scored = {"pone": 0, "dealer": record["heels"]}
    for lay in record["play"]:
        scored[lay["seat"]] += lay["points"] + lay["go"]
    for name, counted in record["show"].items():
        scored["pone" if name == "pone_hand" else "dealer"] += counted["points"]
    assert pone.split() == ["pone", str(scored["pone"])]
    assert dealer.split() == ["dealer", str(scored["dealer"])]
    cards = [*record["hands"]["pone"], *record["hands"]["dealer"], record["starter"]]
    assert len(set(cards)) == 13
    assert len(record["play"]) == 8


def test_a_signal_in_a_callback_of_the_compiler_is_heard_when_that_is_over() -> None:
    """What its handler raised there would be printed and forgotten, and the kernel half made."""
    program = """
import ctypes, os, signal, time, types

from cribodds.analysis.interrupts import outside_the_compiler

signal.signal(signal.SIGINT, outside_the_compiler(signal.default_int_handler))
def callback():
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(1000):
        pass
    print("whole")

pretended = types.FunctionType(callback.__code__, {**globals(), "__name__": "llvmlite.binding"})
try:
    ctypes.CFUNCTYPE(None)(pretended)()
    time.sleep(60)
except KeyboardInterrupt:
    print("heard")
"""
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("whole\nheard\n", "")
