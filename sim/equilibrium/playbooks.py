"""The mixed play spread over pure books: who scores what, in order, for all pairs of keeps.

A book is an ordinary pure strategy of both seats: what it lays is a function of the
mover's information set and the book's number alone (`own_path.book_action`). Both keeps
then decide the whole play, so a book is a matrix of scoring events; see `pair_events`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import rules
from ..book import index_plays
from ..jit import copy_row, kernel, over_threads, whole
from ..numbering import KEEP_COUNTS, KEEPS
from ..pairs import IMPOSSIBLE, SEAT_BIT, points_by_seat
from .best_response import removal
from .endings import ORDERS, best_solo_order, finish
from .multisets import MULTISETS, Multisets
from .own_path import SPREAD_SEED, all_books, check_books, place_of_book, spread_books
from .places import (
    COUNT,
    HANDS_WIDTH,
    HELD,
    LENGTH,
    LOW,
    POINTS,
    SERIES,
    STATE_WIDTH,
    TURN,
    lay,
    settle,
)
from .public_tree import (
    CARDS,
    CHILDREN,
    EDGE,
    END,
    ENTRY,
    GO,
    LEAST,
    LIMIT,
    MOST_NODES_DEEP,
    MOVER,
    PublicTree,
    empty_tree,
)

_TASKS = 4
_PARTS = 14
_CARDS = 2 * rules.KEPT


class Levels(NamedTuple):
    """The levels of a walk down the tree: the place, the cards laid, and who comes here.

    The first axis of everything is the level.

    Attributes
    ----------
    state, hands, played : the place; see `cribodds.sim.equilibrium.places`
    seats, ranks, points : int8[8]
        The cards laid so far.
    hand, keep : int32[2][1820]
        By seat, the hands that come here by their owner's choices and where the keeps they
        are of stand in the matrix of events.
    marks : uint64[2][1820]
        The books that bring each of them here; see `cribodds.sim.equilibrium.own_path`.
    many : int64[2]
        How many hands.
    passed : uint64[1820][4]
        For each of the mover's hands, the books that lay the card at each place.
    goes : bool[1820]
        For each of the mover's hands, whether it has to say go.
    """

    state: NDArray[np.int64]
    hands: NDArray[np.int64]
    played: NDArray[np.uint8]
    seats: NDArray[np.int8]
    ranks: NDArray[np.int8]
    points: NDArray[np.int8]
    hand: NDArray[np.int32]
    keep: NDArray[np.int32]
    marks: NDArray[np.uint64]
    many: NDArray[np.int64]
    passed: NDArray[np.uint64]
    goes: NDArray[np.bool_]


class Scratch(NamedTuple):
    """Room for a series, for the last cards of both seats, and for how many these are."""

    path: NDArray[np.int64]
    series: NDArray[np.uint8]
    cards: NDArray[np.uint8]
    left: NDArray[np.int64]


@kernel
def _step(
    levels: Levels, at: int, up: int, edge: int, limit: int, series: NDArray[np.uint8]
) -> None:
    """Set a level's place to what follows a card, or a go, at the level before."""
    copy_row(levels.state[up], levels.state[at])
    copy_row(levels.hands[up], levels.hands[at])
    copy_row(levels.played[up], levels.played[at])
    copy_row(levels.seats[up], levels.seats[at])
    copy_row(levels.ranks[up], levels.ranks[at])
    copy_row(levels.points[up], levels.points[at])
    turn = levels.state[up, TURN]
    scored = levels.hands[up, POINTS] + levels.hands[up, POINTS + 1]
    laid = _CARDS - levels.hands[up, HELD] - levels.hands[up, HELD + 1]
    if edge == GO:
        levels.hands[at, LOW + turn] = limit
    else:
        lay(levels.state[at], levels.hands[at], levels.played[at], series, edge)
        levels.seats[at, laid] = turn
        levels.ranks[at, laid] = edge
        levels.points[at, laid] = 0
        laid += 1
    settle(levels.state[at], levels.hands[at])
    # Whatever is scored, the go too, belongs to the last card laid.
    if laid > 0:
        levels.points[at, laid - 1] += (
            levels.hands[at, POINTS] + levels.hands[at, POINTS + 1] - scored
        )


