"""The hot loop: deal number -> cards -> throws -> play -> counts -> tally.

With a strategy compiled to books a deal is a handful of look-ups. They are done in
stages over blocks of deals, so that the waits for memory overlap.

This is the one place that knows the scoring order of a deal: heels, the cards of the
play, the pone's hand, the dealer's hand, the crib.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from . import rules
from .book import Books
from .cards import KEEPS
from .discards import CHOOSE, KEEP_NUMBERS, KEPT_POSITIONS, THROW_POSITIONS
from .jit import kernel
from .pairs import SEAT_BIT
from .rng import random_bits
from .show import flush_points, four_ranks, nobs_points, rank_points
from .tally import DEALER_POINTS, PONE_POINTS, Tally

BLOCK: Final = 512
CARDS_DRAWN: Final = 2 * rules.DEALT + 1
# One 64-bit number draws two cards. Its halves choose by multiply and shift: the bias of
# a card's chance is under 52 / 2**32 = 1.2e-8, far below the error of any build.
NUMBERS_PER_DEAL: Final = (CARDS_DRAWN + 1) // 2
_ORDER: NDArray[np.uint8] = np.arange(rules.DECK, dtype=np.uint8)
# COLEX[c, i]: what card c at place i of a sorted hand adds to the hand's number.
_COLEX: NDArray[np.int32] = CHOOSE[: rules.DECK, 1:].astype(np.int32)
# Places of the kept four, then of the thrown two, by number of the throw.
_PLACES: NDArray[np.uint8] = np.hstack([KEPT_POSITIONS, THROW_POSITIONS])


@kernel(inline=True)
def draw(seed: np.uint64, deal: np.uint64, deck: NDArray[np.uint8]) -> None:
    """Shuffle the first 13 places of ``deck``: the pone's six cards, the dealer's, the starter."""
    deck[:] = _ORDER
    place = deal * np.uint64(NUMBERS_PER_DEAL)
    for i in range(0, CARDS_DRAWN, 2):
        bits = random_bits(seed, place + np.uint64(i >> 1))
        j = i + np.int64((bits >> np.uint64(32)) * np.uint64(rules.DECK - i) >> np.uint64(32))
        card = deck[i]
        deck[i] = deck[j]
        deck[j] = card
        if i + 1 < CARDS_DRAWN:
            low = bits & np.uint64(0xFFFFFFFF)
            j = i + 1 + np.int64(low * np.uint64(rules.DECK - i - 1) >> np.uint64(32))
            card = deck[i + 1]
            deck[i + 1] = deck[j]
            deck[j] = card


@kernel(inline=True)
def _ascending(a: int, b: int) -> tuple[int, int]:
    return min(a, b), max(a, b)


@kernel(inline=True)
def _sort_hand(deck: NDArray[np.uint8], start: int, hand: NDArray[np.uint8]) -> int:
    """Sort six cards into ``hand`` by a network of 12 comparators; return the hand's number."""
    a, b, c = deck[start], deck[start + 1], deck[start + 2]
    d, e, f = deck[start + 3], deck[start + 4], deck[start + 5]
    b, c = _ascending(b, c)
    e, f = _ascending(e, f)
    a, c = _ascending(a, c)
    d, f = _ascending(d, f)
    a, b = _ascending(a, b)
    d, e = _ascending(d, e)
    c, f = _ascending(c, f)
    a, d = _ascending(a, d)
    b, e = _ascending(b, e)
    c, e = _ascending(c, e)
    b, d = _ascending(b, d)
    c, d = _ascending(c, d)
    hand[0], hand[1], hand[2], hand[3], hand[4], hand[5] = a, b, c, d, e, f
    low = _COLEX[a, 0] + _COLEX[b, 1] + _COLEX[c, 2]
    return int(low + _COLEX[d, 3] + _COLEX[e, 4] + _COLEX[f, 5])


