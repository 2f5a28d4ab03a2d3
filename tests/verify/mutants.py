"""The comparison of twin and simulator notices every wrong rule, and how soon."""

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from itertools import cycle

import numpy as np

import mutants
from cribodds.sim.deal import tally_deals
from cribodds.sim.strategy import Strategy
from twin_deals import (
    Differs,
    cards_of,
    compare_events,
    compare_tallies,
    player_of,
    rare_deals,
    tally_of,
)

from .claim import Claim, exact
from .games import BEGIN, DEALS, FIRST_SCORE, KIND, SECOND_SCORE, WINNER, play_games, twin_game
from .run import Run

FAMILY = "mutants"
MOST_DEALS, MOST_GAMES = 20_000, 2_000
TARGET, LINES = 121, (90, 60)
KINDS = ("plain", "skunk", "double skunk")

# From these the game's own rules show soon: near the end, and at the skunk lines.
STARTS = ((117, 117), (120, 120), (90, 118), (60, 118), (91, 119), (100, 100), (0, 0))


def deals_needed(played: Strategy, seed: int, deals: Sequence[int], number: int) -> tuple[int, str]:
    """Return after how many of the deals a mutant is noticed, 0 if it never is, and by what."""
    books = played.books()
    player = player_of(played, 0)
    with mutants.put_in(mutants.DEALS[number]):
        for count, deal in enumerate(deals, start=1):
            try:
                steps = compare_events(books, deal, cards_of(seed, deal), player)
                compare_tallies(tally_deals(books, seed, deal, 1), tally_of([steps]))
            except Differs:
                return count, "a score differs"
            except ValueError as error:  # its rules do not let the players go on
                return count, f"the play breaks off: {error}"
    return 0, ""


def games_needed(
    played: Strategy, seed: int, games: Sequence[tuple[int, ...]], number: int | None
) -> int:
    """Return after how many recorded games a mutant is noticed, or the right rules; 0 if never."""
    books = played.books()
    player = player_of(played, 0)
    with nullcontext() if number is None else mutants.put_in(mutants.GAMES[number]):
        for count, game in enumerate(games, start=1):
            start = STARTS[game[-1]]
            twin = twin_game(books, player, seed, game[BEGIN], start, TARGET, LINES)
            scores = game[FIRST_SCORE], game[SECOND_SCORE]
            if twin != (game[WINNER], scores, game[DEALS], KINDS[game[KIND]]):
                return count
    return 0


def claims(run: Run) -> Iterator[Claim]:
    """First games by the right rules, then every mutant."""
    played, books = run.twin_strategy, run.twin_books
    number = run.size(3_000, 210)
    record = play_games(
        books, run.seed, np.array(STARTS), TARGET, LINES, games=max(number, MOST_GAMES), tasks=1
    )[0].tolist()
    games = [(*game, place % len(STARTS)) for place, game in enumerate(record)]
    parts = [games[i : number : run.jobs] for i in range(run.jobs)]
    wrong = run.over_cores(games_needed, [(played, run.seed, part, None) for part in parts])
    yield exact(
        FAMILY, "games by the right rules: winner, scores, deals, skunks", "the twin", number,
        "games", sum(map(bool, wrong)),
    )  # fmt: skip
    rare = cycle(rare_deals(run.seed))
    deals = [next(rare) if count % 2 else count // 2 for count in range(MOST_DEALS)]
    found = run.over_cores(
        deals_needed, [(played, run.seed, deals, each) for each in range(len(mutants.DEALS))]
    )
    for mutant, (needed, how) in zip(mutants.DEALS, found, strict=True):
        yield _noticed(mutant, needed, MOST_DEALS, "deals", how)
    needed_games = run.over_cores(
        games_needed,
        [(played, run.seed, games[:MOST_GAMES], each) for each in range(len(mutants.GAMES))],
    )
    for mutant, needed in zip(mutants.GAMES, needed_games, strict=True):
        yield _noticed(mutant, needed, MOST_GAMES, "games")


def _noticed(mutant: mutants.Mutant, needed: int, most: int, unit: str, how: str = "") -> Claim:
    return exact(
        FAMILY, f'twin by the wrong rule "{mutant.rule}"', "the simulator, and noticed",
        needed or most, f"{unit} needed", int(needed == 0), note=how,
        details={"function": mutant.name},
    )  # fmt: skip
