"""Every hand there is, counted by the kernels: 12,994,800 times four cards and a starter."""

from collections import Counter
from itertools import combinations, combinations_with_replacement
from math import comb, prod

import numba
import numpy as np
from numpy.typing import NDArray

from cribodds.sim import show

FOURS = np.array(list(combinations(range(52), 4)), np.uint8)


def hands_with(starter: int) -> NDArray[np.uint8]:
    """The 249,900 hands of four cards that can meet this starter."""
    return FOURS[np.not_equal(FOURS, starter).all(1)]


def census_of(crib: bool) -> NDArray[np.int64]:
    """How many hands (or cribs) and starters score 0, 1, .. 29."""
    census = np.zeros(30, np.int64)
    for starter in range(52):
        hands = hands_with(starter)
        starters = np.full(len(hands), starter, np.uint8)
        census += np.bincount(show.count_all(hands, starters, crib=crib), minlength=30)
    return census


def points_by_ranks(crib: bool) -> Counter[str]:
    """Points of all hands (or cribs) by event, of those that hang on the five ranks alone.

    Every hand counts as one of its ranks: any of the five cards may be the starter.
    """
    points: Counter[str] = Counter()
    for ranks in combinations_with_replacement(range(13), 5):
        alike = Counter(ranks)
        if max(alike.values()) > 4:
            continue
        ways = prod(comb(4, number) for number in alike.values())
        cards = [4 * rank + ranks[:place].count(rank) for place, rank in enumerate(ranks)]
        for starter in cards:
            hand = [card for card in cards if card != starter]
            for event in show.score_events(hand, starter, crib=crib):
                if event.name not in {"flush", "nobs"}:
                    points["pair" if "pair" in event.name else event.name] += ways * event.points
    return points


@numba.njit  # type: ignore[untyped-decorator]
def _flushes_and_nobs(hands: NDArray[np.uint8], starter: int, crib: int) -> tuple[int, int]:
    flushes = nobs = 0
    for hand in hands:
        a, b, c, d = int(hand[0]), int(hand[1]), int(hand[2]), int(hand[3])
        flushes += show.flush_points(a, b, c, d, starter, crib)
        nobs += show.nobs_points(a, b, c, d, starter)
    return flushes, nobs


def flushes_and_nobs(crib: bool) -> tuple[int, int]:
    """Points of all hands (or cribs) for flushes, and for nobs."""
    counted = [_flushes_and_nobs(hands_with(starter), starter, int(crib)) for starter in range(52)]
    return sum(flushes for flushes, _ in counted), sum(nobs for _, nobs in counted)
