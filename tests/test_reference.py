"""The slow twin against the facts, and against deals and games counted by hand."""

from itertools import combinations
from random import Random

import pytest

import reference
import reference_strategy as strategy
from facts import rows
from reference import DEALER, PONE, card_of, cards_of

# --- The show -------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", rows("hands"), ids=lambda row: " ".join(row.values()))
def test_hand_scores_as_the_facts_say(row: dict[str, str]) -> None:
    scores = reference.show(cards_of(row["hand"]), card_of(row["starter"]), row["is_crib"] == "1")
    assert sum(score.points for score in scores) == int(row["score"])


def test_a_hand_is_counted_into_named_events() -> None:
    scores = reference.show(cards_of("4H 5H 6H JH"), card_of("5S"), is_crib=False)
    counted = [
        (score.name, sorted(map(reference.text_of, score.cards)), score.points) for score in scores
    ]
    assert sorted(counted) == [
        ("fifteen", ["4H", "5H", "6H"], 2),
        ("fifteen", ["4H", "5S", "6H"], 2),
        ("fifteen", ["5H", "JH"], 2),
        ("fifteen", ["5S", "JH"], 2),
        ("flush", ["4H", "5H", "6H", "JH"], 4),
        ("pair", ["5H", "5S"], 2),
        ("run", ["4H", "5H", "6H"], 3),
        ("run", ["4H", "5S", "6H"], 3),
    ]


def test_only_a_jack_is_heels() -> None:
    jacks = cards_of("JC JD JH JS")
    assert [reference.heels(card) for card in jacks] == [2, 2, 2, 2]
    assert [card for card in range(52) if reference.heels(card)] == jacks


# --- The play -------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", rows("plays"), ids=lambda row: row["plays"])
def test_play_scores_as_the_facts_say(row: dict[str, str]) -> None:
    if row["legal"] == "0":
        with pytest.raises(ValueError, match=r"cannot lay|to lay|played twice"):
            reference.replay(row["plays"])
        return
    laid = reference.replay(row["plays"])
    points = [sum(points for _, points in each.reasons) for each in laid]
    assert points == [int(word) for word in row["points_per_play"].split()]
    for seat, column in ((PONE, "pone_total"), (DEALER, "dealer_total")):
        mine = [point for each, point in zip(laid, points, strict=True) if each.seat == seat]
        assert sum(mine) == int(row[column])


@pytest.mark.parametrize("row", rows("series"), ids=lambda row: row["cards_since_reset"])
def test_series_scores_as_the_facts_say(row: dict[str, str]) -> None:
    series = [reference.rank(card) for card in cards_of(row["cards_since_reset"])]
    for place, stated in enumerate(row["points_per_card"].split(), start=1):
        if stated != ".":
            assert strategy.points_of(series[:place]) == int(stated)


def test_each_kind_of_point_in_the_play_has_its_name() -> None:
    laid = reference.replay("P:QC D:5D P:TC D:6D P:2H D:4D P:4C D:4H")
    assert [each.reasons for each in laid] == [
        [],
        [("fifteen", 2)],
        [],
        [("thirty-one", 2)],
        [],
        [],
        [("pair", 2)],
        [("pair royal", 6), ("last card", 1)],
    ]
    laid = reference.replay("P:3C D:3D P:3H D:3S P:TC D:4H P:9S D:8D")
    assert laid[3].reasons == [("double pair royal", 12)]
    assert laid[5].reasons == [("go", 1)]


def test_the_play_refuses_a_card_that_the_player_does_not_hold() -> None:
    keeps = [cards_of("AC 2C 3C 4C"), cards_of("5C 6C 7C 8C")]
    with pytest.raises(ValueError, match="the pone cannot lay KC as card 1"):
        reference.the_play(keeps, [reference.scripted("P:KC")] * 2)


# --- A deal ---------------------------------------------------------------------------------------

PONE_HAND = cards_of("5C 5D 5H 7C 9H JS")
DEALER_HAND = cards_of("2H 4S 6D 6S TD KC")
DISCARDS = [cards_of("7C 9H"), cards_of("2H KC")]
RECORD = "P:JS D:4S P:5H D:6S P:5C D:6D P:5D D:TD"


