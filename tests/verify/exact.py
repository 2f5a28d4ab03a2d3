"""What is proved exactly: every hand of the show, every keep of the play, the discard rule."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from math import comb, prod
from random import Random

import numpy as np
from numpy.typing import NDArray

import reference
import reference_strategy as strategy
from census import census_of, flushes_and_nobs, points_by_ranks
from cribodds.sim import show
from cribodds.sim.book import Books
from cribodds.sim.cardplay import KINDS, lay_out
from cribodds.sim.cards import hand_number
from cribodds.sim.deal import drawn_cards, pegs_of, play_deals, tally_deals
from cribodds.sim.jit import over_threads
from cribodds.sim.strategy import Strategy
from cribodds.sim.tally import DEALER_POINTS, PONE_POINTS, SOURCES
from dealing import two_keeps
from facts import rows
from twin_deals import player_of

from .claim import Claim, exact
from .discard_rule import best_throws
from .run import Run, compiled

FAMILY = "exact"
KEEP_COUNTS = np.array([[keep.count(rank) for rank in range(13)] for keep in strategy.KEEPS])
"""How many cards of each rank each keep has."""

FIVE_CARD_FLUSHES = 4 * comb(13, 5) * 5  # as a crib: any five of a suit, any of them the starter


def claims(run: Run) -> Iterator[Claim]:
    """The show, then the discards, then the play."""
    yield from of_the_show()
    yield best_hands()
    yield of_heels(run)
    yield from _named(run.twin_strategy, of_a_strategy(run))
    if run.strategy != run.twin_strategy:
        yield from _named(run.strategy, of_a_mixed_strategy(run))


def of_a_strategy(run: Run) -> Iterator[Claim]:
    """All that the books of the twin's strategy hold."""
    books = run.twin_books
    yield of_the_discards(run, books)
    yield of_the_discards_by_the_twin(run, books)
    if not run.quick:
        yield of_the_rounds(run)
    yield of_the_worth(books)
    yield of_the_frequencies(books)
    yield from of_the_plays(run, books)
    yield of_the_plays_by_the_twin(run, run.twin_strategy, books)
    yield from of_impossible_pairs(run, books)


def of_a_mixed_strategy(run: Run) -> Iterator[Claim]:
    """What can be said of books whose play the twin does not know."""
    yield of_the_discards(run, run.books)
    yield of_the_frequencies(run.books)
    yield of_the_plays_by_the_twin(run, run.strategy, run.books)
    yield from of_impossible_pairs(run, run.books)


def _named(played: Strategy, made: Iterator[Claim]) -> Iterator[Claim]:
    for claim in made:
        yield replace(claim, what=f"{claim.what} ({played.card_play})")


# --- The show -------------------------------------------------------------------------------------


def of_the_show() -> Iterator[Claim]:
    """Compare the census by score and by event with the facts."""
    facts = rows("hand_score_census")
    events = {"fifteen": 33_865_560, "pair": 15_288_000, "run": 11_304_960, "nobs": 940_800}
    flushes = {False: 574_860, True: 5 * FIVE_CARD_FLUSHES}
    for crib, name in ((False, "hands"), (True, "cribs")):
        census = census_of(crib)
        fact = np.array([int(row[name]) for row in facts])
        worst = int(np.abs(census - fact).max())
        cases = int(census.sum())
        yield exact(FAMILY, f"all {name} by score", "the census of the facts", cases, name, worst)
        flush, nobs = flushes_and_nobs(crib)
        ours = {**points_by_ranks(crib), "flush": flush, "nobs": nobs}
        expected = {**events, "flush": flushes[crib]}
        worst = max(abs(ours[event] - expected[event]) for event in expected)
        against = "the points of the facts" + (", flushes of five" if crib else "")
        yield exact(FAMILY, f"all {name} by event", against, cases, name, worst)
        total = int((census * np.arange(30)).sum())
        worst = abs(total - sum(ours.values()))
        yield exact(FAMILY, f"points of all {name} by score", "by event", cases, name, worst)


