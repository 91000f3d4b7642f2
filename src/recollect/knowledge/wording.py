"""The words of a statement as they are compared: the same words are the same fact."""

from __future__ import annotations

import hashlib
import re
import unicodedata

_WORD = re.compile(r"[\w+#]+(?:['’.:/@-]\w+)*", re.UNICODE)


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text without case, punctuation and the width of letters.

    >>> words_of("I  live in Leeds!") == words_of("i live in leeds")
    True
    """
    return tuple(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def words_digest(text: str) -> bytes:
    """Return 16 bytes that are equal for texts of the same words in the same order."""
    joined = " ".join(words_of(text)) or text.strip()
    return hashlib.blake2b(joined.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def says(text: str, statement: str) -> bool:
    """Return whether a text has the words of a statement, one after the other.

    >>> says("Remember: I live in Leeds.", "i live in Leeds"), says("Leeds", "I live in Leeds")
    (True, False)
    """
    phrase = " ".join(words_of(statement))
    return bool(phrase) and f" {phrase} " in f" {' '.join(words_of(text))} "
