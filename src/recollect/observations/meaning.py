"""What words mean for later: what they decide, which repair or cause they tell of, what must last.

By the detector of statements, not by single words: its rules are read when words are first asked
about. Of what a message quotes, pastes or asks nothing counts.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

import msgspec

from recollect.text.languages.language import (
    CAUSED,
    FIXED,
    PARTS,
    PLANNED,
    RELATES,
    REPAIRS,
    SETTLED,
)
from recollect.text.statements.sentences import different_words, find_words, states

_MOST_READ = 8_000
"""Characters; what is longer is a paste, as for `recollect.recall.statements`."""
_BEFORE, _WORDS_BEFORE = 40, 3
"""Characters, and words, before a repair that may say that it is only planned."""
_BEGINNING = 12
"""Characters before what a line settles: "ok, so"."""
_FIRST_SENTENCES = 12
"""Who describes a design says so soon."""
_LONGEST = 120
"""Characters of a line in which it settles something: patterns stay cheap."""
_ASKS = ("?", "？")
_AGREED = 0.1
"""The least probability of what a rule of the detector matches: with it the seen moments have .06
more of their decisions, and the opened messages no false one (docs/experiments.md)."""
_DECIDING = frozenset({"decision", "rule"})
_LASTING = frozenset({"preference", "personal", "relationship"})
_SUBJECT = re.compile(r"(?:(?P<kind>\w+)(?:\([^()]{1,40}\))?!?|[\w/.() -]{1,40}): +")
_KINDS = frozenset(
    "feat docs doc chore test tests refactor style ci build perf deps release wip revert".split()
)
"""What conventional commits call a change that is no repair."""
_REPAIRS = re.compile(
    r"(?i)(?:\W*(?:resolve|correct|prevent)(?:s|ed)?\b|.*\b(?:bug[ -]?)?fix for\b)"
)
"""Subjects that tell of a repair in other words than those of `REPAIRS`."""
_FIRST = 40
"""Characters in which a subject says what it does; after that comes to what."""


class Meaning(msgspec.Struct, frozen=True, kw_only=True):
    """What words mean for later, in the words of their speaker.

    Attributes:
        decisions: What was decided, or is ruled from now on.
        repairs: Causes that were found, and repairs that were made.
        is_design: Whether they tell nothing of both, but how the parts of a system belong together.
        is_lasting: Whether they hold beyond the moment: a decision, a preference.
    """

    decisions: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    is_design: bool = False
    is_lasting: bool = False

    def is_in(self, sentence: str) -> bool:
        """Return whether a sentence, on one line, says what was decided, or else repaired."""
        return any(each in sentence for each in self.decisions or self.repairs)


@functools.lru_cache(maxsize=64)  # type, importance and title ask about the same words
def meaning_of(words: str, role: str) -> Meaning:
    """Return what words mean.

    Args:
        words: What was said.
        role: ``user`` or ``assistant``.

    >>> meaning_of("Use Postgres instead of Redis. The promise resolved.", "user").decisions
    ('Use Postgres instead of Redis',)
    >>> meaning_of("PR approved and merged", "assistant").decisions
    ()
    """
    from recollect.text.statements.detector import detect, own_words  # only where they are asked
    from recollect.text.statements.reading import sentences

    words = words[:_MOST_READ]
    statements = detect(words, role, agreed=_AGREED)
    lines = list(own_words(words, role))
    said = [each for start, line in lines for each in sentences(line, start) if not each.is_asked]
    decisions = [each.text for each in statements if each.kind in _DECIDING]
    settled = (_settled(line) for _, line in lines)
    causes = (each.text for each in statements if each.kind == "technical")
    repaired = (" ".join(each.text.split()) for each in said if _is_done(each.text))
    decisions += [each for each in settled if each]
    repairs = [*(each for each in causes if states(each, CAUSED)), *repaired]
    return Meaning(
        decisions=tuple(decisions),
        repairs=tuple(repairs),
        is_design=not decisions and not repairs and _is_design([each.text for each in said]),
        is_lasting=bool(decisions) or any(each.kind in _LASTING for each in statements),
    )


def _settled(line: str) -> str:
    """Return what a line settles at its beginning; empty if nothing."""
    match = find_words(line[:_LONGEST], SETTLED)
    is_settled = match and match.start() <= _BEGINNING and not line.rstrip().endswith(_ASKS)
    return " ".join(match[0].split()) if match and is_settled else ""


def _is_done(sentence: str) -> bool:
    """Return whether a sentence tells of a repair or a cause, and not of a plan of one."""
    match = find_words(sentence, FIXED)
    if match is None:
        return False
    before = sentence[max(0, match.start() - _BEFORE) : match.start()]
    return find_words(" ".join(before.split()[-_WORDS_BEFORE:]), PLANNED) is None


def _is_design(sentences: Sequence[str]) -> bool:
    """Return whether the first sentences relate at least two parts of a system in two ways."""
    words = " ".join(sentences[:_FIRST_SENTENCES])
    return all(len(different_words(words, kind)) > 1 for kind in (RELATES, PARTS))


def is_repair(subject: str) -> bool:
    """Return whether the subject of a commit tells of a repair.

    >>> is_repair("fix(login): set the domain"), is_repair("Fix the PATH"), is_repair("docs: fixes")
    (True, True, False)
    """
    prefix = _SUBJECT.match(subject)
    if prefix is not None and prefix["kind"] in {"fix", "bugfix", "hotfix"}:
        return True
    if prefix is not None and prefix["kind"] in _KINDS:
        return False
    rest = subject if prefix is None else subject[prefix.end() :]
    return bool(_REPAIRS.match(rest)) or states(rest[:_FIRST], REPAIRS)
