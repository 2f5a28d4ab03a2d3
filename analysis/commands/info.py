"""``cribodds info``: what a table is and how it was made."""

import click

from ..answers import answer_json, open_table


@click.command("info")
@click.argument("table", required=False)
@click.option("--json", "as_json", is_flag=True, help="Answer as JSON.")
def command(table: str | None, as_json: bool) -> None:
    """Tell how TABLE, a path or the name of a config, was made; default the reference table."""
    opened = open_table(table, as_json)
    made = opened.provenance
    if as_json:
        answer_json({"path": str(opened.path), **made})
        return
    odds = opened.odds(player=0, opponent=0, dealer="player")
    lines = {
        "table": opened.path,
        "config": f"{made['config']['name']} ({made['config']['digest'][:12]})",
        "target": f"{made['target']}, skunk {made['skunk']}, double skunk {made['double_skunk']}",
        "deals": f"{made['deals']:,} of seed {made['seed']}",
        "strategy": f"{made['strategy']['name']} ({made['strategy']['digest'][:12]})",
        "0-0": f"the dealer wins {odds.win:.6f} +- {odds.win_se:.6f}",
        "means": ", ".join(f"{name} {mean:.4f}" for name, mean in made["means"].items()),
        "values": made["values_sha256"][:24],
        "code": made["code_digest"][:24],
        "versions": ", ".join(f"{name} {number}" for name, number in made["versions"].items()),
    }
    for name, value in lines.items():
        click.echo(f"{name:<9} {value}")
