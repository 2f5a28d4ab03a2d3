"""Questions about hands and moments, asked as people ask them, against the facts."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cribodds.analysis import cli
from cribodds.tables.store import write_table
from facts import rows
from tables_for_tests import toy_table


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("tables") / "toy.parquet"
    write_table(path, toy_table(121, 90, 60))
    return str(path)


def ask(*words: str) -> Result:
    return CliRunner().invoke(cli.cribodds, list(words))


def answer(*words: str) -> Any:
    result = ask(*words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


PUBLISHED = ("7C", "9H", "5H", "5C", "5D", "JS")
LOOK_AHEAD = ("--strategy", "look-ahead")


# --- Counting -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fact", rows("hands"), ids=lambda fact: f"{fact['hand']} {fact['starter']}"
)
def test_hands_are_counted_as_the_facts_say(fact: dict[str, str]) -> None:
    crib = ["--crib"] if fact["is_crib"] == "1" else []
    told = ask("count", *fact["hand"].split(), "--starter", fact["starter"], *crib)
    assert told.exit_code == 0
    assert f": {fact['score']} in all" in told.output


def test_a_wrong_claim_is_found() -> None:
    right = ask("count", "5H", "5C", "10s", "jd", "--starter", "6S", "--claim", "10")
    wrong = ask("count", "5H", "5C", "TS", "JD", "--starter", "6S", "--claim", "8")
    assert "is right" in right.output
    assert "is wrong: it is 10" in wrong.output
    assert "missed" in wrong.output


# --- Throws ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("throw", "hand", "least", "most", "crib"),
    [
        ("7C 9H", 16.652174, 14, 29, 4.255775),
        ("9H JS", 11.826087, None, None, 4.176987),
        ("5C 5H", 4.869565, None, None, 8.754062),
        ("5D JS", 5.521739, None, None, 6.949319),
    ],
)
def test_the_published_throws_come_out_exactly(
    throw: str, hand: float, least: int | None, most: int | None, crib: float
) -> None:
    words = [*PUBLISHED, "--dealer", "opponent", *LOOK_AHEAD]
    by_throw = {each["throw"]: each for each in answer("discard", *words)["throws"]}
    assert len(by_throw) == 15
    found = by_throw[throw]
    assert found["hand"] == pytest.approx(hand, abs=5e-7)
    assert found["crib_neutral"] == pytest.approx(crib, abs=5e-7)
    if least is not None:
        assert (found["least"], found["most"]) == (least, most)


def test_without_a_table_throws_are_weighed_by_points(tmp_path: Path) -> None:
    words = [*PUBLISHED, "--dealer", "player", "--score", "90-95", *LOOK_AHEAD]
    told = ask("discard", *words, "--table", str(tmp_path / "none.parquet"))
    assert told.exit_code == 0
    assert "unavailable: missing" in told.output


def test_win_odds_of_throws_are_odds(table: str) -> None:
    words = [*PUBLISHED, "--dealer", "player", "--score", "90-95", "--draws", "2000"]
    found = answer("discard", *words, "--strategy", "look-ahead", "--table", table)
    wins = [each["win"] for each in found["throws"]]
    assert wins == sorted(wins, reverse=True)
    assert all(0 < win < 1 for win in wins)
    again = answer("discard", *words, "--strategy", "look-ahead", "--table", table)
    assert found == again


# --- Moments --------------------------------------------------------------------------------------


@pytest.mark.parametrize("fact", rows("endgames"), ids=lambda fact: fact["best_card"])
def test_endgames_come_out_exactly(fact: dict[str, str], table: str) -> None:
    laid = [word.split(":") for word in fact["plays_so_far"].split()]
    seats = [word for word in laid if len(word) == 2]
    own = [card for seat, card in seats if seat == "D"]
    keep = [*own, *fact["dealer_cards_left"].split()]
    found = answer(
        "position",
        "--score", f"{fact['dealer_score_now']}-{fact['pone_score_now']}",
        "--dealer", "player",
        "--keep", " ".join(keep),
        "--throw", fact["dealer_toss"],
        "--starter", fact["starter"],
        "--play", " ".join(card for _, card in seats),
        "--prior", "uniform",
        "--replies", "going out",
        "--strategy", "look-ahead",
        "--table", table,
    )  # fmt: skip
    assert found["exact"]
    unseen = int(fact["unseen_cards"])
    out = {each["cards"][0]: each["opponent_out"] for each in found["options"]}
    best = out.pop(fact["best_card"])
    assert best == pytest.approx(int(fact["pone_out_first_if_best"]) / unseen, abs=1e-12)
    (other,) = out.values()
    assert other == pytest.approx(int(fact["pone_out_first_if_other"]) / unseen, abs=1e-12)


def test_a_card_that_wins_at_once_wins_surely(table: str) -> None:
    words = ["--score", "120-120", "--dealer", "opponent", "--keep", "5C 9H KD 2S"]
    words += ["--throw", "AC 3D", "--starter", "8H", "--play", "9H 6C"]
    # Nothing of 5, K or 2 makes 15 on 9 and 6; a go is a point, and the game.
    found = answer("position", *words, "--strategy", "look-ahead", "--table", table)
    assert 0 < found["win"] <= 1
    words[words.index("9H 6C")] = "9H 8C KD 9S"
    refused = ask("position", *words, "--strategy", "look-ahead", "--table", table)
    assert refused.exit_code == 2


# --- Records --------------------------------------------------------------------------------------


def test_a_record_is_reviewed_and_a_false_count_is_found(table: str, tmp_path: Path) -> None:
    written = ask("deal", "--config", "look-ahead", "--number", "5", "--json").output
    path = tmp_path / "deal.json"
    path.write_text(written)
    told = ask("review", str(path), "--table", table, "--strategy", "look-ahead", "--draws", "500")
    assert told.exit_code == 0, told.output
    false = written.replace('"count": 10', '"count": 11')
    assert false != written
    path.write_text(false)
    told = ask("review", str(path), "--table", table, "--strategy", "look-ahead")
    assert told.exit_code == 2
    assert "line" in told.output


def test_the_picture_of_a_game_names_the_players_costly_decisions(
    table: str, tmp_path: Path
) -> None:
    """Each has its number on the curve, where the curve stands after it, and a line below."""
    record = Path(__file__).parents[1] / "notebooks" / "a-game.json"
    picture = tmp_path / "game.svg"
    words = [str(record), "--table", table, "--strategy", "look-ahead", "--draws", "200"]
    found = answer("review", *words, "--worst", "0", "--figure", str(picture))
    costly = [
        each
        for each in found["decisions"]
        if each["player"] == "player" and each["loss"] > 0.02 and not each["close"]
    ]
    named = sorted(sorted(costly, key=lambda each: -each["loss"])[:6], key=costly.index)
    assert named
    drawn = re.findall("<!-- (.*?) -->", picture.read_text())
    lines = [line for line in drawn if "wins of 100 lost" in line]
    assert lines == [
        f"{number}   deal {each['deal']}: {each['kind']} {each['chosen']}, "
        f"better {each['best']}: {100 * each['loss']:.1f} wins of 100 lost"
        for number, each in enumerate(named, 1)
    ]
    assert set(drawn) >= {str(number) for number in range(1, len(named) + 1)}


def test_names_are_printed_as_they_are_written(table: str, tmp_path: Path) -> None:
    entry = json.loads(ask("deal", "--config", "look-ahead", "--number", "5", "--json").output)
    names = ["[bold]Al[/x]", "$B_o$"]
    record = tmp_path / "game.json"
    record.write_text(json.dumps(entry | {"players": names}))
    words = [str(record), "--table", table, *LOOK_AHEAD, "--draws", "200"]
    told = ask("review", *words, "--figure", str(tmp_path / "game.svg"))
    assert told.exit_code == 0, told.output
    assert all(name in told.output for name in names)
    assert names[0] in re.sub(r"\s+", " ", (tmp_path / "game.svg").read_text())


@pytest.mark.parametrize("figure", ["game.txt", "nowhere/game.svg"])
def test_a_picture_that_cannot_be_is_refused_before_the_review(
    table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, figure: str
) -> None:
    monkeypatch.setattr("cribodds.analysis.commands.review.review", None)
    record = Path(__file__).parents[1] / "notebooks" / "a-game.json"
    told = ask("review", str(record), "--table", table, "--figure", str(tmp_path / figure))
    assert told.exit_code == 2
    assert "Traceback" not in told.output


@pytest.mark.parametrize(
    "words", ["chart", "discard 7C 9H 5H 5C 5D JS --dealer player", "chart --json"]
)
def test_a_strategy_of_a_table_that_is_not_there_is_not_guessed(words: str) -> None:
    told = ask(*words.split(), "--table", "look-ahed")
    assert told.exit_code == 3
    assert "missing" in told.output


def test_all_cards_are_of_no_strategy() -> None:
    told = ask("chart", "--all-cards", "--table", "reference")
    assert told.exit_code == 2
    assert "--all-cards is of no strategy" in told.output


@pytest.mark.parametrize("player", ["-1", "122", "99999999999999999999"])
def test_a_curve_of_a_score_that_cannot_be_is_refused(table: str, player: str) -> None:
    told = ask("curve", "--dealer", "player", "--player", player, "--table", table)
    assert told.exit_code == 2
    assert f"expected 0 to 121, got {player}" in told.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("count 5H 5H TS JD --starter 6S", "5H"),
        ("count 5H 5C TS --starter 6S", "4"),
        ("count 5H 1C TS JD --starter 6S", "1C"),
        ("discard 5H 6C 7D 8S JH --dealer player", "6"),
        ("discard 5H 6C 7D 8S JH KD --dealer player --score 90", "90"),
    ],
)
def test_bad_cards_are_refused_by_name(words: str, said: str) -> None:
    told = ask(*words.split())
    assert told.exit_code == 2
    assert said in told.output


def test_stakes_and_curve_answer_from_the_table(table: str) -> None:
    acc = answer("stakes", "90", "75", "--dealer", "player", "--table", table)
    assert acc
    told = ask("curve", "--dealer", "player", "--opponent", "90", "--table", table)
    assert told.exit_code == 0, told.output
