"""The solver against games worked out from their rules, deal by deal, in exact fractions."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from cribodds.sim.tally import DEALER_POINTS, PONE_POINTS, Tally
from cribodds.tables.solve import solve, solve_sides
from cribodds.tables.table import OUTCOMES, VALUES
from reference import DEALER, PONE

# A toy deal: who scores how many points, in order. A toy strategy: deals and how often each comes.
Deal = tuple[tuple[int, int], ...]
Deals = dict[Deal, int]

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
]


@pytest.mark.parametrize(("deals", "target", "skunk", "double_skunk"), GAMES)
def test_every_cell_of_a_toy_game_is_right(
    deals: Deals, target: int, skunk: int | None, double_skunk: int | None
) -> None:
    game = Game([deals], target, skunk, double_skunk)
    columns = solve([tally_of(deals)] * 8, target, skunk, double_skunk)
    assert set(columns) == set(VALUES)
    for dealer in range(target - 1, -1, -1):
        for pone in range(target - 1, -1, -1):
            exact = game.outcomes(0, dealer, pone)
            for i, name in enumerate(OUTCOMES):
                assert columns[name][0, dealer, pone] == pytest.approx(exact[i], abs=1e-13)
                as_pone = columns[name][1, pone, dealer]
                assert as_pone == pytest.approx(exact[(i + 3) % 6], abs=1e-13)
            assert columns["win"][0, dealer, pone] == pytest.approx(sum(exact[:3]), abs=1e-13)
            assert columns["deals_left"][0, dealer, pone] == pytest.approx(exact[6], rel=1e-13)
            assert columns["deals_left"][1, pone, dealer] == columns["deals_left"][0, dealer, pone]


def test_two_strategies_take_turns_to_deal() -> None:
    game = Game([MIXED, OTHER], 61, 30, 10)
    solved = solve_sides([tally_of(MIXED), tally_of(OTHER)], 61, 30, 10)
    assert solved.shape == (2, 61, 61, 7)
    for side in range(2):
        for dealer in range(60, -1, -1):
            for pone in range(60, -1, -1):
                exact = [float(chance) for chance in game.outcomes(side, dealer, pone)]
                np.testing.assert_allclose(solved[side, 60 - dealer, 60 - pone], exact, atol=1e-12)


def test_a_game_without_chance_has_its_closed_answer() -> None:
    """Each deal gives the pone one hole, then the dealer two: three holes a player in two deals."""
    columns = solve([tally_of(EVEN)] * 8, 31, None, None)
    # From 0-0 both stand at 30 after 20 deals; the pone then pegs first.
    assert columns["win"][0, 0, 0] == 0
    assert columns["deals_left"][0, 0, 0] == 21
    # Two holes ahead he is out with the second hole of deal 19, the opponent at 28.
    assert columns["win"][0, 2, 0] == 1


def test_errors_are_the_spread_of_the_batches() -> None:
    """Two kinds of batch with win chances 0 and 1: the error is that of a mean of 64 tosses."""
    dealer_out = {((DEALER, 31),): 1}
    pone_out = {((PONE, 31),): 1}
    batches = [tally_of(dealer_out), tally_of(pone_out)] * 32
    columns = solve(batches, 31, None, None)
    spread = np.std([0, 1] * 32, ddof=1) / 8
    assert columns["win"][0, 0, 0] == 0.5
    assert columns["win_se"][0, 0, 0] == pytest.approx(spread)
    assert columns["win_se"][1, 0, 0] == pytest.approx(spread)


def test_more_deals_of_the_same_kind_change_nothing() -> None:
    once = solve([tally_of(MIXED)] * 8, 61, 30, None)
    often = solve([tally_of(MIXED, 1000)] * 8, 61, 30, None)
    for name in VALUES:
        np.testing.assert_allclose(once[name], often[name], rtol=1e-14, atol=1e-16)


def test_targets_beyond_the_points_of_a_deal_are_solved() -> None:
    """At 255 holes most cells lie more than one deal from the end."""
    assert DEALER_POINTS < 255 > PONE_POINTS
    game = Game([MIXED], 255, 90, 60)
    for dealer in range(250, -1, -10):  # fills the recursion's cache step by step
        game.outcomes(0, dealer, dealer)
    columns = solve([tally_of(MIXED)] * 8, 255, 90, 60)
    for dealer, pone in [(0, 0), (254, 254), (100, 250), (250, 100), (200, 190)]:
        exact = game.outcomes(0, dealer, pone)
        assert columns["win"][0, dealer, pone] == pytest.approx(sum(exact[:3]), abs=1e-12)
