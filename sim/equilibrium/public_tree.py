"""The public tree of the play: every order in which ranks can be laid and gos be said.

A node is what both players see. What a player can still hold is the number of his cards
left and, after a go, a least rank: see `cribodds.sim.equilibrium.multisets`. Nodes are in preorder,
so a subtree is a range of numbers. A node's children are one for each rank that the mover
may lay, and one for his go if he may be unable to lay a card.

A child is a node (its number), or an ending, or ``NO_CHILD`` (all four cards of a rank are
gone). An ending is packed into a negative number with the points scored on the way to it::

    -2 - (ending << 11 | pone's points << 6 | dealer's points << 1 | solo)

where ``ending`` is the number of a pair ending, or the place (in units of 16) of a solo
ending in its pool.
"""

import functools
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import rules
from ..jit import kernel, whole
from ..play import is_legal
from ..rng import GOLDEN
from .endings import best_solo_order, finish
from .multisets import LANES, MULTISETS, PADDED, SIZES
from .places import (
    CODE_BASE,
    COUNT,
    HANDS_WIDTH,
    HELD,
    LAST,
    LOW,
    POINTS,
    STATE_WIDTH,
    TURN,
    lay,
    ranks_allowed,
    settle,
    tail_key,
)

NO_CHILD = -1
GO = rules.RANKS  # the edge of a go, after the edges 0..12 of the ranks

# Columns of `PublicTree.state`; 8 + rank is the played code of a rank, see below.
MOVER, CARDS, LEAST, LIMIT, EDGE = 0, 1, 3, 5, 6
PLAYED = 8
# Columns of `PublicTree.link`.
CHILDREN, GO_CHILD, ENTRY, END = 0, 1, 2, 3

# Three ways to look at the points of an ending.
VIEWS = 3
DIFFERENCE_OF_PONE, DIFFERENCE_OF_DEALER, TOTAL = 0, 1, 2
SUM_LANE = LANES - 1
PAIR_ROWS = 14  # thirteen ranks of the other player's card, and the diagonal

# Columns of `PublicTree.solos`.
SOLO_COUNT, SOLO_TAIL, SOLO_SEAT, SOLO_CARDS, SOLO_SERIES = 0, 1, 2, 3, 4

# Room for the parts of the tree, more than the rules can fill; the builder checks.
_MOST_NODES = 1_000_000
_MOST_CHILDREN = 7_500_000
_MOST_ENDINGS = 1 << 16
_SLOTS = 1 << 18
_MOST_POOL = 1 << 16
_LONGEST_POOL = PADDED[rules.KEPT - 1]
_EDGES = rules.RANKS + 1
_DEEPEST = 24
# Nodes on a path: what walks over the tree have room for.
MOST_NODES_DEEP: Final = 12


class PublicTree(NamedTuple):
    """The tree; see the module for what nodes and endings are.

    Attributes
    ----------
    state : uint8[nodes][24]
        Mover; cards left of pone and dealer; least rank each can hold; how many ranks
        are legal (0..13); the edge from the parent (rank or ``GO``); from column 8 the
        played code of each rank.
    link : int32[nodes][4]
        Where the children start; the node after a go, or ``NO_CHILD``; where the node's
        strategy entries start, or -1 if there is no choice; the end of the subtree.
    children : int32
        For each node, a child for each rank from the mover's least to the last legal one.
    entries : int
        Strategy entries in all. A node with n cards has n rows (a row for each place in
        the hand), each over the hands that can lay a card.
    pairs : int8[3][endings][14][16]
        Points of pair endings, by view: own difference for pone, for dealer, and the
        total of both. Rows are the other's card (for totals the dealer's), columns the
        own; column 15 is 1. Row 13 is the diagonal.
    pool : int8[3][...]
        Points of solo endings over the lone player's hands, best order, by view.
    solos : uint8[solo endings][16]
        What a solo ending looks like: count, tail length, lone player, his cards, tail.
    solo_at : int32[solo endings]
        Place in the pool, in units of 16.
    """

    state: NDArray[np.uint8]
    link: NDArray[np.int32]
    children: NDArray[np.int32]
    entries: int
    pairs: NDArray[np.int8]
    pool: NDArray[np.int8]
    solos: NDArray[np.uint8]
    solo_at: NDArray[np.int32]


@kernel
def _slot(keys: NDArray[np.int64], key: int) -> int:
    """Return the place of a key in an open-addressed table, or where it would go."""
    mask = len(keys) - 1
    mixed = np.uint64(key + 1) * GOLDEN
    at = whole(mixed >> np.uint64(40)) & mask
    while keys[at] != -1 and keys[at] != key:
        at = (at + 1) & mask
    return int(at)