@kernel
def _divide(
    tree: PublicTree,
    sets: Multisets,
    chances: NDArray[np.uint8],
    node: int,
    levels: Levels,
    at: int,
    seed: int,
) -> None:
    """Let every book choose for every hand of the mover."""
    record = tree.state[node]
    mover = whole(record[MOVER])
    cards = whole(record[CARDS + mover])
    first = whole(sets.start[cards, record[LEAST + mover]])
    past = whole(sets.start[cards, record[LIMIT]])
    width = past - first
    for i in range(levels.many[at, mover]):
        hand = whole(levels.hand[at, mover, i])
        marks = levels.marks[at, mover, i]
        levels.goes[at, i] = hand >= past
        if hand >= past:
            continue
        if cards == 1:
            levels.passed[at, i, 0] = marks
            continue
        entry = whole(tree.link[node, ENTRY]) + hand - first
        # A hand that nobody can hold here has no chances: its marks end.
        spread_books(chances, entry, width, cards, node, hand, marks, levels.passed[at, i], seed)


@kernel
def _follow(
    sets: Multisets, levels: Levels, at: int, up: int, mover: int, cards: int, edge: int
) -> None:
    """Take over the hands that come from the level before by an edge."""
    many = 0
    for i in range(levels.many[up, mover]):
        hand = levels.hand[up, mover, i]
        marks = levels.marks[up, mover, i]
        if levels.goes[up, i] != (edge == GO):
            continue
        if edge != GO:
            place = 0
            while place < cards and sets.ranks[cards, place, hand] != edge:
                place += 1
            if place == cards or levels.passed[up, i, place] == 0:
                continue
            marks = levels.passed[up, i, place]
            hand = sets.rest[cards, place, hand]
        levels.hand[at, mover, many] = hand
        levels.keep[at, mover, many] = levels.keep[up, mover, i]
        levels.marks[at, mover, many] = marks
        many += 1
    levels.many[at, mover] = many
    other = 1 - mover
    levels.many[at, other] = levels.many[up, other]
    if many > 0:
        for i in range(levels.many[up, other]):
            levels.hand[at, other, i] = levels.hand[up, other, i]
            levels.keep[at, other, i] = levels.keep[up, other, i]
            levels.marks[at, other, i] = levels.marks[up, other, i]


@kernel
def _last_cards(
    sets: Multisets,
    state: NDArray[np.int64],
    held: NDArray[np.int64],
    seat: int,
    hand: int,
    series: NDArray[np.uint8],
    cards: NDArray[np.uint8],
) -> None:
    """Fill ``cards[seat]`` with a hand at an ending, in the order in which it is laid."""
    many = held[seat]
    for place in range(many):
        cards[seat, place] = sets.ranks[many, place, hand]
    if many > 1:
        _, order = best_solo_order(series, state[LENGTH], state[COUNT], cards[seat], many)
        for place in range(many):
            cards[seat, place] = sets.ranks[many, ORDERS[many - 2, order, place], hand]


@kernel
def _load_series(state: NDArray[np.int64], series: NDArray[np.uint8]) -> None:
    for i in range(state[LENGTH]):
        series[i] = state[SERIES + i]


@kernel
def _pack(seats: NDArray[np.int8], points: NDArray[np.int8]) -> np.uint64:
    packed = np.uint64(0)
    shift = np.uint64(0)
    for i in range(_CARDS):
        if points[i] > 0:
            packed |= np.uint64(points[i] | whole(seats[i]) << SEAT_BIT) << shift
            shift += np.uint64(8)
    return packed


@kernel
def _in_dealers_order(marks: np.uint64, books: int) -> np.uint64:
    """Return the marks of the same books, from the pone's order to the dealer's."""
    moved = np.uint64(0)
    for book in range(books):
        place = place_of_book(book, rules.DEALER, books)
        moved |= (marks >> np.uint64(book) & np.uint64(1)) << np.uint64(place)
    return moved


