"""``cribodds position``: win odds at any moment of a deal."""

from typing import Any

import click

from ...sim.cards import cards_text, parse_cards
from ..answers import answer_json, open_table
from ..asking import bad_question, model_for, model_options, parse_score
from ..discard import skunk_share
from ..history import parse_play
from ..odds import PositionOdds, position_odds
from ..position import Position
from ..tabular import percent, print_table


@click.command("position")
@click.option("--score", required=True, help="Yours, then the opponent's: 90-95.")
@click.option("--dealer", type=click.Choice(["player", "opponent"]), required=True)
@click.option(
    "--keep", required=True, help="Your four cards, those laid too; before the throw all six."
)
@click.option("--throw", "thrown", default="", help="The two cards that you threw.")
@click.option("--starter", help="The card turned up; left out before the cut.")
@click.option(
    "--play",
    default="",
    help="Cards laid so far by both, in order; 'go' where the opponent said so.",
)
@click.option(
    "--counted", type=click.IntRange(0, 2), default=0,
    help="How many of pone's hand, dealer's hand and crib have been counted.",
)  # fmt: skip
@click.option(
    "--before-deal", is_flag=True,
    help="The scores are those before this deal: heels and points since are added.",
)  # fmt: skip
@model_options
@click.option("--json", "as_json", is_flag=True, help="Answer as JSON.")
def command(
    score: str, dealer: Any, keep: str, thrown: str, starter: str | None, play: str, counted: int,
    before_deal: bool, as_json: bool, table: str | None, **model: Any,
) -> None:  # fmt: skip
    """Tell the odds now, and of every card (or throw) that you could choose.

    Scores are those on the board now, the points of this deal included, unless --before-deal.
    """
    with bad_question():
        position = Position(
            *parse_score(score), dealer, tuple(parse_cards(keep)), tuple(parse_cards(thrown)),
            parse_cards(starter, 1)[0] if starter else None, parse_play(play), counted,
            "before the deal" if before_deal else "now",
        )  # fmt: skip
        position.board()
    opened = open_table(table, as_json)
    with bad_question():
        odds = position_odds(position, opened, model_for(opened, **model))
    if as_json:
        answer_json(_answer(odds))
        return
    mine, yours = odds.pegs
    click.echo(f"{position.moment}; pegs: you {mine.text()}, the opponent {yours.text()}")
    _show(odds)
    for line in _remarks(odds):
        click.echo(line)


def _show(odds: PositionOdds) -> None:
    rows = []
    for option in odds.options:
        outlook = option.outlook
        mine, yours = skunk_share(outlook.odds)
        rows.append(
            [
                cards_text(option.cards) or "(none)", percent(outlook.odds.win),
                f"{100 * outlook.odds.win_se:.2f}",
                f"{100 * outlook.behind:.2f}" + ("?" if outlook.behind and outlook.close else ""),
                percent(mine), percent(yours), percent(outlook.out), percent(outlook.opponent_out),
                f"{option.own_play:.2f}", f"{option.opponent_play:.2f}",
            ]
        )  # fmt: skip
    columns = [
        "choice",
        "win",
        "+-",
        "behind",
        "skunk",
        "skunked",
        "out",
        "opp. out",
        "play",
        "opp.",
    ]
    print_table(columns, rows, left=["choice"])


def _remarks(odds: PositionOdds) -> list[str]:
    said = []
    close = [o for o in odds.options[1:] if o.outlook.close]
    if close:
        said.append(
            f"too close to tell from {cards_text(odds.best.cards)}: "
            + ", ".join(cards_text(option.cards) for option in close)
        )
    if odds.note:
        said.append(odds.note)
    if odds.exact:
        how = f"all {odds.possibilities:,} possibilities counted out"
    elif odds.possible is None:
        how = f"{odds.possibilities:,} possibilities drawn"
    else:
        how = f"{odds.possibilities:,} of {odds.possible:,} possibilities drawn"
    said.append(f"{how}; his cards: {odds.prior}; replies: {odds.replies}")
    return said


def _answer(odds: PositionOdds) -> dict[str, Any]:
    return {
        "moment": odds.position.moment,
        "pegs": {"player": list(odds.pegs[0]), "opponent": list(odds.pegs[1])},
        "win": odds.win,
        "possibilities": odds.possibilities,
        "possible": odds.possible,
        "exact": odds.exact,
        "prior": odds.prior,
        "note": odds.note,
        "replies": odds.replies,
        "options": [
            {
                "cards": cards_text(option.cards).split(),
                **option.outlook.odds._asdict(),
                "out": option.outlook.out,
                "opponent_out": option.outlook.opponent_out,
                "behind": option.outlook.behind,
                "behind_se": option.outlook.behind_se,
                "close": option.outlook.close,
                "own_play": option.own_play,
                "opponent_play": option.opponent_play,
            }
            for option in odds.options
        ],
    }
