"""A deal told in lines of text: hands, throws, every card, the counts, the pegs."""

from ..sim import rules
from ..sim.cards import card_text, cards_text
from .referee import SHOW, Cards, Step, Told


def deal_lines(cards: Cards, told: Told) -> list[str]:
    """Return a deal as lines of text.

    Parameters
    ----------
    cards : Cards
    told : Told
        What the referee makes of them.
    """
    names = rules.SEAT_NAMES
    width = max(map(len, names))
    lines = [
        f"{name:<{width}}  {cards_text(hand)}   throws {cards_text(throw)}, "
        f"keeps {cards_text(keep)}"
        for name, hand, throw, keep in zip(
            names, cards.hands, cards.throws, cards.keeps, strict=True
        )
    ]
    lines.append(f"starter {card_text(cards.starter)}")
    for step in told.steps:
        pegs = "   ".join(f"{n} {p.text()}" for n, p in zip(names, step.pegs, strict=True))
        told_step = f"  {_step_text(step, names, width):<48} "
        lines.append((told_step + pegs if step.points else told_step).rstrip())
    pone, dealer = (
        sum(step.points for step in told.steps if step.seat == seat) for seat in range(2)
    )
    lines.append(f"total   {names[0]} {pone}, {names[1]} {dealer}")
    if told.winner is not None:
        lines.append(f"{names[told.winner]} wins the game")
    return lines


def _step_text(step: Step, names: tuple[str, str], width: int) -> str:
    name = f"{names[step.seat]:<{width}}"
    if step.lay is not None and step.card is not None:
        scored = f"  {step.lay.points}" if step.lay.points else ""
        go = f"  {step.lay.go} for the last card" if step.lay.go else ""
        return f"{name}  {card_text(step.card)}  count {step.lay.count_after:>2}{scored}{go}"
    if step.part in SHOW:
        told = ", ".join(f"{e.name} {cards_text(e.cards)} {e.points}" for e in step.events)
        hand = "crib" if step.part == "crib" else "hand"
        return f"{name}  {hand} {step.points}: {told or 'nothing'}"
    return f"{name}  heels {step.points}"
