"""How strong strategies are: their card play, their throws, and whole games between them.

The first config is the measure: its keeps weigh the comparisons of card play, its strategy
is the opponent of the throws, and its game, seed and deals are those of the whole games.
"""

import dataclasses
import functools
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from tqdm import tqdm

from ..sim.book import Books
from ..sim.equilibrium.best_response import TreePlay, game
from ..sim.equilibrium.own_path import mixture
from ..sim.strategy import Strategy
from ..tables.build import strategy_of
from ..tables.config import Config
from .discard_strength import ThrowLoss, losses, plain_throws, sample_hands
from .play_strength import (
    BookCount,
    CardPlay,
    LaidPlay,
    Leads,
    count_books,
    lay_play,
    lead_chances,
    measure_play,
    play_values,
    seats_averaged,
)
from .whole_games import Match, TableGap, effect_of_books, matches, play_all, table_gap

PARTS: Final = ("play", "books", "games", "throws")
DEFAULT_CONFIGS: Final = ("reference", "look-ahead", "greedy")
HANDS: Final = 400
BOOK_COUNTS: Final = (1, 2, 4, 8, 16, 32)
# Numbers of books whose tables are built beside that of the books in use.
TABLE_COUNTS: Final = (8, 16, 32)
BOOKS_TIMES: Final = 4
# What they are held against: the mixed play spread wider, and otherwise.
MANY_BOOKS: Final = 64
PLAIN: Final = "hand and crib alone"


class MixedBooks(NamedTuple):
    """What spreading a mixed play over pure books costs.

    Attributes
    ----------
    strategy : str
    in_use : int
        How many books the strategy has.
    counts : list of BookCount
        By number of books.
    tables : list of TableGap
        Tables of fewer books, less that of ``MANY_BOOKS`` books.
    """

    strategy: str
    in_use: int
    counts: list[BookCount]
    tables: list[TableGap]


class Versus(NamedTuple):
    """Card play against card play, points a deal, exact.

    Attributes
    ----------
    prior : str
        Whose keeps both seats hold.
    dealer_wins : list of lists
        What the dealer wins of the pone, by the pone's play and the dealer's.
    edge : list of lists
        What each play wins of each other, the mean over the seats.
    """

    prior: str
    dealer_wins: list[list[float]]
    edge: list[list[float]]


@dataclass
class Strength:
    """What was measured; parts that were not asked for are empty.

    Attributes
    ----------
    names : of the configs
    strategies : by config, in words
    digests : of the books
    seed, deals, hands : int
    play : card play by itself
    leads : what the pone leads
    versus : card play against card play
    books : of each mixed strategy
    games : whole games of two strategies
    tables : tables against the first config's
    throws : what the throws lose, against the first config's strategy
    """

    names: list[str]
    strategies: list[str]
    digests: list[str]
    seed: int
    deals: int
    hands: int
    play: list[CardPlay] = field(default_factory=list)
    leads: list[Leads] = field(default_factory=list)
    versus: Versus | None = None
    books: list[MixedBooks] = field(default_factory=list)
    games: list[Match] = field(default_factory=list)
    tables: list[TableGap] = field(default_factory=list)
    throws: list[ThrowLoss] = field(default_factory=list)

    def fields(self) -> dict[str, Any]:
        """Return everything as plain dicts and lists, for JSON."""
        fields: dict[str, Any] = _plain(
            {each.name: getattr(self, each.name) for each in dataclasses.fields(self)}
        )
        return fields


def _plain(value: Any) -> Any:
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return _plain(value._asdict())
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value


@dataclass(frozen=True)
class _Player:
    """One config's strategy in all its forms."""

    name: str
    strategy: Strategy
    books: Books

    @functools.cached_property
    def laid(self) -> LaidPlay:
        return lay_play(self.strategy)


def check_configs(configs: Sequence[Config]) -> None:
    """Raise ValueError if two configs have one strategy or one name: nothing to compare."""
    seen: dict[Strategy, str] = {}
    for config in configs:
        strategy = strategy_of(config)
        if strategy in seen:
            raise ValueError(
                f"{seen[strategy]} and {config.name} have the same strategy ({strategy.name}): "
                "give one of them"
            )
        if config.name in seen.values():
            raise ValueError(f"two configs are named {config.name}: give one of them another name")
        seen[strategy] = config.name


