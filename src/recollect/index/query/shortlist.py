"""The shortlist: ranked chunks, read as hits only as far as needed, and the hits to show.

A message is a hit once, with its best chunk; a file once for each chunk.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from itertools import pairwise

import msgspec

from recollect.index.model.document import EPISODES, FACTS, FILES, OBSERVATIONS, SESSIONS
from recollect.index.model.origin import path_of
from recollect.index.query.hit import Hit, cite_lines
from recollect.index.query.partition import Partition
from recollect.index.query.question import Ranked
from recollect.store.columns import typed_rows
from recollect.store.engine import Transaction
from recollect.text.markdown.annotations import Annotation
from recollect.text.snippet import snippet
from recollect.text.terms import terms

ANSWERS_AS_WELL = 0.7
"""A memory file with this share of the best score answers as well (docs/experiments.md, share)."""

_NUMBERED = {OBSERVATIONS: "observation:#", EPISODES: "episode:e", FACTS: "fact:f"}
"""The kinds of records whose position is their number, with what their citation begins with."""
_OF_SESSIONS = (OBSERVATIONS, EPISODES)
"""Those of them whose group is their session."""

HitKey = tuple[str, str, int]
"""Source, ref and first line (0 but for files)."""


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """The properties of a hit that the rules use.

    Attributes:
        score: In [0, 1].
        words: Share of the question's words that are in the text itself, in [0, 1]; 0 where it was
            not requested.
        is_file: Whether it is of a memory file.
    """

    score: float
    words: float = 0.0
    is_file: bool = False


class ShortlistEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A hit with the properties that decide whether it is shown.

    Attributes:
        hit: The hit as callers see it.
        key: Its document.
        rank: 3 to 1 where the question names the file; else 0.
        standing: Its properties for the rules.
        is_last: Whether it comes after those that are not, whatever its score.
    """

    hit: Hit
    key: HitKey
    rank: int
    standing: Standing
    is_last: bool = False


class HitLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The rules that select from a shortlist.

    Attributes:
        limit: Hits at most.
        min_score: Threshold in [0, 1].
        files: Hits kept for memory files.
        relevance: Weight of the score against being different; None orders by score.
    """

    limit: int
    min_score: float = 0.0
    files: int = 0
    relevance: float | None = None


class HitDisplay(msgspec.Struct, frozen=True, kw_only=True):
    """The content of hits.

    Attributes:
        terms: The words of the question, for the snippets.
        snippet_chars: Longest snippet.
        citations: Whether hits say where they stand.
        counts_words: Whether the question's words in each text are counted.
    """

    terms: Collection[str]
    snippet_chars: int
    citations: bool = True
    counts_words: bool = False


class Shortlist:
    """The hits of a ranking, read as needed.

    Args:
        tx: The snapshot that was ranked.
        partition: Where the chunks are.
        ranked: The ranking.
        shown: The content of hits.
    """

    def __init__(
        self, tx: Transaction, partition: Partition, ranked: Ranked, display: HitDisplay
    ) -> None:
        self._tx = tx
        self._partition = partition
        self._ranked = ranked
        self._end = ranked.end
        self._display = display
        self._entries: dict[HitKey, ShortlistEntry] = {}
        self._next = 0

    def __len__(self) -> int:
        """The number of hits that come first."""
        return sum(not entry.is_last for entry in self._entries.values())

    def grow(self, most: int) -> None:
        """Read until there are ``most`` hits, or no more chunks."""
        while len(self._entries) < most and self._next < len(self._ranked.numbers):
            end = min(self._next + most - len(self._entries), len(self._ranked.numbers))
            self._take(range(self._next, end))
            self._next = end

    def hits(self, limits: HitLimits) -> list[Hit]:
        """Return the hits to show, in the order to show them."""
        every = self._entries.values()
        plain = (entry.hit.score for entry in every if not (entry.rank or entry.is_last))
        least = max(limits.min_score, ANSWERS_AS_WELL * max(plain, default=0.0))
        self._grow_files(limits.files, least)
        entry = self._ordered(limits.relevance)
        standings = [each.standing for each in entry]
        positions = above_threshold(standings, limits.min_score, limits.limit)
        positions = with_files(standings, positions, limits.files, least)
        return [entry[position].hit for position in positions]

    def _grow_files(self, most: int, least: float) -> None:
        """Read further memory files until there are ``most``, or none with the score ``least``."""
        scores, are_files = self._ranked.scores, self._ranked.are_files
        positions = []
        for position in range(self._next, len(scores)):
            if scores[position] < least:
                break
            if are_files[position]:
                positions.append(position)
        missing = most - sum(entry.standing.is_file for entry in self._entries.values())
        while missing > 0 and positions:
            batch, positions = positions[:missing], positions[missing:]
            missing -= self._take(batch)

    def _take(self, positions: Sequence[int]) -> int:
        """Read some positions; return the number of new hits."""
        before = len(self._entries)
        for entry in self._read(positions):
            self._entries.setdefault(entry.key, entry)
        return len(self._entries) - before

    def _ordered(self, relevance: float | None) -> list[ShortlistEntry]:
        entries = sorted(self._entries.values(), key=_order)
        if relevance is None:
            return entries
        by_name = [each for each in entries if each.rank]
        last = [each for each in entries if each.is_last]
        rest = entries[len(by_name) : len(entries) - len(last)]
        scores = [each.hit.score for each in rest]
        order = diverse_order(scores, [each.hit.snippet for each in rest], relevance)
        return [*by_name, *(rest[position] for position in order), *last]

    def _read(self, positions: Sequence[int]) -> list[ShortlistEntry]:
        """Return the hits at some positions of the ranking, without those whose chunk is gone."""
        first = self._partition.first_id
        keys = [first + self._ranked.numbers[position] for position in positions]
        cells = self._tx.all(_HITS, (msgspec.json.encode(keys).decode(),))
        rows = {row.key: row for row in typed_rows(cells, _HitRow)}
        present = [position for position, key in zip(positions, keys, strict=True) if key in rows]
        return [
            self._hit(rows[first + self._ranked.numbers[position]], position, why)
            for position, why in zip(present, self._ranked.why(present), strict=True)
        ]

    def _hit(self, row: _HitRow, position: int, why: dict[str, float]) -> ShortlistEntry:
        number = self._ranked.numbers[position]
        annotation = self._partition.annotations.of_chunk.get(number, UNANNOTATED)
        is_session, is_file = row.source == SESSIONS, row.source == FILES
        is_numbered = row.source in _NUMBERED
        ref = path_of(row.ref) if is_file else row.ref
        hit = Hit(
            score=self._ranked.scores[position],
            source=row.source,
            ref=ref,
            snippet=snippet(row.text, self._display.terms, self._display.snippet_chars).text,
            why=why,
            at=row.at,
            session_id=row.group if is_session or row.source in _OF_SESSIONS else None,
            seq=row.start if is_session else None,
            number=row.start if is_numbered else None,
            role=row.role,
            name=row.name,
            path=ref if is_file else None,
            start_line=row.start if is_file else None,
            end_line=row.end if is_file else None,
            citation=_citation(row) if self._display.citations else None,
            importance=annotation.importance,
            projects=annotation.projects,
            triggers=annotation.triggers,
            until=self._ranked.until.get(number),
        )
        words, query_terms = 0.0, set(self._display.terms)
        if self._display.counts_words:
            words = len(query_terms.intersection(terms(row.text))) / max(1, len(query_terms))
        return ShortlistEntry(
            hit=hit,
            key=(row.source, row.ref, row.start if is_file else 0),
            rank=self._ranked.ranks[position],
            standing=Standing(score=hit.score, words=words, is_file=is_file),
            is_last=position >= self._end,
        )


def _order(entry: ShortlistEntry) -> tuple[bool, int, float, int, str, str, int]:
    """Named files first, then the best; ties by time, then by name and position."""
    hit = entry.hit
    return entry.is_last, -entry.rank, -hit.score, hit.at, hit.source, hit.ref, hit.start_line or 0


LEAST_LIMIT = 3
"""Callers that ask for fewer hits want the best ones, of whatever source."""


def above_threshold(hits: Sequence[Standing], min_score: float, limit: int) -> list[int]:
    """Return the positions of at most ``limit`` hits to show, in their order.

    All that reach ``min_score``; then, as far as there is room, hits with all the question's words,
    which no threshold for meaning may cut. If nothing reaches it, hits with any of the words stay:
    a mode in which no score can be that high still answers. Hits below it that are near only in
    meaning are dropped.
    """
    reaching = [position for position, hit in enumerate(hits) if hit.score >= min_score]
    least = 1.0 if reaching else 0.0
    backed = [
        position
        for position, hit in enumerate(hits)
        if hit.score < min_score and hit.words > 0 and hit.words >= least
    ]
    return sorted([*reaching[:limit], *backed[: max(0, limit - len(reaching))]])


def quota(limit: int, share: float) -> int:
    """Return how many of ``limit`` hits are kept for memory files: rounded down, at least 1.

    None of fewer than three hits, and none for a share of 0.

    >>> quota(6, 0.34), quota(3, 0.1), quota(2, 0.9)
    (2, 1, 0)
    """
    if share <= 0 or limit < LEAST_LIMIT:
        return 0
    return max(1, math.floor(limit * share))


def with_files(
    hits: Sequence[Standing], positions: Sequence[int], file_count: int, least: float
) -> list[int]:
    """Return ``positions`` with ``file_count`` memory files in it, as far as they qualify.

    Args:
        hits: All, in their order.
        positions: Positions of those to show, ascending.
        file_count: The number of memory files wanted.
        least: The score from which a memory file answers as well as the others.

    The worst of the other hits make room. The order stays.
    """
    files = [position for position in positions if hits[position].is_file]
    present = set(positions)
    spare = [
        position
        for position, hit in enumerate(hits)
        if position not in present and hit.is_file and hit.score >= least
    ]
    others = [position for position in positions if not hits[position].is_file]
    moved = min(max(0, file_count - len(files)), len(spare), len(others))
    return sorted([*files, *others[: len(others) - moved], *spare[:moved]])


_WORDS = re.compile(r"[a-z0-9_]+")
_UNSPACED = r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+"


def diverse_order(scores: Sequence[float], texts: Sequence[str], relevance: float) -> list[int]:
    """Return the positions of the hits, the next one always the best by MMR.

    Args:
        scores: Of the hits; any scale.
        texts: Their texts.
        relevance: Weight of the score against being different, 0 to 1; 1 orders by score alone.

    Equal ones are ordered by score, then as they came.
    """
    tokens = [_tokens(text) for text in texts]
    gains = _scaled(scores)
    likeness = [0.0] * len(scores)
    remaining = list(range(len(scores)))
    order: list[int] = []
    while remaining:
        best = max(
            remaining,
            key=lambda n: (
                relevance * gains[n] - (1.0 - relevance) * likeness[n],
                scores[n],
                -n,
            ),
        )
        order.append(best)
        remaining.remove(best)
        for position in remaining:
            shared = jaccard(tokens[position], tokens[best])
            likeness[position] = max(likeness[position], shared)
    return order


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the Jaccard similarity of two sets, in [0, 1]."""
    if not (one and other):
        return 0.0
    common = len(one & other)
    return common / (len(one) + len(other) - common)


