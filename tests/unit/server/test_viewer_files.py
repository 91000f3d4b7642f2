"""The files of the viewer: who gets them, under which policy, and what they are made of."""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recollect.server.viewer.files import FOLDER, MEDIA, viewer_files
from tests.support.running_server import RunningServer
from tests.support.wire import Reply, Wire, request

OWN = sorted(p for p in FOLDER.rglob("*") if p.suffix in MEDIA and "vendor" not in p.parts)
MOST_LINES = 6_705
MOST_BYTES = 281_200
FIRST_BYTES = 115_000
MARKUP = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|\beval\(|"
    r"new Function|\bstyle=\"|https?://(?!www\.w3\.org/2000/svg)"
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server that runs."""
    with RunningServer(tmp_path_factory.mktemp("home")) as running:
        yield running


def _get(server: RunningServer, target: str, method: str = "GET", **headers: str) -> Reply:
    host = {"host": f"127.0.0.1:{server.port}"}
    more = {name.replace("_", "-"): value for name, value in headers.items()}
    with Wire(server.port) as wire:
        wire.send(request(method, target, host | more))
        reply = wire.reply(is_head=method == "HEAD")
    assert reply is not None
    return reply


@pytest.mark.parametrize("path", sorted(viewer_files()), ids=bytes.decode)
def test_every_file_is_served_without_a_token_under_the_strict_policy(
    server: RunningServer, path: bytes
) -> None:
    """No inline script, no other origin, no frame, no guess at the type."""
    reply = _get(server, path.decode())
    policy = reply.headers["content-security-policy"]
    assert reply.status == 200
    assert reply.body == viewer_files()[path].body
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "require-trusted-types-for 'script'" in policy
    assert "unsafe" not in policy
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["referrer-policy"] == "no-referrer"
    assert reply.headers["cache-control"] == "no-cache"
    assert "access-control-allow-origin" not in reply.headers


def test_a_file_that_the_browser_has_is_not_sent_again(server: RunningServer) -> None:
    """Its digest is its mark; HEAD tells it, too."""
    first = _get(server, "/viewer/main.js", "HEAD")
    again = _get(server, "/viewer/main.js", if_none_match=first.headers["etag"])
    other = _get(server, "/viewer/main.js", if_none_match='"0123"')
    assert (first.status, first.body) == (200, b"")
    assert (again.status, again.body, again.headers.get("content-length")) == (304, b"", None)
    assert other.status == 200


@pytest.mark.parametrize(
    "target",
    [
        "/viewer/",
        "/viewer/main.js/",
        "/viewer/../../../pyproject.toml",
        "/viewer/%2e%2e/files.py",
        "/viewer/..%2ffiles.py",
        "/viewer/vendor/DIGESTS",
        "/viewer/vendor/LICENSE.htm.txt",
        "/viewer/views/README.md",
        "/viewer/index.html",
        "/viewer//main.js",
        "/viewer/MAIN.js",
        "/viewer/main.js%00",
        "/index.html",
    ],
)
def test_nothing_but_the_listed_files_is_served(server: RunningServer, target: str) -> None:
    """A path of a request never reaches the file system; without a token that is all one learns."""
    assert _get(server, target).status == 401


def test_only_get_and_head_are_answered(server: RunningServer) -> None:
    """Another method is asked for a token like everything else."""
    assert _get(server, "/", "POST", content_length="0").status == 401


def test_a_foreign_host_gets_no_page(server: RunningServer) -> None:
    """A rebound name must not show the viewer under another origin."""
    assert _get(server, "/", host="evil.example").status == 421


def test_the_vendored_modules_are_as_they_were_written() -> None:
    """`scripts/vendor.py` wrote them, with their digests and licences."""
    folder = FOLDER / "vendor"
    lines = (folder / "DIGESTS").read_text("utf-8").splitlines()
    digests = dict(line.split("  ")[::-1] for line in lines if not line.startswith("#"))
    files = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in folder.iterdir()}
    del files["DIGESTS"]
    assert files == digests
    assert len([name for name in files if name.startswith("LICENSE")]) == 4


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.name)
def test_own_files_make_no_markup_of_text_and_name_no_other_origin(path: Path) -> None:
    """Nodes are built one by one; an address of another origin would be refused anyway."""
    assert MARKUP.findall(path.read_text("utf-8")) == []


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.name)
def test_lines_of_own_files_are_short(path: Path) -> None:
    """As of Python: 100 columns, the paths of icons aside."""
    lines = path.read_text("utf-8").splitlines()
    assert [line for line in lines if len(line) > 100 and path.name != "icon.js"] == []


def _first() -> set[str]:
    """Return what a browser loads before it shows the first view."""
    paths = {"index.html", "icon.svg", "main.css", "theme.js", "views/live.css"}
    waiting = ["main.js", "views/live.js"]
    while waiting:
        path = waiting.pop()
        if path in paths:
            continue
        paths.add(path)
        text = (FOLDER / path).read_text("utf-8")
        names = re.findall(r'from ?"(\.[^"]+)"', text)
        folder = posixpath.dirname(path)
        waiting += [posixpath.normpath(posixpath.join(folder, name)) for name in names]
    return paths


def test_the_page_names_ahead_only_what_the_first_view_loads() -> None:
    """What is named there is loaded whether or not it is used."""
    page = (FOLDER / "index.html").read_text("utf-8")
    ahead = set(re.findall(r'modulepreload" href="/viewer/([^"]+)"', page))
    assert ahead <= _first()


def test_the_viewer_stays_small(record_property: Callable[[str, object], None]) -> None:
    """Lines of our own, bytes of all, and bytes of the first view."""
    lines = sum(len(path.read_text("utf-8").splitlines()) for path in OWN)
    sizes = {path.decode(): len(file.body) for path, file in viewer_files().items()}
    first = sum(len((FOLDER / path).read_bytes()) for path in _first())
    line = f"{lines} own lines, {sum(sizes.values())} bytes, {first} of them for the first view"
    record_property("the viewer", line)
    assert lines <= MOST_LINES
    assert sum(sizes.values()) <= MOST_BYTES
    assert first <= FIRST_BYTES
