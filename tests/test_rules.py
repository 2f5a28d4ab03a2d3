"""The numbers of the rule book, against the twin's and against the rules as they are printed."""

import reference
from cribodds.sim import rules
from cribodds.tables.config import MAX_TARGET, MIN_TARGET


def test_cards_and_seats_are_those_of_the_twin() -> None:
    assert (rules.RANK_LETTERS, rules.SUIT_LETTERS) == (reference.RANKS, reference.SUITS)
    assert (rules.RANKS, rules.SUITS, rules.DECK) == (13, 4, 52)
    assert (rules.PONE, rules.DEALER) == (reference.PONE, reference.DEALER)
    assert rules.SEAT_NAMES == reference.SEATS
    assert rules.JACK == reference.JACK
    assert max(reference.PIPS) == rules.FACE_PIP


def test_a_deal_is_two_hands_of_six_of_which_four_are_kept() -> None:
    assert (rules.DEALT, rules.KEPT, rules.THROWN) == (6, 4, 2)


def test_points_are_those_of_the_rule_book() -> None:
    assert (rules.FIFTEEN, rules.COUNT_LIMIT) == (15, 31)
    assert (rules.POINTS_FOR_FIFTEEN, rules.POINTS_FOR_PAIR, rules.POINTS_FOR_RUN_CARD) == (2, 2, 1)
    assert (rules.POINTS_FOR_FLUSH_CARD, rules.POINTS_FOR_NOBS, rules.POINTS_FOR_HEELS) == (1, 1, 2)
    assert (rules.POINTS_FOR_THIRTY_ONE, rules.POINTS_FOR_GO, rules.SHORTEST_RUN) == (2, 1, 3)


def test_the_best_hand_scores_twenty_nine() -> None:
    best = reference.show(reference.cards_of("5C 5D 5H JS"), reference.card_of("5S"), False)
    assert sum(score.points for score in best) == rules.HIGHEST_HAND


def test_the_board_is_that_of_the_twin_and_of_the_configs() -> None:
    game = reference.play_game.__defaults__
    assert game is not None
    assert game[:2] == (rules.STANDARD_TARGET, (rules.SKUNK_LINE, rules.DOUBLE_SKUNK_LINE))
    assert (rules.SMALLEST_TARGET, rules.LARGEST_TARGET) == (MIN_TARGET, MAX_TARGET) == (31, 255)
