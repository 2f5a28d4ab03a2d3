"""Win odds at any moment of a deal: the hidden cards, the rest of the deal, the win table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..sim import rules
from ..sim.book import Books
from ..sim.cards import rank_of
from ..sim.numbering import KEEP_TERMS, KEEPS, THROWS
from ..sim.pairs import SEAT_BIT
from ..sim.strategy import Strategy
from ..tables.lookup import WinTable
from .ending import Ahead, ends
from .hidden import COUNT_OUT, DRAWS, SEED, Hidden, Known, Prior, hidden_cards
from .history import follow
from .outlook import Outlook, cells_of_table, outlooks
from .pegs import Pegs
from .playout import Lines, Rest, lay_on
from .position import Position
from .replies import replies_of

Replies = Literal["reference", "going out"]
REPLIES: Final[tuple[Replies, ...]] = ("reference", "going out")


@dataclass(frozen=True)
class Model:
    """How hidden cards and the rest of the deal are reckoned.

    Attributes
    ----------
    strategy : Strategy
        How both players throw and play on.
    books : Books
        The same, compiled.
    prior : str
        ``reference`` or ``uniform``; see ``hidden``.
    replies : str
        ``reference``, or ``going out``: who can win by laying a card lays it.
    draws, count_out, seed : int
        As in ``hidden.hidden_cards``.
    """

    strategy: Strategy
    books: Books
    prior: Prior = "reference"
    replies: Replies = "reference"
    draws: int = DRAWS
    count_out: int = COUNT_OUT
    seed: int = SEED


class Option(NamedTuple):
    """One thing that the player can do, and what it promises.

    Attributes
    ----------
    cards : tuple of cards
        The throw, or the card to lay; empty when nothing is his to choose.
    outlook : Outlook
    own_play, opponent_play : float
        Points that each can expect from the play yet to come, played to its end.
    """

    cards: tuple[int, ...]
    outlook: Outlook
    own_play: float
    opponent_play: float


@dataclass(frozen=True)
class PositionOdds:
    """The answer to a position.

    Attributes
    ----------
    position : Position
    pegs : two Pegs
        Of the player and of the opponent.
    options : tuple of Option
        Best first. One without cards when nothing is the player's to choose.
    possibilities : int
        Hidden cards met by every option.
    possible : int or None
        How many there are in all; None: drawn from more than were counted.
    prior, note : str
        The prior as used, and why it is not the one asked for.
    replies : str
    """

    position: Position
    pegs: tuple[Pegs, Pegs]
    options: tuple[Option, ...]
    possibilities: int
    possible: int | None
    prior: Prior
    note: str
    replies: Replies

    @property
    def best(self) -> Option:
        """The best option: the odds now, if the player finds it."""
        return self.options[0]

    @property
    def win(self) -> float:
        """The player's probability of winning, if he chooses best now."""
        return self.options[0].outlook.odds.win

    @property
    def exact(self) -> bool:
        """Whether every possibility was counted out."""
        return self.possible == self.possibilities


def position_odds(position: Position, table: WinTable, model: Model) -> PositionOdds:
    """Return the odds of a position, and of everything that the player can do in it.

    Raises
    ------
    ValueError
        If the game is over, or a score is off the board.
    CardError
        If no cards of the opponent fit what he has shown.
    """
    mine, yours = position.board()
    for whose, pegs in (("you have", mine), ("the opponent has", yours)):
        if pegs.score >= table.target:
            raise ValueError(f"the game is over: {whose} {pegs.score} points of {table.target}")
    hidden = hidden_cards(
        _known(position), model.books.discards, model.prior,
        draws=model.draws, count_out=model.count_out, seed=model.seed,
    )  # fmt: skip
    ahead, rows, choices = _ahead(position, hidden, model, table.target)
    after = cells_of_table(table, position.seat == rules.PONE)
    found = ends(ahead, hidden, rows, mine.score, yours.score, table.target, after[0])
    told = outlooks(found, after, table.target, hidden.possible)
    options = [
        Option(cards, outlook, *points)
        for cards, outlook, points in zip(choices, told, _play_points(ahead, rows), strict=True)
    ]
    options.sort(key=lambda option: option.outlook.behind)
    return PositionOdds(
        position, (mine, yours), tuple(options), len(hidden.keeps), hidden.possible,
        hidden.prior, hidden.note, model.replies,
    )  # fmt: skip


def _known(position: Position) -> Known:
    own = position.keep + position.throw
    if position.seen is None:
        return Known(own, None, 1 - position.seat)
    return Known(
        own, position.starter, 1 - position.seat, position.seen.shown, position.seen.denied
    )


def _ahead(
    position: Position, hidden: Hidden, model: Model, target: int
) -> tuple[Ahead, NDArray[np.int32], list[tuple[int, ...]]]:
    """Return what may still happen, the opponent's row by possibility, and the options."""
    choices, keeps, throws = _choices(position)
    shown = 0 if position.seen is None else len(position.seen.shown)
    chooses = choices[0] != () and position.seen is not None
    whole = not position.play and not chooses and model.replies == "reference"
    if whole:
        # A whole play that nobody has begun is in the books.
        rows = _numbers(hidden.keeps)
        lines = _whole_plays(position.seat, keeps, model.books)
    else:
        hands, rows = _different(hidden.keeps[:, shown:])
        lines = _lines(position, hands, choices, keeps, chooses, model, target)
    ahead = Ahead(
        position.seat, keeps, throws, position.starter is None, position.stage, lines, whole
    )
    return ahead, rows, choices