@kernel
def _end(
    sets: Multisets,
    levels: Levels,
    at: int,
    events: NDArray[np.uint64],
    scratch: Scratch,
) -> None:
    """Finish the play of every pair of hands that meets at an ending."""
    series = scratch.series
    cards = scratch.cards
    left = scratch.left
    state = levels.state[at]
    points = levels.points[at]
    held = levels.hands[at, HELD : HELD + 2]
    laid = _CARDS - held[0] - held[1]
    earned = points[laid - 1]
    books = len(events)
    for i in range(levels.many[at, rules.PONE]):
        mine = _in_dealers_order(levels.marks[at, rules.PONE, i], books)
        _load_series(state, series)
        _last_cards(sets, state, held, rules.PONE, levels.hand[at, 0, i], series, cards)
        for j in range(levels.many[at, rules.DEALER]):
            both = mine & levels.marks[at, rules.DEALER, j]
            if both == 0:
                continue
            _load_series(state, series)
            _last_cards(sets, state, held, rules.DEALER, levels.hand[at, 1, j], series, cards)
            _load_series(state, series)
            copy_row(held, left)
            points[laid - 1] = earned
            finish(
                series, state[LENGTH], state[COUNT], state[TURN], cards, left,
                levels.seats[at], levels.ranks[at], points, laid,
            )  # fmt: skip
            packed = _pack(levels.seats[at], points)
            for book in range(books):
                if both >> np.uint64(place_of_book(book, rules.DEALER, books)) & np.uint64(1):
                    events[book, levels.keep[at, 0, i], levels.keep[at, 1, j]] = packed


def _new_levels(deep: int, books: int) -> Levels:
    """Return levels whose first is the start of the play, with all keeps of both seats.

    Made outside the kernels: a kernel that owns many arrays takes a minute to compile.
    """
    levels = Levels(
        np.zeros((deep, STATE_WIDTH), np.int64),
        np.zeros((deep, HANDS_WIDTH), np.int64),
        np.zeros((deep, rules.RANKS), np.uint8),
        np.zeros((deep, _CARDS), np.int8),
        np.zeros((deep, _CARDS), np.int8),
        np.zeros((deep, _CARDS), np.int8),
        np.zeros((deep, 2, KEEPS), np.int32),
        np.zeros((deep, 2, KEEPS), np.int32),
        np.zeros((deep, 2, KEEPS), np.uint64),
        np.zeros((deep, 2), np.int64),
        np.zeros((deep, KEEPS, rules.KEPT), np.uint64),
        np.zeros((deep, KEEPS), np.bool_),
    )
    levels.state[0, TURN] = rules.PONE
    levels.hands[0, HELD : HELD + 2] = rules.KEPT
    levels.many[0] = KEEPS
    levels.marks[:] = all_books(books)
    levels.hand[0] = np.arange(KEEPS)
    levels.keep[0] = np.arange(KEEPS)
    return levels


def _new_scratch() -> Scratch:
    return Scratch(
        np.zeros(MOST_NODES_DEEP, np.int64),
        np.zeros(_CARDS + 2, np.uint8),
        np.zeros((2, rules.KEPT), np.uint8),
        np.zeros(2, np.int64),
    )


@kernel
def _fill_events(
    tree: PublicTree,
    sets: Multisets,
    chances: NDArray[np.uint8],
    levels: Levels,
    scratch: Scratch,
    events: NDArray[np.uint64],
    seed: int,
) -> None:
    """Carry the keeps down the tree by the choices of the books, and finish every pair."""
    path = scratch.path
    at = 0
    node = 0
    while node < len(tree.link):
        while at > 0 and tree.link[path[at - 1], END] <= node:
            at -= 1
        if at > 0:
            parent = path[at - 1]
            mover = whole(tree.state[parent, MOVER])
            edge = whole(tree.state[node, EDGE])
            held = whole(tree.state[parent, CARDS + mover])
            _follow(sets, levels, at, at - 1, mover, held, edge)
            if levels.many[at, 0] == 0 or levels.many[at, 1] == 0:
                node = whole(tree.link[node, END])
                continue
            _step(levels, at, at - 1, edge, whole(tree.state[parent, LIMIT]), scratch.series)
        _divide(tree, sets, chances, node, levels, at, seed)
        path[at] = node
        mover = whole(tree.state[node, MOVER])
        least = whole(tree.state[node, LEAST + mover])
        held = whole(tree.state[node, CARDS + mover])
        for rank in range(least, whole(tree.state[node, LIMIT])):
            if tree.children[tree.link[node, CHILDREN] + rank - least] <= -2:
                _follow(sets, levels, at + 1, at, mover, held, rank)
                if levels.many[at + 1, 0] > 0 and levels.many[at + 1, 1] > 0:
                    _step(levels, at + 1, at, rank, whole(0), scratch.series)
                    _end(sets, levels, at + 1, events, scratch)
        at += 1
        node += 1


