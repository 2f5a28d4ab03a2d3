"""``cribodds curve``: odds along a row of the table."""

from typing import Any

import click

from ..answers import answer_json, open_table
from ..asking import bad_question
from ..stakes import row
from ..tabular import bar, percent


@click.command("curve")
@click.option("--dealer", type=click.Choice(["player", "opponent", "cut"]), required=True)
@click.option("--player", type=int, help="Your score; the opponent's runs.")
@click.option("--opponent", type=int, help="The opponent's score; yours runs.")
@click.option("--from", "first", type=click.IntRange(min=0), default=0, help="First score shown.")
@click.option("--table", help="A table's path, or the name of a config; default reference.")
@click.option("--json", "as_json", is_flag=True, help="Answer as JSON.")
def command(
    dealer: Any, player: int | None, opponent: int | None, first: int, table: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Chart the player's odds along the board: one score fixed, or both tied."""
    opened = open_table(table, as_json)
    with bad_question():
        frame = row(opened, player=player, opponent=opponent, dealer=dealer)
    frame = frame.slice(first)
    if as_json:
        answer_json({"dealer": dealer, "rows": frame.to_dicts()})
        return
    click.echo("score    win     +-")
    for cell in frame.iter_rows(named=True):
        score = f"{cell['player_score']}-{cell['opponent_score']}"
        win, error = cell["win"], 100 * cell["win_se"]
        click.echo(f"{score:<7} {percent(win):>7} {error:.2f} {bar(win, 50)}")
