"""The stored policy and its pure books: what they see, what they lay, what they are worth."""

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from best_response_twin import KEEPS, Keep, best_value
from cribodds.sim import rules
from cribodds.sim.book import index_plays
from cribodds.sim.cardplay import LOOK_AHEAD, choose_seen
from cribodds.sim.equilibrium import best_response, own_path, playbooks, policy
from cribodds.sim.equilibrium.own_path import mixture, place_of_book
from cribodds.sim.equilibrium.playbooks import (
    index_mixed,
    mean_points,
    pair_events,
)
from cribodds.sim.equilibrium.sweep import BEST
from cribodds.sim.observation import Observation
from cribodds.sim.pairs import IMPOSSIBLE
from cribodds.sim.play import Play
from solved_play import PRIOR, chances, game, solution, solved_policy

BOOKS = 4


@pytest.fixture(scope="module")
def events() -> np.ndarray:
    return pair_events(game().tree, solved_policy().chances, BOOKS)


def test_what_is_compiled_beside_is_what_reads_and_spreads_the_play(events: np.ndarray) -> None:
    """An array of another kind would be compiled for again, while the user waits."""
    own_path.unpacked(game().tree, own_path.packed(game().tree, solved_policy().chances))
    own_path.first_unpacked()
    playbooks.first_spread()
    kernels: list[Any] = [own_path._walk_tree, playbooks._fill_events]
    assert [len(kernel.signatures) for kernel in kernels] == [1, 1]


def some_pairs(number: int) -> list[tuple[int, int]]:
    possible = best_response.removal() > 0
    random = Random(7)
    pairs: list[tuple[int, int]] = []
    while len(pairs) < number:
        pone, dealer = random.randrange(len(KEEPS)), random.randrange(len(KEEPS))
        if possible[pone, dealer]:
            pairs.append((pone, dealer))
    return pairs


def test_policy_comes_back_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "play.npz"
    solved_policy().save(path)
    again = policy.load(path)
    assert (again.chances == solved_policy().chances).all()
    assert (again.worth == solved_policy().worth).all()
    assert again.provenance == solved_policy().provenance
    assert again.provenance.priors == policy.priors_digest(PRIOR, PRIOR)
    assert sorted(tmp_path.iterdir()) == [path]
    first = path.read_bytes()
    again.save(path)
    assert path.read_bytes() == first


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "play.npz"
    with pytest.raises(FileNotFoundError):
        policy.load(path)
    path.write_bytes(b"no policy")
    with pytest.raises(policy.PolicyError, match="no stored policy"):
        policy.load(path)
    np.savez(
        path, header=np.frombuffer(b'{"format": 0, "stream": ""}', np.uint8), stream=[1], worth=[1]
    )
    with pytest.raises(policy.PolicyError, match="format 0, expected 1"):
        policy.load(path)


def test_eight_bits_cost_little() -> None:
    """Rounding keeps the exploitability; as measured it even falls here, by 0.002."""
    play = solved_policy().on_tree()
    stored = best_response.exploitability(game(), play, play)
    assert stored.total <= solution().exploitability.total + 0.002
    known = solved_policy().provenance
    assert stored == (known.value, known.pone_gain, known.dealer_gain)


@pytest.mark.parametrize(
    ("seat", "keep"), [(rules.PONE, (4, 4, 4, 9)), (rules.DEALER, (1, 1, 7, 7))]
)
def test_best_response_is_what_the_slow_twin_finds(seat: int, keep: Keep) -> None:
    """One keep of each seat, against all hands of the other: exact, so equal.

    The twin asks the policy by observations alone and knows no tree: this fails for any
    fault of payoffs, gos, card removal, or of the way from an observation to its chances.
    """
    play = solved_policy().on_tree()
    job = best_response.job_for(game(), seat, BEST, play, play)
    exact = best_response.keep_values(game(), job)[KEEPS.index(keep)]
    others = dict(zip(KEEPS, PRIOR.tolist(), strict=True))
    assert best_value(seat, keep, chances, others) == pytest.approx(exact, abs=1e-5)


def test_books_play_by_the_rules_and_by_the_policy(events: np.ndarray) -> None:
    """The policy asked card by card, scored by the referee: that is what the books hold."""
    for number, (pone, dealer) in enumerate(some_pairs(100)):
        book = number % BOOKS
        play = Play([KEEPS[pone], KEEPS[dealer]])
        while play.turn is not None:
            seen = Observation.of(play, KEEPS[(pone, dealer)[play.turn]])
            rank = solved_policy().choose(seen, book, BOOKS)
            assert solved_policy().probabilities(seen)[rank] > 0
            play.lay(rank)
        laid = [(lay.seat, lay.points + lay.go) for lay in play.lays]
        scored = [points | seat << 7 for seat, points in laid if points]
        stored = int(events[book, pone, dealer]).to_bytes(8, "little")
        assert list(stored) == scored + [0] * (8 - len(scored))


