"""The reference strategy in plain Python: the slow twin of the choice of discard and of card.

Written from the strategy's text alone.  A player sees his own cards and what is laid on the table,
and nothing else.  Values are whole numbers, so that no choice hangs on rounding.
"""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import comb, prod
from typing import NamedTuple, TypeAlias

import reference
from reference import DEALER, JACK, opponent, rank, suit

RANK_PAIRS = list(combinations_with_replacement(range(13), 2))
"""What two cards thrown can be by rank; a table G has a number for each."""

KEEPS = list(combinations_with_replacement(range(13), 4))
"""What four cards kept can be by rank; the tables F and worth have a number for each."""

NUMBER_OF_KEEP: dict[tuple[int, ...], int] = {keep: number for number, keep in enumerate(KEEPS)}
THROWS = list(combinations(range(6), 2))
"""Throw number -> which two of the six sorted cards go to the crib."""

UNIT = 1000 * comb(46, 3)
"""One point: the means over 46 starters and over three unseen cards come out whole."""

History: TypeAlias = Sequence[tuple[int, int]]
"""(seat, rank laid), ... from the first card of the play."""

CardRule: TypeAlias = Callable[[Sequence[int], int, History], int]
"""(ranks of the own keep, own seat, history) -> the rank to lay."""


# --- What a player can see of the play ------------------------------------------------------------


class View(NamedTuple):
    """What a player whose turn it is knows; everything by rank."""

    mine: list[int]  # the ranks still in his hand
    series: list[int]  # the ranks laid since the reset
    unseen: list[int]  # of each rank, how many cards the opponent may hold
    cards_left: int  # how many cards the opponent holds
    said_go: bool  # whether the opponent has said go in this series


class Table:
    """The play as everyone at the table follows it."""

    def __init__(self) -> None:
        self.series: list[int] = []
        self.said_go = [False, False]  # in this series, by seat
        self.denied: tuple[set[int], set[int]] = (set(), set())  # ranks nobody in the seat holds
        self.last = reference.PONE

    def turn(self, player: int, cards: Sequence[int]) -> None:
        """It falls to a player to lay one of these cards: who must have said go before that?"""
        if not self.series:
            return
        if player == self.last:
            self.go(opponent(player))
        if not any(fits(card, self.series) for card in cards):
            self.go(player)
            self.go(self.last)
            self.series = []
            self.said_go = [False, False]

    def go(self, player: int) -> None:
        """He has no card that fits; on 31 this tells nothing, for no card would fit."""
        self.said_go[player] = True
        self.denied[player].update(card for card in range(13) if fits(card, self.series))

    def lay(self, player: int, card: int) -> None:
        self.series.append(card)
        self.last = player


def observe(keep: Sequence[int], seat: int, history: History) -> View:
    """What the order of the play tells the player in `seat`, whose turn it is."""
    table = Table()
    mine = list(keep)
    his = []
    for player, card in history:
        table.turn(player, [card])
        table.lay(player, card)
        if player == seat:
            mine.remove(card)
        else:
            his.append(card)
    table.turn(seat, mine)
    other = opponent(seat)
    known = [*keep, *his]
    unseen = [0 if card in table.denied[other] else 4 - known.count(card) for card in range(13)]
    return View(mine, table.series, unseen, 4 - len(his), table.said_go[other])


def fits(card: int, series: Sequence[int]) -> bool:
    """Whether a card of this rank can be laid without passing 31."""
    return reference.the_count(series) + reference.pip(card) <= 31


def points_of(series: Sequence[int]) -> int:
    """Fifteen, thirty-one, pairs and run of the last card; the go is not in it."""
    return sum(points for _, points in reference.score_of_card(series, 0))


# --- The choice of a card -------------------------------------------------------------------------


def greedy(keep: Sequence[int], seat: int, history: History) -> int:
    """The card that scores most now; of equals the highest rank."""
    view = observe(keep, seat, history)
    legal = [card for card in view.mine if fits(card, view.series)]
    return max(legal, key=lambda card: (points_of([*view.series, card]), card))


def look_ahead(keep: Sequence[int], seat: int, history: History) -> int:
    """The card worth most after the opponent's best reply; of equals the highest rank."""
    view = observe(keep, seat, history)
    legal = {card for card in view.mine if fits(card, view.series)}
    if len(legal) == 1:
        return legal.pop()
    return max(legal, key=lambda card: (value_of_card(card, view), card))


def value_of_card(card: int, view: View) -> int:
    """Points now, less the expected best reply, plus the chance of a go.

    In units of one point / C(U, m): the number of hands of m cards that the opponent can hold, each
    as likely, out of U unseen ones.
    """
    series = [*view.series, card]
    unseen = sum(view.unseen)
    hands = comb(unseen, view.cards_left)
    now = points_of(series) * hands
    room = 31 - reference.the_count(series)
    if room == 0:
        return now
    if view.cards_left == 0 or view.said_go:
        return now + hands

    def hands_with_one_of(ranks: Sequence[int]) -> int:
        without = unseen - sum(view.unseen[rank] for rank in ranks)
        return hands - comb(without, view.cards_left)

    fitting = [reply for reply in range(13) if reference.pip(reply) <= room]
    replies = {reply: points_of([*series, reply]) for reply in fitting}
    best_reply = sum(
        hands_with_one_of([reply for reply in fitting if replies[reply] >= points])
        for points in range(1, max(replies.values()) + 1)
    )
    go = hands - hands_with_one_of(fitting)
    return now - best_reply + go


