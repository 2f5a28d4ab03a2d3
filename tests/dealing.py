"""Cards dealt so that what is rare at the table comes up often."""

from random import Random

KINDS = ("any", "low", "tens and low", "few ranks", "a straight")


def two_keeps(rng: Random, number: int) -> tuple[list[int], list[int]]:
    """Two keeps of four different cards; what is in the deck goes by the number.

    Low cards make long series, tens with low ones gos and 31s, a few ranks pairs of all kinds and
    denied cards, a straight the longest runs.
    """
    deck = list(range(52))
    kind = KINDS[number % len(KINDS)]
    if kind == "low":
        deck = deck[:24]
    elif kind == "tens and low":
        deck = deck[:16] + deck[32:]
    elif kind == "few ranks":
        deck = [4 * rank + suit for rank in rng.sample(range(9), 3) for suit in range(4)]
    elif kind == "a straight":
        deck = [4 * rank + rng.randrange(4) for rank in range(8)]
    cards = rng.sample(deck, 8)
    return cards[:4], cards[4:]
