"""The import of an export, or of another program's data in the same form.

A document is read twice: first to its end, to see that it is whole, then record after record.
Everything is stored in transactions of some thousand records; if killed between two of them, the
home stays sound, and repeating the import continues where this one stopped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, TypeAlias

import msgspec

from recollect.core.decoding import decode_json
from recollect.core.errors import Denied, InvalidInput, NotFound
from recollect.core.events import ImportFinished
from recollect.exchange.gate import Destination, Gate, Incoming
from recollect.exchange.lines import (
    Checked,
    ExportHeader,
    FileLine,
    Record,
    check_export,
    records_of,
)
from recollect.exchange.report import ImportProgress
from recollect.exchange.rows.batch import BATCH_CHARS, BATCH_FILES, BATCH_MESSAGES
from recollect.exchange.rows.writer import ExchangeProgress, ExchangeTerms, ExchangeWriter
from recollect.observations.draft import ObservationDraft
from recollect.sessions.record.draft import Draft
from recollect.sessions.record.tombstone import ErasedLines, note_name
from recollect.store.audit import record_audit
from recollect.store.counters import last_number
from recollect.store.engine import Transaction
from recollect.store.journal import record_event
from recollect.store.meta import drop_value, find_value, set_value
from recollect.store.paths import append_beneath, read_beneath
from recollect.store.sqlite.home import find_home_id
from recollect.text.withheld import line_hash
from recollect.workspace.memory_folder import LARGEST_BYTES, is_memory_path

_NUMBERED = ("message", "observation", "episode", "fact")
LEFT_OUT = ("erased", "deleted", "pruned", "withheld", "calls", "excluded", "denied", "unreadable")
"""Reasons for leaving out records, as named in the counts."""

OnImport: TypeAlias = Callable[[ImportProgress], None]


class ExchangeReport(msgspec.Struct, frozen=True, kw_only=True):
    """The result of an import of records.

    Attributes:
        dry_run: Whether nothing was stored.
        source: The version of recollect, or the program, that made the document.
        added: New records by kind: ``session``, ``message``, ``observation`` and so on.
        known: Records that existed already.
        renumbered: New records that got another short number here.
        left_out: By reason. ``erased`` and ``pruned`` were removed here; ``deleted`` are of
            sessions that are deleted here; ``excluded``, ``withheld`` and ``calls`` are not
            captured here; ``denied`` belong to another owner; ``unreadable`` cannot be stored.
        kept_files: Memory files that exist here with another text, and were left unchanged.
    """

    dry_run: bool
    source: str
    added: dict[str, int]
    known: int
    renumbered: int
    left_out: dict[str, int]
    kept_files: tuple[str, ...] = ()


class IntakeOrder(msgspec.Struct, frozen=True, kw_only=True):
    """The options of an import.

    Attributes:
        dry_run: Only determine what would be stored.
        other_tenant: Accept a document of another tenant; its records get new ids.
        files: Also write memory files that the workspace lacks.
        on_progress: Called after each transaction.
        path: The name of the document in the progress.
    """

    dry_run: bool = False
    other_tenant: bool = False
    files: bool = False
    on_progress: OnImport = lambda _: None
    path: str = ""


def read_export(to: Destination, file: BinaryIO, order: IntakeOrder) -> ExchangeReport:
    """Import an export; the same one again adds nothing.

    Args:
        to: Where it is stored.
        file: Open; must not change meanwhile.
        order: The options.

    Raises:
        InvalidInput: it is not an export, is truncated, was changed, or has a newer form.
        Denied: it belongs to another tenant, and ``other_tenant`` is not set.
        StoreError: the database or the disk refused; what was stored stays.
    """
    checkup = check_export(file, lambda _: None)
    return take_records(to, checkup, records_of(file), order)


def take_records(
    to: Destination, checkup: Checked, records: Iterable[tuple[Record, int]], order: IntakeOrder
) -> ExchangeReport:
    """Import records, each with its end offset in bytes; as `read_export`."""
    if checkup.header.tenant != to.scope.tenant and not order.other_tenant:
        raise Denied(
            "the export is of another tenant",
            hint="add --other-tenant; its records get ids of their own",
        )
    return _Run(to, checkup, order).run(records)


class _Run:
    """One import."""

    def __init__(self, to: Destination, checkup: Checked, order: IntakeOrder) -> None:
        self._to, self._checked, self._order = to, checkup, order
        scope = to.scope
        self._gate = Gate(to)
        self._terms = ExchangeTerms(
            scope=scope,
            is_moved=checkup.header.tenant != scope.tenant,
            floors=self._floors(),
            greatest=checkup.numbers,
            blobs=to.blobs,
            at=to.clock.now_ms(),
            dry_run=order.dry_run,
            erased=ErasedLines(),
        )
        self._known = ExchangeProgress()
        self._counts: Counter[str] = Counter()
        self._kept: list[str] = []

    def run(self, records: Iterable[tuple[Record, int]]) -> ExchangeReport:
        """Store everything, and return what was new."""
        for batch, end in self._batches(records):
            self._store(batch)
            self._tell(end)
        if not self._order.dry_run:
            left_out = {name: self._gate.left_out[name] for name in ("withheld", "calls")}
            self._to.controls.count(left_out)
            self._to.database.write(self._end)
        return self._report()

    def _batches(
        self, records: Iterable[tuple[Record, int]]
    ) -> Iterator[tuple[list[Incoming], int]]:
        batch: list[Incoming] = []
        size = files = end = 0
        for record, end in records:
            if isinstance(record, FileLine):
                self._file(record)
            elif (item := self._passed(record)) is not None:
                batch.append(item)
                size += _size(item)
                files += _has_files(item)
            if len(batch) >= BATCH_MESSAGES or size >= BATCH_CHARS or files >= BATCH_FILES:
                yield batch, end
                batch, size, files = [], 0, 0
        if batch:
            yield batch, end

    def _passed(self, record: Record) -> Incoming | None:
        try:
            return self._gate.pass_(record)
        except InvalidInput:
            self._counts["unreadable"] += 1
            return None

    def _store(self, batch: list[Incoming]) -> None:
        to, progress = self._to, self._known
        if self._order.dry_run:
            self._known, counts = to.database.read(lambda tx: self._stored(tx, batch, progress))
        else:
            self._known, counts = to.database.write(lambda tx: self._stored(tx, batch, progress))
            to.arrived.notify()
        self._counts += counts

    def _stored(
        self, tx: Transaction, batch: list[Incoming], progress: ExchangeProgress
    ) -> tuple[ExchangeProgress, Counter[str]]:
        writer = ExchangeWriter(tx, self._terms, progress)
        for item in batch:
            writer.take(item)
        return writer.finish(), writer.added

    def _file(self, file: FileLine) -> None:
        workspace = self._to.workspace
        if not self._order.files or workspace is None or not is_memory_path(file.path):
            return
        redactor = self._to.redactor
        redacted = file.text if redactor is None else redactor.lines(file.text)
        content = self._without_erased(redacted.encode())
        try:
            there = read_beneath(workspace, file.path, limit=LARGEST_BYTES)
        except NotFound:
            self._counts["file"] += 1
            if not self._order.dry_run:
                append_beneath(workspace, file.path, lambda _: content, limit=LARGEST_BYTES)
            return
        self._counts["known"] += 1
        if there != content:
            self._kept.append(file.path)

    def _without_erased(self, content: bytes) -> bytes:
        """Return the text of a memory file without the notes of erased sessions."""
        erased, tenant = self._terms.erased, self._to.scope.tenant
        self._to.database.read(erased.refresh)
        lines = content.split(b"\n")
        return b"\n".join(
            line for line in lines if not erased.has(tenant, note_name(line_hash(line)))
        )

    def _floors(self) -> dict[str, int]:
        """Return the highest short numbers in use, by kind, as they were when this import began."""
        header, tenant = self._checked.header, self._to.scope.tenant
        key = _floors_key(header)

        def write(tx: Transaction) -> dict[str, int]:
            if header.home_id is not None and header.home_id == find_home_id(tx):
                return {}  # its own records come back
            value = find_value(tx, key)
            if value is not None:
                return decode_json(value, dict[str, int])
            floors = {kind: last_number(tx, tenant, kind) for kind in _NUMBERED}
            if not self._order.dry_run:
                set_value(tx, key, msgspec.json.encode(floors).decode())
            return floors

        database = self._to.database
        return database.read(write) if self._order.dry_run else database.write(write)

    def _end(self, tx: Transaction) -> None:
        drop_value(tx, _floors_key(self._checked.header))
        event = ImportFinished(
            scope=self._to.scope,
            at=self._to.clock.now_ms(),
            source=self._checked.header.made_by,
            sessions=self._counts["session"],
            messages=self._counts["message"],
            malformed=self._counts["unreadable"],
        )
        record_event(tx, event)
        at, header = event.at, self._checked.header
        record_audit(tx, self._to.scope, "import", at, target=header.id)

    def _tell(self, end: int) -> None:
        self._order.on_progress(
            ImportProgress(
                files=1,
                files_done=0,
                bytes=self._checked.bytes,
                bytes_done=end,
                messages=self._counts["message"],
                path=self._order.path,
            )
        )

    def _report(self) -> ExchangeReport:
        counts = self._counts + self._gate.left_out
        duplicates, renumbered = counts.pop("known", 0), counts.pop("renumbered", 0)
        left_out = {name: counts.pop(name) for name in LEFT_OUT if counts[name]}
        return ExchangeReport(
            dry_run=self._order.dry_run,
            source=self._checked.header.made_by,
            added={name: number for name, number in sorted(counts.items()) if number},
            known=duplicates,
            renumbered=renumbered,
            left_out=left_out,
            kept_files=tuple(self._kept),
        )


def _floors_key(header: ExportHeader) -> str:
    return f"import.{header.id}"


def _has_files(item: Incoming) -> bool:
    if not isinstance(item, ObservationDraft):
        return False
    return any(each.whole is not None for each in (item.input, item.output))


def _size(item: Incoming) -> int:
    match item:
        case Draft():
            return len(item.encoded_content)
        case ObservationDraft():
            return sum(len(each.whole or each.text) for each in (item.input, item.output))
    return 0
