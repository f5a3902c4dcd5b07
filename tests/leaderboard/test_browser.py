"""The page in a real browser: nothing from outside, nothing broken, tables that sort and filter."""

import re
import shutil
from datetime import date
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest

from agbench.evaluation import paired
from agbench.leaderboard import beacon, rounds, scoring
from agbench.leaderboard.page import entries
from agbench.leaderboard.page.opened import opened
from agbench.leaderboard.page.rendering import Pages

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")

PHONE = {"width": 390, "height": 844}
COLLECT = """() => ({
  links: [...document.querySelectorAll('a[href], link[href], script[src], img[src]')]
    .map((e) => e.getAttribute('href') ? new URL(e.getAttribute('href'), document.baseURI).href : e.src),
  ids: [...document.querySelectorAll('[id]')].map((e) => e.id),
  title: document.title,
  width: document.documentElement.scrollWidth,
  strange: document.querySelectorAll('main script, main img, iframe, [onerror], [style]:not(.plot *)').length,
})"""
SHOWN = """(column) => [...document.querySelectorAll('table.filtered')[0].tBodies].map((body) =>
  [...body.rows].filter((r) => !r.classList.contains('part') && r.getClientRects().length)
    .map((r) => r.cells[column].dataset.v ?? r.cells[column].textContent.trim()))"""

WRITTEN = """() => {
  window.written = [];
  const real = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...more) {
    window.written.push(String(text));
    return real.call(this, text, ...more);
  };
}"""
PLACED = """(data) => {
  scatter(document.querySelector("main").appendChild(document.createElement("div")), data);
}"""


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield context.new_page()
    context.close()


@pytest.fixture
def task_page(shown):
    return (shown.built.site / "tasks/board-wheat-v1.html").as_uri()


def columns(page):
    """Return the parts of the first table: a list of the values of a column for each."""
    return lambda column: page.evaluate(SHOWN, column)


def chosen(page, name):
    """Return a field of the filters."""
    return page.locator("form.filters").get_by_label(name)


def open_round(task, number, closes, scenarios):
    """Return an open round of a beacon."""
    return rounds.LeaderboardRound(
        task=f"{task}-v1",
        round=number,
        opened="2026-11-24",
        closes=closes,
        scenarios=scenarios,
        versions=12,
        task_hash="0" * 64,
        pulse=beacon.first_after(closes),
    )


def test_the_first_screen_of_a_phone_says_the_open_rounds_and_how_to_submit(
    browser, shown, tmp_path, monkeypatch
):
    """Rounds of many tasks that differ in number and size, but close alike, take no more room than one."""
    shutil.copytree(shown.built.site, tmp_path / "site")
    many = [open_round(f"field-{i}", 2 + i % 2, "2026-12-24", 50) for i in range(48)]
    many += [open_round(f"greenhouse-{i}", 2, "2026-12-24", 20) for i in range(3)]
    monkeypatch.setattr(rounds, "load", lambda board: [*many, open_round("late", 2, "2026-12-25", 20)])
    Pages(tmp_path / "site", []).index([], [], opened(tmp_path))
    context = browser.new_context(viewport=PHONE)
    page = context.new_page()
    page.goto((tmp_path / "site" / "index.html").as_uri())
    told = page.locator("section", has=page.locator("#rounds")).inner_text()
    assert "Until 2026-12-24 or later: 51 tasks, 50 hidden scenarios each (in 3 of them 20)" in told
    assert "Until 2026-12-25 or later: 1 task, 20 hidden scenarios each, at most 12 versions" in told
    commands = page.locator("pre.commands")
    box = commands.bounding_box()
    assert box["y"] + box["height"] <= PHONE["height"]
    assert commands.evaluate("(pre) => pre.scrollWidth <= pre.clientWidth")
    assert commands.inner_text().count("\n") >= 2, "three lines, as they are copied"
    context.close()


def test_every_page_is_whole_on_a_phone_and_every_link_resolves(browser, shown):
    site = shown.built.site
    context = browser.new_context(viewport=PHONE, color_scheme="dark")
    page = context.new_page()
    text, requests = [], []
    page.on("console", lambda message: text.append((page.url, message.text)))
    page.on("pageerror", lambda error: text.append((page.url, str(error))))
    page.on("dialog", lambda dialog: text.append((page.url, dialog.message)))
    page.on("request", lambda request: requests.append(request.url))
    result, waiting = {}, [(site / "index.html").as_uri()]
    while waiting:
        address = waiting.pop()
        if address in result:
            continue
        page.goto(address)
        result[address] = page.evaluate(COLLECT)
        inner = [urldefrag(link)[0] for link in result[address]["links"] if link.startswith("file:")]
        waiting += [link for link in inner if link.endswith(".html")]
    context.close()
    assert text == []
    assert all(url.startswith(site.as_uri()) for url in requests)
    assert len(result) == 6 + 10  # two suites, three pages of a task
    for address, content in result.items():
        assert content["width"] <= PHONE["width"], address
        assert content["strange"] == 0, address
        assert "owned" not in content["title"]
        for link in content["links"]:
            whole, fragment = urldefrag(link)
            if not link.startswith("file:"):
                assert link.startswith("https://example.org/")
                continue
            assert Path(unquote(urlsplit(whole).path)).is_file(), link
            state = fragment.startswith("?")  # what a page is to show
            assert not fragment or state or fragment in result[whole]["ids"], link


