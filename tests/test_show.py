"""The show: every hand there is by the kernel, and its events against the twin."""

import os
import subprocess
import sys
from collections import Counter
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import reference
from census import census_of, flushes_and_nobs, points_by_ranks
from cribodds.sim import show
from cribodds.sim.cards import CardError
from facts import rows
from reference import card_of, cards_of

# --- Every hand -----------------------------------------------------------------------------------


@pytest.mark.parametrize("column", ["hands", "cribs"])
def test_census_of_all_hands_and_starters(column: str) -> None:
    census = census_of(crib=column == "cribs")
    facts = {int(row["score"]): int(row[column]) for row in rows("hand_score_census")}
    assert dict(enumerate(census.tolist())) == facts
    assert census.sum() == 12_994_800
    totals = {"hands": 61_974_180, "cribs": 61_528_020}
    assert (census * np.arange(30)).sum() == totals[column]


@pytest.mark.parametrize("crib", [False, True])
def test_census_of_fifteens_pairs_and_runs(crib: bool) -> None:
    assert points_by_ranks(crib) == {"fifteen": 33_865_560, "pair": 15_288_000, "run": 11_304_960}


# A crib's flush is of five cards: 4 suits, 1,287 fives, each with five starters.
@pytest.mark.parametrize(("crib", "flushes"), [(False, 574_860), (True, 4 * 1287 * 5 * 5)])
def test_census_of_flushes_and_nobs(crib: bool, flushes: int) -> None:
    assert flushes_and_nobs(crib) == (flushes, 940_800)


# --- The facts and the twin -----------------------------------------------------------------------


@pytest.mark.parametrize("row", rows("hands"), ids=lambda row: " ".join(row.values()))
def test_count_and_events_agree_with_the_facts(row: dict[str, str]) -> None:
    hand, starter, crib = cards_of(row["hand"]), card_of(row["starter"]), row["is_crib"] == "1"
    assert show.count(hand, starter, crib=crib) == int(row["score"])
    events = show.score_events(hand, starter, crib=crib)
    assert sum(event.points for event in events) == int(row["score"])


Event = tuple[str, tuple[int, ...], int]
PAIRS = {1: "pair", 3: "pair royal", 6: "double pair royal"}


def twin_events(hand: list[int], starter: int, crib: bool) -> list[Event]:
    """What the twin counts, with the pairs of one rank put together as players name them."""
    scores = reference.show(hand, starter, crib)
    events = [
        (score.name, tuple(sorted(score.cards)), score.points)
        for score in scores
        if score.name != "pair"
    ]
    of_rank: dict[int, list[reference.Score]] = {}
    for score in scores:
        if score.name == "pair":
            of_rank.setdefault(reference.rank(score.cards[0]), []).append(score)
    for pairs in of_rank.values():
        cards = {card for pair in pairs for card in pair.cards}
        points = sum(pair.points for pair in pairs)
        events.append((PAIRS[len(pairs)], tuple(sorted(cards)), points))
    return sorted(events)


