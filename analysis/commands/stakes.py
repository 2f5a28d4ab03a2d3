"""``cribodds stakes``: expected game points, and what a hole is worth."""

from typing import Any

import click

from ..answers import answer_json, open_table
from ..asking import bad_question
from ..stakes import game_points, hole_values, parse_stakes


@click.command("stakes")
@click.argument("player", type=int)
@click.argument("opponent", type=int)
@click.option(
    "--dealer", type=click.Choice(["player", "opponent", "cut"]), required=True,
    help="Who deals the coming deal.",
)  # fmt: skip
@click.option(
    "--stakes", "text", default="acc", show_default=True,
    help="acc (2, skunk 3), 1/2, 1/2/3, 1/2/4, or your own: plain/skunk/double skunk.",
)  # fmt: skip
@click.option("--table", help="A table's path, or the name of a config; default reference.")
@click.option("--json", "as_json", is_flag=True, help="Answer as JSON.")
def command(
    player: int, opponent: int, dealer: Any, text: str, table: str | None, as_json: bool
) -> None:
    """Tell what the game is worth at PLAYER holes against OPPONENT, before the deal."""
    with bad_question():
        stakes = parse_stakes(text)
    opened = open_table(table, as_json)
    with bad_question():
        odds = opened.odds(player=player, opponent=opponent, dealer=dealer)
        points = game_points(odds, stakes)
        holes = hole_values(opened, player, opponent, dealer, stakes)
    if as_json:
        answer_json(
            {
                "player": player, "opponent": opponent, "dealer": dealer,
                "stakes": stakes._asdict(), "win": odds.win,
                "game_points": points._asdict(), "one_more_hole": holes._asdict(),
            }
        )  # fmt: skip
        return
    click.echo(
        f"{player}-{opponent}; a game is worth {stakes.plain:g}, a skunk {stakes.skunk:g}, "
        f"a double skunk {stakes.double_skunk:g}"
    )
    click.echo(f"  the player wins     {odds.win:.6f} +- {odds.win_se:.6f}")
    click.echo(
        f"  game points         {points.player:.4f} against {points.opponent:.4f}: "
        f"{points.net:+.4f}"
    )
    click.echo(
        f"  one more hole       yours {100 * holes.own:+.3f}% ({holes.own_points:+.4f} points), "
        f"the opponent's {-100 * holes.opponent:+.3f}% ({-holes.opponent_points:+.4f})"
    )
