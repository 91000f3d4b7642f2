"""Rebuilds a lost or damaged ``records.db`` from the readable transcripts.

The new file is completed beside the old one and replaces it in one step: if killed before that, the
home is as it was, and the next recovery starts over. Nothing is thrown away.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from recollect.core.checks import checked_call
from recollect.core.clock import Clock, IdSource, SystemClock
from recollect.core.errors import InvalidInput, NotFound, RecollectError, StoreError
from recollect.core.scope import Scope
from recollect.core.settings import Settings, default_home, load_settings
from recollect.exchange.mirrors import (
    MirrorRecovery,
    copies_of_mirrors,
    keep_as_mirror,
    link_sessions,
    records_aside,
    seqs_in,
    seqs_in_records,
    withdraw_again,
)
from recollect.exchange.rows.facts import recover_known
from recollect.governance.aside import refuse_open, set_records_aside
from recollect.governance.removal import ERASED_TENANT, erase_files_of
from recollect.index.model.document import SESSIONS
from recollect.index.model.name_table import grouped_refs
from recollect.knowledge.mirror import write_facts
from recollect.sessions.mirror.mirror import TranscriptMirror
from recollect.sessions.mirror.mirror_lines import SessionLine
from recollect.sessions.mirror.recovery_file import (
    RecoveryFacts,
    read_recovery_file,
    restore_facts,
    without_lost,
)
from recollect.sessions.mirror.soundness import damage_of
from recollect.sessions.record.message_rows import number_others
from recollect.sessions.record.tombstone import OURS, Tombstone, is_among
from recollect.store.engine import Database
from recollect.store.failures import os_errors
from recollect.store.files import private_folder, sync_folder
from recollect.store.locks import WriteQueue
from recollect.store.sqlite.database import open_records
from recollect.store.sqlite.home import (
    AGENTS,
    FACTS_FILE,
    INDEX_FILE,
    MIRROR_SUFFIX,
    RECORDS_FILE,
    TRANSCRIPTS,
    left_of_records,
)
from recollect.store.sqlite.schema import is_schema_foreign
from recollect.store.sqlite.snapshot import snapshots

LOST = (
    *("events", "messages pending in groups", "episodes", "observations", "injections", "leases"),
    *("what is excluded from context blocks", "spending", "pauses", "checkpoints and rewinds"),
    *("aliases and merges of projects", "tokens but the owner's", "the audit"),
)
"""Kinds of records that no mirror has."""
MAX_LISTED = 100
"""Damaged lines that a report names."""

_DRAFT = "recovering"
_PATIENCE_S = 10.0
_MAY_BE_DAMAGE = ("store", "store_corrupt", "records_lost", "migration_failed")


class DamagedLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a mirror that cannot be read; it stays in the file that is set aside."""

    path: str
    line: int


class LostSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session in the index or ``recovery.json`` that has no mirror.

    Its title was in ``records.db`` alone.

    Attributes:
        id: Of the session.
        imported_from: Files of another program that it was imported from, if any.
    """

    id: str
    imported_from: tuple[str, ...] = ()


class MissingMessages(msgspec.Struct, frozen=True, kw_only=True):
    """Messages of a session that a source had, and that were not recovered.

    Attributes:
        session_id: Of the session.
        count: How many.
        path: The file that has them: the records that were set aside, or a copy of a transcript.
    """

    session_id: str
    count: int
    path: str


class RecoverReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a recovery restored, and what it could not.

    Attributes:
        dry_run: Whether nothing was written.
        reason: What is wrong with ``records.db``; None where it is sound, and nothing was done.
        sessions: Recovered sessions.
        messages: Messages in them.
        compactions: Recovered summaries that replace messages in the view.
        imports: Files of other programs that are recorded as read.
        facts: Facts that were remembered or changed by hand; others are in the messages.
        damaged: The first lines that cannot be read, up to `MAX_LISTED`.
        damaged_count: The number of all of them.
        lost: Kinds of records that no mirror has.
        lost_sessions: The first sessions that were not recovered, up to `MAX_LISTED`, by id.
        lost_sessions_count: The number of all of them.
        missing: The first sessions that lack messages of a source, up to `MAX_LISTED`.
        missing_count: The number of all such messages.
        warnings: Other differences, one sentence each.
        aside: The folder of the old file; None where there was none.
    """

    dry_run: bool
    reason: str | None
    sessions: int = 0
    messages: int = 0
    compactions: int = 0
    imports: int = 0
    facts: int = 0
    damaged: tuple[DamagedLine, ...] = ()
    damaged_count: int = 0
    lost: tuple[str, ...] = ()
    lost_sessions: tuple[LostSession, ...] = ()
    lost_sessions_count: int = 0
    missing: tuple[MissingMessages, ...] = ()
    missing_count: int = 0
    warnings: tuple[str, ...] = ()
    aside: str | None = None


