"""Wrong rules: each replaces one function of the twin, which itself stays free of switches.

The comparison of twin and simulator is worth as much as it notices. Of every mutant it must.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import reference
from reference import DEALER, JACK, PONE, Chooser, Laid, Reason, Score, Step, opponent, rank, suit

right = {name: value for name, value in vars(reference).items() if callable(value)}


class Mutant(NamedTuple):
    """A wrong rule in words, the twin's function that it replaces, and the wrong function."""

    rule: str
    name: str
    function: Callable[..., Any]


@contextmanager
def put_in(mutant: Mutant) -> Iterator[None]:
    """Play by the wrong rule for a while."""
    setattr(reference, mutant.name, mutant.function)
    try:
        yield
    finally:
        setattr(reference, mutant.name, right[mutant.name])


# --- The seven of the facts -----------------------------------------------------------------------


def dealer_counts_first(keeps: Any, crib: Any, starter: int) -> list[Step]:
    pone, dealer, his_crib = right["the_show"](keeps, crib, starter)
    return [dealer, his_crib, pone]


def no_last_card(series: Sequence[int], left: Sequence[Sequence[int]]) -> list[Reason]:
    return [reason for reason in right["score_of_go"](series, left) if reason[0] != "last card"]


def thirty_one_scores_one(series: Sequence[int]) -> list[Reason]:
    return [("thirty-one", 1)] if reference.the_count(series) == 31 else []


def last_card_on_31(series: Sequence[int], left: Sequence[Sequence[int]]) -> list[Reason]:
    return right["score_of_go"](series, left) if any(left) else [("last card", 1)]


def pone_leads_after_31(keeps: Sequence[Sequence[int]], choosers: Sequence[Chooser]) -> list[Laid]:
    left = [list(keep) for keep in keeps]
    laid: list[Laid] = []
    lead, seat = 0, PONE
    while any(left):
        card = choosers[seat](tuple(keeps[seat]), seat, [(each.seat, each.card) for each in laid])
        left[seat].remove(card)
        laid.append(Laid(seat, card, []))
        laid[-1].reasons.extend(reference.score_of_card(reference.ranks_laid(laid), lead))
        series = reference.ranks_laid(laid[lead:])
        count = reference.the_count(series)
        goes_on = reference.next_to_play(seat, left, count)
        if goes_on is None:
            laid[-1].reasons.extend(reference.score_of_go(series, left))
            lead = len(laid)
            goes_on = PONE if count == 31 and left[PONE] else reference.next_to_lead(seat, left)
        seat = goes_on
    return laid


def four_card_flush_in_the_crib(hand: Sequence[int], starter: int, is_crib: bool) -> list[Score]:
    scores: list[Score] = right["flush"](hand, starter, False)
    return scores


def no_heels(starter: int) -> int:
    return 0


# --- The show -------------------------------------------------------------------------------------


def runs_inside_runs(cards: Sequence[int]) -> list[Score]:
    return [
        Score("run", group, size)
        for size in range(3, len(cards) + 1)
        for group in combinations(cards, size)
        if reference.is_run(map(rank, group))
    ]


def a_double_run_once(cards: Sequence[int]) -> list[Score]:
    scores: list[Score] = right["runs"](cards)[:1]
    return scores


def around_the_corner(ranks: Any) -> bool:
    held = sorted(ranks)
    turned = sorted((each + 6) % 13 for each in held)
    return right["is_run"](held) or ({0, 12} <= set(held) and right["is_run"](turned))


def flush_with_the_starter(hand: Sequence[int], starter: int, is_crib: bool) -> list[Score]:
    found: list[Score] = right["flush"](hand, starter, is_crib)
    if found or is_crib:
        return found
    suits = [suit(card) for card in (*hand, starter)]
    return [Score("flush", tuple(hand), 4)] if max(map(suits.count, suits)) == 4 else []


def flush_of_five_scores_four(hand: Sequence[int], starter: int, is_crib: bool) -> list[Score]:
    return [score._replace(points=4) for score in right["flush"](hand, starter, is_crib)]


def nobs_of_the_starter(hand: Sequence[int], starter: int) -> list[Score]:
    turned = [Score("nobs", (starter,), 1)] if rank(starter) == JACK else []
    scores: list[Score] = right["nobs"](hand, starter) + turned
    return scores


