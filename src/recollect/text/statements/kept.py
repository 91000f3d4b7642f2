"""What of a person's statements must last, was decided or is open: by the detector, and by words.

The detector knows statements by their form; a plain wish ("remember: …") and what is said of the
agent's work show in single words, see `sentences`. Together they are better than either in both
precision and recall. The words alone decide of what agents and tools say, of which there is most.
Source: docs/experiments.md, "What must last".
"""

from __future__ import annotations

import functools

from recollect.text.languages.language import LASTING
from recollect.text.statements import sentences

_KEPT = frozenset(
    {"rule", "decision", "preference", "personal", "work", "relationship", "schedule"}
)


def must_last(statement: str) -> bool:
    """Return whether a person who says this wants it kept: no question, no small talk.

    >>> must_last("Remember: the key is blue."), must_last("I'm allergic to nuts.")
    (True, True)
    """
    return sentences.must_last(statement) or not _kinds(statement).isdisjoint(_KEPT)


def lasts(statement: str) -> bool:
    """Return whether a person who says this wants it kept, and not only reports a decision.

    >>> lasts("Remember: the key is blue."), lasts("PR approved and merged btw")
    (True, False)
    """
    return must_last(statement) and (
        sentences.states(statement, LASTING) or not _kinds(statement).isdisjoint(_KEPT)
    )


def is_decision(statement: str) -> bool:
    """Return whether a statement tells of a decision.

    >>> is_decision("Let's go with Valkey instead of Redis."), is_decision("Why not Redis?")
    (True, False)
    """
    return sentences.is_decision(statement) or "decision" in _kinds(statement)


def is_open_point(statement: str) -> bool:
    """Return whether a statement is about open work; a question is not."""
    return sentences.is_open_point(statement) or "open_end" in _kinds(statement)


def weigh(statement: str, role: str = "user") -> float:
    """Return the weight of a statement as `sentences.weigh` does; what must last is important."""
    weight = sentences.weigh(statement, role)
    if role == "user" and weight < sentences.IMPORTANT and must_last(statement):
        return sentences.IMPORTANT
    return weight


@functools.lru_cache(maxsize=64)  # one statement is asked about several times
def _kinds(statement: str) -> frozenset[str | None]:
    from recollect.text.statements.detector import detect  # its rules only where they are asked

    return frozenset(each.kind for each in detect(statement))
