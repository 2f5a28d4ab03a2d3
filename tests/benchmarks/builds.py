"""Whole builds, as a user starts them: from an empty cache, and again with only the deals gone."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import click
import psutil

from .sheet import Sheet

CONFIGS = {"smoke": 10**6, "reference": 10**8, "billion": 10**9}
AT_MOST = {
    ("reference", "cold"): 75.0,
    ("reference", "warm"): 20.0,
    ("billion", "cold"): 240.0,
    ("billion", "warm"): 180.0,
}
SECONDS_BETWEEN_LOOKS = 0.05


class Cost(NamedTuple):
    """What a command took: seconds, and the peak memory of it and of its largest child, in MB."""

    seconds: float
    parent: float
    child: float


def bench(sheet: Sheet, folder: Path, names: tuple[str, ...]) -> None:
    """Measure the builds of some configs."""
    for name in names:
        cache = folder / f"cache-build-{name}"
        for state in ("cold", "warm"):
            if state == "warm":
                shutil.rmtree(cache / "runs")
            cost = _run(
                [
                    sys.executable, "-m", "cribodds.analysis.cli", "build", name,
                    "--out", str(folder / "built.parquet"), "--force",
                ],
                {**os.environ, "CRIBODDS_CACHE": str(cache)},
            )  # fmt: skip
            what = f"{CONFIGS[name]:,} deals, {state}"
            at_most = AT_MOST.get((name, state))
            sheet.add("build", what, cost.seconds, "s", at_most=at_most)
            sheet.add("build", f"{what}: parent's peak memory", cost.parent, "MB", at_most=1000)
            sheet.add("build", f"{what}: a worker's peak memory", cost.child, "MB", at_most=400)
        shutil.rmtree(cache)


def _run(command: list[str], environment: dict[str, str]) -> Cost:
    start = time.perf_counter()
    process = psutil.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    parent = child = 0
    while process.poll() is None:
        try:
            parent = max(parent, process.memory_info().rss)
            for other in process.children(recursive=True):
                child = max(child, other.memory_info().rss)
        except psutil.Error:
            pass  # it ended between two looks
        time.sleep(SECONDS_BETWEEN_LOOKS)
    seconds = time.perf_counter() - start
    if process.returncode:
        last = process.stderr.read().strip().splitlines()[-1:]
        raise click.ClickException(f"{' '.join(command)} failed: {' '.join(last)}")
    return Cost(seconds, parent / 1e6, child / 1e6)
