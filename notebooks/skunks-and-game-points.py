# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     notebook_metadata_filter: jupytext,kernelspec,-jupytext.text_representation
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Skunks and game points
#
# A loser who has not passed the skunk line is skunked. In tournaments of the American Cribbage
# Congress a win is worth two game points and a skunk three (a double skunk is a skunk there). So
# a player has two things to play for: the game, and the third point. This notebook asks when the
# second matters.

# %%
# %matplotlib inline
import numpy as np
import polars as pl

from cribodds.analysis import board, figures
from cribodds.tables.lookup import probe_table

table = probe_table()
table.provenance["skunk"], table.provenance["double_skunk"]

# %% [markdown]
# ## How often is there a skunk?
#
# At the start, for the dealer and for the pone: the six ways a game can end, and the game points
# that each can expect.

# %%
start = {
    seat: table.odds(player=0, opponent=0, dealer=who)
    for seat, who in (("dealer", "player"), ("pone", "opponent"))
}
pl.DataFrame(
    {
        "seat": seat,
        "wins": odds.win,
        "wins by a skunk": odds.win_skunk + odds.win_double_skunk,
        "of it doubly": odds.win_double_skunk,
        "is skunked": odds.loss_skunk + odds.loss_double_skunk,
        "game points": float(board.game_points(odds)[0]),
    }
    for seat, odds in start.items()
)

# %% [markdown]
# ## The risk along the board
#
# The chance of being skunked, by the own score. Against 110 the picture has its own fine
# structure: at 80 it is the dealer who is in less danger, at 85 the pone, who counts first.

# %%
figures.skunks(table)

# %% [markdown]
# ## Where the skunk is the game
#
# One more hole is worth so many game points (the player's less the opponent's). A part of that is
# about winning, the rest about skunks. Dark: only the game matters, all of it where both are past
# the skunk line. Bright: the game is as good as decided and the third point is all there is to
# play for. White: nothing is open any more.

# %%
figures.points(table)

# %% [markdown]
# ## When it changes the choice
#
# Let the pone have a choice between two ways to play a deal: *careful* makes 8 points and gives
# the dealer 12; *bold* makes 13 and gives him 18. Bold gains five holes and gives away six. Which
# is better, for winning and for game points?

# %%
CAREFUL, BOLD = (8, 12), (13, 18)
scores = np.arange(table.target - max(BOLD))
own, other = scores[:, None], scores[None, :]


def after(choice):
    """Odds of the pone after the deal, when it is his turn to deal."""
    return table.odds_array(own + choice[0], other + choice[1], "player")


def net(odds):
    """Game points of the player less the opponent's."""
    mine, yours = board.game_points(odds)
    return mine - yours


careful, bold = after(CAREFUL), after(BOLD)
gain_odds = bold.win - careful.win
gain_points = net(bold) - net(careful)

# %% [markdown]
# Score pairs where the two aims clearly disagree (by more than what sampling leaves open), the
# greatest disagreements first. *Bold* costs odds and wins game points, or the other way about:

# %%
error = np.sqrt(bold.win_se**2 + careful.win_se**2)
clear = (np.sign(gain_odds) != np.sign(gain_points)) & (np.abs(gain_odds) > 4 * error)
clear &= np.abs(gain_points) > 0.01
disagree = pl.DataFrame(
    {
        "pone": np.nonzero(clear)[0],
        "dealer": np.nonzero(clear)[1],
        "bold adds to the odds": gain_odds[clear].round(4),
        "bold adds game points": gain_points[clear].round(4),
    }
).sort(pl.min_horizontal(pl.col("^bold.*$").abs()), descending=True)
print(f"{len(disagree):,} of {clear.size:,} score pairs")
disagree.head(10)

# %% [markdown]
# ## Against the skunk
#
# Thirty holes behind, getting past the skunk line before the other is out is a game of its own,
# and it is the very game that is played at a tie thirty holes further on: the same points to go,
# the same deals. So the chances are the same too, but for rounding, and the trailing player has
# positional holes of his own, thirty holes back: 66 is to the skunk line what 96 is to the game.

# %%
line = table.provenance["skunk"]
behind = np.arange(line + 1)
ahead = behind + table.target - line - 1
escapes = {
    who: odds.win + odds.loss_plain
    for who in ("player", "opponent")
    for odds in [table.odds_array(behind, ahead, who)]
}
pl.DataFrame(
    {
        "own score": behind,
        "opponent's": ahead,
        "escapes, dealing": escapes["player"].round(4),
        "dealer wins at a tie there": table.win_array(ahead, ahead, "player").round(4),
        "escapes, not dealing": escapes["opponent"].round(4),
    }
).gather_every(6).filter(pl.col("own score") >= 42)

# %%
float(np.abs(escapes["player"] - board.tie_curve(table)[ahead]).max())
