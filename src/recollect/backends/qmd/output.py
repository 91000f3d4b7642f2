"""Reads what the command prints: one JSON list, often with notices before and after it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator

import msgspec

from recollect.backends.qmd.command import failed

LEAST_SCORE = 0.01
"""Scores come rounded to hundredths; a hit that was rounded to none is a hit all the same."""
_TRIES = 1_000
"""Brackets that are looked at in an output without a list."""
_HEADER = re.compile(r"^@@ -(\d{1,9}),(\d{1,9}) @@[^\n]*\n?")
_NOTHING = re.compile(r"no results found", re.IGNORECASE)


class FoundText(msgspec.Struct, frozen=True, kw_only=True):
    """A hit as the command tells it.

    Attributes:
        file: ``qmd://COLLECTION/PATH``.
        score: In [0, 1].
        first: First line shown, from 1.
        last: Last line shown, inclusive.
    """

    file: str
    score: float
    first: int
    last: int


class _Entry(msgspec.Struct):
    file: str
    score: float = 0.0
    line: int | None = None
    snippet: str = ""


def read_output(output: bytes) -> list[FoundText]:
    """Return the hits, best first.

    Raises:
        ProviderUnavailable: the output holds no list of hits.
    """
    text = output.decode("utf-8", errors="replace")
    for entries in _lists(text):
        try:
            return [_found(entry) for entry in msgspec.convert(entries, list[_Entry])]
        except msgspec.ValidationError:
            continue
    if _NOTHING.search(text):
        return []
    raise failed("gave an answer that is no list of hits")


def _lists(text: str) -> Iterator[list[object]]:
    """Yield the JSON lists of a text that can be lists of hits."""
    decoder = json.JSONDecoder()
    at = text.find("[")
    for _ in range(_TRIES):
        if at < 0:
            return
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if isinstance(value, list):
                yield value
        at = text.find("[", end)


def _found(entry: _Entry) -> FoundText:
    header = _HEADER.match(entry.snippet)
    if header:
        first, count = int(header[1]), int(header[2])
    else:
        first, count = entry.line or 1, 1 + entry.snippet.rstrip("\n").count("\n")
    first = max(1, first)
    return FoundText(
        file=entry.file,
        score=_share(entry.score),
        first=first,
        last=first + max(1, count) - 1,
    )


def _share(score: float) -> float:
    return min(1.0, max(LEAST_SCORE, score)) if math.isfinite(score) else LEAST_SCORE
