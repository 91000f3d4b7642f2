"""For everyone: no serious finding of axe, everything by keyboard, less motion, other themes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.viewer_pages import Served
from tests.support.viewer_views import SCREENS, VIEWS, View, serious_findings, settled
from tests.viewer.conftest import serving

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.support.viewer_pages import Viewer

USABLE = """() => [...document.querySelectorAll("button, a, input, select, textarea")]
  .filter((each) => each.checkVisibility() && each.tabIndex >= 0 && !each.disabled)
  .map((each, number) => (each.dataset.usable = `${number} ${each.tagName}`))"""
REACHED = "() => document.activeElement.dataset.usable"


@pytest.fixture(scope="module")
def worker(filled_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One worker for all tests: they only look."""
    yield from serving(filled_home, tmp_path_factory.mktemp("looked-at"))


@pytest.mark.parametrize("view", VIEWS, ids=str)
def test_axe_finds_nothing_serious(viewer: Viewer, view: View) -> None:
    """Names, roles, contrast AA, order of headings, in both themes and on a narrow screen."""
    for scheme, width in SCREENS:
        size = {"width": width, "height": 800}
        page = viewer.open(view.address, color_scheme=scheme, viewport=size)
        settled(page, view)
        assert serious_findings(page) == []
        viewer.leave()


@pytest.mark.parametrize("view", VIEWS, ids=str)
def test_everything_is_reached_by_tab(viewer: Viewer, view: View) -> None:
    """Each thing that can be used gets the focus in its turn, and shows it."""
    page = viewer.open(view.address)
    settled(page, view)
    usable = page.evaluate(USABLE)
    reached: set[str] = set()
    page.evaluate("document.activeElement?.blur()")
    for _ in range(len(usable) + 25):  # a field for a time has a stop for each of its parts
        page.keyboard.press("Tab")
        reached.add(page.evaluate(REACHED))
    assert set(usable) <= reached


def test_the_first_key_leads_past_the_ways(viewer: Viewer) -> None:
    """A link that is seen with the focus alone."""
    page = viewer.open("#/live")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.id === 'main'")


def test_a_dialog_keeps_and_gives_back_the_focus(viewer: Viewer) -> None:
    """`?` lists the keys of the view; Escape closes it."""
    page = viewer.open("#/live")
    page.get_by_text("Reviews of the tide code").wait_for()
    page.get_by_role("button", name="Keys").focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Keys")
    dialog.get_by_text("pause and go on").wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Keys"
    page.keyboard.press("Enter")
    dialog.wait_for()


def test_the_theme_is_the_systems_until_one_is_chosen(viewer: Viewer) -> None:
    """The choice is kept; the third step gives it back to the system."""
    page = viewer.open("#/live", color_scheme="light")
    light = _paper(page)
    page.get_by_role("button", name="Theme: auto").click()
    dark = _paper(page)
    assert dark != light
    page.reload()
    page.get_by_role("button", name="Theme: dark").click()
    assert _paper(page) == light
    page.get_by_role("button", name="Theme: light").click()
    page.emulate_media(color_scheme="dark")
    assert _paper(page) == dark


def _paper(page: Page) -> str:
    paper: str = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    return paper


def test_less_motion_is_none(viewer: Viewer) -> None:
    """No animation runs where the system asks for less."""
    page = viewer.open("#/live", reduced_motion="reduce")
    page.get_by_text("Reviews of the tide code").wait_for()
    running = "document.getAnimations().filter((each) => each.playState === 'running').length"
    assert page.evaluate(running) == 0
