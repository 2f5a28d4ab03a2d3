"""One pass over the public tree: reach of one player downwards, values of the other upwards.

A pass has an *owner* and a *guest*. It carries down how the guest can have come to a
node, over his hands, and brings up what each hand of the owner is worth there: points
times the guest's reach. What the owner does at his nodes is the pass's kind: learn from
regrets, answer best, or follow a strategy.

Blocks are passed independently, each by one thread with buffers that stay in its cache:
no number depends on how many threads there are. Arithmetic is float32. Loops over hands
only do the same to every hand, never a sum, so they become vectors without reordering.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import rules
from ..jit import kernel, over_threads, whole
from .blocks import BINS, BLOCK_ROW, EDGES, TOP_ROW, Cut, Weights
from .multisets import LANES, PADDED
from .places import CODE_BASE
from .public_tree import (
    CARDS,
    CHILDREN,
    EDGE,
    END,
    ENTRY,
    GO,
    GO_CHILD,
    LEAST,
    LIMIT,
    MOVER,
    PLAYED,
    SUM_LANE,
    PublicTree,
)

# Kinds of a pass.
LEARN, BEST, FOLLOW = 0, 1, 2

Floats = NDArray[np.float32]

_ZERO = np.float32(0)
_ONE = np.float32(1)
_NEVER = np.float32(-1e30)
_ALL = (1 << EDGES) - 1
_BLOCK_DEPTH = 10  # levels of rows in a block, more than a path has nodes


class Job(NamedTuple):
    """What a pass is to do.

    Attributes
    ----------
    owner : int
        The seat whose values are wanted.
    kind : int
        ``LEARN``, ``BEST`` or ``FOLLOW``.
    own : float32[entries]
        The owner's strategy as non-negative weights or regrets (negative means none);
        with ``LEARN`` these are the regrets to update.
    guest : float32[entries]
        The guest's strategy, likewise.
    total : float32[entries]
        Receives the guest's strategy times his reach times ``weight``.
    weight : float
        0: leave ``total`` alone.
    gain_kept, loss_kept : float
        What old positive and negative regrets are multiplied by.
    pairs : int8[endings][14][16]
        Points of pair endings in the owner's view.
    solo : int8[2][...]
        Points of solo endings in the owner's view, by the lone player.
    pone_sign, dealer_sign : float
        What a point of each is worth in that view.
    """

    owner: int
    kind: int
    own: Floats
    guest: Floats
    total: Floats
    weight: np.float32
    gain_kept: np.float32
    loss_kept: np.float32
    pairs: NDArray[np.int8]
    solo: NDArray[np.int8]
    pone_sign: np.float32
    dealer_sign: np.float32


class Rows(NamedTuple):
    """Buffers of one thread: rows of reach and of values, and scratch for one node."""

    reach: Floats
    value: Floats
    chance: Floats  # [4][1824] chances of the actions, by place in the hand
    worth: Floats  # [4][1824] what the actions are worth
    norm: Floats  # [1824]
    lane: Floats  # [4][16]


# Columns of a step of a walk.
_NODE, _UPWARDS, _AT, _BELOW, _MARK, _LEVEL, _NEXT, _STEP = range(8)
# Rows of `Rows.lane`.
_OUT, _FACTOR, _SAME, _SUM = range(4)


@kernel(inline=True)
def _choose(
    w: Weights,
    source: Floats,
    entry: int,
    cards: int,
    limit: int,
    first: int,
    width: int,
    rows: Rows,
) -> None:
    """Turn weights or regrets into chances of the actions, over the hands with a legal card."""
    chance = rows.chance
    norm = rows.norm
    if entry < 0:
        for h in range(width):
            chance[0, h] = _ONE
        return
    for h in range(width):
        norm[h] = _ZERO
    for place in range(cards):
        e = entry + place * width
        for h in range(width):
            x = source[np.uintp(e + h)]
            norm[h] += x if x > _ZERO else _ZERO
    for place in range(cards):
        e = entry + place * width
        for h in range(width):
            x = source[np.uintp(e + h)]
            even = w.uniform[cards, limit, place, np.uintp(first + h)]
            share = (x if x > _ZERO else _ZERO) / norm[h]
            chance[place, h] = share if norm[h] > _ZERO else even


@kernel(inline=True)
def _down_guest(
    tree: PublicTree,
    w: Weights,
    job: Job,
    rows: Rows,
    node: int,
    at: int,
    below: int,
    row: int,
) -> int:
    """Carry the guest's reach over his own move; return which edges he can take, as bits."""
    state = tree.state[node]
    guest = 1 - job.owner
    cards = whole(state[CARDS + guest])
    least = whole(state[LEAST + guest])
    limit = whole(state[LIMIT])
    entry = whole(tree.link[node, ENTRY])
    first = whole(w.start[cards, least])
    past = whole(w.start[cards, limit])
    width = past - first
    reach = rows.reach
    chance = rows.chance
    _choose(w, job.guest, entry, cards, limit, first, width, rows)
    size = w.padded[cards - 1]
    for rank in range(least, limit):
        for i in range(size):
            reach[np.uintp(below + rank * row + i)] = _ZERO
    leads = w.at[1 if row == TOP_ROW else 0, cards]
    for place in range(cards):
        for h in range(width):
            chance[place, h] *= reach[np.uintp(at + first + h)]
        if job.weight > _ZERO and entry >= 0:
            e = entry + place * width
            for h in range(width):
                job.total[np.uintp(e + h)] += job.weight * chance[place, h]
        for h in range(width):
            reach[np.uintp(below + leads[place, np.uintp(first + h)])] = chance[place, h]
    edges = 0
    for rank in range(least, limit):
        some = 0
        for i in range(size):
            some |= 1 if reach[np.uintp(below + rank * row + i)] > _ZERO else 0
        edges |= some << rank
    if tree.link[node, GO_CHILD] >= 0:
        some = 0
        to = below + GO * row
        for i in range(past):
            reach[np.uintp(to + i)] = _ZERO
        for i in range(past, w.padded[cards]):
            x = reach[np.uintp(at + i)]
            reach[np.uintp(to + i)] = x
            some |= 1 if x > _ZERO else 0
        edges |= some << GO
    return edges


