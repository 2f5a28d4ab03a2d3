"""A rule of `cardplay` laid on the public tree, so that it can be measured exactly.

The rule is asked at every node for every hand that comes there by its own choices,
whatever the other player does; other hands never come about.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import rules
from ..cardplay import choose_card
from ..jit import copy_row, kernel, over_threads, whole
from ..numbering import KEEPS
from ..play import is_legal, pip
from .best_response import TreePlay, new_weights
from .endings import solo_order_points
from .multisets import LANES, MULTISETS, SIZES, Multisets
from .places import (
    CODE_BASE,
    COUNT,
    HANDS_WIDTH,
    HELD,
    LAST,
    LENGTH,
    LOW,
    SERIES,
    STATE_WIDTH,
    TURN,
    lay,
    settle,
)
from .public_tree import (
    CARDS,
    DIFFERENCE_OF_DEALER,
    DIFFERENCE_OF_PONE,
    EDGE,
    END,
    ENTRY,
    GO,
    LEAST,
    LIMIT,
    MOST_NODES_DEEP,
    MOVER,
    SOLO_CARDS,
    SOLO_COUNT,
    SOLO_SEAT,
    SOLO_SERIES,
    SOLO_TAIL,
    TOTAL,
    PublicTree,
)


class _Path(NamedTuple):
    """The path of a walk, by level: places, nodes, and the seat's hands that come there.

    ``laid`` is the edge that a hand takes, -1 if nobody can hold it there; ``series``,
    ``held`` and ``unseen`` are what the rule is shown.
    """

    state: NDArray[np.int64]
    hands: NDArray[np.int64]
    played: NDArray[np.uint8]
    node: NDArray[np.int64]
    hand: NDArray[np.int32]
    many: NDArray[np.int64]
    laid: NDArray[np.int8]
    series: NDArray[np.uint8]
    held: NDArray[np.uint8]
    unseen: NDArray[np.int64]


@kernel
def _place_of(sets: Multisets, cards: int, hand: int, rank: int) -> int:
    place = 0
    while sets.ranks[cards, place, hand] != rank:
        place += 1
    return place


@kernel
def _ask(sets: Multisets, path: _Path, kind: int, at: int, hand: int, cards: int) -> int:
    """Return the rank that the mover lays with a hand; -1 if no deck can hold it here."""
    state = path.state[at]
    hands = path.hands[at]
    turn = state[TURN]
    path.held[:] = 0
    for place in range(cards):
        path.held[sets.ranks[cards, place, hand]] += 1
    for rank in range(rules.RANKS):
        code = path.played[at, rank]
        unseen = rules.SUITS - whole(code // CODE_BASE + code % CODE_BASE + path.held[rank])
        if unseen < 0:
            return -1
        path.unseen[rank] = 0 if rank < hands[LOW + 1 - turn] else unseen
    length = state[LENGTH]
    for i in range(length):
        path.series[i] = state[SERIES + i]
    # He laid the last card himself and is to go on: the other has said go.
    passed = length > 0 and state[LAST] == turn
    other_cards = hands[HELD + 1 - turn]
    return choose_card(
        kind, path.held, path.unseen, path.series, length, state[COUNT], other_cards, passed
    )


@kernel
def _ask_all(
    tree: PublicTree,
    sets: Multisets,
    path: _Path,
    kind: int,
    at: int,
    node: int,
    weights: NDArray[np.float32],
) -> None:
    """Ask the rule for every hand at a node of the seat's, and write what it lays."""
    seat = path.state[at, TURN]
    cards = whole(tree.state[node, CARDS + seat])
    first = whole(sets.start[cards, tree.state[node, LEAST + seat]])
    past = whole(sets.start[cards, tree.state[node, LIMIT]])
    entry = whole(tree.link[node, ENTRY])
    for i in range(path.many[at]):
        hand = whole(path.hand[at, i])
        path.laid[at, i] = GO
        if hand >= past:
            continue
        rank = _ask(sets, path, kind, at, hand, cards)
        path.laid[at, i] = rank
        if rank >= 0 and entry >= 0:
            place = _place_of(sets, cards, hand, rank)
            weights[entry + place * (past - first) + hand - first] = 1


@kernel
def _arrive(tree: PublicTree, sets: Multisets, path: _Path, at: int, node: int, seat: int) -> bool:
    """Set the level ``at`` to a node below the one before; tell whether any hand comes."""
    up = at - 1
    parent = path.node[up]
    edge = whole(tree.state[node, EDGE])
    mover = whole(tree.state[parent, MOVER])
    cards = whole(tree.state[parent, CARDS + mover])
    many = 0
    for i in range(path.many[up]):
        hand = path.hand[up, i]
        if mover == seat:
            if path.laid[up, i] != edge:
                continue
            if edge != GO:
                hand = sets.rest[cards, _place_of(sets, cards, hand, edge), hand]
        path.hand[at, many] = hand
        many += 1
    path.many[at] = many
    path.state[at] = path.state[up]
    path.hands[at] = path.hands[up]
    path.played[at] = path.played[up]
    if edge == GO:
        path.hands[at, LOW + mover] = tree.state[parent, LIMIT]
    else:
        lay(path.state[at], path.hands[at], path.played[at], path.series, edge)
    settle(path.state[at], path.hands[at])
    return many > 0


