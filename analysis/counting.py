"""Counting a hand aloud, and judging a count that somebody claims."""

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from ..sim import rules
from ..sim.cards import card_text, cards_text, rank_of, suit_of
from ..sim.show import ScoreEvent, count, score_events

_NUMBERS: Final = (
    "nothing one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty"
)
_ONES: Final = tuple(_NUMBERS.split())
NEVER: Final = (19, 25, 26, 27)
"""Scores that no hand and no crib has."""

_MOST_SHOWN: Final = 4


class Line(NamedTuple):
    """One score of a hand as it is counted aloud: the words, its cards, the total so far."""

    words: str
    event: ScoreEvent
    total: int


class Verdict(NamedTuple):
    """What becomes of a claimed count.

    Attributes
    ----------
    claimed, true : int
    missed : tuple of sets of scores
        Each would make up what the claim lacks; one set alone when the claim named its scores.
    invented : tuple of str
        What would explain points too many, in words.
    """

    claimed: int
    true: int
    missed: tuple[tuple[ScoreEvent, ...], ...]
    invented: tuple[str, ...]

    @property
    def right(self) -> bool:
        """Whether the claim is right in total and, if it named them, in every score."""
        return self.claimed == self.true and not self.missed and not self.invented


def number_word(number: int) -> str:
    """Return a number 0..29 in words."""
    if number < len(_ONES):
        return _ONES[number]
    return f"twenty-{_ONES[number - 20]}"


def count_aloud(cards: Sequence[int], starter: int, *, crib: bool = False) -> list[Line]:
    """Return the scores of four cards and the starter in the order of counting.

    Raises
    ------
    CardError
        As ``sim.show.score_events``.
    """
    lines = []
    total = 0
    for event in score_events(cards, starter, crib=crib):
        total += event.points
        said = number_word(total)
        words = f"fifteen {said}" if event.name == "fifteen" else f"{_name(event)} is {said}"
        lines.append(Line(words, event, total))
    return lines


def _name(event: ScoreEvent) -> str:
    if event.name == "run":
        return f"a run of {number_word(len(event.cards))}"
    if event.name == "flush":
        return f"a flush of {number_word(len(event.cards))}"
    return event.name if event.name == "nobs" else f"a {event.name}"


def spoken(lines: Sequence[Line]) -> str:
    """Return a whole count as one sentence."""
    return ", ".join(line.words for line in lines) or "nothing"


def judge_total(cards: Sequence[int], starter: int, claimed: int, *, crib: bool = False) -> Verdict:
    """Return the verdict on a claimed total: what was probably missed or invented.

    Raises
    ------
    ValueError
        If no hand can score so.
    CardError
        As ``sim.show.score_events``.
    """
    if not 0 <= claimed <= rules.HIGHEST_HAND:
        raise ValueError(f"expected a count from 0 to {rules.HIGHEST_HAND}, got {claimed}")
    events = score_events(cards, starter, crib=crib)
    true = sum(event.points for event in events)
    missed: tuple[tuple[ScoreEvent, ...], ...] = ()
    invented: tuple[str, ...] = ()
    if claimed < true:
        missed = _sets_worth(events, true - claimed)
    elif claimed > true:
        invented = _mistakes_worth(_usual_mistakes(cards, starter, events, crib), claimed - true)
    return Verdict(claimed, true, missed, invented)


def _sets_worth(events: Sequence[ScoreEvent], points: int) -> tuple[tuple[ScoreEvent, ...], ...]:
    """Return the smallest sets of scores worth so many points."""
    for size in range(1, len(events) + 1):
        found = [
            some
            for some in itertools.combinations(events, size)
            if sum(event.points for event in some) == points
        ]
        if found:
            return tuple(found)
    return ()


