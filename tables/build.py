"""The build: config -> books -> deals -> odds -> a checked table in its place."""

import os
import platform
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray

from ..sim.book import Books
from ..sim.deal import first_deal
from ..sim.farm import HERE, Engine, deals_digest
from ..sim.files import wait_for
from ..sim.run import Run
from ..sim.sources import digest_needed_by, table_digest
from ..sim.strategy import VERSION, Strategy
from ..sim.tally import Tally
from . import solve
from .config import BATCHES, Config
from .names import table_path
from .store import TableWriteError, Unavailable, read_table, write_table
from .table import TableData, check_table

Columns = dict[str, NDArray[np.float64]]


class BuildError(RuntimeError):
    """A build failed; nothing that was there has been replaced."""


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
    engine: Engine = HERE,
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
    engine : Engine
        Where the deals are played; all cores of this machine by default.
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
    FarmError
        If the workers cannot play; what was played is kept, and the same call continues.
    BuildError
        If what was made is not a sound table.
    """
    # Of the files as they are now: what is edited while deals are played has not played them.
    table_digest()
    deals_digest()
    path = out if out is not None else table_path(config.name)
    if not force and (there := _valid_table(path, config)) is not None:
        return Built(path, there, anew=False)
    with _alone(path, say) as waited:
        if waited and not force and (there := _valid_table(path, config)) is not None:
            return Built(path, there, anew=False)
        strategy = strategy_of(config)
        say(f"strategy: {strategy.name}")
        books = strategy.books(say, also=[first_deal, solve.first_solution])
        say(f"playing {config.deals:,} deals")
        with Run(
            books,
            seed=config.seed,
            chunk=config.chunk,
            engine=engine,
            progress=progress,
            say=say,
        ) as run:
            play = _play_all if config.target_win_se is None else _play_until
            columns, total, more = play(run, config, say)
        data = TableData.from_columns(columns, _provenance(config, strategy, books, total) | more)
        for finding in check_table(data):
            if not finding.ok:
                raise BuildError(
                    f"the table made is faulty, nothing was written: not true that "
                    f"{finding.property}: {finding.detail}"
                )
        return Built(path, write_table(path, data), anew=True)


@contextmanager
def _alone(path: Path, say: Callable[[str], None]) -> Iterator[bool]:
    """Keep other builds from the table at ``path``; tell whether another had to end first.

    A place that cannot be written is found here, before the deals are played.
    """
    place = Path(os.path.realpath(path))
    lock = FileLock(place.with_name(f".{place.name}.lock"))
    try:
        if place.is_dir():
            raise IsADirectoryError("a folder of that name is there")
        place.parent.mkdir(parents=True, exist_ok=True)
        waited = wait_for(lock, f"another build is writing {path}", say)
    except OSError as error:
        raise TableWriteError(
            f"cannot write the table {path}: {error.strerror or error}; name another place (--out)"
        ) from error
    try:
        yield waited
    finally:
        lock.release()


def _solve(config: Config, batches: list[Tally]) -> Columns:
    game = config.game
    return solve.solve(batches, game.target, game.skunk, game.double_skunk)


def _play_all(
    run: Run, config: Config, say: Callable[[str], None]
) -> tuple[Columns, Tally, dict[str, Any]]:
    batches = run.play_to(config.deals)
    say("solving for every score")
    return _solve(config, batches), sum(batches, Tally.empty()), {}


def _play_until(
    run: Run, config: Config, say: Callable[[str], None]
) -> tuple[Columns, Tally, dict[str, Any]]:
    """Play until every cell's standard error is under the config's ``target_win_se``.

    It is looked at after every 64 chunks and nowhere else, so that where it ends does not hang on
    who plays and how often he is interrupted.
    """
    goal = config.target_win_se
    assert goal is not None
    step = BATCHES * config.chunk
    solver = digest_needed_by("tables/solve.py")[:16]
    name = f"worst win_se by deals, target {config.game.target}, solver {solver}"
    worst = run.recall(name)
    for deals in range(step, config.deals + 1, step):
        last = deals == config.deals
        if not last and worst.get(str(deals), 0.0) >= goal:
            continue  # looked at before the build was interrupted
        batches = run.play_to(deals)
        columns = _solve(config, batches)
        error = float(columns["win_se"].max())
        worst[str(deals)] = error
        run.remember(name, worst)
        say(f"after {deals:,} deals the worst standard error is {error:.3g}; wanted: {goal:.3g}")
        if last or error < goal:
            break
    reached = {"target_win_se": goal, "step_deals": step, "worst_win_se": error}
    total = sum(batches, Tally.empty())
    return columns, total, {"adaptive": reached | {"reached": error < goal}}


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
