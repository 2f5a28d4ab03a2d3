"""Every number of the rule book, named once (two-player, six-card cribbage, ACC rules).

The card encoding, used everywhere behind the edges of the program::

    card = 4 * rank + suit          0 .. 51
    rank   0  1  2  3  4  5  6  7  8  9 10 11 12
           A  2  3  4  5  6  7  8  9  T  J  Q  K
    suit   0  1  2  3
           C  D  H  S

so ``5H`` is ``4 * 4 + 2 = 18``. A rank's worth in the count is its pip value.
This module imports nothing.
"""

from typing import Final

RANK_LETTERS: Final = "A23456789TJQK"
SUIT_LETTERS: Final = "CDHS"
RANKS: Final = 13
SUITS: Final = 4
DECK: Final = RANKS * SUITS
JACK: Final = RANK_LETTERS.index("J")
FACE_PIP: Final = 10  # ten, jack, queen and king alike

# The two seats of a deal, as array index: the pone leads and counts first.
PONE: Final = 0
DEALER: Final = 1
SEAT_NAMES: Final = ("pone", "dealer")

DEALT: Final = 6
KEPT: Final = 4
THROWN: Final = DEALT - KEPT

# The show.
FIFTEEN: Final = 15
POINTS_FOR_FIFTEEN: Final = 2
POINTS_FOR_PAIR: Final = 2
POINTS_FOR_RUN_CARD: Final = 1
SHORTEST_RUN: Final = 3
POINTS_FOR_FLUSH_CARD: Final = 1
POINTS_FOR_NOBS: Final = 1
HIGHEST_HAND: Final = 29

# The cut and the play.
POINTS_FOR_HEELS: Final = 2
COUNT_LIMIT: Final = 31
POINTS_FOR_THIRTY_ONE: Final = 2
POINTS_FOR_GO: Final = 1  # the last card of all is paid like a go

# The board.
STANDARD_TARGET: Final = 121
SMALLEST_TARGET: Final = 31
LARGEST_TARGET: Final = 255
SKUNK_LINE: Final = 90  # a loser at or under it is skunked
DOUBLE_SKUNK_LINE: Final = 60
