"""The opponent's hidden cards: which are possible after what he has shown, and how likely.

Two priors. ``reference``: his six cards are any of those unseen, equally likely, of which
his throwing book keeps what he has laid and, of the rest, nothing that a go of his has
denied. ``uniform``: he holds any of the unseen cards that no go has denied, and any two of
the rest lie in the crib; every such division is equally likely.

Hands are counted out wherever he has laid a card; before that they are drawn. So no weight
is ever estimated: all hands of an answer weigh the same.
"""

import math
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from ..sim import rules
from ..sim.cards import CardError
from ..sim.jit import kernel
from ..sim.numbering import HAND_TERMS, KEPT_POSITIONS, THROW_POSITIONS
from ..sim.rng import random_bits

Prior = Literal["reference", "uniform"]
PRIORS: Final[tuple[Prior, ...]] = ("reference", "uniform")

COUNT_OUT: Final = 1_000_000
"""At most this many hands are counted out one by one; of more, some are drawn."""

DRAWS: Final = 100_000
SEED: Final = 20261130
"""Hands drawn, and from which stream, unless the question says otherwise."""

_MANY: Final = 8  # times as many hands as would be counted out are not all gone through

_FELL_BACK: Final = (
    "no hand that the reference strategy keeps fits what the opponent has shown: "
    "every unseen card is taken as equally likely (uniform)"
)


@dataclass(frozen=True)
class Known:
    """What is known of the cards.

    Attributes
    ----------
    own : tuple of six cards
    starter : int or None
        None before the cut.
    seat : int
        The opponent's.
    shown : tuple of cards
        Laid by the opponent.
    denied : int
        What he still holds is of this rank or above.
    """

    own: tuple[int, ...]
    starter: int | None
    seat: int
    shown: tuple[int, ...] = ()
    denied: int = 0

    def unseen(self) -> NDArray[np.uint8]:
        """Return the cards that may be anywhere, ascending."""
        seen = {*self.own, *self.shown, self.starter}
        return np.array([card for card in range(rules.DECK) if card not in seen], np.uint8)


@dataclass(frozen=True)
class Hidden:
    """Equally likely possibilities for the cards that the player does not see.

    Attributes
    ----------
    keeps : uint8 array, shape (n, 4)
        What the opponent kept; those he has laid first, in their order.
    throws : uint8 array, shape (n, 2)
    starters : uint8 array, shape (n,)
    possible : int or None
        How many possibilities there are in all; None when they were not counted.
    prior : str
        ``reference`` or ``uniform``, as used.
    note : str
        Why another prior was used than was asked for; empty if none was.
    """

    keeps: NDArray[np.uint8]
    throws: NDArray[np.uint8]
    starters: NDArray[np.uint8]
    possible: int | None
    prior: Prior
    note: str = ""

    @property
    def exact(self) -> bool:
        """Whether every possibility is there."""
        return self.possible == len(self.keeps)


def hidden_cards(
    known: Known,
    discards: NDArray[np.uint8],
    prior: Prior = "reference",
    *,
    draws: int = DRAWS,
    count_out: int = COUNT_OUT,
    seed: int = SEED,
) -> Hidden:
    """Return what the opponent may hold and have thrown, given what he has shown.

    Parameters
    ----------
    known : Known
    discards : uint8 array
        The reference strategy's throws, as in ``Books.discards``.
    prior : str
    draws : int
        How many possibilities to draw where not all are counted out.
    count_out : int
        Up to how many are counted out.
    seed : int
        Of the stream that draws come from.

    Raises
    ------
    CardError
        If no cards fit what was shown.
    """
    if not known.shown:
        return _drawn(known, discards, prior, draws, seed)
    if prior == "reference":
        hidden = _kept_by_book(known, discards, draws, count_out, seed)
        if hidden is not None:
            return hidden
    hidden = _any_cards(known, draws, count_out, seed)
    return Hidden(
        hidden.keeps, hidden.throws, hidden.starters, hidden.possible, "uniform",
        _FELL_BACK if prior == "reference" else "",
    )  # fmt: skip


