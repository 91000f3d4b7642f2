"""Pages of the viewer over a worker of the test, in a real browser; their troubles are noted."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

from tests.support.served import free_port, serving
from tests.support.viewer_home import OVERRIDES

if TYPE_CHECKING:  # it may not be installed
    from playwright.sync_api import Browser, BrowserContext, Page, Response

TOKEN_KEY = "recollect.token"
WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.violations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`));
"""
OPEN = "if (location.protocol === 'http:') sessionStorage.setItem('{key}', '{token}');"


class Served:
    """A worker that serves a home, and may be started again on the same port."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._overrides = OVERRIDES | {"server.port": free_port()}
        self._running = ExitStack()
        self.start()

    def start(self) -> None:
        """Start it."""
        presence = self._running.enter_context(serving(self.home, self._overrides))
        self.address = presence.address

    def stop(self) -> None:
        """Stop it, and wait for that."""
        self._running.close()

    @property
    def token(self) -> str:
        """The owner's token."""
        return (self.home / "token").read_text("ascii").strip()

    def call(self, method: str, path: str, body: object = None) -> Any:
        """Return the JSON of an answer to the owner."""
        headers = {"authorization": f"Bearer {self.token}"}
        reply = httpx.request(method, self.address + path, headers=headers, json=body)
        assert reply.is_success, reply.text
        return reply.json()


class Viewer:
    """The browser in front of a worker: pages that are in, with their troubles noted."""

    def __init__(self, browser: Browser, worker: Served) -> None:
        self._browser = browser
        self.worker = worker
        self.troubles: list[str] = []
        self.expected: list[str] = []
        self._contexts: list[BrowserContext] = []

    def context(self, **options: Any) -> BrowserContext:
        """Return a profile of its own; what its pages say and ask for is watched."""
        context = self._browser.new_context(**options)
        context.set_default_timeout(30_000)
        context.add_init_script(WATCH)
        context.on("page", self._watch)
        self._contexts.append(context)
        return context

    @property
    def pass_token(self) -> str:
        """The script that gives a page the owner's token."""
        return OPEN.format(key=TOKEN_KEY, token=self.worker.token)

    def open(self, address: str = "#/live", **options: Any) -> Page:
        """Return a page that has the owner's token."""
        context = self.context(**options)
        context.add_init_script(self.pass_token)
        page = context.new_page()
        page.goto(f"{self.worker.address}/{address}")
        page.get_by_role("heading", level=1).wait_for()
        return page

    def leave(self) -> None:
        """Close all pages; their troubles are kept."""
        for context in self._contexts:
            for page in context.pages:
                self.troubles += page.evaluate("window.violations ?? []")
            context.close()
        self._contexts.clear()

    def close(self) -> None:
        """Close all pages, and require that nothing was wrong in them."""
        self.leave()
        unexpected = [
            each for each in self.troubles if not any(part in each for part in self.expected)
        ]
        assert unexpected == []

    def _watch(self, page: Page) -> None:
        page.on("pageerror", lambda error: self.troubles.append(f"error: {error}"))
        page.on("dialog", lambda dialog: self.troubles.append(f"dialog: {dialog.message}"))
        page.on("response", self._answered)
        page.on(
            "console",
            lambda line: (
                self.troubles.append(f"console: {line.text}") if line.type == "error" else None
            ),
        )
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith(self.worker.address)
                else self.troubles.append(f"another origin: {request.url}")
            ),
        )

    def _answered(self, response: Response) -> None:
        if response.status >= 400:
            self.troubles.append(f"status {response.status}: {response.url}")


def chromium() -> str | None:
    """Return the path of a Chromium on this machine."""
    return shutil.which("chromium") or shutil.which("google-chrome")


@contextmanager
def browsing(program: str) -> Iterator[Browser]:
    """Run a Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # Root in a container has no sandbox; the pages are our own.
        yield playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
