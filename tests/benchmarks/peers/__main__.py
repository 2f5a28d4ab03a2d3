"""`make bench-peers`: hands and deals a second of other Python packages, and ours beside them.

Every peer gets an environment of its own under ``build/peers``. One that cannot be had or
does not run is skipped, with the reason. All run on one core, one after the other.
"""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click
import numpy as np

from cribodds.analysis.strength_tables import TextTable, show
from cribodds.sim import deal
from cribodds.sim.show import count, count_all
from cribodds.tables import build, config

from .. import page
from ..sheet import median_seconds
from .asked import TWENTY_NINE

ROOT = Path(__file__).resolve().parents[3]
SEED = 7
HANDS = 1000
OWN_HANDS = 1_000_000
OWN_DEALS = 1_000_000
ROUNDS = 5
PATIENCE = 120  # seconds that a peer may take beyond what is measured
COLUMNS = ["package", "what", "a second", "the best", "differ"]


class SkippedError(Exception):
    """A peer that cannot be measured, and why."""


@dataclass(frozen=True)
class Peer:
    """A package: its name in the registry, and the oldest Python that it runs on."""

    name: str
    python: tuple[int, int] = (3, 11)

    @property
    def script(self) -> str:
        """The module that asks it."""
        return f"benchmarks.peers.with_{self.name.replace('-', '_')}"


PEERS = (
    Peer("open_spiel"),
    Peer("cribbage"),
    Peer("cribbagesim", python=(3, 12)),
    Peer("pycribbage"),
    Peer("cribbage-scorer"),
)


@click.command()
@click.option(
    "--seconds",
    type=click.FloatRange(min=0.1),
    default=5.0,
    show_default=True,
    help="How long each rate is measured.",
)
@click.option(
    "--python",
    "pythons",
    multiple=True,
    help="Another Python to make environments with, for peers that need a newer one.",
)
@click.option(
    "--page", "path", type=click.Path(path_type=Path, dir_okay=False), help="Renew its table."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    default=ROOT / "build" / "bench-peers.json",
    help="Where the JSON goes.",
)
def main(seconds: float, pythons: tuple[str, ...], path: Path | None, out: Path) -> None:
    """Measure other Python packages and ours in one run."""
    page.check(path)
    drawn = deal.drawn_cards(SEED, 0, HANDS)[:, [0, 1, 2, 3, 12]]
    best = [4 * rank + suit for rank, suit in TWENTY_NINE]
    hands = np.vstack([best, drawn]).astype(np.uint8)
    points = count_all(hands[:, :4], hands[:, 4])
    answers = [_compared(_ours(hands), points)]
    for peer in PEERS:
        try:
            click.echo(f"{peer.name}: making its environment and asking it", err=True)
            answer = _compared(_ask(peer, hands, seconds, pythons), points)
        except SkippedError as reason:
            answer = {"package": peer.name, "skipped": str(reason)}
            click.echo(f"{peer.name}: skipped: {reason}", err=True)
        answers.append(answer)
    title = (
        f"Python packages on one core. The best: what the 29 hand is counted as. "
        f"Differ: of {len(hands):,} hands, how many are counted otherwise than ours"
    )
    rows = [row for each in answers for row in _rows(each)]
    tables = [TextTable("peers", title, COLUMNS, rows)]
    show(tables)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps({"hands": len(hands), "answers": answers}, indent=1) + "\n")
    click.echo(f"wrote {out}")
    page.renew(path, tables)