def _drawn(
    known: Known, discards: NDArray[np.uint8], prior: Prior, draws: int, seed: int
) -> Hidden:
    """Draw six cards and, before the cut, the starter: nothing is known of them."""
    unseen = known.unseen()
    cards = np.empty((draws, rules.DEALT + 1), np.uint8)
    drawn = rules.DEALT + int(known.starter is None)
    _draw(np.uint64(seed), unseen, drawn, cards)
    starters = np.full(draws, known.starter or 0, np.uint8)
    if known.starter is None:
        starters = cards[:, rules.DEALT].copy()
    hands = cards[:, : rules.DEALT]
    if prior == "uniform":
        keeps, throws = hands[:, : rules.KEPT].copy(), hands[:, rules.KEPT :].copy()
    else:
        keeps, throws = divide_by_book(hands, known.seat, discards)
    return Hidden(keeps, throws, starters, None, prior)


@kernel
def _draw(seed: np.uint64, unseen: NDArray[np.uint8], drawn: int, cards: NDArray[np.uint8]) -> None:
    """Draw the first ``drawn`` cards of each row, without putting back.

    One random number serves a card; its bias is under 46 / 2**32.
    """
    deck = unseen.copy()
    for row in range(len(cards)):
        for i in range(drawn):
            bits = random_bits(seed, np.uint64(row * (rules.DEALT + 1) + i))
            j = i + np.int64((bits >> np.uint64(32)) * np.uint64(len(deck) - i) >> np.uint64(32))
            # What lies behind is any order of the other cards: the deck need not be put right.
            card = deck[i]
            deck[i] = deck[j]
            deck[j] = card
            cards[row, i] = deck[i]


@kernel
def _throw_of(hand: NDArray[np.uint8], seat: int, discards: NDArray[np.uint8]) -> int:
    """Sort six cards in place and return the book's throw of them."""
    number = 0
    for i in range(rules.DEALT):
        card = hand[i]
        j = i
        while j > 0 and hand[j - 1] > card:
            hand[j] = hand[j - 1]
            j -= 1
        hand[j] = card
    for i in range(rules.DEALT):
        number += HAND_TERMS[i, hand[i]]
    return int(discards[number] >> 4 * seat & 15)


@kernel
def _divide(
    hands: NDArray[np.uint8],
    seat: int,
    discards: NDArray[np.uint8],
    keeps: NDArray[np.uint8],
    throws: NDArray[np.uint8],
) -> None:
    hand = np.empty(rules.DEALT, np.uint8)
    for row in range(len(hands)):
        hand[:] = hands[row]
        throw = _throw_of(hand, seat, discards)
        for i in range(rules.KEPT):
            keeps[row, i] = hand[KEPT_POSITIONS[throw, i]]
        for i in range(rules.THROWN):
            throws[row, i] = hand[THROW_POSITIONS[throw, i]]


