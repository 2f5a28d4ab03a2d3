"""The rule book in plain Python: the slow twin that the compiled kernels are checked against.

Two-player, six-card cribbage as the American Cribbage Congress (ACC) plays it.  Written from the
rule book alone; it shares no code with what it checks.  Every rule is one small function that the
others call by its name, so that a wrong rule can be put in its place (`mutants.py`).

========  ==============================================================
card      ``4 * rank + suit``, 0 to 51; text "5H", rank before suit
rank      0 to 12 = A 2 3 4 5 6 7 8 9 T J Q K
suit      0 to 3 = C D H S
seat      0 = pone (leads, counts first), 1 = dealer (owns the crib)
series    the ranks laid since the last reset of the count, in order
========  ==============================================================
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple, TypeAlias

RANKS = "A23456789TJQK"
SUITS = "CDHS"
PIPS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)
JACK = RANKS.index("J")
PONE, DEALER = 0, 1
SEATS = ("pone", "dealer")


# --- The cards ------------------------------------------------------------------------------------


def rank(card: int) -> int:
    return card // 4


def suit(card: int) -> int:
    return card % 4


def pip(rank: int) -> int:
    """What a card of this rank counts: ace 1, court cards 10 (ACC rules, Definitions)."""
    return PIPS[rank]


def card_of(text: str) -> int:
    """The card that a text such as "5H" names."""
    return 4 * RANKS.index(text[0]) + SUITS.index(text[1])


def cards_of(text: str) -> list[int]:
    """The cards of a text such as "5H TC"."""
    return [card_of(word) for word in text.split()]


def text_of(card: int) -> str:
    return RANKS[rank(card)] + SUITS[suit(card)]


# --- The show (ACC rules: the counting of hands and crib) ---------------------------


class Score(NamedTuple):
    """One thing counted in the show."""

    name: str
    cards: tuple[int, ...]
    points: int


def show(hand: Sequence[int], starter: int, is_crib: bool) -> list[Score]:
    """Everything that four cards score together with the starter."""
    five = [*hand, starter]
    return (
        fifteens(five)
        + pairs(five)
        + runs(five)
        + flush(hand, starter, is_crib)
        + nobs(hand, starter)
    )


def fifteens(cards: Sequence[int]) -> list[Score]:
    """Two points for each set of cards that count fifteen."""
    return [
        Score("fifteen", group, 2)
        for size in range(2, len(cards) + 1)
        for group in combinations(cards, size)
        if sum(pip(rank(card)) for card in group) == 15
    ]


def pairs(cards: Sequence[int]) -> list[Score]:
    """Two points for each pair; three of a kind are three pairs, four are six."""
    return [
        Score("pair", group, 2)
        for group in combinations(cards, 2)
        if rank(group[0]) == rank(group[1])
    ]


def runs(cards: Sequence[int]) -> list[Score]:
    """A point a card for each longest run of three or more; the runs inside it do not count."""
    for size in range(len(cards), 2, -1):
        found = [group for group in combinations(cards, size) if is_run(map(rank, group))]
        if found:
            return [Score("run", group, size) for group in found]
    return []


def is_run(ranks: Iterable[int]) -> bool:
    """Whether the ranks follow one another, in whatever order; the ace is low only."""
    ordered = sorted(ranks)
    return all(above == below + 1 for below, above in pairwise(ordered))


def flush(hand: Sequence[int], starter: int, is_crib: bool) -> list[Score]:
    """Five cards of one suit score five; four score four, in the hand and not in the crib."""
    if len({suit(card) for card in hand}) > 1:
        return []
    if suit(starter) == suit(hand[0]):
        return [Score("flush", (*hand, starter), 5)]
    return [] if is_crib else [Score("flush", tuple(hand), 4)]


def nobs(hand: Sequence[int], starter: int) -> list[Score]:
    """One point for the jack of the starter's suit, in the hand or crib."""
    his_nobs = 4 * JACK + suit(starter)
    return [Score("nobs", (his_nobs, starter), 1)] if his_nobs in hand else []


def heels(starter: int) -> int:
    """Two points to the dealer for a jack turned up, before any card is played."""
    return 2 if rank(starter) == JACK else 0


# --- The play (ACC rules: the play of the cards) ------------------------------------------------

Reason: TypeAlias = tuple[str, int]
"""Why points are scored, and how many."""

Chooser: TypeAlias = Callable[[tuple[int, ...], int, list[tuple[int, int]]], int]
"""(own keep, own seat, [(seat, card laid), ...]) -> the card to lay."""


