"""The two pegs of a player, as on a board.

The front one shows the score, the back one the score before the last points.
"""

from collections.abc import Iterable
from typing import NamedTuple


class Pegs(NamedTuple):
    """A player's pegs: ``prior`` score (None: not known) and ``score``."""

    prior: int | None
    score: int

    def after(self, points: int) -> "Pegs":
        """Return the pegs after these points; none move nothing."""
        return Pegs(self.score, self.score + points) if points else self

    def text(self) -> str:
        """Return both pegs, the back one first: ``88/90``."""
        return f"{'?' if self.prior is None else self.prior}/{self.score}"


def pegs_before(score: int, points: Iterable[int]) -> Pegs:
    """Return the pegs of who stands at ``score``, his last points of this deal being known."""
    scored = [each for each in points if each]
    return Pegs(score - scored[-1] if scored else None, score)
