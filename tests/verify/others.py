"""The facts of others: positions, means, turning points, and what throws are worth in the crib.

Other programs and people play otherwise than we do, so here nothing is equal but what hangs on
the cards alone. Every comparison states how far apart it may be; docs/verification.md says of
each difference whether it is the strategy.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, combinations
from math import sqrt
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribodds.sim import show
from cribodds.sim.deal import BLOCK, CARDS_DRAWN, draw_block
from cribodds.sim.jit import over_threads
from cribodds.sim.tally import SOURCES
from cribodds.tables.config import Game
from facts import rows
from reference import DEALER, PONE

from .claim import Claim, by_chance, exact
from .games import look_up, tables_of
from .run import Run, compiled, plain_throws

FAMILY = "others"


class Bounds(NamedTuple):
    """How far a table may be from those of others."""

    odds: dict[str, float]  # by program
    points: float  # mean points of a deal by source
    cribs: "CribBounds"


CribBounds: TypeAlias = dict[str, tuple[float, float]]
"""By author: of the dealer's throws, of the pone's."""

HAND_AND_CRIB: CribBounds = {
    "hessel": (0.05, 0.08),
    "schell": (0.1, 0.12),
    "colvert": (0.13, 0.15),
    "rasmussen": (0.2, 0.25),
}
LIKE_THEIRS = Bounds(
    {"a": 0.025, "b": 0.012},
    0.12,
    {
        "hessel": (0.1, 0.25),
        "schell": (0.1, 0.25),
        "colvert": (0.15, 0.25),
        "rasmussen": (0.25, 0.35),
    },
)
OUR_OWN = Bounds(
    {"a": 0.035, "b": 0.045},
    0.16,
    {
        "hessel": (0.15, 0.35),
        "schell": (0.2, 0.35),
        "colvert": (0.2, 0.35),
        "rasmussen": (0.3, 0.4),
    },
)

GAME = Game(target=121, skunk=90, double_skunk=60)
PROGRAMS = ("a", "b")
TURNS = ((61, 63), (76, 76), (87, 89), (102, 103), (113, 115))


def claims(run: Run) -> Iterator[Claim]:
    """Positions, means, turning points, discard tables.

    First of the strategy that is most like the other programs, then of the table under test.
    They are of the game to 121: there is nothing to hold another game against.
    """
    if run.config.game != GAME:
        return
    yield of_uniform_cribs()
    yield of_heels(run)
    book, _ = plain_throws()
    for claim in of_cribs(run, book, HAND_AND_CRIB):
        yield replace(claim, what=f"{claim.what}, throws that weigh hand and crib alone")
    alike = replace(run, table_config=run.twin_config)
    yield from of_a_table(alike, "the programs' kind of play", LIKE_THEIRS)
    if run.strategy != run.twin_strategy:
        yield from of_a_table(run, "the table's own play", OUR_OWN)


def of_a_table(run: Run, words: str, bounds: Bounds) -> Iterator[Claim]:
    """Yield all comparisons of one table; ``words`` say whose."""
    parts = (
        of_positions(run, bounds),
        of_turns(run),
        of_means(run, bounds),
        of_cribs(run, run.books.discards, bounds.cribs),
    )
    for claim in chain.from_iterable(parts):
        yield replace(claim, what=f"{claim.what}, {words}")


# --- The board ------------------------------------------------------------------------------------


def of_positions(run: Run, bounds: Bounds) -> Iterator[Claim]:
    """Compare the dealer's odds with two other programs, and with what is published."""
    positions = rows("positions")
    cells = [(int(row["dealer_score"]), int(row["pone_score"])) for row in positions]
    ours = np.array([run.columns["win"][0][cell] for cell in cells])
    errors = np.array([run.columns["win_se"][0][cell] for cell in cells])
    theirs = {
        name: np.array([float(row[f"p_dealer_wins_program_{name}"]) for row in positions])
        for name in PROGRAMS
    }
    apart = theirs["a"] - theirs["b"]
    for name in PROGRAMS:
        difference = ours - theirs[name]
        worst = int(np.abs(difference).argmax())
        outside = int((np.abs(difference) > 0.016).sum())
        yield exact(
            FAMILY, "dealer's odds at the facts' positions", f"program {name}", len(cells),
            "positions", float(np.abs(difference).max()), bound=bounds.odds[name],
            note=f"RMS {_rms(difference):.4f} (the programs apart: {_rms(apart):.4f}, most "
            f"{np.abs(apart).max():.4f}), worst at {cells[worst][0]}-{cells[worst][1]}, our errors "
            f"at most {errors.max():.5f}; {outside} further off than 0.016",
            details=dict(zip(map(str, cells), difference.round(4).tolist(), strict=True)),
        )  # fmt: skip
    published = [i for i, row in enumerate(positions) if row["published"]]
    worst_published = max(abs(ours[i] - float(positions[i]["published"])) for i in published)
    yield exact(
        FAMILY, "dealer's odds", "published figures", len(published), "positions",
        float(worst_published), bound=0.01,
    )  # fmt: skip
    right = next(row for row in rows("rule_mutants") if row["rule"] == "correct")
    left = float(run.columns["deals_left"][0, 0, 0])
    yield exact(
        FAMILY, "deals of a game", "program b", 1, "mean",
        abs(left - float(right["deals_per_game"])), bound=0.15,
        note=f"{left:.4f} and {right['deals_per_game']}",
    )  # fmt: skip


