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
from .jit import kernel
from .numbering import (
    HAND_TERMS,
    HANDS,
    KEEPS,
    KEPT_POSITIONS,
    THROW_POSITIONS,
    THROWS,
    ascending,
    keep_of_cards,
)
from .pairs import SEAT_BIT
from .rng import random_bits
from .show import flush_points, nobs_points, rank_points
from .tally import DEALER_POINTS, PONE_POINTS, Tally

BLOCK: Final = 512
CARDS_DRAWN: Final = 2 * rules.DEALT + 1
# One 64-bit number draws two cards. Its halves choose by multiply and shift: the bias of
# a card's chance is under 52 / 2**32 = 1.2e-8, far below the error of any build.
NUMBERS_PER_DEAL: Final = (CARDS_DRAWN + 1) // 2
_HALF: Final = np.uint64(32)
_LOW_HALF: Final = np.uint64(2**32 - 1)

# Rows of the cards of a block: the pone's six, the dealer's six, the starter.
_HAND_ROWS: Final = (0, rules.DEALT)
_STARTER: Final = 2 * rules.DEALT
# How many cards each draw has to choose from: the pone from the deck, the dealer from
# what the pone left, the starter from the rest.
_CHOICES: NDArray[np.uint64] = np.array([*range(52, 46, -1), *range(46, 40, -1), 40, 0], np.uint64)
# Places of the kept four, then of the thrown two, by number of the throw.
_PLACES: NDArray[np.uint8] = np.zeros((16, 8), np.uint8)
_PLACES[: len(THROWS), : rules.DEALT] = np.hstack([KEPT_POSITIONS, THROW_POSITIONS])


@kernel
def _draw_numbers(seed: np.uint64, first: np.uint64, cards: NDArray[np.uint8]) -> None:
    """Fill each row with its draw: a number below the row's count of choices."""
    for j in range(NUMBERS_PER_DEAL):
        high, low = cards[2 * j], cards[2 * j + 1]
        many, few = _CHOICES[2 * j], _CHOICES[2 * j + 1]
        for k in range(BLOCK):
            place = (first + np.uint64(k)) * np.uint64(NUMBERS_PER_DEAL) + np.uint64(j)
            bits = random_bits(seed, place)
            high[k] = ((bits >> _HALF) * many) >> _HALF
            low[k] = ((bits & _LOW_HALF) * few) >> _HALF


@kernel
def _pass_over(numbers: NDArray[np.uint8], taken: NDArray[np.uint8]) -> None:
    """Count a number one up where a taken card lies at or below it."""
    for k in range(BLOCK):
        numbers[k] += numbers[k] >= taken[k]


@kernel
def _sort_two(low: NDArray[np.uint8], high: NDArray[np.uint8]) -> None:
    for k in range(BLOCK):
        low[k], high[k] = min(low[k], high[k]), max(low[k], high[k])


@kernel
def draw_block(seed: np.uint64, first: np.uint64, cards: NDArray[np.uint8]) -> None:
    """Deal ``BLOCK`` deals from ``first``, each from a whole deck; every hand comes sorted.

    The n-th card of a hand is drawn as a number among those left. It becomes a card by
    passing over the cards that are taken, in ascending order; so no deck is shuffled,
    and all deals of a block go through each step together.

    Parameters
    ----------
    cards : uint8 array, shape (14, BLOCK), written
        Rows: six cards of the pone, six of the dealer, the starter, and one spare.
    """
    _draw_numbers(seed, first, cards)
    for hand in _HAND_ROWS:
        for new in range(hand + 1, hand + rules.DEALT):
            for taken in range(hand, new):
                _pass_over(cards[new], cards[taken])
            for place in range(hand, new):
                _sort_two(cards[place], cards[new])
    # So far the dealer's cards are numbers among the 46 that the pone left.
    for taken in range(rules.DEALT, _STARTER):
        _pass_over(cards[_STARTER], cards[taken])
    for card in range(rules.DEALT, CARDS_DRAWN):
        for taken in range(rules.DEALT):
            _pass_over(cards[card], cards[taken])