def _compared(answer: dict[str, Any], points: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Replace the points of all hands by those of the best, and how many are not ours."""
    if "points" in answer:
        theirs = np.array(answer.pop("points"))
        answer["best"] = int(theirs[0])
        answer["otherwise"] = int((theirs != points).sum())
    return answer


def _ours(hands: np.ndarray[Any, Any]) -> dict[str, Any]:
    many = np.tile(hands, (OWN_HANDS // len(hands), 1))
    cards, starters = np.ascontiguousarray(many[:, :4]), np.ascontiguousarray(many[:, 4])
    at_once = len(many) / median_seconds(lambda: count_all(cards, starters), ROUNDS)
    singly = [([int(card) for card in hand[:4]], int(hand[4])) for hand in hands]

    def one_by_one() -> list[int]:
        return [count(four, starter) for four, starter in singly]

    strategy = build.strategy_of(config.load_config("reference"))
    books = strategy.books()
    seconds = median_seconds(lambda: deal.tally_deals(books, SEED, 0, OWN_DEALS), ROUNDS)
    return {
        "package": f"cribodds {version('cribodds')}",
        "hands_per_s": len(singly) / median_seconds(one_by_one, ROUNDS),
        "hands_at_once_per_s": at_once,
        "played": [{"strategy": f"{strategy.card_play} play", "deals_per_s": OWN_DEALS / seconds}],
        "points": one_by_one(),
    }


def _ask(
    peer: Peer, hands: np.ndarray[Any, Any], seconds: float, pythons: tuple[str, ...]
) -> dict[str, Any]:
    python = _environment(peer, pythons)
    asked = [[(int(card) >> 2, int(card) & 3) for card in hand] for hand in hands]
    try:
        done = subprocess.run(
            [python, "-m", peer.script],
            input=json.dumps({"hands": asked, "seconds": seconds}) + "\n",
            env={**os.environ, "PYTHONPATH": str(ROOT / "tests"), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE + 10 * seconds,
        )
    except subprocess.TimeoutExpired:
        raise SkippedError("it does not come to an end") from None
    if done.returncode:
        raise SkippedError(f"it does not run: {_last_line(done.stderr)}")
    try:
        answer: dict[str, Any] = json.loads(_last_line(done.stdout))
    except ValueError:
        raise SkippedError(f"it answers {_last_line(done.stdout)!r}") from None
    code = f"from importlib.metadata import version; print(version({peer.name!r}))"
    number = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    return {"package": f"{peer.name} {number.stdout.strip()}", **answer}


def _environment(peer: Peer, pythons: tuple[str, ...]) -> str:
    """Return the Python of a peer's environment, made if it is not there whole."""
    folder = ROOT / "build" / "peers" / peer.name
    python = folder / "bin" / "python"
    # Written last: an interrupted installation has none.
    ready = folder / ".ready"
    if not ready.exists():
        shutil.rmtree(folder, ignore_errors=True)
        base = _base(peer, pythons)
        _install([base, "-m", "venv", str(folder)])
        pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
        _install([str(python), *pip, peer.name])
        ready.touch()
    return str(python)


def _base(peer: Peer, pythons: tuple[str, ...]) -> str:
    """Return a Python new enough for a peer: this one if it will do."""
    for python in (*pythons, sys.executable, "python3.12", "python3.13", "python3.14"):
        code = f"import sys; sys.exit(sys.version_info < {peer.python})"
        try:
            if (
                subprocess.run([python, "-c", code], capture_output=True, check=False).returncode
                == 0
            ):
                return python
        except OSError:
            continue
    oldest = ".".join(map(str, peer.python))
    raise SkippedError(f"it needs Python {oldest}, and none was found (name one: --python PATH)")


def _install(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SkippedError(f"it cannot be installed: {_last_line(done.stderr)}")


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else "it does not say why"


def _rows(answer: dict[str, Any]) -> list[list[str]]:
    package = answer["package"]
    if "skipped" in answer:
        return [[package, f"skipped: {answer['skipped']}", "", "", ""]]
    best = str(answer.get("best", ""))
    rows = []
    if "hands_per_s" in answer:
        otherwise = str(answer["otherwise"])
        rows.append([package, "hands, one a call", _rate(answer["hands_per_s"]), best, otherwise])
    if "hands_at_once_per_s" in answer:
        rows.append(
            [package, "hands, a million a call", _rate(answer["hands_at_once_per_s"]), "", ""]
        )
    for each in answer.get("played", ()):
        shown = "" if rows else best
        rows.append([package, f"deals, {each['strategy']}", _rate(each["deals_per_s"]), shown, ""])
    return rows


def _rate(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.1f}"


if __name__ == "__main__":
    main(prog_name="make bench-peers")
