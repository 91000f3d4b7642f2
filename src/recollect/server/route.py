"""Routes: an address, the required right, and the use case that answers.

Each file in `recollect.server.routes` has its `Routes`; `recollect.server.app` lists the files. The
types of a route check the input, and are described in ``/openapi.json``.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from types import UnionType
from typing import (
    Any,
    BinaryIO,
    Generic,
    Literal,
    TypeAlias,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec

from recollect.caller import Caller
from recollect.governance.tokens import Right

Method: TypeAlias = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
Piece: TypeAlias = bytes

JSON = "application/json"
MAX_BODY = 1_000_000
"""Bytes of a body; above it the answer is 413."""
LARGE = 65_536
"""A body of so many bytes is read on a thread, to keep the event loop free, and counts against the
limit of all bodies."""
KEPT_BODY = 16_000_000
"""Bytes kept of a longer body of a lenient route: half from its head, half from its tail."""

T = TypeVar("T")
Use = TypeVar("Use", bound=Callable[..., Any])


class Fields(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a caller gives: the fields of the path, and those of the JSON body or of the query.

    A method with a body (POST, PUT, PATCH) takes them from it; the others from the query, where a
    number and a truth value are read from their text, and a list from a repeated name. An unknown
    field is refused with 422.
    """


class LenientFields(msgspec.Struct, frozen=True, kw_only=True):
    """What a hook gives: no content is refused, because what is refused is lost.

    Unknown fields are left out. Give every field of yours a default: all may be missing.

    Attributes:
        unread: What could not be read as a field, as text: the whole body unless it is a JSON
            object, else a JSON object of the fields that have another type. None: all was read.
        left_out: How many bytes were left out in the middle of a body that is too long.
    """

    unread: str | None = None
    left_out: int = 0


class PayloadFields(LenientFields, frozen=True, kw_only=True):
    """What a hook gives whose body is another program's: its other fields are path and query.

    Attributes:
        payload: The JSON object of the body, as far as it can be read; ``unread`` is the whole body
            where it is none.
    """

    payload: dict[str, Any] = {}


class SignedFields(Fields, frozen=True, kw_only=True):
    """What another program signed: the bytes of its JSON body; the other fields are of headers.

    Attributes:
        body: The body as it came; it is JSON.
    """

    body: bytes = b""


class Nothing(Fields, frozen=True):
    """Of a route that takes no fields."""


class Created(msgspec.Struct, Generic[T], frozen=True):
    """Answers 201 with ``value``: it was made by this call. The route has ``status=201``."""

    value: T


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """The common part of all routes. Use `Route`, `StreamRoute` or `UploadRoute`.

    Attributes:
        method: Of the request. HEAD is answered where GET is.
        path: From the root, a field in braces: ``/api/sessions/{key}``. It is one segment,
            percent-decoded, and may hold any text, a slash too.
        summary: One line for ``/openapi.json``.
        right: What the token must allow; None: the route is open and its ``call`` gets no caller.
        fields: A subclass of `Fields`, or of `LenientFields` for hooks and observations.
        headers: Fields that a header gives where the request itself does not: lower-case name of
            the header to name of the field, ``{"last-event-id": "after"}``.
        max_body: Bytes of a body at most; of a lenient route `KEPT_BODY` are kept instead.
    """

    method: Method
    path: str
    summary: str
    right: Right | None
    fields: type[Fields] | type[LenientFields] = Nothing
    headers: Mapping[str, str] = {}
    max_body: int = MAX_BODY

    @property
    def is_lenient(self) -> bool:
        """Whether no content is refused."""
        return issubclass(self.fields, LenientFields)


class Route(Endpoint, frozen=True, kw_only=True):
    """JSON in, one value out.

    Attributes:
        call: The use case, ``call(caller, fields) -> value``: a plain function, on a thread of a
            pool, one hop a request; or a coroutine function, on the event loop, which must not
            block. Errors of `recollect.core.errors` become answers by one table.
        answer: The type of the value, as msgspec encodes it.
        status: Of the answer. 201: of one that is `Created`; any other value answers 200.
        media: Of the answer. Another than JSON: the value is a text, sent as it is.
        is_shared: ``call`` takes a list of ``fields``, of requests of one caller that came at the
            same time, and returns a value or an error for each, in their order. If it raises, it is
            called again for each alone, unless the fact ``outcome`` is ``"unknown"``.
    """

    call: Callable[[Caller, Any], Any] | Callable[[None, Any], Any]
    answer: Any
    status: int = 200
    media: str = JSON
    is_shared: bool = False


