"""Search: lines while one types, details, what was around; by keys from start to end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.support.viewer_pages import Viewer

QUESTION = "why do the reminders come late"


@pytest.fixture
def search(viewer: Viewer) -> Page:
    """The view, with the box in focus."""
    page = viewer.open("#/live")
    page.keyboard.press("/")
    page.get_by_role("searchbox", name="Search the memory").wait_for()
    page.wait_for_function("() => document.activeElement?.type === 'search'")
    return page


def test_keys_alone_lead_from_the_question_to_what_was_around(search: Page) -> None:
    """Type, arrow, Enter, Escape from the box, t; no letter is lost."""
    search.keyboard.type(QUESTION)
    search.locator(".row").filter(has_text="Why do the reminders come").first.wait_for()
    assert search.get_by_role("searchbox").input_value() == QUESTION
    search.keyboard.press("ArrowDown")
    search.keyboard.press("Enter")
    opened = search.get_by_role("complementary", name="Opened result")
    opened.get_by_text("Why it was found").wait_for()
    assert opened.get_by_role("img", name="context: 0.").is_visible()
    search.keyboard.press("Tab")
    search.keyboard.press("t")
    opened.get_by_text("Because the clocks went back").wait_for()
    search.keyboard.press("Escape")
    opened.wait_for(state="hidden")


def test_the_address_keeps_question_filters_and_what_is_open(search: Page) -> None:
    """A reload, and the way back, show the same."""
    search.keyboard.type(QUESTION)
    search.get_by_role("button", name="Messages", exact=True).click()
    search.get_by_label("Project", exact=True).select_option("kettle")
    search.get_by_label("Time").select_option("30")
    search.get_by_text("Kettle, day 3").first.wait_for()
    search.get_by_text("Harbour, day 3").first.wait_for(state="hidden")
    search.locator(".row").first.click()
    opened = search.get_by_role("complementary", name="Opened result")
    opened.get_by_text("Why it was found").wait_for()
    text = opened.inner_text()
    search.reload()
    opened.get_by_text("Why it was found").wait_for()
    assert opened.inner_text() == text
    assert search.get_by_role("searchbox").input_value() == QUESTION
    search.go_back()
    opened.wait_for(state="hidden")


def test_words_of_any_script_are_found_and_marked(search: Page) -> None:
    """Japanese and Arabic stand in their own direction."""
    search.keyboard.insert_text("港の掲示板")
    search.locator("mark", has_text="港の掲示板").first.wait_for()
    search.get_by_role("searchbox").fill("ميناء الإسكندرية")
    text = search.locator(".hit-text", has_text="الإسكندرية").first
    text.wait_for()
    assert text.evaluate("element => getComputedStyle(element).direction") == "rtl"


def test_nothing_found_and_a_refused_question_say_what_to_do(search: Page, viewer: Viewer) -> None:
    """The message and the hint of the server, and a way to try again."""
    viewer.expected = ["ERR_", "status 503", "503 (Service Unavailable)"]
    search.keyboard.type("zzzzqqqq")
    search.get_by_text("Nothing fits").wait_for()
    error = {"code": "store_busy", "message": "the memory is busy", "hint": "try again"}
    search.route(
        "**/api/memory/search", lambda route: route.fulfill(status=503, json={"error": error})
    )
    search.get_by_role("searchbox").fill("tides")
    problem = search.get_by_role("alert")
    problem.get_by_text("The memory is busy.").wait_for()
    search.unroute("**/api/memory/search")
    problem.get_by_role("button", name="Try again").click()
    search.locator(".row").first.wait_for()
