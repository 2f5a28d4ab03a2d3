"""Random numbers by position: SplitMix64, the number at place n of stream ``seed``.

Any number of the stream can be had alone, so deal i of a seed is a pure function of
(seed, i), whoever plays it and in whatever order. Source: Steele, Lea and Flood,
"Fast splittable pseudorandom number generators", OOPSLA 2014.
"""

from typing import Final

import numpy as np

from .jit import kernel

GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
"""2**64 over the golden ratio: its multiples spread evenly over the numbers of 64 bits."""

_MIX_1: Final = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2: Final = np.uint64(0x94D049BB133111EB)


@kernel(inline=True)
def random_bits(seed: np.uint64, place: np.uint64) -> np.uint64:
    """Return the 64 random bits at a place 0, 1, .. of the stream of ``seed``."""
    z = seed + (place + np.uint64(1)) * GOLDEN
    z = (z ^ (z >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    return z ^ (z >> np.uint64(31))
