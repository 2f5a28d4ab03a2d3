"""All 15 throws of a hand side by side: points, and the probability of winning."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from ..sim import rules
from ..sim.cards import cards_text
from ..tables.lookup import Odds, WinTable
from .odds import Model, PositionOdds, position_odds
from .outlook import Outlook
from .position import Dealer, Position
from .throws import ThrowPoints, throw_points


class Throw(NamedTuple):
    """One throw: its worth in points, and what it promises (None: not asked, or no table)."""

    points: ThrowPoints
    outlook: Outlook | None


@dataclass(frozen=True)
class ThrowStudy:
    """The throws of a hand, best first: by win odds if there are any, else by net points.

    Attributes
    ----------
    throws : tuple of Throw
    odds : PositionOdds or None
        How the win odds were reckoned.
    """

    throws: tuple[Throw, ...]
    odds: PositionOdds | None

    @property
    def best_for_points(self) -> Throw:
        """The throw with the most net points."""
        return max(self.throws, key=lambda each: each.points.net)

    def frame(self) -> pl.DataFrame:
        """Return a row a throw: cards as text, points, and the odds where there are any."""
        rows = []
        for points, outlook in self.throws:
            row = points._asdict() | {
                "throw": cards_text(points.throw),
                "keep": cards_text(points.keep),
            }
            if outlook is not None:
                row |= outlook.odds._asdict()
                row |= {
                    "out": outlook.out, "opponent_out": outlook.opponent_out,
                    "behind": outlook.behind, "behind_se": outlook.behind_se,
                }  # fmt: skip
            rows.append(row)
        return pl.DataFrame(rows)

    def remarks(self) -> list[str]:
        """Say where points and win odds disagree, and what is too close to tell."""
        first, points = self.throws[0], self.best_for_points
        said = []
        if first.outlook is None or points.outlook is None:
            close = [t for t in self.throws if 0 < points.points.net - t.points.net < 0.05]
            if close:
                said.append(
                    f"within 0.05 points of {cards_text(points.points.throw)}: "
                    + ", ".join(cards_text(each.points.throw) for each in close)
                )
            return said
        if points is not first:
            more = points.points.net - first.points.net
            gap = points.outlook
            said.append(
                f"points and win odds disagree: {cards_text(points.points.throw)} makes "
                f"{more:.2f} points more, {cards_text(first.points.throw)} wins "
                f"{100 * gap.behind:.2f} +- {100 * gap.behind_se:.2f} in 100 games more"
            )
        close = [t for t in self.throws[1:] if t.outlook is not None and t.outlook.close]
        if close:
            said.append(
                f"too close to tell from {cards_text(first.points.throw)}: "
                + ", ".join(cards_text(each.points.throw) for each in close)
            )
        return said


def study_throws(
    hand: Sequence[int],
    dealer: Dealer,
    model: Model,
    score: tuple[int, int] | None = None,
    table: WinTable | None = None,
) -> ThrowStudy:
    """Return all throws of a hand; with a score and a table, their win odds too.

    Parameters
    ----------
    hand : six different cards
    dealer : str
        ``player`` or ``opponent``.
    model : Model
    score : two ints, optional
        The player's and the opponent's before this deal.
    table : WinTable, optional

    Raises
    ------
    CardError, ValueError
        If the hand or the score cannot be.
    """
    seat = rules.DEALER if dealer == "player" else rules.PONE
    points = throw_points(hand, seat, model.books)
    if score is None or table is None:
        return ThrowStudy(tuple(Throw(each, None) for each in points), None)
    odds = position_odds(Position(*score, dealer, tuple(hand)), table, model)
    by_throw = {each.throw: each for each in points}
    throws = tuple(Throw(by_throw[option.cards], option.outlook) for option in odds.options)
    return ThrowStudy(throws, odds)


def skunk_share(odds: Odds) -> tuple[float, float]:
    """Return the probabilities that the player, and the opponent, wins by a skunk or more."""
    return odds.win_skunk + odds.win_double_skunk, odds.loss_skunk + odds.loss_double_skunk
