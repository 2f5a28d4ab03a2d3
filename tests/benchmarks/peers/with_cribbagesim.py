"""The package `cribbagesim`: its players by rules of thumb from Hoyle, and its random ones."""

from CribbageSim.CribbageDeal import CribbageDeal  # type: ignore[import-not-found]
from CribbageSim.CribbagePlayStrategy import (  # type: ignore[import-not-found]
    HoyleishDealerCribbagePlayStrategy,
    HoyleishPlayerCribbagePlayStrategy,
    RandomCribbagePlayStrategy,
)
from HandsDecksCards.card import Card  # type: ignore[import-not-found]
from HandsDecksCards.hand import Hand  # type: ignore[import-not-found]

from .asked import Asked

PIPS = ("A", *map(str, range(2, 11)), "J", "Q", "K")


def _hoyle() -> int:
    CribbageDeal(HoyleishPlayerCribbagePlayStrategy(), HoyleishDealerCribbagePlayStrategy()).play()
    return 1


def _random() -> int:
    CribbageDeal(RandomCribbagePlayStrategy(), RandomCribbagePlayStrategy()).play()
    return 1


asked = Asked()
counter = CribbageDeal(RandomCribbagePlayStrategy(), RandomCribbagePlayStrategy())
hands = []
for ranks_and_suits in asked.hands:
    *four, starter = (Card("CDHS"[suit], PIPS[rank]) for rank, suit in ranks_and_suits)
    hand = Hand()
    hand.add_cards(four)
    hands.append((hand, starter))
# A list of its own: the default would grow from call to call.
asked.count(lambda each: counter.determine_score_showing_hand(*each, []), hands)
asked.deal("rules of thumb", _hoyle)
asked.deal("random", _random)
asked.answer()
