"""The detector of statements: the language, the words that any rule needs, then the rules."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.text.statements.reading import Clause, clauses, own_lines
from recollect.text.statements.rulebook import UNSPACED, Rulebook, StatementRule, rulebook
from recollect.text.statements.slots import common_slot, little_words, open_slot
from recollect.text.statements.statement import Kind, Slot, Statement, Subject
from recollect.text.statements.tongue import language_of
from recollect.text.statements.values import normalised, type_of

_LONGEST_REPORT = 800
"""Characters; what an assistant says at more length explains rather than reports."""
_ROLES = frozenset({"user", "assistant"})
_SPACES = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}
"""All signs of ASCII: replacing them is three times as fast as finding the words between."""
_WORD = re.compile(r"\w+")
_MOST_SEARCHED = 24
_DIGIT = "#"
_HAS_DIGIT = re.compile(r"\d")
_IMPORTANCE: dict[Kind | None, int] = {
    "rule": 8, "decision": 7, "personal": 6, "work": 6, "relationship": 6, "schedule": 6,
    "preference": 5, "technical": 5, "open_end": 5, "habit": 4, None: 5,
}  # fmt: skip
_VITAL = 9
"""Importance of what concerns somebody's health."""
_OF_PROJECT = frozenset({"rule", "decision", "technical", "open_end"})
_CHOSEN = "tool"
"""The slot of what is chosen instead of something else."""
_BINDING = frozenset({"rule", "decision", "open_end"})
"""Kinds that hold under a condition or of what is to come."""
_PASSING = frozenset({"schedule", "open_end", "personal", "relationship", "work"})
"""Kinds that may speak of today."""


def detect(text: str, role: str = "user") -> tuple[Statement, ...]:
    """Return the statements of a message, in the order of their spans, which do not overlap.

    Questions, quotes, code, pasted text, plans and conditions state nothing. Linear in the length.

    Args:
        text: The text of the message.
        role: ``user`` or ``assistant``; of others nothing is detected. Of an assistant only
            results, causes, what is left open, and decisions.

    >>> [(each.kind, each.text) for each in detect("We moved to Bristol. Any tips?")]
    [('personal', 'We moved to Bristol')]
    >>> detect("Should I move to Bristol?")
    ()
    """
    if role not in _ROLES or not text:
        return ()
    words = _words(text)
    is_report = role == "assistant" and len(text) <= _LONGEST_REPORT
    book = rulebook(language_of(text, words), "report" if is_report else role)
    cues = _cues(text, words, book)
    return tuple(_statements(text, cues, book)) if cues else ()


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


def _statements(text: str, cues: set[str], book: Rulebook) -> Iterator[Statement]:
    def has_cue(sentence: str) -> bool:
        return bool(_cues(sentence, _words(sentence), book))

    for start, line in own_lines(text, book):
        if not _may_have(line, cues):
            continue
        for clause in clauses(line, start, book, has_cue):
            if not clause.is_asked and (statement := _stated(text, clause, book)):
                yield statement


def _may_have(line: str, cues: set[str]) -> bool:
    """Return whether a line may have one of the cues of its message; cheaper than its words."""
    if len(cues) > _MOST_SEARCHED:
        return True
    lowered = line.lower()
    return any(cue in lowered for cue in cues) or (_DIGIT in cues and bool(_HAS_DIGIT.search(line)))


def _stated(text: str, clause: Clause, book: Rulebook) -> Statement | None:
    """Return what a clause states, unless it doubts, reports or limits it."""
    cues = _cues(clause.text, _words(clause.text), book)
    if not cues or book.has("hearsay", clause.text):
        return None
    is_hedged = book.has("hedges", clause.text)
    is_limited = book.has("limits", clause.text)
    # With a space before it, a pattern needs no second form for a clause without a subject.
    searched_text = clause.text if book.code in UNSPACED else f" {clause.text}"
    for rule in book.candidates(cues):
        if is_hedged and rule.kind not in _BINDING and not rule.is_firm:
            continue
        if is_limited and rule.kind not in _PASSING:
            continue
        if (groups := rule.search(searched_text)) is not None:
            return _statement(text, clause, rule, groups, book)
    return None


def _statement(
    text: str, clause: Clause, rule: StatementRule, groups: dict[str, str], book: Rulebook
) -> Statement:
    little = little_words(book.code)
    losses = list(book.signs["losses"].finditer(clause.text))
    raw = groups.get("value", "")
    for loss in losses:
        raw = raw.partition(loss[0].strip())[0]
    value = normalised(raw, little)
    old_values = [groups.get("old"), *(loss["old"] for loss in losses)]
    loses = dict.fromkeys(normalised(old, little) for old in old_values if old)
    loses.pop(value, None)
    slot = _slot(rule, groups, book)
    if slot is None and rule.kind == "decision" and value and loses:
        slot = common_slot(_CHOSEN)
    value = value if slot else ""
    who = groups.get("who")
    return Statement(
        start=clause.start,
        end=clause.end,
        text=" ".join(text[clause.start : clause.end].split()),
        kind=rule.kind,
        subject="other" if who else _subject(rule, clause.text, book),
        name=" ".join(who.replace(",", " ").lower().split()) if who else None,
        slot=slot,
        value=value or None,
        value_type=type_of(value, raw, slot.name) if value and slot else None,
        loses=tuple(loses),
        is_change=bool(loses) or book.has("changes", clause.text),
        importance=_VITAL if rule.slot == "allergy" else _IMPORTANCE[rule.kind],
        language=book.code,
    )


def _subject(rule: StatementRule, clause: str, book: Rulebook) -> Subject:
    if rule.kind == "rule" and (rule.slot == "me" or book.has("manners", clause)):
        return "speaker"
    return "project" if rule.kind in _OF_PROJECT else "speaker"


def _slot(rule: StatementRule, groups: dict[str, str], book: Rulebook) -> Slot | None:
    if rule.slot and rule.slot != "me":
        return common_slot(rule.slot)
    head = groups.get("head")
    return open_slot(head, book.code) if head else None
