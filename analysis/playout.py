"""The rest of the play from any moment, for many hands that the opponent may hold.

Both players go on as a strategy does, each by what he sees; where it mixes, every way is
followed, with its chance. ``going out`` changes one thing: who holds a card that takes
him to the target at once lays it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..sim import rules
from ..sim.cards import rank_of
from ..sim.jit import kernel
from ..sim.pairs import SEAT_BIT
from ..sim.play import card_points, is_legal, pip
from .history import Seen
from .replies import Replies, next_node, node_after, reply_chances

EVENTS: Final = 16
"""Most scoring events of a play: eight cards, and a go after each."""

# Ways still to be followed: at most three more for each card laid.
_DEPTH: Final = 32
_LENGTH, _COUNT, _TURN, _LAST, _NODE, _EVENT, _FIRST = 0, 1, 2, 3, 4, 5, 6


@dataclass(frozen=True)
class Rest:
    """What to play on from: where the play stands, the player's cards, how both go on.

    Attributes
    ----------
    seen : Seen
    keep : tuple of four cards
        The player's.
    needs : two ints, by seat
        Points that each lacks to win now.
    going_out : bool
        Both lay a card that wins at once, if they hold one.
    """

    seen: Seen
    keep: tuple[int, ...]
    needs: tuple[int, int]
    going_out: bool


class Lines(NamedTuple):
    """Ways that the rest of the play can go, by option and by what the opponent holds.

    Attributes
    ----------
    starts : int64 array, shape (options * hands + 1,)
        Where the ways of ``option * hands + hand`` begin in the arrays below.
    events : uint8 array, shape (n, events)
        Points, with the seat in the highest bit as in ``sim.pairs``; 0 = no more.
    which : int32 array, shape (ways,)
        The row of ``events``.
    chances : float64 array, shape (ways,)
        Their sum is 1 for every option and hand.
    """

    starts: NDArray[np.int64]
    events: NDArray[np.uint8]
    which: NDArray[np.int32]
    chances: NDArray[np.float64]


class _Places(NamedTuple):
    """Places of the play still to be followed, a stack; arrays by depth, then as named."""

    held: NDArray[np.uint8]  # seat, rank
    possible: NDArray[np.int64]  # seat, rank: what that seat's opponent may hold
    left: NDArray[np.int64]  # seat
    need: NDArray[np.int64]  # seat
    passed: NDArray[np.bool_]  # seat
    series: NDArray[np.uint8]
    now: NDArray[np.int64]  # length, count, turn, last, node, event, first
    line: NDArray[np.uint8]
    chance: NDArray[np.float64]


def lay_on(
    replies: Replies, rest: Rest, firsts: Sequence[int | None], hands: NDArray[np.uint8]
) -> Lines:
    """Return how the rest of the play can go.

    Parameters
    ----------
    replies : Replies
    rest : Rest
    firsts : sequence of ranks or None
        What the player in turn lays first, one option each; None: what the strategy lays.
    hands : uint8 array, shape (hands, cards)
        The ranks that the opponent may still hold, ascending in each row.

    Raises
    ------
    ValueError
        If a hand has not the cards that the opponent must still hold, or no deck has them.
    """
    _check_hands(rest, hands)
    seen = rest.seen
    start = _new_places(1)
    own = _counts(seen.held)
    start.held[0, seen.seat] = own
    start.possible[0, seen.seat] = rules.SUITS - _counts(rest.keep) - _counts(seen.shown)
    start.possible[0, seen.seat, : seen.denied] = 0
    start.possible[0, 1 - seen.seat] = rules.SUITS - _counts(seen.own) - _counts(seen.shown)
    start.left[0, seen.seat] = len(seen.held)
    start.need[0] = rest.needs
    start.passed[0] = seen.passed
    start.series[0, : len(seen.series)] = seen.series
    turn = 0 if seen.turn is None else seen.turn
    now = [len(seen.series), seen.count, turn, seen.last, node_after(replies, seen), 0, -1]
    start.now[0] = now
    start.chance[0] = 1.0
    ranks = np.array([-1 if first is None else first for first in firsts])
    starts, events, chances = _lay_all(
        replies,
        rest.going_out,
        seen.seat,
        seen.own_denied,
        ranks,
        hands,
        start,
        _new_places(_DEPTH),
    )
    return Lines(starts, events, np.arange(len(events), dtype=np.int32), chances)


def _new_places(depth: int) -> _Places:
    ranks = (depth, 2, rules.RANKS)
    return _Places(
        np.zeros(ranks, np.uint8),
        np.zeros(ranks, np.int64),
        np.zeros((depth, 2), np.int64),
        np.zeros((depth, 2), np.int64),
        np.zeros((depth, 2), np.bool_),
        np.zeros((depth, 2 * rules.KEPT + 2), np.uint8),
        np.zeros((depth, _FIRST + 1), np.int64),
        np.zeros((depth, EVENTS), np.uint8),
        np.zeros(depth, np.float64),
    )


def _counts(cards: Sequence[int]) -> NDArray[np.int64]:
    return np.bincount([rank_of(card) for card in cards], minlength=rules.RANKS).astype(np.int64)


def _check_hands(rest: Rest, hands: NDArray[np.uint8]) -> None:
    """Kernels do not check: what the opponent holds must be there to be held."""
    seen = rest.seen
    left = rules.KEPT - len(seen.shown)
    if hands.shape[1] != left:
        raise ValueError(f"the opponent holds {left} cards, not {hands.shape[1]}")
    held = (hands[:, :, None] == np.arange(rules.RANKS)).sum(axis=1)
    if hands.size and (
        hands.max() >= rules.RANKS
        or (held + _counts(rest.keep) + _counts(seen.shown)).max() > rules.SUITS
    ):
        raise ValueError("a hand of the opponent has a rank that is not there so often")


@kernel
def winning_card(
    held: NDArray[np.uint8], series: NDArray[np.uint8], length: int, count: int, need: int
) -> int:
    """Return the highest rank held that scores ``need`` or more as it is laid, -1 if none."""
    for rank in range(rules.RANKS - 1, -1, -1):
        if (
            held[rank]
            and is_legal(rank, count)
            and card_points(series, length, rank, count + pip(rank)) >= need
        ):
            return rank
    return -1


@kernel
def _can_lay(held: NDArray[np.uint8], count: int) -> bool:
    for rank in range(rules.RANKS):
        if held[rank] and is_legal(rank, count):
            return True
    return False


@kernel
def _deny(possible: NDArray[np.int64], count: int) -> None:
    for rank in range(rules.RANKS):
        if is_legal(rank, count):
            possible[rank] = 0


@kernel
def _copy(source: _Places, at: int, target: _Places, to: int) -> None:
    target.held[to] = source.held[at]
    target.possible[to] = source.possible[at]
    target.left[to] = source.left[at]
    target.need[to] = source.need[at]
    target.passed[to] = source.passed[at]
    target.series[to] = source.series[at]
    target.now[to] = source.now[at]
    target.line[to] = source.line[at]
    target.chance[to] = source.chance[at]


@kernel
def _score(places: _Places, at: int, seat: int, points: int) -> None:
    if points:
        now = places.now[at]
        places.line[at, now[_EVENT]] = points | seat << SEAT_BIT
        places.need[at, seat] -= points
        now[_EVENT] += 1


@kernel
def _pass(places: _Places, at: int) -> None:
    """The player in turn cannot lay: the other goes on, or the count ends."""
    now, held, left, passed = places.now[at], places.held[at], places.left[at], places.passed[at]
    turn = now[_TURN]
    other = 1 - turn
    count = now[_COUNT]
    if not passed[turn] and left[turn] > 0 and count < rules.COUNT_LIMIT:
        passed[turn] = True
        _deny(places.possible[at, other], count)
    if _can_lay(held[other], count):
        now[_TURN] = other
        return
    if not passed[other] and left[other] > 0 and count < rules.COUNT_LIMIT:
        _deny(places.possible[at, turn], count)
    if count != rules.COUNT_LIMIT:
        _score(places, at, now[_LAST], rules.POINTS_FOR_GO)
    passed[:] = False
    now[_LENGTH] = 0
    now[_COUNT] = 0
    now[_TURN] = 1 - now[_LAST] if left[1 - now[_LAST]] > 0 else now[_LAST]


@kernel
def _lay(replies: Replies, places: _Places, at: int, rank: int) -> None:
    """Lay a card of the player in turn and pass the turn."""
    now = places.now[at]
    turn = now[_TURN]
    now[_COUNT] += pip(rank)
    points = card_points(places.series[at], now[_LENGTH], rank, now[_COUNT])
    _score(places, at, turn, points)
    places.held[at, turn, rank] -= 1
    places.left[at, turn] -= 1
    places.possible[at, 1 - turn, rank] -= 1
    places.series[at, now[_LENGTH]] = rank
    now[_LENGTH] += 1
    now[_LAST] = turn
    now[_TURN] = 1 - turn
    if now[_NODE] >= 0:
        now[_NODE] = next_node(replies, now[_NODE], turn, rank)


@kernel
def _follow(
    replies: Replies, going_out: bool, places: _Places, top: int, chances: NDArray[np.float64]
) -> int:
    """Take the place on top to the end of the play, and return its number then.

    Other ways on which it could have gone are left waiting below it on the stack.
    """
    at = top
    while places.left[at, 0] + places.left[at, 1] > 0:
        now = places.now[at]
        turn = now[_TURN]
        held = places.held[at, turn]
        if not _can_lay(held, now[_COUNT]):
            _pass(places, at)
            continue
        series, length, count = places.series[at], now[_LENGTH], now[_COUNT]
        rank = now[_FIRST]
        now[_FIRST] = -1
        if rank < 0 and going_out:
            rank = winning_card(held, series, length, count, places.need[at, turn])
        if rank < 0:
            reply_chances(
                replies, now[_NODE], turn, held, places.possible[at, turn], series, length, count,
                places.left[at, 1 - turn], places.passed[at, 1 - turn], chances,
            )  # fmt: skip
            # The likeliest way goes on here; the others wait below it on the stack.
            rank = np.argmax(chances)
            for other in range(rules.RANKS):
                if other != rank and chances[other] > 0.0:
                    _copy(places, at, places, at + 1)
                    places.now[at, _FIRST] = other
                    places.chance[at] *= chances[other]
                    at += 1
            places.chance[at] *= chances[rank]
        _lay(replies, places, at, rank)
    now = places.now[at]
    if now[_LENGTH] > 0 and now[_COUNT] != rules.COUNT_LIMIT:
        _score(places, at, now[_LAST], rules.POINTS_FOR_GO)
        now[_LENGTH] = 0
    return at


@kernel
def _same(first: NDArray[np.uint8], second: NDArray[np.uint8]) -> bool:
    for i in range(EVENTS):
        if first[i] != second[i]:
            return False
    return True


@kernel
def _lay_all(
    replies: Replies,
    going_out: bool,
    seat: int,
    own_denied: int,
    firsts: NDArray[np.int64],
    hands: NDArray[np.uint8],
    start: _Places,
    places: _Places,
) -> tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.float64]]:
    """Follow every way of every option and hand; equal lines of one hand become one."""
    starts = np.zeros(len(firsts) * len(hands) + 1, np.int64)
    events = np.zeros((len(starts) * 2 + 8, EVENTS), np.uint8)
    line_chances = np.zeros(len(events), np.float64)
    chances = np.zeros(rules.RANKS, np.float64)
    ways = 0
    for option in range(len(firsts)):
        for row in range(len(hands)):
            group = option * len(hands) + row
            starts[group] = ways
            _copy(start, 0, places, 0)
            for rank in hands[row]:
                places.held[0, 1 - seat, rank] += 1
                places.possible[0, 1 - seat, rank] -= 1
            places.possible[0, 1 - seat, :own_denied] = 0
            places.left[0, 1 - seat] = hands.shape[1]
            places.now[0, _FIRST] = firsts[option]
            top = 0
            while top >= 0:
                top = _follow(replies, going_out, places, top, chances)
                way = starts[group]
                while way < ways and not _same(events[way], places.line[top]):
                    way += 1
                if way == ways:
                    if ways == len(events):
                        events = np.concatenate((events, np.zeros_like(events)))
                        line_chances = np.concatenate((line_chances, np.zeros_like(line_chances)))
                    events[way] = places.line[top]
                    ways += 1
                line_chances[way] += places.chance[top]
                top -= 1
    starts[-1] = ways
    return starts, events[:ways].copy(), line_chances[:ways].copy()
