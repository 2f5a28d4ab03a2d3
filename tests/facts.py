"""The fact files in `tests/data`, read as rows of text."""

import csv
from pathlib import Path

DATA = Path(__file__).parent / "data"


def rows(name: str) -> list[dict[str, str]]:
    """The rows of `tests/data/<name>.csv`, by column name."""
    with (DATA / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))
