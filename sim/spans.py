"""A set of whole numbers kept as runs of neighbours: which chunks of deals have been played.

Chunks are played nearly in order, so that even billions of them are a handful of runs.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator


class Spans:
    """Whole numbers from 0, as runs ``start .. end - 1`` in rising order that do not touch."""

    def __init__(self, runs: Iterable[tuple[int, int]] = ()) -> None:
        """Take over ``runs``.

        Raises
        ------
        ValueError
            If they are not whole numbers in rising order, or touch.
        """
        self._starts: list[int] = []
        self._ends: list[int] = []
        last = -1
        for start, end in runs:
            if type(start) is not int or type(end) is not int or not last < start < end:
                raise ValueError(f"not runs in rising order: {start} to {end} after {last}")
            self._starts.append(start)
            self._ends.append(end)
            last = end

    @property
    def runs(self) -> list[tuple[int, int]]:
        """The runs, (start, end), ``end`` not included."""
        return list(zip(self._starts, self._ends, strict=True))

    @property
    def end(self) -> int:
        """One more than the highest number; 0 if there is none."""
        return self._ends[-1] if self._ends else 0

    def __len__(self) -> int:
        return sum(self._ends) - sum(self._starts)

    def __contains__(self, number: int) -> bool:
        place = bisect_right(self._starts, number)
        return place > 0 and number < self._ends[place - 1]

    def add(self, number: int) -> None:
        """Add a number that is not in yet."""
        place = bisect_right(self._starts, number)
        joins_left = place > 0 and self._ends[place - 1] == number
        joins_right = place < len(self._starts) and self._starts[place] == number + 1
        if joins_left and joins_right:
            del self._starts[place]
            del self._ends[place - 1]
        elif joins_left:
            self._ends[place - 1] = number + 1
        elif joins_right:
            self._starts[place] = number
        else:
            self._starts.insert(place, number)
            self._ends.insert(place, number + 1)

    def missing(self, limit: int) -> Iterator[int]:
        """Return the numbers under ``limit`` that are not in now, in rising order.

        What is added while they are gone through makes no difference.
        """
        starts = [*(start for start in self._starts if start < limit), limit]
        gaps = zip([0, *self._ends], starts, strict=False)
        return (number for start, end in gaps for number in range(start, end))

    def count(self, remainder: int, modulus: int) -> int:
        """Return how many numbers leave ``remainder`` when divided by ``modulus``."""
        up_to = modulus - 1 - remainder
        return sum(
            (end + up_to) // modulus - (start + up_to) // modulus
            for start, end in zip(self._starts, self._ends, strict=True)
        )
