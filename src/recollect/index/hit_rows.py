"""Reads what a hit shows of a ranked chunk: its text, document, speaker and group."""

from __future__ import annotations

from collections.abc import Collection

from recollect.index.hit import Hit
from recollect.index.layout import chunk_id
from recollect.index.origin import path_of
from recollect.index.search import Ranked
from recollect.store.cell import first_integer, integer, text, text_or_none
from recollect.store.engine import Row, Transaction
from recollect.text.snippet import snippet

NO_GROUP = -1
"""Equals the number of no group, so that an unknown session matches nothing."""


def find_hits(
    tx: Transaction, partition: int, terms: Collection[str], ranked: Ranked, snippet_chars: int
) -> list[Hit]:
    """Return ranked chunks as hits, best first: a message once, a file once for each chunk.

    Args:
        tx: The snapshot that was ranked.
        partition: Where the chunks are.
        terms: The words of the question, for the snippets.
        ranked: The chunks.
        snippet_chars: Longest snippet.
    """
    hits: dict[tuple[str, str, int], Hit] = {}
    for number, score, why in zip(ranked.numbers, ranked.scores, ranked.why, strict=True):
        row = tx.row(_HIT, (chunk_id(partition, number),))
        if row is not None:
            shown = snippet(text(row[2]), terms, snippet_chars).text
            hit = _hit(row, score, why, shown)
            hits.setdefault((hit.source, text(row[4]), hit.start_line or 0), hit)
    return sorted(hits.values(), key=_rank)


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


def _rank(hit: Hit) -> tuple[float, int, str, str, int]:
    """Best first; ties by time, then by name and place."""
    return -hit.score, hit.at, hit.source, hit.ref, hit.start_line or 0


def _hit(row: Row, score: float, why: dict[str, float], shown: str) -> Hit:
    start, end, _, source, ref, at, role, name, group = row
    is_session, is_file = source == "sessions", source == "memory"
    return Hit(
        score=score,
        source=text(source),
        ref=path_of(text(ref)) if is_file else text(ref),
        snippet=shown,
        why=why,
        at=integer(at),
        session_id=text(group) if is_session else None,
        seq=integer(start) if is_session else None,
        role=text_or_none(role),
        name=text_or_none(name),
        path=path_of(text(ref)) if is_file else None,
        start_line=integer(start) if is_file else None,
        end_line=integer(end) if is_file else None,
    )


_HIT = (
    "SELECT c.start_line, c.end_line, c.text, d.source, d.ref, d.at, d.role, n.value, g.ref"
    " FROM chunks c JOIN documents d ON d.id = c.document"
    " JOIN chunk_groups g ON g.partition_id = d.partition_id AND g.number = d.group_number"
    " LEFT JOIN names n ON n.id = d.speaker_id WHERE c.id = ?"
)
