"""``make bench``: what everything costs, side by side in one run, as a table and as JSON.

Every figure is the median of several rounds. Machines are noisy: read ratios within one
run, not figures of different days.
"""

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np
import psutil
from rich.console import Console
from rich.table import Table

from cribodds.sim import deal, rules, show
from cribodds.sim.farm import Engine, play_batches
from cribodds.sim.jit import kernel
from cribodds.sim.numbering import HAND_TERMS, ascending
from cribodds.sim.played import BATCHES
from cribodds.sim.rng import random_bits
from cribodds.sim.tally import DEALER_POINTS, PONE_POINTS, Tally
from cribodds.tables import build, config, lookup, solve, store
from cribodds.tables.table import TableData

ROUNDS = 7
DEALS = 1_000_000 // deal.BLOCK * deal.BLOCK
ROOT = Path(__file__).resolve().parents[2]
_SEED = np.uint64(7)


class Sheet:
    """The results: printed as they come, written as JSON at the end."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def add(self, topic: str, name: str, value: float, unit: str, target: str = "") -> None:
        """Keep one figure."""
        self.rows.append(
            {"topic": topic, "name": name, "value": value, "unit": unit, "target": target}
        )
        click.echo(f"{topic:<10} {name:<58} {value:>14,.3f} {unit:<12} {target}", err=True)

    def show(self) -> None:
        """Print all figures as one table."""
        table = Table("what", "measured", "unit", "target")
        topic = ""
        for row in self.rows:
            if row["topic"] != topic:
                topic = row["topic"]
                table.add_section()
                table.add_row(f"[bold]{topic}[/bold]")
            table.add_row(row["name"], f"{row['value']:,.3f}", row["unit"], row["target"])
        Console(width=110).print(table)


def median_seconds(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Return the median time of some rounds, after one that does not count."""
    work()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


# --- The deal -------------------------------------------------------------------------------------


@kernel(inline=True)
def _sorted_number(deck: np.ndarray[Any, Any], start: int) -> int:
    """Return the number of six cards, sorted by a network of twelve comparators."""
    a, b, c = deck[start], deck[start + 1], deck[start + 2]
    d, e, f = deck[start + 3], deck[start + 4], deck[start + 5]
    b, c = ascending(b, c)
    e, f = ascending(e, f)
    a, c = ascending(a, c)
    d, f = ascending(d, f)
    a, b = ascending(a, b)
    d, e = ascending(d, e)
    c, f = ascending(c, f)
    a, d = ascending(a, d)
    b, e = ascending(b, e)
    c, e = ascending(c, e)
    b, d = ascending(b, d)
    c, d = ascending(c, d)
    low = HAND_TERMS[0, a] + HAND_TERMS[1, b] + HAND_TERMS[2, c]
    return int(low + HAND_TERMS[3, d] + HAND_TERMS[4, e] + HAND_TERMS[5, f])


@kernel
def _shuffled_floor(seed: np.uint64, deals: int) -> int:
    """Draw the plain way, for a floor: fresh order, 13 swaps, two sorted and numbered hands."""
    order = np.arange(rules.DECK).astype(np.int32)
    deck = np.empty(rules.DECK, np.int32)
    checksum = 0
    for number in range(deals):
        deck[:] = order
        place = np.uint64(number * 7)
        for i in range(0, 13, 2):
            bits = random_bits(seed, place + np.uint64(i >> 1))
            j = i + np.int64((bits >> np.uint64(32)) * np.uint64(52 - i) >> np.uint64(32))
            deck[i], deck[j] = deck[j], deck[i]
            if i < 12:
                low = bits & np.uint64(0xFFFFFFFF)
                j = i + 1 + np.int64(low * np.uint64(51 - i) >> np.uint64(32))
                deck[i + 1], deck[j] = deck[j], deck[i + 1]
        checksum += _sorted_number(deck, 0) ^ _sorted_number(deck, 6) ^ deck[12]
    return checksum


