"""Settings: where each value comes from, and changes of those that a page may change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.viewer_pages import Served, Viewer

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

KEY = "sk-never-shown-42"
CONFIG = f"""\
search:
  limit: 9
language:
  api_key: {KEY}
agents:
  work:
    search:
      limit: 12
"""


@pytest.fixture
def settings(viewer: Viewer, worker: Served) -> Page:
    """The view of a home with settings of its own."""
    (worker.home / "config.yaml").write_text(CONFIG, "utf-8")
    return viewer.open("#/settings")


def _row(page: Page, name: str) -> Locator:
    return page.get_by_role("listitem").filter(has=page.get_by_text(name, exact=True))


def test_each_value_says_where_it_came_from(
    settings: Page, worker: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """File with its line, variable, default; a secret says that it is set, and nothing else."""
    row = _row(settings, "search.limit")
    row.get_by_text("9 hits").wait_for()
    row.get_by_role("button").click()
    row.get_by_text("config.yaml line 2").wait_for()
    key = _row(settings, "language.api_key")
    assert key.get_by_text("set, and not shown").is_visible()
    key.get_by_role("button").click()
    key.get_by_text("recollect config set language.api_key VALUE").wait_for()
    assert key.get_by_role("textbox").count() == 0
    assert KEY not in settings.content()
    monkeypatch.setenv("RECOLLECT_SEARCH__LIMIT", "7")
    settings.reload()
    row.get_by_text("7 hits").wait_for()
    row.get_by_role("button").first.click()
    row.get_by_text("environment RECOLLECT_SEARCH__LIMIT").wait_for()
    row.get_by_role("textbox").fill("8")
    row.get_by_role("button", name="Save").click()
    settings.get_by_text(
        "It is written, but environment RECOLLECT_SEARCH__LIMIT decides."
    ).wait_for()
    assert "limit: 8" in (worker.home / "config.yaml").read_text("utf-8")


def test_keys_alone_lead_to_a_change_and_back(settings: Page, worker: Served) -> None:
    """`g ,`, words, Tab, Enter; the comments of the file stay."""
    path = worker.home / "config.yaml"
    path.write_text(f"# mine\n{CONFIG}", "utf-8")
    settings.keyboard.press("g")
    settings.keyboard.press("l")
    settings.keyboard.press("g")
    settings.keyboard.press(",")
    settings.locator("[type=search]:focus").wait_for()
    settings.keyboard.type("search.snippet_chars")
    row = _row(settings, "search.snippet_chars")
    row.wait_for()
    row.get_by_role("button").focus()
    settings.keyboard.press("Enter")
    settings.keyboard.press("Tab")
    settings.keyboard.press("ControlOrMeta+a")
    settings.keyboard.type("900")
    settings.keyboard.press("Enter")
    row.get_by_text("900 characters").first.wait_for()
    text = path.read_text("utf-8")
    assert "snippet_chars: 900" in text
    assert text.startswith("# mine\n")
    with settings.expect_response("**/api/settings**"):
        settings.get_by_role("button", name="Undo").click()
    row.get_by_text("700 characters").first.wait_for()
    assert "\n  snippet_chars" not in path.read_text("utf-8")


def test_a_wrong_value_is_refused_at_its_field(
    settings: Page, viewer: Viewer, worker: Served
) -> None:
    """In the words of the server, or before it is asked; nothing is written."""
    viewer.expected = ["status 422", "422 (Unprocessable"]
    settings.get_by_role("searchbox").fill("search.limit")
    row = _row(settings, "search.limit")
    row.get_by_role("button").click()
    field = row.get_by_role("textbox")
    field.fill("many")
    row.get_by_role("button", name="Save").click()
    row.get_by_role("alert").get_by_text("It must be an integer from 1 to 1000.").wait_for()
    field.fill("0")
    row.get_by_role("button", name="Save").click()
    row.get_by_role("alert").get_by_text("Setting search.limit must be").wait_for()
    assert field.get_attribute("aria-invalid") == "true"
    assert (worker.home / "config.yaml").read_text("utf-8") == CONFIG


def test_each_kind_of_value_has_its_field(settings: Page, worker: Served) -> None:
    """A switch, one of few, a list; and the default again."""
    for name, choose, line in (
        ("sync.watch", "Off", "watch: false"),
        ("knowledge.decay", "seed", "decay: seed"),
    ):
        row = _row(settings, name)
        row.get_by_role("button").click()
        row.get_by_role("button", name=choose, exact=True).click()
        row.get_by_role("button", name="Save").click()
        settings.get_by_text(f"{name} is changed").wait_for()
        assert line in (worker.home / "config.yaml").read_text("utf-8")
    row = _row(settings, "capture.skip_tools")
    row.get_by_role("button").click()
    row.get_by_role("textbox").fill("WebFetch\n\n  Grep ")
    row.get_by_role("button", name="Save").click()
    row.get_by_text("WebFetch, Grep").first.wait_for()
    row.get_by_role("button", name="Back to the default").click()
    settings.get_by_text("capture.skip_tools is the default again").wait_for()
    assert "\n  skip_tools" not in (worker.home / "config.yaml").read_text("utf-8")


def test_a_restart_is_asked_for_where_it_is_needed(settings: Page) -> None:
    """The worker reads its port when it starts."""
    row = _row(settings, "server.port")
    row.get_by_role("button").click()
    row.get_by_text("when the worker starts again").wait_for()
    row.get_by_role("textbox").fill("45678")
    row.get_by_role("button", name="Save").click()
    settings.get_by_text("It is in force when the worker starts again.").wait_for()
    row.get_by_text("45678").first.wait_for()


def test_the_list_is_narrowed_and_that_of_an_agent_shown(settings: Page, worker: Served) -> None:
    """Changed ones, changeable ones, words, an agent: in the address."""
    rows = settings.locator(".settings-list > li")
    rows.first.wait_for()
    whole = rows.count()
    settings.get_by_role("button", name="Changeable here").click()
    _row(settings, "language.api_key").wait_for(state="detached")
    assert 100 < rows.count() < whole
    settings.get_by_role("button", name="Changed", exact=True).click()
    rows.nth(2).wait_for(state="detached")
    assert rows.count() == 2
    settings.get_by_label("Agent").select_option("work")
    row = _row(settings, "search.limit")
    row.get_by_text("12 hits").wait_for()
    row.get_by_role("button").click()
    row.get_by_role("textbox").fill("13")
    row.get_by_role("button", name="Save").click()
    row.get_by_text("13 hits").wait_for()
    text = (worker.home / "config.yaml").read_text("utf-8")
    assert "limit: 9" in text
    assert "limit: 13" in text
    settings.get_by_role("searchbox").fill("nothing like it")
    settings.get_by_text("No setting fits").wait_for()
    settings.get_by_role("link", name="Show all").click()
    rows.nth(whole - 1).wait_for(state="attached")