def test_impossible_pairs_are_marked(events: np.ndarray) -> None:
    impossible = best_response.removal() == 0
    for each in events:
        assert ((each == IMPOSSIBLE) == impossible).all()


def test_one_book_scores_on_the_tree_what_it_scores_pair_by_pair() -> None:
    """The mixture of one book is the book: the tree's value is the mean over all pairs."""
    book = pair_events(game().tree, solved_policy().chances, 1)[0]
    pure = best_response.TreePlay(
        mixture(game().tree, solved_policy().chances, 1), game().tree.pool
    )
    on_tree = best_response.points_of(game(), pure, pure)
    assert on_tree == pytest.approx(mean_points(book, PRIOR, PRIOR), abs=1e-5)


def test_more_books_are_harder_to_exploit() -> None:
    """Measured: 0.21 for one book on top of the policy, and about half with each doubling."""
    found = []
    for books in (1, 4, 16):
        mixed = best_response.TreePlay(
            mixture(game().tree, solved_policy().chances, books), game().tree.pool
        )
        found.append(best_response.exploitability(game(), mixed, mixed).total)
    over = np.array(found) - best_response.Exploitability(*stored_figures()).total
    assert over[0] > 2 * over[1] > 4 * over[2] > 0


def stored_figures() -> tuple[float, float, float]:
    known = solved_policy().provenance
    return known.value, known.pone_gain, known.dealer_gain


def test_books_share_out_the_chances_of_a_lead() -> None:
    """Of 64 books, those that lead a rank are its chance times 64, to less than two books."""
    for keep in KEEPS[::97]:
        seen = Observation(rules.PONE, keep, ())
        led = [solved_policy().choose(seen, book, 64) for book in range(64)]
        for rank, chance in enumerate(solved_policy().probabilities(seen)):
            assert abs(led.count(rank) - 64 * chance) < 2


def test_both_seats_meet_every_part_of_the_other() -> None:
    """Of 64 books, each quarter of the pone's order has 4 of each quarter of the dealer's."""
    met = np.zeros((4, 4), int)
    for book in range(64):
        met[place_of_book(book, 0, 64) // 16, place_of_book(book, 1, 64) // 16] += 1
    assert (met == 4).all()
    assert sorted(place_of_book(book, rules.DEALER, 8) for book in range(8)) == list(range(8))


@pytest.mark.parametrize("books", [0, 3, 128])
def test_other_numbers_of_books_are_refused(books: int) -> None:
    with pytest.raises(ValueError, match=f"a power of 2, 1 to 64, got {books}"):
        solved_policy().choose(Observation(rules.PONE, KEEPS[0], ()), 0, books)
    with pytest.raises(ValueError, match="a power of 2"):
        pair_events(game().tree, solved_policy().chances, books)


def test_parts_of_the_keeps_make_the_same_books(events: np.ndarray) -> None:
    """Numbered in any parts, and by numpy: the same plays have the same numbers."""
    sequences, plays = index_mixed(game().tree, solved_policy().chances, BOOKS)
    whole = index_plays(BOOKS, [events])
    assert (sequences == whole[0]).all()
    assert (plays == whole[1]).all()
    different, places = np.unique(events, return_inverse=True)
    assert (plays == places.reshape(plays.shape)).all()
    assert len(sequences) == len(different)
    possible = different != IMPOSSIBLE
    assert (sequences[possible].copy().view("<u8").reshape(-1) == different[possible]).all()


def test_off_its_path_the_policy_looks_ahead() -> None:
    """Somebody else led a card for the pone that he never leads; he goes on by look-ahead."""
    found = 0
    for keep in KEEPS[::37]:
        lead = Observation(rules.PONE, keep, ())
        for rank in set(keep):
            if solved_policy().probabilities(lead)[rank] == 0:
                seen = Observation(rules.PONE, keep, ((rules.PONE, rank), (rules.DEALER, 9)))
                chances_now = solved_policy().probabilities(seen)
                assert chances_now[choose_seen(LOOK_AHEAD, seen)] == 1
                found += 1
    assert found > 20


def test_a_play_against_the_rules_is_refused() -> None:
    # The dealer played on after his own card, at 2, where the pone has a card to lay.
    seen = Observation(
        rules.PONE, (0, 9, 10, 11), ((rules.PONE, 0), (rules.DEALER, 0), (rules.DEALER, 3))
    )
    with pytest.raises(ValueError, match="cannot have been laid so"):
        solved_policy().probabilities(seen)
    with pytest.raises(ValueError, match="a book's number"):
        solved_policy().choose(Observation(rules.PONE, (8, 9, 10, 11), ()), 4, 4)
