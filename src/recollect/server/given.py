"""Decodes the fields of a route from a request: path, query, headers and body."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from recollect.core.errors import InvalidInput
from recollect.server.errors import BAD_JSON, BAD_QUERY, TOO_DEEP, Header, Refused
from recollect.server.lenient import is_deep, read_leniently, read_object
from recollect.server.route import Endpoint, Given, LenientGiven, PayloadGiven, UploadRoute

WITH_BODY = frozenset({"POST", "PUT", "PATCH"})
MOST_FIELDS = 200
"""Fields of a query."""

_FIELDS = re.compile(r"\{(\w+)\}")
_SAFE = re.compile(r"(?:Expected|Object missing) [^']*")
_PLACE = re.compile(r" - at `[^`]*`$")


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """A request, after the guard.

    Attributes:
        path: The fields of the path, decoded.
        query: The text after the question mark, undecoded.
        headers: All of them, names in lower case.
        body: All of it, or head and tail.
        left_out: Bytes between head and tail.
    """

    path: Mapping[str, str]
    query: bytes
    headers: Iterable[Header]
    body: bytes = b""
    left_out: int = 0


def path_fields(path: str) -> tuple[str, ...]:
    """Return the names in braces.

    >>> path_fields("/api/sessions/{key}")
    ('key',)
    """
    return tuple(_FIELDS.findall(path))


def query_fields(endpoint: Endpoint) -> frozenset[str]:
    """Return the fields from the query, beside a body of another program's form."""
    if not issubclass(endpoint.given, PayloadGiven):
        return frozenset()
    known = (*PayloadGiven.__struct_fields__, *path_fields(endpoint.path))
    return frozenset(endpoint.given.__struct_fields__).difference(known)


def takes_json(endpoint: Endpoint) -> bool:
    """Return whether the fields come from a JSON body, not from the query."""
    return endpoint.method in WITH_BODY and not isinstance(endpoint, UploadRoute)


class Reader:
    """Reads the fields of one route.

    Args:
        endpoint: The route.

    Raises:
        InvalidInput: a field of its path or of its headers is not in ``given``.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._kind = endpoint.given
        self._headers = {name.encode(): field for name, field in endpoint.headers.items()}
        self._fields = {each.encode_name: each for each in msgspec.structs.fields(endpoint.given)}
        self._lists = {name for name, each in self._fields.items() if _is_list(each.type)}
        self._takes_json = takes_json(endpoint)
        self._from_query = query_fields(endpoint)
        self._decode = msgspec.json.Decoder(endpoint.given).decode
        for name in (*path_fields(endpoint.path), *endpoint.headers.values()):
            if name not in self._fields:
                raise InvalidInput(f"{endpoint.path} names a field that is none", hint="add it")

    def read(self, request: Request) -> Given | LenientGiven:
        """Return the fields.

        Raises:
            Refused: the body is not JSON or too deep, or the query is not text.
            InvalidInput: a field is unknown, missing or of another type.
        """
        plain = self._texts(request)
        try:
            if issubclass(self._kind, PayloadGiven):
                payload, unread = read_object(request.body)
                own = PayloadGiven(payload=payload, unread=unread, left_out=request.left_out)
                return self._kind(**self._typed(plain), **msgspec.structs.asdict(own))
            if issubclass(self._kind, LenientGiven):
                return self._read_leniently(request, plain)
            if self._takes_json:
                return self._from_body(request, plain)
            return msgspec.convert(plain, self._kind, strict=False)
        except msgspec.ValidationError as error:
            raise self._invalid(error) from None

    def _from_body(self, request: Request, plain: dict[str, Any]) -> Given | LenientGiven:
        if request.query:
            raise InvalidInput("the fields must be in the body", hint="leave the query out")
        try:
            if is_deep(request.body):
                raise Refused(TOO_DEEP)
            if not plain:
                return self._decode(request.body or b"{}")
            values = msgspec.json.decode(request.body or b"{}", type=dict[str, Any])
        except msgspec.ValidationError:
            raise
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise Refused(BAD_JSON) from None
        given_twice = request.path.keys() & values.keys()
        if given_twice:
            raise InvalidInput("a field of the path must not be in the body", hint="leave it out")
        return msgspec.convert(self._typed(plain) | values, self._kind)

    def _read_leniently(self, request: Request, plain: dict[str, Any]) -> LenientGiven:
        kind = self._kind
        assert issubclass(kind, LenientGiven)  # noqa: S101  # for the type checker
        try:
            if not plain and not request.left_out and not is_deep(request.body):
                return msgspec.json.decode(request.body, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass
        read = read_leniently(request.body, kind, request.left_out)
        typed = self._typed(plain)
        wins = {k: v for k, v in typed.items() if k in request.path or getattr(read, k) is None}
        return msgspec.structs.replace(read, **wins)

    def _typed(self, texts: dict[str, Any]) -> dict[str, Any]:
        return {
            name: msgspec.convert(value, self._fields[name].type, strict=False)
            for name, value in texts.items()
        }

    def _texts(self, request: Request) -> dict[str, Any]:
        """Return the texts of path, headers and query; the path takes precedence."""
        texts: dict[str, Any] = {}
        if self._headers:
            for name, value in request.headers:
                if name in self._headers:
                    texts[self._headers[name]] = value.decode("latin-1")
        if request.query and not self._takes_json:
            texts |= self._query(request.query)
        elif self._from_query:
            pairs = parse_qsl(request.query.decode("latin-1"))
            texts |= {name: value for name, value in pairs if name in self._from_query}
        return texts | dict(request.path)

    def _query(self, query: bytes) -> dict[str, Any]:
        try:
            pairs = parse_qsl(
                query.decode("ascii"), True, errors="strict", max_num_fields=MOST_FIELDS
            )
        except ValueError:
            raise Refused(BAD_QUERY) from None
        values: dict[str, Any] = {}
        for name, value in pairs:
            if name in self._lists:
                values.setdefault(name, []).append(value)
            elif name in values:
                raise InvalidInput("a field must not be given twice", hint="leave one out")
            else:
                values[name] = value
        return values

    def _invalid(self, error: msgspec.ValidationError) -> InvalidInput:
        """Return an error that names the rule, without the given value: that is the user's text."""
        hint = f"the fields are {', '.join(self._fields)}" if self._fields else "it takes no fields"
        text = str(error)
        if _SAFE.fullmatch(text):
            return InvalidInput(text[0].lower() + text[1:], hint=hint)
        if "unknown field" in text:
            return InvalidInput("every field must be one of the route", hint=hint)
        place = _PLACE.search(text)
        return InvalidInput(
            f"a field must have another value{place[0] if place else ''}", hint=hint
        )


def _is_list(kind: Any) -> bool:
    info = msgspec.inspect.type_info(kind)
    options = info.types if isinstance(info, msgspec.inspect.UnionType) else (info,)
    lists = (msgspec.inspect.ListType, msgspec.inspect.VarTupleType, msgspec.inspect.SetType)
    return any(isinstance(each, lists) for each in options)
