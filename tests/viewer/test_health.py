"""Health: what the doctor finds and mends, pauses, tokens, and what was done."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.support.viewer_pages import Served, Viewer

if TYPE_CHECKING:
    from playwright.sync_api import Page

PROGRAMS = {
    "paused": False,
    "clients": [
        {
            "name": name,
            "title": title,
            "command": f"recollect init {name}",
            "remembers": True,
            "is_here": is_here,
            "connected": connected,
        }
        for name, title, is_here, connected in (
            ("claude-code", "Claude Code", True, True),
            ("codex", "Codex", True, False),
            ("zed", "Zed", False, False),
        )
    ],
}


def _open(viewer: Viewer, part: str) -> Page:
    return viewer.open(f"#/health/{part}")


def test_the_doctor_mends_after_a_question(viewer: Viewer, worker: Served) -> None:
    """A transcript that was removed is found, written again, and the audit knows it."""
    # What a rewind took out is at the end of a mirror, and at its beginning when written again.
    texts = {p: p.read_text("utf-8") for p in (worker.home / "transcripts").glob("*.jsonl")}
    mirror, text = next(each for each in texts.items() if "withdrawn" not in each[1])
    mirror.unlink()
    page = viewer.open("#/health")
    finding = page.get_by_role("listitem").filter(has_text="mirrors")
    finding.get_by_text("wrong").wait_for(timeout=60_000)
    page.get_by_role("button", name="Mend", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Mend").click()
    page.get_by_text("Wrote 1 mirror again").wait_for(timeout=60_000)
    assert mirror.read_text("utf-8") == text
    assert finding.count() == 0
    assert worker.call("GET", "/api/audit?action=doctor")["entries"][0]["action"] == "doctor.mend"


def test_each_part_of_the_memory_has_its_state(viewer: Viewer, worker: Served) -> None:
    """Counts, index, hooks, models; what was measured as plots, and the sizes."""
    number = str(worker.call("GET", "/api/status")["observations"])
    page = viewer.open("#/health")
    page.locator(".pairs div").filter(has_text="Observations").get_by_text(number).wait_for()
    for heading in ("Index", "Worker and hooks", "Models", "Storage", "Models, last 30 days"):
        page.get_by_role("heading", name=heading, exact=True).wait_for()
    page.get_by_text("Search: 95 of 100 within").wait_for()
    assert page.get_by_text("Size of the memory").count() == 0
    page.get_by_role("button", name="Last two days").click()
    page.get_by_text("Size of the memory").wait_for()
    assert page.locator(".plot path").count() == 4
    page.locator(".pairs div").filter(has_text="Blobs").get_by_text("31 MB").wait_for()


def test_capture_is_paused_and_goes_on(viewer: Viewer, worker: Served) -> None:
    """A project for an hour, everything until it is resumed; by keys alone."""
    page = _open(viewer, "capture")
    page.get_by_role("button", name="Pause harbour").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Resume harbour").wait_for()
    page.get_by_text(re.compile("in (60 minutes|1 hour)")).wait_for()
    page.get_by_label("How long to pause").select_option("Pause until it is resumed")
    page.get_by_role("button", name="Pause Everything").click()
    page.get_by_role("button", name="Resume Everything").wait_for()
    pauses = worker.call("GET", "/api/capture")["pauses"]
    assert [each["until"] is None for each in pauses].count(True) == 1
    projects = worker.call("GET", "/api/projects")["projects"]
    assert page.get_by_text("paused", exact=True).count() == len(projects) + 1
    page.get_by_role("button", name="Resume Everything").click()
    page.get_by_role("button", name="Resume harbour").click()
    page.get_by_role("button", name="Pause harbour").wait_for()
    assert worker.call("GET", "/api/capture")["pauses"] == []


def test_projects_are_excluded(viewer: Viewer, worker: Served) -> None:
    """A pattern is written into the settings; an undo takes it out again."""
    page = _open(viewer, "capture")
    box = page.get_by_label("Value of privacy.exclude_projects")
    box.fill("~/private/*\n/srv/secret")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("privacy.exclude_projects is changed").wait_for()
    assert "~/private/*" in (worker.home / "config.yaml").read_text("utf-8")
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Back to the default").and_(
        page.locator(":disabled")
    ).wait_for()
    assert box.input_value() == ""


def test_programs_are_connected_or_not(viewer: Viewer) -> None:
    """With the command that connects one."""
    page = viewer.open("#/health")
    page.route("**/api/clients", lambda route: route.fulfill(json=PROGRAMS))
    page.get_by_role("link", name="Capture").click()
    page.get_by_role("listitem").filter(has_text="Claude Code").get_by_text("connected").wait_for()
    codex = page.get_by_role("listitem").filter(has_text="Codex")
    assert codex.get_by_text("not connected").is_visible()
    assert codex.get_by_text("recollect init codex").is_visible()
    assert page.get_by_text("Not on this machine: Zed.").is_visible()


def test_a_token_is_revoked_by_a_typed_word(viewer: Viewer, worker: Served) -> None:
    """Who calls with it is refused; the owner's has no such button."""
    worker.call("POST", "/api/tokens", {"name": "phone", "rights": "capture"})
    page = _open(viewer, "tokens")
    assert page.get_by_role("button", name="Revoke owner").count() == 0
    page.get_by_role("button", name="Revoke phone").click()
    dialog = page.get_by_role("dialog", name="Revoke this token?")
    assert dialog.get_by_role("button", name="Revoke").is_disabled()
    dialog.get_by_role("textbox").fill("revoke")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Revoke phone").wait_for(state="detached")
    assert [each["name"] for each in worker.call("GET", "/api/tokens")["tokens"]] == ["owner"]
    page.get_by_role("button", name="Revoked ones, too").click()
    page.get_by_role("listitem").filter(has_text="phone").get_by_text("revoked").wait_for()