def test_links_to_the_web_give_nothing_away(page, shown):
    page.goto((shown.built.site / "submissions/board-wheat-v1/agent-0001/1.html").as_uri())
    outside = page.locator("a[href^='http']")
    assert outside.count() == 2
    for i in range(2):
        assert outside.nth(i).get_attribute("rel") == "noopener nofollow noreferrer"


def test_columns_sort_within_their_part_by_pointer_and_by_key(page, task_page):
    page.goto(task_page)
    values = columns(page)
    before = values(1)
    button = page.get_by_role("button", name="Score on test").first
    header = page.locator("th", has=button).first
    button.click()
    assert header.get_attribute("aria-sort") == "descending"
    for part, old in zip(values(1), before, strict=True):
        assert sorted(part) == sorted(old)
        assert [float(v) for v in part] == sorted((float(v) for v in part), reverse=True)
    button.focus()
    page.keyboard.press("Enter")
    assert header.get_attribute("aria-sort") == "ascending"
    for part in values(1):
        assert [float(v) for v in part] == sorted(float(v) for v in part)
    page.get_by_role("button", name="Agent").first.click()
    assert header.get_attribute("aria-sort") == "none"
    for part in values(0):
        assert part == sorted(part)


def test_filters_hide_what_does_not_match_and_say_how_many_are_left(page, task_page):
    page.goto(task_page)
    values = columns(page)
    output = page.locator("form.filters output")
    assert output.text_content() == "10 of 10 shown"
    chosen(page, "Track").select_option("rules")
    methods = [value for part in values(4) for value in part]
    assert methods
    assert set(methods) == {"rules"}
    assert output.text_content() == f"{len(methods)} of 10 shown"
    assert page.locator("table.filtered").nth(1).locator("tbody tr:not(.part):visible").count() == len(
        methods
    )
    chosen(page, "Trust").select_option("claimed")
    chosen(page, "Track").select_option("")
    assert all("claimed" in value for part in values(3) for value in part)
    chosen(page, "Trust").select_option("")
    chosen(page, "Find").fill("AGENT-0003")
    assert [v.split()[0] for part in values(0) for v in part] == ["agent-0003"]
    chosen(page, "Find").fill("nobody")
    assert output.text_content() == "0 of 10 shown"


def test_what_is_chosen_stands_in_the_address_and_comes_back(page, task_page):
    page.goto(task_page)
    chosen(page, "Track").select_option("rules")
    page.locator("details.columns summary").first.click()
    page.locator("details.columns").first.get_by_label("Median").uncheck()
    assert "track=rules" in page.url
    assert "hide=Median" in page.url
    page.goto("about:blank")
    page.goto(f"{task_page}#?track=rules&hide=Median&reads=nothing-like-it")
    assert chosen(page, "Track").input_value() == "rules"
    assert chosen(page, "Reads").input_value() == ""
    assert {v for part in columns(page)(4) for v in part} == {"rules"}
    assert page.locator("table.filtered").first.locator("th:visible", has_text="Median").count() == 0
    page.goto(f"{task_page}#?track=online-rl")  # another view of the page that is open
    playwright.expect(chosen(page, "Track")).to_have_value("online-rl")
    assert page.locator("table.filtered").first.locator("th:visible", has_text="Median").count() == 1


@pytest.mark.slow_except("2026-11-24-Asia*", "2028-*-America*")
@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/Los_Angeles"])
@pytest.mark.parametrize("last", ["2026-11-23", "2026-11-24", "2028-03-01"])
def test_days_stand_once_at_the_axis_of_days(browser, task_page, zone, last):
    context = browser.new_context(viewport={"width": 1280, "height": 900}, timezone_id=zone)
    page = context.new_page()
    page.goto(task_page)
    page.evaluate(WRITTEN)
    days = [date(2026, 11, 23), date.fromisoformat(last)]
    points = [{"name": "a", "x": day.toordinal(), "y": 50 + i} for i, day in enumerate(days)]
    data = {"x": "day", "y": "score", "time": True, "points": points}
    page.evaluate(PLACED, data)
    page.wait_for_function("written.includes('score')")
    result = [text for text in page.evaluate("written") if re.fullmatch(r"\d{4}-\d\d-\d\d", text)]
    context.close()
    assert 2 <= len(result) <= 14
    assert result == sorted(set(result))
    years = int(last[:4]) - 2026
    assert {int(text[:4]) for text in result} <= set(range(2026, 2029 if years else 2027))


