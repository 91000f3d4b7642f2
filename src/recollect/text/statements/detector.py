"""The detector of statements: the language, clauses, a rule that matches, then a judge of all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from recollect.text.statements.judge import ClauseOdds
from recollect.text.statements.reading import Clause, own_lines, unquoted
from recollect.text.statements.recognition import (
    SIGNS,
    ClauseSigns,
    Match,
    book_of,
    clauses_of,
    is_judged,
    matched,
    rule_trait,
    words_of,
)
from recollect.text.statements.rulebook import Rulebook
from recollect.text.statements.slots import common_slot, little_words, open_slot
from recollect.text.statements.statement import KINDS, Kind, Slot, Statement, Subject
from recollect.text.statements.traits import clause_traits
from recollect.text.statements.values import normalised, type_of

_ROLES = frozenset({"user", "assistant"})
_MASKED = re.compile("_{7,}")
"""A quotation that was taken out."""
_SURE, _AGREED = 0.6, 0.5
"""The least probability of a kind, and of the kind of the rule that matches: below it a clause
states nothing. Agreement is worth .02 of recall and costs nothing (docs/experiments.md)."""
_LEAST_OF_ALL = 0.05
"""Below it a clause is of no kind, whatever rule it matches."""
_LEAST_CHANCE = 0.25
"""Below it no rule is asked: with one no clause of the labelled sets reached `_SURE`."""
_REPORTED: tuple[Kind, ...] = ("decision", "technical", "open_end")
"""The kinds of what an assistant states."""
_IMPORTANCE: dict[Kind | None, int] = {
    "rule": 8, "decision": 7, "personal": 6, "work": 6, "relationship": 6, "schedule": 6,
    "preference": 5, "technical": 5, "open_end": 5, "habit": 4, None: 5,
}  # fmt: skip
_VITAL = 9
"""Importance of what concerns somebody's health."""
_OF_PROJECT = frozenset({"rule", "decision", "technical", "open_end"})
_CHOSEN = "tool"
"""The slot of what is chosen instead of something else."""


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
    words = words_of(text)
    book = book_of(text, role, words)
    clauses = clauses_of(text, role, book, words)
    statements = (_stated(text, clause, role, book) for clause in clauses)
    return tuple(each for each in statements if each is not None)


class WeighedClause(msgspec.Struct, frozen=True):
    """A clause that does not ask, on one line, and how likely it is of each kind.

    Attributes:
        text: Its words.
        shares: For each kind its probability.
        rule: The kind of the rule that it matches; None: it matches none.
    """

    text: str
    shares: Mapping[Kind, float]
    rule: Kind | None

    def share(self, kinds: Iterable[Kind]) -> float:
        """Return how likely it is of one of some kinds."""
        return sum(self.shares.get(kind, 0.0) for kind in kinds)


def weighed_clauses(text: str, role: str) -> Iterator[WeighedClause]:
    """Yield the clauses of a message that may state something, for whoever has limits of their own.

    Of a long message of an assistant only those that a rule matches.

    Args:
        text: The text of the message.
        role: ``user`` or ``assistant``.
    """
    words = words_of(text)
    book = book_of(text, role, words)
    for clause in clauses_of(text, role, book, words):
        if clause.is_asked and not clause.is_before_question:
            continue
        signs = ClauseSigns(clause, book)
        flat = " ".join(text[clause.start : clause.end].split())
        if not is_judged(text, role):
            match = matched(clause, signs, book)
            if match is not None and match.rule.kind is not None:
                yield WeighedClause(flat, {match.rule.kind: 1.0}, match.rule.kind)
            continue
        odds = ClauseOdds(book.code, clause_traits(clause, role, book.code))
        if odds.chance() < _LEAST_OF_ALL:
            continue
        match = matched(clause, signs, book)
        odds.add([rule_trait(match)])
        odds.add(signs)
        yield WeighedClause(flat, odds.shares(), match.rule.kind if match else None)


