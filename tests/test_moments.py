"""Odds in mid-deal: hidden cards, the rest of the play, the table they end in, and reviews."""

import itertools
import json
from collections import Counter, defaultdict
from random import Random
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from cribodds.analysis import cli
from cribodds.analysis.hidden import Known, hidden_cards, spread
from cribodds.analysis.history import GO, follow, parse_play
from cribodds.analysis.odds import Model, position_odds
from cribodds.analysis.playout import Rest, lay_on
from cribodds.analysis.position import Position
from cribodds.analysis.record import RecordError, read_record
from cribodds.analysis.replies import Replies, replies_by, replies_of
from cribodds.analysis.review import review
from cribodds.analysis.scorechart import census, held
from cribodds.sim.book import Books
from cribodds.sim.cards import CardError, cards_text, hand_number, parse_card, parse_cards, rank_of
from cribodds.sim.deal import drawn_cards
from cribodds.sim.equilibrium.rounds import load_equilibrium
from cribodds.sim.numbering import HANDS, THROWS
from cribodds.sim.observation import Observation
from cribodds.sim.play import Play
from cribodds.sim.rules import DEALER, PONE
from cribodds.sim.sources import SHIPPED
from cribodds.sim.strategy import Strategy
from cribodds.tables.lookup import WinTable, probe_table
from dealing import two_keeps
from facts import rows
from smoke_table import smoke_table

LOOK_AHEAD = Strategy("look-ahead", 4)


@pytest.fixture(scope="module")
def books() -> Books:
    return LOOK_AHEAD.books()


@pytest.fixture(scope="module")
def table() -> WinTable:
    return probe_table(smoke_table())


@pytest.fixture(scope="module")
def model(table: WinTable) -> Model:
    """The strategy that the smoke table was built of."""
    strategy = Strategy("equilibrium", 3)
    assert strategy.name == table.provenance["strategy"]["name"]
    return Model(strategy, strategy.books(), draws=2_000, count_out=2_000)


def cards(text: str) -> tuple[int, ...]:
    return tuple(parse_cards(text))


# --- The play so far ------------------------------------------------------------------------------


def test_a_play_tells_whose_turn_it_is_and_what_gos_have_denied() -> None:
    keep = cards("4H KD QS 2C")
    seen = follow(PONE, keep, parse_play("KD 8C QS go"))
    assert (seen.count, seen.turn, seen.denied) == (28, PONE, 3)
    # The last card of the count is the pone's: he has the point, the dealer leads.
    seen = follow(PONE, keep, parse_play("KD 8C QS 2C"))
    assert (seen.count, seen.turn, seen.denied, seen.events) == (0, DEALER, 3, ((PONE, 1),))


@pytest.mark.parametrize(
    ("play", "said"),
    [
        ("8C", "it was your turn"),
        ("KD QS", "the opponent was to lay"),
        ("KD 8C go", "your own gos need not be told"),
        ("KD go", "cannot say go at 10"),
        ("KD 8C QS go 2C AS", "he has said go"),
        ("KD 8C KD", "twice"),
    ],
)
def test_a_play_that_cannot_be_is_refused(play: str, said: str) -> None:
    with pytest.raises(CardError, match=said):
        follow(PONE, cards("4H KD QS 2C"), parse_play(play))


# --- The rest of the play, by a slow twin ---------------------------------------------------------


def slow_lines(
    keeps: list[tuple[int, ...]],
    laid: list[int],
    first: int | None,
    chances_of: Any,
    due: Counter[int],
) -> dict[tuple[tuple[int, int], ...], float]:
    """Every way of the rest of a play (what each seat scores) with its chance, by the referee.

    ``due``: points for a go before it.
    """
    found: defaultdict[tuple[tuple[int, int], ...], float] = defaultdict(float)

    def play_of(lays: list[int]) -> Play:
        play = Play(keeps)
        for rank in lays:
            play.lay(rank)
        return play

    def go_on(lays: list[int], chance: float) -> None:
        play = play_of(lays)
        if play.turn is None:
            scores = Counter(due)
            for lay in play.lays[len(laid) :]:
                scores[lay.seat] += lay.points + lay.go
            found[tuple(sorted(scores.items()))] += chance
            return
        if first is not None and len(lays) == len(laid):
            go_on([*lays, first], chance)
            return
        seat = play.turn
        chances = chances_of(Observation.of(play, keeps[seat]))
        for rank, share in enumerate(chances):
            if share > 0:
                go_on([*lays, rank], chance * share)

    go_on(list(laid), 1.0)
    return {tuple(each for each in line if each[1]): chance for line, chance in found.items()}


