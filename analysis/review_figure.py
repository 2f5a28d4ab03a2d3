"""The win curve of a reviewed game, drawn."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from matplotlib.figure import Figure

from ..sim.cards import cards_text
from ..tables.lookup import WinTable
from .figure_style import DEALER, INK, PONE, SOFT, canvas, figure_of
from .review import CurvePoint, Decision, Review

_NAMED: Final = 0.02
"""Decisions that lost more than this share of a win are marked in the picture."""

_MOST_NAMED: Final = 6
_SIZE: Final = (8.0, 5.6)


def win_curve(found: Review, table: WinTable) -> Figure:
    """Return the odds of the player through a game, deal by deal, in his own view.

    Numbered circles: his decisions that cost more than 2 wins in 100, at most the six that cost
    most; under the picture, what they were and what would have been better.
    """
    points = [point for point in found.curve if point.player == "player"]
    with canvas(table, None, _SIZE) as ax:
        places = range(len(points))
        wins = [point.win for point in points]
        for bound, colour in ((np.maximum, DEALER), (np.minimum, PONE)):
            side = bound(wins, 0.5)
            ax.fill_between(places, side, 0.5, step="post", color=colour, alpha=0.13, lw=0)
        ax.step(places, wins, where="post", color=DEALER)
        starts = [i for i, point in enumerate(points) if point.cause == "start"]
        for number, start in enumerate(starts, 1):
            ax.axvline(start, color="#d5d5d5", lw=1, zorder=0.5)
            pegs = (points[start].player_pegs.score, points[start].opponent_pegs.score)
            ax.text(
                start + 0.3, 1.01, f"{number}\n{pegs[0]}-{pegs[1]}", fontsize=7, color=SOFT,
                transform=ax.get_xaxis_transform(),
            )  # fmt: skip
        lines = []
        for number, each in enumerate(_costly(found), 1):
            place = _place(points, each)
            ax.plot(place, each.win, "o", ms=11, mfc="white", mec=PONE, zorder=3)
            ax.text(
                place, each.win, str(number), fontsize=7, color=INK, ha="center", va="center",
                zorder=4,
            )  # fmt: skip
            lines.append(
                f"{number}   deal {each.deal}: {_words(each)}, better {cards_text(each.best)}: "
                f"{100 * each.loss:.1f} wins of 100 lost"
            )
        ax.text(
            0, -0.1, "\n".join(lines), fontsize=7, color=INK, va="top", linespacing=1.5,
            transform=ax.transAxes,
        )  # fmt: skip
        ax.axhline(0.5, color="#d5d5d5", lw=1, zorder=0.5)
        ax.set_ylim(0, 1)
        ax.set_xlim(0, max(1, len(points) - 1))
        ax.set_xticks([])
        ax.set_xlabel("deals, and the moments in them")
        whose = f"{found.record.names[0]}'s probability of winning"
        ax.set_ylabel(whose, parse_math=False)  # a name may hold dollars
        ax.set_title("The game as it ran", pad=24)
        return figure_of(ax)


def _costly(found: Review) -> list[Decision]:
    """Return the player's costliest decisions in the order of the game."""
    costly = [
        each
        for each in found.decisions
        if each.player == "player" and each.loss > _NAMED and not each.close
    ]
    named = sorted(costly, key=lambda each: -each.loss)[:_MOST_NAMED]
    return [each for each in costly if each in named]


def _words(decision: Decision) -> str:
    return f"{'throw' if decision.kind == 'throw' else 'card'} {cards_text(decision.chosen)}"


def _place(points: Sequence[CurvePoint], decision: Decision) -> int:
    """Return where the curve stands after a decision."""
    after = (decision.deal, _words(decision), decision.win)
    return next(i for i, each in enumerate(points) if (each.deal, each.moment, each.win) == after)