class RecoverProgress(msgspec.Struct, frozen=True, kw_only=True):
    """The progress, in bytes of mirrors."""

    done: int
    total: int


class Recovery:
    """Rebuilds the records of one home.

    Args:
        home: Its folder.
        settings: Of the home.
        clock: Dates the new file, and the folder of the old one.
        on_progress: Called after each mirror.
    """

    def __init__(
        self,
        home: Path,
        settings: Settings,
        clock: Clock,
        on_progress: Callable[[RecoverProgress], None] = lambda _: None,
    ) -> None:
        self._home = home
        self._settings = settings
        self._clock = clock
        self._on_progress = on_progress
        self._lines: dict[str, SessionLine] = {}
        self._origins: set[tuple[str, ...]] = set()
        self._taken: set[str] = set()
        self._unfinished: list[str] = []
        self._erased: list[Tombstone] = []
        self._messages = self._compactions = self._facts = 0
        self._damaged: list[DamagedLine] = []
        self._lost: dict[str, LostSession] = {}
        self._copies: dict[str, list[Path]] = {}
        self._recovered: dict[str, set[int]] = {}
        self._missing: list[MissingMessages] = []
        self._counts = dict.fromkeys(_WARNINGS, 0)

    def run(self, *, dry_run: bool = False) -> RecoverReport:
        """Rebuild ``records.db``, unless it is sound, and return what was recovered.

        Args:
            dry_run: Only read, and report what would be recovered.

        Raises:
            NotFound: the home has no mirrors.
            StoreBusy: another program has the records open.
            StoreError: the disk refused; the home is as it was.
        """
        if not (self._home / RECORDS_FILE).exists() and left_of_records(self._home) is None:
            raise NotFound(
                "the folder holds no records, and no trace of any",
                hint="name a home with --home; or make one with `recollect init`",
                path=str(self._home),
            )
        if dry_run:
            reason = what_is_wrong(self._home, self._settings, self._clock)
            if reason is None:
                return RecoverReport(dry_run=True, reason=None)
            return self._report(reason, self._read(self._mirrors(), None), dry_run=True)
        with WriteQueue(self._home / f"{_DRAFT}.lock").turn(_PATIENCE_S):
            # Another recovery may have finished meanwhile.
            reason = what_is_wrong(self._home, self._settings, self._clock)
            if reason is None:
                return RecoverReport(dry_run=False, reason=None)
            paths = self._mirrors()
            refuse_open(self._home, self._home / RECORDS_FILE)
            try:
                imports = self._rebuild(paths)
                aside = self._put_in_place()
            finally:
                self._clear(self._home / _DRAFT)  # also a half-made one
        self._heal()
        report = self._report(reason, imports, dry_run=False)
        return msgspec.structs.replace(report, aside=aside and str(aside))

    def _mirrors(self) -> list[Path]:
        folder = self._home / TRANSCRIPTS
        with os_errors(folder):
            candidates = sorted(folder.glob(f"*{MIRROR_SUFFIX}"))
            paths = [path for path in candidates if path.is_file() and not path.is_symlink()]
        if paths or copies_of_mirrors(self._home) or (self._home / FACTS_FILE).is_file():
            return paths
        off = "" if self._settings.sessions.mirror else "sessions.mirror is off: "
        raise NotFound(
            f"{off}the home has no readable transcripts to recover from",
            hint="restore a backup with `recollect restore FILE`; or start over with"
            " `recollect init --fresh`",
            path=str(folder),
        )

    def _rebuild(self, paths: list[Path]) -> int:
        draft = self._home / _DRAFT
        self._clear(draft)
        database = open_records(private_folder(draft), self._settings.store, self._clock)
        try:
            return self._read(paths, database)
        finally:
            database.close()

    def _read(self, paths: list[Path], database: Database | None) -> int:
        """Read the mirrors, into new records if given; return what was imported."""
        facts = read_recovery_file(self._home)
        self._erased = facts.erased if facts is not None else []
        self._copies = copies_of_mirrors(self._home)
        total, read_bytes = sum(path.stat().st_size for path in paths), 0
        for path in [*paths, *self._alone(paths, facts)]:
            self._on_progress(RecoverProgress(done=read_bytes, total=total))
            self._one(path, database)
            read_bytes += path.stat().st_size
        self._on_progress(RecoverProgress(done=total, total=total))
        lines = self._lines.values()
        if database is None:
            ids = {None, *self._lines}
            self._counts["orphans"] = sum(line.parent_id not in ids for line in lines)
        else:
            self._counts["orphans"] = database.write(lambda tx: link_sessions(tx, lines))
            self._erase_on(database)
        self._facts, damaged = recover_known(self._home, database, self._erased, self._unfinished)
        self._damaged += [DamagedLine(path=FACTS_FILE, line=0)] * damaged
        self._note_lost(facts or RecoveryFacts())
        self._note_missing()
        self._counts["facts"] = facts is None
        self._counts["off"] = not self._settings.sessions.mirror
        if facts is not None:
            facts, self._counts["lost"] = without_lost(facts, self._lines.keys())
        if database is not None:
            database.write(lambda tx: restore_facts(tx, facts or RecoveryFacts()))
            database.write(lambda tx: withdraw_again(tx, lines))
            database.write(number_others)
        return 0 if facts is None else facts.imports

    def _alone(self, paths: list[Path], facts: RecoveryFacts | None) -> Iterator[Path]:
        """Yield a copy of each missing mirror of a session that the home knows."""
        import_rows = () if facts is None else facts.imported
        known_ids = {*_indexed_sessions(self._home), *(each.id for each in import_rows)}
        for id_ in sorted(known_ids - {path.name.removesuffix(MIRROR_SUFFIX) for path in paths}):
            if self._copies.get(id_):
                yield self._copies[id_].pop(0)

    def _note_missing(self) -> None:
        """Compare what was recovered with what every source had."""
        sources: list[tuple[Path, str, set[int]]] = []
        for id_, copies in self._copies.items():
            sources += [(path, id_, seqs_in(path)) for path in copies if id_ in self._lines]
        here = self._home / RECORDS_FILE
        for path in (here, *records_aside(self._home)):
            by_id = seqs_in_records(path)
            # A mirror that was restarted on purpose does not lack what the one before had.
            sources += [
                (path, i, seqs) for i, seqs in by_id.items() if path == here or i in self._lines
            ]
        for path, id_, seqs in sources:
            line = self._lines.get(id_)
            pruned = 0 if line is None else line.pruned_seq
            gap_seqs = {seq for seq in seqs if seq > pruned} - self._recovered.get(id_, set())
            if gap_seqs and not self._is_erased(id_):
                self._recovered.setdefault(id_, set()).update(gap_seqs)  # listed once
                gap = MissingMessages(session_id=id_, count=len(gap_seqs), path=str(path))
                self._missing.append(gap)

    def _is_erased(self, id_: str) -> bool:
        return id_ in self._unfinished or is_among(self._erased, Scope().tenant, [(OURS, id_)])

    def _note_lost(self, facts: RecoveryFacts) -> None:
        """Record the sessions that have neither records nor a mirror."""
        foreign = {each.id: each.foreign_id for each in facts.imported}
        known_ids = {*self._lines, *self._unfinished}
        for id_ in sorted({*foreign, *_indexed_sessions(self._home)} - known_ids):
            if not self._is_erased(id_):
                name = foreign.get(id_)
                paths = (row.path for row in facts.rows.imports if name and name in row.path)
                self._lost[id_] = LostSession(id=id_, imported_from=tuple(paths))

    def _one(self, path: Path, database: Database | None) -> None:
        copies = self._copies.get(path.name.partition(MIRROR_SUFFIX)[0], [])
        try:
            mirror = MirrorRecovery(path, self._taken, copies)
        except InvalidInput:
            self._counts["nameless"] += 1
            return
        origin = (mirror.line.tenant, mirror.line.source or "", mirror.line.foreign_id or "")
        if mirror.line.id in self._lines or origin in self._origins:
            self._counts["copies"] += 1
            return
        if self._was_erased(mirror.line):
            self._unfinished.append(mirror.line.id)
            return
        is_there = mirror.run(database)
        self._damaged += [DamagedLine(path=str(path), line=number) for number in mirror.damaged]
        if is_there and database is not None:
            keep_as_mirror(self._home, mirror.line.id, path)
        if is_there:
            self._origins |= {origin} if all(origin[1:]) else set()
            self._lines[mirror.line.id] = mirror.line
            self._messages += mirror.messages
            self._recovered[mirror.line.id] = mirror.seqs
            self._compactions += mirror.compactions
            self._counts["unknown"] += mirror.is_unknown
            self._counts["outdated"] += mirror.is_outdated and not mirror.is_unknown

    def _erase_on(self, database: Database) -> None:
        """Let the next opening finish the erasures of the lost records: files still hold data."""
        if self._unfinished:
            ids, now = IdSource(self._clock), self._clock.now_ms()
            database.write(lambda tx: erase_files_of(tx, ids.new(), self._unfinished, now))

    def _was_erased(self, line: SessionLine) -> bool:
        """Whether a line belongs to an unfinished erasure."""
        origins = [(OURS, line.id)]
        if line.source and line.foreign_id:
            origins.append((line.source, line.foreign_id))
        return line.tenant == ERASED_TENANT or is_among(self._erased, line.tenant, origins)

    def _put_in_place(self) -> Path | None:
        draft = self._home / _DRAFT
        log = draft / f"{RECORDS_FILE}-wal"
        if log.exists() and log.stat().st_size:
            raise StoreError("the new records were not written back", hint="try again")
        aside = set_records_aside(self._home, self._clock)
        with os_errors(self._home):
            os.replace(draft / RECORDS_FILE, self._home / RECORDS_FILE)
            sync_folder(self._home)
        return aside

    def _clear(self, draft: Path) -> None:
        with os_errors(draft):
            if draft.exists():
                shutil.rmtree(draft)

    def _heal(self) -> None:
        """Make every mirror match the records; damaged ones are kept beside it."""
        if not self._settings.sessions.mirror:
            return
        database = open_records(self._home, self._settings.store, self._clock)
        try:
            mirror = TranscriptMirror(self._home, database, write_facts)
            mirror.heal_all()
            mirror.flush()
        finally:
            database.close()

    def _report(self, reason: str, imports: int, *, dry_run: bool) -> RecoverReport:
        counts = ((text, self._counts[name]) for name, text in _WARNINGS.items())
        return RecoverReport(
            dry_run=dry_run,
            reason=reason,
            sessions=len(self._lines),
            messages=self._messages,
            compactions=self._compactions,
            imports=imports,
            facts=self._facts,
            damaged=tuple(self._damaged[:MAX_LISTED]),
            damaged_count=len(self._damaged),
            lost=LOST,
            lost_sessions=tuple(self._lost.values())[:MAX_LISTED],
            lost_sessions_count=len(self._lost),
            missing=tuple(self._missing[:MAX_LISTED]),
            missing_count=sum(each.count for each in self._missing),
            warnings=tuple(text.format(number) for text, number in counts if number),
        )


