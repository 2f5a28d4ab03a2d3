"""``cribodds count``: a hand counted aloud, or a claimed count judged."""

import click

from ...sim.cards import cards_text, parse_cards
from ...sim.show import ScoreEvent
from ..answers import answer_json
from ..asking import bad_question
from ..counting import (
    NEVER,
    Line,
    Verdict,
    count_aloud,
    judge_scores,
    judge_total,
    sets_text,
    spoken,
)
from ..tabular import print_table


@click.command("count")
@click.argument("cards", nargs=-1, required=True)
@click.option("--starter", required=True, help="The card turned up.")
@click.option("--crib", is_flag=True, help="Count it as a crib: a flush needs all five cards.")
@click.option(
    "--claim",
    help="A count to be judged: a total, or the scores as told: '15 2, 15 4, pair 6'.",
)
@click.option("--json", "as_json", is_flag=True, help="Answer as JSON.")
def command(
    cards: tuple[str, ...], starter: str, crib: bool, claim: str | None, as_json: bool
) -> None:
    """Count four CARDS and the starter, every score by name, in the order of counting."""
    with bad_question():
        four = parse_cards(cards, 4)
        [turned] = parse_cards(starter, 1)
        lines = count_aloud(four, turned, crib=crib)
        verdict = None
        if claim is not None and claim.strip().isdigit():
            verdict = judge_total(four, turned, int(claim), crib=crib)
        elif claim is not None:
            verdict = judge_scores(four, turned, claim, crib=crib)
    if as_json:
        answer_json(_answer(four, turned, crib, lines, verdict))
        return
    click.echo(f"{cards_text(four)}, starter {cards_text([turned])}{', crib' if crib else ''}")
    if lines:
        print_table(
            ["score", "cards", "points", "total"],
            [
                [event.name, cards_text(event.cards), str(event.points), str(total)]
                for _, event, total in lines
            ],
            left=["score", "cards"],
        )  # fmt: skip
    click.echo(f"{spoken(lines)}: {lines[-1].total if lines else 0} in all")
    if verdict is not None:
        for said in _judgement(verdict):
            click.echo(said)


def _judgement(verdict: Verdict) -> list[str]:
    if verdict.right:
        return [f"the claim of {verdict.claimed} is right"]
    said = [f"the claim of {verdict.claimed} is wrong: it is {verdict.true}"]
    if verdict.claimed in NEVER:
        said.append(f"no hand scores {verdict.claimed}")
    if verdict.missed:
        said.append(f"missed: {sets_text(verdict.missed)}")
    if verdict.invented:
        said.append(f"invented: {', or '.join(verdict.invented)}")
    if not verdict.missed and not verdict.invented:
        said.append("no usual slip makes up the difference")
    return said


def _event(event: ScoreEvent) -> dict[str, object]:
    return {
        "name": event.name,
        "cards": cards_text(event.cards).split(),
        "points": event.points,
    }


def _answer(
    cards: list[int], starter: int, crib: bool, lines: list[Line], verdict: Verdict | None
) -> dict[str, object]:
    answer: dict[str, object] = {
        "cards": cards_text(cards).split(),
        "starter": cards_text([starter]),
        "crib": crib,
        "total": lines[-1].total if lines else 0,
        "spoken": spoken(lines),
        "events": [
            _event(line.event) | {"total": line.total, "words": line.words} for line in lines
        ],
    }
    if verdict is not None:
        answer["claim"] = {
            "claimed": verdict.claimed,
            "right": verdict.right,
            "missed": [[_event(event) for event in some] for some in verdict.missed],
            "invented": list(verdict.invented),
        }  # fmt: skip
    return answer
