"""The lookup: the table's own values by scalar, array and frame; bad questions; no table."""

import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from cribodds.tables import arrays, names
from cribodds.tables.lookup import Dealer, Odds, OddsArrays, WinTable, get_table, probe_table
from cribodds.tables.names import ConfigError, read_config
from cribodds.tables.store import Unavailable, write_table
from cribodds.tables.table import OUTCOMES, VALUES, TableData
from tables_for_tests import toy_table

DEALERS: tuple[Dealer, ...] = get_args(Dealer)
PLACE = Path("toy.parquet")


def table_of(target: int, skunk: int | None, double: int | None) -> WinTable:
    return WinTable(toy_table(target, skunk, double), PLACE)


TOY = table_of(31, 20, 10)
FULL = table_of(121, 90, 60)

scores = st.integers(0, 31)
positions = st.tuples(scores, scores, st.sampled_from(DEALERS)).filter(
    lambda position: position[:2] != (31, 31)
)


def asked(position: tuple[int, int, Dealer]) -> Odds:
    player, opponent, dealer = position
    return TOY.odds(player=player, opponent=opponent, dealer=dealer)


# --- answers


def test_every_cell_is_answered_as_it_was_solved() -> None:
    data = toy_table()
    for index, dealer in enumerate(DEALERS[:2]):
        for player in range(31):
            for opponent in range(31):
                odds = TOY.odds(player=player, opponent=opponent, dealer=dealer)
                assert odds == tuple(data.values[:, index, player, opponent])


@given(positions)
def test_win_is_the_win_of_the_odds(position: tuple[int, int, Dealer]) -> None:
    player, opponent, dealer = position
    odds = asked(position)
    win = TOY.win(player=player, opponent=opponent, dealer=dealer)
    assert type(win) is float
    assert win == odds.win
    assert sum(odds[1:7]) == pytest.approx(1, abs=1e-12)
    assert win == pytest.approx(odds.win_plain + odds.win_skunk + odds.win_double_skunk, abs=1e-12)


@given(positions)
def test_what_one_player_wins_the_other_loses(position: tuple[int, int, Dealer]) -> None:
    player, opponent, dealer = position
    other: dict[Dealer, Dealer] = {"player": "opponent", "opponent": "player", "cut": "cut"}
    mine, theirs = asked(position), asked((opponent, player, other[dealer]))
    assert mine[1:7] == pytest.approx((*theirs[4:7], *theirs[1:4]), abs=1e-12)
    assert mine.deals_left == pytest.approx(theirs.deals_left)


@given(positions)
def test_before_the_cut_the_odds_are_the_mean_of_both(position: tuple[int, int, Dealer]) -> None:
    player, opponent, _ = position
    cut = asked((player, opponent, "cut"))
    dealt = asked((player, opponent, "player"))
    other = asked((player, opponent, "opponent"))
    assert cut == pytest.approx(tuple((a + b) / 2 for a, b in zip(dealt, other, strict=True)))


LOSERS = [(0, 3), (60, 3), (61, 2), (90, 2), (91, 1), (120, 1)]


@pytest.mark.parametrize(("loser", "kind"), LOSERS)
@pytest.mark.parametrize("dealer", DEALERS)
def test_a_finished_game_has_its_outcome(loser: int, kind: int, dealer: Dealer) -> None:
    won = FULL.odds(player=121, opponent=loser, dealer=dealer)
    lost = FULL.odds(player=loser, opponent=121, dealer=dealer)
    assert won == (1, *(float(kind == i) for i in (1, 2, 3)), 0, 0, 0, 0, 0)
    assert lost == (0, 0, 0, 0, *(float(kind == i) for i in (1, 2, 3)), 0, 0)


def test_a_finished_game_without_skunk_lines_is_plainly_lost() -> None:
    bare, single = table_of(31, None, None), table_of(61, 30, None)
    assert bare.odds(player=31, opponent=0, dealer="cut").win_plain == 1
    assert single.odds(player=0, opponent=61, dealer="player").loss_skunk == 1


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.int16, np.uint64, np.intp])
def test_numpy_integers_are_integers(kind: Callable[[int], Any]) -> None:
    assert TOY.win(player=kind(20), opponent=kind(11), dealer="cut") == TOY.win(
        player=20, opponent=11, dealer="cut"
    )


def test_a_table_says_what_it_is() -> None:
    assert TOY.target == 31
    assert TOY.path == PLACE
    assert TOY.provenance["strategy"]["name"] == "toy"
    assert repr(TOY) == "<WinTable toy.parquet, target 31>"


