"""Copied lines: the beginning of a transcript that repeats another one, under the same ids.

A program that forks a session, or resumes it elsewhere, writes a new file that begins with copies
of the lines of the old one. The file does not mark them: the ids of its lines show which they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import LiteralString

import msgspec

from recollect.exchange.ledger import LedgerEntry
from recollect.exchange.reader import Line, decode_line
from recollect.exchange.rows.batch import event_id_of
from recollect.exchange.transcript import Continuation
from recollect.exchange.transcript_import import FoundTranscript, ImportContext
from recollect.store.columns import integer, text
from recollect.store.engine import Transaction

_HEADS: LiteralString = """
    SELECT s.id FROM json_each(?1) k CROSS JOIN messages m CROSS JOIN sessions s
    WHERE m.foreign_id = k.value AND m.foreign_id IS NOT NULL AND (m.seq = 1 OR m.role = 'system')
        AND s.id = m.session_id AND s.tenant = ?2 AND s.source = ?3 AND s.foreign_id <> ?4
        AND (s.place IS NULL OR s.place = ?5)
    LIMIT 1
"""
_KIN: LiteralString = """
    WITH RECURSIVE
        above (id) AS (
            SELECT ?1 UNION SELECT s.parent_id FROM above JOIN sessions s ON s.id = above.id
            WHERE s.parent_id IS NOT NULL),
        kin (id) AS (
            SELECT id FROM above
            UNION SELECT s.id FROM kin JOIN sessions s ON s.parent_id = kin.id)
    SELECT s.id, s.foreign_id FROM kin JOIN sessions s ON s.id = kin.id
    WHERE s.source = ?2 AND s.foreign_id <> ?3
"""
_SAID: LiteralString = """
    SELECT m.event_id, m.seq FROM json_each(?1) k CROSS JOIN messages m
    WHERE m.event_id = k.value AND m.session_id = ?2
"""


def continued(
    context: ImportContext, transcript: FoundTranscript, location: str, entry: LedgerEntry
) -> FoundTranscript:
    """Return a transcript with the session it went on from, if the ids of its lines show one.

    Args:
        context: Holds the records with the sessions.
        transcript: The transcript.
        location: Where it is, see `batch.location_of`.
        entry: How far it was read.
    """
    if not transcript.form.line_id or transcript.session.continues is not None:
        return transcript
    lines = transcript.source.lines(entry.read_bytes, entry.lines)
    tenant = context.scope.tenant
    continues = context.database.read(
        lambda tx: _continuation(tx, tenant, transcript, location, lines)
    )
    if continues is None:
        return transcript
    session = msgspec.structs.replace(transcript.session, continues=continues)
    return msgspec.structs.replace(transcript, session=session)


def _continuation(
    tx: Transaction, tenant: str, transcript: FoundTranscript, location: str, lines: Iterable[Line]
) -> Continuation | None:
    """Return the session that a transcript went on from; None if no line was said elsewhere."""
    source, session, field = transcript.form.name, transcript.session.id, transcript.form.line_id
    first = [record[field] for record in transcript.head if isinstance(record.get(field), str)]
    encoded = msgspec.json.encode(first).decode()
    row = tx.row(_HEADS, (encoded, tenant, source, session, location))
    if row is None:
        return None
    ids = list(_ids(lines, field))
    origins_of: dict[str, tuple[int, str]] = {}
    for id_, foreign_id in tx.all(_KIN, (row[0], source, session)):
        events = {event_id_of(source, text(foreign_id), each): each for each in ids}
        for event, seq in tx.all(_SAID, (msgspec.json.encode(list(events)).decode(), id_)):
            origins_of[events[text(event)]] = (integer(seq), text(foreign_id))
    if not origins_of:
        return None
    copied = sorted(origins_of, key=origins_of.__getitem__, reverse=True)
    origins = {each: origin for each, (_, origin) in origins_of.items()}
    return Continuation(origins[copied[0]], tuple(copied), origins)


def _ids(lines: Iterable[Line], field: str) -> Iterator[str]:
    mark = field.encode()
    for line in lines:
        if line.body is None or mark not in line.body:
            continue
        with suppress(ValueError):
            record = decode_line(line.body).value
            if isinstance(record, Mapping) and isinstance(record.get(field), str):
                yield record[field]
