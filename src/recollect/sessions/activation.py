"""Activation: whether a text in a group calls the agent.

A name counts where it stands as a word: ``tea`` is in "tea, please" and in "茶tea好", not in
"teapot" or "me@tea". Case and width do not matter. Scripts without spaces have no such borders: a
name in one of them counts wherever it stands.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator

from recollect.text.terms import is_unspaced


def calls(text: str, names: Iterable[str]) -> bool:
    """Return whether one of some names stands in a text as a word.

    >>> calls("Hey @Tea, what now?", ["@tea"]), calls("teapot", ["tea"])
    (True, False)
    """
    folded = _folded(text)
    return any(
        _is_bounded(folded, start, start + len(name))
        for name in map(_folded, names)
        for start in _places(folded, name)
    )


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().strip()


def _places(text: str, name: str) -> Iterator[int]:
    start = text.find(name) if name else -1
    while start >= 0:
        yield start
        start = text.find(name, start + 1)


def _is_bounded(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    first, last = text[start], text[end - 1]
    return not (_joins(before) and not is_unspaced(first)) and not (_joins(after) and _joins(last))


def _joins(character: str) -> bool:
    """Return whether a character goes on a word of a script that puts spaces between words."""
    return (character.isalnum() or character == "_") and not is_unspaced(character)