def deal_with(starter: str) -> list[reference.Step]:
    player = reference.scripted(RECORD)
    return reference.play_deal(
        [PONE_HAND, DEALER_HAND], card_of(starter), DISCARDS, [player, player]
    )


def scored(steps: list[reference.Step]) -> list[tuple[int, str, int]]:
    return [(step.seat, step.part, step.points) for step in steps if step.points]


THE_PLAY = [(DEALER, "play", 3), (PONE, "play", 1), (DEALER, "play", 1)]


def test_a_deal_with_the_best_of_hands() -> None:
    steps = deal_with("5S")
    assert scored(steps) == [
        *THE_PLAY,
        (PONE, "hand", 29),
        (DEALER, "hand", 14),
        (DEALER, "crib", 2),
    ]
    assert [step.card for step in steps[:8]] == [card for _, card in reference.plays_of(RECORD)]
    assert sorted(steps[-2].reasons) == [
        *[("fifteen", 2)] * 3,
        ("pair", 2),
        *[("run", 3)] * 2,
    ]


def test_a_deal_that_begins_with_heels() -> None:
    steps = deal_with("JD")
    assert steps[0] == (DEALER, "heels", card_of("JD"), [("heels", 2)])
    assert scored(steps)[1:] == [*THE_PLAY, (PONE, "hand", 22), (DEALER, "hand", 2)]


# --- A game ---------------------------------------------------------------------------------------


def game_from(dealer: int, pone: int, starter: str = "5S") -> reference.Game:
    """The game that goes on from these scores; player 0 deals, each deal the one above."""
    return reference.play_game(lambda number: deal_with(starter), scores=(dealer, pone))


def test_heels_end_a_game_before_a_card_is_played() -> None:
    assert game_from(119, 120, "JD") == (0, (121, 120), 1, "plain")
    assert game_from(118, 120, "JD") == (0, (121, 120), 1, "plain")  # out by the run of three
    assert game_from(115, 120, "JD") == (1, (120, 121), 1, "plain")  # the pone's go comes first


def test_the_play_ends_a_game_at_the_card_that_scores() -> None:
    assert game_from(118, 120) == (0, (121, 120), 1, "plain")
    assert game_from(117, 120) == (1, (120, 121), 1, "plain")
    assert game_from(117, 119) == (0, (121, 120), 1, "plain")  # the last card


def test_the_pone_counts_before_the_dealer() -> None:
    assert game_from(116, 91) == (1, (120, 121), 1, "plain")
    assert game_from(116, 90) == (0, (121, 120), 1, "plain")
    assert game_from(103, 90) == (0, (121, 120), 1, "plain")  # hand 14 -> 121
    assert game_from(101, 90) == (0, (121, 120), 1, "plain")  # crib 2 -> 121


def test_points_past_the_last_hole_are_not_counted() -> None:
    assert game_from(0, 115) == (1, (4, 121), 1, "double skunk")


def test_skunk_lines() -> None:
    def kind(dealer: int) -> str:
        return game_from(dealer, 91).kind  # the dealer pegs 4 before the pone goes out

    assert [kind(score) for score in (56, 57, 86, 87)] == [
        "double skunk",
        "skunk",
        "skunk",
        "plain",
    ]


def test_a_short_game_has_one_skunk_line() -> None:
    def kind(dealer: int) -> str:
        game = reference.play_game(lambda number: deal_with("5S"), 61, (30,), 0, (dealer, 31))
        return game.kind

    assert [kind(score) for score in (0, 26, 27)] == ["skunk", "skunk", "plain"]


def test_the_deal_changes_hands() -> None:
    # Each deal gives its dealer 20 and its pone 30: 20-30, 50-50, 70-80, 100-100, then player 0
    # deals and pegs 4, and player 1 goes out with his hand.
    assert game_from(0, 0) == (1, (104, 121), 5, "plain")
    second = reference.play_game(lambda number: deal_with("5S"), first_dealer=1)
    assert second == (0, (121, 104), 5, "plain")


