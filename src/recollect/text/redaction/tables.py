"""Secrets in lines of values below a header that tells, and in the columns of `INSERT`."""

from __future__ import annotations

import re
from collections.abc import Container, Generator, Iterator

from recollect.text.redaction.blocks import Span
from recollect.text.redaction.keyed import key_kind
from recollect.text.redaction.settings import is_chosen
from recollect.text.redaction.values import SPACE, is_filler, is_strong

_TELLING = tuple(
    "pass pw secret token senha contrase kennwort wachtwoord пароль 密码 密碼 パスワード"
    " 비밀번호".split()
)
_HEADER = re.compile(r'"?[\w.#/-][\w .#/-]{0,40}"?(?:([,;\t])"?[\w.#/-][\w .#/-]{0,40}"?)+[ \r]*')
_CELL = {
    sign: re.compile(rf'(?:[ ]*"((?:[^"\n]|"")*+)"[ \r]*|([^{sign}\n]*+))(?={sign}|\n|\Z)')
    for sign in ",;\t"
}
_LONGEST_HEADER = 1_000
_RULED = "-+-"
_RULE = re.compile(r"[ \t]*\+?-[-+]{2,1000}[ \t\r]*")
_CELLS = re.compile(r"[^|\n]+")
_ALIGNED = re.compile(
    r"(?P<cell>[^\s|](?:[^\n|]*?[^\s|])??)(?=[ ]{2,}|[ \r]*(?:\n|$))|[^\s|][^\n|]*+"
)
"""A cell, or other text up to a ``|``, which else would be tried from each of its characters."""
_MOST_ALIGNED = 12
_LEAST_CHARS = 3
_INSERT = "insert into"
_COLUMNS = re.compile(
    r"""insert into\s{1,4}[\w."`\[\]]{1,120}\s{0,4}"""
    r"""\((?P<columns>[^()]{1,2000})\)\s{0,8}values\s{0,8}""",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"""\s*(?:[enx]?'(?P<value>(?:[^'\\\n]|''|\\.)*+)'|(?:[^,()'\n]|\([^()\n]{0,200}\)){1,200}+)\s*""",
    re.IGNORECASE,
)
_NEXT_ROW = re.compile(r"\s*,?\s*\(")
_MOST_VALUES = 10_000
_LEAST_TOKEN = 8


def find_in_tables(text: str, folded: str, signs: Container[str]) -> Iterator[Span]:
    """Yield the secrets below the telling names of headers such as ``user,password``.

    Args:
        text: Any text.
        folded: The same in lower case, with every character at the same offset.
        signs: The telling names that are in it, among others.
    """
    names = [name for name in _TELLING if name in signs]
    if not names:
        return
    yield from _in_inserts(text, folded)
    yield from _in_ruled(text, folded)
    lines = _lines_with(names, folded)
    yield from _in_aligned(text, folded, lines)
    position = 0
    for begin, end in lines:
        if begin < position:
            continue
        position = end
        if position - begin <= _LONGEST_HEADER and (
            header := _HEADER.fullmatch(folded, begin, position)
        ):
            names = [cell.strip(' "\r') for cell in header[0].split(header[1])]
            kinds = [key_kind(name) for name in names]
            if any(kinds):
                position = yield from _in_rows(text, position + 1, header[1], kinds)


def _in_rows(text: str, at: int, sign: str, kinds: list[str | None]) -> Generator[Span, None, int]:
    """Yield the secrets of the rows from ``at`` on; return the end of the table."""
    while at < len(text):
        end, row = at, list[re.Match[str]]()
        while len(row) <= len(kinds) and (cell := _CELL[sign].match(text, end)):
            row.append(cell)
            end = cell.end() + 1
            if text[cell.end() : end] != sign:
                break
        if not 1 < len(row) <= len(kinds):
            break
        for kind, cell in zip(kinds, row, strict=False):
            group = 1 if cell[1] is not None else 2
            value = cell[group].strip()
            if kind and len(value) >= _LEAST_CHARS and not is_filler(value):
                start = cell.start(group) + cell[group].index(value)
                yield kind, start, start + len(value)
        at = end
    return at