def nobs_of_any_jack(hand: Sequence[int], starter: int) -> list[Score]:
    return [Score("nobs", (card, starter), 1) for card in hand if rank(card) == JACK]


def no_nobs_in_the_crib(hand: Sequence[int], starter: int, is_crib: bool) -> list[Score]:
    scores = right["show"](hand, starter, is_crib)
    return [score for score in scores if not (is_crib and score.name == "nobs")]


def no_fifteen_of_five(cards: Sequence[int]) -> list[Score]:
    return [score for score in right["fifteens"](cards) if len(score.cards) < 5]


def four_alike_are_two_pairs(cards: Sequence[int]) -> list[Score]:
    scores: list[Score] = right["pairs"](cards)
    four = {rank(score.cards[0]) for score in scores}
    for each in four:
        same = [score for score in scores if rank(score.cards[0]) == each]
        if len(same) == 6:
            scores = [score for score in scores if score not in same[2:]]
    return scores


# --- The cut and the crib -------------------------------------------------------------------------


def heels_score_one(starter: int) -> int:
    return 1 if rank(starter) == JACK else 0


def heels_to_the_pone(starter: int) -> list[Step]:
    return [step._replace(seat=PONE) for step in right["turn_up"](starter)]


def crib_to_the_pone() -> int:
    return PONE


# --- The play -------------------------------------------------------------------------------------


def dealer_leads() -> int:
    return DEALER


def pair_across_a_reset(ranks: Sequence[int], lead: int) -> list[Reason]:
    series = ranks[lead:]
    return [
        *reference.fifteen_in_play(series),
        *reference.thirty_one_in_play(series),
        *reference.pairs_in_play(ranks),
        *reference.run_in_play(series),
    ]


def run_across_a_reset(ranks: Sequence[int], lead: int) -> list[Reason]:
    series = ranks[lead:]
    return [
        *reference.fifteen_in_play(series),
        *reference.thirty_one_in_play(series),
        *reference.pairs_in_play(series),
        *reference.run_in_play(ranks),
    ]


def a_card_may_be_held_back(last: int, left: Sequence[Sequence[int]], count: int) -> int | None:
    """From 28 on a player may say go with a card that fits, if the other can go on."""
    seat: int | None = right["next_to_play"](last, left, count)
    if count >= 28 and seat == opponent(last) and reference.legal_cards(left[last], count):
        return last
    return seat


def a_go_ends_the_count(last: int, left: Sequence[Sequence[int]], count: int) -> int | None:
    """Who has been told go does not go on."""
    return opponent(last) if reference.legal_cards(left[opponent(last)], count) else None


def a_go_paid_twice(series: Sequence[int], left: Sequence[Sequence[int]]) -> list[Reason]:
    return [
        (why, 2 if why == "go" else points) for why, points in right["score_of_go"](series, left)
    ]


def thirty_is_the_limit(cards: Sequence[int], count: int) -> list[int]:
    return [card for card in cards if count + reference.pip(rank(card)) <= 30]


def who_laid_last_leads(last: int, left: Sequence[Sequence[int]]) -> int:
    return last if left[last] else opponent(last)


def pair_royal_scores_four(series: Sequence[int]) -> list[Reason]:
    return [
        (why, 4 if why == "pair royal" else points)
        for why, points in right["pairs_in_play"](series)
    ]


def runs_in_order_only(series: Sequence[int]) -> list[Reason]:
    for size in range(len(series), 2, -1):
        steps = {b - a for a, b in pairwise(series[-size:])}
        if steps in ({1}, {-1}):
            return [("run", size)]
    return []


def no_run_of_seven(series: Sequence[int]) -> list[Reason]:
    return [(why, min(points, 6)) for why, points in right["run_in_play"](series)]


def no_fifteen_in_the_play(series: Sequence[int]) -> list[Reason]:
    return []


def court_cards_count_on(rank: int) -> int:
    return min(rank + 1, 11)


