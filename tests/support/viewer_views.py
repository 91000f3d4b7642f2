"""The views that are looked at: by tests of all of them, and for the pictures of the docs."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
import pytest

from tests.support.viewer_sessions import KEY

if TYPE_CHECKING:
    from playwright.sync_api import Page

IS_WHOLE = os.environ.get("VIEWER_SCREENS") == "all"  # noqa: TID251
"""Whether each view is looked at on every screen; `make viewer-test` does, else a half of them."""
WIDTHS = [360, 1280] if IS_WHOLE else [360]
"""Of the screens that hostile texts are shown on: what is too wide shows on a narrow one."""
SCREENS = [("light", 1280), ("dark", 390), *([("light", 390), ("dark", 1280)] if IS_WHOLE else [])]
"""Of the screens that axe looks at: the theme and the width."""


class View(msgspec.Struct, frozen=True, kw_only=True):
    """A view in one state.

    Attributes:
        name: Of the picture.
        address: After the ``/``.
        shows: A selector of what is there when it is complete.
        before: What is done in the page first.
    """

    name: str
    address: str
    shows: str
    before: Callable[[Page], object] = lambda page: None

    def __str__(self) -> str:
        return self.name


def serious_findings(page: Page) -> list[tuple[str, list[str]]]:
    """Return what axe finds in a page that is serious, each with some of the elements."""
    reason = "axe is not installed: `make viewer-test` installs it"
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason=reason).Axe()
    return [
        (each["id"], [node["html"][:150] for node in each["nodes"]][:3])
        for each in axe.run(page).response["violations"]
        if each["impact"] in {"serious", "critical"}
    ]


def settled(page: Page, view: View) -> None:
    """Wait until a view is complete."""
    view.before(page)
    page.locator(view.shows).first.wait_for()
    page.locator(".link-state.open").wait_for(state="attached")


def _open_first(page: Page) -> None:
    page.locator(".hit").first.click()


VIEWS = (
    View(name="live", address="#/live", shows=".live-row .chip"),
    View(name="search", address="#/search?q=why+do+the+reminders+come+late", shows=".hit mark"),
    View(
        name="search-details",
        address="#/search?q=why+do+the+reminders+come+late",
        shows=".opened-body .measure",
        before=_open_first,
    ),
    View(
        name="search-around",
        address="#/search?q=why+do+the+reminders+come+late&show=around",
        shows=".moments li",
        before=_open_first,
    ),
    View(name="sessions", address="#/sessions", shows=".hit .chip"),
    View(
        name="session",
        address=f"#/sessions/{KEY}",
        shows=".fold",
    ),
    View(name="context", address="#/context", shows=".block-row"),
    View(
        name="context-block",
        address="#/context",
        shows=".block-why .bar",
        before=lambda page: page.locator(".block-row").first.click(),
    ),
    View(
        name="context-next",
        address="#/context?view=next&project=harbour",
        shows=".block-why .bar",
    ),
    View(name="context-never", address="#/context?view=never", shows=".empty"),
    View(name="knowledge", address="#/knowledge", shows=".fact-line"),
    View(
        name="knowledge-fact",
        address="#/knowledge/facts?q=bristol",
        shows=".line-through",
        before=lambda page: page.locator(".row").first.click(),
    ),
    View(name="knowledge-review", address="#/knowledge/review", shows=".review .card"),
    View(name="knowledge-episodes", address="#/knowledge/episodes", shows=".episode"),
    View(name="knowledge-people", address="#/knowledge/people", shows=".card"),
    View(name="health", address="#/health", shows=".health summary"),
    View(name="health-capture", address="#/health/capture", shows=".health textarea"),
    View(name="health-tokens", address="#/health/tokens", shows=".rows li"),
    View(name="health-audit", address="#/health/audit", shows=".sheet > p"),
    View(name="erase", address="#/erase?q=queue", shows=".erase-list .line"),
    View(
        name="settings",
        address="#/settings?q=context&open=context.budget_tokens",
        shows=".settings-editor",
    ),
)
