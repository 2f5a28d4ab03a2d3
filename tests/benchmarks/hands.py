"""Counting hands, on one core."""

import numpy as np

from cribodds.sim import deal, show

from .sheet import Sheet, median_seconds

HANDS = 1_000_000
SIXES = 20_000


def bench(sheet: Sheet, rounds: int) -> None:
    """Measure the kernel that counts hands, and all throws of a hand at once."""
    drawn = deal.drawn_cards(7, 0, HANDS)
    cards, starters = np.ascontiguousarray(drawn[:, :4]), np.ascontiguousarray(drawn[:, 12])
    seconds = median_seconds(lambda: show.count_all(cards, starters), 3 * rounds)
    sheet.add("hands", "hands counted, one core", HANDS / seconds / 1e6, "M/s", at_least=100)
    hands = np.ascontiguousarray(drawn[:SIXES, :6])
    seconds = median_seconds(lambda: show.count_throws(hands), 3 * rounds) / SIXES
    sheet.add("hands", "15 throws x 46 starters of a hand", seconds * 1e6, "us", at_most=6)
