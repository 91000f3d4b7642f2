"""Texts that want to be more than text: nothing runs, nothing leaves its place."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import recollect
from recollect.memory import Memory
from tests.support.hostile_texts import HOSTILE
from tests.support.viewer_home import OVERRIDES
from tests.support.viewer_pages import Served, Viewer
from tests.support.viewer_views import WIDTHS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

LONG = "agent:hostile:main"
TWO_FRAMES = "() => new Promise((d) => requestAnimationFrame(() => requestAnimationFrame(d)))"
OPEN_TWO = """() => [...document.querySelectorAll(".live-row:not(.open) > .live-body")]
  .slice(0, 2).forEach((each) => each.click())"""
STEP_DOWN = """() => {
  const list = document.querySelector(".list");
  const before = list.scrollTop;
  list.scrollBy(0, innerHeight * 3);
  return list.scrollTop === before && list.textContent.includes("The memory begins here.");
}"""
SCROLL = "document.querySelector('.list').scrollBy(0, innerHeight * 3)"
UNFOLD = """() => [...document.querySelectorAll(".fold-head[aria-expanded=false]")]
  .slice(0, 4).forEach((each) => each.click())"""
TIDY = """() => {
  const wide = document.documentElement.scrollWidth - innerWidth;
  const high = document.documentElement.scrollHeight - innerHeight;
  const rows = [...document.querySelectorAll(".row, .sheet li, .pairs > div, .sheet p")];
  const outside = rows.filter((row) => {
    const { left, right, height } = row.getBoundingClientRect();
    return left < 0 || right > innerWidth + 1 || height > 6000;
  });
  return { wide, high, outside: outside.map((row) => row.textContent.slice(0, 80)) };
}"""


@pytest.fixture(scope="module")
def hostile_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with every text in every field that the views show."""
    home = tmp_path_factory.mktemp("hostile") / "home"
    with recollect.open(home, overrides=OVERRIDES) as memory:
        for start in range(0, len(HOSTILE), 30):
            texts = HOSTILE[start : start + 30]
            for number, text in enumerate(texts):
                title = text.replace("\0", "")[:200].strip() or None
                project = f"/srv/{start + number} {text[:60]}".replace("\0", "").replace("\n", " ")
                session = memory.sessions.create(title=title, project=project)
                memory.sessions.append(session.id, "user", text, name=text[:100])
                memory.observations.record(
                    session.id,
                    text.strip()[:60] or "tool",
                    text.strip()[:40] or "note",
                    text,
                    text,
                    text[:2_000],
                    title=text[:300],
                    files=[f"a {text[:80]}"],
                )
                memory.facts.remember(None, f"Note {start + number}: {text[:500]}")
        _long_session(memory)
        memory.sync()
    return home


def _long_session(memory: Memory) -> None:
    """All of them as messages, tools, what tools gave, a summary, forks and a block of context."""
    session = memory.sessions.create(key=LONG, project="/srv/hostile")
    for number, text in enumerate(HOSTILE):
        name = text.strip()[:60] or "tool"
        used = {"type": "tool_use", "id": f"c{number}", "name": name, "input": {name: text}}
        came = {"type": "tool_result", "tool_use_id": f"c{number}", "content": text}
        said = [{"type": "text", "text": text}, {"type": "thinking", "thinking": text}, used]
        memory.sessions.append(session.id, "assistant", said, name=text[:100])
        memory.sessions.append(session.id, "tool", [came])
        memory.observations.record(
            session.id, type="decision", summary=text[:500], title=text[:300], importance=0.9
        )
    memory.sessions.compact(session.id, "\n".join(HOSTILE[:200]))
    for text in HOSTILE[::20]:
        title = text.replace("\0", "")[:200].strip() or None
        memory.sessions.fork(session.id, 2, title=title)
    after = memory.sessions.create(key="agent:main:main", project="/srv/hostile")
    assert memory.context(after.id).items