@compiled
def _step(hand: NDArray[np.int64]) -> None:
    """Turn six sorted cards into the next hand, in order of the highest card that differs."""
    place = 0
    while place < 5 and hand[place] + 1 == hand[place + 1]:
        hand[place] = place
        place += 1
    hand[place] += 1


@compiled
def _next_hands(hand: NDArray[np.int64], top: int, hands: NDArray[np.uint8]) -> int:
    """Write hands of highest card ``top`` from ``hand`` on; return how many there were."""
    for number in range(len(hands)):
        if hand[5] > top:
            return number
        for place in range(6):
            hands[number, place] = hand[place]
        _step(hand)
    return len(hands)


@compiled
def _sum_of_best(counts: NDArray[np.uint8]) -> int:
    total = 0
    for hand in range(counts.shape[0]):
        best = 0
        for throw in range(counts.shape[1]):
            points = 0
            for starter in range(counts.shape[2]):
                points += counts[hand, throw, starter]
            best = max(best, points)
        total += best
    return total


def best_hands() -> Claim:
    """Add up, over all six-card hands, the best keep's total over its 46 starters."""
    tops = range(51, 4, -1)
    totals, cases = [0] * len(tops), [0] * len(tops)

    def work(task: int) -> None:
        hand = np.array([0, 1, 2, 3, 4, tops[task]])
        hands = np.empty((20_000, 6), np.uint8)
        while number := _next_hands(hand, tops[task], hands):
            totals[task] += int(_sum_of_best(show.count_throws(hands[:number])))
            cases[task] += int(number)

    over_threads(work, len(tops))
    total, number = sum(totals), sum(cases)
    deviation = abs(total - 7_767_205_480) + abs(number - comb(52, 6))
    return exact(
        FAMILY, "best keeps of all hands, 46 starters each, added up", "the fact 7,767,205,480",
        number, "hands", deviation,
    )  # fmt: skip


