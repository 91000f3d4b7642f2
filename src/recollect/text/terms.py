"""Terms: the units by which texts and questions are compared.

Words are folded (case, accents, irregular forms) and stemmed, function words left out; scripts
without spaces become pairs of characters; identifiers are kept whole and in parts. The rules are
part of the identity of an index: raise `TERMS_VERSION` when the same text gives other terms.
"""

from __future__ import annotations

import functools
import re
import threading
import unicodedata
from itertools import chain

import Stemmer

from recollect.text.languages import INDEX_LANGUAGE
from recollect.text.scramble import is_encoded, is_scrambled
from recollect.text.tokens import LONGEST_SPLIT, words_of

TERMS_VERSION = 5

LONGEST = 40
"""Terms are cut here. Longer words are hashes and keys, unless they have the parts of a name."""
DROPPED = 200
"""Longer words are encoded data and not words."""
CACHED_WORDS = 32_768
"""About 8 MB at most; then the cache is emptied, see ``docs/experiments.md``."""

STOP_WORDS = frozenset(INDEX_LANGUAGE.function_words.split())
"""Function words of the language of the index; the tails of its contractions among them."""
_FORMS = {base: forms for base, *forms in map(str.split, INDEX_LANGUAGE.irregular_forms.split(","))}
_BASE_OF = {form: base for base, forms in _FORMS.items() for form in forms}

UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005\u3007\u3040-\u30ff\u3100-\u312f"
    r"\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    r"\U00020000-\U0003134f"
)
"""The characters of scripts without spaces between words, as a class of a pattern."""
_MAYBE_ENCODED = re.compile(r"[A-Za-z0-9+/=_-]{60,}")
_APOSTROPHES = "'’"
_AFTER_WORDS = ".,;:!?)"
UNDECOMPOSED = str.maketrans(
    dict(zip("øłđðŧħŋıȷĸŀǥɖɗɓƙƴɲɣƶȼɨʉəǝɛɔ", "olddthnijklgddbkyngzciueeeo", strict=True))
    | {"æ": "ae", "œ": "oe", "þ": "th", "ß": "ss"}
)
"""Small letters that Unicode does not take apart into a letter and a mark, as people type them who
have no such key: Sørensen, Łukasz, Đorđe, Ægir, Þór."""
PAIRED = "æœþßǽǣÆŒÞẞǼǢ"
"""Those that become two letters."""
_ASCII_WORD = re.compile(r"[A-Za-z0-9_]+(?:'[A-Za-z]+)?")
_LOOSE = re.compile(r"[\u1100-\u11ff\u3099\u309a\uff9e\uff9fÆŒÞẞ]")
"""Parts of Hangul and kana that form one character with the one before, and capitals that are two
letters, whose case depends on the letters beside them."""
_PAIRED_CAPITAL = re.compile(r"(\w?)([ÆŒÞẞ])(?=(\w?))")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_PLAIN_WORD = re.compile(r"[A-Za-z][a-z]{1,39}")
_HAS_PARTS = re.compile(r"[A-Za-z0-9]_+[A-Za-z0-9]|[a-z][A-Z]|[A-Z]{2}[a-z]")


@functools.cache  # compiled for the first text that is not ASCII: it takes 2 ms, as the next one
def _any_word() -> re.Pattern[str]:
    return re.compile(
        rf"[A-Za-z0-9_]+(?:[{_APOSTROPHES}][A-Za-z]+)?|[{UNSPACED}]+"
        rf"|(?:(?![{UNSPACED}A-Za-z0-9_])\w)+"
    )


@functools.cache
def _unspaced() -> re.Pattern[str]:
    return re.compile(rf"[{UNSPACED}]")


