"""What words mean for later: what they decide, which repair or cause they tell of, what must last.

By the detector of statements, not by single words: its rules are read when words are first asked
about. Of what a message quotes, pastes or asks nothing counts.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from recollect.text.languages.language import (
    CAUSED,
    CHANGED,
    CURED,
    FIXED,
    PARTS,
    PLANNED,
    RELATES,
    REPAIRS,
    SETTLED,
    TROUBLE,
)
from recollect.text.statements.sentences import different_words, find_words, states
from recollect.text.tokens import estimate_tokens

if TYPE_CHECKING:  # the rules of the detector are read when they are first asked
    from recollect.text.statements.detector import WeighedClause
    from recollect.text.statements.reading import Clause
    from recollect.text.statements.statement import Kind

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
_WITH_RULE, _LIKELY, _SURE = 0.1, 0.3, 0.5
"""The least probability of what a rule of the detector matches, of a whole sentence, and of a few
words: "PR approved and merged" has .43. For facts it is .5 and .6 (docs/experiments.md)."""
_WHOLE = 6
"""Tokens of a whole sentence: in fewer the judge has too little to go by."""
_DECIDING: tuple[Kind, ...] = ("decision", "rule")
_LASTING: tuple[Kind, ...] = ("preference", "personal", "relationship")
_SUBJECT = re.compile(r"(?:(?P<kind>\w+)(?:\([^()]{1,40}\))?!?|[\w/.() -]{1,40}): +")
_KINDS = frozenset(
    "feat docs doc chore test tests refactor style ci build perf deps release wip revert".split()
)
"""What conventional commits call another change than a repair."""
_REPAIRS = re.compile(
    r"(?i)(?:\W*(?:resolve|correct|prevent)(?:s|ed)?\b|.*\b(?:bug[ -]?)?fix for\b)"
)
"""Subjects that tell of a repair in other words than those of `REPAIRS`."""
_FIRST = 40
"""Characters in which a subject says what it does; after that comes to what."""


class WordsMeaning(msgspec.Struct, frozen=True, kw_only=True):
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
def meaning_of(words: str, role: str) -> WordsMeaning:
    """Return what words mean.

    Args:
        words: What was said.
        role: ``user`` or ``assistant``.

    >>> meaning_of("Use Postgres instead of Redis. The promise resolved.", "user").decisions
    ('Use Postgres instead of Redis',)
    >>> meaning_of("PR approved and merged", "assistant").decisions
    ()
    """
    # Their rules are read only where somebody asks.
    from recollect.text.statements.detector import own_words, weighed_clauses
    from recollect.text.statements.reading import sentences

    words = words[:_MOST_READ]
    clauses = list(weighed_clauses(words, role))
    lines = list(own_words(words, role))
    statements = [
        each for start, line in lines for each in sentences(line, start) if not each.is_asked
    ]
    repairs = _repairs(clauses, statements)
    decisions = [each.text for each in clauses if _decides(each, is_repair=bool(repairs))]
    openings = [*(line for _, line in lines), *(each.text for each in statements)]
    decisions += [] if repairs else dict.fromkeys(filter(None, map(_settled, openings)))
    if not decisions and not repairs:
        repairs = _cured(statements, role)
    return WordsMeaning(
        decisions=tuple(decisions),
        repairs=tuple(repairs),
        is_design=not decisions and not repairs and _is_design([each.text for each in statements]),
        is_lasting=bool(decisions) or any(each.share(_LASTING) >= _SURE for each in clauses),
    )


def _decides(clause: WeighedClause, *, is_repair: bool) -> bool:
    """Return whether a clause is likely to decide or rule something; in a report of a repair sure.

    Args:
        clause: The clause.
        is_repair: Whether it stands among words of a repair.
    """
    if clause.rule in _DECIDING:
        return clause.share(_DECIDING) >= _WITH_RULE
    is_whole = estimate_tokens(clause.text) > _WHOLE and not is_repair
    return clause.share(_DECIDING) >= (_LIKELY if is_whole else _SURE)


def _repairs(clauses: Sequence[WeighedClause], statements: Sequence[Clause]) -> list[str]:
    """Return the sentences that tell of a cause or a repair, those of a cause first."""
    sentences = [" ".join(each.text.split()) for each in statements]
    is_trouble = states(" ".join(sentences), TROUBLE)
    causes = [
        each.text
        for each in clauses
        if is_trouble and each.share(("technical",)) >= _SURE and states(each.text, CAUSED)
    ]
    repairs = [each for each in sentences if _is_done(each)]
    return [*causes, *repairs]


def _cured(statements: Sequence[Clause], role: str) -> list[str]:
    """Return the sentence that tells of a trouble, or its cause, if others say that it is over."""
    sentences = [" ".join(each.text.split()) for each in statements]
    kinds = (TROUBLE,) if role == "user" else (TROUBLE, CAUSED)
    troubles = [each for each in sentences if any(states(each, kind) for kind in kinds)]
    return troubles[:1] if troubles and _is_cured(sentences, role) else []


def _is_cured(sentences: Sequence[str], role: str) -> bool:
    """Return whether what was said of a trouble says that it is over.

    Of an agent any cure counts that is not planned; a person reports troubles, too, so of them one
    that says that it works.
    """
    kinds = (CURED,) if role == "user" else (CURED, CHANGED)
    return any(_is_told(each, kind) for each in sentences for kind in kinds)


def _settled(line: str) -> str:
    """Return what a line or a sentence settles at its beginning; empty if nothing."""
    match = find_words(line[:_LONGEST], SETTLED)
    is_settled = match and match.start() <= _BEGINNING and not line.rstrip().endswith(_ASKS)
    return " ".join(match[0].split()) if match and is_settled else ""


def _is_done(sentence: str) -> bool:
    """Return whether a sentence tells of a repair or a cause, and not of a plan of one."""
    return _is_told(sentence, FIXED)


def _is_told(sentence: str, kind: str) -> bool:
    """Return whether a sentence has words of a kind, and not of a plan before them."""
    match = find_words(sentence, kind)
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
    kind = (prefix["kind"] or "").casefold() if prefix is not None else ""
    if kind in {"fix", "bugfix", "hotfix"}:
        return True
    if kind in _KINDS:
        return False
    rest = subject if prefix is None else subject[prefix.end() :]
    return bool(_REPAIRS.match(rest)) or states(rest[:_FIRST], REPAIRS)
