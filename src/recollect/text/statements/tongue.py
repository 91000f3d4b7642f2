"""The language of a message: by its letters, or by words that only one language has."""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterable
from itertools import islice, repeat

from recollect.text.languages import spaced
from recollect.text.statements.columns import Columns
from recollect.text.statements.rulebook import grammar_of, rulebook

_KANA = re.compile("[\u3040-\u30ff]")
_HANGUL = re.compile("[\uac00-\ud7af]")
_HAN = re.compile("[\u4e00-\u9fff]")
_ENOUGH = 60
"""Words of a text that are looked at: a language shows in its first sentences."""
_SHARE = 6
"""One character of this many is enough for a language without spaces: names are in Latin."""


def language_of(text: str, words: Iterable[str]) -> str:
    """Return the code of the language of a text; English where nothing tells.

    Args:
        text: The text; its first 2,000 characters count.
        words: Its words, in small letters.
    """
    if not text.isascii():
        head = text[:2_000]
        signs = {"ja": _KANA, "ko": _HANGUL, "zh": _HAN}
        counts = {code: len(sign.findall(head)) for code, sign in signs.items()}
        if sum(counts.values()) * _SHARE > len(head.strip()):
            if counts["ja"]:
                return "ja"
            return "ko" if counts["ko"] > counts["zh"] else "zh"
    row = sum(map(_weights().get, islice(words, _ENOUGH), repeat(0)))
    if not text.isascii():
        row += sum(map(_LETTERS.get, set(text[:2_000]), repeat(0)))
    scores = _COLUMNS.values(row)
    return _CODES[scores.index(max(scores))]


_CODES = ("en", "de", "es", "fr", "pt")
_COLUMNS = Columns(len(_CODES))
_WHOLE = 3_600
"""What a word counts that only one language has; a multiple of the squares of their numbers."""


def _row(codes: Collection[str], weight: int) -> int:
    return _COLUMNS.row(weight * (code in codes) for code in _CODES)


_LETTERS = {
    letter: _row(codes, _WHOLE // 2)
    for letters, codes in (
        ("ßäöüÄÖÜ", ("de",)),
        ("ñ¿¡", ("es",)),
        ("ãõÃÕ", ("pt",)),
        ("çâêôà", ("pt", "fr")),
        ("èùûîœëï", ("fr",)),
        ("íóúá", ("es", "pt")),
        ("é", ("es", "pt", "fr")),
    )
    for letter in letters
}
"""A letter with an accent counts half as much."""


@functools.cache
def _weights() -> dict[str, int]:
    """Return the rows of words: of two languages, it tells each a quarter as much."""
    of: dict[str, set[str]] = {}
    for language in spaced():
        for word in f"{language.function_words} {language.stop_words}".split():
            of.setdefault(word, set()).add(language.code)
        grammar = grammar_of(language.code)
        words = [*grammar.telling.split(), *rulebook(language.code, "user").by_cue]
        for word in words:
            of.setdefault(word, set()).add(language.code)
    return {word: _row(codes, _WHOLE // len(codes) ** 2) for word, codes in of.items()}
