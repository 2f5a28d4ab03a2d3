"""The build: config -> books -> deals -> odds -> a checked table in its place."""

import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from ..sim.book import Books
from ..sim.farm import play_batches
from ..sim.sources import table_digest
from ..sim.strategy import VERSION, Strategy
from ..sim.tally import Tally
from . import solve
from .config import Config
from .names import table_path
from .store import Unavailable, read_table, write_table
from .table import TableData


@dataclass(frozen=True)
class Built:
    """What a build gave: the table, where it lies, and whether it was there already."""

    path: Path
    data: TableData
    anew: bool


def strategy_of(config: Config) -> Strategy:
    """Return the strategy that a config names."""
    return Strategy(config.strategy.card_play, config.strategy.discard_rounds)


def build(
    config: Config,
    *,
    out: Path | None = None,
    jobs: int = -1,
    force: bool = False,
    progress: bool | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> Built:
    """Build the win table of a config, or find that it is there.

    Parameters
    ----------
    config : Config
    out : Path, optional
        Where to write; ``tables/data/<name>.parquet`` by default.
    jobs : int
        Worker processes; -1 means all cores.
    force : bool
        Build even if the table of this config and code is there.
    progress : bool, optional
        Show a progress bar; by default if stderr is a terminal.
    say : callable
        Is told, in one line each, what is being done.

    Raises
    ------
    TableWriteError
        If the table cannot be written; what was there is untouched.
    """
    path = out if out is not None else table_path(config.name)
    if not force:
        there = _valid_table(path, config)
        if there is not None:
            return Built(path, there, anew=False)
    strategy = strategy_of(config)
    say(f"strategy: {strategy.name}")
    books = strategy.books()
    say(f"playing {config.deals:,} deals")
    batches = play_batches(
        books,
        seed=config.seed,
        deals=config.deals,
        chunk=config.chunk,
        jobs=jobs,
        progress=progress,
    )
    say("solving for every score")
    game = config.game
    columns = solve.solve(batches, game.target, game.skunk, game.double_skunk)
    provenance = _provenance(config, strategy, books, sum(batches, Tally.empty()))
    return Built(path, write_table(path, TableData.from_columns(columns, provenance)), anew=True)


def _valid_table(path: Path, config: Config) -> TableData | None:
    """Return the table at ``path`` if this config and this code made it."""
    try:
        data = read_table(path)
    except Unavailable:
        return None
    made_by = (data.provenance["config"]["digest"], data.provenance["code_digest"])
    return data if made_by == (config.digest, table_digest()) else None


def _provenance(
    config: Config, strategy: Strategy, books: Books, total: Tally
) -> dict[str, object]:
    return {
        "config": {"name": config.name, "text": config.text, "digest": config.digest},
        "seed": config.seed,
        "deals": total.deals,
        "target": config.game.target,
        "skunk": config.game.skunk,
        "double_skunk": config.game.double_skunk,
        "strategy": {
            "name": strategy.name,
            "version": VERSION,
            "digest": books.digest(),
            "throws_moved_by_round": [float(share) for share in books.moved],
        },
        "code_digest": table_digest(),
        "versions": {
            "python": platform.python_version(),
            "numpy": version("numpy"),
            "numba": version("numba"),
            "pyarrow": version("pyarrow"),
            "cribodds": version("cribodds"),
            "byteorder": sys.byteorder,
        },
        "means": total.means(),
    }
