"""What the commands that analyse share: options, bad questions, the table and its strategy."""

import functools
import re
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

import click

from ..sim.strategy import Strategy
from ..tables.build import strategy_of
from ..tables.config import load_config
from ..tables.lookup import WinTable
from ..tables.store import Unavailable
from .hidden import COUNT_OUT, DRAWS, PRIORS, SEED
from .odds import REPLIES, Model

F = TypeVar("F", bound=Callable[..., Any])
_LEAST_DRAWS: Final = 100  # of fewer hands no error can be told
_MOST_DRAWS: Final = 10_000_000


@contextmanager
def bad_question() -> Iterator[None]:
    """Turn a ValueError (a card, score or config that cannot be) into one line and status 2."""
    try:
        yield
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def parse_score(text: str) -> tuple[int, int]:
    """Return the player's and the opponent's score of a text such as ``90-95``.

    Raises
    ------
    ValueError
        If it is no pair of scores.
    """
    found = re.fullmatch(r"\s*(\d{1,3})\s*[-:/, ]\s*(\d{1,3})\s*", text)
    if found is None:
        raise ValueError(f"score {text!r}: expected yours, then the opponent's, such as 90-95")
    return int(found[1]), int(found[2])


def model_options(command: F) -> F:
    """Add the options that say whose play is reckoned with, and how."""
    options = [
        click.option("--table", help="A table's path, or the name of a config; default reference."),
        click.option(
            "--strategy", metavar="CONFIG",
            help="The config whose strategy is the opponent; default the table's own.",
        ),
        click.option(
            "--prior", type=click.Choice(PRIORS), default=PRIORS[0], show_default=True,
            help="What the opponent may hold: what the strategy keeps, or any cards.",
        ),
        click.option(
            "--replies", type=click.Choice(REPLIES), default=REPLIES[0], show_default=True,
            help="How both play on; going out: who can win by a card lays it.",
        ),
        click.option(
            "--draws", type=click.IntRange(_LEAST_DRAWS, _MOST_DRAWS), default=DRAWS,
            show_default=True,
            help="Hands of the opponent to draw where they are not all counted out.",
        ),
        click.option(
            "--seed", type=click.IntRange(0, 2**63 - 1), default=SEED, show_default=True,
            help="Of the stream that draws come from.",
        ),
    ]  # fmt: skip
    return functools.reduce(lambda done, option: option(done), reversed(options), command)


def strategy_for(table: WinTable | Unavailable, config: str | None) -> Strategy:
    """Return the strategy of a config, or of the table's own, or of the reference config.

    Raises
    ------
    ValueError
        If the config cannot be read.
    """
    if config is None and isinstance(table, WinTable):
        settings = tomllib.loads(table.provenance["config"]["text"]).get("strategy", {})
        if {"card_play", "discard_rounds"} <= settings.keys():
            return Strategy(settings["card_play"], settings["discard_rounds"])
    return strategy_of(load_config(config or "reference"))


def model_for(
    table: WinTable | Unavailable,
    strategy: str | None,
    prior: Any,
    replies: Any,
    draws: int,
    seed: int,
    count_out: int = COUNT_OUT,
) -> Model:
    """Return the model that the options ask for, its books opened or compiled."""
    chosen = strategy_for(table, strategy)
    return Model(chosen, chosen.books(), prior, replies, draws, count_out, seed)
