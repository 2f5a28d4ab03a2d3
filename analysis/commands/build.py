"""``cribodds build``: build the win table of a config."""

import contextlib
import importlib
import logging
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import click
from tqdm import tqdm

from ...sim.farm import Engine, FarmError
from ...tables.build import BuildError, Built, build
from ...tables.config import Config, load_config
from ...tables.lookup import WinTable
from ...tables.names import ConfigError, read_config
from ...tables.store import TableWriteError
from ..interrupts import outside_the_compiler


@click.command("build")
@click.argument("config", default="reference")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Where to write.")
@click.option("--jobs", type=click.IntRange(min=1), help="Worker processes; default all cores.")
@click.option("--force", is_flag=True, help="Build even if the table is there.")
@click.option(
    "--engine",
    type=click.Choice(["processes", "dask"]),
    default="processes",
    show_default=True,
    help="Who plays: processes of this machine, or the workers of a Dask cluster.",
)
@click.option("--scheduler", metavar="ADDRESS", help="Of the Dask cluster, as tcp://host:8786.")
def command(
    config: str, out: Path | None, jobs: int | None, force: bool, engine: str, scheduler: str | None
) -> None:
    """Build the win table of CONFIG, a TOML file or the name of one in configs/.

    A build that was stopped, however, is continued by the same command. SIGTERM and SIGHUP stop
    it as Ctrl-C does; the exit status is then 143 and 129, after Ctrl-C 130.
    """
    try:
        read = load_config(config)
    except ConfigError as error:
        raise click.UsageError(str(error)) from None
    place = _engine(engine, jobs, scheduler)
    with _stop_at_signals():
        try:
            built = build(read, out=out, engine=place, force=force, say=_say)
        except (TableWriteError, FarmError, BuildError) as error:
            raise click.ClickException(str(error)) from None
    _report(built)
    _tell_if_changed(config, read)


def _engine(engine: str, jobs: int | None, scheduler: str | None) -> Engine:
    if engine == "processes":
        if scheduler is not None:
            raise click.UsageError("--scheduler is for --engine dask")
        return Engine(jobs=jobs or -1)
    if scheduler is None:
        raise click.UsageError("--engine dask needs --scheduler ADDRESS, as tcp://host:8786")
    if jobs is not None:
        raise click.UsageError("--jobs is not for --engine dask: all its workers play")
    _quiet_dask()
    return Engine(scheduler=scheduler)


def _quiet_dask() -> None:
    """Keep the logs of Dask and of its event loop, with their tracebacks, off the terminal.

    What they say of a lost cluster the build says in a line. The loop goes on for a moment
    after the build has ended, so this is not taken back. Dask sets the levels of its loggers when
    it is imported: import it first (where it is not installed the farm says so).
    """
    with contextlib.suppress(ImportError):
        importlib.import_module("distributed")
    for name in ("distributed", "distributed.client", "tornado.application", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def _say(line: str) -> None:
    tqdm.write(line, file=sys.stderr)  # above the progress bar, if there is one


class _StoppedError(BaseException):
    """A signal that asks the build to end: not an error that anybody may catch and go on."""


@contextlib.contextmanager
def _stop_at_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP unwind the build as Ctrl-C does, then leave with 128 + the signal."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise _StoppedError(number)

    handler = outside_the_compiler(stop)
    before = {number: signal.signal(number, handler) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    except _StoppedError as stopped:
        (number,) = stopped.args
        click.echo(f"stopped by {signal.Signals(number).name}", err=True)
        sys.exit(128 + number)
    finally:
        for number, former in before.items():
            signal.signal(number, former)


def _report(built: Built) -> None:
    made = built.data.provenance
    table = WinTable(built.data, built.path)
    odds = table.odds(player=0, opponent=0, dealer="player")
    means = made["means"]
    verb = "wrote" if built.anew else "already there, of this config and code (--force rebuilds):"
    click.echo(f"{verb} {built.path}")
    click.echo(f"  {made['deals']:,} deals; {made['strategy']['name']}")
    if "adaptive" in made:
        click.echo(f"  {_adaptive_line(made['adaptive'])}")
    click.echo(f"  the dealer wins from 0-0: {odds.win:.6f} +- {odds.win_se:.6f}")
    click.echo(
        f"  mean points of a deal: pone pegs {means['pone_pegs']:.3f}, "
        f"hand {means['pone_hand']:.3f}; dealer pegs {means['dealer_pegs']:.3f}, "
        f"hand {means['dealer_hand']:.3f}, crib {means['crib']:.3f}, heels {means['heels']:.4f}"
    )


def _adaptive_line(adaptive: dict[str, float]) -> str:
    worst, wanted = adaptive["worst_win_se"], adaptive["target_win_se"]
    if adaptive["reached"]:
        return f"every cell's standard error is at most {worst:.3g}: under {wanted:.3g} as wanted"
    return f"the worst standard error is {worst:.3g}, not under {wanted:.3g}: more deals are needed"


def _tell_if_changed(config: str, read: Config) -> None:
    """Say so if the config's file is not what it was when the build began."""
    try:
        now = read_config(config).digest
    except ConfigError:
        now = ""
    if now != read.digest:
        click.echo(
            f"{config} was changed during the build: the table is of what it was before, "
            "and is stale for what it is now",
            err=True,
        )
