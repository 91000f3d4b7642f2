"""Getting in: by another tab, after a wait, and out again when the token ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.viewer_pages import Served, Viewer

PERMALINK = "#/search?q=tides"
KEEP = "token => sessionStorage.setItem('recollect.token', token)"


def test_without_a_token_it_says_what_to_run_and_holds_no_data(viewer: Viewer) -> None:
    """No request but for files was sent."""
    page = viewer.context().new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{viewer.worker.address}/{PERMALINK}")
    page.get_by_role("heading", name="Run recollect open").wait_for()
    assert [url for url in asked if "/api/" in url] == []


def test_a_tab_gets_the_token_of_another_and_goes_on_to_its_link(viewer: Viewer) -> None:
    """A new tab asks those that are open; one that waits takes the token that comes."""
    context = viewer.context()
    waiting = context.new_page()
    waiting.goto(f"{viewer.worker.address}/{PERMALINK}")
    waiting.get_by_role("heading", name="Run recollect open").wait_for()
    first = context.new_page()
    first.goto(viewer.worker.address)
    first.evaluate(KEEP, viewer.worker.token)
    first.reload()
    first.get_by_text("Memory while it is made").wait_for()
    second = context.new_page()
    second.goto(f"{viewer.worker.address}/{PERMALINK}")
    second.locator(".row").first.wait_for()
    waiting.reload()
    waiting.locator(".row").first.wait_for()
    assert waiting.get_by_role("searchbox").input_value() == "tides"


def test_a_file_with_a_code_lets_in_once(viewer: Viewer, tmp_path: Path) -> None:
    """As `recollect open` makes one: no address keeps the code, and a tab that waited goes on."""
    link = f"{viewer.worker.address}/#code={_code(viewer)}"
    file = tmp_path / "open.html"
    refresh = f'<meta http-equiv="refresh" content="0;url={link}">'
    file.write_text(f"<!doctype html><title>recollect</title>{refresh}", "utf-8")
    viewer.expected = ["another origin: file://", "401"]
    context = viewer.context()
    waiting = context.new_page()
    waiting.goto(f"{viewer.worker.address}/{PERMALINK}")
    waiting.get_by_role("heading", name="Run recollect open").wait_for()
    page = context.new_page()
    page.goto(file.as_uri())
    page.get_by_text("Memory while it is made").wait_for()
    assert page.url == f"{viewer.worker.address}/#/"
    waiting.locator(".row").first.wait_for()
    again = viewer.context().new_page()
    again.goto(link)
    again.get_by_role("alert").get_by_text("The code was used").wait_for()
    assert again.get_by_role("heading", name="Run recollect open").is_visible()
    assert "code" not in again.url


def test_the_token_of_a_code_survives_a_restart_until_it_is_revoked(
    viewer: Viewer, worker: Served
) -> None:
    """It is listed and revoked like any other; the page says what to run then."""
    viewer.expected = ["ERR_", "401"]
    page = viewer.context().new_page()
    page.goto(f"{worker.address}/#code={_code(viewer)}")
    page.locator(".live-row").first.wait_for()
    worker.stop()
    worker.start()
    page.locator(".link-state.open").wait_for()
    tokens = worker.call("GET", "/api/tokens")["tokens"]
    (name,) = [each["name"] for each in tokens if each["name"].startswith("viewer-")]
    worker.call("DELETE", f"/api/tokens/{name}")
    page.get_by_role("heading", name="Run recollect open").wait_for()


def _code(viewer: Viewer) -> str:
    code: str = viewer.worker.call("POST", "/api/viewer/codes", {})["code"]
    return code


def test_a_token_that_ends_leads_back_to_the_door(viewer: Viewer) -> None:
    """The link stays in the address, so that it goes on from there."""
    viewer.expected = ["401"]
    page = viewer.open(PERMALINK)
    page.locator(".row").first.wait_for()
    page.evaluate(KEEP, "rcl_" + "x" * 43)
    page.get_by_role("searchbox").fill("tides again")
    page.get_by_role("heading", name="Run recollect open").wait_for()
    page.wait_for_url("**q=tides+again")


def test_a_token_that_ends_is_replaced_by_that_of_another_tab(viewer: Viewer) -> None:
    """After `recollect open` in another tab nothing has to be done in the older ones."""
    viewer.expected = ["401"]
    old = viewer.open(PERMALINK)
    old.locator(".row").first.wait_for()
    other = old.context.new_page()
    other.goto(viewer.worker.address)
    other.get_by_text("Memory while it is made").wait_for()
    old.evaluate(KEEP, "rcl_" + "x" * 43)
    old.get_by_role("searchbox").fill("reminders")
    old.locator(".hit mark", has_text="reminders").first.wait_for()