def test_a_table_can_be_sent_to_another_process() -> None:
    back = pickle.loads(pickle.dumps(TOY))
    assert back.win(player=3, opponent=4, dealer="cut") == TOY.win(
        player=3, opponent=4, dealer="cut"
    )


# --- bad questions


@pytest.mark.parametrize("score", [True, np.True_, 60.5, 60.0, np.float64(6), "12", None, [3]])
@pytest.mark.parametrize("who", ["player", "opponent"])
@pytest.mark.parametrize("ask", [TOY.win, TOY.odds])
def test_a_score_that_is_no_whole_number_is_a_type_error(
    ask: Callable[..., object], who: str, score: object
) -> None:
    with pytest.raises(TypeError, match=f"^{who}: expected a whole number, got "):
        ask(**({"player": 5, "opponent": 5, "dealer": "player"} | {who: score}))


@pytest.mark.parametrize("score", [-1, 32, 2**70, -(2**70), np.int8(-1), np.uint8(255)])
@pytest.mark.parametrize("who", ["player", "opponent"])
@pytest.mark.parametrize("ask", [TOY.win, TOY.odds])
def test_a_score_off_the_board_is_a_value_error(
    ask: Callable[..., object], who: str, score: int
) -> None:
    with pytest.raises(ValueError, match=f"^{who}: expected a score from 0 to 31, got {score}$"):
        ask(**({"player": 5, "opponent": 5, "dealer": "player"} | {who: score}))


@pytest.mark.parametrize(
    ("dealer", "error"),
    [
        ("dealer", ValueError),
        ("Player", ValueError),
        ("", ValueError),
        (True, TypeError),
        (0, TypeError),
        (None, TypeError),
        (["player"], TypeError),
    ],
)
@pytest.mark.parametrize("ask", [TOY.win, TOY.odds])
def test_a_dealer_is_player_opponent_or_cut(
    ask: Callable[..., object], dealer: object, error: type[Exception]
) -> None:
    with pytest.raises(error, match="dealer: expected 'player', 'opponent' or 'cut', got "):
        ask(player=5, opponent=5, dealer=dealer)


def test_there_are_no_two_winners_and_no_positional_scores() -> None:
    asks: list[Callable[..., object]] = [TOY.win, TOY.odds]
    for ask in asks:
        with pytest.raises(ValueError, match="both scores are 31"):
            ask(player=31, opponent=31, dealer="cut")
        with pytest.raises(TypeError):
            ask(5, 5, "player")


# --- arrays


@given(st.lists(positions, max_size=40), st.sampled_from([np.uint8, np.int32, np.int64]))
def test_arrays_are_answered_as_one_by_one(
    many: list[tuple[int, int, Dealer]], kind: type[np.integer[Any]]
) -> None:
    player = np.array([position[0] for position in many], kind)
    opponent = np.array([position[1] for position in many], kind)
    for dealer in DEALERS:
        expected = [asked((p, o, dealer)) for p, o, _ in many]
        win = TOY.win_array(player, opponent, dealer)
        assert win.dtype == np.float64
        assert win.tolist() == [odds.win for odds in expected]
        found = TOY.odds_array(player, opponent, dealer)
        assert [Odds(*row) for row in zip(*(a.tolist() for a in found), strict=True)] == expected
    dealt = np.array([position[2] == "player" for position in many], bool)
    expected = [asked((p, o, "player" if d == "player" else "opponent")) for p, o, d in many]
    assert TOY.win_array(player, opponent, dealt).tolist() == [odds.win for odds in expected]


def test_more_positions_than_a_block_are_answered() -> None:
    chance = np.random.default_rng(5)
    count = 3 * arrays.BLOCK + 17
    player, opponent = chance.integers(0, 31, (2, count))
    dealt = chance.random(count) < 0.5
    expected = toy_table().column("win")[np.where(dealt, 0, 1), player, opponent]
    np.testing.assert_array_equal(TOY.win_array(player, opponent, dealt), expected)
    step = (slice(None, None, -3),)
    np.testing.assert_array_equal(
        TOY.win_array(player[step], opponent[step], dealt[step]), expected[step]
    )


