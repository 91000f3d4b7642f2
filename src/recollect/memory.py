"""The facade: what programs use. What is behind its calls is made in `rooms`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from recollect.audience.visibility import OPERATOR, Asker
from recollect.core.checks import checked, checked_call, self_checked
from recollect.core.clock import Clock, to_datetime, zone_of
from recollect.core.errors import InvalidInput, NotFound, StoreClosed, StoreCorrupt
from recollect.core.numbers import NAMED, NAMES_ANY
from recollect.core.scope import Scope
from recollect.core.settings import ResolvedSettings, Settings
from recollect.home import Home
from recollect.home_index import OpenOptions
from recollect.index.model.document import FILES, OBSERVATIONS
from recollect.index.model.sync_report import OnProgress, SyncReport, Watch, ignore_progress, never
from recollect.index.query.confidence import above_confidence
from recollect.index.query.hit import SearchResult
from recollect.index.query.search_service import DAMAGED_WORDS, SearchOptions
from recollect.memory_exchange import ExchangeFacade
from recollect.models.embedding.embedder import Embedder
from recollect.recall.audience import QUESTION, SearchQuestion, unknown_user
from recollect.recall.maintenance import Synced
from recollect.respond.inbound import Inbound
from recollect.rooms import Rooms
from recollect.store.sqlite.home import GUEST_NOTES
from recollect.store.streams import EventStream
from recollect.workspace.reading import MOST_READ_CHARS, MOST_SHOWN, Extent, ReadResult

if TYPE_CHECKING:  # rarely used parts are imported on first use
    from recollect.checkpoints.capture.file_calls import FileCalls
    from recollect.checkpoints.checkpoints import Checkpoints
    from recollect.governance.backup import BackupReport, OnBackup
    from recollect.governance.erasure import OnErase
    from recollect.governance.erasure_receipt import ErasureReceipt
    from recollect.governance.plan import PruneReport
    from recollect.governance.retention import OnPrune
    from recollect.governance.scrubbing import OnScrub, ScrubReceipt
    from recollect.governance.tokens import Tokens
    from recollect.governance.use_preview import UsePreview
    from recollect.index.indexing.preview import Preview
    from recollect.index.repair.checkup import IndexCheckup
    from recollect.memory_sessions import MemorySessions
    from recollect.observations.controls import CaptureControls
    from recollect.observations.projects import Projects
    from recollect.recall.context.contexts import Contexts
    from recollect.recall.context.sections import Sections
    from recollect.recall.facts import FactRecall
    from recollect.recall.probe import Probe
    from recollect.recall.record_counts import KnownCounts, Measure, RecordCounts
    from recollect.recall.retrieval.episodes import Episodes
    from recollect.recall.retrieval.retriever import Recalled
    from recollect.recall.statements.checkup import KnowledgeCheckup
    from recollect.recall.status import Reported, Status
    from recollect.recall.steps.detail import DetailBatch
    from recollect.recall.steps.file_chunks import ChunkedFile
    from recollect.recall.steps.lines import IndexLines
    from recollect.recall.steps.timeline import ObservationRecall
    from recollect.respond.channels.channels import Channels
    from recollect.respond.reply import Reply, ReplyEvent
    from recollect.respond.responder import Responder
    from recollect.sessions.identities import Identities
    from recollect.store.audit import Audit
    from recollect.store.usage_ledger import Spent

INLINE_EMBEDDINGS = 2_000
"""Chunks that a search embeds before it answers: some seconds once, after a bulk of new text. The
rest is left to `sync` and the background."""


@checked
class Memory(ExchangeFacade):
    """The memory of one home. A context manager; threads may share it. Use `recollect.open`."""

    def __init__(self, rooms: Rooms, *, is_owner: bool = False) -> None:
        super().__init__(rooms)
        self._is_owner = is_owner
        """Whether it closes the home."""
        self.home: Path = rooms.home.folder
        self.scope: Scope = rooms.scope
        self.workspace: Path | None = rooms.workspace
        self.settings: Settings = rooms.settings
        self.events: EventStream = rooms.events

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        suffix = "" if self.workspace is None else f", workspace={str(self.workspace)!r}"
        return f"Memory({str(self.home)!r}{suffix})"

    def within(self, scope: Scope) -> Memory:
        """Return this memory as a narrower scope sees it, sharing what is already open.

        It answers like a memory opened with that scope, but does not back up or scrub the home;
        closing it does nothing.

        Raises:
            Denied: the scope belongs to another owner.
        """
        return Memory(self._rooms.within(scope))

    @cached_property
    def sessions(self) -> MemorySessions:
        """The sessions of this home."""
        from recollect.memory_sessions import MemorySessions

        return MemorySessions(self._rooms)

    @property
    def observations(self) -> ObservationRecall:
        """Observations: what agents did and saw, and their timelines."""
        from recollect.recall.steps.timeline import ObservationRecall

        zone = zone_of(self.settings.sessions.time_zone)
        return ObservationRecall(self._rooms.observation_parts, self.search, zone)

    @property
    def facts(self) -> FactRecall:
        """Facts: what is known of people and projects."""
        from recollect.recall.facts import FactRecall

        return FactRecall(self._rooms.fact_parts, self.search)

    @property
    def episodes(self) -> Episodes:
        """Episodes: what stays of sessions, in a few lines each."""
        from recollect.recall.retrieval.episodes import Episodes

        return Episodes(self._rooms.episode_parts(self.search))

    def recall(
        self,
        user_id: str | None,
        query: str,
        limit: int = 10,
        *,
        for_session: str | None = None,
        for_sender: str | None = None,
    ) -> Recalled:
        """Return what is known that fits a question: facts and past sessions, as one text too.

        Args:
            user_id: The person it is about: ``telegram:42``, or a name; None for all of the scope.
            query: A question or words.
            limit: Facts at most, 1 to 300; beside them at most five episodes.
            for_session: On behalf of this session: only what it may hear.
            for_sender: Whom that session answers, as for `search`.

        Raises:
            NotFound: the scope has no session ``for_session``.
            Denied: the person is another than the scope allows.
            InvalidInput: an argument is out of range.
        """
        retriever = self._rooms.retriever(self.facts, self.search)
        return retriever.recall(
            user_id, query, limit, for_session=for_session, for_sender=for_sender
        )

    @property
    def projects(self) -> Projects:
        """The projects of this home."""
        return self.capture.projects

    @property
    def capture(self) -> CaptureControls:
        """Controls of what is captured of projects."""
        return self._rooms.capture

    @property
    def context(self) -> Contexts:
        """Context blocks for prompts: ``memory.context(session_id)`` returns one."""
        from recollect.recall.context.contexts import Contexts

        rooms = self._rooms
        return Contexts(
            rooms.context_parts,
            self.search,
            lambda: rooms.retriever(self.facts, self.search),
            self.read,
        )

    @property
    def responder(self) -> Responder:
        """The responder, which answers messages with a language model; see `respond`."""
        from recollect.memory_respond import responder_of

        return responder_of(self, self._rooms)

    def respond(
        self,
        key: str,
        text: str,
        sender: str | None = None,
        event_id: str | None = None,
        *,
        edits: str | None = None,
        name: str | None = None,
        at: int | datetime | None = None,
        reply_to_agent: bool = False,
        debounce_ms: int | None = None,
    ) -> Reply:
        """Take a message in, answer it with the language model, and return the reply.

        The message is stored first, under the session that its key has now. Those that come within
        ``auto_responder.debounce_ms`` are answered together. A model that fails is a reply with
        the status ``failed``, and the message is kept.

        Args:
            key: Who and where, as for `Sessions.open`.
            text: What was said; empty for a message without a text.
            sender: The account that said it: ``telegram:42``.
            event_id: Its id on the channel: the same id again stores nothing, and returns the same
                reply.
            edits: The event id of the message that this one replaces.
            name: The speaker, where it is known.
            at: When it was said, ms UTC or datetime; now if not given.
            reply_to_agent: Whether it replies to something that the agent said: in a group that
                calls the agent.
            debounce_ms: How long to wait for a further message; that of the settings if not given.

        Raises:
            InvalidInput: something of it cannot be stored.
            Denied: the key belongs to another owner than the scope's.
            Conflict: another program holds the session.
            StoreError: the database refused.
        """
        inbound = Inbound(
            key=key,
            text=text,
            sender=sender,
            event_id=event_id,
            edits=edits,
            name=name,
            at=at,
            reply_to_agent=reply_to_agent,
        )
        return self.responder.respond(inbound, debounce_ms)

    def respond_stream(
        self,
        key: str,
        text: str,
        sender: str | None = None,
        event_id: str | None = None,
        *,
        edits: str | None = None,
        name: str | None = None,
        at: int | datetime | None = None,
        reply_to_agent: bool = False,
        debounce_ms: int | None = None,
    ) -> Iterator[ReplyEvent]:
        """Take a message in as `respond` does; yield its answer as it arrives, and last the reply.

        The message is stored when this returns. Closing the iterator cancels the answer; what
        arrived of it stays.

        Args:
            key: As for `respond`, and so are the others.
            text: What was said.
            sender: The account that said it.
            event_id: Its id on the channel.
            edits: The event id of the message that this one replaces.
            name: The speaker.
            at: When it was said.
            reply_to_agent: Whether it replies to something that the agent said.
            debounce_ms: How long to wait for a further message.

        Raises:
            RecollectError: as `respond`.
        """
        inbound = Inbound(
            key=key,
            text=text,
            sender=sender,
            event_id=event_id,
            edits=edits,
            name=name,
            at=at,
            reply_to_agent=reply_to_agent,
        )
        return self.responder.stream(inbound, debounce_ms)

    @property
    def sections(self) -> Sections:
        """Sections of decisions and fixes in files that agents read by themselves."""
        from recollect.recall.context.sections import Sections

        parts, capture = self._rooms.context_parts, self._rooms.capture_controls
        return Sections(parts, self.home, self.workspace, lambda: capture().projects)

    @cached_property
    def identities(self) -> Identities:
        """The people behind the accounts of channels."""
        from recollect.sessions.identities import Identities

        return Identities(self._rooms.access, self._rooms.opened.people)

    @cached_property
    def checkpoints(self) -> Checkpoints:
        """Checkpoints: what files were before an agent changed them, and the way back."""
        from recollect.memory_checkpoints import checkpoints_of

        return checkpoints_of(self._rooms)

    @cached_property
    def file_calls(self) -> FileCalls:
        """What takes a checkpoint before a tool of an agent changes files, and after it."""
        from recollect.memory_checkpoints import file_calls_of

        return file_calls_of(self._rooms)

    @property
    def tokens(self) -> Tokens:
        """The tokens of callers of this home's worker."""
        from recollect.governance.token_file import TokenFile
        from recollect.governance.tokens import Tokens

        rooms, home = self._rooms, self._rooms.home
        file = TokenFile(self.home)
        return Tokens(rooms.records, file, home.clock, home.ids, rooms.drafts, self.scope)

    @property
    def channels(self) -> Channels:
        """Who may write over channels, and how the channels of the worker do."""
        from recollect.respond.channels.channels import ChannelAccess, Channels

        rooms = self._rooms
        access = ChannelAccess(
            database=rooms.records,
            clock=rooms.home.clock,
            scope=self.scope,
            people=rooms.opened.people,
            settings=self.settings.channels,
            key_for=rooms.sessions.key_for,
        )
        return Channels(access)

    @property
    def audit(self) -> Audit:
        """The log of actions with the rights of an operator, and of refusals."""
        from recollect.store.audit import Audit

        return Audit(self._rooms.records, self._rooms.home.clock, self.scope)

    def sync(self, on_progress: OnProgress = ignore_progress) -> SyncReport:
        """Bring the index up to date, embeddings included; return a report.

        Args:
            on_progress: Called after every batch.

        Returns:
            What this call did, without the background; `status` has the content of the index.

        Raises:
            StoreError: a database refused.
            ProviderError: the embedder failed; words are indexed anyway.
        """
        report = self._rooms.opened.maintenance.run(lambda: self._sync(on_progress))
        backend = self._rooms.search_backend
        failure = None if backend is None else backend.refresh()
        return report if failure is None else report.plus(SyncReport(warnings=(failure,)))

    def _sync(self, on_progress: OnProgress) -> SyncReport:
        rooms, opened = self._rooms, self._rooms.opened
        report = SyncReport(warnings=opened.maintenance.bring_in())
        if opened.model is not None:
            from recollect.upkeep import digest

            digest(opened, self.scope, never)
        report = report.plus(rooms.index.sync(Watch(tell=on_progress)))
        if opened.derive(Watch(tell=on_progress)):  # records, files stay as they are
            watch = Watch(tell=on_progress, changed=frozenset())
            report = report.plus(rooms.index.sync(watch))
        return report

    def watch(self) -> Iterator[Synced]:
        """Keep the index in step until it is closed; yield what each sync in the background did.

        The memory must be live. Only syncs that did something, or failed, are reported.

        Raises:
            InvalidInput: watching is turned off, or the memory is not live.
            StoreBusy: another program does it already.
        """
        opened = self._rooms.opened
        if not (opened.options.live and self.settings.sync.watch):
            hint = "set sync.watch to true, and open the memory with live=True"
            raise InvalidInput("this memory does not watch", hint=hint)
        return opened.maintenance.watch()

    def reindex(self, on_progress: OnProgress = ignore_progress) -> SyncReport:
        """Rebuild the index; the old one answers searches until the new one is finished.

        Raises:
            StoreError: a database refused.
            ProviderError: the embedder failed; the old index stays.
        """
        rooms = self._rooms
        return rooms.opened.maintenance.run(lambda: rooms.index.rebuild(Watch(tell=on_progress)))

    def needs_confirmation(self, *, reindex: bool = False) -> bool:
        """Return whether the user must confirm a sync, or a reindex, because of its cost; cheap."""
        return self._rooms.index.needs_confirmation(rebuild=reindex)

    def preview(self, *, reindex: bool = False) -> Preview:
        """Return what a sync, or a reindex, would read, embed and cost; nothing is changed.

        Args:
            reindex: Whether to rebuild everything.

        Raises:
            StoreError: a database refused.
        """
        from recollect.store.usage_ledger import UsageLedger

        estimate, rooms = self._rooms.index.preview(rebuild=reindex), self._rooms
        limit = self.settings.embedding.remote.daily_tokens
        if not (estimate.is_paid and limit):
            return estimate
        today = to_datetime(rooms.home.clock.now_ms()).date().isoformat()
        tokens_left = max(0, limit - UsageLedger(rooms.records).spent(today))
        return msgspec.structs.replace(estimate, tokens_left_today=tokens_left)

    @self_checked
    def search(
        self,
        query: str,
        limit: int | None = None,
        min_score: float | None = None,
        sources: Sequence[str] | None = None,
        scope: Scope | None = None,
        *,
        mode: str = "hybrid",
        channel: str | None = None,
        for_session: str | None = None,
        for_sender: str | None = None,
        since: int | datetime | str | None = None,
        until: int | datetime | str | None = None,
        types: Sequence[str] | None = None,
        min_importance: float | None = None,
        min_confidence: float | None = None,
        as_of: int | datetime | str | None = None,
        near_project: str | None = None,
        on_progress: OnProgress = ignore_progress,
    ) -> SearchResult:
        """Return the best hits for a question.

        Args:
            query: A question or words; or a number such as ``m88``, whose record comes first.
            limit: Hits at most, 1 to 1,000; `search.limit` if not given.
            min_score: Leave out hits below it, 0 to 1, unless they have all the words.
            sources: Only these kinds of memory; all if not given.
            scope: Narrows what is searched; it cannot see more than the scope of this memory.
            mode: ``hybrid``, ``lexical`` or ``vector``.
            channel: Only what was said or done on this channel: ``telegram``.
            for_session: Only what this session may hear; without it everything, as the operator.
            for_sender: Whom that session answers: ``telegram:42``; else its newest turn's sender.
            since: Only what was said or done from then on: ms UTC, a datetime, ``last week`` …
            until: Only what was before then; of a text that is a range, its end.
            types: Only observations of these types: ``decision``, ``bugfix`` …
            min_importance: Only observations of at least this importance, 0 to 1.
            min_confidence: No hits, and a warning, where `SearchResult.confidence` is below it.
            as_of: What held then comes first, before what replaced it; times as in `until`.
            near_project: The project at hand is preferred, by a path; else that of the session.
            on_progress: Called while new messages and files are indexed first.

        Raises:
            InvalidInput: an argument is out of range.
            NotFound: the session does not exist; or the operator names a channel without sessions.
        """
        if not callable(on_progress):
            raise InvalidInput("on_progress must be a function", hint="pass one, or leave it out")
        rooms, asker = self._rooms, Asker(for_session, for_sender)
        seen = self.scope if scope is None else rooms.narrowed(scope)
        if seen is None:
            return SearchResult(hits=[], mode=mode, warnings=["the scope is of another owner"])
        audience = None if asker == OPERATOR else rooms.audience(None, asker)
        question = SearchQuestion(**{name: v for name, v in locals().items() if name in QUESTION})
        options = question.options(seen, self.settings, rooms.records, rooms, rooms.home.clock)
        result = self._found(query, seen, asker, options, on_progress)
        result = result if min_confidence is None else above_confidence(result, min_confidence)
        if seen.tenant in rooms.index.search_service.fact_tenants:
            result = rooms.with_facts(result, asker, options)
        return self._linked(self._contradicted(result, options), asker)

    def _contradicted(self, result: SearchResult, options: SearchOptions) -> SearchResult:
        """Return a result whose hits name those that contradict them.

        Only where a state is asked for, or one of them denies anything, there may be such.
        """
        from recollect.text.denial import denies

        is_likely = options.replacing is not None or any(
            hit.role == "user" and denies(hit.snippet) for hit in result.hits
        )
        if not is_likely:
            return result
        from recollect.recall.statements.contradictions import with_contradictions

        people = self._rooms.opened.people
        return self._rooms.records.read(lambda tx: with_contradictions(tx, people, result))

    def _linked(self, result: SearchResult, asker: Asker) -> SearchResult:
        """Return a result whose hits have links between memory files and observations."""
        is_linked = any(hit.source in {FILES, OBSERVATIONS} for hit in result.hits)
        return self._rooms.linker(asker).hits(result) if is_linked else result

    def _found(
        self,
        query: str,
        seen: Scope,
        asker: Asker,
        options: SearchOptions,
        on_progress: OnProgress,
    ) -> SearchResult:
        """Return the result of a search; a damaged index is healed first."""
        rooms, maintenance = self._rooms, self._rooms.opened.maintenance
        began = time.monotonic()
        missing = maintenance.searching() if maintenance.reads_first else ()
        search = rooms.search_backend or rooms.index
        ask = partial(search.search, query, seen, options, on_progress, INLINE_EMBEDDINGS)
        try:
            result = ask()
        except StoreCorrupt as error:
            result = maintenance.healed(error, ask)
        took_ms = (time.monotonic() - began) * 1000
        maintenance.searched(took_ms, is_damaged=DAMAGED_WORDS in result.warnings)
        if missing and not options.sees_files:
            missing = ()
        unknown = () if result.hits else unknown_user(rooms.records, seen)
        result = msgspec.structs.replace(result, warnings=[*missing, *result.warnings, *unknown])
        if options.is_narrowed or not NAMED.fullmatch(query):
            return result
        from recollect.recall.steps.named import Named

        return Named(rooms.records, seen, options, asker, rooms.audience).first(result, query)

    def unheard_warnings(self, result: SearchResult) -> list[str]:
        """Return the warnings of an answer that were not shown in the last 24 hours.

        They count as shown now. Without hits, or with a damaged index, none is left out.
        """
        from recollect.recall.daily_warnings import unheard_warnings

        return unheard_warnings(self._rooms.records, self._rooms.home.clock, result)

    def read(
        self,
        path: str,
        from_line: int = 1,
        lines: int | None = None,
        *,
        max_chars: int = MOST_READ_CHARS,
        for_session: str | None = None,
        for_sender: str | None = None,
    ) -> ReadResult:
        """Return lines of a memory file, without secrets, and where to continue.

        Args:
            path: As in hits, or absolute inside the workspace.
            from_line: First line, from 1; after the end the text is empty.
            lines: Lines at most; 120 if not given.
            max_chars: Characters at most, up to a whole line; a longer first line is cut.
            for_session: Read on behalf of this session.
            for_sender: Whom that session answers, as for `search`.

        Returns:
            The lines; with the status ``not_found``, and no text, when the file does not exist.

        Raises:
            Denied: the path cannot be a memory file, is a link, or is not for this session.
            InvalidInput: a number is below 1, or the file is binary or too large.
            NotFound: this memory has neither a workspace nor extra paths, or lacks the session.
            StoreClosed: the memory was closed.
        """
        if self._rooms.opened.closed.is_set():
            raise StoreClosed("the memory is closed", hint="open it again")
        extent = Extent(from_line=from_line, lines=lines, max_chars=max_chars)
        return self._read(path, extent, Asker(for_session, for_sender))

    def _read(self, path: str, extent: Extent, asker: Asker) -> ReadResult:
        """Return lines of a memory file, as far as somebody may read it."""
        rooms, reading = self._rooms, self._rooms.reading
        audience = rooms.audience(None, asker)
        if path.startswith(f"{GUEST_NOTES}/"):
            from recollect.recall.note_source import read_note

            note = read_note(rooms.notes.found, path, extent, audience)
            if note is not None:
                return note
        if not audience.is_owners:
            ref = path if reading is None or not audience.guests_read else reading.ref_of(path)
            audience.require_file(ref)
        if reading is None:
            raise NotFound("this memory has no workspace", hint="give one with --workspace")
        result = reading.read(path, extent)
        if not NAMES_ANY.search(result.text):
            return result
        return rooms.linker(asker).read(result, reading.mentions(result.path))

    def files(self, *, for_session: str | None = None, for_sender: str | None = None) -> list[str]:
        """Return the paths of the memory files that can be read, sorted; nothing is opened.

        Args:
            for_session: Only those that may be read on behalf of this session.
            for_sender: Whom that session answers, as for `search`.

        Raises:
            NotFound: the scope lacks the session.
            InvalidInput: a sender is given without a session, or is not a valid account.
        """
        reading = self._rooms.reading
        audience = self._rooms.audience(None, Asker(for_session, for_sender))
        paths = [] if reading is None else reading.paths()
        return [path for path in paths if audience.sees_file(path)]

    def file_chunks(
        self, path: str, *, for_session: str | None = None, for_sender: str | None = None
    ) -> ChunkedFile:
        """Return a memory file with the chunks that the index made of it.

        Args:
            path: As for `read`.
            for_session: Read on behalf of this session.
            for_sender: Whom that session answers, as for `search`.

        Raises:
            RecollectError: as for `read`.
        """
        from recollect.recall.steps.file_chunks import chunked

        asker = Asker(for_session, for_sender)
        file = self._read(path, Extent(lines=MOST_SHOWN, max_chars=MOST_SHOWN), asker)
        return chunked(self._rooms.index, self.scope.tenant, file)

    def lines(
        self, result: SearchResult, *, for_session: str | None = None, for_sender: str | None = None
    ) -> IndexLines:
        """Return the hits of a search as lines of at most 100 tokens, each with its record's cost.

        Args:
            result: Of `search`; hits that are gone meanwhile are left out.
            for_session: As for the search: only what this session may hear.
            for_sender: Whom that session answers, as for `search`.
        """
        from recollect.recall.steps.lines import lines_of

        rooms, asker = self._rooms, Asker(for_session, for_sender)
        return rooms.records.read(
            lambda tx: lines_of(tx, self.scope, result, rooms.audience(tx, asker))
        )

    def get(
        self,
        ids: str | Sequence[str],
        max_tokens: int | None = 1_000,
        *,
        for_session: str | None = None,
        for_sender: str | None = None,
    ) -> DetailBatch:
        """Return records of any kind in full, in the order of the ids, and the missing ids.

        Args:
            ids: Numbers such as ``#12``, ``m88`` and ``e3``, or UUIDs.
            max_tokens: The most tokens of each, which is shortened to that; None for no limit.
            for_session: On behalf of this session: what it may not hear is missing.
            for_sender: Whom that session answers, as for `search`.

        Raises:
            InvalidInput: an id is neither a number nor a UUID.
        """
        from recollect.recall.steps.details import read_details

        rooms, asker = self._rooms, Asker(for_session, for_sender)
        batch = read_details(rooms.observation_parts, ids, max_tokens, asker)
        return rooms.linker(asker).details(batch)

    def preview_uses(self) -> list[UsePreview]:
        """Return what each use of a language model would take in a day; no model is called."""
        from recollect.upkeep import preview_of

        return preview_of(self._rooms.opened, self.scope.tenant)

    def prune(self, *, dry_run: bool = False, on_progress: OnPrune | None = None) -> PruneReport:
        """Permanently remove what is above the caps of ``sessions.retention``; return a receipt.

        Args:
            dry_run: Only report what would be removed; nothing is changed.
            on_progress: Called after each session.

        Raises:
            StoreError: a database refused; what was removed so far stays removed.
        """
        retention = self._rooms.retention
        return retention.preview() if dry_run else retention.prune(on_progress)

    def backup(
        self,
        path: Path | str,
        *,
        secrets: bool = False,
        workspace: bool = False,
        with_checkpoints: bool = False,
        replace: bool = False,
        on_progress: OnBackup | None = None,
    ) -> BackupReport:
        """Write the whole home into one compressed, verified file (0600), while programs run.

        Args:
            path: The new file, or a folder for one with the date in its name.
            secrets: Also tokens, and the keys in ``config.yaml``.
            workspace: Also the memory files of the workspace.
            with_checkpoints: Also what files were at checkpoints: raw, secrets included.
            replace: Replace an existing file.
            on_progress: Called from time to time with bytes done and in total.

        Raises:
            Conflict: the file exists, and ``replace`` is not set.
            InvalidInput: it would lie in the home; or this memory has no workspace.
            StoreError: something cannot be read or written; no file is left.
        """
        from recollect.governance.backup import BackupOrder, back_up, ignore_progress

        rooms = self._rooms
        rooms.require_whole("a backup")
        if workspace and self.workspace is None:
            raise InvalidInput("this memory has no workspace", hint="give one with --workspace")
        if rooms.mirror is not None:
            rooms.mirror.flush()
        order = BackupOrder(
            home=self.home,
            secrets=secrets,
            workspace=self.workspace if workspace else None,
            checkpoints=with_checkpoints,
            redactor=rooms.opened.redactor,
            on_progress=on_progress or ignore_progress,
        )
        return back_up(order, rooms.records, rooms.home.clock, Path(path), replace=replace)

    def erase(
        self,
        *,
        session_id: str | None = None,
        user_id: str | None = None,
        project: str | None = None,
        since: int | datetime | str | None = None,
        until: int | datetime | str | None = None,
        query: str | None = None,
        fact_id: str | None = None,
        dry_run: bool = False,
        plan_id: str | None = None,
        with_forks: bool = False,
        on_progress: OnErase | None = None,
    ) -> ErasureReceipt:
        """Erase what all given selectors select, so that no byte is left; return a receipt.

        Args:
            session_id: This session; or only of it, with a person, a time or a text.
            user_id: What this person, a name or an account, said by any account, in groups too.
            project: Sessions of this project: a path of it, its name or its id.
            since: Only what was said or done from then on, as for `search`.
            until: Only what was said or done before then.
            query: Only messages and observations that hold this text, capitals aside.
            fact_id: Alone: a fact with its history, by number or id; what says it stays.
            dry_run: Only report what would be removed; nothing is changed.
            plan_id: Of the dry run that was agreed to; any if not given.
            with_forks: Also erase living forks that share messages with a session.
            on_progress: Called while rows are removed.

        Raises:
            InvalidInput: no selector, an empty one, the owner, or a fact with something else.
            NotFound: the scope has nothing of it.
            Conflict: living forks share messages with a session, a program holds one, or what would
                go has changed since the dry run.
            StoreBusy: another program is erasing, or makes a backup.
            StoreError: a database refused; the next opening finishes the erasure.
        """
        from recollect.governance.selection import SELECTORS, read_selection

        selectors = {name: value for name, value in locals().items() if name in SELECTORS}
        rooms, zone = self._rooms, zone_of(self.settings.sessions.time_zone)
        selection = read_selection(selectors, rooms.home.clock.now_ms(), zone, self.projects.find)
        receipt = rooms.eraser.erase(
            selection, dry_run=dry_run, plan_id=plan_id, on_progress=on_progress
        )
        if receipt.partial_ids and not dry_run:
            rooms.sessions.finish_endings()
        backend = rooms.search_backend if receipt.notes and not dry_run else None
        failure = None if backend is None else backend.refresh()
        warnings = receipt.warnings if failure is None else (*receipt.warnings, failure)
        return msgspec.structs.replace(receipt, is_clean=not warnings, warnings=warnings)

    def scrub(self, *, dry_run: bool = False, on_progress: OnScrub | None = None) -> ScrubReceipt:
        """Redact everything stored by the current rules; see `Scrubber.run`."""
        self._rooms.require_whole("scrubbing")
        return self._rooms.scrubber.run(dry_run=dry_run, on_progress=on_progress)

    @property
    def warning(self) -> str | None:
        """Why this memory is read-only: the home cannot be written; else None."""
        return self._rooms.home.warning

    def explain_settings(self) -> ResolvedSettings:
        """Return the settings in force and where each one comes from."""
        return self._rooms.opened.resolved

    def status(self) -> Status:
        """Return the contents and the condition of the home; no provider is called.

        Raises:
            StoreError: a database cannot be read.
        """
        from recollect.recall.status import report_status

        return self._rooms.opened.maintenance.healing(lambda: report_status(self._reported()))

    def counts(self) -> RecordCounts:
        """Return the number of records of each kind within the scope of this memory."""
        from recollect.recall.record_counts import count_records

        return count_records(self._rooms.records, self.scope)

    def measure(self, before: Measure | None = None) -> Measure:
        """Return what came in, what the index lacks and how long searches took, since a moment.

        Args:
            before: The measure of that moment. Without one, what is counted begins now.

        Raises:
            Denied: this memory is a narrowed one.
        """
        from recollect.recall.record_counts import Measure, measure

        if not isinstance(before, Measure | None):
            raise InvalidInput("before must be a Measure", hint="pass what measure returned")
        rooms, opened = self._rooms, self._rooms.opened
        rooms.require_whole("what is measured")
        return measure(rooms.records, opened.database, opened.maintenance, before)

    def spending(self, days: int = 30) -> list[Spent]:
        """Return what models used and cost, by day, kind, purpose and model, oldest first.

        Args:
            days: Of the last days (UTC), today included.

        Raises:
            Denied: this memory is a narrowed one: models work for the whole home.
            InvalidInput: the days are not 1 to 3,660.
        """
        from recollect.store.usage_ledger import latest_spending

        self._rooms.require_whole("what models cost")
        return latest_spending(self._rooms.records, days, self._rooms.home.clock)

    def known(self) -> KnownCounts:
        """Return how much is known within the scope of this memory, facts by kind."""
        from recollect.recall.record_counts import count_known

        return count_known(self._rooms.records, self.scope)

    def extract(self, on_progress: OnProgress = ignore_progress) -> int:
        """Extract what messages state, without indexing anything; `sync` does it as well.

        Args:
            on_progress: Called after each batch.

        Returns:
            How many messages were read.

        Raises:
            InvalidInput: ``on_progress`` is not a function.
            StoreError: the database refused.
        """
        if not callable(on_progress):
            raise InvalidInput("on_progress must be a function", hint="pass one, or leave it out")
        return self._rooms.opened.extract(Watch(tell=on_progress))

    def _reported(self) -> Reported:
        """Return what a status reports on."""
        from recollect.recall.status import Reported

        rooms, opened = self._rooms, self._rooms.opened
        redact = str if opened.redactor is None else opened.redactor.path
        return Reported(
            home=self.home,
            workspace=self.workspace,
            extra=tuple(
                redact(str(each.path / each.pattern)) for each in opened.extra_paths(self.scope)
            ),
            settings=self.settings,
            clock=rooms.home.clock,
            records=rooms.records,
            index_database=opened.database,
            index=rooms.index,
            choice=opened.choice,
            language=opened.language,
            search_backend=rooms.search_backend,
            mirror=rooms.mirror,
            maintenance=opened.maintenance,
            events=self.events,
            capture=rooms.capture,
        )

    def probe_embedding(self) -> Probe:
        """Return whether the embedder answers: one word is embedded, at most twice a minute."""
        return self._rooms.probe.ask()

    def probe_vectors(self) -> bool:
        """Return whether the vector back end of the settings can be reached."""
        index = self._rooms.index
        return index.near.status(index.status().dimensions).available

    def checkup(self) -> IndexCheckup:
        """Return the checkup that examines the rows of the index and repairs them."""
        from recollect.index.repair.checkup import IndexCheckup

        return IndexCheckup(self._rooms.opened.database, self._rooms.index)

    def knowledge_checkup(self) -> KnowledgeCheckup:
        """Return the checkup that examines what is known, and derives it again."""
        from recollect.recall.statements.checkup import KnowledgeCheckup
        from recollect.recall.statements.extraction import Extraction

        records, clock = self._rooms.records, self._rooms.home.clock
        extraction = Extraction(records, self._rooms.opened.people, clock)
        return KnowledgeCheckup(records, clock, extraction)

    def forgive_batches(self) -> int:
        """Allow the provider's batches again; return the number of failures that are forgotten."""
        return self._rooms.index.forgive_batches()

    def heal_mirrors(self) -> Mapping[str, int]:
        """Make every readable transcript equal to the database; return counts by earlier state."""
        mirror = self._rooms.mirror
        return {} if mirror is None else {str(k): n for k, n in mirror.heal_all().items()}

    def set_stray_mirrors_aside(self) -> int:
        """Rename mirrors of sessions that the database does not have."""
        mirror = self._rooms.mirror
        return 0 if mirror is None else mirror.set_strays_aside()

    def close(self) -> None:
        """Finish writing and close the files. A second call does nothing."""
        if self._is_owner:
            self._rooms.home.close()


