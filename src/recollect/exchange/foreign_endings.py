"""Sessions that a person deleted or archived in the other program get the same status here."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from recollect.exchange.batch import place_of
from recollect.exchange.formats.openclaw_store import ForeignEnding
from recollect.exchange.ledger import Ledger, LedgerEntry, write_entry
from recollect.exchange.transcript import TranscriptFormat
from recollect.exchange.transcript_import import ImportContext
from recollect.sessions.lifecycle import set_status
from recollect.sessions.record.session import DELETED, session_at
from recollect.store.engine import Transaction

_ARCHIVED = ":archived"


def end_transcript(
    context: ImportContext, ledger: Ledger, form: TranscriptFormat, path: str, ending: ForeignEnding
) -> None:
    """Give our copy of a session the status that it has there, once: a person may change it here.

    Args:
        context: Holds our copy.
        ledger: The earlier imports.
        form: The format.
        path: Of the transcript, or where it was.
        ending: The ending of the session there.
    """
    source, stored = form.name, context.drafts.path(path)
    entry = LedgerEntry(path=f"{stored}:{ending.status}", source=source + context.ledger)
    known = ledger.get(ledger.key(entry.source, entry.path))
    if known is not None and known.is_of(0, ending.at):
        return
    archive = stored.replace(f"#{ending.session}", f"#{ending.session}.deleted")
    is_wanted = ending.status == DELETED and any(  # by a person, who imported the archive
        name == source and imported.startswith(archive) for name, imported in ledger
    )
    written = msgspec.structs.replace(entry, mtime_ns=ending.at)
    place = place_of(form, path)
    _write(context, (form, place), written, ending, None if is_wanted else ending.status)


def end_all(
    context: ImportContext,
    ledger: Ledger,
    form: TranscriptFormat,
    store: str,
    endings: Sequence[ForeignEnding],
) -> None:
    """Apply the endings in a store to our copies; sessions no longer archived there go on.

    Args:
        context: Holds our copies.
        ledger: The earlier imports.
        form: The format.
        store: The path of the store.
        endings: All the endings there, until now.
    """
    for each in endings:
        end_transcript(context, ledger, form, f"{store}#{each.session}", each)
    archived = {each.session for each in endings if each.status == "archived"}
    stored = (form.name + context.ledger, context.drafts.path(store))
    for (source, path), entry in ledger.items():
        place, _, session = path.removesuffix(_ARCHIVED).partition("#")
        if (
            (source, place) == stored
            and path.endswith(_ARCHIVED)
            and entry.mtime_ns
            and session not in archived
        ):
            written = msgspec.structs.replace(entry, mtime_ns=0)
            ending = ForeignEnding(session=session, at=0)
            _write(context, (form, place_of(form, store)), written, ending, "active")


def _write(
    context: ImportContext,
    where: tuple[TranscriptFormat, str],
    entry: LedgerEntry,
    ending: ForeignEnding,
    status: str | None,
) -> None:
    tenant, now = context.scope.tenant, context.clock.now_ms()
    form, place = where

    def unit(tx: Transaction) -> None:
        _, session = session_at(tx, tenant, form.name, ending.session, place)
        if session is not None and status is not None:
            is_gone = session.status == DELETED and status != DELETED
            set_status(tx, session, session.status if is_gone else status, now)
        write_entry(tx, tenant, entry, now, (form.name, ending.session))

    context.database.write(unit)
    context.arrived.notify()
