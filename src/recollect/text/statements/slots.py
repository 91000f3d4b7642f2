"""Slots: what a statement gives a value to, in one form, whatever its words and language."""

from __future__ import annotations

import functools
import re

from recollect.text.statements.rulebook import UNSPACED, Rulebook
from recollect.text.statements.statement import Slot

ONE = frozenset(
    """
    home employer job manager partner spouse email phone birthday car bank gym doctor dentist therapist
    landlord vet age editor os laptop browser shell timezone username rent salary name origin address
    blood_type shoe_size database branch stack answer_language called studies
    """.split()
)
MANY = frozenset("allergy pet tool trip hobby child language favourite relative".split())
_SCOPES = frozenset(
    """
    api staging production prod dev development test tests testing ci mobile web frontend backend android
    ios desktop local preview qa sandbox main partner partners
    testumgebung produktion producción producao produção preproducción
    """.split()
)
"""Words that tell of which of several things a noun speaks, wherever they are in its phrase."""
_PREPARED = re.compile(r"[^\w'./&+-]+")


def common_slot(name: str) -> Slot:
    """Return the slot of the table with this name."""
    return Slot(name=name, arity="one" if name in ONE else "many")


def open_slot(noun: str, book: Rulebook) -> Slot | None:
    """Return the slot that a noun phrase names: its head with modifiers, then its scope words.

    "the API rate limit" and "the rate limit of the API" are one: ``rate limit|api``.
    """
    little, joints = little_words(book.code), _joints(book.code)
    text = _spaced_out(noun, book.code)
    head: list[str] = []
    scope: set[str] = set()
    part, is_first = head, True
    for raw in _PREPARED.split(text):
        word = raw.strip("'.-").lower()
        if not word:
            continue
        if word in joints:
            is_first = False
        elif word in little:
            continue
        elif not is_first or word in _SCOPES or (len(raw) > 1 and raw.isupper() and raw.isascii()):
            scope.add(word)
        else:
            part.append(word)
    if not head and scope:
        head = [sorted(scope)[-1]]
        scope.discard(head[0])
    if not head:
        return None
    name = "|".join((" ".join(head), *sorted(scope)))
    return Slot(name=name, arity="open")


def _spaced_out(noun: str, code: str) -> str:
    """Return a noun phrase with its elided articles and hyphens apart; particles become joints."""
    if code == "ja":
        return noun.replace("の", " の ")
    if code == "zh":
        return re.sub(r"(?<=[A-Za-z])(?=[\u4e00-\u9fff])", " ", noun.replace("的", " 的 "))
    if code == "fr":
        noun = re.sub(r"\b[ldjn]'", lambda match: f"{match[0][0]} ", noun, flags=re.IGNORECASE)
    return re.sub(r"\b([A-Z]{2,5})-(?=\w)", r"\1 ", noun)


@functools.cache
def little_words(code: str) -> frozenset[str]:
    """Return the words of a language that are neither nouns nor values."""
    from recollect.text.statements.rulebook import grammar_of

    return frozenset(grammar_of(code).little.split())


@functools.cache
def _joints(code: str) -> frozenset[str]:
    from recollect.text.statements.rulebook import grammar_of

    return frozenset(grammar_of(code).joints.split())


__all__ = ["MANY", "ONE", "UNSPACED", "common_slot", "little_words", "open_slot"]
