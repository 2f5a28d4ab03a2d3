"""The table as one web page: odds explorer, map, pictures, provenance, how to cite.

The page is one file that needs no network: styles, script, pictures and values are in it. Equal
tables make equal pages.
"""

import base64
import html
import json
import re
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..tables.lookup import WinTable
from ..tables.store import Unavailable
from ..tables.table import OUTCOMES
from . import figures
from .board import TurningPoint, tie_curve, turning_points
from .figure_style import SIZE, footnote, new_figure, render

COLUMNS: Final = (*OUTCOMES, "win_se", "deals_left")
"""What the page holds, for the positions in which the player deals; the rest is its mirror."""

NARROW: Final = (4.2, 4.0)
"""Inches: the pictures are drawn a second time for phones."""

_PAGE: Final = Path(__file__).parent / "page"
_GAP: Final = re.compile(r"\{\{(\w+)\}\}")


class _Picture(NamedTuple):
    draw: Callable[[WinTable, Axes], Figure]
    caption: str


_PICTURES: Final = (
    _Picture(
        figures.curve,
        "How the odds rise along the board against an opponent at {opponents}, dealing and not. "
        "Between the two lines lies what the deal is worth.",
    ),
    _Picture(
        figures.ties,
        "The dealer's odds when the score is tied. From crest to crest it is 26 holes, what a "
        "player makes in two deals; a little before each crest lies a positional hole, where "
        "players say that a dealer is on course.",
    ),
    _Picture(figures.value, "What one more hole adds to the odds at tied scores."),
    _Picture(
        figures.skunks,
        "The risk of being skunked (doubly included) against an opponent at {opponents}.",
    ),
)


def report(table: WinTable | Unavailable) -> str:
    """Return the page of a table, or the page that says why there is none."""
    if isinstance(table, Unavailable):
        main = _filled(
            "unavailable.html",
            {
                "reason": html.escape(table.reason),
                "detail": html.escape(table.detail),
                "advice": html.escape(table.advice),
            },
        )
        return _page("Cribbage win odds: unavailable", "The win table is unavailable.", main)
    made = table.provenance
    name = html.escape(made["config"]["name"])
    lead = (
        f"Table <strong>{name}</strong>: a game to {table.target}, {made['deals']:,} deals of "
        "self-play, solved backwards for every score pair and dealer."
    )
    return _page(f"Cribbage win odds: {name}", lead, _filled("odds.html", _odds_parts(table)))


def _page(title: str, lead: str, main: str) -> str:
    parts = {
        "title": title,
        "lead": lead,
        "main": main,
        "style": _read("page.css"),
        "version": html.escape(version("cribodds")),
    }
    return _filled("page.html", parts)


def _odds_parts(table: WinTable) -> dict[str, str]:
    made = table.provenance
    lines = [made[key] for key in ("skunk", "double_skunk") if made[key] is not None]
    facts = {"target": table.target, "skunk_lines": lines, "columns": COLUMNS}
    return {
        "target": str(table.target),
        "figures": "\n".join(_figure(table, picture) for picture in _PICTURES),
        "strategy": html.escape(made["strategy"]["name"]),
        "lines": _lines_in_words(made),
        "provenance": "\n".join(
            f"<div><dt>{html.escape(key)}</dt><dd>{html.escape(value)}</dd></div>"
            for key, value in _provenance(table).items()
        ),
        "config": html.escape(made["config"]["text"]),
        "citation": html.escape(citation(table)),
        "bibtex": html.escape(bibtex(table)),
        "facts": json.dumps(facts),
        "values": base64.b64encode(page_values(table)).decode(),
        "script": _read("page.js"),
    }


def page_values(table: WinTable) -> bytes:
    """Return `COLUMNS` where the player deals: float64, little-endian, by both scores."""
    scores = np.arange(table.target)
    odds = table.odds_array(scores[:, None], scores[None, :], "player")._asdict()
    return b"".join(odds[name].astype("<f8").tobytes() for name in COLUMNS)


