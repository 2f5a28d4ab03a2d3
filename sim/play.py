"""The play: which cards are legal, what a card scores, and whose turn comes next.

The kernels work on ranks alone: suits never matter in the play. A *series* is the
ranks laid since the last reset of the count, oldest first.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import rules
from .cards import CardError
from .jit import kernel

_FIFTEEN = rules.FIFTEEN
_LIMIT = rules.COUNT_LIMIT


@kernel(inline=True)
def pip(rank: int) -> int:
    """Return what a card of this rank 0..12 adds to the count."""
    return min(rank + 1, rules.FACE_PIP)


@kernel(inline=True)
def is_legal(rank: int, count: int) -> bool:
    """Tell whether a card of this rank may be laid at this count."""
    return pip(rank) + count <= _LIMIT


def legal_cards(held: Iterable[int], count: int) -> list[int]:
    """Return the ranks among those held that may be laid at this count, in ascending order.

    An empty list is a go. A player who has a legal card must lay one.
    """
    return sorted({rank for rank in held if is_legal(rank, count)})


@kernel(inline=True)
def fifteen_points(count: int) -> int:
    """Return the points for bringing the count to 15 or 31."""
    if count == _FIFTEEN:
        return rules.POINTS_FOR_FIFTEEN
    if count == _LIMIT:
        return rules.POINTS_FOR_THIRTY_ONE
    return 0


@kernel
def pair_points(series: NDArray[np.uint8], length: int, rank: int) -> int:
    """Return the points 0, 2, 6 or 12 for cards of this rank at the end of the series."""
    alike = 1
    while alike <= length and series[length - alike] == rank:
        alike += 1
    # Every two of the cards alike are a pair.
    return rules.POINTS_FOR_PAIR * (alike * (alike - 1) // 2)


@kernel
def run_points(series: NDArray[np.uint8], length: int, rank: int) -> int:
    """Return the points of the longest run that a card of this rank completes, 0 or 3..7."""
    ranks = 1 << rank
    low = rank
    high = rank
    points = 0
    for back in range(1, length + 1):
        other = int(series[length - back])
        if ranks >> other & 1:
            break
        ranks |= 1 << other
        low = min(low, other)
        high = max(high, other)
        cards = back + 1
        if high - low == back and cards >= rules.SHORTEST_RUN:
            points = cards * rules.POINTS_FOR_RUN_CARD
    return points


@kernel
def card_points(series: NDArray[np.uint8], length: int, rank: int, count: int) -> int:
    """Return what a card scores as it is laid: 15 or 31, pairs and runs; no go, no last card.

    Parameters
    ----------
    series : uint8 array
        Ranks laid since the reset; its first ``length`` places are read.
    rank : int
        The rank of the card laid now.
    count : int
        The count with the card, at most 31.
    """
    return (
        fifteen_points(count) + pair_points(series, length, rank) + run_points(series, length, rank)
    )


class Lay(NamedTuple):
    """One card of the play: who laid it, its rank, the count with it, and what it scored."""

    seat: int
    rank: int
    count_after: int
    points: int  # 15 or 31, pairs, runs
    go: int  # 1 if it was the last card laid in its count and the count is not 31


class Play:
    """A play in progress, rank by rank: the rules as a referee keeps them.

    Parameters
    ----------
    keeps : two sequences of four ranks
        What the pone and the dealer hold. A referee sees both; strategies never do.

    Attributes
    ----------
    held : two lists of ranks still held
    series : ranks laid since the reset
    count : the count now
    turn : seat to lay a card, or None when the play is over
    lays : what was laid so far; the last ``go`` is settled when its count ends
    """

    def __init__(self, keeps: Sequence[Sequence[int]]) -> None:
        self.held = [sorted(int(rank) for rank in keep) for keep in keeps]
        self.series: list[int] = []
        self.count = 0
        self.turn: int | None = rules.PONE
        self.lays: list[Lay] = []

    def legal(self) -> list[int]:
        """Return the ranks that the player in turn may lay; never empty while there is a turn."""
        return [] if self.turn is None else legal_cards(self.held[self.turn], self.count)

    def lay(self, rank: int) -> None:
        """Lay a card of the player in turn, then settle gos, resets and whose turn it is.

        Raises
        ------
        CardError
            If the play is over or the card is not legal.
        """
        if self.turn is None or rank not in self.legal():
            letters = " ".join(rules.RANK_LETTERS[r] for r in self.legal())
            raise CardError(
                f"{rules.RANK_LETTERS[rank]} cannot be laid at {self.count}: "
                f"expected one of {letters or 'none, the play is over'}"
            )
        seat = self.turn
        self.held[seat].remove(rank)
        self.count += int(pip(rank))
        series = np.array(self.series, np.uint8)
        points = int(card_points(series, len(series), rank, self.count))
        self.series.append(rank)
        self.lays.append(Lay(seat, rank, self.count, points, 0))
        other = 1 - seat
        if legal_cards(self.held[other], self.count):
            self.turn = other
        elif legal_cards(self.held[seat], self.count):
            self.turn = seat
        else:
            self._end_of_count(seat)

    def _end_of_count(self, last: int) -> None:
        if self.count != _LIMIT:
            self.lays[-1] = self.lays[-1]._replace(go=rules.POINTS_FOR_GO)
        self.series = []
        self.count = 0
        if self.held[1 - last]:
            self.turn = 1 - last
        else:
            self.turn = last if self.held[last] else None
