"""Whole games of one strategy against another, from the same deals.

Each of two strategies throws and plays as it would against itself; nobody learns who the
other is. In a deal the pone's book of throws and the dealer's are joined, and so is the
play. The deals of every pairing have the same cards, so the luck of the cards is the same.
"""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..sim.book import Books
from ..sim.equilibrium.own_path import SPREAD_SEED
from ..sim.equilibrium.playbooks import index_mixed
from ..sim.equilibrium.public_tree import build_tree
from ..sim.farm import Engine, play_batches
from ..sim.strategy import Strategy
from ..sim.tally import Tally
from ..tables.config import Config
from ..tables.solve import solve_sides, solve_wins
from .play_strength import LaidPlay, dealers_entries, join_seats

OTHER_SPREADS: Final = 4


class Sure(NamedTuple):
    """A figure and its standard error."""

    value: float
    se: float


class Match(NamedTuple):
    """Two strategies over whole games, from 0-0.

    Attributes
    ----------
    strategy, other : str
        The names of the configs.
    deals_first, deals_second : Sure
        The probability that ``strategy`` wins if it deals first, and if the other does.
    edge : Sure
        How far their mean is above one half: the first deal is cut for.
    """

    strategy: str
    other: str
    deals_first: Sure
    deals_second: Sure
    edge: Sure


class Cell(NamedTuple):
    """A score before the deal, and how far two win probabilities of the dealer differ there."""

    dealer: int
    pone: int
    difference: Sure


class TableGap(NamedTuple):
    """How far the dealer's win probability differs between two tables; the first less the other.

    Attributes
    ----------
    table, other : str
    deals : int
        Played by each, with the same cards.
    start : Cell
        At 0-0.
    most, least : Cell
        Where the difference is largest and smallest.
    root_mean_square : float
        Over all scores.
    points : dict
        Mean points a deal by source, the first less the other.
    """

    table: str
    other: str
    deals: int
    start: Cell
    most: Cell
    least: Cell
    root_mean_square: float
    points: dict[str, float]


def join_books(pone: Books, dealer: Books, chances: NDArray[np.uint8], books: int) -> Books:
    """Return the books of a table where two strategies sit; endings alone are played best.

    Parameters
    ----------
    chances : as ``play_strength.join_seats``
    books : int
        Over how many books the play is spread.
    """
    sequences, plays = index_mixed(build_tree(), chances, books)
    discards = (pone.discards & 15) | (dealer.discards & 240)
    return dataclasses.replace(
        pone, discards=discards.astype(np.uint8), sequences=sequences, plays=plays
    )


def play_all(
    strategies: Sequence[Strategy],
    books: Sequence[Books],
    plays: Sequence[LaidPlay],
    config: Config,
    jobs: int,
    say: Callable[[str], None] = lambda line: None,
) -> list[list[list[Tally]]]:
    """Return the tallies of batches, by pone and dealer; a strategy plays itself by its own books.

    Parameters
    ----------
    config : Config
        Whose seed and deals are played.
    """
    dealers = dealers_entries(build_tree())
    tallies: list[list[list[Tally]]] = []
    for i, pone in enumerate(strategies):
        tallies.append([])
        for j, dealer in enumerate(strategies):
            say(f"playing {config.deals:,} deals: {pone.card_play} against {dealer.card_play}")
            table = books[i]
            if i != j:
                spread = max(pone.play_books, dealer.play_books)
                joined = join_seats(dealers, plays[i], plays[j])
                table = join_books(books[i], books[j], joined, spread)
            tallies[i].append(play_deals(table, config, jobs))
    return tallies


def play_deals(table: Books, config: Config, jobs: int) -> list[Tally]:
    """Return the tallies of a config's deals, by batch."""
    return play_batches(
        table, seed=config.seed, deals=config.deals, chunk=config.chunk, engine=Engine(jobs)
    )


def _sure(whole: float, batches: NDArray[np.float64]) -> Sure:
    return Sure(float(whole), float(batches.std(ddof=1) / np.sqrt(len(batches))))


def _wins(sides: Sequence[Tally], target: int) -> NDArray[np.float64]:
    wins: NDArray[np.float64] = solve_sides(sides, target, None, None)[..., :3].sum(-1)
    return wins


def match(
    names: tuple[str, str], deals: Sequence[Tally], others_deals: Sequence[Tally], target: int
) -> Match:
    """Return how two strategies fare against each other.

    Parameters
    ----------
    names : of both
    deals, others_deals : batches of the deals that the first strategy deals, and the other.
    """
    # Needs less one: from 0-0 both players need the whole target.
    last = target - 1
    sides = [sum(deals, Tally.empty()), sum(others_deals, Tally.empty())]
    first, other_first = _wins(sides, target)[:, last, last]
    each = solve_wins(list(zip(deals, others_deals, strict=True)), target)[..., last, last]
    return Match(
        *names,
        _sure(first, each[:, 0]),
        _sure(1 - other_first, each[:, 1]),
        _sure((first - other_first) / 2, (each[:, 0] - each[:, 1]) / 2),
    )


def matches(
    names: Sequence[str], tallies: Sequence[Sequence[Sequence[Tally]]], target: int
) -> list[Match]:
    """Return every strategy against every later one, from ``play_all``."""
    return [
        match((names[i], names[j]), tallies[j][i], tallies[i][j], target)
        for i in range(len(names))
        for j in range(i + 1, len(names))
    ]


def table_gap(
    names: tuple[str, str], batches: Sequence[Tally], others: Sequence[Tally], target: int
) -> TableGap:
    """Return where two tables of the same deals differ, each of a strategy against itself."""
    total, other = (sum(some, Tally.empty()) for some in (batches, others))
    gaps = _wins([total], target)[0] - _wins([other], target)[0]
    each = (
        solve_wins([[batch] for batch in batches], target)
        - solve_wins([[batch] for batch in others], target)
    )[:, 0]

    def cell(place: int) -> Cell:
        dealer, pone = divmod(place, target)
        difference = _sure(gaps[dealer, pone], each[:, dealer, pone])
        return Cell(target - 1 - dealer, target - 1 - pone, difference)

    means, other_means = total.means(), other.means()
    return TableGap(
        *names,
        total.deals,
        cell(gaps.size - 1),
        cell(int(gaps.argmax())),
        cell(int(gaps.argmin())),
        float(np.sqrt((gaps**2).mean())),
        {name: means[name] - other_means[name] for name in means},
    )


def effect_of_books(
    name: str,
    books: Books,
    laid: LaidPlay,
    counts: Sequence[int],
    many: int,
    config: Config,
    jobs: int,
) -> list[TableGap]:
    """Return how far tables of a mixed play over few books are from one over ``many``.

    The many are spread anew ``OTHER_SPREADS`` times and the tables taken together.

    Parameters
    ----------
    name, books, laid : of the strategy
    counts : numbers of books
    """

    def batches_of(spread: int, seed: int = SPREAD_SEED) -> list[Tally]:
        sequences, plays = index_mixed(build_tree(), laid.chances, spread, seed=seed)
        return play_deals(
            dataclasses.replace(books, sequences=sequences, plays=plays), config, jobs
        )

    # Spread in other ways, for few books must not be a part of the many; in several, for the
    # many are not the mixed play itself either.
    spreads = [batches_of(many, SPREAD_SEED + 1 + i) for i in range(OTHER_SPREADS)]
    others = [sum(same, Tally.empty()) for same in zip(*spreads, strict=True)]
    return [
        table_gap(
            (f"{name}, {count} books", f"{name}, {many} books"),
            batches_of(count),
            others,
            config.game.target,
        )
        for count in counts
    ]
