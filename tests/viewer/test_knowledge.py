"""Knowledge: facts with where they were said, what can be done with them, episodes and people."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.viewer_knowledge import fill_hostile, fill_talk
from tests.support.viewer_views import WIDTHS

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.support.viewer_pages import Served, Viewer

BRISTOL = "I live in Bristol now"
LEEDS = "I live in Leeds, in a flat above the bakery"
LIMIT = "The API rate limit is 100 requests per minute"
CLAIM = "Prefers the window seat"
WIDE = "[...document.querySelectorAll('.main, .main *')].filter((each) => {\
 const {right, width} = each.getBoundingClientRect();\
 return width && right > innerWidth + 1 && !each.closest('.filters');\
}).map((each) => each.outerHTML.slice(0, 200))"


@pytest.fixture
def page(viewer: Viewer) -> Page:
    """The facts, in a window that is high enough for all."""
    page = viewer.open("#/knowledge", viewport={"width": 1280, "height": 4_000})
    row(page, BRISTOL).wait_for()
    return page


def row(page: Page, text: str) -> Locator:
    """Return the row of a fact."""
    return page.locator(".row", has_text=text)


def click(page: Page, text: str) -> Locator:
    """Open a fact by its row; return the panel once its keys work."""
    row(page, text).click()
    opened(page).get_by_role("group").wait_for()
    return opened(page)


def opened(page: Page, name: str = "") -> Locator:
    """Return what is open."""
    return page.get_by_role("complementary", name=f"Opened: {name}")


def counted(some: Locator, number: int) -> None:
    """Wait until there are so many."""
    from playwright.sync_api import expect

    expect(some).to_have_count(number)


def toasted(page: Page, text: str) -> Locator:
    """Return the message of what was done, once it is there."""
    toast = page.locator(".toast", has_text=text)
    toast.wait_for()
    return toast


def fact_of(worker: Served, text: str, status: str = "current") -> dict[str, Any]:
    """Return the fact with a text as HTTP has it."""
    facts = worker.call("GET", f"/api/facts?limit=500&status={status}")["facts"]
    (own,) = [each for each in facts if each["text"] == text]
    return dict(own)


def headings(page: Page) -> list[str]:
    """Return the headings in sight, without their numbers."""
    return [each.partition(" · ")[0] for each in page.locator(".group").all_inner_texts()]


def test_facts_stand_by_kind_person_and_project(page: Page) -> None:
    """The order is in the address; the lists have what has several values first."""
    assert "personal" in [each.lower() for each in headings(page)]
    page.get_by_label("Order").select_option("whom")
    page.get_by_role("heading", name="brother tom").wait_for()
    page.get_by_label("Order").select_option("project")
    page.get_by_role("heading", name="queue · ").wait_for()
    page.wait_for_url("**#/knowledge?by=project")
    page.get_by_label("Project", exact=True).select_option("queue")
    counted(page.locator(".group"), 1)
    page.get_by_role("searchbox").fill("valkey queue")
    row(page, "Let's use Valkey").wait_for()
    assert page.locator(".row").count() == 1
    page.get_by_role("searchbox").fill("nothing of it")
    page.get_by_text("Nothing fits").wait_for()
    page.get_by_role("link", name="Lists").click()
    page.get_by_role("heading", name="allergy · 2").wait_for()
    assert page.locator(".row", has_text="allergic").count() == 2


def test_what_is_past_and_what_was_true_then(page: Page) -> None:
    """The state is one of the filters; a day shows what was true on it."""
    page.get_by_role("button", name="Past").click()
    row(page, LEEDS).wait_for()
    assert row(page, BRISTOL).count() == 0
    page.get_by_role("button", name="True now").click()
    row(page, BRISTOL).wait_for()
    day = page.evaluate("new Date(Date.now() - 30 * 86400000).toISOString().slice(0, 10)")
    page.get_by_label("What was true on").fill(day)
    row(page, LEEDS).wait_for()
    assert row(page, BRISTOL).count() == 0


def test_a_fact_says_where_it_was_said_and_what_replaced_what(page: Page, worker: Served) -> None:
    """The quoted span, the way to its message, the line through time; a link shows the same."""
    panel = click(page, BRISTOL)
    assert panel.locator(".quote mark").inner_text() == BRISTOL
    new, old = fact_of(worker, BRISTOL), fact_of(worker, LEEDS, "replaced")
    session = panel.get_by_role("link", name="Talks over tea, By the way")
    assert session.get_attribute("href") == f"#/sessions/{new['session_id']}?at=1"
    line = panel.locator(".line-through li")
    assert [LEEDS in line.nth(0).inner_text(), BRISTOL in line.last.inner_text()] == [True, True]
    line.nth(0).get_by_role("link").click()
    page.wait_for_url(f"**/{old['id']}")
    opened(page, old["id"]).locator(".chip.warn", has_text="replaced").wait_for()
    page.reload()
    assert opened(page, old["id"]).locator(".quote mark").inner_text() == LEEDS
    page.keyboard.press("Escape")
    opened(page).wait_for(state="hidden")


def test_a_span_is_counted_in_characters(viewer: Viewer, worker: Served) -> None:
    """An emoji is one of them."""
    said = {"session_key": "emoji", "role": "user", "content": "🎉🎉👩‍🚀 My cat is called Miso."}
    worker.call("POST", "/api/messages", said)
    worker.call("POST", "/api/sync", {})
    fact = fact_of(worker, "My cat is called Miso")
    page = viewer.open(f"#/knowledge/facts/{fact['id']}")
    assert opened(page).locator(".quote mark").inner_text() == "My cat is called Miso"


def test_words_are_edited_and_taken_back(page: Page, worker: Served) -> None:
    """By the button and the toast."""
    click(page, BRISTOL)
    opened(page).get_by_role("button", name="Edit").click()
    page.get_by_label("What it says").fill("I live in Bath now")
    page.get_by_role("button", name="Save").click()
    row(page, "I live in Bath now").wait_for()
    toasted(page, "Changed").get_by_role("button", name="Undo").click()
    row(page, BRISTOL).wait_for()
    assert fact_of(worker, BRISTOL)["value"] == "bristol"
    page.keyboard.press("u")  # it is taken back already
    opened(page).get_by_text("3 changes").click()
    assert opened(page).locator(".changes > div").count() == 3


def test_a_fact_is_confirmed_pinned_and_back_by_keys(page: Page, worker: Served) -> None:
    """What is certain needs no confirmation; u takes back what was done last."""
    click(page, BRISTOL)
    opened(page).get_by_role("button", name="Confirm").wait_for()
    page.keyboard.press("c")
    opened(page).get_by_role("button", name="Confirm").wait_for(state="hidden")
    assert fact_of(worker, BRISTOL)["confidence"] == 1
    page.keyboard.press("u")
    opened(page).get_by_role("button", name="Confirm").wait_for()
    page.keyboard.press("p")
    opened(page).get_by_role("button", name="Unpin").wait_for()
    assert fact_of(worker, BRISTOL)["pinned"]
    page.keyboard.press("u")
    opened(page).get_by_role("button", name="Pin", exact=False).first.wait_for()
    page.locator(".toast", has_text="Taken back").nth(1).wait_for()
    assert not fact_of(worker, BRISTOL)["pinned"]


def test_a_fact_makes_way_for_another_and_back(page: Page, worker: Served) -> None:
    """Undone, the new one is gone and the old one true."""
    click(page, "I prefer green tea")
    page.keyboard.press("r")
    page.get_by_label("What is true instead").fill("I prefer black tea")
    page.keyboard.press("Enter")
    toasted(page, "made way for")
    row(page, "I prefer black tea").wait_for()
    row(page, "I prefer green tea").wait_for(state="hidden")
    assert opened(page).locator(".line-through li").count() == 2
    page.keyboard.press("u")
    row(page, "I prefer green tea").wait_for()
    row(page, "I prefer black tea").wait_for(state="hidden")
    assert fact_of(worker, "I prefer black tea", "forgotten")


def test_what_may_not_replace_leaves_nothing_behind(
    page: Page, viewer: Viewer, worker: Served
) -> None:
    """The server says why; the fact that was made for it is gone again."""
    viewer.expected = ["422"]
    fact = fact_of(worker, BRISTOL)
    body = json.dumps({"by": fact_of(worker, "I prefer green tea")["id"]})  # true before it
    page.route(f"**/{fact['id']}/replace", lambda route: route.continue_(post_data=body))
    click(page, BRISTOL)
    page.keyboard.press("r")
    page.get_by_label("What is true instead").fill("The harbour is in Bristol")
    page.get_by_role("button", name="Replace", exact=True).last.click()
    toasted(page, "makes way only for one that is true later")
    assert fact_of(worker, BRISTOL)
    assert fact_of(worker, "The harbour is in Bristol", "forgotten")


def test_from_the_list_to_forgetting_and_back_by_keys_alone(viewer: Viewer, worker: Served) -> None:
    """G k, j, Enter, x, u, Escape."""
    page = viewer.open("#/live")
    page.keyboard.press("g")
    page.keyboard.press("k")
    page.locator(".fact-line").first.wait_for()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    opened(page).get_by_role("button", name="Forget").wait_for()
    name = opened(page).locator("b").first.inner_text()
    page.keyboard.press("x")
    toasted(page, f"Forgotten: {name}")
    assert worker.call("GET", f"/api/facts/{name}")["status"] == "forgotten"
    opened(page).locator(".chip.bad", has_text="forgotten").wait_for()
    page.keyboard.press("u")
    opened(page).get_by_role("button", name="Forget").wait_for()
    assert worker.call("GET", f"/api/facts/{name}")["status"] == "current"
    page.keyboard.press("j")
    opened(page, name).wait_for(state="hidden")
    page.keyboard.press("Escape")
    opened(page).wait_for(state="hidden")
    page.keyboard.press("/")
    page.keyboard.type("valkey")
    counted(page.locator(".row"), 1)
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    page.get_by_role("dialog").get_by_text("to the box").wait_for()


def test_what_was_replaced_comes_back_and_makes_way_again(viewer: Viewer, worker: Served) -> None:
    """Bring back, and the undo of it."""
    page = viewer.open(f"#/knowledge/facts/{fact_of(worker, LIMIT, 'replaced')['id']}")
    opened(page).get_by_role("button", name="Bring back").click()
    toasted(page, "It counts again").get_by_role("button", name="Undo").click()
    opened(page).get_by_role("button", name="Bring back").wait_for()
    assert fact_of(worker, LIMIT, "replaced")["valid_to"]


def test_the_review_accepts_and_rejects(viewer: Viewer, worker: Served) -> None:
    """A rejected claim that is taken back waits again; an accepted one is the owner's."""
    page = viewer.open("#/knowledge/review")
    waiting = page.get_by_role("region", name="Waiting for your yes")
    card = waiting.locator(".card", has_text=CLAIM)
    card.get_by_role("button", name="Reject").click()
    card.wait_for(state="hidden")
    toasted(page, "Forgotten").get_by_role("button", name="Undo").click()
    card.wait_for()
    assert fact_of(worker, CLAIM, "review")
    card.get_by_role("button", name="Accept").click()
    card.wait_for(state="hidden")
    assert fact_of(worker, CLAIM)["trust"] == "owner"
    unsure = page.get_by_role("region", name="Least certain")
    way = unsure.get_by_role("link").first.get_attribute("href")
    unsure.get_by_role("button", name="Confirm").first.click()
    unsure.locator(f'[href="{way}"]').wait_for(state="hidden")
    open_end = page.get_by_role("region", name="Left open")
    assert open_end.get_by_text("We still need to decide who owns the alerts").is_visible()


