"""The solved play: no opponent gains from it, it fits its throws, and the books play it."""

from collections.abc import Iterator
from random import Random
from statistics import fmean, stdev

import numpy as np

from best_response_twin import KEEPS, History, Keep, best_value, draw_keeps, followed_value
from cribodds.analysis.play_strength import (
    LaidPlay,
    count_books,
    lay_play,
    lead_chances,
    play_values,
    seats_averaged,
)
from cribodds.analysis.whole_games import effect_of_books
from cribodds.sim import rules
from cribodds.sim.discards import UNIT, Opponent, compile_discards
from cribodds.sim.equilibrium import best_response, cfr
from cribodds.sim.equilibrium.own_path import MOST_BOOKS
from cribodds.sim.equilibrium.policy import Policy, priors_digest
from cribodds.sim.equilibrium.rounds import Equilibrium, load_equilibrium
from cribodds.sim.equilibrium.sweep import BEST, FOLLOW
from cribodds.sim.observation import Observation
from cribodds.sim.sources import SHIPPED
from cribodds.sim.strategy import Strategy

from .claim import Claim, exact
from .run import Run, plain_throws

FAMILY = "equilibrium"
# Points a deal: what a best response may gain of the stored play, both seats together; how far
# the mean of the books' play may be from that of the mixed play.
EXPLOITABLE = 0.001
BOOKS_OFF = 0.001
# What a best response may gain of the pure books, each of which a hand alone decides.
BOOKS_EXPLOITABLE = 0.01
# How far the last round may have moved: points that a keep earns, root mean square, and the
# share of throws, by their ranks.
WORTH_MOVED = 0.1
THROWS_MOVED = 0.1
# What spreading the play over so few books may do to a cell of the table.
CELL_OFF = 1e-4
# Published values of solved and of heuristic play; see docs/strength.md.
VALUE_PLAIN = 1.245
GREEDY_VALUE = 1.44
OVER_LOOK_AHEAD = 0.27


def claims(run: Run) -> Iterator[Claim]:
    """What holds of the strategy of the table, if its play is solved."""
    if run.strategy.card_play != "equilibrium":
        return
    # As it comes with the code: what did not fit would be solved anew, and not be noticed.
    found = load_equilibrium(SHIPPED / f"equilibrium-{run.strategy.discard_rounds}")
    _, own = compile_discards(found.opponent, found.worth)
    policy = found.policy
    played = best_response.game(*own.keeps)
    yield exact(
        FAMILY, "keeps that the play is solved for", "those that the throws leave, all hands",
        2 * len(KEEPS), "keeps", float(policy.provenance.priors != priors_digest(*own.keeps)),
    )  # fmt: skip
    play = policy.on_tree()
    measured = best_response.exploitability(played, play, play)
    yield exact(
        FAMILY, "what best responses gain of the stored play", "nothing", 2 * len(KEEPS),
        "own keeps", measured.total, bound=EXPLOITABLE,
        note=f"value to the dealer {measured.value:+.4f}",
    )  # fmt: skip
    yield from of_the_throws(found, played, own)
    yield from by_the_twin(run, policy, played, [each.tolist() for each in own.keeps])
    yield from of_the_books(run, played, own.keeps)
    yield from of_the_value(run, own.keeps)


def of_the_throws(found: Equilibrium, played: best_response.Game, own: Opponent) -> Iterator[Claim]:
    """Compare what the throws were chosen by with what came of them: the last round moved little.

    The rounds before are not at hand, so this is all that can be said of their figures.
    """
    play = found.policy.on_tree()
    earned = np.stack(
        [
            best_response.keep_values(
                played, best_response.job_for(played, seat, FOLLOW, play, play)
            )
            for seat in (rules.PONE, rules.DEALER)
        ]
    )
    made = own.keeps > 0
    yield exact(
        FAMILY, "what keeps earn in the play, as stored", "both following it on the tree",
        int(made.sum()), "keeps", float(np.abs(found.policy.worth - earned)[made].max()),
        bound=1e-5,
    )  # fmt: skip
    moved = found.worth / UNIT - earned
    weights = own.keeps / own.keeps.sum()
    yield exact(
        FAMILY, "what keeps earn, as the throws weigh it", "in the play solved for those throws",
        int(made.sum()), "keeps", float(np.sqrt((weights * moved**2).sum())), bound=WORTH_MOVED,
        note="root mean square, points, over keeps as they come",
    )  # fmt: skip
    shares = [each / each.sum(1, keepdims=True) for each in (found.opponent.throws, own.throws)]
    apart = np.abs(shares[0] - shares[1]).sum(1) / 2
    yield exact(
        FAMILY, "throws that each seat reckons with", "those that the other makes",
        own.throws.size, "throws by rank", float(apart.max()), bound=THROWS_MOVED,
        note="the share of all throws that is elsewhere, the larger of both seats",
    )  # fmt: skip


