"""The public tree of the play: its size, its payoffs, and its accounts of who holds what."""

import numpy as np
import pytest

from cribodds.sim import rules
from cribodds.sim.cardplay import KINDS
from cribodds.sim.equilibrium import best_response
from cribodds.sim.equilibrium.multisets import MULTISETS, SIZES
from cribodds.sim.equilibrium.playbooks import mean_points
from cribodds.sim.equilibrium.pure_play import lay_on_tree
from cribodds.sim.equilibrium.sweep import FOLLOW
from cribodds.sim.numbering import KEEP_RANKS
from cribodds.sim.pairs import compile_pairs
from solved_play import PRIOR, game, solution


def test_tree_has_the_places_that_other_programs_count() -> None:
    """Two other programs found 800,645 decisions and 5.24 million ends; a wrong go changes that."""
    tree = game().tree
    assert len(tree.link) == 800_645
    assert round(np.count_nonzero(tree.children <= -2) / 1e4) == 524


def test_subtrees_are_ranges() -> None:
    link = game().tree.link
    ends = link[:, 3]
    assert ends[0] == len(link)
    assert (ends > np.arange(len(link))).all()
    gos = np.flatnonzero(link[:, 1] >= 0)
    assert (link[gos, 1] > gos).all()
    assert (ends[link[gos, 1]] == ends[gos]).all()  # the go is the last child


def test_multisets_give_back_what_was_taken() -> None:
    for cards in range(1, rules.KEPT + 1):
        hands = np.arange(SIZES[cards])
        for place in range(cards):
            rank = MULTISETS.ranks[cards, place, hands]
            left = MULTISETS.rest[cards, place, hands]
            assert (MULTISETS.insert[cards - 1, rank, left] == hands).all()


def test_keeps_have_the_same_numbers_as_everywhere() -> None:
    assert (MULTISETS.ranks[rules.KEPT, :, : SIZES[rules.KEPT]].T == KEEP_RANKS).all()


@pytest.mark.parametrize("seat", [rules.PONE, rules.DEALER])
def test_every_keep_meets_one_whole_opponent(seat: int) -> None:
    """With every end worth 1, every keep is worth 1: no hand is lost, doubled or impossible.

    Fails for a wrong factor of card removal, a go that lets cards through or a strategy
    that does not sum to 1.
    """
    play = solution().play
    tree = game().tree
    job = best_response.job_for(game(), seat, FOLLOW, play, play)._replace(
        pairs=np.ones_like(tree.pairs[seat]),
        solo=np.ones((2, tree.pool.shape[1]), np.int8),
        pone_sign=np.float32(0),
        dealer_sign=np.float32(0),
    )
    values = best_response.keep_values(game(), job)
    assert np.abs(values - 1).max() < 1e-5


@pytest.mark.parametrize("name", sorted(KINDS))
def test_pure_play_scores_on_the_tree_what_it_scores_card_by_card(name: str) -> None:
    """All 3.3 million pairs, played out by the referee, against the tree: the mean points agree.

    Fails for any wrong payoff that greedy or look-ahead play meets: pairs, runs, fifteens,
    gos, last cards, solo endings.
    """
    kind = KINDS[name]
    play = lay_on_tree(game().tree, kind)
    on_tree = best_response.points_of(game(), play, play)
    played = mean_points(compile_pairs(kind), PRIOR, PRIOR)
    assert on_tree == pytest.approx(played, abs=1e-5)
