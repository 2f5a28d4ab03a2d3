"""The play: the referee and the points of a card against the facts and the twin."""

from collections import Counter
from random import Random

import numpy as np
import pytest

import reference
import reference_strategy as strategy
from cribodds.sim.cards import CardError
from cribodds.sim.play import Play, card_points, legal_cards
from dealing import two_keeps
from facts import rows
from reference import cards_of

FIRST_SUIT = [4 * rank for rank in range(13)]


def points_of(series: list[int]) -> int:
    """What the last rank of a series scores by the kernel."""
    *before, rank = series
    laid = np.array(before, np.uint8)
    return int(card_points(laid, len(before), rank, reference.the_count(series)))


def as_played(record: str) -> Play:
    """The referee after a written play; CardError if he stopped it."""
    written = reference.plays_of(record)
    keeps = [[reference.rank(card) for seat, card in written if seat == each] for each in (0, 1)]
    play = Play(keeps)
    for seat, card in written:
        if play.turn != seat:
            raise CardError("it is the other player's turn")
        play.lay(reference.rank(card))
    return play


@pytest.mark.parametrize("row", rows("plays"), ids=lambda row: row["plays"])
def test_referee_agrees_with_the_facts(row: dict[str, str]) -> None:
    cards = row["plays"].replace("P:", "").replace("D:", "").split()
    if row["legal"] == "0":
        if len(set(cards)) == len(cards):  # one card twice is not seen by ranks
            with pytest.raises(CardError):
                as_played(row["plays"])
        return
    play = as_played(row["plays"])
    points = [lay.points + lay.go for lay in play.lays]
    assert points == [int(word) for word in row["points_per_play"].split()]
    assert play.turn is None
    assert play.legal() == []


def test_no_card_is_laid_after_the_last() -> None:
    play = as_played(rows("plays")[0]["plays"])
    with pytest.raises(CardError, match="the play is over"):
        play.lay(0)


@pytest.mark.parametrize("row", rows("series"), ids=lambda row: row["cards_since_reset"])
def test_points_agree_with_the_facts(row: dict[str, str]) -> None:
    series = [reference.rank(card) for card in cards_of(row["cards_since_reset"])]
    for place, stated in enumerate(row["points_per_card"].split(), start=1):
        if stated != ".":
            assert points_of(series[:place]) == int(stated)


@pytest.mark.parametrize("count", range(32))
def test_legal_cards_of_the_game_and_of_the_twin_agree(count: int) -> None:
    legal = [reference.rank(card) for card in reference.legal_cards(FIRST_SUIT, count)]
    assert legal_cards(range(13), count) == legal
    for rank in range(13):
        assert legal_cards([rank, rank], count) == [rank] * (rank in legal)


def test_points_of_a_card_agree_with_the_twin() -> None:
    rng = Random(15)
    seen: Counter[str] = Counter()
    for number in range(20_000):
        low, width = rng.randrange(9), rng.randint(2, 7)
        ranks = [list(range(13)), list(range(low, min(low + width, 13))), list(range(8))]
        copies = 1 if number % 3 == 2 else 4  # low cards, each once, make the long runs
        deck = ranks[number % 3] * copies
        series: list[int] = []
        for rank in rng.sample(deck, min(8, len(deck))):
            if not strategy.fits(rank, series):
                break
            series.append(rank)
            assert points_of(series) == strategy.points_of(series)
            seen.update(f"{why} {points}" for why, points in reference.score_of_card(series, 0))
    kinds = ["fifteen 2", "thirty-one 2", "pair 2", "pair royal 6", "double pair royal 12"]
    assert set(seen) == {*kinds, *(f"run {cards}" for cards in range(3, 8))}
    assert min(seen.values()) >= 50


def at_random(rng: Random, play: Play) -> reference.Chooser:
    """A player who lays any card that the referee allows, and tells him."""

    def choose(keep: tuple[int, ...], seat: int, laid: list[tuple[int, int]]) -> int:
        assert play.turn == seat
        left = [card for card in keep if (seat, card) not in laid]
        card = rng.choice([card for card in left if reference.rank(card) in play.legal()])
        play.lay(reference.rank(card))
        return card

    return choose


def test_referee_agrees_with_the_twin_when_cards_are_laid_at_random() -> None:
    rng = Random(31)
    seen: Counter[str] = Counter()
    for number in range(4_000):
        keeps = two_keeps(rng, number)
        play = Play([[reference.rank(card) for card in keep] for keep in keeps])
        player = at_random(rng, play)
        laid = reference.the_play(keeps, (player, player))
        assert play.turn is None
        for ours, twins in zip(play.lays, laid, strict=True):
            go = sum(points for why, points in twins.reasons if why in {"go", "last card"})
            points = sum(points for _, points in twins.reasons) - go
            expected = (twins.seat, reference.rank(twins.card), points, go)
            assert (ours.seat, ours.rank, ours.points, ours.go) == expected
            seen.update(why for why, _ in twins.reasons)
        seats = "".join(str(lay.seat) for lay in play.lays)
        seen["three in a row"] += "000" in seats or "111" in seats
        seen["the pone has two cards when the dealer is out"] += seats.endswith("100")
        seen["31 with the last card"] += play.lays[-1].count_after == 31
    names = {"fifteen", "thirty-one", "pair", "pair royal", "double pair royal", "run", "go"}
    assert names | {"last card"} <= set(seen)
    assert min(seen.values()) >= 10


def test_a_player_lays_only_what_he_holds() -> None:
    play = Play(([0, 1, 2, 3], [9, 9, 10, 11]))
    with pytest.raises(CardError, match="T cannot be laid at 0: expected one of A 2 3 4"):
        play.lay(9)