# --- What a player can see ------------------------------------------------------------------------


def ranks(text: str) -> list[int]:
    return [reference.RANKS.index(letter) for letter in text]


def history(text: str) -> list[tuple[int, int]]:
    """A history such as "P:K D:T"."""
    return [("PD".index(word[0]), reference.RANKS.index(word[2])) for word in text.split()]


@pytest.mark.parametrize(
    ("keep", "seat", "plays", "seen"),
    [
        ("A5KK", PONE, "", ("", "", False)),
        ("A5KK", PONE, "P:K D:9", ("K9", "", False)),
        ("24KK", PONE, "P:K D:9 P:K", ("K9K", "A2", True)),  # go at 29; the 2 goes on
        ("349Q", DEALER, "P:K D:Q P:K", ("", "A", False)),  # neither can go on at 30
        ("2KKK", PONE, "P:K D:Q P:K D:9", ("9", "A", False)),  # the same, from the other side
        ("A23K", PONE, "P:K D:J P:A D:K", ("", "", False)),  # 31 denies nothing
        ("A34K", DEALER, "P:T D:K P:2 D:A", ("TK2A", "A2345678", True)),  # go at 23
        ("29TJ", PONE, "P:T D:K P:2 D:A D:3 D:4", ("", "A", False)),  # dealer out, at 30
    ],
)
def test_a_player_sees_the_gos(
    keep: str, seat: int, plays: str, seen: tuple[str, str, bool]
) -> None:
    series, denied, said_go = seen
    view = strategy.observe(ranks(keep), seat, history(plays))
    his = [rank for player, rank in history(plays) if player != seat]
    assert view.series == ranks(series)
    assert view.said_go == said_go
    assert view.cards_left == 4 - len(his)
    for rank, unseen in enumerate(view.unseen):
        known = ranks(keep).count(rank) + his.count(rank)
        assert unseen == (0 if rank in ranks(denied) else 4 - known)


def test_a_series_after_a_go_begins_anew_for_the_same_player() -> None:
    view = strategy.observe(ranks("29TJ"), PONE, history("P:T D:K P:2 D:A D:3 D:4 P:9"))
    assert (view.mine, view.series, view.cards_left, view.said_go) == ([10], [8], 0, True)


# --- The choice of a card -------------------------------------------------------------------------


def value_by_hands(card: int, view: strategy.View) -> int:
    """`value_of_card` by going through every hand that the opponent can hold."""
    series = [*view.series, card]
    cards = [rank for rank, unseen in enumerate(view.unseen) for _ in range(unseen)]
    total = 0
    for hand in combinations(cards, view.cards_left):
        total += strategy.points_of(series)
        if reference.the_count(series) == 31:
            continue
        fitting = [rank for rank in hand if strategy.fits(rank, series)]
        if view.said_go or not fitting:
            total += 1
        else:
            total -= max(strategy.points_of([*series, rank]) for rank in fitting)
    return total


def test_the_value_of_a_card_is_the_mean_over_the_hands_of_the_opponent() -> None:
    rng = Random(20)
    seen: set[tuple[int, bool, bool]] = set()

    def watching(keep: tuple[int, ...], seat: int, laid: list[tuple[int, int]]) -> int:
        choice = strategy.chooser(strategy.look_ahead)(keep, seat, laid)
        past = [(player, reference.rank(card)) for player, card in laid]
        view = strategy.observe([reference.rank(card) for card in keep], seat, past)
        legal = {rank for rank in view.mine if strategy.fits(rank, view.series)}
        if view.cards_left <= 2:
            values = {rank: value_by_hands(rank, view) for rank in legal}
            assert values == {rank: strategy.value_of_card(rank, view) for rank in legal}
            best = max(values.values())
            assert reference.rank(choice) == max(r for r in legal if values[r] == best)
            seen.add((view.cards_left, view.said_go, bool(view.series)))
        return choice

    for _ in range(60):
        cards = rng.sample(range(52), 8)
        reference.the_play([cards[:4], cards[4:]], [watching, watching])
    assert {(2, False, True), (2, True, True), (1, False, False), (0, True, True)} <= seen


