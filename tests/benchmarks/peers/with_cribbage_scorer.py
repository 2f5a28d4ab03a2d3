"""The package `cribbage-scorer`: it counts, and plays nothing."""

from cribbage_scorer.cribbage_scorer import show_calc_score  # type: ignore[import-not-found]

from .asked import Asked

asked = Asked()
hands = [[(rank + 1, "CDHS"[suit]) for rank, suit in hand] for hand in asked.hands]
asked.count(lambda hand: show_calc_score(hand[4], hand[:4])[0], hands)
asked.answer()
