"""``cribodds solve-play``: find the equilibrium strategy anew, as it comes with the code."""

import tempfile
from pathlib import Path

import click

from ...sim.equilibrium.rounds import MOST_ITERATIONS, TARGET, find_equilibrium
from ...sim.sources import SHIPPED
from ..asking import bad_question


@click.command("solve-play")
@click.option("--rounds", type=click.IntRange(1, 10), default=3, show_default=True)
@click.option(
    "--target",
    type=click.FloatRange(0),
    default=TARGET,
    show_default=True,
    help="Exploitability, points a deal, at which a round's play counts as solved.",
)
@click.option(
    "--max-iterations", type=click.IntRange(1), default=MOST_ITERATIONS, show_default=True
)
@click.option("--out", type=click.Path(path_type=Path), help="Folder; by default of the code.")
def command(rounds: int, target: float, max_iterations: int, out: Path | None) -> None:
    """Alternate throws and solved card play, some minutes a round, and keep the result."""
    folder = out if out is not None else SHIPPED / f"equilibrium-{rounds}"
    with bad_question():
        _check_out(folder)
    found = find_equilibrium(
        rounds,
        target=target,
        max_iterations=max_iterations,
        say=lambda line: click.echo(line, err=True),
    )
    try:
        found.save(folder)
    except OSError as error:
        raise click.ClickException(f"cannot write {folder}: {error.strerror or error}") from None
    made = found.policy.provenance
    click.echo(f"wrote {folder}")
    click.echo(f"  value of the play to the dealer: {made.value:+.5f} points a deal")
    click.echo(f"  exploitability as stored: {made.pone_gain + made.dealer_gain:.5f}")


def _check_out(folder: Path) -> None:
    """Refuse a folder that cannot be written before minutes are spent on what goes there."""
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"--out {folder}: expected a folder, this is a file")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent):
            pass
    except OSError as error:
        raise ValueError(f"--out {folder}: cannot write there: {error.strerror}") from None
