"""Toy games with exact answers: a few fixed deals, worked out by recursion in fractions."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import TypeAlias

from cribodds.sim.tally import DEALER_POINTS, PONE_POINTS, Tally
from reference import DEALER, PONE

# A toy deal: who scores how many points, in order. A toy strategy: deals and how often each comes.
Deal: TypeAlias = tuple[tuple[int, int], ...]
Deals: TypeAlias = dict[Deal, int]

EVEN: Deals = {((PONE, 1), (DEALER, 2)): 1}
MIXED: Deals = {
    ((DEALER, 2), (PONE, 3), (DEALER, 4), (DEALER, 1)): 3,
    ((PONE, 7), (DEALER, 1)): 2,
    ((DEALER, 1), (PONE, 1), (DEALER, 1), (PONE, 12), (DEALER, 9)): 5,
    ((PONE, 1),): 4,
    ((DEALER, 24), (PONE, 2), (DEALER, 5)): 1,
    ((PONE, 20), (DEALER, 6), (DEALER, 24)): 1,
}
OTHER: Deals = {
    ((PONE, 2), (DEALER, 3), (PONE, 1)): 2,
    ((DEALER, 9), (PONE, 9)): 1,
    ((DEALER, 2),): 4,
}
WIDE: Deals = {((PONE, 40), (DEALER, 1)): 1, ((DEALER, 70), (PONE, 2)): 2}
# Deals with as many points as a tally can hold, in either order.
LARGEST: Deals = {
    ((PONE, PONE_POINTS - 1), (DEALER, DEALER_POINTS - 1)): 1,
    ((DEALER, DEALER_POINTS - 1), (PONE, PONE_POINTS - 1)): 2,
    ((DEALER, 1), (PONE, PONE_POINTS - 2)): 1,
    ((DEALER, 1), (PONE, 3)): 4,
}


def tally_of(deals: Deals, times: int = 1) -> Tally:
    """Count deals point by point."""
    tally = Tally.empty()
    for deal, often in deals.items():
        board = [0, 0]
        for seat, points in deal:
            for _ in range(points):
                board[seat] += 1
                reached = (tally.pone_first, tally.dealer_first)[seat]
                reached[board[seat], board[1 - seat]] += often * times
        tally.totals[board[DEALER], board[PONE]] += often * times
    count = sum(deals.values()) * times
    return Tally(count, tally.totals, tally.dealer_first, tally.pone_first, tally.points)


class Game:
    """A game of toy deals, worked out by recursion over the scores; no tallies, no needs."""

    def __init__(
        self, sides: Sequence[Deals], target: int, skunk: int | None, double_skunk: int | None
    ) -> None:
        self.sides = sides
        self.target = target
        self.lines = [-1 if line is None else line for line in (skunk, double_skunk)]
        self.outcomes = cache(self._outcomes)

    def kind(self, loser: int) -> int:
        return sum(loser <= line for line in self.lines)

    def _outcomes(self, side: int, dealer: int, pone: int) -> list[Fraction]:
        """Chances of the dealer's six outcomes, and the expected deals left."""
        chances = [Fraction(0)] * 6 + [Fraction(1)]
        deals = self.sides[side]
        for deal, often in deals.items():
            share = Fraction(often, sum(deals.values()))
            board = [pone, dealer]
            for seat, points in deal:
                board[seat] += points
                if board[seat] >= self.target:
                    kind = self.kind(board[1 - seat])
                    chances[kind if seat == DEALER else 3 + kind] += share
                    break
            else:
                later = self.outcomes((side + 1) % len(self.sides), board[PONE], board[DEALER])
                for i in range(6):
                    chances[i] += share * later[(i + 3) % 6]
                chances[6] += share * later[6]
        return chances


GAMES = [
    (EVEN, 31, None, None),
    (EVEN, 61, 30, None),
    (MIXED, 31, 15, 7),
    (MIXED, 61, 30, None),
    (MIXED, 121, 90, 60),
    (OTHER, 61, 0, None),
    (WIDE, 121, 90, 60),
    (LARGEST, 131, 90, 60),
]
