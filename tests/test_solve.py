"""The solver against games worked out from their rules, deal by deal, in exact fractions."""

import numpy as np
import pytest

from cribodds.sim.tally import DEALER_POINTS, PONE_POINTS
from cribodds.tables.solve import _induct, first_solution, solve, solve_sides, solve_wins
from cribodds.tables.table import OUTCOMES, VALUES
from reference import DEALER, PONE
from toy_games import EVEN, GAMES, MIXED, OTHER, WIDE, Deals, Game, tally_of


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


def test_the_wins_of_each_batch_of_two_strategies_are_its_own() -> None:
    """Eight batches at once, two of them with the strategies' deals exchanged."""
    sides = [tally_of(MIXED), tally_of(OTHER)]
    wins = solve_wins([sides, sides[::-1], *[sides] * 6], 61)
    assert wins.shape == (8, 2, 61, 61)
    expected = solve_sides(sides, 61, None, None)[..., :3].sum(-1)
    for batch in range(8):
        right = expected[::-1] if batch == 1 else expected
        np.testing.assert_allclose(wins[batch], right, atol=1e-13)


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
    dealer_out: Deals = {((DEALER, 31),): 1}
    pone_out: Deals = {((PONE, 31),): 1}
    batches = [tally_of(dealer_out), tally_of(pone_out)] * 32
    columns = solve(batches, 31, None, None)
    spread = np.std([0, 1] * 32, ddof=1) / 8
    assert columns["win"][0, 0, 0] == 0.5
    assert columns["win_se"][0, 0, 0] == pytest.approx(spread)
    assert columns["win_se"][1, 0, 0] == pytest.approx(spread)


def test_every_batch_is_solved_by_itself() -> None:
    """Eight different batches; the error of a cell is the spread of eight exact games."""
    kinds = [MIXED, OTHER, WIDE, EVEN]
    kinds += [dict.fromkeys(deals, 1) for deals in (MIXED, OTHER, WIDE)]
    kinds.append({**MIXED, **OTHER})
    columns = solve([tally_of(deals) for deals in kinds], 61, None, None)
    games = [Game([deals], 61, None, None) for deals in kinds]
    for dealer in range(60, -1, -1):
        for pone in range(60, -1, -1):
            wins = [float(sum(game.outcomes(0, dealer, pone)[:3])) for game in games]
            spread = np.std(wins, ddof=1) / np.sqrt(8)
            assert columns["win_se"][0, dealer, pone] == pytest.approx(spread, abs=1e-13)
            assert columns["win_se"][1, pone, dealer] == columns["win_se"][0, dealer, pone]


def test_what_is_solved_first_compiles_what_solves() -> None:
    """Arrays of another kind would be compiled for again, while the user waits."""
    first_solution()
    solve([tally_of(MIXED)] * 8, 31, 15, None)
    assert len(getattr(_induct, "signatures", [None])) == 1


def test_more_deals_of_the_same_kind_change_nothing() -> None:
    once = solve([tally_of(MIXED)] * 8, 61, 30, None)
    often = solve([tally_of(MIXED, 1000)] * 8, 61, 30, None)
    for name in VALUES:
        np.testing.assert_allclose(once[name], often[name], rtol=1e-14, atol=1e-16)


def test_targets_beyond_the_points_of_a_deal_are_solved() -> None:
    """At 160 holes most cells lie more than one deal from the end."""
    assert DEALER_POINTS < 160 > PONE_POINTS
    game = Game([MIXED], 160, 90, 60)
    for dealer in range(150, -1, -10):  # fills the recursion's cache step by step
        game.outcomes(0, dealer, dealer)
    columns = solve([tally_of(MIXED)] * 8, 160, 90, 60)
    for dealer, pone in [(0, 0), (159, 159), (60, 155), (155, 60), (110, 100)]:
        exact = game.outcomes(0, dealer, pone)
        assert columns["win"][0, dealer, pone] == pytest.approx(sum(exact[:3]), abs=1e-12)
