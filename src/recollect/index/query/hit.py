"""Search results as callers see them."""

from __future__ import annotations

import msgspec

from recollect.core.numbers import Link
from recollect.text.boundaries import brief_repr
from recollect.text.tokens import estimate_tokens


class FactMark(msgspec.Struct, frozen=True, kw_only=True):
    """What fact a hit is, or says.

    Attributes:
        number: Its short number: ``f12``.
        kind: Such as ``rule`` or ``preference``.
        trust: Whose words it is.
        valid_until: Until when it was true, ms UTC; None while it is.
        replaced_by: The number of the fact that it made way for.
    """

    number: int
    kind: str
    trust: str
    valid_until: int | None = None
    replaced_by: int | None = None


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """One result.

    Attributes:
        score: Share of the best possible score, in [0, 1], higher is better.
        source: The kind of memory: ``memory``, ``sessions`` ...
        ref: The document: a path for memory files, the message's id for sessions.
        snippet: The part of the text that fits the question best.
        why: Weighted share of each part of the score; their sum is the score.
        at: When it was said or changed, ms UTC.
        session_id: For sessions, observations and episodes: where it was said or happened.
        seq: For sessions: which message.
        number: What it is called beside its id, from 1, where the surface shows it: ``m88``.
        role: For sessions: who said it, by role.
        name: For sessions: who said it, by name where known.
        path: For memory files.
        start_line: For memory files: first line of the chunk, from 1.
        end_line: For memory files: last line of the chunk, inclusive.
        citation: Where it is, for people: ``memory/tea.md#L3-L9``, ``session:<id>#<seq>``,
            ``observation:#<number>``, ``episode:e<number>``, ``fact:f<number>``; None where
            citations are off.
        importance: For annotated memory files: 1 to 10.
        projects: For annotated memory files: keys of the projects that it is for.
        triggers: For annotated memory files: phrases that find it.
        links: Of a memory file the observations that these lines name, of an observation the lines
            that name it; of a hit at most 8, as far as the asker hears both.
        fact: Of a fact what it is, of a message what fact it says; None without one.
        until: Until when what it says held, ms UTC: something newer was said in its place, as far
            as the asker hears that. None while it holds, and of a message where the question asks
            for an event, or for something else that the message says.
        contradicts: For sessions: the names of other hits, such as ``m58``, in which the same
            person says that they did what this one denies, or denies what this one says.
    """

    __repr__ = brief_repr

    score: float
    source: str
    ref: str
    snippet: str
    why: dict[str, float]
    at: int
    session_id: str | None = None
    seq: int | None = None
    number: int | None = None
    role: str | None = None
    name: str | None = None
    path: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    citation: str | None = None
    importance: int | None = None
    projects: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    fact: FactMark | None = None
    until: int | None = None
    contradicts: tuple[str, ...] = ()


def cite_lines(path: str, start: int, end: int) -> str:
    """Return the citation of lines of a file.

    >>> cite_lines("memory/tea.md", 3, 9), cite_lines("MEMORY.md", 3, 3)
    ('memory/tea.md#L3-L9', 'MEMORY.md#L3')
    """
    return f"{path}#L{start}" if start >= end else f"{path}#L{start}-L{end}"


class SearchResult(msgspec.Struct, frozen=True, kw_only=True):
    """Hits, best first, and how they were found.

    Attributes:
        hits: Best first; ties by time, then position.
        mode: ``hybrid``, ``lexical`` or ``vector``: the parts that were really used.
        warnings: Why the answer may be less than it could be, one sentence each.
        confidence: The probability that the answer is among the hits, in [0, 1]; 0 without any.
            Calibrated for six hits of the builtin index (docs/search.md).
    """

    __repr__ = brief_repr

    hits: list[Hit]
    mode: str
    warnings: list[str] = []
    confidence: float = 0.0

    @property
    def tokens(self) -> int:
        """About the cost of the snippets in a prompt."""
        return sum(estimate_tokens(hit.snippet) for hit in self.hits)
