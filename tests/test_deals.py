"""Whole deals: the simulator's cards, throws, plays, counts and tallies against the twin."""

import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

import reference
import reference_strategy as strategy
from cribodds.sim.book import Books
from cribodds.sim.deal import drawn_cards, tally_deals
from cribodds.sim.replay import replay
from cribodds.sim.rng import random_bits
from cribodds.sim.strategy import Strategy
from cribodds.sim.tally import DEALER_POINTS, PONE_POINTS
from reference import DEALER, PONE, rank
from twin_deals import (
    KINDS,
    cards_of,
    compare_events,
    compare_tallies,
    deal_by_book,
    kinds_of,
    random_bits_of,
    rare_deals,
    tally_of,
)

SEED = 121
PLAIN = 8_000
STRATEGY = Strategy("look-ahead", 4)
PLAYER = strategy.chooser(strategy.look_ahead)


@pytest.fixture(scope="module")
def books() -> Books:
    return STRATEGY.books()


# --- The cards of a deal --------------------------------------------------------------------------


def test_random_bits_are_splitmix64() -> None:
    published = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    places = range(len(published))
    assert [random_bits_of(1234567, place) for place in places] == published
    assert [int(random_bits(np.uint64(1234567), np.uint64(place))) for place in places] == published


@pytest.mark.parametrize("seed", [0, 1, SEED, 2**64 - 1])
@pytest.mark.parametrize("first", [0, 10**9, 2**60])
def test_cards_of_a_deal_hang_on_seed_and_number_alone(seed: int, first: int) -> None:
    deals = drawn_cards(seed, first, 600)  # more than one block of the simulator
    assert deals.tolist() == [cards_of(seed, first + i) for i in range(600)]
    assert drawn_cards(seed, first + 599, 1).tolist() == [deals[599].tolist()]
    assert all(len(set(deal)) == 13 for deal in deals.tolist())


# --- The tally of deals by the twin ---------------------------------------------------------------


def test_the_tally_of_one_deal_by_hand() -> None:
    """Heels 2, the pone pegs 1, the dealer 3, the pone's hand 2, the dealer's 0, the crib 1."""
    scored = [(1, "heels", 2), (0, "play", 1), (1, "play", 3), (0, "hand", 2), (1, "crib", 1)]
    steps = [reference.Step(seat, part, None, [("", points)]) for seat, part, points in scored]
    tally = tally_of([steps])
    assert np.argwhere(tally.dealer_first).tolist() == [
        [1, 0],
        [2, 0],
        [3, 1],
        [4, 1],
        [5, 1],
        [6, 3],
    ]
    assert np.argwhere(tally.pone_first).tolist() == [[1, 2], [2, 5], [3, 5]]
    assert np.argwhere(tally.totals).tolist() == [[6, 3]]
    assert tally.points.tolist() == [1, 2, 2, 3, 0, 1]
    assert tally.totals.shape == (DEALER_POINTS, PONE_POINTS)


# --- The comparison -------------------------------------------------------------------------------


def test_deals_agree_with_the_twin_event_by_event(books: Books) -> None:
    seen: Counter[str] = Counter()
    batch = 50
    for first in range(0, PLAIN, batch):
        deals = [
            compare_events(books, number, cards_of(SEED, number), PLAYER)
            for number in range(first, first + batch)
        ]
        compare_tallies(tally_deals(books, SEED, first, batch), tally_of(deals))
        seen.update(kind for steps in deals for kind in kinds_of(steps))
    for number in rare_deals(SEED):
        steps = compare_events(books, number, cards_of(SEED, number), PLAYER)
        compare_tallies(tally_deals(books, SEED, number, 1), tally_of([steps]))
        seen.update(kinds_of(steps))
    assert set(seen) >= KINDS
    assert min(seen.values()) >= 3  # runs of seven in the play are the rarest


def test_a_deal_told_again_is_the_deal_of_the_twin(books: Books) -> None:
    for number in range(300):
        hands, starter, throws = deal_by_book(books, cards_of(SEED, number))
        steps = reference.play_deal(hands, starter, throws, (PLAYER, PLAYER))
        told = replay(STRATEGY, books, SEED, number)
        assert [list(hand) for hand in told.hands] == hands
        assert [list(throw) for throw in told.throws] == throws
        assert told.starter == starter
        play = [
            (step.seat, rank(step.card), step.points)
            for step in steps
            if step.part == "play" and step.card is not None
        ]
        assert play == [
            (lay.seat, rank(card), lay.points + lay.go)
            for lay, card in zip(told.lays, told.laid, strict=True)
        ]
        for events, step in zip(told.counts, steps[-3:], strict=True):
            assert sum(event.points for event in events) == step.points
        assert told.heels == sum(step.points for step in steps if step.part == "heels")
        assert told.totals() == tuple(
            sum(step.points for step in steps if step.seat == seat) for seat in (PONE, DEALER)
        )


def test_the_first_deal_compiles_what_books_from_the_cache_need() -> None:
    """Arrays that cannot be written are another type to the compiler: it would compile again."""
    program = """
from cribodds.sim import deal
from cribodds.sim.strategy import Strategy
kernels = [kernel for kernel in vars(deal).values() if hasattr(kernel, "signatures")]
deal.first_deal()
compiled = [len(kernel.signatures) for kernel in kernels]
deal.tally_deals(Strategy("look-ahead", 4).books(), 0, 0, 1)
assert [len(kernel.signatures) for kernel in kernels] == compiled, kernels
assert max(compiled) == 1, compiled
"""
    subprocess.run([sys.executable, "-c", program], check=True)
