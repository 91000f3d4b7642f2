"""The kinds of statements: something that must last, a decision, an open point, a failure.

Found by words of every language and by the shape of names, numbers and paths; no model. The text is
data: nothing in it is followed. Knows nothing of conversations beyond who speaks.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from recollect.text.boundaries import good_cut
from recollect.text.languages import spaced, unspaced
from recollect.text.languages.language import DECIDED, FAILED, LASTING, OPEN, Language

LONGEST = 320
"""Characters of a statement; longer ones are taken in pieces of at most that."""
_WHOLE = 200
"""A one-line text of at most this length stays whole: its sentences explain each other."""
_SENTENCE = re.compile(r"(?:(?<!\b\w)[.!?…][\"'”’)\]]{0,3}(?=\s)|[。！？][」』”’]{0,3})")


_SPECIFIC = re.compile(
    r"https?://\S+|[\w.+-]{1,64}@[\w-]{1,64}\.\w{2,}|`[^`\n]{1,80}`"
    r"|(?<![\w/])[~.]{0,2}/?(?:[\w.-]{1,64}/){1,20}[\w.-]*|\b[\w-]{1,64}\.[a-z]{1,5}\b"
    r"|\b[A-Za-z][\w-]{0,40}-\d+\b|\b[0-9a-f]{7,40}\b|\d[\d.,:/-]*"
)
_MAYBE_SPECIFIC = re.compile(r"[\d/@`]|\w\.\w")
"""A pattern in every specific; most statements have none, and this is ten times as fast."""
_NAME = re.compile(r"(?<=[\w,;:] )[A-Z][a-z]+")
_ASKS = ("?", "？")
_ENDS = ".!?…:;。！？"

IMPORTANT = 5.0
"""A statement with this weight or more is one that its speaker meant to last."""
_WEIGHTS = {"user": 1.0, "assistant": 0.6, "system": 0.4, "tool": 0.3}
"""Statements of people count most: a tool prints "must" and "error" on every page of its output."""


def statements(text: str) -> Iterable[str]:
    """Yield the statements of a text in order, each on one line of at most `LONGEST` characters.

    A short text is one statement, a longer one its sentences; a longer sentence its pieces.
    """
    for line in _lines(text):
        if len(line) <= _WHOLE:
            yield line
        else:
            for sentence in _sentences(line):
                yield from _pieces(sentence)


def weigh(statement: str, role: str = "user") -> float:
    """Return the weight of a statement, from 0; `IMPORTANT` and more is meant to last.

    >>> weigh("Remember: never deploy on Fridays.") >= IMPORTANT > weigh("Sounds good, thanks.")
    True
    """
    share = _WEIGHTS.get(role, 1.0)
    asks = statement.endswith(_ASKS)
    value = min(1.0, len(statement) / 80)
    if not asks and states(statement, LASTING):
        value += 6.0
    if not asks and states(statement, DECIDED):
        value += 4.0
    if asks or states(statement, OPEN):
        value += 1.5
    if states(statement, FAILED):
        value += 2.0
    count = len(_specifics(statement)) + len(_NAME.findall(statement))
    return share * (value + min(2.0, 0.5 * count))


def must_last(statement: str) -> bool:
    """Return whether a person who says this wants it kept: no question, no small talk."""
    return not statement.endswith(_ASKS) and (
        states(statement, LASTING) or states(statement, DECIDED)
    )


def is_decision(statement: str) -> bool:
    """Return whether a statement tells of a decision.

    >>> is_decision("We decided to use Redis."), is_decision("Have we decided?")
    (True, False)
    """
    return not statement.endswith(_ASKS) and states(statement, DECIDED)


def is_open_point(statement: str) -> bool:
    """Return whether a statement is about open work; a question is not.

    >>> is_open_point("Next step: sign it."), is_open_point("What is the next step?")
    (True, False)
    """
    return not statement.endswith(_ASKS) and states(statement, OPEN)


def specifics(statement: str) -> frozenset[str]:
    """Return the paths, ids, numbers and addresses in a statement, as they are written."""
    return frozenset(each.rstrip(".,:;") for each in _specifics(statement))


def _specifics(statement: str) -> list[str]:
    return _SPECIFIC.findall(statement) if _MAYBE_SPECIFIC.search(statement) else []


def states(statement: str, kind: str) -> bool:
    """Return whether a text has words of a kind of statements, as `Language.statements` has them.

    >>> states("Fixed it.", "fixed"), states("It is broken.", "fixed")
    (True, False)
    """
    return find_words(statement, kind) is not None


def find_words(statement: str, kind: str) -> re.Match[str] | None:
    """Return the first words of a kind of statements in a text; None if it has none."""
    match = _words(kind).search(statement)
    return match if match or statement.isascii() else _signs(kind).search(statement)


def different_words(text: str, kind: str) -> set[str]:
    """Return the words of a kind of statements that are in a text, in small letters."""
    patterns = [_words(kind)] if text.isascii() else [_words(kind), _signs(kind)]
    return {match[0].lower() for each in patterns for match in each.finditer(text)}


@functools.cache  # 4 ms: for the first statement
def _words(kind: str) -> re.Pattern[str]:
    return re.compile(rf"(?i:(?<!\w)(?:{_alternatives(kind, spaced())})(?!\w))")


@functools.cache
def _signs(kind: str) -> re.Pattern[str]:
    return re.compile(_alternatives(kind, unspaced()))


def _alternatives(kind: str, languages: Iterable[Language]) -> str:
    return "|".join(each.statements[kind] for each in languages if kind in each.statements)


def _lines(text: str) -> Iterable[str]:
    """Yield the lines of a text; one that was wrapped in the middle of a sentence is joined."""
    parts: list[str] = []
    for line in text.splitlines():
        flat = " ".join(line.split())
        if parts and not (flat[:1].islower() and parts[-1][-1] not in _ENDS):
            yield " ".join(parts)
            parts = []
        if flat:
            parts.append(flat)
    if parts:
        yield " ".join(parts)


def _sentences(text: str) -> Iterable[str]:
    start = 0
    for match in _SENTENCE.finditer(text):
        if sentence := text[start : match.end()].strip():
            yield sentence
        start = match.end()
    if rest := text[start:].strip():
        yield rest


def _pieces(sentence: str) -> Iterable[str]:
    start = 0
    while len(sentence) - start > LONGEST:
        stop = good_cut(sentence, start, start + LONGEST)
        yield sentence[start:stop].strip()
        start = stop
    yield sentence[start:].strip()
