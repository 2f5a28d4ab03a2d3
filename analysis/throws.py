"""What each of the 15 throws of a hand is worth in points, counted out.

The hand of the keep over all 46 starters, and the crib over every starter and every two
cards of the opponent (45,540 a throw), are exact. Against the opponent of the books his two
cards weigh as his strategy throws their ranks, and what he keeps weighs as it keeps those
ranks, both thinned out by all six cards of the player's own.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..sim import rules
from ..sim.book import Books
from ..sim.cards import check_cards, hand_number, keep_number
from ..sim.deal import pegs_of
from ..sim.discards import STARTERS
from ..sim.jit import kernel
from ..sim.numbering import (
    CHOOSE,
    KEEP_COUNTS,
    KEEPS,
    KEPT_POSITIONS,
    PAIR_NUMBERS,
    PAIR_RANKS,
    THROW_POSITIONS,
    THROWS,
)
from ..sim.show import count_kernel, rank_points


class ThrowPoints(NamedTuple):
    """What one throw is worth in points.

    Attributes
    ----------
    throw, keep : tuples of cards, ascending
    hand, hand_sd : float
        Mean and standard deviation of the keep's count over the 46 starters.
    least, most : int
        The least and the most that it can count.
    crib_neutral : float
        Mean crib if the opponent throws any two cards.
    crib : float
        Mean crib against the throws of the opponent of the books.
    own_play, opponent_play : float
        Mean points of both in the play.
    net : float
        Hand, plus the crib (less it, if the opponent deals), plus the difference of the play.
    reference : bool
        Whether the reference strategy throws so.
    """

    throw: tuple[int, ...]
    keep: tuple[int, ...]
    hand: float
    least: int
    most: int
    hand_sd: float
    crib_neutral: float
    crib: float
    own_play: float
    opponent_play: float
    net: float
    reference: bool


def throw_points(hand: Sequence[int], seat: int, books: Books) -> list[ThrowPoints]:
    """Return the worth of all 15 throws, the best net points first.

    Parameters
    ----------
    hand : six different cards, in any order
    seat : int
        ``PONE`` or ``DEALER``: the player's.
    books : Books
        The reference strategy.

    Raises
    ------
    CardError
        If there are not six different cards.
    """
    check_cards(hand, rules.DEALT)
    six = sorted(hand)
    cards = np.array(six, np.uint8)
    unseen = np.setdiff1d(np.arange(rules.DECK, dtype=np.uint8), cards)
    counts = np.empty((len(THROWS), STARTERS), np.uint8)
    cribs = np.empty((len(THROWS), 2))
    _count_out(rank_points(), cards, unseen, _pair_weights(books.throws[1 - seat]), counts, cribs)
    play = _play_points(cards, unseen, seat, books)
    chosen = int(books.discards[hand_number(six)]) >> 4 * seat & 15
    sign = 1 if seat == rules.DEALER else -1
    found = []
    for number, throw in enumerate(THROWS):
        count = counts[number]
        neutral, crib = (float(mean) for mean in cribs[number])
        own, other = (float(points) for points in play[number])
        mean = float(count.mean())
        found.append(
            ThrowPoints(
                tuple(six[i] for i in throw),
                tuple(six[i] for i in range(rules.DEALT) if i not in throw),
                mean, int(count.min()), int(count.max()), float(count.std()), neutral, crib,
                own, other, mean + sign * crib + own - other, number == chosen,
            )
        )  # fmt: skip
    return sorted(found, key=lambda each: -each.net)


def _pair_weights(throws: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return how often each two cards of these ranks are thrown, by pair of ranks."""
    alike = PAIR_RANKS[:, 0] == PAIR_RANKS[:, 1]
    ways = np.where(alike, math.comb(rules.SUITS, 2), rules.SUITS**2)
    weights: NDArray[np.float64] = throws / ways
    return weights


@kernel
def _count_out(
    points: NDArray[np.uint8],
    cards: NDArray[np.uint8],
    unseen: NDArray[np.uint8],
    weights: NDArray[np.float64],
    counts: NDArray[np.uint8],
    cribs: NDArray[np.float64],
) -> None:
    """Fill the count by throw and starter, and the mean crib by throw: neutral, reference."""
    for throw in range(len(counts)):
        k = KEPT_POSITIONS[throw]
        a, b, c, d = int(cards[k[0]]), int(cards[k[1]]), int(cards[k[2]]), int(cards[k[3]])
        for s in range(len(unseen)):
            counts[throw, s] = count_kernel(points, a, b, c, d, int(unseen[s]), 0)
        a = int(cards[THROW_POSITIONS[throw, 0]])
        b = int(cards[THROW_POSITIONS[throw, 1]])
        total = 0
        weighed = 0.0
        weight = 0.0
        for i in range(len(unseen)):
            for j in range(i):
                c, d = int(unseen[i]), int(unseen[j])
                here = 0
                for s in range(len(unseen)):
                    if s not in (i, j):
                        here += count_kernel(points, a, b, c, d, int(unseen[s]), 1)
                total += here
                pair = weights[PAIR_NUMBERS[c >> 2, d >> 2]]
                weighed += pair * here
                weight += pair
        pairs = len(unseen) * (len(unseen) - 1) // 2
        starters = len(unseen) - rules.THROWN
        cribs[throw, 0] = total / (pairs * starters)
        cribs[throw, 1] = weighed / (weight * starters)


def _play_points(
    cards: NDArray[np.uint8], unseen: NDArray[np.uint8], seat: int, books: Books
) -> NDArray[np.float64]:
    """Return the mean points of the player and of the opponent in the play, by throw."""
    left = np.bincount(unseen >> 2, minlength=rules.RANKS)
    weights = books.keeps[1 - seat].astype(np.float64)
    for rank in range(rules.RANKS):
        held = KEEP_COUNTS[:, rank]
        weights *= CHOOSE[left[rank], held] / CHOOSE[rules.SUITS, held]
    weights /= weights.sum()
    pegs = pegs_of(books.sequences).astype(np.float64)
    plays = books.plays.reshape(-1, KEEPS, KEEPS)
    play = np.empty((len(THROWS), 2))
    known: dict[int, NDArray[np.float64]] = {}
    for throw in range(len(THROWS)):
        keep = _keep_of(cards, throw)
        if keep not in known:
            line = plays[:, keep] if seat == rules.PONE else plays[:, :, keep]
            known[keep] = (pegs[line].mean(axis=0) * weights[:, None]).sum(axis=0)
        play[throw] = known[keep][[seat, 1 - seat]]
    return play


def _keep_of(cards: NDArray[np.uint8], throw: int) -> int:
    """Return the number of what a throw leaves of six sorted cards."""
    return keep_number(int(cards[i]) >> 2 for i in KEPT_POSITIONS[throw])
