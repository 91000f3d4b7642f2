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
    context: ImportContext, found: FoundTranscript, place: str, entry: LedgerEntry
) -> FoundTranscript:
    """Return a transcript with the session it went on from, if the ids of its lines show one.

    Args:
        context: Holds the records with the sessions.
        found: The transcript.
        place: Its place, see `batch.place_of`.
        entry: How far it was read.
    """
    if not found.form.line_id or found.session.continues is not None:
        return found
    lines = found.source.lines(entry.read_bytes, entry.lines)
    tenant = context.scope.tenant
    continues = context.database.read(lambda tx: _continuation(tx, tenant, found, place, lines))
    if continues is None:
        return found
    session = msgspec.structs.replace(found.session, continues=continues)
    return msgspec.structs.replace(found, session=session)


def _continuation(
    tx: Transaction, tenant: str, found: FoundTranscript, place: str, lines: Iterable[Line]
) -> Continuation | None:
    """Return the session that a transcript went on from; None if no line was said elsewhere."""
    source, session, field = found.form.name, found.session.id, found.form.line_id
    first = [record[field] for record in found.head if isinstance(record.get(field), str)]
    encoded = msgspec.json.encode(first).decode()
    row = tx.row(_HEADS, (encoded, tenant, source, session, place))
    if row is None:
        return None
    ids = list(_ids(lines, field))
    places: dict[str, tuple[int, str]] = {}
    for id_, foreign_id in tx.all(_KIN, (row[0], source, session)):
        events = {event_id_of(source, text(foreign_id), each): each for each in ids}
        for event, seq in tx.all(_SAID, (msgspec.json.encode(list(events)).decode(), id_)):
            places[events[text(event)]] = (integer(seq), text(foreign_id))
    if not places:
        return None
    shared = sorted(places, key=places.__getitem__, reverse=True)
    origins = {each: origin for each, (_, origin) in places.items()}
    return Continuation(origins[shared[0]], tuple(shared), origins)


def _ids(lines: Iterable[Line], field: str) -> Iterator[str]:
    mark = field.encode()
    for line in lines:
        if line.body is None or mark not in line.body:
            continue
        with suppress(ValueError):
            record = decode_line(line.body).value
            if isinstance(record, Mapping) and isinstance(record.get(field), str):
                yield record[field]
