"""``cribodds discard``: all throws of a hand, in points and in win odds."""

from typing import Any

import click

from ...sim.cards import cards_text, parse_cards
from ...tables.store import Unavailable
from ..answers import answer_json, open_if_there, unavailable_fields
from ..asking import bad_question, model_for, model_options, parse_score
from ..discard import ThrowStudy, skunk_share, study_throws
from ..tabular import percent, print_table


@click.command("discard")
@click.argument("cards", nargs=-1, required=True)
@click.option(
    "--dealer", type=click.Choice(["player", "opponent"]), required=True, help="Whose crib it is."
)
@click.option("--score", help="Yours, then the opponent's: 90-95. With it come the win odds.")
@model_options
@click.option("--json", "as_json", is_flag=True, help="Answer as JSON.")
def command(
    cards: tuple[str, ...], dealer: Any, score: str | None, as_json: bool, table: str | None,
    **model: Any,
) -> None:  # fmt: skip
    """Weigh all 15 throws of six CARDS."""
    with bad_question():
        hand = parse_cards(cards, 6)
        scores = None if score is None else parse_score(score)
        found = open_if_there(table, model["strategy"], as_json)
        with_odds = None if isinstance(found, Unavailable) else found
        study = study_throws(hand, dealer, model_for(found, **model), scores, with_odds)
    why = found if isinstance(found, Unavailable) and scores is not None else None
    if as_json:
        answer = {"hand": cards_text(sorted(hand)).split(), "dealer": dealer, "score": scores}
        answer_json(answer | _odds_fields(study, why) | {"throws": study.frame().to_dicts()})
        return
    whose = "your crib" if dealer == "player" else "the opponent's crib"
    click.echo(f"{cards_text(sorted(hand))}, {whose}" + (f", {score}" if score else ""))
    _show(study)
    for remark in study.remarks():
        click.echo(remark)
    if study.odds is not None:
        click.echo(
            f"win odds: {study.odds.possibilities:,} hands of the opponent and starters, the same "
            f"for every throw; his cards: {study.odds.prior}; seed {model['seed']}"
        )
    if why is not None:
        click.echo(f"win odds unavailable: {why}")


def _odds_fields(study: ThrowStudy, why: Unavailable | None) -> dict[str, Any]:
    if why is not None:
        return {"unavailable": unavailable_fields(why)}
    if study.odds is None:
        return {}
    odds = study.odds
    return {
        "possibilities": odds.possibilities, "prior": odds.prior, "note": odds.note,
        "replies": odds.replies, "remarks": study.remarks(),
    }  # fmt: skip


def _show(study: ThrowStudy) -> None:
    columns = [
        "throw", "keep", "hand", "least", "most", "sd", "crib any", "crib ref", "play", "opp.",
        "net", "",
    ]  # fmt: skip
    if study.odds is not None:
        columns += ["win", "+-", "behind", "skunk", "skunked"]
    rows = []
    for points, outlook in study.throws:
        row = [
            cards_text(points.throw), cards_text(points.keep),
            f"{points.hand:.3f}", str(points.least), str(points.most), f"{points.hand_sd:.2f}",
            f"{points.crib_neutral:.3f}", f"{points.crib:.3f}",
            f"{points.own_play:.2f}", f"{points.opponent_play:.2f}",
            f"{points.net:.3f}", "ref" if points.reference else "",
        ]  # fmt: skip
        if outlook is not None:
            mine, yours = skunk_share(outlook.odds)
            row += [
                percent(outlook.odds.win), f"{100 * outlook.odds.win_se:.2f}",
                f"{100 * outlook.behind:.2f}" + ("?" if outlook.behind and outlook.close else ""),
                percent(mine), percent(yours),
            ]  # fmt: skip
        rows.append(row)
    print_table(columns, rows, left=["throw", "keep"])
