"""The public tree made ready for passes: factors of card removal, and independent blocks.

Card removal is exact. The chance of two keeps is F(h) G(g) prod_r c(h_r, g_r) with
c(a, b) = C(4-a, b) / C(4, b); a pass keeps c for the owner's cards laid so far in the
reach of the other, and one more card of a rank multiplies it by c(a+1, b) / c(a, b).

The tree is cut after three cards: the few nodes above are the *top*, the two thousand
subtrees below are *blocks*, independent of each other.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import rules
from .multisets import MULTISETS, PADDED, SIZES
from .places import CODE_BASE
from .public_tree import CARDS, CHILDREN, END, NO_CHILD, PublicTree

EDGES = rules.RANKS + 2  # rows below a node: ranks, go, and one for what is not to be read
TRASH = rules.RANKS + 1
TOP_ROW = PADDED[4]
BLOCK_ROW = PADDED[3]
BINS = 64  # groups of blocks of about equal work: the grain of parallel work
_CUT = 3  # cards laid above a block
_CODES = 64


class Weights(NamedTuple):
    """What a pass needs beside the tree; see `weights`.

    Attributes
    ----------
    lay : float32[2][64]
        By owner and played code (with the guest's cards to come counted as played): the
        factor of one more card of the owner's.
    uniform : float32[5][14][4][1824]
        By cards, number of legal ranks and place: equal chances of the legal actions.
    start, insert, ranks : see `cribodds.sim.equilibrium.multisets.Multisets`
    at : int32[2][5][4][1824]
        Where the card at a place of a hand leads: rank times row length plus the number
        of what is left; for blocks and for the top.
    sizes, padded : int64[5]
    """

    lay: NDArray[np.float32]
    uniform: NDArray[np.float32]
    start: NDArray[np.int32]
    insert: NDArray[np.int32]
    ranks: NDArray[np.uint8]
    at: NDArray[np.int32]
    sizes: NDArray[np.int64]
    padded: NDArray[np.int64]


class Cut(NamedTuple):
    """How the tree is cut into top and blocks.

    Attributes
    ----------
    top : int32
        Nodes of the top in preorder.
    top_at : int64
        For each, where its own rows are in the top's buffers.
    block : int32
        First nodes of the blocks, grouped by bin.
    block_at : int64
        Where their rows are in the top's buffers.
    bins : int64[65]
        Where each bin starts in ``block``.
    """

    top: NDArray[np.int32]
    top_at: NDArray[np.int64]
    block: NDArray[np.int32]
    block_at: NDArray[np.int64]
    bins: NDArray[np.int64]


def compatible(own: int, other: int) -> float:
    """Return C(4-own, other) / C(4, other): how many ways the own cards leave the others."""
    if own + other > rules.SUITS:
        return 0.0
    return math.comb(rules.SUITS - own, other) / math.comb(rules.SUITS, other)


def weights() -> Weights:
    """Return the tables of a pass."""
    lay = np.zeros((2, _CODES), np.float32)
    for own in range(CODE_BASE):
        for other in range(CODE_BASE - own):
            ratio = compatible(own + 1, other) / compatible(own, other)
            lay[rules.PONE, own * CODE_BASE + other] = ratio
            lay[rules.DEALER, other * CODE_BASE + own] = ratio
    shape = (rules.KEPT + 1, rules.RANKS + 1, rules.KEPT, PADDED[-1])
    uniform = np.zeros(shape, np.float32)
    for cards in range(1, rules.KEPT + 1):
        for limit in range(1, rules.RANKS + 1):
            legal = (MULTISETS.ranks[cards] < limit) & (MULTISETS.fresh[cards] == 1)
            uniform[cards, limit] = legal / np.maximum(legal.sum(axis=0), 1)
    at = np.zeros((2, rules.KEPT + 1, rules.KEPT, PADDED[-1]), np.int32)
    for which, row in enumerate((BLOCK_ROW, TOP_ROW)):
        for cards in range(1, rules.KEPT + 1):
            place = MULTISETS.ranks[cards].astype(np.int32) * row + MULTISETS.rest[cards]
            at[which, cards] = np.where(MULTISETS.fresh[cards] == 1, place, TRASH * row)
    return Weights(
        lay,
        uniform,
        MULTISETS.start,
        MULTISETS.insert,
        MULTISETS.ranks,
        at,
        np.array(SIZES),
        np.array(PADDED),
    )


def cut_tree(tree: PublicTree) -> Cut:
    """Return the tree cut after three cards, the blocks shared out in bins of equal work."""
    top: list[int] = []
    top_at: list[int] = []
    found: list[tuple[int, int, int]] = []
    # The root's own rows lie in a region of their own, the first.
    waiting = [(0, 0)]
    while waiting:
        node, place = waiting.pop()
        laid = 2 * rules.KEPT - int(tree.state[node, CARDS]) - int(tree.state[node, CARDS + 1])
        if laid == _CUT:
            found.append((int(tree.link[node, END]) - node, node, place))
            continue
        region = (len(top) + 1) * EDGES * TOP_ROW
        top.append(node)
        top_at.append(place)
        first = int(tree.link[node, CHILDREN])
        for rank in range(rules.RANKS - 1, -1, -1):
            child = int(tree.children[first + rank])
            if child != NO_CHILD:
                waiting.append((child, region + rank * TOP_ROW))
    found.sort(key=lambda block: (-block[0], block[1]))
    bins: list[list[tuple[int, int, int]]] = [[] for _ in range(BINS)]
    load = [0] * BINS
    for block in found:
        lightest = load.index(min(load))
        bins[lightest].append(block)
        load[lightest] += block[0]
    shared = [block for one in bins for block in sorted(one, key=lambda block: block[1])]
    return Cut(
        np.array(top, np.int32),
        np.array(top_at, np.int64),
        np.array([block[1] for block in shared], np.int32),
        np.array([block[2] for block in shared], np.int64),
        np.cumsum([0] + [len(one) for one in bins]).astype(np.int64),
    )
