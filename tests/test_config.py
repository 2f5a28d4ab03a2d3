"""Configs: what is there, and one clear line for everything that is wrong with one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from cribodds.sim import played
from cribodds.tables.config import BATCHES, Config, load_config
from cribodds.tables.names import CONFIGS, ConfigError, config_digest, config_path, table_path

GOOD = (CONFIGS / "smoke.toml").read_text()
PAIRED = ("billion", "greedy", "look-ahead")

Written = Callable[[str], Path]


@pytest.fixture
def written(tmp_path: Path) -> Written:
    def write(text: str) -> Path:
        path = tmp_path / "mine.toml"
        path.write_text(text)
        return path

    return write


def lines_for(path: Path | str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    return str(caught.value).splitlines()


def replaced(old: str, new: str) -> str:
    """Return the good text with one key's line changed (an empty `new`: gone)."""
    lines = [new if line.split(" =")[0] == old else line for line in GOOD.splitlines()]
    assert new in lines
    return "\n".join(lines)


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.toml")), ids=lambda path: path.stem)
def test_every_config_of_the_project_is_good(path: Path) -> None:
    config = load_config(path)
    assert config.name == path.stem
    assert config.text == path.read_text()
    assert load_config(path.stem) == config


def test_the_reference_plays_the_full_game_and_smoke_is_the_same_in_small() -> None:
    reference, smoke = load_config("reference"), load_config("smoke")
    game = reference.game
    assert (game.target, game.skunk, game.double_skunk) == (121, 90, 60)
    assert (reference.deals, smoke.deals) == (100_000_000, 1_000_000)
    assert smoke.game == game
    assert smoke.strategy == reference.strategy


def test_the_short_game_has_its_own_lines() -> None:
    game = load_config("short-game").game
    assert (game.target, game.skunk, game.double_skunk) == (61, 30, None)


@pytest.mark.parametrize("name", PAIRED)
def test_configs_to_compare_share_their_deals_with_the_reference(name: str) -> None:
    config, reference = load_config(name), load_config("reference")
    assert (config.seed, config.chunk, config.game) == (
        reference.seed,
        reference.chunk,
        reference.game,
    )


BAD = [
    ("seed", "seed = -1", "expected a whole number from 0 to 9,223,372,036,854,775,807, got -1"),
    ("seed", f"seed = {2**63}", f"9,223,372,036,854,775,807, got {2**63}"),
    ("seed", 'seed = "5"', 'expected a whole number from 0 to 9,223,372,036,854,775,807, got "5"'),
    ("seed", "seed = 5.0", "got 5.0"),
    ("seed", "seed = true", "got true"),
    ("seed", "seed = [5]", "got [5]"),
    ("seed", "", "missing; every key must be written"),
    ("deals", "deals = 0", "got 0"),
    ("deals", "deals = 1e6", "got 1000000.0"),
    ("deals", "deals = 1_000_001", "got 1,000,001 (nearest: 1,000,000 or 2,000,000)"),
    ("deals", "deals = 64", "a multiple of 64 chunks of 15,625 deals, got 64 (nearest: 1,000,000)"),
    ("chunk", "chunk = 0", "expected a whole number from 1 to 100,000,000, got 0"),
    ("chunk", "chunk = inf", "got Infinity"),
    ("target", "target = 30", "expected a whole number from 31 to 255, got 30"),
    ("target", "target = 256", "got 256"),
    ("target", "target = false", "got false"),
    ("skunk", "skunk = 121", "must be under the target (121), got 121"),
    ("skunk", "skunk = -1", 'expected a score from 0 to 254, or "none", got -1'),
    ("skunk", "skunk = 90.0", 'expected a score from 0 to 254, or "none", got 90.0'),
    ("skunk", 'skunk = "None"', 'or "none", got "None"'),
    ("double_skunk", "double_skunk = 90", "must be under the skunk line (90), got 90"),
    ("double_skunk", "double_skunk = true", "got true"),
    ("double_skunk", "", "missing; every key must be written"),
    ("discard_rounds", "discard_rounds = 11", "expected a whole number from 1 to 10, got 11"),
    ("discard_rounds", "discard_rounds = 0", "got 0"),
    ("card_play", 'card_play = "bold"', '"look-ahead" or "equilibrium", got "bold"'),
    ("card_play", "card_play = 1", "got 1"),
    ("card_play", "card_play = [1]", "got [1]"),
    ("card_play", "card_play = 2026-11-30", "got 2026-11-30"),
]
SECTIONS = {
    "target": "game.",
    "skunk": "game.",
    "double_skunk": "game.",
    "discard_rounds": "strategy.",
    "card_play": "strategy.",
}