@kernel
def _stages(
    upto: int,
    deals: int,
    discards: np.ndarray[Any, Any],
    plays: np.ndarray[Any, Any],
    pegs: np.ndarray[Any, Any],
    points: np.ndarray[Any, Any],
    played: np.ndarray[Any, Any],
    shown: np.ndarray[Any, Any],
    totals: np.ndarray[Any, Any],
) -> None:
    """Run the first stages of the simulator's own blocks."""
    cards = np.empty((deal.CARDS_DRAWN + 1, deal.BLOCK), np.uint8)
    numbers = np.empty((2, deal.BLOCK), np.int32)
    throws = np.empty((2, deal.BLOCK), np.uint8)
    fours = np.empty((3, rules.KEPT, deal.BLOCK), np.uint8)
    counts = np.empty((3, deal.BLOCK), np.uint8)
    pairs = np.empty(deal.BLOCK, np.int32)
    for start in range(0, deals, deal.BLOCK):
        deal.draw_block(_SEED, np.uint64(start), cards)
        deal.number_block(cards, numbers)
        if upto >= 2:
            deal.throw_block(cards, numbers, discards, throws, fours)
        if upto >= 3:
            deal.count_block(fours, cards[12], points, counts, pairs)
        if upto >= 4:
            book = int(np.int64(np.uint64(start) % np.uint64(len(plays))))
            deal.tally_block(
                deal.BLOCK, book, plays, pegs, pairs, cards[12], counts, played, shown, totals
            )


def bench_deals(sheet: Sheet, books: Any) -> None:
    """Measure the simulator, its stages, and the plain floor, on one core."""
    pegs = deal.pegs_of(books.sequences)
    played = np.zeros((len(books.sequences), 2), np.int64)
    shown = np.zeros((DEALER_POINTS, PONE_POINTS), np.int64)
    totals = np.zeros_like(shown)
    rest = (books.discards, books.plays, pegs, show.rank_points(), played, shown, totals)
    floor = median_seconds(lambda: _shuffled_floor(_SEED, DEALS)) / DEALS * 1e9
    full = median_seconds(lambda: deal.tally_deals(books, 7, 0, DEALS)) / DEALS * 1e9
    upto = [
        median_seconds(lambda n=n: _stages(n, DEALS, *rest)) / DEALS * 1e9  # type: ignore[misc]
        for n in (1, 2, 3, 4)
    ]
    sheet.add("deals", "drawing-only floor, the plain way (shuffle, sort)", floor, "ns/deal")
    sheet.add("deals", "full simulator", full, "ns/deal")
    sheet.add("deals", "full simulator on one core", 1e3 / full, "M deals/s")
    sheet.add("deals", "full simulator over the floor", full / floor, "times", "<= 3.0")
    sheet.add("deals", "full simulator over its own drawing", full / upto[0], "times")
    names = ("draw, sort, number", "look up throws, lay out", "count three hands", "play and tally")
    for name, before, after in zip(names, [0.0, *upto], upto, strict=False):
        sheet.add("deals", f"  stage: {name}", after - before, "ns/deal")


def bench_scaling(sheet: Sheet, books: Any) -> None:
    """Measure how worker processes add up, start of the workers left out."""
    every = os.cpu_count() or 1
    chunk = 1_000_000
    rates = {}
    for jobs in sorted({1, 2, every}):

        def run(chunks: int, jobs: int = jobs) -> float:
            start = time.perf_counter()
            play_batches(books, seed=7, deals=chunks * chunk, chunk=chunk, engine=Engine(jobs))
            return time.perf_counter() - start

        # Two lengths: their difference is free of what the start costs.
        short, long = run(BATCHES), run(4 * BATCHES)
        rates[jobs] = 3 * BATCHES * chunk / (long - short)
        sheet.add("farm", f"{jobs} worker(s)", rates[jobs] / 1e6, "M deals/s")
        sheet.add(
            "farm",
            f"{jobs} worker(s): start of the pool",
            short - BATCHES * chunk / rates[jobs],
            "s",
        )
    for jobs, rate in rates.items():
        if jobs > 1:
            target = ">= 1.9" if jobs == 2 else ""
            sheet.add("farm", f"{jobs} workers over one", rate / rates[1], "times", target)


