"""Whole deals by the slow twin, held event by event to what books and kernels make of them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

import reference
import reference_strategy as strategy
from cribodds.sim import show
from cribodds.sim.book import Books
from cribodds.sim.cards import hand_number
from cribodds.sim.deal import drawn_cards
from cribodds.sim.numbering import KEEPS
from cribodds.sim.observation import Observation
from cribodds.sim.strategy import Strategy
from cribodds.sim.tally import SOURCES, Tally
from reference import DEALER, PONE, rank

RULES: dict[str, strategy.CardRule] = {
    "greedy": strategy.greedy,
    "look-ahead": strategy.look_ahead,
}
"""The twin's rule for each kind of card play that it knows."""


def player_of(played: Strategy, number: int) -> reference.Chooser:
    """Who plays deal ``number`` for the twin: its own rule, if it knows one, else the strategy.

    A strategy is asked card by card, by what the player sees, for the book that is the deal's.
    """

    def asked(ranks: Sequence[int], seat: int, history: strategy.History) -> int:
        seen = Observation(seat, tuple(sorted(ranks)), tuple(history))
        return played.choose_card(seen, number % played.play_books)

    return strategy.chooser(RULES.get(played.card_play, asked))


class Differs(AssertionError):
    """Twin and kernels disagree; the message says about what."""


# --- The cards of a deal --------------------------------------------------------------------------


def random_bits_of(seed: int, place: int) -> int:
    """SplitMix64 in plain Python."""
    mask = 2**64 - 1
    z = seed + (place + 1) * 0x9E3779B97F4A7C15 & mask
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
    z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
    return z ^ z >> 31


def cards_of(seed: int, deal: int) -> list[int]:
    """The thirteen cards of a deal: each half of a random number picks a card of those left."""
    halves = []
    for place in range(7):
        bits = random_bits_of(seed, 7 * deal + place)
        halves += [bits >> 32, bits & 0xFFFFFFFF]
    left = list(range(52))
    pone = sorted(left.pop(half * len(left) >> 32) for half in halves[:6])
    dealer = sorted(left.pop(half * len(left) >> 32) for half in halves[6:12])
    return [*pone, *dealer, left.pop(halves[12] * len(left) >> 32)]


# --- One deal by the twin, and by the books -------------------------------------------------------

Deal: TypeAlias = tuple[list[list[int]], int, list[list[int]]]
"""Six cards by seat, the starter, the throws by seat."""


def deal_by_book(books: Books, cards: Sequence[int]) -> Deal:
    hands = [sorted(cards[:6]), sorted(cards[6:12])]
    throws = []
    for seat, hand in enumerate(hands):
        number = int(books.discards[hand_number(hand)]) >> 4 * seat & 15
        throws.append([hand[place] for place in strategy.THROWS[number]])
    return hands, cards[12], throws


def play_by_book(books: Books, number: int, deal: Deal) -> list[tuple[int, int]]:
    """(seat, points) of the play, as the books have it."""
    hands, _, throws = deal
    pone, dealer = (
        strategy.NUMBER_OF_KEEP[tuple(rank(card) for card in reference.keep_of(hand, throw))]
        for hand, throw in zip(hands, throws, strict=True)
    )
    sequence = books.sequences[books.plays[number % len(books.plays), KEEPS * pone + dealer]]
    return [(int(event) >> 7, int(event) & 127) for event in sequence if event]


def deal_by_twin(deal: Deal, player: reference.Chooser) -> list[reference.Step]:
    hands, starter, throws = deal
    return reference.play_deal(hands, starter, throws, (player, player))


def compare_events(
    books: Books, number: int, cards: Sequence[int], player: reference.Chooser
) -> list[reference.Step]:
    """Play one deal by the twin, hold play and show to the books and kernels, and return it.

    The simulator knows heels in its tally alone: `compare_tallies` sees them, and the order.
    Raises Differs, or ValueError if the twin stops the play.
    """
    deal = deal_by_book(books, cards)
    hands, starter, throws = deal
    steps = deal_by_twin(deal, player)
    keeps = [reference.keep_of(hand, throw) for hand, throw in zip(hands, throws, strict=True)]
    expected = [
        *((seat, "play", points) for seat, points in play_by_book(books, number, deal)),
        (PONE, "hand", show.count(keeps[PONE], starter)),
        (DEALER, "hand", show.count(keeps[DEALER], starter)),
        (DEALER, "crib", show.count([*throws[PONE], *throws[DEALER]], starter, crib=True)),
    ]
    scored = [
        (step.seat, step.part, step.points)
        for step in steps
        if (step.points or step.part != "play") and step.part != "heels"
    ]
    if scored != expected:
        raise Differs(f"deal {number}: the twin scores {scored}, the kernels {expected}")
    return steps


# --- The tally of deals by the twin ---------------------------------------------------------------


