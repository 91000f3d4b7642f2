"""What a clause is recognised by: a rule that it matches, signs of doubt, hearsay and limits."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

import msgspec

from recollect.text.statements.reading import Clause, clauses, own_lines
from recollect.text.statements.rulebook import UNSPACED, Rulebook, StatementRule, rulebook
from recollect.text.statements.tongue import language_of

_LONGEST_REPORT = 800
"""Characters; what an assistant says at more length explains rather than reports."""
_SPACES = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}
"""All signs of ASCII: replacing them is three times as fast as finding the words between."""
_WORD = re.compile(r"\w+")
_MOST_SEARCHED = 24
_DIGIT = "#"
_HAS_DIGIT = re.compile(r"\d")
_BINDING = frozenset({"rule", "decision", "open_end"})
"""Kinds that hold under a condition or of what is to come."""
_PASSING = frozenset({"schedule", "open_end", "personal", "relationship", "work"})
"""Kinds that may speak of today."""


_ASKED_SIGNS = ("hedges", "hearsay", "limits", "manners")


class Match(msgspec.Struct, frozen=True):
    """The rule that a clause matches, and what its groups matched."""

    rule: StatementRule
    groups: dict[str, str]


def book_of(text: str, role: str) -> Rulebook:
    """Return the rules for a message: those of its language and of who says it."""
    words = _words(text)
    return rulebook(language_of(text, words), "report" if _is_report(text, role) else role)


def clauses_of(text: str, role: str, book: Rulebook) -> Iterator[Clause]:
    """Yield the clauses of a message that may state something.

    Of a long text of an assistant, which explains, those that have a cue of a rule.
    """
    is_all = is_judged(text, role)
    cues = set() if is_all else _cues(text, _words(text), book)

    def is_wanted(sentence: str) -> bool:
        return is_all or bool(_cues(sentence, _words(sentence), book))

    for start, line in own_lines(text, book):
        if is_all or _may_have(line, cues):
            yield from clauses(line, start, book, is_wanted)


def is_judged(text: str, role: str) -> bool:
    """Return whether the clauses of a message are judged; of a long one of an assistant none."""
    return role == "user" or _is_report(text, role)


def _is_report(text: str, role: str) -> bool:
    return role == "assistant" and len(text) <= _LONGEST_REPORT


def _words(text: str) -> list[str]:
    lowered = text.lower()
    return lowered.translate(_SPACES).split() if text.isascii() else _WORD.findall(lowered)


def _cues(text: str, words: list[str], book: Rulebook) -> set[str]:
    """Return the cues of any rule that are in a text."""
    if book.code in UNSPACED:
        cues = {cue for cue in book.by_cue if cue in text}
    else:
        cues = book.by_cue.keys() & words
    if _DIGIT in book.by_cue and _HAS_DIGIT.search(text):
        cues.add(_DIGIT)
    return cues


def _may_have(line: str, cues: set[str]) -> bool:
    """Return whether a line may have one of the cues of its message; cheaper than its words."""
    if len(cues) > _MOST_SEARCHED:
        return True
    lowered = line.lower()
    return any(cue in lowered for cue in cues) or (_DIGIT in cues and bool(_HAS_DIGIT.search(line)))


def signs_of(clause: Clause, book: Rulebook) -> frozenset[str]:
    """Return what a clause has words of: doubt, hearsay, limits, manners."""
    return frozenset(sign for sign in _ASKED_SIGNS if book.has(sign, clause.text))


def matched(clause: Clause, signs: Collection[str], book: Rulebook) -> Match | None:
    """Return the first rule that a clause matches, unless it asks, doubts, reports or limits it."""
    if clause.is_asked or "hearsay" in signs:
        return None
    cues = _cues(clause.text, _words(clause.text), book)
    # With a space before it, a pattern needs no second form for a clause without a subject.
    searched_text = clause.text if book.code in UNSPACED else f" {clause.text}"
    for rule in book.candidates(cues):
        if "hedges" in signs and rule.kind not in _BINDING and not rule.is_firm:
            continue
        if "limits" in signs and rule.kind not in _PASSING:
            continue
        if (groups := rule.search(searched_text)) is not None:
            return Match(rule, groups)
    return None


def sign_traits(signs: Collection[str], match: Match | None) -> list[str]:
    """Return the traits that the signs of a clause and the rule that it matches give it."""
    return [f"rule={match.rule.kind if match else None}", *signs]