def _in_inserts(text: str, folded: str) -> Iterator[Span]:
    """Yield those of ``INSERT INTO x (user, password) VALUES …``."""
    at = folded.find(_INSERT)
    while at >= 0:
        end = at + len(_INSERT)
        if head := _COLUMNS.match(text, at):
            kinds = [key_kind(name.strip(' \n\t\r"`[]')) for name in head["columns"].split(",")]
            end = head.end()
            if any(kinds):
                yield from _in_inserted(text, end, kinds)
        at = folded.find(_INSERT, end)


def _in_inserted(text: str, at: int, kinds: list[str | None]) -> Iterator[Span]:
    """Yield the secrets of the rows that begin at ``at``."""
    for number in range(_MOST_VALUES):
        column = number % len(kinds)
        row = None if column else _NEXT_ROW.match(text, at)
        if not column and not row:
            return
        cell = _VALUE.match(text, row.end() if row else at)
        if not cell or text[cell.end() : cell.end() + 1] not in {",", ")"}:
            return
        kind, value = kinds[column], cell["value"]
        if kind and value and _is_secret(kind, value):
            yield kind, *cell.span("value")
        at = cell.end() + 1


def _is_secret(kind: str, value: str) -> bool:
    if len(value) < _LEAST_CHARS or is_filler(value):
        return False
    return kind != "token" or (len(value) >= _LEAST_TOKEN and not SPACE.search(value))


def _lines_with(names: list[str], folded: str) -> list[tuple[int, int]]:
    """Return the bounds of the lines that have one of the names and a line below, in order.

    A search for each name is quicker than one for any of them.
    """
    lines: set[tuple[int, int]] = set()
    for name in names:
        at = folded.find(name)
        while at >= 0 and (end := folded.find("\n", at)) >= 0:
            lines.add((folded.rfind("\n", 0, at) + 1, end))
            at = folded.find(name, end)
    return sorted(lines)


def _in_aligned(text: str, folded: str, lines: list[tuple[int, int]]) -> Iterator[Span]:
    """Yield the secrets of columns that only spaces part."""
    for begin, end in lines:
        if "  " not in folded[begin:end].strip():
            continue
        cells = [*filter(None, _ALIGNED.findall(folded, begin, end))]
        kinds = [key_kind(cell) for cell in cells] if 2 <= len(cells) <= _MOST_ALIGNED else []
        if any(kinds):
            yield from _below_aligned(text, end + 1, kinds)


def _below_aligned(text: str, at: int, kinds: list[str | None]) -> Iterator[Span]:
    while at < len(text):
        end = text.find("\n", at)
        end = end if end >= 0 else len(text)
        cells = [cell for cell in _ALIGNED.finditer(text, at, end) if cell["cell"]]
        if len(cells) != len(kinds):
            return
        for kind, cell in zip(kinds, cells, strict=True):
            if kind and " " not in cell[0] and (is_strong(cell[0]) or is_chosen(cell[0])):
                yield kind, *cell.span()
        at = end + 1


def _in_ruled(text: str, folded: str) -> Iterator[Span]:
    """Yield the secrets of tables as the shells of databases draw them."""
    at = folded.find(_RULED)
    while at >= 0:
        start, end = folded.rfind("\n", 0, at) + 1, folded.find("\n", at)
        if end < 0:
            return
        header = folded[max(folded.rfind("\n", 0, max(start - 1, 0)) + 1, start - 1_000) : start]
        if "|" in header and _RULE.fullmatch(folded, start, end):
            kinds = [key_kind(cell.strip()) for cell in _CELLS.findall(header.strip("\n\r |"))]
            end = yield from _below_rule(text, end + 1, kinds)
        at = folded.find(_RULED, end)


def _below_rule(text: str, at: int, kinds: list[str | None]) -> Generator[Span, None, int]:
    """Yield the secrets of the rows from ``at`` on; return the end of the table."""
    while any(kinds) and at < len(text):
        end = text.find("\n", at)
        end = end if end >= 0 else len(text)
        if "|" not in text[at:end]:
            break
        first = at + len(text[at:end]) - len(text[at:end].lstrip(" |"))
        for kind, cell in zip(kinds, _CELLS.finditer(text, first, end), strict=False):
            value = cell[0].strip()
            if kind and _is_secret(kind, value):
                start = cell.start() + cell[0].index(value)
                yield kind, start, start + len(value)
        at = end + 1
    return at
