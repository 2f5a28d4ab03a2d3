"""Which card to lay: greedy and one-step look-ahead play, as functions of what the player sees.

A player sees the ranks of the four cards he kept and the ranks laid so far, in order,
with who laid each. Nothing else: not the starter, not his throw, no hidden card.

**Greedy** takes the most points now.

**Look-ahead** weighs points now, less what the opponent can be expected to score with
his next card, plus the point that is mine if he must say go. The opponent's cards are
any of those unseen, except ranks that a go of his has ruled out. All chances are
counted as whole numbers of card combinations, so that ties are true ties.

Ties go to the highest rank: low cards are kept for the end of a count.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from . import rules
from .jit import kernel, whole
from .numbering import CHOOSE
from .observation import Observation
from .play import card_points, is_legal, pip

GREEDY: Final = 0
LOOK_AHEAD: Final = 1
KINDS: Final = {"greedy": GREEDY, "look-ahead": LOOK_AHEAD}

# Nobody scores more with one card: a double pair royal, and 31 with it or the go, are 14.
_MOST_POINTS: Final = 16


@kernel
def choose_card(
    kind: int,
    held: NDArray[np.uint8],
    unseen: NDArray[np.int64],
    series: NDArray[np.uint8],
    length: int,
    count: int,
    opponent_cards: int,
    opponent_passed: bool,
) -> int:
    """Return the rank to lay, 0..12; the player must hold a legal card.

    Parameters
    ----------
    kind : int
        ``GREEDY`` or ``LOOK_AHEAD``.
    held : uint8 array, shape (13,)
        How many cards of each rank the player holds now.
    unseen : int64 array, shape (13,)
        How many cards of each rank the opponent could hold: four, less the own keep's and
        those he has laid; 0 for ranks that a go of his has ruled out.
    series, length, count
        Ranks laid since the reset (the first ``length`` places) and the count.
    opponent_cards : int
        How many cards the opponent still holds, 0..4.
    opponent_passed : bool
        Whether he has said go in this count.
    """
    only = _only_card(held, count)
    if only >= 0:
        return only  # nothing to weigh
    best = -1
    best_value = 0
    for rank in range(rules.RANKS):
        if held[rank] == 0 or not is_legal(rank, count):
            continue
        if kind == GREEDY:
            value = card_points(series, length, rank, count + pip(rank))
        else:
            value = _look_ahead_value(
                rank, unseen, series, length, count, opponent_cards, opponent_passed
            )
        if best < 0 or value >= best_value:
            best = rank
            best_value = value
    return best


@kernel
def _only_card(held: NDArray[np.uint8], count: int) -> int:
    """Return the one rank that may be laid; -1 if there are more."""
    only = -1
    for rank in range(rules.RANKS):
        if held[rank] and is_legal(rank, count):
            if only >= 0:
                return -1
            only = rank
    return only


def choose_seen(kind: int, seen: Observation) -> int:
    """Return the rank to lay by one of the rules, from what the player in turn sees."""
    series = np.zeros(2 * rules.KEPT + 2, np.uint8)
    series[: len(seen.series)] = seen.series
    return int(
        choose_card(
            kind,
            seen.held,
            seen.unseen,
            series,
            len(seen.series),
            seen.count,
            seen.opponent_cards,
            seen.opponent_passed,
        )
    )


@kernel
def _look_ahead_value(
    rank: int,
    unseen: NDArray[np.int64],
    series: NDArray[np.uint8],
    length: int,
    count: int,
    opponent_cards: int,
    opponent_passed: bool,
) -> int:
    """Return the worth of laying a rank, in points times the opponent's possible holdings."""
    cards_unseen = 0
    for other in range(rules.RANKS):
        cards_unseen += int(unseen[other])
    holdings = int(CHOOSE[cards_unseen, opponent_cards])
    new_count = count + pip(rank)
    value = card_points(series, length, rank, new_count) * holdings
    if new_count == rules.COUNT_LIMIT:
        return value
    if opponent_cards == 0 or opponent_passed:
        return value + rules.POINTS_FOR_GO * holdings
    series[length] = rank
    # cards_scoring[t]: unseen cards with which he scores t points in reply.
    cards_scoring = np.zeros(_MOST_POINTS + 1, np.int64)
    cards_legal = 0
    for reply in range(rules.RANKS):
        if unseen[reply] and is_legal(reply, new_count):
            points = card_points(series, length + 1, reply, new_count + pip(reply))
            cards_scoring[points] += unseen[reply]
            cards_legal += unseen[reply]
    # His best reply is worth the sum over t >= 1 of the chance that it scores at least t.
    cards_at_least = 0
    for points in range(_MOST_POINTS, 0, -1):
        cards_at_least += cards_scoring[points]
        if cards_at_least:
            value -= holdings - int(CHOOSE[cards_unseen - cards_at_least, opponent_cards])
    gos = int(CHOOSE[cards_unseen - cards_legal, opponent_cards])
    return value + rules.POINTS_FOR_GO * gos


@kernel
def lay_out(
    kind: int,
    keeps: NDArray[np.uint8],
    known: int,
    seats: NDArray[np.int8],
    ranks: NDArray[np.int8],
    points: NDArray[np.int8],
) -> None:
    """Play two keeps to the end, both seats by the same rule, and record the eight cards.

    Parameters
    ----------
    kind : int
        ``GREEDY`` or ``LOOK_AHEAD``.
    keeps : uint8 array, shape (2, 13)
        How many cards of each rank the pone and the dealer keep, four each.
    known : int
        How many of the first cards ``ranks`` has already, as the rule chooses them: 0 if none.
    seats, ranks, points : int8 arrays, shape (8,), written
        Who laid each card, its rank and its points, the go or last card included.
    """
    held = keeps.copy()
    # possible[s]: cards that the opponent of seat s could hold, as s sees it.
    possible = np.empty((2, rules.RANKS), np.int64)
    for seat in range(2):
        for rank in range(rules.RANKS):
            possible[seat, rank] = rules.SUITS - keeps[seat, rank]
    left = np.full(2, rules.KEPT)
    passed = np.zeros(2, np.bool_)
    series = np.zeros(10, np.uint8)
    length = 0
    count = 0
    turn = rules.PONE
    for i in range(2 * rules.KEPT):
        other = 1 - turn
        if i < known:
            rank = whole(ranks[i])
        else:
            rank = choose_card(
                kind, held[turn], possible[turn], series, length, count, left[other], passed[other]
            )
        count += pip(rank)
        seats[i] = turn
        ranks[i] = rank
        points[i] = card_points(series, length, rank, count)
        held[turn, rank] -= 1
        left[turn] -= 1
        possible[other, rank] -= 1
        series[length] = rank
        length += 1
        if _can_lay(held[other], count):
            turn = other
            continue
        if left[other] > 0 and count < rules.COUNT_LIMIT and not passed[other]:
            passed[other] = True
            for low in range(rules.RANKS):
                if is_legal(low, count):
                    possible[turn, low] = 0
        if _can_lay(held[turn], count):
            continue
        if left[turn] > 0 and count < rules.COUNT_LIMIT:
            for low in range(rules.RANKS):
                if is_legal(low, count):
                    possible[other, low] = 0
        if count < rules.COUNT_LIMIT:
            points[i] += rules.POINTS_FOR_GO
        passed[:] = False
        length = 0
        count = 0
        if left[other] > 0:
            turn = other


@kernel
def _can_lay(held: NDArray[np.uint8], count: int) -> bool:
    for rank in range(rules.RANKS):
        if held[rank] and is_legal(rank, count):
            return True
    return False
