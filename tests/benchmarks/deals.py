"""The simulator on one core: whole, stage by stage, and beside the floor."""

from functools import partial
from typing import Any

import numba
import numpy as np

from cribodds.sim import deal, rules, show
from cribodds.sim.book import Books
from cribodds.sim.tally import DEALER_POINTS, PONE_POINTS

from .floor import draw_plainly
from .sheet import Sheet, medians_in_turn

SEED = np.uint64(7)
DEALS = 1_000_000 // deal.BLOCK * deal.BLOCK

STAGES = ("draw, sort, number", "look up throws, lay out", "count three hands", "play and tally")


# Not cached, for the reason given in ``floor``.
@numba.njit(nogil=True, error_model="numpy")  # type: ignore[untyped-decorator]
def _first_stages(
    upto: int,
    deals: int,
    discards: np.ndarray[Any, Any],
    plays: np.ndarray[Any, Any],
    pegs: np.ndarray[Any, Any],
    points: np.ndarray[Any, Any],
    played: np.ndarray[Any, Any],
    shown: np.ndarray[Any, Any],
    totals: np.ndarray[Any, Any],
) -> None:
    """Run the first ``upto`` stages of the simulator's own blocks."""
    cards = np.empty((deal.CARDS_DRAWN + 1, deal.BLOCK), np.uint8)
    numbers = np.empty((2, deal.BLOCK), np.int32)
    throws = np.empty((2, deal.BLOCK), np.uint8)
    fours = np.empty((3, rules.KEPT, deal.BLOCK), np.uint8)
    counts = np.empty((3, deal.BLOCK), np.uint8)
    pairs = np.empty(deal.BLOCK, np.int32)
    for start in range(0, deals, deal.BLOCK):
        deal.draw_block(SEED, np.uint64(start), cards)
        deal.number_block(cards, numbers)
        if upto >= 2:
            deal.throw_block(cards, numbers, discards, throws, fours)
        if upto >= 3:
            deal.count_block(fours, cards[12], points, counts, pairs)
        if upto >= 4:
            book = int(np.int64(np.uint64(start) % np.uint64(len(plays))))
            deal.tally_block(
                deal.BLOCK, book, plays, pegs, pairs, cards[12], counts, played, shown, totals
            )


def bench(sheet: Sheet, books: Books, rounds: int) -> None:
    """Measure the simulator, its stages, and the plain floor, on one core."""
    pegs = deal.pegs_of(books.sequences)
    played = np.zeros((len(books.sequences), 2), np.int64)
    shown = np.zeros((DEALER_POINTS, PONE_POINTS), np.int64)
    totals = np.zeros_like(shown)
    rest = (books.discards, books.plays, pegs, show.rank_points(), played, shown, totals)
    floor, full, *upto = (
        seconds / DEALS * 1e9
        for seconds in medians_in_turn(
            [
                lambda: draw_plainly(SEED, DEALS),
                lambda: deal.tally_deals(books, int(SEED), 0, DEALS),
                *(partial(_first_stages, n, DEALS, *rest) for n in range(1, len(STAGES) + 1)),
            ],
            3 * rounds,
        )
    )
    sheet.add("deals", "drawing-only floor: shuffle, sort, number", floor, "ns/deal")
    sheet.add("deals", "full simulator", full, "ns/deal")
    sheet.add("deals", "full simulator, one core", 1e3 / full, "M deals/s")
    sheet.add("deals", "full simulator over the floor", full / floor, "times", at_most=3.0)
    sheet.add("deals", "full simulator over its own drawing", full / upto[0], "times")
    for name, before, after in zip(STAGES, [0.0, *upto], upto, strict=False):
        sheet.add("deals", f"stage: {name}", after - before, "ns/deal")
