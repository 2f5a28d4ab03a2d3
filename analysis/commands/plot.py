"""``cribodds plot``: a picture of the table as a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from ..answers import open_table
from ..pictures import check_picture, write_picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ...tables.lookup import WinTable

# What may be chosen for each picture.
OPTIONS: Final = {
    "curve": "opponents",
    "ties": None,
    "heatmap": "dealer",
    "value": "opponents",
    "deal": None,
    "skunks": "opponents",
    "points": "dealer",
}


@click.command("plot")
@click.argument("picture", type=click.Choice(list(OPTIONS)))
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="Name in .png, .svg or .pdf."
)
@click.option("--table", help="A table's path, or the name of a config; default reference.")
@click.option(
    "--opponent",
    "opponents",
    type=int,
    multiple=True,
    help="Score of the opponent, for curve, value and skunks; curve and skunks take several.",
)
@click.option(
    "--dealer",
    type=click.Choice(["player", "opponent", "cut"]),
    help="Who deals, for heatmap and points; default player.",
)
def command(
    picture: str, out: Path, table: str | None, opponents: tuple[int, ...], dealer: str | None
) -> None:
    """Draw a picture of the table.

    \b
    curve    odds along the board, dealing and not, against fixed opponents
    ties     the dealer's odds at every tied score, its turning points named
    heatmap  odds at every score pair
    value    what the next hole is worth, at ties or against one opponent
    deal     what it is worth to deal, at every score pair
    skunks   the risk of being skunked along the board
    points   how much of a hole's worth in ACC game points is about skunks
    """  # noqa: D301 (click reads the \b)
    chosen = {"opponents": opponents or None, "dealer": dealer}
    for name, value in chosen.items():
        if value is not None and name != OPTIONS[picture]:
            able = ", ".join(key for key, option in OPTIONS.items() if option == name)
            raise click.UsageError(f"--{name.rstrip('s')} is for {able}; not for {picture}")
    options: dict[str, Any] = {name: value for name, value in chosen.items() if value is not None}
    if picture == "value" and opponents:
        if len(opponents) > 1:
            raise click.UsageError(f"value takes one --opponent, got {len(opponents)}")
        options = {"opponent": opponents[0]}
    check_picture(out)
    try:
        figure = _draw(picture, open_table(table, as_json=False), options)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    write_picture(out, figure)
    click.echo(f"wrote {out}")


def _draw(picture: str, table: WinTable, options: dict[str, Any]) -> Figure:
    """Return the picture of that name."""
    from .. import figures

    draw = {
        "curve": figures.curve,
        "ties": figures.ties,
        "heatmap": figures.heatmap,
        "value": figures.value,
        "deal": figures.deal,
        "skunks": figures.skunks,
        "points": figures.points,
    }[picture]
    return draw(table, **options)