class Laid(NamedTuple):
    """One card of the play; the point for the go or the last card stands with the card."""

    seat: int
    card: int
    reasons: list[Reason]


def the_play(keeps: Sequence[Sequence[int]], choosers: Sequence[Chooser]) -> list[Laid]:
    """Play four cards against four to the last card; `keeps` and `choosers` by seat."""
    left = [list(keep) for keep in keeps]
    laid: list[Laid] = []
    lead = 0  # where the current series begins in `laid`
    seat = first_to_lead()
    while any(left):
        seen = [(each.seat, each.card) for each in laid]
        card = choosers[seat](tuple(keeps[seat]), seat, seen)
        if card not in legal_cards(left[seat], the_count(ranks_laid(laid[lead:]))):
            raise ValueError(
                f"the {SEATS[seat]} cannot lay {text_of(card)} as card {len(laid) + 1}"
            )
        left[seat].remove(card)
        laid.append(Laid(seat, card, []))
        laid[-1].reasons.extend(score_of_card(ranks_laid(laid), lead))
        series = ranks_laid(laid[lead:])
        goes_on = next_to_play(seat, left, the_count(series))
        if goes_on is None:
            laid[-1].reasons.extend(score_of_go(series, left))
            lead = len(laid)
            goes_on = next_to_lead(seat, left)
        seat = goes_on
    return laid


def ranks_laid(laid: Sequence[Laid]) -> list[int]:
    return [rank(each.card) for each in laid]


def the_count(series: Sequence[int]) -> int:
    return sum(map(pip, series))


def opponent(seat: int) -> int:
    return 1 - seat


def first_to_lead() -> int:
    """The pone lays the first card."""
    return PONE


def legal_cards(cards: Sequence[int], count: int) -> list[int]:
    """The cards that do not carry the count past 31."""
    return [card for card in cards if count + pip(rank(card)) <= 31]


def next_to_play(last: int, left: Sequence[Sequence[int]], count: int) -> int | None:
    """Who must lay a card on this count: the opponent of who played last if he can; if he says go,
    the same player if he can; else nobody, and the count is reset."""
    for seat in (opponent(last), last):
        if legal_cards(left[seat], count):
            return seat
    return None


def next_to_lead(last: int, left: Sequence[Sequence[int]]) -> int:
    """Who leads after a reset: the opponent of who played last, unless he is out of cards."""
    return opponent(last) if left[opponent(last)] else last


def score_of_card(ranks: Sequence[int], lead: int) -> list[Reason]:
    """What the last of the ranks laid scores as it is laid; the series begins at number `lead`."""
    series = ranks[lead:]
    return (
        fifteen_in_play(series)
        + thirty_one_in_play(series)
        + pairs_in_play(series)
        + run_in_play(series)
    )


def fifteen_in_play(series: Sequence[int]) -> list[Reason]:
    """Two points for bringing the count to 15."""
    return [("fifteen", 2)] if the_count(series) == 15 else []


def thirty_one_in_play(series: Sequence[int]) -> list[Reason]:
    """Two points for bringing the count to 31."""
    return [("thirty-one", 2)] if the_count(series) == 31 else []


def pairs_in_play(series: Sequence[int]) -> list[Reason]:
    """Two, six or twelve points for the second, third or fourth card of a rank in a row."""
    alike = 0
    for each in reversed(series):
        if each != series[-1]:
            break
        alike += 1
    kinds: dict[int, Reason] = {
        2: ("pair", 2),
        3: ("pair royal", 6),
        4: ("double pair royal", 12),
    }
    return [kinds[alike]] if alike in kinds else []


def run_in_play(series: Sequence[int]) -> list[Reason]:
    """A point a card for the longest run that the last cards make, three or more, in any order."""
    for size in range(len(series), 2, -1):
        if is_run(series[-size:]):
            return [("run", size)]
    return []


def score_of_go(series: Sequence[int], left: Sequence[Sequence[int]]) -> list[Reason]:
    """One point to who laid the last card of a series, or of all; 31 has scored its two instead."""
    if the_count(series) == 31:
        return []
    return [("go", 1)] if any(left) else [("last card", 1)]


def replay(record: str) -> list[Laid]:
    """A play written as "P:TS D:9H ...", checked against the rules and scored.

    Raises ValueError, in a player's words, for a play that the rules forbid.
    """
    written = plays_of(record)
    if len({card for _, card in written}) != len(written):
        raise ValueError("a card is played twice")
    keeps = [tuple(card for seat, card in written if seat == each) for each in (PONE, DEALER)]
    return the_play(keeps, (scripted(record), scripted(record)))


