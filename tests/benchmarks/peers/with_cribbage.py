"""The package `cribbage`: deals of its random player (its other player takes minutes a deal)."""

import contextlib

from cribbage.card import Card  # type: ignore[import-not-found]
from cribbage.game import Hand  # type: ignore[import-not-found]
from cribbage.players import RandomPlayer, WinGame  # type: ignore[import-not-found]
from cribbage.score import score_hand  # type: ignore[import-not-found]

from .asked import Asked


def _deal() -> int:
    with contextlib.suppress(WinGame):
        Hand(RandomPlayer("dealer"), RandomPlayer("pone")).run()
    return 1


asked = Asked()
cards = [[Card(13 * suit + rank) for rank, suit in hand] for hand in asked.hands]
asked.count(lambda hand: score_hand(hand[:4], hand[4]), cards)
asked.deal("random", _deal)
asked.answer()
