"""``cribodds build``: build the win table of a config."""

from pathlib import Path

import click

from ...tables.build import Built, build
from ...tables.config import load_config
from ...tables.lookup import WinTable
from ...tables.names import ConfigError
from ...tables.store import TableWriteError


@click.command("build")
@click.argument("config", default="reference")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Where to write.")
@click.option("--jobs", type=click.IntRange(min=1), help="Worker processes; default all cores.")
@click.option("--force", is_flag=True, help="Build even if the table is there.")
def command(config: str, out: Path | None, jobs: int | None, force: bool) -> None:
    """Build the win table of CONFIG, a TOML file or the name of one in configs/."""
    try:
        read = load_config(config)
    except ConfigError as error:
        raise click.UsageError(str(error)) from None
    try:
        built = build(
            read, out=out, jobs=jobs or -1, force=force, say=lambda line: click.echo(line, err=True)
        )
    except TableWriteError as error:
        raise click.ClickException(str(error)) from None
    _report(built)


def _report(built: Built) -> None:
    made = built.data.provenance
    table = WinTable(built.data, built.path)
    odds = table.odds(player=0, opponent=0, dealer="player")
    means = made["means"]
    verb = "wrote" if built.anew else "already there, of this config and code (--force rebuilds):"
    click.echo(f"{verb} {built.path}")
    click.echo(f"  {made['deals']:,} deals; {made['strategy']['name']}")
    click.echo(f"  the dealer wins from 0-0: {odds.win:.6f} +- {odds.win_se:.6f}")
    click.echo(
        f"  mean points of a deal: pone pegs {means['pone_pegs']:.3f}, "
        f"hand {means['pone_hand']:.3f}; dealer pegs {means['dealer_pegs']:.3f}, "
        f"hand {means['dealer_hand']:.3f}, crib {means['crib']:.3f}, heels {means['heels']:.4f}"
    )
