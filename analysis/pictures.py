"""Pictures as files: what cannot be drawn or written is refused before anything is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .files import OutputError, check_place, write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@contextmanager
def needs_plot(what: str) -> Iterator[None]:
    """Say in a line, with status 1, what to install if an import in the block fails."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise click.ClickException(
            f"{what} needs {error.name}, which is not installed: pip install 'cribodds[plot]'"
        ) from None


def check_picture(out: Path) -> None:
    """Refuse, with status 2, a picture of an unknown kind or of a place that cannot be written."""
    with needs_plot("drawing"):
        from .figure_style import format_of
    try:
        format_of(out)
        check_place(out)
    except (ValueError, OutputError) as error:
        raise click.UsageError(str(error)) from None


def write_picture(out: Path, figure: Figure) -> None:
    """Write a figure as the kind of file that its name says, whole or not at all."""
    from .figure_style import format_of, render

    try:
        write_whole(out, render(figure, format_of(out)))
    except OutputError as error:
        raise click.UsageError(str(error)) from None
