"""The ``cribodds`` command: finds a subcommand, runs it, and turns faults into exit statuses.

Exit status: 0 answered; 1 a build failed or a check found a fault; 2 a bad question or
config; 3 unavailable; 130 interrupted (a build that is told to end: 143 or 129).
"""

import importlib
import signal
import sys
from typing import Final, NoReturn

import click

from .interrupts import outside_the_compiler

# Each command is a module of ``commands`` and is imported when it is asked for: an answer
# from the table does not wait for the simulator to load.
COMMANDS: Final = (
    "build", "chart", "count", "curve", "deal", "discard", "export", "info", "odds", "plot",
    "position", "report", "review", "solve-play", "stakes", "strength",
    "verify",
)  # fmt: skip


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f".commands.{cmd_name.replace('-', '_')}", __package__)
        command: click.Command = module.command
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="cribodds")
def cribodds() -> None:
    """Win odds of two-player cribbage: build the table, ask it, and study hands."""


def main() -> NoReturn:
    """Run the command line and leave with its exit status."""
    signal.signal(signal.SIGINT, outside_the_compiler(signal.default_int_handler))
    try:
        status = cribodds.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        status = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        status = 130
    sys.exit(status if isinstance(status, int) else 0)


if __name__ == "__main__":
    main()
