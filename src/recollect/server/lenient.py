"""Reads input of hooks in any form: nothing is refused, because what is refused is lost."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator
from typing import Any

import msgspec
import numpy as np

from recollect.server.route import LenientGiven

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
    """Return the end before a cut, so that neither a character nor an escape is halved."""
    while end and data[end] & 0xC0 == 0x80:
        end -= 1
    start = max(0, end - _LONGEST_ESCAPE)
    found = _OPEN_ESCAPE.search(data, start, end)
    while found is not None and _is_escaped(data, found.start()):
        found = _OPEN_ESCAPE.search(data, found.start() + 1, end)
    return end if found is None else found.start()


def _tail_start(data: bytearray, start: int) -> int:
    """Return the start after a cut, past a halved character or escape."""
    while start < len(data) and data[start] & 0xC0 == 0x80:
        start += 1
    for at in range(max(0, start - _LONGEST_ESCAPE + 1), start):
        found = None if _is_escaped(data, at) else _WHOLE_ESCAPE.match(data, at)
        if found is not None and found.end() > start:
            return found.end()
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
            return msgspec.json.decode(body, type=dict[str, Any]), None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    return _read_slowly(body)


def _read_slowly(body: bytes) -> tuple[dict[str, Any], str | None]:
    text = _ESCAPE.sub(_whole_escape, body.decode("utf-8", "replace").removeprefix("\ufeff"))
    values = dict(_pairs(text))
    return values, (text if not values and text.strip() != "{}" else None)


def read_leniently(body: bytes, kind: type[LenientGiven], left_out: int = 0) -> LenientGiven:
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
                fields[field.name] = msgspec.convert(value, field.type, strict=False)
            except msgspec.ValidationError:
                strange[field.encode_name] = value
    if strange:
        unread = msgspec.json.encode(strange).decode()
    return kind(**fields | {"unread": unread, "left_out": left_out})


def _whole_escape(found: re.Match[str]) -> str:
    """Return an escape as it is, or that of the replacement character for a lone surrogate."""
    escape = found[0]
    is_half = len(escape) == 6 and escape[1] == "u"
    return r"\ufffd" if is_half else escape


def _pairs(text: str) -> Iterator[tuple[str, object]]:
    """Yield the fields of an object as far as it can be read; an unreadable value as its text."""
    left: str | None = text
    while left is not None:
        left = yield from _sound_pairs(left)


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
    found = _SPACES.match(text, at)
    return at if found is None else found.end()
