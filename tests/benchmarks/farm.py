"""Worker processes: how their deals add up, and what starting them costs."""

import os
from functools import partial

from cribodds.sim.book import Books
from cribodds.sim.farm import Engine, play_batches
from cribodds.sim.played import BATCHES

from .sheet import Sheet, medians_in_turn

CHUNK = 156_250
LENGTHS = (1, 4)  # batches of a run, in chunks


def bench(sheet: Sheet, books: Books, rounds: int) -> None:
    """Measure 1, 2 and all workers; two lengths each tell the start from the rate."""
    every = os.cpu_count() or 1
    numbers = sorted({1, min(2, every), every})

    def play(chunks: int, jobs: int) -> None:
        play_batches(books, seed=7, deals=chunks * CHUNK, chunk=CHUNK, engine=Engine(jobs))

    works = [partial(play, length * BATCHES, jobs) for jobs in numbers for length in LENGTHS]
    seconds = iter(medians_in_turn(works, rounds))
    rates: dict[int, float] = {}
    for jobs in numbers:
        short, long = next(seconds), next(seconds)
        rates[jobs] = (LENGTHS[1] - LENGTHS[0]) * BATCHES * CHUNK / (long - short)
        name = f"{jobs} worker" + "s" * (jobs > 1)
        sheet.add("farm", name, rates[jobs] / 1e6, "M deals/s")
        start_up = short - LENGTHS[0] * BATCHES * CHUNK / rates[jobs]
        sheet.add("farm", f"{name}: start", start_up, "s")
        if jobs > 1:
            times = rates[jobs] / rates[1]
            sheet.add(
                "farm", f"{name} over one", times, "times", at_least=1.9 if jobs == 2 else None
            )
            sheet.add("farm", f"{name}: share of perfect", 100 * times / jobs, "%")
