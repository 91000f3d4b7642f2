"""The data of each language: its words of time, its cues, its function words, its forms."""

from __future__ import annotations

import functools

from recollect.text.languages import english
from recollect.text.languages.language import Language

INDEX_LANGUAGE = english.LANGUAGE
"""The language whose function words are left out of every text, and whose stems are the terms."""


@functools.cache
def spaced() -> tuple[Language, ...]:
    """Return the languages with spaces between words; if two fit, the first one counts."""
    from recollect.text.languages import french, german, portuguese, spanish

    rest = (german, portuguese, spanish, french)
    return (INDEX_LANGUAGE, *(each.LANGUAGE for each in rest))


@functools.cache
def unspaced() -> tuple[Language, ...]:
    """Return the languages of scripts without spaces; the first text in one imports them.

    The first whose letters are in a text is its language.
    """
    from recollect.text.languages import chinese, japanese, korean

    return japanese.LANGUAGE, korean.LANGUAGE, chinese.LANGUAGE


@functools.cache
def of_own_letters() -> tuple[Language, ...]:
    """Return the languages that their letters tell, those without spaces first."""
    from recollect.text.languages import arabic

    return (*unspaced(), arabic.LANGUAGE)


@functools.cache
def all_languages() -> tuple[Language, ...]:
    """Return every language."""
    return (*spaced(), *of_own_letters())
