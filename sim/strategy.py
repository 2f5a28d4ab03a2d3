"""A whole strategy: how it throws and how it plays, compiled to books.

Throwing and playing depend on each other: what a keep earns in the play, and what the
opponent keeps. The rule starts from an opponent who throws at random and takes a fixed
number of rounds; in each, both seats choose their best throws against the round before.
"""

import hashlib
from dataclasses import dataclass
from typing import Final

import numpy as np

from .book import Books, index_plays, open_cached
from .cardplay import KINDS, choose_card
from .discards import compile_discards, random_opponent
from .numbering import HANDS
from .observation import Observation
from .pairs import compile_pairs, worth_of_keeps
from .sources import digest_needed_by

VERSION: Final = 1


@dataclass(frozen=True)
class Strategy:
    """How both seats throw and play.

    Attributes
    ----------
    card_play : str
        ``greedy`` or ``look-ahead``.
    discard_rounds : int
        Rounds of the discard rule, 1 or more.
    """

    card_play: str
    discard_rounds: int

    @property
    def name(self) -> str:
        """The strategy in words, for the table's provenance."""
        return (
            f"{self.card_play} card play, expected-points discards ({self.discard_rounds} rounds)"
        )

    def choose_card(self, seen: Observation, book: int = 0) -> int:
        """Return the rank that the player in turn lays, from what he sees alone.

        A mixed strategy is spread over its books, each a pure one; these have one book.
        """
        series = np.zeros(10, np.uint8)
        series[: len(seen.series)] = seen.series
        return int(
            choose_card(
                KINDS[self.card_play],
                seen.held,
                seen.unseen,
                series,
                len(seen.series),
                seen.count,
                seen.opponent_cards,
                seen.opponent_passed,
            )
        )

    def books(self) -> Books:
        """Return the compiled strategy, from the cache if it is there."""
        key = hashlib.sha256(
            f"{digest_needed_by('sim/strategy.py')} {VERSION} {self}".encode()
        ).hexdigest()
        return open_cached(key[:24], self._compile)

    def _compile(self) -> Books:
        events = [compile_pairs(KINDS[self.card_play])]
        sequences, plays = index_plays(events)
        previous = random_opponent()
        book = np.full(HANDS, 255, np.uint8)
        moved = np.zeros(self.discard_rounds)
        for round_ in range(self.discard_rounds):
            against = previous
            worth = worth_of_keeps(events, against.keeps)
            before, (book, previous) = book, compile_discards(against, worth)
            moved[round_] = _share_moved(before, book)
        return Books(
            book, sequences, plays, previous.throws, previous.keeps,
            against.throws, against.keeps, worth, moved,
        )  # fmt: skip


def _share_moved(before: np.ndarray, after: np.ndarray) -> float:
    """Return the share of throws, of both seats, that differ between two discard books."""
    differ = before ^ after
    return (np.count_nonzero(differ & 15) + np.count_nonzero(differ >> 4)) / (2 * HANDS)