def measure(
    configs: Sequence[Config],
    *,
    parts: Collection[str] = PARTS,
    deals: int | None = None,
    hands: int = HANDS,
    jobs: int = -1,
    say: Callable[[str], None] = lambda line: None,
) -> Strength:
    """Return how strong the strategies of some configs are.

    Parameters
    ----------
    configs : one or more
        The first is the measure.
    parts : some of ``PARTS``
        ``games`` needs a second config to be more than a mirror.
    deals : int, optional
        Deals of each pairing, a multiple of 64; by default the first config's.
    hands : int
        Sampled hands for the throws, two or more.
    jobs : int
        Worker processes for the deals; -1 means all cores.
    say : callable
        Is told, in one line each, what is being done.

    Raises
    ------
    ValueError
        If two configs have the same strategy or name.
    """
    check_configs(configs)
    settings = configs[0] if deals is None else _with_deals(configs[0], deals)
    players = []
    for config in configs:
        say(f"strategy: {config.name}")
        strategy = strategy_of(config)
        players.append(_Player(config.name, strategy, strategy.books(say)))
    found = Strength(
        [each.name for each in players],
        [each.strategy.name for each in players],
        [each.books.digest() for each in players],
        settings.seed,
        settings.deals if {"games", "books"} & set(parts) else 0,
        hands if "throws" in parts else 0,
    )
    if "play" in parts:
        _measure_play(found, players, say)
    if "games" in parts:
        _measure_games(found, players, settings, jobs, say)
    if "books" in parts:
        _measure_books(found, players, settings, jobs, say)
    if "throws" in parts:
        _measure_throws(found, players, configs[0], hands, say)
    return found


def _with_deals(config: Config, deals: int) -> Config:
    """Return a config with other deals, in 64 chunks or in as many as it has."""
    chunks = max(64, config.deals // config.chunk)
    chunks = chunks if deals % chunks == 0 else 64
    return config.model_copy(update={"deals": deals, "chunk": deals // chunks})


def _measure_play(found: Strength, players: Sequence[_Player], say: Callable[[str], None]) -> None:
    for each in players:
        say(f"card play: {each.name}")
        played = game(*each.books.keeps)
        found.play.append(measure_play(each.name, played, each.laid.on_tree()))
        many = each.strategy.play_books
        if many > 1:
            mixed = TreePlay(mixture(played.tree, each.laid.chances, many), each.laid.solo)
            found.play.append(measure_play(f"{each.name}, {many} books", played, mixed))
        found.leads.append(lead_chances(each.name, played, each.laid))
    values = play_values(game(*players[0].books.keeps), [each.laid for each in players])
    found.versus = Versus(players[0].name, values.tolist(), seats_averaged(values).tolist())


def _measure_games(
    found: Strength,
    players: Sequence[_Player],
    settings: Config,
    jobs: int,
    say: Callable[[str], None],
) -> None:
    target = settings.game.target
    tallies = play_all(
        [each.strategy for each in players],
        [each.books for each in players],
        [each.laid for each in players],
        settings,
        jobs,
        say,
    )
    found.games.extend(matches(found.names, tallies, target))
    for i in range(1, len(players)):
        names = (found.names[0], found.names[i])
        found.tables.append(table_gap(names, tallies[0][0], tallies[i][i], target))


def _measure_books(
    found: Strength,
    players: Sequence[_Player],
    settings: Config,
    jobs: int,
    say: Callable[[str], None],
) -> None:
    # The effects are small: more deals than for whole games.
    wider = _with_deals(settings, BOOKS_TIMES * settings.deals)
    for each in players:
        many = each.strategy.play_books
        if many == 1:
            continue
        say(f"pure books: {each.name}")
        counts = count_books(game(*each.books.keeps), each.laid, each.books.keeps, BOOK_COUNTS)
        tables = sorted({many, *TABLE_COUNTS})
        gaps = effect_of_books(each.name, each.books, each.laid, tables, MANY_BOOKS, wider, jobs)
        found.books.append(MixedBooks(each.name, many, counts, gaps))


def _measure_throws(
    found: Strength,
    players: Sequence[_Player],
    config: Config,
    hands: int,
    say: Callable[[str], None],
) -> None:
    say(f"throws: {hands} hands, all hands of the opponent gone through for each")
    books = {each.name: each.books.discards for each in players}
    books[PLAIN] = plain_throws(config.strategy.discard_rounds)
    with tqdm(total=hands, unit=" hands", desc="throws", disable=None) as line:
        found.throws.extend(
            losses(books, players[0].books, sample_hands(hands, config.seed), line.update)
        )
