"""Set-up: compiling kernels and books from an empty cache, and again from a full one."""

import json
import os
import subprocess
import sys
from pathlib import Path

from .sheet import Sheet

TESTS = Path(__file__).resolve().parents[1]


def bench(sheet: Sheet, folder: Path, *, quick: bool) -> None:
    """Measure the kernels and books; ``quick`` leaves the equilibrium books out."""
    cache = folder / "cache-parts"
    for state, at_most in (("cold", 25.0), ("warm", 0.0)):
        parts = _seconds("parts", cache)
        compiling = sum(each for _, each in parts.values())
        sheet.add("set-up", f"kernels compiled, {state}", compiling, "s", at_most=at_most)
    for part in ("play book", "discard book, one round"):
        seconds, _ = parts[part]
        sheet.add("set-up", f"{part}, look-ahead, kernels ready", seconds, "s")
    for card_play in ("look-ahead",) if quick else ("look-ahead", "equilibrium"):
        cache = folder / f"cache-{card_play}"
        bounds = {"cold": 20.0, "warm": 1.0} if card_play == "look-ahead" else {}
        for state in ("cold", "warm"):
            seconds, compiling = _seconds(card_play, cache)[card_play]
            name = f"books of {card_play} play, {state}"
            sheet.add("set-up", name, seconds, "s", at_most=bounds.get(state))
            if state == "cold":
                sheet.add("set-up", f"{name}: of that, kernels compiled", compiling, "s")


def _seconds(what: str, cache: Path) -> dict[str, tuple[float, float]]:
    """Return the seconds of each part, and how many of them went into compiling."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.first_calls", what],
        env={**os.environ, "CRIBODDS_CACHE": str(cache), "PYTHONPATH": str(TESTS)},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    found: dict[str, tuple[float, float]] = json.loads(done.stdout)
    return found
