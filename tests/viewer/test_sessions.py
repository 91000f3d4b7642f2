"""Sessions: find one, read it with all that happened in it, and go on from any place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.viewer_sessions import KEY, PROGRAM, TITLE

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.support.viewer_pages import Served, Viewer

IS_ELSEWHERE = """(before) => {
  const row = document.querySelector(".row.selected");
  return row !== null && row.dataset.key !== before;
}"""
IS_IN_SIGHT = """(row) => {
  const { y } = row.getBoundingClientRect();
  return 0 < y && y < innerHeight;
}"""


@pytest.fixture
def overview(viewer: Viewer) -> Page:
    """The list of sessions."""
    page = viewer.open("#/sessions")
    page.locator(".hit").first.wait_for()
    return page


@pytest.fixture
def session(viewer: Viewer) -> Page:
    """The long session, from its first message on."""
    page = viewer.open(f"#/sessions/{KEY}", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_text("Look at table 0: is its zone right?").wait_for()
    return page


def _mark(page: Page, kind: str) -> Any:
    """Go from mark to mark by the key until one is of a kind, and return it."""
    selected = page.locator(".row.selected")
    for _ in range(12):
        before = selected.get_attribute("data-key") if selected.count() else None
        page.keyboard.press("]")
        page.wait_for_function(IS_ELSEWHERE, arg=before)
        mark = selected.locator(f".mark.{kind}")
        if mark.count():
            return mark
    raise AssertionError(f"there is no mark of {kind}")


def test_sessions_are_narrowed_by_title_project_agent_and_status(overview: Page) -> None:
    """The address keeps it, and an empty answer leads back."""
    titles = overview.locator(".hit .line")
    assert TITLE in titles.all_inner_texts()
    overview.get_by_label("Words of the title").fill("clocks")
    overview.get_by_text("Kettle, day 3").wait_for(state="hidden")
    assert titles.all_inner_texts() == [TITLE]
    overview.get_by_label("Words of the title").fill("")
    overview.get_by_label("Agent", exact=True).select_option("tide")
    overview.get_by_text("Kettle, day 3").wait_for(state="hidden")
    overview.get_by_label("Project", exact=True).select_option("harbour")
    overview.get_by_role("button", name="Active").click()
    overview.wait_for_url("**?agent=tide&project=harbour&status=active")
    overview.get_by_text("What if we keep UTC?").wait_for()
    overview.reload()
    overview.get_by_text("What if we keep UTC?").wait_for()
    overview.get_by_role("button", name="Deleted").click()
    overview.get_by_text("Nothing fits").wait_for()
    overview.get_by_role("link", name="Show all").click()
    overview.get_by_text("Kettle, day 3").wait_for()


def test_keys_alone_lead_to_a_session_and_back(viewer: Viewer) -> None:
    """From anywhere: g e by a slow hand, words, the list, Enter, and Escape."""
    page = viewer.open("#/live")
    page.keyboard.press("g")
    page.wait_for_timeout(2_000)
    page.keyboard.press("e")
    page.locator(".hit").first.wait_for()
    page.keyboard.press("/")
    page.keyboard.type("clocks")
    page.get_by_text("Kettle, day 3").wait_for(state="hidden")
    page.keyboard.press("Tab")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name=TITLE).wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("heading", name="Sessions").wait_for()


def test_on_a_narrow_screen_the_way_to_the_view_is_in_sight(viewer: Viewer) -> None:
    """The ways scroll sideways there."""
    page = viewer.open("#/context", viewport={"width": 390, "height": 780})
    way = page.locator(".side a[aria-current]")
    place = way.bounding_box()
    ways = page.locator(".side ul").bounding_box()
    assert place is not None
    assert ways is not None
    assert place["x"] + place["width"] <= ways["x"] + ways["width"] + 1


def test_a_list_longer_than_a_page_loads_its_rest_on_the_way_down(
    viewer: Viewer, worker: Served
) -> None:
    """120 more sessions; End comes to the last one."""
    for number in range(120):
        worker.call("POST", "/api/sessions", {"session_key": f"agent:main:slack:channel:C{number}"})
    page = viewer.open("#/sessions")
    page.locator(".hit").first.wait_for()
    oldest = worker.call("GET", "/api/sessions?limit=500")["sessions"][-1]
    shown = page.get_by_text(oldest["title"] or oldest["key"], exact=True)
    assert shown.count() == 0
    for _ in range(80):
        page.keyboard.press("End")
        page.wait_for_timeout(250)
        if shown.count():
            break
    shown.last.wait_for(state="attached")


def test_a_new_session_appears_in_the_list(overview: Page, worker: Served) -> None:
    """Without a reload."""
    worker.call("POST", "/api/sessions", {"session_key": "agent:main:slack:channel:new"})
    overview.get_by_text("agent:main:slack:channel:new").wait_for()


def test_tool_calls_are_folded_and_opened_by_key(session: Page) -> None:
    """A call and its result are a line each; Enter opens what is chosen."""
    command = session.get_by_text('"command": "python -m tides --step 0"')
    assert session.get_by_text("python -m tides --step 0 Look at the table").is_visible()
    assert not command.is_visible()
    for _ in range(2):
        session.keyboard.press("j")
    session.keyboard.press("Enter")
    command.wait_for()
    session.keyboard.press("Enter")
    command.wait_for(state="hidden")
    session.get_by_role("button", name="python -m tides --step 0").click()
    command.wait_for()


def test_what_happened_stands_in_its_place(session: Page) -> None:
    """The summary, the checkpoint, files put back, messages taken out, a block of context."""
    mark = _mark(session, "compaction")
    assert "are a summary from here" in mark.inner_text()
    mark.get_by_role("button", name="more").click()
    mark.get_by_text("The tables have UTC; cron prints local time.").wait_for()
    assert "Checkpoint c1 of 1 file, Edit" in _mark(session, "checkpoint").inner_text()
    rewind = _mark(session, "rewind")
    assert "Rewind of 2 files to c1: done" in rewind.inner_text()
    session.keyboard.press("Enter")
    rewind.get_by_text("tides.py").wait_for()
    assert "Messages 81 to 88 were taken out by a rewind" in _mark(session, "taken").inner_text()
    assert session.locator(".said-seq", has_text="80").is_visible()
    _mark(session, "block")
    session.keyboard.press("[")
    session.locator(".row.selected .mark.taken").wait_for()
    _mark(session, "block").get_by_role("link").click()
    session.get_by_role("complementary", name="Opened block").wait_for()


def test_what_an_agent_did_without_a_transcript_of_it_is_shown(viewer: Viewer) -> None:
    """Observations stand where no message has the use of a tool."""
    page = viewer.open("#/sessions")
    page.get_by_text("Kettle, day 3").click()
    page.get_by_role("heading", name="Kettle, day 3").wait_for()
    mark = page.locator(".mark.observation", has_text="Fix the PATH of cron")
    page.keyboard.press("End")
    mark.first.wait_for()
    mark.first.get_by_role("button", name="more").click()
    page.get_by_text("Bash: input").wait_for()


def test_the_address_names_a_message(session: Page) -> None:
    """A choice is in the address, a link leads back to it, and it is copied."""
    for _ in range(3):
        session.keyboard.press("j")
    session.wait_for_url("**?at=3")
    session.get_by_role("button", name="Copy the link to message 4").click()
    copied = session.evaluate("navigator.clipboard.readText()")
    assert copied.endswith("?at=4")
    session.goto(copied.replace("?at=4", "?at=92"))
    session.reload()
    chosen = session.locator(".row.selected", has_text="Table 22 is right.")
    chosen.wait_for()
    session.wait_for_timeout(700)
    session.wait_for_function(IS_IN_SIGHT, arg=chosen.element_handle())


def test_who_scrolls_on_is_not_pulled_back_to_what_was_chosen(session: Page) -> None:
    """A row that is brought into sight yields to the wheel."""
    session.locator(".row", has_text="Look at table 1").click()
    session.mouse.wheel(0, 900)
    session.wait_for_function("document.querySelector('.list').scrollTop > 500")
    session.wait_for_timeout(800)
    assert session.evaluate("document.querySelector('.list').scrollTop") > 500


def test_the_plot_leads_through_the_session(session: Page) -> None:
    """It is a slider: by pointer and by key, with what it says."""
    plot = session.get_by_role("slider", name="Tokens of the prompt over time")
    plot.click(position={"x": 20, "y": 20})
    session.locator(".row.selected").wait_for()
    plot.focus()
    session.keyboard.press("End")
    session.locator(".row.selected", has_text="Table 23 is right.").wait_for()
    plot.focus()
    session.keyboard.press("Home")
    session.locator(".row.selected", has_text="Look at table 0").wait_for()
    assert plot.get_attribute("aria-valuenow") == "1"
    assert "tokens" in (plot.get_attribute("aria-valuetext") or "")
    assert session.locator(".plot-cut").count() == 1


def test_a_fork_from_a_message_is_shown_and_taken_back(session: Page, worker: Served) -> None:
    """`f` at the message; Undo deletes the fork and leads back."""
    for _ in range(4):
        session.keyboard.press("j")
    session.keyboard.press("f")
    session.get_by_text("Forked after message 4").wait_for()
    session.get_by_text("Look at table 0: is its zone right?").wait_for()
    assert session.get_by_text("Look at table 1: is its zone right?").count() == 0
    forks = worker.call("GET", f"/api/sessions/{KEY}/lineage")["sessions"]
    (made,) = [each for each in forks if each["forked_at_seq"] == 4]
    assert made["id"] in session.url
    session.get_by_role("button", name="Undo").click()
    session.get_by_text("Look at table 1: is its zone right?").wait_for()
    status = worker.call("GET", "/api/sessions?status=deleted")["sessions"]
    assert [each["id"] for each in status] == [made["id"]]


def test_the_tree_leads_to_the_forks(session: Page) -> None:
    """Each below what it grew from, with where."""
    tree = session.locator(".tree")
    assert "fork after 8" in tree.inner_text()
    tree.get_by_role("link", name="What if we keep UTC?").click()
    session.get_by_text("Keep UTC everywhere, and see what breaks.").wait_for()
    assert tree.locator("[aria-current]").inner_text() == "What if we keep UTC?"


def test_the_command_that_resumes_it_is_copied(session: Page, viewer: Viewer) -> None:
    """Ours, or that of the program that the session is of."""
    copy = "Copy the command that resumes it"
    session.get_by_role("button", name=copy).click()
    text = session.evaluate("navigator.clipboard.readText()")
    assert text.startswith("recollect sessions resume 0")
    page = viewer.open("#/sessions", permissions=["clipboard-read", "clipboard-write"])
    page.locator(".hit .chip", has_text="claude-code").click()
    page.get_by_role("button", name=copy).click()
    text = page.evaluate("navigator.clipboard.readText()")
    assert text == f"cd /srv/kettle && claude --resume {PROGRAM}"


def test_an_export_is_saved(session: Page, tmp_path: Path) -> None:
    """As lines, all of this session."""
    with session.expect_download() as saving:
        session.get_by_role("button", name="Export").click()
    saving.value.save_as(tmp_path / "session.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "session.jsonl").read_text().splitlines()]
    assert "Table 22 is right." in json.dumps(lines)
    assert "Kettle, day 3" not in json.dumps(lines)
    session.get_by_text("Exported as session-").wait_for()


def test_what_is_said_meanwhile_appears(session: Page, worker: Served) -> None:
    """At the end, without a reload."""
    body = {"session_key": KEY, "role": "user", "content": "One more table came in."}
    worker.call("POST", "/api/messages", body)
    session.keyboard.press("End")
    session.get_by_text("One more table came in.").wait_for()


def test_a_session_that_is_not_there_says_so(viewer: Viewer) -> None:
    """With the way to all."""
    viewer.expected = ["404"]
    page = viewer.open("#/sessions/nobody")
    page.get_by_role("alert").wait_for()
    page.get_by_role("link", name="All sessions").click()
    page.locator(".hit").first.wait_for()


def test_10_000_messages_scroll(viewer: Viewer, worker: Served) -> None:
    """The first is there at once, the last by a link; few rows are in the page."""
    import recollect
    from tests.support.viewer_home import OVERRIDES

    with recollect.open(worker.home, overrides=OVERRIDES) as memory:
        long = memory.sessions.create(title="A long one").id
        said = [{"role": "user", "content": f"Word {number}"} for number in range(10_000)]
        memory.sessions.append_many(long, said)
    page = viewer.open(f"#/sessions/{long}")
    page.get_by_text("Word 0", exact=True).wait_for()
    assert page.locator(".row").count() < 80
    page.goto(f"{worker.address}/#/sessions/{long}?at=9990")
    page.get_by_text("Word 9989", exact=True).wait_for()
    assert page.locator(".row").count() < 80
