"""Erase: what would go is shown, a word is typed, and a receipt says what went."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.viewer_pages import Served, Viewer

if TYPE_CHECKING:
    from playwright.sync_api import Page


def _confirm(page: Page, word: str = "erase") -> None:
    page.get_by_role("button", name="Erase…").click()
    dialog = page.get_by_role("dialog", name="Erase this for good?")
    assert dialog.get_by_role("button", name="Erase").is_disabled()
    dialog.get_by_role("textbox").fill(word)
    page.keyboard.press("Enter")


def _hits(worker: Served, text: str) -> list[str]:
    hits = worker.call("POST", "/api/memory/search", {"query": text, "limit": 50})["hits"]
    return [hit["snippet"] for hit in hits if text in hit["snippet"]]


def test_keys_alone_lead_from_a_text_to_the_receipt(viewer: Viewer, worker: Served) -> None:
    """`g x`, type, Enter, Tab to the button, the word, Enter; no byte is left."""
    viewer.expected = ["status 404", "404 (Not Found)"]
    page = viewer.open("#/live")
    page.keyboard.press("g")
    page.keyboard.press("x")
    page.locator("[name=q]:focus").wait_for()
    page.keyboard.type("lunar calendar of low water")
    page.keyboard.press("Enter")
    page.get_by_role("alert").wait_for()
    page.locator("[name=q]").fill("The queue is Redis")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="What would go").wait_for()
    assert page.locator(".erase-counts").inner_text() == "6 observations"
    assert page.locator(".erase-list").get_by_text("Harbour, day 2").is_visible()
    while page.evaluate("document.activeElement.textContent.trim()") != "Erase…":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_role("dialog").get_by_role("textbox").focus()
    page.keyboard.type("erase")
    page.keyboard.press("Enter")
    page.get_by_text("Nothing of it is left in a file of the memory.").wait_for()
    page.wait_for_function("document.activeElement.getAttribute('aria-label') === 'Receipt'")
    assert _hits(worker, "The queue is Redis") == []
    assert b"The queue is Redis" not in (worker.home / "records.db").read_bytes()


def test_an_address_fills_the_fields_and_shows_the_plan(viewer: Viewer) -> None:
    """What forgets elsewhere links here; another value takes the plan away."""
    page = viewer.open("#/erase?project=kettle&q=Redis")
    page.get_by_role("heading", name="What would go").wait_for()
    assert page.locator(".erase-counts").inner_text() == "3 observations"
    page.get_by_label("Holding this text").fill("SVG")
    page.get_by_role("heading", name="What would go").wait_for(state="detached")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("heading", name="What would go").wait_for()
    page.get_by_role("link", name="Look for it first").click()
    page.get_by_role("searchbox", name="Search the memory").wait_for()
    assert page.get_by_role("searchbox").input_value() == "SVG"


def test_a_session_is_chosen_by_its_title(viewer: Viewer, worker: Served) -> None:
    """The list that opens has the ids; the whole session goes, a time narrows it."""
    viewer.expected = ["status 404", "404 (Not Found)"]
    page = viewer.open("#/erase")
    box = page.get_by_label("Session")
    box.fill("Kettle, day 1")
    choice = page.locator("#erase-session option", has_text="Kettle, day 1")
    choice.wait_for(state="attached")
    box.fill(choice.get_attribute("value") or "")
    page.get_by_label("and before").fill("2020-01-01T00:00")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("alert").wait_for()
    page.get_by_label("and before").fill("")
    page.get_by_role("button", name="Preview").click()
    page.get_by_text("Whole sessions").wait_for()
    _confirm(page)
    page.get_by_role("heading", name="Erased").wait_for()
    titles = [each["title"] for each in worker.call("GET", "/api/sessions")["sessions"]]
    assert "Kettle, day 1" not in titles
    assert "Kettle, day 2" in titles


def test_a_fact_is_erased_alone(viewer: Viewer, worker: Served) -> None:
    """By its number; the other fields are not asked for."""
    page = viewer.open("#/erase")
    page.get_by_role("button", name="One fact").click()
    facts = worker.call("GET", "/api/facts")["facts"]
    fact = next(each for each in facts if "Mara" in each["text"])
    page.get_by_label("Fact").fill(fact["id"])
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="What would go").wait_for()
    _confirm(page)
    page.get_by_role("heading", name="Erased").wait_for()
    assert all("Mara" not in each["text"] for each in worker.call("GET", "/api/facts")["facts"])
    page.get_by_role("link", name="Erase something else").click()
    assert page.get_by_label("Holding this text").input_value() == ""


def test_what_changed_since_the_preview_is_not_erased(viewer: Viewer, worker: Served) -> None:
    """The plan is another one by then: the page says so, and nothing goes."""
    viewer.expected = ["status 409", "409 (Conflict)", "status 404", "404 (Not Found)"]
    page = viewer.open("#/erase?q=The+queue+is+Redis")
    page.get_by_role("heading", name="What would go").wait_for()
    body = {"session_key": "agent:main:main", "role": "user", "content": "The queue is Redis?"}
    worker.call("POST", "/api/messages", body)
    _confirm(page)
    alert = page.get_by_role("alert")
    alert.get_by_text("What would be erased has changed since the dry run.").wait_for()
    assert len(_hits(worker, "The queue is Redis")) == 7
    page.get_by_role("button", name="Preview").click()
    page.locator(".erase-counts").get_by_text("1 messages").wait_for()
    page.get_by_label("Session").fill("no such one")
    page.get_by_role("button", name="Preview").click()
    alert.get_by_text("There is no such session.").wait_for()