# --- Hands ----------------------------------------------------------------------------------------


def bench_counts(sheet: Sheet) -> None:
    """Measure the kernel that counts hands."""
    drawn = deal.drawn_cards(7, 0, DEALS)
    cards, starters = np.ascontiguousarray(drawn[:, :4]), np.ascontiguousarray(drawn[:, 12])
    seconds = median_seconds(lambda: show.count_all(cards, starters))
    sheet.add("hands", "hands counted", DEALS / seconds / 1e6, "M/s", ">= 100")
    hands = np.ascontiguousarray(drawn[:20_000, :6])
    seconds = median_seconds(lambda: show.count_throws(hands)) / len(hands)
    sheet.add("hands", "15 throws x 46 starters", seconds * 1e6, "us", "<= 6")


# --- The table ------------------------------------------------------------------------------------


def bench_table(sheet: Sheet, books: Any, folder: Path) -> Path:
    """Measure solving, writing, opening and asking."""
    smoke = config.load_config("smoke")
    batches = play_batches(books, seed=7, deals=64 * 100_000, chunk=100_000)
    total = sum(batches, Tally.empty())
    seconds = median_seconds(lambda: solve.solve_sides([total], 121, 90, 60))
    sheet.add("table", "one solution", seconds * 1e3, "ms", "<= 60")
    seconds = median_seconds(lambda: solve.solve_wins([[b] for b in batches], 121))
    sheet.add("table", "all 64 batches", seconds, "s", "<= 4")
    columns = solve.solve(batches, 121, 90, 60)
    made = build.build(smoke, out=folder / "smoke.parquet", progress=False)
    data = TableData.from_columns(columns, made.data.provenance)
    path = folder / "table.parquet"
    seconds = median_seconds(lambda: store.write_table(path, data))
    sheet.add("table", "write, checked", seconds * 1e3, "ms")
    seconds = median_seconds(lambda: lookup.probe_table(path))
    sheet.add("table", "open, checked", seconds * 1e3, "ms", "<= 15")
    table = lookup.probe_table(path)
    calls = 100_000

    def many(ask: Callable[..., object]) -> Callable[[], None]:
        def run() -> None:
            for _ in range(calls):
                ask(player=90, opponent=75, dealer="player")

        return run

    seconds = median_seconds(many(table.win)) / calls
    sheet.add("table", "win(), one position", seconds * 1e6, "us", "<= 1")
    seconds = median_seconds(many(table.odds)) / calls
    sheet.add("table", "odds(), one position", seconds * 1e6, "us", "<= 4")
    rng = np.random.default_rng(7)
    player, opponent = rng.integers(0, 121, (2, 1_000_000), dtype=np.uint8)
    deals = rng.integers(0, 2, 1_000_000).astype(bool)
    seconds = median_seconds(lambda: table.win_array(player, opponent, deals))
    sheet.add("table", "win_array(), a million positions", seconds * 1e3, "ns/position", "<= 8")
    return path


def bench_import(sheet: Sheet) -> None:
    """Measure the import of the lookup against that of what it stands on, by turns."""
    statements = {
        "numpy and pyarrow.parquet": "import numpy, pyarrow.parquet",
        "cribodds.tables.lookup": "import cribodds.tables.lookup",
    }
    times: dict[str, list[float]] = {name: [] for name in statements}
    for _ in range(15):
        for name, statement in statements.items():
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", statement], check=True, cwd="/")
            times[name].append(time.perf_counter() - start)
    below, ours = (statistics.median(each) for each in times.values())
    sheet.add("table", "python -c 'import numpy, pyarrow.parquet'", below * 1e3, "ms")
    sheet.add("table", "import of the lookup over that", ours / below, "times", "<= 1.2")


# --- Set-up and whole builds ----------------------------------------------------------------------


