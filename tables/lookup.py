"""Serve a win table: exact answers when it is there, `Unavailable` with the reason when not.

Every probability is **the player's**, before the cards of the coming deal are dealt; `player` and
`opponent` are their scores (holes, 0 to the target), `dealer` says who deals the coming deal. A
game that is over (exactly one score at the target) has its outcome for certain and no deal left.

    table = probe_table()
    table.win(player=90, opponent=75, dealer="opponent")

Imports neither numba nor the simulator; polars only where a frame is asked for.
"""

import operator
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn, SupportsIndex, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arrays import SLABS, gather, slab_of
from .names import is_name, read_config, table_path
from .store import Unavailable, read_table
from .table import DEALERS, VALUES, TableData

if TYPE_CHECKING:
    import polars as pl

    Frame = TypeVar("Frame", pl.DataFrame, pl.LazyFrame)

ENVIRONMENT = "CRIBODDS_TABLE"
DEFAULT = "reference"

Dealer = Literal["player", "opponent", "cut"]
"""Who deals the coming deal; ``cut``: not cut for yet, the mean of both."""

_BOOLEANS = (bool, np.bool_)


class Odds(NamedTuple):
    """What can become of the game, for the player: six disjoint outcomes that sum to 1.

    `win` is the sum of the player's three, `win_se` its standard error from sampling, `deals_left`
    the expected number of deals to the end, the coming one included.
    """

    win: float
    win_plain: float
    win_skunk: float
    win_double_skunk: float
    loss_plain: float
    loss_skunk: float
    loss_double_skunk: float
    win_se: float
    deals_left: float


class OddsArrays(NamedTuple):
    """The fields of `Odds`, each a float64 array over many positions."""

    win: NDArray[np.float64]
    win_plain: NDArray[np.float64]
    win_skunk: NDArray[np.float64]
    win_double_skunk: NDArray[np.float64]
    loss_plain: NDArray[np.float64]
    loss_skunk: NDArray[np.float64]
    loss_double_skunk: NDArray[np.float64]
    win_se: NDArray[np.float64]
    deals_left: NDArray[np.float64]


class WinTable:
    """A table that was read and checked; get one from `probe_table` or `get_table`.

    The error of the odds for ``dealer="cut"`` is the mean of both errors. That is an upper bound:
    it is met if both err alike, for they come of the same deals.
    """

    def __init__(self, data: TableData, path: Path) -> None:
        self._data = data
        self._path = path
        self._target = data.target
        self._columns = _with_finished_games(data)
        self._win = memoryview(self._columns[0])
        self._flat = self._columns.reshape(len(VALUES), -1)

    def __reduce__(self) -> tuple[type["WinTable"], tuple[TableData, Path]]:
        return WinTable, (self._data, self._path)

    def __repr__(self) -> str:
        return f"<WinTable {self._path}, target {self._target}>"

    @property
    def target(self) -> int:
        """The score that wins."""
        return self._target

    @property
    def provenance(self) -> Mapping[str, Any]:
        """What made the table: config, seed, deals, strategy, versions, mean points, hashes."""
        return self._data.provenance

    @property
    def path(self) -> Path:
        """The file it was read from."""
        return self._path

    def win(self, *, player: SupportsIndex, opponent: SupportsIndex, dealer: Dealer) -> float:
        """Return the player's probability of winning, before the coming deal.

        Parameters
        ----------
        player, opponent
            Scores, whole numbers from 0 to the target, not both at the target.
        dealer
            Who deals the coming deal: ``player``, ``opponent``, or ``cut`` (not known yet).

        Raises
        ------
        TypeError, ValueError
            For a bad question.
        """
        slab, mine, yours = self._cell(player, opponent, dealer)
        return cast(float, self._win[slab, mine, yours])

    def odds(self, *, player: SupportsIndex, opponent: SupportsIndex, dealer: Dealer) -> Odds:
        """Return all that the table knows of a position; arguments and errors as for `win`."""
        slab, mine, yours = self._cell(player, opponent, dealer)
        return Odds._make(self._columns[:, slab, mine, yours].tolist())

    def win_array(
        self, player: ArrayLike, opponent: ArrayLike, dealer: ArrayLike
    ) -> NDArray[np.float64]:
        """Return the player's probability of winning for many positions.

        Parameters
        ----------
        player, opponent
            Scores: arrays of an integer dtype, or whole numbers.
        dealer
            ``player``, ``opponent`` or ``cut`` for all, or a boolean array: True where the player
            deals. All three are broadcast together.

        Returns
        -------
        ndarray
            float64, of the broadcast shape.

        Raises
        ------
        TypeError, ValueError
            For a bad question; scores out of range are counted and the first is named.
        """
        return gather(self._flat[:1], player, opponent, dealer, self._target)[0]

    def odds_array(self, player: ArrayLike, opponent: ArrayLike, dealer: ArrayLike) -> OddsArrays:
        """Return all that the table knows of many positions; arguments as for `win_array`."""
        return OddsArrays._make(gather(self._flat, player, opponent, dealer, self._target))

    def frame(self) -> "pl.DataFrame":
        """Return the whole table as a polars frame, with the rows and columns of the file."""
        import polars as pl

        scores = np.arange(self._target, dtype=np.uint8)
        player, opponent, dealt = (
            part.reshape(-1) for part in np.meshgrid(scores, scores, [True, False], indexing="ij")
        )
        odds = self.odds_array(player, opponent, dealt)
        dealers = pl.Series(np.where(dealt, *DEALERS), dtype=pl.Enum(DEALERS))
        keys = {"player_score": player, "opponent_score": opponent, "dealer": dealers}
        return pl.DataFrame(keys | odds._asdict())

    def add_odds(
        self,
        frame: "Frame",
        player: str = "player_score",
        opponent: str = "opponent_score",
        dealer: str = "dealer",
        columns: Iterable[str] = VALUES,
        prefix: str = "",
    ) -> "Frame":
        """Return a polars frame of positions with columns of odds added.

        Parameters
        ----------
        frame
            A DataFrame or LazyFrame. Its rows may be in any order and repeat.
        player, opponent
            The names of its columns of scores (an integer type).
        dealer
            The name of its column of dealers: ``player``, ``opponent`` or ``cut`` as text, enum
            or categories, or booleans, true where the player deals.
        columns, prefix
            Which of the fields of `Odds` to add, and what to put before their names.

        Raises
        ------
        TypeError, ValueError
            For a bad question: a column missing, of the wrong type, or already there. Rows that
            are no position are counted (of a LazyFrame: when it is collected, a batch at a time).
            A null in a position is no error; its odds are null.
        """
        from .frames import add_odds

        return add_odds(
            self, frame, keys=(player, opponent, dealer), columns=tuple(columns), prefix=prefix
        )

    def _cell(
        self, player: SupportsIndex, opponent: SupportsIndex, dealer: object
    ) -> tuple[int, int, int]:
        """Return the checked place of a position. Written for speed: plain ints go through."""
        mine = player if type(player) is int else _whole("player", player)
        yours = opponent if type(opponent) is int else _whole("opponent", opponent)
        target = self._target
        if not (0 <= mine <= target and 0 <= yours <= target) or mine == yours == target:
            self._refuse(mine, yours)
        return slab_of(dealer), mine, yours

    def _refuse(self, player: int, opponent: int) -> NoReturn:
        """Say why a pair of whole numbers is no score pair."""
        for name, score in (("player", player), ("opponent", opponent)):
            if not 0 <= score <= self._target:
                raise ValueError(f"{name}: expected a score from 0 to {self._target}, got {score}")
        raise ValueError(f"both scores are {self._target}: only one player can have won")


