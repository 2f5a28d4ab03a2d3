"""Pictures of a win table: curves along the board and maps of all score pairs.

Each function takes a table and an axis (None: a figure of its own, with the table's provenance at
its foot) and returns the figure. Probabilities are the player's, before the coming deal.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import NullLocator, PercentFormatter
from numpy.typing import NDArray

from ..tables.lookup import Dealer, WinTable
from .board import (
    bands,
    deal_values,
    hole_values,
    positional_holes,
    skunk_shares,
    tie_curve,
    turning_points,
)
from .figure_style import (
    BAND,
    COLOURS_OF_CHANCE,
    DEALER,
    INK,
    PONE,
    PONE_DASHES,
    SOFT,
    SQUARE,
    board_axis,
    canvas,
    figure_of,
    titled,
)

OPPONENTS: Final = (30, 60, 90, 110)
"""Scores of the opponent for which curves are drawn if none are named."""

LEAST_SHOWN: Final = 0.005
"""Of the value of a hole, on its logarithmic scale."""

WHO_DEALS: Final[dict[Dealer, str]] = {
    "player": "the player deals",
    "opponent": "the opponent deals",
    "cut": "before the cut for deal",
}


def curve(
    table: WinTable, ax: Axes | None = None, *, opponents: Sequence[int] | None = None
) -> Figure:
    """Draw how the odds rise along the board, dealing and not, against fixed opponents.

    Parameters
    ----------
    table
        The win table.
    ax
        Where to draw; None: a new figure.
    opponents
        Scores of the opponent, each with its two curves; None: those of `OPPONENTS` that fit.
    """
    own = np.arange(table.target)
    with canvas(table, ax) as axes:
        for opponent in _opponents(table, opponents):
            dealing = table.win_array(own, opponent, "player")
            not_dealing = table.win_array(own, opponent, "opponent")
            axes.fill_between(own, dealing, not_dealing, color=BAND, lw=0, zorder=0.8)
            _two_lines(axes, own, dealing, not_dealing)
            _label_crossing(axes, dealing, not_dealing, f"{opponent}")
        axes.set_ylim(0, 1)
        board_axis(axes, table, "player's score (boxed: the opponent's)")
        _per_cent(axes, "the player wins")
        titled(axes, "Win curves along the board", _keys("the player deals", "the opponent deals"))
    return figure_of(axes)


def ties(table: WinTable, ax: Axes | None = None) -> Figure:
    """Draw the dealer's odds at every tied score, turning points and positional holes named.

    Shaded: where the dealer stands better than at 0-0.
    """
    odds = tie_curve(table)
    with canvas(table, ax) as axes:
        for start, end in bands(odds, odds[0]):
            axes.axvspan(start, end, color=BAND, lw=0, zorder=0.3)
        axes.axhline(odds[0], color=SOFT, lw=0.8, ls=(0, (1, 2)))
        axes.plot(odds, color=DEALER)
        for point in turning_points(odds):
            axes.plot(point.hole, point.value, "o", color=DEALER, ms=4)
            axes.annotate(
                f"{point.hole}",
                (point.hole, point.value),
                xytext=(0, 7 if point.is_crest else -7),
                textcoords="offset points",
                ha="center",
                va="bottom" if point.is_crest else "top",
                fontweight="bold",
                fontsize=9,
            )
        holes = [hole for hole in positional_holes(table.target) if hole]
        marks = axes.plot(holes, odds[holes], "D", color="white", mec=INK, ms=5)[0]
        marks.set_label("positional holes")
        board_axis(axes, table, "tied score")
        _per_cent(axes, "the dealer wins")
        axes.margins(y=0.12)
        better = Patch(color=BAND, label="better than at 0-0")
        titled(axes, "The dealer's odds at tied scores", [marks, better])
    return figure_of(axes)


def heatmap(table: WinTable, ax: Axes | None = None, *, dealer: Dealer = "player") -> Figure:
    """Draw the player's odds at every score pair, with lines of equal odds."""
    own = np.arange(table.target)
    win = table.win_array(own[:, None], own[None, :], dealer)
    with canvas(table, ax, SQUARE) as axes:
        _map(table, axes, win, (0, 1), (0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99))
        _scales(table, axes, "the player wins", WHO_DEALS[dealer])
        titled(axes, "Odds at every score")
    return figure_of(axes)


def value(table: WinTable, ax: Axes | None = None, *, opponent: int | None = None) -> Figure:
    """Draw what the next hole is worth, dealing and not.

    Parameters
    ----------
    table, ax
        As for `curve`.
    opponent
        The opponent's score; None: the score is tied at every hole.
    """
    if opponent is not None:
        _opponents(table, [opponent])
    dealing, not_dealing = hole_values(table, opponent)
    own = np.arange(table.target)
    with canvas(table, ax) as axes:
        axes.set_yscale("log")
        _two_lines(axes, own, dealing, not_dealing)
        axes.set_ylim(LEAST_SHOWN, 1)
        against = "tied score" if opponent is None else f"player's score (opponent at {opponent})"
        board_axis(axes, table, against)
        _per_cent(axes, "one more hole adds to the odds")
        axes.set_yticks([0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1])
        axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(lambda worth, _: f"{100 * worth:g}%")
        titled(axes, "The value of the next hole", _keys("for the dealer", "for the pone"))
    return figure_of(axes)


def deal(table: WinTable, ax: Axes | None = None) -> Figure:
    """Draw what it is worth to deal, at every score pair; negative where the pone is better off."""
    worth = deal_values(table)
    with canvas(table, ax, SQUARE) as axes:
        _map(table, axes, worth, (-0.65, 0.65), (-0.4, -0.2, -0.05, 0.05, 0.1, 0.25, 0.4))
        _scales(table, axes, "added to the odds by dealing")
        titled(axes, "The value of the deal")
    return figure_of(axes)