def of_heels(run: Run) -> Claim:
    """Compare heels with the jacks turned up."""
    deals = run.size(10_000_000, 1_000_000)
    tally = tally_deals(run.twin_books, run.seed, 0, deals)
    jacks = int((drawn_cards(run.seed, 0, deals)[:, 12] // 4 == reference.JACK).sum())
    heels = int(tally.points[SOURCES.index("heels")])
    deviation = abs(heels - 2 * jacks)
    return exact(
        FAMILY, "heels of the tally", "two points for each jack turned up", deals, "deals",
        deviation,
    )  # fmt: skip


# --- The discards ---------------------------------------------------------------------------------

PATTERNS = [
    (a, b, c, 6 - a - b - c)
    for a in range(7)
    for b in range(a + 1)
    for c in range(b + 1)
    if 0 <= 6 - a - b - c <= c
]
"""The nine ways in which six cards fall into suits."""


def hands_of_pattern(
    rng: np.random.Generator, pattern: tuple[int, ...], number: int
) -> NDArray[np.int64]:
    """Return sorted hands with so many cards a suit, every such hand as likely, (number, 6)."""
    ranks = rng.random((number, 4, 13)).argsort(2)
    suits = rng.random((number, 4)).argsort(1)
    columns = [
        4 * ranks[:, place, each] + suits[:, place]
        for place, cards in enumerate(pattern)
        for each in range(cards)
    ]
    return np.sort(np.stack(columns, 1), 1)


def of_the_discards(run: Run, books: Books) -> Claim:
    """Compare the discard book with the rule evaluated hand by hand."""
    rng = np.random.default_rng(run.seed)
    each = run.size(14_000, 600)
    hands = np.concatenate([hands_of_pattern(rng, pattern, each) for pattern in PATTERNS])
    thrown = [books.opponent_throws[1 - seat].tolist() for seat in range(2)]
    slices = [part for part in np.array_split(hands, 8 * run.jobs) if len(part)]
    worth = np.array(books.worth)
    best = np.concatenate(
        run.over_cores(best_throws, [(part, thrown, worth) for part in slices]), 1
    )
    numbers = np.array([hand_number(hand) for hand in hands.tolist()])
    bytes_ = books.discards[numbers]
    wrong = int((best[0] != bytes_ & 15).sum() + (best[1] != bytes_ >> 4).sum())
    return exact(
        FAMILY, "discard book, both seats", "the rule evaluated directly", len(hands), "hands",
        wrong, note=f"{each:,} of each of the {len(PATTERNS)} suit patterns",
    )  # fmt: skip


def _twin_throws(
    hands: list[list[int]], thrown: list[list[int]], worth: list[list[int]]
) -> list[int]:
    return [
        strategy.best_throw(hand, 0, thrown[0], worth)
        | strategy.best_throw(hand, 1, thrown[1], worth) << 4
        for hand in hands
    ]


def of_the_discards_by_the_twin(run: Run, books: Books) -> Claim:
    """Compare the discard book with the slow twin."""
    rng = Random(run.seed)
    number = run.size(4_000, 100)
    hands = [sorted(rng.sample(range(52), 6)) for _ in range(number)]
    thrown = [books.opponent_throws[1 - seat].tolist() for seat in range(2)]
    worth = books.worth.tolist()
    parts = [(hands[i :: 2 * run.jobs], thrown, worth) for i in range(2 * run.jobs)]
    wrong = 0
    for (part, *_), twins in zip(parts, run.over_cores(_twin_throws, parts), strict=True):
        ours = [int(books.discards[hand_number(hand)]) for hand in part]
        wrong += sum(a != b for a, b in zip(ours, twins, strict=True))
    return exact(FAMILY, "discard book, both seats", "the twin", number, "hands of any kind", wrong)


def of_the_rounds(run: Run) -> Claim:
    """Each round's opponent must be the book of the round before."""
    last = run.twin_strategy.discard_rounds
    books = [Strategy(run.twin_strategy.card_play, n).books() for n in range(1, last + 1)]
    a, b = np.array(strategy.RANK_PAIRS).T
    throws = np.tile(np.where(a == b, 6, 16), (2, 1))
    keeps = np.tile([prod(comb(4, n) for n in row) for row in KEEP_COUNTS.tolist()], (2, 1))
    wrong = 0
    for each in books:
        wrong += int((each.opponent_throws != throws).sum() + (each.opponent_keeps != keeps).sum())
        throws, keeps = np.asarray(each.throws), np.asarray(each.keeps)
    return exact(
        FAMILY, "how the opponent of each round of the discard rule throws and keeps",
        "the book before, at first cards at random", last, "rounds", wrong,
    )  # fmt: skip


def of_the_worth(books: Books) -> Claim:
    """Compare what keeps earn in the play with a direct mean over the play book."""
    choose = np.array([[comb(n, k) for k in range(5)] for n in range(5)])
    events = books.sequences.astype(np.int64)
    margins = np.where(events >> 7, -(events & 127), events).sum(1)
    edge = sum(margins[plays.astype(np.int64)].reshape(1820, 1820) for plays in books.plays)
    scale = 2304  # the ways to draw a keep's ranks from a whole deck divide it
    ways = np.full((1820, 1820), scale)
    for rank in range(13):
        # First times, then over: every quotient is whole.
        ways *= choose[4 - KEEP_COUNTS[:, rank]][:, KEEP_COUNTS[:, rank]]
    whole = np.array([prod(comb(4, n) for n in row) for row in KEEP_COUNTS.tolist()])
    ways //= whole[None, :]
    wrong = 0
    for seat, own in ((0, edge), (1, -edge.T)):
        chances = ways * books.opponent_keeps[1 - seat][None, :]
        above, below = (chances * own).sum(1), chances.sum(1) * len(books.plays)
        for keep in range(1820):
            units = (2 * int(above[keep]) * strategy.UNIT + int(below[keep])) // (
                2 * int(below[keep])
            )
            wrong += units != int(books.worth[seat, keep])
    return exact(
        FAMILY, "worth of keeps in the play, both seats", "a mean over all opponents",
        3640, "keeps", wrong,
    )  # fmt: skip


@compiled
def _count_book(
    discards: NDArray[np.uint8],
    throws: NDArray[np.int64],
    pair_numbers: NDArray[np.int64],
    keep_numbers: NDArray[np.int64],
    thrown: NDArray[np.int64],
    kept: NDArray[np.int64],
) -> None:
    hand = np.arange(6)
    for number in range(len(discards)):
        for seat in range(2):
            i, j = throws[discards[number] >> 4 * seat & 15]
            thrown[seat, pair_numbers[hand[i] >> 2, hand[j] >> 2]] += 1
            row = 0
            for place in range(6):
                if place != i and place != j:  # noqa: PLR1714 (compiled)
                    row = 13 * row + (hand[place] >> 2)
            kept[seat, keep_numbers[row]] += 1
        _step(hand)


def keep_numbers() -> NDArray[np.int64]:
    """Return the number of a keep by its four sorted ranks as a number of base 13."""
    numbers = np.full(13**4, -1)
    for number, (a, b, c, d) in enumerate(strategy.KEEPS):
        numbers[((13 * a + b) * 13 + c) * 13 + d] = number
    return numbers


def of_the_frequencies(books: Books) -> Claim:
    """Count what the book throws and keeps, going through all hands."""
    pair_numbers = np.zeros((13, 13), np.int64)
    for number, pair in enumerate(strategy.RANK_PAIRS):
        pair_numbers[pair] = number
    thrown, kept = np.zeros((2, 91), np.int64), np.zeros((2, 1820), np.int64)
    _count_book(
        np.asarray(books.discards), np.array(strategy.THROWS), pair_numbers, keep_numbers(),
        thrown, kept,
    )  # fmt: skip
    worst = max(np.abs(thrown - books.throws).max(), np.abs(kept - books.keeps).max())
    return exact(
        FAMILY, "how often ranks are thrown and kept", "a count of the discard book",
        len(books.discards), "hands", int(worst),
    )  # fmt: skip


# --- The play -------------------------------------------------------------------------------------


@compiled
def _compare_row(
    kind: int,
    pone: int,
    counts: NDArray[np.uint8],
    sequences: NDArray[np.uint8],
    plays: NDArray[np.uint16],
) -> tuple[int, int]:
    """Return how many possible pairs of a keep there are, and how many the book has wrong."""
    keeps = np.empty((2, 13), np.uint8)
    seats = np.empty(8, np.int8)
    ranks = np.empty(8, np.int8)
    points = np.empty(8, np.int8)
    possible = wrong = 0
    for dealer in range(len(counts)):
        keeps[0] = counts[pone]
        keeps[1] = counts[dealer]
        sequence = sequences[plays[1820 * pone + dealer]]
        if (keeps[0] + keeps[1]).max() > 4:
            wrong += sequence.max() > 0
            continue
        possible += 1
        lay_out(kind, keeps, 0, seats, ranks, points)
        at = 0
        good = True
        for card in range(8):
            if points[card]:
                good &= sequence[at] == (points[card] | seats[card] << 7)
                at += 1
        for rest in range(at, 8):
            good &= sequence[rest] == 0
        wrong += not good
    return possible, wrong


def of_the_plays(run: Run, books: Books) -> Iterator[Claim]:
    """Compare the play book with the compiled strategy, for all pairs of keeps."""
    counts = KEEP_COUNTS.astype(np.uint8)
    kind = KINDS[run.twin_strategy.card_play]
    found = [(0, 0)] * 1820

    def work(pone: int) -> None:
        found[pone] = _compare_row(kind, pone, counts, books.sequences, books.plays[0])

    over_threads(work, 1820)
    possible, wrong = (sum(each) for each in zip(*found, strict=True))
    yield exact(
        FAMILY, "play book", "the compiled strategy, every card chosen anew", possible,
        "possible pairs of keeps", wrong, note=f"{1820**2 - possible:,} impossible pairs marked so",
    )  # fmt: skip


def _twin_plays(played: Strategy, pairs: list[tuple[int, int, int]]) -> list[list[int]]:
    results = []
    for book, pone, dealer in pairs:
        player = player_of(played, book)
        cards = strategy.cards_of_ranks([*strategy.KEEPS[pone], *strategy.KEEPS[dealer]])
        laid = reference.the_play([cards[:4], cards[4:]], (player, player))
        points = [(each.seat, sum(points for _, points in each.reasons)) for each in laid]
        results.append([seat << 7 | score for seat, score in points if score])
    return results


def of_the_plays_by_the_twin(run: Run, played: Strategy, books: Books) -> Claim:
    """Compare the play books with the slow twin: half any pairs, half of rare kinds.

    Mixed play, for which the twin has no rule, is asked card by card; the twin keeps the score.
    """
    rng = Random(run.seed)
    mixed = len(books.plays) > 1
    number = run.size(100_000 if mixed else 20_000, 1_000)
    pairs: list[tuple[int, int, int]] = []
    while len(pairs) < number:
        book = len(pairs) // 2 % len(books.plays)
        if len(pairs) % 2:
            keeps = two_keeps(rng, len(pairs))
            ranks = [tuple(sorted(card // 4 for card in keep)) for keep in keeps]
            numbers = [strategy.NUMBER_OF_KEEP[each] for each in ranks]
            pairs.append((book, numbers[0], numbers[1]))
            continue
        pair = rng.randrange(1820), rng.randrange(1820)
        alike = Counter([*strategy.KEEPS[pair[0]], *strategy.KEEPS[pair[1]]])
        if max(alike.values()) <= 4:
            pairs.append((book, *pair))
    parts = [(played, pairs[i :: 2 * run.jobs]) for i in range(2 * run.jobs)]
    wrong = 0
    for (_, part), twins in zip(parts, run.over_cores(_twin_plays, parts), strict=True):
        for (book, pone, dealer), events in zip(part, twins, strict=True):
            ours = books.sequences[books.plays[book, 1820 * pone + dealer]]
            wrong += [int(event) for event in ours if event] != events
    against = "the policy asked card by card, the twin keeping the score" if mixed else "the twin"
    what = f"the {len(books.plays)} play books" if mixed else "play book"
    return exact(FAMILY, what, against, number, "pairs of keeps", wrong)


def of_impossible_pairs(run: Run, books: Books) -> Iterator[Claim]:
    """Impossible pairs are marked in every book, and no deal ever meets one."""
    possible = ((KEEP_COUNTS[:, None] + KEEP_COUNTS[None]).max(2) <= 4).reshape(-1)
    scored = books.sequences.max(1) > 0
    wrong = sum(int((scored[plays] != possible).sum()) for plays in books.plays)
    cases = books.plays.size
    yield exact(
        FAMILY, "pairs marked impossible", "more than four of a rank", cases, "pairs of keeps",
        wrong, note=f"{len(books.plays)} books",
    )  # fmt: skip
    deals = run.size(100_000_000, 2_000_000)
    tasks = 50
    pegs = pegs_of(np.asarray(books.sequences))
    met = [0] * tasks

    def work(task: int) -> None:
        played = np.zeros((len(books.sequences), 2), np.int64)
        shown = np.zeros((DEALER_POINTS, PONE_POINTS), np.int64)
        totals = np.zeros_like(shown)
        some = deals // tasks
        play_deals(
            np.uint64(run.seed), np.uint64(task * some), some, books.discards, books.plays,
            pegs, show.rank_points(), played, shown, totals,
        )  # fmt: skip
        met[task] = int(played[~scored].sum())

    over_threads(work, tasks)
    yield exact(FAMILY, "impossible pairs met", "none", deals, "deals", sum(met))
