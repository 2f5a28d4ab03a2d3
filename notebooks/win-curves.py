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
# # Win curves
#
# What are my odds at this score? This notebook opens a win table and draws it: along the board,
# at tied scores, at every score at once. Every number is the chance of the **player**, before the
# cards of the coming deal are dealt, when both sides play the same fixed strategy.
#
# Build the table first: `make build-table` (a minute or two), or `make build-table
# CONFIG=configs/smoke.toml` (seconds) and set the environment variable `CRIBODDS_TABLE=smoke`.

# %%
# %matplotlib inline
import numpy as np
import polars as pl

from cribodds.analysis import board, figures
from cribodds.tables.lookup import get_table, probe_table

# %% [markdown]
# If the table is not there, the next cell stops the notebook with one line that says what was
# looked for and what to do. Nothing is estimated in its stead.

# %%
table = probe_table()
table

# %% [markdown]
# `get_table` hands the same answer back as a value, for programs that can do without a table:

# %%
print("unavailable:", get_table("a-table-that-was-never-built"))

# %% [markdown]
# ## What the table is

# %%
made = table.provenance
{
    "config": made["config"]["name"],
    "deals": made["deals"],
    "strategy of both sides": made["strategy"]["name"],
    "values": made["values_sha256"][:16],
}

# %% [markdown]
# ## One score

# %%
table.win(player=0, opponent=0, dealer="player")

# %%
pl.DataFrame(
    {"dealer": who, **table.odds(player=90, opponent=75, dealer=who)._asdict()}
    for who in ("player", "opponent", "cut")
).transpose(include_header=True, header_name="90-75", column_names="dealer")

# %% [markdown]
# ## Along the board
#
# Two lines for each score of the opponent: solid where the player deals, dashed where the
# opponent does. What lies between them is the value of the deal. Against 90 the lines meet, on
# the way to 90 itself: there it hardly matters who deals. Against 110 they cross, and past the
# crossing it is the pone who is better off, for he counts first.

# %%
figures.curve(table)

# %% [markdown]
# ## Tied scores
#
# The dealer's odds rise and fall along the board with a period of 26 holes: two deals, one as
# dealer (some 16 points) and one as pone (some 10). Players know the rhythm as the *theory of 26*
# and its **positional holes**: 18, 44, 70 and 96. A dealer who reaches one of them is on course
# to be out in time. The diamonds mark them; each lies where the dealer's odds are on their way
# up.
#
# Shaded are the dealer's bands: he stands better there than at 0-0, so he may play **defence**
# (hold what he has, give nothing in the play) and the pone must play **offence**. Between the
# bands it is the other way about.

# %%
figures.ties(table)

# %% [markdown]
# The turning points, with the street they lie on and how far they are past the last positional
# hole:

# %%
positional = [0, *board.positional_holes(table.target)]
turns = pl.DataFrame(
    {
        "hole": point.hole,
        "turn": "crest" if point.is_crest else "trough",
        "street": point.hole // board.STREET + 1,
        "past": (last := max(hole for hole in positional if hole <= point.hole)),
        "by": point.hole - last,
        "dealer wins": round(point.value, 4),
    }
    for point in board.turning_points(board.tie_curve(table))
)
turns

# %% [markdown]
# Statistics of human tournament play put the turns of tied scores near 61 to 63, 76, 87 to 89,
# 102 to 103, and 113 to 115. The table was made from cards alone and never saw them.

# %% [markdown]
# ## Every score at once

# %%
figures.heatmap(table)

# %% [markdown]
# ## What is a hole worth?
#
# At the start two points in a hundred for either side. Near the end it depends on who counts
# first: for the pone the holes from 105 to 113 are dear, for the dealer those after 115.

# %%
figures.value(table)

# %% [markdown]
# ## What is the deal worth?
#
# What the odds would gain if the player, not the opponent, were to deal. Most where both have
# just passed a positional hole; least (less than nothing) where both stand on the last holes and
# the pone counts first.

# %%
figures.deal(table)

# %%
worth = board.deal_values(table)
best, worst = (np.unravel_index(find(worth), worth.shape) for find in (np.argmax, np.argmin))
{
    f"most, at {best[0]}-{best[1]}": round(float(worth[best]), 4),
    f"least, at {worst[0]}-{worst[1]}": round(float(worth[worst]), 4),
}

# %% [markdown]
# ## Your own positions
#
# A frame of positions gets its odds as columns. Here: a lead of ten holes, at every score of the
# leader.

# %%
leads = pl.DataFrame({"player_score": np.arange(10, table.target)}).with_columns(
    opponent_score=pl.col("player_score") - 10, dealer=pl.lit("opponent")
)
table.add_odds(leads, columns=["win", "win_se"]).gather_every(15)
