"""Answers that are errors: what the guard refuses, and what failed in a use case."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from recollect.answers.error import ErrorAnswer, ErrorText, handling_of
from recollect.core.errors import RecollectError
from recollect.server.logs import log_unexpected

Header: TypeAlias = tuple[bytes, bytes]


class Rejection(msgspec.Struct, frozen=True):
    """An answer that is an error: its status, its text, and headers of its own.

    Attributes:
        delay_s: Seconds until it is sent: a client that asks for more than its share, again as soon
            as it is refused, would keep the server busy with refusals.
    """

    status: int
    code: str
    message: str
    hint: str = ""
    headers: tuple[Header, ...] = ()
    delay_s: float = 0.0

    @property
    def body(self) -> bytes:
        """The JSON of the answer."""
        return msgspec.json.encode(ErrorAnswer(ErrorText(self.code, self.message, self.hint)))


class Refused(Exception):
    """A request is to be answered by a rejection, wherever that is determined."""

    def __init__(self, rejection: Rejection) -> None:
        super().__init__(rejection.code)
        self.rejection = rejection


_BEARER: tuple[Header, ...] = ((b"www-authenticate", b"Bearer"),)
_USE_OWN_ADDRESS = "send it to the address of `recollect serve status`"
_SHORTEN = "send less at once"

BAD_TARGET = Rejection(400, "bad_request", "the target must be a path", _USE_OWN_ADDRESS)
BAD_REQUEST = Rejection(400, "bad_request", "the request must be HTTP/1.1", "check the client")
BAD_HEADERS = Rejection(
    400, "bad_request", "Host must be given, and no header like it twice", "check the client"
)
BAD_JSON = Rejection(400, "bad_request", "the body must be JSON", "check its quotes and commas")
BAD_QUERY = Rejection(
    400, "bad_request", "the query must be UTF-8 text", "percent-encode its values"
)
TOO_DEEP = Rejection(
    400, "too_deep", "the JSON must not be more than 64 levels deep", "flatten it, or send text"
)
NO_TOKEN = Rejection(
    401,
    "unauthorized",
    "a bearer token must be given",
    "send the header `Authorization: Bearer …`; the owner's token is in the file token of the home",
    _BEARER,
)
FOREIGN_ORIGIN = Rejection(
    403,
    "foreign_origin",
    "a page of another site must not call this server",
    "call it from a program",
)
NO_ROUTE = Rejection(
    404, "not_found", "the path must be a route of this server", "see /openapi.json"
)
NO_METHOD = Rejection(
    405, "bad_method", "the method must be one that this path takes", "see /openapi.json"
)
TOO_SLOW = Rejection(408, "too_slow", "the request must arrive within 10 s", "send it again")
TOO_LARGE = Rejection(413, "too_large", "the body must be shorter", _SHORTEN)
NO_BODY = Rejection(413, "too_large", "the request must have no body", "put it into the query")
NOT_JSON = Rejection(
    415, "not_json", "the body must be JSON", "send the header `Content-Type: application/json`"
)
WRONG_MEDIA = Rejection(
    415, "wrong_media", "the body must have a media type of this route", "see /openapi.json"
)
PACKED = Rejection(
    415, "wrong_media", "the body must not be compressed", "send it without Content-Encoding"
)
FOREIGN_HOST = Rejection(
    421, "foreign_host", "Host must be an address of this server", _USE_OWN_ADDRESS
)
LONG_HEADERS = Rejection(431, "too_large", "the headers must be shorter than 16 kB", _SHORTEN)
UNEXPECTED = Rejection(500, "internal", "an unexpected error", "see the log of the worker")
_REFUSAL_S = 1.0
_SOON: tuple[Header, ...] = ((b"retry-after", b"1"),)
MANY_REQUESTS = Rejection(
    429,
    "too_many_requests",
    "a token must not have so many requests in progress",
    "wait for an answer before the next request",
    _SOON,
    delay_s=_REFUSAL_S,
)
MANY_STREAMS = Rejection(
    429,
    "too_many_streams",
    "a token must not have so many streams open",
    "close one, or share one among your programs",
    _SOON,
    delay_s=_REFUSAL_S,
)
CROWDED = Rejection(
    503, "busy", "too many requests are in progress", "send it again", _SOON, delay_s=_REFUSAL_S
)
TOO_MANY = Rejection(
    503, "busy", "too many connections are open", "close some, or try again", _SOON
)


def rejection_of(error: Exception) -> Rejection:
    """Return the rejection that answers an error; an unexpected one is logged."""
    if isinstance(error, Refused):
        return error.rejection
    if not isinstance(error, RecollectError):
        log_unexpected(error)
        return UNEXPECTED
    status = handling_of(error).status
    headers = _BEARER if status == NO_TOKEN.status else ()
    return Rejection(status, error.code, error.message, error.hint, headers)
