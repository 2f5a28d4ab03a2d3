"""Add columns of odds to polars frames of positions: the body of `WinTable.add_odds`."""

from typing import TYPE_CHECKING, TypeVar

import polars as pl

from .table import DEALERS, VALUES

if TYPE_CHECKING:
    from .lookup import WinTable

Frame = TypeVar("Frame", pl.DataFrame, pl.LazyFrame)

_CHOICES = pl.Enum([*DEALERS, "cut"])
_PLAYER, _OPPONENT, _CUT = range(3)
_DEALER_TYPES = (pl.String, pl.Categorical, pl.Enum, pl.Boolean, pl.Null)
_SCORES = ("player", "opponent")


def add_odds(
    table: "WinTable",
    frame: Frame,
    keys: tuple[str, str, str],
    columns: tuple[str, ...],
    prefix: str,
) -> Frame:
    """Return `frame` with columns of odds; `keys` name its player, opponent and dealer columns."""
    _check_columns(frame.collect_schema(), keys, columns, prefix)
    names = {column: prefix + column for column in columns}
    position = pl.struct(
        pl.col(key).alias(part) for key, part in zip(keys, (*_SCORES, "dealer"), strict=True)
    )
    if isinstance(frame, pl.DataFrame):
        odds = _odds(table, frame.select(position.alias("position"))["position"], names)
        return frame.with_columns(odds.struct.unnest())
    odds_of_batch = position.map_batches(
        lambda positions: _odds(table, positions, names),
        return_dtype=pl.Struct(dict.fromkeys(names.values(), pl.Float64)),
        is_elementwise=True,
    )
    return frame.with_columns(odds_of_batch.struct.unnest())


def _check_columns(
    schema: pl.Schema, keys: tuple[str, str, str], columns: tuple[str, ...], prefix: str
) -> None:
    """Refuse what can be known to be wrong before any row is seen."""
    *scores, dealer = keys
    for key in keys:
        if key not in schema:
            raise ValueError(f"the frame has no column {key!r}; it has {', '.join(schema)}")
    for key in scores:
        if not (schema[key].is_integer() or schema[key] == pl.Null):
            raise TypeError(f"column {key!r}: expected an integer type, got {schema[key]}")
    if schema[dealer].base_type() not in _DEALER_TYPES:
        raise TypeError(
            f"column {dealer!r}: expected text, enum, categories or booleans, got {schema[dealer]}"
        )
    for column in columns:
        if column not in VALUES:
            raise ValueError(f"no odds are called {column!r}; there are {', '.join(VALUES)}")
        if prefix + column in schema:
            raise ValueError(f"the frame has a column {prefix + column!r} already; give a prefix")


def _odds(table: "WinTable", positions: pl.Series, names: dict[str, str]) -> pl.Series:
    """Return a struct of odds for each position, null where any part of the position is null."""
    given = positions.struct.unnest()
    dealer = given["dealer"]
    target = table.target
    if dealer.dtype == pl.Boolean:
        choice = dealer.replace_strict({True: _PLAYER, False: _OPPONENT}, return_dtype=pl.UInt8)
    else:
        choice = dealer.cast(pl.String).cast(_CHOICES, strict=False).to_physical()
    # A score too large for int64 becomes null here, and is told from a given null below.
    player, opponent = (given[name].cast(pl.Int64, strict=False) for name in _SCORES)
    whole = ~(given["player"].is_null() | given["opponent"].is_null() | dealer.is_null())
    on_board = (
        player.is_between(0, target)
        & opponent.is_between(0, target)
        & ~((player == target) & (opponent == target))
        & choice.is_not_null()
    ).fill_null(False)
    bad = whole & ~on_board
    if bad.any():
        first = given.filter(bad).row(0, named=True)
        raise ValueError(
            f"{bad.sum():,} of {len(bad):,} rows are no position of a game to {target}; the first: "
            + ", ".join(f"{part} {value}" for part, value in first.items())
        )
    player, opponent, choice = (part.fill_null(0) for part in (player, opponent, choice))
    mine, yours = player.to_numpy(), opponent.to_numpy()
    odds = table.odds_array(mine, yours, (choice == _PLAYER).to_numpy())._asdict()
    cut = (choice == _CUT).to_numpy()
    if cut.any():
        uncut = table.odds_array(mine[cut], yours[cut], "cut")._asdict()
        for column in names:
            odds[column][cut] = uncut[column]
    found = pl.DataFrame({name: odds[column] for column, name in names.items()})
    return found.select(pl.when(whole).then(pl.all())).to_struct("odds")
