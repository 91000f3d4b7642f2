"""Injections: what was put into which prompt, when and why; no text, and only a hash of a question.

Exclusions: what may not be put into one by itself again. Searches still find it.

An agent also reads files that have a section of `recollect memory sync-section`.

A whole block replaces all before it: what was injected earlier has left the prompt. Observations of
an erased session leave the rows of other sessions, too.
"""

from __future__ import annotations

from contextlib import suppress
from typing import LiteralString

import msgspec

from recollect.core.errors import NotFound, RecollectError
from recollect.core.numbers import parse_record
from recollect.core.scope import Scope
from recollect.recall.context.block import Candidate, ContextItem, Kind
from recollect.sessions.context.flushed_notes import LARGEST_BYTES, files_with_section
from recollect.sessions.record.lineage import stored_ancestors
from recollect.sessions.record.session import DELETED, Session, select_sessions
from recollect.store.columns import (
    Condition,
    columns_of,
    decode,
    insert_into,
    is_time_out,
    json_object,
    text,
    typed_rows,
)
from recollect.store.engine import Row, SqlValue, Transaction
from recollect.store.paths import read_beneath
from recollect.store.twins import compared_rows
from recollect.text.markdown.section import numbers_in

WHOLE = frozenset({"startup", "clear", "compact"})
"""Reasons for which the prompt begins again."""

_FROM: LiteralString = "FROM injections INDEXED BY injections_twin WHERE "
_ITEM = columns_of(ContextItem, id="ref")
_INSERT_ITEM = insert_into("injected_items", "injection_id, place, " + _ITEM)
_ITEMS: LiteralString = """
    FROM injected_items INDEXED BY injected_items_twin WHERE injection_id = ? ORDER BY place
"""
_STANDING: LiteralString = f"""
    SELECT i.ref, j.id, j.at FROM injections j JOIN injected_items i ON i.injection_id = j.id
    WHERE j.session_id = ? AND j.visibility_group = ? AND j.at <= ?
        AND NOT {is_time_out("j.session_id", "j.at")} AND j.id >= coalesce((
        SELECT max(w.id) FROM injections w
        WHERE w.session_id = j.session_id AND w.visibility_group = j.visibility_group
            AND w.at <= ? AND w.reason IN ('startup', 'clear', 'compact')
            AND NOT {is_time_out("w.session_id", "w.at")}), '')
    ORDER BY j.id, i.place
"""  # noqa: S608  # literals
"""What was put into a prompt that a rewind took out is not in it any more."""
_ENDLESS = 2**62
_READ_BY = {
    "CLAUDE.md": "claude-code",
    "CLAUDE.local.md": "claude-code",
    "GEMINI.md": "gemini",
}
"""Files that only one client reads; their content is new to all others."""


class Injection(msgspec.Struct, frozen=True, kw_only=True):
    """A block that was put into a prompt; its fields are in the columns' order.

    Attributes:
        id: Sorts by time.
        session_id: The session of the prompt.
        visibility_group: Who read it.
        reason: ``startup``, ``clear``, ``compact``, ``resume``, ``fork`` or ``prompt``.
        client: The program, where it gave its name.
        query_digest: A keyed hash of the question; equal for equal questions.
        tokens: What it cost.
        chars: Its length in UTF-16 units.
        dropped: Candidates that did not fit.
        at: When, ms UTC.
        tenant: Owner.
        agent: Owner.
        user: Owner.
        project: Owner.
        budget: What it could have cost, in tokens; None where that was not recorded.
        items: Its items in order, without those erased since.
    """

    id: str
    session_id: str
    visibility_group: str
    reason: str
    client: str | None
    query_digest: str | None
    tokens: int
    chars: int
    dropped: int
    at: int
    tenant: str
    agent: str | None
    user: str | None
    project: str | None
    budget: int | None = None
    items: tuple[ContextItem, ...] = ()


_COLUMNS = columns_of(Injection, user="user_id", items="")
_INSERT = insert_into("injections", _COLUMNS)
_FIELDS = tuple(name for name in Injection.__struct_fields__ if name != "items")


def add_injection(tx: Transaction, injection: Injection) -> None:
    """Store what was injected."""
    tx.execute(_INSERT, [getattr(injection, name) for name in _FIELDS])
    rows = (
        (injection.id, position, of.kind, of.id, of.number, of.section, _encoded(of.why), of.tokens)
        for position, of in enumerate(injection.items)
    )
    tx.executemany(_INSERT_ITEM, rows)


def select_injections(tx: Transaction, where: Condition, limit: int) -> list[Injection]:
    """Return the injections that meet a condition, newest first."""
    of: LiteralString = _FROM + where.sql + " ORDER BY id DESC LIMIT ?"
    rows = compared_rows(tx, _COLUMNS, of, [*where.params, limit])
    return [decode(Injection, _FIELDS, row, items=_items(tx, row[0])) for row in rows]


class PromptState(msgspec.Struct, frozen=True):
    """What is in the prompt of a session.

    Attributes:
        ids: Of the records, in the order of their injection.
        last: The id of the newest injection; records that were stored later have greater ones.
        at: Its time, ms UTC.
    """

    ids: tuple[str, ...] = ()
    last: str = ""
    at: int = -1

    def is_news(self, of: Candidate) -> bool:
        """Return whether a candidate was stored after the newest injection, and is not in it."""
        is_later = of.id > self.last if of.stored_at is None else of.stored_at > self.at
        return is_later and of.id not in self.ids


