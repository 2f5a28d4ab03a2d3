"""``cribodds strength``: how strong strategies play and throw, and whole games between them."""

from collections.abc import Sequence
from pathlib import Path

import click

from ...sim.farm import FarmError
from ...tables.config import BATCHES, MAX_DEALS, Config, load_config
from ..answers import answer_json
from ..asking import bad_question
from ..files import OutputError, check_place, write_whole
from ..strength import DEFAULT_CONFIGS, HANDS, PARTS, check_configs, measure
from ..strength_tables import TextTable, check_page, fill_page, new_page, show, tables_of


@click.command("strength")
@click.argument("configs", metavar="[CONFIG]...", nargs=-1)
@click.option(
    "--part",
    "parts",
    type=click.Choice(PARTS),
    multiple=True,
    help="What to measure; may be given several times; default everything.",
)
@click.option(
    "--deals",
    type=click.IntRange(BATCHES, MAX_DEALS),
    help="Deals of each pairing, a multiple of 64; default those of the first config.",
)
@click.option(
    "--hands",
    type=click.IntRange(2, 1_000_000),
    default=HANDS,
    show_default=True,
    help="Sampled hands for the throws; half a second each.",
)
@click.option("--jobs", type=click.IntRange(min=1), help="Worker processes; default all cores.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a page in Markdown; if it is there, only its tables are renewed.",
)
@click.option("--json", "as_json", is_flag=True, help="Answer as JSON.")
def command(
    configs: tuple[str, ...], parts: tuple[str, ...], deals: int | None, hands: int,
    jobs: int | None, out: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Measure the strategies of CONFIGs; default reference, look-ahead and greedy.

    The first is the measure: the opponent of the throws, whose keeps weigh the card play.
    """
    with bad_question():
        read = _read(configs or DEFAULT_CONFIGS, deals)
        if out is not None:
            _check_out(out)
    try:
        found = measure(
            read,
            parts=parts or PARTS,
            deals=deals,
            hands=hands,
            jobs=jobs or -1,
            say=lambda line: click.echo(line, err=True),
        )
    except FarmError as error:
        raise click.ClickException(str(error)) from None
    tables = tables_of(found)
    if as_json:
        answer_json(found.fields())
    else:
        show(tables)
    if out is not None:
        with bad_question():
            _write(out, tables)


def _read(configs: Sequence[str], deals: int | None) -> list[Config]:
    read = [load_config(each) for each in configs]
    check_configs(read)
    if deals is not None and deals % BATCHES:
        raise ValueError(f"--deals {deals}: expected a multiple of {BATCHES}")
    return read


def _check_out(out: Path) -> None:
    """Refuse a page that cannot be written before minutes are spent on it."""
    try:
        check_place(out)
    except OutputError as error:
        raise ValueError(f"--out: {error}") from None
    if out.exists():
        try:
            check_page(out.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ValueError(f"--out {out}: {error}") from None


def _write(out: Path, tables: Sequence[TextTable]) -> None:
    try:
        if out.exists():
            page = fill_page(out.read_text(encoding="utf-8"), tables)
        else:
            page = new_page(tables)
        write_whole(out, page.encode("utf-8"))
    except (OSError, OutputError) as error:
        raise ValueError(str(error)) from None