def by_the_twin(
    run: Run, policy: Policy, played: best_response.Game, keeps: list[list[int]]
) -> Iterator[Claim]:
    """Compare best responses with a slow search that knows the rules and what a player sees."""

    def chances(keep: Keep, seat: int, laid: History) -> list[float]:
        return policy.probabilities(Observation(seat, keep, laid))

    hands = run.size(24, 2)
    priors = [dict(zip(KEEPS, each, strict=True)) for each in keeps]
    play = policy.on_tree()
    off: list[float] = []
    gains, error = 0.0, 0.0
    for seat in (rules.PONE, rules.DEALER):
        job = best_response.job_for(played, seat, BEST, play, play)
        solved = best_response.keep_values(played, job)
        here = []
        for keep in draw_keeps(seat, priors, hands, Random(run.seed + seat)):
            best = best_value(seat, keep, chances, priors[1 - seat])
            off.append(abs(best - float(solved[KEEPS.index(keep)])))
            here.append(best - followed_value(seat, keep, chances, priors[1 - seat]))
        gains += fmean(here)
        error += stdev(here) ** 2 / hands
    yield exact(
        FAMILY, "best response to the stored play, hand by hand", "the slow twin's", 2 * hands,
        "own keeps drawn", float(np.max(off)), bound=1e-5,
    )  # fmt: skip
    yield exact(
        FAMILY, "what the slow twin's best responses gain", "nothing", 2 * hands,
        "own keeps drawn", gains, bound=EXPLOITABLE,
        note=f"{gains:.5f} +- {error**0.5:.5f} points a deal, both seats",
    )  # fmt: skip


def of_the_books(run: Run, played: best_response.Game, keeps: np.ndarray) -> Iterator[Claim]:
    """Compare the pure books of the simulator with the mixed play that they stand for."""
    laid = lay_play(run.strategy)
    many = run.strategy.play_books
    [books] = count_books(played, laid, keeps, [many])
    yield exact(
        FAMILY, f"mean of the play over {many} pure books", "the mixed play's", 2, "seats",
        float(np.abs([books.pone, books.dealer, books.value]).max()), bound=BOOKS_OFF,
    )  # fmt: skip
    yield exact(
        FAMILY, f"what best responses gain of the {many} pure books", "nothing", 2 * len(KEEPS),
        "own keeps", books.exploitability, bound=BOOKS_EXPLOITABLE,
    )  # fmt: skip
    leads = lead_chances(run.config.name, played, laid)
    yield exact(
        FAMILY, "leads of a five", "never", len(KEEPS), "keeps", leads.led[4], bound=2e-4,
        note="a part of all deals: from hands of fives, or nearly",
    )  # fmt: skip
    if not run.quick:
        yield of_the_cells(run, laid)


def of_the_cells(run: Run, laid: LaidPlay) -> Claim:
    """Compare the table with one whose play is spread over twice as many books, and otherwise."""
    many = run.strategy.play_books
    config = run.config.model_copy(
        update={"deals": 4 * run.config.deals, "chunk": 4 * run.config.chunk}
    )
    [gap] = effect_of_books(run.config.name, run.books, laid, [many], MOST_BOOKS, config, run.jobs)
    worst = max((gap.most, gap.least), key=lambda cell: abs(cell.difference.value))
    return exact(
        FAMILY, f"cells of the table, {many} pure books", f"{MOST_BOOKS} others, the same deals",
        run.config.game.target**2, "cells", abs(worst.difference.value), bound=CELL_OFF,
        note=f"chance has a part: at {worst.dealer}-{worst.pone}, error {worst.difference.se:.1e}; "
        f"root mean square {gap.root_mean_square:.1e}",
    )  # fmt: skip


def of_the_value(run: Run, keeps: np.ndarray) -> Iterator[Claim]:
    """Compare values of the play with those of other programs: solved, greedy, one card ahead."""
    mixed, ahead, greedy = (
        Strategy(kind, run.strategy.discard_rounds)
        for kind in (run.strategy.card_play, "look-ahead", "greedy")
    )
    played = best_response.game(*keeps)
    values = play_values(played, [lay_play(each) for each in (mixed, ahead)])
    over = seats_averaged(values)[0, 1]
    yield exact(
        FAMILY, "solved play over look-ahead play, mean of the seats", "another program", 1,
        "values", abs(over - OVER_LOOK_AHEAD), bound=0.04, note=f"{over:.4f} and {OVER_LOOK_AHEAD}",
    )  # fmt: skip
    own = best_response.game(*greedy.books().keeps)
    value = play_values(own, [lay_play(greedy)])[0, 0]
    yield exact(
        FAMILY, "greedy play against itself, to the dealer", "another program", 1, "values",
        abs(value - GREEDY_VALUE), bound=0.08,
        note=f"{value:+.4f} and +{GREEDY_VALUE}: which of equal cards is laid is not the same",
    )  # fmt: skip
    if run.quick:
        return
    _, opponent = plain_throws()
    solved = cfr.solve(*opponent.keeps, target=0.002, progress=False)
    value = solved.exploitability.value
    yield exact(
        FAMILY, "solved play, throws without the play's worth", "another solver", 1, "values",
        abs(value / VALUE_PLAIN - 1), bound=0.01, note=f"{value:+.4f} and +{VALUE_PLAIN}",
    )  # fmt: skip
