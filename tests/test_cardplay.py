"""The choice of a card: the compiled rules against the twin, and what they may look at."""

from collections import Counter
from itertools import pairwise
from random import Random

import numpy as np
import pytest

import reference
import reference_strategy as strategy
from cribodds.sim.cardplay import KINDS, lay_out
from cribodds.sim.numbering import KEEP_RANKS, KEEPS
from cribodds.sim.observation import Observation
from cribodds.sim.strategy import Strategy
from dealing import two_keeps
from reference import DEALER, PONE, rank
from twin_deals import RULES

COMPILED = {name: Strategy(name, 1) for name in RULES}


def laid_out(rule: str, keeps: list[list[int]]) -> list[tuple[int, int, int]]:
    """(seat, rank, points) of the eight cards by the kernel, from the ranks of both keeps."""
    counts = np.array([np.bincount(keep, minlength=13) for keep in keeps], np.uint8)
    seats, ranks, points = np.empty((3, 8), np.int8)
    lay_out(KINDS[rule], counts, 0, seats, ranks, points)
    return list(zip(seats.tolist(), ranks.tolist(), points.tolist(), strict=True))


# --- Position by position -------------------------------------------------------------------------


def compare_choices(rng: Random, seen: Counter[str]) -> reference.Chooser:
    """A player who lays any legal card, having compared what twin and kernels would lay."""

    def choose(keep: tuple[int, ...], seat: int, laid: list[tuple[int, int]]) -> int:
        ranks = tuple(map(rank, keep))
        history = tuple((player, rank(card)) for player, card in laid)
        view = strategy.observe(ranks, seat, history)
        legal = sorted({card for card in view.mine if strategy.fits(card, view.series)})
        if len(legal) > 1:
            observation = Observation(seat, ranks, history)
            compare_views(observation, view)
            for name, compiled in COMPILED.items():
                assert compiled.choose_card(observation) == RULES[name](ranks, seat, history)
            seen.update(kinds_of(view, legal))
        chosen = rng.choice(legal)
        left = [card for card in keep if (seat, card) not in laid]
        return next(card for card in left if rank(card) == chosen)

    return choose


def compare_views(observation: Observation, view: strategy.View) -> None:
    assert observation.held.tolist() == [view.mine.count(card) for card in range(13)]
    assert list(observation.series) == view.series
    assert observation.count == reference.the_count(view.series)
    assert observation.opponent_cards == view.cards_left
    if view.cards_left:
        assert observation.unseen.tolist() == view.unseen
        assert observation.opponent_passed == view.said_go


def kinds_of(view: strategy.View, legal: list[int]) -> set[str]:
    """What is worth counting in a position: what can be scored in it, and what is known."""
    reasons = {
        f"{why} {points}"
        for card in legal
        for why, points in reference.score_of_card([*view.series, card], 0)
    }
    facts = {
        "a choice": True,
        "a lead": not view.series,
        "a go in this series": view.said_go and view.cards_left > 0,
        "a go in an earlier series": not view.series and not all(view.unseen),
        "the opponent is out": view.cards_left == 0,
        "four of a rank gone": any(view.series.count(card) == 4 for card in range(13)),
        "six or more in the series": len(view.series) >= 6,
    }
    return reasons | {name for name, holds in facts.items() if holds}


def test_choices_agree_with_the_twin_where_any_card_may_have_been_laid() -> None:
    rng = Random(2)
    seen: Counter[str] = Counter()
    number = 0
    while seen["a choice"] < 20_000:
        player = compare_choices(rng, seen)
        reference.the_play(two_keeps(rng, number), (player, player))
        number += 1
    kinds = {"fifteen 2", "thirty-one 2", "pair 2", "pair royal 6", "double pair royal 12"}
    assert set(seen) >= kinds | {f"run {cards}" for cards in range(3, 7)}
    assert min(seen.values()) >= 5


# --- Whole plays ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("rule", "plays"), [("greedy", 2_000), ("look-ahead", 2_000)])
def test_plays_agree_with_the_twin(rule: str, plays: int) -> None:
    rng = Random(3)
    player = strategy.chooser(RULES[rule])
    seen: Counter[str] = Counter()
    for number in range(plays):
        keeps = two_keeps(rng, number)
        laid = reference.the_play(keeps, (player, player))
        expected = [
            (each.seat, rank(each.card), sum(points for _, points in each.reasons)) for each in laid
        ]
        assert laid_out(rule, [[rank(card) for card in keep] for keep in keeps]) == expected
        seen.update(f"{why} {points}" for each in laid for why, points in each.reasons)
        seen.update("a go answered" for a, b in pairwise(laid) if a.seat == b.seat)
    kinds = {"fifteen 2", "thirty-one 2", "pair 2", "pair royal 6", "double pair royal 12"}
    kinds |= {"go 1", "last card 1", "a go answered", *(f"run {cards}" for cards in range(3, 7))}
    assert set(seen) >= kinds


# --- What the choice may look at ------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seat", [PONE, DEALER])
def test_hidden_cards_never_change_the_choice(rule: str, seat: int) -> None:
    """One keep against every keep of the opponent: same cards seen, same card laid."""
    rng = Random(4)
    shared = 0
    for own in rng.sample(range(KEEPS), 12):
        keep = KEEP_RANKS[own].tolist()
        choices: dict[tuple[tuple[int, int], ...], int] = {}
        for other in KEEP_RANKS.tolist():
            if max(Counter(keep + other).values()) > 4:
                continue
            keeps = [keep, other] if seat == PONE else [other, keep]
            cards = [(player, card) for player, card, _ in laid_out(rule, keeps)]
            for place, (player, card) in enumerate(cards):
                if player == seat:
                    seen = tuple(cards[:place])
                    shared += seen in choices
                    assert choices.setdefault(seen, card) == card
    assert shared > 10_000


def test_the_order_in_which_a_keep_is_held_does_not_matter() -> None:
    rng = Random(5)
    for number in range(400):
        own, _ = two_keeps(rng, number)
        keep = list(map(rank, own))
        shuffled = rng.sample(keep, 4)
        for compiled in COMPILED.values():
            choices = [
                compiled.choose_card(Observation(PONE, tuple(held), ()))
                for held in (keep, shuffled)
            ]
            assert choices[0] == choices[1]
