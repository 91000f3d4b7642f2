"""Snippets: the part of a text that fits a question best, cut at lines or words."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Collection, Iterator

import msgspec

from recollect.text.boundaries import safe_cut
from recollect.text.terms import PAIRED, UNDECOMPOSED, irregular_forms, is_unspaced, terms

_REACH = 40
"""Characters of a word that are read on each side of a match; longer runs are not words."""
_PAIRED = re.compile(f"[{PAIRED}]")
_SPACES = " \n\t"
_LEAST_STEM = 3
"""A stem of this many letters or more may have lost or changed its last one."""


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
    """Return at most ``max_chars`` characters where the most different terms are close together.

    Linear in the length of the text. Of equal positions the first one is taken; a text without any
    of the terms gives its beginning.
    """
    if len(text) <= max_chars:
        return _trimmed(text, 0, len(text))
    start = _best_start(sorted(_positions(text, frozenset(query_terms))), max_chars)
    start = _line_or_word_start(text, start, max_chars)
    end = _word_end(text, start, min(len(text), start + max_chars))
    return _trimmed(text, start, end)


def _best_start(positions: list[tuple[int, str]], max_chars: int) -> int:
    best, best_start, first = 0, 0, 0
    inside: dict[str, int] = {}
    for last, (position, term) in enumerate(positions):
        inside[term] = inside.get(term, 0) + 1
        while positions[first][0] < position - max_chars * 3 // 4:
            former = positions[first][1]
            inside[former] -= 1
            if not inside[former]:
                del inside[former]
            first += 1
        weight = 4 * len(inside) + min(last - first, 8)
        if weight > best:
            best, best_start = weight, positions[first][0]
    return max(0, best_start - max_chars // 8)


def _positions(text: str, query_terms: frozenset[str]) -> Iterator[tuple[int, str]]:
    """Yield the positions of the wanted terms.

    Searches for their letters first and makes terms only of the words that have them: a fraction of
    the time that the terms of the whole text take.
    """
    folded = text.lower() if text.isascii() else text.translate(_BASES)
    longer = [] if len(folded) == len(text) else _positions_of_pairs(text)
    spelled = [(term, letters) for term in query_terms for letters in _spellings(term)]
    for term, letters in spelled:
        start = folded.find(letters)
        while start >= 0:
            position = start - bisect_left(longer, start)
            end = start + len(letters) - bisect_left(longer, start + len(letters))
            if is_unspaced(term):
                yield position, term
            else:
                word_start, word_stop = _word_around(text, position, end)
                matches = query_terms.intersection(terms(text[word_start:word_stop]))
                if term in matches:
                    # The parts of a name come with the whole one: user_id does not contain userid.
                    yield from ((position, each) for each in matches)
                else:
                    end = word_stop
            start = folded.find(letters, end + bisect_left(longer, start + len(letters)))


def _spellings(term: str) -> list[str]:
    """Return the letters of words with the term ``term``: its stem, or its irregular forms."""
    stem = term[:-1] if len(term) >= _LEAST_STEM else term
    forms = irregular_forms().get(term, ())
    return [stem, *(form for form in forms if not form.startswith(stem))]


def _positions_of_pairs(text: str) -> list[int]:
    """Return the positions, in the folded text, of letters that became two."""
    return [match.start() + before for before, match in enumerate(_PAIRED.finditer(text))]


class _Bases(dict[int, str]):
    """Characters without case and accents, for `str.translate`: one for one but for `PAIRED`."""

    def __missing__(self, code: int) -> str:
        lowered = chr(code).lower()
        base, *marks = list(unicodedata.normalize("NFKD", lowered))
        if any(not "\u0300" <= mark <= "\u036f" for mark in marks):
            base = unicodedata.normalize("NFKC", lowered)[0]
        self[code] = base.translate(UNDECOMPOSED)
        return self[code]


_BASES = _Bases()


def _word_around(text: str, position: int, end: int) -> tuple[int, int]:
    """Return the bounds of the word around a match: at white space, or as words go."""
    before = text[max(0, position - _REACH) : position]
    after = text[end : end + _REACH]
    breaks = [offset for mark in _SPACES if (offset := after.find(mark)) >= 0]
    begin = max(before.rfind(mark) for mark in _SPACES) + 1
    return position - len(before) + begin, end + min(breaks, default=len(after))


def _line_or_word_start(text: str, start: int, max_chars: int) -> int:
    if start == 0:
        return 0
    line = text.rfind("\n", max(0, start - max_chars // 8), start)
    if line >= 0:
        return line + 1
    space = text.rfind(" ", max(0, start - _REACH), start)
    return space + 1 if space >= 0 else safe_cut(text, start)


def _word_end(text: str, start: int, end: int) -> int:
    if end == len(text):
        return end
    space = max(text.rfind(" ", start, end), text.rfind("\n", start, end))
    return space if space > max(end - 60, start) else safe_cut(text, end)


def _trimmed(text: str, start: int, end: int) -> Snippet:
    part = text[start:end]
    start += len(part) - len(part.lstrip())
    end = start + len(part.strip())
    return Snippet(text=text[start:end], start=start, end=end)
