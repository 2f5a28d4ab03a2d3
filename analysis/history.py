"""The play so far, as one player saw it: whose turn it is, and what the gos have told.

The player knows his own cards, and of the opponent's those that were laid. That the
opponent said go is told by ``GO`` among the cards, or follows from what was laid next.
The player's own gos follow from his cards.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ..sim import rules
from ..sim.cards import CardError, card_text, cards_text, parse_cards, rank_of
from ..sim.play import card_points, is_legal, legal_cards, pip

GO: Final = -1
_GO_WORD: Final = "GO"


@dataclass(frozen=True)
class Seen:
    """Where a play stands in the view of the player in ``seat``.

    Attributes
    ----------
    seat : int
        The player's: ``PONE`` or ``DEALER``.
    held : tuple of cards
        Those that he still holds, ascending.
    own, shown : tuples of cards
        What he and what the opponent have laid, in order.
    series : tuple of ranks
        Laid since the reset, oldest first.
    count : int
    turn : int or None
        Who is to lay a card or say go; None when the play is over.
    last : int
        Who laid the last card of the series, -1 in an empty one.
    passed : two bools, by seat
        Whether a player can lay nothing more in this count.
    denied, own_denied : int
        The opponent's (the player's own) cards still held are of this rank or above: gos.
    laid : tuple of (seat, rank)
        Both players' cards in order.
    events : tuple of (seat, points)
        What was scored so far, in order; a go is paid when the count is over.
    """

    seat: int
    held: tuple[int, ...]
    own: tuple[int, ...]
    shown: tuple[int, ...]
    series: tuple[int, ...]
    count: int
    turn: int | None
    last: int
    passed: tuple[bool, bool]
    denied: int
    own_denied: int
    laid: tuple[tuple[int, int], ...]
    events: tuple[tuple[int, int], ...]

    @property
    def legal(self) -> tuple[int, ...]:
        """The player's cards that may be laid now; empty if it is not his turn."""
        if self.turn != self.seat:
            return ()
        return tuple(card for card in self.held if is_legal(rank_of(card), self.count))


def parse_play(text: str | Iterable[str]) -> tuple[int, ...]:
    """Return the cards of a play in order, ``GO`` where the word ``go`` stands.

    Raises
    ------
    CardError
        If a card is impossible or there twice.
    """
    joined = text if isinstance(text, str) else " ".join(text)
    play: list[int] = []
    cards: list[str] = []
    for word in [*joined.replace(",", " ").split(), _GO_WORD]:
        if word.upper() == _GO_WORD:
            play += [*parse_cards(cards), GO]
            cards = []
        else:
            cards.append(word)
    parse_cards([card_text(card) for card in play if card != GO])
    return tuple(play[:-1])


def play_text(play: Sequence[int]) -> str:
    """Return a play as text, the inverse of ``parse_play``."""
    return " ".join("go" if card == GO else card_text(card) for card in play)


def follow(seat: int, keep: Sequence[int], play: Sequence[int]) -> Seen:
    """Return where a play stands for the player in ``seat`` who kept these four cards.

    Parameters
    ----------
    seat : int
    keep : four cards
        Those already laid included.
    play : sequence of cards and ``GO``
        Cards in ``keep`` are the player's, all others the opponent's.

    Raises
    ------
    CardError
        If a card or a go cannot be: out of turn, over 31, against an earlier go.
    """
    table = _Table(seat, keep)
    for place, card in enumerate(play, 1):
        try:
            if card == GO:
                table.say_go()
            else:
                table.lay(card)
        except CardError as error:
            raise CardError(f"card {place} of the play: {error}") from None
    return table.seen()


def ranks_legal_at(count: int) -> int:
    """Return how many ranks, from the ace up, may be laid at this count."""
    return len(legal_cards(range(rules.RANKS), count))


