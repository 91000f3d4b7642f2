"""Limits of records beside sessions, such as observations and blobs; by age, number and size.

A kind with limits is an entry of `LIMITED_KINDS`: how to list it, the newest first, and how to
remove some. The oldest records are the ones above a limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import LiteralString, TypeAlias

import msgspec

from recollect.checkpoints.record.contents import Contents
from recollect.checkpoints.record.removal import (
    GRACE_MS,
    UNDOABLE_MS,
    named_digests,
    remove_checkpoints,
)
from recollect.core.clock import DAY_MS, Clock
from recollect.core.errors import StoreCorrupt
from recollect.core.events import RecordsPruned
from recollect.core.scope import Scope
from recollect.core.settings import RecordLimits
from recollect.governance.plan import RecordAmount
from recollect.governance.sweep import mark_unswept
from recollect.knowledge.fading import may_go
from recollect.knowledge.rows import delete_facts, facts_by_id, made_way, of_facts
from recollect.observations.rows import KIND as OBSERVATION_KIND
from recollect.observations.rows import renew_observation
from recollect.store.blobs import Blobs
from recollect.store.columns import Condition, integer, text, text_or_none
from recollect.store.engine import Database, SqlValue, Transaction
from recollect.store.journal import cut_references, record_change, record_event

RECORDS_AT_ONCE = 500
"""Records that one transaction removes."""

_SIZE: LiteralString = (
    "octet_length(title) + octet_length(summary) + octet_length(input) + octet_length(output)"
)
_OBSERVATIONS: LiteralString = (
    "SELECT id, created_at, " + _SIZE + ", tenant FROM observations WHERE "  # noqa: S608
)
_EVENTS: LiteralString = "SELECT seq, at, octet_length(payload) + 100, tenant FROM events WHERE "
_AUDIT: LiteralString = "SELECT seq, at, 100, tenant FROM audit WHERE "
_INJECTIONS: LiteralString = (
    "SELECT id, at, 250 + (SELECT ifnull(sum(octet_length(why) + 120), 0) FROM injected_items"
    " WHERE injection_id = injections.id), tenant FROM injections WHERE "
)
_FACTS: LiteralString = "SELECT f.id FROM facts f WHERE "
_ASKED_LAST: LiteralString = " ORDER BY f.accessed_at DESC, f.id DESC"
_FACT_BYTES = 700
"""What a fact takes beside its text: its row, one line of history, a source, the indexes."""
_BLOBS: LiteralString = (
    "SELECT id, created_at, tenant, input_blob, output_blob FROM observations WHERE "
)
_HAS_BLOB: LiteralString = " AND (input_blob IS NOT NULL OR output_blob IS NOT NULL)"
_NEWEST: LiteralString = " ORDER BY created_at DESC, id DESC"
CHECKPOINTS = "checkpoints"
_CHECKPOINTS: LiteralString = """
    SELECT c.id, c.created_at, 400 + (
            SELECT ifnull(sum(octet_length(path) + octet_length(before) + 100), 0)
            FROM checkpoint_files WHERE checkpoint_id = c.id
        ), c.tenant, c.created_at >= ?2 OR EXISTS (
            SELECT 1 FROM rewinds r WHERE r.rescue_id = c.id
            AND (r.status IN ('applying', 'interrupted') OR r.created_at >= ?1)
        )
    FROM checkpoints c WHERE c.session_id IN (SELECT id FROM sessions WHERE
"""
_NEWEST_LAST: LiteralString = ") ORDER BY c.created_at DESC, c.id DESC"


class Capped(msgspec.Struct, frozen=True):
    """A record that counts toward a limit."""

    key: SqlValue
    at: int
    size: int
    tenant: str
    stays: bool = False
    """It counts, and does not go."""


class Stores(msgspec.Struct, frozen=True, kw_only=True):
    """What the sizes of records are asked of.

    Attributes:
        blobs: Long inputs and outputs of observations.
        contents: Returns ``checkpoints/contents.db``, if it is there.
        clock: Tells the time.
    """

    blobs: Blobs
    contents: Callable[[], Database | None]
    clock: Clock

    def sizes_of(self, tenant: str) -> dict[str, tuple[str | None, int]]:
        """Return the sizes of the contents of a tenant; none where they cannot be read."""
        with suppress(StoreCorrupt):
            contents = self.contents()
            if contents is not None:
                return Contents(lambda: contents, tenant, self.clock).stored_sizes()
        return {}


RecordListing: TypeAlias = Callable[[Transaction, Scope, Stores], Iterator[Capped]]
"""Yields the records of a scope, the newest first."""
Removing: TypeAlias = Callable[[Transaction, Capped, int], None]


class CappedKind(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of records with limits; named as its section in the settings."""

    name: str
    listing: RecordListing
    remove: Removing


def above(records: Iterable[Capped], limits: RecordLimits, now: int) -> list[Capped]:
    """Return those that are above a limit, the oldest first.

    Args:
        records: The newest first.
        limits: 0 is none.
        now: Ms UTC.
    """
    oldest, size = now - limits.days * DAY_MS, 0
    excess_records: list[Capped] = []
    for number, each in enumerate(records, start=1):
        size += each.size
        too_old = limits.days and each.at < oldest
        is_above = too_old or 0 < limits.records < number or 0 < limits.bytes < size
        if is_above and not each.stays:
            excess_records.append(each)
    return excess_records[::-1]


def excess(
    tx: Transaction, scope: Scope, stores: Stores, limits: dict[str, RecordLimits], now: int
) -> dict[str, list[Capped]]:
    """Return the records above a limit, by kind; kinds without a limit are not read."""
    by_kind = {
        kind.name: above(kind.listing(tx, scope, stores), limits[kind.name], now)
        for kind in LIMITED_KINDS
        if kind.name in limits and any(msgspec.structs.astuple(limits[kind.name]))
    }
    return {name: records for name, records in by_kind.items() if records}


def remove(
    database: Database,
    scope: Scope,
    by_kind: dict[str, list[Capped]],
    now: int,
    stopping: Callable[[], bool],
) -> dict[str, RecordAmount]:
    """Remove records, batch by batch; return the amount of each kind.

    Args:
        database: ``records.db``.
        scope: Of the records.
        by_kind: The result of `excess`.
        now: Ms UTC.
        stopping: Asked between two batches; after True the rest is left for the next time.
    """
    amounts: dict[str, RecordAmount] = {}
    for kind in LIMITED_KINDS:
        records = by_kind.get(kind.name, [])
        for start in range(0, len(records), RECORDS_AT_ONCE):
            if stopping():
                return amounts
            some = records[start : start + RECORDS_AT_ONCE]
            database.write(partial(_remove_some, kind=kind, some=some, scope=scope, now=now))
            amounts[kind.name] = amount_of(records[: start + len(some)])
    return amounts


def _remove_some(
    tx: Transaction, kind: CappedKind, some: Sequence[Capped], scope: Scope, now: int
) -> None:
    mark_unswept(tx)
    for each in some:
        kind.remove(tx, each, now)
    record_event(tx, RecordsPruned(scope=scope, at=now, kind=kind.name, count=len(some)))


def amount_of(records: Sequence[Capped]) -> RecordAmount:
    """Return the total amount of some records."""
    return RecordAmount(records=len(records), bytes=sum(each.size for each in records))


def _observations(tx: Transaction, scope: Scope, _: Stores) -> Iterator[Capped]:
    where = Condition(scope, "session_id")
    for id_, at, size, tenant in tx.rows(_OBSERVATIONS + where.sql + _NEWEST, where.params):
        yield Capped(id_, integer(at), integer(size), text(tenant))


def _remove_observation(tx: Transaction, of: Capped, now: int) -> None:
    ref = text(of.key)
    cut_references(tx, [ref])
    tx.execute("DELETE FROM observations WHERE id = ?", (ref,))
    record_change(tx, tenant=of.tenant, kind=OBSERVATION_KIND, ref=ref, op="delete", at=now)


def _blobs(tx: Transaction, scope: Scope, stores: Stores) -> Iterator[Capped]:
    """Yield the observations with blobs; a shared blob counts with the newest."""
    where = Condition(scope, "session_id")
    digests: set[str] = set()
    for id_, at, tenant, *digest_cells in tx.rows(
        _BLOBS + where.sql + _HAS_BLOB + _NEWEST, where.params
    ):
        fresh = {
            digest for digest in map(text_or_none, digest_cells) if digest is not None
        } - digests
        digests |= fresh
        yield Capped(id_, integer(at), sum(map(stores.blobs.size, fresh)), text(tenant))


def _let_go(tx: Transaction, of: Capped, now: int) -> None:
    """Keep only head and tail of the input and output of an observation."""
    renew_observation(
        tx,
        text(of.key),
        lambda: tx.execute(
            "UPDATE observations SET input_blob = NULL, output_blob = NULL WHERE id = ?", (of.key,)
        ),
        now,
    )


def _events(tx: Transaction, scope: Scope, _: Stores) -> Iterator[Capped]:
    """Yield the events except backups, which the receipts of erasures need."""
    where = Condition(scope, "session_id").also("type <> ?", "home.backed_up")
    for seq, at, size, tenant in tx.rows(_EVENTS + where.sql + " ORDER BY seq DESC", where.params):
        yield Capped(seq, integer(at), integer(size), text(tenant))


def _remove_event(tx: Transaction, of: Capped, _: int) -> None:
    tx.execute("DELETE FROM events WHERE seq = ?", (of.key,))


def _injections(tx: Transaction, scope: Scope, _: Stores) -> Iterator[Capped]:
    where = Condition(scope, "session_id")
    newest: LiteralString = " ORDER BY at DESC, id DESC"
    for id_, at, size, tenant in tx.rows(_INJECTIONS + where.sql + newest, where.params):
        yield Capped(id_, integer(at), integer(size), text(tenant))


def _remove_injection(tx: Transaction, of: Capped, _: int) -> None:
    tx.execute("DELETE FROM injections WHERE id = ?", (of.key,))


def _facts(tx: Transaction, scope: Scope, _: Stores) -> Iterator[Capped]:
    """Yield the facts that may be removed, the most recently accessed first."""
    where = of_facts(scope)
    ids = [text(row[0]) for row in tx.rows(_FACTS + where.sql + _ASKED_LAST, where.params)]
    for start in range(0, len(ids), RECORDS_AT_ONCE):
        page = ids[start : start + RECORDS_AT_ONCE]
        facts = {each.id: each for each in facts_by_id(tx, scope, page, deleted=True)}
        for fact in (facts[id_] for id_ in page if may_go(facts[id_])):
            size = len(fact.text.encode("utf-8", "surrogatepass")) + _FACT_BYTES
            yield Capped(fact.id, fact.accessed_at, size, fact.tenant)


def _remove_fact(tx: Transaction, of: Capped, now: int) -> None:
    """Remove a fact, unless one that stays made way for it."""
    id_ = text(of.key)
    if not made_way(tx, of.tenant, [id_]):
        delete_facts(tx, of.tenant, [id_], now)


def _audit(tx: Transaction, scope: Scope, _: Stores) -> Iterator[Capped]:
    where = Condition(scope, "NULL")  # an entry belongs to no session
    for seq, at, size, tenant in tx.rows(_AUDIT + where.sql + " ORDER BY seq DESC", where.params):
        yield Capped(seq, integer(at), integer(size), text(tenant))


def _remove_entry(tx: Transaction, of: Capped, _: int) -> None:
    tx.execute("DELETE FROM audit WHERE seq = ?", (of.key,))


def _checkpoints(tx: Transaction, scope: Scope, stores: Stores) -> Iterator[Capped]:
    """Yield the checkpoints with what they take; a shared content counts with the newest."""
    sizes: dict[str, dict[str, tuple[str | None, int]]] = {}
    counted: set[str] = set()
    now = stores.clock.now_ms()
    where = Condition(scope)
    params = (now - UNDOABLE_MS, now - GRACE_MS, *where.params)
    for id_, at, rows, tenant, stays in tx.rows(_CHECKPOINTS + where.sql + _NEWEST_LAST, params):
        owner = text(tenant)
        if owner not in sizes:
            sizes[owner] = stores.sizes_of(owner)
        size = integer(rows)
        for digest in named_digests(tx, text(id_)):
            base, _ = sizes[owner].get(digest, (None, 0))
            for each in {digest, base or digest} - counted:
                size += sizes[owner].get(each, (None, 0))[1]
                counted.add(each)
        yield Capped(id_, integer(at), size, owner, bool(stays))


def _remove_checkpoint(tx: Transaction, of: Capped, _: int) -> None:
    remove_checkpoints(tx, [text(of.key)])


LIMITED_KINDS = (
    CappedKind(name="observations", listing=_observations, remove=_remove_observation),
    CappedKind(name="blobs", listing=_blobs, remove=_let_go),
    CappedKind(name="facts", listing=_facts, remove=_remove_fact),
    CappedKind(name="injections", listing=_injections, remove=_remove_injection),
    CappedKind(name="events", listing=_events, remove=_remove_event),
    CappedKind(name="audit", listing=_audit, remove=_remove_entry),
    CappedKind(name=CHECKPOINTS, listing=_checkpoints, remove=_remove_checkpoint),
)
"""In the order of processing."""