@kernel
def number_block(cards: NDArray[np.uint8], numbers: NDArray[np.int32]) -> None:
    """Fill ``numbers[seat, deal]`` with the number of each hand."""
    for seat in range(2):
        hand = cards[_HAND_ROWS[seat] : _HAND_ROWS[seat] + rules.DEALT]
        for k in range(BLOCK):
            numbers[seat, k] = (
                HAND_TERMS[0, hand[0, k]]
                + HAND_TERMS[1, hand[1, k]]
                + HAND_TERMS[2, hand[2, k]]
                + HAND_TERMS[3, hand[3, k]]
                + HAND_TERMS[4, hand[4, k]]
                + HAND_TERMS[5, hand[5, k]]
            )


@kernel
def throw_block(
    cards: NDArray[np.uint8],
    numbers: NDArray[np.int32],
    discards: NDArray[np.uint8],
    throws: NDArray[np.uint8],
    fours: NDArray[np.uint8],
) -> None:
    """Look up both throws and lay the cards out by hand.

    Parameters
    ----------
    throws : uint8 array, shape (2, BLOCK), written
        Number of each seat's throw.
    fours : uint8 array, shape (3, 4, BLOCK), written
        The pone's hand, the dealer's hand (both sorted), and the crib: two cards of the
        pone's, two of the dealer's.
    """
    for k in range(BLOCK):
        throws[0, k] = discards[numbers[0, k]] & 15
    for k in range(BLOCK):
        throws[1, k] = discards[numbers[1, k]] >> 4
    for seat in range(2):
        hand = cards[_HAND_ROWS[seat] : _HAND_ROWS[seat] + rules.DEALT]
        keep = fours[seat]
        crib = fours[2, 2 * seat : 2 * seat + 2]
        for k in range(BLOCK):
            place = _PLACES[throws[seat, k]]
            for i in range(rules.KEPT):
                keep[i, k] = hand[place[i], k]
            for i in range(rules.THROWN):
                crib[i, k] = hand[place[rules.KEPT + i], k]


@kernel
def _count_suits(
    four: NDArray[np.uint8], starters: NDArray[np.uint8], crib: int, counts: NDArray[np.uint8]
) -> None:
    """Fill ``counts`` with flush and nobs."""
    for k in range(BLOCK):
        a, b, c, d, starter = four[0, k], four[1, k], four[2, k], four[3, k], starters[k]
        counts[k] = nobs_points(a, b, c, d, starter) + flush_points(a, b, c, d, starter, crib)


@kernel
def count_block(
    fours: NDArray[np.uint8],
    starters: NDArray[np.uint8],
    points: NDArray[np.uint8],
    counts: NDArray[np.uint8],
    pairs: NDArray[np.int32],
) -> None:
    """Count the three hands of the show, and number the two keeps.

    Parameters
    ----------
    points : as ``show.rank_points``
    counts : uint8 array, shape (3, BLOCK), written
        Points of the pone's hand, the dealer's hand and the crib.
    pairs : int32 array, shape (BLOCK,), written
        Number of the pone's keep times 1820, plus the dealer's.
    """
    for hand in range(3):
        _count_suits(fours[hand], starters, int(hand == 2), counts[hand])
    for k in range(BLOCK):
        rank = starters[k] >> 2
        pone = keep_of_cards(fours[0, 0, k], fours[0, 1, k], fours[0, 2, k], fours[0, 3, k])
        dealer = keep_of_cards(fours[1, 0, k], fours[1, 1, k], fours[1, 2, k], fours[1, 3, k])
        # Two sorted pairs are merged to four sorted cards.
        low, a = ascending(int(fours[2, 0, k]), int(fours[2, 2, k]))
        b, high = ascending(int(fours[2, 1, k]), int(fours[2, 3, k]))
        a, b = ascending(a, b)
        counts[0, k] += points[pone, rank]
        counts[1, k] += points[dealer, rank]
        counts[2, k] += points[keep_of_cards(low, a, b, high), rank]
        pairs[k] = pone * KEEPS + dealer