class _Folding(dict[int, str]):
    """A table for `str.translate` that learns characters as they come."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if 0x300 <= code <= 0x36F:
            folded = ""
        elif code < 0x80:
            folded = character
        elif is_unspaced(character):
            folded = unicodedata.normalize("NFKC", character)
        else:
            # Capitals stay, so that CAFÉ is one word and not three parts of a name.
            base = unicodedata.normalize("NFKD", character)
            base = base if character.isupper() else base.casefold()
            plain = "".join(c for c in base if not 0x300 <= ord(c) <= 0x36F)
            folded = plain.translate(UNDECOMPOSED)
            if character.isupper():
                folded = plain.lower().translate(UNDECOMPOSED).upper()
        self[code] = folded
        return folded


class _Learned(dict[str, tuple[str, ...]]):
    """The terms of words; caches each new word, unless it is too long to come again."""

    def __missing__(self, word: str) -> tuple[str, ...]:
        if len(word) > DROPPED and not is_unspaced(word):
            return ()
        word_terms = _made(word)
        if len(word) <= LONGEST:
            if len(self) >= CACHED_WORDS // 4:  # most are in the cache as runs
                self.clear()
            self[word] = word_terms
        return word_terms


class _LearnedRuns(dict[str, tuple[str, ...]]):
    """The terms of the text between two spaces: no word goes beyond it, and most come again."""

    def __missing__(self, run: str) -> tuple[str, ...]:
        word = run.rstrip(_AFTER_WORDS)
        if _PLAIN_WORD.fullmatch(word):  # most are: that one word is all that `_words` would find
            plain = word.lower()
            base = _BASE_OF.get(plain, plain)
            run_terms: tuple[str, ...] = () if base in STOP_WORDS else (_stemmed(base),)
        else:
            run_terms = tuple(chain.from_iterable(map(_WORDS.__getitem__, _words(run))))
        if len(run) <= LONGEST:
            if len(self) >= CACHED_WORDS:
                self.clear()
            self[run] = run_terms
        return run_terms


_FOLDING = _Folding()
_WORDS = _Learned()
_RUNS = _LearnedRuns()
_STEMMER = Stemmer.Stemmer(INDEX_LANGUAGE.stemmer, 0)  # its own cache costs more than a word
_STEMMING = threading.Lock()


def terms(text: str) -> list[str]:
    """Return the terms of a text in its order, repeated as they repeat; linear in its length.

    >>> terms("Where did getUserById run?")
    ['get', 'user', 'id', 'getuserbyid', 'run']
    """
    if _is_loose(text):
        return list(chain.from_iterable(map(_WORDS.__getitem__, _words(text))))
    words = words_of(text) if len(text) <= LONGEST_SPLIT else text.split()
    return list(chain.from_iterable(map(_RUNS.__getitem__, words)))


def query_terms(text: str) -> list[str]:
    """Return the terms to search for: those of `terms` less the parts of its longer terms.

    A single character of a script without spaces is searched for only where it is alone.
    """
    return list(chain.from_iterable(map(_looked_for, _words(text))))


def phrase_terms(text: str) -> list[str]:
    """Return the terms of `query_terms` with function words among them, for phrases.

    >>> phrase_terms("before a deploy")
    ['before', 'a', 'deploy']
    """
    return [term for word in _words(text) for term in _looked_for(word) or [word.casefold()]]


def bare(text: str) -> str:
    """Return a text without case and accents, as terms are compared: for whole names.

    >>> bare("Zoë Sørensen")
    'zoe sorensen'
    """
    return text.translate(_FOLDING).casefold()


@functools.cache
def irregular_forms() -> dict[str, list[str]]:
    """Return the irregular forms of words by their terms: ``bought`` under ``buy``."""
    return {_stemmed(base): forms for base, forms in _FORMS.items()}


def is_unspaced(text: str) -> bool:
    """Return whether ``text`` begins in a script that has no spaces between words."""
    return not text.isascii() and _unspaced().match(text) is not None


def _looked_for(word: str) -> list[str]:
    return _pairs(word) if len(word) > 1 and is_unspaced(word) else terms(word)


def _is_loose(text: str) -> bool:
    return not text.isascii() and _LOOSE.search(text) is not None


def _words(text: str) -> list[str]:
    if len(text) >= 60:
        text = _MAYBE_ENCODED.sub(_unless_encoded, text)
    if text.isascii():
        return _ASCII_WORD.findall(text)
    if _is_loose(text):
        text = _PAIRED_CAPITAL.sub(_in_two_letters, unicodedata.normalize("NFKC", text))
    return _any_word().findall(text.translate(_FOLDING))


def _in_two_letters(match: re.Match[str]) -> str:
    """Return a capital as two letters: THOR among capitals, else Thor, which is one word too."""
    before, letter, after = match.groups()
    pair = letter.lower().translate(UNDECOMPOSED)
    return before + (pair.upper() if (before + after).isupper() else pair.capitalize())


def _unless_encoded(run: re.Match[str]) -> str:
    """Return nothing for encoded data, which would flood the vocabulary."""
    return " " if is_encoded(run[0]) else run[0]


def _made(word: str) -> tuple[str, ...]:
    if _PLAIN_WORD.fullmatch(word):
        return _single(word.lower())
    if is_unspaced(word):
        return (*_pairs(word), *word) if len(word) > 1 else (word,)
    if len(word) > LONGEST and (not _HAS_PARTS.search(word) or is_scrambled(word)):
        return (word[:LONGEST].casefold(),)
    for apostrophe in _APOSTROPHES:
        stem, separator, tail = word.partition(apostrophe)
        if separator:
            if tail.lower() in STOP_WORDS:
                # Only here "won" is a function word: in "won't".
                return () if stem.lower() in STOP_WORDS else _made(stem)
            return (*_made(stem), *_made(tail), (stem + tail).casefold())
    if _HAS_PARTS.search(word):
        parts = [term for part in _PARTS.findall(word) for term in _single(part.lower())]
        return (*parts, word.replace("_", "").casefold()[:LONGEST])
    return _single(word.strip("_").casefold())


def _single(word: str) -> tuple[str, ...]:
    word = _BASE_OF.get(word, word)
    if not word or word in STOP_WORDS:
        return ()
    if not (word.isascii() and word.isalpha()):
        return (word,)
    return (_stemmed(word),)


def _stemmed(word: str) -> str:
    # The stemmer keeps its word in itself and is shared by threads.
    with _STEMMING:
        stem: str = _STEMMER.stemWord(word)
    return stem


def _pairs(run: str) -> list[str]:
    return [run[position : position + 2] for position in range(len(run) - 1)]