@kernel(inline=True)
def _after_own_card(
    w: Weights, owner: int, code: int, rank: int, cards: int, rows: Rows, at: int, to: int
) -> None:
    """Copy the guest's reach to ``to``, less what the owner's card of this rank rules out."""
    reach = rows.reach
    factor = w.lay[owner, code]
    for i in range(w.padded[cards]):
        reach[np.uintp(to + i)] = reach[np.uintp(at + i)] * factor
    one = 1 if owner == rules.PONE else CODE_BASE
    for i in range(w.sizes[cards - 1]):
        held = 1
        for place in range(cards - 1):
            held += 1 if w.ranks[cards - 1, place, i] == rank else 0
        h = w.insert[cards - 1, rank, i]
        reach[to + h] = reach[at + h] * w.lay[owner, code + held * one]


@kernel(inline=True)
def _down_owner(
    tree: PublicTree, w: Weights, job: Job, rows: Rows, node: int, at: int, below: int, row: int
) -> None:
    """Carry the guest's reach over the owner's move, to the children that are nodes."""
    state = tree.state[node]
    cards = whole(state[CARDS + 1 - job.owner])
    least = whole(state[LEAST + job.owner])
    first_child = tree.link[node, CHILDREN] - least
    for rank in range(least, whole(state[LIMIT])):
        if tree.children[first_child + rank] >= 0:
            code = whole(state[PLAYED + rank])
            _after_own_card(w, job.owner, code, rank, cards, rows, at, below + rank * row)
    if tree.link[node, GO_CHILD] >= 0:
        for i in range(w.padded[cards]):
            rows.reach[np.uintp(below + GO * row + i)] = rows.reach[np.uintp(at + i)]


@kernel(inline=True)
def _points_before(job: Job, code: int) -> np.float32:
    """Return what was scored on the way to a packed ending, in the owner's view."""
    return np.float32(
        job.pone_sign * np.float32(code >> 6 & 31) + job.dealer_sign * np.float32(code >> 1 & 31)
    )


@kernel(inline=True)
def _prepare_factors(w: Weights, owner: int, state: NDArray[np.uint8], lane: Floats) -> None:
    """Fill the factors of the owner's last card: for another rank than the guest's, and the same.

    ``_SAME`` is what the factor for equal ranks has more.
    """
    one = 1 if owner == rules.PONE else CODE_BASE
    for x in range(rules.RANKS):
        code = whole(state[PLAYED + x])
        factor = w.lay[owner, code]
        lane[_FACTOR, x] = factor
        lane[_SAME, x] = w.lay[owner, code + one] - factor
    for x in range(rules.RANKS, LANES):
        lane[_FACTOR, x] = _ZERO
        lane[_SAME, x] = _ZERO


