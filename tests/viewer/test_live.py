"""Live: what is made appears while it is made, and goes on after a break."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.support.viewer_pages import Served, Viewer

Say = Callable[[str], None]


@pytest.fixture
def live(viewer: Viewer) -> Page:
    """The view, with what was before."""
    page = viewer.open("#/live")
    page.get_by_text("Reviews of the tide code go to Mara").wait_for()
    return page


def test_a_message_appears_when_it_is_stored(live: Page, say: Say) -> None:
    """Text, session and day, without a reload."""
    say("The pilot boat is late")
    live.get_by_text("The pilot boat is late").wait_for()
    assert live.get_by_role("heading", name="Today").is_visible()
    assert live.locator(".live-session").first.inner_text().startswith("agent:main:main")


def test_a_pause_holds_back_what_comes(live: Page, say: Say) -> None:
    """It is counted, and shown when it goes on."""
    live.keyboard.press("p")
    say("The crane is broken")
    say("The crane works again")
    live.get_by_role("button", name="Go on, ").filter(has_text="new").wait_for()
    assert not live.get_by_text("The crane is broken").is_visible()
    live.get_by_role("button", name="Go on").click()
    live.get_by_text("The crane is broken").wait_for()


def test_after_a_restart_of_the_worker_it_goes_on_where_it_was(
    live: Page, viewer: Viewer, worker: Served, say: Say
) -> None:
    """Nothing that came meanwhile is missed or shown twice."""
    viewer.expected = ["ERR_"]
    say("Before the restart")
    live.get_by_text("Before the restart").wait_for()
    worker.stop()
    live.get_by_text("reconnecting").wait_for()
    worker.start()
    say("After the restart")
    live.get_by_text("After the restart").wait_for()
    live.locator(".link-state.open").wait_for()
    assert live.get_by_text("Before the restart").count() == 1
    assert live.get_by_text("After the restart").count() == 1


def test_filters_are_in_the_address(live: Page) -> None:
    """Kind, project, type and importance; a link shows the same."""
    live.get_by_role("button", name="Observations", exact=True).click()
    live.get_by_label("Project", exact=True).select_option("kettle")
    live.get_by_label("Type of observation").select_option("decision")
    live.get_by_label("Importance", exact=True).select_option("0.7")
    live.get_by_text("The queue is Redis").first.wait_for()
    live.get_by_text("Rename `boat`").first.wait_for(state="hidden")
    shown = live.locator(".live-row").all_inner_texts()
    assert len(shown) == 6
    assert all(text.startswith("decision") for text in shown)
    live.wait_for_url("**kind=observation&project=kettle&type=decision&importance=0.7")
    live.reload()
    live.get_by_text("The queue is Redis").first.wait_for()
    assert live.locator(".live-row").all_inner_texts() == shown


def test_rows_are_chosen_and_opened_by_keys(live: Page) -> None:
    """J and k choose, Enter opens and closes; what is chosen has the focus."""
    for _ in range(8):
        live.keyboard.press("j")
    live.keyboard.press("k")
    chosen = live.locator(".row.selected")
    chosen.wait_for()
    live.wait_for_function("row => row === document.activeElement", arg=chosen.element_handle())
    live.keyboard.press("Enter")
    live.locator(".row.selected .live-row.open").wait_for()
    live.keyboard.press("Enter")
    live.locator(".row.selected .live-row:not(.open)").wait_for()


def test_looking_further_back_ends_at_the_beginning(live: Page) -> None:
    """The end of the list loads what was before, until nothing was."""
    beginning = live.get_by_text("The memory begins here.")
    for _ in range(80):
        live.keyboard.press("End")
        live.wait_for_timeout(200)
        if beginning.is_visible():
            break
    beginning.wait_for()


def test_what_was_erased_is_gone_from_the_page(
    live: Page, viewer: Viewer, worker: Served, say: Say
) -> None:
    """The text disappears where it is shown, without a reload."""
    viewer.expected = ["404"]
    say("A secret of the harbour master")
    live.get_by_text("A secret of the harbour master").wait_for()
    order = {"session": "agent:main:main"}
    plan = worker.call("POST", "/api/erase", order | {"dry_run": True})
    worker.call("POST", "/api/erase", order | {"plan_id": plan["plan_id"]})
    live.get_by_text("1 session erased").wait_for()
    live.get_by_text("A secret of the harbour master").wait_for(state="hidden")
