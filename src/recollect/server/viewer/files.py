"""Serves the files of the viewer: to anyone on this machine, as they hold no data.

Only what was in the package when the first of them was asked for is served, by its exact path: no
path of a request ever reaches the file system.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import msgspec

from recollect.server.errors import Header
from recollect.server.metrics import ROUTE
from recollect.server.response import AsgiApp, Receive, Scope, Send

FOLDER = Path(__file__).with_name("static")
PAGE = b"/"
"""The path of the page itself: the only one that a browser may be sent to by another site."""
BELOW = "/viewer/"
MEDIA = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
"""Files with other names are not served: licences, digests, notes for who writes a view."""
POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
)
"""No inline script or style, nothing from elsewhere, and no string becomes markup."""
_HEADERS: tuple[Header, ...] = (
    # It is asked for each time and mostly not sent: a new version shows at once.
    (b"cache-control", b"no-cache"),
    (b"content-security-policy", POLICY.encode()),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)


class ViewerFile(msgspec.Struct, frozen=True):
    """A file, with its mark and type."""

    body: bytes
    etag: bytes
    media: bytes


class ViewerFiles:
    """Answers requests for a file of the viewer, and passes all others on.

    Args:
        app: The layers below.
    """

    def __init__(self, app: AsgiApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        path: bytes = scope["raw_path"]
        is_below = path == PAGE or path.startswith(BELOW.encode())
        file = viewer_files().get(path) if is_below else None
        if file is None or scope["method"] not in {"GET", "HEAD"}:
            await self._app(scope, receive, send)
            return
        scope[ROUTE] = "/viewer"
        is_known = any(
            name == b"if-none-match" and file.etag in value for name, value in scope["headers"]
        )
        headers: list[Header] = [(b"etag", file.etag), *_HEADERS]
        status, body = 304, b""
        if not is_known:
            status, body = 200, file.body
            length = str(len(body)).encode()
            headers += [(b"content-type", file.media), (b"content-length", length)]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


@cache
def viewer_files() -> Mapping[bytes, ViewerFile]:
    """Return the files by the path of a request."""
    files = {
        f"{BELOW}{path.relative_to(FOLDER).as_posix()}".encode(): _viewer_file(path)
        for path in sorted(FOLDER.rglob("*"))
        if path.suffix in MEDIA
    }
    files[PAGE] = files.pop(f"{BELOW}index.html".encode())
    return files


def _viewer_file(path: Path) -> ViewerFile:
    body = path.read_bytes()
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'.encode()
    return ViewerFile(body, etag, MEDIA[path.suffix].encode())
