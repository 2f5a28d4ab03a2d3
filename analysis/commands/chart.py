"""``cribodds chart``: how often a hand and a crib score what."""

import click

from ..answers import answer_json, open_if_there
from ..asking import bad_question, strategy_for
from ..scorechart import CRIB_DEALS, chart
from ..tabular import print_table


@click.command("chart")
@click.option(
    "--held/--all-cards", default=True, help="With, or without, hands as really held; default with."
)
@click.option("--table", help="Of whose strategy; a path or the name of a config.")
@click.option("--strategy", metavar="CONFIG", help="The config whose strategy throws.")
@click.option("--json", "as_json", is_flag=True, help="Answer as JSON.")
def command(held: bool, table: str | None, strategy: str | None, as_json: bool) -> None:
    """Chart the odds of every score: over all cards, and as the strategy holds them."""
    books = None
    if held:
        with bad_question():
            books = strategy_for(open_if_there(table, strategy, as_json), strategy).books()
    elif table is not None or strategy is not None:
        raise click.UsageError("--all-cards is of no strategy: leave --table and --strategy out")
    frame = chart(books)
    if as_json:
        answer_json({"scores": frame.to_dicts()})
        return
    shown = [name for name in frame.columns if name not in {"score", "hands", "cribs"}]
    print_table(
        ["score", "hands", "cribs", *(name.replace("_", " ") for name in shown)],
        [
            [
                str(row["score"]),
                f"{row['hands']:,}",
                f"{row['cribs']:,}",
                *(f"{100 * row[name]:.4f}%" for name in shown),
            ]
            for row in frame.to_dicts()
        ],
    )
    mean = {name: float((frame["score"] * frame[name]).sum()) for name in shown}
    click.echo(
        "mean points: " + ", ".join(f"{n.replace('_', ' ')} {m:.4f}" for n, m in mean.items())
    )
    click.echo("hands and cribs: of all 12,994,800 fours with a starter")
    if held:
        click.echo(
            "pone hand, dealer hand: as the strategy keeps them, exact; dealt crib: "
            f"{CRIB_DEALS:,} deals played"
        )
