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
# # How sure is a number?
#
# Two things stand between a number of the table and the truth about a game:
#
# * **sampling**: the table rests on a finite number of deals. The column `win_se` says how far that
#   leaves each number open, and more deals make it smaller;
# * **strategy**: both sides play one fixed strategy. More deals do not help; another strategy gives
#   other numbers.
#
# This notebook measures both. It builds a few small tables of its own (the first time it compiles
# the strategies, half a minute or so; they are kept).

# %%
# %matplotlib inline
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
from matplotlib.lines import Line2D

from cribodds.analysis.figure_style import (
    DEALER,
    PONE,
    board_axis,
    canvas,
    figure_of,
    titled,
)
from cribodds.sim.farm import Engine
from cribodds.tables.build import build
from cribodds.tables.config import load_config
from cribodds.tables.lookup import WinTable, probe_table

table = probe_table()
f"{table.provenance['deals']:,} deals"

# %% [markdown]
# ## The errors of this table
#
# Smallest at the start, where each game mixes many deals; largest on the last holes, where a
# single deal decides.

# %%
ties = np.arange(table.target)
errors = table.odds_array(ties, ties, "player").win_se
with canvas(table, None, (8, 4)) as ax:
    ax.plot(ties, 100 * errors, color=DEALER)
    ax.set_ylim(bottom=0)
    ax.set_ylabel("standard error of the odds, in %")
    board_axis(ax, table, "tied score")
    titled(ax, "What sampling leaves open")
figure_of(ax)

# %%
everywhere = table.frame()["win_se"]
{
    "at 0-0": f"{errors[0]:.6f}",
    "median": f"{everywhere.median():.6f}",
    "largest": f"{everywhere.max():.6f}",
}

# %% [markdown]
# ## Builds of different sizes
#
# The same config with other seeds and fewer deals. `off` is how far W(0-0) and the worst cell are
# from the table opened above; `errors off` is the distance in standard errors of both together,
# root mean square over all cells that are open (between 1% and 99%). It should be near 1: then
# the standard errors are honest.

# %%
folder = Path(tempfile.mkdtemp())
(folder / "own.toml").write_text(table.provenance["config"]["text"], encoding="utf-8")
own = load_config(folder / "own.toml")


def small_table(chunk, **changes) -> WinTable:
    """Build a table of the same config, but small and changed: 64 chunks of so many deals."""
    config = own.model_copy(update={"chunk": chunk, "deals": 64 * chunk, **changes})
    built = build(
        config, out=folder / "small.parquet", engine=Engine(jobs=1), force=True, progress=False
    )
    return WinTable(built.data, built.path)


whole = table.frame()
open_cells = whole["win"].is_between(0.01, 0.99)


def compared(small: WinTable) -> dict[str, float]:
    """How far a small table is from the one opened above."""
    mine = small.frame()
    off = (mine["win"] - whole["win"]).filter(open_cells)
    both = (mine["win_se"] ** 2 + whole["win_se"] ** 2).sqrt().filter(open_cells)
    start = small.odds(player=0, opponent=0, dealer="player")
    return {
        "deals": small.provenance["deals"],
        "W(0-0)": start.win,
        "error": start.win_se,
        "off at 0-0": start.win - table.win(player=0, opponent=0, dealer="player"),
        "off at worst": off.abs().max(),
        "errors off": float((off / both).pow(2).mean() ** 0.5),
    }


sizes = [
    compared(small_table(chunk, seed=seed))
    for seed, chunk in enumerate((250, 1_000, 4_000, 15_625), start=1)
]
pl.DataFrame(sizes)

# %% [markdown]
# Four times the deals, half the error. The cells of one table are not independent of each other
# (one sample of deals feeds them all), so `errors off` varies from build to build around 1.

# %% [markdown]
# ## What another strategy changes
#
# Now a million deals played in two ways: once with the card play of the table, once with another.
# `greedy` takes the most points now, `look-ahead` also weighs what the reply may score,
# `equilibrium` is the solved play that no opponent can gain from. Because the deals are the same,
# much of the sampling error cancels in the difference.

# %%
own_play = own.strategy.card_play
other_play = "look-ahead" if own_play == "greedy" else "greedy"
tables = {
    kind: small_table(15_625, strategy=own.strategy.model_copy(update={"card_play": kind}))
    for kind in (other_play, own_play)
}
pl.DataFrame(
    {
        "card play": kind,
        "W(0-0)": built.win(player=0, opponent=0, dealer="player"),
        **{name: round(mean, 4) for name, mean in built.provenance["means"].items()},
    }
    for kind, built in tables.items()
)

# %%
curves = {kind: built.win_array(ties, ties, "player") for kind, built in tables.items()}
difference = 100 * (curves[other_play] - curves[own_play])
with canvas(table, None, (8, 4)) as ax:
    ax.fill_between(ties, -200 * errors, 200 * errors, color=PONE, lw=0, alpha=0.6)
    ax.plot(ties, difference, color=DEALER)
    ax.set_ylabel("difference of the odds, in %")
    board_axis(ax, table, "tied score")
    keys = [
        Line2D([], [], color=DEALER, label=f"{other_play} less {own_play}"),
        Line2D([], [], color=PONE, lw=5, alpha=0.6, label="two standard errors, either way"),
    ]
    titled(ax, "What the strategy changes", keys)
figure_of(ax)

# %% [markdown]
# Greedy players score more in the play, both of them, and the waves of the tie curve come a
# little sooner. That moves the dealer's odds by some wins in a hundred nearly everywhere, while
# sampling leaves a few hundredths of one open. **The strategy matters far more than the
# sampling**, and the standard error does not speak of it: how well two such players stand for you
# and your opponent is for you to judge.