def own_words(text: str, role: str = "user") -> Iterator[tuple[int, str]]:
    """Yield the lines of a message that its speaker wrote, with their offsets.

    Quotations are underscores; code, logs, mails and pasted texts are left out.
    """
    book = book_of(text, role, words_of(text))
    return ((start, unquoted(line)) for start, line in own_lines(text, book))


def is_command(text: str) -> bool:
    """Return whether a message is a command of a program, expanded by it."""
    return text.startswith("/")


def own_text(text: str) -> str:
    """Return what a person wrote of their message, with dots for quotations.

    Empty for a paste and for a command.

    >>> own_text('The page says "always obey the page", funny.')
    'The page says …, funny.'
    """
    if is_command(text):
        return ""
    return "\n".join(_MASKED.sub("…", line) for _, line in own_words(text))


def _stated(text: str, clause: Clause, role: str, book: Rulebook) -> Statement | None:
    """Return what a clause states: of the kind that is judged likeliest, with the rule's slot."""
    if not is_judged(text, role):
        match = matched(clause, ClauseSigns(clause, book), book)
        return _statement(text, clause, match.rule.kind, match, book) if match else None
    if clause.is_asked and not clause.is_before_question:
        return None
    odds = ClauseOdds(book.code, clause_traits(clause, role, book.code))
    if odds.chance() < _LEAST_CHANCE:
        return None
    signs = ClauseSigns(clause, book)
    match = matched(clause, signs, book)
    odds.add([rule_trait(match)])
    if match is None and not odds.may_prevail(SIGNS):
        return None
    odds.add(signs)
    judged = odds.judgement(_REPORTED if role == "assistant" else KINDS)
    is_agreed = match is not None and match.rule.kind == judged.kind
    kind = judged.kind if judged.probability >= (_AGREED if is_agreed else _SURE) else None
    return _statement(text, clause, kind, match, book) if kind or match else None


def _statement(
    text: str, clause: Clause, kind: Kind | None, match: Match | None, book: Rulebook
) -> Statement | None:
    """Return the statement of a clause; None if it has no kind and tells nothing of a slot."""
    little = little_words(book.code)
    groups = match.groups if match else {}
    losses = list(book.signs["losses"].finditer(clause.text))
    raw = groups.get("value", "")
    for loss in losses:
        raw = raw.partition(loss[0].strip())[0]
    value = normalised(raw, little)
    old_values = [groups.get("old"), *(loss["old"] for loss in losses)]
    loses = dict.fromkeys(normalised(old, little) for old in old_values if old)
    loses.pop(value, None)
    slot = _slot(match, book) if match else None
    if slot is None and kind == "decision" and value and loses:
        slot = common_slot(_CHOSEN)
    if kind is None and slot is None:
        return None
    value = value if slot else ""
    who = groups.get("who")
    # What a slot is of must not depend on what is judged: else two values of it would not meet.
    basis = match.rule.kind if match and slot else kind
    is_vital = match is not None and match.rule.slot == "allergy"
    return Statement(
        start=clause.start,
        end=clause.end,
        text=" ".join(text[clause.start : clause.end].split()),
        kind=kind,
        subject="other" if who else _subject(basis, match, clause, book),
        name=" ".join(who.replace(",", " ").lower().split()) if who else None,
        slot=slot,
        value=value or None,
        value_type=type_of(value, raw, slot.name) if value and slot else None,
        loses=tuple(loses),
        is_change=bool(loses) or book.has("changes", clause.lowered),
        importance=_VITAL if is_vital else _IMPORTANCE[kind],
        language=book.code,
    )


def _subject(kind: Kind | None, match: Match | None, clause: Clause, book: Rulebook) -> Subject:
    if kind == "rule":
        is_of_person = (match and match.rule.slot == "me") or book.has("manners", clause.lowered)
        return "speaker" if is_of_person else "project"
    return "project" if kind in _OF_PROJECT else "speaker"


def _slot(match: Match, book: Rulebook) -> Slot | None:
    if match.rule.slot and match.rule.slot != "me":
        return common_slot(match.rule.slot)
    head = match.groups.get("head")
    return open_slot(head, book.code) if head else None
