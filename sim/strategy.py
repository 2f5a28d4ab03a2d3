"""A whole strategy: how it throws and how it plays, as a player asks it and as books.

Throwing and playing depend on each other: what a keep earns in the play, and what the
opponent keeps. The rule starts from an opponent who throws at random and takes a fixed
number of rounds; in each, both seats choose their best throws against the round before.
Equilibrium play is solved anew in each round; see ``equilibrium.rounds``.
"""

import functools
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from .book import Books, index_plays, open_cached, share_moved
from .cardplay import KINDS, choose_seen
from .discards import compile_discards, first_throws, random_opponent
from .equilibrium.own_path import first_unpacked
from .equilibrium.playbooks import first_spread, index_mixed
from .equilibrium.policy import Policy
from .equilibrium.rounds import fitting_equilibrium
from .first_calls import compiled_beside
from .numbering import HANDS
from .observation import Observation
from .pairs import compile_pairs, worth_of_keeps
from .sources import digest_needed_by, digest_of, solved_play

VERSION: Final = 1

# The mixed play is spread over so many pure books: the mean of the play then is within
# 0.001 points a deal of the exact mixed value, and every cell of the table within 1e-4
# (docs/strength.md has the measurements).
MIXED_BOOKS: Final = 32


@functools.cache
def _solved(rounds: int) -> Policy:
    return fitting_equilibrium(rounds)[0].policy


@dataclass(frozen=True)
class Strategy:
    """How both seats throw and play.

    Attributes
    ----------
    card_play : str
        ``greedy``, ``look-ahead`` or ``equilibrium``.
    discard_rounds : int
        Rounds of the discard rule, 1 or more.
    """

    card_play: str
    discard_rounds: int

    @property
    def name(self) -> str:
        """The strategy in words, for the table's provenance."""
        rounds = f"{self.discard_rounds} round{'s' if self.discard_rounds > 1 else ''}"
        return f"{self.card_play} card play, expected-points discards ({rounds})"

    @property
    def play_books(self) -> int:
        """How many pure books the card play is spread over: 1 unless it is mixed."""
        return MIXED_BOOKS if self.card_play == "equilibrium" else 1

    def probabilities(self, seen: Observation) -> list[float]:
        """Return the chance that the player in turn lays each rank, from what he sees alone."""
        if self.card_play == "equilibrium":
            return _solved(self.discard_rounds).probabilities(seen)
        chances = [0.0] * len(seen.held)
        chances[choose_seen(KINDS[self.card_play], seen)] = 1.0
        return chances

    def choose_card(self, seen: Observation, book: int = 0) -> int:
        """Return the rank that the player in turn lays, from what he sees alone.

        A mixed strategy is spread over ``play_books`` books, each a pure one; ``book`` says
        which is asked.
        """
        if self.card_play == "equilibrium":
            return _solved(self.discard_rounds).choose(seen, book, self.play_books)
        return choose_seen(KINDS[self.card_play], seen)

    def books(
        self,
        say: Callable[[str], None] = lambda line: None,
        *,
        also: Sequence[Callable[[], object]] = (),
    ) -> Books:
        """Return the compiled strategy, from the cache if it is there.

        Parameters
        ----------
        say : callable
            Is told in a line when solving is needed, which takes minutes.
        also : functions of modules
            What the caller calls later: made beside, if the books have to be compiled.
        """

        def compile_books() -> Books:
            mixed = self.play_books > 1
            # In the order in which they are needed here.
            first = (first_unpacked, first_throws, first_spread) if mixed else (first_throws,)
            with compiled_beside(*first, *also):
                return self._compile_mixed(say) if mixed else self._compile()

        return open_cached(self._key(), compile_books)

    def _key(self) -> str:
        """Return the digest of everything that the books depend on."""
        parts = [digest_needed_by("sim/strategy.py"), str(VERSION), str(self)]
        if self.card_play == "equilibrium":
            parts.append(digest_of(solved_play(self.discard_rounds)))
        return hashlib.sha256(" ".join(parts).encode()).hexdigest()[:24]

    def _compile(self) -> Books:
        events = [compile_pairs(KINDS[self.card_play])]
        sequences, plays = index_plays(1, [events[0][None]])
        previous = random_opponent()
        book = np.full(HANDS, 255, np.uint8)
        moved = np.zeros(self.discard_rounds)
        for round_ in range(self.discard_rounds):
            against = previous
            worth = worth_of_keeps(events, against.keeps)
            before, (book, previous) = book, compile_discards(against, worth)
            moved[round_] = share_moved(before, book)
        return Books(
            book, sequences, plays, previous.throws, previous.keeps,
            against.throws, against.keeps, worth, moved,
        )  # fmt: skip

    def _compile_mixed(self, say: Callable[[str], None]) -> Books:
        found, book, own = fitting_equilibrium(self.discard_rounds, say)
        policy = found.policy
        sequences, plays = index_mixed(policy.tree, policy.chances, self.play_books)
        moved = np.array([each["throws_moved"] for each in found.rounds])
        return Books(
            book, sequences, plays, own.throws, own.keeps,
            found.opponent.throws, found.opponent.keeps, found.worth, moved,
        )  # fmt: skip
