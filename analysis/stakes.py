"""What a game is worth in game points under stakes, and what a hole is worth on the board."""

from typing import Final, NamedTuple

import numpy as np
import polars as pl

from ..tables.lookup import Dealer, Odds, WinTable


class Stakes(NamedTuple):
    """Game points for a plain win, a skunk and a double skunk."""

    plain: float
    skunk: float
    double_skunk: float


KNOWN: Final = {
    "acc": Stakes(2, 3, 3),
    "1/2": Stakes(1, 2, 2),
    "1/2/3": Stakes(1, 2, 3),
    "1/2/4": Stakes(1, 2, 4),
}
"""By name; ACC: the American Cribbage Congress, two points a win and three a skunk."""


_MOST: Final = 1e6  # game points a game


class GamePoints(NamedTuple):
    """Expected game points of the player, of the opponent, and the difference."""

    player: float
    opponent: float
    net: float


class Holes(NamedTuple):
    """What one more point is worth, in the player's probability of winning.

    ``own``: to the player, a point more; ``opponent``: lost if the opponent has one more.
    The same in net game points: ``own_points``, ``opponent_points``.
    """

    own: float
    opponent: float
    own_points: float
    opponent_points: float


def parse_stakes(text: str) -> Stakes:
    """Return the stakes of a name (``acc``, ``1/2``, ..) or of own numbers such as ``1/3/5``.

    Raises
    ------
    ValueError
        If they cannot be read: one to three numbers, none falling.
    """
    if text.lower() in KNOWN:
        return KNOWN[text.lower()]
    try:
        values = [float(part) for part in text.split("/")]
    except ValueError:
        values = []
    in_order = values == sorted(values) and all(0 <= value < _MOST for value in values)
    if not 1 <= len(values) <= 3 or not in_order:
        raise ValueError(
            f"stakes {text!r}: expected acc, or game points for a win, a skunk and a double "
            "skunk, none less than the one before, such as 1/2/3"
        )
    values += [values[-1]] * (3 - len(values))
    return Stakes(*values)


def game_points(odds: Odds, stakes: Stakes) -> GamePoints:
    """Return the expected game points of odds under stakes."""
    won = sum(chance * points for chance, points in zip(odds[1:4], stakes, strict=True))
    lost = sum(chance * points for chance, points in zip(odds[4:7], stakes, strict=True))
    return GamePoints(won, lost, won - lost)


def hole_values(
    table: WinTable, player: int, opponent: int, dealer: Dealer, stakes: Stakes
) -> Holes:
    """Return what the next hole is worth to either player, before the coming deal.

    Raises
    ------
    ValueError
        For a bad question, as ``WinTable.odds``; the game must not be over.
    """
    if max(player, opponent) >= table.target:
        raise ValueError("the game is over: no hole is left")
    here, own, other = (
        table.odds(player=player + mine, opponent=opponent + yours, dealer=dealer)
        for mine, yours in ((0, 0), (1, 0), (0, 1))
    )
    points = [game_points(odds, stakes).net for odds in (here, own, other)]
    return Holes(
        own.win - here.win, here.win - other.win, points[1] - points[0], points[0] - points[2]
    )


def row(
    table: WinTable, *, player: int | None, opponent: int | None, dealer: Dealer
) -> pl.DataFrame:
    """Return the odds along a row of the table: one score fixed, the other from 0 up.

    Parameters
    ----------
    player, opponent : int or None
        Exactly one is None: the score that runs. Both None: tied scores.

    Returns
    -------
    polars.DataFrame
        ``player_score``, ``opponent_score`` and the nine columns of ``Odds``.
    """
    if player is not None and opponent is not None:
        raise ValueError("give the score of one player: the other's runs along the board")
    for name, score in (("player", player), ("opponent", opponent)):
        if score is not None and not 0 <= score <= table.target:
            raise ValueError(f"the {name}'s score: expected 0 to {table.target}, got {score}")
    scores = np.arange(table.target)
    mine = scores if player is None else np.full_like(scores, player)
    yours = scores if opponent is None else np.full_like(scores, opponent)
    odds = table.odds_array(mine, yours, dealer)
    return pl.DataFrame({"player_score": mine, "opponent_score": yours, **odds._asdict()})
