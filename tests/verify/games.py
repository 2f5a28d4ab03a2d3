"""Whole games, deal after deal and event after event, to hold against the table.

The kernel takes cards and counts from the simulator, but plays each deal in its order and stops
where a player is out. It shares nothing with the tally or the solver.
"""

from collections.abc import Sequence
from math import comb

import numpy as np
from numpy.typing import NDArray

import reference
from cribodds.sim.book import Books
from cribodds.sim.deal import BLOCK, CARDS_DRAWN, draw_block
from cribodds.sim.jit import over_threads
from cribodds.sim.show import count_kernel, rank_points
from twin_deals import cards_of, deal_by_book, deal_by_twin

from .exact import keep_numbers
from .run import compiled

WINNER, FIRST_SCORE, SECOND_SCORE, DEALS, KIND, BEGIN = range(6)
"""What is recorded of a game; players are the first dealer, 0, and the other, 1."""

STREAM = 32
"""Games of task t are played with deals from ``t << STREAM`` on."""


@compiled
def look_up(
    cards: NDArray[np.uint8],
    k: int,
    discards: NDArray[np.uint8],
    plays: NDArray[np.uint16],
    book: int,
    keep_of: NDArray[np.int64],
    throws: NDArray[np.int64],
    choose: NDArray[np.int64],
    points: NDArray[np.uint8],
    deal: NDArray[np.int64],
) -> None:
    """Write into ``deal``: heels, the sequence of the play, the pone's, dealer's and crib's count.

    ``deal`` has room for the cards too: keeps from 5 and 9 on, the crib from 13 on.
    """
    starter = int(cards[12, k])
    rows = np.zeros(2, np.int64)
    for seat in range(2):
        number = 0
        for place in range(6):
            number += choose[cards[6 * seat + place, k], place + 1]
        i, j = throws[discards[number] >> 4 * seat & 15]
        at = 5 + 4 * seat
        for place in range(6):
            card = int(cards[6 * seat + place, k])
            if place in (i, j):
                deal[13 + 2 * seat + (place == j)] = card
            else:
                deal[at] = card
                rows[seat] = 13 * rows[seat] + (card >> 2)
                at += 1
    deal[0] = 2 if starter >> 2 == 10 else 0
    deal[1] = plays[book, 1820 * keep_of[rows[0]] + keep_of[rows[1]]]
    for hand in range(3):
        a, b, c, d = deal[5 + 4 * hand : 9 + 4 * hand]
        deal[2 + hand] = count_kernel(points, a, b, c, d, starter, int(hand == 2))


@compiled
def _out(board: NDArray[np.int64], player: int, points: int, target: int) -> bool:
    board[player] = min(board[player] + points, target)
    return bool(board[player] >= target)


@compiled
def _play_deal(
    board: NDArray[np.int64],
    dealer: int,
    target: int,
    deal: NDArray[np.int64],
    sequence: NDArray[np.uint8],
) -> int:
    """Score a deal in its order; return who is out, or -1."""
    if deal[0] and _out(board, dealer, deal[0], target):
        return dealer
    for event in sequence:
        player = dealer if event >> 7 else 1 - dealer
        if _out(board, player, int(event & 127), target):
            return player
    if _out(board, 1 - dealer, deal[2], target):
        return 1 - dealer
    if _out(board, dealer, deal[3], target) or _out(board, dealer, deal[4], target):
        return dealer
    return -1


@compiled
def _play(
    seed: np.uint64,
    first: np.uint64,
    starts: NDArray[np.int64],
    target: int,
    lines: NDArray[np.int64],
    discards: NDArray[np.uint8],
    sequences: NDArray[np.uint8],
    plays: NDArray[np.uint16],
    keep_of: NDArray[np.int64],
    throws: NDArray[np.int64],
    choose: NDArray[np.int64],
    points: NDArray[np.uint8],
    games: NDArray[np.int64],
) -> None:
    cards = np.empty((CARDS_DRAWN + 1, BLOCK), np.uint8)
    deal = np.zeros(17, np.int64)
    board = np.zeros(2, np.int64)
    number = 0
    for game in range(len(games)):
        board[:] = starts[game % len(starts)]
        games[game, BEGIN] = number
        dealer, winner = 0, -1
        while winner < 0:
            k = number % BLOCK
            if k == 0:
                draw_block(seed, first + np.uint64(number), cards)
            book = int((first + np.uint64(number)) % np.uint64(len(plays)))
            look_up(cards, k, discards, plays, book, keep_of, throws, choose, points, deal)
            winner = _play_deal(board, dealer, target, deal, sequences[deal[1]])
            dealer = 1 - dealer
            number += 1
        games[game, WINNER] = winner
        games[game, FIRST_SCORE] = board[0]
        games[game, SECOND_SCORE] = board[1]
        games[game, DEALS] = number - games[game, BEGIN]
        games[game, KIND] = (board[1 - winner] <= lines).sum()


def tables_of() -> tuple[
    NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]
]:
    """Return what `look_up` needs beside the books: keeps, throws, ways to choose, points."""
    throws = np.array([(i, j) for i in range(6) for j in range(i + 1, 6)])
    choose = np.array([[comb(n, k) for k in range(7)] for n in range(52)])
    return keep_numbers(), throws, choose, rank_points()


def play_games(
    books: Books,
    seed: int,
    starts: NDArray[np.int64],
    target: int,
    lines: Sequence[int],
    *,
    games: int,
    tasks: int,
) -> NDArray[np.int64]:
    """Play whole games and return what is recorded of each, (tasks, games, 6).

    Parameters
    ----------
    starts : (n, 2)
        Scores of the first dealer and of the other; game g of a task begins at ``g % n``.
    lines : scores at or under which a loser is skunked, and doubly
    """
    tables = tables_of()
    recorded = np.zeros((tasks, games, 6), np.int64)

    def work(task: int) -> None:
        _play(
            np.uint64(seed), np.uint64(task << STREAM), starts, target, np.array(lines, np.int64),
            books.discards, books.sequences, books.plays, *tables, recorded[task],
        )  # fmt: skip

    over_threads(work, tasks)
    return recorded


def twin_game(
    books: Books,
    player: reference.Chooser,
    seed: int,
    first: int,
    start: tuple[int, int],
    target: int,
    lines: Sequence[int],
) -> reference.Game:
    """Play one game by the twin, with the deals from ``first`` on."""

    def deal(number: int) -> list[reference.Step]:
        return deal_by_twin(deal_by_book(books, cards_of(seed, first + number)), player)

    return reference.play_game(deal, target, lines, 0, start)