def chooser(choose: CardRule) -> reference.Chooser:
    """A rule about ranks as a chooser of cards: it lays the first card held of the rank chosen."""

    def choose_card(keep: tuple[int, ...], seat: int, seen: list[tuple[int, int]]) -> int:
        history = [(player, rank(card)) for player, card in seen]
        chosen = choose([rank(card) for card in keep], seat, history)
        mine = {card for player, card in seen if player == seat}
        return next(card for card in keep if rank(card) == chosen and card not in mine)

    return choose_card


# --- The choice of a discard ----------------------------------------------------------------------


def best_throw(
    hand: Sequence[int], seat: int, thrown: Sequence[int], worth: Sequence[Sequence[int]]
) -> int:
    """The number of the throw worth most; of equals the lowest number.

    `hand` is six sorted cards; `thrown` says how often the opponent throws each rank pair, `worth`
    what each keep earns in the play by seat, in units.
    """
    return max(range(15), key=lambda number: value_of_throw(hand, number, seat, thrown, worth))


def value_of_throw(
    hand: Sequence[int],
    number: int,
    seat: int,
    thrown: Sequence[int],
    worth: Sequence[Sequence[int]],
) -> int:
    """What a throw is worth, in units of one point / `UNIT`."""
    throw = [hand[place] for place in THROWS[number]]
    keep = reference.keep_of(hand, throw)
    crib = crib_by_rank(throw, hand, thrown) + crib_by_suit(throw, hand)
    play = worth[seat][NUMBER_OF_KEEP[tuple(sorted(map(rank, keep)))]]
    return mean_hand(keep, hand) + (crib if seat == DEALER else -crib) + play


def mean_hand(keep: Sequence[int], hand: Sequence[int]) -> int:
    """The mean score of a keep over the 46 starters that it may meet, in units."""
    total = sum(hand_points(keep, starter) for starter in range(52) if starter not in hand)
    return UNIT // 46 * total


def hand_points(keep: Sequence[int], starter: int) -> int:
    by_suit = reference.flush(keep, starter, False) + reference.nobs(keep, starter)
    return rank_points(map(rank, [*keep, starter])) + sum(score.points for score in by_suit)


def rank_points(ranks: Iterable[int]) -> int:
    """Fifteens, pairs and runs of five cards."""
    return points_of_sorted(tuple(sorted(ranks)))


@cache
def points_of_sorted(ranks: tuple[int, ...]) -> int:
    cards = [4 * rank for rank in ranks]
    scores = reference.fifteens(cards) + reference.pairs(cards) + reference.runs(cards)
    return sum(score.points for score in scores)


def crib_by_rank(throw: Sequence[int], hand: Sequence[int], thrown: Sequence[int]) -> int:
    """The mean of a crib's fifteens, pairs and runs, in units, a half rounded up.

    The opponent's pair is as likely as he throws it, times the ways that are left to hold it; the
    starter is any of the 44 other cards.
    """
    left = [4 - list(map(rank, hand)).count(each) for each in range(13)]
    mine = list(map(rank, throw))
    points = weights = 0
    for (low, high), often in zip(RANK_PAIRS, thrown, strict=True):
        weight = often * ways(low, high, left) * (48 // ways(low, high, [4] * 13))
        if weight == 0:
            continue
        starters = list(left)
        starters[low] -= 1
        starters[high] -= 1
        weights += weight
        points += weight * sum(
            starters[starter] * rank_points([*mine, low, high, starter])
            for starter in range(13)
            if starters[starter]
        )
    return (2 * points * UNIT + 44 * weights) // (2 * 44 * weights)


def ways(low: int, high: int, left: Sequence[int]) -> int:
    """How many pairs of cards have these two ranks when so many cards of each rank are left."""
    return comb(left[low], 2) if low == high else left[low] * left[high]


def crib_by_suit(throw: Sequence[int], hand: Sequence[int]) -> int:
    """The mean of a crib's nobs of the jacks thrown and of its flush, in units."""
    left = [13 - list(map(suit, hand)).count(each) for each in range(4)]
    nobs = sum(UNIT // 46 * left[suit(card)] for card in throw if rank(card) == JACK)
    first, second = map(suit, throw)
    flush = 5 * UNIT // comb(46, 3) * comb(left[first], 3) if first == second else 0
    return nobs + flush


def worth_of_keep(
    keep: Sequence[int], seat: int, kept: Sequence[int], choose: CardRule = look_ahead
) -> Fraction:
    """The mean of the own points in the play less the opponent's, in points.

    `keep` is four ranks; `kept` says how often the opponent keeps each four ranks.
    """
    total = weights = Fraction(0)
    for other, often in zip(KEEPS, kept, strict=True):
        weight = often * Fraction(
            prod(comb(4 - list(keep).count(each), other.count(each)) for each in set(other)),
            prod(comb(4, other.count(each)) for each in set(other)),
        )
        if weight:
            weights += weight
            total += weight * margin_of_play(keep, other, seat, choose)
    return total / weights


def margin_of_play(keep: Sequence[int], other: Sequence[int], seat: int, choose: CardRule) -> int:
    """The points in the play of the player in `seat` less his opponent's."""
    cards = cards_of_ranks([*keep, *other])
    keeps = [cards[:4], cards[4:]] if seat == reference.PONE else [cards[4:], cards[:4]]
    margin = 0
    for laid in reference.the_play(keeps, (chooser(choose), chooser(choose))):
        points = sum(points for _, points in laid.reasons)
        margin += points if laid.seat == seat else -points
    return margin


def cards_of_ranks(ranks: Sequence[int]) -> list[int]:
    """Different cards of these ranks; the play does not look at suits."""
    return [4 * rank + list(ranks[:place]).count(rank) for place, rank in enumerate(ranks)]