def skunks(
    table: WinTable, ax: Axes | None = None, *, opponents: Sequence[int] | None = None
) -> Figure:
    """Draw the risk of being skunked (doubly included) along the board.

    Parameters as for `curve`; the opponents are those who may do it.
    """
    line = table.provenance["skunk"]
    own = np.arange(table.target if line is None else line + 1)
    with canvas(table, ax) as axes:
        for opponent in _opponents(table, opponents):
            dealing, not_dealing = (
                odds.loss_skunk + odds.loss_double_skunk
                for odds in (table.odds_array(own, opponent, dealt) for dealt in (True, False))
            )
            axes.fill_between(own, dealing, not_dealing, color=BAND, lw=0, zorder=0.8)
            _two_lines(axes, own, dealing, not_dealing)
            _label_crossing(axes, dealing, not_dealing, f"{opponent}", falling=True)
        axes.set_ylim(0, 1)
        board_axis(axes, table, "player's score (boxed: the opponent's)")
        _per_cent(axes, "the player is skunked")
        titled(axes, "Skunk risk along the board", _keys("the player deals", "the opponent deals"))
    return figure_of(axes)


def points(table: WinTable, ax: Axes | None = None, *, dealer: Dealer = "player") -> Figure:
    """Draw how much of a hole's worth in ACC game points is about skunks, not about winning."""
    shares = skunk_shares(table, dealer)
    with canvas(table, ax, SQUARE) as axes:
        _map(table, axes, shares, (0, 1), (0.1, 0.25, 0.5, 0.75, 0.9))
        _scales(table, axes, "skunk's part in the worth of a hole", WHO_DEALS[dealer])
        look: dict[str, Any] = {"fontsize": 8, "color": SOFT, "transform": axes.transAxes}
        if np.isnan(shares[0, -1]):
            axes.text(0.02, 0.98, "decided", ha="left", va="top", **look)
        if np.isnan(shares[-1, 0]):
            axes.text(0.98, 0.02, "decided", ha="right", va="bottom", **look)
        titled(axes, "Playing for the skunk")
    return figure_of(axes)


def _opponents(table: WinTable, named: Sequence[int] | None) -> Sequence[int]:
    """Return the opponents to draw, each a score under the target."""
    if named is None:
        return [score for score in OPPONENTS if score < table.target]
    for score in named:
        if not 0 <= score < table.target:
            raise ValueError(
                f"opponent: expected a score from 0 to {table.target - 1}, got {score}"
            )
    return named


def _two_lines(
    ax: Axes,
    own: NDArray[np.intp],
    dealing: NDArray[np.float64],
    not_dealing: NDArray[np.float64],
) -> None:
    ax.plot(own, dealing, color=DEALER)
    ax.plot(own, not_dealing, color=PONE, ls=PONE_DASHES)


def _keys(dealing: str, not_dealing: str) -> list[Line2D]:
    """Return the legend of `_two_lines`."""
    return [
        Line2D([], [], color=DEALER, label=dealing),
        Line2D([], [], color=PONE, ls=PONE_DASHES, label=not_dealing),
    ]


def _label_crossing(
    ax: Axes,
    dealing: NDArray[np.float64],
    not_dealing: NDArray[np.float64],
    text: str,
    falling: bool = False,
) -> None:
    """Write a pair's name where its middle passes one half, if it does."""
    middle = (dealing + not_dealing) / 2
    past = np.flatnonzero(middle < 0.5 if falling else middle > 0.5)
    if past.size:
        ax.text(
            max(past[0], 4), 0.5, text, ha="center", va="center", fontsize=9, fontweight="bold",
            bbox={"boxstyle": "round,pad=0.25", "fc": "white", "ec": "#9a9a9a", "lw": 0.7},
        )  # fmt: skip


def _per_cent(ax: Axes, label: str) -> None:
    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.set_ylabel(label)
    ax.grid(axis="y", color="#ececec", lw=0.7)
    ax.set_axisbelow(True)


def _map(
    table: WinTable,
    ax: Axes,
    values: NDArray[np.float64],
    limits: tuple[float, float],
    levels: Sequence[float],
) -> None:
    """Draw one value for each score pair, own score along, the opponent's up, lines at levels."""
    edge = table.target - 0.5
    ax.imshow(
        values.T, origin="lower", extent=(-0.5, edge, -0.5, edge), cmap=COLOURS_OF_CHANCE,
        vmin=limits[0], vmax=limits[1], interpolation="nearest",
    )  # fmt: skip
    inside = [level for level in levels if np.nanmin(values) < level < np.nanmax(values)]
    if inside:
        own = np.arange(table.target)
        middle = sum(limits) / 2
        inks = ["white" if level < middle else "black" for level in inside]
        lines = ax.contour(own, own, values.T, levels=inside, colors=inks, linewidths=0.9)
        ax.clabel(lines, fmt=lambda level: f"{100 * level:.0f}%", fontsize=7.5)


def _scales(table: WinTable, ax: Axes, meaning: str, who_deals: str = "") -> None:
    """Label the axes of a map, and put its scale of colours beside it."""
    board_axis(ax, table, f"player's score; {who_deals}" if who_deals else "player's score")
    board_axis(ax, table, "opponent's score", along="y")
    bar = figure_of(ax).colorbar(ax.images[0], cax=ax.inset_axes((1.03, 0, 0.045, 1)))
    bar.ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    bar.set_label(meaning)
    bar.outline.set_visible(False)