def tally_of(deals: Iterable[Sequence[reference.Step]]) -> Tally:
    """What the simulator keeps of deals, from the twin's events: point by point, in their order."""
    tally = Tally.empty()
    number = 0
    for steps in deals:
        number += 1
        board = [0, 0]
        for step in steps:
            reached = (tally.pone_first, tally.dealer_first)[step.seat]
            for _ in range(step.points):
                board[step.seat] += 1
                reached[board[step.seat], board[1 - step.seat]] += 1
            tally.points[SOURCES.index(source_of(step))] += step.points
        tally.totals[board[DEALER], board[PONE]] += 1
    return Tally(number, tally.totals, tally.dealer_first, tally.pone_first, tally.points)


def source_of(step: reference.Step) -> str:
    if step.part in {"heels", "crib"}:
        return step.part
    return f"{reference.SEATS[step.seat]}_{'pegs' if step.part == 'play' else 'hand'}"


def compare_tallies(ours: Tally, twins: Tally) -> None:
    """Raise Differs unless both hold the same."""
    if ours.deals != twins.deals:
        raise Differs(f"{ours.deals} deals and {twins.deals}")
    for name in ("totals", "dealer_first", "pone_first", "points"):
        cells = np.argwhere(getattr(ours, name) != getattr(twins, name))
        if len(cells):
            raise Differs(f"{len(cells)} cells of {name}, the first {cells[0].tolist()}")


# --- Which deals, and what they must have had -----------------------------------------------------


def rare_deals(seed: int) -> list[int]:
    """Numbers of deals, of a million, whose cards make likely what is seldom seen."""
    decks = drawn_cards(seed, 0, 1_000_000)
    ranks, suits = decks >> 2, decks & 3
    pone, dealer = ranks[:, :6], ranks[:, 6:12]
    alike = [((pone == each).sum(1) == 2) & ((dealer == each).sum(1) == 2) for each in range(13)]
    picked = {
        "two of a low rank against two": np.any(alike[:7], axis=0),
        "low cards everywhere": (ranks[:, :12] < 6).sum(1) >= 10,
        "a low straight": np.all([(ranks[:, :12] == each).any(1) for each in range(8)], axis=0),
        "one suit everywhere": (suits[:, :, None] == range(4)).sum(1).max(1) >= 9,
        "four alike": np.any([(pone == each).sum(1) == 4 for each in range(13)], axis=0),
        "few tens": (ranks[:, :12] >= 9).sum(1) <= 1,
    }
    return [number for kind in picked.values() for number in np.flatnonzero(kind)[:400].tolist()]


PAIRS_TOGETHER = {2: "two pairs", 3: "three alike", 4: "three and two alike", 6: "four alike"}
RUNS_TOGETHER = {2: "double run", 3: "triple run", 4: "double double run"}
"""What so many pairs, or runs, in one hand are."""

KINDS = {
    "heels: heels 2",
    "play: fifteen 2",
    "play: thirty-one 2",
    "play: pair 2",
    "play: pair royal 6",
    "play: double pair royal 12",
    *(f"play: run {cards}" for cards in range(3, 8)),
    "play: go 1",
    "play: last card 1",
    "play: 31 with the last card",
    "play: two cards in a row",
    "play: two cards against a player who is out",
    "pone's hand: flush 4",
    "dealer's hand: flush 4",
    *(
        f"{part}: {kind}"
        for part in ("pone's hand", "dealer's hand", "crib")
        for kind in (
            *("fifteen 2", "pair 2", "run 3", "run 4", "run 5", "flush 5", "nobs 1"),
            *PAIRS_TOGETHER.values(),
            *RUNS_TOGETHER.values(),
        )
    ),
}
"""The kinds of events that the compared deals must have had."""


def kinds_of(steps: Sequence[reference.Step]) -> set[str]:
    """The kinds of events in a deal."""
    kinds = set()
    for step in steps:
        part = f"{reference.SEATS[step.seat]}'s hand" if step.part == "hand" else step.part
        kinds |= {f"{part}: {why} {points}" for why, points in step.reasons}
        if step.part in {"hand", "crib"}:
            names = Counter(why for why, _ in step.reasons)
            kinds |= {f"{part}: {PAIRS_TOGETHER[n]}" for n in (names["pair"],) if n > 1}
            kinds |= {f"{part}: {RUNS_TOGETHER[n]}" for n in (names["run"],) if n > 1}
    play = [step for step in steps if step.part == "play"]
    seats = "".join(str(step.seat) for step in play)
    if "00" in seats or "11" in seats:
        kinds.add("play: two cards in a row")
    if seats.endswith(("011", "100")):
        kinds.add("play: two cards against a player who is out")
    if ("thirty-one", 2) in play[-1].reasons:
        kinds.add("play: 31 with the last card")
    return kinds