@pytest.fixture
def hostile(browser: Browser, hostile_home: Path, tmp_path: Path) -> Iterator[Viewer]:
    """Pages over that home."""
    home = tmp_path / "home"
    shutil.copytree(hostile_home, home)
    worker = Served(home)
    viewer = Viewer(browser, worker)
    try:
        yield viewer
        viewer.close()
    finally:
        worker.stop()


def _tidy(page: Page) -> None:
    shape = page.evaluate(TIDY)
    assert shape == {"wide": 0, "high": 0, "outside": []}
    assert page.evaluate("window.hostile === undefined")


@pytest.mark.parametrize("width", WIDTHS)
def test_live_shows_them_as_text(hostile: Viewer, width: int) -> None:
    """Every row of a list of 300 times each field, closed and opened."""
    page = hostile.open("#/live", viewport={"width": width, "height": 800})
    page.locator(".live-row").first.wait_for()
    screens = 0
    while screens < 1_000:
        screens += 1
        page.evaluate(OPEN_TWO)
        _tidy(page)
        if page.evaluate(STEP_DOWN):
            break
        page.evaluate(TWO_FRAMES)
    assert 30 < screens < 1_000


@pytest.mark.parametrize("width", WIDTHS)
def test_search_shows_them_as_text(hostile: Viewer, width: int) -> None:
    """As a question, as a line, in full, and as what was around."""
    page = hostile.open("#/search", viewport={"width": width, "height": 800})
    box = page.get_by_role("searchbox")
    for text in HOSTILE[::12]:
        question = text[:3_000]
        if question.strip():
            with page.expect_response("**/api/memory/search"):
                box.fill(question)
            page.evaluate(TWO_FRAMES)
            _tidy(page)
    with page.expect_response("**/api/memory/search"):
        box.fill("note")
    page.evaluate(TWO_FRAMES)
    for show in ("", "Around"):
        page.locator(".hit").nth(3).click()
        page.get_by_role("complementary", name="Opened result").wait_for()
        if show:
            page.get_by_role("button", name=show).click()
            page.locator(".moments li").first.wait_for()
        _tidy(page)
        page.keyboard.press("Escape")


@pytest.mark.parametrize("width", WIDTHS)
def test_sessions_show_them_as_text(hostile: Viewer, width: int) -> None:
    """As titles, projects and words of a filter; as a transcript with its tools folded open."""
    page = hostile.open("#/sessions", viewport={"width": width, "height": 800})
    page.locator(".hit").first.wait_for()
    for _ in range(12):
        _tidy(page)
        page.evaluate(SCROLL)
        page.evaluate(TWO_FRAMES)
    box = page.get_by_label("Words of the title")
    for text in HOSTILE[::30]:
        box.fill(text[:3_000])
        page.evaluate(TWO_FRAMES)
        _tidy(page)
    page.goto(f"{hostile.worker.address}/#/sessions/{LONG}")
    page.locator(".fold-head").first.wait_for()
    for _ in range(60):
        page.evaluate(UNFOLD)
        page.evaluate(TWO_FRAMES)
        _tidy(page)
        page.evaluate(SCROLL)
    page.keyboard.press("End")
    page.keyboard.press("[")
    page.locator(".row.selected .mark").get_by_role("button", name="more").click()
    _tidy(page)


@pytest.mark.parametrize("width", WIDTHS)
def test_context_shows_them_as_text(hostile: Viewer, width: int) -> None:
    """As lines of a block, of the next session, and of what is never injected."""
    page = hostile.open("#/context", viewport={"width": width, "height": 800})
    page.locator(".block-row").first.click()
    page.locator(".block-line").nth(20).wait_for()
    _tidy(page)
    page.goto(f"{hostile.worker.address}/#/context?view=next&project=hostile")
    page.get_by_role("button", name="Never inject this again").first.wait_for()
    for text in HOSTILE[::30]:
        page.get_by_label("What the first prompt asks").fill(text[:3_000])
        page.evaluate(TWO_FRAMES)
        _tidy(page)
    page.get_by_label("What the first prompt asks").fill("")
    for line in range(5):
        page.get_by_role("button", name="Never inject this again").nth(line).click()
    page.get_by_role("button", name="Never again").click()
    page.get_by_role("button", name="Inject it again").first.wait_for()
    _tidy(page)