@kernel
def _fill_pairs(
    pairs: NDArray[np.int8],
    number: int,
    series: NDArray[np.uint8],
    tail: int,
    state: NDArray[np.int64],
) -> None:
    cards = np.zeros((2, 3), np.uint8)
    left = np.zeros(2, np.int64)
    seats = np.zeros(3, np.int8)
    laid_ranks = np.zeros(3, np.int8)
    laid = np.zeros(3, np.int8)
    points = np.zeros(2, np.int64)
    for pone in range(rules.RANKS):
        for dealer in range(rules.RANKS):
            cards[rules.PONE, 0] = pone
            cards[rules.DEALER, 0] = dealer
            left[:] = 1
            seats[0] = state[LAST]
            laid[0] = 0
            finish(
                series,
                tail,
                state[COUNT],
                state[TURN],
                cards,
                left,
                seats,
                laid_ranks,
                laid,
                whole(1),
            )
            points[:] = 0
            for i in range(3):
                points[seats[i]] += laid[i]
            difference = points[0] - points[1]
            pairs[DIFFERENCE_OF_PONE, number, dealer, pone] = difference
            pairs[DIFFERENCE_OF_DEALER, number, pone, dealer] = -difference
            pairs[TOTAL, number, dealer, pone] = points[0] + points[1]
    for view in range(VIEWS):
        for rank in range(rules.RANKS):
            pairs[view, number, rules.RANKS, rank] = pairs[view, number, rank, rank]
            # A product with a row of chances then leaves their sum in the last lane.
            pairs[view, number, rank, SUM_LANE] = 1


@kernel
def _fill_solo(
    pool: NDArray[np.int8],
    at: int,
    series: NDArray[np.uint8],
    tail: int,
    state: NDArray[np.int64],
    cards: int,
    ranks: NDArray[np.uint8],
    hands: int,
) -> None:
    hand = np.zeros(rules.KEPT, np.uint8)
    count = state[COUNT]
    for number in range(hands):
        for place in range(cards):
            hand[place] = ranks[cards, place, number]
        own, _ = best_solo_order(series, tail, count, hand, cards)
        # Hands ascend: if the first card cannot be laid, none can.
        paid = 0 < count < rules.COUNT_LIMIT and not is_legal(hand[0], count)
        other = rules.POINTS_FOR_GO if paid else 0
        difference = own - other if state[TURN] == rules.PONE else other - own
        pool[DIFFERENCE_OF_PONE, at + number] = difference
        pool[DIFFERENCE_OF_DEALER, at + number] = -difference
        pool[TOTAL, at + number] = own + other


@kernel
def _packed(ending: int, hands: NDArray[np.int64], solo: int) -> int:
    points = hands[POINTS + rules.PONE] << 6 | hands[POINTS + rules.DEALER] << 1
    return int(-2 - (ending << 11 | points | solo))


class _Growing(NamedTuple):
    """The arrays of a tree while it is built, with room to spare; see `PublicTree`.

    ``used`` counts nodes, children, entries, pair endings, lanes of the pool, solo
    endings and the most nodes on a path; ``keys`` and ``values`` are a hash table from
    the tail of a series to the number of its ending.
    """

    state: NDArray[np.uint8]
    link: NDArray[np.int32]
    children: NDArray[np.int32]
    pairs: NDArray[np.int8]
    pool: NDArray[np.int8]
    solos: NDArray[np.uint8]
    solo_at: NDArray[np.int32]
    used: NDArray[np.int64]
    keys: NDArray[np.int64]
    values: NDArray[np.int64]


_NODES, _CHILDREN_USED, _ENTRIES, _PAIRS, _POOL, _SOLOS, _DEPTH, _USES = range(8)


@kernel
def _add_node(
    tree: _Growing,
    state: NDArray[np.int64],
    hands: NDArray[np.int64],
    played: NDArray[np.uint8],
    edge: int,
    start: NDArray[np.int32],
) -> int:
    """Write down a new node with room for its children and entries; return its number."""
    node = tree.used[_NODES]
    limit = ranks_allowed(state[COUNT])
    turn = state[TURN]
    least = hands[LOW + turn]
    cards = hands[HELD + turn]
    record = tree.state[node]
    record[MOVER] = turn
    for seat in range(2):
        record[CARDS + seat] = hands[HELD + seat]
        record[LEAST + seat] = hands[LOW + seat]
    record[LIMIT] = limit
    record[EDGE] = edge
    for rank in range(rules.RANKS):
        record[PLAYED + rank] = played[rank]
    link = tree.link[node]
    link[CHILDREN] = tree.used[_CHILDREN_USED]
    link[GO_CHILD] = NO_CHILD
    link[ENTRY] = -1
    tree.used[_CHILDREN_USED] += limit - least
    if cards > 1:
        link[ENTRY] = tree.used[_ENTRIES]
        tree.used[_ENTRIES] += cards * (start[cards, limit] - start[cards, least])
    tree.used[_NODES] += 1
    return int(node)


