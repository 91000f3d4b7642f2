"""Reads what a hit shows of a ranked chunk: its text, document, speaker and group."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from recollect.index.document import FILES
from recollect.index.hit import Hit, cite_lines, cite_message
from recollect.index.layout import chunk_id
from recollect.index.origin import path_of
from recollect.index.partition import Partition
from recollect.index.request import Ranked
from recollect.index.shortlist import Found, Key
from recollect.store.cell import first_integer, integer, text, text_or_none
from recollect.store.engine import Row, Transaction
from recollect.text.annotations import Annotation
from recollect.text.snippet import snippet
from recollect.text.terms import terms

NO_GROUP = -1
"""Equals the number of no group, so that an unknown session matches nothing."""


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """What hits show.

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


class HitReader:
    """Reads the hits of one ranking.

    Args:
        tx: The snapshot that was ranked.
        partition: Where the chunks are.
        ranked: The ranking.
        shown: What hits show.
    """

    def __init__(self, tx: Transaction, partition: Partition, ranked: Ranked, shown: Shown) -> None:
        self._tx = tx
        self._partition = partition
        self._ranked = ranked
        self._shown = shown

    def read(self, place: int, known: Collection[Key]) -> Found | None:
        """Return the hit at a place of the ranking; None when it is gone or among ``known``."""
        number = self._ranked.numbers[place]
        row = self._tx.row(_HIT, (chunk_id(self._partition.number, number),))
        if row is None:
            return None
        is_file = row[3] == FILES
        key = text(row[3]), text(row[4]), integer(row[0]) if is_file else 0
        if key in known:
            return None
        return Found(
            hit=self._hit(row, place, self._partition.annotations.of(number)),
            key=key,
            rank=self._ranked.ranks[place],
            words=self._words(text(row[2])) if self._shown.counts_words else 0.0,
            is_file=is_file,
        )

    def _words(self, content: str) -> float:
        wanted = set(self._shown.terms)
        return len(wanted.intersection(terms(content))) / max(1, len(wanted))

    def _hit(self, row: Row, place: int, annotation: Annotation | None) -> Hit:
        start, end, content, source, ref, at, role, name, group = row
        is_session, is_file = source == "sessions", source == FILES
        said = annotation or Annotation()
        return Hit(
            score=self._ranked.scores[place],
            source=text(source),
            ref=path_of(text(ref)) if is_file else text(ref),
            snippet=snippet(text(content), self._shown.terms, self._shown.snippet_chars).text,
            why=self._ranked.why(place),
            at=integer(at),
            session_id=text(group) if is_session else None,
            seq=integer(start) if is_session else None,
            role=text_or_none(role),
            name=text_or_none(name),
            path=path_of(text(ref)) if is_file else None,
            start_line=integer(start) if is_file else None,
            end_line=integer(end) if is_file else None,
            citation=_citation(row) if self._shown.citations else None,
            importance=said.importance,
            projects=said.projects,
            triggers=said.triggers,
        )


def _citation(row: Row) -> str | None:
    start, end, _, source, ref, _, _, _, group = row
    if source == FILES:
        return cite_lines(path_of(text(ref)), integer(start), integer(end))
    return cite_message(text(group), integer(start)) if source == "sessions" else None


def find_session_group(tx: Transaction, partition: int, session: str) -> int:
    """Return the number of a session's group, or `NO_GROUP`."""
    if not session.isprintable():
        return NO_GROUP  # no id of ours, and perhaps nothing that a database can compare
    row = tx.row(
        "SELECT number FROM chunk_groups"
        " WHERE partition_id = ? AND source = 'sessions' AND ref = ?",
        (partition, session),
    )
    return first_integer(row) if row else NO_GROUP


_HIT = (
    "SELECT c.start_line, c.end_line, c.text, d.source, d.ref, d.at, d.role, n.value, g.ref"
    " FROM chunks c JOIN documents d ON d.id = c.document"
    " JOIN chunk_groups g ON g.partition_id = d.partition_id AND g.number = d.group_number"
    " LEFT JOIN names n ON n.id = d.speaker_id WHERE c.id = ?"
)
