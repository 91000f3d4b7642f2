"""Where a text holds the words of a question, by the same terms as the search."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.text.terms import query_terms, terms

_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3000-\U0003134f"
_WORD = re.compile(rf"[{_UNSPACED}]+|[^\W{_UNSPACED}]+(?:['’][a-zA-Z]+)?")
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")

Stretch = tuple[int, int]
"""From a character, from 0, to behind another."""


def matches(text: str, question: str) -> list[Stretch]:
    """Return the stretches of ``text`` that match ``question``, in order; they do not overlap."""
    wanted = frozenset(query_terms(question))
    found: list[Stretch] = []
    for start, end in _stretches(text):
        if wanted.isdisjoint(terms(text[start:end])):
            continue
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def _stretches(text: str) -> Iterator[Stretch]:
    """Yield words; of a script without spaces every pair of characters."""
    for word in _WORD.finditer(text):
        start, end = word.span()
        if end - start > 2 and _IS_UNSPACED.match(text, start):
            yield from ((place, place + 2) for place in range(start, end - 1))
        else:
            yield start, end
