"""What a peer is asked, and how it answers: one line of JSON each way.

Cards are ranks 0 (ace) to 12 and suits 0 to 3; the last of the five is the starter.
"""

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

# The best hand there is: three fives and the jack of the starter's suit, a five. 29 points.
TWENTY_NINE = [(4, 0), (4, 1), (4, 2), (10, 3), (4, 3)]

Card = tuple[int, int]


class Asked:
    """One question: five-card hands to count, and how long to measure."""

    def __init__(self) -> None:
        question = json.loads(sys.stdin.readline())
        self.hands: list[list[Card]] = [
            [(rank, suit) for rank, suit in hand] for hand in question["hands"]
        ]
        self._seconds: float = question["seconds"]
        self._answer: dict[str, Any] = {}

    def count(self, points: Callable[[Any], int], hands: Iterable[Any]) -> None:
        """Count all hands once for their points, then again and again for the rate.

        ``hands`` are the asked hands as the peer holds them: making them is not timed.
        """
        made = list(hands)
        self._answer["points"] = [int(points(hand)) for hand in made]

        def all_hands() -> int:
            for hand in made:
                points(hand)
            return len(made)

        self._answer["hands_per_s"] = self._rate(all_hands)

    def deal(self, strategy: str, deals: Callable[[], int]) -> None:
        """Measure how many deals a second are played; ``deals`` plays some and says how many."""
        played = self._answer.setdefault("played", [])
        played.append({"strategy": strategy, "deals_per_s": self._rate(deals)})

    def _rate(self, work: Callable[[], int]) -> float:
        """Return how much is done in a second; what the peer prints is thrown away."""
        # Some print each card, some write files where they are.
        with Path(os.devnull).open("w") as nothing, contextlib.redirect_stdout(nothing):
            work()
            done = 0
            start = time.perf_counter()
            while (taken := time.perf_counter() - start) < self._seconds:
                done += work()
        return done / taken

    def answer(self, **more: object) -> None:
        """Print the answer."""
        sys.stdout.write(json.dumps({**self._answer, **more}) + "\n")
