"""How commands answer: tables for people, JSON for programs, and the word "unavailable"."""

import json
import os
import sys
from collections.abc import Mapping
from typing import Any, NoReturn

import click

from ..tables.lookup import ENVIRONMENT, WinTable, get_table, probe_table
from ..tables.store import Unavailable

EXIT_UNAVAILABLE = 3


def open_table(table: str | None, as_json: bool) -> WinTable:
    """Open a win table, or answer that it is unavailable and leave with status 3."""
    try:
        return probe_table(table)
    except Unavailable as reason:
        answer_unavailable(reason, as_json)


def open_if_there(table: str | None, strategy: str | None, as_json: bool) -> WinTable | Unavailable:
    """Open a win table of which only the strategy is needed, or return why there is none.

    A table that somebody named, and no strategy beside it, is answered as `open_table` does: whose
    strategy he means could only be guessed.
    """
    found = get_table(table)
    named = table is not None or bool(os.environ.get(ENVIRONMENT))
    if isinstance(found, Unavailable) and named and strategy is None:
        answer_unavailable(found, as_json)
    return found


def answer_unavailable(reason: Unavailable, as_json: bool) -> NoReturn:
    """Say that there is no answer, and why; leave with status 3."""
    if as_json:
        answer_json({"unavailable": unavailable_fields(reason)})
    else:
        click.echo(f"unavailable: {reason}")
    sys.exit(EXIT_UNAVAILABLE)


def unavailable_fields(reason: Unavailable) -> dict[str, str]:
    """Return why there is no answer, for JSON."""
    return {
        "reason": reason.reason,
        "detail": reason.detail,
        "path": str(reason.path),
        "advice": reason.advice,
    }


def answer_json(answer: Mapping[str, Any]) -> None:
    """Print an answer as one JSON document."""
    click.echo(json.dumps(answer, indent=2, ensure_ascii=False))
