"""One look for every figure: the board as an axis, colours, the footnote, and saving.

Colours differ in lightness too, lines in their dashes, so that a figure can be read in grey and by
those who see few colours. Nothing here touches pyplot or the reader's own matplotlib settings.
"""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any, Final

import matplotlib as mpl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..tables.lookup import WinTable
from .board import streets

DEALER: Final = "#173f73"  # dark blue, solid
PONE: Final = "#d9600a"  # orange, lighter in grey, dashed
PONE_DASHES: Final = (0, (4, 1.6))
INK: Final = "#222222"
SOFT: Final = "#5f5f5f"
BAND: Final = "#dfe7f1"
COLOURS_OF_CHANCE: Final = "cividis"

SIZE: Final = (8.0, 5.0)
SQUARE: Final = (6.6, 6.0)
FORMATS: Final = ("png", "svg", "pdf")

_FOOTNOTE: Final = "cribodds provenance"
_STYLE: Final[Any] = {
    "font.family": ["DejaVu Sans"],
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": "#9a9a9a",
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 12.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "figure.facecolor": "white",
    "legend.frameon": False,
    "lines.linewidth": 1.9,
    # Equal figures are equal files: ids in SVG come of this, not of chance.
    "svg.hashsalt": "cribodds",
}
# No clock and no program version in a file.
_METADATA: Final[dict[str, dict[str, Any]]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


@contextmanager
def _style() -> Iterator[None]:
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        yield


def new_figure(size: tuple[float, float] = SIZE) -> tuple[Figure, Axes]:
    """Return an empty figure (inches) in our style and its one axis."""
    with _style():
        figure = Figure(figsize=size, dpi=150, layout="constrained")
        return figure, figure.add_subplot()


@contextmanager
def canvas(table: WinTable, ax: Axes | None, size: tuple[float, float] = SIZE) -> Iterator[Axes]:
    """Yield the axis to draw a table on, in our style.

    Without one: that of a new figure of that size with the table's provenance at its foot.
    """
    if ax is None:
        figure, ax = new_figure(size)
        footnote(figure, table)
    with _style():
        yield ax


def figure_of(ax: Axes) -> Figure:
    """Return the whole figure that an axis is part of."""
    figure = ax.get_figure(root=True)
    if figure is None:
        raise ValueError("the axis was taken off its figure")
    return figure


def footnote(figure: Figure, table: WinTable) -> None:
    """Write at the foot of a figure which table it shows, and what made that table."""
    made = table.provenance
    text = (
        f"table {made['config']['name']}, values {made['values_sha256'][:8]}: "
        f"{made['deals']:,} deals of seed {made['seed']}\n{made['strategy']['name']}, both sides"
    )
    note = figure.supxlabel(text, x=0.01, ha="left", fontsize=7, color=SOFT)
    note.set_gid(_FOOTNOTE)


def board_axis(ax: Axes, table: WinTable, label: str, *, along: str = "x") -> None:
    """Make an axis the board: holes, a line at the end of each street, the skunk lines named."""
    target = table.target
    axis = ax.xaxis if along == "x" else ax.yaxis
    line = ax.axvline if along == "x" else ax.axhline
    (ax.set_xlim if along == "x" else ax.set_ylim)(0, target)
    ends = streets(target)
    step = 10 if along == "x" and is_wide(ax) else 30
    axis.set_ticks(range(0, target, step))
    axis.set_ticks(range(0, target, 5 if step == 10 else 10), minor=True)
    axis.set_label_text(label)
    skunks = _skunk_lines(table)
    for hole in sorted({*ends, *skunks}):
        dashes = (0, (1, 1.5)) if hole in skunks else "solid"
        line(hole, color="#8c8c8c" if hole in skunks else "#d5d5d5", lw=1, ls=dashes, zorder=0.5)
    if along == "x":
        place = ax.get_xaxis_transform()
        for hole, name in skunks.items():
            ax.text(hole, 1.01, name, transform=place, ha="center", fontsize=7, color=SOFT)


def _skunk_lines(table: WinTable) -> dict[int, str]:
    made = table.provenance
    keys = ("skunk", "double_skunk")
    return {made[key]: key.replace("_", " ") for key in keys if made[key] is not None}


def is_wide(ax: Axes) -> bool:
    """Whether there is room for ticks every ten holes and for labels within the axis."""
    return ax.get_position().width * figure_of(ax).get_figwidth() > 4.5


def titled(ax: Axes, text: str, legend: Sequence[Artist] = ()) -> None:
    """Give an axis its title, and under it, in one row above the axis, its legend."""
    ax.set_title(text, pad=36 if legend else 18)
    if legend:
        ax.legend(
            handles=legend, loc="lower left", bbox_to_anchor=(-0.02, 1.03), ncols=len(legend),
            fontsize=8.5, borderaxespad=0, handletextpad=0.6, columnspacing=1.5,
        )  # fmt: skip


def render(figure: Figure, kind: str) -> bytes:
    """Return a figure as the bytes of a png, svg or pdf file; equal figures give equal bytes."""
    sink = io.BytesIO()
    with _style():
        figure.savefig(sink, format=kind, metadata=_METADATA[kind])
    return sink.getvalue()


def format_of(path: PurePath) -> str:
    """Return which of `FORMATS` a file name asks for; ValueError for any other ending."""
    kind = path.suffix[1:].lower()
    if kind not in FORMATS:
        raise ValueError(f"expected a name that ends in .png, .svg or .pdf, got {path.name!r}")
    return kind