@kernel(inline=True)
def _pair_values(
    pairs: NDArray[np.int8], number: int, reach: Floats, at: int, before: np.float32, lane: Floats
) -> None:
    """Put into ``_OUT`` the values of the owner's last cards against the guest's reach."""
    q0 = reach[np.uintp(at)]
    q1 = reach[np.uintp(at + 1)]
    q2 = reach[np.uintp(at + 2)]
    q3 = reach[np.uintp(at + 3)]
    q4 = reach[np.uintp(at + 4)]
    q5 = reach[np.uintp(at + 5)]
    q6 = reach[np.uintp(at + 6)]
    q7 = reach[np.uintp(at + 7)]
    q8 = reach[np.uintp(at + 8)]
    q9 = reach[np.uintp(at + 9)]
    q10 = reach[np.uintp(at + 10)]
    q11 = reach[np.uintp(at + 11)]
    q12 = reach[np.uintp(at + 12)]
    f = np.float32
    for x in range(LANES):
        a = q0 * f(pairs[number, 0, x]) + q4 * f(pairs[number, 4, x])
        b = q1 * f(pairs[number, 1, x]) + q5 * f(pairs[number, 5, x])
        c = q2 * f(pairs[number, 2, x]) + q6 * f(pairs[number, 6, x])
        d = q3 * f(pairs[number, 3, x]) + q7 * f(pairs[number, 7, x])
        a = a + q8 * f(pairs[number, 8, x]) + q12 * f(pairs[number, 12, x])
        b = b + q9 * f(pairs[number, 9, x])
        c = c + q10 * f(pairs[number, 10, x])
        d = d + q11 * f(pairs[number, 11, x])
        lane[_SUM, x] = (a + b) + (c + d)
    scored = before * lane[_SUM, SUM_LANE]
    for x in range(LANES):
        same = lane[_SAME, x] * reach[np.uintp(at + x)]
        alike = same * (f(pairs[number, rules.RANKS, x]) + before)
        lane[_OUT, x] = (lane[_SUM, x] + scored) * lane[_FACTOR, x] + alike


