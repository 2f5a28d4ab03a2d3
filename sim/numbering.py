"""The numbers that stand for hands, as sums of small tables.

A sorted hand's number is a sum of one term a card, so it costs a few look-ups that
stay in the nearest cache. Six cards are numbered colexicographically. Keeps, four
ranks with suits ignored, are numbered lexicographically: all keeps whose least rank is
at or above some rank are one suffix of the numbers.
"""

import itertools
import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from . import rules
from .jit import kernel

HANDS: Final = math.comb(rules.DECK, rules.DEALT)  # 20,358,520
KEEPS: Final = math.comb(rules.RANKS + rules.KEPT - 1, rules.KEPT)  # 1,820
PAIRS: Final = math.comb(rules.RANKS + 1, 2)  # 91 pairs of ranks

# A throw's number is the place of its two positions here, in the sorted six cards.
THROWS: tuple[tuple[int, int], ...] = tuple(itertools.combinations(range(rules.DEALT), 2))

# The same as tables: which two places of the sorted hand a throw takes, which four stay.
THROW_POSITIONS: NDArray[np.uint8] = np.array(THROWS, np.uint8)
KEPT_POSITIONS: NDArray[np.uint8] = np.array(
    [[i for i in range(rules.DEALT) if i not in throw] for throw in THROWS], np.uint8
)

# CHOOSE[n, k]: ways to choose k of n cards.
CHOOSE: NDArray[np.int64] = np.array(
    [[math.comb(n, k) for k in range(rules.DEALT + 1)] for n in range(rules.DECK + 1)], np.int64
)

# KEEP_RANKS[i]: the ranks of keep i, ascending.
KEEP_RANKS: NDArray[np.uint8] = np.array(
    list(itertools.combinations_with_replacement(range(rules.RANKS), rules.KEPT)), np.uint8
)
# KEEP_COUNTS[i]: how many cards of each rank keep i has.
KEEP_COUNTS: NDArray[np.uint8] = (KEEP_RANKS[:, :, None] == np.arange(rules.RANKS)).sum(1, np.uint8)

# PAIR_RANKS[i]: the two ranks of pair i, ascending; PAIR_NUMBERS is the inverse, in any order.
PAIR_RANKS: NDArray[np.int64] = np.array(
    list(itertools.combinations_with_replacement(range(rules.RANKS), 2)), np.int64
)
PAIR_NUMBERS: NDArray[np.int64] = np.zeros((rules.RANKS, rules.RANKS), np.int64)
PAIR_NUMBERS[PAIR_RANKS[:, 0], PAIR_RANKS[:, 1]] = np.arange(PAIRS)
PAIR_NUMBERS[PAIR_RANKS[:, 1], PAIR_RANKS[:, 0]] = np.arange(PAIRS)


def _keep_terms() -> NDArray[np.int32]:
    """Return what a rank at each place of a keep adds to its number, shape (4, 13).

    Ranks r_i become different numbers r_i + i of 16; the lexicographic number of such a
    choice is the last number less the sum of C(15 - r_i - i, 4 - i).
    """
    numbers = rules.RANKS + rules.KEPT - 1
    terms = np.array(
        [
            [-math.comb(numbers - 1 - rank - place, rules.KEPT - place) for rank in range(13)]
            for place in range(rules.KEPT)
        ],
        np.int32,
    )
    terms[0] += KEEPS - 1
    return terms


KEEP_TERMS: NDArray[np.int32] = _keep_terms()
# The same by card; rows are padded to a power of two.
KEEP_TERMS_BY_CARD: NDArray[np.int32] = np.zeros((rules.KEPT, 64), np.int32)
KEEP_TERMS_BY_CARD[:, : rules.DECK] = KEEP_TERMS.repeat(rules.SUITS, axis=1)
# HAND_TERMS[i, c]: what card c at place i of a sorted hand adds to the hand's number.
HAND_TERMS: NDArray[np.int32] = np.zeros((rules.DEALT, 64), np.int32)
HAND_TERMS[:, : rules.DECK] = CHOOSE[: rules.DECK, 1:].T


@kernel(inline=True)
def keep_of_ranks(a: int, b: int, c: int, d: int) -> int:
    """Return the number of the keep with these ascending ranks."""
    return int(KEEP_TERMS[0, a] + KEEP_TERMS[1, b] + KEEP_TERMS[2, c] + KEEP_TERMS[3, d])


@kernel(inline=True)
def keep_of_cards(a: int, b: int, c: int, d: int) -> int:
    """Return the number of the keep with these ascending cards."""
    low = KEEP_TERMS_BY_CARD[0, a] + KEEP_TERMS_BY_CARD[1, b]
    return int(low + KEEP_TERMS_BY_CARD[2, c] + KEEP_TERMS_BY_CARD[3, d])


@kernel(inline=True)
def ascending(a: int, b: int) -> tuple[int, int]:
    """Return two numbers, the smaller first."""
    return min(a, b), max(a, b)