def test_claims_of_who_is_who_are_linked_or_dismissed(viewer: Viewer, worker: Served) -> None:
    """The account may be given another way; a dismissal asks first."""
    page = viewer.open("#/knowledge/review")
    claims = page.get_by_role("region", name="Who is who")
    claims.locator(".card", has_text="My Signal id").get_by_role("button", name="Dismiss").click()
    page.get_by_role("dialog").get_by_role("button", name="Dismiss").click()
    claims.get_by_text("My Signal id").wait_for(state="hidden")
    claims.get_by_role("button", name="Link").click()
    page.get_by_label("Account as messages").fill("telegram:43")
    page.keyboard.press("Enter")
    claims.wait_for(state="hidden")
    people = worker.call("GET", "/api/identities")["identities"]
    accounts = [{each["account"] for each in person["accounts"]} for person in people]
    assert {"discord:9", "telegram:43"} in accounts
    assert worker.call("GET", "/api/identities/proposals")["proposals"] == []


def test_accounts_are_linked_and_taken_apart(viewer: Viewer, worker: Served) -> None:
    """Both can be taken back; what is refused is said."""
    viewer.expected = ["409"]
    page = viewer.open("#/knowledge/people")
    ann = page.get_by_role("region", name="ann")
    ann.get_by_role("button", name="Unlink slack:U7").click()
    ann.get_by_text("slack:U7").wait_for(state="hidden")
    toasted(page, "apart").get_by_role("button", name="Undo").click()
    ann.get_by_text("slack:U7").wait_for()
    ann.get_by_role("button", name="Link an account to ann").click()
    page.get_by_label("Account as messages").fill("irc:libera:ann")
    page.keyboard.press("Enter")
    ann.get_by_text("irc:libera:ann").wait_for()
    toasted(page, "irc:libera:ann is ann").get_by_role("button", name="Undo").click()
    ann.get_by_text("irc:libera:ann").wait_for(state="hidden")
    page.get_by_role("button", name="Link an account", exact=True).click()
    page.get_by_label("Person").fill("bob")
    page.get_by_label("Account as messages").fill("telegram:42")
    page.get_by_role("dialog").get_by_role("button", name="Link").click()
    toasted(page, "the account is another person's")
    page.keyboard.press("Escape")
    assert len(worker.call("GET", "/api/identities")["identities"]) == 1