@kernel
def tally_block(
    deals: int,
    book: int,
    plays: NDArray[np.uint16],
    pegs: NDArray[np.uint8],
    pairs: NDArray[np.int32],
    starters: NDArray[np.uint8],
    counts: NDArray[np.uint8],
    played: NDArray[np.int64],
    shown: NDArray[np.int64],
    totals: NDArray[np.int64],
) -> int:
    """Count how the first ``deals`` of a block went; return the sum of their cribs.

    ``book`` serves the first deal, the next book the next deal, and so around. The other
    arguments are as in ``play_deals``.
    """
    # Looked up first: between the counts, which write wherever a deal leads, the waits for
    # memory would not overlap.
    sequences = np.empty(deals, np.uint16)
    for k in range(deals):
        sequences[k] = plays[book, pairs[k]]
        book += 1
        if book == len(plays):
            book = 0
    cribs = 0
    for k in range(deals):
        sequence = sequences[k]
        heels = int(starters[k] >> 2 == rules.JACK)
        pone = int(pegs[sequence, rules.PONE]) + counts[0, k]
        dealer = int(pegs[sequence, rules.DEALER]) + heels * rules.POINTS_FOR_HEELS
        played[sequence, heels] += 1
        shown[dealer, pone] += 1
        totals[dealer + counts[1, k] + counts[2, k], pone] += 1
        cribs += counts[2, k]
    return cribs


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
    """Play deals ``first .. first + deals - 1``, count how they went, return the sum of the cribs.

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
    """
    cards = np.empty((CARDS_DRAWN + 1, BLOCK), np.uint8)
    numbers = np.empty((2, BLOCK), np.int32)
    throws = np.empty((2, BLOCK), np.uint8)
    fours = np.empty((3, rules.KEPT, BLOCK), np.uint8)
    counts = np.empty((3, BLOCK), np.uint8)
    pairs = np.empty(BLOCK, np.int32)
    starters = cards[_STARTER]
    cribs = 0
    for start in range(0, deals, BLOCK):
        here = first + np.uint64(start)
        draw_block(seed, here, cards)
        number_block(cards, numbers)
        throw_block(cards, numbers, discards, throws, fours)
        count_block(fours, starters, points, counts, pairs)
        book = int(np.int64(here % np.uint64(len(plays))))
        cribs += tally_block(
            min(BLOCK, deals - start), book, plays, pegs, pairs, starters, counts,
            played, shown, totals,
        )  # fmt: skip
    return cribs


def drawn_cards(seed: int, first: int, deals: int) -> NDArray[np.uint8]:
    """Return the cards of deals ``first .. first + deals - 1``, uint8, shape (deals, 13).

    In a row: the pone's six cards and the dealer's six, each hand ascending, and the starter.
    """
    blocks = -(-deals // BLOCK)
    drawn = np.empty((blocks, BLOCK, CARDS_DRAWN), np.uint8)
    cards = np.empty((CARDS_DRAWN + 1, BLOCK), np.uint8)
    for i in range(blocks):
        draw_block(np.uint64(seed), np.uint64(first + i * BLOCK), cards)
        drawn[i] = cards[:CARDS_DRAWN].T
    return drawn.reshape(-1, CARDS_DRAWN)[:deals]


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


def first_deal() -> Tally:
    """Play a deal by books in which nobody scores in the play: it compiles what plays deals."""
    none = np.zeros(0, np.int64)
    discards = np.zeros(HANDS, np.uint8)
    sequences = np.zeros((1, 8), np.uint8)
    plays = np.zeros((1, KEEPS * KEEPS), np.uint16)
    # Books from the cache cannot be written, and kernels are compiled for such arrays.
    for part in (discards, sequences, plays):
        part.flags.writeable = False
    books = Books(discards, sequences, plays, none, none, none, none, none, np.zeros(0))
    return tally_deals(books, 0, 0, 1)


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
