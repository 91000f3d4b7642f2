"""What was deleted in the other program is marked deleted here."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from recollect.sessions.exchange.import_batch import place_of
from recollect.sessions.exchange.import_file import ImportContext
from recollect.sessions.exchange.import_ledger import LedgerEntry, write_entry
from recollect.sessions.exchange.transcript_format import TranscriptFormat
from recollect.sessions.exchange.transcript_store import Deletion
from recollect.sessions.lifecycle import set_status
from recollect.sessions.record.session import DELETED, session_at
from recollect.store.engine import Transaction


def forget_transcript(
    context: ImportContext,
    ledger: Mapping[tuple[str, str], LedgerEntry],
    form: TranscriptFormat,
    path: str,
    deletion: Deletion,
) -> None:
    """Mark our copy of a session deleted, once: what a person brings back stays.

    Args:
        context: Where our copy is.
        ledger: What was imported before.
        form: What it is.
        path: Of the transcript, or where it was.
        deletion: What was deleted there.
    """
    source = form.name
    entry = LedgerEntry(path=f"{path}:deleted", source=source + context.ledger)
    known = ledger.get((entry.source, entry.path))
    if known is not None and known.is_of(0, deletion.at):
        return
    tenant, now = context.scope.tenant, context.clock.now_ms()
    archive = path.replace(f"#{deletion.session}", f"#{deletion.session}.deleted")
    is_wanted = any(  # by a person, who imported the archive
        name == source and imported.startswith(archive) for name, imported in ledger
    )

    place = place_of(form, path)

    def unit(tx: Transaction) -> None:
        _, session = session_at(tx, tenant, source, deletion.session, place)
        if session is not None and not is_wanted:
            set_status(tx, session, DELETED, now)
        write_entry(tx, tenant, msgspec.structs.replace(entry, mtime_ns=deletion.at), now)

    context.database.write(unit)
    context.mirror.notify()
