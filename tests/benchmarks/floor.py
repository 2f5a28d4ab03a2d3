"""The drawing-only floor: what any simulator that deals whole decks has to do at least.

A fresh order, random numbers, 13 cards by swaps, both hands sorted and numbered. It is
the plain way, one deal after the other, and looks nothing up.
"""

from typing import Any

import numba
import numpy as np

from cribodds.sim import rules
from cribodds.sim.numbering import HAND_TERMS, ascending
from cribodds.sim.rng import random_bits

# Compiled anew in each run: the cache of the kernels watches what the product imports, and
# what is measured here must never be an older state of it.


@numba.njit(nogil=True, error_model="numpy", forceinline=True)  # type: ignore[untyped-decorator]
def _sorted_number(deck: np.ndarray[Any, Any], start: int) -> int:
    """Return the number of six cards, sorted by a network of twelve comparators."""
    a, b, c = deck[start], deck[start + 1], deck[start + 2]
    d, e, f = deck[start + 3], deck[start + 4], deck[start + 5]
    b, c = ascending(b, c)
    e, f = ascending(e, f)
    a, c = ascending(a, c)
    d, f = ascending(d, f)
    a, b = ascending(a, b)
    d, e = ascending(d, e)
    c, f = ascending(c, f)
    a, d = ascending(a, d)
    b, e = ascending(b, e)
    c, e = ascending(c, e)
    b, d = ascending(b, d)
    c, d = ascending(c, d)
    low = HAND_TERMS[0, a] + HAND_TERMS[1, b] + HAND_TERMS[2, c]
    return int(low + HAND_TERMS[3, d] + HAND_TERMS[4, e] + HAND_TERMS[5, f])


@numba.njit(nogil=True, error_model="numpy")  # type: ignore[untyped-decorator]
def draw_plainly(seed: np.uint64, deals: int) -> int:
    """Draw so many deals; return a checksum, so that nothing is left out."""
    order = np.arange(rules.DECK).astype(np.int32)
    deck = np.empty(rules.DECK, np.int32)
    checksum = 0
    for number in range(deals):
        deck[:] = order
        place = np.uint64(number * 7)
        for i in range(0, 13, 2):
            bits = random_bits(seed, place + np.uint64(i >> 1))
            j = i + np.int64((bits >> np.uint64(32)) * np.uint64(52 - i) >> np.uint64(32))
            deck[i], deck[j] = deck[j], deck[i]
            if i < 12:
                low = bits & np.uint64(0xFFFFFFFF)
                j = i + 1 + np.int64(low * np.uint64(51 - i) >> np.uint64(32))
                deck[i + 1], deck[j] = deck[j], deck[i + 1]
        checksum += _sorted_number(deck, 0) ^ _sorted_number(deck, 6) ^ deck[12]
    return checksum
