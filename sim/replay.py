"""One deal again, card by card: what the books know in a few numbers, told in full.

The play is laid anew by asking the strategy at every card, through what the player in
turn may see; the books are not asked. That both agree is checked for every deal told.
"""

from dataclasses import dataclass

from . import rules
from .book import Books
from .cards import hand_number, keep_number, rank_of
from .deal import drawn_cards
from .numbering import KEEPS, THROWS
from .observation import Observation
from .pairs import SEAT_BIT
from .play import Lay, Play
from .show import ScoreEvent, score_events
from .strategy import Strategy


@dataclass(frozen=True)
class Deal:
    """A deal played to its end; seats are ``PONE`` and ``DEALER``, cards 0..51.

    Attributes
    ----------
    seed, number : int
        Which deal this is.
    hands : the six cards dealt to each seat, ascending
    throws : the two cards that each seat laid away
    starter : int
    laid : the eight cards of the play in order
    lays : what each scored
    counts : the scores of the pone's hand, the dealer's hand and the crib
    """

    seed: int
    number: int
    hands: tuple[tuple[int, ...], tuple[int, ...]]
    throws: tuple[tuple[int, ...], tuple[int, ...]]
    starter: int
    laid: tuple[int, ...]
    lays: tuple[Lay, ...]
    counts: tuple[list[ScoreEvent], list[ScoreEvent], list[ScoreEvent]]

    @property
    def keeps(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The four cards that each seat kept, ascending."""
        pone, dealer = (
            tuple(card for card in hand if card not in throw)
            for hand, throw in zip(self.hands, self.throws, strict=True)
        )
        return pone, dealer

    @property
    def heels(self) -> int:
        """Points of the dealer for a jack turned up."""
        return rules.POINTS_FOR_HEELS if rank_of(self.starter) == rules.JACK else 0

    def totals(self) -> tuple[int, int]:
        """Return the points of the pone and of the dealer in the whole deal."""
        points = [0, self.heels]
        for lay in self.lays:
            points[lay.seat] += lay.points + lay.go
        for seat, events in zip((rules.PONE, rules.DEALER, rules.DEALER), self.counts, strict=True):
            points[seat] += sum(event.points for event in events)
        return points[rules.PONE], points[rules.DEALER]


def replay(strategy: Strategy, books: Books, seed: int, number: int) -> Deal:
    """Play deal ``number`` of ``seed`` again, card by card.

    Raises
    ------
    RuntimeError
        If the books hold another play than the strategy gives: they are not its own.
    """
    cards = drawn_cards(seed, number, 1)[0].tolist()
    hands = (tuple(sorted(cards[:6])), tuple(sorted(cards[6:12])))
    throws = tuple(
        tuple(hand[i] for i in THROWS[int(books.discards[hand_number(hand)]) >> 4 * seat & 15])
        for seat, hand in enumerate(hands)
    )
    keeps = [
        [card for card in hand if card not in throw]
        for hand, throw in zip(hands, throws, strict=True)
    ]
    book = number % len(books.plays)
    ranks = [tuple(rank_of(card) for card in keep) for keep in keeps]
    play = Play(ranks)
    held = [list(keep) for keep in keeps]
    laid = []
    while play.turn is not None:
        seat = play.turn
        rank = strategy.choose_card(Observation.of(play, ranks[seat]), book)
        play.lay(rank)
        card = next(card for card in held[seat] if rank_of(card) == rank)
        held[seat].remove(card)
        laid.append(card)
    _check_book(books, book, ranks, play)
    starter = cards[12]
    counts = (
        score_events(keeps[rules.PONE], starter),
        score_events(keeps[rules.DEALER], starter),
        score_events([*throws[rules.PONE], *throws[rules.DEALER]], starter, crib=True),
    )
    return Deal(
        seed, number, hands, (throws[0], throws[1]), starter, tuple(laid), tuple(play.lays), counts
    )


def _check_book(books: Books, book: int, ranks: list[tuple[int, ...]], play: Play) -> None:
    pair = keep_number(ranks[rules.PONE]) * KEEPS + keep_number(ranks[rules.DEALER])
    in_book = [int(event) for event in books.sequences[books.plays[book, pair]] if event]
    told = [lay.points + lay.go | lay.seat << SEAT_BIT for lay in play.lays if lay.points + lay.go]
    if in_book != told:
        raise RuntimeError(
            f"the play book holds {in_book} where the strategy plays {told}: "
            "the books are not of this strategy"
        )
