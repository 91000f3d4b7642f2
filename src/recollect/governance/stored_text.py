"""The tables with text of people and tools, and how their rows are redacted again.

Each table of text is an entry of `TABLES`; a test compares them with the schema. Cells that depend
on each other, as the text of a message on its content, are redacted together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Literal, LiteralString, TypeAlias

import msgspec

from recollect.core.errors import NotFound, StoreError
from recollect.knowledge.rows import renew_fact, renew_history
from recollect.observations.blobs import store_named
from recollect.observations.payload import Payload, payload_of
from recollect.observations.rows import renew_observation
from recollect.sessions.context.episode import EPISODE_KIND
from recollect.sessions.record.content import rewritten
from recollect.sessions.record.draft import encoded_content
from recollect.sessions.record.message import decode_content
from recollect.sessions.record.session import CHANGED_KIND
from recollect.sessions.record.transcript_rows import renew_message
from recollect.store.blobs import Blobs
from recollect.store.columns import first_integer, text, text_or_none
from recollect.store.engine import Row, SqlValue, Transaction
from recollect.store.journal import record_change
from recollect.text.secret_redactor import SecretRedactor

ROWS_AT_ONCE = 100
"""Rows read at once, and changed in one transaction."""

_MOST_ALIKE = 100
_REPORT = "run `recollect doctor`, and report what it says"

CellKind: TypeAlias = Literal["text", "value", "id"]
"""A text; JSON, whose keys may reveal what a value is; or an id, of which a hash is kept."""
Cells: TypeAlias = dict[str, SqlValue]
Renew: TypeAlias = "Callable[[Transaction, str, Callable[[], None], int], None]"
"""Runs the update of the row with an id, and updates its hash and the outbox."""


class RowChange(msgspec.Struct, frozen=True, kw_only=True):
    """A change of a row.

    Attributes:
        key: Of the row.
        before: The cells as they were read.
        after: The cells as redacted.
        payloads: The new content of the blob store.
    """

    key: tuple[SqlValue, ...]
    before: Cells
    after: Cells
    payloads: tuple[Payload, ...] = ()


class Redaction(msgspec.Struct, frozen=True, kw_only=True):
    """The redactor, and the blobs of observations."""

    redactor: SecretRedactor
    blobs: Blobs

    def cell(self, kind: CellKind, cell: SqlValue) -> SqlValue:
        """Return a cell without secrets; the same object where it has none."""
        if cell is None:
            return None
        if kind == "value":
            return self._value(text(cell))
        redact = self.redactor.text if kind == "text" else self.redactor.identifier
        return redact(text(cell))

    def _value(self, encoded: str) -> str:
        value = msgspec.json.decode(encoded)
        redacted = self.redactor.value(value)
        return encoded if redacted == value else msgspec.json.encode(redacted).decode()


Together: TypeAlias = "Callable[[Redaction, Cells], tuple[Cells, tuple[Payload, ...]]]"


class StoredText(msgspec.Struct, frozen=True, kw_only=True):
    """A table with text.

    Attributes:
        table: Its name.
        key: The columns of its primary key.
        cells: Columns that are redacted independently.
        linked: Other columns, which ``together`` redacts.
        together: Returns the changed ones of ``linked``, and the content of their blobs.
        renew: Renews the hash of a row, and notifies index and mirror.
        unique: Cells in a unique constraint, alone or with others: rows stored since the rule
            exists have them redacted already. A number is added to such a cell.
    """

    table: LiteralString
    key: tuple[LiteralString, ...] = ("id",)
    cells: Mapping[LiteralString, CellKind]
    linked: tuple[LiteralString, ...] = ()
    together: Together | None = None
    renew: Renew | None = None
    unique: tuple[LiteralString, ...] = ()

    def count(self, tx: Transaction) -> int:
        """Return the number of rows."""
        return first_integer(tx.row("SELECT count(*) FROM " + self.table))  # noqa: S608  # literals

    def page(self, tx: Transaction, after: Row | None) -> list[Row]:
        """Return the next rows after a key: key, then cells."""
        key = ", ".join(self.key)
        behind: LiteralString = ""
        if after is not None:
            behind = " WHERE (" + key + ") > (" + ", ".join(["?"] * len(self.key)) + ")"
        columns = ", ".join((*self.key, *self.cells, *self.linked))
        sql: LiteralString = "SELECT " + columns + " FROM " + self.table + behind  # noqa: S608
        sql += " ORDER BY " + key + " LIMIT ?"
        return tx.all(sql, [*(after or ()), ROWS_AT_ONCE])

    def changes(self, rows: Sequence[Row], redaction: Redaction) -> Iterator[RowChange]:
        """Yield the changes of the rows that hold a secret."""
        for row in rows:
            key = tuple(row[: len(self.key)])
            cells: Cells = dict(zip((*self.cells, *self.linked), row[len(self.key) :], strict=True))
            after = {name: redaction.cell(kind, cells[name]) for name, kind in self.cells.items()}
            payloads: tuple[Payload, ...] = ()
            if self.together is not None:
                linked, payloads = self.together(redaction, cells)
                after |= linked
            changed = {name: cell for name, cell in after.items() if cell != cells[name]}
            if changed:
                before = {name: cells[name] for name in changed}
                yield RowChange(key=key, before=before, after=changed, payloads=payloads)

    def store(self, tx: Transaction, change: RowChange, blobs: Blobs, at: int) -> None:
        """Change a row, unless it differs from what was read."""
        update = partial(self._update, tx, change)
        if self.renew is None:
            update()
        else:
            self.renew(tx, text(change.key[0]), update, at)
        store_named(tx, blobs, change.payloads)

    def _update(self, tx: Transaction, change: RowChange) -> None:
        names = [name for name in (*self.cells, *self.linked) if name in change.after]
        assignments = ", ".join([name + " = ?" for name in names])
        where = " AND ".join([name + " IS ?" for name in (*self.key, *names)])
        mine = [*change.key, *(change.before[name] for name in names)]
        ignoring: LiteralString = "UPDATE OR IGNORE " + self.table + " SET " + assignments  # noqa: S608
        ignoring += " WHERE " + where + " RETURNING 1"
        unchanged: LiteralString = "SELECT 1 FROM " + self.table + " WHERE " + where  # noqa: S608
        after = change.after
        for number in range(2, _MOST_ALIKE):
            if tx.row(ignoring, [*(after[name] for name in names), *mine]) is not None:
                return
            if tx.row(unchanged, mine) is None:
                return  # it differs from what was read
            after = change.after | self._numbered(change.after, number)
        raise StoreError(
            f"a row of {self.table} cannot be redacted: others have all its names", hint=_REPORT
        )

    def _numbered(self, after: Cells, number: int) -> Cells:
        mine = (name for name in self.unique if after.get(name) is not None)
        return {name: f"{text(after[name])}-{number}" for name in mine}


def _message(redaction: Redaction, cells: Cells) -> tuple[Cells, tuple[Payload, ...]]:
    blocks = decode_content(cells["content"])
    redactor = redaction.redactor
    redacted = tuple(rewritten(block, redactor.text, redactor.value) for block in blocks)
    if redacted == blocks:
        return {}, ()
    content, readable = encoded_content(redacted, msgspec.json.decode(text(cells["metadata"])))
    return {"content": content, "text": readable}, ()


def _observation(redaction: Redaction, cells: Cells) -> tuple[Cells, tuple[Payload, ...]]:
    changed: Cells = {}
    payloads: list[Payload] = []
    for name in ("input", "output"):
        excerpt, blob = text(cells[name]), text_or_none(cells[name + "_blob"])
        whole = _whole(redaction.blobs, excerpt, blob)
        redacted = _payload(redaction, whole)
        if redacted != whole:
            payload = payload_of(redacted)
            payloads.append(payload)
            changed |= {name: payload.text, name + "_blob": payload.digest}
    return changed, tuple(payloads)


def _whole(blobs: Blobs, excerpt: str, blob: str | None) -> str:
    """Return a whole payload; head and tail where the blob is lost."""
    if blob is None:
        return excerpt
    try:
        return blobs.get(blob).decode()
    except NotFound:
        return excerpt


def _payload(redaction: Redaction, whole: str) -> str:
    """Return an input or output without secrets, as JSON where it was stored as JSON."""
    if whole[:1] in {"{", "["}:
        try:
            return text(redaction.cell("value", whole))
        except msgspec.DecodeError:
            pass
    return redaction.redactor.text(whole)


def _tell(
    kind: str, table: LiteralString
) -> Callable[[Transaction, str, Callable[[], None], int], None]:
    """Return a function that updates a row without a hash and records the change under a kind."""

    def renew(tx: Transaction, id_: str, update: Callable[[], None], at: int) -> None:
        update()
        row = tx.row("SELECT tenant FROM " + table + " WHERE id = ?", (id_,))  # noqa: S608
        if row is not None:
            record_change(tx, tenant=text(row[0]), kind=kind, ref=id_, op="put", at=at)

    return renew


TABLES = (
    StoredText(table="checkpoints", cells={"label": "text"}),
    StoredText(
        table="sessions",
        cells={
            "title": "text",
            "project": "text",
            "place": "text",
            "model": "text",
            "metadata": "value",
            "overrides": "value",
            "key": "id",
            "account": "id",
            "peer": "id",
            "foreign_id": "id",
        },
        renew=_tell(CHANGED_KIND, "sessions"),
        unique=("foreign_id",),
    ),
    StoredText(
        table="messages",
        cells={
            "name": "text",
            "project": "text",
            "metadata": "value",
            "event_id": "id",
            "foreign_id": "id",
            "sender": "id",
            "turn_sender": "id",
        },
        linked=("content", "text"),
        together=_message,
        renew=renew_message,
        unique=("event_id",),
    ),
    StoredText(
        table="tool_calls",
        cells={
            "call_id": "text",
            "tool_name": "text",
            "result_text": "text",
            "project": "text",
            "input": "value",
        },
        unique=("call_id",),
    ),
    StoredText(
        table="compactions", cells={"summary": "text", "project": "text", "turn_sender": "id"}
    ),
    StoredText(
        table="episodes",
        cells={
            "summary": "text",
            "deeds": "text",
            "project": "text",
            "turn_sender": "id",
            "topics": "value",
            "speakers": "value",
            "decisions": "value",
            "outcome": "text",
            "open_ends": "value",
        },
        renew=_tell(EPISODE_KIND, "episodes"),
        unique=("turn_sender",),
    ),
    StoredText(
        table="session_states",
        cells={"task": "text", "steps": "value", "turn_sender": "id"},
        unique=("turn_sender",),
    ),
    StoredText(
        table="observations",
        cells={
            "type": "text",
            "tool_name": "text",
            "title": "text",
            "summary": "text",
            "error": "text",
            "project": "text",
            "files": "value",
            "message_id": "id",
            "tool_use_id": "id",
            "agent_id": "id",
            "event_id": "id",
            "turn_sender": "id",
        },
        linked=("input", "input_blob", "output", "output_blob"),
        together=_observation,
        renew=renew_observation,
        unique=("event_id", "tool_use_id"),
    ),
    StoredText(
        table="facts",
        cells={
            "text": "text",
            "name": "text",
            "slot": "text",
            "value": "text",
            "project": "text",
            "account": "id",
            "peer": "id",
            "turn_sender": "id",
        },
        renew=renew_fact,
    ),
    StoredText(
        table="fact_history",
        key=("fact_id", "version"),
        cells={"text": "text", "actor": "id"},
        renew=renew_history,
    ),
    StoredText(
        table="pending_messages",
        cells={
            "text": "text",
            "project": "text",
            "key": "id",
            "sender": "id",
            "message_id": "id",
        },
    ),
    StoredText(table="inbound", cells={"event_id": "id"}),
    StoredText(table="channel_senders", key=("tenant", "account"), cells={"account": "id"}),
    StoredText(table="deliveries", cells={"key": "id", "event_id": "id", "address": "value"}),
    StoredText(
        table="injections",
        cells={"client": "text", "project": "text", "visibility_group": "id"},
    ),
    StoredText(
        table="events", key=("seq",), cells={"payload": "value", "project": "text", "actor": "id"}
    ),
    StoredText(
        table="audit", key=("seq",), cells={"actor": "id", "target": "id", "project": "text"}
    ),
    StoredText(
        table="tokens",
        cells={"name": "id", "project": "text", "session_key": "id"},
        unique=("name",),
    ),
    StoredText(table="leases", key=("session_id",), cells={"holder": "text"}),
    StoredText(table="note_folders", key=("folder",), cells={"account": "id", "peer": "id"}),
    StoredText(
        table="imports",
        key=("tenant", "source", "path"),
        cells={"path": "text"},
        unique=("path",),
    ),
    StoredText(
        table="projects",
        key=("tenant", "id"),
        cells={"name": "text", "root": "text", "remote": "text"},
        unique=("name",),
    ),
    StoredText(
        table="project_aliases",
        key=("tenant", "path"),
        cells={"path": "text"},
        unique=("path",),
    ),
)
"""All of them; messages before what is derived from them."""
