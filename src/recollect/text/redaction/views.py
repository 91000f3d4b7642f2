"""Texts within a text: strings of JSON without their escapes, lines without their prefixes.

A rule reads words and lines as a person wrote them. The decoration of a log, a diff, a numbered
listing, a quotation or JSON is removed here, once for all rules, and a match is mapped to its
offsets in the original text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from msgspec import Struct

from recollect.text.redaction.blocks import Span

_ESCAPE = re.compile(r"""\\(?:u([0-9a-fA-F]{4})|(.))""", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*+)"')
_LEAST_STRING = 12
_LONGEST_VALUE = 512
"""The longest string that a name before it may tell of; a longer one is judged by itself."""
_NUMBER_OR_TIME = (
    r"(?:>[ ]?){1,4}|[ ]{0,8}\d{1,7}(?:\t|→|[ ]?[|│][ ])"
    r"|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]?[ \t]"
    r"(?:\[?(?:(?:INFO|WARN)\]?:?[ ]?|(?:TRACE|DEBUG|NOTICE|WARNING|ERROR|FATAL)\]?:?)[ \t])?"
)
_PREFIX = re.compile(rf"^(?:{_NUMBER_OR_TIME})", re.MULTILINE)
_IN_DIFF = re.compile(rf"^(?:[+-](?!\+\+ |-- )|[ ](?=[ \t]*\S)|{_NUMBER_OR_TIME})", re.MULTILINE)
_BEHIND_NUMBERS = ("\t", "→", "│")
_BEGINNINGS = ("20", "[20", ">")


class View(Struct, frozen=True):
    """A text that is within another one."""

    text: str
    starts: list[int]
    """The offsets in the view of pieces that are contiguous in the other text."""
    shifts: list[int]
    """The distance by which each piece precedes its offset in the other text; one for each."""
    end: int = 0
    """Where it ends there, if nothing around it in the other text can belong to it; else 0."""

    def to_text(self, span: Span) -> Span:
        """Return a span of the view as a span of the other text."""
        kind, start, end = span
        return kind, self._at(start), self._at(end)

    def _at(self, offset: int) -> int:
        return offset + self.shifts[bisect_right(self.starts, offset) - 1]


def views(text: str) -> Iterator[View]:
    """Yield the texts that are in ``text``, one level deep."""
    if '\\"' in text or "\\n" in text:
        yield from _strings(text)
    if view := _unprefixed(text):
        yield view


def _strings(text: str) -> Iterator[View]:
    """Yield the strings of JSON that have escapes, without them."""
    at = _line_with_escape(text, 0)
    while at >= 0:
        match = _STRING.match(text, at)
        if not match:
            at = _line_with_escape(text, text.find("\n", at))
            continue
        end = match.end()
        if "\\" in match[1] and len(match[1]) >= _LEAST_STRING:
            yield _unescaped(match[1], at + 1)
        at = text.find('"', end)
        line = text.find("\n", end)
        if 0 <= line < at:
            at = _line_with_escape(text, line)


def _line_with_escape(text: str, at: int) -> int:
    """Return the first quote of the next line with an escape from ``at`` on; -1: there is none."""
    escape = text.find("\\", at) if at >= 0 else -1
    return text.find('"', max(text.rfind("\n", at, escape), at)) if escape >= 0 else -1


def _unescaped(inner: str, begin: int) -> View:
    parts: list[str] = []
    starts, shifts, at, size = [0], [begin], 0, 0
    for match in _ESCAPE.finditer(inner):
        sign = chr(int(match[1], 16)) if match[1] else _ESCAPED.get(match[2], match[2])
        parts += (inner[at : match.start()], sign)
        size += match.start() - at
        at = match.end()
        starts += (size, size + 1)
        size += 1
        shifts += (begin + match.start() - size + 1, begin + at - size)
    end = begin + len(inner) if len(inner) > _LONGEST_VALUE else 0
    return View("".join((*parts, inner[at:])), starts, shifts, end)


def without(text: str, inner: Iterable[View]) -> str:
    """Return a text with NULs in place of those texts in it that are checked alone."""
    parts: list[str] = []
    at = 0
    for view in inner:
        if view.end:
            parts += (text[at : view.shifts[0]], "\0" * (view.end - view.shifts[0]))
            at = view.end
    return "".join((*parts, text[at:])) if parts else text


def _unprefixed(text: str) -> View | None:
    """Return the lines without a mark of a diff, a number, a time or a sign of quotation."""
    is_diff = "@@ -" in text
    is_listed = is_diff or any(sign in text for sign in _BEHIND_NUMBERS)
    is_listed = is_listed or text.startswith(_BEGINNINGS)
    if not (is_listed or any(f"\n{each}" in text for each in _BEGINNINGS)):
        return None
    parts: list[str] = []
    starts, shifts, at, size = [0], [0], 0, 0
    for match in (_IN_DIFF if is_diff else _PREFIX).finditer(text):
        start, end = match.span()
        parts.append(text[at:start])
        size += start - at
        at = end
        starts.append(size)
        shifts.append(end - size)
    return View("".join((*parts, text[at:])), starts, shifts) if parts else None
