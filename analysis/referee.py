"""A deal on the board: every score in order, the pegs after it, and where the game ends.

The referee sees both hands. He takes the cards as they were laid and says what is wrong.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ..sim import rules
from ..sim.cards import CardError, card_text, cards_text, check_cards, rank_of
from ..sim.play import Lay, Play
from ..sim.show import ScoreEvent, score_events
from .pegs import Pegs

Part = Literal["heels", "play", "pone_hand", "dealer_hand", "crib"]
SHOW: tuple[Part, Part, Part] = ("pone_hand", "dealer_hand", "crib")


@dataclass(frozen=True)
class Cards:
    """The cards of a deal, by seat where there are two.

    Attributes
    ----------
    hands : the six cards dealt to each seat, ascending
    throws : the two cards that each laid away, ascending
    starter : int
    laid : the cards of the play in order; the deal may break off where the game ends
    """

    hands: tuple[tuple[int, ...], tuple[int, ...]]
    throws: tuple[tuple[int, ...], tuple[int, ...]]
    starter: int
    laid: tuple[int, ...]

    @property
    def keeps(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The four cards that each seat kept, ascending."""
        pone, dealer = (
            tuple(card for card in hand if card not in throw)
            for hand, throw in zip(self.hands, self.throws, strict=True)
        )
        return pone, dealer

    def check(self) -> None:
        """Raise ``CardError`` if these are no hands and throws of one deck."""
        for name, hand, throw in zip(rules.SEAT_NAMES, self.hands, self.throws, strict=True):
            _check(f"the {name}'s hand", hand, rules.DEALT)
            _check(f"the {name}'s throw", throw, rules.THROWN)
            for card in throw:
                if card not in hand:
                    raise CardError(
                        f"the {name} throws {card_text(card)}, which is not in {cards_text(hand)}"
                    )
        _check("both hands and the starter", (*self.hands[0], *self.hands[1], self.starter), 13)


def _check(name: str, cards: Sequence[int], count: int) -> None:
    try:
        check_cards(cards, count)
    except CardError as error:
        raise CardError(f"{name}: {error}") from None


class Step(NamedTuple):
    """One thing that happened: a card laid, heels or a count of the show.

    Attributes
    ----------
    part : str
    seat : int
        Who did it and scored.
    card : int or None
        The card laid, or the starter that gave heels.
    lay : Lay or None
        Of a card laid: the count and its points.
    events : tuple of ScoreEvent
        Of a count of the show.
    points : int
        The go or last card included.
    pegs : two Pegs, by seat
        Afterwards. Points past the target are not pegged.
    """

    part: Part
    seat: int
    card: int | None
    lay: Lay | None
    events: tuple[ScoreEvent, ...]
    points: int
    pegs: tuple[Pegs, Pegs]


@dataclass(frozen=True)
class Told:
    """A deal as it went: its steps, and who won the game in it (None: nobody)."""

    steps: tuple[Step, ...]
    winner: int | None
    pegs: tuple[Pegs, Pegs]


def tell(cards: Cards, pegs: tuple[Pegs, Pegs], target: int) -> Told:
    """Go through a deal in scoring order and stop where the game ends.

    Parameters
    ----------
    cards : Cards
    pegs : two Pegs, by seat
        Before the deal.
    target : int
        Where the game ends.

    Raises
    ------
    CardError
        If the cards cannot be, a card is not legal, or the play breaks off too early.
    """
    cards.check()
    board = _Board(pegs, target)
    if rank_of(cards.starter) == rules.JACK:
        board.score("heels", rules.DEALER, cards.starter, rules.POINTS_FOR_HEELS)
    for lay, card in zip(_lays(cards), cards.laid, strict=False):
        board.score("play", lay.seat, card, lay.points + lay.go, lay=lay)
    if board.winner is None:
        if len(cards.laid) < 2 * rules.KEPT:
            raise CardError(
                f"the play breaks off after {len(cards.laid)} of 8 cards, "
                "but nobody has reached the target"
            )
        fours = (*cards.keeps, (*cards.throws[0], *cards.throws[1]))
        for seat, part, four in zip((0, 1, 1), SHOW, fours, strict=True):
            events = score_events(four, cards.starter, crib=part == "crib")
            board.score(part, seat, None, sum(e.points for e in events), events=tuple(events))
    return Told(tuple(board.steps), board.winner, (board.pegs[0], board.pegs[1]))


class _Board:
    def __init__(self, pegs: tuple[Pegs, Pegs], target: int) -> None:
        self.pegs = list(pegs)
        self.target = target
        self.winner: int | None = None
        self.steps: list[Step] = []

    def score(
        self,
        part: Part,
        seat: int,
        card: int | None,
        points: int,
        *,
        lay: Lay | None = None,
        events: tuple[ScoreEvent, ...] = (),
    ) -> None:
        if self.winner is not None:
            return
        # A card's own points and the go after it are pegged one after the other.
        for part_points in (points,) if lay is None else (lay.points, lay.go):
            left = self.target - self.pegs[seat].score
            self.pegs[seat] = self.pegs[seat].after(min(part_points, left))
        if self.pegs[seat].score == self.target:
            self.winner = seat
        pegs = (self.pegs[0], self.pegs[1])
        self.steps.append(Step(part, seat, card, lay, events, points, pegs))


def _lays(cards: Cards) -> list[Lay]:
    """Return the lays of the cards laid, the gos settled; complain in a player's words."""
    play = Play([[rank_of(card) for card in keep] for keep in cards.keeps])
    held = [list(keep) for keep in cards.keeps]
    for place, card in enumerate(cards.laid, 1):
        at = f"card {place} of the play"
        if play.turn is None:
            raise CardError(f"{at}, {card_text(card)}: the play is over")
        seat = play.turn
        if card not in held[seat]:
            raise CardError(
                f"{at}, {card_text(card)}: it is the {rules.SEAT_NAMES[seat]}'s turn at "
                f"{play.count}, and he holds {cards_text(held[seat])}"
            )
        try:
            play.lay(rank_of(card))
        except CardError as error:
            raise CardError(f"{at}: {error}") from None
        held[seat].remove(card)
    return play.lays
