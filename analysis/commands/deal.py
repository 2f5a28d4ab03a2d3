"""``cribodds deal``: deals of the simulator again, card by card, as text or as a record."""

from typing import Any

import click

from ...sim.replay import replay
from ...tables.build import strategy_of
from ...tables.config import Config, load_config
from ..answers import answer_json
from ..asking import bad_question, parse_score
from ..pegs import Pegs
from ..record import Player, by_player, cards_of, deal_entry, game_entry
from ..referee import tell
from ..telling import deal_lines

_MOST_SEED = 2**63 - 1
_MOST_NUMBER = 2**60


@click.command("deal")
@click.option("--seed", type=click.IntRange(0, _MOST_SEED), help="Default: the config's seed.")
@click.option(
    "--number", type=click.IntRange(0, _MOST_NUMBER), required=True, help="Which deal, from 0."
)
@click.option("--config", default="reference", help="Whose strategy plays; a TOML file or name.")
@click.option(
    "--dealer", type=click.Choice(["player", "opponent"]), default="player", show_default=True,
    help="Whose deal it is in the record.",
)  # fmt: skip
@click.option("--score", default="0-0", show_default=True, help="The player's, the opponent's.")
@click.option("--game", is_flag=True, help="Play on from this deal until the game is over.")
@click.option("--json", "as_json", is_flag=True, help="Answer as a record for `cribodds review`.")
def command(
    seed: int | None, number: int, config: str, dealer: Any, score: str, game: bool, as_json: bool
) -> None:
    """Replay a deal: hands, throws, every card with its points, counts, pegs.

    With --game the deals that follow are played too, the deal passing from hand to hand.
    """
    with bad_question():
        read = load_config(config)
        mine, yours = parse_score(score)
        if max(mine, yours) >= read.game.target:
            raise ValueError(f"score {score}: expected two scores under {read.game.target}")
    pegs = (Pegs(None, mine), Pegs(None, yours))
    entries = _play(read, read.seed if seed is None else seed, number, dealer, pegs, game, as_json)
    if as_json:
        answer_json(game_entry(read.game.target, entries))


def _play(
    config: Config, seed: int, number: int, dealer: Player, pegs: tuple[Pegs, Pegs], game: bool,
    as_json: bool,
) -> list[dict[str, Any]]:  # fmt: skip
    """Play one deal, or deals to the end of the game; return their entries, or print them."""
    strategy = strategy_of(config)
    books = strategy.books()
    target = config.game.target
    entries = []
    while True:
        deal = replay(strategy, books, seed, number)
        told = tell(cards_of(deal), by_player(pegs, dealer), target)
        if as_json:
            entries.append(deal_entry(deal, dealer, pegs, target))
        else:
            click.echo(f"deal {number:,} of seed {seed}")
            click.echo("\n".join(deal_lines(cards_of(deal), told)))
        if not game or told.winner is not None:
            return entries
        pegs = by_player(told.pegs, dealer)
        dealer = "opponent" if dealer == "player" else "player"
        number += 1