def citation(table: WinTable) -> str:
    """Return one sentence by which a paper can name the table."""
    made = table.provenance
    return (
        f"The cribodds authors: cribodds {made['versions'].get('cribodds', version('cribodds'))}, "
        f"win table {made['config']['name']!r} ({made['deals']:,} deals, seed {made['seed']}, "
        f"{made['strategy']['name']}; values sha256 {made['values_sha256']})."
    )


def bibtex(table: WinTable) -> str:
    """Return the citation as a BibTeX entry."""
    made = table.provenance
    number = made["versions"].get("cribodds", version("cribodds"))
    return (
        f"@misc{{cribodds-{made['config']['name']}-{made['values_sha256'][:8]},\n"
        "  author = {{The cribodds authors}},\n"
        f"  title = {{cribodds {number}: cribbage win table {made['config']['name']}}},\n"
        f"  note = {{{made['deals']:,} deals, seed {made['seed']}, {made['strategy']['name']};\n"
        f"          values sha256 {made['values_sha256']}}}\n"
        "}"
    )


def _provenance(table: WinTable) -> dict[str, str]:
    made: Mapping[str, Any] = table.provenance
    start = table.odds(player=0, opponent=0, dealer="player")
    return {
        "Config": f"{made['config']['name']} (digest {made['config']['digest']})",
        "Deals": f"{made['deals']:,} of seed {made['seed']}",
        "Strategy, both sides": f"{made['strategy']['name']} (digest {made['strategy']['digest']})",
        "The dealer wins from 0-0": f"{start.win:.6f} ± {start.win_se:.6f}",
        "Mean points of a deal": ", ".join(
            f"{key.replace('_', ' ')} {mean:.4f}"
            for key, mean in made["means"].items()
            if isinstance(mean, float)
        ),
        "Hash of the values (sha256)": made["values_sha256"],
        "Code (sha256)": made["code_digest"],
        "Versions": ", ".join(f"{key} {number}" for key, number in made["versions"].items()),
    }


def _lines_in_words(made: Mapping[str, Any]) -> str:
    skunk, double = made["skunk"], made["double_skunk"]
    if skunk is None:
        return "This game has no skunks."
    words = f"A loser who ends at {skunk} or less is skunked"
    return f"{words}, at {double} or less doubly." if double is not None else f"{words}."


def _figure(table: WinTable, picture: _Picture) -> str:
    wide, narrow = (_image(table, picture, size) for size in (SIZE, NARROW))
    width, height = (round(96 * inches) for inches in SIZE)
    opponents = [str(score) for score in figures.OPPONENTS if score < table.target]
    listed = " or ".join(filter(None, (", ".join(opponents[:-1]), opponents[-1])))
    told = picture.caption.format(opponents=listed)
    if picture.draw is figures.ties:
        told += f" {_turns_in_words(turning_points(tie_curve(table)))}"
    return (
        f'<figure><picture><source media="(max-width: 40rem)" srcset="{narrow}">'
        f'<img src="{wide}" width="{width}" height="{height}" alt="{html.escape(told)}"></picture>'
        f"<figcaption>{html.escape(told)}</figcaption></figure>"
    )


def _image(table: WinTable, picture: _Picture, size: tuple[float, float]) -> str:
    figure, ax = new_figure(size)
    footnote(figure, table)
    picture.draw(table, ax)
    encoded = base64.b64encode(render(figure, "svg")).decode()
    return f"data:image/svg+xml;base64,{encoded}"


def _turns_in_words(points: list[TurningPoint]) -> str:
    told = {
        name: ", ".join(
            f"{point.hole} ({point.value:.1%})" for point in points if point.is_crest is crest
        )
        for name, crest in (("Crests", True), ("Troughs", False))
    }
    return " ".join(f"{name}: {holes}." for name, holes in told.items() if holes)


def _read(name: str) -> str:
    return (_PAGE / name).read_text(encoding="utf-8").rstrip("\n")


def _filled(name: str, parts: Mapping[str, str]) -> str:
    """Return a template with its gaps filled; what is filled in is not looked at again."""
    return _GAP.sub(lambda gap: parts[gap[1]], _read(name))
