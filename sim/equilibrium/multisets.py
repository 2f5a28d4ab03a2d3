"""Numbers for the cards left in a hand: multisets of zero to four ranks.

Multisets of one size are numbered lexicographically, so those whose least rank is at or
above some rank are one suffix of the numbers: after a go, which denies every low rank,
what a player can still hold is a suffix. Sizes differ; tables are padded to the largest.
"""

import itertools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import rules

# How many multisets of 0, 1, 2, 3, 4 ranks there are.
SIZES: tuple[int, ...] = tuple(
    math.comb(rules.RANKS + size - 1, size) for size in range(rules.KEPT + 1)
)
LANES = 16  # rows are padded to whole vectors of this many numbers


def _padded(size: int) -> int:
    return -(-size // LANES) * LANES


PADDED: tuple[int, ...] = tuple(_padded(size) for size in SIZES)
_WIDEST = PADDED[-1]


class Multisets(NamedTuple):
    """Tables over multisets; the first axis is the number of cards, 0..4.

    Attributes
    ----------
    ranks : uint8[5][4][1824]
        The ranks of a multiset in ascending order: ``ranks[n, place, number]``.
    rest : int32[5][4][1824]
        The number of what is left when the card at a place is laid.
    fresh : uint8[5][4][1824]
        1 where the card at a place differs from the one before it: an action of its own.
    start : int32[5][14]
        The first multiset whose ranks are all at or above a rank; 13 gives the size.
    insert : int32[4][13][1824]
        The number of a multiset with one more card of a rank.
    """

    ranks: NDArray[np.uint8]
    rest: NDArray[np.int32]
    fresh: NDArray[np.uint8]
    start: NDArray[np.int32]
    insert: NDArray[np.int32]


def _tabulate() -> Multisets:
    sizes = rules.KEPT + 1
    ranks = np.zeros((sizes, rules.KEPT, _WIDEST), np.uint8)
    rest = np.zeros((sizes, rules.KEPT, _WIDEST), np.int32)
    fresh = np.zeros((sizes, rules.KEPT, _WIDEST), np.uint8)
    start = np.zeros((sizes, rules.RANKS + 1), np.int32)
    insert = np.zeros((rules.KEPT, rules.RANKS, _WIDEST), np.int32)
    numbers: dict[tuple[int, ...], int] = {(): 0}
    start[0, 1:] = 0
    for n in range(1, sizes):
        hands = list(itertools.combinations_with_replacement(range(rules.RANKS), n))
        lowest = np.array([hand[0] for hand in hands])
        start[n] = np.searchsorted(lowest, np.arange(rules.RANKS + 1))
        fewer = numbers
        numbers = {hand: number for number, hand in enumerate(hands)}
        for hand, number in numbers.items():
            for place, rank in enumerate(hand):
                left = fewer[hand[:place] + hand[place + 1 :]]
                ranks[n, place, number] = rank
                rest[n, place, number] = left
                fresh[n, place, number] = place == 0 or hand[place - 1] != rank
                insert[n - 1, rank, left] = number
    return Multisets(ranks, rest, fresh, start, insert)


MULTISETS = _tabulate()
