"""The rules of a language, ready to be asked: which may match a clause, by its words."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
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
_CASED = "(?-i:"
"""In patterns that tell names by a capital; all others are searched for in small letters."""
_CAPITAL = re.compile(r"(?<!\\)(?<!\(\?)[A-Z]")
"""In a pattern; not that of an escape or of a group."""
_ODD_LETTERS = str.maketrans({"İ": "i", "ı": "i", "ſ": "s"})
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

    def search(self, clause: str, lowered: str) -> dict[str, str] | None:
        """Return what its groups matched in a clause, without empty ones; None if it does not.

        Args:
            clause: As it was written.
            lowered: The same with `small_letters`.
        """
        pattern, is_cased = _compiled(self)
        match = pattern.search(clause if is_cased else lowered)
        if match is None:
            return None
        return {
            name.rstrip("23456789"): clause[slice(*match.span(name))]
            for name, text in match.groupdict().items()
            if text
        }


class _Signs(dict[str, re.Pattern[str]]):
    """The patterns of the signs of a grammar, each compiled when it is first asked for."""

    def __init__(self, grammar: Grammar, compiling: Callable[[str], re.Pattern[str]]) -> None:
        self._grammar = grammar
        self._compile = compiling

    def __missing__(self, sign: str) -> re.Pattern[str]:
        pattern = self[sign] = self._compile(getattr(self._grammar, sign))
        return pattern


class Rulebook(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of a language for one role, the more certain ones first.

    Attributes:
        code: The code of the language.
        grammar: What it was made of.
        rules: The rules.
        by_cue: The positions of the rules with a cue.
        signs: The patterns that are asked apart from the rules, for a text as it was written.
        plain_signs: The same for a text in small letters, three times as fast.
    """

    code: str
    grammar: Grammar
    rules: tuple[StatementRule, ...]
    by_cue: dict[str, tuple[int, ...]]
    signs: Mapping[str, re.Pattern[str]]
    plain_signs: Mapping[str, re.Pattern[str]]

    def candidates(self, words: Collection[str]) -> Iterator[StatementRule]:
        """Yield the rules that may match a clause with these words, in their order."""
        positions = {at for word in words for at in self.by_cue.get(word, ())}
        return (self.rules[at] for at in sorted(positions))

    def has(self, sign: str, lowered: str) -> bool:
        """Return whether a text in small letters has words of a sign, a pattern of the grammar."""
        return self.plain_signs[sign].search(lowered) is not None


def small_letters(text: str) -> str:
    """Return a text of the same length in small letters.

    A pattern in small letters finds the same in it as one that ignores case in the text.

    >>> small_letters("Straße, İzmir")
    'straße, izmir'
    """
    return text.lower() if text.isascii() else text.translate(_ODD_LETTERS).lower()


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
        signs=_Signs(grammar, partial(re.compile, flags=re.IGNORECASE)),
        plain_signs=_Signs(grammar, _compiled_plain),
    )


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


_patterns: dict[str, tuple[re.Pattern[str], bool]] = {}


def _compiled(rule: StatementRule) -> tuple[re.Pattern[str], bool]:
    """Return the pattern of a rule, and whether it is for a text as it was written.

    It is compiled when it is first asked: a language has a hundred.
    """
    compiled = _patterns.get(rule.source)
    if compiled is None:
        source = rule.source
        while _PART.search(source):
            source = _PART.sub(lambda match: rule.parts[match[1]], source)
        source = _distinct(source)
        is_cased = _CASED in source
        pattern = re.compile(source, re.IGNORECASE) if is_cased else _compiled_plain(source)
        compiled = _patterns[rule.source] = pattern, is_cased
    return compiled


def _compiled_plain(source: str) -> re.Pattern[str]:
    """Return a pattern to be searched for in `small_letters`."""
    return re.compile(_CAPITAL.sub(lambda match: match[0].lower(), source))


def _distinct(source: str) -> str:
    """Return a pattern whose groups of one name are ``value``, ``value2`` ...: one of them fits."""
    seen: Counter[str] = Counter()

    def numbered(match: re.Match[str]) -> str:
        seen[match[1]] += 1
        count = seen[match[1]]
        return f"(?P<{match[1]}{count if count > 1 else ''}>"

    return _GROUP.sub(numbered, source)