def test_seasons_answer_keys_and_pointer_with_the_values_of_a_day(page, shown):
    page.goto((shown.built.site / "submissions/board-wheat-v1/agent-0003/1.html").as_uri())
    weather = page.locator(".panels .plot").first
    weather.locator(".u-wrap canvas").wait_for()
    values = weather.locator(".u-value")
    assert {text.strip() for text in values.all_text_contents()} <= {"–", ""}
    weather.focus()
    page.keyboard.press("ArrowRight")
    playwright.expect(values.first).not_to_have_text("–")
    assert values.first.text_content().count("-") == 2, "a date"
    first = values.first.text_content()
    weather.locator(".u-over").hover()
    playwright.expect(values.first).not_to_have_text(first)
    other = page.locator(".panels .plot").nth(1).locator(".u-value").first
    assert other.text_content().strip() != "–", "all panels show the same day"


def test_a_key_shows_each_curve_as_it_is_drawn(page, shown):
    page.goto((shown.built.site / "submissions/board-wheat-v1/agent-0003/1.html").as_uri())
    panel = page.locator(".panels .plot").first
    panel.locator(".u-wrap canvas").wait_for()
    samples = panel.locator(".u-legend canvas")
    curves = panel.locator(".u-legend .u-series:not(.hidden-key)")
    assert samples.count() == curves.count() - 1, "all but the day"
    drawn = samples.evaluate_all("all => all.map((one) => one.toDataURL())")
    assert len(set(drawn)) == len(drawn)
    many = page.evaluate("[...Array(14).keys()].map((place) => sample(place, 'line').toDataURL())")
    assert len(set(many)) == 14, "beyond the colours another dash"


def test_any_two_agents_are_compared_as_the_package_compares_them(page, shown):
    address = (shown.built.site / "tasks/board-wheat-v1-compare.html").as_uri()
    page.goto(f"{address}#?a=agent-0004+1&b=agent-0001+1")
    told = page.locator("#verdict dd").first.text_content().replace("−", "-")
    ours = [float(v) for v in re.findall(r"-?\d+\.\d", told)]
    result = {e.name: e for e in entries.collect(shown.board, 0, shown.cache)[0]}
    runs = [scoring.measured(result[n].submission, "test").runs(n) for n in ("agent-0004 1", "agent-0001 1")]
    pair = paired.compare(*runs, scoring.RESAMPLES)
    assert ours[0] == pytest.approx(pair.difference.value, abs=0.06)
    width = pair.difference.high - pair.difference.low
    assert ours[1:] == pytest.approx(pair.difference[1:], abs=0.1 * width), "other draws"
    page.get_by_role("button", name="Swap").click()
    assert "a=agent-0001" in page.url


def test_a_table_that_continues_to_the_right_shows_it(browser, task_page):
    for width, cut in ((1280, False), (390, True)):
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.goto(task_page)
        box, hint = page.locator("div.wide").nth(1), page.locator(".hint").nth(1)
        assert hint.is_visible() == cut
        assert ("cut" in box.get_attribute("class").split()) == cut
        if cut:
            assert "scroll it sideways" in hint.text_content()
            box.evaluate("(box) => { box.scrollLeft = box.scrollWidth }")
            playwright.expect(box).not_to_have_class(re.compile(r"\bcut\b"))
        page.close()


def test_names_of_scenarios_break_after_a_slash_or_not_at_all(browser, shown):
    page = browser.new_page(viewport=PHONE)
    page.goto(next((shown.built.site / "submissions").rglob("*.html")).as_uri())
    lines = """(cell) => { const range = document.createRange(); range.selectNodeContents(cell);
      return new Set([...range.getClientRects()].map((r) => Math.round(r.top))).size }"""
    names = page.locator("table.numbers tbody th")
    assert names.count() >= 11
    for i in range(names.count()):
        parts = names.nth(i).text_content().split("/")
        assert names.nth(i).evaluate(lines) <= len(parts)
    page.close()


def test_without_scripts_the_tables_are_there_and_the_filters_are_not(browser, task_page):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(task_page)
    assert page.locator("table.filtered").first.locator("tbody tr:not(.part)").count() == 10
    assert page.locator("form.filters").is_hidden()
    context.close()
