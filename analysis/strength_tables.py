"""The measured strength as tables of text: for the terminal, and for a page in Markdown."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ..sim import rules
from .strength import Strength
from .tabular import print_table
from .whole_games import Cell, Sure

_BLOCK = re.compile(r"(<!-- table (?P<name>[\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


class TextTable(NamedTuple):
    """A table of text; ``name`` is its place on a page."""

    name: str
    title: str
    columns: list[str]
    rows: list[list[str]]


class PageError(ValueError):
    """A page that cannot be renewed: the message says why."""


def _sure(figure: Sure, scale: float = 100.0, places: int = 3) -> str:
    return f"{scale * figure.value:+.{places}f} ± {scale * figure.se:.{places}f}"


def _share(figure: Sure) -> str:
    return f"{100 * figure.value:.3f} ± {100 * figure.se:.3f}"


def _where(cell: Cell) -> str:
    return f"{cell.dealer}-{cell.pone}"


def tables_of(found: Strength) -> list[TextTable]:
    """Return the tables of what was measured, in the order of the page."""
    tables = [_measured(found)]
    if found.play:
        tables += [_play(found), _leads(found)]
    if found.versus is not None:
        tables += _versus(found)
    for mixed in found.books:
        tables.append(
            TextTable(
                f"books-{mixed.strategy}",
                f"{mixed.strategy}: the mixed play spread over pure books "
                f"({mixed.in_use} in use), points a deal off the mixed play, and exploitability",
                ["books", "dealer's win", "pone", "dealer", "exploitability"],
                [
                    [
                        str(each.books), f"{each.value:+.5f}", f"{each.pone:+.5f}",
                        f"{each.dealer:+.5f}", f"{each.exploitability:.4f}",
                    ]
                    for each in mixed.counts
                ],
            )
        )  # fmt: skip
    gaps = [gap for each in found.books for gap in each.tables] + found.tables
    if found.games:
        tables.append(_games(found))
    if gaps:
        tables.append(
            TextTable(
                "tables",
                "tables of the same deals, each strategy against itself: the dealer's chance of "
                "winning in the first less that in the second, in 100 games, by score "
                "(dealer-pone)",
                ["table", "less", "at 0-0", "most", "where", "least", "where", "rms"],
                [
                    [
                        each.table, each.other, _sure(each.start.difference),
                        _sure(each.most.difference), _where(each.most),
                        _sure(each.least.difference), _where(each.least),
                        f"{100 * each.root_mean_square:.3f}",
                    ]
                    for each in gaps
                ],
            )
        )  # fmt: skip
        tables.append(_sources(found))
    if found.throws:
        tables.append(_throws(found))
    return tables


def _measured(found: Strength) -> TextTable:
    rows = [
        [name, strategy, digest[:16]]
        for name, strategy, digest in zip(found.names, found.strategies, found.digests, strict=True)
    ]
    sizes = [f"seed {found.seed}"]
    if found.deals:
        sizes.append(f"{found.deals:,} deals a pairing")
    if found.hands:
        sizes.append(f"{found.hands} sampled hands")
    return TextTable(
        "strategies", f"strategies ({', '.join(sizes)})", ["config", "strategy", "books"], rows
    )


def _play(found: Strength) -> TextTable:
    return TextTable(
        "play",
        "card play against itself and against its best answer, points a deal, exact; "
        "keeps as the strategy itself keeps",
        ["play", "pone", "dealer", "dealer wins", "pone gains", "dealer gains", "exploitability"],
        [
            [
                each.play, f"{each.pone:.4f}", f"{each.dealer:.4f}", f"{each.value:+.4f}",
                f"{each.pone_gain:.4f}", f"{each.dealer_gain:.4f}", f"{each.exploitability:.4f}",
            ]
            for each in found.play
        ],
    )  # fmt: skip


def _leads(found: Strength) -> TextTable:
    return TextTable(
        "leads",
        "the lead: how often of 100 the pone leads a rank if he holds it",
        ["play", *rules.RANK_LETTERS],
        [[each.play, *(f"{100 * chance:.1f}" for chance in each.if_held)] for each in found.leads],
    )


def _versus(found: Strength) -> list[TextTable]:
    versus = found.versus
    if versus is None:
        return []
    return [
        TextTable(
            name,
            f"{title}, points a deal, exact; keeps of {versus.prior}",
            [corner, *found.names],
            [
                [row, *(f"{value:+.4f}" for value in values)]
                for row, values in zip(found.names, matrix, strict=True)
            ],
        )
        for name, title, corner, matrix in (
            ("versus", "what the dealer wins in the play", "pone \\ dealer", versus.dealer_wins),
            ("edge", "what a card play wins of another, mean of both seats", "", versus.edge),
        )
    ]


def _games(found: Strength) -> TextTable:
    return TextTable(
        "games",
        "whole games from 0-0: games won of 100 by the first of two strategies",
        ["strategy", "against", "deals first", "deals second", "over 50, mean"],
        [
            [
                each.strategy, each.other, _share(each.deals_first),
                _share(each.deals_second), _sure(each.edge),
            ]
            for each in found.games
        ],
    )  # fmt: skip


def _sources(found: Strength) -> TextTable:
    gaps = [gap for each in found.books for gap in each.tables] + found.tables
    sources = list(gaps[0].points)
    return TextTable(
        "sources",
        "the same tables: mean points a deal by source, the first less the second",
        ["table", "less", *(source.replace("_", " ") for source in sources)],
        [
            [each.table, each.other, *(f"{each.points[source]:+.4f}" for source in sources)]
            for each in gaps
        ],
    )


def _throws(found: Strength) -> TextTable:
    return TextTable(
        "throws",
        "points a deal lost by a rule of throwing against the exact best throw; the opponent "
        f"and the play are {found.names[0]}'s",
        ["rule", "as pone", "as dealer", "pone best", "dealer best"],
        [
            [
                each.rule, f"{each.pone:.4f} ± {each.pone_se:.4f}",
                f"{each.dealer:.4f} ± {each.dealer_se:.4f}",
                f"{100 * each.pone_best:.0f}%", f"{100 * each.dealer_best:.0f}%",
            ]
            for each in found.throws
        ],
    )  # fmt: skip


def show(tables: Sequence[TextTable]) -> None:
    """Print the tables on the terminal."""
    for table in tables:
        print(table.title)
        print_table(table.columns, table.rows, left=[table.columns[0], "strategy", "less"])


def markdown(table: TextTable) -> str:
    """Return a table in Markdown, its title above it."""
    columns = [column.replace("\\", "\\\\") or " " for column in table.columns]
    lines = [
        f"*{table.title[0].upper()}{table.title[1:]}.*",
        "",
        _line(columns),
        "|" + "|".join(["---"] + ["---:"] * (len(columns) - 1)) + "|",
        *(_line(row) for row in table.rows),
    ]
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def check_page(page: str) -> None:
    """Raise PageError if a page has no place for any table."""
    if _BLOCK.search(page) is None:
        raise PageError("the page has no place for a table: <!-- table play -->, <!-- end -->")


def fill_page(page: str, tables: Sequence[TextTable]) -> str:
    """Return a page with its tables renewed; all that stands between them stays.

    A table stands between the lines ``<!-- table NAME -->`` and ``<!-- end -->``. Tables
    that the page has no place for are left out.
    """
    by_name = {table.name: table for table in tables}

    def renew(found: re.Match[str]) -> str:
        table = by_name.get(found["name"])
        return found[0] if table is None else found[1] + markdown(table) + found[3]

    return _BLOCK.sub(renew, page)


def new_page(tables: Sequence[TextTable]) -> str:
    """Return a page of the tables alone, with places to renew them."""
    blocks = [f"<!-- table {each.name} -->\n{markdown(each)}<!-- end -->\n" for each in tables]
    return "# Strength\n\n" + "\n".join(blocks)
