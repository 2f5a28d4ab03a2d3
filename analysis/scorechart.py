"""How often a hand and a crib score what: over all cards, and as really held.

All chances are counted out but the crib's as really laid, which takes both players' throws
at once and is played out over many deals of a stated seed.
"""

from typing import Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ..sim import rules
from ..sim.book import Books
from ..sim.deal import drawn_cards
from ..sim.jit import kernel
from ..sim.numbering import CHOOSE, HANDS, KEPT_POSITIONS, THROW_POSITIONS
from ..sim.show import count_all, count_kernel, rank_points
from .hidden import SEED, divide_by_book

SCORES: Final = rules.HIGHEST_HAND + 1
CRIB_DEALS: Final = 1_000_000
_FOURS: Final = int(CHOOSE[rules.DECK, 4])


class Held(NamedTuple):
    """How often hands really held score what.

    Attributes
    ----------
    hands : int64 array, shape (2, 30)
        Of all six cards and starters, by seat: exact counts.
    cribs : int64 array, shape (30,)
        Of ``CRIB_DEALS`` deals played.
    """

    hands: NDArray[np.int64]
    cribs: NDArray[np.int64]


@kernel
def _census(points: NDArray[np.uint8], scores: NDArray[np.int64]) -> None:
    for a in range(rules.DECK):
        for b in range(a):
            for c in range(b):
                for d in range(c):
                    for starter in range(rules.DECK):
                        if starter not in (a, b, c, d):
                            for crib in range(2):
                                count = count_kernel(points, a, b, c, d, starter, crib)
                                scores[crib, count] += 1


def census() -> NDArray[np.int64]:
    """Return how many of the 12,994,800 fours with a starter score what, shape (2, 30).

    Row 0 counted as hands, row 1 as cribs.
    """
    scores = np.zeros((2, SCORES), np.int64)
    _census(rank_points(), scores)
    return scores


@kernel
def _four_number(a: int, b: int, c: int, d: int) -> int:
    """Return the colexicographic number of four ascending cards."""
    return int(CHOOSE[a, 1] + CHOOSE[b, 2] + CHOOSE[c, 3] + CHOOSE[d, 4])


@kernel
def _keep_all(
    points: NDArray[np.uint8],
    discards: NDArray[np.uint8],
    kept: NDArray[np.int64],
    scores: NDArray[np.int64],
) -> None:
    """Count by seat how often four cards are kept; take away the two starters thrown."""
    hand = np.empty(rules.DEALT, np.int64)
    number = 0
    for f in range(5, rules.DECK):
        hand[5] = f
        for e in range(4, f):
            hand[4] = e
            for d in range(3, e):
                hand[3] = d
                for c in range(2, d):
                    hand[2] = c
                    for b in range(1, c):
                        hand[1] = b
                        for a in range(b):
                            hand[0] = a
                            for seat in range(2):
                                throw = discards[number] >> 4 * seat & 15
                                k = KEPT_POSITIONS[throw]
                                w, x, y, z = hand[k[0]], hand[k[1]], hand[k[2]], hand[k[3]]
                                kept[seat, _four_number(w, x, y, z)] += 1
                                for i in range(rules.THROWN):
                                    out = hand[THROW_POSITIONS[throw, i]]
                                    scores[seat, count_kernel(points, w, x, y, z, out, 0)] -= 1
                            number += 1


@kernel
def _score_kept(
    points: NDArray[np.uint8], kept: NDArray[np.int64], scores: NDArray[np.int64]
) -> None:
    number = 0
    for d in range(rules.DECK):
        for c in range(d):
            for b in range(c):
                for a in range(b):
                    for starter in range(rules.DECK):
                        if starter not in (a, b, c, d):
                            count = count_kernel(points, a, b, c, d, starter, 0)
                            scores[0, count] += kept[0, number]
                            scores[1, count] += kept[1, number]
                    number += 1


def held(books: Books, *, deals: int = CRIB_DEALS, seed: int = SEED) -> Held:
    """Return how often hands and cribs score what when both throw by the books.

    Hands: all 20,358,520 times 46 starters, exact. Cribs: ``deals`` deals of ``seed``.
    """
    kept = np.zeros((2, _FOURS), np.int64)
    hands = np.zeros((2, SCORES), np.int64)
    # The nested loops go through the hands in the order of their numbers.
    _keep_all(rank_points(), np.ascontiguousarray(books.discards), kept, hands)
    _score_kept(rank_points(), kept, hands)
    cards = np.asarray(drawn_cards(seed, 0, deals), np.uint8)
    hands_dealt = cards[:, :12].reshape(-1, 2, rules.DEALT)
    thrown = [
        divide_by_book(np.ascontiguousarray(hands_dealt[:, seat]), seat, books.discards)[1]
        for seat in range(2)
    ]
    cribs = count_all(np.hstack(thrown), cards[:, 12], crib=True)
    return Held(hands, np.bincount(cribs, minlength=SCORES).astype(np.int64))


def chart(books: Books | None) -> pl.DataFrame:
    """Return the odds of every score 0..29.

    Returns
    -------
    polars.DataFrame
        Columns ``score``; ``hands`` and ``cribs`` (counts of 12,994,800), ``hand`` and
        ``crib`` (chances); and, with books, ``pone_hand``, ``dealer_hand``, ``dealt_crib``:
        chances as a strategy holds them.
    """
    every = census()
    columns: dict[str, NDArray[np.int64] | NDArray[np.float64]] = {
        "score": np.arange(SCORES),
        "hands": every[0],
        "cribs": every[1],
        "hand": every[0] / every[0].sum(),
        "crib": every[1] / every[1].sum(),
    }
    if books is not None:
        real = held(books)
        columns["pone_hand"] = real.hands[0] / (HANDS * 46)
        columns["dealer_hand"] = real.hands[1] / (HANDS * 46)
        columns["dealt_crib"] = real.cribs / real.cribs.sum()
    return pl.DataFrame(columns)