def test_the_audit_goes_back_page_by_page(viewer: Viewer, worker: Served) -> None:
    """The newest first; the filters are in the address."""
    for number in range(55):
        worker.call("POST", "/api/capture/pause", {"project": "kettle", "minutes": number + 1})
    worker.call("POST", "/api/tokens", {"name": "phone"})
    whole = len(worker.call("GET", "/api/audit?limit=500")["entries"])
    page = _open(viewer, "audit")
    page.get_by_role("listitem").filter(has_text="token.add").wait_for()
    rows = page.locator(".rows > li")
    assert rows.count() == 50
    page.get_by_role("button", name="Older").click()
    page.get_by_text("It begins here.").wait_for()
    assert rows.count() == whole > 55
    page.get_by_label("Action, such as token").fill("token")
    rows.nth(1).wait_for(state="detached")
    assert rows.count() == 1
    assert "action=token" in page.url
    page.get_by_role("button", name="Refused").click()
    page.get_by_text("Nothing fits.").wait_for()


def test_a_token_that_may_not_ask_is_refused_in_words(viewer: Viewer) -> None:
    """What the server says, with a way to try again."""
    viewer.expected = ["status 403", "403 (Forbidden)"]
    error = {"code": "denied", "message": "it is not yours", "hint": "run `recollect open`"}
    page = viewer.open("#/live")
    page.route("**/api/tokens*", lambda route: route.fulfill(status=403, json={"error": error}))
    page.keyboard.press("g")
    page.keyboard.press("h")
    page.get_by_role("link", name="Tokens").click()
    alert = page.get_by_role("alert")
    alert.get_by_text("It is not yours.").wait_for()
    assert alert.locator("code").inner_text() == "recollect open"
    page.unroute("**/api/tokens*")
    alert.get_by_role("button", name="Try again").click()
    page.get_by_role("listitem").filter(has_text="owner").wait_for()
