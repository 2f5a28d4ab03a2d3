"""The page whose tables a benchmark can renew."""

from collections.abc import Sequence
from pathlib import Path

import click

from cribodds.analysis.strength_tables import PageError, TextTable, check_page, fill_page


def check(page: Path | None) -> None:
    """Refuse a page that has no place for a table, before anything is measured."""
    if page is None:
        return
    try:
        check_page(page.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, PageError) as error:
        raise click.UsageError(f"{page}: {error}") from None


def renew(page: Path | None, tables: Sequence[TextTable]) -> None:
    """Renew the tables of a page, if one is given."""
    if page is not None:
        page.write_text(fill_page(page.read_text(encoding="utf-8"), tables), encoding="utf-8")
        click.echo(f"renewed {page}")