class _Table:
    """A play in the making, seen from one seat."""

    def __init__(self, seat: int, keep: Sequence[int]) -> None:
        self.seat = seat
        self.keep = set(keep)
        self.held = sorted(keep)
        self.own: list[int] = []
        self.shown: list[int] = []
        self.series: list[int] = []
        self.count = 0
        self.turn: int | None = rules.PONE
        self.last = -1
        self.passed = [False, False]
        self.denied = 0
        self.own_denied = 0
        self.laid: list[tuple[int, int]] = []
        self.events: list[tuple[int, int]] = []

    def seen(self) -> Seen:
        return Seen(
            self.seat,
            tuple(self.held),
            tuple(self.own),
            tuple(self.shown),
            tuple(self.series),
            self.count,
            self.turn,
            self.last,
            (self.passed[0], self.passed[1]),
            self.denied,
            self.own_denied,
            tuple(self.laid),
            tuple(self.events),
        )

    def _cards_left(self, seat: int) -> int:
        return len(self.held) if seat == self.seat else rules.KEPT - len(self.shown)

    def _own_legal(self) -> list[int]:
        return [card for card in self.held if is_legal(rank_of(card), self.count)]

    def say_go(self) -> None:
        """The opponent says go."""
        if self.turn is None:
            raise CardError("nobody says go when the play is over")
        if self.turn == self.seat:
            raise CardError(
                f"a go of the opponent, but it was your turn at {self.count} and you held "
                f"{cards_text(self._own_legal())}; your own gos need not be told"
            )
        if ranks_legal_at(self.count) == rules.RANKS:
            raise CardError(f"the opponent cannot say go at {self.count}: every card may be laid")
        self.denied = max(self.denied, ranks_legal_at(self.count))
        self._pass(1 - self.seat)
        self._settle()

    def lay(self, card: int) -> None:
        """Lay a card of whose it is; gos that this implies are said first."""
        who = self.seat if card in self.keep else 1 - self.seat
        rank = rank_of(card)
        if card in self.own or card in self.shown:
            raise CardError(f"{card_text(card)} was laid before")
        if who != self.seat and len(self.shown) == rules.KEPT:
            raise CardError(f"{card_text(card)} is not yours, and the opponent has laid four cards")
        while self.turn != who or not is_legal(rank, self.count):
            if self.turn is None:
                raise CardError(f"{card_text(card)} after the play was over")
            if self.turn == self.seat:
                whose = "your" if who == self.seat else "the opponent's"
                raise CardError(
                    f"{whose} {card_text(card)} cannot be laid at {self.count}: "
                    f"it was your turn, and you could lay {cards_text(self._own_legal())}"
                )
            if ranks_legal_at(self.count) == rules.RANKS:
                raise CardError(
                    f"{card_text(card)} out of turn: at {self.count} the opponent was to lay a card"
                )
            self.say_go()
        if who != self.seat and rank < self.denied:
            raise CardError(
                f"the opponent lays {card_text(card)}, but he has said go when it could be laid"
            )
        self.count += int(pip(rank))
        series = np.array(self.series, np.uint8)
        points = int(card_points(series, len(series), rank, self.count))
        if points:
            self.events.append((who, points))
        self.series.append(rank)
        self.last = who
        self.laid.append((who, rank))
        if who == self.seat:
            self.held.remove(card)
            self.own.append(card)
        else:
            self.shown.append(card)
        self.turn = 1 - who
        self._settle()

    def _settle(self) -> None:
        """Let players pass and the count end until somebody has something to decide."""
        while self.turn is not None:
            if self.count == rules.COUNT_LIMIT or not (
                self.held or self._cards_left(1 - self.seat)
            ):
                self._end_of_count()
            elif self.turn == self.seat:
                if self._own_legal():
                    return
                if self.held:
                    self.own_denied = max(self.own_denied, ranks_legal_at(self.count))
                self._pass(self.seat)
            elif self._cards_left(self.turn) and not self.passed[self.turn]:
                return
            else:
                self._pass(self.turn)

    def _pass(self, who: int) -> None:
        self.passed[who] = True
        if self.passed[1 - who]:
            self._end_of_count()
        else:
            self.turn = 1 - who

    def _end_of_count(self) -> None:
        if self.count != rules.COUNT_LIMIT:
            self.events.append((self.last, rules.POINTS_FOR_GO))
        self.turn = next(
            (who for who in (1 - self.last, self.last) if self._cards_left(who)),
            None,
        )
        self.series = []
        self.count = 0
        self.last = -1
        self.passed = [False, False]