_WARNINGS = {
    "unknown": "{} sessions have no line that says whose they are: no other session hears them",
    "outdated": (
        "{} mirrors are of an older format, without titles and statuses: what was deleted is back,"
        " what does not say who heard it is heard by no other session; an import may add it again"
    ),
    "orphans": "{} forks lack the messages that they shared with sessions which are not there",
    "copies": "{} files are second copies of a mirror, and were left out",
    "nameless": "{} files do not say of which session they are, and were left out",
    "lost": (
        "{} imported sessions have no mirror any more: the next import reads their files again, and"
        " brings back what was pruned in them"
    ),
    "facts": (
        "recovery.json is missing or damaged: an import reads every file again, and brings back"
        " what was removed here and is still there"
    ),
    "off": "sessions.mirror is off: what was said since it was switched off is not there",
}


@checked_call
def recover(
    home: Path | str | None = None,
    *,
    dry_run: bool = False,
    on_progress: Callable[[RecoverProgress], None] = lambda _: None,
) -> RecoverReport:
    """Rebuild a lost or damaged ``records.db`` from the readable transcripts of a home.

    The old file is kept in a folder below ``aside``. Seqs, ids, times and links stay the same; what
    was pruned or erased is not restored; the index is rebuilt automatically.

    Sound records are left alone; the report then has no reason.

    Args:
        home: Its folder; ``RECOLLECT_HOME`` or ``~/.recollect`` if not given.
        dry_run: Only read, and report what would be recovered.
        on_progress: Called after each transcript.

    Raises:
        ConfigError: a setting of the home is wrong.
        NotFound: the home has no transcripts to recover from.
        StoreBusy: another program has the records open.
        StoreError: the disk refused; the home is as it was.
    """
    folder = Path(home).expanduser() if home is not None else default_home()
    settings = load_settings(folder).settings
    return Recovery(folder, settings, SystemClock(), on_progress).run(dry_run=dry_run)


def what_is_wrong(home: Path, settings: Settings, clock: Clock) -> str | None:
    """Return the reason why the records of a home cannot be used; None where they are sound.

    Reads every page and every message.

    Raises:
        StoreError: another program has them locked, or the disk refused.
    """
    try:
        database = open_records(home, settings.store, clock)
    except StoreError as error:
        if error.code not in _MAY_BE_DAMAGE or is_schema_foreign(error):
            raise
        return error.message
    try:
        damage = damage_of(database)
        return None if damage is None else f"{RECORDS_FILE} is damaged: {damage}"
    finally:
        database.close()


def _indexed_sessions(home: Path) -> set[str]:
    """Return the sessions in the indexes of a home; unreadable indexes are skipped."""
    ids: set[str] = set()
    for path in (home / INDEX_FILE, *(home / AGENTS).glob(f"*/{INDEX_FILE}")):
        with suppress(RecollectError), snapshots([path] if path.is_file() else []) as indexes:
            for index in indexes:
                ids |= index.read(lambda tx: grouped_refs(tx, SESSIONS))
    return ids
