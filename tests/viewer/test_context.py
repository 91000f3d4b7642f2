"""Context: what was put into which prompt and why, what is next, and what never is again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.support.viewer_pages import OPEN, TOKEN_KEY
from tests.support.viewer_sessions import DECISION, KEY, TITLE

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.support.viewer_pages import Served, Viewer

NEVER = "Never inject this again"


@pytest.fixture
def context(viewer: Viewer) -> Page:
    """The list of blocks."""
    page = viewer.open("#/context")
    page.locator(".block-row").first.wait_for()
    return page


def _line(page: Page, text: str = DECISION) -> Locator:
    return page.locator(".block-line", has_text=text)


def test_keys_alone_lead_to_the_lines_of_a_block_and_back(viewer: Viewer) -> None:
    """From anywhere: g c, j, Enter, Escape; the address is a link to it."""
    page = viewer.open("#/live")
    page.keyboard.press("g")
    page.keyboard.press("c")
    page.locator(".block-row").first.wait_for()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    opened = page.get_by_role("complementary", name="Opened block")
    _line(page).wait_for()
    page.reload()
    _line(page).wait_for()
    page.keyboard.press("Escape")
    opened.wait_for(state="hidden")
    page.wait_for_url("**#/context")


def test_a_block_says_why_each_line_is_in_it(context: Page, worker: Served) -> None:
    """Parts of scores as bars, the budget as one, and the way to its session."""
    (block,) = worker.call("GET", f"/api/context/blocks?session={KEY}")["blocks"]
    context.locator(".block-row").first.click()
    opened = context.get_by_role("complementary", name="Opened block")
    opened.get_by_text(f"{block['tokens']:,} of {block['budget']:,} tokens").wait_for()
    line = _line(context)
    assert line.get_by_role("img", name="importance: 0.").is_visible()
    assert line.get_by_role("img", name="kind: 0.5").is_visible()
    assert opened.get_by_role("heading", name="What holds").is_visible()
    opened.get_by_role("link", name=TITLE).click()
    context.get_by_role("heading", name=TITLE).wait_for()


def test_a_title_that_did_not_arrive_is_asked_for_again(viewer: Viewer) -> None:
    """The worker was busy: the name of the session comes later, without a reload."""
    viewer.expected = ["status 503", "503 (Service Unavailable)"]
    page = viewer.open("#/live")
    error = {"code": "busy", "message": "busy", "hint": "later"}
    sessions = re.compile(r"/api/sessions(/[0-9a-f-]+)?([?]|$)")
    page.route(sessions, lambda route: route.fulfill(status=503, json={"error": error}))
    page.reload()
    page.goto(page.url.partition("#")[0] + "#/context")
    rows = page.locator(".block-row", has_text=TITLE)
    page.locator(".block-row").first.wait_for()
    assert rows.count() == 0
    page.unroute(sessions)
    rows.first.wait_for()


def test_blocks_of_one_session_alone(context: Page, worker: Served) -> None:
    """A way from a block to the others of its session, and back to all."""
    other = {"session_key": "agent:main:main", "project_path": "/srv/harbour"}
    worker.call("POST", "/api/sessions", other)
    worker.call("GET", "/api/context?session_key=agent%3Amain%3Amain")
    context.reload()
    context.get_by_text("agent:main:main").wait_for()
    context.locator(".block-row", has_text=TITLE).click()
    context.get_by_role("link", name="Other blocks of it").click()
    context.get_by_text("agent:main:main").wait_for(state="hidden")
    context.get_by_role("link", name="Show all").click()
    context.get_by_text("agent:main:main").wait_for()


def test_what_was_forgotten_since_is_gone(context: Page, worker: Served) -> None:
    """No word of it is shown."""
    context.locator(".block-row").first.click()
    _line(context).wait_for()
    (block,) = worker.call("GET", f"/api/context/blocks?session={KEY}")["blocks"]
    lines = worker.call("GET", f"/api/context/blocks/{block['id']}")["lines"]
    for line in lines:
        if DECISION in line["text"]:
            worker.call("POST", f"/api/observations/{line['id']}/forget", {})
    context.reload()
    context.locator(".block-line", has_text="Forgotten or taken out").first.wait_for()
    assert _line(context).count() == 0


def test_never_inject_this_again_is_done_and_undone(context: Page, worker: Served) -> None:
    """It leaves the next session, is listed, and comes back by Undo and by its button."""
    context.locator(".block-row").first.click()
    _line(context).get_by_role("button", name=NEVER).click()
    context.get_by_text("It is put into no prompt again").wait_for()
    assert len(worker.call("GET", "/api/context/never")["excluded"]) == 1
    context.get_by_role("button", name="Undo").click()
    _line(context).get_by_role("button", name=NEVER).wait_for()
    assert worker.call("GET", "/api/context/never")["excluded"] == []

    context.get_by_role("button", name="Next session").click()
    context.get_by_label("Project", exact=True).select_option("harbour")
    _line(context).get_by_role("button", name=NEVER).click()
    _line(context).wait_for(state="hidden")
    context.get_by_role("button", name="Never again").click()
    _line(context).get_by_role("button", name="Inject it again").click()
    context.get_by_text("Nothing is excluded").wait_for()
    context.go_back()
    context.go_back()
    _line(context).wait_for()


def test_the_next_session_of_a_project_is_shown_before_it_begins(
    context: Page, worker: Served
) -> None:
    """By project and question, in the address; nothing is recorded."""
    before = worker.call("GET", "/api/context/blocks")["blocks"]
    context.get_by_role("button", name="Next session").click()
    context.get_by_label("Project", exact=True).select_option("kettle")
    context.get_by_label("What the first prompt asks").fill("what closes at midnight")
    context.get_by_text("of 4,000 tokens").wait_for()
    context.get_by_role("img", name="relevance: 0.").first.wait_for()
    context.wait_for_url("**view=next&project=kettle&q=what+closes+at+midnight")
    context.reload()
    context.get_by_text("of 4,000 tokens").wait_for()
    assert worker.call("GET", "/api/context/blocks")["blocks"] == before


def test_without_the_right_nothing_is_excluded(viewer: Viewer, worker: Served) -> None:
    """The server says so, and the page shows it."""
    viewer.expected = ["403"]
    order = {"name": "reads", "rights": "read", "audience": "owner"}
    token = worker.call("POST", "/api/tokens", order)["text"]
    page = viewer.context().new_page()
    page.add_init_script(OPEN.format(key=TOKEN_KEY, token=token))
    page.goto(f"{worker.address}/#/context?view=next&project=harbour")
    _line(page).get_by_role("button", name=NEVER).click()
    page.locator(".toast.failed").wait_for()