@checked_call
def open_memory(
    home: Path | str | None = None,
    workspace: Path | str | None = None,
    *,
    overrides: Mapping[str, object] | None = None,
    scope: Scope | None = None,
    clock: Clock | None = None,
    embedder: Embedder | None = None,
    live: bool = True,
    count_tokens: Callable[[str], int] | None = None,
) -> Memory:
    """Open the memory of a home, which is created when it is missing.

    Args:
        home: Its folder; ``RECOLLECT_HOME`` or ``~/.recollect`` if not given.
        workspace: The folder of MEMORY.md and memory/; the setting ``workspace.path`` if not given.
        overrides: Settings by dotted key; they override file and environment.
        scope: The scope of the memory; the whole local tenant if not given.
        clock: The time; the machine's clock if not given.
        embedder: Makes vectors; the one of the settings if not given.
        live: Whether the program is long-running: then, from its first use of the memory on, files
            are watched and the index is kept in step in the background, see `sync` in the settings.
        count_tokens: The tokenizer of your model; an estimate with 10 % of margin if not given.

    Raises:
        ConfigError: a setting is wrong.
        NotFound: the workspace is not a folder.
        StoreError: a database cannot be opened.
    """
    return Memory(Home(OpenOptions(**locals())).open_rooms(), is_owner=True)
