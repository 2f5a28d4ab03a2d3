"""The package `open_spiel`: its game `cribbage`, stepped from Python at random.

Its count cannot be called from Python; it is seen in the game: the pone of a first deal is
dealt the best hand there is.
"""

import random

import pyspiel  # type: ignore[import-not-found]

from .asked import TWENTY_NINE, Asked

RANKS, SUITS = "A23456789TJQK", "CDHS"


def _step(state: "pyspiel.State") -> None:
    if state.is_chance_node():
        # A card is as likely as another.
        state.apply_action(random.choice(state.chance_outcomes())[0])
    else:
        state.apply_action(random.choice(state.legal_actions()))


def _game() -> int:
    state = game.new_initial_state()
    drawn = 0
    while not state.is_terminal():
        drawn += state.is_chance_node()
        _step(state)
    return -(-drawn // 13)


def _count_the_best() -> int:
    """Deal the best hand to the pone of a first deal; return what his last step brought."""
    five_cards = [RANKS[rank] + SUITS[suit] for rank, suit in TWENTY_NINE]
    dealer = [rank + suit for rank in "KQ9" for suit in "CD"]
    pone = [*five_cards[:4], "2C", "2D"]
    state = game.new_initial_state()
    for card in (*dealer, *pone):
        _named(state, f"Deal {card}")
    state.apply_action(state.legal_actions()[0])
    _named(state, "Choose 2C 2D")
    _named(state, f"Deal {five_cards[4]}")
    before = state.returns()
    while not state.is_chance_node():
        before = state.returns()
        state.apply_action(state.legal_actions()[0])
    return int(state.returns()[1] - before[1])


def _named(state: "pyspiel.State", name: str) -> None:
    player = state.current_player()
    for action in state.legal_actions():
        if state.action_to_string(player, action) == name:
            state.apply_action(action)
            return
    raise ValueError(f"no action is called {name!r}")


asked = Asked()
game = pyspiel.load_game("cribbage")
asked.deal("random, in whole games", _game)
asked.answer(best=_count_the_best())