@kernel
def _ending(
    tree: _Growing,
    state: NDArray[np.int64],
    hands: NDArray[np.int64],
    series: NDArray[np.uint8],
    multisets: tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]],
) -> int:
    """Return the packed ending of a place, solved now if its tail is new."""
    mover_cards = hands[HELD + state[TURN]]
    other_cards = hands[HELD + 1 - state[TURN]]
    lone = mover_cards if other_cards == 0 else 0
    key, tail = tail_key(state, series, mover_cards + other_cards, lone)
    at = _slot(tree.keys, key)
    if tree.keys[at] == -1:
        tree.keys[at] = key
        if lone == 0:
            tree.values[at] = tree.used[_PAIRS]
            _fill_pairs(tree.pairs, tree.used[_PAIRS], series, tail, state)
            tree.used[_PAIRS] += 1
        else:
            ranks, sizes, padded = multisets
            tree.values[at] = tree.used[_POOL] // LANES
            solo = tree.used[_SOLOS]
            record = tree.solos[solo]
            record[SOLO_COUNT] = state[COUNT]
            record[SOLO_TAIL] = tail
            record[SOLO_SEAT] = state[TURN]
            record[SOLO_CARDS] = lone
            for i in range(tail):
                record[SOLO_SERIES + i] = series[i]
            tree.solo_at[solo] = tree.values[at]
            _fill_solo(tree.pool, tree.used[_POOL], series, tail, state, lone, ranks, sizes[lone])
            tree.used[_POOL] += padded[lone]
            tree.used[_SOLOS] += 1
    return _packed(tree.values[at], hands, 1 if lone > 0 else 0)


@kernel
def _room_left(tree: _Growing) -> bool:
    return bool(
        tree.used[_NODES] < len(tree.state)
        and tree.used[_CHILDREN_USED] + rules.RANKS < len(tree.children)
        # Every card of a node may end the choices, and a go.
        and tree.used[_PAIRS] + _EDGES < tree.pairs.shape[1]
        and tree.used[_POOL] + _EDGES * _LONGEST_POOL < tree.pool.shape[1]
        and tree.used[_SOLOS] + _EDGES < len(tree.solos)
    )


class _Stack(NamedTuple):
    """The path of the builder's walk, by level: places, nodes, and the next edge to take.

    It is made outside the kernel, which compiles several times faster so.
    """

    state: NDArray[np.int64]
    hands: NDArray[np.int64]
    played: NDArray[np.uint8]
    node: NDArray[np.int64]
    next_edge: NDArray[np.int64]
    series: NDArray[np.uint8]


@kernel
def _go_down(stack: _Stack, depth: int, edge: int, limit: int) -> None:
    """Set the place below the one at ``depth`` to what follows a card or, at ``limit``, a go."""
    state = stack.state[depth + 1]
    hands = stack.hands[depth + 1]
    for i in range(STATE_WIDTH):
        state[i] = stack.state[depth, i]
    for i in range(HANDS_WIDTH):
        hands[i] = stack.hands[depth, i]
    for i in range(rules.RANKS):
        stack.played[depth + 1, i] = stack.played[depth, i]
    if edge == limit:
        hands[LOW + state[TURN]] = limit
    else:
        lay(state, hands, stack.played[depth + 1], stack.series, edge)
    settle(state, hands)


@kernel
def _grow(
    tree: _Growing,
    stack: _Stack,
    start: NDArray[np.int32],
    multisets: tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]],
) -> bool:
    """Walk every play from the root on the stack and write the tree; tell whether it fitted."""
    depth = 0
    edge_in = whole(GO)
    fresh = True
    while depth >= 0:
        state = stack.state[depth]
        hands = stack.hands[depth]
        if fresh:
            if not _room_left(tree):
                return False
            stack.node[depth] = _add_node(tree, state, hands, stack.played[depth], edge_in, start)
            stack.next_edge[depth] = hands[LOW + state[TURN]]
            tree.used[_DEPTH] = max(tree.used[_DEPTH], depth + 1)
            fresh = False
        node = stack.node[depth]
        limit = whole(tree.state[node, LIMIT])
        edge = stack.next_edge[depth]
        stack.next_edge[depth] += 1
        if edge > limit or edge == limit == rules.RANKS:
            tree.link[node, END] = tree.used[_NODES]
            depth -= 1
            continue
        place = tree.link[node, CHILDREN] + edge - hands[LOW + state[TURN]]
        if edge < limit:
            tree.children[place] = NO_CHILD
            code = stack.played[depth, edge]
            if code // CODE_BASE + code % CODE_BASE >= rules.SUITS:
                continue
        _go_down(stack, depth, edge, limit)
        after = stack.hands[depth + 1]
        other_cards = after[HELD + 1 - stack.state[depth + 1, TURN]]
        if other_cards == 0 or after[HELD] + after[HELD + 1] == 2:
            # A go leaves the mover his cards, so an ending always follows a card.
            tree.children[place] = _ending(
                tree, stack.state[depth + 1], after, stack.series, multisets
            )
            continue
        edge_in = edge
        if edge < limit:
            tree.children[place] = tree.used[_NODES]
        else:
            tree.link[node, GO_CHILD] = tree.used[_NODES]
            edge_in = whole(GO)
        depth += 1
        fresh = True
    return True


