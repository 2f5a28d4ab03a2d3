"""The solver: toy games in fractions, real deals in fractions, and whole games played out."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from statistics import NormalDist
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from cribodds.sim.deal import tally_deals
from cribodds.sim.tally import Tally
from cribodds.tables.build import build, strategy_of
from cribodds.tables.config import load_config
from cribodds.tables.solve import solve, solve_sides
from cribodds.tables.table import OUTCOMES, VALUES
from facts import rows
from toy_games import GAMES as TOY_GAMES
from toy_games import MIXED, OTHER, Game, tally_of

from .claim import Claim, by_chance, exact, z_of_chi_square, z_of_count
from .games import DEALS, KIND, WINNER, play_games
from .run import Run, batches_of

FAMILY = "solver"
ROUNDING = 1e-12
SMALL_TARGET = 31
OFTEN = 100  # games: what is seen and expected less often is no normal distribution


def claims(run: Run) -> Iterator[Claim]:
    """Exact games first, then games by chance."""
    yield from of_toy_games()
    yield of_real_deals(run)
    yield of_a_build()
    yield from of_played_games(run)


# --- Exact ----------------------------------------------------------------------------------------


def of_toy_games() -> Iterator[Claim]:
    """Compare every cell of toy games with fractions."""
    off = []  # NaN stays in it, and is the largest of all
    cells = 0
    for deals, target, skunk, double_skunk in TOY_GAMES:
        game = Game([deals], target, skunk, double_skunk)
        columns = solve([tally_of(deals)] * 8, target, skunk, double_skunk)
        for dealer in range(target - 1, -1, -1):
            for pone in range(target - 1, -1, -1):
                *outcomes, left = game.outcomes(0, dealer, pone)
                for name, chance in zip(OUTCOMES, outcomes, strict=True):
                    off.append(columns[name][0, dealer, pone] - float(chance))
                off.append(columns["deals_left"][0, dealer, pone] / float(left) - 1)
                cells += 1
    yield exact(
        FAMILY, f"{len(TOY_GAMES)} toy games, six outcomes and deals left", "fractions", cells,
        "cells", largest(off), bound=ROUNDING,
    )  # fmt: skip
    target, off = 61, []
    both = Game([MIXED, OTHER], target, 30, 10)
    sides = solve_sides([tally_of(MIXED), tally_of(OTHER)], target, 30, 10)[:, ::-1, ::-1]
    for side, dealer, pone in np.ndindex(2, target, target):
        cell = side, target - 1 - dealer, target - 1 - pone
        expected = [float(chance) for chance in both.outcomes(*cell)]
        off.extend(sides[cell] - expected)
    yield exact(
        FAMILY, "a toy game of two strategies", "fractions", 2 * target**2, "cells", largest(off),
        bound=ROUNDING,
    )  # fmt: skip


def largest(differences: Sequence[float]) -> float:
    """Return the largest difference; NaN if there is one, which no bound lets pass."""
    return float(np.abs(differences).max())


def exact_wins(tally: Tally, target: int) -> list[list[Fraction]]:
    """Solve for the dealer's wins in whole numbers, by dealer's and pone's need less 1."""
    first, totals = tally.dealer_first.tolist(), tally.totals.tolist()
    cells = [(g, h, many) for g, row in enumerate(totals) for h, many in enumerate(row) if many]
    wins = [[Fraction(0)] * target for _ in range(target)]
    for needs in range(2 * target - 1):
        for nd in range(max(0, needs - target + 1), min(needs, target - 1) + 1):
            np_ = needs - nd
            total = Fraction(sum(first[nd + 1][: np_ + 1]))
            by_cell: dict[tuple[int, int], int] = {}
            for g, h, many in cells:
                if g <= nd and h <= np_:
                    by_cell[np_ - h, nd - g] = by_cell.get((np_ - h, nd - g), 0) + many
            for (a, b), many in by_cell.items():
                total += many * (1 - wins[a][b])
            wins[nd][np_] = total / tally.deals
    return wins


def of_real_deals(run: Run) -> Claim:
    """Compare the floats of a short game of real deals with exact fractions."""
    tally = tally_deals(run.twin_books, run.seed, 0, 1024)
    wins = exact_wins(tally, SMALL_TARGET)
    solved = solve_sides([tally], SMALL_TARGET, None, None)[0, ..., :3].sum(-1)
    off = [solved[a, b] - float(wins[a][b]) for a, b in np.ndindex(solved.shape)]
    return exact(
        FAMILY, f"game to {SMALL_TARGET} of {tally.deals:,} real deals", "fractions",
        SMALL_TARGET**2, "cells", largest(off), bound=ROUNDING,
    )  # fmt: skip


def of_a_build() -> Claim:
    """Build the smoke table as a user does, and solve it from deals played one chunk at a time."""
    config = load_config("smoke")
    with TemporaryDirectory() as folder:
        built = build(config, out=Path(folder) / "smoke.parquet").data
    batches = batches_of(strategy_of(config).books(), config.seed, config.deals, config.chunk)
    game = config.game
    solved = solve(batches, game.target, game.skunk, game.double_skunk)
    off = [value for name in VALUES for value in (built.column(name) - solved[name]).flat]
    return exact(
        FAMILY, "smoke table, as built by workers, written and read", "its deals solved here",
        built.values.size, "values", largest(off),
    )  # fmt: skip


# --- Whole games ----------------------------------------------------------------------------------


