"""A moment of a deal as one player knows it: a `Position`, checked.

It may stand before the throw, after it, after the cut, at any card of the play, and before
each count of the show.
"""

from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np

from ..sim import rules
from ..sim.cards import CardError, card_text, cards_text, check_cards, rank_of
from ..sim.show import count
from .ending import CRIB, PLAY, PONE_HAND
from .history import GO, Seen, follow, play_text
from .pegs import Pegs, pegs_before

ScoresAre = Literal["now", "before the deal"]
Dealer = Literal["player", "opponent"]
SHOWN: Final = ("the pone's hand", "the dealer's hand", "the crib")


@dataclass(frozen=True)
class Position:
    """What the player knows at a moment of a deal.

    Parameters
    ----------
    player, opponent : int
        Their scores; see ``scores_are``.
    dealer : str
        Who deals this deal: ``player`` or ``opponent``.
    keep : tuple of cards
        The four that the player kept, those already laid included; before the throw all six.
    throw : tuple of cards
        The two that he threw; empty before the throw.
    starter : int or None
        None before the cut.
    play : tuple of cards and ``history.GO``
        The cards laid so far, by both, in order. A go of the opponent must be told where the
        player is to lay again because of it; other gos follow from the cards.
    counted : int
        How many of the pone's hand, the dealer's hand and the crib have been counted, 0..2.
    scores_are : str
        ``now``: heels and all points up to this moment are in the scores.
        ``before the deal``: they are still to be added.

    Raises
    ------
    CardError
        If the cards cannot be so.
    ValueError
        If a score or another value cannot be.
    """

    player: int
    opponent: int
    dealer: Dealer
    keep: tuple[int, ...]
    throw: tuple[int, ...] = ()
    starter: int | None = None
    play: tuple[int, ...] = ()
    counted: int = 0
    scores_are: ScoresAre = "now"
    seen: Seen | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check that all of it can be."""
        self._check_values()
        laid = [card for card in self.play if card != GO]
        starter = [] if self.starter is None else [self.starter]
        check_cards([*self.keep, *self.throw, *starter], len(self.keep + self.throw) + len(starter))
        others = [card for card in laid if card not in self.keep]
        check_cards([*self.keep, *self.throw, *starter, *others],
                    len(self.keep + self.throw) + len(starter) + len(others))  # fmt: skip
        if not self.throw:
            if len(self.keep) != rules.DEALT:
                raise CardError(
                    f"expected six cards before the throw, or four kept and two thrown; got "
                    f"{len(self.keep)} and no throw: {cards_text(self.keep) or 'none'}"
                )
            if self.starter is not None or self.play:
                raise CardError("the starter is turned after the throw: tell the two cards thrown")
            object.__setattr__(self, "seen", None)
            return
        if (len(self.keep), len(self.throw)) != (rules.KEPT, rules.THROWN):
            raise CardError(
                f"expected four cards kept and two thrown, got {len(self.keep)} "
                f"({cards_text(self.keep)}) and {len(self.throw)} ({cards_text(self.throw)})"
            )
        if self.starter is None and self.play:
            raise CardError("cards are played after the cut: tell the starter")
        object.__setattr__(self, "seen", follow(self.seat, self.keep, self.play))
        if self.counted and self.stage < PONE_HAND:
            raise CardError("hands are counted after the play, which is not over")

    def _check_values(self) -> None:
        scores: dict[str, object] = {"player": self.player, "opponent": self.opponent}
        for name, score in scores.items():
            whole = isinstance(score, int | np.integer) and not isinstance(score, bool)
            if not whole or int(str(score)) < 0:
                raise ValueError(f"{name}: expected a whole number from 0, got {score!r}")
        if self.dealer not in {"player", "opponent"}:
            raise ValueError(f"dealer: expected 'player' or 'opponent', got {self.dealer!r}")
        if self.scores_are not in {"now", "before the deal"}:
            raise ValueError(
                f"scores_are: expected 'now' or 'before the deal', got {self.scores_are!r}"
            )
        if self.counted not in range(CRIB):
            raise ValueError(f"counted: expected 0, 1 or 2 hands, got {self.counted!r}")

    @property
    def seat(self) -> int:
        """The player's seat in this deal."""
        return rules.DEALER if self.dealer == "player" else rules.PONE

    @property
    def stage(self) -> int:
        """What is scored next: ``ending.PLAY`` or one of the three hands."""
        if self.seen is None or self.seen.turn is not None:
            return PLAY
        return PONE_HAND + self.counted

    @property
    def moment(self) -> str:
        """The moment in words."""
        if self.seen is None:
            return "before the throw"
        if self.starter is None:
            return "before the cut"
        if self.seen.turn is None:
            return f"before {SHOWN[self.counted]} is counted"
        who = "you are" if self.seen.turn == self.seat else "the opponent is"
        return f"{who} to play at {self.seen.count}"

    def scored(self) -> list[tuple[int, int]]:
        """Return what was scored in this deal before the moment: (seat, points) in order."""
        events: list[tuple[int, int]] = []
        if self.seen is None or self.starter is None:
            return events
        if rank_of(self.starter) == rules.JACK:
            events.append((rules.DEALER, rules.POINTS_FOR_HEELS))
        events += self.seen.events
        hands = [self.keep, self.seen.shown]
        if self.seat == rules.DEALER:
            hands.reverse()
        for seat in range(self.counted):
            events.append((seat, count(hands[seat], self.starter)))
        return events

    def board(self) -> tuple[Pegs, Pegs]:
        """Return the pegs of the player and of the opponent at this moment."""
        events = self.scored()
        pegs = []
        for seat, score in ((self.seat, self.player), (1 - self.seat, self.opponent)):
            points = [each for who, each in events if who == seat]
            now = score + (sum(points) if self.scores_are == "before the deal" else 0)
            if self.scores_are == "now" and sum(points) > score:
                raise ValueError(
                    f"a score of {score} cannot be: {sum(points)} points of this deal are in it "
                    "(if scores are those before the deal, say so)"
                )
            pegs.append(pegs_before(now, points))
        return pegs[0], pegs[1]

    def text(self) -> str:
        """Return the position in one line."""
        parts = [f"{self.player}-{self.opponent}", f"the {self.dealer} deals"]
        if self.seen is None:
            parts.append(f"you hold {cards_text(self.keep)}")
        else:
            parts.append(f"you kept {cards_text(self.keep)}, threw {cards_text(self.throw)}")
        if self.starter is not None:
            parts.append(f"starter {card_text(self.starter)}")
        if self.play:
            parts.append(f"laid {play_text(self.play)}")
        return "; ".join(parts)