@pytest.mark.parametrize(("key", "line", "said"), BAD, ids=[line or key for key, line, _ in BAD])
def test_a_bad_value_gets_one_line_with_its_key(
    written: Written, key: str, line: str, said: str
) -> None:
    path = written(replaced(key, line))
    (told,) = lines_for(path)
    assert told.startswith(f"{path}: {SECTIONS.get(key, '')}{key}: ")
    assert told.endswith(said)


def test_a_double_skunk_needs_a_skunk_line(written: Written) -> None:
    (told,) = lines_for(written(replaced("skunk", 'skunk = "none"')))
    assert "game.double_skunk: a double skunk needs a skunk line" in told


def test_no_skunk_lines_at_all_is_a_game(written: Written) -> None:
    text = replaced("skunk", 'skunk = "none"').replace("double_skunk = 60", 'double_skunk = "none"')
    game = load_config(written(text)).game
    assert (game.skunk, game.double_skunk) == (None, None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (replaced("deals", "deels = 1_000_000"), "deels: unknown key; did you mean deals?"),
        ("author = 'x'\n" + GOOD, "author: unknown key; the keys here: chunk, deals, game, seed"),
        (GOOD + "\n[strategy.more]\n", "strategy.more: unknown key"),
        (GOOD.replace("[strategy]", "[game.rules]"), "game.rules: unknown key"),
        ('"a\\nb" = 1\n' + GOOD, '"a\\nb": unknown key'),
        ("game = 3\n" + GOOD.replace("[game]", "[gone]"), "game: expected a table [game], got 3"),
    ],
)
def test_unknown_keys_and_sections_are_named(written: Written, text: str, said: str) -> None:
    told = lines_for(written(text))
    assert any(said in line for line in told), told


def test_every_fault_has_its_line(written: Written) -> None:
    text = replaced("seed", "sead = 5").replace("target = 121", "target = 7")
    told = lines_for(written(text.replace("discard_rounds = 3", "discard_rounds = 4.5")))
    keys = sorted(line.split(": ")[1] for line in told)
    assert keys == ["game.target", "sead", "seed", "strategy.discard_rounds"]


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"seed = [", "not TOML"),
        (b"seed = 1\nseed = 2\n", "not TOML"),
        (b"\xff\xfe", "not UTF-8"),
        (b"x = " + b"[" * 100_000, "not TOML"),
        (b"seed = " + b"9" * 10_000, "not TOML"),
        (b"seed = 0x" + b"f" * 10_000, "not TOML"),
        (b"#" * (1 << 20) + b"#", "larger than"),
    ],
    ids=["torn", "twice", "utf-16", "deep", "long", "long hex", "large"],
)
def test_what_is_not_toml_gets_one_line(tmp_path: Path, raw: bytes, said: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(raw)
    (told,) = lines_for(path)
    assert told.startswith(f"{path}: ")
    assert said in told


def test_a_missing_config_lists_those_that_exist(tmp_path: Path) -> None:
    for missing in ("no-such-config", str(tmp_path / "none.toml")):
        (told,) = lines_for(missing)
        assert "no such config" in told
        assert "reference, short-game, smoke" in told


def test_a_folder_and_a_bad_name_are_refused(tmp_path: Path) -> None:
    assert "directory" in lines_for(tmp_path)[0].lower()
    path = tmp_path / "my table.toml"
    path.write_text(GOOD)
    assert "letters, digits" in lines_for(path)[0]


def test_bare_names_are_ours_and_everything_else_is_a_path() -> None:
    assert config_path("smoke") == CONFIGS / "smoke.toml"
    assert table_path("smoke").parts[-3:] == ("tables", "data", "smoke.parquet")
    for path in ("smoke.toml", "./smoke", "a/smoke"):
        assert config_path(path) == Path(path)
        assert table_path(path) == Path(path)
    assert config_path(Path("smoke")) == Path("smoke")


def test_the_digest_is_of_what_the_toml_says_not_of_its_text(written: Written) -> None:
    config = load_config(written(GOOD))
    assert load_config(written("# a remark\n" + GOOD.replace("1_000_000", "1000000"))).digest == (
        config.digest
    )
    for old, new in [
        ("seed = 2", "seed = 1"),
        ("skunk = 90", "skunk = 91"),
        ("rounds = 3", "rounds = 5"),
    ]:
        assert load_config(written(GOOD.replace(old, new))).digest != config.digest


def test_the_digest_is_sha256_of_sorted_json() -> None:
    # printf '{"a":{"b":"none"},"z":1}' | sha256sum
    assert config_digest({"z": 1, "a": {"b": "none"}}) == (
        "0ee5d2b8cfa6c00d0d5affc92efd93b8e74ad4f67be117b36572907ff5340225"
    )


def test_the_farm_counts_the_same_batches() -> None:
    assert played.BATCHES == BATCHES


def test_a_config_is_frozen() -> None:
    config: Config = load_config("smoke")
    with pytest.raises(ValueError, match="frozen"):
        config.deals = 64
