"""``cribodds odds``: what the table says of a score."""

import click

from ...tables.lookup import Odds
from ..answers import answer_json, open_table


@click.command("odds")
@click.argument("player", type=int)
@click.argument("opponent", type=int)
@click.option(
    "--dealer",
    type=click.Choice(["player", "opponent", "cut"]),
    required=True,
    help="Who deals the coming deal; cut: the deal is not cut for yet.",
)
@click.option("--table", help="A table's path, or the name of a config; default reference.")
@click.option("--json", "as_json", is_flag=True, help="Answer as JSON.")
def command(player: int, opponent: int, dealer: str, table: str | None, as_json: bool) -> None:
    """Tell the odds of the player who stands at PLAYER holes against OPPONENT, before the deal."""
    opened = open_table(table, as_json)
    try:
        odds = opened.odds(player=player, opponent=opponent, dealer=dealer)  # type: ignore[arg-type]
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if as_json:
        asked = {"player": player, "opponent": opponent, "dealer": dealer}
        answer_json({**asked, **odds._asdict(), "table": str(opened.path)})
    else:
        _show(player, opponent, dealer, odds)


def _show(player: int, opponent: int, dealer: str, odds: Odds) -> None:
    deals = {
        "player": "the player deals",
        "opponent": "the opponent deals",
        "cut": "before the cut",
    }
    click.echo(f"{player}-{opponent}, {deals[dealer]}")
    click.echo(f"  the player wins   {odds.win:.6f} +- {odds.win_se:.6f}")
    for who, rest in (("wins", odds[1:4]), ("loses", odds[4:7])):
        plain, skunk, double = rest
        click.echo(f"  {who:<5} plain {plain:.6f}   skunk {skunk:.6f}   double skunk {double:.6f}")
    click.echo(f"  deals left        {odds.deals_left:.3f}")