KEPT = {
    *("id", "state", "outcome", "plan_id", "must_be", "unit", "rights", "started_at", "kind"),
    *("session_ids", "partial_ids", "shared_with"),
    *("at", "created_at", "expires_at", "revoked_at", "last_used_at", "last_sync_at", "oldest_at"),
}
"""Fields that are no texts of others: the page decides by them, or reads them as a time."""


def _hostile(answer: Any, text: str, field: str = "") -> Any:
    """Return an answer with a text in each field that may hold one, and some in each list."""
    if isinstance(answer, dict):
        return {
            name: _hostile(part, f"{text} {number}" if name == "name" else text, name)
            for number, (name, part) in enumerate(answer.items())
        }
    if isinstance(answer, list):
        return [_hostile(part, f"{text} {at}", field) for at, part in enumerate(answer)]
    is_text = isinstance(answer, str) and field not in KEPT
    is_excluded = answer == "privacy.exclude_projects"
    return text if is_text and not is_excluded else answer


CHECK = {"name": "a", "state": "wrong", "detail": "a", "hint": "run `a`"}
SPENT = dict.fromkeys(
    (
        *("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"),
        *("requests", "usd", "unpriced"),
    ),
    1,
)
READ = ("status", "clients", "capture", "projects", "tokens", "audit", "settings")


def _answers(worker: Served) -> dict[str, Any]:
    """Return what the routes of these views answer, with something in each list."""
    worker.call("POST", "/api/tokens", {"name": "phone"})
    answers = {name: worker.call("GET", f"/api/{name}") for name in READ}
    answers["projects"]["projects"] = answers["projects"]["projects"][:5]
    plan = worker.call("POST", "/api/erase", {"query": "a", "dry_run": True})
    names = ("still_held_by", "exports", "damaged_copies", "warnings")
    lists = {name: ["a", "b"] for name in names}
    spent = SPENT | dict.fromkeys(("day", "purpose", "provider", "model", "kind"), "a")
    for setting in answers["settings"]["settings"]:
        if setting["must_be"] == "a list of texts" and not setting["secret"]:
            setting["value"] = ["a", "b"]
    return answers | {
        "doctor": {"healthy": False, "fixed": ["a"], "plan_id": "1", "checks": 3 * [CHECK]},
        "models/spending": {"spending": [spent], "tokens": 1, "usd": 1},
        "erase": plan | lists,
    }


@pytest.mark.parametrize("width", WIDTHS)
def test_answers_about_the_home_are_shown_as_text(hostile: Viewer, width: int) -> None:
    """Health with its parts, Erase and Settings: a text in every field of every answer."""
    texts = iter(HOSTILE * 9)
    page = hostile.open("#/live", viewport={"width": width, "height": 800})

    def answer(name: str, document: Any) -> None:
        def replace(route: Route) -> None:
            text = next(texts).replace("\0", "")[:1_000]
            route.fulfill(json=_hostile(document, text))

        page.route(re.compile(f"/api/{name}([?]|$)"), replace)

    for name, document in _answers(hostile.worker).items():
        answer(name, document)
    for address, shows in (
        ("#/health", ".health .rows li:nth-child(3)"),
        ("#/health/capture", ".health textarea"),
        ("#/health/tokens", ".rows li:nth-child(2)"),
        ("#/health/audit", ".rows li"),
        ("#/erase?q=a&session=", ".erase-warning"),
        ("#/settings", ".settings-list > li"),
    ):
        page.goto("about:blank")
        page.goto(f"{hostile.worker.address}/{address}")
        for _ in range(2):
            page.locator(shows).first.wait_for()
            _tidy(page)
            for summary in page.locator("summary, .settings-row[aria-expanded=false]").all()[:1]:
                summary.click()
                _tidy(page)
            page.reload()
