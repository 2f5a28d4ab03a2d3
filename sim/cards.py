"""Cards as people write them; used at the edges of the program only."""

from collections.abc import Iterable, Sequence

from . import rules
from .numbering import HAND_TERMS, KEEP_TERMS


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


def check_cards(cards: Sequence[int], count: int) -> None:
    """Raise ``CardError`` unless these are ``count`` different cards 0..51."""
    for card in cards:
        if not 0 <= card < rules.DECK:
            raise CardError(f"{card} is no card: expected 0..{rules.DECK - 1}")
    if len(set(cards)) < len(cards):
        raise CardError(f"a card is there twice: {cards_text(cards)}")
    if len(cards) != count:
        raise CardError(f"expected {count} cards, got {len(cards)}: {cards_text(cards) or 'none'}")


def hand_number(cards: Sequence[int]) -> int:
    """Return the number 0..20,358,519 of six different cards in any order."""
    return sum(int(HAND_TERMS[place, card]) for place, card in enumerate(sorted(cards)))


def keep_number(ranks: Iterable[int]) -> int:
    """Return the number 0..1819 of four ranks in any order, as in ``numbering.KEEP_RANKS``."""
    return sum(int(KEEP_TERMS[place, rank]) for place, rank in enumerate(sorted(ranks)))
