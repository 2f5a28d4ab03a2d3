"""The figures: what they draw is the table, nothing is cut or overlaps, equal is equal."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from click.testing import CliRunner, Result
from matplotlib.axis import Axis
from matplotlib.colors import to_rgb
from matplotlib.contour import ContourSet
from matplotlib.figure import Figure
from matplotlib.text import Text

from cribodds.analysis import board, figures
from cribodds.analysis.cli import cribodds
from cribodds.analysis.commands.plot import OPTIONS
from cribodds.analysis.figure_style import (
    COLOURS_OF_CHANCE,
    DEALER,
    FORMATS,
    PONE,
    footnote,
    new_figure,
    render,
)
from cribodds.tables.lookup import WinTable
from cribodds.tables.store import read_table, write_table
from tables_for_tests import toy_table

PICTURES: dict[str, Callable[..., Figure]] = {
    name: getattr(figures, name) for name in OPTIONS
}  # every picture of the command is a function of the module
SIZES = {"desk": (8.0, 5.0), "phone": (4.2, 4.0)}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "toy.parquet"
    write_table(path, toy_table(121, 90, 60))
    return path


@pytest.fixture(scope="module")
def table(place: Path) -> WinTable:
    return WinTable(read_table(place), place)


# --- the numbers


def test_turning_points_are_the_turns_that_matter() -> None:
    curve = np.array([5.0, 4, 3, 4, 6, 5.9, 6.1, 4, 4.1, 3.9, 2, 2.5])
    found = board.turning_points(curve, turn=0.4)
    assert [(point.hole, point.is_crest) for point in found] == [(2, False), (6, True), (10, False)]
    assert [point.value for point in found] == [3, 6.1, 2]
    assert board.turning_points(curve, turn=0.6) == found[:2]  # the last rise is half a point
    assert not board.turning_points(np.linspace(0, 1, 50))


def test_the_turns_of_a_wave_are_found_where_they_are() -> None:
    wave = np.cos(2 * np.pi * np.arange(121) / 26)
    found = board.turning_points(wave)
    assert [point.hole for point in found] == [13, 26, 39, 52, 65, 78, 91, 104, 117]
    assert [point.is_crest for point in found] == [False, True] * 4 + [False]


def test_bands_end_where_the_curve_passes_the_level() -> None:
    assert board.bands(np.array([0.0, 2, 2, 0, 0, 4]), 1.0) == [(0.5, 2.5), (4.25, 5.0)]
    assert board.bands(np.array([2.0, 0, 0]), 1.0) == [(0.0, 0.5)]
    assert board.bands(np.zeros(4), 1.0) == []


def test_the_board_is_the_players_own() -> None:
    assert board.positional_holes(121) == [18, 44, 70, 96]
    assert board.streets(121) == [30, 60, 90, 120]
    assert board.positional_holes(61) == [10, 36]
    assert board.streets(61) == [30, 60]


@pytest.mark.parametrize(("own", "opponent"), [(0, None), (120, None), (57, 80), (3, 0)])
def test_a_hole_is_worth_what_the_lookup_says(
    table: WinTable, own: int, opponent: int | None
) -> None:
    values = board.hole_values(table, opponent)
    other = own if opponent is None else opponent
    for value, dealer in zip(values, ("player", "opponent"), strict=True):
        odds = [table.win(player=own + more, opponent=other, dealer=dealer) for more in (0, 1)]  # type: ignore[arg-type]
        assert value[own] == odds[1] - odds[0]


def test_the_deal_is_worth_what_the_lookup_says(table: WinTable) -> None:
    values = board.deal_values(table)
    for own, other in ((0, 0), (115, 115), (120, 3)):
        dealing, not_dealing = (
            table.win(player=own, opponent=other, dealer=who) for who in ("player", "opponent")
        )
        assert values[own, other] == dealing - not_dealing


def test_the_part_of_the_skunk_in_a_hole(table: WinTable) -> None:
    """At one cell by hand; nothing where nobody can be skunked; none where nothing is open."""
    shares = board.skunk_shares(table, "player")
    own, other = 62, 70

    def net(score: int) -> float:
        odds = table.odds(player=score, opponent=other, dealer="player")
        mine = 2 * odds.win_plain + 3 * odds.win_skunk + 3 * odds.win_double_skunk
        return mine - 2 * odds.loss_plain - 3 * odds.loss_skunk - 3 * odds.loss_double_skunk

    wins = [table.win(player=score, opponent=other, dealer="player") for score in (own, own + 1)]
    whole = net(own + 1) - net(own)
    assert shares[own, other] == pytest.approx((whole - 4 * (wins[1] - wins[0])) / whole)
    past = shares[91:, 91:]
    assert np.nanmax(past) < 1e-9
    known = shares[~np.isnan(shares)]
    assert known.min() >= 0
    assert known.max() > 0.9
    assert np.isnan(shares[0, 120])


# --- the pictures


@pytest.mark.parametrize("picture", PICTURES)
def test_a_picture_goes_where_it_is_told(table: WinTable, picture: str) -> None:
    figure, ax = new_figure()
    assert PICTURES[picture](table, ax) is figure
    assert ax.has_data()
    assert PICTURES[picture](table) is not figure


@pytest.mark.parametrize("picture", PICTURES)
def test_a_picture_says_which_table_it_shows(table: WinTable, picture: str) -> None:
    note = PICTURES[picture](table)._supxlabel  # type: ignore[attr-defined]
    made = table.provenance
    for part in (made["config"]["name"], made["values_sha256"][:8], f"{made['deals']:,}"):
        assert part in note.get_text()


@pytest.mark.parametrize("picture", PICTURES)
def test_the_axis_is_the_board(table: WinTable, picture: str) -> None:
    ax = new_figure()[1]
    PICTURES[picture](table, ax)
    assert ax.get_xlim() == (0, 121)
    along = [np.asarray(line.get_xdata()) for line in ax.lines]
    upright = {places[0] for places in along if len(set(places.tolist())) == 1}
    assert {30, 60, 90, 120} <= upright
    names = {text.get_text(): text.get_position()[0] for text in ax.texts}
    assert names["skunk"] == 90
    assert names["double skunk"] == 60


def lines_of(figure: Figure) -> set[tuple[float, ...]]:
    """Return the heights of every line of a figure's first axis."""
    return {tuple(np.asarray(line.get_ydata()).tolist()) for line in figure.axes[0].lines}