class StreamRoute(Endpoint, frozen=True, kw_only=True):
    """JSON in, pieces out as they come.

    Attributes:
        call: ``call(caller, fields)`` returns an iterator, drawn on a thread, or an asynchronous
            one on the event loop. An error before the first piece becomes an answer; a later one
            cuts the connection, so that a part is not taken for the whole. It is closed when the
            caller is gone.
        media: Of the pieces, such as ``text/event-stream``.
        filename: The name for a browser to save it; None: shown, not saved.
        is_endless: Whether each piece is complete by itself: the answer ends normally when the
            server stops.
        answer: The type of the one JSON value in the only piece for a request whose field
            ``accept``, of the header, does not name ``media``; None: each is answered by ``media``.
    """

    call: Callable[[Caller, Any], AsyncGenerator[Piece, None] | Iterator[Piece]]
    media: str
    filename: str | None = None
    is_endless: bool = False
    answer: Any = None

    def media_for(self, fields: Fields | LenientFields) -> str:
        """Return the media type of the answer to a request, by its field ``accept``."""
        is_streamed = self.answer is None or self.media in (getattr(fields, "accept", None) or "")
        return self.media if is_streamed else JSON


class UploadRoute(Endpoint, frozen=True, kw_only=True):
    """A file in, one value out. The fields come from path and query.

    Attributes:
        call: ``call(caller, fields, file) -> value`` on a thread. ``file`` is at its start; it has
            no name, so that nothing is left of it, however the call ends.
        takes: Media types of the file; another answers 415.
        answer: The type of the value, as msgspec encodes it.
    """

    call: Callable[[Caller, Any, BinaryIO], Any]
    takes: tuple[str, ...]
    answer: Any


AnyRoute: TypeAlias = Route | StreamRoute | UploadRoute


class Routes(list[AnyRoute]):
    """The routes of a file, each made of the use case that it decorates."""

    def add(
        self, method: Method, path: str, right: Right | None, **more: Any
    ) -> Callable[[Use], Use]:
        """Return a decorator that adds the route of a use case; arguments as for `route_of`."""

        def decorate(call: Use) -> Use:
            self.append(route_of(call, method, path, right, **more))
            return call

        return decorate


def route_of(
    call: Callable[..., Any], method: Method, path: str, right: Right | None, **more: Any
) -> AnyRoute:
    """Return the route of a use case, read off its annotations and the first line of its docstring.

    What it returns decides the kind: an iterator makes a `StreamRoute`, else a third argument an
    `UploadRoute`. A list of fields makes it shared, and one of `Created` the status 201.

    Args:
        call: The use case.
        method: Of the request.
        path: From the root, with fields in braces.
        right: What the token must allow.
        more: Other attributes of the route.
    """
    hints = get_type_hints(call)
    answer = hints.pop("return")
    _, fields, *file = hints.values()
    common = {
        "method": method,
        "path": path,
        "summary": (call.__doc__ or "").partition("\n")[0].rstrip("."),
        "right": right,
        "call": call,
    } | more
    if get_origin(answer) in {Iterator, AsyncGenerator}:
        return StreamRoute(fields=fields, **common)
    if file:
        return UploadRoute(fields=fields, answer=answer, **common)
    is_shared = get_origin(fields) is Sequence
    if is_shared:
        (fields,), (answer,) = get_args(fields), get_args(answer)
    kinds = get_args(answer) if get_origin(answer) in {Union, UnionType} else (answer,)
    created = [kind for kind in kinds if get_origin(kind) is Created]
    answer = get_args(created[0])[0] if created else kinds[0]
    status = 201 if created else 200
    return Route(fields=fields, answer=answer, status=status, is_shared=is_shared, **common)
