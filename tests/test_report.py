"""The report, as a file and in a real browser: it answers what `cribodds odds` answers."""

import base64
import json
import os
import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from cribodds.analysis.cli import cribodds
from cribodds.analysis.report import COLUMNS, bibtex, citation, page_values, report
from cribodds.tables.lookup import WinTable
from cribodds.tables.store import read_table, write_table
from cribodds.tables.table import OUTCOMES, TableData
from tables_for_tests import toy_table

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
DRIVER = shutil.which("chromedriver")
DESK, PHONE = (1280, 900), (360, 740)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "toy.parquet"
    write_table(path, toy_table(121, 90, 60))
    return path


@pytest.fixture(scope="module")
def table(place: Path) -> WinTable:
    return WinTable(read_table(place), place)


@pytest.fixture(scope="module")
def page(place: Path) -> Path:
    out = place.with_name("report.html")
    result = command("report", place, "--out", out)
    assert result.exit_code == 0, result.output
    return out


def command(*words: object) -> Result:
    return CliRunner().invoke(cribodds, [str(word) for word in words])


# --- the file


def test_equal_tables_make_equal_pages(table: WinTable, page: Path) -> None:
    assert page.read_text(encoding="utf-8") == report(table)


def test_the_page_is_one_file(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    sources = re.findall(r'(?:src|srcset|href)="([^"]*)"', text)
    assert len(sources) > 8
    assert all(source.startswith(("data:", "#")) for source in sources)
    assert "default-src 'none'" in text
    assert not re.search(r"@import|url\((?!data:)|\bfetch\(|XMLHttpRequest", text)


def test_every_picture_says_in_words_what_it_shows(page: Path) -> None:
    told = re.findall(r'<img [^>]*alt="([^"]*)"', page.read_text(encoding="utf-8"))
    assert len(told) == 4
    assert all(len(words) > 40 for words in told)
    assert "Crests: " in told[1]


def test_the_page_holds_the_table(table: WinTable, page: Path) -> None:
    found = re.search(r'id="values">([^<]*)<', page.read_text(encoding="utf-8"))
    assert found
    raw = base64.b64decode(found[1], validate=True)
    assert raw == page_values(table)
    values = np.frombuffer(raw, "<f8").reshape(len(COLUMNS), 121, 121)
    odds = table.odds(player=80, opponent=17, dealer="player")._asdict()
    assert {name: values[i, 80, 17] for i, name in enumerate(COLUMNS)} == {
        name: odds[name] for name in COLUMNS
    }


def test_the_citation_tells_the_table(table: WinTable, page: Path) -> None:
    made = table.provenance
    text = page.read_text(encoding="utf-8")
    for entry in (citation(table), bibtex(table)):
        for part in (made["config"]["name"], f"{made['deals']:,}", made["values_sha256"]):
            assert part in entry
    assert made["values_sha256"] in text
    assert made["config"]["digest"] in text


def test_what_a_table_says_of_itself_is_text_and_no_markup(tmp_path: Path) -> None:
    nasty = "</script><script>alert(1)</script>{{style}}<b>&"
    data = toy_table(31, 20, 10)
    made = dict(data.provenance) | {
        "config": {"name": nasty, "text": nasty, "digest": nasty},
        "strategy": {"name": nasty, "version": 1, "digest": nasty},
    }
    data = write_table(tmp_path / "nasty.parquet", TableData(data.values, made))
    text = report(WinTable(data, tmp_path / "nasty.parquet"))
    assert "<script>alert" not in text
    assert "<b>&" not in text
    assert "{{style}}" in text  # as it was written, not filled in
    assert text.count("</script>") == 3


def test_without_a_table_the_page_says_so(tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    result = command("report", tmp_path / "none.parquet", "--out", out)
    assert result.exit_code == 3
    assert "unavailable: missing: " in result.output
    text = out.read_text(encoding="utf-8")
    assert "Unavailable" in text
    assert f"no table at {tmp_path / 'none.parquet'}" in text
    assert "make build-table" in text
    assert "<script" not in text


def test_a_page_that_cannot_be_written(place: Path, tmp_path: Path) -> None:
    result = command("report", place, "--out", tmp_path / "nowhere" / "x.html")
    assert result.exit_code == 2
    assert "there is no folder" in result.output


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def test_words_stand_out_in_light_and_dark(page: Path) -> None:
    """Contrast of text at least 4.5, WCAG 2 AA."""
    schemes = re.findall(r":root \{(.*?)\}", page.read_text(encoding="utf-8"), re.DOTALL)
    assert len(schemes) == 2
    for scheme in schemes:
        colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", scheme))
        for ink in ("ink", "soft", "alarm", "accent"):
            for ground in ("page", "card"):
                high, low = sorted((luminance(colours[ink]), luminance(colours[ground])))[::-1]
                assert (high + 0.05) / (low + 0.05) >= 4.5, (ink, ground)


# --- in a browser


@pytest.fixture(scope="module")
def browser() -> Iterator[webdriver.Chrome]:
    if CHROMIUM is None or DRIVER is None:
        missing = " and ".join(
            name for name, path in (("chromium", CHROMIUM), ("chromedriver", DRIVER)) if not path
        )
        pytest.skip(f"{missing} not installed (Debian: apt-get install chromium chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for switch in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(switch)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # Chromium has none for root
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture
def shown(browser: webdriver.Chrome, page: Path) -> webdriver.Chrome:
    """The page, loaded anew at a desk's width, without a word on the console."""
    return load(browser, page, DESK)


def load(browser: webdriver.Chrome, page: Path, size: tuple[int, int]) -> webdriver.Chrome:
    width, height = size
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600},
    )
    browser.get("about:blank")
    console_of(browser)
    browser.get(page.as_uri())
    assert not console_of(browser)
    return browser


def console_of(browser: webdriver.Chrome) -> list[Any]:
    """Return what was said on the console since it was last asked."""
    said: list[Any] = browser.get_log("browser")  # type: ignore[no-untyped-call]
    return said


def text_of(browser: webdriver.Chrome, name: str) -> str:
    return str(browser.find_element(By.ID, name).get_property("textContent"))


def ask(browser: webdriver.Chrome, player: object, opponent: object, dealer: str) -> None:
    """Fill the form as a reader does."""
    for name, score in (("player", player), ("opponent", opponent)):
        field = browser.find_element(By.ID, name)
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(str(score))
    browser.find_element(By.CSS_SELECTOR, f'input[value="{dealer}"]').click()


def positions() -> list[tuple[int, int, str]]:
    """Random positions and all kinds of finished games."""
    draw = random.Random(20261130)
    dealers = ("player", "opponent", "cut")
    some = [(draw.randrange(121), draw.randrange(121), draw.choice(dealers)) for _ in range(15)]
    ended = [(121, score, draw.choice(dealers)) for score in (0, 60, 61, 90, 91, 120)]
    return some + ended + [(other, own, dealer) for own, other, dealer in ended]


def test_the_explorer_answers_what_the_command_answers(
    shown: webdriver.Chrome, place: Path
) -> None:
    for player, opponent, dealer in positions():
        ask(shown, player, opponent, dealer)
        position = (player, opponent, "--dealer", dealer, "--table", place)
        told = command("odds", *position).output
        odds = json.loads(command("odds", *position, "--json").output)
        assert f"the player wins   {text_of(shown, 'win')} +- {text_of(shown, 'win_se')}\n" in told
        for who, end in (("wins", "win"), ("loses", "loss")):
            kinds = [f"{kind.replace('_', ' ')} {text_of(shown, f'{end}_{kind}')}"
                     for kind in ("plain", "skunk", "double_skunk")]  # fmt: skip
            assert f"  {who:<5} {'   '.join(kinds)}\n" in told
        assert f"deals left        {text_of(shown, 'deals_left')}\n" in told
        for end, name in (("win", "points_player"), ("loss", "points_opponent")):
            expected = 2 * odds[f"{end}_plain"] + 3 * odds[f"{end}_skunk"]
            expected += 3 * odds[f"{end}_double_skunk"]
            assert float(text_of(shown, name)) == pytest.approx(expected, abs=6e-5)
    assert not console_of(shown)


@pytest.mark.parametrize(
    ("player", "opponent", "said"),
    [
        ("122", "0", "player's score: expected a whole number from 0 to 121"),
        ("5", "-1", "opponent's score: expected a whole number from 0 to 121"),
        ("60.5", "0", "player's score: expected"),
        ("", "0", "player's score: expected"),
        ("121", "121", "both scores are 121: only one player can have won"),
    ],
)
def test_a_bad_question_is_told_and_not_answered(
    shown: webdriver.Chrome, player: str, opponent: str, said: str
) -> None:
    ask(shown, 10, 10, "player")
    for name, score in (("player", player), ("opponent", opponent)):
        field = shown.find_element(By.ID, name)
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(score or Keys.BACKSPACE)
    complaint = shown.find_element(By.ID, "complaint")
    assert complaint.is_displayed()
    assert complaint.text.startswith(said)
    assert not shown.find_element(By.ID, "answer").is_displayed()
    ask(shown, 10, 10, "player")
    assert not complaint.is_displayed()
    assert shown.find_element(By.ID, "answer").is_displayed()


def test_pointing_at_the_map_tells_the_cell(shown: webdriver.Chrome, table: WinTable) -> None:
    ask(shown, 0, 0, "opponent")
    canvas = shown.find_element(By.ID, "map")
    shown.execute_script("arguments[0].scrollIntoView({block: 'center'})", canvas)
    side = canvas.size["width"]
    for player, opponent in ((40, 100), (120, 0), (0, 120), (77, 3)):
        right = round((player + 0.5) * side / 121 - side / 2)
        down = round(side / 2 - (opponent + 0.5) * side / 121)
        ActionChains(shown).move_to_element_with_offset(canvas, right, down).perform()
        odds = table.odds(player=player, opponent=opponent, dealer="opponent")
        told = text_of(shown, "cell")
        assert told.startswith(f"player {player}, opponent {opponent}, the opponent deals: wins ")
        assert f"wins {odds.win:.6f} ± {odds.win_se:.6f}" in told
    ActionChains(shown).click().perform()
    assert shown.find_element(By.ID, "player").get_property("value") == "77"
    assert text_of(shown, "asked").startswith("77-3, the opponent deals")


def test_the_colours_of_the_map_are_the_odds(shown: webdriver.Chrome, table: WinTable) -> None:
    """The lightness of the middle of a cell rises with its odds, whatever is shown."""
    ask(shown, 0, 0, "player")
    cells = [(100, 10), (10, 100), (61, 60), (75, 70), (50, 55)]
    odds = [table.odds(player=a, opponent=b, dealer="player") for a, b in cells]
    shows = {
        "win": [each.win for each in odds],
        "skunked": [each.loss_skunk + each.loss_double_skunk for each in odds],
    }
    for name, values in shows.items():
        shown.find_element(By.CSS_SELECTOR, f'option[value="{name}"]').click()
        light = [pixel(shown, *cell) for cell in cells]
        assert np.argsort(light).tolist() == np.argsort(values, kind="stable").tolist()


def pixel(browser: webdriver.Chrome, player: int, opponent: int) -> float:
    """Return the lightness of the middle of a cell as it is drawn."""
    read = """
        const map = document.getElementById("map"), step = map.width / 121;
        const [x, y] = [(arguments[0] + 0.5) * step, map.height - (arguments[1] + 0.5) * step];
        return Array.from(map.getContext("2d").getImageData(x, y, 1, 1).data);
    """
    red, green, blue, _ = browser.execute_script(read, player, opponent)
    return luminance(f"#{red:02x}{green:02x}{blue:02x}")


def test_all_of_it_works_by_keyboard(shown: webdriver.Chrome, table: WinTable) -> None:
    """From the top of the page, with Tab, digits, arrows and Enter alone."""

    def press(*keys: str) -> None:
        ActionChains(shown).send_keys(*keys).perform()

    def focused() -> str:
        return str(shown.switch_to.active_element.get_property("id"))

    shown.find_element(By.TAG_NAME, "body").send_keys("")
    press(Keys.TAB)
    assert shown.switch_to.active_element.text == "Skip to the odds"
    press(Keys.TAB)
    assert focused() == "player"
    press("9", "9")  # Tab selected what was there
    press(Keys.TAB, "7", "0", Keys.TAB, Keys.ARROW_RIGHT)
    win = table.win(player=99, opponent=70, dealer="opponent")
    assert text_of(shown, "win") == f"{win:.6f}"
    press(Keys.TAB)
    assert focused() == "shown"
    press(Keys.TAB)
    assert focused() == "map"
    press(*[Keys.ARROW_RIGHT] * 3, Keys.ARROW_UP, Keys.ARROW_LEFT, Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    assert text_of(shown, "cell").startswith("player 2, opponent 0, the opponent deals")
    ActionChains(shown).key_down(Keys.SHIFT).send_keys(Keys.ARROW_UP).key_up(Keys.SHIFT).perform()
    press(Keys.ENTER)
    assert text_of(shown, "asked").startswith("2-10, the opponent deals")
    press(Keys.TAB)
    assert shown.switch_to.active_element.tag_name == "summary"
    ring = "return getComputedStyle(document.activeElement).outlineStyle"
    assert shown.execute_script(ring) == "solid"


def test_every_control_has_a_name(shown: webdriver.Chrome) -> None:
    named = [
        element.accessible_name
        for element in shown.find_elements(By.CSS_SELECTOR, "input, select, canvas, section, img")
    ]
    assert len(named) > 12
    assert all(named)


@pytest.mark.parametrize("size", [DESK, PHONE, (320, 600)])
def test_the_page_fits_its_width(
    browser: webdriver.Chrome, page: Path, size: tuple[int, int]
) -> None:
    load(browser, page, size)
    wide = "return document.documentElement.scrollWidth"
    assert browser.execute_script(wide) <= size[0]
    outside: list[Any] = browser.execute_script(
        """
        const words = document.querySelectorAll("td, th, dd, p, label, button, select, input");
        return Array.from(words).filter((word) => word.scrollWidth > word.clientWidth + 1
            && word.clientWidth > 0 && getComputedStyle(word).display !== "inline")
            .map((word) => word.outerHTML.slice(0, 80));
        """
    )
    assert not outside
    for control in browser.find_elements(By.CSS_SELECTOR, "label, input[type=number], select"):
        assert control.size["height"] >= 24


def test_phones_get_pictures_drawn_for_them(browser: webdriver.Chrome, page: Path) -> None:
    read = "return Array.from(document.images, (i) => [i.currentSrc.length, i.naturalWidth > 0])"
    desk, phone = (load(browser, page, size).execute_script(read) for size in (DESK, PHONE))
    assert len(desk) == len(phone) == 4
    assert all(seen for _, seen in desk + phone)
    assert all(wide != narrow for (wide, _), (narrow, _) in zip(desk, phone, strict=True))


def test_nothing_is_fetched(shown: webdriver.Chrome) -> None:
    read = "return performance.getEntriesByType('resource').map((entry) => entry.name)"
    fetched = shown.execute_script(read)
    assert all(name.startswith("data:") for name in fetched)


def test_a_short_game_in_the_browser(browser: webdriver.Chrome, tmp_path: Path) -> None:
    short = tmp_path / "short.parquet"
    write_table(short, toy_table(61, 30, None))
    assert command("report", short, "--out", tmp_path / "short.html").exit_code == 0
    load(browser, tmp_path / "short.html", DESK)
    ask(browser, 61, 30, "player")
    assert text_of(browser, "win_skunk") == "1.000000"
    ask(browser, 61, 31, "player")
    assert text_of(browser, "win_plain") == "1.000000"
    assert {text_of(browser, name) for name in OUTCOMES[1:]} == {"0.000000"}


def test_the_page_without_a_table_in_the_browser(browser: webdriver.Chrome, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    command("report", tmp_path / "none.parquet", "--out", out)
    load(browser, out, PHONE)
    alert = browser.find_element(By.CSS_SELECTOR, '[role="alert"]')
    assert "missing: no table at" in alert.text
    assert not browser.find_elements(By.TAG_NAME, "form")
    wide = "return document.documentElement.scrollWidth"
    assert browser.execute_script(wide) <= PHONE[0]