@kernel(inline=True)
def _guest_alone(
    w: Weights, job: Job, rows: Rows, at: int, cards: int, state_code: int, rank: int, packed: int
) -> np.float32:
    """Return the worth of laying the owner's last card when only the guest has cards left."""
    reach = rows.reach
    lane = rows.lane
    guest = 1 - job.owner
    pool_at = (packed >> 11) * LANES
    before = _points_before(job, packed)
    for x in range(LANES):
        lane[_SUM, x] = _ZERO
    for i in range(w.padded[cards] // LANES):
        for x in range(LANES):
            points = np.float32(job.solo[guest, np.uintp(pool_at + i * LANES + x)]) + before
            lane[_SUM, x] += reach[np.uintp(at + i * LANES + x)] * points
    total = _ZERO
    for x in range(LANES):
        total += lane[_SUM, x]
    factor = w.lay[job.owner, state_code]
    total *= factor
    one = 1 if job.owner == rules.PONE else CODE_BASE
    for i in range(w.sizes[cards - 1]):
        held = 1
        for place in range(cards - 1):
            held += 1 if w.ranks[cards - 1, place, i] == rank else 0
        h = w.insert[cards - 1, rank, i]
        more = w.lay[job.owner, state_code + held * one] - factor
        points = np.float32(job.solo[guest, pool_at + h]) + before
        total += reach[at + h] * more * points
    return np.float32(total)


@kernel(inline=True)
def _leaf_values_owner(
    tree: PublicTree, w: Weights, job: Job, rows: Rows, node: int, at: int, below: int, row: int
) -> None:
    """Write the values of the owner's cards that end the tree into the rows below the node."""
    state = tree.state[node]
    owner = job.owner
    guest_cards = whole(state[CARDS + 1 - owner])
    own_cards = whole(state[CARDS + owner])
    least = whole(state[LEAST + owner])
    first_child = tree.link[node, CHILDREN] - least
    lane = rows.lane
    own_one = CODE_BASE if owner == rules.PONE else 1
    guest_one = 1 if owner == rules.PONE else CODE_BASE
    ready = False
    for rank in range(least, whole(state[LIMIT])):
        child = whole(tree.children[first_child + rank])
        to = below + rank * row
        if child >= 0:
            continue
        if child == -1:
            for i in range(w.padded[own_cards - 1]):
                rows.value[np.uintp(to + i)] = _ZERO
            continue
        packed = -2 - child
        code = whole(state[PLAYED + rank])
        if packed & 1:
            rows.value[to] = _guest_alone(w, job, rows, at, guest_cards, code, rank, packed)
            continue
        if not ready:
            _prepare_factors(w, owner, state, lane)
            ready = True
        factor = w.lay[owner, code]
        same = lane[_SAME, rank]
        for x in range(LANES):
            rows.reach[np.uintp(to + x)] = rows.reach[np.uintp(at + x)] * factor
        rows.reach[to + rank] = rows.reach[at + rank] * w.lay[owner, code + guest_one]
        lane[_FACTOR, rank] = w.lay[owner, code + own_one]
        lane[_SAME, rank] = w.lay[owner, code + own_one + guest_one] - lane[_FACTOR, rank]
        _pair_values(job.pairs, packed >> 11, rows.reach, to, _points_before(job, packed), lane)
        for x in range(LANES):
            rows.value[np.uintp(to + x)] = lane[_OUT, x]
        lane[_FACTOR, rank] = factor
        lane[_SAME, rank] = same


@kernel(inline=True)
def _up_owner(
    tree: PublicTree, w: Weights, job: Job, rows: Rows, node: int, at: int, below: int, row: int
) -> None:
    """Bring values up over the owner's move; with ``LEARN`` update his regrets."""
    state = tree.state[node]
    cards = whole(state[CARDS + job.owner])
    least = whole(state[LEAST + job.owner])
    limit = whole(state[LIMIT])
    entry = whole(tree.link[node, ENTRY])
    first = whole(w.start[cards, least])
    width = whole(w.start[cards, limit]) - first
    value = rows.value
    chance = rows.chance
    worth = rows.worth
    norm = rows.norm
    _leaf_values_owner(tree, w, job, rows, node, at, below, row)
    leads = w.at[1 if row == TOP_ROW else 0, cards]
    for place in range(cards):
        for h in range(width):
            worth[place, h] = value[np.uintp(below + leads[place, np.uintp(first + h)])]
    if job.kind == BEST:
        for h in range(width):
            norm[h] = _NEVER
        for place in range(cards):
            for h in range(width):
                legal = w.uniform[cards, limit, place, np.uintp(first + h)] > _ZERO
                x = worth[place, h] if legal else _NEVER
                norm[h] = x if x > norm[h] else norm[h]
    else:
        _choose(w, job.own, entry, cards, limit, first, width, rows)
        for h in range(width):
            norm[h] = _ZERO
        for place in range(cards):
            for h in range(width):
                norm[h] += chance[place, h] * worth[place, h]
    if job.kind == LEARN and entry >= 0:
        for place in range(cards):
            e = entry + place * width
            for h in range(width):
                old = job.own[np.uintp(e + h)]
                kept = job.gain_kept if old > _ZERO else job.loss_kept
                even = w.uniform[cards, limit, place, np.uintp(first + h)]
                new = old * kept + (worth[place, h] - norm[h])
                job.own[np.uintp(e + h)] = new if even > _ZERO else _ZERO
    for h in range(width):
        value[np.uintp(at + first + h)] = norm[h]
    if tree.link[node, GO_CHILD] >= 0:
        for h in range(first + width, w.padded[cards]):
            value[np.uintp(at + h)] = value[np.uintp(below + GO * row + h)]


@kernel(inline=True)
def _hand_factor(
    w: Weights, owner: int, state: NDArray[np.uint8], cards: int, hand: int, rank: int
) -> np.float32:
    """Return the factor of all the owner's last cards, when the guest lays one of ``rank``."""
    own_one = CODE_BASE if owner == rules.PONE else 1
    guest_one = 1 if owner == rules.PONE else CODE_BASE
    factor = _ONE
    again = 0
    before = -1
    for place in range(cards):
        r = whole(w.ranks[cards, place, hand])
        again = again + own_one if r == before else 0
        before = r
        code = whole(state[PLAYED + r]) + again
        factor *= w.lay[owner, code + guest_one if r == rank else code]
    return np.float32(factor)


@kernel(inline=True)
def _owner_alone(
    w: Weights,
    job: Job,
    rows: Rows,
    state: NDArray[np.uint8],
    at: int,
    reached: np.float32,
    cards: int,
    rank: int,
    packed: int,
) -> None:
    """Add the values of the owner's hands after the guest's last card.

    ``rows.norm`` holds the factors of card removal without that card.
    """
    value = rows.value
    norm = rows.norm
    before = _points_before(job, packed)
    pool_at = (packed >> 11) * LANES
    for h in range(w.sizes[cards]):
        points = np.float32(job.solo[job.owner, np.uintp(pool_at + h)]) + before
        value[np.uintp(at + h)] += reached * norm[h] * points
    for i in range(w.sizes[cards - 1]):
        h = whole(w.insert[cards - 1, rank, i])
        points = np.float32(job.solo[job.owner, pool_at + h]) + before
        more = _hand_factor(w, job.owner, state, cards, h, rank) - norm[h]
        value[at + h] += reached * more * points


@kernel(inline=True)
def _up_guest(
    tree: PublicTree,
    w: Weights,
    job: Job,
    rows: Rows,
    node: int,
    at: int,
    below: int,
    row: int,
    edges: int,
) -> None:
    """Bring values up over the guest's move: the sum over what he can do."""
    state = tree.state[node]
    owner = job.owner
    own_cards = whole(state[CARDS + owner])
    least = whole(state[LEAST + 1 - owner])
    first_child = tree.link[node, CHILDREN] - least
    value = rows.value
    lane = rows.lane
    size = w.padded[own_cards]
    guest_one = 1 if owner == rules.PONE else CODE_BASE
    ready = False
    for i in range(size):
        value[np.uintp(at + i)] = _ZERO
    for rank in range(least, whole(state[LIMIT])):
        if not edges >> rank & 1:
            continue
        child = whole(tree.children[first_child + rank])
        frm = below + rank * row
        if child >= 0:
            for i in range(size):
                value[np.uintp(at + i)] += value[np.uintp(frm + i)]
            continue
        if child == -1:
            continue
        packed = -2 - child
        if packed & 1:
            if not ready:
                for h in range(w.sizes[own_cards]):
                    rows.norm[h] = _hand_factor(w, owner, state, own_cards, h, -1)
                ready = True
            reached = rows.reach[frm]
            _owner_alone(w, job, rows, state, at, reached, own_cards, rank, packed)
            continue
        if not ready:
            _prepare_factors(w, owner, state, lane)
            ready = True
        factor = lane[_FACTOR, rank]
        same = lane[_SAME, rank]
        code = whole(state[PLAYED + rank]) + guest_one
        lane[_FACTOR, rank] = w.lay[owner, code]
        lane[_SAME, rank] = w.lay[owner, code + guest_one] - lane[_FACTOR, rank]
        _pair_values(job.pairs, packed >> 11, rows.reach, frm, _points_before(job, packed), lane)
        for x in range(LANES):
            value[np.uintp(at + x)] += lane[_OUT, x]
        lane[_FACTOR, rank] = factor
        lane[_SAME, rank] = same
    if edges >> GO & 1:
        for i in range(size):
            value[np.uintp(at + i)] += value[np.uintp(below + GO * row + i)]


@kernel(inline=True)
def _next_in_block(
    tree: PublicTree,
    root: int,
    path: NDArray[np.int64],
    edges: NDArray[np.int64],
    place: NDArray[np.int64],
) -> bool:
    """Find the next step of a block: a node is met, then its subtree, then it is done.

    ``place`` holds the level and the next node to meet, and receives the step: node,
    upwards, its rows, the rows below. Rows of the root lie at 0, those below a node at
    level l in region l + 1. Returns False when the root is done.
    """
    region = EDGES * BLOCK_ROW
    level = place[_LEVEL]
    if level < 0:
        return False
    node = place[_NEXT]
    upwards = level > 0 and tree.link[path[level - 1], END] <= node
    while not upwards and level > 0 and not edges[level - 1] >> tree.state[node, EDGE] & 1:
        node = whole(tree.link[node, END])
        upwards = tree.link[path[level - 1], END] <= node
    if upwards:
        level -= 1
        place[_LEVEL] = level if level > 0 else -1
        place[_NEXT] = node
        node = path[level]
    else:
        path[level] = node
        place[_LEVEL] = level + 1
        place[_NEXT] = node + 1
    place[_NODE] = node
    place[_UPWARDS] = upwards
    edge = whole(tree.state[node, EDGE])
    place[_AT] = level * region + edge * BLOCK_ROW if node != root else 0
    place[_BELOW] = (level + 1) * region
    place[_MARK] = level
    return True


@kernel
def _walk(
    tree: PublicTree,
    w: Weights,
    job: Job,
    rows: Rows,
    row: int,
    root: int,
    steps: NDArray[np.int64],
    edges: NDArray[np.int64],
) -> None:
    """Pass a block from its root or, if ``root`` is negative, take the steps given.

    There is one copy of the hot code for both: it is large.
    """
    path = np.zeros(_BLOCK_DEPTH, np.int64)
    place = np.zeros(_STEP, np.int64)
    place[_NEXT] = root
    i = 0
    while True:
        if root >= 0:
            if not _next_in_block(tree, root, path, edges, place):
                return
        else:
            if i == len(steps):
                return
            for k in range(_STEP):
                place[k] = steps[i, k]
            i += 1
        node = place[_NODE]
        at = place[_AT]
        below = place[_BELOW]
        own = tree.state[node, MOVER] == job.owner
        if place[_UPWARDS]:
            if own:
                _up_owner(tree, w, job, rows, node, at, below, row)
            else:
                _up_guest(tree, w, job, rows, node, at, below, row, edges[place[_MARK]])
        elif own:
            _down_owner(tree, w, job, rows, node, at, below, row)
            edges[place[_MARK]] = _ALL
        else:
            edges[place[_MARK]] = _down_guest(tree, w, job, rows, node, at, below, row)


@kernel
def _pass_part(
    tree: PublicTree,
    w: Weights,
    job: Job,
    cut: Cut,
    top: Rows,
    rows: Rows,
    steps: NDArray[np.int64],
    edges: NDArray[np.int64],
    number: int,
) -> None:
    """Take the steps of the top or, unless ``number`` is negative, pass the blocks of a bin.

    Blocks are passed in ``rows``, from and to their rows in the buffers of the top.
    """
    # The casts keep the compiler from making a copy of the walk for each constant.
    if number < 0:
        _walk(tree, w, job, top, whole(TOP_ROW), whole(number), steps, edges)
        return
    for b in range(cut.bins[number], cut.bins[number + 1]):
        root = whole(cut.block[b])
        at = cut.block_at[b]
        guest_size = w.padded[tree.state[root, CARDS + 1 - job.owner]]
        own_size = w.padded[tree.state[root, CARDS + job.owner]]
        some = False
        for i in range(guest_size):
            rows.reach[i] = top.reach[at + i]
            some |= top.reach[at + i] > _ZERO
        if some:
            _walk(tree, w, job, rows, whole(BLOCK_ROW), root, steps, edges)
        for i in range(own_size):
            top.value[at + i] = rows.value[i] if some else _ZERO


def _new_rows(room: int) -> Rows:
    f = np.float32
    return Rows(
        np.zeros(room, f),
        np.zeros(room, f),
        np.zeros((rules.KEPT, PADDED[rules.KEPT]), f),
        np.zeros((rules.KEPT, PADDED[rules.KEPT]), f),
        np.zeros(PADDED[rules.KEPT], f),
        np.zeros((4, LANES), f),
    )


def run_pass(
    tree: PublicTree, w: Weights, cut: Cut, job: Job, prior: NDArray[np.float64]
) -> Floats:
    """Return what each keep of the owner is worth, times the guest's prior and card removal.

    Parameters
    ----------
    prior : float64[1820]
        The guest's keeps.

    Returns
    -------
    float32[1820]
    """
    many = len(cut.top)
    region = EDGES * TOP_ROW
    top = _new_rows((many + 1) * region)
    edges = np.zeros(many, np.int64)
    steps = np.zeros((many, _STEP), np.int64)
    steps[:, _NODE] = cut.top
    steps[:, _AT] = cut.top_at
    steps[:, _BELOW] = np.arange(1, many + 1) * region
    steps[:, _MARK] = np.arange(many)
    top.reach[: len(prior)] = prior

    def pass_bin(number: int) -> None:
        rows = _new_rows(_BLOCK_DEPTH * EDGES * BLOCK_ROW)
        levels = np.zeros(_BLOCK_DEPTH, np.int64)
        _pass_part(tree, w, job, cut, top, rows, steps, levels, number)

    _pass_part(tree, w, job, cut, top, top, steps, edges, -1)
    over_threads(pass_bin, BINS)
    steps[:, _UPWARDS] = 1
    _pass_part(tree, w, job, cut, top, top, np.ascontiguousarray(steps[::-1]), edges, -1)
    return top.value[: len(prior)].copy()
