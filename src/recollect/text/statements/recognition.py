"""What a clause is recognised by: a rule that it matches, signs of doubt, hearsay and limits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from recollect.text.statements.reading import Clause, clauses, own_lines
from recollect.text.statements.rulebook import (
    UNSPACED,
    Rulebook,
    StatementRule,
    rulebook,
    small_letters,
)
from recollect.text.statements.tongue import language_of

_LONGEST_REPORT = 800
"""Characters; what an assistant says at more length explains rather than reports."""
_SPACES = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}
"""All signs of ASCII: replacing them is three times as fast as finding the words between."""
_WORD = re.compile(r"\w+")
_DIGIT = "#"
_HAS_DIGIT = re.compile(r"\d")
_BINDING = frozenset({"rule", "decision", "open_end"})
"""Kinds that hold under a condition or of what is to come."""
_PASSING = frozenset({"schedule", "open_end", "personal", "relationship", "work"})
"""Kinds that may speak of today."""


SIGNS = ("hedges", "hearsay", "limits", "manners")
"""Of doubt, of what others say, of what holds for today, of how to answer: traits as well."""


class Match(msgspec.Struct, frozen=True):
    """The rule that a clause matches, and what its groups matched."""

    rule: StatementRule
    groups: dict[str, str]


def book_of(text: str, role: str, words: Iterable[str]) -> Rulebook:
    """Return the rules for a message: those of its language and of who says it."""
    return rulebook(language_of(text, words), "report" if _is_report(text, role) else role)


def clauses_of(text: str, role: str, book: Rulebook, words: Iterable[str]) -> Iterator[Clause]:
    """Yield the clauses of a message that may state something.

    Of a long text of an assistant, which explains, those that have a cue of a rule.

    Args:
        text: The text of the message.
        role: Of who says it.
        book: Its rules.
        words: Its words.
    """
    if is_judged(text, role):
        for start, line in own_lines(text, book):
            yield from clauses(line, start, book)
        return
    cues = _cues(text, words, book)

    def is_wanted(sentence: str) -> bool:
        return bool(_cues(sentence, words_of(sentence), book))

    for start, line in own_lines(text, book, _offsets(text, cues)):
        yield from clauses(line, start, book, is_wanted)


def is_judged(text: str, role: str) -> bool:
    """Return whether the clauses of a message are judged; of a long one of an assistant none."""
    return role == "user" or _is_report(text, role)


def _is_report(text: str, role: str) -> bool:
    return role == "assistant" and len(text) <= _LONGEST_REPORT


def words_of(text: str) -> list[str]:
    """Return the words of a text in small letters."""
    lowered = text.lower()
    return lowered.translate(_SPACES).split() if text.isascii() else _WORD.findall(lowered)


def _cues(text: str, words: Iterable[str], book: Rulebook) -> set[str]:
    """Return the cues of any rule that are in a text."""
    if book.code in UNSPACED:
        cues = {cue for cue in book.by_cue if cue in text}
    else:
        cues = book.by_cue.keys() & words
    if _DIGIT in book.by_cue and _HAS_DIGIT.search(text):
        cues.add(_DIGIT)
    return cues


def _offsets(text: str, cues: set[str]) -> list[int]:
    """Return where a text has cues, also within words, the last place first."""
    lowered, offsets = small_letters(text), []
    if _DIGIT in cues:
        offsets += [match.start() for match in _HAS_DIGIT.finditer(text)]
    for cue in map(str.lower, cues - {_DIGIT}):
        at = lowered.find(cue)
        while at >= 0:
            offsets.append(at)
            at = lowered.find(cue, at + 1)
    return sorted(offsets, reverse=True)


class ClauseSigns:
    """The signs that a clause has words of, looked for when they are asked for.

    Args:
        clause: The clause.
        book: The rules of its language.
    """

    def __init__(self, clause: Clause, book: Rulebook) -> None:
        self._lowered = clause.lowered
        self._book = book
        self._known: dict[str, bool] = {}

    def __contains__(self, sign: str) -> bool:
        if sign not in self._known:
            self._known[sign] = self._book.has(sign, self._lowered)
        return self._known[sign]

    def __iter__(self) -> Iterator[str]:
        return (sign for sign in SIGNS if sign in self)


def matched(clause: Clause, signs: ClauseSigns, book: Rulebook) -> Match | None:
    """Return the first rule that a clause matches, unless it asks, doubts, reports or limits it."""
    if clause.is_asked:
        return None
    cues = _cues(clause.text, words_of(clause.text), book)
    # With a space before it, a pattern needs no second form for a clause without a subject.
    space = "" if book.code in UNSPACED else " "
    text, lowered = space + clause.text, space + clause.lowered
    for rule in book.candidates(cues):
        groups = rule.search(text, lowered)
        if groups is None:
            continue
        if "hearsay" in signs:
            return None
        is_doubted = "hedges" in signs and rule.kind not in _BINDING and not rule.is_firm
        if not is_doubted and (rule.kind in _PASSING or "limits" not in signs):
            return Match(rule, groups)
    return None


def rule_trait(match: Match | None) -> str:
    """Return the trait that the rule that a clause matches gives it."""
    return f"rule={match.rule.kind if match else None}"
