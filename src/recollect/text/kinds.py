"""What kind of thing a word names, by a small taxonomy; English so far.

A question for a list ("what pets does Ana have?") is answered by messages that seldom hold its
words: "my hamster fell ill". The taxonomy tells that a hamster is a pet. It was written from the
everyday categories of norms and knows the commonest things of each; docs/experiments.md, lists.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from importlib.resources import files

import msgspec

from recollect.text.terms import terms


def things_of(question_terms: Iterable[str]) -> tuple[str, ...]:
    """Return the terms of things of the first kind that the terms of a question name, sorted.

    >>> "hamster" in things_of(("pet",)), things_of(("invoic",))
    (True, ())
    """
    kinds = _things_by_kind()
    return tuple(sorted(next((kinds[term] for term in question_terms if term in kinds), ())))


@functools.cache  # read for the first question that asks for a list
def _things_by_kind() -> dict[str, frozenset[str]]:
    text = files("recollect.text").joinpath("kinds.toml").read_text(encoding="utf-8")
    things_by_kind: dict[str, frozenset[str]] = {}
    for names, things in msgspec.toml.decode(text, type=dict[str, str]).items():
        for kind in terms(names):
            things_by_kind[kind] = things_by_kind.get(kind, frozenset()) | {*terms(things)}
    return things_by_kind
