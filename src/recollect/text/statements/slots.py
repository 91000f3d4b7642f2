"""Slots: what a statement gives a value to, in one form, whatever its words and language."""

from __future__ import annotations

import functools
import re

from recollect.text.statements.rulebook import grammar_of
from recollect.text.statements.statement import Slot

ONE = frozenset(
    """
    home employer job manager partner spouse email phone birthday car bank gym doctor dentist
    therapist landlord vet age editor os laptop browser timezone rent salary name origin address
    stack studies
    """.split()
)
"""Common slots that hold one value: a new one replaces the one before."""
MANY = frozenset("allergy pet tool child language favourite".split())
"""Common slots of which a new value adds one."""
_SCOPES = frozenset(
    """
    api staging production prod dev development test tests testing ci mobile web frontend backend
    android ios desktop local preview qa sandbox main partner partners
    testumgebung produktion producción producao produção preproducción
    """.split()
)
"""Words that tell of which of several things a noun speaks, wherever they are in its phrase."""
_BETWEEN = re.compile(r"[^\w'./&+-]+")
_ACRONYM_BEFORE = re.compile(r"\b([A-Z]{2,5})-(?=\w)")
_ELISION = re.compile(r"\b([ldjn])'", re.IGNORECASE)
_LATIN_BEFORE_HAN = re.compile("(?<=[A-Za-z])(?=[\u4e00-\u9fff])")


def common_slot(name: str) -> Slot:
    """Return the slot of a table with this name; one of neither table holds one value."""
    return Slot(name=name, arity="many" if name in MANY else "one")


def open_slot(noun: str, code: str) -> Slot | None:
    """Return the slot that a noun phrase names; None if it has only little words.

    Args:
        noun: The phrase, as it was written.
        code: The code of its language.

    >>> open_slot("the API rate limit", "en") == open_slot("the rate limit of the API", "en")
    True
    >>> open_slot("our API rate limit", "en").name
    'rate limit|api'
    """
    little, joints = little_words(code), _joints(code)
    head: list[str] = []
    scope: set[str] = set()
    is_head = True
    for raw in _BETWEEN.split(_apart(noun, code)):
        word = raw.strip("'.-").lower()
        if word in joints:
            is_head = False
        elif not word or word in little:
            continue
        elif is_head and word not in _SCOPES and not _is_acronym(raw):
            head.append(word)
        else:
            scope.add(word)
    if not head and scope:
        head = [max(scope)]
    if not head:
        return None
    return Slot(name="|".join((" ".join(head), *sorted(scope - set(head)))), arity="open")


def _is_acronym(word: str) -> bool:
    return len(word) > 1 and word.isascii() and word.isupper()


def _apart(noun: str, code: str) -> str:
    """Return a noun phrase with spaces around the particles that join its parts."""
    if code == "ja":
        return noun.replace("の", " の ")
    if code == "zh":
        return _LATIN_BEFORE_HAN.sub(" ", noun.replace("的", " 的 "))
    if code == "fr":
        noun = _ELISION.sub(r"\1 ", noun)
    return _ACRONYM_BEFORE.sub(r"\1 ", noun)


@functools.cache
def little_words(code: str) -> frozenset[str]:
    """Return the words of a language that are neither nouns nor values."""
    return frozenset(grammar_of(code).little.split())


@functools.cache
def _joints(code: str) -> frozenset[str]:
    return frozenset(grammar_of(code).joints.split())
