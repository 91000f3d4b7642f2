"""Copied lines: the beginning of a transcript that repeats another one, under the same ids.

A program that forks a session, or resumes it elsewhere, writes a new file that begins with copies
of the lines of the old one. The file does not mark them: the ids of its lines show which they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import LiteralString

import msgspec

from recollect.exchange.batch import event_id_of
from recollect.exchange.reader import Line, decode_line
from recollect.exchange.transcript import Continuation, Record
from recollect.exchange.transcript_import import ImportContext, OpenTranscript
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


class LineIds(msgspec.Struct, frozen=True, kw_only=True):
    """The lines of a transcript by their ids.

    Attributes:
        source: The name of the format.
        session: The id of the session, which is not its own origin.
        place: Its place, see `import_batch.place_of`.
        field: The name of the field with the id of a line.
    """

    source: str
    session: str
    place: str
    field: str

    def continuation(
        self, tx: Transaction, tenant: str, head: Iterable[Record], lines: Iterable[Line]
    ) -> Continuation | None:
        """Return the session that this one went on from; None if no line was said elsewhere.

        Args:
            tx: Of ``records.db``.
            tenant: The owner of the sessions.
            head: The first lines of the transcript.
            lines: Those that are read now.
        """
        first = msgspec.json.encode([r[self.field] for r in head if self._has_id(r)]).decode()
        row = tx.row(_HEADS, (first, tenant, self.source, self.session, self.place))
        if row is None:
            return None
        ids = list(self._ids(lines))
        found: dict[str, tuple[int, str]] = {}
        for id_, foreign_id in tx.all(_KIN, (row[0], self.source, self.session)):
            events = {event_id_of(self.source, text(foreign_id), each): each for each in ids}
            said = tx.all(_SAID, (msgspec.json.encode(list(events)).decode(), id_))
            for event, seq in said:
                found[events[text(event)]] = (integer(seq), text(foreign_id))
        if not found:
            return None
        shared = sorted(found, key=found.__getitem__, reverse=True)
        origins = {each: origin for each, (_, origin) in found.items()}
        return Continuation(origins[shared[0]], tuple(shared), origins)

    def _has_id(self, record: Record) -> bool:
        return isinstance(record.get(self.field), str)

    def _ids(self, lines: Iterable[Line]) -> Iterable[str]:
        mark = self.field.encode()
        for line in lines:
            if line.body is None or mark not in line.body:
                continue
            try:
                record = decode_line(line.body).value
            except ValueError:
                continue
            if isinstance(record, Mapping) and self._has_id(record):
                yield record[self.field]


def continued(context: ImportContext, opened: OpenTranscript) -> OpenTranscript:
    """Return a transcript with the session it went on from, if the ids of its lines show one.

    Args:
        context: Holds the records with the sessions.
        opened: The transcript.
    """
    form, session, entry = opened.form, opened.session, opened.entry
    if not form.line_id or session.continues is not None:
        return opened
    ids = LineIds(source=form.name, session=session.id, place=opened.place, field=form.line_id)
    tenant, lines = context.scope.tenant, opened.source.lines(entry.read_bytes, entry.lines)
    found = context.database.read(lambda tx: ids.continuation(tx, tenant, opened.head, lines))
    if found is None:
        return opened
    session = msgspec.structs.replace(session, continues=found)
    return msgspec.structs.replace(opened, session=session)
