"""Worker processes: how their deals add up, and what starting them costs."""

import os
import time

from cribodds.sim.book import Books
from cribodds.sim.farm import Engine, play_batches
from cribodds.sim.played import BATCHES

from .sheet import Sheet


def bench(sheet: Sheet, books: Books, chunk: int) -> None:
    """Measure 1, 2 and all workers; two lengths each tell the start from the rate."""
    every = os.cpu_count() or 1
    rates: dict[int, float] = {}
    for jobs in sorted({1, min(2, every), every}):

        def run(chunks: int, jobs: int = jobs) -> float:
            start = time.perf_counter()
            play_batches(books, seed=7, deals=chunks * chunk, chunk=chunk, engine=Engine(jobs))
            return time.perf_counter() - start

        short, long = run(BATCHES), run(4 * BATCHES)
        rates[jobs] = 3 * BATCHES * chunk / (long - short)
        name = f"{jobs} worker" + "s" * (jobs > 1)
        sheet.add("farm", name, rates[jobs] / 1e6, "M deals/s")
        start_up = short - BATCHES * chunk / rates[jobs]
        sheet.add("farm", f"{name}: start", start_up, "s")
        if jobs > 1:
            times = rates[jobs] / rates[1]
            sheet.add(
                "farm", f"{name} over one", times, "times", at_least=1.9 if jobs == 2 else None
            )
            sheet.add("farm", f"{name}: share of perfect", 100 * times / jobs, "%")
