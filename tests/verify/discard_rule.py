"""The discard rule evaluated directly, from its text, for many hands at once.

Independent of the simulator: five-card counts come from the twin, and nothing is shared between
hands. The text: a throw is worth the keep's mean score over the 46 unseen starters, plus (dealer)
or less (pone) the expected crib, plus what the keep earns in the play; see `value`.
"""

from collections.abc import Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import comb

import numpy as np
from numpy.typing import NDArray

import reference_strategy as strategy
from reference import DEALER, JACK

Ints = NDArray[np.int64]

UNIT = strategy.UNIT
THROWS = list(combinations(range(6), 2))
KEPT = [[i for i in range(6) if i not in throw] for throw in THROWS]
PAIRS = np.array(strategy.RANK_PAIRS)
STEP = 500
CHOOSE = np.array([[comb(n, k) for k in range(4)] for n in range(53)])


@cache
def five_ranks() -> Ints:
    """Return the points of fifteens, pairs and runs by five ranks in any order, (13, 13, ..)."""
    places = 13 ** np.arange(4, -1, -1)
    table = np.zeros(13**5, np.int64)
    for ranks in combinations_with_replacement(range(13), 5):
        if len(set(ranks)) > 1:
            table[(np.array(ranks) * places).sum()] = strategy.points_of_sorted(ranks)
    every = np.stack(np.unravel_index(np.arange(13**5), (13,) * 5), 1)
    points: Ints = table[(np.sort(every, 1) * places).sum(1)].reshape((13,) * 5)
    return points


@cache
def _cribs() -> tuple[Ints, Ints]:
    """Return crib points by own pair, opponent's pair and starter; and summed over his ranks."""
    a, b = PAIRS.T
    points = five_ranks()[a[:, None], b[:, None], a[None], b[None]]
    over_his = points[:, np.arange(91), a] + points[:, np.arange(91), b]
    return points, over_his


def pair_numbers(first: Ints, second: Ints) -> Ints:
    """Return the numbers 0..90 of pairs of ranks, lower first."""
    return first * 13 - first * (first - 1) // 2 + second - first


def hand_part(ranks: Ints, suits: Ints, left: Ints, left_suits: Ints) -> Ints:
    """Return the sum of the keep's score over the 46 starters, (n, 15)."""
    parts = []
    for kept in KEPT:
        r, s = ranks[:, kept], suits[:, kept]
        by_starter = five_ranks()[r[:, 0], r[:, 1], r[:, 2], r[:, 3]]
        total = (by_starter * left).sum(1)
        flush = (s == s[:, :1]).all(1)
        total += flush * (4 * 46 + np.take_along_axis(left_suits, s[:, :1], 1)[:, 0])
        total += ((r == JACK) * np.take_along_axis(left_suits, s, 1)).sum(1)
        parts.append(total)
    return np.stack(parts, 1)


def crib_parts(
    ranks: Ints, suits: Ints, left: Ints, left_suits: Ints, thrown: Sequence[Sequence[int]]
) -> list[Ints]:
    """Return the expected crib in units by seat, (n, 15); ``thrown[seat]`` is the opponent's G."""
    points, over_his = _cribs()
    a, b = PAIRS.T
    ways = np.where(a == b, CHOOSE[left[:, a], 2], left[:, a] * left[:, b])
    full = np.where(a == b, 6, 16)
    # Of every own pair, opponent's pair: the sum over the starters left.
    sums = (left.astype(np.float64) @ points.reshape(-1, 13).T.astype(np.float64)).astype(np.int64)
    sums = sums.reshape(len(ranks), 91, 91) - over_his
    own = np.stack([pair_numbers(ranks[:, i], ranks[:, j]) for i, j in THROWS], 1)
    sums = np.take_along_axis(sums, own[:, :, None], 1)
    by_seat = []
    for often in thrown:
        weights = np.array(often) * ways * (48 // full)
        above = (sums * weights[:, None, :]).sum(2).astype(object)
        below = (44 * weights.sum(1))[:, None].astype(object)
        rounded = (2 * above * UNIT + below) // (2 * below)
        by_seat.append(rounded.astype(np.int64))
    nobs = np.stack(
        [
            ((ranks[:, t] == JACK) * np.take_along_axis(left_suits, suits[:, t], 1)).sum(1)
            for t in map(list, THROWS)
        ],
        1,
    )
    flushes = np.stack(
        [
            (suits[:, i] == suits[:, j])
            * CHOOSE[np.take_along_axis(left_suits, suits[:, i : i + 1], 1)[:, 0], 3]
            for i, j in THROWS
        ],
        1,
    )
    by_suit = nobs * (UNIT // 46) + 5 * flushes * (UNIT // comb(46, 3))
    return [each + by_suit for each in by_seat]


def best_throws(hands: Ints, thrown: Sequence[Sequence[int]], worth: Ints) -> Ints:
    """Return the best throw by seat and hand, (2, n); of equals the lowest number.

    Parameters
    ----------
    hands : (n, 6), sorted cards
    thrown : by seat, how often the opponent throws each pair of ranks
    worth : (2, 1820), what each keep earns in the play, in units
    """
    return np.concatenate(
        [_best(hands[i : i + STEP], thrown, worth) for i in range(0, len(hands), STEP)], 1
    )


def _best(hands: Ints, thrown: Sequence[Sequence[int]], worth: Ints) -> Ints:
    ranks, suits = hands // 4, hands % 4
    left = 4 - (ranks[:, :, None] == np.arange(13)).sum(1)
    left_suits = 13 - (suits[:, :, None] == np.arange(4)).sum(1)
    hand = hand_part(ranks, suits, left, left_suits) * (UNIT // 46)
    cribs = crib_parts(ranks, suits, left, left_suits, thrown)
    keeps = np.array(
        [[strategy.NUMBER_OF_KEEP[tuple(row[kept])] for kept in KEPT] for row in ranks]
    )
    return np.stack(
        [
            (hand + (crib if seat == DEALER else -crib) + worth[seat][keeps]).argmax(1)
            for seat, crib in enumerate(cribs)
        ]
    )
