"""`recollect open`: a browser gets in, and no list of processes shows how."""

from __future__ import annotations

import sys
import webbrowser
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from recollect.cli.setup import viewer
from recollect.server.presence import TOKEN_FILE, find_presence, viewer_page
from recollect.server.worker import daemon
from tests.support.served import serving
from tests.unit.cli.conftest import Run

BROWSER = """#!{python}
import pathlib, sys
(page,) = sys.argv[1:]
path = pathlib.Path(page.removeprefix("file://"))
pathlib.Path({seen!r}).write_text(f"{{page}}\\n{{path.stat().st_mode:o}}\\n{{path.read_text()}}")
"""


@pytest.fixture
def made(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home whose search knows words only, on a machine without a screen."""
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    # The library reads BROWSER once in a process, which another test may have been first to need.
    monkeypatch.setattr(webbrowser, "_tryorder", None)
    monkeypatch.setattr(webbrowser, "_browsers", {})
    monkeypatch.setattr(daemon, "START_S", 120.0)
    assert run("--home", home, "init").code == 0
    (home / "config.yaml").write_text("embedding: {provider: none}\n")
    yield home
    daemon.stop(home)


def let_in(link: str) -> dict[str, str]:
    """Return what a page gets for the code in its link."""
    address, _, code = link.partition("#code=")
    reply = httpx.post(f"{address}api/viewer/token", json={"code": code}, timeout=60)
    got: dict[str, str] = reply.raise_for_status().json()
    return got


def test_without_a_screen_the_link_is_printed(run: Run, made: Path) -> None:
    """A worker is started for it; the link lets in."""
    done = run("--home", made, "open")
    there = find_presence(made)
    assert there is not None
    link, *rest = done.out.splitlines()
    assert rest == []
    assert link.startswith(f"{there.address}/#code=")
    assert "lets in once" in done.err
    assert not viewer_page(made).exists()
    assert let_in(link)["rights"] == "admin"


def test_a_browser_gets_a_file_that_leads_in(
    run: Run, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its arguments are seen by every user of the machine, so the code is in a private file."""
    program, seen = tmp_path / "browser", tmp_path / "seen"
    program.write_text(BROWSER.format(python=sys.executable, seen=str(seen)))
    program.chmod(0o700)
    monkeypatch.setenv("BROWSER", f"{program} %s")
    with serving(made):
        done = run("--home", made, "open", "--json")
        assert done.json["opened"] is True
        assert done.json["link"] is None
        argument, mode, *page = seen.read_text().splitlines()
        assert (argument, mode[-3:]) == (viewer_page(made).as_uri(), "600")
        link = "\n".join(page).partition("url=")[2].partition('"')[0]
        assert link.startswith(f"{done.json['address']}#code=")
        assert link.partition("=")[2] not in done.out + done.err
        assert let_in(link)["name"].startswith("viewer-")
        assert not viewer_page(made).exists()
        shown = run("--home", made, "open")
        assert "opens" in shown.out
        assert "recollect open --print" in shown.err


def test_a_link_is_printed_where_it_is_asked_for_or_no_browser_starts(
    run: Run, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file with a code is not left behind."""
    monkeypatch.setenv("BROWSER", f"{tmp_path / 'none'} %s")
    with serving(made):
        for options in (("--print",), ()):
            done = run("--home", made, "open", *options, "--json")
            assert (done.code, done.json["opened"]) == (0, False)
            assert "#code=" in done.json["link"]
            assert not viewer_page(made).exists()


@pytest.mark.parametrize("name", ["firefox_firefox.desktop", "org.mozilla.firefox.desktop"])
def test_a_confined_browser_is_not_started(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A snap or flatpak reads no hidden folder: it would show an error, and the code be lost."""
    program = tmp_path / "xdg-settings"
    program.write_text(f"#!/bin/sh\necho {name}\n")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(viewer, "_OF_FLATPAK", (str(tmp_path / "exports"),))
    (tmp_path / "exports").mkdir()
    assert viewer._is_confined() is ("_" in name)  # noqa: SLF001  # what no machine here has
    (tmp_path / "exports" / name).touch()
    assert viewer._is_confined()  # noqa: SLF001
    assert made.exists()


def test_a_worker_that_gives_no_code_is_reported(run: Run, made: Path) -> None:
    """Such as one of an older version, which has no such route."""
    with serving(made):
        (made / TOKEN_FILE).chmod(0o644)  # so the worker does not take it
        done = run("--home", made, "open", "--json")
        assert (done.code, done.error["code"]) == (1, "store_busy")
        (made / TOKEN_FILE).chmod(0o600)
