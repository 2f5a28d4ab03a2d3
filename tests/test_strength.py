"""The measures of strength: small cases with known answers, and ways round that must agree."""

import itertools
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from cribodds.analysis import cli
from cribodds.analysis.discard_strength import losses, sample_hands, throw_values
from cribodds.analysis.play_strength import (
    LaidPlay,
    count_books,
    dealers_entries,
    join_seats,
    lay_play,
    lead_chances,
    measure_play,
    play_values,
    seats_averaged,
)
from cribodds.analysis.strength import MixedBooks, Strength, Versus
from cribodds.analysis.strength_tables import fill_page, new_page, tables_of
from cribodds.analysis.whole_games import match, table_gap
from cribodds.sim.book import Books
from cribodds.sim.cards import keep_number
from cribodds.sim.discards import random_opponent
from cribodds.sim.equilibrium.best_response import Game, game
from cribodds.sim.equilibrium.playbooks import mean_points, pair_events
from cribodds.sim.equilibrium.public_tree import build_tree
from cribodds.sim.numbering import HANDS, KEEP_COUNTS, KEEPS, KEPT_POSITIONS, THROWS
from cribodds.sim.show import count_all
from cribodds.sim.strategy import Strategy
from cribodds.sim.tally import Tally
from cribodds.tables.solve import solve_sides
from toy_games import MIXED, OTHER, Deals, tally_of
from toy_games import Game as ToyGame

KEEPS_AT_RANDOM = random_opponent().keeps


# --- The card play --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def played() -> Game:
    return game(*KEEPS_AT_RANDOM)


@pytest.fixture(scope="module")
def laid() -> dict[str, LaidPlay]:
    """Both simple rules, playing their best once the other has no cards left."""
    rules = {name: lay_play(Strategy(name, 1)) for name in ("look-ahead", "greedy")}
    return {name: each._replace(solo=build_tree().pool) for name, each in rules.items()}


def test_tables_of_two_plays_score_what_the_exact_values_say(
    played: Game, laid: dict[str, LaidPlay]
) -> None:
    """Two ways: chances carried down the tree, and every pair of keeps played out."""
    plays = list(laid.values())
    values = play_values(played, plays)
    dealers = dealers_entries(played.tree)
    for i, j in ((0, 1), (1, 0)):
        events = pair_events(played.tree, join_seats(dealers, plays[i], plays[j]), 1)
        pone, dealer = mean_points(events[0], *KEEPS_AT_RANDOM)
        assert values[i, j] == pytest.approx(dealer - pone, abs=1e-5)
    assert abs(values[0, 1] - values[1, 0]) > 0.1  # so that exchanged seats would be seen
    edge = seats_averaged(values)
    np.testing.assert_array_equal(edge, -edge.T)
    assert edge[0, 1] > 0.3  # look-ahead beats greedy, whoever deals


def test_a_pure_play_loses_nothing_by_being_spread(played: Game, laid: dict[str, LaidPlay]) -> None:
    exact = measure_play("greedy", played, laid["greedy"].on_tree())
    assert exact.value == pytest.approx(exact.dealer - exact.pone, abs=1e-9)
    assert exact.exploitability == pytest.approx(exact.pone_gain + exact.dealer_gain)
    assert min(exact.pone_gain, exact.dealer_gain) > 0.5
    (spread,) = count_books(played, laid["greedy"], KEEPS_AT_RANDOM, [4])
    assert spread.value == pytest.approx(0, abs=1e-5)
    assert spread.pone == pytest.approx(0, abs=1e-5)
    assert spread.exploitability == pytest.approx(exact.exploitability, abs=1e-4)


def test_the_leads_are_those_of_every_hand(played: Game, laid: dict[str, LaidPlay]) -> None:
    """With no count on the table every lead scores nothing, so greedy leads the highest."""
    leads = lead_chances("greedy", played, laid["greedy"])
    assert sum(leads.led) == pytest.approx(1)
    assert leads.if_held[12] == pytest.approx(1)
    king = 1 - math.comb(48, 4) / math.comb(52, 4)
    assert leads.led[12] == pytest.approx(king, abs=1e-6)
    assert leads.led[0] == pytest.approx(1 / math.comb(52, 4), rel=1e-3)  # four aces