def starts_of(run: Run) -> NDArray[np.int64]:
    """Return the scores of dealer and pone from which games are played, (n, 2).

    Those of the facts, the corners, both sides of the skunk lines, and any.
    """
    target = run.config.game.target
    starts = [(int(row["dealer_score"]), int(row["pone_score"])) for row in rows("positions")]
    last = target - 1
    starts += [(0, last), (last, 0), (0, 60), (60, 0), (30, 90), (90, 30)]
    for line in (run.config.game.skunk, run.config.game.double_skunk):
        if line is not None:
            starts += [(line, last), (line + 1, last), (last, line), (last, line + 1)]
            starts += [(line - 10, 110), (110, line - 10)]
    rng = np.random.default_rng(run.seed)
    starts += [(int(a), int(b)) for a, b in rng.integers(0, target, (22, 2))]
    inside = [start for start in dict.fromkeys(starts) if max(start) < target]
    return np.array(inside)


def of_played_games(run: Run) -> Iterator[Claim]:
    """Compare the table with whole games played event by event."""
    game = run.config.game
    starts = starts_of(run)
    each = run.size(1_000_000, 10_000)
    tasks = run.size(50, 4)
    lines = [line for line in (game.skunk, game.double_skunk) if line is not None]
    record = play_games(
        run.books, run.seed, starts, game.target, lines,
        games=each // tasks * len(starts), tasks=tasks,
    ).reshape(tasks, each // tasks, len(starts), 6)  # fmt: skip
    outcome = 3 * record[..., WINNER] + record[..., KIND]
    number = outcome.shape[0] * outcome.shape[1]
    cells = tuple(starts.T)
    counts = np.stack([(outcome == kind).sum((0, 1)) for kind in range(6)], 1)
    errors = run.dealer_errors[cells]
    yield from _of_wins(
        starts, counts[:, :3].sum(1), number, run.columns["win"][0][cells],
        run.columns["win_se"][0][cells],
    )  # fmt: skip
    table = np.stack([run.columns[name][0][cells] for name in OUTCOMES], 1)
    for kind, name in enumerate(OUTCOMES):
        yield _of_counts(
            name.replace("_", " "), starts, counts[:, kind], number, table[:, kind], errors[:, kind]
        )
    never = counts[table == 0]
    yield exact(
        FAMILY, "outcomes that the table calls impossible", "games played", len(never),
        "cells", int(never.sum()),
    )  # fmt: skip
    deals = record[..., DEALS].astype(np.float64)
    left = run.columns["deals_left"][0][cells]
    mean = deals.mean((0, 1))
    spread = np.sqrt(deals.var((0, 1)) / number + errors[:, 6] ** 2)
    # A mean wants a second deal often: seen or expected, so that neither hides the other.
    some = ~(np.maximum(left - 1, mean - 1) * number < OFTEN)
    off = (mean - left)[some]
    yield _worst(
        "deals to the end", starts[some], off, off / spread[some], number * int(some.sum())
    )


def _of_counts(
    what: str,
    starts: NDArray[np.int64],
    counts: NDArray[np.int64],
    number: int,
    chances: NDArray[np.float64],
    errors: NDArray[np.float64],
) -> Claim:
    """Compare how often something was seen from every start, however rare it is there."""
    scores = np.array(
        [
            z_of_count(int(seen), number, float(chance))
            for seen, chance in zip(counts, chances, strict=True)
        ]
    )
    # The table has errors too: they make the same difference less of a surprise.
    own = np.sqrt(chances * (1 - chances) / number)
    scores *= np.divide(own, np.hypot(own, errors), out=np.ones_like(own), where=own > 0)
    return _worst(
        f"{what}, share of games", starts, counts / number - chances, scores, number * len(starts)
    )


def _of_wins(
    starts: NDArray[np.int64],
    counts: NDArray[np.int64],
    number: int,
    chances: NDArray[np.float64],
    errors: NDArray[np.float64],
) -> Iterator[Claim]:
    """Compare the dealer's wins start by start, then how the z-scores spread."""
    yield _of_counts("dealer's wins", starts, counts, number, chances, errors)
    spread = np.sqrt(chances * (1 - chances) / number + errors**2)
    # Normal scores want wins and losses often; the claim before has the other starts too.
    some = np.minimum(chances, 1 - chances) * number >= OFTEN
    scores = (counts / number - chances)[some] / spread[some]
    statistic = float((scores**2).sum())
    within = [float((np.abs(scores) < many).mean()) for many in (1, 2)]
    normal = [2 * NormalDist().cdf(many) - 1 for many in (1, 2)]
    yield by_chance(
        FAMILY, "spread of the z-scores of wins", "a normal one", len(scores), "starts",
        max(abs(a - b) for a, b in zip(within, normal, strict=True)),
        z_of_chi_square(statistic, len(scores)),
        note=f"chi-square {statistic:.1f} of {len(scores)}; {within[0]:.0%} within 1 and "
        f"{within[1]:.0%} within 2, mean z {scores.mean():+.2f}",
        details={"z": [round(float(z), 3) for z in scores]},
    )  # fmt: skip


def _worst(
    what: str,
    starts: NDArray[np.int64],
    differences: NDArray[np.float64],
    scores: NDArray[np.float64],
    cases: int,
) -> Claim:
    worst = int(np.abs(scores).argmax())
    dealer, pone = starts[worst]
    return by_chance(
        FAMILY, what, "the table", cases, "games", largest(differences.tolist()),
        float(scores[worst]), tests=len(scores),
        note=f"{len(scores)} starts, worst dealer {dealer} pone {pone}",
    )  # fmt: skip