def test_arrays_broadcast() -> None:
    every = np.arange(31)
    win = toy_table().column("win")
    np.testing.assert_array_equal(TOY.win_array(every[:, None], every, "player"), win[0])
    np.testing.assert_array_equal(TOY.win_array(every[:, None], every, "opponent"), win[1])
    both = TOY.win_array(every[:, None], every, np.array([True, False])[:, None, None])
    np.testing.assert_array_equal(both, win)
    np.testing.assert_array_equal(TOY.win_array(every, 7, False), win[1, :, 7])
    odds = TOY.odds_array(every.astype(np.uint8)[:, None], every, "player")
    np.testing.assert_array_equal(np.stack(odds), toy_table().values[:, 0])
    assert TOY.win_array(3, 4, "cut").shape == ()
    assert TOY.win_array(np.zeros((0, 3), int), 4, "cut").shape == (0, 3)
    assert TOY.win_array([1, 2], [3, 4], [True, False]).shape == (2,)
    with pytest.raises(ValueError, match="broadcast"):
        TOY.win_array([1, 2], [3, 4, 5], "cut")


def test_an_answer_is_the_askers_own() -> None:
    win = TOY.win_array([5, 5], 5, "cut")
    win[:] = 7
    assert TOY.win(player=5, opponent=5, dealer="cut") < 1


@pytest.mark.parametrize("bad", [[1.0], [True], ["5"], [None], [], [[1, None]], np.array([1], "O")])
def test_arrays_of_scores_are_integers(bad: Any) -> None:
    with pytest.raises(TypeError, match=r"^player: expected scores of an integer dtype, got "):
        TOY.win_array(bad, 5, "cut")
    with pytest.raises(TypeError, match=r"^opponent: expected scores of an integer dtype, got "):
        TOY.odds_array(5, bad, "cut")


@pytest.mark.parametrize("bad", [[1], ["player"], [None], 1, None, np.array(["player"])])
def test_an_array_of_dealers_is_boolean(bad: Any) -> None:
    with pytest.raises(TypeError, match="boolean array"):
        TOY.win_array([5], [5], bad)
    with pytest.raises(ValueError, match="dealer: expected 'player', 'opponent' or 'cut'"):
        TOY.win_array([5], [5], "pone")


@pytest.mark.parametrize(
    ("player", "opponent", "said"),
    [
        ([3, -1, 32], 5, "player: expected scores from 0 to 31; 2 of 3 are not, the first is -1"),
        (5, [[1, 99]], "opponent: expected scores from 0 to 31; 1 of 2 are not, the first is 99"),
        (np.array([2**64 - 1], np.uint64), 5, "the first is 18446744073709551615"),
        (np.array([-128], np.int8), 5, "the first is -128"),
        ([31, 31, 3], 31, "both scores are 31 in 2 positions"),
        (np.full(40_000, 31), np.r_[np.zeros(39_999, int), 31], "both scores are 31 in 1 "),
    ],
)
def test_scores_off_the_board_are_counted(player: Any, opponent: Any, said: str) -> None:
    for ask in (TOY.win_array, TOY.odds_array):
        with pytest.raises(ValueError, match=said):
            ask(player, opponent, "player")


def test_the_fields_are_the_columns() -> None:
    assert Odds._fields == OddsArrays._fields == VALUES
    assert VALUES[1:7] == OUTCOMES


# --- polars


def test_the_frame_is_the_file(tmp_path: Path) -> None:
    write_table(tmp_path / "toy.parquet", toy_table())
    frame = TOY.frame()
    assert frame.schema["dealer"] == pl.Enum(["player", "opponent"])
    text = pl.col("dealer").cast(pl.String)
    assert_frame_equal(
        frame.with_columns(text),
        pl.read_parquet(tmp_path / "toy.parquet").with_columns(text),
        check_exact=True,
    )


MIXED = pl.DataFrame(
    {
        "player_score": [1, None, 3, 31, 6, 7],
        "opponent_score": [5, 6, 7, 8, None, 9],
        "dealer": ["player", "opponent", "cut", "cut", "player", None],
    }
)


def expected_of(frame: pl.DataFrame) -> list[Odds | None]:
    rows = frame.select("player_score", "opponent_score", pl.col("dealer").cast(pl.String))
    return [None if None in row else asked(row) for row in rows.iter_rows()]