def _play_points(ahead: Ahead, rows: NDArray[np.int32]) -> list[tuple[float, float]]:
    """Return by option what the player and the opponent can expect of the play to come."""
    lines = ahead.lines
    points = _points(lines.events)[:, lines.which] * lines.chances
    by_group = np.add.reduceat(points, lines.starts[:-1], axis=1)
    hands = (len(lines.starts) - 1) // len(ahead.keeps)
    weights = np.bincount(rows, minlength=hands) / len(rows)
    means = (by_group.reshape(2, -1, hands) * weights).sum(axis=2)
    return list(zip(means[ahead.seat].tolist(), means[1 - ahead.seat].tolist(), strict=True))


def _choices(
    position: Position,
) -> tuple[list[tuple[int, ...]], NDArray[np.uint8], NDArray[np.uint8]]:
    """Return what the player can choose, and for each option his keep and throw."""
    if position.seen is None:
        six = sorted(position.keep)
        choices = [tuple(six[i] for i in throw) for throw in THROWS]
        keeps = [[card for card in six if card not in throw] for throw in choices]
        return choices, np.array(keeps, np.uint8), np.array(choices, np.uint8)
    choices = [(card,) for card in position.seen.legal] if position.starter is not None else []
    choices = choices or [()]
    many = len(choices)
    return (
        choices,
        np.tile(np.array(position.keep, np.uint8), (many, 1)),
        np.tile(np.array(position.throw, np.uint8), (many, 1)),
    )


def _whole_plays(seat: int, keeps: NDArray[np.uint8], books: Books) -> Lines:
    """Return the play of every option's keep with all keeps of the opponent, by the books."""
    own = _numbers(keeps)
    plays = books.plays.reshape(-1, KEEPS, KEEPS)
    which = plays[:, own] if seat == rules.PONE else plays[:, :, own].swapaxes(1, 2)
    many = len(plays)
    ways = which.transpose(1, 2, 0).reshape(-1).astype(np.int32)
    starts = np.arange(0, len(ways) + 1, many)
    return Lines(starts, books.sequences, ways, np.full(len(ways), 1 / many))


def _lines(
    position: Position,
    hands: NDArray[np.uint8],
    choices: Sequence[tuple[int, ...]],
    keeps: NDArray[np.uint8],
    chooses: bool,
    model: Model,
    target: int,
) -> Lines:
    """Return the rest of the play with these hands of the opponent, as the model goes on."""
    replies = replies_of(model.strategy, model.books)
    going_out = model.replies == "going out"
    mine, yours = position.board()
    needs = (target - mine.score, target - yours.score)
    if position.seat == rules.DEALER:
        needs = (needs[1], needs[0])
    if position.seen is None:
        return _joined(
            [
                lay_on(
                    replies,
                    Rest(follow(position.seat, keep, ()), tuple(keep), needs, going_out),
                    [None],
                    hands,
                )
                for keep in keeps.tolist()
            ]
        )
    rest = Rest(position.seen, position.keep, needs, going_out)
    firsts = [rank_of(cards[0]) for cards in choices] if chooses else [None]
    return lay_on(replies, rest, firsts, hands)


def _joined(parts: Sequence[Lines]) -> Lines:
    """Return the ways of several options as one."""
    ways = np.cumsum([0] + [len(part.chances) for part in parts])
    starts = [part.starts[:-1] + way for part, way in zip(parts, ways[:-1], strict=True)]
    events = np.concatenate([part.events for part in parts])
    return Lines(
        np.concatenate([*starts, ways[-1:]]),
        events,
        np.arange(len(events), dtype=np.int32),
        np.concatenate([part.chances for part in parts]),
    )


def _numbers(keeps: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Return the number of each keep, rows of four cards in any order."""
    ranks = np.sort(keeps >> 2, axis=1)
    terms = np.stack([KEEP_TERMS[i][ranks[:, i]] for i in range(rules.KEPT)])
    numbers: NDArray[np.int32] = terms.sum(axis=0, dtype=np.int32)
    return numbers


def _different(held: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Return the different ranks held (rows, cards) and each possibility's row."""
    cards = held.shape[1]
    ranks = np.sort(held >> 2, axis=1)
    codes = np.zeros(len(held), np.int64)
    for i in range(cards):
        codes = codes * rules.RANKS + ranks[:, i]
    there = np.zeros(rules.RANKS**cards, bool)
    there[codes] = True
    rows = (np.cumsum(there) - 1).astype(np.int32)
    found = np.flatnonzero(there)
    hands = np.empty((len(found), cards), np.uint8)
    for i in range(cards - 1, -1, -1):
        found, hands[:, i] = np.divmod(found, rules.RANKS)
    return hands, rows[codes]


def _points(sequences: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return the points of the pone and of the dealer by sequence, shape (2, s)."""
    points = (sequences & (1 << SEAT_BIT) - 1).astype(np.float64)
    dealer = sequences >> SEAT_BIT
    return np.stack([(points * (1 - dealer)).sum(axis=1), (points * dealer).sum(axis=1)])
