"""Cards as people write them, and the numbers that stand for hands; used at the edges only.

Order of everything: cards ascend by rank, then suit; a keep is four ranks in
ascending order, suits ignored.
"""

import itertools
import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from . import rules

HANDS = math.comb(rules.DECK, rules.DEALT)  # 20,358,520
KEEPS = math.comb(rules.RANKS + rules.KEPT - 1, rules.KEPT)  # 1,820
THROW_RANKS = math.comb(rules.RANKS + 1, 2)  # 91 pairs of ranks

# A throw's number is the place of its two positions here, in the sorted six cards.
THROWS: tuple[tuple[int, int], ...] = tuple(itertools.combinations(range(rules.DEALT), 2))

# KEEP_RANKS[i] are the ranks of keep i, lexicographic: all keeps whose least rank is
# at or above some rank form one suffix of the range.
KEEP_RANKS: NDArray[np.uint8] = np.array(
    list(itertools.combinations_with_replacement(range(rules.RANKS), rules.KEPT)), np.uint8
)


class CardError(ValueError):
    """A card or hand that cannot be; the message says which and what was expected."""


def rank_of(card: int) -> int:
    """Return the rank 0..12 of a card 0..51."""
    return card // rules.SUITS


def suit_of(card: int) -> int:
    """Return the suit 0..3 of a card 0..51."""
    return card % rules.SUITS


def card_text(card: int) -> str:
    """Return a card 0..51 as text, such as ``5H`` or ``TD``."""
    return rules.RANK_LETTERS[rank_of(card)] + rules.SUIT_LETTERS[suit_of(card)]


def cards_text(cards: Iterable[int]) -> str:
    """Return cards as text, one space between them."""
    return " ".join(card_text(card) for card in cards)


def parse_card(text: str) -> int:
    """Return the card 0..51 written as ``5H``, ``td`` or ``10D``.

    Raises
    ------
    CardError
        If the text is no card.
    """
    word = text.strip().upper().replace("10", "T")
    if len(word) == 2:
        rank = rules.RANK_LETTERS.find(word[0])
        suit = rules.SUIT_LETTERS.find(word[1])
        if rank >= 0 and suit >= 0:
            return rules.SUITS * rank + suit
    raise CardError(
        f"{text!r} is no card: expected a rank A23456789TJQK (or 10) and a suit CDHS, such as 5H"
    )


def parse_cards(text: str | Iterable[str], count: int | None = None) -> list[int]:
    """Return the cards of a text, or of several, in the order written.

    Spaces and commas between cards are optional: ``5H 5C``, ``5h,5c`` and ``5H5C`` are alike.

    Raises
    ------
    CardError
        If a card is impossible or appears twice, or if there are not ``count`` of them.
    """
    joined = text if isinstance(text, str) else " ".join(text)
    cards = [parse_card(word) for word in _card_words(joined)]
    for i, card in enumerate(cards):
        if card in cards[:i]:
            raise CardError(f"{card_text(card)} is there twice: every card is in the deck once")
    if count is not None and len(cards) != count:
        raise CardError(f"expected {count} cards, got {len(cards)}: {cards_text(cards) or 'none'}")
    return cards


def _card_words(text: str) -> list[str]:
    words: list[str] = []
    for word in text.replace(",", " ").split():
        rest = word
        while len(rest) > 3 or (len(rest) == 3 and not rest.startswith("10")):
            size = 3 if rest.startswith("10") else 2
            words.append(rest[:size])
            rest = rest[size:]
        words.append(rest)
    return words


def hand_number(cards: Sequence[int]) -> int:
    """Return the colexicographic number 0..20,358,519 of six different cards in any order."""
    return sum(math.comb(card, i + 1) for i, card in enumerate(sorted(cards)))


def keep_number(ranks: Iterable[int]) -> int:
    """Return the number 0..1819 of four ranks in any order; the inverse of ``KEEP_RANKS``."""
    return _KEEP_NUMBER[tuple(sorted(ranks))]


_KEEP_NUMBER = {tuple(int(r) for r in ranks): i for i, ranks in enumerate(KEEP_RANKS)}
