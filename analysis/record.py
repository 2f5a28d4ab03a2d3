"""Deals and games as records: one JSON format, written by ``cribodds deal`` and by hand.

Described in docs/records.md. Everything that follows from the cards may be left out; what
is written is checked, and a fault is told with its line.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from ..sim import rules
from ..sim.cards import CardError, card_text, parse_cards
from ..sim.replay import Deal
from .lines import line_of, load_with_lines
from .pegs import Pegs
from .referee import SHOW, Cards, Part, Step, Told, tell

FORMAT: Final = "cribodds record 1"
Player = Literal["player", "opponent"]
PLAYERS: Final[tuple[Player, Player]] = ("player", "opponent")
_DEAL_KEYS: Final = {
    "dealer", "scores", "hands", "throws", "starter", "heels", "play", "show", "totals", "pegs",
    "seed", "number",
}  # fmt: skip
_LAY_KEYS: Final = {"seat", "card", "count", "points", "go"}
_GAME_KEYS: Final = {"format", "target", "players", "deals"}


class RecordError(ValueError):
    """A record that cannot be; the message begins with the line."""


@dataclass(frozen=True)
class DealRecord:
    """One deal of a record, checked.

    Attributes
    ----------
    line : int
        Where it begins.
    dealer : str
        ``player`` or ``opponent``.
    pegs : two Pegs
        Of the player and the opponent before the deal.
    cards : Cards
    told : Told
        By seat.
    """

    line: int
    dealer: Player
    pegs: tuple[Pegs, Pegs]
    cards: Cards
    told: Told

    def seat_of(self, player: Player) -> int:
        """Return the seat of a player."""
        return rules.DEALER if player == self.dealer else rules.PONE

    def player_in(self, seat: int) -> Player:
        """Return who sits in a seat."""
        other = PLAYERS[1 - PLAYERS.index(self.dealer)]
        return self.dealer if seat == rules.DEALER else other

    def pegs_after(self) -> tuple[Pegs, Pegs]:
        """Return the pegs of the player and the opponent when the deal is over."""
        return by_player(self.told.pegs, self.dealer)


@dataclass(frozen=True)
class GameRecord:
    """A record: the target, the names of player and opponent, and the deals in order."""

    target: int
    names: tuple[str, str]
    deals: tuple[DealRecord, ...]

    @property
    def winner(self) -> Player | None:
        """Who won the game; None if it is not over."""
        last = self.deals[-1]
        return None if last.told.winner is None else last.player_in(last.told.winner)


def by_player(pair: tuple[Pegs, Pegs], dealer: Player) -> tuple[Pegs, Pegs]:
    """Turn a pair by seat into one by player, or back."""
    return (pair[1], pair[0]) if dealer == "player" else pair


def read_record(text: str) -> GameRecord:
    """Read and check a record.

    Raises
    ------
    RecordError
        For the first fault found: with its line, what was written and what was expected.
    """
    try:
        top = load_with_lines(text)
    except json.JSONDecodeError as error:
        raise RecordError(f"line {error.lineno}: not JSON: {error.msg}") from None
    except RecursionError:
        raise RecordError("line 1: nested too deeply for a record") from None
    except ValueError as error:  # a number of thousands of digits
        raise RecordError(f"line 1: not JSON: {error}") from None
    if not isinstance(top, Mapping):
        raise RecordError("line 1: expected a deal or a game, { .. }")
    game = top if "deals" in top else {"deals": [top]}
    if game is top:
        _check_keys(top, _GAME_KEYS, 1)
    if game.get("format", FORMAT) != FORMAT:
        raise RecordError(f"line {line_of(game['format'], 1)}: expected format {FORMAT!r}")
    target = game.get("target", rules.STANDARD_TARGET)
    if type(target) is not int or not rules.SMALLEST_TARGET <= target <= rules.LARGEST_TARGET:
        raise RecordError(f"line {line_of(top, 1)}: target: expected 31 to 255, got {target!r}")
    names = game.get("players", list(PLAYERS))
    if not isinstance(names, list) or len(names) != 2 or not all(isinstance(n, str) for n in names):
        raise RecordError(f"line {line_of(top, 1)}: players: expected two names")
    if not all(str(name).isprintable() for name in names):
        raise RecordError(f"line {line_of(top, 1)}: players: expected names that can be printed")
    entries = game["deals"]
    if not isinstance(entries, list) or not entries:
        raise RecordError(f"line {line_of(top, 1)}: deals: expected a list of deals")
    deals: list[DealRecord] = []
    for entry in entries:
        deals.append(_read_deal(entry, deals[-1] if deals else None, target))
    return GameRecord(target, (str(names[0]), str(names[1])), tuple(deals))


def _check_keys(entry: Mapping[str, Any], known: set[str], default: int) -> None:
    for key in entry:
        if key not in known:
            raise RecordError(
                f"line {line_of(entry, default)}: unknown key {str(key)!r}; "
                f"expected {', '.join(sorted(known))}"
            )


def _read_deal(entry: Any, before: DealRecord | None, target: int) -> DealRecord:
    line = line_of(entry, 1)
    if not isinstance(entry, Mapping):
        raise RecordError(f"line {line}: expected a deal, {{ .. }}")
    _check_keys(entry, _DEAL_KEYS, line)
    for name in ("seed", "number"):
        value = entry.get(name, 0)
        if type(value) is not int or value < 0:
            raise RecordError(f"line {line}: {name}: expected a whole number from 0, got {value!r}")
    dealer = entry.get("dealer")
    if dealer not in PLAYERS:
        raise RecordError(
            f"line {line_of(dealer, line)}: dealer: expected 'player' or 'opponent', got {dealer!r}"
        )
    if before is not None and dealer == before.dealer:
        raise RecordError(f"line {line_of(dealer, line)}: the {dealer} deals twice running")
    if before is not None and before.told.winner is not None:
        raise RecordError(f"line {line}: a deal after the game was over")
    pegs = _read_pegs(entry, before, target, line)
    missing = [key for key in ("hands", "throws", "starter", "play") if key not in entry]
    if missing:
        raise RecordError(f"line {line}: the deal has no {', '.join(missing)}")
    cards = Cards(
        (_hand(entry, "hands", rules.PONE, 6, line), _hand(entry, "hands", rules.DEALER, 6, line)),
        (
            _hand(entry, "throws", rules.PONE, 2, line),
            _hand(entry, "throws", rules.DEALER, 2, line),
        ),
        _cards(entry["starter"], 1, line)[0],
        _laid(entry["play"], line),
    )
    try:
        told = tell(cards, by_player(pegs, dealer), target)
    except CardError as error:
        place = line_of_fault(entry["play"], str(error), line)
        raise RecordError(f"line {place}: {error}") from None
    _check_written(entry, told, line)
    return DealRecord(line, dealer, pegs, cards, told)


def _read_pegs(
    entry: Mapping[str, Any], before: DealRecord | None, target: int, line: int
) -> tuple[Pegs, Pegs]:
    follows = (Pegs(None, 0), Pegs(None, 0)) if before is None else before.pegs_after()
    if "scores" not in entry:
        return follows
    scores = entry["scores"]
    place = line_of(scores, line)
    if isinstance(scores, Mapping):
        _check_keys(scores, set(PLAYERS), place)
        scores = [scores.get(name) for name in PLAYERS]
    if (
        not isinstance(scores, list)
        or len(scores) != 2
        or not all(type(score) is int and 0 <= score < target for score in scores)
    ):
        raise RecordError(f"line {place}: scores: expected two scores from 0 to {target - 1}")
    if before is not None and scores != [pegs.score for pegs in follows]:
        told = "-".join(str(pegs.score) for pegs in follows)
        raise RecordError(
            f"line {place}: the scores {scores[0]}-{scores[1]} do not follow: "
            f"the deal before ended at {told}"
        )
    return follows if before else (Pegs(None, scores[0]), Pegs(None, scores[1]))


def _hand(entry: Mapping[str, Any], key: str, seat: int, count: int, line: int) -> tuple[int, ...]:
    name = rules.SEAT_NAMES[seat]
    pair = entry[key]
    if isinstance(pair, Mapping):
        _check_keys(pair, set(rules.SEAT_NAMES), line)
    if not isinstance(pair, Mapping) or name not in pair:
        raise RecordError(
            f"line {line_of(pair, line)}: {key}: expected cards for pone and dealer, "
            f"no {name} there"
        )
    return tuple(sorted(_cards(pair[name], count, line_of(pair, line))))


def _cards(value: Any, count: int | None, line: int) -> list[int]:
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise RecordError(f"line {line_of(value, line)}: expected cards, got {value!r}")
    try:
        return parse_cards([str(word) for word in words], count)
    except CardError as error:
        raise RecordError(f"line {line_of(words[0] if words else value, line)}: {error}") from None


def _laid(value: Any, line: int) -> tuple[int, ...]:
    if isinstance(value, list) and value and all(isinstance(entry, Mapping) for entry in value):
        found = []
        for entry in value:
            _check_keys(entry, _LAY_KEYS, line)
            if not isinstance(entry.get("card"), str):
                raise RecordError(f"line {line_of(entry, line)}: a lay has no card")
            found += _cards(entry["card"], 1, line_of(entry, line))
        return tuple(found)
    return tuple(_cards(value, None, line))


def line_of_fault(play: Any, fault: str, line: int) -> int:
    """Return the line of the card that a fault of the play names, or that of the deal."""
    if fault.startswith("card ") and isinstance(play, list):
        place = int(fault.split()[1])
        if place <= len(play):
            return line_of(play[place - 1], line)
    return line_of(play, line)


def _check_written(entry: Mapping[str, Any], told: Told, line: int) -> None:
    """Hold every number that is written to what the referee counts."""
    heels = sum(step.points for step in told.steps if step.part == "heels")
    if entry.get("heels", heels) != heels:
        raise RecordError(f"line {line}: heels {entry['heels']!r}, but the starter gives {heels}")
    lays = [step for step in told.steps if step.part == "play"]
    if isinstance(entry["play"], list):
        for step, written in zip(lays, entry["play"], strict=False):
            if isinstance(written, Mapping):
                _check_lay(step, written, line_of(written, line))
    show = entry.get("show", {})
    if not isinstance(show, Mapping):
        raise RecordError(f"line {line_of(show, line)}: show: expected {', '.join(SHOW)}")
    counted = {step.part: step for step in told.steps}
    for part, written in show.items():
        place = line_of(written, line_of(show, line))
        if isinstance(written, Mapping):
            _check_keys(written, {"points", "events"}, place)
        points = written.get("points") if isinstance(written, Mapping) else written
        if part not in SHOW:
            raise RecordError(f"line {place}: show: expected {', '.join(SHOW)}, got {str(part)!r}")
        if part not in counted:
            raise RecordError(f"line {place}: {part} is counted after the game was over")
        if points != counted[part].points:
            raise RecordError(
                f"line {place}: {_named(part)} counts {counted[part].points}, "
                f"the record says {points!r}"
            )
        if isinstance(written, Mapping) and "events" in written:
            _check_events(written["events"], counted[part], place)
    _check_totals(entry, told, line)
    _check_pegs(entry, told, line)


def _named(part: Part | str) -> str:
    return "the crib" if part == "crib" else f"the {part.split('_')[0]}'s hand"


def _check_lay(step: Step, written: Mapping[str, Any], line: int) -> None:
    if step.lay is None or step.card is None:
        return
    true = {
        "seat": rules.SEAT_NAMES[step.seat],
        "count": step.lay.count_after,
        "points": step.lay.points,
        "go": step.lay.go,
    }
    for name, value in true.items():
        if written.get(name, value) != value:
            raise RecordError(
                f"line {line}: {card_text(step.card)}: {name} is {value}, "
                f"the record says {written[name]!r}"
            )


def _check_events(written: Any, step: Step, line: int) -> None:
    """Hold the events of a count to those that its cards score, in any order."""
    events = _show_entry(step)["events"]
    if not isinstance(written, list) or sorted(map(repr, map(_plain, written))) != sorted(
        map(repr, map(_plain, events))
    ):
        told = ", ".join(f"{event['name']} {event['points']}" for event in events) or "none"
        raise RecordError(
            f"line {line_of(written, line)}: {_named(step.part)} has other events than the record "
            f"says: {told}"
        )


def _plain(event: Any) -> Any:
    """Return an event of a record as text that can be compared."""
    if not isinstance(event, Mapping):
        return event
    cards = event.get("cards")
    words = sorted(str(card) for card in cards) if isinstance(cards, list) else cards
    return str(event.get("name")), words, event.get("points")


def _check_pegs(entry: Mapping[str, Any], told: Told, line: int) -> None:
    written = entry.get("pegs", {})
    if not isinstance(written, Mapping):
        raise RecordError(f"line {line_of(written, line)}: pegs: expected {', '.join(PLAYERS)}")
    _check_keys(written, set(PLAYERS), line)
    after = by_player(told.pegs, entry["dealer"])
    for name, pegs in zip(PLAYERS, after, strict=True):
        if written.get(name, list(pegs)) != list(pegs):
            raise RecordError(
                f"line {line_of(written[name], line)}: after the deal the {name}'s pegs are at "
                f"{list(pegs)}, the record says {written[name]!r}"
            )


def _check_totals(entry: Mapping[str, Any], told: Told, line: int) -> None:
    totals = entry.get("totals", {})
    if not isinstance(totals, Mapping):
        raise RecordError(
            f"line {line_of(totals, line)}: totals: expected {', '.join(rules.SEAT_NAMES)}"
        )
    _check_keys(totals, set(rules.SEAT_NAMES), line)
    for seat, name in enumerate(rules.SEAT_NAMES):
        points = sum(step.points for step in told.steps if step.seat == seat)
        if totals.get(name, points) != points:
            raise RecordError(
                f"line {line_of(totals, line)}: the {name} scores {points} in the deal, "
                f"the record says {totals[name]!r}"
            )


def cards_of(deal: Deal) -> Cards:
    """Return the cards of a deal of the simulator."""
    return Cards(deal.hands, deal.throws, deal.starter, deal.laid)


def deal_entry(deal: Deal, dealer: Player, pegs: tuple[Pegs, Pegs], target: int) -> dict[str, Any]:
    """Return a deal of the simulator as an entry of a record.

    Parameters
    ----------
    dealer : str
        Whose deal it is to be.
    pegs : two Pegs
        Of the player and the opponent, before the deal.
    target : int
        Where the game ends.
    """
    told = tell(cards_of(deal), by_player(pegs, dealer), target)
    hands = dict(zip(rules.SEAT_NAMES, map(_words, deal.hands), strict=True))
    throws = dict(zip(rules.SEAT_NAMES, map(_words, deal.throws), strict=True))
    after = by_player(told.pegs, dealer)
    return {
        "seed": deal.seed,
        "number": deal.number,
        "dealer": dealer,
        "scores": dict(zip(PLAYERS, (each.score for each in pegs), strict=True)),
        "hands": hands,
        "throws": throws,
        "starter": card_text(deal.starter),
        "heels": deal.heels,
        "play": [_lay_entry(step) for step in told.steps if step.part == "play"],
        "show": {step.part: _show_entry(step) for step in told.steps if step.part in SHOW},
        "totals": {
            name: sum(step.points for step in told.steps if step.seat == seat)
            for seat, name in enumerate(rules.SEAT_NAMES)
        },
        "pegs": dict(zip(PLAYERS, map(list, after), strict=True)),
    }


def game_entry(target: int, deals: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a whole record of entries of deals."""
    return {"format": FORMAT, "target": target, "players": list(PLAYERS), "deals": list(deals)}


def _lay_entry(step: Step) -> dict[str, Any]:
    assert step.lay is not None
    assert step.card is not None
    return {
        "seat": rules.SEAT_NAMES[step.seat],
        "card": card_text(step.card),
        "count": step.lay.count_after,
        "points": step.lay.points,
        "go": step.lay.go,
    }


def _show_entry(step: Step) -> dict[str, Any]:
    events = [
        {"name": event.name, "cards": _words(event.cards), "points": event.points}
        for event in step.events
    ]
    return {"points": step.points, "events": events}


def _words(cards: Sequence[int]) -> list[str]:
    return [card_text(card) for card in cards]
