"""The one place where a strategy is asked for a card in mid-deal: the chance of each rank.

A card rule of ``sim.cardplay`` lays one rank for certain. The equilibrium's chances come
from its solved policy: those of the information set that the player is in, the same as
``Strategy.probabilities`` gives for an ``Observation``.
"""

import functools
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..sim import rules
from ..sim.book import Books
from ..sim.cardplay import KINDS, LOOK_AHEAD, choose_card
from ..sim.equilibrium.endings import ORDERS, best_solo_order
from ..sim.equilibrium.multisets import MULTISETS
from ..sim.equilibrium.policy import Policy, priors_digest
from ..sim.equilibrium.public_tree import CHILDREN, ENTRY, GO_CHILD, LEAST, LIMIT, MOVER
from ..sim.equilibrium.rounds import policy_for
from ..sim.jit import kernel, whole
from ..sim.strategy import Strategy
from .history import Seen

SOLVED: Final = max(KINDS.values()) + 1
NOWHERE: Final = -1
"""The node of a place that the public tree does not have, or of any place under a card rule."""

_policy_for = functools.cache(policy_for)
_HANDS: Final = (MULTISETS.ranks, MULTISETS.start, MULTISETS.insert)


class Replies(NamedTuple):
    """A strategy's card play as arrays for kernels.

    Attributes
    ----------
    kind : int
        One of ``sim.cardplay.KINDS``, or ``SOLVED``.
    state, link, children, chances : arrays
        Of the public tree and the policy on it; empty under a card rule.
    ranks, start, insert : arrays
        As in ``sim.equilibrium.multisets.Multisets``.
    """

    kind: int
    state: NDArray[np.uint8]
    link: NDArray[np.int32]
    children: NDArray[np.int32]
    chances: NDArray[np.uint8]
    ranks: NDArray[np.uint8]
    start: NDArray[np.int32]
    insert: NDArray[np.int32]


def replies_of(strategy: Strategy, books: Books) -> Replies:
    """Return a strategy's card play for kernels."""
    kind = KINDS.get(strategy.card_play)
    if kind is not None:
        nothing = np.zeros((1, 1), np.int32)
        no_bytes = np.zeros((1, 1), np.uint8)
        return Replies(kind, no_bytes, nothing, nothing[0], no_bytes[0], *_HANDS)
    priors = priors_digest(books.keeps[0], books.keeps[1])
    return replies_by(_policy_for(strategy.discard_rounds, priors))


def replies_by(policy: Policy) -> Replies:
    """Return a solved policy for kernels."""
    tree = policy.tree
    return Replies(SOLVED, tree.state, tree.link, tree.children, policy.chances, *_HANDS)


def node_after(replies: Replies, seen: Seen) -> int:
    """Return the node of the public tree after the cards laid so far."""
    node = 0 if replies.kind == SOLVED else NOWHERE
    for seat, rank in seen.laid:
        node = int(next_node(replies, node, seat, rank))
    return node


@kernel
def next_node(replies: Replies, node: int, seat: int, rank: int) -> int:
    """Return the node after a card; gos before it are followed. ``NOWHERE`` past an ending."""
    at = node
    while at >= 0 and (replies.state[at, MOVER] != seat or rank >= replies.state[at, LIMIT]):
        at = whole(replies.link[at, GO_CHILD])
    if at < 0:
        return NOWHERE
    least = whole(replies.state[at, LEAST + seat])
    if rank < least:
        return NOWHERE
    child = whole(replies.children[replies.link[at, CHILDREN] + rank - least])
    return max(child, NOWHERE)


@kernel
def reply_chances(
    replies: Replies,
    node: int,
    seat: int,
    held: NDArray[np.uint8],
    unseen: NDArray[np.int64],
    series: NDArray[np.uint8],
    length: int,
    count: int,
    opponent_cards: int,
    opponent_passed: bool,
    chances: NDArray[np.float64],
) -> None:
    """Fill ``chances`` by rank: how likely the player in turn lays it.

    He must hold a card that he may lay. ``node`` is where the public tree stands after the
    last card; the other arguments are as in ``sim.cardplay.choose_card``.
    """
    chances[:] = 0.0
    kind = replies.kind
    if kind == SOLVED:
        if opponent_cards == 0:
            chances[_alone(held, series, length, count)] = 1.0
            return
        if node >= 0 and _solved_chances(replies, node, seat, held, chances):
            return
        kind = LOOK_AHEAD
    rank = choose_card(kind, held, unseen, series, length, count, opponent_cards, opponent_passed)
    chances[rank] = 1.0


@kernel
def _alone(held: NDArray[np.uint8], series: NDArray[np.uint8], length: int, count: int) -> int:
    """Return the first card of a lone player's best order that may be laid."""
    hand = np.zeros(rules.KEPT, np.uint8)
    cards = 0
    for rank in range(rules.RANKS):
        for _ in range(held[rank]):
            hand[cards] = rank
            cards += 1
    if cards == 1:
        return int(hand[0])
    scratch = series.copy()
    _, order = best_solo_order(scratch, length, count, hand[:cards], cards)
    return int(hand[ORDERS[cards - 2, order, 0]])


@kernel
def _solved_chances(
    replies: Replies,
    node: int,
    seat: int,
    held: NDArray[np.uint8],
    chances: NDArray[np.float64],
) -> bool:
    """Fill the chances from the policy; False if the hand never comes there by itself."""
    cards = 0
    hand = 0
    least_held = -1
    for rank in range(rules.RANKS):
        for _ in range(held[rank]):
            hand = whole(replies.insert[cards, rank, hand])
            cards += 1
            if least_held < 0:
                least_held = rank
    at = node
    while at >= 0 and (replies.state[at, MOVER] != seat or least_held >= replies.state[at, LIMIT]):
        at = whole(replies.link[at, GO_CHILD])
    if at < 0 or replies.link[at, ENTRY] < 0:
        return False
    first = whole(replies.start[cards, replies.state[at, LEAST + seat]])
    width = whole(replies.start[cards, replies.state[at, LIMIT]]) - first
    entry = whole(replies.link[at, ENTRY]) + hand - first
    total = 0
    for place in range(cards):
        weight = whole(replies.chances[entry + place * width])
        chances[replies.ranks[cards, place, hand]] += weight
        total += weight
    if total == 0:
        return False
    for rank in range(rules.RANKS):
        chances[rank] /= total
    return True
