"""Whole deals by the slow twin, event by event, with what they held counted."""

from collections import Counter
from collections.abc import Iterator

from cribodds.sim.deal import tally_deals
from cribodds.sim.strategy import Strategy
from twin_deals import (
    KINDS,
    Differs,
    cards_of,
    compare_events,
    compare_tallies,
    kinds_of,
    player_of,
    rare_deals,
    tally_of,
)

from .claim import Claim, exact
from .run import Run

FAMILY = "twin"
BATCH = 250


def compare(played: Strategy, seed: int, deals: list[int]) -> tuple[Counter[str], list[str]]:
    """Play deals by the twin against the kernels; return kinds of events, and differences.

    Runs of deals that follow one another are tallied together.
    """
    books = played.books()
    seen: Counter[str] = Counter()
    differences = []
    in_a_row = deals == list(range(deals[0], deals[0] + len(deals)))
    for some in [deals] if in_a_row else [[deal] for deal in deals]:
        try:
            steps = [
                compare_events(books, number, cards_of(seed, number), player_of(played, number))
                for number in some
            ]
            compare_tallies(tally_deals(books, seed, some[0], len(some)), tally_of(steps))
        except (Differs, ValueError) as difference:
            differences.append(f"deals {some[0]} to {some[-1]}: {difference}")
        else:
            seen.update(kind for each in steps for kind in kinds_of(each))
    return seen, differences


def in_batches(number: int) -> list[list[int]]:
    """Return the first deals in runs that are tallied together."""
    return [list(range(first, first + BATCH)) for first in range(0, number, BATCH)]


def claims(run: Run) -> Iterator[Claim]:
    """Plain deals, deals picked for what is rare, the table's own, then how often events came."""
    _ = run.twin_books, run.books  # compiled once, before the workers ask for them
    rare = rare_deals(run.seed)
    parts: list[tuple[str, Strategy, list[list[int]]]] = [
        ("deals as they come", run.twin_strategy, in_batches(run.size(1_000_000, 10_000))),
        ("rare deals", run.twin_strategy, [rare[part :: run.jobs] for part in range(run.jobs)]),
    ]
    if run.strategy != run.twin_strategy:
        words = f"deals of {run.strategy.card_play} play, asked card by card"
        parts.append((words, run.strategy, in_batches(run.size(50_000, 1_000))))
    seen: Counter[str] = Counter()
    for words, played, deals in parts:
        cases = sum(map(len, deals))
        found = run.over_cores(compare, [(played, run.seed, some) for some in deals])
        wrong = [difference for _, differences in found for difference in differences]
        seen += sum((kinds for kinds, _ in found), Counter())
        yield exact(
            FAMILY, f"{words}: every event, its order and the tally", "the kernels", cases, "deals",
            len(wrong), note=wrong[0] if wrong else "", details={"differences": wrong[:20]},
        )  # fmt: skip
    missing = sorted(KINDS - set(seen))
    rarest = min(seen, key=lambda kind: seen[kind])
    note = f"rarest: {rarest}, {seen[rarest]:,} deals" + (f"; missing: {missing}" * bool(missing))
    yield exact(
        FAMILY, "kinds of events in those deals", "all that there are", len(KINDS), "kinds",
        len(missing), note=note, details=dict(seen),
    )  # fmt: skip
