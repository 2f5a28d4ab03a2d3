"""``cribodds export``: the table as CSV or as a compact binary."""

from pathlib import Path

import click

from ...tables.table import VALUES
from ..answers import open_table
from ..export import checked_columns, to_compact, to_csv
from ..files import OutputError, write_whole


@click.command("export")
@click.argument("table", required=False)
@click.option("--format", "kind", type=click.Choice(["csv", "bin"]), required=True)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Where to write.")
@click.option(
    "--columns", help="Names with commas between, or all; default all for csv, win for bin."
)
@click.option("--single", is_flag=True, help="bin: half the size, exact to 3e-8 only (float32).")
def command(table: str | None, kind: str, out: Path, columns: str | None, single: bool) -> None:
    """Write TABLE, a path or the name of a config, for use elsewhere; default the reference table.

    The layout of bin is described in docs/data-dictionary.md.
    """
    named = columns if columns is not None else "win" if kind == "bin" else "all"
    try:
        chosen = VALUES if named == "all" else checked_columns(named.split(","))
    except ValueError as error:
        raise click.UsageError(f"--columns: {error}") from None
    if single and kind != "bin":
        raise click.UsageError("--single is for --format bin; a CSV holds every digit")
    opened = open_table(table, as_json=False)
    raw = to_csv(opened, chosen) if kind == "csv" else to_compact(opened, chosen, single=single)
    try:
        write_whole(out, raw)
    except OutputError as error:
        raise click.UsageError(str(error)) from None
    click.echo(f"wrote {out}: {len(raw):,} bytes")