def test_curves_are_the_table(table: WinTable) -> None:
    drawn = lines_of(figures.curve(table, opponents=[40]))
    for dealer in ("player", "opponent"):
        assert tuple(table.win_array(np.arange(121), 40, dealer).tolist()) in drawn
    assert tuple(board.tie_curve(table).tolist()) in lines_of(figures.ties(table))
    odds = table.odds_array(np.arange(91), 100, "player")
    risk = odds.loss_skunk + odds.loss_double_skunk
    assert tuple(risk.tolist()) in lines_of(figures.skunks(table, opponents=[100]))


def test_a_map_has_the_own_score_along_and_the_opponents_up(table: WinTable) -> None:
    ax = figures.heatmap(table, dealer="opponent").axes[0]
    values = np.asarray(ax.images[0].get_array())
    assert values[100, 20] == table.win(player=20, opponent=100, dealer="opponent")
    assert ax.images[0].origin == "lower"
    assert tuple(ax.images[0].get_extent()) == (-0.5, 120.5, -0.5, 120.5)


def test_turns_are_named_in_the_picture(table: WinTable) -> None:
    named = {text.get_text() for text in figures.ties(table).axes[0].texts}
    turns = board.turning_points(board.tie_curve(table))
    assert len(turns) > 3
    assert {str(point.hole) for point in turns} <= named


def texts_of(figure: Figure) -> list[Text]:
    """Everything written in a figure, but for names on contour lines and ticks not drawn."""
    left_out: set[Text] = set()
    for axis in figure.findobj(Axis):
        low, high = sorted(axis.get_view_interval())
        for tick in axis.get_major_ticks():
            if not low <= tick.get_loc() <= high:
                left_out |= {tick.label1, tick.label2}
    for contours in figure.findobj(ContourSet):
        left_out |= set(contours.labelTexts)
    return [
        text
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and text not in left_out
    ]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("picture", PICTURES)
def test_nothing_is_cut_and_no_words_overlap(table: WinTable, picture: str, size: str) -> None:
    figure, ax = new_figure(SIZES[size])
    footnote(figure, table)
    PICTURES[picture](table, ax)
    figure.draw_without_rendering()
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts_of(figure)]
    inside = figure.bbox.padded(1)
    cut = [text for text, box in boxes if not inside.contains(box.x0, box.y0)]
    cut += [text for text, box in boxes if not inside.contains(box.x1, box.y1)]
    assert not cut
    overlapping = [
        (one, other)
        for (one, box), (other, another) in itertools.combinations(boxes, 2)
        if box.padded(-1).overlaps(another.padded(-1))
        # The toy game's tie curve turns at holes side by side, as cribbage's does not.
        and not (picture == "ties" and one.isdigit() and other.isdigit())
    ]
    assert not overlapping