def some_hands(rng: Random, number: int) -> list[list[int]]:
    """Five cards each: by turns any, of few ranks, of one suit and a bit, with jacks."""
    deck = range(52)
    decks = []
    for _ in range(number // 4):
        low = rng.randrange(9)
        suit = rng.randrange(4)
        near = [card for card in deck if low <= reference.rank(card) < low + 5]
        suited = [card for card in deck if reference.suit(card) == suit or rng.random() < 0.03]
        jacks = [card for card in deck if reference.rank(card) == reference.JACK]
        decks += [list(deck), near, suited, [*rng.sample(deck, 4), *jacks]]
    return [rng.sample(sorted(set(cards)), 5) for cards in decks]


def test_events_count_and_twin_agree() -> None:
    seen: Counter[str] = Counter()
    hands = some_hands(Random(121), 8_000)
    counts = {
        crib: show.count_all(
            np.array([five[:4] for five in hands]), np.array([five[4] for five in hands]), crib=crib
        )
        for crib in (False, True)
    }
    for crib in (False, True):
        for (*hand, starter), count in zip(hands, counts[crib].tolist(), strict=True):
            expected = twin_events(hand, starter, crib)
            events = show.score_events(hand, starter, crib=crib)
            assert sorted((e.name, tuple(sorted(e.cards)), e.points) for e in events) == expected
            assert count == sum(points for *_, points in expected)
            seen.update(f"{name} {points} {crib}" for name, _, points in expected)
    kinds = {"fifteen 2", "pair 2", "pair royal 6", "double pair royal 12", "nobs 1", "flush 5"}
    kinds |= {"run 3", "run 4", "run 5"}
    assert set(seen) == {f"{kind} {crib}" for kind in kinds for crib in (False, True)} | {
        "flush 4 False"
    }
    assert min(seen.values()) >= 20


def test_the_order_of_the_cards_does_not_matter() -> None:
    rng = Random(29)
    for *hand, starter in some_hands(rng, 400):
        shuffled = rng.sample(hand, 4)
        assert show.count(shuffled, starter) == show.count(hand, starter)
        events = [
            {(e.name, tuple(sorted(e.cards))) for e in show.score_events(cards, starter)}
            for cards in (hand, shuffled)
        ]
        assert events[0] == events[1]


@pytest.mark.parametrize(
    ("hand", "starter"), [("AC 2C 3C", "4C"), ("AC 2C 3C 4C", "4C"), ("AC AC 3C 4C", "5C")]
)
def test_hands_that_cannot_be_are_refused(hand: str, starter: str) -> None:
    for counted in (show.count, show.score_events):
        with pytest.raises(CardError, match=r"expected 4 cards|there twice"):
            counted(cards_of(hand), card_of(starter))


def test_all_throws_and_starters_of_a_hand_are_counted_as_the_hands_they_leave() -> None:
    rng = Random(46)
    hands = [sorted(rng.sample(range(52), 6)) for _ in range(60)]
    hands += [[4 * r + 1 for r in range(5, 11)], [40, 41, 42, 43, 50, 51], [0, 1, 2, 3, 16, 17]]
    hands.append([30, 34, 38, 42, 46, 50])  # its first card follows all of the hand before
    counts = show.count_throws(np.array(hands, np.uint8))
    assert counts.shape == (len(hands), 15, 46)
    for hand, by_throw in zip(hands, counts, strict=True):
        starters = [card for card in range(52) if card not in hand]
        for throw, by_starter in zip(combinations(hand, 2), by_throw, strict=True):
            keep = [card for card in hand if card not in throw]
            assert by_starter.tolist() == [show.count(keep, starter) for starter in starters]


@pytest.mark.parametrize(
    "hand", [[0, 1, 2, 3, 4], [0, 1, 2, 3, 4, 52], [0, 1, 2, 3, 5, 4], [0] * 6], ids=str
)
def test_throws_of_impossible_hands_are_refused(hand: list[int]) -> None:
    with pytest.raises(CardError, match="expected"):
        show.count_throws(np.array([hand], np.uint8))


def test_the_points_by_ranks_are_a_table_that_nobody_can_spoil() -> None:
    points = show.rank_points()
    assert points.shape == (1820, 16)  # sixteen columns: a row is 16 bytes, as its docstring says
    with pytest.raises(ValueError, match="read-only"):
        points[0, 0] = 1


def test_cards_are_a_hand_unless_they_are_called_a_crib() -> None:
    hand, starter = cards_of("2H 6H 9H QH"), card_of("4S")
    assert show.count(hand, starter) == show.count(hand, starter, crib=False) == 8
    assert show.count_all(np.array([hand]), np.array([starter])).tolist() == [8]
    assert "flush" in {event.name for event in show.score_events(hand, starter)}


@pytest.mark.parametrize(
    ("card", "dtype"),
    [(52, np.uint8), (255, np.uint8), (256, np.int64), (-1, np.int64), (-1, np.int8), (4.5, float)],
)
def test_cards_that_do_not_exist_are_refused_before_they_become_others(
    card: float, dtype: Any
) -> None:
    cards = np.array([[0, 4, 8, 12]])
    wrong: NDArray[Any] = np.array([[0, 4, 8, card]], dtype)
    with pytest.raises(CardError, match="expected cards as whole numbers"):
        show.count_all(wrong, np.array([16]))
    with pytest.raises(CardError, match="expected cards as whole numbers"):
        show.count_all(cards, np.array([card], dtype))
    with pytest.raises(CardError, match="expected cards as whole numbers"):
        show.count_throws(np.array([[0, 4, 8, 12, 16, card]], dtype))


@pytest.mark.parametrize("shape", [(2, 3), (2, 5), (1, 4), (3, 4), (8,)])
def test_hands_of_other_shapes_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(CardError, match=r"expected \(2, 4\) cards"):
        show.count_all(np.zeros(shape, np.uint8), np.zeros(2, np.uint8))


@pytest.mark.parametrize("place", range(5))
def test_a_card_past_the_deck_is_refused(place: int) -> None:
    five = np.arange(5, dtype=np.uint8)
    five[place] = 52
    with pytest.raises(CardError, match=r"whole numbers 0\.\.51, got 52"):
        show.count_all(five[None, :4], five[4:])


def test_no_hands_have_no_counts() -> None:
    assert show.count_all(np.zeros((0, 4), np.uint8), np.zeros(0, np.uint8)).tolist() == []
    assert show.count_throws(np.zeros((0, 6), np.uint8)).shape == (0, 15, 46)


@pytest.mark.parametrize("shape", [(6,), (1, 5), (1, 7), (1, 6, 1), (1, 6, 6)])
def test_throws_of_hands_of_other_shapes_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(CardError, match=r"expected hands of shape \(n, 6\)"):
        show.count_throws(np.arange(np.prod(shape), dtype=np.uint8).reshape(shape))


def test_without_the_compiler_kernels_are_plain_python() -> None:
    """`NUMBA_DISABLE_JIT=1` is how code is traced and its coverage measured."""
    program = "from cribodds.sim.show import count; print(count([16, 17, 18, 43], 19, crib=False))"
    plain = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True, env=plain
    )
    assert done.stdout == "29\n"
