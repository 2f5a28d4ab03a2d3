"""Win odds of a deal under way: the cells in which it may end, looked up in the win table.

All probabilities are the player's. Options (throws, cards) meet the same hidden cards, so
their differences are known better than the odds themselves.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..tables.lookup import Dealer, Odds, WinTable
from .ending import Ends

CLOSE: float = 2.0
"""Two options are too close to tell when they differ by no more than this many errors."""

_ROUNDING = 1e-12


class Outlook(NamedTuple):
    """What one option promises the player.

    Attributes
    ----------
    odds : Odds
        The six outcomes; ``win_se`` is the error from the hidden cards drawn (0 when all
        were counted out) and from the table together, ``deals_left`` the expected number
        of deals after this one.
    out, opponent_out : float
        Probability that the player (the opponent) reaches the target within this deal.
    behind : float
        By how much the best option's probability of winning is higher; 0 for the best.
    behind_se : float
        The error of ``behind``.
    """

    odds: Odds
    out: float
    opponent_out: float
    behind: float
    behind_se: float

    @property
    def close(self) -> bool:
        """Whether the option is the best, or cannot be told from it."""
        return self.behind <= CLOSE * self.behind_se


def cells_of_table(table: WinTable, player_deals_next: bool) -> NDArray[np.float64]:
    """Return all that the table knows, shape (9, cells), when the deal is over.

    The columns are those of ``Odds``; cells are numbered as in ``ending.Ends``.
    """
    side = table.target + 1
    player, opponent = np.divmod(np.arange(side * side), side)
    # Nobody asks for the cell of two winners; the one before it stands in for it.
    player[-1] -= 1
    dealer: Dealer = "player" if player_deals_next else "opponent"
    return np.stack(list(table.odds_array(player, opponent, dealer)))


def outlooks(
    found: Ends, after: NDArray[np.float64], target: int, possible: int | None
) -> list[Outlook]:
    """Return the odds of every option, in the order given.

    Parameters
    ----------
    found : Ends
    after : float64 array, shape (9, cells)
        As from ``cells_of_table``.
    target : int
    possible : int or None
        Of how many possibilities those met were drawn; equal to their number: all are there.
    """
    many = found.win.shape[1]
    used = np.flatnonzero(found.shares.any(axis=0))
    shares = found.shares[:, used]
    values = after[:, used]
    mine, yours = np.divmod(used, target + 1)
    # Sums, not matrix products: the same bits on every machine.
    means = (shares[:, None] * values).sum(axis=2)
    # With ties the first option is best, whatever rounding does to the last bit.
    best = int(np.argmax(np.round(means[:, 0], 12)))
    share_drawn = 0.0 if possible is None else many / possible
    told = []
    for option in range(len(shares)):
        drawn = _error_of_mean(found.win[option], share_drawn)
        apart = _error_of_mean(found.win[best] - found.win[option], share_drawn)
        # The cells' errors are taken as adding up: never too small.
        of_table = float((shares[option] * values[7]).sum())
        table_apart = float((np.abs(shares[best] - shares[option]) * values[7]).sum())
        outcomes = means[option].tolist()
        outcomes[7] = float(np.hypot(drawn, of_table))
        behind = float(means[best, 0] - means[option, 0])
        told.append(
            Outlook(
                Odds._make(outcomes),
                float(shares[option, mine == target].sum()),
                float(shares[option, yours == target].sum()),
                behind if behind > _ROUNDING else 0.0,
                float(np.hypot(apart, table_apart)),
            )
        )
    return told


def _error_of_mean(values: NDArray[np.float64], drawn: float) -> float:
    """Return the standard error of a mean when a share ``drawn`` of all values is there."""
    many = len(values)
    if many < 2:
        return 0.0 if drawn == 1 else float("nan")
    return float(values.std(ddof=1) / np.sqrt(many) * np.sqrt(max(0.0, 1 - drawn)))