def _root() -> _Stack:
    stack = _Stack(
        np.zeros((_DEEPEST, STATE_WIDTH), np.int64),
        np.zeros((_DEEPEST, HANDS_WIDTH), np.int64),
        np.zeros((_DEEPEST, rules.RANKS), np.uint8),
        np.zeros(_DEEPEST, np.int64),
        np.zeros(_DEEPEST, np.int64),
        np.zeros(2 * rules.KEPT + 2, np.uint8),
    )
    stack.state[0, TURN] = rules.PONE
    stack.hands[0, HELD : HELD + 2] = rules.KEPT
    return stack


def _with_shared_pairs(
    pairs: NDArray[np.int8], children: NDArray[np.int32]
) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
    """Return the different pair endings, and the children that point to them."""
    rows = np.ascontiguousarray(pairs.transpose(1, 0, 2, 3)).reshape(pairs.shape[1], -1)
    _, first, number = np.unique(
        rows.view(f"V{rows.shape[1]}"), return_index=True, return_inverse=True
    )
    code = -2 - children
    is_pair = (children <= -2) & (code & 1 == 0)
    shared = number.reshape(-1).astype(np.int32)[code[is_pair] >> 11]
    children = children.copy()
    children[is_pair] = -2 - (shared << 11 | code[is_pair] & 0x7FF)
    return np.ascontiguousarray(pairs[:, first]), children


def empty_tree() -> PublicTree:
    """Return a tree without a node: walking over it takes no time, but compiles what walks."""
    return PublicTree(
        state=np.zeros((0, PLAYED + LANES), np.uint8),
        link=np.zeros((0, 4), np.int32),
        children=np.zeros(0, np.int32),
        entries=0,
        pairs=np.zeros((VIEWS, 0, PAIR_ROWS, LANES), np.int8),
        pool=np.zeros((VIEWS, 0), np.int8),
        solos=np.zeros((0, LANES), np.uint8),
        solo_at=np.zeros(0, np.int32),
    )


@functools.cache
def build_tree() -> PublicTree:
    """Return the public tree of the play: 800,645 nodes, in a second or two.

    It depends on the rules alone; it is built once in a process.

    Raises
    ------
    MemoryError
        If the tree outgrows the room set aside for it: the rules were changed.
    """
    growing = _Growing(
        state=np.zeros((_MOST_NODES, PLAYED + LANES), np.uint8),
        link=np.zeros((_MOST_NODES, 4), np.int32),
        children=np.zeros(_MOST_CHILDREN, np.int32),
        pairs=np.zeros((VIEWS, _MOST_ENDINGS, PAIR_ROWS, LANES), np.int8),
        pool=np.zeros((VIEWS, _MOST_POOL), np.int8),
        solos=np.zeros((_MOST_ENDINGS, LANES), np.uint8),
        solo_at=np.zeros(_MOST_ENDINGS, np.int32),
        used=np.zeros(_USES, np.int64),
        keys=np.full(_SLOTS, -1, np.int64),
        values=np.zeros(_SLOTS, np.int64),
    )
    multisets = (MULTISETS.ranks, np.array(SIZES), np.array(PADDED))
    if not _grow(growing, _root(), MULTISETS.start, multisets):
        raise MemoryError("the public tree of the play outgrew its arrays")
    used = [int(n) for n in growing.used]
    if used[_DEPTH] >= MOST_NODES_DEEP:  # walks write one level below the last node
        raise MemoryError(f"a path of the public tree has {used[_DEPTH]} nodes")
    pairs, children = _with_shared_pairs(
        growing.pairs[:, : used[_PAIRS]], growing.children[: used[_CHILDREN_USED]]
    )
    return PublicTree(
        state=growing.state[: used[_NODES]].copy(),
        link=growing.link[: used[_NODES]].copy(),
        children=children,
        entries=used[_ENTRIES],
        pairs=pairs,
        pool=growing.pool[:, : used[_POOL]].copy(),
        solos=growing.solos[: used[_SOLOS]].copy(),
        solo_at=growing.solo_at[: used[_SOLOS]].copy(),
    )
