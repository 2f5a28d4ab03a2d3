"""What must be kept of many deals: the sufficient statistic for every score on the board.

Where a game stands when a deal begins does not change how the deal is played, so the
deals are counted once and read from every score. Within a deal only the order of the
points matters. For each player and each number of points ``n`` the tally counts how
often he reached ``n`` in the deal while the other stood at exactly ``c``: who needs
``n`` and whether the other, who needs more than ``c``, was still short, then follows
for every pair of needs. All counts are whole numbers and add in any order.
"""

from dataclasses import dataclass, fields
from typing import Final

import numpy as np
from numpy.typing import NDArray

# Points of one deal stay under these; the books are checked against them.
PONE_POINTS: Final = 64
DEALER_POINTS: Final = 128

# Sources of points, as the axis of ``Tally.points``.
SOURCES: Final = ("pone_pegs", "pone_hand", "heels", "dealer_pegs", "dealer_hand", "crib")


@dataclass(frozen=True)
class Tally:
    """Counts over a number of deals; all arrays are int64.

    Attributes
    ----------
    deals : int
    totals : shape (DEALER_POINTS, PONE_POINTS)
        Deals by the dealer's and the pone's points of the whole deal.
    dealer_first : shape (DEALER_POINTS, PONE_POINTS)
        ``[n, c]``: deals in which the dealer reached his ``n``-th point while the pone
        stood at ``c`` points of this deal; row 0 is unused.
    pone_first : shape (PONE_POINTS, DEALER_POINTS)
        ``[n, c]``: the same for the pone's ``n``-th point while the dealer stood at ``c``.
    points : shape (6,)
        Sum of points by ``SOURCES``.
    """

    deals: int
    totals: NDArray[np.int64]
    dealer_first: NDArray[np.int64]
    pone_first: NDArray[np.int64]
    points: NDArray[np.int64]

    @classmethod
    def empty(cls) -> "Tally":
        """Return the tally of no deals."""
        return cls(
            0,
            np.zeros((DEALER_POINTS, PONE_POINTS), np.int64),
            np.zeros((DEALER_POINTS, PONE_POINTS), np.int64),
            np.zeros((PONE_POINTS, DEALER_POINTS), np.int64),
            np.zeros(len(SOURCES), np.int64),
        )

    def __add__(self, other: "Tally") -> "Tally":
        """Return the tally of both sets of deals."""
        return Tally(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def means(self) -> dict[str, float]:
        """Return the mean points of a deal by source."""
        return {
            name: int(total) / self.deals for name, total in zip(SOURCES, self.points, strict=True)
        }
