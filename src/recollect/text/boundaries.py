"""Where a text may be cut so that it still reads well: paragraphs, lines, sentences, words.

Offsets are code points. Every function reads only near the given offset, so that cutting a text of
any length stays linear.
"""

from __future__ import annotations

import re
import unicodedata

from msgspec import Struct
from msgspec.structs import fields

SHOWN_CHARS = 40
"""Characters shown of each text in a value."""
_REACH = 32
"""Code points of the longest emoji sequence or pile of accents that is kept whole."""
_JOINER = "\u200d"

_SENTENCE_END = re.compile(r"""[.!?…]["'”’)\]]{0,3}\s+|[。！？][」』”’]{0,3}\s*""")


def sentence_ends(text: str) -> list[int]:
    """Return the offsets after the sentences of a text, that of its own end aside.

    >>> sentence_ends("One. Two! Three")
    [5, 10]
    """
    return [match.end() for match in _SENTENCE_END.finditer(text) if match.end() < len(text)]


def whole_sentences(text: str, most: int) -> str:
    """Return the sentences of a text that are whole within ``most`` characters; else that many.

    >>> whole_sentences("One. Two! Three", 10)
    'One. Two!'
    """
    if len(text) <= most:
        return text
    end = max((end for end in sentence_ends(text) if end <= most), default=0)
    return text[:end].strip() if end else text[: most - 1].rstrip() + "…"


def safe_cut(text: str, at: int) -> int:
    """Return the nearest offset at or before ``at`` that is not inside one visible character.

    Keeps accents, surrogate pairs, joined emoji, skin tones and line breaks of two characters
    whole; a pile of more than ``_REACH`` is cut at ``at``.

    >>> safe_cut("cafe\u0301", 4)
    3
    """
    for candidate in range(at, max(at - _REACH, -1), -1):
        if not _is_inside(text, candidate):
            return candidate
    return at


def good_cut(text: str, start: int, stop: int) -> int:
    """Return the best offset in the later half of ``start`` to ``stop`` to end a piece at.

    The end of a paragraph before that of a line, of a sentence, of a word; ``stop`` itself, moved
    off the inside of a character, when there is none. The border's white space stays on the left.
    """
    if stop >= len(text):
        return len(text)
    middle = (start + stop) // 2
    for mark in ("\n\n", "\n"):
        position = text.rfind(mark, middle, stop)
        if position >= 0:
            return position + len(mark)
    last_end = max((m.end() for m in _SENTENCE_END.finditer(text, middle, stop)), default=0)
    if last_end:
        return last_end
    position = max(text.rfind(mark, middle, stop) for mark in " \t\u3000")
    offset = position + 1 if position >= 0 else safe_cut(text, stop)
    return offset if offset > start else stop


def _is_inside(text: str, at: int) -> bool:
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if before.isascii() and after.isascii():
        return before == "\r" and after == "\n"
    if _JOINER in (before, after):
        return True
    if "\U0001f1e6" <= after <= "\U0001f1ff" and "\U0001f1e6" <= before <= "\U0001f1ff":
        return _flags_before(text, at) % 2 == 1
    return _extends(after) or ("\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff")


def _extends(character: str) -> bool:
    return (
        unicodedata.category(character) in {"Mn", "Me", "Mc"}
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
    )


def _flags_before(text: str, at: int) -> int:
    """Return how many regional indicators are right before ``at``; two make one flag."""
    first = at
    while first > 0 and at - first < _REACH and "\U0001f1e6" <= text[first - 1] <= "\U0001f1ff":
        first -= 1
    return at - first


def brief_repr(value: Struct) -> str:
    """Return a value on one line, for logs and notebooks; defaults are left out.

    A text is cut to `SHOWN_CHARS` characters; a list or a mapping is shown as its length.
    """
    parts = (
        f"{field.name}={_brief(content)}"
        for field in fields(value)
        if (content := getattr(value, field.name)) != field.default and content not in ((), [], {})
    )
    return f"{type(value).__name__}({', '.join(parts)})"


def _brief(value: object) -> str:
    if isinstance(value, str):
        end = safe_cut(value, SHOWN_CHARS)
        return repr(value) if len(value) <= SHOWN_CHARS else f"{value[:end]!r}…"
    if isinstance(value, list | tuple):
        return f"<{len(value)} {type(value[0]).__name__}>"
    return f"<{len(value)} keys>" if isinstance(value, dict) else repr(value)
