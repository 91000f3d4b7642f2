"""`recollect open`: the viewer in a browser, by a code that no list of processes shows."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from recollect.cli.help import App
from recollect.cli.invocation import answer, require_home
from recollect.cli.output.screen import say, show
from recollect.core.decoding import decode_json
from recollect.core.errors import StoreBusy
from recollect.server.presence import TOKEN_FILE, Presence, read_small, viewer_page

if TYPE_CHECKING:  # for a name only
    from recollect.answers.token import OneTimeCode

app = App()

_PATIENCE_S = 10.0
_XDG_S = 5
_PAGE = """<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url={link}">
<title>recollect</title>
<p>The memory opens.</p>
"""
_OF_SNAP = re.compile(r"[A-Za-z0-9-]+_[A-Za-z0-9._-]+\.desktop")
_OF_FLATPAK = (
    "/var/lib/flatpak/exports/share/applications",
    "~/.local/share/flatpak/exports/share/applications",
)


class OpenedViewer(msgspec.Struct, frozen=True, kw_only=True):
    """The viewer, and how to get in.

    Attributes:
        address: Of the page.
        opened: Whether a browser was started.
        link: The address with a code that lets in once, within a minute; null where a browser got
            it.
        expires_at: When the code ends, ms UTC.
    """

    address: str
    opened: bool
    link: str | None
    expires_at: int


@app.command("open", rich_help_panel="Begin")
def open_viewer(
    context: typer.Context,
    *,
    prints: Annotated[
        bool, typer.Option("--print", help="Print the address, and start no browser.")
    ] = False,
) -> None:
    """Show the memory in a browser; the address is printed where none can be started."""
    from recollect.server.worker.daemon import start

    home = require_home(context)
    there = start(home)
    code = _code_of(home, there)
    link = f"{there.address}/#code={code.code}"
    is_open = not prints and _start_browser(home, link)
    opened = OpenedViewer(
        address=f"{there.address}/",
        opened=is_open,
        link=None if is_open else link,
        expires_at=code.expires_at,
    )
    answer(context, opened, lambda: _show(opened))


def _code_of(home: Path, there: Presence) -> OneTimeCode:
    """Return a one-time code of the worker of a home."""
    from recollect.answers.token import OneTimeCode
    from recollect.server.client import WorkerConnection, WorkerGone
    from recollect.store.failures import os_errors

    with os_errors(home / TOKEN_FILE):
        token = read_small(home / TOKEN_FILE).decode("ascii", "replace").strip()
    try:
        with WorkerConnection(there, token, _PATIENCE_S) as worker:
            body = worker.post("/api/viewer/codes", {})
    except WorkerGone:
        body = None
    if body is None:
        raise StoreBusy(
            f"the worker (version {there.version}) gives no code",
            hint="end it with `recollect serve stop`, then try again",
        )
    return decode_json(body, OneTimeCode)


def _start_browser(home: Path, link: str) -> bool:
    """Start the user's browser on a file that leads to a link; return whether that can work.

    The address itself would be an argument of the browser, which every user of the machine sees.
    """
    import webbrowser

    from recollect.core.settings.environment import has_screen
    from recollect.store.files import private_folder, write_file

    if not has_screen() or _is_confined():
        return False
    page = viewer_page(home)
    private_folder(page.parent)
    write_file(page, _PAGE.format(link=html.escape(link)).encode())
    try:
        is_started = webbrowser.open(page.as_uri())
    except webbrowser.Error:
        is_started = False
    if not is_started:
        page.unlink(missing_ok=True)
    return is_started


def _is_confined() -> bool:
    """Return whether the browser of the desktop is a snap or flatpak: these read no hidden file."""
    import subprocess

    try:
        command = ("xdg-settings", "get", "default-web-browser")
        answered = subprocess.run(  # noqa: S603  # the program of the desktop
            command, capture_output=True, text=True, timeout=_XDG_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    name = answered.stdout.strip()
    exports = (Path(folder).expanduser() / name for folder in _OF_FLATPAK)
    return bool(name) and (bool(_OF_SNAP.fullmatch(name)) or any(each.exists() for each in exports))


def _show(opened: OpenedViewer) -> None:
    if opened.link is None:
        show(("opens", "bold green"), (f"  {opened.address}", "bold"))
        say(("nothing opens? ", ""), ("recollect open --print", "cyan"), (" prints a link", ""))
        return
    show((opened.link, "bold"))
    say(("lets in once, within a minute; keep it to yourself", "dim"))