@kernel
def play_deals(
    seed: np.uint64,
    first: np.uint64,
    deals: int,
    discards: NDArray[np.uint8],
    plays: NDArray[np.uint16],
    pegs: NDArray[np.uint8],
    points: NDArray[np.uint8],
    played: NDArray[np.int64],
    shown: NDArray[np.int64],
    totals: NDArray[np.int64],
) -> int:
    """Play deals ``first .. first + deals - 1`` and count how they went.

    Parameters
    ----------
    seed, first, deals
        Which deals.
    discards, plays
        As in ``Books``.
    pegs : uint8 array, shape (s, 2)
        Points of the pone and of the dealer by sequence.
    points : as ``show.rank_points``
    played : int64 array, shape (s, 2), added to
        Deals by sequence of the play and heels (0 or 1).
    shown : int64 array, shape (DEALER_POINTS, PONE_POINTS), added to
        Deals by points after the pone's hand is counted, before the dealer's.
    totals : int64 array, shape (DEALER_POINTS, PONE_POINTS), added to
        Deals by points at the end.

    Returns
    -------
    int
        The sum of the cribs.
    """
    deck = np.empty(rules.DECK, np.uint8)
    hands = np.empty((BLOCK, 2, 8), np.uint8)
    starters = np.empty(BLOCK, np.uint8)
    numbers = np.empty((BLOCK, 2), np.int32)
    pairs = np.empty(BLOCK, np.int32)
    pone_hands = np.empty(BLOCK, np.int32)
    dealer_shows = np.empty(BLOCK, np.int32)
    cribs = 0
    for start in range(0, deals, BLOCK):
        block = min(BLOCK, deals - start)
        for k in range(block):
            draw(seed, first + np.uint64(start + k), deck)
            numbers[k, 0] = _sort_hand(deck, 0, hands[k, 0])
            numbers[k, 1] = _sort_hand(deck, rules.DEALT, hands[k, 1])
            starters[k] = deck[2 * rules.DEALT]
        for k in range(block):
            numbers[k, 0] = discards[numbers[k, 0]] & 15
            numbers[k, 1] = discards[numbers[k, 1]] >> 4
        for k in range(block):
            starter = int(starters[k])
            place = _PLACES[numbers[k, 0]]
            hand = hands[k, 0]
            a, b = int(hand[place[0]]), int(hand[place[1]])
            c, d = int(hand[place[2]]), int(hand[place[3]])
            x, y = int(hand[place[4]]), int(hand[place[5]])
            row = four_ranks(a, b, c, d)
            pair = int(KEEP_NUMBERS[row]) * KEEPS
            pone_hands[k] = (
                int(points[row, starter >> 2])
                + nobs_points(a, b, c, d, starter)
                + flush_points(a, b, c, d, starter, 0)
            )
            place = _PLACES[numbers[k, 1]]
            hand = hands[k, 1]
            a, b = int(hand[place[0]]), int(hand[place[1]])
            c, d = int(hand[place[2]]), int(hand[place[3]])
            row = four_ranks(a, b, c, d)
            pairs[k] = pair + int(KEEP_NUMBERS[row])
            dealer_hand = (
                int(points[row, starter >> 2])
                + nobs_points(a, b, c, d, starter)
                + flush_points(a, b, c, d, starter, 0)
            )
            a, b = int(hand[place[4]]), int(hand[place[5]])
            crib = (
                int(points[four_ranks(a, b, x, y), starter >> 2])
                + nobs_points(a, b, x, y, starter)
                + flush_points(a, b, x, y, starter, 1)
            )
            cribs += crib
            dealer_shows[k] = dealer_hand + crib
        book = int((first + np.uint64(start)) % np.uint64(len(plays)))
        for k in range(block):
            sequence = plays[book, pairs[k]]
            book += 1
            if book == len(plays):
                book = 0
            heels = int(starters[k] >> 2 == rules.JACK)
            pone = pegs[sequence, rules.PONE] + pone_hands[k]
            dealer = pegs[sequence, rules.DEALER] + heels * rules.POINTS_FOR_HEELS
            played[sequence, heels] += 1
            shown[dealer, pone] += 1
            totals[dealer + dealer_shows[k], pone] += 1
    return cribs


