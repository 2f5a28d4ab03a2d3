"""The deals are random: known answers, every card as likely everywhere, no memory.

The counts of a run are compared with their exact expectations. Cards of a hand are drawn
without replacement, so the cells of a table hang together; each table is split into the parts in
which all directions have one and the same variance (the invariant subspaces under a renaming of
the cards), and a chi-square is taken of each. The variances are worked out by going through what
may happen to four cards.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from math import comb, perm
from random import Random

import numpy as np
from numpy.typing import NDArray

from cribodds.sim.deal import BLOCK, CARDS_DRAWN, draw_block, drawn_cards
from cribodds.sim.jit import over_threads
from cribodds.sim.rng import random_bits
from twin_deals import cards_of, random_bits_of

from .claim import Claim, by_chance, exact, z_of_chi_square
from .run import Run, compiled

FAMILY = "randomness"
SEATS = ("pone", "dealer", "starter")
SIZES = (6, 6, 1)
WITHIN = ("pone", "dealer")
ACROSS = ((0, 1), (0, 2), (1, 2))
LAGGED = tuple(product(range(3), repeat=2))
TASKS = 16


@compiled
def _count(
    seed: np.uint64,
    first: np.uint64,
    blocks: int,
    places: NDArray[np.int64],
    within: NDArray[np.int64],
    across: NDArray[np.int64],
    lagged: NDArray[np.int64],
) -> None:
    """Count the cards of ``blocks`` blocks of deals.

    ``places`` (13, 52): place of a deal, card; ``within`` (2, 52, 52): two cards of a hand, lower
    first; ``across`` (3, 52, 52) and ``lagged`` (9, 52, 52): cards of two seats of a deal, and of
    a deal and the next, as ``ACROSS`` and ``LAGGED``.
    """
    cards = np.empty((CARDS_DRAWN + 1, BLOCK), np.uint8)
    now = np.empty(CARDS_DRAWN, np.int64)
    before = np.full(CARDS_DRAWN, -1)
    for block in range(blocks):
        draw_block(seed, first + np.uint64(block * BLOCK), cards)
        for k in range(BLOCK):
            for place in range(CARDS_DRAWN):
                now[place] = cards[place, k]
                places[place, now[place]] += 1
            for hand in range(2):
                for i in range(6 * hand, 6 * hand + 6):
                    across[1 + hand, now[i], now[12]] += 1
                    for j in range(i + 1, 6 * hand + 6):
                        within[hand, now[i], now[j]] += 1
            for i in range(6):
                for j in range(6, 12):
                    across[0, now[i], now[j]] += 1
            if before[0] >= 0:
                for i in range(CARDS_DRAWN):
                    for j in range(CARDS_DRAWN):
                        # Places 0 to 5 are the pone's, 6 to 11 the dealer's.
                        lagged[3 * (i // 6) + j // 6, before[i], now[j]] += 1
            before[:] = now


def chance_of(seats: tuple[int, ...]) -> Fraction:
    """Return the chance that so many given cards go to these seats (3: to nobody)."""
    left = (*SIZES, 52 - sum(SIZES))
    ways = 1
    for seat, places in enumerate(left):
        ways *= perm(places, seats.count(seat))
    return Fraction(ways, perm(52, len(seats)))


def variance(cards: int, value: Callable[[tuple[int, ...]], int]) -> float:
    """Return the variance of a value that hangs on which seats some cards go to."""
    mean = square = Fraction(0)
    for seats in product(range(4), repeat=cards):
        chance = chance_of(seats)
        mean += chance * value(seats)
        square += chance * value(seats) ** 2
    return float(square - mean**2)


def even_part(table: NDArray[np.float64]) -> float:
    """Return the square of the part of a table of pairs that no single card explains.

    ``table`` is symmetric with an empty diagonal; every pair counts once; 1,274 directions.
    """
    n = len(table)
    rows = table.sum(1)
    total = rows.sum() / 2
    card = (rows - 2 * total / n) / (n - 2)
    rest = table - total / comb(n, 2) - card[:, None] - card[None, :]
    return float((rest[np.triu_indices(n, 1)] ** 2).sum())


def odd_part(table: NDArray[np.float64]) -> float:
    """Return the same of an antisymmetric table; 1,275 directions."""
    n = len(table)
    card = table.sum(1) / n
    rest = table - card[:, None] + card[None, :]
    return float((rest[np.triu_indices(n, 1)] ** 2).sum())


def _worst(counts: NDArray[np.int64], expected: NDArray[np.float64] | float) -> float:
    """Return how far the worst cell is from its expectation, as a share of it."""
    return float(np.abs(counts / expected - 1).max())


def _chi_square(
    what: str, deals: int, squares: float, unit: float, freedom: int, worst: float
) -> Claim:
    statistic = squares / unit
    return by_chance(
        FAMILY,
        what,
        "equal chances",
        deals,
        "deals",
        worst,
        z_of_chi_square(statistic, freedom),
        note=f"chi-square {statistic:.1f}, {freedom:,} degrees of freedom",
    )


def known_answers(run: Run) -> Iterator[Claim]:
    """Compare the generator with published numbers and with plain Python."""
    published = [
        6457827717110365317, 3203168211198807973, 9817491932198370423,
        4593380528125082431, 16408922859458223821,
    ]  # fmt: skip
    ours = [int(random_bits(np.uint64(1234567), np.uint64(i))) for i in range(5)]
    wrong = sum(a != b for a, b in zip(ours, published, strict=True))
    yield exact(FAMILY, "SplitMix64 of seed 1234567", "published numbers", 5, "numbers", wrong)
    rng = Random(run.seed)
    number = run.size(200_000, 20_000)
    wrong = 0
    for _ in range(number):
        seed, place = rng.getrandbits(64), rng.getrandbits(64)
        bits = int(random_bits(np.uint64(seed), np.uint64(place)))
        wrong += bits != random_bits_of(seed, place)
    yield exact(FAMILY, "random bits anywhere", "plain Python", number, "numbers", wrong)
    wrong = 0
    for _ in range(number // 100):
        seed, first = rng.getrandbits(64), rng.getrandbits(60)
        for i, cards in enumerate(drawn_cards(seed, first, 10).tolist()):
            wrong += cards != cards_of(seed, first + i)
    yield exact(
        FAMILY, "cards of deals anywhere", "a deck drawn card by card", number // 10, "deals", wrong
    )


def claims(run: Run) -> Iterator[Claim]:
    """Known answers, then the counts of many deals."""
    yield from known_answers(run)
    blocks = -(-run.size(100_000_000, 2_000_000) // (BLOCK * TASKS))
    places = np.zeros((TASKS, CARDS_DRAWN, 52), np.int64)
    within = np.zeros((TASKS, len(WITHIN), 52, 52), np.int64)
    across = np.zeros((TASKS, len(ACROSS), 52, 52), np.int64)
    lagged = np.zeros((TASKS, len(LAGGED), 52, 52), np.int64)

    def work(task: int) -> None:
        first = np.uint64(task * blocks * BLOCK)
        _count(
            np.uint64(run.seed), first, blocks,
            places[task], within[task], across[task], lagged[task],
        )  # fmt: skip

    over_threads(work, TASKS)
    deals = TASKS * blocks * BLOCK
    yield from _of_cards(deals, places.sum(0))
    yield from _of_pairs(deals, within.sum(0), across.sum(0))
    yield from _of_neighbours(deals - TASKS, lagged.sum(0))


def _of_cards(deals: int, places: NDArray[np.int64]) -> Iterator[Claim]:
    for seat, (name, size) in enumerate(zip(SEATS, SIZES, strict=True)):
        counts = places[6 * seat : 6 * seat + size].sum(0)
        share = size / 52
        unit = deals * share * (1 - share) * 52 / 51
        squares = float(((counts - deals * share) ** 2).sum())
        worst = _worst(counts, deals * share)
        yield _chi_square(f"which cards the {name} has", deals, squares, unit, 51, worst)
    for seat, name in enumerate(WITHIN):
        for place in range(6):
            what = f"card {place + 1} in order of the {name}'s hand"
            yield _of_place(what, deals, place, places[6 * seat + place])


def _of_place(what: str, deals: int, place: int, counts: NDArray[np.int64]) -> Claim:
    """Compare the cards at one place of sorted hands with their chances; rare cards together."""
    chances = [comb(c, place) * comb(51 - c, 5 - place) / comb(52, 6) for c in range(52)]
    expected = deals * np.array(chances)
    many = expected >= 10
    cells = [*zip(counts[many].tolist(), expected[many].tolist(), strict=True)]
    if expected[~many].sum() >= 10:
        cells.append((int(counts[~many].sum()), float(expected[~many].sum())))
    statistic = sum((count - mean) ** 2 / mean for count, mean in cells)
    worst = _worst(counts[many], expected[many])
    return _chi_square(what, deals, statistic, 1.0, len(cells) - 1, worst)


def _cycle(pair: Callable[[int, int], int]) -> Callable[[tuple[int, ...]], int]:
    """Return a direction that no single card explains: pairs around four cards, signs in turn."""
    return lambda s: pair(s[0], s[1]) - pair(s[1], s[2]) + pair(s[2], s[3]) - pair(s[3], s[0])


def _of_pairs(deals: int, within: NDArray[np.int64], across: NDArray[np.int64]) -> Iterator[Claim]:
    upper = np.triu_indices(52, 1)
    for seat, (name, counts) in enumerate(zip(WITHIN, within, strict=True)):
        unit = variance(4, _cycle(partial(_both, seat, seat))) / 4
        squares = even_part((counts + counts.T).astype(np.float64))
        worst = _worst(counts[upper], deals * comb(6, 2) / comb(52, 2))
        what = f"pairs of cards in the {name}'s hand"
        yield _chi_square(what, deals, squares, deals * unit, 1274, worst)
    for counts, (one, other) in zip(across, ACROSS, strict=True):
        words = f"a card of the {SEATS[one]} and one of the {SEATS[other]}"
        two = ~np.eye(52, dtype=bool)  # a pair is of two cards
        worst = _worst(counts[two], deals * SIZES[one] * SIZES[other] / (52 * 51))
        unit = variance(4, _cycle(partial(_either, one, other))) / 4
        squares = even_part((counts + counts.T).astype(np.float64))
        what = f"pairs of {words}, either way"
        yield _chi_square(what, deals, squares, deals * unit, 1274, worst)
        unit = variance(3, partial(_turn, one, other)) / 3
        squares = odd_part((counts - counts.T).astype(np.float64))
        what = f"pairs of {words}, who has which"
        yield _chi_square(what, deals, squares, deals * unit, 1275, worst)


def _both(one: int, other: int, a: int, b: int) -> int:
    return int(a == one and b == other)


def _either(one: int, other: int, a: int, b: int) -> int:
    return _both(one, other, a, b) + _both(one, other, b, a)


def _turn(one: int, other: int, seats: tuple[int, ...]) -> int:
    """Return a direction of who has which that no single card explains: around three cards."""
    around = zip(seats, (*seats[1:], seats[0]), strict=True)
    return sum(_both(one, other, a, b) - _both(one, other, b, a) for a, b in around)


def _of_neighbours(pairs: int, lagged: NDArray[np.int64]) -> Iterator[Claim]:
    for counts, (one, other) in zip(lagged, LAGGED, strict=True):
        rows = counts - counts.mean(0, keepdims=True)
        rest = rows - rows.mean(1, keepdims=True)
        units = [SIZES[seat] / 52 * (1 - SIZES[seat] / 52) * 52 / 51 for seat in (one, other)]
        yield _chi_square(
            f"cards of the {SEATS[one]} and of the {SEATS[other]} in the next deal",
            pairs,
            float((rest**2).sum()),
            pairs * units[0] * units[1],
            51 * 51,
            _worst(counts, pairs * SIZES[one] * SIZES[other] / 52**2),
        )