def test_a_short_game_is_drawn_too() -> None:
    short = WinTable(read_back(toy_table(61, 30, None)), Path("short.parquet"))
    for draw in PICTURES.values():
        assert draw(short).axes[0].get_xlim() == (0, 61)
    plain = WinTable(read_back(toy_table(31, None, None)), Path("plain.parquet"))
    assert figures.skunks(plain).axes[0].get_xlim() == (0, 31)


def read_back(data: Any) -> Any:
    """Give a toy table the hashes that only a written table has."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        return write_table(Path(folder) / "t.parquet", data)


@pytest.mark.parametrize("kind", FORMATS)
def test_equal_pictures_are_equal_files(table: WinTable, kind: str) -> None:
    for draw in (figures.ties, figures.heatmap):
        assert render(draw(table), kind) == render(draw(table), kind)


def test_the_readers_settings_are_left_alone_and_do_not_matter(table: WinTable) -> None:
    plain = render(figures.ties(table), "svg")
    with mpl.rc_context({"font.size": 20, "lines.linewidth": 9, "axes.facecolor": "red"}):
        before = dict(mpl.rcParams)
        assert render(figures.ties(table), "svg") == plain
        assert dict(mpl.rcParams) == before


def lightness(colour: Any) -> float:
    """Relative luminance as in WCAG 2."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def test_pictures_can_be_read_in_grey() -> None:
    """Lines differ in lightness (and in dashes); colours of chance only ever get lighter."""
    assert (lightness(PONE) + 0.05) / (lightness(DEALER) + 0.05) > 2.5
    assert 1.05 / (lightness(PONE) + 0.05) > 3  # on white: contrast of graphics, WCAG 1.4.11
    greys = [
        lightness(colour) for colour in mpl.colormaps[COLOURS_OF_CHANCE](np.arange(256))[:, :3]
    ]
    assert all(b > a for a, b in itertools.pairwise(greys))


# --- the command


def plot(*words: object) -> Result:
    return CliRunner().invoke(cribodds, ["plot", *map(str, words)])


@pytest.mark.parametrize("picture", PICTURES)
def test_the_command_draws_every_picture(place: Path, tmp_path: Path, picture: str) -> None:
    out = tmp_path / "x.png"
    result = plot(picture, "--table", place, "--out", out)
    assert result.exit_code == 0, result.output
    assert out.read_bytes().startswith(b"\x89PNG")


def test_the_command_passes_choices_on(table: WinTable, place: Path, tmp_path: Path) -> None:
    out = tmp_path / "x.svg"
    for words, figure in (
        (["curve", "--opponent", 3, "--opponent", 80], figures.curve(table, opponents=[3, 80])),
        (["value", "--opponent", 3], figures.value(table, opponent=3)),
        (["points", "--dealer", "opponent"], figures.points(table, dealer="opponent")),
    ):
        assert plot(*words, "--table", place, "--out", out).exit_code == 0
        assert out.read_bytes() == render(figure, "svg")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["curve", "--out", "x.gif"], "expected a name that ends in .png, .svg or .pdf"),
        (["curve", "--out", "nowhere/x.png"], "there is no folder"),
        (["curve", "--opponent", "121", "--out", "x.png"], "expected a score from 0 to 120"),
        (["value", "--opponent", "1", "--opponent", "2", "--out", "x.png"], "takes one --opponent"),
        (["ties", "--opponent", "1", "--out", "x.png"], "--opponent is for curve, value, skunks"),
        (["curve", "--dealer", "cut", "--out", "x.png"], "--dealer is for heatmap, points"),
        (["pie", "--out", "x.png"], "'pie'"),
        (["curve"], "--out"),
    ],
)
def test_bad_questions(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = plot(*words, "--table", place)
    assert result.exit_code == 2
    assert said in result.output
    assert not list(tmp_path.iterdir())


def test_without_a_table_nothing_is_drawn(tmp_path: Path) -> None:
    out = tmp_path / "x.png"
    result = plot("ties", "--table", tmp_path / "none.parquet", "--out", out)
    assert result.exit_code == 3
    assert result.output.startswith("unavailable: missing: ")
    assert not out.exists()
