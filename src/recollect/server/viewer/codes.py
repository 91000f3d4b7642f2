"""One-time codes: how a browser gets a token that is in no address, file or list of processes.

`recollect open` asks for a code with the token of its home; the page exchanges it for a token of
its own. Codes are kept in the memory of the worker, as digests: another home, or the same one after
a restart, knows none of them.
"""

from __future__ import annotations

import hmac
import secrets
import threading
import time

import msgspec

from recollect.answers.token import OneTimeCode, ViewerToken
from recollect.caller import Caller
from recollect.core.clock import SystemClock
from recollect.core.errors import Unauthorized
from recollect.governance.token_file import digest_of
from recollect.governance.tokens import OWNER, VIEWER
from recollect.server.presence import viewer_page
from recollect.server.route import AnyRoute, Created, Fields, Nothing, route_of

LIVES_S = 60
"""Seconds from the making of a code to the start of a browser, which takes a few."""
MOST_WRONG = 5
"""Wrong tries until all codes end. 256 bits are not guessed; whoever tries is not let go on."""
MAX_BODY = 4_096
"""Bytes of an exchange, which needs no token: a code has 43."""
TOKEN_MS = 12 * 3_600_000
"""A day at the screen; the next one begins with `recollect open`."""


class CodeExchange(Fields, frozen=True, kw_only=True):
    """A code of `recollect open`.

    Attributes:
        code: What follows ``#code=`` in its link.
    """

    code: str


class _Code(msgspec.Struct, frozen=True):
    """Its digest, when it ends on the monotonic clock, and who asked for it."""

    digest: bytes
    ends_s: float
    caller: Caller


class OneTimeCodes:
    """The codes of a worker. Threads may share them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._codes: list[_Code] = []
        self._wrong = 0

    def routes(self) -> tuple[AnyRoute, ...]:
        """Return the routes over these codes."""
        return (
            route_of(self.make, "POST", "/api/viewer/codes", "read"),
            route_of(self.exchange, "POST", "/api/viewer/token", None, max_body=MAX_BODY),
        )

    def make(self, caller: Caller, _fields: Nothing) -> OneTimeCode:
        """Make a code that a page exchanges once, within a minute, for a token with these rights.

        Raises:
            Denied: the token is not the operator's of the whole home.
        """
        caller.require_operator("home")
        code = secrets.token_urlsafe(32)
        with self._lock:
            self._drop_late()
            self._wrong = self._wrong if self._codes else 0
            self._codes.append(_Code(digest_of(code), time.monotonic() + LIVES_S, caller))
        return OneTimeCode(code=code, expires_at=SystemClock().now_ms() + LIVES_S * 1_000)

    def exchange(self, _caller: None, fields: CodeExchange) -> Created[ViewerToken]:
        """Exchange a code for a token that ends after 12 hours.

        Raises:
            Unauthorized: the code was used, is late, or is none; or who asked for it may no longer.
        """
        caller = self._take(digest_of(fields.code))
        caller.check()
        tokens, issuer = caller.memory.tokens, caller.token
        end = SystemClock().now_ms() + TOKEN_MS
        with caller.acting():
            issued = tokens.add(
                f"{VIEWER}{secrets.token_hex(4)}",
                audience=OWNER,
                rights=issuer.rights,
                channels=issuer.channels,
                expires_at=min(end, issuer.expires_at or end),
            )
        viewer_page(caller.memory.home).unlink(missing_ok=True)
        token = issued.token
        return Created(
            ViewerToken(
                token=issued.text,
                name=token.name,
                rights=token.rights,
                expires_at=token.expires_at or end,
            )
        )

    def _take(self, digest: bytes) -> Caller:
        """Return who asked for a code, which ends with that."""
        with self._lock:
            self._drop_late()
            equal = [each for each in self._codes if hmac.compare_digest(each.digest, digest)]
            if equal:
                self._codes.remove(equal[0])
                return equal[0].caller
            self._wrong += 1
            if self._wrong >= MOST_WRONG:
                self._codes.clear()
        raise Unauthorized(
            "the code was used, is over a minute old, or is none",
            hint="run `recollect open` for another one",
        )

    def _drop_late(self) -> None:
        now = time.monotonic()
        self._codes = [each for each in self._codes if now < each.ends_s]