def compare_lines(replies: Replies, chances_of: Any, number: int, rng: Random) -> int:
    """Hold the kernel's ways from a random moment to the slow ones: totals by seat, and chances.

    Returns how many ways there were.
    """
    own, other = two_keeps(rng, number)
    seat = number % 2
    keeps = [tuple(sorted(rank_of(card) for card in keep)) for keep in (own, other)]
    if seat == DEALER:
        keeps.reverse()
    play = Play(keeps)
    held = [list(own), list(other)] if seat == PONE else [list(other), list(own)]
    laid: list[int] = []
    ranks: list[int] = []
    for _ in range(rng.randrange(7)):
        if play.turn is None:
            break
        mover = play.turn
        rank = rng.choice(play.legal())
        card = next(each for each in held[mover] if rank_of(each) == rank)
        held[mover].remove(card)
        play.lay(rank)
        laid.append(card)
        ranks.append(rank)
    seen = follow(seat, own, laid)
    while play.turn == seat and seen.turn not in {seat, None}:
        laid.append(GO)
        seen = follow(seat, own, laid)
    if play.turn is None:
        return 0
    # The referee pays a go at once; the player sees it when the other has said it.
    gos = sum(lay.go for lay in play.lays) - sum(points == 1 for _, points in seen.events)
    due = Counter({play.lays[-1].seat: gos}) if gos else Counter[int]()
    hands = np.array([sorted(rank_of(card) for card in held[1 - seat])], np.uint8)
    firsts = sorted({rank_of(card) for card in seen.legal}) if seen.legal else [None]
    rest = Rest(seen, tuple(own), (1000, 1000), False)
    lines = lay_on(replies, rest, firsts, hands)
    if not seen.legal and play.turn == seat:
        return 0
    for option, first in enumerate(firsts):
        ours: defaultdict[tuple[tuple[int, int], ...], float] = defaultdict(float)
        for way in range(lines.starts[option], lines.starts[option + 1]):
            scores: Counter[int] = Counter()
            for event in lines.events[lines.which[way]].tolist():
                if event:
                    scores[event >> 7] += event & 127
            ours[tuple(sorted(scores.items()))] += lines.chances[way]
        slow = slow_lines(keeps, ranks, first, chances_of, due)
        assert set(ours) == set(slow), (cards_text(own), cards_text(other), ranks, first)
        for line, chance in slow.items():
            assert ours[line] == pytest.approx(chance, abs=1e-9)
    return len(lines.chances)


def test_the_rest_of_a_play_is_that_of_the_strategy_asked_card_by_card(books: Books) -> None:
    replies = replies_of(LOOK_AHEAD, books)
    rng = Random(1)
    ways = [compare_lines(replies, LOOK_AHEAD.probabilities, number, rng) for number in range(300)]
    assert sum(ways) > 300


def test_a_mixed_strategy_is_followed_in_all_its_ways() -> None:
    policy = load_equilibrium(SHIPPED / "equilibrium-3").policy
    rng = Random(2)
    replies = replies_by(policy)
    ways = [compare_lines(replies, policy.probabilities, number, rng) for number in range(150)]
    assert sum(ways) > 300


# --- Hidden cards ---------------------------------------------------------------------------------


@pytest.mark.parametrize("denied", [0, 4])
def test_hidden_cards_are_those_of_a_full_enumeration(books: Books, denied: int) -> None:
    """All 11,480 hands with three cards shown, the book asked for each: the same, weighed alike."""
    shown = cards("7C 8D 8S")
    known = Known(cards("5H 6C 7D JS QH 2C"), parse_card("9H"), PONE, shown, denied)
    expected: Counter[tuple[int, ...]] = Counter()
    for rest in itertools.combinations(known.unseen().tolist(), 3):
        hand = sorted((*shown, *rest))
        throw = [hand[i] for i in THROWS[int(books.discards[hand_number(hand)]) & 15]]
        kept = [card for card in rest if card not in throw]
        if not set(throw) & set(shown) and all(rank_of(card) >= denied for card in kept):
            expected[(kept[0], *throw)] += 1
    found = hidden_cards(known, books.discards)
    assert found.exact
    assert found.note == ""
    assert (found.keeps[:, :3] == shown).all()
    ours = np.hstack([found.keeps[:, 3:], found.throws]).tolist()
    assert Counter(map(tuple, ours)) == expected
    assert max(expected.values()) == 1


