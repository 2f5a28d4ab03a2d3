"""What a part of the set-up takes, and how much of that is compiling: in a process of its own.

Prints as JSON, by part, the seconds of its call and those in which numba compiled.
Loading a kernel from the cache is no compiling.
"""

import json
import sys
import time
from collections.abc import Callable

import numpy as np
from numba.core import event

from cribodds.sim.book import index_plays
from cribodds.sim.cardplay import KINDS
from cribodds.sim.deal import first_deal
from cribodds.sim.discards import compile_discards, random_opponent
from cribodds.sim.numbering import KEEPS
from cribodds.sim.pairs import compile_pairs, worth_of_keeps
from cribodds.tables import build, config
from cribodds.tables.solve import first_solution

# Configs by card play: they say how many rounds the discard rule takes.
CONFIGS = {"look-ahead": "look-ahead", "equilibrium": "reference"}

Seconds = tuple[float, float]


def _timed(work: Callable[[], object]) -> Seconds:
    with event.install_recorder("numba:compile") as recorder:
        start = time.perf_counter()
        work()
        seconds = time.perf_counter() - start
    # A kernel compiles those that it calls within its own time; only the outermost counts.
    compiling, depth, begun = 0.0, 0, 0.0
    for when, what in recorder.buffer:
        if what.is_start:
            begun = when if depth == 0 else begun
            depth += 1
        else:
            depth -= 1
            compiling += when - begun if depth == 0 else 0.0
    return seconds, compiling


def parts() -> dict[str, Seconds]:
    """Return the parts of a build with look-ahead play, one after the other, nothing kept."""
    events = [np.zeros((KEEPS, KEEPS), np.uint64)]
    start = random_opponent()

    def play_book() -> None:
        events[0] = compile_pairs(KINDS["look-ahead"])
        index_plays(1, [events[0][None]])

    return {
        "deal": _timed(first_deal),
        "play book": _timed(play_book),
        "discard book, one round": _timed(
            lambda: compile_discards(start, worth_of_keeps(events, start.keeps))
        ),
        "solve": _timed(first_solution),
    }


def books(card_play: str) -> dict[str, Seconds]:
    """Return what the books of a strategy take, with the cache as it is."""
    strategy = build.strategy_of(config.load_config(CONFIGS[card_play]))
    return {card_play: _timed(strategy.books)}


if __name__ == "__main__":
    print(json.dumps(parts() if sys.argv[1] == "parts" else books(sys.argv[1])))