def _usual_mistakes(
    cards: Sequence[int], starter: int, events: Sequence[ScoreEvent], crib: bool
) -> list[tuple[str, int]]:
    """Return what people count that is not there, in words, with its points."""
    found: list[tuple[str, int]] = []
    for event in events:
        if event.name == "run":
            found += [
                (f"the run of {size} inside {cards_text(event.cards)}", size)
                for size in range(rules.SHORTEST_RUN, len(event.cards))
                for _ in range(len(event.cards) - size + 1)
            ]
    for card in cards:
        if rank_of(card) == rules.JACK and suit_of(card) != suit_of(starter):
            why = f"the starter {card_text(starter)} is of another suit"
            found.append((f"nobs for {card_text(card)}: {why}", 1))
    if rank_of(starter) == rules.JACK:
        found.append((f"heels for {card_text(starter)}: scored at the cut, not in the count", 2))
        found.append((f"nobs for {card_text(starter)}: the jack must be in the hand", 1))
    five = [*cards, starter]
    most = max(sum(suit_of(card) == suit for card in five) for suit in range(rules.SUITS))
    flush = sum(event.points for event in events if event.name == "flush")
    if most == 4 and not flush:
        why = "in the crib all five must be alike" if crib else "the starter is one of the four"
        found.append((f"a flush of four: {why}", 4))
    if flush == 4:
        found.append(("a flush of five: the starter is of another suit", 1))
    kinds = dict.fromkeys((_name(event), event.points) for event in events)
    return found + [(f"{name} counted twice", points) for name, points in kinds]


def _mistakes_worth(mistakes: Sequence[tuple[str, int]], points: int) -> tuple[str, ...]:
    for size in (1, 2, 3):
        found = [
            " and ".join(words for words, _ in some)
            for some in itertools.combinations(mistakes, size)
            if sum(each for _, each in some) == points
        ]
        if found:
            return tuple(found[:_MOST_SHOWN])
    return ()


_CLAIMED: Final = re.compile(
    r"(double pair royal|pair royal|fifteen|pair|run|flush|nobs|15)\D*?(?:of \w+ )?\D*?(\d+)$"
)


def sets_text(sets: Sequence[tuple[ScoreEvent, ...]]) -> str:
    """Return sets of scores in words: with their cards, or by kind when there are many."""
    if len(sets) <= _MOST_SHOWN:
        texts = [
            " and ".join(
                f"{event.name} {cards_text(event.cards)} ({event.points})" for event in some
            )
            for some in sets
        ]
    else:
        kinds = [Counter(event.name for event in some) for some in sets]
        texts = [
            " and ".join(f"{times} {name}{'s' * (times > 1)}" for name, times in kind.items())
            for kind in kinds
        ]
    return ", or ".join(dict.fromkeys(texts))


def judge_scores(cards: Sequence[int], starter: int, claim: str, *, crib: bool = False) -> Verdict:
    """Return the verdict on a count told score by score with its running total.

    Parameters
    ----------
    claim : str
        Such as ``15 2, 15 4, pair 6, run 9, nobs 10``: names and running totals.

    Raises
    ------
    ValueError
        If the claim cannot be read.
    CardError
        As ``sim.show.score_events``.
    """
    said: Counter[tuple[str, int]] = Counter()
    total = 0
    for part in claim.lower().split(","):
        found = _CLAIMED.match(part.strip().removeprefix("a "))
        if found is None or int(found[2]) <= total:
            raise ValueError(
                f"cannot read the claim {part.strip()!r}: expected a name (15, pair, pair royal, "
                "run, flush, nobs) and the total so far, such as: 15 2, 15 4, pair 6"
            )
        name = "fifteen" if found[1] == "15" else found[1]
        said[name, int(found[2]) - total] += 1
        total = int(found[2])
    events = score_events(cards, starter, crib=crib)
    missed = []
    for event in events:
        if said[event.name, event.points]:
            said[event.name, event.points] -= 1
        else:
            missed.append(event)
    invented = tuple(
        f"{name} for {points}" for (name, points), times in said.items() for _ in range(times)
    )
    return Verdict(
        total, count(cards, starter, crib=crib), (tuple(missed),) if missed else (), invented
    )