def test_drawn_hands_weigh_as_those_counted_out(books: Books) -> None:
    """Every hand is drawn with the same chance: the mean of the 4 ranks, 5 errors (6e-7)."""
    known = Known(cards("5H 6C 7D JS QH 2C"), parse_card("9H"), DEALER, cards("7C 8D"))
    every = hidden_cards(known, books.discards)
    drawn = hidden_cards(known, books.discards, draws=3_000, count_out=3_000)
    assert every.exact
    assert not drawn.exact
    assert every.possible == len(every.keeps) > 20_000
    ranks = (every.keeps >> 2).sum(axis=1)
    error = ranks.std() / np.sqrt(len(drawn.keeps))
    assert (drawn.keeps >> 2).sum(axis=1).mean() == pytest.approx(ranks.mean(), abs=5 * error)


def test_spread_numbers_are_different_and_in_range() -> None:
    picked = spread(1_000, 999, 7)
    assert len(set(picked.tolist())) == 999
    assert (picked.min(), picked.max() < 1_000) == (picked[0], True)


def test_what_no_reference_hand_keeps_falls_back_to_uniform(books: Books) -> None:
    """Nobody keeps A, 6, J and K of four suits; with them shown the crib may be any two cards."""
    known = Known(cards("5H 6C 7D JS QH 2C"), parse_card("9H"), PONE, cards("AC 6D TH KS"))
    found = hidden_cards(known, books.discards)
    assert "no hand that the reference strategy keeps" in found.note
    assert (found.prior, found.possible) == ("uniform", 41 * 40 // 2)


# --- Win odds -------------------------------------------------------------------------------------


@pytest.mark.parametrize("dealer", ["player", "opponent"])
def test_odds_before_the_throw_average_to_the_table(
    table: WinTable, model: Model, dealer: Any
) -> None:
    """400 hands of seeded deals, the reference's own throw: z under 4 (false alarm 6e-5).

    Seen: the wrong dealer of the next deal, the crib to the wrong player, a wrong order of
    counting; each moves the mean by more than 0.05, some six errors.
    """
    deals = drawn_cards(11, 0, 400)
    seat = DEALER if dealer == "player" else PONE
    few = Model(model.strategy, model.books, draws=200)
    wins = []
    for deal in deals:
        hand = deal[6 * seat : 6 * seat + 6].tolist()
        throw = THROWS[int(model.books.discards[hand_number(hand)]) >> 4 * seat & 15]
        found = position_odds(Position(102, 103, dealer, tuple(hand)), table, few)
        chosen = tuple(sorted(hand)[i] for i in throw)
        wins.append(next(o.outlook.odds.win for o in found.options if o.cards == chosen))
    cell = table.odds(player=102, opponent=103, dealer=dealer)
    error = np.hypot(np.std(wins) / np.sqrt(len(wins)), cell.win_se)
    assert abs(np.mean(wins) - cell.win) < 4 * error
    assert error < 0.02


def test_a_card_that_reaches_the_target_wins_for_certain(table: WinTable, model: Model) -> None:
    position = Position(
        119, 120, "opponent", cards("9C 6H KD 2S"), cards("AC 3D"), parse_card("8H"),
        cards("9C 6D"),
    )  # fmt: skip
    odds = {o.cards: o.outlook for o in position_odds(position, table, model).options}
    pair = odds[cards("6H")]
    assert pair.odds.win == pytest.approx(1, abs=1e-12)
    assert pair.out == pytest.approx(1, abs=1e-12)
    assert all(each.odds.win < 1 for card, each in odds.items() if card != cards("6H"))


def test_who_goes_out_takes_the_card_that_wins(table: WinTable, model: Model) -> None:
    """The dealer needs 2 and surely pairs or makes 15 with some cards; only "going out" makes
    him. So the player's odds can only be lower."""
    position = Position(
        100, 119, "opponent", cards("9C 6H KD 2S"), cards("AC 3D"), parse_card("8H"), cards("9C"),
    )  # fmt: skip
    out = Model(model.strategy, model.books, replies="going out", draws=2_000, count_out=2_000)
    assert position_odds(position, table, out).win <= position_odds(position, table, model).win


def test_scores_before_the_deal_and_now_are_one_position(table: WinTable, model: Model) -> None:
    """The dealer pairs for 2 (heels 2 before): 90-95 before the deal is 94-95 now."""
    common = ("player", cards("9C 6H KD 2S"), cards("AC 3D"), parse_card("JH"), cards("9D 9C"))
    now = Position(94, 95, *common)  # type: ignore[arg-type]
    then = Position(90, 95, *common, scores_are="before the deal")  # type: ignore[arg-type]
    assert now.board() == then.board()
    assert now.board()[0] == (92, 94)
    assert position_odds(now, table, model).win == position_odds(then, table, model).win


def test_the_show_is_counted_in_its_order(table: WinTable, model: Model) -> None:
    """All cards played; both need two points. Who counts first wins."""
    play = cards("4C 9C 4D 6H 2S 2H KD QS")
    common = ("player", cards("9C 6H QS 2H"), cards("AC 3D"), parse_card("8H"), play)
    dealer = Position(119, 119, *common)  # type: ignore[arg-type]
    assert dealer.moment == "before the pone's hand is counted"
    assert position_odds(dealer, table, model).win == 0
    after = Position(119, 112, *common, counted=1)  # type: ignore[arg-type]
    assert after.moment == "before the dealer's hand is counted"
    # Q 2 2 and 9 6 are fifteens: out.
    assert position_odds(after, table, model).win == 1


# --- Reviews --------------------------------------------------------------------------------------


def blunder() -> dict[str, Any]:
    """A deal in which the pone throws two fives of a fine hand into the dealer's crib."""
    return {
        "dealer": "opponent",
        "scores": [90, 95],
        "hands": {"pone": "7C 9H 5H 5C 5D JS", "dealer": "2H 3C 8S TD QC KH"},
        "throws": {"pone": "5H 5C", "dealer": "8S 2H"},
        "starter": "4S",
        "play": "JS TD 7C 3C 9H QC 5D KH",
    }


def test_a_review_finds_the_invented_blunder(table: WinTable, model: Model) -> None:
    found = review(read_record(json.dumps(blunder())), table, model)
    worst = max(found.decisions, key=lambda each: each.loss)
    assert (worst.player, worst.kind) == ("player", "throw")
    assert worst.chosen == cards("5C 5H")
    assert worst.best == cards("7C 9H")
    assert worst.loss > 0.1
    assert worst.points_loss > 5
    assert not worst.close


def test_luck_less_losses_is_the_whole_change(table: WinTable, model: Model) -> None:
    found = review(read_record(json.dumps(blunder())), table, model)
    for total in found.totals():
        curve = [point.win for point in found.curve if point.player == total.player]
        luck = total.deal + total.cut + total.play + total.show
        assert curve[-1] - curve[0] == pytest.approx(luck - total.lost, abs=1e-9)
    frame = found.curve_frame()
    assert frame.height == len(found.curve)
    assert (
        frame["player_score"][-1]
        == read_record(json.dumps(blunder())).deals[0].pegs_after()[0].score
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"play": "JS TD 7C 3C 9H QC KH 5D"}, "line 7: card 7 of the play, KH"),
        ({"throws": {"pone": "5H 4C", "dealer": "8S 2H"}}, "4C, which is not in"),
        ({"starter": "KH"}, "KH"),
        ({"show": {"crib": 29}}, "line 8: the crib counts"),
        ({"show": {"pone_hand": {"points": 3, "events": []}}}, "the pone's hand has other events"),
        ({"totals": "four"}, "line 9: totals: expected pone, dealer"),
        ({"totals": {"pone": 99}}, "line 9: the pone scores"),
        ({"pegs": {"player": [90, 121]}}, "line 9: after the deal the player's pegs"),
        ({"scores": [90, 121]}, "line 3: scores"),
        ({"dealer": "me"}, "line 2: dealer"),
        ({"hands": {"pone": "7C 9H 5H 5C 5D", "dealer": "2H 3C 8S TD QC KH"}}, "line 4"),
        ({"plays": ""}, "unknown key"),
        ({"totals": {"player": 99}}, "line 9: unknown key 'player'; expected dealer, pone"),
        ({"pegs": {"playr": [90, 121]}}, "line 9: unknown key 'playr'"),
        ({"scores": {"player": 90, "opponent": 95, "pone": 1}}, "line 3: unknown key 'pone'"),
        ({"show": {"crib": {"ponits": 7}}}, "line 8: unknown key 'ponits'"),
        ({"play": [{"card": "JS", "ponits": 7}]}, "line 7: unknown key 'ponits'"),
        ({"seed": "abc"}, "seed: expected a whole number from 0, got 'abc'"),
        ({"number": -1}, "number: expected a whole number from 0, got -1"),
        ({"play": "JS TD 7C"}, "breaks off after 3 of 8"),
    ],
)
def test_a_fault_of_a_record_is_told_with_its_line(change: dict[str, Any], said: str) -> None:
    entry = {**blunder(), "show": {}, **change}
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in entry.items())
    with pytest.raises(RecordError, match=said) as error:
        read_record("{\n" + lines + "\n}")
    assert str(error.value).startswith("line ")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[" * 100_000, "line 1: nested too deeply"),
        ('{"target": ' + "9" * 5_000 + "}", "line 1: "),
        ('{"deals": [{}], "players": ["a", "\\ud800"]}', "names that can be printed"),
        ('{"deals": [{}], "players": ["a", "b\\u001b[2J"]}', "names that can be printed"),
    ],
)
def test_a_hostile_record_is_refused_in_a_line(text: str, said: str) -> None:
    with pytest.raises(RecordError, match=said) as error:
        read_record(text)
    assert str(error.value).startswith("line ")
    assert len(str(error.value)) < 200


