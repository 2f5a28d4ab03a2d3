"""The package `pycribbage`: games of its random players. It writes a file at each step."""

import os
import tempfile
from pathlib import Path

from pycribbage.cribbage_game import CribbageGame  # type: ignore[import-not-found]
from pycribbage.deck_tools import Card, Hand  # type: ignore[import-not-found]
from pycribbage.discard_methods import RandomDiscard  # type: ignore[import-not-found]
from pycribbage.player import Player  # type: ignore[import-not-found]
from pycribbage.scorer import ScoreTheShow  # type: ignore[import-not-found]
from pycribbage.the_play_methods import RandomThePlay  # type: ignore[import-not-found]

from .asked import Asked


def _game() -> int:
    players = [Player(name, RandomDiscard(), RandomThePlay()) for name in "AB"]
    game = CribbageGame(players, batch_mode=True)
    game.play_game()
    # Each game looks for a free name for its log: the next one should not look long.
    Path(game.log_fd.name).unlink()
    return len(game.for_set_game)


asked = Asked()
hands = []
for ranks_and_suits in asked.hands:
    hand = Hand()
    for rank, suit in ranks_and_suits:
        hand.add_card(Card(suit, rank + 1))
    hands.append(hand)
asked.count(lambda hand: ScoreTheShow(hand).score, hands)
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    asked.deal("random, in whole games", _game)
    os.chdir("/")
asked.answer()
