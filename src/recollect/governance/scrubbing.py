"""Scrubbing: stored data is redacted again, by the current rules and patterns.

Rows change in batches, each in one durable transaction that leaves a mark, so that a later run
removes what a killed one left in files. Redaction is idempotent: repeating a killed run gives the
same result.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import LiteralString, TypeAlias

import msgspec

from recollect.core.clock import Clock
from recollect.core.errors import NotFound, RecollectError, StoreBusy, StoreCorrupt
from recollect.governance.erasure import Indexes
from recollect.governance.parts import NotesToErase
from recollect.governance.removal import LOCK_FILE
from recollect.governance.stored_text import TABLES, Redaction, RowChange, StoredText
from recollect.governance.sweep import Copies, clear_log, mark_unswept, sweep_within_reach
from recollect.sessions.context.flushed_notes import LARGEST_BYTES, place_of, restate_lines
from recollect.store.columns import blob, text
from recollect.store.engine import Row, Transaction
from recollect.store.failures import os_errors
from recollect.store.files import write_file
from recollect.store.locks import OwnerLock
from recollect.store.paths import read_beneath, rewrite_beneath
from recollect.store.sqlite.copies import (
    database_copies,
    read_texts,
    remove_copy,
    transcript_files,
)
from recollect.store.sqlite.home import GUEST_NOTES, MIRROR_SUFFIX, TRANSCRIPTS
from recollect.text.markdown.section import resealed
from recollect.text.secret_redactor import SecretRedactor
from recollect.text.withheld import line_hash

_MARK = re.compile(r"\[redacted:([a-z0-9-]{1,40}):[0-9a-f]{6}\]|redacted-[0-9a-f]{32}")
_NOTES: LiteralString = "SELECT path, line_hash FROM flushed_notes ORDER BY path"
_SESSION: LiteralString = "SELECT 1 FROM sessions WHERE id = ?"
_TENANTS: LiteralString = "SELECT DISTINCT tenant FROM sessions"


class ScrubProgress(msgspec.Struct, frozen=True, kw_only=True):
    """The progress of a scrub: checked rows, of all of them."""

    done: int
    total: int


OnScrub: TypeAlias = Callable[[ScrubProgress], object]


class FoundLines(msgspec.Struct, frozen=True, kw_only=True):
    """Lines of a file that hold a secret, and that recollect must not change.

    Attributes:
        path: The file, with secrets in its name redacted.
        lines: Their numbers, from 1.
    """

    path: str
    lines: tuple[int, ...]


class ScrubReceipt(msgspec.Struct, frozen=True, kw_only=True):
    """What a scrub changed, or would change.

    Attributes:
        dry_run: Nothing was changed.
        at: When, ms UTC.
        rows: Changed rows, by table; and ``notes``, lines of flushed notes.
        secrets: Redacted secrets, by kind, such as ``github-token`` or ``pattern``.
        files: Changed mirrors, including those that were set aside.
        removed_copies: Older copies of the databases that held a secret and are removed.
        left: Lines of memory files that hold one: people wrote them, and must change them.
        is_clean: Whether nothing that was redacted is left in a file that recollect wrote. If not,
            the warnings say why, and the next run tries again.
        warnings: One sentence each.
    """

    dry_run: bool
    at: int
    rows: dict[str, int] = msgspec.field(default_factory=dict)
    secrets: dict[str, int] = msgspec.field(default_factory=dict)
    files: int = 0
    removed_copies: tuple[str, ...] = ()
    left: tuple[FoundLines, ...] = ()
    is_clean: bool = True
    warnings: tuple[str, ...] = ()


class Scrubber:
    """Redacts a home again: rows, blobs, notes, mirrors, and copies of databases.

    Args:
        home: Its folder.
        copies: The records, and the stores that copy them.
        redactor: The current rules and patterns.
        clock: The time.
        indexes: All indexes of the home.
        memory_files: Returns the memory files: folders, and the paths in them.
    """

    def __init__(
        self,
        home: Path,
        copies: Copies,
        redactor: SecretRedactor,
        *,
        clock: Clock,
        indexes: Indexes,
        memory_files: Callable[[], Iterable[tuple[Path, str]]],
    ) -> None:
        self._home = home
        self._copies = copies
        self._records = copies.records
        self._redaction = Redaction(redactor=redactor, blobs=copies.blobs)
        self._redactor = redactor
        self._clock = clock
        self._indexes = indexes
        self._memory_files = memory_files

    def run(self, *, dry_run: bool = False, on_progress: OnScrub | None = None) -> ScrubReceipt:
        """Redact everything stored by the rules that apply to new data.

        Args:
            dry_run: Only report what would change.
            on_progress: Called after each batch of rows.

        Raises:
            InvalidInput: a pattern is wrong.
            StoreBusy: a program is erasing or scrubbing, or copies the home.
            StoreError: a database refused; what changed so far stays changed.
        """
        lock = OwnerLock(self._home / LOCK_FILE, self._clock)
        if dry_run:
            return self._run(True, on_progress)
        if not lock.acquire("scrub"):
            raise StoreBusy("another program is erasing, or copies the home", hint="try later")
        try:
            return self._run(False, on_progress)
        finally:
            lock.release()

    def _run(self, dry_run: bool, on_progress: OnScrub | None) -> ScrubReceipt:
        tally = _Tally(on_progress, self._total())
        self._redactor.text("")  # a wrong pattern is an error, even if nothing is stored
        for table in TABLES:
            self._scrub_table(table, tally, dry_run=dry_run)
        secret_lines = [*self._scrub_notes(tally, dry_run=dry_run)]
        files = sum(self._scrub_files(dry_run=dry_run))
        old = [path for path in database_copies(self._home) if self._holds_secret(path)]
        warnings = list(tally.warnings)
        if not dry_run:
            warnings += self._clear(old, tally.files)
        return ScrubReceipt(
            dry_run=dry_run,
            at=self._clock.now_ms(),
            rows=dict(tally.rows),
            secrets=dict(tally.secrets),
            files=files,
            removed_copies=tuple(map(str, old)),
            left=tuple(secret_lines),
            is_clean=not warnings,
            warnings=tuple(warnings),
        )

    def _total(self) -> int:
        return self._records.read(lambda tx: sum(table.count(tx) for table in TABLES))

    def _scrub_table(self, table: StoredText, tally: _Tally, *, dry_run: bool) -> None:
        after: Row | None = None
        while rows := self._records.read(partial(table.page, after=after)):
            changes = list(table.changes(rows, self._redaction))
            if changes and not dry_run:
                self._records.write(partial(self._store, table=table, changes=changes))
            tally.add(table.table, changes, len(rows))
            after = rows[-1][: len(table.key)]

    def _store(self, tx: Transaction, table: StoredText, changes: Iterable[RowChange]) -> None:
        mark_unswept(tx)
        now = self._clock.now_ms()
        for change in changes:
            table.store(tx, change, self._copies.blobs, now)

    def _scrub_notes(self, tally: _Tally, *, dry_run: bool) -> Iterator[FoundLines]:
        """Redact the lines that a flush wrote, and yield lines of people that hold a secret."""
        ours: dict[tuple[Path, str], tuple[str, set[bytes]]] = {}
        for path, digest in self._records.read(lambda tx: tx.all(_NOTES)):
            note_lines = ours.setdefault(place_of(self._home, text(path)), (text(path), set()))
            note_lines[1].add(blob(digest))
        for root, name in sorted({*ours, *self._memory_files()}, key=str):
            path, written_lines = ours.get((root, name), (str(root / name), set()))
            try:
                note = self._scrub_note(root, name, path, written_lines, dry_run=dry_run)
            except NotFound:
                continue
            except RecollectError as error:
                display_name = self._redactor.path(path)
                tally.warnings.append(f"{display_name} could not be looked through: {error.code}")
                continue
            if note.changed or note.left:
                # Indexes name it by its absolute path, guests' notes without the path of the home.
                is_guests = not path.startswith("/")
                indexed = str(Path(f"{GUEST_NOTES}:") / path) if is_guests else path
                tally.files.add(self._redactor.path(indexed))
            tally.rows["notes"] += note.changed
            if note.left:
                yield FoundLines(path=self._redactor.path(str(root / name)), lines=note.left)
        tally.rows += Counter()  # without kinds that did not change

    def _scrub_note(
        self, root: Path, name: str, path: str, hashes: set[bytes], *, dry_run: bool
    ) -> _Note:
        note = _Note()
        content = read_beneath(root, name, limit=LARGEST_BYTES)
        changed = self._redacted_lines(content, hashes, note)
        if changed == content or dry_run:
            return note
        # First the new hashes, then the lines: our lines always have their hash.
        self._records.write(lambda tx: self._restate(tx, path, note.restated))
        again = _Note()

        def change(now: bytes) -> bytes:
            return resealed(now, self._redacted_lines(now, hashes, again))

        rewrite_beneath(root, name, change, limit=LARGEST_BYTES)
        return note

    def _restate(self, tx: Transaction, path: str, restated: Mapping[bytes, bytes]) -> None:
        mark_unswept(tx)
        restate_lines(tx, path, restated)

    def _redacted_lines(self, content: bytes, hashes: set[bytes], note: _Note) -> bytes:
        lines = content.split(b"\n")
        redacted = self._redactor.lines(content.decode("utf-8", "surrogateescape"))
        for index, line in enumerate(redacted.encode("utf-8", "surrogateescape").split(b"\n")):
            if line == lines[index]:
                continue
            if line_hash(lines[index]) in hashes:
                note.restated[line_hash(lines[index])] = line_hash(line)
                lines[index] = line
                note.changed += 1
            else:
                note.left = (*note.left, index + 1)
        return b"\n".join(lines)

    def _scrub_files(self, *, dry_run: bool) -> Iterator[bool]:
        """Redact mirrors, including those set aside; yield whether each one changes."""
        for path in transcript_files(self._home):
            if path.is_symlink() or not path.is_file() or path.name.endswith(".lock"):
                continue
            with os_errors(path):
                content = path.read_bytes()
            redacted = self._redacted_json_lines(content)
            if redacted != content and not dry_run:
                self._replace_mirror(path, redacted)
            yield redacted != content

    def _replace_mirror(self, path: Path, redacted: bytes) -> None:
        """Rewrite a mirror from the records; one that is not theirs is redacted as it is.

        So is one whose rows are damaged: the mirror is what is left of them.
        """
        session_id = path.name.removesuffix(MIRROR_SUFFIX)
        is_known = self._records.read(lambda tx: tx.row(_SESSION, (session_id,))) is not None
        if self._copies.is_mirrored and is_known and path.parent == self._home / TRANSCRIPTS:
            with suppress(StoreCorrupt):
                self._copies.mirror.make_again(session_id)
                return
        write_file(path, redacted)

    def _redacted_json_lines(self, content: bytes) -> bytes:
        return b"\n".join(map(self._redacted_json_line, content.split(b"\n")))

    def _redacted_json_line(self, line: bytes) -> bytes:
        try:
            value = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            content = line.decode("utf-8", "surrogateescape")
            return self._redactor.text(content).encode("utf-8", "surrogateescape")
        redacted = self._redactor.value(value)
        return line if redacted == value else msgspec.json.encode(redacted)

    def _holds_secret(self, path: Path) -> bool:
        """Return whether a copy of a database holds a secret, or cannot be read."""
        try:
            return any(self._redactor.text(content) != content for content in read_texts(path))
        except RecollectError:
            return True

    def _clear(self, old: Iterable[Path], paths: Collection[str]) -> list[str]:
        """Remove what was redacted from every file; return what failed."""
        for path in old:
            remove_copy(path)
        failed: list[str] = []
        tenants = [text(row[0]) for row in self._records.read(lambda tx: tx.all(_TENANTS))]
        for tenant in tenants if paths else ():
            # Read again by the current rules, as their files did not change.
            self._indexes.drop(NotesToErase(tenant, paths))
        failed += sweep_within_reach(self._copies)
        with suppress(RecollectError):
            failed += self._indexes.clear_others()
        clear_log(self._records)
        return failed


class _Note:
    """The result for one file of notes."""

    def __init__(self) -> None:
        self.changed = 0
        self.left: tuple[int, ...] = ()
        self.restated: dict[bytes, bytes] = {}


class _Tally:
    """Counts changes, and reports the progress."""

    def __init__(self, on_progress: OnScrub | None, total: int) -> None:
        self._on_progress = on_progress
        self._total = total
        self._count = 0
        self.rows: Counter[str] = Counter()
        self.secrets: Counter[str] = Counter()
        self.warnings: list[str] = []
        self.files: set[str] = set()
        """Notes that an index must read again."""

    def add(self, table: str, changes: list[RowChange], looked_at: int) -> None:
        self._count += looked_at
        if changes:
            self.rows[table] += len(changes)
        for change in changes:
            self.secrets += _marks(change.after) - _marks(change.before)
        if self._on_progress is not None:
            count = min(self._count, self._total)
            self._on_progress(ScrubProgress(done=count, total=self._total))


def _marks(cells: Mapping[str, object]) -> Counter[str]:
    # The readable part of a content is in the content, too.
    texts = [cell for name, cell in cells.items() if name != "text" or "content" not in cells]
    matches = (_MARK.finditer(cell) for cell in texts if isinstance(cell, str))
    return Counter(match[1] or "id" for each in matches for match in each)
