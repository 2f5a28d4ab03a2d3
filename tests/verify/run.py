"""What one run of the proof has in hand: its size, its strategies, and the table under test."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import joblib
import numba
import numpy as np
from numpy.typing import NDArray

from cribodds.sim.book import Books
from cribodds.sim.deal import tally_deals
from cribodds.sim.jit import over_threads
from cribodds.sim.strategy import Strategy
from cribodds.sim.tally import Tally
from cribodds.tables.build import strategy_of
from cribodds.tables.config import BATCHES, Config, load_config
from cribodds.tables.solve import solve, solve_sides

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


@dataclass(frozen=True)
class Run:
    """The size of a run and what it proves.

    Attributes
    ----------
    quick : some minutes instead of half an hour
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

    def size(self, full: int, quick: int) -> int:
        """Return how many cases this run takes."""
        return quick if self.quick else full

    def over_cores(self, work: Callable[..., R], tasks: Iterable[Sequence[Any]]) -> list[R]:
        """Return ``work(*task)`` of every task, in order, by ``jobs`` processes."""
        pool = joblib.Parallel(n_jobs=self.jobs)
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
