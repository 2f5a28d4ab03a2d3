"""``cribodds verify``: check everything that should be true of a table, line by line."""

import sys
import tomllib
from collections.abc import Mapping
from typing import Any, NoReturn

import click

from ...tables.lookup import probe_table
from ...tables.names import ConfigError, config_digest
from ...tables.store import Unavailable, read_table
from ...tables.table import Finding, check_table
from ..answers import answer_json, answer_unavailable, unavailable_fields

_FAULT = 1


@click.command("verify")
@click.argument("table", required=False)
@click.option("--config", help="Of which config it should be; a TOML file or name.")
@click.option("--json", "as_json", is_flag=True, help="Answer as JSON.")
def command(table: str | None, config: str | None, as_json: bool) -> None:
    """Check TABLE, a path or the name of a config; default the reference table.

    Exit status 0: everything holds; 1: a fault was found; 3: there is no table.
    """
    try:
        opened = probe_table(table, config=config)
    except ConfigError as error:
        raise click.UsageError(str(error)) from None
    except Unavailable as reason:
        if reason.reason == "missing":
            answer_unavailable(reason, as_json)
        _answer_fault(reason, as_json)
    data = read_table(opened.path)
    findings = [
        Finding("it is a table of this format, whole, and its hashes fit", True, ""),
        _says_its_config(data.provenance),
        *check_table(data),
    ]
    faults = sum(not finding.ok for finding in findings)
    if as_json:
        listed = [finding._asdict() for finding in findings]
        answer_json({"path": str(opened.path), "faults": faults, "findings": listed})
    else:
        for finding in findings:
            detail = f" ({finding.detail})" if finding.detail and not finding.ok else ""
            click.echo(f"{'ok   ' if finding.ok else 'FAULT'} {finding.property}{detail}")
        click.echo(f"{opened.path}: {faults or 'no'} fault{'' if faults == 1 else 's'} found")
    sys.exit(_FAULT if faults else 0)


def _answer_fault(reason: Unavailable, as_json: bool) -> NoReturn:
    """Say what is at the place of the table instead of it."""
    if as_json:
        answer_json({"faults": 1, "unavailable": unavailable_fields(reason)})
    else:
        click.echo(f"FAULT {reason}")
    sys.exit(_FAULT)


def _says_its_config(made: Mapping[str, Any]) -> Finding:
    """Check that what the table says of itself is what the config in it says."""
    text = "what it says of itself is what its config says"
    try:
        values = tomllib.loads(made["config"]["text"])
        game = values["game"]
        lines = [None if game[key] == "none" else game[key] for key in ("skunk", "double_skunk")]
        said = {
            "config": config_digest(values),
            "seed": values["seed"],
            "target": game["target"],
            "skunk": lines[0],
            "double_skunk": lines[1],
        }
        most = int(values["deals"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return Finding(text, False, "its config cannot be read")
    found = {**{key: made[key] for key in said}, "config": made["config"]["digest"]}
    wrong = [key for key in said if said[key] != found[key]]
    if made["deals"] != most and not ("adaptive" in made and 0 < made["deals"] < most):
        wrong.append("deals")
    return Finding(text, not wrong, f"not its {', '.join(wrong)}" if wrong else "")
