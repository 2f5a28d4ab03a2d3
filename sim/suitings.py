"""Suitings: how six sorted cards share suits.

What a throw is worth hangs on which cards share a suit, not on which suit it is: 187
patterns stand for the 4,096 ways to give six cards their suits.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from . import rules

# _SUITS[code, i]: suit of card i; the code has two bits a card, the lowest card's first.
_CODES: Final = np.arange(rules.SUITS**rules.DEALT)
_SUITS: Final = _CODES[:, None] >> 2 * np.arange(rules.DEALT) & 3

# The pattern of a suiting: for each card, the first card of the same suit, as one number.
_FIRST: Final = (_SUITS[:, :, None] == _SUITS[:, None, :]).argmax(2)
_, _ONE_OF, _NUMBER = np.unique(
    _FIRST @ rules.DEALT ** np.arange(rules.DEALT), return_index=True, return_inverse=True
)

PATTERNS: Final = len(_ONE_OF)  # 187

PATTERN_OF: Final[NDArray[np.uint8]] = _NUMBER.astype(np.uint8)
"""The pattern by code, shape (4096,): the suits of the cards, two bits each, lowest card first."""

SUITS_OF: Final[NDArray[np.uint8]] = _SUITS[_ONE_OF].astype(np.uint8)
"""Suits of the six cards that have a pattern, shape (187, 6): one suiting of each."""


def _count_suitings() -> NDArray[np.int64]:
    counts = np.zeros((2 ** (rules.DEALT - 1), PATTERNS), np.int64)
    ascends = _SUITS[:, :-1] < _SUITS[:, 1:]
    for alike, row in enumerate(counts):
        bits = alike >> np.arange(rules.DEALT - 1) & 1 == 1
        row[:] = np.bincount(PATTERN_OF[ascends[:, bits].all(1)], minlength=PATTERNS)
    return counts


SUITINGS: Final = _count_suitings()
"""How many suitings have a pattern, shape (32, 187), by which neighbours are of one rank.

Bit i is set if cards i and i + 1 are: sorted, their suits ascend then.
"""
