"""Reads the fields of a route from a request: path, query, headers and body.

Input of hooks is read leniently, in any form: nothing is refused, because what is refused is lost.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl

import msgspec
import numpy as np

from recollect.core.decoding import convert_value, decode_json, json_decoder
from recollect.core.errors import InvalidInput
from recollect.server.errors import BAD_JSON, BAD_QUERY, TOO_DEEP, Header, Refused
from recollect.server.route import (
    Endpoint,
    Fields,
    LenientFields,
    PayloadFields,
    SignedFields,
    UploadRoute,
)

WITH_BODY = frozenset({"POST", "PUT", "PATCH"})
MOST_FIELDS = 200
"""Fields of a query."""

_FIELDS = re.compile(r"\{(\w+)\}")
_SAFE = re.compile(r"(?:Expected|Object missing) [^']*")
_JSON_PATH = re.compile(r" - at `[^`]*`$")


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
    if not issubclass(endpoint.fields, PayloadFields):
        return frozenset()
    others = (*PayloadFields.__struct_fields__, *path_fields(endpoint.path))
    return frozenset(endpoint.fields.__struct_fields__).difference(others)


def takes_json(endpoint: Endpoint) -> bool:
    """Return whether the fields come from a JSON body, not from the query."""
    return endpoint.method in WITH_BODY and not isinstance(endpoint, UploadRoute)


class Reader:
    """Reads the fields of one route.

    Args:
        endpoint: The route.

    Raises:
        InvalidInput: a field of its path or of its headers is not in ``fields``.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._kind = endpoint.fields
        self._headers = {name.encode(): field for name, field in endpoint.headers.items()}
        self._fields = {each.encode_name: each for each in msgspec.structs.fields(endpoint.fields)}
        self._lists = {name for name, each in self._fields.items() if _is_list(each.type)}
        self._takes_json = takes_json(endpoint)
        self._from_query = query_fields(endpoint)
        self._decode = json_decoder(endpoint.fields).decode
        for name in (*path_fields(endpoint.path), *endpoint.headers.values()):
            if name not in self._fields:
                raise InvalidInput(
                    f"{endpoint.path} names a field that the route does not have", hint="add it"
                )

    def read(self, request: Request) -> Fields | LenientFields:
        """Return the fields.

        Raises:
            Refused: the body is not JSON or too deep, or the query is not text.
            InvalidInput: a field is unknown, missing or of another type.
        """
        plain = self._texts(request)
        try:
            if issubclass(self._kind, PayloadFields):
                payload, unread = read_object(request.body)
                own = PayloadFields(payload=payload, unread=unread, left_out=request.left_out)
                return self._kind(**self._typed(plain), **msgspec.structs.asdict(own))
            if issubclass(self._kind, LenientFields):
                return self._read_leniently(request, plain)
            if self._takes_json:
                return self._from_body(request, plain)
            return convert_value(plain, self._kind, strict=False)
        except msgspec.ValidationError as error:
            raise self._invalid(error) from None

    def _from_body(self, request: Request, plain: dict[str, Any]) -> Fields | LenientFields:
        if request.query:
            raise InvalidInput("the fields must be in the body", hint="leave the query out")
        try:
            if is_deep(request.body):
                raise Refused(TOO_DEEP)
            if issubclass(self._kind, SignedFields):
                msgspec.json.decode(request.body)
                return self._kind(body=request.body, **self._typed(plain))
            if not plain:
                return self._decode(request.body or b"{}")
            values = decode_json(request.body or b"{}", dict[str, Any])
        except msgspec.ValidationError:
            raise
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise Refused(BAD_JSON) from None
        repeated = request.path.keys() & values.keys()
        if repeated:
            raise InvalidInput("a field of the path must not be in the body", hint="leave it out")
        return convert_value(self._typed(plain) | values, self._kind)

    def _read_leniently(self, request: Request, plain: dict[str, Any]) -> LenientFields:
        kind = self._kind
        assert issubclass(kind, LenientFields)  # noqa: S101  # for the type checker
        try:
            if not plain and not request.left_out and not is_deep(request.body):
                return decode_json(request.body, kind)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass
        fields = read_leniently(request.body, kind, request.left_out)
        typed = self._typed(plain)
        wins = {k: v for k, v in typed.items() if k in request.path or getattr(fields, k) is None}
        return msgspec.structs.replace(fields, **wins)

    def _typed(self, texts: dict[str, Any]) -> dict[str, Any]:
        return {
            name: convert_value(value, self._fields[name].type, strict=False)
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
        path = _JSON_PATH.search(text)
        return InvalidInput(f"a field must have another value{path[0] if path else ''}", hint=hint)


def _is_list(kind: Any) -> bool:
    info = msgspec.inspect.type_info(kind)
    options = info.types if isinstance(info, msgspec.inspect.UnionType) else (info,)
    lists = (msgspec.inspect.ListType, msgspec.inspect.VarTupleType, msgspec.inspect.SetType)
    return any(isinstance(each, lists) for each in options)


# --- lenient reading

MOST_DEPTH = 64
"""The deepest nesting of arrays and objects."""
SLACK = 1_000_000
"""Bytes that may gather above the limit before the middle is cut again."""

MOST_PAIRS = 10_000
"""Fields of an object that are read one by one; the rest becomes the text of the last one."""

# An unterminated string extends to the end of the body: searching its end again from each quote
# takes 8 s for 40 kB of them, and no other thread runs meanwhile.
_TEXTS = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)
_TO_SQUARE = bytes.maketrans(b"{}", b"[]")
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_BETWEEN_BRACKETS = np.int8((ord("[") + ord("]")) // 2)
"""The code between both brackets: one step from it to an opening one, and one to a closing one."""
_ESCAPE = re.compile(r"\\(?:\\|u[dD][89abAB]..\\u[dD][c-fC-F]..|u[dD][89a-fA-F]..)", re.DOTALL)
_WHOLE_ESCAPE = re.compile(rb"\\(?:u[dD][89abAB]..\\u....|u....|.)", re.DOTALL)
_LONGEST_ESCAPE = 12
_OPEN_ESCAPE = re.compile(
    rb"\\(?:u[0-9a-fA-F]{0,3}|u[dD][89abAB]..(?:\\(?:u[0-9a-fA-F]{0,3})?)?)?$"
)
_ENDING = re.compile(
    r',\s*("(?:[^"\\]|\\.)*"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[-+.\w]+)\s*'
    r'(?:,\s*"(?:[^"\\]|\\.)*"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[-+.\w]+)\s*)*)\}\s*$'
)
_ENDING_CHARS = 4_000
_SPACES = re.compile(r"\s*")
_JSON = json.JSONDecoder(strict=False, parse_constant=str)


class KeptBody:
    """Collects a body of any length; above ``most`` bytes only its head and its tail."""

    def __init__(self, most: int) -> None:
        self._half = most // 2
        self._most = most
        self._data = bytearray()
        self._left_out = 0

    def add(self, piece: bytes) -> None:
        """Add the next piece."""
        self._data += piece
        if len(self._data) > self._most + SLACK:
            self._leave_out(self._half, len(self._data) - self._half - SLACK // 2)

    def joined(self) -> tuple[bytes, int]:
        """Return the body, and the number of bytes that a mark in its middle replaces."""
        if not self._left_out and len(self._data) <= self._most:
            return bytes(self._data), 0
        head = _head_end(self._data, self._half)
        tail = _tail_start(self._data, max(head, len(self._data) - self._half))
        self._leave_out(head, tail)
        mark = f"\\n[… {self._left_out:,} bytes left out …]\\n".encode()
        return b"".join((self._data[:head], mark, self._data[head:])), self._left_out

    def _leave_out(self, start: int, end: int) -> None:
        del self._data[start:end]
        self._left_out += end - start


def _head_end(data: bytearray, end: int) -> int:
    """Return where to cut before ``end`` without splitting a character or an escape."""
    while end and data[end] & 0xC0 == 0x80:
        end -= 1
    start = max(0, end - _LONGEST_ESCAPE)
    escape = _OPEN_ESCAPE.search(data, start, end)
    while escape is not None and _is_escaped(data, escape.start()):
        escape = _OPEN_ESCAPE.search(data, escape.start() + 1, end)
    return end if escape is None else escape.start()


def _tail_start(data: bytearray, start: int) -> int:
    """Return the start after a cut, past a halved character or escape."""
    while start < len(data) and data[start] & 0xC0 == 0x80:
        start += 1
    for at in range(max(0, start - _LONGEST_ESCAPE + 1), start):
        escape = None if _is_escaped(data, at) else _WHOLE_ESCAPE.match(data, at)
        if escape is not None and escape.end() > start:
            return escape.end()
    return start


def _is_escaped(data: bytearray, at: int) -> bool:
    """Return whether an odd number of backslashes precedes."""
    before = at
    while before and data[before - 1] == ord("\\"):
        before -= 1
    return (at - before) % 2 == 1


def is_deep(body: bytes) -> bool:
    """Return whether JSON is nested deeper than `MOST_DEPTH`; brackets in strings do not count."""
    if body.count(b"[") + body.count(b"{") <= MOST_DEPTH:
        return False
    brackets = _TEXTS.sub(b"", body).translate(_TO_SQUARE, _NO_BRACKETS)
    steps = _BETWEEN_BRACKETS - np.frombuffer(brackets, np.int8)
    depth = 0
    for at in range(0, len(steps), SLACK):
        depths = np.cumsum(steps[at : at + SLACK], dtype=np.int32)
        if depth + depths.max() > MOST_DEPTH:
            return True
        depth += int(depths[-1])
    return False


def read_object(body: bytes) -> tuple[dict[str, Any], str | None]:
    """Return a JSON object as far as it can be read, and the body as text if it is not one.

    Never raises.
    """
    try:
        if not is_deep(body):
            return decode_json(body, dict[str, Any]), None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    return _read_slowly(body)


def _read_slowly(body: bytes) -> tuple[dict[str, Any], str | None]:
    text = _ESCAPE.sub(_whole_escape, body.decode("utf-8", "replace").removeprefix("\ufeff"))
    values = dict(_pairs(text))
    return values, (text if not values and text.strip() != "{}" else None)


def read_leniently(body: bytes, kind: type[LenientFields], left_out: int = 0) -> LenientFields:
    """Return the fields of a body, and the rest as ``unread``; never raises.

    Args:
        body: Bytes that should be a JSON object.
        kind: The fields; every one has a default.
        left_out: The number of bytes cut out of the middle.
    """
    values, unread = _read_slowly(body)
    fields: dict[str, Any] = {}
    strange: dict[str, object] = {}
    for field in msgspec.structs.fields(kind):
        if field.encode_name in values:
            value = values[field.encode_name]
            try:
                fields[field.name] = convert_value(value, field.type, strict=False)
            except msgspec.ValidationError:
                strange[field.encode_name] = value
    if strange:
        unread = msgspec.json.encode(strange).decode()
    return kind(**fields | {"unread": unread, "left_out": left_out})


def _whole_escape(match: re.Match[str]) -> str:
    """Return an escape as it is, or that of the replacement character for a lone surrogate."""
    escape = match[0]
    is_half = len(escape) == 6 and escape[1] == "u"
    return r"\ufffd" if is_half else escape


def _pairs(text: str) -> Iterator[tuple[str, object]]:
    """Yield the fields of an object as far as it can be read; an unreadable value as its text."""
    rest: str | None = text
    while rest is not None:
        rest = yield from _sound_pairs(rest)


def _sound_pairs(text: str) -> Generator[tuple[str, object], None, str | None]:
    """Yield the fields before an unreadable one, and the text of that; return the rest."""
    at = _after_spaces(text, 0)
    count = 0
    while text[at : at + 1] in {"{", ","} and (name := _name(text, _after_spaces(text, at + 1))):
        start = _after_spaces(text, name[1])
        value = _value(text, start) if count < MOST_PAIRS else None
        if value is None:
            ending = _ENDING.search(text, max(start, len(text) - _ENDING_CHARS))
            yield name[0], text[start : ending.start() if ending else len(text)]
            return "{" + ending[1] + "}" if ending else None
        yield name[0], value[0]
        at = _after_spaces(text, value[1])
        count += 1
    return None


def _name(text: str, at: int) -> tuple[str, int] | None:
    """Return the name of a field, and the offset after its colon."""
    try:
        name, end = _JSON.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None
    end = _after_spaces(text, end)
    return (name, end + 1) if isinstance(name, str) and text[end : end + 1] == ":" else None


def _value(text: str, start: int) -> tuple[object, int] | None:
    """Return a value and its end, as text if it is nested too deep; None if it is unreadable."""
    try:
        value, end = _JSON.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    part = text[start:end]
    return (part if is_deep(b"[" + part.encode() + b"]") else value), end


def _after_spaces(text: str, at: int) -> int:
    spaces = _SPACES.match(text, at)
    return at if spaces is None else spaces.end()