def probe_table(
    table: str | os.PathLike[str] | None = None,
    *,
    config: str | os.PathLike[str] | None = None,
) -> WinTable:
    """Open a win table, or raise `Unavailable`.

    Parameters
    ----------
    table
        A path, or a config's bare name (``smoke`` means ``tables/data/smoke.parquet``). None: what
        the environment variable ``CRIBODDS_TABLE`` says in the same way, else the table of
        `config`, else the reference table.
    config
        A config's bare name or the path of its TOML: the table must have been built from it, or it
        is stale. None: any table is as good.

    Raises
    ------
    Unavailable
        With its reason, what was found, and what to do.
    ConfigError
        If `config` cannot be read (a ValueError: a bad question).
    """
    source = None if config is None else read_config(config)
    if table is None:
        table = os.environ.get(ENVIRONMENT) or (DEFAULT if source is None else source.name)
    path = table_path(table)
    build = "make build-table"
    if source is not None:
        build += f" CONFIG={source.path}"
    elif is_name(table):
        build += "" if table == DEFAULT else f" CONFIG=configs/{table}.toml"
    else:
        build += ", or name another table"
    data = read_table(path, build=build)
    if source is not None and data.provenance["config"]["digest"] != source.digest:
        made = data.provenance["config"]["name"]
        detail = f"{path} was not built from {source.path} as it is now (but from {made!r})"
        raise Unavailable("stale", detail, path, f"run: {build}")
    return WinTable(data, path)


def get_table(
    table: str | os.PathLike[str] | None = None,
    *,
    config: str | os.PathLike[str] | None = None,
) -> WinTable | Unavailable:
    """Open a win table as `probe_table` does, or return (not raise) `Unavailable`."""
    try:
        return probe_table(table, config=config)
    except Unavailable as unavailable:
        return unavailable


def _with_finished_games(data: TableData) -> NDArray[np.float64]:
    """Return the table by column, slab and both scores, 0 to the target included.

    The cells of two winners are never answered from; they hold NaN.
    """
    target = data.target
    full = np.zeros((len(VALUES), 3, target + 1, target + 1))
    full[:, : len(DEALERS), :target, :target] = data.values[:, ::-1]
    losers = np.arange(target)
    kind = np.zeros(target, np.intp)
    for name in ("skunk", "double_skunk"):
        line = data.provenance[name]
        kind += 0 if line is None else losers <= line
    plain = VALUES.index("win_plain")
    full[plain + kind, :, target, losers] = 1.0
    full[VALUES.index("win"), :, target, :target] = 1.0
    full[plain + 3 + kind, :, losers, target] = 1.0
    full[:, :, target, target] = np.nan
    full[:, SLABS["cut"]] = (full[:, 0] + full[:, 1]) / 2
    full.flags.writeable = False
    return full


def _whole(name: str, score: SupportsIndex) -> int:
    """Return a score as an int; numpy's integers are integers, True is not."""
    if not isinstance(score, _BOOLEANS):
        try:
            return operator.index(score)
        except TypeError:
            pass
    raise TypeError(f"{name}: expected a whole number, got {score!r}")
