"""Getting in: by another tab, after a wait, and out again when the token ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.support.viewer_pages import Viewer

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


def test_a_code_in_the_address_is_exchanged_and_taken_out_of_it(viewer: Viewer) -> None:
    """The page goes on, the tab that waited too, and no address has the code any more."""
    answer = {"token": viewer.worker.token, "name": "viewer-1", "rights": "admin", "expires_at": 0}
    context = viewer.context()
    context.route("**/api/viewer/token", lambda route: route.fulfill(json=answer))
    waiting = context.new_page()
    waiting.goto(f"{viewer.worker.address}/{PERMALINK}")
    waiting.get_by_role("heading", name="Run recollect open").wait_for()
    page = context.new_page()
    with page.expect_request("**/api/viewer/token") as asked:
        page.goto(f"{viewer.worker.address}/#code=abc_DEF-1")
    page.get_by_text("Memory while it is made").wait_for()
    assert page.url == f"{viewer.worker.address}/#/"
    assert asked.value.post_data_json == {"code": "abc_DEF-1"}
    waiting.locator(".row").first.wait_for()


def test_a_code_that_is_refused_says_why(viewer: Viewer) -> None:
    """A used or late one: the words of the server, and no way in."""
    viewer.expected = ["401", "404"]
    page = viewer.context().new_page()
    page.goto(f"{viewer.worker.address}/#code=used")
    page.get_by_role("alert").wait_for()
    assert page.get_by_role("heading", name="Run recollect open").is_visible()
    assert "code" not in page.url


def test_a_token_that_ends_leads_back_to_the_door(viewer: Viewer) -> None:
    """The link stays in the address, so that it goes on from there."""
    viewer.expected = ["401"]
    page = viewer.open(PERMALINK)
    page.locator(".row").first.wait_for()
    page.evaluate(KEEP, "rcl_" + "x" * 43)
    page.get_by_role("searchbox").fill("tides again")
    page.get_by_role("heading", name="Run recollect open").wait_for()
    assert page.url.endswith("q=tides+again")


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
    old.locator(".hit", has_text="Reminders before low water").first.wait_for()