@pytest.mark.parametrize(
    "kind", [pl.String, pl.Categorical, pl.Enum(["cut", "opponent", "player"])]
)
@pytest.mark.parametrize("whole", [pl.UInt8, pl.Int16, pl.UInt64, pl.Int64])
@pytest.mark.parametrize("lazy", [False, True])
def test_odds_are_added_to_positions(kind: Any, whole: Any, lazy: bool) -> None:
    frame = MIXED.with_columns(pl.col("dealer").cast(kind), pl.selectors.integer().cast(whole))
    added = TOY.add_odds(frame.lazy()).collect() if lazy else TOY.add_odds(frame)
    assert added.columns == [*frame.columns, *VALUES]
    assert_frame_equal(added.select(frame.columns), frame)
    for row, odds in zip(added.select(VALUES).iter_rows(), expected_of(frame), strict=True):
        assert row == (odds if odds is not None else (None,) * len(VALUES))


def test_booleans_say_whether_the_player_deals() -> None:
    frame = pl.DataFrame({"me": [3, 3, 3], "you": [4, 4, 4], "mine": [True, False, None]})
    added = TOY.add_odds(frame, "me", "you", "mine", columns=["win"], prefix="p_")
    assert added.columns == ["me", "you", "mine", "p_win"]
    assert added["p_win"].to_list() == [
        TOY.win(player=3, opponent=4, dealer="player"),
        TOY.win(player=3, opponent=4, dealer="opponent"),
        None,
    ]


def test_a_lazy_frame_stays_lazy_and_can_be_queried_on() -> None:
    chance = np.random.default_rng(11)
    count = 300_000
    frame = pl.DataFrame(
        {
            "player_score": chance.integers(0, 31, count),
            "opponent_score": chance.integers(0, 31, count),
            "dealer": chance.random(count) < 0.5,
        }
    )
    lazy = TOY.add_odds(frame.lazy(), columns=["win", "deals_left"])
    assert isinstance(lazy, pl.LazyFrame)
    query = lazy.filter(pl.col("win") > 0.9).select("win", "player_score")
    eager = TOY.add_odds(frame).filter(pl.col("win") > 0.9).select("win", "player_score")
    assert 0 < len(eager) < count
    for engine in ("in-memory", "streaming"):
        assert_frame_equal(query.collect(engine=engine), eager)


def test_frames_without_rows_or_without_any_known_dealer_are_answered() -> None:
    assert TOY.add_odds(MIXED.clear()).shape == (0, 12)
    assert TOY.add_odds(MIXED.clear().lazy()).collect().shape == (0, 12)
    unknown = TOY.add_odds(MIXED.with_columns(dealer=pl.lit(None)))
    assert unknown["win"].null_count() == len(MIXED)


BAD_ROWS = [
    (MIXED.with_columns(player_score=pl.lit(32)), "4 of 6 rows.* player 32, opponent 5"),
    (MIXED.with_columns(opponent_score=pl.lit(-1)), "4 of 6 rows.* opponent -1"),
    (MIXED.with_columns(opponent_score=pl.lit(31)), "1 of 6 rows.* player 31, opponent 31"),
    (MIXED.with_columns(player_score=pl.lit(2**64 - 1, pl.UInt64)), "player 18446744073709551615"),
    (MIXED.with_columns(dealer=pl.lit("pone")), "4 of 6 rows.* dealer pone"),
]


