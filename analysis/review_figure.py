"""The win curve of a reviewed game, drawn."""

from typing import Final

from matplotlib.figure import Figure

from ..sim.cards import cards_text
from ..tables.lookup import WinTable
from .figure_style import DEALER, INK, PONE, SOFT, canvas, figure_of
from .review import Review

_NAMED: Final = 0.02
"""Losses above this share of a win are named in the picture."""


def win_curve(found: Review, table: WinTable) -> Figure:
    """Return the odds of the player through a game, deal by deal, in his own view.

    Circles: his decisions that cost more than 2 wins in 100, with what would have been better.
    """
    points = [point for point in found.curve if point.player == "player"]
    with canvas(table, None) as ax:
        places = range(len(points))
        ax.step(places, [point.win for point in points], where="post", color=DEALER)
        starts = [i for i, point in enumerate(points) if point.cause == "start"]
        for number, start in enumerate(starts, 1):
            ax.axvline(start, color="#d5d5d5", lw=1, zorder=0.5)
            pegs = (points[start].player_pegs.score, points[start].opponent_pegs.score)
            ax.text(
                start + 0.3, 1.01, f"{number}\n{pegs[0]}-{pegs[1]}", fontsize=7, color=SOFT,
                transform=ax.get_xaxis_transform(),
            )  # fmt: skip
        costly = [each for each in found.decisions if each.loss > _NAMED and not each.close]
        for each in costly:
            if each.player != "player":
                continue
            words = f"{'throw' if each.kind == 'throw' else 'card'} {cards_text(each.chosen)}"
            place = next(
                i
                for i, point in enumerate(points)
                if (point.deal, point.moment, point.win) == (each.deal, words, each.win)
            )
            ax.plot(place, each.win, "o", color=PONE, fillstyle="none")
            label = (
                f"{cards_text(each.chosen)}: -{100 * each.loss:.1f}, best {cards_text(each.best)}"
            )
            ax.annotate(
                label, (place, each.win), (4, -10), textcoords="offset points", fontsize=7,
                color=INK,
            )  # fmt: skip
        ax.axhline(0.5, color="#d5d5d5", lw=1, zorder=0.5)
        ax.set_ylim(0, 1)
        ax.set_xlim(0, max(1, len(points) - 1))
        ax.set_xticks([])
        ax.set_xlabel("deals, and the moments in them")
        ax.set_ylabel(f"{found.record.names[0]}'s probability of winning")
        ax.set_title("The game as it ran", pad=24)
        return figure_of(ax)