def plays_of(record: str) -> list[tuple[int, int]]:
    """(seat, card) for each card of a written play."""
    return [("PD".index(word[0]), card_of(word[2:])) for word in record.split()]


def scripted(record: str) -> Chooser:
    """A player who lays the cards as written; ValueError when it is not his turn there."""
    written = plays_of(record)

    def next_written(_: tuple[int, ...], seat: int, seen: list[tuple[int, int]]) -> int:
        turn, card = written[len(seen)]
        if turn != seat:
            raise ValueError(f"card {len(seen) + 1} is the {SEATS[seat]}'s to lay")
        return card

    return next_written


# --- A deal ---------------------------------------------------------------------------------------


class Step(NamedTuple):
    """One moment of a deal at which a player may score, in the order of scoring."""

    seat: int
    part: str  # "heels", "play", "hand" or "crib"
    card: int | None  # the card laid in the play, or the jack turned
    reasons: list[Reason]

    @property
    def points(self) -> int:
        return sum(points for _, points in self.reasons)


def play_deal(
    hands: Sequence[Sequence[int]],
    starter: int,
    discards: Sequence[Sequence[int]],
    choosers: Sequence[Chooser],
) -> list[Step]:
    """All that is scored in one deal, in the order of scoring: heels, the play, the show.

    `hands` (six cards), `discards` (two of them) and `choosers` are by seat.
    """
    keeps = [keep_of(hand, discard) for hand, discard in zip(hands, discards, strict=True)]
    crib = [*discards[PONE], *discards[DEALER]]
    return (
        turn_up(starter)
        + [Step(seat, "play", card, why) for seat, card, why in the_play(keeps, choosers)]
        + the_show(keeps, crib, starter)
    )


def keep_of(hand: Sequence[int], discard: Sequence[int]) -> list[int]:
    """The four cards kept when two of the six are laid away to the crib."""
    return [card for card in hand if card not in discard]


def turn_up(starter: int) -> list[Step]:
    """The starter is turned: a jack is the dealer's heels."""
    points = heels(starter)
    return [Step(DEALER, "heels", starter, [("heels", points)])] if points else []


def the_show(keeps: Sequence[Sequence[int]], crib: Sequence[int], starter: int) -> list[Step]:
    """The pone's hand, then the dealer's, then the crib, which is the dealer's."""

    def shown(seat: int, part: str, cards: Sequence[int]) -> Step:
        scores = show(cards, starter, part == "crib")
        return Step(seat, part, None, [(score.name, score.points) for score in scores])

    return [
        shown(PONE, "hand", keeps[PONE]),
        shown(DEALER, "hand", keeps[DEALER]),
        shown(owner_of_crib(), "crib", crib),
    ]


def owner_of_crib() -> int:
    return DEALER


# --- A game ---------------------------------------------------------------------------------------


class Game(NamedTuple):
    """How a game ended; players 0 and 1, player 0 deals first unless told otherwise."""

    winner: int
    scores: tuple[int, int]
    deals: int
    kind: str  # "plain", "skunk" or "double skunk"


def play_game(
    deal: Callable[[int], Sequence[Step]],
    target: int = 121,
    skunk_lines: Sequence[int] = (90, 60),
    first_dealer: int = 0,
    scores: tuple[int, int] = (0, 0),
) -> Game:
    """Play deal 0, 1, ... until a player is out; nothing is scored after that.

    `skunk_lines` are the scores at or under which the loser is skunked, and doubly skunked.
    """
    board = list(scores)
    number = 0
    while True:  # it ends, for every deal scores at least the last card's point
        dealer = dealer_of(number, first_dealer)
        for step in deal(number):
            player = dealer if step.seat == DEALER else opponent(dealer)
            board[player] = min(board[player] + step.points, target)
            if is_out(board[player], target):
                kind = kind_of_win(board[opponent(player)], skunk_lines)
                return Game(player, (board[0], board[1]), number + 1, kind)
        number += 1


def dealer_of(number: int, first_dealer: int) -> int:
    """The deal changes hands after each deal."""
    return (first_dealer + number) % 2


def is_out(score: int, target: int) -> bool:
    return score >= target


def kind_of_win(loser: int, skunk_lines: Sequence[int]) -> str:
    """Plain, or a skunk or double skunk: the loser at or under the first or second line."""
    names = ("plain", "skunk", "double skunk")
    return names[sum(loser <= line for line in skunk_lines)]
