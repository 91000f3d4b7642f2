"""How many tokens a text costs in a prompt, without any vocabulary.

Cuts a text into pieces the way that o200k's pre-tokenizer does and charges each by its class and
length. Budgets take a margin of ten per cent on it. Measured against o200k on 35 kinds of text:
within 14 % for English, Markdown, code, JSON, logs and Base64, within 15 % for Chinese, Japanese,
Korean and Russian. Traditional Chinese and short labels in Polish or Ukrainian come out 20 % too
low, Vietnamese 28 % too high.
"""

from __future__ import annotations

import functools
import math
import re

_PIECE = (  # compiled for the first text: it takes 3 ms
    # Base64, hashes and keys: a digit soon, and no end for long. Quantifiers are bounded so that
    # no text makes the scan quadratic and no piece fills the cache.
    r"(?=[A-Za-z+/]{0,24}[0-9])[A-Za-z0-9][A-Za-z0-9+/]{31,255}"
    r"|[A-Z]?[a-z]{1,64}(?:'(?:[stmd]|ll|re|ve)\b)?"
    r"|[A-Z]{1,64}"
    r"|[0-9]{1,3}"
    r"|[^\S\n](?=[0-9])"  # a digit does not take the space before it along, a word does
    r"|\s{0,64}\n\s{0,64}"
    r"|[^\S\n]{2,64}"
    r"|[!-/:-@\[-`{-~]{1,64}"
    r"|[\u3400-\u9fff\uf900-\ufaff]{1,64}"
    r"|[\u3040-\u30ff\uff66-\uff9f]{1,64}"
    r"|[\uac00-\ud7af\u1100-\u11ff]{1,64}"
    r"|[\u00c0-\u024f]{1,64}"
    r"|[\u1e00-\u1eff]{1,64}"
    r"|[\u0250-\u1dff\u1f00-\u1fff]{1,64}"
    r"|[^\s\x00-\x7f]"
)

_SHORT_WORD = 8
"""Letters of a word that is one token; English words of more cost one more per five letters."""
_BLOB_CHARS = 32

_PER_CHARACTER = (
    # (first, last, tokens of a run, tokens of each character)
    ("\u00c0", "\u024f", 0.0, 0.62),  # accented Latin: splits the word around it
    ("\u0400", "\u052f", 0.5, 0.20),  # Cyrillic
    ("\u0250", "\u10ff", 0.5, 0.31),  # Greek to Georgian
    ("\u1100", "\u11ff", 0.0, 0.66),  # Hangul, decomposed
    ("\u1e00", "\u1eff", 0.0, 0.45),  # Vietnamese
    ("\u1200", "\u1fff", 0.5, 0.31),  # Ethiopic to Greek extended
    ("\u3000", "\u303f", 0.0, 0.80),  # CJK punctuation
    ("\u3040", "\u30ff", 0.0, 0.62),  # kana
    ("\u3400", "\u9fff", 0.0, 0.73),  # Han: .68 simplified, .90 traditional
    ("\uac00", "\ud7af", 0.0, 0.66),  # Hangul
    ("\uf900", "\ufaff", 0.0, 0.73),  # Han, compatibility
    ("\uff00", "\uff65", 0.0, 0.80),  # full-width punctuation
    ("\U00010000", "\U0010ffff", 0.0, 1.60),  # emoji and rare ideographs
)
_OTHER = 0.9


def estimate_tokens(text: str) -> int:
    """Return the estimated o200k tokens of ``text``; 0 for an empty text.

    Source: constants fitted by hand on 35 samples of 0.5 to 400 kB counted with o200k_base.

    >>> estimate_tokens("The quick brown fox jumps over the lazy dog.")
    10
    """
    return math.ceil(sum(map(_cost, re.findall(_PIECE, text))))


@functools.lru_cache(maxsize=65_536)
def _cost(piece: str) -> float:
    if piece.isascii():
        return _ascii_cost(piece)
    first = piece[0]
    for low, high, run, each in _PER_CHARACTER:
        if low <= first <= high:
            return run + each * len(piece)
    return _OTHER


def _ascii_cost(piece: str) -> float:
    first, length = piece[0], len(piece)
    if first.isspace():
        return _space_cost(piece)
    if not first.isalnum():
        return 0.6 + 0.25 * length
    if piece.isdigit():
        return math.ceil(length / 3)
    if length >= _BLOB_CHARS and not piece.isalpha():
        return 0.66 * length
    if length > 1 and piece.isupper():
        return 0.5 + 0.27 * length
    return 1.0 + max(0, length - _SHORT_WORD) / 5


def _space_cost(piece: str) -> float:
    if "\n" in piece or len(piece) == 1:
        return 1.0
    return 0.6
