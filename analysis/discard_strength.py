"""What rules of throwing cost, in points a deal, against the exact best throw.

The opponent throws, keeps and plays as one strategy does, and so does the player except
for his throw. For a hand all 9,366,819 hands of the opponent are gone through: they give
how often he throws each two cards with each starter, and how often he keeps each four
ranks. So hand, crib and play are exact for each of the 15 throws; only the player's own
hands are a sample.
"""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..sim import rules
from ..sim.book import Books
from ..sim.cards import hand_number, keep_number
from ..sim.deal import pegs_of
from ..sim.discards import STARTERS, compile_discards, random_opponent
from ..sim.jit import kernel, over_threads
from ..sim.numbering import (
    CHOOSE,
    HAND_TERMS,
    KEEPS,
    KEPT_POSITIONS,
    THROW_POSITIONS,
    THROWS,
    keep_of_cards,
)
from ..sim.show import count_kernel, count_throws, rank_points

_OPPONENTS: Final = int(CHOOSE[STARTERS, rules.DEALT])  # 9,366,819
_LEFT: Final = STARTERS - rules.DEALT  # 40 cards that may be the starter
_PAIRS: Final = int(CHOOSE[rules.DECK, rules.THROWN])  # pairs of cards, the higher one first
# Positions of the kept four, then of the thrown two, by number of the throw.
_PLACES: NDArray[np.uint8] = np.hstack([KEPT_POSITIONS, THROW_POSITIONS])


class ThrowLoss(NamedTuple):
    """What a rule of throwing loses against the exact best throw.

    Attributes
    ----------
    rule : str
    pone, dealer : float
        Points a deal lost in that seat, and their standard errors.
    pone_se, dealer_se : float
    pone_best, dealer_best : float
        Share of hands for which the rule finds a best throw.
    """

    rule: str
    pone: float
    pone_se: float
    dealer: float
    dealer_se: float
    pone_best: float
    dealer_best: float


