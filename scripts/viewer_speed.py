"""Measures the viewer in a real Chromium over a home of 100,000 observations.

``python -m scripts.viewer_speed [HOME]`` prints a table; a home that is named is filled once and
kept for the next run. What else the machine does is in the figures.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

import recollect
from benchmarks.datasets.synthetic import SyntheticCorpus
from tests.support.viewer_home import OVERRIDES
from tests.support.viewer_pages import Served, Viewer, browsing, chromium

if TYPE_CHECKING:  # it may not be installed
    from playwright.sync_api import Page

OBSERVATIONS = 100_000
EACH = 500
WORDS = 14
TYPES = ("decision", "discovery", "bugfix", "change")
ROUNDS = 5
QUESTIONS = ("the harbour", "what did we decide about it", "bug in the table of times")
POSTS = 300
WATCH = """
window.tasks = []; window.searches = [];
new PerformanceObserver((list) => list.getEntries().forEach((each) =>
  window.tasks.push(each.duration))).observe({ type: "longtask" });
new PerformanceObserver((list) => list.getEntries().forEach((each) =>
  each.name.endsWith("/api/memory/search") && window.searches.push(each.duration),
)).observe({ type: "resource" });
"""
TAKE = "(name) => window[name].splice(0)"
END = "document.querySelector('.list').scrollTop = 1e9"


def main(arguments: list[str]) -> int:
    """Print the figures; return the exit status."""
    program = chromium()
    if program is None:
        print("chromium is not installed: `apt install chromium`", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder, browsing(program) as browser:
        home = Path(arguments[0]) if arguments else Path(folder) / "home"
        if not home.exists():
            _fill(home)
        worker = Served(home)
        try:
            for name, figure in _figures(Viewer(browser, worker)):
                print(f"{name:<58} {figure}")
        finally:
            worker.stop()
    return 0


def _fill(home: Path) -> None:
    turns = (
        turn for session in SyntheticCorpus(1).sessions(OBSERVATIONS) for turn in session.turns
    )
    with recollect.open(home, overrides=OVERRIDES) as memory:
        for number in range(OBSERVATIONS // EACH):
            session = memory.sessions.create(project=f"/srv/{number % 7}", title=f"Day {number}")
            memory.observations.record_many(
                {
                    "session_id": session.id,
                    "type": TYPES[at % len(TYPES)],
                    "summary": " ".join(turn.text.split()[:WORDS]),
                    "importance": at % 100 / 100,
                }
                for at, turn in enumerate(islice(turns, EACH))
            )
        memory.sync()


def _figures(viewer: Viewer) -> Iterator[tuple[str, str]]:
    yield "observation stored, no viewer, ms: median, p95", _posted(viewer.worker)
    page, first = _open(viewer)
    yield f"first row of {ROUNDS} loads, ms: median, most", _spread(first)
    for _ in range(40):  # until all of the journal is there
        page.evaluate(END)
        if "begins here" in page.locator(".live-begin").inner_text():
            break
        page.wait_for_timeout(200)
    rows = page.locator(".list").evaluate("list => list.scrollHeight")
    yield "height of the list when all of it is there, px", f"{rows:,}"
    page.evaluate(TAKE, "tasks")
    page.mouse.move(700, 500)
    for step in (900, -900, -20_000):
        for _ in range(100):
            page.mouse.wheel(0, step)
            page.wait_for_timeout(16)
        tasks = page.evaluate(TAKE, "tasks")
        yield f"tasks over 50 ms in 100 wheels of {step:,} px: number, most", _most(tasks)
    yield "observation stored, a viewer open, ms: median, p95", _posted(viewer.worker)
    yield "tasks over 50 ms meanwhile: number, most", _most(page.evaluate(TAKE, "tasks"))
    page.goto(f"{viewer.worker.address}/#/search")
    box = page.get_by_role("searchbox")
    for question in QUESTIONS:
        box.fill("")
        box.press_sequentially(question, delay=90)
        page.wait_for_timeout(300)
    searches = sorted(page.evaluate(TAKE, "searches"))
    yield f"{len(searches)} searches while one types, ms: median, p95", _tail(searches)
    yield "tasks over 50 ms meanwhile: number, most", _most(page.evaluate(TAKE, "tasks"))


def _open(viewer: Viewer) -> tuple[Page, list[float]]:
    """Return a page, and ms from its navigation to its first row with a text, of each load."""
    context = viewer.context(viewport={"width": 1280, "height": 860})
    context.add_init_script(WATCH)
    context.add_init_script(viewer.pass_token)
    page, first = context.new_page(), []
    for _ in range(ROUNDS):
        page.goto("about:blank")
        page.goto(f"{viewer.worker.address}/#/live")
        page.locator(".live-row .chip").first.wait_for()
        first.append(page.evaluate("performance.now()"))
    return page, first


def _posted(worker: Served) -> str:
    times: list[float] = []
    with httpx.Client(headers={"authorization": f"Bearer {worker.token}"}) as client:
        for number in range(POSTS):
            body: dict[str, Any] = {"session_key": "speed", "summary": f"Row {number} is stored"}
            began = time.perf_counter()
            client.post(f"{worker.address}/api/observations", json=body).raise_for_status()
            times.append((time.perf_counter() - began) * 1_000)
    return _tail(sorted(times))


def _spread(times: list[float]) -> str:
    return f"{statistics.median(times):.0f}, {max(times):.0f}"


def _tail(times: list[float]) -> str:
    return f"{statistics.median(times):.1f}, {times[int(len(times) * 0.95)]:.1f}"


def _most(tasks: list[float]) -> str:
    return f"{len(tasks)}, {max(tasks, default=0):.0f} ms"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
