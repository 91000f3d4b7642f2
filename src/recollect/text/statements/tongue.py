"""The language of a message: by its letters, or by words that only one language has."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from recollect.text.languages import spaced
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
    scores = dict.fromkeys(_CODES, 0.0)
    if not text.isascii():
        for letter in set(text[:2_000]) & _LETTERS.keys():
            for code in _LETTERS[letter]:
                scores[code] += _OF_LETTER
    weights = _weights()
    for word, _ in zip(words, range(_ENOUGH), strict=False):
        for code, weight in weights.get(word, ()):
            scores[code] += weight
    return max(scores, key=lambda code: scores[code])


_LETTERS = {
    letter: codes
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
_OF_LETTER = 0.5
"""What a letter with an accent counts; a word that only one language has counts 1."""
_CODES = ("en", "de", "es", "fr", "pt")


@functools.cache
def _weights() -> dict[str, list[tuple[str, float]]]:
    """Return the languages of a word, each with its share: a word of two tells half as much."""
    of: dict[str, set[str]] = {}
    for language in spaced():
        for word in f"{language.function_words} {language.stop_words}".split():
            of.setdefault(word, set()).add(language.code)
        grammar = grammar_of(language.code)
        words = [*grammar.telling.split(), *rulebook(language.code, "user").by_cue]
        for word in words:
            of.setdefault(word, set()).add(language.code)
    return {word: [(code, 1 / len(codes) ** 2) for code in codes] for word, codes in of.items()}
