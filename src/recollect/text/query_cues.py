"""Cues of questions: hints at the kind of answer, by words and simple patterns.

They are weak, added with small weights; a language may have none. All are read in each question,
whatever its language.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from recollect.text.languages import INDEX_LANGUAGE, of_own_letters, spaced, unspaced
from recollect.text.languages.language import ASSISTANT, FIRST_PERSON, Language
from recollect.text.terms import UNSPACED, bare

_WORD = re.compile(r"\w+")
_MARKS = ".,;:!?()\"'¿¡…«»„“”"


def read_question(question: str) -> tuple[frozenset[str], str]:
    """Return the cues of a question, and the question without the function words of its language.

    English ones stay: they are left out of every text. The others are left out of questions
    alone, and only of those in their language: "die" and "war" are words of English too. No index
    depends on them.

    >>> read_question("Was war gestern mit der Waschmaschine?")[1]
    'gestern Waschmaschine?'
    """
    folded = bare(question)
    cues = frozenset(_cues(folded))
    content = question if question.isascii() else _without_function_signs(question)
    words = content.split()
    folded = folded if content is question else bare(content)
    names = [name.strip(_MARKS).replace("’", "'") for name in folded.split()]
    language = spoken_in(names)
    if language is None or len(names) != len(words):
        return cues, content
    needless = _function_words()[language]
    return cues, " ".join(w for w, name in zip(words, names, strict=True) if name not in needless)


def spoken_in(words: Sequence[str]) -> str | None:
    """Return the code of the language with spaces that bare words are in, by function words.

    They must be at least two, and more than those of the language of the index; else None.
    """
    count, code = 0, ""
    for each, functional in _function_words().items():
        own = sum(map(functional.__contains__, words))
        if own > count:
            count, code = own, each
    return None if count < _LEAST or code == INDEX_LANGUAGE.code else code


def speaks_of_oneself(text: str) -> bool:
    """Return whether a text says I, my, we or the like, in any language.

    >>> speaks_of_oneself("I have a dog"), speaks_of_oneself("What pet do you have?")
    (True, False)
    """
    folded = bare(text)
    if not _cue_words()[FIRST_PERSON].isdisjoint(_WORD.findall(folded)):
        return True
    languages = (spaced,) if folded.isascii() else (spaced, of_own_letters)
    return any(_cue_patterns(each)[FIRST_PERSON].search(folded) for each in languages)


_LEAST = 2


@functools.cache
def _function_words() -> dict[str, frozenset[str]]:
    return {each.code: frozenset(each.function_words.split()) for each in spaced()}


def _cues(folded: str) -> Iterator[str]:
    words = set(_WORD.findall(folded))
    yield from (cue for cue, cue_words in _cue_words().items() if not cue_words.isdisjoint(words))
    is_addressed = not _address_words().isdisjoint(words)
    for cue, pattern in _cue_patterns(spaced).items():
        if (is_addressed or cue != ASSISTANT) and pattern.search(folded):
            yield cue
    if not folded.isascii():
        yield from (c for c, signs in _cue_patterns(of_own_letters).items() if signs.search(folded))


@functools.cache
def _cue_words() -> dict[str, frozenset[str]]:
    words_of_cue: dict[str, set[str]] = {}
    for language in spaced():
        for cue, words in language.cue_words.items():
            words_of_cue.setdefault(cue, set()).update(words.split())
    return {cue: frozenset(words) for cue, words in words_of_cue.items()}


@functools.cache
def _address_words() -> frozenset[str]:
    return frozenset(word for each in spaced() for word in each.address_words.split())


@functools.cache  # compiled for the first question that needs them
def _cue_patterns(languages: Callable[[], Iterable[Language]]) -> dict[str, re.Pattern[str]]:
    patterns_of: dict[str, list[str]] = {}
    for language in languages():
        for cue, pattern in language.cue_patterns.items():
            patterns_of.setdefault(cue, []).append(pattern)
    return {cue: re.compile("|".join(patterns)) for cue, patterns in patterns_of.items()}


def _without_function_signs(question: str) -> str:
    """Return a question without the function words of its language, where words have no spaces."""
    if not _any_unspaced().search(question):
        return question
    of_script = (each.function_signs for each in unspaced() if re.search(each.letters, question))
    signs = next(of_script, "")
    return re.sub(signs, " ", question) if signs else question


@functools.cache
def _any_unspaced() -> re.Pattern[str]:
    return re.compile(f"[{UNSPACED}]")