def _tokens(text: str) -> frozenset[str]:
    """Return words of Latin letters and digits, and characters and pairs of unspaced scripts.

    A text without any is its own only token, so that two equal ones are alike.
    """
    lowered = text.lower()
    tokens = set(_WORDS.findall(lowered))
    for run in () if lowered.isascii() else re.findall(_UNSPACED, lowered):
        tokens.update(run)
        tokens.update(first + second for first, second in pairwise(run))
    return frozenset(tokens or {lowered})


def _scaled(scores: Sequence[float]) -> list[float]:
    """Return scores scaled to [0, 1] between the worst and the best; 1 for all when all equal."""
    least, most = min(scores, default=0.0), max(scores, default=0.0)
    if most == least:
        return [1.0] * len(scores)
    return [(score - least) / (most - least) for score in scores]


UNANNOTATED = Annotation()


class _HitRow(msgspec.Struct, frozen=True, array_like=True):
    """A chunk with the shown fields of its document."""

    key: int
    start: int
    end: int
    text: str
    source: str
    ref: str
    at: int
    role: str | None
    name: str | None
    group: str


def _citation(row: _HitRow) -> str | None:
    if row.source == FILES:
        return cite_lines(path_of(row.ref), row.start, row.end)
    if row.source in _NUMBERED:
        return f"{_NUMBERED[row.source]}{row.start}"
    return f"session:{row.group}#{row.start}" if row.source == SESSIONS else None


_HITS = (
    "SELECT c.id, c.start_line, c.end_line, c.text, d.source, d.ref, d.at, d.role, n.value, g.ref"
    " FROM json_each(?) k CROSS JOIN chunks c ON c.id = k.value"
    " JOIN documents d ON d.id = c.document"
    " JOIN chunk_groups g ON g.partition_id = d.partition_id AND g.number = d.group_number"
    " LEFT JOIN names n ON n.id = d.speaker_id"
)
