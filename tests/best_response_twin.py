"""A best response found the slow way: one own hand, all the hands that the other may hold.

Written from the rules, in plain Python, and not from the solver. It knows nothing of the
public tree: a state is what has been laid, the own cards left and how likely each hand of
the other is. The other's strategy is asked by what he sees, card by card, and solo endings
are not special.

Exact for the hand that is asked about. For priors with too many hands to ask about all,
`draw_keeps` draws own hands as they come.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from random import Random

PONE, DEALER = 0, 1
Keep = tuple[int, ...]
History = tuple[tuple[int, int], ...]
# The chance of each rank, from the own keep, the own seat and the cards laid.
Chances = Callable[[Keep, int, History], Sequence[float]]

KEEPS: list[Keep] = list(itertools.combinations_with_replacement(range(13), 4))


def pip(rank: int) -> int:
    return min(10, rank + 1)


def points_of_last(series: Sequence[int]) -> int:
    """What the last card of a series scores as it is laid: 15, 31, pairs and runs."""
    count = sum(pip(rank) for rank in series)
    points = 2 if count in (15, 31) else 0
    alike = len(list(itertools.takewhile(lambda rank: rank == series[-1], reversed(series))))
    points += alike * (alike - 1)
    for length in range(len(series), 2, -1):
        tail = sorted(series[-length:])
        if all(high - low == 1 for low, high in itertools.pairwise(tail)):
            return points + length
    return points


def playable(cards: Sequence[int], count: int) -> list[int]:
    return sorted({rank for rank in cards if count + pip(rank) <= 31})


def without(cards: Keep, rank: int) -> Keep:
    place = cards.index(rank)
    return cards[:place] + cards[place + 1 :]


def ways_beside(own: Keep, other: Keep) -> float:
    """How many ways to hold `other` the cards of `own` leave, as a part of all."""
    part = 1.0
    for rank in set(other):
        held = other.count(rank)
        part *= math.comb(4 - own.count(rank), held) / math.comb(4, held)
    return part


class Search:
    """What a player wins of another's strategy with one keep: the most, or by a strategy."""

    def __init__(
        self, seat: int, keep: Keep, chances: Chances, follow: Chances | None = None
    ) -> None:
        self.seat = seat
        self.keep = keep
        self.chances = chances
        self.follow = follow

    def value(self, others: Mapping[Keep, float]) -> float:
        """Own points less the other's, over hands of the other with these weights."""
        possible = {other: w * ways_beside(self.keep, other) for other, w in others.items()}
        beliefs = {(other, other): w for other, w in possible.items() if w > 0}
        total = sum(beliefs.values())
        return self._turn((), (), self.keep, beliefs, PONE) / total

    def _turn(
        self,
        laid: History,
        series: Keep,
        own: Keep,
        beliefs: Mapping[tuple[Keep, Keep], float],
        turn: int,
    ) -> float:
        """Worth from here on; beliefs weigh (keep, cards left) of the other.

        The player in `turn` is the one who did not lay the last card, if he can go on.
        """
        if not beliefs:
            return 0.0
        count = sum(pip(rank) for rank in series)
        if turn == self.seat:
            if playable(own, count):
                return self._own_card(laid, series, own, beliefs, count)
            # A go, or no cards: what happens next depends on the other's cards.
            can = {each: w for each, w in beliefs.items() if playable(each[1], count)}
            cannot = {each: w for each, w in beliefs.items() if each not in can}
            return self._other_card(laid, series, own, can, count) + self._reset(
                laid, count, own, cannot
            )
        can = {each: w for each, w in beliefs.items() if playable(each[1], count)}
        cannot = {each: w for each, w in beliefs.items() if each not in can}
        worth = self._other_card(laid, series, own, can, count)
        if playable(own, count):
            return worth + self._own_card(laid, series, own, cannot, count)
        return worth + self._reset(laid, count, own, cannot)

    def _reset(
        self, laid: History, count: int, own: Keep, beliefs: Mapping[tuple[Keep, Keep], float]
    ) -> float:
        """Nobody can go on: the last card is paid, and the next count begins, or all is over."""
        if not beliefs:
            return 0.0
        last = laid[-1][0]
        total = sum(beliefs.values())
        paid = (total if last == self.seat else -total) if count != 31 else 0.0
        other_left = any(left for _, left in beliefs)  # as many cards in all beliefs
        if not own and not other_left:
            return paid
        lead = 1 - last
        if (lead == self.seat and not own) or (lead != self.seat and not other_left):
            lead = last
        return paid + self._turn(laid, (), own, beliefs, lead)

    def _own_card(
        self,
        laid: History,
        series: Keep,
        own: Keep,
        beliefs: Mapping[tuple[Keep, Keep], float],
        count: int,
    ) -> float:
        if not beliefs:
            return 0.0
        total = sum(beliefs.values())
        options = playable(own, count)
        chances = self.follow(self.keep, self.seat, laid) if self.follow is not None else None
        best, mean = -math.inf, 0.0
        for rank in options:
            if chances is not None and chances[rank] == 0:
                continue
            after = (*series, rank)
            worth = total * points_of_last(after) + self._turn(
                (*laid, (self.seat, rank)), after, without(own, rank), beliefs, 1 - self.seat
            )
            best = max(best, worth)
            mean += worth * chances[rank] if chances is not None else 0.0
        return best if chances is None else mean

    def _other_card(
        self,
        laid: History,
        series: Keep,
        own: Keep,
        beliefs: Mapping[tuple[Keep, Keep], float],
        count: int,
    ) -> float:
        other = 1 - self.seat
        by_rank: dict[int, dict[tuple[Keep, Keep], float]] = {}
        for (keep, left), weight in beliefs.items():
            options = playable(left, count)
            chances = self.chances(keep, other, laid) if len(options) > 1 else None
            for rank in options:
                chance = 1.0 if chances is None else chances[rank]
                if chance > 0:
                    by_rank.setdefault(rank, {})[keep, without(left, rank)] = weight * chance
        worth = 0.0
        for rank, reached in by_rank.items():
            after = (*series, rank)
            worth -= points_of_last(after) * sum(reached.values())
            worth += self._turn((*laid, (other, rank)), after, own, reached, self.seat)
        return worth


def best_value(seat: int, keep: Keep, chances: Chances, others: Mapping[Keep, float]) -> float:
    """The most the player in `seat` can win with this keep, points less the other's."""
    return Search(seat, keep, chances).value(others)


def followed_value(seat: int, keep: Keep, chances: Chances, others: Mapping[Keep, float]) -> float:
    """What he wins with this keep if he follows the strategy himself."""
    return Search(seat, keep, chances, chances).value(others)


def draw_keeps(
    seat: int, priors: Sequence[Mapping[Keep, float]], hands: int, random: Random
) -> list[Keep]:
    """Some keeps of a seat, drawn by their chance in a deal: with what the other may hold."""
    own, others = priors[seat], priors[1 - seat]
    keeps = list(own)
    weights = [
        own[keep] * sum(w * ways_beside(keep, other) for other, w in others.items())
        for keep in keeps
    ]
    return random.choices(keeps, weights, k=hands)
