"""``cribodds deal``: one deal of the simulator again, card by card."""

import click

from ...sim.replay import replay
from ...tables.build import strategy_of
from ...tables.config import load_config
from ...tables.names import ConfigError
from ..answers import answer_json
from ..record import deal_lines, deal_record

_MOST_SEED = 2**63 - 1
_MOST_NUMBER = 2**60


@click.command("deal")
@click.option("--seed", type=click.IntRange(0, _MOST_SEED), help="Default: the config's seed.")
@click.option(
    "--number", type=click.IntRange(0, _MOST_NUMBER), required=True, help="Which deal, from 0."
)
@click.option("--config", default="reference", help="Whose strategy plays; a TOML file or name.")
@click.option("--json", "as_json", is_flag=True, help="Answer as a JSON record.")
def command(seed: int | None, number: int, config: str, as_json: bool) -> None:
    """Replay one deal: hands, throws, every card played with its points, counts, totals."""
    try:
        read = load_config(config)
    except ConfigError as error:
        raise click.UsageError(str(error)) from None
    strategy = strategy_of(read)
    deal = replay(strategy, strategy.books(), read.seed if seed is None else seed, number)
    if as_json:
        answer_json(deal_record(deal))
    else:
        for line in deal_lines(deal):
            click.echo(line)
