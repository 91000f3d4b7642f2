"""Everything a memory is made of, as the facade uses it; `assembling` builds it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakSet, finalize

import msgspec

from recollect.assembly.resources import Resources
from recollect.assembly.sources import LateNotes, shown_extra_paths
from recollect.audience.visibility import Asker
from recollect.core.checks import checked
from recollect.core.clock import to_datetime, zone_of
from recollect.core.errors import Denied, InvalidInput, NotFound
from recollect.core.numbers import NAMES_ANY
from recollect.index.index import Index
from recollect.recall.maintenance import Maintenance, Synced
from recollect.sessions.mirror.mirror import TranscriptMirror
from recollect.store.sqlite.home import GUEST_NOTES
from recollect.store.streams import EventStream

if TYPE_CHECKING:  # imported on first use: opening a memory takes 40 ms less
    from recollect.core.scope import Scope
    from recollect.core.settings import Settings
    from recollect.exchange.importer import TranscriptImporter
    from recollect.governance.backup import BackupOrder, BackupReport, OnBackup
    from recollect.governance.erasure import Eraser, ErasureReceipt
    from recollect.governance.retention import Retention
    from recollect.governance.scrubbing import Scrubber
    from recollect.index.indexing.preview import Preview
    from recollect.index.query.hit import SearchResult
    from recollect.index.query.search_service import SearchOptions
    from recollect.observations.controls import CaptureControls
    from recollect.observations.observations import Observations
    from recollect.observations.recorder import ObservationParts
    from recollect.recall.context.contexts import ContextParts, Contexts
    from recollect.recall.context.sections import Sections
    from recollect.recall.probe import EmbedderProbe
    from recollect.recall.search_port import SearchBackend
    from recollect.recall.status import Reported
    from recollect.recall.steps.detail import DetailBatch
    from recollect.recall.steps.lines import IndexLines
    from recollect.recall.steps.links import Linker
    from recollect.recall.steps.named import Named
    from recollect.recall.steps.timeline import ObservationRecall, Search
    from recollect.sessions.sessions import Sessions
    from recollect.workspace.reading import Extent, MemoryReader, ReadResult


class Dependants:
    """What is opened after the parts of a memory and closed with them.

    Agents that have an index of their own, and search back ends of narrower scopes.
    """

    def __init__(self) -> None:
        self._opening = threading.Lock()
        self._agents: dict[object, Components] = {}
        self._backends: WeakSet[SearchBackend] = WeakSet()
        self._is_retired = False

    def add(self, backend: SearchBackend) -> None:
        """Also close a search back end at the end, if it is still in use then."""
        with self._opening:
            self._backends.add(backend)

    def agent(self, key: object, settings: Settings, make: Callable[[], Components]) -> Components:
        """Return the parts of an agent; made if there are none, or if their settings changed.

        Args:
            key: Of the agent, and how it is opened.
            settings: Those in force now.
            make: Opens them.
        """
        with self._opening:
            known = self._agents.get(key)
            if known is not None and known.resources.resolved.settings == settings:
                return known
            if known is not None:
                known.retire()
            parts = self._agents[key] = make()
            if self._is_retired:
                self._retire()
            return parts

    def retire(self) -> None:
        """Let the parts of each agent close once they are no longer in use."""
        with self._opening:
            self._is_retired = True
            self._retire()

    def close(self) -> None:
        """Close all of them. A second call does nothing."""
        with self._opening:
            for parts in self._agents.values():
                parts.closing()
            for backend in self._backends:
                backend.close()

    def _retire(self) -> None:
        while self._agents:
            self._agents.popitem()[1].retire()


def leave_open() -> None:
    """Close nothing: all that is open belongs to the memory that this one was narrowed from."""


@checked
class Components(msgspec.Struct, frozen=True, kw_only=True, eq=False, weakref=True):
    """Everything a memory is made of."""

    resources: Resources
    index: Index
    reading: MemoryReader | None
    notes: LateNotes
    search_backend: SearchBackend | None
    mirror: TranscriptMirror | None
    maintenance: Maintenance
    sessions: Callable[[], Sessions]
    observation_parts: Callable[[], ObservationParts]
    context_parts: Callable[[], ContextParts]
    events: EventStream
    digest: Callable[[Callable[[], bool]], int] | None
    """Runs the enabled uses of the language model; None without one."""
    retention: Callable[[], Retention]
    scrubber: Callable[[], Scrubber]
    probe: Callable[[], EmbedderProbe]
    eraser: Callable[[], Eraser]
    capture: Callable[[], CaptureControls]
    importer: Callable[[], TranscriptImporter]
    closed: threading.Event = msgspec.field(default_factory=threading.Event)
    """Set as soon as its databases are closed."""
    closing: Callable[[], None] = leave_open
    """Closes what these parts opened; a second call does nothing. Holds no reference to them."""
    dependants: Dependants = msgspec.field(default_factory=Dependants)
    root: Components | None = None
    """The parts whose index and other resources a narrower scope shares; None for those parts."""
    beside: Components | None = None
    """The parts whose records an agent with its own index shares; None for all others."""

    def watch(self) -> Iterator[Synced]:
        """Yield what each sync in the background did; see `Memory.watch`."""
        if not (self.resources.order.live and self.resources.resolved.settings.sync.watch):
            hint = "set sync.watch to true, and open the memory with live=True"
            raise InvalidInput("this memory does not watch", hint=hint)
        return self.maintenance.watch()

    def backup(self, order: BackupOrder, path: Path, *, replace: bool) -> BackupReport:
        """Write the home into one file; see `Memory.backup`."""
        from recollect.governance.backup import back_up

        return back_up(order, self.resources.records, self.resources.clock, path, replace=replace)

    def backup_order(
        self, secrets: bool, workspace: bool, on_progress: OnBackup | None
    ) -> BackupOrder:
        """Return the order for a backup, with mirrors that are up to date; see `Memory.backup`."""
        from recollect.governance.backup import BackupOrder, ignore_progress

        base = self.resources
        self.require_whole("a backup")
        if workspace and base.workspace is None:
            raise InvalidInput("this memory has no workspace", hint="give one with --workspace")
        if self.mirror is not None:
            self.mirror.flush()
        return BackupOrder(
            home=base.home,
            secrets=secrets,
            workspace=base.workspace if workspace else None,
            redactor=base.redactor,
            on_progress=on_progress or ignore_progress,
        )

    def preview(self, *, rebuild: bool) -> Preview:
        """Return a preview of what a sync reads, embeds and costs; see `Memory.preview`."""
        from recollect.store.usage_ledger import UsageLedger

        found, base = self.index.preview(rebuild=rebuild), self.resources
        limit = base.resolved.settings.embedding.remote.daily_tokens
        if not (found.is_paid and limit):
            return found
        today = to_datetime(base.clock.now_ms()).date().isoformat()
        left = max(0, limit - UsageLedger(base.records).spent(today))
        return msgspec.structs.replace(found, tokens_left_today=left)

    def without_notes(self, receipt: ErasureReceipt) -> ErasureReceipt:
        """Return the receipt, after the other search back end dropped the erased notes."""
        backend = self.search_backend
        failure = backend.refresh() if backend is not None and receipt.notes else None
        warnings = receipt.warnings if failure is None else (*receipt.warnings, failure)
        return msgspec.structs.replace(receipt, is_clean=not warnings, warnings=warnings)

    def observations(self) -> Observations:
        """Return the observations."""
        from recollect.observations.observations import Observations

        return Observations(self.observation_parts())

    def __repr__(self) -> str:
        return f"Components({str(self.resources.home)!r})"

    def recall(self, search: Search) -> ObservationRecall:
        """Return the observations with their timelines."""
        from recollect.recall.steps.timeline import ObservationRecall

        base = self.resources
        zone = zone_of(base.resolved.settings.sessions.time_zone)
        return ObservationRecall(self.observation_parts(), search, zone)

    def contexts(self, search: Search) -> Contexts:
        """Return the maker of context blocks."""
        from recollect.recall.context.contexts import Contexts

        return Contexts(self.context_parts(), search)

    def sections(self) -> Sections:
        """Return the keeper of the sections in files of the user."""
        from recollect.recall.context.sections import Sections

        base = self.resources
        return Sections(
            self.context_parts(), base.home, base.workspace, lambda: self.capture().projects
        )

    def lines(self, result: SearchResult, asker: Asker) -> IndexLines:
        """Return the index lines of hits; see `Memory.lines`."""
        from recollect.recall.steps.lines import lines_of

        base = self.resources
        return base.records.read(
            lambda tx: lines_of(tx, base.scope, result, base.audience(tx, asker))
        )

    def details(
        self, ids: str | Sequence[str], max_tokens: int | None, asker: Asker
    ) -> DetailBatch:
        """Return records in full, with their links; see `Memory.get`."""
        from recollect.recall.steps.details import read_details

        found = read_details(self.observation_parts(), ids, max_tokens, asker)
        return self.linker(asker).details(found)

    def linker(self, asker: Asker) -> Linker:
        """Return the linker from memory files to the observations that the asker may hear of."""
        from recollect.recall.steps.links import Linker

        base = self.resources
        is_whole = (base.scope.agent, base.scope.user, base.scope.project) == (None,) * 3
        return Linker(
            index=self.index,
            records=base.records,
            scope=base.scope,
            asker=asker,
            audience=base.audience,
            has_files=self.reading is not None or is_whole,  # else they may belong to other owners
        )

    def read(self, path: str, extent: Extent, asker: Asker) -> ReadResult:
        """Return lines of a memory file, as far as somebody may read it; see `Memory.read`."""
        reading, audience = self.reading, self.resources.audience(None, asker)
        if path.startswith(f"{GUEST_NOTES}/"):
            from recollect.recall.note_source import read_note

            note = read_note(self.notes.found, path, extent, audience)
            if note is not None:
                return note
        if not audience.is_owners:
            ref = path if reading is None or not audience.guests_read else reading.ref_of(path)
            audience.require_file(ref)
        if reading is None:
            raise NotFound("this memory has no workspace", hint="give one with --workspace")
        found = reading.read(path, extent)
        if not NAMES_ANY.search(found.text):
            return found
        return self.linker(asker).read(found, reading.mentions(found.path))

    def named(self, seen: Scope, options: SearchOptions, asker: Asker) -> Named:
        """Return the lookup of the record that a question names."""
        from recollect.recall.steps.named import Named

        base = self.resources
        return Named(base.records, seen, options, asker, base.audience)

    def require_whole(self, what: str) -> None:
        """Refuse an action on the whole home to a narrowed memory.

        Raises:
            Denied: this memory is a narrowed one.
        """
        if self.root is not None and self.resources.scope != self.root.resources.scope:
            hint = "ask the memory that this one was narrowed from"
            raise Denied(f"{what} takes in the whole home", hint=hint)

    def retire(self) -> None:
        """Give up the background work, and close when the last user is gone."""
        self.maintenance.pause()
        self.dependants.retire()
        finalize(self, self.closing)

    def reported(self) -> Reported:
        """Return the parts that a status reports on."""
        from recollect.recall.status import Reported

        base = self.resources
        return Reported(
            home=base.home,
            workspace=base.workspace,
            extra=shown_extra_paths(base),
            settings=base.resolved.settings,
            clock=base.clock,
            records=base.records,
            index_database=base.index_database,
            index=self.index,
            choice=base.choice,
            language=base.language,
            search_backend=self.search_backend,
            mirror=self.mirror,
            maintenance=self.maintenance,
            events=self.events,
            capture=self.capture(),
        )