def standing(tx: Transaction, session: Session, visibility_group: str) -> PromptState:
    """Return the state of the prompt of a session.

    Of its ancestors it includes what was injected until the fork.
    """
    rows = _standing(tx, session.id, visibility_group, _ENDLESS)
    until = session.created_at
    for kin, _ in stored_ancestors(tx, session) if session.parent_id else ():
        rows += _standing(tx, kin.id, visibility_group, until)
        until = kin.created_at
    ids = tuple(dict.fromkeys(ref for ref, _, _ in rows))
    last, at = max(((injection, at) for _, injection, at in rows), default=("", -1))
    return PromptState(ids, last, at)


def numbers_in_files(tx: Transaction, tenant: str, client: str | None) -> frozenset[int]:
    """Return the numbers of the observations in the sections that a client reads by itself.

    Args:
        tx: A transaction.
        tenant: Of the observations.
        client: The program; None: it may read any file.
    """
    numbers: frozenset[int] = frozenset()
    for path in files_with_section(tx, tenant):
        if client is None or _READ_BY.get(path.name, client) == client:
            with suppress(RecollectError):  # it is gone, or a link by now
                numbers |= numbers_in(read_beneath(path.parent, path.name, limit=LARGEST_BYTES))
    return numbers


def fork_standing(tx: Transaction, session: Session, visibility_group: str) -> PromptState:
    """Return the state of the prompt of a fork, also of one whose parent is not known yet.

    Another program names the parent of a fork only in the transcript, which it writes later. Until
    then the parent is taken to be that program's last used session in the project.
    """
    state = standing(tx, session, visibility_group)
    if state.last or session.parent_id is not None or session.source is None:
        return state
    where = Condition(Scope(tenant=session.tenant)).equal("source", session.source)
    where.also("project IS NOT DISTINCT FROM ?", session.project).also("id <> ?", session.id)
    last = select_sessions(tx, where.also("status <> ?", DELETED), 1)
    return standing(tx, last[0], visibility_group) if last else state


def _standing(
    tx: Transaction, session_id: str, group: str, until: int
) -> list[tuple[str, str, int]]:
    return typed_rows(tx.all(_STANDING, (session_id, group, until, until)), tuple[str, str, int])


def _encoded(why: dict[str, float]) -> str:
    return msgspec.json.encode(why).decode()


def _items(tx: Transaction, injection_id: SqlValue) -> tuple[ContextItem, ...]:
    rows = compared_rows(tx, _ITEM, _ITEMS, (injection_id,))
    return tuple(map(_item, rows))


def _item(row: Row) -> ContextItem:
    return decode(ContextItem, ContextItem.__struct_fields__, row, why=json_object(row[4]))


_EXCLUDED: LiteralString = " FROM never_injected WHERE tenant = ?"
_IS_NAMED: LiteralString = " AND (ref = ? OR kind = ? AND number = ?)"


class Exclusion(msgspec.Struct, frozen=True, kw_only=True):
    """A record that may not be put into a prompt by itself; its fields are in the columns' order.

    Attributes:
        id: Of the record; of lines of a memory file path and numbers, of a state its session.
        kind: As for `ContextItem`.
        number: Its short number, where it has one.
        at: Since when, ms UTC.
    """

    id: str
    kind: Kind
    number: int | None
    at: int


_EXCLUSION: LiteralString = columns_of(Exclusion, id="ref")
_EXCLUDE: LiteralString = (
    insert_into("never_injected", _EXCLUSION + ", tenant") + " ON CONFLICT (ref, tenant) DO NOTHING"
)
_ALL_EXCLUDED: LiteralString = "SELECT " + _EXCLUSION + _EXCLUDED + " ORDER BY at DESC, ref"
_EXCLUDED_IDS: LiteralString = "SELECT ref" + _EXCLUDED
_FIND_EXCLUSION: LiteralString = "SELECT " + _EXCLUSION + _EXCLUDED + _IS_NAMED
_INCLUDE: LiteralString = "DELETE FROM never_injected WHERE tenant = ? AND ref = ?"


def excluded_ids(tx: Transaction, tenant: str) -> frozenset[str]:
    """Return the ids of all that is excluded."""
    return frozenset(text(id_) for (id_,) in tx.all(_EXCLUDED_IDS, (tenant,)))


def select_exclusions(tx: Transaction, tenant: str) -> list[Exclusion]:
    """Return all exclusions, the newest first."""
    fields = Exclusion.__struct_fields__
    return [decode(Exclusion, fields, row) for row in tx.all(_ALL_EXCLUDED, (tenant,))]


def add_exclusion(tx: Transaction, tenant: str, exclusion: Exclusion) -> None:
    """Store an exclusion; nothing where it is there."""
    tx.execute(_EXCLUDE, (*msgspec.structs.astuple(exclusion), tenant))


def drop_exclusion(tx: Transaction, tenant: str, name: str) -> Exclusion:
    """Remove the exclusion of a record with a name or an id, and return it.

    Raises:
        NotFound: there is none.
    """
    record = parse_record(name)
    by_number = (None, None) if record is None else (record.kind, record.number)
    row = tx.row(_FIND_EXCLUSION, (tenant, name.strip(), *by_number))
    if row is None:
        hint = "list what is excluded with memory.context.exclusions"
        raise NotFound("it is not excluded from context blocks", hint=hint)
    exclusion = decode(Exclusion, Exclusion.__struct_fields__, row)
    tx.execute(_INCLUDE, (tenant, exclusion.id))
    return exclusion
