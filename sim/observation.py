"""What a player may see when he lays a card, and what follows from it.

Every strategy answers an ``Observation``: the ranks of the player's own keep and the
ranks laid so far, in order, with who laid each. The starter and the player's own throw
are left out on purpose: the play is compiled over ranks and keeps alone.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from . import rules
from .play import Play, legal_cards, pip


@dataclass(frozen=True)
class Observation:
    """What the player in ``seat`` sees as he is to lay a card; all ranks are 0..12.

    Attributes
    ----------
    seat : int
        ``PONE`` or ``DEALER``.
    keep : tuple of four ranks
        His own keep, those already laid included.
    laid : tuple of (seat, rank)
        The cards laid so far, oldest first, by both.
    held : uint8 array, shape (13,)
        How many cards of each rank he holds now.
    series : tuple of ranks
        Those laid since the last reset, oldest first.
    count : int
        The count now.
    opponent_cards : int
        How many cards the opponent still holds, 0..4.
    opponent_passed : bool
        Whether the opponent could not go on in this count: he said go, or is out of cards.
    unseen : int64 array, shape (13,)
        How many cards of each rank the opponent could hold: four, less those of the keep
        and those he laid; 0 for ranks that a go of his has ruled out.
    """

    seat: int
    keep: tuple[int, ...]
    laid: tuple[tuple[int, int], ...]
    held: NDArray[np.uint8] = field(init=False, repr=False, compare=False)
    series: tuple[int, ...] = field(init=False, repr=False, compare=False)
    count: int = field(init=False, repr=False, compare=False)
    opponent_cards: int = field(init=False, repr=False, compare=False)
    opponent_passed: bool = field(init=False, repr=False, compare=False)
    unseen: NDArray[np.int64] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Derive what the laid cards imply: a card that does not fit shows a reset."""
        own = np.bincount(self.keep, minlength=rules.RANKS)
        held = own.copy()
        unseen = rules.SUITS - own
        opponent_cards = rules.KEPT
        series: list[int] = []
        count = 0
        denied = 0  # ranks below it are ruled out
        passed = False
        last = -1  # who laid the card before
        for seat, rank in self.laid:
            if count + int(pip(rank)) > rules.COUNT_LIMIT:
                denied = max(denied, _ranks_legal_at(count))
                series, count = [], 0
            elif series and seat == last and seat == self.seat:
                denied = max(denied, _ranks_legal_at(count))
            if seat == self.seat:
                held[rank] -= 1
            else:
                unseen[rank] -= 1
                opponent_cards -= 1
            series.append(rank)
            count += int(pip(rank))
            last = seat
        if not legal_cards(np.flatnonzero(held), count):
            # The player is in turn, so nobody could go on at the old count.
            denied = max(denied, _ranks_legal_at(count))
            series, count = [], 0
        elif series and last == self.seat:
            denied = max(denied, _ranks_legal_at(count))
            passed = True
        unseen[:denied] = 0
        for name, value in (
            ("held", held.astype(np.uint8)),
            ("series", tuple(series)),
            ("count", count),
            ("opponent_cards", opponent_cards),
            ("opponent_passed", passed),
            ("unseen", unseen.astype(np.int64)),
        ):
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, play: Play, keep: tuple[int, ...]) -> "Observation":
        """Return what the player in turn sees of a play; ``keep`` is his own, four ranks."""
        if play.turn is None:
            raise ValueError("the play is over: nobody is in turn")
        return cls(play.turn, tuple(sorted(keep)), tuple((lay.seat, lay.rank) for lay in play.lays))


def _ranks_legal_at(count: int) -> int:
    """Return how many ranks, from the ace up, may be laid at this count."""
    return len(legal_cards(range(rules.RANKS), count))
