"""`make bench`: what everything costs, side by side in one run, as a table and as JSON.

Figures are medians of several rounds, except what takes long: set-up and builds are run
once. Machines are noisy: read ratios within one run, not figures of
different days.
"""

import json
import os
import platform
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click

from cribodds.analysis.strength_tables import show
from cribodds.sim.sources import table_digest
from cribodds.tables import build, config

from . import builds, deals, farm, hands, page, set_up, table
from .sheet import Sheet

ROOT = Path(__file__).resolve().parents[2]
TOPICS = {
    "deals": "the simulator on one core",
    "farm": "worker processes",
    "hands": "hands counted",
    "table": "the table",
    "set-up": "kernels and books",
    "build": "whole builds, as a user starts them",
}
BUSY = 0.5  # a load above which figures are not those of a quiet machine


@click.command()
@click.option("--quick", is_flag=True, help="Two minutes: fewer rounds, no build over 1e6 deals.")
@click.option("--only", multiple=True, type=click.Choice(list(TOPICS)), help="Measure this topic.")
@click.option(
    "--page", "path", type=click.Path(path_type=Path, dir_okay=False), help="Renew its tables."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    default=ROOT / "build" / "bench.json",
    help="Where the JSON goes.",
)
def main(quick: bool, only: tuple[str, ...], path: Path | None, out: Path) -> None:
    """Measure what everything costs."""
    page.check(path)
    load = os.getloadavg()[0]
    if load > BUSY:
        click.echo(
            f"the machine is busy (load {load:.1f}): absolute figures will be poor", err=True
        )
    sheet = Sheet(TOPICS)
    _measure(sheet, only or tuple(TOPICS), quick=quick)
    tables = sheet.tables()
    show(tables)
    out.parent.mkdir(parents=True, exist_ok=True)
    run = {"machine": _machine(), "load_before": load, "quick": quick, "code": table_digest()}
    out.write_text(json.dumps({**run, "figures": sheet.rows()}, indent=1) + "\n")
    click.echo(f"wrote {out}")
    page.renew(path, tables)


def _measure(sheet: Sheet, topics: tuple[str, ...], *, quick: bool) -> None:
    rounds = 3 if quick else 7
    books = build.strategy_of(config.load_config("reference")).books()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if "deals" in topics:
            deals.bench(sheet, books, rounds)
        if "farm" in topics:
            farm.bench(sheet, books, rounds)
        if "hands" in topics:
            hands.bench(sheet, rounds)
        if "table" in topics:
            table.bench(sheet, books, folder, rounds)
        if "set-up" in topics:
            set_up.bench(sheet, folder, quick=quick)
        if "build" in topics:
            builds.bench(sheet, folder, ("smoke",) if quick else tuple(builds.CONFIGS))


def _machine() -> dict[str, Any]:
    return {
        "system": platform.platform(),
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "numba", "pyarrow")},
    }


if __name__ == "__main__":
    main(prog_name="make bench")
