"""The size of a text in characters that are worth a quarter of a token each.

Latin characters weigh their UTF-16 units; Chinese, Japanese and Korean ones, which are about a
token each, weigh as many characters as that. Source: the weights of OpenClaw 2026.9.
"""

from __future__ import annotations

import functools
import re

CHARS_PER_TOKEN = 4
HEAVIEST = 16
"""No character weighs more."""

_EXTRA = (  # compiled for the first text that is not ASCII
    (r"[\u3000-\u30ff\u3200-\u33ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60\uffe0-\uffe6]+", 3),
    (r"[\uff61-\uffdc]+", 7),
    (
        r"[\u1100-\u11ff\u2e80-\u2fff\u3100-\u31ff\u3400-\u4dbf"
        r"\ua960-\ua97f\ud7b0-\ud7ff\uf900-\ufaff]+",
        11,
    ),
    (r"[\U00020000-\U0003ffff]+", 14),
    (r"[\U00010000-\U0010ffff]+", 1),
)
"""The weight of a character beyond 1: 4 in all for common Han, kana and Hangul, 8 for half-width
forms, 12 for rare ones of the first plane, 16 for ideographs beyond it, 2 for emoji."""


def char_cost(text: str) -> int:
    """Return the weight of ``text``: never less than its length.

    >>> char_cost("abc"), char_cost("绿茶"), char_cost("😀")
    (3, 8, 2)
    """
    if text.isascii():
        return len(text)
    total = len(text)
    for pattern, extra in _EXTRA:
        total += extra * sum(map(len, re.findall(pattern, text)))
    return total


_character_weight = functools.lru_cache(maxsize=65_536)(char_cost)


def stop_within(text: str, start: int, limit: int) -> int:
    """Return the end offset in ``text`` from ``start`` within a weight of ``limit``.

    Args:
        text: Any text.
        start: Where to begin.
        limit: At least twice ``HEAVIEST``, so that the answer is beyond ``start``.

    Returns:
        The largest end offset that fits; never between the two halves of a surrogate pair.
    """
    window = text[start : start + limit]
    stop = start + len(window)
    if not window.isascii():
        size = 0
        for index, character in enumerate(window):
            size += _character_weight(character)
            if size > limit:
                stop = start + index
                break
    return stop - 1 if _splits_pair(text, stop) else stop


def _splits_pair(text: str, at: int) -> bool:
    """Return whether ``at`` is inside a surrogate pair that was decoded as two characters."""
    return at < len(text) and "\ud800" <= text[at - 1] <= "\udbff" < text[at] <= "\udfff"
