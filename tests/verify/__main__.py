"""`make verify`: run the proof, print one line a claim, write the same as JSON."""

import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from cribodds.sim.sources import table_digest
from cribodds.tables.names import ConfigError

from . import equilibrium, errors, exact, mutants, others, randomness, solver, twin
from .claim import LEVEL, Claim
from .run import Run

FAMILIES: dict[str, Callable[[Run], Iterator[Claim]]] = {
    module.FAMILY: module.claims
    for module in (exact, twin, mutants, equilibrium, randomness, solver, errors, others)
}


@click.command()
@click.option("--quick", is_flag=True, help="Some minutes instead of an hour.")
@click.option(
    "--only", multiple=True, type=click.Choice(list(FAMILIES)), help="Prove this kind of claim."
)
@click.option("--table", default="reference", show_default=True, help="Config of the table.")
@click.option(
    "--twin", default="look-ahead", show_default=True, help="Config that the slow twin plays."
)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=2026, show_default=True)
@click.option("--jobs", type=click.IntRange(min=1), default=os.cpu_count() or 1)
@click.option(
    "--json",
    "out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("build/verify.json"),
    show_default=True,
)
def main(
    quick: bool, only: tuple[str, ...], table: str, twin: str, seed: int, jobs: int, out: Path
) -> None:
    """Prove that the simulator and the table are right; exit 1 if a claim fails."""
    run = Run(quick, seed, jobs, twin, table)
    try:
        about = _about(run)
        run.check_seeds()
    except ConfigError as error:
        click.echo(error, err=True)
        sys.exit(2)
    console = Console(soft_wrap=True, highlight=False)
    made: list[Claim] = []
    began = time.monotonic()
    with console.status("beginning", spinner="line") as status:
        for family in only or FAMILIES:
            status.update(family)
            for claim in _claims(family, run):
                made.append(claim)
                style = None if claim.passed else "bold red"
                console.print(claim.line(), style=style, markup=False)
    failed = [claim for claim in made if not claim.passed]
    chance = sum(claim.false_alarm for claim in made)
    console.print(
        f"{len(made) - len(failed)} of {len(made)} claims hold; chance of any false alarm "
        f"{chance:.1g}; {(time.monotonic() - began) / 60:.1f} minutes"
    )
    out.parent.mkdir(parents=True, exist_ok=True)
    record = {**about, "passed": not failed, "claims": [claim.as_json() for claim in made]}
    out.write_text(json.dumps(record, indent=1, default=float) + "\n", encoding="utf-8")
    sys.exit(1 if failed else 0)


def _claims(family: str, run: Run) -> Iterator[Claim]:
    """Yield the claims of a family; one that cannot be tried is one that failed."""
    try:
        yield from FAMILIES[family](run)
    except Exception as error:  # the other families are still worth trying
        note = f"{type(error).__name__}: {error}"
        yield Claim(
            family, "the rest of it", "nothing: it broke off", 0, "cases", 1, False, note=note
        )


def _about(run: Run) -> dict[str, Any]:
    """Return what was proved, of which code and with what."""
    config = run.config
    return {
        "quick": run.quick,
        "seed": run.seed,
        "level": LEVEL,
        "table": {"config": config.name, "digest": config.digest, "strategy": run.strategy.name},
        "twin": {"config": run.twin_config, "strategy": run.twin_strategy.name},
        "code_digest": table_digest(),
        "versions": {
            "python": platform.python_version(),
            **{name: version(name) for name in ("cribodds", "numpy", "numba")},
        },
    }


if __name__ == "__main__":
    main()