# --- Whole games ----------------------------------------------------------------------------------


def batches_of(deals: Deals, many: int = 8) -> list[Tally]:
    return [tally_of(deals)] * many


def test_a_match_of_two_strategies_is_right_both_ways_round() -> None:
    toy = ToyGame([MIXED, OTHER], 61, 30, 10)
    found = match(("mixed", "other"), batches_of(MIXED), batches_of(OTHER), 61)
    first = float(sum(toy.outcomes(0, 0, 0)[:3]))
    second = float(sum(toy.outcomes(1, 0, 0)[3:6]))
    assert found.deals_first.value == pytest.approx(first, abs=1e-12)
    assert found.deals_second.value == pytest.approx(second, abs=1e-12)
    assert found.edge.value == pytest.approx((first + second - 1) / 2, abs=1e-12)
    assert found.deals_first.se == pytest.approx(0, abs=1e-15)
    other = match(("other", "mixed"), batches_of(OTHER), batches_of(MIXED), 61)
    assert other.edge.value == pytest.approx(-found.edge.value, abs=1e-12)
    assert other.deals_first.value == pytest.approx(1 - found.deals_second.value, abs=1e-12)


def test_a_strategy_against_itself_is_its_own_table() -> None:
    found = match(("mixed", "mixed"), batches_of(MIXED), batches_of(MIXED), 61)
    table = solve_sides([tally_of(MIXED)], 61, None, None)[0]
    assert found.deals_first.value == pytest.approx(table[60, 60, :3].sum(), abs=1e-13)
    assert found.edge.value == pytest.approx(0, abs=1e-15)


def test_the_error_of_a_match_is_the_spread_of_its_batches() -> None:
    """Four batches in which the dealer goes out at once, four in which the pone does."""
    dealer_out, pone_out = tally_of({((1, 31),): 1}), tally_of({((0, 31),): 1})
    half = [dealer_out, pone_out] * 4
    found = match(("a", "b"), half, [dealer_out] * 8, 31)
    assert found.deals_first.value == 0.5
    assert found.deals_first.se == pytest.approx(np.std([0, 1] * 4, ddof=1) / math.sqrt(8))
    assert found.deals_second.value == found.deals_second.se == 0
    assert found.edge.se == pytest.approx(found.deals_first.se / 2)


def test_a_gap_between_tables_is_found_where_it_is() -> None:
    """The other dealer scores his two holes first: it matters where both can go out."""
    pone_first: Deals = {((0, 1), (1, 2)): 1}
    dealer_first: Deals = {((1, 2), (0, 1)): 1}
    gap = table_gap(("p", "d"), batches_of(pone_first), batches_of(dealer_first), 31)
    tables = [
        solve_sides([tally_of(deals)], 31, None, None)[0] for deals in (pone_first, dealer_first)
    ]
    gaps = (tables[0] - tables[1])[..., :3].sum(-1)
    assert gap.least.difference.value == gaps.min() < 0
    least = gaps[30 - gap.least.dealer, 30 - gap.least.pone]
    assert least == gap.least.difference.value
    assert (gap.start.dealer, gap.start.pone) == (0, 0)
    assert gap.start.difference.value == gaps[30, 30]
    assert gap.root_mean_square == pytest.approx(math.sqrt((gaps**2).mean()))


# --- The throws -----------------------------------------------------------------------------------


