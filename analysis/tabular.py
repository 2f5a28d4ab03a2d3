"""Tables and small charts for people on the terminal."""

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

_WIDE = 132
_BARS = " ▏▎▍▌▋▊▉█"


def print_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], *, left: Sequence[str] = ()
) -> None:
    """Print rows of text; numbers stand right, the columns named in ``left`` left."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=_WIDE)
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for column in columns:
        table.add_column(column, justify="left" if column in left else "right", no_wrap=True)
    for row in rows:
        table.add_row(*map(Text, row))  # a name may look like markup
    console.print(table)


def bar(share: float, width: int = 40) -> str:
    """Return a bar for a share 0..1 of a width in characters."""
    eighths = round(max(0.0, min(1.0, share)) * width * 8)
    return "█" * (eighths // 8) + (_BARS[eighths % 8] if eighths % 8 else "")


def percent(share: float, places: int = 2) -> str:
    """Return a probability in percent."""
    return f"{100 * share:.{places}f}%"
