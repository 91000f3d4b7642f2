"""Pieces that views share: questions before what cannot be taken back, notes of what was done."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.support.viewer_pages import Viewer

ASK = """async (typed) => {
  const { confirm } = await import("/viewer/ui/form.js");
  confirm({ title: "Erase it?", body: "It does not come back.", action: "Erase", typed })
    .then((answer) => (window.answer = answer));
}"""
SAY = """async () => {
  const { toast } = await import("/viewer/ui/toast.js");
  toast("Forgotten", { undo: async () => (window.undone = true) });
}"""
FAIL = """async () => {
  const { toast } = await import("/viewer/ui/toast.js");
  toast("Forgotten", { undo: async () => {
    throw Object.assign(new Error("the record is gone"), { hint: "look at the audit" });
  } });
}"""


@pytest.fixture
def page(viewer: Viewer) -> Page:
    """Any view."""
    shown = viewer.open("#/live")
    shown.get_by_text("Reviews of the tide code").wait_for()
    return shown


def test_a_typed_word_lets_it_be_done(page: Page) -> None:
    """Not before it is typed, not by Enter; the focus is where one types."""
    page.evaluate(ASK, "erase")
    dialog = page.get_by_role("dialog", name="Erase it?")
    erase = dialog.get_by_role("button", name="Erase", exact=True)
    assert erase.is_disabled()
    box = dialog.get_by_label("Type erase to go on")
    page.wait_for_function("box => box === document.activeElement", arg=box.element_handle())
    page.keyboard.type("eras")
    page.keyboard.press("Enter")
    assert erase.is_disabled()
    assert dialog.is_visible()
    page.keyboard.type("e")
    page.keyboard.press("Enter")
    dialog.wait_for(state="hidden")
    page.wait_for_function("window.answer === true")


@pytest.mark.parametrize("way", ["Escape", "Cancel", "outside"])
def test_it_is_not_done_where_one_leaves(page: Page, way: str) -> None:
    """Every way out but the button is a no; keys of the view do nothing meanwhile."""
    page.evaluate(ASK, "")
    dialog = page.get_by_role("dialog", name="Erase it?")
    dialog.wait_for()
    page.keyboard.press("p")
    if way == "Escape":
        page.keyboard.press("Escape")
    elif way == "Cancel":
        dialog.get_by_role("button", name="Cancel").click()
    else:
        page.mouse.click(5, 5)
    dialog.wait_for(state="hidden")
    page.wait_for_function("window.answer === false")
    assert page.get_by_role("button", name="Pause").is_visible()


def test_what_was_done_can_be_taken_back(page: Page) -> None:
    """The note says what was done, to screen readers too, and goes with the way back."""
    page.evaluate(SAY)
    notes = page.locator(".toasts[role=status]")
    notes.get_by_text("Forgotten").wait_for()
    notes.get_by_role("button", name="Undo").click()
    notes.get_by_text("Forgotten").wait_for(state="hidden")
    page.wait_for_function("window.undone === true")


def test_a_way_back_that_fails_says_why(page: Page) -> None:
    """With the words of the server."""
    page.evaluate(FAIL)
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("the record is gone").wait_for()
    page.get_by_text("look at the audit").wait_for()
    page.get_by_role("button", name="Dismiss").click()
    page.get_by_text("the record is gone").wait_for(state="hidden")


def test_a_long_text_is_cut_with_a_way_to_the_rest(page: Page, viewer: Viewer) -> None:
    """Step by step: a line of a million characters does not stop the page."""
    text = "start " + "x" * 60_000 + " end"
    message = {"session_key": "agent:main:main", "role": "user", "content": text}
    viewer.worker.call("POST", "/api/messages", message)
    row = page.locator(".live-row", has_text="start xxx")
    row.locator(".live-cut").click()
    for _ in range(3):
        row.get_by_role("button", name="more").click()
    assert row.locator(".text").inner_text().endswith(" end")
    row.get_by_role("button", name="less").click()
    row.get_by_role("button", name="more").wait_for()
    assert row.locator(".text").inner_text().endswith("x…")
