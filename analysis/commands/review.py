"""``cribodds review``: a record of a deal or game, every decision judged."""

from pathlib import Path
from typing import Any

import click

from ...sim.cards import cards_text
from ..answers import answer_json, open_table
from ..asking import bad_question, model_for, model_options
from ..pictures import check_picture, write_picture
from ..record import GameRecord, read_record
from ..review import REVIEW_DRAWS, Review, review
from ..tabular import bar, percent, print_table


@click.command("review")
@click.argument("record", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--worst", type=click.IntRange(min=0), default=10, show_default=True,
    help="How many of the costliest decisions to show; 0: all decisions in order.",
)  # fmt: skip
@click.option("--curve", "with_curve", is_flag=True, help="Show the whole win curve.")
@click.option(
    "--figure", type=click.Path(dir_okay=False, path_type=Path),
    help="Draw the win curve into this file (.svg, .png, .pdf).",
)  # fmt: skip
@model_options
@click.option("--json", "as_json", is_flag=True, help="Answer as JSON.")
def command(
    record: Path, worst: int, with_curve: bool, figure: Path | None, as_json: bool,
    table: str | None, **model: Any,
) -> None:  # fmt: skip
    """Review RECORD, a JSON file as `cribodds deal --json` writes it (docs/records.md)."""
    with bad_question():
        game = read_record(_text_of(record))
    if figure is not None:
        check_picture(figure)
    opened = open_table(table, as_json)
    context = click.get_current_context()
    if context.get_parameter_source("draws") is click.core.ParameterSource.DEFAULT:
        model["draws"] = REVIEW_DRAWS
    with bad_question():
        found = review(game, opened, model_for(opened, **model, count_out=model["draws"]))
    if figure is not None:
        from ..review_figure import win_curve

        write_picture(figure, win_curve(found, opened))
        click.echo(f"wrote {figure}", err=True)
    if as_json:
        answer_json(_answer(found))
        return
    _show(found, worst, with_curve)


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{path}: not UTF-8 text") from None


def _show(found: Review, worst: int, with_curve: bool) -> None:
    game = found.record
    names = dict(zip(("player", "opponent"), game.names, strict=True))
    won = f"{names[game.winner]} won" if game.winner else "not over"
    click.echo(f"{len(game.deals)} deals of a game to {game.target}: {_result(game)}, {won}")
    chosen = list(found.decisions)
    if worst:
        chosen = [each for each in chosen if not each.close]
        chosen = sorted(chosen, key=lambda each: -each.loss)[:worst]
    print_table(
        ["deal", "who", "moment", "chose", "win", "best", "loss", "+-", "points"],
        [
            [
                str(each.deal), names[each.player], each.moment, cards_text(each.chosen),
                percent(each.win), cards_text(each.best), f"{100 * each.loss:.2f}",
                f"{100 * each.loss_se:.2f}", f"{each.points_loss:.2f}",
            ]
            for each in chosen
        ],
        left=["who", "moment", "chose", "best"],
    )  # fmt: skip
    print_table(
        ["", "choices", "right", "accuracy", "lost", "points lost", "deal", "cut", "play", "show"],
        [
            [
                names[each.player], str(each.decisions), str(each.right), percent(each.accuracy, 1),
                f"{100 * each.lost:.2f}", f"{each.points_lost:.2f}",
                *(f"{100 * luck:+.1f}" for luck in (each.deal, each.cut, each.play, each.show)),
            ]
            for each in found.totals()
        ],
        left=[""],
    )  # fmt: skip
    click.echo("lost and luck (deal, cut, play, show) in wins of 100; see docs/records.md")
    wanted = found.curve if with_curve else [p for p in found.curve if p.cause == "start"]
    shown = [point for point in wanted if point.player == "player"]
    if not with_curve:
        shown += [point for point in found.curve if point.player == "player"][-1:]
    for point in shown:
        score = f"{point.player_pegs.score}-{point.opponent_pegs.score}"
        words = f"{point.deal:>2} {point.moment[:34]:<34} {score:<8}"
        click.echo(f"{words}{percent(point.win, 1):>6} {bar(point.win)}")


def _result(game: GameRecord) -> str:
    mine, yours = game.deals[-1].pegs_after()
    return f"{game.names[0]} {mine.score}, {game.names[1]} {yours.score}"


def _answer(found: Review) -> dict[str, Any]:
    return {
        "target": found.record.target,
        "players": list(found.record.names),
        "winner": found.record.winner,
        "totals": [each._asdict() for each in found.totals()],
        "decisions": found.decisions_frame().to_dicts(),
        "curve": found.curve_frame().to_dicts(),
    }
