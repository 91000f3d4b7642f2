"""A real worker, a filled home and a real browser; what goes wrong in the page fails the test."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.viewer_home import fill, fill_conversations
from tests.support.viewer_knowledge import fill_knowledge
from tests.support.viewer_pages import Served, Viewer, browsing, chromium
from tests.support.viewer_sessions import tell

if TYPE_CHECKING:  # it may not be installed
    from playwright.sync_api import Browser

NO_PLAYWRIGHT = "playwright is not installed: `make viewer-test` installs it"
NO_CHROMIUM = "chromium is not installed: `apt install chromium fonts-noto-cjk` installs it"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, or another that is on the path.

    One a module: its driver has an event loop that runs, beside which tests of other modules in the
    same process could start none.
    """
    pytest.importorskip("playwright", reason=NO_PLAYWRIGHT)
    program = chromium()
    if program is None:
        pytest.skip(NO_CHROMIUM)
    with browsing(program) as running:
        yield running


@pytest.fixture(scope="session")
def filled_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with long sessions, six weeks of knowledge and a week of work; tests change copies."""
    home = tmp_path_factory.mktemp("filled") / "home"
    fill_conversations(home)
    tell(home, home.with_name("harbour"))
    fill_knowledge(home)
    fill(home)
    return home


def serving(filled_home: Path, folder: Path) -> Iterator[Served]:
    """Yield a worker of a copy of the filled home."""
    home = folder / "home"
    shutil.copytree(filled_home, home)
    served = Served(home)
    yield served
    served.stop()


@pytest.fixture
def worker(filled_home: Path, tmp_path: Path) -> Iterator[Served]:
    """A worker of a copy of the filled home."""
    yield from serving(filled_home, tmp_path)


@pytest.fixture
def viewer(browser: Browser, worker: Served) -> Iterator[Viewer]:
    """Pages over that worker; a violation, an error or a request elsewhere fails the test."""
    shown = Viewer(browser, worker)
    yield shown
    shown.close()


@pytest.fixture
def say(worker: Served) -> Callable[[str], None]:
    """Return what appends a message to the session ``agent:main:main``."""

    def append(text: str) -> None:
        body = {"session_key": "agent:main:main", "role": "user", "content": text}
        worker.call("POST", "/api/messages", body)

    return append