@kernel
def _count_opponents(
    unseen: NDArray[np.uint8],
    discards: NDArray[np.uint8],
    thrown: NDArray[np.int32],
    keeps: NDArray[np.int64],
) -> None:
    """Go through all hands of the opponent among 46 unseen cards.

    ``thrown[seat, pair, 52]`` counts the hands that throw a pair of cards, and before that
    ``[.., card]`` those of them that keep a card; ``keeps[seat, keep]`` counts keeps.
    """
    cards = np.empty(rules.DEALT, np.int64)
    for i5 in range(5, len(unseen)):
        cards[5] = unseen[i5]
        for i4 in range(4, i5):
            cards[4] = unseen[i4]
            for i3 in range(3, i4):
                cards[3] = unseen[i3]
                for i2 in range(2, i3):
                    cards[2] = unseen[i2]
                    for i1 in range(1, i2):
                        cards[1] = unseen[i1]
                        above = 0
                        for place in range(1, rules.DEALT):
                            above += HAND_TERMS[place, cards[place]]
                        for i0 in range(i1):
                            cards[0] = unseen[i0]
                            byte = discards[above + HAND_TERMS[0, cards[0]]]
                            for seat in range(2):
                                places = _PLACES[byte >> 4 * seat & 15]
                                a, b = cards[places[0]], cards[places[1]]
                                c, d = cards[places[2]], cards[places[3]]
                                low, high = cards[places[4]], cards[places[5]]
                                row = thrown[seat, high * (high - 1) // 2 + low]
                                row[rules.DECK] += 1
                                row[a] += 1
                                row[b] += 1
                                row[c] += 1
                                row[d] += 1
                                keeps[seat, keep_of_cards(a, b, c, d)] += 1


@kernel
def _add_cribs(
    points: NDArray[np.uint8],
    own: NDArray[np.uint8],
    unseen: NDArray[np.uint8],
    thrown: NDArray[np.int32],
    cribs: NDArray[np.int64],
) -> None:
    """Fill ``cribs[seat, throw]``: crib points over all hands of that seat and all starters."""
    for throw in range(len(THROW_POSITIONS)):
        a = int(own[THROW_POSITIONS[throw, 0]])
        b = int(own[THROW_POSITIONS[throw, 1]])
        for j in range(len(unseen)):
            for i in range(j):
                c, d = int(unseen[i]), int(unseen[j])
                pair = d * (d - 1) // 2 + c
                if thrown[0, pair, rules.DECK] == 0 and thrown[1, pair, rules.DECK] == 0:
                    continue
                for k in range(len(unseen)):
                    if k in (i, j):
                        continue
                    starter = int(unseen[k])
                    score = count_kernel(points, a, b, c, d, starter, 1)
                    for seat in range(2):
                        # Not with the hands that keep the starter themselves.
                        row = thrown[seat, pair]
                        cribs[seat, throw] += score * (row[rules.DECK] - row[starter])


def play_edges(books: Books) -> NDArray[np.float64]:
    """Return what the pone wins of the dealer in the play, by both keeps, the mean of the books."""
    pegs = pegs_of(books.sequences).astype(np.int64)
    edges = pegs[:, rules.PONE] - pegs[:, rules.DEALER]
    total = np.zeros(KEEPS * KEEPS)
    for plays in books.plays:
        total += edges[plays]
    return (total / len(books.plays)).reshape(KEEPS, KEEPS)


def opponents_of(
    hand: NDArray[np.uint8], discards: NDArray[np.uint8]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return what the opponent throws and keeps, over all 9,366,819 hands that he may hold.

    Parameters
    ----------
    hand : uint8 array, shape (6,)
        The player's own cards, ascending.
    discards : as ``Books.discards``

    Returns
    -------
    thrown : int32 array, shape (2, 1326, 53)
        By the opponent's seat and the pair of cards ``high * (high - 1) / 2 + low``: how many
        hands throw it and keep each card; last, how many throw it.
    keeps : int64 array, shape (2, 1820)
        How many hands keep each four ranks.
    """
    thrown = np.zeros((2, _PAIRS, rules.DECK + 1), np.int32)
    keeps = np.zeros((2, KEEPS), np.int64)
    unseen = np.setdiff1d(np.arange(rules.DECK, dtype=np.uint8), hand)
    _count_opponents(unseen, discards, thrown, keeps)
    return thrown, keeps


def throw_values(
    hand: NDArray[np.uint8], discards: NDArray[np.uint8], edges: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what each throw of a hand is worth to the thrower, in points, exact.

    His mean hand, plus or less the crib, plus what he wins in the play. What no throw
    changes (heels, the opponent's hand) is left out.

    Parameters
    ----------
    hand : uint8 array, shape (6,)
        Six different cards, ascending.
    discards : how the opponent throws, as ``Books.discards``
    edges : as ``play_edges``

    Returns
    -------
    float64 array, shape (2, 15)
        By the player's seat and the number of the throw.
    """
    thrown, keeps = opponents_of(hand, discards)
    unseen = np.setdiff1d(np.arange(rules.DECK, dtype=np.uint8), hand)
    totals = np.zeros((2, len(THROWS)), np.int64)
    _add_cribs(rank_points(), hand, unseen, thrown, totals)
    cribs = totals[::-1] / (_OPPONENTS * _LEFT)
    own = np.array([keep_number(four >> 2) for four in hand[KEPT_POSITIONS].astype(np.int64)])
    play = np.stack([edges[own] @ keeps[rules.DEALER], -(keeps[rules.PONE] @ edges[:, own])])
    hands = count_throws(hand[None])[0].mean(axis=1)
    values: NDArray[np.float64] = hands + cribs * np.array([[-1.0], [1.0]]) + play / _OPPONENTS
    return values


def plain_throws(rounds: int) -> NDArray[np.uint8]:
    """Return the book of a rule that counts hand and crib, not what the play brings."""
    opponent = random_opponent()
    worth = np.zeros((2, KEEPS), np.int64)
    for _ in range(rounds):
        book, opponent = compile_discards(opponent, worth)
    return book


def sample_hands(hands: int, seed: int) -> NDArray[np.uint8]:
    """Return so many random hands of six cards, each ascending, shape (hands, 6)."""
    deck = np.tile(np.arange(rules.DECK, dtype=np.uint8), (hands, 1))
    return np.sort(np.random.default_rng(seed).permuted(deck, axis=1)[:, : rules.DEALT], axis=1)


def losses(
    rules_of_throwing: Mapping[str, NDArray[np.uint8]],
    against: Books,
    hands: NDArray[np.uint8],
    done: Callable[[], None] = lambda: None,
) -> list[ThrowLoss]:
    """Return what rules of throwing lose, in points a deal, against one strategy.

    Parameters
    ----------
    rules_of_throwing : books of throws, as ``Books.discards``, by name
    against : Books
        How the opponent throws, keeps and plays, and how the player plays.
    hands : uint8 array, shape (n, 6), as ``sample_hands``; at least two
    done : callable
        Is called after each hand.
    """
    edges = play_edges(against)
    values = np.empty((len(hands), 2, len(THROWS)))

    def weigh(number: int) -> None:
        values[number] = throw_values(hands[number], against.discards, edges)
        done()

    over_threads(weigh, len(hands))
    numbers = [hand_number([int(card) for card in hand]) for hand in hands]
    best = values.max(axis=2)
    found = []
    for name, book in rules_of_throwing.items():
        chosen = np.stack([book[numbers] & 15, book[numbers] >> 4], axis=1)
        lost = best - np.take_along_axis(values, chosen[..., None].astype(np.int64), 2)[..., 0]
        mean = lost.mean(axis=0)
        error = lost.std(axis=0, ddof=1) / np.sqrt(len(hands))
        right = (lost < 1e-9).mean(axis=0)
        found.append(
            ThrowLoss(
                name, float(mean[0]), float(error[0]), float(mean[1]), float(error[1]),
                float(right[0]), float(right[1]),
            )
        )  # fmt: skip
    return found