@kernel
def _mark_impossible(
    counts: NDArray[np.uint8], pones: NDArray[np.int32], events: NDArray[np.uint64]
) -> None:
    for i in range(len(pones)):
        for dealer in range(KEEPS):
            for rank in range(rules.RANKS):
                if counts[pones[i], rank] + counts[dealer, rank] > rules.SUITS:
                    events[i, dealer] = IMPOSSIBLE


_EVERY = np.arange(KEEPS, dtype=np.int32)


def pair_events(
    tree: PublicTree,
    chances: NDArray[np.uint8],
    books: int,
    *,
    pones: NDArray[np.int32] = _EVERY,
    seed: int = SPREAD_SEED,
) -> NDArray[np.uint64]:
    """Return the scoring events of the pure books for pairs of keeps.

    Parameters
    ----------
    chances : uint8[entries]
        The policy; see `cribodds.sim.equilibrium.own_path`.
    books : int
        How many books the policy is spread over: a power of 2, 1 to 64.
    pones : int32[n], ascending
        The keeps of the pone, all by default; the dealer's are all.
    seed : int
        Another seed spreads the policy over the books in another way.

    Returns
    -------
    uint64[books][n][1820]
        By book and keep of the pone and of the dealer. Byte i, the lowest first, is the
        i-th card that scored: points, go and last card included, and the seat in the
        highest bit; 0 when there are no more. All ones where a rank would be there more
        than four times.

    Raises
    ------
    ValueError
        If it cannot be spread over so many.
    """
    check_books(books)
    events = np.full((books, len(pones), KEEPS), IMPOSSIBLE, np.uint64)

    def fill(task: int) -> None:
        # Neighbouring keeps play alike; every task gets some of all kinds.
        dealers = _EVERY[task::_TASKS]
        levels = _new_levels(MOST_NODES_DEEP, books)
        levels.many[0, rules.PONE] = len(pones)
        levels.hand[0, rules.PONE, : len(pones)] = pones
        levels.keep[0, rules.PONE, : len(pones)] = np.arange(len(pones))
        levels.many[0, rules.DEALER] = len(dealers)
        levels.hand[0, rules.DEALER, : len(dealers)] = dealers
        levels.keep[0, rules.DEALER, : len(dealers)] = dealers
        _fill_events(tree, MULTISETS, chances, levels, _new_scratch(), events, seed)

    over_threads(fill, _TASKS)
    over_threads(lambda book: _mark_impossible(KEEP_COUNTS, pones, events[book]), books)
    return events


def index_mixed(
    tree: PublicTree, chances: NDArray[np.uint8], books: int, *, seed: int = SPREAD_SEED
) -> tuple[NDArray[np.uint8], NDArray[np.uint16]]:
    """Return the different plays of the books and which one each pair has: as ``index_plays``.

    All events of 32 books are 850 MB; they are made and numbered a part at a time.
    """
    parts = np.array_split(_EVERY, _PARTS)
    return index_plays(
        books, (pair_events(tree, chances, books, pones=part, seed=seed) for part in parts)
    )


def first_spread() -> None:
    """Spread the play of an empty tree over books once: it compiles what does so."""
    index_mixed(empty_tree(), np.zeros(0, np.uint8), 1)


def mean_points(
    events: NDArray[np.uint64], pone_prior: ArrayLike, dealer_prior: ArrayLike
) -> tuple[float, float]:
    """Return the mean points in the play of pone and dealer, over how often they keep what."""
    chance = removal() * np.outer(np.asarray(pone_prior), np.asarray(dealer_prior))
    chance /= chance.sum()
    pone, dealer = points_by_seat(events)
    return float((chance * pone).sum()), float((chance * dealer).sum())
