"""Snippets: the part of a text that fits a question best, cut at lines or words."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from recollect.text.terms import terms

_STEP = 32
"""Words of a text are looked at in groups of about so many characters."""


class Snippet(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a text.

    Attributes:
        text: The part, without blank ends.
        start: Its first character in the text, from 0.
        end: Behind its last character.
    """

    text: str
    start: int
    end: int


def snippet(text: str, query_terms: Collection[str], max_chars: int = 700) -> Snippet:
    """Return at most ``max_chars`` characters where the most different terms stand together.

    Linear in the length of the text. Of equal places the first one is taken; a text without any of
    the terms gives its beginning.
    """
    if len(text) <= max_chars:
        return _trimmed(text, 0, len(text))
    start = _best_start(text, frozenset(query_terms), max_chars)
    start = _line_or_word_start(text, start, max_chars)
    end = _word_end(text, start, min(len(text), start + max_chars))
    return _trimmed(text, start, end)


def _best_start(text: str, wanted: frozenset[str], max_chars: int) -> int:
    places = [(place, term) for place, word in _words(text) for term in set(terms(word)) & wanted]
    best, best_start, first = 0, 0, 0
    inside: dict[str, int] = {}
    for last, (place, term) in enumerate(places):
        inside[term] = inside.get(term, 0) + 1
        while places[first][0] < place - max_chars * 3 // 4:
            left = places[first][1]
            inside[left] -= 1
            if not inside[left]:
                del inside[left]
            first += 1
        weight = 4 * len(inside) + min(last - first, 8)
        if weight > best:
            best, best_start = weight, places[first][0]
    return max(0, best_start - max_chars // 8) if best else 0


def _words(text: str) -> list[tuple[int, str]]:
    """Return pieces of a text with their places: words, or steps of a script without spaces."""
    pieces, place = [], 0
    for word in text.split():
        place = text.index(word, place)
        pieces += [
            (place + offset, word[offset : offset + _STEP + 1])
            for offset in range(0, len(word), _STEP)
        ]
        place += len(word)
    return pieces


def _line_or_word_start(text: str, start: int, max_chars: int) -> int:
    if start == 0:
        return 0
    line = text.rfind("\n", max(0, start - max_chars // 8), start)
    if line >= 0:
        return line + 1
    space = text.rfind(" ", max(0, start - 40), start)
    return _not_inside(text, space + 1 if space >= 0 else start)


def _word_end(text: str, start: int, end: int) -> int:
    if end == len(text):
        return end
    space = max(text.rfind(" ", start, end), text.rfind("\n", start, end))
    return _not_inside(text, space if space > end - 60 and space > start else end)


def _not_inside(text: str, place: int) -> int:
    """Move back from between a character and its combining marks, joiners or selectors."""
    while 0 < place < len(text) and _joins(text[place]):
        place -= 1
    return place


def _joins(character: str) -> bool:
    code = ord(character)
    return 0x300 <= code <= 0x36F or code in {0x200D, 0x3099, 0x309A} or 0xFE00 <= code <= 0xFE0F


def _trimmed(text: str, start: int, end: int) -> Snippet:
    part = text[start:end]
    start += len(part) - len(part.lstrip())
    end = start + len(part.strip())
    return Snippet(text=text[start:end], start=start, end=end)