def ranks_chances(unseen: np.ndarray) -> np.ndarray:
    """How likely each keep is when any four of the unseen cards are."""
    left = np.bincount(unseen // 4, minlength=13)
    ways = [
        math.prod(math.comb(int(left[rank]), int(keep[rank])) for rank in range(13))
        for keep in KEEP_COUNTS
    ]
    return np.array(ways) / math.comb(46, 4)


def cribs_of_any_two(hand: np.ndarray, unseen: np.ndarray) -> np.ndarray:
    """The mean crib of each throw with any two cards and any starter, by counting them all."""
    fills = [
        (i, j, s) for i, j in itertools.combinations(unseen, 2) for s in unseen if s not in (i, j)
    ]
    others, starters = np.array([fill[:2] for fill in fills]), np.array([fill[2] for fill in fills])
    means = []
    for throw in THROWS:
        own = np.broadcast_to(hand[list(throw)], others.shape)
        means.append(count_all(np.hstack([own, others]), starters, crib=True).mean())
    return np.array(means)


def test_an_opponent_who_throws_any_two_cards_is_met_exactly() -> None:
    """Fifteen opponents, each throwing the cards of one place: together, any two cards."""
    hand = np.array([0, 5, 21, 42, 43, 51], np.uint8)
    unseen = np.setdiff1d(np.arange(52), hand)
    edges = np.random.default_rng(3).normal(size=(KEEPS, KEEPS))
    values = [
        throw_values(hand, np.full(HANDS, throw | throw << 4, np.uint8), edges)
        for throw in range(len(THROWS))
    ]
    kept = hand[KEPT_POSITIONS]
    starters = np.broadcast_to(unseen, (15, 46)).reshape(-1)
    hands = count_all(np.repeat(kept, 46, axis=0), starters).reshape(15, 46).mean(axis=1)
    cribs = cribs_of_any_two(hand, unseen)
    chances = ranks_chances(unseen)
    own = [keep_number(four // 4) for four in kept.astype(int)]
    mean = np.mean(values, axis=0)
    np.testing.assert_allclose(mean[0], hands - cribs + edges[own] @ chances, atol=1e-9)
    np.testing.assert_allclose(mean[1], hands + cribs - chances @ edges[:, own], atol=1e-9)


def test_each_seat_meets_the_throws_of_the_other() -> None:
    hand = np.array([16, 17, 20, 40, 44, 48], np.uint8)
    edges = np.zeros((KEEPS, KEEPS))
    both = throw_values(hand, np.full(HANDS, 3 | 9 << 4, np.uint8), edges)
    same = [throw_values(hand, np.full(HANDS, k | k << 4, np.uint8), edges) for k in (3, 9)]
    np.testing.assert_array_equal(both[0], same[1][0])
    np.testing.assert_array_equal(both[1], same[0][1])
    assert (same[0] != same[1]).any(axis=1).all()


def test_the_best_throw_loses_nothing_and_the_worst_the_most() -> None:
    hands = sample_hands(2, 11)
    again = sample_hands(2, 11)
    np.testing.assert_array_equal(hands, again)
    assert (np.diff(hands.astype(int), axis=1) > 0).all()
    against = _books_of_nothing()
    edges = np.zeros((KEEPS, KEEPS))
    values = np.array([throw_values(hand, against.discards, edges) for hand in hands])
    best, worst = np.zeros(HANDS, np.uint8), np.zeros(HANDS, np.uint8)
    for hand, value in zip(hands, values, strict=True):
        number = sum(math.comb(int(card), place + 1) for place, card in enumerate(hand))
        best[number] = value[0].argmax() | value[1].argmax() << 4
        worst[number] = value[0].argmin() | value[1].argmin() << 4
    found = {each.rule: each for each in losses({"b": best, "w": worst}, against, hands)}
    assert found["b"][1:5] == pytest.approx((0, 0, 0, 0), abs=1e-12)
    assert found["b"][5:] == (1, 1)
    spread = np.ptp(values, axis=2)
    assert found["w"].pone == pytest.approx(spread[:, 0].mean())
    assert found["w"].dealer == pytest.approx(spread[:, 1].mean())
    assert found["w"].dealer_se == pytest.approx(abs(spread[0, 1] - spread[1, 1]) / 2)
    assert found["w"][5:] == (0, 0)


def _books_of_nothing() -> Books:
    """Throws of the two lowest cards, and a play in which nobody scores."""
    nothing = np.zeros((2, KEEPS), np.int64)
    return Books(
        np.zeros(HANDS, np.uint8), np.zeros((1, 8), np.uint8),
        np.zeros((1, KEEPS * KEEPS), np.uint16), nothing, nothing, nothing, nothing, nothing,
        np.zeros(1),
    )  # fmt: skip


# --- The command ----------------------------------------------------------------------------------

CONFIG = """
seed = 7
deals = 6_400
chunk = 100
[game]
target = 121
skunk = 90
double_skunk = 60
[strategy]
discard_rounds = 1
card_play = "{play}"
"""


@pytest.fixture
def configs(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / f"{play}.toml" for play in ("greedy", "look-ahead")]
    for path in paths:
        path.write_text(CONFIG.format(play=path.stem))
    return paths


def run(*words: object) -> Result:
    return CliRunner().invoke(cli.cribodds, ["strength", *(str(word) for word in words)])


def numbers_in(text: str) -> list[float]:
    return [float(word) for word in re.findall(r"[-+]?\d+\.\d+", text)]


def test_text_json_and_page_tell_the_same(configs: list[Path], tmp_path: Path) -> None:
    words = (*configs, "--part", "throws", "--hands", 2)
    text = run(*words)
    assert text.exit_code == 0, text.output
    page = tmp_path / "page.md"
    answer = json.loads(run(*words, "--json", "--out", page).stdout)
    assert answer["names"] == ["greedy", "look-ahead"]
    told = [
        [float(f"{each[key]:.4f}") for key in ("pone", "pone_se", "dealer", "dealer_se")]
        for each in answer["throws"]
    ]
    assert len(told) == 3
    for shown in (text.stdout, page.read_text()):
        rows = [numbers_in(line) for line in shown.splitlines() if "±" in line]
        assert rows == told


def test_bad_questions_are_refused_in_a_line(configs: list[Path], tmp_path: Path) -> None:
    same = tmp_path / "same.toml"
    same.write_text(configs[0].read_text())
    bare = tmp_path / "bare.md"
    bare.write_text("Prose alone.\n")
    questions: list[tuple[list[object], str]] = [
        (["no-such"], "no such config"),
        ([configs[0], same], "have the same strategy"),
        ([configs[0], "--deals", 100], "multiple of 64"),
        ([configs[0], "--hands", 1], "--hands"),
        ([configs[0], "--part", "luck"], "--part"),
        ([configs[0], "--out", tmp_path / "nowhere" / "page.md"], "no folder"),
        ([configs[0], "--out", bare], "no place for a table"),
    ]
    for words, said in questions:
        result = run(*words)
        assert result.exit_code == 2, words
        assert said in result.output
        assert "Traceback" not in result.output
    assert bare.read_text() == "Prose alone.\n"


def made_up() -> Strength:
    """Every part, with figures that differ."""
    toy = match(("a", "b"), batches_of(MIXED), batches_of(OTHER), 61)
    gap = table_gap(("a", "b"), batches_of(MIXED), batches_of(OTHER), 61)
    return Strength(
        ["a", "b"], ["play a", "play b"], ["0" * 64, "1" * 64], 7, 64, 2,
        versus=Versus("a", [[1.0, 2.5], [3.25, 4.0]], [[0.0, 0.375], [-0.375, 0.0]]),
        books=[MixedBooks("a", 8, [], [gap])], games=[toy], tables=[gap],
    )  # fmt: skip


def test_a_page_keeps_its_prose_and_renews_its_tables() -> None:
    tables = tables_of(made_up())
    page = new_page(tables)
    assert page.count("<!-- end -->") == len(tables) == len({each.name for each in tables})
    old = page.replace("# Strength\n", "# Strength\n\nProse of mine.\n").replace("+2.5000", "+9.9")
    assert "+2.5000" not in old
    assert fill_page(old, tables) == page.replace("# Strength\n", "# Strength\n\nProse of mine.\n")
    less = re.sub(r"<!-- table games -->.*?<!-- end -->\n", "", page, flags=re.DOTALL)
    assert fill_page(less, tables) == less != page


def test_json_holds_every_part_as_plain_values() -> None:
    fields = json.loads(json.dumps(made_up().fields()))
    assert fields["versus"]["dealer_wins"][1][0] == 3.25
    assert fields["games"][0]["edge"]["value"] == made_up().games[0].edge.value
    assert fields["tables"][0]["most"]["difference"]["se"] >= 0