@kernel
def _lay_on_tree(
    tree: PublicTree,
    sets: Multisets,
    path: _Path,
    kind: int,
    seat: int,
    weights: NDArray[np.float32],
) -> None:
    """Walk the tree with the seat's hands, from the root on the path."""
    at = whole(0)
    node = whole(0)
    while node < len(tree.link):
        while at > 0 and tree.link[path.node[at - 1], END] <= node:
            at -= 1
        if at > 0 and not _arrive(tree, sets, path, at, node, seat):
            node = whole(tree.link[node, END])
            continue
        path.node[at] = node
        if tree.state[node, MOVER] == seat:
            _ask_all(tree, sets, path, kind, at, node, weights)
        at += 1
        node += 1


def _root() -> _Path:
    path = _Path(
        np.zeros((MOST_NODES_DEEP, STATE_WIDTH), np.int64),
        np.zeros((MOST_NODES_DEEP, HANDS_WIDTH), np.int64),
        np.zeros((MOST_NODES_DEEP, rules.RANKS), np.uint8),
        np.zeros(MOST_NODES_DEEP, np.int64),
        np.zeros((MOST_NODES_DEEP, KEEPS), np.int32),
        np.zeros(MOST_NODES_DEEP, np.int64),
        np.zeros((MOST_NODES_DEEP, KEEPS), np.int8),
        np.zeros(2 * rules.KEPT + 2, np.uint8),
        np.zeros(rules.RANKS, np.uint8),
        np.zeros(rules.RANKS, np.int64),
    )
    path.state[0, TURN] = rules.PONE
    path.hands[0, HELD : HELD + 2] = rules.KEPT
    path.many[0] = KEEPS
    path.hand[0] = np.arange(KEEPS)
    return path


@kernel
def _fill_solos(
    tree: PublicTree,
    ranks: NDArray[np.uint8],
    sizes: NDArray[np.int64],
    kind: int,
    pool: NDArray[np.int8],
) -> None:
    series = np.zeros(2 * rules.KEPT + 2, np.uint8)
    left = np.zeros(rules.RANKS, np.uint8)
    unseen = np.zeros(rules.RANKS, np.int64)
    order = np.zeros(rules.KEPT, np.uint8)
    hand = np.zeros(rules.KEPT, np.uint8)
    for number in range(len(tree.solos)):
        record = tree.solos[number]
        cards = whole(record[SOLO_CARDS])
        at = whole(tree.solo_at[number]) * LANES
        for h in range(sizes[cards]):
            count = whole(record[SOLO_COUNT])
            length = whole(record[SOLO_TAIL])
            copy_row(record[SOLO_SERIES:], series[:length])
            left[:] = 0
            for place in range(cards):
                hand[place] = ranks[cards, place, h]
                left[hand[place]] += 1
            for i in range(cards):
                some = False
                for rank in range(rules.RANKS):
                    some |= left[rank] > 0 and is_legal(rank, count)
                if not some:
                    count = 0
                    length = 0
                rank = choose_card(kind, left, unseen, series, length, count, 0, False)
                left[rank] -= 1
                hand[i] = rank
                order[i] = i
                series[length] = rank
                length += 1
                count += pip(rank)
            series[: record[SOLO_TAIL]] = record[SOLO_SERIES : SOLO_SERIES + record[SOLO_TAIL]]
            own = solo_order_points(
                series, whole(record[SOLO_TAIL]), whole(record[SOLO_COUNT]), hand, order,
                cards,
            )  # fmt: skip
            # What the other is paid for the count he ended is the same for every order.
            sign = 1 if record[SOLO_SEAT] == rules.PONE else -1
            total = whole(tree.pool[TOTAL, at + h])
            best_own = (total + sign * tree.pool[DIFFERENCE_OF_PONE, at + h]) // 2
            other = total - best_own
            pool[DIFFERENCE_OF_PONE, at + h] = sign * (own - other)
            pool[DIFFERENCE_OF_DEALER, at + h] = -sign * (own - other)
            pool[TOTAL, at + h] = own + other


def lay_on_tree(tree: PublicTree, kind: int) -> TreePlay:
    """Return a rule of `cardplay` (``GREEDY``, ``LOOK_AHEAD``) as a strategy on the tree.

    In a solo ending the rule knows that the other has no cards left; nothing else that he
    may remember of the play changes what it lays there.
    """
    weights = new_weights(tree)
    over_threads(lambda seat: _lay_on_tree(tree, MULTISETS, _root(), kind, seat, weights), 2)
    pool = np.zeros_like(tree.pool)
    _fill_solos(tree, MULTISETS.ranks, np.array(SIZES), kind, pool)
    return TreePlay(weights, pool)
