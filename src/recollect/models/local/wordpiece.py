"""Cuts text into the word pieces of a BERT vocabulary, in plain Python.

Gives the same ids as the reference tokenizer of the model (checked by fuzzing, see the tests),
with one deliberate difference: the text ``[SEP]`` in a document is three ordinary words, never a
control token. Knows nothing about windows or models.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

from recollect.core.errors import EmbeddingError

PAD, UNKNOWN, CLS, SEP = "[PAD]", "[UNK]", "[CLS]", "[SEP]"

_MAX_WORD_CHARS = 100
"""A longer word is one unknown piece. Source: the model's tokenizer.json."""
_CACHED_WORDS = 50_000
"""About 10 MB; conversations use fewer distinct words than that per hundred thousand messages."""
_CACHED_WORD_CHARS = 32
"""Longer words are rarely repeated (Chinese sentences, links, keys)."""
_SLICE_CHARS = 16_384
"""A text is cut into slices of this length, so that with a limit the rest of a long text is not
read."""
_SPACE = re.compile(r"[ \n]")
_WORD_END = re.compile(r"[!-/:-@\[-`{-~\u3001-\u3002\u3400-\u9fff]")
"""Positions where a text without spaces can be cut: minified JSON, Chinese."""
_CJK = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
"""Ideographs that are words by themselves. Source: the reference tokenizer, including its gap."""
_KEPT_CONTROLS = "\t\n\r"
_REMOVED = frozenset({"Cc", "Cf", "Co", "Cs"})


class _Cleaning(dict[int, str | None]):
    """A `str.translate` table, filled on demand: removes controls, separates ideographs.

    Controls must be removed before the text is split: `str.split` would cut at some of them.
    """

    def __missing__(self, code: int) -> str | None:
        char = chr(code)
        if char in _KEPT_CONTROLS:
            replacement: str | None = char
        elif unicodedata.category(char) in _REMOVED or char == "\ufffd":
            replacement = None
        elif any(low <= code <= high for low, high in _CJK):
            replacement = f" {char} "
        else:
            replacement = char
        self[code] = replacement
        return replacement


class _Punctuation(dict[int, str]):
    """A `str.translate` table that separates punctuation."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        # ASCII symbols count as punctuation here: $ + < = > ^ ` | ~
        symbol = code < 128 and not char.isalnum() and not char.isspace()
        apart = symbol or unicodedata.category(char)[0] == "P"
        self[code] = f" {char} " if apart else char
        return self[code]


class WordPieces:
    """Encodes texts with one vocabulary. Safe to share between threads.

    Args:
        vocabulary: The pieces in order of their ids; continuations start with ``##``.
        lowers: Whether the vocabulary has no capitals.
        strips: Whether it has no accents.

    Raises:
        EmbeddingError: the vocabulary lacks a special piece.
    """

    def __init__(
        self, vocabulary: Sequence[str], *, lowers: bool = True, strips: bool = True
    ) -> None:
        self._ids = {piece: number for number, piece in enumerate(vocabulary)}
        missing = {PAD, UNKNOWN, CLS, SEP} - self._ids.keys()
        if missing:
            raise EmbeddingError(
                "the vocabulary lacks special pieces",
                hint="run `recollect models install` again",
                missing=sorted(missing),
            )
        self.cls_id, self.sep_id = self._ids[CLS], self._ids[SEP]
        self._lowers, self._strips = lowers, strips
        self._unknown = (self._ids[UNKNOWN],)
        self._continuations = bytes(piece.startswith("##") for piece in vocabulary)
        self._cleaning = _Cleaning()
        self._punctuation = _Punctuation()
        self._cache: dict[str, tuple[int, ...]] = {}
        self._lock = threading.Lock()

    def encode(self, text: str, limit: int | None = None) -> list[int]:
        """Return the ids of ``text`` without special pieces; at least the first ``limit`` of them.

        With a limit the result may be longer than that; text far beyond it is not read.
        """
        ids: list[int] = []
        for part in _slices(text):
            cache = self._cache
            for word in part.translate(self._cleaning).split():
                word_ids = cache.get(word)
                ids += self._remember(word) if word_ids is None else word_ids
            if limit is not None and len(ids) >= limit:
                break
        return ids

    def is_continuation(self, piece_id: int) -> bool:
        """Return whether a piece continues the word of the piece before it."""
        return bool(self._continuations[piece_id])

    def _remember(self, word: str) -> tuple[int, ...]:
        ids = self._split(word)
        if len(word) <= _CACHED_WORD_CHARS:
            with self._lock:
                if len(self._cache) >= _CACHED_WORDS:
                    self._cache = {}
                self._cache[word] = ids
        return ids

    def _split(self, word: str) -> tuple[int, ...]:
        plain = word if word.isascii() or not self._strips else _without_accents(word)
        if self._lowers:
            # The reference lowers each letter separately; Python would use a final sigma.
            plain = plain.replace("Σ", "σ").lower()
        ids: list[int] = []
        for part in plain.translate(self._punctuation).split():
            ids.extend(self._pieces(part))
        return tuple(ids)

    def _pieces(self, word: str) -> tuple[int, ...]:
        whole = self._ids.get(word)
        if whole is not None:
            return (whole,)
        if len(word) > _MAX_WORD_CHARS:
            return self._unknown
        ids: list[int] = []
        start = 0
        while start < len(word):
            end, piece = self._longest(word, start)
            if piece is None:
                return self._unknown
            ids.append(piece)
            start = end
        return tuple(ids)

    def _longest(self, word: str, start: int) -> tuple[int, int | None]:
        prefix = "##" if start else ""
        for end in range(len(word), start, -1):
            piece = self._ids.get(prefix + word[start:end])
            if piece is not None:
                return end, piece
        return start, None


def read_vocabulary(path: Path) -> list[str]:
    """Return the pieces of a ``vocab.txt`` in order of their ids.

    Raises:
        EmbeddingError: the file is not UTF-8 text.
        OSError: the file cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        raise EmbeddingError(
            "the vocabulary file is damaged", hint="run `recollect models install` again"
        ) from error


def _without_accents(word: str) -> str:
    decomposed = unicodedata.normalize("NFD", word)
    return "".join(char for char in decomposed if unicodedata.category(char) != "Mn")


def _slices(text: str) -> Iterator[str]:
    """Yield ``text`` in slices that end where a word ends.

    If no word ends within another slice's length, the text is cut anyway: a word of that length is
    unknown.
    """
    start = 0
    while len(text) - start > 2 * _SLICE_CHARS:
        first, last = start + _SLICE_CHARS, start + 2 * _SLICE_CHARS
        match = _SPACE.search(text, first, last) or _WORD_END.search(text, first, last)
        end = match.end() if match else last
        yield text[start:end]
        start = end
    yield text[start:]
