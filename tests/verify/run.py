"""What one run of the proof has in hand: its size, its strategies, and the table under test."""

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, TypeVar

import joblib
import numba
import numpy as np
from numpy.typing import NDArray

from cribodds.sim.book import Books
from cribodds.sim.deal import tally_deals
from cribodds.sim.discards import Opponent, compile_discards, random_opponent
from cribodds.sim.jit import over_threads
from cribodds.sim.numbering import KEEPS
from cribodds.sim.strategy import Strategy
from cribodds.sim.tally import Tally
from cribodds.tables.build import strategy_of
from cribodds.tables.config import BATCHES, Config, load_config
from cribodds.tables.names import ConfigError
from cribodds.tables.solve import solve, solve_sides

PLAIN_ROUNDS = 4
MOST_SEEDS = 2_000  # the small builds have one each

F = TypeVar("F", bound=Callable[..., Any])
R = TypeVar("R")


def compiled(function: F) -> F:
    """Compile a kernel of the proof; never cached, for it is made of the kernels under test."""
    return numba.njit(nogil=True, error_model="numpy")(function)  # type: ignore[no-any-return]


def batches_of(books: Books, seed: int, deals: int, chunk: int) -> list[Tally]:
    """Play deals chunk by chunk, as a build is said to: chunk number mod 64 is the batch."""
    batches = [Tally.empty() for _ in range(BATCHES)]

    def work(batch: int) -> None:
        for number in range(batch, deals // chunk, BATCHES):
            batches[batch] += tally_deals(books, seed, number * chunk, chunk)

    over_threads(work, BATCHES)
    return batches


@cache
def plain_throws() -> tuple[NDArray[np.uint8], Opponent]:
    """Return the discard book that weighs hand and crib alone, and how it throws and keeps."""
    opponent = random_opponent()
    for _ in range(PLAIN_ROUNDS):
        book, opponent = compile_discards(opponent, np.zeros((2, KEEPS), np.int64))
    return book, opponent


@dataclass(frozen=True)
class Run:
    """The size of a run and what it proves.

    Attributes
    ----------
    quick : some minutes instead of an hour
    seed : of all deals that the proof draws for itself
    jobs : worker processes
    twin_config : config whose strategy the slow twin knows
    table_config : config whose table is under test
    """

    quick: bool
    seed: int
    jobs: int
    twin_config: str
    table_config: str

    def check_seeds(self) -> None:
        """Raise ConfigError if a deal of the proof would be one of the table's."""
        taken = range(self.seed, self.seed + MOST_SEEDS)
        for config in (self.config, load_config(self.twin_config)):
            if config.seed in taken:
                raise ConfigError(
                    f"--seed {self.seed}: the deals of configs/{config.name}.toml have seed "
                    f"{config.seed}, and the proof draws with seeds {taken[0]} to {taken[-1]}; "
                    "give another --seed"
                )

    def size(self, full: int, quick: int) -> int:
        """Return how many cases this run takes."""
        return quick if self.quick else full

    def over_cores(self, work: Callable[..., R], tasks: Iterable[Sequence[Any]]) -> list[R]:
        """Return ``work(*task)`` of every task, in order, by ``jobs`` processes."""
        pool = joblib.Parallel(n_jobs=self.jobs)
        with warnings.catch_warnings():
            # A worker that has loaded the solved play is larger than before, and is replaced.
            warnings.filterwarnings("ignore", "A worker stopped", UserWarning)
            results: list[R] = pool(joblib.delayed(work)(*task) for task in tasks)
        return results

    @cached_property
    def twin_strategy(self) -> Strategy:
        """The strategy that twin and kernels both play."""
        return strategy_of(load_config(self.twin_config))

    @cached_property
    def twin_books(self) -> Books:
        """Its books."""
        return self.twin_strategy.books()

    @cached_property
    def config(self) -> Config:
        """The config whose table is under test."""
        return load_config(self.table_config)

    @cached_property
    def strategy(self) -> Strategy:
        """The strategy of the table under test."""
        return strategy_of(self.config)

    @cached_property
    def books(self) -> Books:
        """Its books."""
        return self.strategy.books()

    @cached_property
    def batches(self) -> list[Tally]:
        """The deals of the table under test by batch; fewer if quick."""
        few = 10 if self.quick else 1
        return batches_of(
            self.books, self.config.seed, self.config.deals // few, self.config.chunk // few
        )

    @cached_property
    def tally(self) -> Tally:
        """All deals of the table under test."""
        return sum(self.batches, Tally.empty())

    @cached_property
    def columns(self) -> dict[str, NDArray[np.float64]]:
        """The columns of the table under test, as `solve` gives them."""
        game = self.config.game
        return solve(self.batches, game.target, game.skunk, game.double_skunk)

    @cached_property
    def dealer_errors(self) -> NDArray[np.float64]:
        """Standard errors of the dealer's six outcomes and deals left, (target, target, 7).

        By dealer's and pone's score; from the spread of the batches, each solved alone.
        """
        game = self.config.game
        solved = np.stack(
            [
                solve_sides([each], game.target, game.skunk, game.double_skunk)[0, ::-1, ::-1]
                for each in self.batches
            ]
        )
        spread: NDArray[np.float64] = solved.std(0, ddof=1) / np.sqrt(len(solved))
        return spread