def of_turns(run: Run) -> Iterator[Claim]:
    """Find where the dealer's odds at ties turn, and compare with human statistics."""
    ties = run.columns["win"][0].diagonal()
    slopes = np.sign(np.diff(ties))
    turns = [s + 1 for s in range(len(slopes) - 1) if slopes[s] != slopes[s + 1]]
    missed = [min(max(low - turn, turn - high, 0) for turn in turns) for low, high in TURNS]
    late = [turn for turn in turns if turn >= 50]
    yield exact(
        FAMILY, "scores at which the dealer's odds at a tie turn", "human statistics", len(TURNS),
        "turns", max(missed), bound=1, note=f"ours from 50 on: {late}",
    )  # fmt: skip


def _rms(values: NDArray[np.float64]) -> float:
    return float(np.sqrt((values**2).mean()))


# --- The points of a deal -------------------------------------------------------------------------


def of_means(run: Run, bounds: Bounds) -> Iterator[Claim]:
    """Compare mean points by source with other programs and with books."""
    means = run.tally.means()
    for row in rows("per_deal_means"):
        name = row["source"].split(",")[0].removeprefix("book figure ").strip("()")
        for source in SOURCES:
            if not row.get(source):
                continue
            ours, bound = means[source], bounds.points
            note = f"{ours:.4f} and {row[source]}"
            if name == "Chambers":
                bound += 0.05  # he has one digit
            if (name, source) == ("Chambers", "dealer_pegs"):
                ours += means["heels"]
                note = f"with heels {ours:.4f} and {row[source]}"
            yield exact(
                FAMILY, f"mean points, {source.replace('_', ' ')}", name, run.tally.deals, "deals",
                abs(ours - float(row[source])), bound=bound, note=note,
            )  # fmt: skip
    pone = means["pone_pegs"] + means["pone_hand"]
    dealer = sum(means[name] for name in ("dealer_pegs", "dealer_hand", "crib", "heels"))
    yield exact(
        FAMILY, "points of pone and dealer in all", "Colvert's 10.2 and 16.2", run.tally.deals,
        "deals", max(abs(pone - 10.2), abs(dealer - 16.2)), bound=0.25,
        note=f"{pone:.4f} and {dealer:.4f}",
    )  # fmt: skip


def of_heels(run: Run) -> Claim:
    """Compare the mean of heels with 2/13."""
    deals = run.tally.deals
    difference = run.tally.means()["heels"] - 2 / 13
    return by_chance(
        FAMILY, "mean points, heels", "2/13", deals, "deals", abs(difference),
        difference / sqrt(4 * 12 / 169 / deals),
    )  # fmt: skip


# --- What a throw is worth in the crib ------------------------------------------------------------


