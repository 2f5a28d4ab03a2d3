"""Walks over the public tree along what the players themselves would do.

A hand at a node has *marks*: 64 bits that say in which of up to 64 ways of playing it gets
there by its owner's own choices, whatever the other does. Marks start full at the root;
each action passes on the marks of those ways that take it. A hand without marks is off
its owner's path: it never comes about, so nothing need be known about it.

One walk serves four ends: rounding a solved strategy to 8-bit chances, writing those on
the path to a stream, reading them back, and spreading them over pure books.

Spread over books, the ways of playing are the books in the order in which a seat's chances
are shared out among them; see ``place_of_book``.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import rules
from ..jit import kernel, whole
from ..rng import GOLDEN, random_bits
from .multisets import MULTISETS, PADDED, SIZES
from .places import CODE_BASE
from .public_tree import (
    CARDS,
    EDGE,
    END,
    ENTRY,
    GO,
    LEAST,
    LIMIT,
    MOST_NODES_DEEP,
    MOVER,
    PLAYED,
    PublicTree,
    empty_tree,
)

WHOLE = 255  # a certain action; the chances of a hand's actions sum to it

# What a walk does at the hands on the path.
ROUND, WRITE, READ, SPREAD = 0, 1, 2, 3

_FULL = np.uint64(2**64 - 1)
_NONE = np.uint64(0)
_ONE = np.uint64(1)
_HALF = np.uint64(32)
_LOW_HALF = np.uint64(0xFFFFFFFF)
MOST_BOOKS = 64  # a mark is a bit
# Where the sharing out among the books starts. Of the first five seeds, the one by which 32 books
# come nearest to the mixed play in who is first to reach how many points.
SPREAD_SEED = 3


class Walk(NamedTuple):
    """What a walk reads and writes; each kind uses some of it.

    Attributes
    ----------
    kind : int
    chances : uint8[entries]
        8-bit chances of the actions, by entry of the tree; 0 throughout off the path.
    strategy : float32[entries]
        ``ROUND`` reads weights from here; ``SPREAD`` writes how many books take an action.
    stream : uint8
        ``WRITE`` and ``READ``: the chances on the path, all but each hand's last.
    books : int
        How many ways of playing there are, 1 to 64: for ``SPREAD`` the pure books.
    seed : int
        ``SPREAD``: where the sharing out starts; see ``book_action``.
    """

    kind: int
    chances: NDArray[np.uint8]
    strategy: NDArray[np.float32]
    stream: NDArray[np.uint8]
    books: int = 1
    seed: int = SPREAD_SEED


@kernel
def all_books(books: int) -> np.uint64:
    """Return the marks of all of up to 64 books."""
    return _FULL >> np.uint64(64 - books)


@kernel
def place_of_book(book: int, seat: int, books: int) -> int:
    """Return where a book stands in the order in which a seat's chances are shared out.

    The pone's order is that of the numbers, the dealer's that of their bits reversed. So
    the places of both seats lie evenly in the square (van der Corput's sequence): either
    seat meets every part of the other's mixture, as if both drew their books apart.

    Parameters
    ----------
    books : int
        A power of 2, and ``book`` is below it.
    """
    if seat == rules.PONE:
        return book
    place = 0
    while books > 1:
        place = place << 1 | book & 1
        book >>= 1
        books >>= 1
    return place


def check_books(books: int) -> None:
    """Raise ValueError unless the mixed play can be spread over so many books."""
    if not 1 <= books <= MOST_BOOKS or books & (books - 1):
        raise ValueError(f"books must be a power of 2, 1 to {MOST_BOOKS}, got {books}")


@kernel
def _how_many(marks: np.uint64) -> int:
    many = 0
    while marks != _NONE:
        marks &= marks - _ONE
        many += 1
    return many


@kernel
def book_action(
    chances: NDArray[np.uint8],
    entry: int,
    width: int,
    cards: int,
    node: int,
    hand: int,
    mark: int,
    marks: np.uint64,
    seed: int,
) -> int:
    """Return the place of the card that a pure book lays; -1 off the path.

    The choice is a function of the mover's information set and the book. It is stratified:
    the books that come here by their own choices (a function of the information set, for
    it holds those choices) are spread evenly over the chances, from a start that depends
    on the seed, the public node and the hand. From hand to hand the start moves on by the golden
    ratio: what one hand lays too often by so few books, its neighbours lay too seldom.

    Parameters
    ----------
    entry, width
        The first entry of the hand at its node, and how far the next place's is.
    mark : int
        The book's, one of the marks.
    marks : 64 bits
        The books that come to the information set.
    """
    start = (random_bits(np.uint64(seed), np.uint64(node)) + np.uint64(hand) * GOLDEN) >> _HALF
    before = _how_many(marks & ((_ONE << np.uint64(mark)) - _ONE))
    step = (np.uint64(before) << _HALF) // np.uint64(_how_many(marks))
    point = ((start + step) & _LOW_HALF) * np.uint64(WHOLE) >> _HALF
    below = _NONE
    for place in range(cards):
        below += np.uint64(chances[entry + place * width])
        if point < below:
            return place
    return -1


@kernel
def spread_books(
    chances: NDArray[np.uint8],
    entry: int,
    width: int,
    cards: int,
    node: int,
    hand: int,
    marks: np.uint64,
    passed: NDArray[np.uint64],
    seed: int,
) -> None:
    """Give each book's mark to the action that it takes; ``passed`` is by place."""
    for place in range(cards):
        passed[place] = _NONE
    rest = marks
    mark = 0
    while rest != _NONE:
        if rest & _ONE:
            place = book_action(chances, entry, width, cards, node, hand, mark, marks, seed)
            if place >= 0:
                passed[place] |= _ONE << np.uint64(mark)
        rest >>= _ONE
        mark += 1


@kernel
def _round(walk: Walk, entry: int, width: int, share: NDArray[np.float64], cards: int) -> None:
    """Round one hand's weights to chances of 8 bits by the largest remainders.

    ``share`` holds the weights of the legal actions, below 0 for the others.
    """
    total = 0.0
    for place in range(cards):
        total += max(share[place], 0.0)
    kept = 0.0
    for place in range(cards):
        if share[place] < 0:
            continue
        share[place] = share[place] * WHOLE / total if total > 0 else 1.0
        if total > 0 and share[place] < 1:
            share[place] = -1.0
        else:
            kept += share[place]
    left = WHOLE
    for place in range(cards):
        share[place] *= WHOLE / kept
        chance = int(max(share[place], 0.0))
        walk.chances[entry + place * width] = chance
        left -= chance
    for _ in range(left):
        # The action furthest below its share gets one more; ties: the first.
        best = 0
        short = -1.0
        for place in range(cards):
            here = share[place] - walk.chances[entry + place * width]
            if share[place] >= 0 and here > short:
                short = here
                best = place
        walk.chances[entry + best * width] += 1


@kernel
def _stream(
    walk: Walk, entry: int, width: int, legal: NDArray[np.bool_], cards: int, place_in: int
) -> int:
    """Write or read one hand's chances, all but that of the last legal action."""
    last = 0
    for place in range(cards):
        if legal[place]:
            last = place
    left = WHOLE
    for place in range(last):
        if not legal[place]:
            continue
        if walk.kind == READ:
            walk.chances[entry + place * width] = walk.stream[place_in]
        else:
            walk.stream[place_in] = walk.chances[entry + place * width]
        left -= walk.chances[entry + place * width]
        place_in += 1
    if walk.kind == READ:
        walk.chances[entry + last * width] = left
    return place_in


@kernel
def _visit(
    tree: PublicTree,
    walk: Walk,
    ranks: NDArray[np.uint8],
    fresh: NDArray[np.uint8],
    start: NDArray[np.int32],
    node: int,
    marks: NDArray[np.uint64],
    passed: NDArray[np.uint64],
    place_in: int,
) -> int:
    """Deal with the mover's hands at a node; ``passed[hand, place]`` receives marks."""
    state = tree.state[node]
    cards = whole(state[CARDS + state[MOVER]])
    limit = state[LIMIT]
    first = start[cards, state[LEAST + state[MOVER]]]
    width = start[cards, limit] - first
    share = np.zeros(rules.KEPT)
    legal = np.zeros(rules.KEPT, np.bool_)
    for hand in range(first, first + width):
        for place in range(cards):
            passed[hand, place] = _NONE
        if marks[hand] == _NONE:
            continue
        entry = whole(tree.link[node, ENTRY]) + hand - first
        actions = 0
        for place in range(cards):
            rank = ranks[cards, place, hand]
            legal[place] = fresh[cards, place, hand] == 1 and rank < limit
            actions += legal[place]
        if cards == 1:
            passed[hand, 0] = marks[hand]
            continue
        if walk.kind == ROUND:
            for place in range(cards):
                weight = walk.strategy[entry + place * width]
                share[place] = max(weight, np.float32(0)) if legal[place] else -1.0
            _round(walk, entry, width, share, cards)
        elif walk.kind == SPREAD:
            spread_books(
                walk.chances,
                entry,
                width,
                cards,
                node,
                hand,
                marks[hand],
                passed[hand],
                walk.seed,
            )
            for place in range(cards):
                taken = np.float32(_how_many(passed[hand, place]))
                walk.strategy[entry + place * width] = taken
            continue
        else:
            place_in = _stream(walk, entry, width, legal, cards, place_in)
        for place in range(cards):
            some = walk.chances[entry + place * width] > 0
            passed[hand, place] = marks[hand] if some else _NONE
    return place_in


@kernel
def _enter(
    tree: PublicTree,
    ranks: NDArray[np.uint8],
    start: NDArray[np.int32],
    insert: NDArray[np.int32],
    sizes: NDArray[np.int64],
    node: int,
    parent: int,
    above: NDArray[np.uint64],
    passed: NDArray[np.uint64],
    marks: NDArray[np.uint64],
) -> None:
    """Fill ``marks[seat, hand]`` of a node from those of its parent and what was passed on."""
    mover = whole(tree.state[parent, MOVER])
    other = 1 - mover
    cards = whole(tree.state[parent, CARDS + mover])
    other_cards = whole(tree.state[parent, CARDS + other])
    rank = whole(tree.state[node, EDGE])
    for hand in range(sizes[other_cards]):
        marks[other, hand] = above[other, hand]
    if rank == GO:
        past = start[cards, tree.state[parent, LIMIT]]
        for hand in range(sizes[cards]):
            marks[mover, hand] = above[mover, hand] if hand >= past else _NONE
        return
    for left in range(sizes[cards - 1]):
        hand = insert[cards - 1, rank, left]
        place = 0
        while ranks[cards, place, hand] != rank:
            place += 1
        in_range = hand >= start[cards, tree.state[parent, LEAST + mover]]
        marks[mover, left] = passed[hand, place] if in_range else _NONE
    # Hands of the other with more cards of the rank than are left in the deck.
    code = whole(tree.state[node, PLAYED + rank])
    gone = code // CODE_BASE + code % CODE_BASE
    for left in range(sizes[other_cards - 1]):
        hand = insert[other_cards - 1, rank, left]
        held = 0
        for place in range(other_cards):
            held += ranks[other_cards, place, hand] == rank
        if held + gone > rules.SUITS:
            marks[other, hand] = _NONE


@kernel
def _walk_tree(
    tree: PublicTree,
    walk: Walk,
    ranks: NDArray[np.uint8],
    fresh: NDArray[np.uint8],
    start: NDArray[np.int32],
    insert: NDArray[np.int32],
    sizes: NDArray[np.int64],
) -> int:
    marks = np.zeros((MOST_NODES_DEEP, 2, PADDED[rules.KEPT]), np.uint64)
    passed = np.zeros((MOST_NODES_DEEP, PADDED[rules.KEPT], rules.KEPT), np.uint64)
    path = np.zeros(MOST_NODES_DEEP, np.int64)
    marks[0] = all_books(walk.books)
    level = whole(0)
    used = whole(0)
    for node in range(len(tree.link)):
        while level > 0 and tree.link[path[level - 1], END] <= node:
            level -= 1
        if level > 0:
            up = level - 1
            _enter(
                tree,
                ranks,
                start,
                insert,
                sizes,
                node,
                path[up],
                marks[up],
                passed[up],
                marks[level],
            )
        path[level] = node
        mover = tree.state[node, MOVER]
        used = _visit(
            tree, walk, ranks, fresh, start, node, marks[level, mover], passed[level], used
        )
        level += 1
    return used


def _run(tree: PublicTree, walk: Walk) -> int:
    sets = MULTISETS
    return _walk_tree(tree, walk, sets.ranks, sets.fresh, sets.start, sets.insert, np.array(SIZES))


_NO_CHANCES = np.zeros(0, np.uint8)
_NO_STRATEGY = np.zeros(0, np.float32)


def rounded(tree: PublicTree, strategy: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return a strategy's chances in 255ths, uint8[entries]; 0 throughout off its path.

    Chances below 1/255 are left out, so that the path stays narrow.
    """
    chances = np.zeros(tree.entries, np.uint8)
    _run(tree, Walk(ROUND, chances, strategy, _NO_CHANCES))
    return chances


def packed(tree: PublicTree, chances: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the chances on the path as a stream, in the order of the tree."""
    stream = np.zeros(tree.entries, np.uint8)
    used = _run(tree, Walk(WRITE, chances, _NO_STRATEGY, stream))
    return stream[:used].copy()


def unpacked(tree: PublicTree, stream: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the chances that ``packed`` wrote.

    Raises
    ------
    ValueError
        If the stream is not one of this tree.
    """
    chances = np.zeros(tree.entries, np.uint8)
    # Room to read past the end of a stream that is cut.
    room = np.concatenate([stream, np.zeros(tree.entries, np.uint8)])
    if _run(tree, Walk(READ, chances, _NO_STRATEGY, room)) != len(stream):
        raise ValueError("the stored policy does not fit the tree of the play")
    return chances


def first_unpacked() -> None:
    """Read the policy of an empty tree once: it compiles what does so."""
    unpacked(empty_tree(), np.zeros(0, np.uint8))


def mixture(tree: PublicTree, chances: NDArray[np.uint8], books: int) -> NDArray[np.float32]:
    """Return the strategy of playing one of the pure books at random, as weights.

    An action's weight is the number of books that reach the hand by its owner's choices
    and take the action: the behaviour strategy that plays like the mixture.
    """
    counts = np.zeros(tree.entries, np.float32)
    _run(tree, Walk(SPREAD, chances, counts, _NO_CHANCES, books))
    return counts
