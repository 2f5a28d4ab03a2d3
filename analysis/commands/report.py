"""``cribodds report``: the table as one self-contained web page."""

from pathlib import Path

import click

from ...tables.lookup import get_table
from ...tables.store import Unavailable
from ..answers import answer_unavailable
from ..files import OutputError, write_whole
from ..pictures import needs_plot


@click.command("report")
@click.argument("table", required=False)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("report.html"),
    show_default=True,
    help="Where to write the page.",
)
def command(table: str | None, out: Path) -> None:
    """Make a web page of TABLE, a path or the name of a config; default the reference table.

    The page is one file: odds of every score, pictures, provenance. Without a table it says so.
    """
    with needs_plot("the page"):
        from ..report import report
    opened = get_table(table)
    try:
        write_whole(out, report(opened).encode())
    except OutputError as error:
        raise click.UsageError(str(error)) from None
    click.echo(f"wrote {out}")
    if isinstance(opened, Unavailable):
        answer_unavailable(opened, as_json=False)