def of_uniform_cribs() -> Claim:
    """Count every crib of a throw with any three other cards, against the facts' exact columns."""
    wrong, throws = 0.0, 0
    for row in rows("discard_tables"):
        low, high = ("A23456789TJQK".index(letter) for letter in row["pair"])
        for column, second in (("exact_uniform_unsuited", 1), ("exact_uniform_suited", 0)):
            if not row[column]:
                continue
            throw = (4 * low, 4 * high + second)
            rest = [card for card in range(52) if card not in throw]
            others = np.array(list(combinations(rest, 2)), np.uint8)
            cards = np.concatenate(
                [np.tile(np.array(throw, np.uint8), (len(others), 1)), others], 1
            )
            points = cribs = 0
            for starter in rest:
                some = cards[(others != starter).all(1)]
                starters = np.full(len(some), starter, np.uint8)
                points += int(show.count_all(some, starters, crib=True).sum())
                cribs += len(some)
            wrong = max(wrong, abs(points / cribs - float(row[column])))
            throws += 1
    return exact(
        FAMILY, "mean crib of a throw with any other cards", "the facts' exact columns", throws,
        "throws", wrong, bound=6e-7, note="the facts have six digits",
    )  # fmt: skip


@compiled
def _sum_cribs(
    seed: np.uint64,
    first: np.uint64,
    blocks: int,
    discards: NDArray[np.uint8],
    plays: NDArray[np.uint16],
    keep_of: NDArray[np.int64],
    throws: NDArray[np.int64],
    choose: NDArray[np.int64],
    points: NDArray[np.uint8],
    sums: NDArray[np.int64],
) -> None:
    """Add up number, points and squares of cribs, ``sums[seat, rank, rank, 3]``."""
    cards = np.empty((CARDS_DRAWN + 1, BLOCK), np.uint8)
    deal = np.zeros(17, np.int64)
    for block in range(blocks):
        draw_block(seed, first + np.uint64(block * BLOCK), cards)
        for k in range(BLOCK):
            look_up(cards, k, discards, plays, 0, keep_of, throws, choose, points, deal)
            for seat in range(2):
                of_throw = sums[seat, deal[13 + 2 * seat] >> 2, deal[14 + 2 * seat] >> 2]
                of_throw[0] += 1
                of_throw[1] += deal[4]
                of_throw[2] += deal[4] ** 2


def of_cribs(run: Run, discards: NDArray[np.uint8], bounds: CribBounds) -> Iterator[Claim]:
    """Compare the mean crib by ranks thrown with the published tables; of any discard book."""
    tasks = 16
    blocks = run.size(100_000_000, 5_000_000) // (BLOCK * tasks)
    sums = np.zeros((tasks, 2, 13, 13, 3), np.int64)

    def work(task: int) -> None:
        _sum_cribs(
            np.uint64(run.seed), np.uint64(task * blocks * BLOCK), blocks, discards,
            run.books.plays, *tables_of(), sums[task],
        )  # fmt: skip

    over_threads(work, tasks)
    number, total, squares = np.moveaxis(sums.sum(0), -1, 0)
    deals = tasks * blocks * BLOCK
    published = rows("discard_tables")
    pairs = np.array(
        [["A23456789TJQK".index(letter) for letter in row["pair"]] for row in published]
    )
    for seat, name in ((DEALER, "dealer"), (PONE, "pone")):
        many = number[seat][tuple(pairs.T)]
        often = many >= 2_000
        mean = total[seat][tuple(pairs.T)] / np.maximum(many, 1)
        variance = squares[seat][tuple(pairs.T)] / np.maximum(many, 1) - mean**2
        error = np.sqrt(variance / np.maximum(many, 1))
        for author in ("hessel", "schell", "colvert", "rasmussen"):
            theirs = np.array([float(row[f"{author}_{name}"]) for row in published])
            difference = np.where(often, mean - theirs, 0.0)
            weighted = sqrt((many * difference**2).sum() / many[often].sum())
            worst = int(np.abs(difference).argmax())
            yield exact(
                FAMILY, f"mean crib by ranks thrown, {name}, weighted RMS",
                f"{author.capitalize()}'s table", int(often.sum()), "of 91 throws", weighted,
                bound=bounds[author][seat == PONE],
                note=f"plain RMS {_rms(difference[often]):.3f}, worst "
                f"{published[worst]['pair']} {mean[worst]:.2f} +- {error[worst]:.2f} against "
                f"{theirs[worst]:.2f} ({many[worst]:,} of {deals:,} deals)",
                details={
                    row["pair"]: [round(float(m), 4), round(float(e), 4), int(n)]
                    for row, m, e, n in zip(published, mean, error, many, strict=True)
                },
            )  # fmt: skip
