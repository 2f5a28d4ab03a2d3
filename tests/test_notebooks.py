"""The notebooks: the pairs are in step, all run on the smoke table, none without a table."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from nbclient.exceptions import CellExecutionError

from notebook_pairs import NOTEBOOKS, executed, ipynb_of, texts
from smoke_table import smoke_table

PAIRS = [pytest.param(text, id=text.stem) for text in texts()]
FIGURES = {"a-game-reviewed": 1, "how-sure": 2, "skunks-and-game-points": 2, "win-curves": 5}

# The kernel is a process of its own; what its client's libraries warn of is not ours to mend.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")


def environment(table: Path) -> dict[str, str]:
    return {**os.environ, "CRIBODDS_TABLE": str(table)}


def test_every_notebook_is_a_pair() -> None:
    assert {text.stem for text in texts()} == set(FIGURES)
    assert {other.stem for other in NOTEBOOKS.glob("*.ipynb")} == set(FIGURES)


@pytest.mark.parametrize("text", PAIRS)
def test_pairs_are_in_step_and_hold_no_outputs(text: Path) -> None:
    other = text.with_suffix(".ipynb").read_text(encoding="utf-8")
    assert other == ipynb_of(text), "run: make notebooks"
    code = [cell for cell in json.loads(other)["cells"] if cell["cell_type"] == "code"]
    assert code
    assert not any(cell["outputs"] or cell["execution_count"] for cell in code)


@pytest.mark.parametrize("text", PAIRS)
def test_a_notebook_runs_and_draws(text: Path) -> None:
    cells = executed(text, environment(smoke_table())).cells
    outputs: list[Any] = [output for cell in cells for output in cell.get("outputs", [])]
    drawn = [output for output in outputs if "image/png" in output.get("data", {})]
    assert len(drawn) == FIGURES[text.stem]
    assert not [output for output in outputs if output.get("name") == "stderr"]


@pytest.mark.parametrize("text", PAIRS)
def test_without_a_table_a_notebook_stops_and_says_why(text: Path, tmp_path: Path) -> None:
    missing = tmp_path / "none.parquet"
    with pytest.raises(CellExecutionError) as caught:
        executed(text, environment(missing))
    assert caught.value.ename == "Unavailable"
    assert caught.value.evalue == (
        f"missing: no table at {missing}; run: make build-table, or name another table"
    )