def _peaks(command: list[str], environment: dict[str, str]) -> tuple[float, float, float]:
    """Run a command; return its seconds, its peak memory and its greediest child's, in MB."""
    start = time.perf_counter()
    process = psutil.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    own, child = 0.0, 0.0
    while process.poll() is None:
        try:
            own = max(own, process.memory_full_info().uss)
            for other in process.children(recursive=True):
                child = max(child, other.memory_full_info().uss)
        except psutil.Error:
            pass
        time.sleep(0.05)
    seconds = time.perf_counter() - start
    if process.returncode:
        raise click.ClickException(f"{' '.join(command)} left with {process.returncode}")
    return seconds, own / 1e6, child / 1e6


_SET_UP = """
import time
start = time.perf_counter()
from cribodds.sim import deal, show
from cribodds.sim.strategy import Strategy
from cribodds.sim.book import Books
import numpy as np
empty = Books(np.zeros(20358520, np.uint8), np.zeros((1, 8), np.uint8),
              np.zeros((1, 1820 * 1820), np.uint16), *[np.zeros(1)] * 6)
deal.tally_deals(empty, 1, 0, 1000)
kernels = time.perf_counter() - start
start = time.perf_counter()
Strategy("{card_play}", 4).books()
print(kernels, time.perf_counter() - start)
"""


def bench_set_up(sheet: Sheet, folder: Path, most_deals: int) -> None:
    """Measure set-up and whole builds, from empty caches and again."""
    for card_play in ("look-ahead", "equilibrium"):
        cache = folder / f"cache-{card_play}"
        for state in ("cold", "warm"):
            environment = {**os.environ, "CRIBODDS_CACHE": str(cache)}
            out = subprocess.run(
                [sys.executable, "-c", _SET_UP.format(card_play=card_play)],
                env=environment, check=True, capture_output=True, text=True,
            ).stdout.split()  # fmt: skip
            sheet.add("set-up", f"deal kernels, {state}", float(out[0]), "s")
            target = {"cold": "<= 20", "warm": "<= 1"}[state] if card_play == "look-ahead" else ""
            sheet.add("set-up", f"books of {card_play} play, {state}", float(out[1]), "s", target)
    targets = {
        (100_000_000, "cold"): "<= 75",
        (100_000_000, "warm"): "<= 20",
        (1_000_000_000, "cold"): "<= 240",
        (1_000_000_000, "warm"): "<= 180",
    }
    for deals, name in ((10**6, "smoke"), (10**8, "reference"), (10**9, "billion")):
        if deals > most_deals:
            continue
        for state in ("cold", "warm"):
            cache = folder / f"cache-{name}"
            if state == "warm":
                # The run's deals are forgotten, the kernels and books are kept.
                subprocess.run(["rm", "-rf", str(cache / "runs")], check=True)
            environment = {**os.environ, "CRIBODDS_CACHE": str(cache)}
            command = [
                sys.executable, "-m", "cribodds.analysis.cli", "build", name,
                "--out", str(folder / "built.parquet"), "--force",
            ]  # fmt: skip
            seconds, own, child = _peaks(command, environment)
            target = targets.get((deals, state), "")
            sheet.add("build", f"{deals:,} deals, {state}", seconds, "s", target)
            sheet.add("build", "  peak memory of the parent", own, "MB", "<= 1000")
            sheet.add("build", "  peak memory of a worker", child, "MB", "<= 400")


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default=ROOT / "build" / "bench.json")
@click.option("--deals", type=int, default=10**9, help="Leave out builds of more deals.")
def main(out: Path, deals: int) -> None:
    """Measure everything and print one table; figures go to a JSON file too."""
    sheet = Sheet()
    books = build.strategy_of(config.load_config("reference")).books()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bench_deals(sheet, books)
        bench_scaling(sheet, books)
        bench_counts(sheet)
        bench_table(sheet, books, folder)
        bench_import(sheet)
        bench_set_up(sheet, folder, deals)
    sheet.show()
    machine = {
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps({"machine": machine, "rows": sheet.rows}, indent=1) + "\n")
    click.echo(f"wrote {out}")


if __name__ == "__main__":
    main()