@kernel
def _cross_in_play(
    sequences: NDArray[np.uint8],
    played: NDArray[np.int64],
    dealer_first: NDArray[np.int64],
    pone_first: NDArray[np.int64],
) -> None:
    """Add heels and the plays to the first crossings; open the pone's show.

    The arrays are differences along ``n``: to be added up by the caller.
    """
    for s in range(len(sequences)):
        for heels in range(2):
            deals = played[s, heels]
            if deals == 0:
                continue
            pone = 0
            dealer = heels * rules.POINTS_FOR_HEELS
            dealer_first[1, 0] += deals
            dealer_first[dealer + 1, 0] -= deals
            for event in sequences[s]:
                points = int(event) & (1 << SEAT_BIT) - 1
                if event >> SEAT_BIT:
                    dealer_first[dealer + 1, pone] += deals
                    dealer += points
                    dealer_first[dealer + 1, pone] -= deals
                else:
                    pone_first[pone + 1, dealer] += deals
                    pone += points
                    pone_first[pone + 1, dealer] -= deals
            pone_first[pone + 1, dealer] += deals


def pegs_of(sequences: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the points of the pone and of the dealer in each sequence, shape (s, 2)."""
    points = (sequences & (1 << SEAT_BIT) - 1).astype(np.int64)
    dealer = sequences >> SEAT_BIT
    return np.stack([(points * (1 - dealer)).sum(1), (points * dealer).sum(1)], 1).astype(np.uint8)


def tally_deals(books: Books, seed: int, first: int, deals: int) -> Tally:
    """Play deals ``first .. first + deals - 1`` of a seed and return their tally.

    Raises
    ------
    ValueError
        If a play of the books scores more than the tally has room for.
    """
    pegs = pegs_of(books.sequences)
    if (
        int(pegs[:, 0].max()) + rules.HIGHEST_HAND + 1 >= PONE_POINTS
        or int(pegs[:, 1].max()) + rules.POINTS_FOR_HEELS + 2 * rules.HIGHEST_HAND + 1
        >= DEALER_POINTS
    ):
        raise ValueError(f"a play scores {pegs.max()}: more than the tally has room for")
    played = np.zeros((len(books.sequences), 2), np.int64)
    shown = np.zeros((DEALER_POINTS, PONE_POINTS), np.int64)
    totals = np.zeros((DEALER_POINTS, PONE_POINTS), np.int64)
    cribs = play_deals(
        np.uint64(seed), np.uint64(first), deals, books.discards, books.plays,
        pegs, rank_points(), played, shown, totals,
    )  # fmt: skip
    dealer_first = np.zeros((DEALER_POINTS, PONE_POINTS), np.int64)
    pone_first = np.zeros((PONE_POINTS, DEALER_POINTS), np.int64)
    _cross_in_play(books.sequences, played, dealer_first, pone_first)
    # The pone's show ends where ``shown`` counts; there the dealer's show begins.
    pone_first[1:] -= shown.T[:-1]
    dealer_first[1:] += shown[:-1]
    dealer_first[1:] -= totals[:-1]
    return Tally(
        deals,
        totals,
        dealer_first.cumsum(0),
        pone_first.cumsum(0),
        _points_by_source(pegs, played, shown, totals, cribs),
    )


def _points_by_source(
    pegs: NDArray[np.uint8],
    played: NDArray[np.int64],
    shown: NDArray[np.int64],
    totals: NDArray[np.int64],
    cribs: int,
) -> NDArray[np.int64]:
    pone_pegs, dealer_pegs = (played.sum(1)[:, None] * pegs).sum(0)
    heels = played[:, 1].sum() * rules.POINTS_FOR_HEELS
    pone = (shown.sum(0) * np.arange(PONE_POINTS)).sum()
    dealer = (totals.sum(1) * np.arange(DEALER_POINTS)).sum()
    dealer_hand = dealer - dealer_pegs - heels - cribs
    return np.array([pone_pegs, pone - pone_pegs, heels, dealer_pegs, dealer_hand, cribs], np.int64)
