"""A deal as a record: JSON for programs, text for people, both made from one place."""

from typing import Any

from ..sim import rules
from ..sim.cards import card_text, cards_text
from ..sim.replay import Deal
from ..sim.show import ScoreEvent

_SHOWN = ("pone_hand", "dealer_hand", "crib")


def deal_record(deal: Deal) -> dict[str, Any]:
    """Return a deal as plain values: cards as text, points as numbers, all in scoring order."""
    pone, dealer = deal.totals()
    return {
        "seed": deal.seed,
        "number": deal.number,
        "hands": {name: _words(deal.hands[seat]) for seat, name in enumerate(rules.SEAT_NAMES)},
        "throws": {name: _words(deal.throws[seat]) for seat, name in enumerate(rules.SEAT_NAMES)},
        "starter": card_text(deal.starter),
        "heels": deal.heels,
        "play": [
            {
                "seat": rules.SEAT_NAMES[lay.seat],
                "card": card_text(card),
                "count": lay.count_after,
                "points": lay.points,
                "go": lay.go,
            }
            for card, lay in zip(deal.laid, deal.lays, strict=True)
        ],
        "show": {
            name: {
                "points": sum(event.points for event in events),
                "events": [_event_record(event) for event in events],
            }
            for name, events in zip(_SHOWN, deal.counts, strict=True)
        },
        "totals": {"pone": pone, "dealer": dealer},
    }


def _words(cards: tuple[int, ...]) -> list[str]:
    return [card_text(card) for card in cards]


def _event_record(event: ScoreEvent) -> dict[str, Any]:
    return {"name": event.name, "cards": _words(event.cards), "points": event.points}


def deal_lines(deal: Deal) -> list[str]:
    """Return a deal as lines of text: hands, throws, every card played, counts, totals."""
    lines = [f"deal {deal.number:,} of seed {deal.seed}"]
    for seat, name in enumerate(rules.SEAT_NAMES):
        lines.append(
            f"{name:<7} {cards_text(deal.hands[seat])}   throws {cards_text(deal.throws[seat])}"
            f", keeps {cards_text(deal.keeps[seat])}"
        )
    heels = f"   heels: {deal.heels} for the dealer" if deal.heels else ""
    lines += [f"starter {card_text(deal.starter)}{heels}", "the play"]
    for card, lay in zip(deal.laid, deal.lays, strict=True):
        scored = f"   {lay.points}" if lay.points else ""
        go = f"   {lay.go} for the last card of the count" if lay.go else ""
        seat_name = rules.SEAT_NAMES[lay.seat]
        lines.append(f"  {seat_name:<7} {card_text(card)}   count {lay.count_after:>2}{scored}{go}")
    lines.append("the show")
    for name, events in zip(_SHOWN, deal.counts, strict=True):
        told = ", ".join(f"{e.name} {cards_text(e.cards)} {e.points}" for e in events) or "nothing"
        total = sum(event.points for event in events)
        lines.append(f"  {name.replace('_', ' '):<12} {total:>2}   {told}")
    pone, dealer = deal.totals()
    lines.append(f"total   pone {pone}, dealer {dealer}")
    return lines