def test_greedy_takes_the_points_and_then_the_highest_card() -> None:
    assert strategy.greedy(ranks("578K"), DEALER, history("P:7")) == ranks("8")[0]
    assert strategy.greedy(ranks("577K"), DEALER, history("P:7")) == ranks("7")[0]
    assert strategy.greedy(ranks("237K"), DEALER, history("P:9")) == ranks("K")[0]
    assert strategy.greedy(ranks("29TK"), DEALER, history("P:K D:9 P:Q")) == ranks("2")[0]


# --- The choice of a discard ----------------------------------------------------------------------

HAND = sorted(PONE_HAND)
AT_RANDOM = [strategy.ways(low, high, [4] * 13) for low, high in strategy.RANK_PAIRS]
MEANS = {
    "7C 9H": (16.652174, 4.255775),
    "9H JS": (11.826087, 4.176987),
    "5C 5H": (4.869565, 8.754062),
    "5D JS": (5.521739, 6.949319),
}


@pytest.mark.parametrize("throw", MEANS)
def test_the_mean_hand(throw: str) -> None:
    keep = reference.keep_of(HAND, cards_of(throw))
    mean = strategy.mean_hand(keep, HAND) / strategy.UNIT
    assert mean == pytest.approx(MEANS[throw][0], abs=5e-7)


@pytest.mark.parametrize("throw", MEANS)
def test_the_mean_crib_but_for_the_jack_of_the_opponent(throw: str) -> None:
    def mean_crib(throw: str) -> float:
        cards = cards_of(throw)
        by_rank = strategy.crib_by_rank(cards, HAND, AT_RANDOM)
        return (by_rank + strategy.crib_by_suit(cards, HAND)) / strategy.UNIT

    # Three jacks are unseen, each as likely in the crib, and in the starter's suit.
    unseen = sorted(set(range(52)) - set(HAND))
    jacks = [card for card in unseen if reference.rank(card) == reference.JACK]
    same_suit = sum(
        reference.suit(jack) == reference.suit(starter)
        for jack in jacks
        for starter in unseen
        if starter != jack
    )
    his_nobs = 2 * same_suit / (46 * 45)
    assert mean_crib(throw) + his_nobs == pytest.approx(MEANS[throw][1], abs=1e-6)


def test_a_suited_throw_may_make_a_flush() -> None:
    hand = cards_of("2C 4C 7C 9H JS KD")
    clubs, two_suits = cards_of("2C 7C"), cards_of("2C 9H")
    # Of 15,180 threes of unseen cards, 120 are clubs: the opponent's throw and the starter.
    assert strategy.crib_by_suit(clubs, hand) == 5 * 120 * strategy.UNIT // 15180
    assert strategy.crib_by_suit(two_suits, hand) == 0


def test_the_crib_is_a_gain_to_the_dealer_and_a_loss_to_the_pone() -> None:
    no_play = [[0] * len(strategy.KEEPS)] * 2
    fives = strategy.THROWS.index((HAND.index(card_of("5C")), HAND.index(card_of("5H"))))
    by_seat = [
        strategy.value_of_throw(HAND, fives, seat, AT_RANDOM, no_play) / strategy.UNIT
        for seat in (PONE, DEALER)
    ]
    his_nobs = 2 / 46 * 31 / 45  # left out of the rule: 31 starters of the suit of 3 jacks unseen
    assert sum(by_seat) / 2 == pytest.approx(4.869565, abs=5e-7)
    assert by_seat[DEALER] - by_seat[PONE] == pytest.approx(2 * (8.754062 - his_nobs), abs=2e-6)


def test_of_equal_throws_the_first_is_chosen() -> None:
    hand = sorted(cards_of("AC AD AH AS 2C 2D"))
    wanted = strategy.NUMBER_OF_KEEP[tuple(ranks("AA22"))]
    gains = [[0] * len(strategy.KEEPS)] * 2
    gains[PONE] = [100 * strategy.UNIT * (keep == wanted) for keep in range(len(strategy.KEEPS))]
    assert strategy.best_throw(hand, PONE, AT_RANDOM, gains) == 0