def test_the_opponents_last_cards_are_luck_of_the_play(table: WinTable, model: Model) -> None:
    """The pone's last card is laid before the dealer's: what that brings is not the show's."""
    found = review(read_record(json.dumps(blunder())), table, model)
    told = found.record.deals[0].told
    last = max(i for i, step in enumerate(told.steps) if step.part == "play")
    assert told.steps[last].seat == DEALER
    mine = [point for point in found.curve if point.player == "player"]
    assert mine[-1].cause == "show"
    assert mine[-2].cause == "play"
    pegs = (mine[-2].player_pegs.score, mine[-2].opponent_pegs.score)
    assert pegs == tuple(each.score for each in told.steps[last].pegs)


def test_a_score_that_does_not_follow_is_told() -> None:
    first = blunder()
    second = {**first, "dealer": "player", "scores": [1, 2]}
    with pytest.raises(RecordError, match="do not follow: the deal before ended at"):
        read_record(json.dumps({"deals": [first, second]}))


@pytest.mark.parametrize("score", ["0-0", "118-118", "120-120"])
@pytest.mark.parametrize("dealer", ["player", "opponent"])
def test_a_deal_near_the_end_is_written_as_far_as_it_was_played(score: str, dealer: str) -> None:
    words = ["deal", "--config", "look-ahead", "--number", "3", "--score", score]
    written = CliRunner().invoke(cli.cribodds, [*words, "--dealer", dealer, "--json"])
    assert written.exit_code == 0, written.output
    game = read_record(written.output)
    assert max(each.score for each in game.deals[0].pegs_after()) <= 121
    assert (game.winner is None) == (score == "0-0")
    told = CliRunner().invoke(cli.cribodds, [*words, "--dealer", dealer])
    assert ("wins the game" in told.output) == (score != "0-0")


def test_records_written_by_the_command_are_read_back() -> None:
    words = ["deal", "--config", "look-ahead", "--number", "3", "--game", "--json"]
    written = CliRunner().invoke(cli.cribodds, words)
    assert written.exit_code == 0, written.output
    game = read_record(written.output)
    assert game.winner is not None
    pegs = game.deals[-1].pegs_after()
    assert max(each.score for each in pegs) == 121
    assert all(each.prior is not None and each.prior < each.score for each in pegs)


# --- The chart ------------------------------------------------------------------------------------


def test_the_census_is_that_of_the_facts() -> None:
    found = census()
    for row in rows("hand_score_census"):
        score = int(row["score"])
        assert found[:, score].tolist() == [int(row["hands"]), int(row["cribs"])]


def test_hands_really_held_are_all_hands_and_starters(books: Books) -> None:
    found = held(books, deals=1_000)
    assert found.hands.sum(axis=1).tolist() == [HANDS * 46] * 2
    assert found.cribs.sum() == 1_000
    points = (found.hands * np.arange(30)).sum(axis=1)
    # No rule of throwing keeps more than the best keep of every hand.
    assert (points <= 7_767_205_480).all()
    assert (points > 0.95 * 7_767_205_480).all()
