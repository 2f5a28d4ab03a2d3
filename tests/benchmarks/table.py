"""The table: solving, writing, opening and asking; and what importing the lookup costs."""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from cribodds.sim.book import Books
from cribodds.sim.farm import play_batches
from cribodds.sim.played import BATCHES
from cribodds.sim.tally import Tally
from cribodds.tables import build, config, lookup, solve, store
from cribodds.tables.lookup import WinTable
from cribodds.tables.table import TableData

from .sheet import Sheet, median_seconds

CHUNK = 100_000
CALLS = 100_000
POSITIONS = 1_000_000
IMPORTS = 15


def bench(sheet: Sheet, books: Books, folder: Path, rounds: int) -> None:
    """Measure the table of the smoke config's game, from many more deals than smoke plays."""
    smoke = config.load_config("smoke")
    game = smoke.game
    batches = play_batches(books, seed=7, deals=BATCHES * CHUNK, chunk=CHUNK)
    total = sum(batches, Tally.empty())

    def solve_one() -> None:
        solve.solve_sides([total], game.target, game.skunk, game.double_skunk)

    seconds = median_seconds(solve_one, rounds)
    sheet.add("table", "one solution", seconds * 1e3, "ms", at_most=60)
    seconds = median_seconds(
        lambda: solve.solve_wins([[batch] for batch in batches], game.target), rounds
    )
    sheet.add("table", f"all {BATCHES} batches", seconds, "s", at_most=4)
    columns = solve.solve(batches, game.target, game.skunk, game.double_skunk)
    made = build.build(smoke, out=folder / "smoke.parquet", progress=False)
    data = TableData.from_columns(columns, made.data.provenance)
    path = folder / "table.parquet"
    seconds = median_seconds(lambda: store.write_table(path, data), rounds)
    sheet.add("table", "write, checked", seconds * 1e3, "ms")
    seconds = median_seconds(lambda: lookup.probe_table(path), rounds)
    sheet.add("table", "open, checked", seconds * 1e3, "ms", at_most=15)
    _bench_questions(sheet, lookup.probe_table(path), rounds)
    _bench_import(sheet)


def _bench_questions(sheet: Sheet, table: WinTable, rounds: int) -> None:
    def per_call(ask: Callable[..., object]) -> float:
        def run() -> None:
            for _ in range(CALLS):
                ask(player=90, opponent=75, dealer="player")

        return median_seconds(run, rounds) / CALLS * 1e6

    sheet.add("table", "win(), one position", per_call(table.win), "us", at_most=1)
    sheet.add("table", "odds(), one position", per_call(table.odds), "us", at_most=4)
    rng = np.random.default_rng(7)
    player, opponent = rng.integers(0, 121, (2, POSITIONS), dtype=np.uint8)
    player_deals = rng.integers(0, 2, POSITIONS).astype(bool)
    seconds = median_seconds(lambda: table.win_array(player, opponent, player_deals), rounds)
    sheet.add(
        "table", f"win_array(), {POSITIONS:,} positions", seconds / POSITIONS * 1e9,
        "ns/position", at_most=8,
    )  # fmt: skip


def _bench_import(sheet: Sheet) -> None:
    """Measure the import of the lookup against that of what it stands on, by turns."""
    statements = ("import numpy, pyarrow.parquet", "import cribodds.tables.lookup")
    times: dict[str, list[float]] = {statement: [] for statement in statements}
    for _ in range(IMPORTS):
        for statement in statements:
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", statement], check=True, cwd="/")
            times[statement].append(time.perf_counter() - start)
    below, ours = (statistics.median(each) for each in times.values())
    sheet.add("table", f"python -c '{statements[0]}'", below * 1e3, "ms")
    sheet.add("table", f"python -c '{statements[1]}'", ours * 1e3, "ms")
    sheet.add(
        "table", "import of the lookup over that below it", ours / below, "times", at_most=1.2
    )