def divide_by_book(
    hands: NDArray[np.uint8], seat: int, discards: NDArray[np.uint8]
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return what the book keeps (n, 4) and throws (n, 2) of many hands (n, 6)."""
    keeps = np.empty((len(hands), rules.KEPT), np.uint8)
    throws = np.empty((len(hands), rules.THROWN), np.uint8)
    _divide(hands, seat, discards, keeps, throws)
    return keeps, throws


@kernel
def _fill_choices(cards: NDArray[np.uint8], chosen: NDArray[np.uint8]) -> None:
    """Fill the rows of ``chosen`` with every choice of its width, lexicographic."""
    width = chosen.shape[1]
    place = np.arange(width)
    for row in range(len(chosen)):
        for i in range(width):
            chosen[row, i] = cards[place[i]]
        i = width - 1
        while i >= 0 and place[i] == len(cards) - width + i:
            i -= 1
        if i < 0:
            return
        place[i] += 1
        for j in range(i + 1, width):
            place[j] = place[j - 1] + 1


def choices(cards: NDArray[np.uint8], width: int) -> NDArray[np.uint8]:
    """Return every choice of ``width`` of some cards, shape (C(n, width), width)."""
    chosen = np.empty((math.comb(len(cards), width), width), np.uint8)
    _fill_choices(cards, chosen)
    return chosen


def _kept_by_book(
    known: Known, discards: NDArray[np.uint8], draws: int, count_out: int, seed: int
) -> Hidden | None:
    """Go through every hand with the cards shown; keep those of which the book keeps them."""
    rest = choices(known.unseen(), rules.DEALT - len(known.shown))
    every = len(rest)
    if every > _MANY * max(count_out, draws):
        # Not even gone through: of these about half fit.
        rest = rest[spread(every, 2 * draws, seed)]
    shown = np.array(known.shown, np.uint8)
    keeps = np.empty((len(rest), rules.KEPT), np.uint8)
    throws = np.empty((len(rest), rules.THROWN), np.uint8)
    found = int(_filter(rest, shown, known.denied, known.seat, discards, keeps, throws))
    if found == 0:
        return _kept_by_book(known, discards, every, every, seed) if len(rest) < every else None
    keeps, throws = keeps[:found], throws[:found]
    if found > max(count_out, draws):
        some = spread(found, draws, seed)
        keeps, throws = keeps[some], throws[some]
    starters = np.full(len(keeps), known.starter, np.uint8)
    return Hidden(keeps, throws, starters, found if len(rest) == every else None, "reference")


@kernel
def _filter(
    rest: NDArray[np.uint8],
    shown: NDArray[np.uint8],
    denied: int,
    seat: int,
    discards: NDArray[np.uint8],
    keeps: NDArray[np.uint8],
    throws: NDArray[np.uint8],
) -> int:
    """Fill the first rows of keeps and throws with the hands that fit; return how many."""
    hand = np.empty(rules.DEALT, np.uint8)
    found = 0
    for row in range(len(rest)):
        hand[: len(shown)] = shown
        hand[len(shown) :] = rest[row]
        throw = _throw_of(hand, seat, discards)
        a = hand[THROW_POSITIONS[throw, 0]]
        b = hand[THROW_POSITIONS[throw, 1]]
        fits = True
        for card in shown:
            if card in (a, b):
                fits = False
        if not fits:
            continue
        place = len(shown)
        keeps[found, :place] = shown
        for card in rest[row]:
            if card not in (a, b):
                fits = fits and card >> 2 >= denied
                keeps[found, place] = card
                place += 1
        throws[found, 0] = a
        throws[found, 1] = b
        found += fits
    return found


def _any_cards(known: Known, draws: int, count_out: int, seed: int) -> Hidden:
    """Divide the unseen cards in every way: some held, two in the crib."""
    unseen = known.unseen()
    holdable = unseen[unseen >> 2 >= known.denied]
    missing = rules.KEPT - len(known.shown)
    held = choices(holdable, missing)
    if len(held) == 0:
        raise CardError("no cards fit what the opponent has shown and his gos")
    cribs = math.comb(len(unseen) - missing, rules.THROWN)
    possible = len(held) * cribs
    if possible <= max(count_out, draws):
        picked = np.arange(possible)
    else:
        picked = spread(possible, draws, seed)
    keeps = np.empty((len(picked), rules.KEPT), np.uint8)
    throws = np.empty((len(picked), rules.THROWN), np.uint8)
    keeps[:, : len(known.shown)] = np.array(known.shown, np.uint8)
    keeps[:, len(known.shown) :] = held[picked // cribs]
    pairs = choices(np.arange(len(unseen) - missing, dtype=np.uint8), rules.THROWN)
    _fill_cribs(unseen, keeps[:, len(known.shown) :], pairs[picked % cribs], throws)
    return Hidden(keeps, throws, np.full(len(picked), known.starter, np.uint8), possible, "uniform")


@kernel
def _fill_cribs(
    unseen: NDArray[np.uint8],
    held: NDArray[np.uint8],
    pairs: NDArray[np.uint8],
    throws: NDArray[np.uint8],
) -> None:
    """Fill ``throws`` with the cards at two places among the unseen that are not held."""
    for row in range(len(throws)):
        place = 0
        for card in unseen:
            free = True
            for other in held[row]:
                free = free and card != other
            if not free:
                continue
            for i in range(rules.THROWN):
                if pairs[row, i] == place:
                    throws[row, i] = card
            place += 1


def spread(possible: int, draws: int, seed: int) -> NDArray[np.int64]:
    """Return ``draws`` different numbers below ``possible``: one at random in each equal part."""
    picked = np.empty(draws, np.int64)
    _spread(np.uint64(seed), possible, picked)
    return picked


@kernel
def _spread(seed: np.uint64, possible: int, picked: NDArray[np.int64]) -> None:
    for i in range(len(picked)):
        start = possible * i // len(picked)
        width = possible * (i + 1) // len(picked) - start
        bits = random_bits(seed, np.uint64(i)) >> np.uint64(32)
        picked[i] = start + np.int64(bits * np.uint64(width) >> np.uint64(32))
