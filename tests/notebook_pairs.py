"""Notebooks as pairs: the text (py:percent), which is reviewed, and the ipynb, which is opened.

The ipynb holds no outputs and its cells are numbered, so that equal texts make equal files. Run as
a program it brings the pairs in step and executes every notebook: the body of `make notebooks`.
"""

import time
from pathlib import Path

import jupytext
from nbclient import NotebookClient
from nbformat import NotebookNode

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
TEXT = "py:percent"
LIMIT = 300
"""Seconds for one cell, on a busy machine: against a hang, not a measure."""


def texts() -> list[Path]:
    """Return the text of every notebook."""
    return sorted(NOTEBOOKS.glob("*.py"))


def ipynb_of(text: Path) -> str:
    """Return what the ipynb beside a text should hold."""
    notebook = jupytext.read(text, fmt=TEXT)
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"
    made: str = jupytext.writes(notebook, fmt="ipynb")
    return made.rstrip("\n") + "\n"


def bring_in_step(text: Path) -> None:
    """Make a pair equal; if they differ, the half that was changed last wins."""
    other = text.with_suffix(".ipynb")
    if not other.exists() or (
        other.read_text(encoding="utf-8") != ipynb_of(text)
        and text.stat().st_mtime >= other.stat().st_mtime
    ):
        print(f"{other.name}: made from {text.name}")
    elif other.read_text(encoding="utf-8") != ipynb_of(text):
        notebook = jupytext.read(other)
        text.write_text(jupytext.writes(notebook, fmt=TEXT), encoding="utf-8")
        print(f"{text.name}: made from {other.name}, which was changed last")
    else:
        return
    other.write_text(ipynb_of(text), encoding="utf-8")


def executed(text: Path, environment: dict[str, str]) -> NotebookNode:
    """Return a notebook with its outputs, run from its text; errors are raised."""
    notebook: NotebookNode = jupytext.reads(ipynb_of(text), fmt="ipynb")
    client = NotebookClient(
        notebook, timeout=LIMIT, kernel_name="python3", resources={"metadata": {"path": NOTEBOOKS}}
    )
    client.execute(env=environment)
    return notebook


def main() -> None:
    """Bring all pairs in step, then execute all notebooks against the table that is named."""
    import os

    for text in texts():
        bring_in_step(text)
    for text in texts():
        start = time.monotonic()
        executed(text, dict(os.environ))
        print(f"{text.stem}: executed in {time.monotonic() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
