"""The rules of a language, ready to be asked: which may match a clause, by its words."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Collection, Iterator
from importlib.resources import files
from typing import cast

import msgspec

from recollect.text.languages.grammars.grammar import Grammar
from recollect.text.statements.statement import Kind

NO_KIND = "none"
_FIRM, _REPORTED = "!", "~"
LANGUAGES = {
    "en": "english",
    "de": "german",
    "es": "spanish",
    "fr": "french",
    "pt": "portuguese",
    "zh": "chinese",
    "ja": "japanese",
    "ko": "korean",
}
"""The languages that have a grammar, and the names of their files."""
UNSPACED = frozenset({"zh", "ja", "ko"})
_PART = re.compile(r"<([A-Z]\w*\??)>")
_GROUP = re.compile(r"\(\?P<(\w+)>")
_RULE = re.compile(r"^(?=\S)", re.MULTILINE)
_COMMON = {
    "V": r"(?P<value>\w[^,;:()]*?)",
    "V?": r"(?:\s?(?P<value>\w[^,;:()]*?)<END>)?",
}
"""A value up to the next end, and one that may be missing."""


class StatementRule(msgspec.Struct, frozen=True, kw_only=True):
    """One rule of a language.

    Attributes:
        kind: Of what it finds; None for what only fills or ends a slot.
        slot: The name of the slot; ``me`` of a rule about how to answer.
        cues: Words of which one is in every match.
        is_firm: Whether it holds though a clause has words of doubt.
        source: The pattern, its parts not yet replaced.
        parts: Of patterns, by name.
    """

    kind: Kind | None
    slot: str | None
    cues: tuple[str, ...]
    is_firm: bool
    source: str
    parts: dict[str, str]

    def search(self, clause: str) -> dict[str, str] | None:
        """Return what its groups matched in a clause, without empty ones; None if it does not."""
        match = _compiled(self).search(clause)
        if match is None:
            return None
        return {name.rstrip("23456789"): text for name, text in match.groupdict().items() if text}


class Rulebook(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of a language for one role, the more certain ones first."""

    code: str
    grammar: Grammar
    rules: tuple[StatementRule, ...]
    by_cue: dict[str, tuple[int, ...]]
    signs: dict[str, re.Pattern[str]]

    def candidates(self, words: Collection[str]) -> Iterator[StatementRule]:
        """Yield the rules that may match a clause with these words, in their order."""
        positions = {at for word in words for at in self.by_cue.get(word, ())}
        return (self.rules[at] for at in sorted(positions))

    def has(self, sign: str, clause: str) -> bool:
        """Return whether a clause has words of a sign, a pattern of the grammar."""
        return self.signs[sign].search(clause) is not None


@functools.cache
def rulebook(code: str, role: str) -> Rulebook:
    """Return the rules of a language for what a role says: ``user``, ``assistant`` or ``report``.

    A report is a short message of an assistant.
    """
    grammar = grammar_of(code)
    text = grammar.rules + grammar.outcomes if role == "user" else grammar.outcomes
    rules = tuple(_rules(text, grammar, role))
    by_cue: dict[str, list[int]] = {}
    for at, rule in enumerate(rules):
        for cue in rule.cues:
            by_cue.setdefault(cue, []).append(at)
    return Rulebook(
        code=code,
        grammar=grammar,
        rules=rules,
        by_cue={cue: tuple(positions) for cue, positions in by_cue.items()},
        signs={sign: re.compile(getattr(grammar, sign), re.IGNORECASE) for sign in SIGNS},
    )


SIGNS = (
    "borders",
    "subjects",
    "hedges",
    "hearsay",
    "limits",
    "changes",
    "turns",
    "nows",
    "ends",
    "apart",
    "manners",
    "losses",
    "handovers",
)
"""The patterns of a grammar that are asked apart from its rules."""


@functools.cache
def grammar_of(code: str) -> Grammar:
    """Return the grammar of a language."""
    path = files("recollect.text.languages.grammars").joinpath(f"{LANGUAGES[code]}.toml")
    return msgspec.toml.decode(path.read_text(encoding="utf-8"), type=Grammar)


def _rules(text: str, grammar: Grammar, role: str) -> Iterator[StatementRule]:
    parts = {**_COMMON, **grammar.parts}
    for block in _RULE.split(text):
        if not block.strip():
            continue
        head, _, source = "".join(line.strip() for line in block.splitlines()).partition(":: ")
        name, _, cues = head.strip().partition(" ")
        if name.endswith(_REPORTED) and role != "report":
            continue
        kind, _, slot = name.rstrip(_FIRM + _REPORTED).partition(".")
        yield StatementRule(
            kind=None if kind == NO_KIND else cast(Kind, kind),
            slot=slot or None,
            cues=tuple(_cues(cues, grammar)),
            is_firm=name.endswith(_FIRM),
            source=source,
            parts=parts,
        )


def _cues(text: str, grammar: Grammar) -> Iterator[str]:
    for cue in text.split(","):
        if cue.startswith("@") and len(cue) > 1:
            yield from grammar.cues[cue[1:]].split()
        else:
            yield cue.strip()


_patterns: dict[str, re.Pattern[str]] = {}


def _compiled(rule: StatementRule) -> re.Pattern[str]:
    """Return the pattern of a rule, compiled when it is first asked: a language has a hundred."""
    pattern = _patterns.get(rule.source)
    if pattern is None:
        source = rule.source
        while _PART.search(source):
            source = _PART.sub(lambda match: rule.parts[match[1]], source)
        pattern = _patterns[rule.source] = re.compile(_distinct(source), re.IGNORECASE)
    return pattern


def _distinct(source: str) -> str:
    """Return a pattern whose groups of one name are ``value``, ``value2`` ...: one of them fits."""
    seen: Counter[str] = Counter()

    def numbered(match: re.Match[str]) -> str:
        seen[match[1]] += 1
        count = seen[match[1]]
        return f"(?P<{match[1]}{count if count > 1 else ''}>"

    return _GROUP.sub(numbered, source)
