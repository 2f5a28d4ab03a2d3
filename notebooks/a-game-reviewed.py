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
# # A game, reviewed
#
# `a-game.json` is the record of a whole game: who dealt, the cards dealt, thrown, turned and
# played. Both sides play as the reference strategy does, but for one invented blunder of the
# player. The review follows the game, finds it, and says what it cost.
#
# The same from the shell: `cribodds review notebooks/a-game.json`. Your own games can be written
# down in the same way; the format leaves out all that can be counted, and checks what is written.

# %%
# %matplotlib inline
from pathlib import Path

import polars as pl

from cribodds.analysis.asking import strategy_for
from cribodds.analysis.odds import Model
from cribodds.analysis.record import read_record
from cribodds.analysis.review import review
from cribodds.analysis.review_figure import win_curve
from cribodds.tables.lookup import probe_table

table = probe_table()
game = read_record(Path("a-game.json").read_text(encoding="utf-8"))
f"{len(game.deals)} deals; the {game.winner} won"

# %% [markdown]
# Every decision of both players is weighed by what he could know: the cards he cannot see are
# drawn as the reference strategy would hold them, the rest of the deal is played, and what is
# left of the game is looked up in the table.

# %%
strategy = strategy_for(table, None)
found = review(game, table, Model(strategy, strategy.books(), draws=5_000, count_out=5_000))

# %% [markdown]
# ## The game as it ran
#
# The player's odds from moment to moment, in his own view. Above the middle he is the favourite,
# below it the opponent. The numbered circles are decisions that cost him more than two wins in a
# hundred; under the picture, what they were and what was better.

# %%
win_curve(found, table)

# %% [markdown]
# ## The decisions that moved it
#
# The costliest first. `loss` is the probability of winning that the choice gave away against the
# best one, `loss_se` its error, `points_loss` the points.

# %%
pl.Config.set_tbl_cols(12)
decisions = found.decisions_frame()
decisions.filter(~pl.col("close")).sort("loss", descending=True).select(
    "deal", "player", "moment", "chosen", "best", "win", "loss", "loss_se", "points_loss"
).head(8)

# %% [markdown]
# The first line is the blunder: pone at 89-71, the player threw a five and a jack into the
# opponent's crib. It cost some five points, and at that score twelve wins in a hundred. Others
# cost little or no points: near the end the best card for points is not always the best card for
# winning, and the reference strategy does not look at the board.
#
# ## Skill and luck
#
# Each player's odds start somewhere and end at 0 or 1. What moved them is either a decision or
# luck: the cards dealt, the starter, what the opponent held and played, the counts.

# %%
pl.DataFrame([total._asdict() for total in found.totals()]).transpose(
    include_header=True, header_name="", column_names="player"
)