@pytest.mark.parametrize(("frame", "said"), BAD_ROWS, ids=[said for _, said in BAD_ROWS])
def test_rows_that_are_no_position_are_counted(frame: pl.DataFrame, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        TOY.add_odds(frame)
    lazy = TOY.add_odds(frame.lazy())
    with pytest.raises(ValueError, match="rows are no position of a game to 31"):
        lazy.collect()


@pytest.mark.parametrize(
    ("frame", "options", "error", "said"),
    [
        (MIXED.drop("dealer"), {}, ValueError, "the frame has no column 'dealer'; it has player"),
        (MIXED, {"player": "me"}, ValueError, "no column 'me'"),
        (MIXED.cast({"player_score": pl.Float64}), {}, TypeError, "'player_score': expected an in"),
        (MIXED.with_columns(dealer=1), {}, TypeError, "column 'dealer': expected text, enum"),
        (MIXED.with_columns(win=1), {}, ValueError, "has a column 'win' already; give a prefix"),
        (MIXED, {"columns": ["gain"]}, ValueError, "no odds are called 'gain'; there are win, "),
    ],
)
def test_frames_that_cannot_be_answered_are_refused_at_once(
    frame: pl.DataFrame, options: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        TOY.add_odds(frame, **options)
    with pytest.raises(error, match=said):
        TOY.add_odds(frame.lazy(), **options)


# --- opening


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of its own: configs/, tables/data/, and no variable set."""
    (tmp_path / "configs").mkdir()
    monkeypatch.setattr(names, "CONFIGS", tmp_path / "configs")
    monkeypatch.setattr(names, "TABLES", tmp_path / "tables" / "data")
    monkeypatch.delenv("CRIBODDS_TABLE", raising=False)
    return tmp_path


def made(path: Path, target: int = 31, digest: str | None = None) -> Path:
    """Write a toy table, maybe one that says it was built from the config of that digest."""
    data = toy_table(target, 20, 10)
    if digest is not None:
        config = data.provenance["config"] | {"digest": digest}
        data = TableData(data.values, dict(data.provenance) | {"config": config})
    write_table(path, data)
    return path


def test_a_table_is_found_by_path_name_variable_and_default(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = home / "tables" / "data"
    made(folder / "reference.parquet", 31)
    made(folder / "smoke.parquet", 32)
    elsewhere = made(home / "elsewhere.parquet", 33)
    assert probe_table().target == 31
    assert probe_table("smoke").target == 32
    assert probe_table(elsewhere).target == probe_table(str(elsewhere)).target == 33
    for variable, target in ((str(elsewhere), 33), ("smoke", 32), ("", 31)):
        monkeypatch.setenv("CRIBODDS_TABLE", variable)
        assert probe_table().target == target
        assert probe_table("reference").target == 31


def test_nothing_else_is_tried(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(home / "tables" / "data" / "reference.parquet")
    monkeypatch.setenv("CRIBODDS_TABLE", str(home / "gone.parquet"))
    for table in (None, "smoke", home / "gone.parquet"):
        found = get_table(table)
        assert isinstance(found, Unavailable)
        assert found.reason == "missing"


@pytest.mark.parametrize(
    ("table", "advice"),
    [
        (None, "run: make build-table"),
        ("smoke", "run: make build-table CONFIG=configs/smoke.toml"),
        ("some/path.parquet", "run: make build-table, or name another table"),
    ],
)
def test_unavailable_says_where_it_looked_and_what_to_do(
    home: Path, table: str | None, advice: str
) -> None:
    with pytest.raises(Unavailable) as caught:
        probe_table(table)
    found = get_table(table)
    assert isinstance(found, Unavailable)
    assert str(found) == str(caught.value)
    assert str(found) == f"missing: no table at {found.path}; {advice}"


def test_a_file_that_is_no_table_is_said_to_be_so(home: Path) -> None:
    path = home / "x.parquet"
    path.write_text("not a table")
    damaged = get_table(path)
    TOY.frame().write_parquet(path)
    foreign = get_table(path)
    assert isinstance(damaged, Unavailable)
    assert isinstance(foreign, Unavailable)
    assert (damaged.reason, foreign.reason) == ("damaged", "foreign")


def test_a_table_of_another_config_is_stale(home: Path) -> None:
    config = home / "configs" / "mine.toml"
    config.write_text("seed = 1\n")
    path = made(home / "tables" / "data" / "mine.parquet", digest=read_config(config).digest)
    assert probe_table(config="mine").path == path
    assert probe_table(path, config=config).path == path
    config.write_text("seed = 1 # a remark changes nothing\n")
    assert probe_table(config="mine").path == path
    config.write_text("seed = 2\n")
    with pytest.raises(Unavailable) as caught:
        probe_table(config="mine")
    assert caught.value.reason == "stale"
    assert str(config) in str(caught.value)
    assert probe_table("mine").path == path  # no config named, no staleness
    path.unlink()
    missing = get_table(config="mine")
    assert isinstance(missing, Unavailable)
    assert missing.reason == "missing"


def test_a_config_that_cannot_be_read_is_a_bad_question(home: Path) -> None:
    made(home / "tables" / "data" / "reference.parquet")
    for ask in (probe_table, get_table):
        with pytest.raises(ConfigError, match="no such config"):
            ask(config="nosuch")


def test_the_lookup_imports_neither_the_simulator_nor_what_only_builds_need() -> None:
    program = (
        "import sys; from cribodds.tables import lookup; lookup.get_table('nosuch');"
        "print(*sorted(name for name in sys.modules if name.split('.')[0] in "
        "('numba', 'polars', 'pydantic', 'pandas', 'joblib') or name.startswith('cribodds')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    parts = ("arrays", "footer", "lookup", "names", "provenance", "store", "table")
    assert done.stdout.split() == [
        "cribodds",
        "cribodds.tables",
        *(f"cribodds.tables.{part}" for part in parts),
    ]
