"""Worth: what a line of a context block is worth, and whether two lines say the same.

One formula for all kinds of memory: a sum of parts that each line names. What is worth less than
`FLOOR` is not added, however much room is left. Source of the numbers: docs/experiments.md, "The
context block".
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache

from recollect.core.clock import DAY_MS
from recollect.recall.context.block import Candidate, Worth
from recollect.text.languages import all_languages
from recollect.text.terms import query_terms, terms

KINDS: Mapping[Worth, tuple[float, float]] = {
    "rule": (1.0, 365.0),
    "decision": (0.5, 180.0),
    "kept": (0.45, 90.0),
    "preference": (0.5, 365.0),
    "person": (0.45, 365.0),
    "schedule": (0.4, 14.0),
    "technical": (0.4, 60.0),
    "fix": (0.4, 21.0),
    "session": (0.4, 30.0),
    "open_end": (0.35, 21.0),
    "state": (0.5, 14.0),
    "change": (0.35, 7.0),
    "quote": (0.0, 14.0),
    "other": (0.0, 14.0),
}
"""What a kind is worth by itself, and the days after which its recency is halved."""
IMPORTANCE, RECENCY, RELEVANCE = 0.2, 0.3, 0.45
OPEN, TOUCHED, OF_AGENT = 0.15, 0.1, -0.1
STAYS = 0.05
"""The bonus of a line that was in the last block: a new one must be better, not equally good."""
FLOOR = 0.65
_OPEN = frozenset({"open_end", "state"})
_ALIKE = 0.8
"""The share of the words of a line that others have, if it says nothing more."""
_PAIR = 2
_CLOSES = 0.6
"""The share of the words of an open end that something later has, if it is done."""
_FEWEST = 2
"""Words of a line that can repeat another one."""


def worth(of: Candidate, newest: int, *, has_query: bool, stays: bool) -> dict[str, float]:
    """Return the parts of the score of a candidate, by name.

    Args:
        of: The candidate.
        newest: The time of the newest one, from which ages count: a project that rested for a year
            is as it was left.
        has_query: Whether there is a question.
        stays: Whether it was in the last block.
    """
    if of.worth_as == "quote":  # found by a search that weighs its time
        return {"relevance": round(of.relevance, 4)}
    kind, half_life = KINDS[of.worth_as]
    parts = {
        "kind": kind,
        "importance": IMPORTANCE * of.importance,
        "recency": RECENCY * 0.5 ** ((newest - of.at) / DAY_MS / half_life),
        "open": OPEN * (of.worth_as in _OPEN),
        "touched": TOUCHED * of.is_touched,
        "trust": OF_AGENT * of.is_agents,
        "relevance": RELEVANCE * of.relevance if has_query else 0.0,
        "stays": STAYS * stays,
    }
    return {name: round(part, 4) for name, part in parts.items() if part}


def told_words(text: str) -> frozenset[str]:
    """Return the words by which a line is compared with others.

    >>> sorted(told_words("We use pnpm, never npm."))
    ['never', 'npm', 'pnpm', 'use']
    """
    return frozenset(terms(text)) - _little()


@cache
def _little() -> frozenset[str]:
    """Return the function words of all languages, which lines share by chance."""
    words = (f"{each.function_words} {each.stop_words}" for each in all_languages())
    return frozenset(term for word in " ".join(words).split() for term in query_terms(word))


def amount(words: Collection[str]) -> float:
    """Return how much some words say: a pair of characters of an unspaced script is half a word.

    >>> amount(told_words("we use pnpm")), amount({"早上", "上好"})
    (2.0, 1.0)
    """
    return sum(1.0 if word.isascii() or len(word) > _PAIR else 0.5 for word in words)


def repeats(words: Collection[str], others: Collection[str]) -> bool:
    """Return whether a line says nothing that others do not say.

    >>> repeats(told_words("Never npm, pnpm it is"), told_words("always use pnpm, never npm"))
    True
    """
    shared = sum(word in others for word in words)
    return len(words) >= _FEWEST and shared >= _ALIKE * len(words)


def still_open(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates without the open ends that something later reports as finished."""
    later = [
        (each.at, told_words(line))
        for each in candidates
        for line in each.lines
        if each.worth_as not in _OPEN
    ]

    def is_closed(of: Candidate) -> bool:
        words = told_words(" ".join(of.lines).partition("] ")[2])
        return of.worth_as == "open_end" and any(
            at >= of.at and len(words & other) >= _CLOSES * len(words) for at, other in later
        )

    return [each for each in candidates if not is_closed(each)]