DEALS = [
    Mutant("dealer hand and crib counted before the pone", "the_show", dealer_counts_first),
    Mutant("no last-card point", "score_of_go", no_last_card),
    Mutant("31 scores 1", "thirty_one_in_play", thirty_one_scores_one),
    Mutant("31 on the last card scores 3", "score_of_go", last_card_on_31),
    Mutant("pone always leads after 31", "the_play", pone_leads_after_31),
    Mutant("crib scores a four-card flush", "flush", four_card_flush_in_the_crib),
    Mutant("no heels", "heels", no_heels),
    Mutant("runs inside a run count again", "runs", runs_inside_runs),
    Mutant("a double run counts once", "runs", a_double_run_once),
    Mutant("runs go around the corner", "is_run", around_the_corner),
    Mutant("four of a suit with the starter are a flush", "flush", flush_with_the_starter),
    Mutant("a flush of five scores 4", "flush", flush_of_five_scores_four),
    Mutant("nobs for a jack turned up", "nobs", nobs_of_the_starter),
    Mutant("nobs for any jack", "nobs", nobs_of_any_jack),
    Mutant("no nobs in the crib", "show", no_nobs_in_the_crib),
    Mutant("no fifteen of five cards", "fifteens", no_fifteen_of_five),
    Mutant("four alike are two pairs", "pairs", four_alike_are_two_pairs),
    Mutant("heels score 1", "heels", heels_score_one),
    Mutant("heels to the pone", "turn_up", heels_to_the_pone),
    Mutant("the crib is the pone's", "owner_of_crib", crib_to_the_pone),
    Mutant("the dealer leads", "first_to_lead", dealer_leads),
    Mutant("a pair across a reset", "score_of_card", pair_across_a_reset),
    Mutant("a run across a reset", "score_of_card", run_across_a_reset),
    Mutant("a card that fits may be held back", "next_to_play", a_card_may_be_held_back),
    Mutant("a go ends the count at once", "next_to_play", a_go_ends_the_count),
    Mutant("a go is paid twice", "score_of_go", a_go_paid_twice),
    Mutant("the count may not pass 30", "legal_cards", thirty_is_the_limit),
    Mutant("who laid the last card leads", "next_to_lead", who_laid_last_leads),
    Mutant("a pair royal in the play scores 4", "pairs_in_play", pair_royal_scores_four),
    Mutant("runs in the play in order only", "run_in_play", runs_in_order_only),
    Mutant("a run of seven in the play scores 6", "run_in_play", no_run_of_seven),
    Mutant("no fifteen in the play", "fifteen_in_play", no_fifteen_in_the_play),
    Mutant("court cards count eleven", "pip", court_cards_count_on),
]
"""Wrong rules that single deals show; the first seven are those of the facts."""


# --- The game -------------------------------------------------------------------------------------


def out_at_120(score: int, target: int) -> bool:
    return score >= target - 1


def same_dealer_again(number: int, first_dealer: int) -> int:
    return first_dealer


def skunk_under_the_line(loser: int, skunk_lines: Sequence[int]) -> str:
    return right["kind_of_win"](loser + 1, skunk_lines)  # type: ignore[no-any-return]


def skunk_above_the_line(loser: int, skunk_lines: Sequence[int]) -> str:
    return right["kind_of_win"](loser - 1, skunk_lines)  # type: ignore[no-any-return]


def no_double_skunk(loser: int, skunk_lines: Sequence[int]) -> str:
    return right["kind_of_win"](loser, skunk_lines[:1])  # type: ignore[no-any-return]


def deal_played_to_its_end(
    deal: Callable[[int], Sequence[Step]],
    target: int = 121,
    skunk_lines: Sequence[int] = (90, 60),
    first_dealer: int = 0,
    scores: tuple[int, int] = (0, 0),
) -> reference.Game:
    """Who stands higher at the end of a deal wins; the dealer if both stand alike."""
    board = list(scores)
    number = 0
    while max(board) < target:
        dealer = reference.dealer_of(number, first_dealer)
        for step in deal(number):
            board[dealer if step.seat == DEALER else opponent(dealer)] += step.points
        number += 1
    winner = dealer if board[0] == board[1] else int(board[1] > board[0])
    kind = reference.kind_of_win(board[opponent(winner)], skunk_lines)
    return reference.Game(winner, (board[0], board[1]), number, kind)


GAMES = [
    Mutant("120 wins", "is_out", out_at_120),
    Mutant("the deal does not change hands", "dealer_of", same_dealer_again),
    Mutant("a skunk only under 90", "kind_of_win", skunk_under_the_line),
    Mutant("a skunk at 91 too", "kind_of_win", skunk_above_the_line),
    Mutant("no double skunk", "kind_of_win", no_double_skunk),
    Mutant("the last deal is played to its end", "play_game", deal_played_to_its_end),
]
"""Wrong rules of the game, which only played games show."""