def test_episodes_stand_on_their_days(viewer: Viewer) -> None:
    """With the session that each came from; the filter is in the address."""
    page = viewer.open("#/knowledge/episodes")
    page.locator(".row", has_text="Let's use Valkey").click()
    panel = opened(page, "e")
    link = panel.get_by_role("link", name="The queue, Let's use")
    assert re.fullmatch(r"#/sessions/[0-9a-f-]{36}", link.get_attribute("href") or "")
    panel.get_by_text("2 messages").wait_for()
    page.keyboard.press("Escape")
    page.get_by_label("Project").select_option("queue")
    counted(page.locator(".row"), 3)
    assert all("The queue" in each for each in page.locator(".row").all_inner_texts())
    page.wait_for_url("**#/knowledge/episodes?project=queue")


def test_what_is_remembered_elsewhere_appears(page: Page, worker: Served) -> None:
    """Without a reload."""
    worker.call("POST", "/api/facts", {"text": "The ferry leaves at nine", "kind": "schedule"})
    row(page, "The ferry leaves at nine").wait_for()


@pytest.mark.parametrize("width", WIDTHS)
def test_hostile_texts_are_only_texts(viewer: Viewer, worker: Served, width: int) -> None:
    """In every field that is shown; none breaks the layout."""
    names = fill_hostile(worker.call)
    assert len(names) == 15
    page = viewer.open("#/knowledge/lists", viewport={"width": width, "height": 800})
    ways = ["facts?by=time", "facts?by=whom", "lists", "review", "people", "episodes"]
    for way in [*ways, *(f"facts/{each}" for each in names)]:
        page.goto(f"{worker.address}/#/knowledge/{way}")
        shown = ".quote" if "/" in way else ".row, .card"
        page.locator(shown).locator("visible=true").first.wait_for()
        for step in range(4):
            page.evaluate(
                "step => document.querySelector('.list, .scroll').scrollTo(0, step)", step * 700
            )
            assert page.evaluate(WIDE) == [], way
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("window.hostile === undefined")


def test_each_fact_of_real_talk_is_quoted_as_it_was_said(
    viewer: Viewer, worker: Served, bench_data: Path
) -> None:
    """Facts of a bench conversation that a message says."""
    fill_talk(worker.call, bench_data)
    facts = worker.call("GET", "/api/facts?limit=500")["facts"]
    said = [each for each in facts if each["message_id"]]
    assert len(said) > 20
    page = viewer.open("#/knowledge")
    for fact in said[::3]:
        body = {"ids": [fact["message_id"]], "max_tokens": None}
        (found,) = worker.call("POST", "/api/memory/get", body)["found"]
        page.goto(f"{worker.address}/#/knowledge/facts/{fact['id']}")
        mark = opened(page, fact["id"]).locator(".quote mark")
        assert mark.text_content() == found["record"]["text"][fact["start"] : fact["end"]]
