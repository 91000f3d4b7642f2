"""Made by scripts/async_twins.py from the synchronous classes; edit there."""
from __future__ import annotations
import builtins
from collections.abc import AsyncIterable
from functools import cached_property
from typing import TYPE_CHECKING
from recollect.aio.bridge import AsyncCallback
from recollect.aio.items import AsyncInside, AsyncItems
from recollect.aio.twin import AsyncHandle, Opening, Twin
from functools import partial
from recollect.audience.session_key import DIRECT
from recollect.core.scope import LOCAL_TENANT
from recollect.governance.tokens import SHARED
from recollect.index.model.sync_report import ignore_progress
from recollect.observations.observations import DETAIL_TOKENS
from recollect.sessions.policy.conversation import TURN_TIMEOUT_S
from recollect.sessions.sessions import let_begin
from recollect.store.audit import DONE
from recollect.workspace.reading import MOST_CHARS
if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Iterable
    from collections.abc import Iterator
    from collections.abc import Mapping
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path
    from recollect.audience.identity_links import IdentityLinks
    from recollect.audience.owner import Owner
    from recollect.audience.visibility import VisibilityGroup
    from recollect.core.clock import Clock
    from recollect.core.scope import Scope
    from recollect.core.settings import ResolvedSettings
    from recollect.core.settings import Settings
    from recollect.governance.backup import BackupReport
    from recollect.governance.backup import OnBackup
    from recollect.governance.erasure import ErasureReceipt
    from recollect.governance.erasure import OnErase
    from recollect.governance.exchange.export import ExportProgress
    from recollect.governance.exchange.export import HomeExport
    from recollect.governance.exchange.export import HomeExportReport
    from recollect.governance.exchange.importer import ExchangeReport
    from recollect.governance.exchange.importer import OnImport
    from recollect.governance.exchange.lines import ExportHeader
    from recollect.governance.plan import PruneReport
    from recollect.governance.retention import OnPrune
    from recollect.governance.scrubbing import OnScrub
    from recollect.governance.scrubbing import ScrubReceipt
    from recollect.governance.token_file import TokenFile
    from recollect.governance.tokens import IssuedToken
    from recollect.governance.tokens import Right
    from recollect.governance.tokens import Token
    from recollect.governance.tokens import Tokens
    from recollect.governance.use_preview import UsePreview
    from recollect.index.build.preview import Preview
    from recollect.index.model.sync_report import OnProgress
    from recollect.index.model.sync_report import SyncReport
    from recollect.index.query.hit import SearchResult
    from recollect.index.repair.checkup import Defect
    from recollect.index.repair.checkup import IndexCheckup
    from recollect.memory import Memory
    from recollect.memory_sessions import MemorySessions
    from recollect.observations.controls import CaptureCheck
    from recollect.observations.controls import CaptureControls
    from recollect.observations.controls import CaptureVerdict
    from recollect.observations.controls import Pause
    from recollect.observations.controls import Refusal
    from recollect.observations.draft import GivenObservation
    from recollect.observations.observation import Hearer
    from recollect.observations.observation import Made
    from recollect.observations.observation import Observation
    from recollect.observations.observation import ObservationBatch
    from recollect.observations.observation import Trust
    from recollect.observations.observations import Many
    from recollect.observations.observations import Numbers
    from recollect.observations.observations import Observations
    from recollect.observations.observations import Outcomes
    from recollect.observations.project_rows import Project
    from recollect.observations.projects import ProjectList
    from recollect.observations.projects import Projects
    from recollect.observations.recalled import OwnCalls
    from recollect.recall.context.block import ContextBlock
    from recollect.recall.context.contexts import Contexts
    from recollect.recall.context.injections import Injection
    from recollect.recall.context.request import Reason
    from recollect.recall.context.sections import SectionResult
    from recollect.recall.context.sections import Sections
    from recollect.recall.followed import FollowedFile
    from recollect.recall.maintenance import Synced
    from recollect.recall.probe import Probe
    from recollect.recall.status import RecordCounts
    from recollect.recall.status import Status
    from recollect.recall.steps.detail import DetailBatch
    from recollect.recall.steps.lines import IndexLines
    from recollect.recall.steps.lines import Timeline
    from recollect.recall.steps.timeline import ObservationRecall
    from recollect.session_handle import SessionHandle
    from recollect.session_handle import SessionObservations
    from recollect.sessions.catalogue import SessionList
    from recollect.sessions.context.compaction import Compaction
    from recollect.sessions.context.episode import Episode
    from recollect.sessions.context.flush import Flushed
    from recollect.sessions.context.view import ContextView
    from recollect.sessions.context.window import Compacted
    from recollect.sessions.exchange.export import ExportReport
    from recollect.sessions.exchange.export import SessionExport
    from recollect.sessions.exchange.import_report import ImportReport
    from recollect.sessions.exchange.import_report import OnFiles
    from recollect.sessions.lease import Lease
    from recollect.sessions.leased_session import LeasedSession
    from recollect.sessions.lifecycle import ForeignName
    from recollect.sessions.lifecycle import Hooked
    from recollect.sessions.lifecycle import Moment
    from recollect.sessions.policy.history import History
    from recollect.sessions.policy.history import PendingMessage
    from recollect.sessions.policy.modes import ModeRules
    from recollect.sessions.record.chat_message import ChatMessage
    from recollect.sessions.record.chat_message import Item
    from recollect.sessions.record.content import Content
    from recollect.sessions.record.lineage import Branch
    from recollect.sessions.record.lineage import LineageSegment
    from recollect.sessions.record.message import Message
    from recollect.sessions.record.session import Session
    from recollect.sessions.record.stand_in import StandIn
    from recollect.sessions.record.token_usage import TokenUsage
    from recollect.sessions.record.tool_call import ToolCall
    from recollect.sessions.sessions import Sessions
    from recollect.sessions.streaming import MessageStream
    from recollect.sessions.streaming import Piece
    from recollect.store.audit import Audit
    from recollect.store.audit import AuditEntry
    from recollect.store.audit import Outcome
    from recollect.store.engine import Database
    from recollect.store.engine import Transaction
    from recollect.store.journal import RecordedEvent
    from recollect.store.streams import EventReader
    from recollect.store.streams import EventStream
    from recollect.store.streams import EventsState
    from recollect.store.streams import OnEvent
    from recollect.store.streams import Subscription
    from recollect.workspace.reading import ReadResult
    from typing import Any
    from typing import BinaryIO
__all__ = ('AsyncAudit', 'AsyncSubscription', 'AsyncEventReader', 'AsyncEventStream', 'AsyncCaptureControls', 'AsyncProjects', 'AsyncObservations', 'AsyncObservationRecall', 'AsyncContexts', 'AsyncSections', 'AsyncTokens', 'AsyncHomeExport', 'AsyncIndexCheckup', 'AsyncSessionExport', 'AsyncHistory', 'AsyncMessageStream', 'AsyncLeasedSession', 'AsyncSessions', 'AsyncSessionObservations', 'AsyncSessionHandle', 'AsyncMemorySessions', 'AsyncMemoryCalls')

class AsyncAudit(Twin):
    """Writes and reads the audit; `memory.audit` is one of these objects.

    Args:
        records: ``records.db``.
        clock: Tells the time.
        scope: Whose entries are written; only its entries are read, and those of the whole home
            where nothing narrows it.
    """
    _target: Audit

    async def latest(self, limit: int=50) -> builtins.list[AuditEntry]:
        """Return the newest entries, up to ``limit``, oldest first.

        Raises:
            InvalidInput: the limit is below 0.
            StoreError: the database cannot be read.
        """
        return await self._awaited(self._target.latest, limit)

    async def record(self, action: str, *, target: str | None=None, outcome: Outcome=DONE) -> None:
        """Write an entry of what was done, or refused; see `record_audit`.

        Raises:
            StoreError: it could not be written.
        """
        return await self._awaited(self._target.record, action, target=target, outcome=outcome)

    async def refused(self, action: str) -> None:
        """Write an entry of what was refused to the token in play, at most once a minute.

        Raises:
            StoreError: it could not be written.
        """
        return await self._awaited(self._target.refused, action)

class AsyncSubscription(AsyncHandle):
    """A callback that is called with each event. A context manager.

    Made by `EventStream.subscribe`. The calls come one after the other, on a thread of their own.

    Attributes:
        failures: Calls that raised. The event counts as handed over; the next one follows.
        last_error: The class of the last such error, or the `code` of an error of the database.
    """
    _target: Subscription

    async def close(self) -> None:
        """Stop; after this the callback is not called again. A second call does nothing.

        It may be called from the callback.
        """
        return await self._awaited(self._target.close)

    @property
    def failures(self) -> int:
        return self._target.failures

    async def finish(self) -> None:
        """Hand over what was committed before this call, then stop."""
        return await self._awaited(self._target.finish)

    @property
    def last_error(self) -> str | None:
        return self._target.last_error

    @property
    def seq(self) -> int:
        """Everything up to here was handed over, or not wanted."""
        return self._target.seq

    async def wake(self) -> None:
        """Look for events now."""
        return await self._awaited(self._target.wake)

class AsyncEventReader(Twin):
    """Reads on from a place. Whoever has a bell rung by it closes it in the end.

    Made by `EventStream.reader`.
    """
    _target: EventReader

    async def close(self) -> None:
        """Ring its bell no more; a second call does nothing."""
        return await self._awaited(self._target.close)

    async def pause_s(self) -> float:
        """Return how long to wait for the next look when nothing was found."""
        return await self._awaited(self._target.pause_s)

    async def read(self) -> builtins.list[RecordedEvent]:
        """Return the next events; what is not wanted is passed over."""
        return await self._awaited(self._target.read)

    @property
    def seq(self) -> int:
        return self._target.seq

class AsyncEventStream(Twin):
    """What recollect did, in commit order; `memory.events` is one of these objects.

    Args:
        records: ``records.db``.
        scope: Only events that belong to it are seen.
    """
    _target: EventStream

    async def close(self) -> None:
        """Hand over what was committed before, then stop; a second call does nothing."""
        return await self._awaited(self._target.close)

    async def cursor(self, seq: int | None=None) -> str:
        """Return a place in the journal, to begin after it later.

        Unlike a bare number it is refused after a restore, however far the journal came since.

        Args:
            seq: The sequence number of an event; that of the newest one if not given.

        Raises:
            StoreError: the database cannot be read.
        """
        return await self._awaited(self._target.cursor, seq)

    def follow(self, seq: int | str | None=None, *, types: Sequence[str] | None=None, session_id: str | None=None) -> AsyncItems[RecordedEvent]:
        """Yield events as they come, those of other processes too, until the memory is closed.

        Args:
            seq: As in `since`; only what comes from now on if not given.
            types: Only these types.
            session_id: Only those of this session.

        Raises:
            InvalidInput: a type is unknown, or the place is none.
            Conflict: the journal ends before it, or is another one.
            StoreError: the database cannot be read.
        """
        return AsyncItems(self._hops, partial(self._target.follow, seq, types=types, session_id=session_id))

    async def last_seq(self) -> int:
        """Return the sequence number of the newest event of the home, seen or not.

        Raises:
            StoreError: the database cannot be read.
        """
        return await self._awaited(self._target.last_seq)

    async def latest(self, limit: int, *, types: Sequence[str] | None=None, session_id: str | None=None) -> builtins.list[RecordedEvent]:
        """Return the newest events, up to ``limit``, oldest first.

        Raises:
            InvalidInput: a type is unknown, or the limit is below 0.
            StoreError: the database cannot be read.
        """
        return await self._awaited(self._target.latest, limit, types=types, session_id=session_id)

    async def reader(self, seq: int | str | None=None, *, types: Sequence[str] | None=None, bell: AsyncCallback | Callable[[], None]) -> AsyncEventReader:
        """Return what reads on by hand, page by page: its ``seq`` moves when the caller moves it.

        Args:
            seq: As in `since`; only what comes from now on if not given.
            types: Only these types.
            bell: Called after each commit of this process, on the thread that writes, until the
                reader is closed. What others write is found by looking again after ``pause_s()``.

        Raises:
            InvalidInput: a type is unknown, or the place is none.
            Conflict: the journal ends before it, or is another one.
            StoreError: the database cannot be read.
        """
        return AsyncEventReader(await self._bridged(self._target.reader, seq, types=types, bell=bell), self._hops)

    async def seq_of(self, place: int | str | None) -> int:
        """Return the sequence number of a place in the journal: of the newest event if not given.

        Args:
            place: A sequence number, or a `cursor`.

        Raises:
            InvalidInput: it is neither.
            Conflict: the journal ends before it, or is another one.
            StoreError: the database cannot be read.
        """
        return await self._awaited(self._target.seq_of, place)

    def since(self, seq: int | str=0, *, types: Sequence[str] | None=None, session_id: str | None=None) -> AsyncItems[RecordedEvent]:
        """Yield every event after ``seq``, oldest first, until there is none left.

        Args:
            seq: The sequence number of the last one known, or a `cursor`; 0 for all.
            types: Only these types, such as ``session.created``.
            session_id: Only those of this session.

        Raises:
            InvalidInput: a type is unknown, or the place is none.
            Conflict: the journal ends before it, or is another one.
            StoreError: the database cannot be read.
        """
        return AsyncItems(self._hops, partial(self._target.since, seq, types=types, session_id=session_id))

    async def state(self) -> EventsState:
        """Return how the callbacks are doing."""
        return await self._awaited(self._target.state)

    def subscribe(self, callback: AsyncCallback | OnEvent, types: Sequence[str] | None=None, *, session_id: str | None=None, after: int | str | None=None) -> Opening[AsyncSubscription]:
        """Call ``callback`` with each event from now on, those of other processes too.

        The calls come in commit order, on a thread of their own; no writer and no other callback
        waits for them. One that raises is counted, and the next event follows. Closing the memory
        hands over what was committed before.

        Args:
            callback: Gets a `RecordedEvent`.
            types: Only these types.
            session_id: Only those of this session.
            after: Begin after this sequence number or `cursor` instead of now.

        Returns:
            What stops it: ``close()``, or the end of a ``with`` block.

        Raises:
            InvalidInput: a type is unknown, or the place is none.
            Conflict: the journal ends before it, or is another one.
            StoreClosed: the memory is closed.
            StoreError: the database cannot be read.
        """
        return Opening(self._hops, AsyncSubscription, self._target.subscribe, callback, types, session_id=session_id, after=after)

    async def within(self, scope: Scope) -> AsyncEventStream:
        """Return the same events as another scope sees them; closed with this stream."""
        return AsyncEventStream(await self._awaited(self._target.within, scope), self._hops)

class AsyncCaptureControls(Twin):
    """Says what is captured, and lets a person change it; `memory.capture` is one of these objects.

    Args:
        projects: Knows which paths are one project, and where the records are.
        excluded: The setting ``privacy.exclude_projects``.
        settings: The section ``capture``.
    """
    _target: CaptureControls

    async def check(self, path: str) -> CaptureCheck:
        """Return whether a path is captured, and every rule that says no.

        Args:
            path: A folder in which an agent works, or a file; absolute. One that is not there is
                a file where its name has a suffix.
        """
        return await self._awaited(self._target.check, path)

    async def count(self, left_out: Mapping[str, int]) -> None:
        """Add to what was left out, by reason."""
        return await self._awaited(self._target.count, left_out)

    async def counts(self) -> dict[str, int]:
        """Return how much was left out since the home was made, by reason."""
        return await self._awaited(self._target.counts)

    async def pause(self, project: str | None=None, for_ms: int | None=None) -> Pause:
        """Capture nothing from now on.

        Args:
            project: Only of this project: a path of it, its name or its id.
            for_ms: For how long; until `resume` if not given.

        Raises:
            Denied: this memory has only a part of the tenant.
            NotFound: the project does not exist.
            InvalidInput: the time is not above 0.
        """
        return await self._awaited(self._target.pause, project, for_ms)

    async def pauses(self) -> builtins.list[Pause]:
        """Return the pauses of now."""
        return await self._awaited(self._target.pauses)

    async def pauses_in(self, tx: Transaction) -> builtins.list[Pause]:
        """Return the pauses that there ever were, the oldest first."""
        return await self._awaited(self._target.pauses_in, tx)

    @cached_property
    def projects(self) -> AsyncProjects:
        return AsyncProjects(self._target.projects, self._hops)

    async def refusal(self, project: str | None, tool: str | None, arguments: object, at: int | None=None, verdict: CaptureVerdict | None=None) -> Refusal | None:
        """Return the first rule by which something that a program did is left out.

        Args:
            project: The folder in which it happened; None where that is not known.
            tool: The tool that it used, if any.
            arguments: What may name files, JSON.
            at: When it happened, ms UTC; now if not given.
            verdict: On the project, where it is known already.
        """
        return await self._awaited(self._target.refusal, project, tool, arguments, at, verdict)

    async def resume(self, project: str | None=None) -> builtins.list[Pause]:
        """Capture again; return the pauses that go on, of other projects or of all.

        Args:
            project: End the pause of this project; the one of all if not given.

        Raises:
            Denied: this memory has only a part of the tenant.
            NotFound: the project does not exist.
        """
        return await self._awaited(self._target.resume, project)

    async def skips_call(self, tool: str, arguments: object, folder: str | None=None) -> bool:
        """Return whether the call of a tool is left out, and its result with it.

        Args:
            tool: Its name.
            arguments: Its input, JSON; paths are looked for in every text of it.
            folder: Where relative paths begin.
        """
        return await self._awaited(self._target.skips_call, tool, arguments, folder)

    async def verdict(self, project: str | None, pauses: Sequence[Pause] | None=None) -> CaptureVerdict:
        """Return whether a project is captured, now and at other times.

        Args:
            project: The folder in which something happened; None where that is not known.
            pauses: What `pauses_in` gave, where it was asked already.

        Raises:
            InvalidInput: an argument is of another type.
        """
        return await self._awaited(self._target.verdict, project, pauses)

class AsyncProjects(Twin):
    """Knows the projects of a tenant; `memory.projects` is one of these objects.

    Args:
        database: ``records.db``.
        clock: Tells the time.
        ids: Gives projects their ids.
        scope: Whose projects; what narrows the tenant lists only its own, and changes none.
        clean: Takes secrets out of what is stored.
        was_erased: Returns whether a session with a path was erased: the path is not noted again
            until a session has it.
    """
    _target: Projects

    async def alias(self, path: str, name: str) -> Project:
        """Let a path belong to a project, or begin a project of that name with it.

        Args:
            path: A folder, which need not exist any more, or a name that sessions are stored under.
            name: A path, name or id of the project; or the name of a new one.

        Raises:
            Denied: this memory has only a part of the tenant.
            InvalidInput: the path or the name is empty or too long.
        """
        return await self._awaited(self._target.alias, path, name)

    async def catch_up(self) -> None:
        """Note the paths of sessions that are not known yet: those of older homes."""
        return await self._awaited(self._target.catch_up)

    async def clean(self, name: str) -> str:
        """Return a path or name as it is stored: without the secrets in it."""
        return await self._awaited(self._target.clean, name)

    @property
    def clock(self) -> Clock:
        return self._target.clock

    @property
    def database(self) -> Database:
        return self._target.database

    async def find(self, name: str) -> str:
        """Return a path of the project that a path, a name or an id means.

        The name as it is stored where none does.

        Raises:
            StoreError: the database refused.
        """
        return await self._awaited(self._target.find, name)

    async def get(self, name: str) -> Project:
        """Return the project that a path, a name or an id means.

        Raises:
            NotFound: none does.
        """
        return await self._awaited(self._target.get, name)

    async def keep_apart(self, name: str, other: str) -> Project:
        """Say that two projects are two, so that they are not suggested again; return the second.

        Raises:
            NotFound: one of them does not exist.
            Conflict: they are one.
        """
        return await self._awaited(self._target.keep_apart, name, other)

    async def known(self, path: str) -> Project | None:
        """Return the project of a path, as far as it is known; nothing is stored."""
        return await self._awaited(self._target.known, path)

    async def list(self) -> ProjectList:
        """Return the projects of the scope, in the order in which they were first seen.

        What narrows the tenant has those of its sessions.
        """
        return await self._awaited(self._target.list)

    async def merge(self, name: str, into: str) -> Project:
        """Join a project to another one; nothing stored is rewritten, and it can be undone.

        Args:
            name: A path, name or id of the one that is joined.
            into: Of the one that it becomes part of.

        Raises:
            NotFound: one of them does not exist.
            Conflict: they are one already.
        """
        return await self._awaited(self._target.merge, name, into)

    async def note(self, path: str, label: str | None=None, *, is_named: bool=False) -> None:
        """Note a path that a session has, once in a process; its files are read then.

        Args:
            path: A folder, or any other name.
            label: What sessions are stored under, where that is not the path itself.
            is_named: A person names it now: it is noted even where its sessions were erased.
        """
        return await self._awaited(self._target.note, path, label, is_named=is_named)

    async def path_of(self, name: str) -> str:
        """Return a path of the project that a path, a name or an id means.

        Raises:
            NotFound: none does.
            StoreError: the database refused.
        """
        return await self._awaited(self._target.path_of, name)

    async def paths(self, path: str) -> tuple[str, ...]:
        """Return all the paths of the project that has a path; no name is looked up."""
        return await self._awaited(self._target.paths, path)

    @property
    def scope(self) -> Scope:
        return self._target.scope

    async def unmerge(self, name: str, from_: str) -> Project:
        """Part what `merge` joined, and keep them apart; return the second project.

        Raises:
            NotFound: one of them does not exist.
            Conflict: they were not joined.
        """
        return await self._awaited(self._target.unmerge, name, from_)

class AsyncObservations(Twin):
    """Records what an agent did and saw, and reads it back.

    Args:
        parts: The records, and whose they are.
    """
    _target: Observations

    async def forget(self, id: str, *, for_session: str | None=None) -> Observation:
        """Take an observation out of search, lists and everything else until it is restored.

        Args:
            id: Its UUID, or its number as ``#12``.
            for_session: On behalf of this session: what it may not hear does not exist.

        Raises:
            NotFound: the scope has none, or no session ``for_session``.
        """
        return await self._awaited(self._target.forget, id, for_session=for_session)

    async def get(self, ids: str | Sequence[str], max_tokens: int | None=DETAIL_TOKENS, *, for_session: str | None=None, for_sender: str | None=None, forgotten: bool=False) -> ObservationBatch:
        """Return observations by id, in the order of the ids.

        Args:
            ids: UUIDs, or numbers as ``#12``.
            max_tokens: What each may cost at most: input and output are shortened to it. None
                gives them whole, also from the blobs.
            for_session: On behalf of this session: what it may not hear is missing.
            for_sender: Whom that session answers, as for `Memory.search`.
            forgotten: Also those that are forgotten.

        Raises:
            InvalidInput: an id is neither a UUID nor a number.
            NotFound: the scope has no session ``for_session``.
            StoreError: a row or blob cannot be read.
        """
        return await self._awaited(self._target.get, ids, max_tokens, for_session=for_session, for_sender=for_sender, forgotten=forgotten)

    async def heard(self, of: Observation, for_session: str | None) -> Observation | None:
        """Return an observation as a session hears it; None where that hears nothing of it.

        Args:
            of: As it is stored.
            for_session: The session; None is the operator, who hears all.

        Raises:
            NotFound: the scope has no such session.
        """
        return await self._awaited(self._target.heard, of, for_session)

    async def hearer(self, session_id: str | None, sender: str | None) -> Hearer | None:
        """Return who asks; None is the operator.

        Raises:
            InvalidInput: a sender is given without a session.
            NotFound: the scope has no such session.
        """
        return await self._awaited(self._target.hearer, session_id, sender)

    async def list(self, *, session_id: str | None=None, types: Sequence[str] | None=None, project: str | None=None, tool_name: str | None=None, since: int | datetime | None=None, until: int | datetime | None=None, min_importance: float | None=None, forgotten: bool=False, limit: int=20, for_session: str | None=None, for_sender: str | None=None) -> Many:
        """Return observations, the newest first.

        Args:
            session_id: Only those of this session.
            types: Only these types.
            project: Only those of this project.
            tool_name: Only those of this tool.
            since: Only those from this time on, ms UTC or datetime.
            until: Only those before this time.
            min_importance: Only those that are at least so important.
            forgotten: Those that were forgotten, instead of the others.
            limit: How many at most.
            for_session: On behalf of this session: only what it may hear.
            for_sender: Whom that session answers, as for `Memory.search`.

        Raises:
            InvalidInput: a time or number is out of range, or an end before the beginning.
            NotFound: the scope has no session ``for_session``.
        """
        return await self._awaited(self._target.list, session_id=session_id, types=types, project=project, tool_name=tool_name, since=since, until=until, min_importance=min_importance, forgotten=forgotten, limit=limit, for_session=for_session, for_sender=for_sender)

    async def numbers(self, types: Sequence[str] | None=None, min_importance: float | None=None) -> Numbers:
        """Return the numbers of observations, whoever hears them: what a search is narrowed to.

        Args:
            types: Only these types.
            min_importance: Only those that are at least so important.

        Raises:
            InvalidInput: a number is out of range.
        """
        return await self._awaited(self._target.numbers, types, min_importance)

    @property
    def own_calls(self) -> OwnCalls:
        return self._target.own_calls

    async def record(self, session_id: str, tool_name: str | None=None, type: str | None=None, input: object=None, output: object=None, summary: str | None=None, importance: float | None=None, event_id: str | None=None, *, title: str | None=None, files: Sequence[str] | None=None, error: str | None=None, trust: Trust | None=None, tool_use_id: str | None=None, message_id: str | None=None, agent_id: str | None=None, event: Made | None=None, at: int | datetime | None=None, project: str | None=None) -> Observation:
        """Store an observation, and return it once it is durable.

        What is not given is made by rules. The same event id, or the same tool use and event, in a
        session again stores nothing and returns the first, so that a caller may always try again.

        Args:
            session_id: Where it happened.
            tool_name: Which tool was used.
            type: One of `observation.TYPES`, or your own.
            input: What the tool was given: a text, or JSON.
            output: What came back: a text, or JSON.
            summary: A few words of yours.
            importance: 0 to 1.
            event_id: An id of the caller's.
            title: One line of yours.
            files: Paths that it touched; those that the tool was given if not given.
            error: What failed, as text.
            trust: Whose words input and output are.
            tool_use_id: The id that the model gave the call.
            message_id: The message that it belongs to.
            agent_id: The sub-agent that did it.
            event: What made it; a tool, or you by hand, if not given.
            at: When it happened, ms UTC or datetime; now if not given.
            project: The folder that it was about; that of the session if not given.

        Raises:
            NotFound: the scope has no such session.
            InvalidInput: something of it cannot be stored.
            Conflict: the session was deleted.
            Denied: the project is not that of the scope; or the tool asked this memory, see
                `own_calls`; or `Memory.capture` leaves it out, which holds for all but ``manual``.
        """
        return await self._awaited(self._target.record, session_id, tool_name, type, input, output, summary, importance, event_id, title=title, files=files, error=error, trust=trust, tool_use_id=tool_use_id, message_id=message_id, agent_id=agent_id, event=event, at=at, project=project)

    async def record_each(self, items: Iterable[Mapping[str, Any] | GivenObservation] | AsyncIterable[Mapping[str, Any] | GivenObservation]) -> Outcomes:
        """Store observations of any sessions in one transaction; return what became of each.

        For programs that capture for many at once: they share one commit, and one that cannot be
        stored does not disturb the others. An outcome is the observation, once it is durable, or
        the error that `record` would raise.

        Args:
            items: Dicts with the argument names of `record`, or the same as values.

        Raises:
            StoreError: the transaction failed; see `recollect.store.engine.Database.write`.
        """
        return await self._bridged(self._target.record_each, items)

    async def record_many(self, items: Iterable[Mapping[str, Any]] | AsyncIterable[Mapping[str, Any]]) -> Many:
        """Store observations in one transaction: all of them or none; return them in order.

        What `Memory.capture` leaves out is counted, and not among them.

        Args:
            items: Dicts with the argument names of `record`.

        Raises:
            NotFound: the scope has no such session.
            InvalidInput: something of it cannot be stored; the fact ``item`` tells which, from 0.
            Conflict: a session was deleted.
            Denied: a project is not that of the scope.
        """
        return await self._bridged(self._target.record_many, items)

    async def restore(self, id: str, *, for_session: str | None=None) -> Observation:
        """Bring a forgotten observation back.

        Args:
            id: Its UUID, or its number as ``#12``.
            for_session: On behalf of this session: what it may not hear does not exist.

        Raises:
            NotFound: the scope has none, or no session ``for_session``.
        """
        return await self._awaited(self._target.restore, id, for_session=for_session)

    @property
    def scope(self) -> Scope:
        return self._target.scope

    async def within(self, scope: Scope) -> AsyncObservations:
        """Return the same observations as another scope sees them."""
        return AsyncObservations(await self._awaited(self._target.within, scope), self._hops)

class AsyncObservationRecall(AsyncObservations):
    """The observations, and what was around one of them.

    Args:
        parts: The records, and whose they are.
        search: Finds what a question is about.
        owner: Whose agent it is.
        zone: Of days that are given as a text; the machine's if not given.
    """
    _target: ObservationRecall

    @property
    def own_calls(self) -> OwnCalls:
        return self._target.own_calls

    @property
    def scope(self) -> Scope:
        return self._target.scope

    async def timeline(self, anchor: str | int | datetime | None=None, query: str | None=None, before: int=5, after: int=5, *, project: str | None=None, for_session: str | None=None, for_sender: str | None=None, since: int | datetime | str | None=None, until: int | datetime | str | None=None) -> Timeline:
        """Return what was said and done around something, as index lines by time.

        Around a record it is of the same project and the same audience; around a moment, of all
        that the asker hears. With ``since`` or ``until`` alone it begins or ends there.

        Args:
            anchor: A number such as ``#12`` or ``m88``, a UUID, or a time: ms UTC or datetime.
            query: Instead of an anchor: the best hit of this question is it.
            before: How many lines before it, at most.
            after: How many lines after it, at most.
            project: Only of this project.
            for_session: On behalf of this session: only what it may hear.
            for_sender: Whom that session answers, as for `Memory.search`.
            since: Only lines from then on, as for `Memory.search`; the anchor is there in any case.
            until: Only lines before then; of a text that is a range, before its end.

        Raises:
            InvalidInput: both anchor and query, or nothing at all; or one that cannot be one.
            NotFound: the record does not exist, or they may not hear it; nothing fits the
                question; or the session does not exist.
        """
        return await self._awaited(self._target.timeline, anchor, query, before, after, project=project, for_session=for_session, for_sender=for_sender, since=since, until=until)

class AsyncContexts(Twin):
    """Makes context blocks, and knows what was injected.

    Args:
        parts: The records, and whose they are.
        search: Finds what answers a question.
    """
    _target: Contexts

    async def about(self, project: str | None=None, query: str | None=None, budget_tokens: int | None=None, *, for_session: str | None=None, key: str | None=None, owner: bool=False) -> ContextBlock:
        """Return what the first prompt of a new session would be given; nothing is recorded.

        Args:
            project: Where it would begin, a path; that of the scope if not given. Another than that
            of the scope gets an empty block.
            query: A question; what answers it comes first.
            budget_tokens: Never more; ``context.budget_tokens`` if not given.
            for_session: On behalf of this session: only what it may hear.
            key: Under which key it would begin, which says who hears it; the owner's if not given.
            owner: Whether a plain name is a session of the owner's, as for `Sessions.open`.

        Raises:
            NotFound: the scope has no session ``for_session``.
            Denied: the key belongs to another owner than the scope's.
            InvalidInput: an argument is out of range.
            StoreError: the records cannot be read.
        """
        return await self._awaited(self._target.about, project, query, budget_tokens, for_session=for_session, key=key, owner=owner)

    async def block(self, session_id: str, query: str | None=None, budget_tokens: int | None=None, reason: Reason='startup', client: str | None=None, for_sender: str | None=None, *, sources: Sequence[str]=(), since: int | datetime | None=None, record: bool=True) -> ContextBlock:
        """Return what a prompt of a session is given by itself, and record that it was.

        At ``startup``, after ``clear`` and ``compact`` the whole block; at ``resume`` and ``fork``
        what the prompt does not have yet. For a ``prompt`` what answers it, where the setting
        ``context.prompt`` is on: nothing below ``context.prompt_floor``, nothing that is in
        the window. Observations only of the session's project, and only what it may hear.
        Where ``context.enabled`` is off nothing, unless a question asks.

        Args:
            session_id: Whose prompt.
            query: A question; what answers it comes first. For a ``prompt``, the prompt.
            budget_tokens: Never more; ``context.budget_tokens`` if not given.
            reason: What happened.
            client: The program that reads it, see `CLIENT_CHARS` and `LOADED`.
            for_sender: Whom the session answers, as for `Memory.search`.
            sources: Kinds of memory that may answer a ``prompt``, as for `Memory.search`; where
                none is given observations, if the setting is on.
            since: Where the client says when the oldest message was said that the prompt holds:
                what was said later is left out. Blocks of earlier prompts are then gone.
            record: Whether it is really injected; False to look at it only.

        Raises:
            NotFound: the scope has no such session.
            InvalidInput: an argument is out of range.
            StoreError: the records cannot be read.
        """
        return await self._awaited(self._target.block, session_id, query, budget_tokens, reason, client, for_sender, sources=sources, since=since, record=record)

    async def injections(self, session_id: str | None=None, limit: int=1, *, for_session: str | None=None, for_sender: str | None=None) -> builtins.list[Injection]:
        """Return what was injected last, newest first.

        Args:
            session_id: Only into prompts of this session.
            limit: How many at most.
            for_session: On behalf of this session: only what its audience was given.
            for_sender: Whom that session answers.

        Raises:
            NotFound: there is no session ``for_session`` in the scope.
            InvalidInput: the limit is below 1, or a sender is given without a session.
        """
        return await self._awaited(self._target.injections, session_id, limit, for_session=for_session, for_sender=for_sender)
    __call__ = block

class AsyncSections(Twin):
    """Keeps sections in files of the user.

    Args:
        parts: The records, and whose they are.
        home: Has no file with a section.
        workspace: What belongs to no project may be written into its files.
        projects: Knows which folders are a project.
    """
    _target: Sections

    async def files(self) -> builtins.list[str]:
        """Return the files that have a section now, absolute, sorted."""
        return await self._awaited(self._target.files)

    async def sync(self, path: Path | str, project: str | None=None, *, remove: bool=False, force: bool=False, dry_run: bool=False) -> SectionResult:
        """Write what is most important of a project between the markers of a file.

        Only observations of the owner, of the types ``context.types``, within
        ``context.section_lines`` and ``context.section_tokens``, each with its number. A file
        without markers gets them at its end, one that is not there is made.

        Args:
            path: The file, Markdown.
            project: A path, name or id; the project that the file is in if not given.
            remove: Take the section out instead.
            force: Overwrite lines that a person changed.
            dry_run: Only tell what would be done.

        Raises:
            Conflict: a person changed the section, its markers are not one pair, or another
                program changed the file meanwhile; nothing is written.
            Denied: the file is a link, or lies in the home.
            InvalidInput: the file is the notes of a day, or too large, or its path holds a secret.
            NotFound: the folder or the project does not exist.
            StoreError: the file cannot be read or written.
        """
        return await self._awaited(self._target.sync, path, project, remove=remove, force=force, dry_run=dry_run)

class AsyncTokens(Twin):
    """Adds, lists, revokes and verifies the tokens of a home; `memory.tokens` is one of these.

    Args:
        records: ``records.db``.
        file: The owner's token.
        clock: Tells the time.
        ids: Gives tokens their ids.
        drafts: Refuses names and keys with a secret in them.
        scope: Of the memory that asks; any that narrows the home is refused with `Denied`.
    """
    _target: Tokens

    async def add(self, name: str, *, tenant: str=LOCAL_TENANT, agent: str | None=None, project: str | None=None, audience: str=SHARED, rights: Right='read', channels: Sequence[str]=(), expires_at: int | datetime | None=None) -> IssuedToken:
        """Return a new token; its text is nowhere else.

        Args:
            name: What events and audit call it; no other valid token has it.
            tenant: Whose memory it opens.
            agent: Only of this agent.
            project: Only of this project: a path of it.
            audience: ``owner``, ``shared``, ``session:KEY`` or ``session:*``, see `Token`.
            rights: The greatest of `RIGHTS` that it has.
            channels: Channels whose session keys it may write to; ``*`` for all.
            expires_at: Ms UTC or datetime, in the future; it stays valid without one.

        Raises:
            InvalidInput: one of them cannot be so, or ``hooks`` are not given to the owner: the
                sessions of agent programs are the owner's, so nothing of them would be stored.
            Conflict: a token that is not revoked has this name.
        """
        return await self._awaited(self._target.add, name, tenant=tenant, agent=agent, project=project, audience=audience, rights=rights, channels=channels, expires_at=expires_at)

    @property
    def file(self) -> TokenFile:
        return self._target.file

    async def list(self, *, revoked: bool=False) -> builtins.list[Token]:
        """Return the tokens of the home, the owner's first where its file is there.

        Args:
            revoked: Also those that were revoked.

        Raises:
            StoreError: the database cannot be read.
        """
        return await self._awaited(self._target.list, revoked=revoked)

    async def owners(self) -> Token:
        """Return the owner's token: everything in the home's own tenant."""
        return await self._awaited(self._target.owners)

    async def revoke(self, name: str) -> Token:
        """Let a token be valid no more, from the next request on, and return it.

        Args:
            name: Its name or id.

        Raises:
            NotFound: no valid token has it.
            InvalidInput: it is the owner's, which is rotated instead.
        """
        return await self._awaited(self._target.revoke, name)

    async def rotate(self) -> Token:
        """Write another token into the owner's file, and return what it opens.

        The one before is void from the next request on.

        Raises:
            StoreError: the file or the entry of the audit cannot be written.
        """
        return await self._awaited(self._target.rotate)

    async def verify(self, text: str | None) -> Token:
        """Return the token that a caller shows.

        Raises:
            Unauthorized: it is missing, unknown, expired or revoked.
            StoreError: the records cannot be read.
        """
        return await self._awaited(self._target.verify, text)

    async def verify_digest(self, digest: bytes) -> Token:
        """Return the token whose text has a digest, as `digest_of` makes it.

        Raises:
            Unauthorized: it is unknown, expired or revoked.
            StoreError: the records cannot be read.
        """
        return await self._awaited(self._target.verify_digest, digest)

class AsyncHomeExport(Twin):
    """Everything of a scope on its way out.

    Args:
        parts: Where it is.
        order: What is wanted.
        on_progress: Called after each session.

    Raises:
        NotFound: the scope has no such session.
        InvalidInput: memory files are wanted, and this memory has no workspace.
    """
    _target: HomeExport

    @property
    def counts(self) -> dict[str, int]:
        return self._target.counts

    @property
    def header(self) -> ExportHeader:
        return self._target.header

    def lines(self) -> AsyncItems[bytes]:
        """Yield the lines, without line breaks; the whole document is never in memory.

        Raises:
            StoreError: the records cannot be read.
        """
        return AsyncItems(self._hops, partial(self._target.lines))

    async def save(self, path: Path | str, *, replace: bool=False) -> HomeExportReport:
        """Write the lines into a file (0600); it is there whole or not at all.

        Raises:
            Conflict: there is something with this name, and it was not said to replace it.
            NotFound: the folder is missing.
            InvalidInput: the path cannot be one, or lies in the home.
            StoreError: the disk or the database refused.
        """
        return await self._awaited(self._target.save, path, replace=replace)

class AsyncIndexCheckup(Twin):
    """Examines and repairs one index.

    Args:
        database: index.db.
        index: Knows the back end of the vectors, and rebuilds itself.
    """
    _target: IndexCheckup

    async def examine(self, *, deep: bool=False) -> builtins.list[Defect]:
        """Return what is wrong; nothing is changed.

        Args:
            deep: Compare the words of every chunk, and look into every row of words and every
                cached vector.

        Raises:
            StoreError: the index cannot be read.
        """
        return await self._awaited(self._target.examine, deep=deep)

    async def repair(self, found: builtins.list[Defect], on_progress: AsyncCallback | OnProgress=ignore_progress) -> builtins.list[str]:
        """Mend what was found, and return a sentence for each thing done.

        Args:
            found: What `examine` returned.
            on_progress: Called while the index is rebuilt.

        Raises:
            StoreError: the index cannot be written.
            ProviderError: the index had to be rebuilt, and the embedder failed.
        """
        return await self._bridged(self._target.repair, found, **{} if on_progress is ignore_progress else {'on_progress': on_progress})

class AsyncSessionExport(Twin):
    """One session on its way out.

    Args:
        sessions: Where it is, as its reader sees it.
        session_id: Which one.
        writer: What the lines look like.
    """
    _target: SessionExport

    def lines(self) -> AsyncItems[bytes]:
        """Yield the lines, without line breaks.

        Raises:
            StoreError: the database cannot be read.
        """
        return AsyncItems(self._hops, partial(self._target.lines))

    @property
    def messages(self) -> int:
        return self._target.messages

    async def save(self, path: Path | str, *, replace: bool=False) -> ExportReport:
        """Write the lines into a file (0600); it is there whole or not at all.

        Raises:
            Conflict: there is something with this name, and it was not said to replace it.
            NotFound: the folder is missing.
            InvalidInput: the path cannot be one.
            StoreError: the disk or the database refused.
        """
        return await self._awaited(self._target.save, path, replace=replace)

class AsyncHistory(Twin):
    """The pending messages of all conversations of a scope.

    Args:
        access: The records, and whose conversations.
    """
    _target: History

    async def add(self, key: str, sender: str, said: str, *, at: int | datetime | None=None, message_id: str | None=None) -> None:
        """Keep a message until the next reply; the oldest ones go beyond the limit.

        Args:
            key: Of the conversation.
            sender: Who said it.
            said: What.
            at: When, ms UTC or datetime; now if not given.
            message_id: Its id on the channel; what waits already is not stored again.

        Raises:
            InvalidInput: one of them cannot be stored, or the key holds a secret.
            Denied: the conversation belongs to another owner than the scope's.
        """
        return await self._awaited(self._target.add, key, sender, said, at=at, message_id=message_id)

    async def clear(self, key: str, *, through: int | None=None) -> None:
        """Forget what waits in a conversation: the agent has replied.

        What came after the prompt waits for the next one.

        Args:
            key: Of the conversation.
            through: The id of the newest message that the agent saw; what the last `render` of this
                object showed if not given, and all where there was none.

        Raises:
            Denied: the conversation belongs to another owner than the scope's.
        """
        return await self._awaited(self._target.clear, key, through=through)

    async def pending(self, key: str) -> builtins.list[PendingMessage]:
        """Return what waits in a conversation, oldest first.

        Raises:
            Denied: the conversation belongs to another owner than the scope's.
        """
        return await self._awaited(self._target.pending, key)

    async def render(self, key: str, sender: str, said: str) -> str:
        """Return a prompt: what was said since the last reply, then what is to be answered.

        Each message begins with its sender; its further lines are set in, and a marker in it loses
        its brackets, so that no text looks like another message. Without anything pending it is
        the message alone.

        Raises:
            Denied: the conversation belongs to another owner than the scope's.
        """
        return await self._awaited(self._target.render, key, sender, said)

class AsyncMessageStream(AsyncHandle):
    """A message that arrives in pieces; a context manager. For one thread.

    Leaving the block stores the whole; leaving it by an error, or a kill, leaves what arrived
    before, with ``unfinished`` in its metadata. Where nothing arrived nothing is stored. The same
    event id again replaces an unfinished message, and changes nothing of a finished one.

    Args:
        growing: Where it is stored.
        make: Makes a draft of blocks and more metadata.
        redacted: Takes the secrets out of a text.
        clock: Tells when to store.
    """
    _target: MessageStream
    _one_at_a_time = True

    async def add(self, piece: Piece) -> None:
        """Take in a piece: more of the text, or a block such as a tool call.

        Texts follow each other without a break, and so do thinking blocks. Now and then what is
        there is stored, which takes a few ms.

        Raises:
            InvalidInput: the stream is over, it is not a block, or the message would be too large.
            StoreError: the database refused.
        """
        return await self._awaited(self._target.add, piece)

    async def finish(self, *, usage: TokenUsage | Mapping[str, Any] | None=None, model: str | None=None) -> Message | None:
        """Store the whole message and return it; None where nothing arrived. Again does nothing.

        Args:
            usage: What it cost, in the provider's own words.
            model: The model that said it, if that was not known at the beginning.

        Raises:
            Conflict: the session was deleted, or another program has taken it over.
            StoreError: the database refused.
        """
        return await self._awaited(self._target.finish, usage=usage, model=model)

    async def flush(self) -> None:
        """Store what arrived up to its last whole line or sentence, marked as unfinished.

        Of a long sentence all but its end is stored: see `settled_until`.

        Raises:
            Conflict: the session was deleted, or another program has taken it over.
            StoreError: the database refused.
        """
        return await self._awaited(self._target.flush)

    @property
    def message(self) -> Message | None:
        return self._target.message

class AsyncLeasedSession(AsyncHandle):
    """The right to go on with a session. A context manager.

    Each message is a sign of life. A program that was away for too long, so that another one took
    over, is refused with `Conflict` at its next message and has written nothing.

    It can do all that can be done with a session, without its id: each call of `Sessions` that
    takes one is here too. What changes the session does so with its lease, and is refused to
    others; what is read of other sessions is only what the session may hear.

    Args:
        session: As it was when it was taken: the one asked for, or a fork of it.
        lease: The right itself, with its fence.
        sessions: The `Sessions` that it is one of.
    """
    _target: LeasedSession

    async def append(self, role: str | ChatMessage, content: Content | None=None, *, name: str | None=None, at: int | datetime | None=None, metadata: Mapping[str, Any] | None=None, event_id: str | None=None, model: str | None=None, usage: TokenUsage | Mapping[str, Any] | None=None, sender: str | None=None) -> Message:
        """Store a message after the newest of its session, and return it once it is durable.

        Args:
            session_id: Where it belongs.
            role: ``user``, ``assistant``, ``system`` or ``tool``; or a whole message of OpenAI
                (chat completions or Responses) or Anthropic, as a dict or as its SDK has it.
            content: A text, or content blocks in the spelling of Anthropic, OpenAI or OpenClaw;
                left out where the message is whole.
            name: The speaker, where it is known.
            at: When it was said, ms UTC or datetime; now if not given. It may lie before the
                message before.
            metadata: More facts, a JSON object.
            event_id: An id of the caller's. The same id again stores nothing and returns the
                first message, so that a caller may always try again; in a fork and after a reset
                too. Other conversations may use the same ids.
            model: The model that said it; also kept on the session.
            usage: What it cost, in the provider's own words; added up on the session.
            sender: Whose account said it: ``telegram:42``, or ``irc:libera:bob`` where ids count
                within a network. Give it wherever several people write to one session.
            lease: The right to go on with the session, where the caller took one.

        Raises:
            NotFound: the scope has no such session.
            InvalidInput: something of it cannot be stored.
            Conflict: the session was deleted, another program has taken it over, or holds it
                while it is a queue or exclusively.
            Denied: the event id is that of a message which the scope may not see.
        """
        return await self._awaited(self._target.append, role, content, name=name, at=at, metadata=metadata, event_id=event_id, model=model, usage=usage, sender=sender)

    async def append_many(self, items: Iterable[Item] | AsyncIterable[Item]) -> builtins.list[Message]:
        """Store messages in one transaction: all of them or none; return them in order.

        Args:
            session_id: Where they belong.
            items: Tuples of role and content, dicts with the argument names of `append`, or
                messages of OpenAI and Anthropic as they are.
            lease: The right to go on with the session, where the caller took one.

        Raises:
            NotFound: the scope has no such session.
            Conflict: the session was deleted, another program has taken it over, or holds it
                while it is a queue or exclusively.
            InvalidInput: something of it cannot be stored; the fact ``item`` tells which, from 0.
        """
        return await self._bridged(self._target.append_many, items)

    async def append_stream(self, pieces: Iterable[Piece] | AsyncIterable[Piece], role: str='assistant', **facts: Any) -> Message:
        """Store pieces as they come as one message; see `Sessions.append_stream`."""
        return await self._bridged(self._target.append_stream, pieces, role, **facts)

    async def compact(self, *, keep_messages: int | None=None) -> Compacted:
        """Let a summary replace in the view all but the newest messages; they stay stored.

        A tool call stays with its result. The summary takes the one before in. Messages that come
        while it is written are in the view, too. What must last is flushed first, see `flush`.

        Args:
            session_id: Which one.
            keep_messages: How many stay verbatim; ``sessions.context.keep_messages`` if not given.
                Fewer where they alone would fill three quarters of the room.
            lease: The right to go on with the session, where the caller took one.

        Raises:
            NotFound: the scope has no such session.
            Conflict: it was deleted, or another program holds it.
            InvalidInput: a number below 0.
        """
        return await self._awaited(self._target.compact, keep_messages=keep_messages)

    async def compactions(self) -> builtins.list[Compaction]:
        """Return the compactions of a session, oldest first.

        Raises:
            NotFound: the scope has no such session.
        """
        return await self._awaited(self._target.compactions)

    async def end(self) -> Session:
        """Tell that a session is over for now, and summarise it; it may go on, and end again.

        The summary replaces the one of its last end. Nothing else changes: it stays active, and is
        still the current session of its key.

        Raises:
            NotFound: the scope has no such session.
            Conflict: it was deleted.
        """
        return await self._awaited(self._target.end)

    async def episodes(self, *, project: str | None=None, limit: int=20) -> builtins.list[Episode]:
        """Return the summaries of sessions that ended, the newest first.

        Args:
            session_id: Only those of this session: one for each audience in it, and one for each
                part that retention removed.
            project: Only of this project: a path of it, its name or its id.
            limit: How many at most.
            for_session: On behalf of this session: only what it may hear.

        Raises:
            NotFound: the scope has no session ``for_session``.
            InvalidInput: the limit is below 1.
        """
        return await self._awaited(self._target.episodes, project=project, limit=limit)

    async def flush(self, *, again: bool=False) -> Flushed:
        """Append what must last to ``memory/YYYY-MM-DD.md`` of the workspace.

        A guest's goes to ``notes/<visibility group>/YYYY-MM-DD.md`` of the home instead, where only
        the guest's chats and the owner find it. Once in each compaction cycle; what was looked at
        before is not looked at again, and nothing is written twice. Nothing is written from groups,
        jobs and sub-agents.

        Args:
            session_id: Which one.
            again: Also where that was done in this cycle: another program compacts its own window,
                and tells before it does.

        Returns:
            What was done, or why it was not; a failure is counted and reported, not raised.

        Raises:
            NotFound: the scope has no such session.
            Conflict: it was deleted.
        """
        return await self._awaited(self._target.flush, again=again)

    async def fork(self, at_seq: int | None=None, *, title: str | None=None) -> Session:
        """Return a new session that begins with the messages of another; nothing whole is copied.

        Args:
            session_id: The session to branch off from; it is not changed.
            at_seq: The last message that both share; its newest if not given.
            title: What the fork is called.

        Raises:
            NotFound: the scope has no such session.
            Conflict: it was deleted.
            InvalidInput: it has no message with that seq.
        """
        return await self._awaited(self._target.fork, at_seq, title=title)

    async def get(self) -> Session:
        """Return a session.

        Raises:
            NotFound: there is none with this id in the scope.
            StoreCorrupt: it is missing, or is not what was stored.
        """
        return await self._awaited(self._target.get)

    async def hears(self, other: str) -> bool:
        """Return whether a session may hear another one: they are in one visibility group.

        Raises:
            NotFound: the scope lacks one of them.
        """
        return await self._awaited(self._target.hears, other)

    async def is_addressed(self, text: str, *, reply_to_agent: bool=False) -> bool:
        """Return whether the agent is to answer: always, but in a group only when it is called.

        Args:
            session_id: Where it was said.
            text: What was said.
            reply_to_agent: Whether it is a reply to something that the agent said.

        Raises:
            NotFound: the scope has no such session.
        """
        return await self._awaited(self._target.is_addressed, text, reply_to_agent=reply_to_agent)

    async def keep_within_window(self, extra_tokens: int=0) -> Compacted:
        """Flush and compact a session where that is due; for every turn of an agent.

        At first what must last is written into the notes of the workspace, a little later older
        messages become a summary; see the settings ``sessions.context``. Usually nothing is due,
        and that costs as much as a view. Where a provider says what the last prompt held, and its
        answer since the last compaction, that counts if it is more than what is estimated.

        Args:
            session_id: Which one.
            extra_tokens: What else is in the prompt: instructions, tools, the next message.
            lease: The right to go on with the session, where the caller took one.

        Raises:
            NotFound: the scope has no such session.
            Conflict: it was deleted, or a compaction is due and another program holds it.
            InvalidInput: a number below 0.
        """
        return await self._awaited(self._target.keep_within_window, extra_tokens)

    @property
    def lease(self) -> Lease:
        return self._target.lease

    async def lineage(self) -> Branch:
        """Return the tree of forks and resets that a session belongs to.

        Raises:
            NotFound: the scope has no such session.
        """
        return await self._awaited(self._target.lineage)

    async def list(self, *, project: str | None=None, key: str | None=None, status: str | None=None, agent: str | None=None, channel: str | None=None, title: str | None=None, since: int | datetime | None=None, until: int | datetime | None=None, automatic: bool=True, id_prefix: str | None=None, limit: int | None=None) -> SessionList:
        """Return the sessions that meet all the filters given, the last used first.

        Args:
            project: Of this project: a path of it, its name or its id.
            key: Of this session key.
            status: With this status; without one all but the deleted.
            agent: Of this agent.
            channel: From this channel.
            title: With this text in the title, whatever its case.
            since: Used at this time or later, ms UTC or datetime.
            until: Used before this time.
            automatic: Also those of jobs, hooks and sub-agents.
            id_prefix: Whose id begins so.
            for_session: On behalf of this session: only those that it may hear.
            limit: How many at most.

        Raises:
            InvalidInput: an unknown status, a bad key, a limit below 0, or a reversed time.
            NotFound: the scope has no session ``for_session``.
            StoreCorrupt: a session is missing, or is not what was stored.
        """
        return await self._awaited(self._target.list, project=project, key=key, status=status, agent=agent, channel=channel, title=title, since=since, until=until, automatic=automatic, id_prefix=id_prefix, limit=limit)

    async def messages(self, limit: int | None=None, *, after_seq: int | None=None, before_seq: int | None=None) -> builtins.list[Message]:
        """Return messages of a session, oldest first; of a fork also those that it shares.

        Args:
            session_id: Which one.
            limit: How many at most: the newest of them, or, with ``after_seq``, the first after it.
            after_seq: Only those with a greater seq.
            before_seq: Only those with a smaller seq.
            for_session: On behalf of this session: only the turns that it may hear.

        Raises:
            NotFound: the scope has no such session.
            InvalidInput: a number is not a whole number from 0.
        """
        return await self._awaited(self._target.messages, limit, after_seq=after_seq, before_seq=before_seq)

    async def parts(self) -> builtins.list[LineageSegment]:
        """Return where the messages of a session are found: its own, and those a fork shares.

        What its parents said is found in them, and of a deleted parent in its living forks.

        Raises:
            NotFound: the scope has no such session.
        """
        return await self._awaited(self._target.parts)

    async def release(self) -> None:
        """Give the session back. Again does no harm."""
        return await self._awaited(self._target.release)

    async def rename(self, title: str | None) -> Session:
        """Call a session by another title, or by none.

        Args:
            session_id: Which one.
            title: What it is called from now on.
            lease: The right to go on with the session, where the caller took one.

        Raises:
            NotFound: the scope has no such session.
            Conflict: another program holds it.
            InvalidInput: it is longer than 512 characters.
        """
        return await self._awaited(self._target.rename, title)

    async def renew(self) -> None:
        """Give a sign of life without a message.

        Raises:
            Conflict: another program has taken the session over, or it was released.
        """
        return await self._awaited(self._target.renew)

    async def rules(self) -> ModeRules:
        """Return what an agent may do in a session.

        Raises:
            NotFound: the scope has no such session.
        """
        return await self._awaited(self._target.rules)

    @property
    def session(self) -> Session:
        return self._target.session

    async def set_mode(self, mode: str) -> Session:
        """Serve a session in another way from now on, and return it.

        Raises:
            Conflict: another program holds it.
            NotFound: the scope has no such session.
            InvalidInput: the mode is unknown, or it is not one for this kind of chat.
        """
        return await self._awaited(self._target.set_mode, mode)

    async def set_status(self, status: str) -> Session:
        """Make a session ``active``, ``archived`` or ``deleted``; nothing of it is removed.

        Args:
            session_id: Which one.
            status: What it is from now on.
            lease: The right to go on with the session, where the caller took one.

        Raises:
            NotFound: the scope has no such session.
            Conflict: another program holds it.
            InvalidInput: the status is unknown.
        """
        return await self._awaited(self._target.set_status, status)

    async def stand_in(self, of: StandIn, text: str, at: int | None=None) -> Message | None:
        """Store what a hook reports until the transcript of the session takes its place.

        Args:
            session_id: Where it belongs.
            of: Which message of which turn it is.
            text: Its words.
            at: When it was said, ms UTC; now if not given.

        Returns:
            The message; None where the transcript brought it already.

        Raises:
            RecollectError: as `append`.
        """
        return await self._awaited(self._target.stand_in, of, text, at)

    def stream(self, role: str='assistant', *, name: str | None=None, at: int | datetime | None=None, metadata: Mapping[str, Any] | None=None, event_id: str | None=None, model: str | None=None, sender: str | None=None) -> Opening[AsyncMessageStream]:
        """Return a message that arrives in pieces: ``with … as reply: reply.add("Good ")``.

        It gets its seq when its first lines are stored, and keeps it. See `MessageStream`.

        Args:
            session_id: Where it belongs.
            role: ``user``, ``assistant``, ``system`` or ``tool``.
            name: The speaker, where it is known.
            at: When it was said, ms UTC or datetime; when its first lines were stored if not given.
            metadata: More facts, a JSON object.
            event_id: An id of the caller's; again it replaces an unfinished message.
            model: The model that says it.
            sender: Whose account says it, as for `append`.
            lease: The right to go on with the session, where the caller took one.

        Raises:
            NotFound: the scope has no such session.
            Conflict: the session was deleted.
            InvalidInput: something of it cannot be stored.
        """
        return Opening(self._hops, AsyncMessageStream, self._target.stream, role, name=name, at=at, metadata=metadata, event_id=event_id, model=model, sender=sender)

    async def tool_calls(self) -> tuple[ToolCall, ...]:
        """Return what tools a session used, oldest first; of a fork also those that it shares.

        Raises:
            NotFound: the scope has no such session.
        """
        return await self._awaited(self._target.tool_calls)

    def turn(self, timeout_s: float=TURN_TIMEOUT_S) -> AsyncInside[Session]:
        """Wait until it is our turn in a session, and keep it inside the ``with`` block.

        One at a time, in the order of arrival, over all threads and processes of the home. A
        program that dies in its turn keeps no other waiting. Not for a turn within a turn.

        Raises:
            NotFound: the scope has no such session.
            StoreBusy: it was not our turn for ``timeout_s``.
        """
        return AsyncInside(self._hops, partial(self._target.turn, timeout_s))

    async def view(self, budget_tokens: int | None=None, *, for_sender: str | None=None) -> ContextView:
        """Return what of a session is in the prompt: a summary, and the newest messages.

        Never empty where something was said: a newest message that is too long is shown as its head
        and tail, with a mark of what is left out. Costs as much as is shown, however long the
        session is. A fork sees the compactions of its parents up to where it branched off. Of a
        session that several people share, only the turns that whom it answers may hear.

        Args:
            session_id: Which one.
            budget_tokens: What it may cost; ``sessions.context.window_tokens`` if not given.
            for_sender: Whom it answers; else whose turn the newest message is.

        Raises:
            NotFound: the scope has no such session.
            InvalidInput: ``for_sender`` cannot be an account, the budget is below 40, or an exact
                counter has no room in it.
        """
        return await self._awaited(self._target.view, budget_tokens, for_sender=for_sender)

    async def visibility_group(self, for_sender: str | None=None) -> VisibilityGroup:
        """Return which conversations hear what is answered in a session now.

        Args:
            session_id: Which one.
            for_sender: Whom it answers; else whose turn its newest message is. That counts only in
                a session of one person, or of several who share it one by one.

        Raises:
            NotFound: the scope has no such session.
            InvalidInput: ``for_sender`` cannot be an account.
        """
        return await self._awaited(self._target.visibility_group, for_sender)

class AsyncSessions(Twin):
    """Creates, finds, continues and ends sessions; stores and reads their messages.

    Args:
        access: The records, and whose they are.
        opened: Is called when a session was made, or found to go on with.
        window: What a context window needs; nothing that asks a model if not given.
        turns: Where those who answer in a session queue; None without a queue.
        episodes: Returns what summarises sessions that end; None for no summaries.
    """
    _target: Sessions

    async def append(self, session_id: str, role: str | ChatMessage, content: Content | None=None, *, name: str | None=None, at: int | datetime | None=None, metadata: Mapping[str, Any] | None=None, event_id: str | None=None, model: str | None=None, usage: TokenUsage | Mapping[str, Any] | None=None, sender: str | None=None, lease: Lease | None=None) -> Message:
        """Store a message after the newest of its session, and return it once it is durable.

        Args:
            session_id: Where it belongs.
            role: ``user``, ``assistant``, ``system`` or ``tool``; or a whole message of OpenAI
                (chat completions or Responses) or Anthropic, as a dict or as its SDK has it.
            content: A text, or content blocks in the spelling of Anthropic, OpenAI or OpenClaw;
                left out where the message is whole.
            name: The speaker, where it is known.
            at: When it was said, ms UTC or datetime; now if not given. It may lie before the
                message before.
            metadata: More facts, a JSON object.
            event_id: An id of the caller's. The same id again stores nothing and returns the
                first message, so that a caller may always try again; in a fork and after a reset
                too. Other conversations may use the same ids.
            model: The model that said it; also kept on the session.
            usage: What it cost, in the provider's own words; added up on the session.
            sender: Whose account said it: ``telegram:42``, or ``irc:libera:bob`` where ids count
                within a network. Give it wherever several people write to one session.
            lease: The right to go on with the session, where the caller took one.

        Raises:
            NotFound: the scope has no such session.
            InvalidInput: something of it cannot be stored.
            Conflict: the session was deleted, another program has taken it over, or holds it
                while it is a queue or exclusively.
            Denied: the event id is that of a message which the scope may not see.
        """
        return await self._awaited(self._target.append, session_id, role, content, name=name, at=at, metadata=metadata, event_id=event_id, model=model, usage=usage, sender=sender, lease=lease)

    async def append_many(self, session_id: str, items: Iterable[Item] | AsyncIterable[Item], *, lease: Lease | None=None) -> builtins.list[Message]:
        """Store messages in one transaction: all of them or none; return them in order.

        Args:
            session_id: Where they belong.
            items: Tuples of role and content, dicts with the argument names of `append`, or
                messages of OpenAI and Anthropic as they are.
            lease: The right to go on with the session, where the caller took one.

        Raises:
            NotFound: the scope has no such session.
            Conflict: the session was deleted, another program has taken it over, or holds it
                while it is a queue or exclusively.
            InvalidInput: something of it cannot be stored; the fact ``item`` tells which, from 0.
        """
        return await self._bridged(self._target.append_many, session_id, items, lease=lease)

    async def append_stream(self, session_id: str, pieces: Iterable[Piece] | AsyncIterable[Piece], role: str='assistant', **facts: Any) -> Message:
        """Store pieces as they come as one message, and return it once it is whole and durable.

        Args:
            session_id: Where it belongs.
            pieces: Texts and blocks; when they end by an error what came is left as unfinished.
            role: Who speaks.
            facts: As for `stream`.

        Raises:
            NotFound: the scope has no such session.
            Conflict: the session was deleted.
            InvalidInput: something of it cannot be stored, or nothing came.
        """
        return await self._bridged(self._target.append_stream, session_id, pieces, role, **facts)

    async def channels(self) -> tuple[str, ...]:
        """Return the channels that sessions are on, the deleted included, in alphabetical order."""
        return await self._awaited(self._target.channels)

    async def compact(self, session_id: str, *, keep_messages: int | None=None, lease: object=None) -> Compacted:
        """Let a summary replace in the view all but the newest messages; they stay stored.

        A tool call stays with its result. The summary takes the one before in. Messages that come
        while it is written are in the view, too. What must last is flushed first, see `flush`.

        Args:
            session_id: Which one.
            keep_messages: How many stay verbatim; ``sessions.context.keep_messages`` if not given.
                Fewer where they alone would fill three quarters of the room.
            lease: The right to go on with the session, where the caller took one.

        Raises:
            NotFound: the scope has no such session.
            Conflict: it was deleted, or another program holds it.
            InvalidInput: a number below 0.
        """
        return await self._awaited(self._target.compact, session_id, keep_messages=keep_messages, lease=lease)

    async def compactions(self, session_id: str) -> builtins.list[Compaction]:
        """Return the compactions of a session, oldest first.

        Raises:
            NotFound: the scope has no such session.
        """
        return await self._awaited(self._target.compactions, session_id)

    async def create(self, key: str | None=None, project: str | None=None, title: str | None=None, metadata: Mapping[str, Any] | None=None, *, at: int | datetime | None=None, session_id: str | None=None, mode: str | None=None, owner: bool=False) -> Session:
        """Return a new session.

        Args:
            key: Who and where, see `audience.session_key`; its agent and user own the session.
            project: What it is about, usually a folder.
            title: What it is called.
            metadata: More facts, a JSON object.
            at: When it began, ms UTC or datetime; now if not given.
            session_id: An id of the caller's: letters, digits, ``-`` and ``_``, 64 at most. Where
                another owner has it, the session gets one that is derived from it.
            mode: ``queue`` to answer strictly one message at a time; else the key decides it.
            owner: As for `open`.

        Raises:
            InvalidInput: one of them cannot be stored.
            Conflict: there is a session with this id, or one was erased.
            Denied: the key or project belongs to another owner than the scope's.
        """
        return await self._awaited(self._target.create, key, project, title, metadata, at=at, session_id=session_id, mode=mode, owner=owner)

    async def end(self, session_id: str) -> Session:
        """Tell that a session is over for now, and summarise it; it may go on, and end again.

        The summary replaces the one of its last end. Nothing else changes: it stays active, and is
        still the current session of its key.

        Raises:
            NotFound: the scope has no such session.
            Conflict: it was deleted.
        """
        return await self._awaited(self._target.end, session_id)

    async def episodes(self, session_id: str | None=None, *, project: str | None=None, limit: int=20, for_session: str | None=None) -> builtins.list[Episode]:
        """Return the summaries of sessions that ended, the newest first.

        Args:
            session_id: Only those of this session: one for each audience in it, and one for each
                part that retention removed.
            project: Only of this project: a path of it, its name or its id.
            limit: How many at most.
            for_session: On behalf of this session: only what it may hear.

        Raises:
            NotFound: the scope has no session ``for_session``.
            InvalidInput: the limit is below 1.
        """
        return await self._awaited(self._target.episodes, session_id, project=project, limit=limit, for_session=for_session)

    async def find(self, id_or_title: str, *, deleted: bool=False) -> Session:
        """Return the session that an id, the end of one, a title or a session key means.

        The number of a message, an episode or an observation, such as ``m88``, means the session
        that it is of.

        Args:
            id_or_title: What it is called.
            deleted: Whether a deleted one may be meant by its title or key, where no other is
                called so; by its id it always is.

        Raises:
            NotFound: nothing is called so; the hint has near names.
            Conflict: several sessions are; the hint has their ids.
        """
        return await self._awaited(self._target.find, id_or_title, deleted=deleted)

    async def finish_endings(self) -> int:
        """Write the summaries that are due, and return how many sessions that were."""
        return await self._awaited(self._target.finish_endings)

    async def flush(self, session_id: str, *, again: bool=False) -> Flushed:
        """Append what must last to ``memory/YYYY-MM-DD.md`` of the workspace.

        A guest's goes to ``notes/<visibility group>/YYYY-MM-DD.md`` of the home instead, where only
        the guest's chats and the owner find it. Once in each compaction cycle; what was looked at
        before is not looked at again, and nothing is written twice. Nothing is written from groups,
        jobs and sub-agents.

        Args:
            session_id: Which one.
            again: Also where that was done in this cycle: another program compacts its own window,
                and tells before it does.

        Returns:
            What was done, or why it was not; a failure is counted and reported, not raised.

        Raises:
            NotFound: the scope has no such session.
            Conflict: it was deleted.
        """
        return await self._awaited(self._target.flush, session_id, again=again)

    async def fork(self, session_id: str, at_seq: int | None=None, *, title: str | None=None) -> Session:
        """Return a new session that begins with the messages of another; nothing whole is copied.

        Args:
            session_id: The session to branch off from; it is not changed.
            at_seq: The last message that both share; its newest if not given.
            title: What the fork is called.

        Raises:
            NotFound: the scope has no such session.
            Conflict: it was deleted.
            InvalidInput: it has no message with that seq.
        """
        return await self._awaited(self._target.fork, session_id, at_seq, title=title)

    async def get(self, session_id: str) -> Session:
        """Return a session.

        Raises:
            NotFound: there is none with this id in the scope.
            StoreCorrupt: it is missing, or is not what was stored.
        """
        return await self._awaited(self._target.get, session_id)

    async def hears(self, session_id: str, other: str) -> bool:
        """Return whether a session may hear another one: they are in one visibility group.

        Raises:
            NotFound: the scope lacks one of them.
        """
        return await self._awaited(self._target.hears, session_id, other)

    @cached_property
    def history(self) -> AsyncHistory:
        return AsyncHistory(self._target.history, self._hops)

    def hold(self, id_or_title: str, *, holder: str | None=None, on_busy: str='refuse', exclusive: bool=False) -> Opening[AsyncLeasedSession]:
        """Resume a session and keep other programs out of it; a context manager.

        Args:
            id_or_title: Which session.
            holder: Who holds it, a label; the same holder may come again. A new id if not given.
            on_busy: What to do when another program holds it: ``refuse``, or ``fork`` it.
            exclusive: Whether others may not append meanwhile; in a queue they may not in any case.

        Raises:
            NotFound: nothing is called so.
            Conflict: another program holds it, it was deleted, or several sessions are called so.
            InvalidInput: ``on_busy`` is neither.
        """
        return Opening(self._hops, AsyncLeasedSession, self._target.hold, id_or_title, holder=holder, on_busy=on_busy, exclusive=exclusive)

    async def hooked(self, name: str | ForeignName, project: str | None=None, moment: Moment='during', *, at: int | datetime | None=None, owner: bool=True, beginning: AsyncCallback | Callable[[Hooked], None]=let_begin) -> Hooked:
        """Return the session of the hooks under a name, and what became of it by this one.

        Under a key it goes on from ``start`` until it is archived; ``resume`` opens it again, any
        hook begins one where none goes on. What happened before the end of the last one belongs to
        that. What another program names is one session for ever: a later start opens it again.

        Args:
            name: A key, who and where; or what another program calls it.
            project: The folder; a start in another one begins another session.
            moment: ``start``, ``resume``, ``during`` or ``end``, which ends nothing by itself.
            at: When it happened, ms UTC or datetime; now if not given.
            owner: Whether a plain name is a session of the owner's, unless only a person has one
                under it; else it is a person's, as for `open`.
            beginning: Is given what would begin or be opened again; what it raises prevents that.

        Raises:
            InvalidInput: the key cannot be one, or the moment is unknown.
            NotFound, Denied: it, its key or project is of another owner than the scope's.
            Conflict: it would be opened again, and another program holds it; or it was deleted.
        """
        return await self._bridged(self._target.hooked, name, project, moment, at=at, owner=owner, **{} if beginning is let_begin else {'beginning': beginning})

    async def is_addressed(self, session_id: str, text: str, *, reply_to_agent: bool=False) -> bool:
        """Return whether the agent is to answer: always, but in a group only when it is called.

        Args:
            session_id: Where it was said.
            text: What was said.
            reply_to_agent: Whether it is a reply to something that the agent said.

        Raises:
            NotFound: the scope has no such session.
        """
        return await self._awaited(self._target.is_addressed, session_id, text, reply_to_agent=reply_to_agent)

    async def is_shown(self, message: Message) -> bool:
        """Return whether a session that is not deleted shows a message: its own, or a fork."""
        return await self._awaited(self._target.is_shown, message)

    async def keep_within_window(self, session_id: str, extra_tokens: int=0, *, lease: object=None) -> Compacted:
        """Flush and compact a session where that is due; for every turn of an agent.

        At first what must last is written into the notes of the workspace, a little later older
        messages become a summary; see the settings ``sessions.context``. Usually nothing is due,
        and that costs as much as a view. Where a provider says what the last prompt held, and its
        answer since the last compaction, that counts if it is more than what is estimated.

        Args:
            session_id: Which one.
            extra_tokens: What else is in the prompt: instructions, tools, the next message.
            lease: The right to go on with the session, where the caller took one.

        Raises:
            NotFound: the scope has no such session.
            Conflict: it was deleted, or a compaction is due and another program holds it.
            InvalidInput: a number below 0.
        """
        return await self._awaited(self._target.keep_within_window, session_id, extra_tokens, lease=lease)

    async def key_for(self, agent: str, channel: str, peer: str, *, account: str='default', chat_type: str=DIRECT, thread: str | None=None) -> str:
        """Return the session key of a conversation, by the rules of the settings.

        ``sessions.direct_scope`` says which direct chats are one session; where they are one on
        all channels, the peer becomes the person whom ``sessions.identity_links`` name. Colons and
        percent signs of the parts are escaped, so that none can be taken for another.

        Args:
            agent: Who speaks.
            channel: Where: ``telegram``, ``slack`` ...
            peer: The other side: an account, a group. The id of a group is one in any case:
                negative ones of Telegram, ``…@g.us`` of WhatsApp.
            account: The account of the agent there.
            chat_type: ``direct``, ``group``, ``channel``, ``room`` or another that keys know.
            thread: The thread within it.

        Raises:
            InvalidInput: a part cannot be one, or an account that is not linked is called like a
                person who is.
        """
        return await self._awaited(self._target.key_for, agent, channel, peer, account=account, chat_type=chat_type, thread=thread)

    async def known(self, id_or_key: str, *, owner: bool | None=None) -> Session | None:
        """Return the session with exactly this id, or the one under this key that was used last.

        An active one under the key comes before an archived one; a deleted one is found by its id
        only. None where there is none: no other name of a session is looked at.

        Args:
            id_or_key: Which one.
            owner: Under a plain name only what `open` means with this; without it that comes first.
        """
        return await self._awaited(self._target.known, id_or_key, owner=owner)

    async def latest(self, project: str | None=None, *, automatic: bool=False) -> Session | None:
        """Return the active session that was used last, in one project or anywhere.

        Args:
            project: Only in this project: a path of it, its name or its id.
            automatic: Also those of jobs, hooks and sub-agents.
        """
        return await self._awaited(self._target.latest, project, automatic=automatic)

    async def lease(self, session_id: str) -> Lease | None:
        """Return the lease of the program that holds a session now; None if there is none.

        Raises:
            NotFound: the scope has no such session.
        """
        return await self._awaited(self._target.lease, session_id)

    async def lineage(self, session_id: str) -> Branch:
        """Return the tree of forks and resets that a session belongs to.

        Raises:
            NotFound: the scope has no such session.
        """
        return await self._awaited(self._target.lineage, session_id)

    @property
    def links(self) -> IdentityLinks:
        return self._target.links

    async def list(self, *, project: str | None=None, key: str | None=None, status: str | None=None, agent: str | None=None, channel: str | None=None, title: str | None=None, since: int | datetime | None=None, until: int | datetime | None=None, automatic: bool=True, id_prefix: str | None=None, for_session: str | None=None, limit: int | None=None) -> SessionList:
        """Return the sessions that meet all the filters given, the last used first.

        Args:
            project: Of this project: a path of it, its name or its id.
            key: Of this session key.
            status: With this status; without one all but the deleted.
            agent: Of this agent.
            channel: From this channel.
            title: With this text in the title, whatever its case.
            since: Used at this time or later, ms UTC or datetime.
            until: Used before this time.
            automatic: Also those of jobs, hooks and sub-agents.
            id_prefix: Whose id begins so.
            for_session: On behalf of this session: only those that it may hear.
            limit: How many at most.

        Raises:
            InvalidInput: an unknown status, a bad key, a limit below 0, or a reversed time.
            NotFound: the scope has no session ``for_session``.
            StoreCorrupt: a session is missing, or is not what was stored.
        """
        return await self._awaited(self._target.list, project=project, key=key, status=status, agent=agent, channel=channel, title=title, since=since, until=until, automatic=automatic, id_prefix=id_prefix, for_session=for_session, limit=limit)

    async def message(self, message_id: str) -> Message:
        """Return a message.

        Args:
            message_id: Its id, or its number as lines show it: ``m88``.

        Raises:
            NotFound: there is none with this id in the scope.
        """
        return await self._awaited(self._target.message, message_id)

    async def message_group(self, message: Message) -> VisibilityGroup:
        """Return which conversations hear a message.

        Raises:
            NotFound: the scope does not have its session.
        """
        return await self._awaited(self._target.message_group, message)

    async def messages(self, session_id: str, limit: int | None=None, *, after_seq: int | None=None, before_seq: int | None=None, for_session: str | None=None) -> builtins.list[Message]:
        """Return messages of a session, oldest first; of a fork also those that it shares.

        Args:
            session_id: Which one.
            limit: How many at most: the newest of them, or, with ``after_seq``, the first after it.
            after_seq: Only those with a greater seq.
            before_seq: Only those with a smaller seq.
            for_session: On behalf of this session: only the turns that it may hear.

        Raises:
            NotFound: the scope has no such session.
            InvalidInput: a number is not a whole number from 0.
        """
        return await self._awaited(self._target.messages, session_id, limit, after_seq=after_seq, before_seq=before_seq, for_session=for_session)

    async def open(self, key: str, project: str | None=None, *, owner: bool=False) -> Session:
        """Return the current session of a key, or a new one where none is fresh.

        The current one is the active session that was used last; ``sessions.fresh`` says how long.
        A new one names the one before it. Callers at the same time get the same session.

        Args:
            key: Who and where. A plain name, such as ``alice``, is a person with an audience of
                its own; ``sessions.plain_keys`` may say otherwise.
            project: What it is about, usually a folder.
            owner: Whether a plain name is a session of the owner's instead.

        Raises:
            InvalidInput: the key cannot be one.
            Denied: the key or project belongs to another owner than the scope's.
        """
        return await self._awaited(self._target.open, key, project, owner=owner)

    @property
    def owner(self) -> Owner:
        return self._target.owner

    async def parts(self, session_id: str) -> builtins.list[LineageSegment]:
        """Return where the messages of a session are found: its own, and those a fork shares.

        What its parents said is found in them, and of a deleted parent in its living forks.

        Raises:
            NotFound: the scope has no such session.
        """
        return await self._awaited(self._target.parts, session_id)

    async def preview(self, key: str | None, project: str | None=None, *, owner: bool=False) -> Session:
        """Return the session that `Sessions.create` would begin; nothing is stored.

        Raises:
            InvalidInput: the key cannot be one.
            Denied: the key or project belongs to another owner than the scope's.
        """
        return await self._awaited(self._target.preview, key, project, owner=owner)

    async def release(self, lease: Lease) -> None:
        """Give a held session back. Again does no harm."""
        return await self._awaited(self._target.release, lease)

    async def rename(self, session_id: str, title: str | None, *, lease: Lease | None=None) -> Session:
        """Call a session by another title, or by none.

        Args:
            session_id: Which one.
            title: What it is called from now on.
            lease: The right to go on with the session, where the caller took one.

        Raises:
            NotFound: the scope has no such session.
            Conflict: another program holds it.
            InvalidInput: it is longer than 512 characters.
        """
        return await self._awaited(self._target.rename, session_id, title, lease=lease)

    async def reset(self, key: str, project: str | None=None, *, reason: str='new', owner: bool=False) -> Session:
        """Begin a new session under a key, as ``/new`` and ``/reset`` do, and return it.

        The one before is archived and named as ``previous_id``; its messages stay.

        Args:
            key: Who and where.
            project: What it is about, usually a folder.
            reason: Recorded in the event.
            owner: As for `open`.

        Raises:
            RecollectError: as `open`.
        """
        return await self._awaited(self._target.reset, key, project, reason=reason, owner=owner)

    async def resume(self, id_or_title: str) -> Session:
        """Return a session to go on with, active again if it was archived.

        Raises:
            NotFound: nothing is called so; the hint has near names.
            Conflict: several sessions are; the hint has their ids. Or it was deleted, or it is
                archived and another program holds it.
        """
        return await self._awaited(self._target.resume, id_or_title)

    async def rules(self, session_id: str) -> ModeRules:
        """Return what an agent may do in a session.

        Raises:
            NotFound: the scope has no such session.
        """
        return await self._awaited(self._target.rules, session_id)

    @property
    def scope(self) -> Scope:
        return self._target.scope

    async def set_mode(self, session_id: str, mode: str, *, lease: object=None) -> Session:
        """Serve a session in another way from now on, and return it.

        Raises:
            Conflict: another program holds it.
            NotFound: the scope has no such session.
            InvalidInput: the mode is unknown, or it is not one for this kind of chat.
        """
        return await self._awaited(self._target.set_mode, session_id, mode, lease=lease)

    async def set_status(self, session_id: str, status: str, *, lease: Lease | None=None) -> Session:
        """Make a session ``active``, ``archived`` or ``deleted``; nothing of it is removed.

        Args:
            session_id: Which one.
            status: What it is from now on.
            lease: The right to go on with the session, where the caller took one.

        Raises:
            NotFound: the scope has no such session.
            Conflict: another program holds it.
            InvalidInput: the status is unknown.
        """
        return await self._awaited(self._target.set_status, session_id, status, lease=lease)

    async def stand_in(self, session_id: str, of: StandIn, text: str, at: int | None=None) -> Message | None:
        """Store what a hook reports until the transcript of the session takes its place.

        Args:
            session_id: Where it belongs.
            of: Which message of which turn it is.
            text: Its words.
            at: When it was said, ms UTC; now if not given.

        Returns:
            The message; None where the transcript brought it already.

        Raises:
            RecollectError: as `append`.
        """
        return await self._awaited(self._target.stand_in, session_id, of, text, at)

    async def start(self, *, session_id: str | None=None, resume: str | None=None, continue_latest: bool=False, fork: bool=False, key: str | None=None, project: str | None=None, owner: bool=False) -> Session:
        """Return the session that a program begins with.

        Args:
            session_id: The session with this id, made when it is missing. Callers at the same time
                get the same session.
            resume: The session with this id or title, which must exist.
            continue_latest: The session of the project that was used last; a new one without any.
            fork: Go on in a fork of whichever session was chosen.
            key: Of a new session.
            project: Of a new session, and where the latest is looked for.
            owner: As for `open`.

        Raises:
            InvalidInput: two of the first three, or a fork of nothing.
            NotFound: nothing is called so.
            Conflict: several sessions are, or the one that is was deleted.
        """
        return await self._awaited(self._target.start, session_id=session_id, resume=resume, continue_latest=continue_latest, fork=fork, key=key, project=project, owner=owner)

    def stream(self, session_id: str, role: str='assistant', *, name: str | None=None, at: int | datetime | None=None, metadata: Mapping[str, Any] | None=None, event_id: str | None=None, model: str | None=None, sender: str | None=None, lease: Lease | None=None) -> Opening[AsyncMessageStream]:
        """Return a message that arrives in pieces: ``with … as reply: reply.add("Good ")``.

        It gets its seq when its first lines are stored, and keeps it. See `MessageStream`.

        Args:
            session_id: Where it belongs.
            role: ``user``, ``assistant``, ``system`` or ``tool``.
            name: The speaker, where it is known.
            at: When it was said, ms UTC or datetime; when its first lines were stored if not given.
            metadata: More facts, a JSON object.
            event_id: An id of the caller's; again it replaces an unfinished message.
            model: The model that says it.
            sender: Whose account says it, as for `append`.
            lease: The right to go on with the session, where the caller took one.

        Raises:
            NotFound: the scope has no such session.
            Conflict: the session was deleted.
            InvalidInput: something of it cannot be stored.
        """
        return Opening(self._hops, AsyncMessageStream, self._target.stream, session_id, role, name=name, at=at, metadata=metadata, event_id=event_id, model=model, sender=sender, lease=lease)

    async def tool_calls(self, session_id: str) -> tuple[ToolCall, ...]:
        """Return what tools a session used, oldest first; of a fork also those that it shares.

        Raises:
            NotFound: the scope has no such session.
        """
        return await self._awaited(self._target.tool_calls, session_id)

    def turn(self, session_id: str, timeout_s: float=TURN_TIMEOUT_S) -> AsyncInside[Session]:
        """Wait until it is our turn in a session, and keep it inside the ``with`` block.

        One at a time, in the order of arrival, over all threads and processes of the home. A
        program that dies in its turn keeps no other waiting. Not for a turn within a turn.

        Raises:
            NotFound: the scope has no such session.
            StoreBusy: it was not our turn for ``timeout_s``.
        """
        return AsyncInside(self._hops, partial(self._target.turn, session_id, timeout_s))

    async def view(self, session_id: str, budget_tokens: int | None=None, *, for_sender: str | None=None) -> ContextView:
        """Return what of a session is in the prompt: a summary, and the newest messages.

        Never empty where something was said: a newest message that is too long is shown as its head
        and tail, with a mark of what is left out. Costs as much as is shown, however long the
        session is. A fork sees the compactions of its parents up to where it branched off. Of a
        session that several people share, only the turns that whom it answers may hear.

        Args:
            session_id: Which one.
            budget_tokens: What it may cost; ``sessions.context.window_tokens`` if not given.
            for_sender: Whom it answers; else whose turn the newest message is.

        Raises:
            NotFound: the scope has no such session.
            InvalidInput: ``for_sender`` cannot be an account, the budget is below 40, or an exact
                counter has no room in it.
        """
        return await self._awaited(self._target.view, session_id, budget_tokens, for_sender=for_sender)

    async def visibility_group(self, session_id: str, for_sender: str | None=None) -> VisibilityGroup:
        """Return which conversations hear what is answered in a session now.

        Args:
            session_id: Which one.
            for_sender: Whom it answers; else whose turn its newest message is. That counts only in
                a session of one person, or of several who share it one by one.

        Raises:
            NotFound: the scope has no such session.
            InvalidInput: ``for_sender`` cannot be an account.
        """
        return await self._awaited(self._target.visibility_group, session_id, for_sender)

    async def within(self, scope: Scope) -> AsyncSessions:
        """Return the same sessions as another scope sees them."""
        return AsyncSessions(await self._awaited(self._target.within, scope), self._hops)

class AsyncSessionObservations(Twin):
    """The observations of a memory, as a held session records and hears them.

    Args:
        observations: Those of the memory.
        values: What a call takes of the session, by the names of parameters.
    """
    _target: SessionObservations

    async def forget(self, id: str) -> Observation:
        """Take an observation out of search, lists and everything else until it is restored.

        Args:
            id: Its UUID, or its number as ``#12``.
            for_session: On behalf of this session: what it may not hear does not exist.

        Raises:
            NotFound: the scope has none, or no session ``for_session``.
        """
        return await self._awaited(self._target.forget, id)

    async def get(self, ids: str | Sequence[str], max_tokens: int | None=DETAIL_TOKENS, *, for_sender: str | None=None, forgotten: bool=False) -> ObservationBatch:
        """Return observations by id, in the order of the ids.

        Args:
            ids: UUIDs, or numbers as ``#12``.
            max_tokens: What each may cost at most: input and output are shortened to it. None
                gives them whole, also from the blobs.
            for_session: On behalf of this session: what it may not hear is missing.
            for_sender: Whom that session answers, as for `Memory.search`.
            forgotten: Also those that are forgotten.

        Raises:
            InvalidInput: an id is neither a UUID nor a number.
            NotFound: the scope has no session ``for_session``.
            StoreError: a row or blob cannot be read.
        """
        return await self._awaited(self._target.get, ids, max_tokens, for_sender=for_sender, forgotten=forgotten)

    async def heard(self, of: Observation) -> Observation | None:
        """Return an observation as the session hears it; None where it hears nothing of it."""
        return await self._awaited(self._target.heard, of)

    async def hearer(self, sender: str | None) -> Hearer | None:
        """Return who asks; None is the operator.

        Raises:
            InvalidInput: a sender is given without a session.
            NotFound: the scope has no such session.
        """
        return await self._awaited(self._target.hearer, sender)

    async def list(self, *, session_id: str | None=None, types: Sequence[str] | None=None, project: str | None=None, tool_name: str | None=None, since: int | datetime | None=None, until: int | datetime | None=None, min_importance: float | None=None, forgotten: bool=False, limit: int=20, for_sender: str | None=None) -> Many:
        """Return observations, the newest first.

        Args:
            session_id: Only those of this session.
            types: Only these types.
            project: Only those of this project.
            tool_name: Only those of this tool.
            since: Only those from this time on, ms UTC or datetime.
            until: Only those before this time.
            min_importance: Only those that are at least so important.
            forgotten: Those that were forgotten, instead of the others.
            limit: How many at most.
            for_session: On behalf of this session: only what it may hear.
            for_sender: Whom that session answers, as for `Memory.search`.

        Raises:
            InvalidInput: a time or number is out of range, or an end before the beginning.
            NotFound: the scope has no session ``for_session``.
        """
        return await self._awaited(self._target.list, session_id=session_id, types=types, project=project, tool_name=tool_name, since=since, until=until, min_importance=min_importance, forgotten=forgotten, limit=limit, for_sender=for_sender)

    async def numbers(self, types: Sequence[str] | None=None, min_importance: float | None=None) -> Numbers:
        """Return the numbers of observations, whoever hears them: what a search is narrowed to.

        Args:
            types: Only these types.
            min_importance: Only those that are at least so important.

        Raises:
            InvalidInput: a number is out of range.
        """
        return await self._awaited(self._target.numbers, types, min_importance)

    @property
    def own_calls(self) -> OwnCalls:
        """The calls of our own tools, which are not recorded."""
        return self._target.own_calls

    async def record(self, tool_name: str | None=None, type: str | None=None, input: object=None, output: object=None, summary: str | None=None, importance: float | None=None, event_id: str | None=None, *, title: str | None=None, files: Sequence[str] | None=None, error: str | None=None, trust: Trust | None=None, tool_use_id: str | None=None, message_id: str | None=None, agent_id: str | None=None, event: Made | None=None, at: int | datetime | None=None, project: str | None=None) -> Observation:
        """Store an observation, and return it once it is durable.

        What is not given is made by rules. The same event id, or the same tool use and event, in a
        session again stores nothing and returns the first, so that a caller may always try again.

        Args:
            session_id: Where it happened.
            tool_name: Which tool was used.
            type: One of `observation.TYPES`, or your own.
            input: What the tool was given: a text, or JSON.
            output: What came back: a text, or JSON.
            summary: A few words of yours.
            importance: 0 to 1.
            event_id: An id of the caller's.
            title: One line of yours.
            files: Paths that it touched; those that the tool was given if not given.
            error: What failed, as text.
            trust: Whose words input and output are.
            tool_use_id: The id that the model gave the call.
            message_id: The message that it belongs to.
            agent_id: The sub-agent that did it.
            event: What made it; a tool, or you by hand, if not given.
            at: When it happened, ms UTC or datetime; now if not given.
            project: The folder that it was about; that of the session if not given.

        Raises:
            NotFound: the scope has no such session.
            InvalidInput: something of it cannot be stored.
            Conflict: the session was deleted.
            Denied: the project is not that of the scope; or the tool asked this memory, see
                `own_calls`; or `Memory.capture` leaves it out, which holds for all but ``manual``.
        """
        return await self._awaited(self._target.record, tool_name, type, input, output, summary, importance, event_id, title=title, files=files, error=error, trust=trust, tool_use_id=tool_use_id, message_id=message_id, agent_id=agent_id, event=event, at=at, project=project)

    async def record_each(self, items: Iterable[Mapping[str, Any] | GivenObservation] | AsyncIterable[Mapping[str, Any] | GivenObservation]) -> Outcomes:
        """Store observations of any sessions in one transaction; return what became of each.

        For programs that capture for many at once: they share one commit, and one that cannot be
        stored does not disturb the others. An outcome is the observation, once it is durable, or
        the error that `record` would raise.

        Args:
            items: Dicts with the argument names of `record`, or the same as values.

        Raises:
            StoreError: the transaction failed; see `recollect.store.engine.Database.write`.
        """
        return await self._bridged(self._target.record_each, items)

    async def record_many(self, items: Iterable[Mapping[str, Any]] | AsyncIterable[Mapping[str, Any]]) -> Many:
        """Store observations in one transaction: all of them or none; return them in order.

        What `Memory.capture` leaves out is counted, and not among them.

        Args:
            items: Dicts with the argument names of `record`.

        Raises:
            NotFound: the scope has no such session.
            InvalidInput: something of it cannot be stored; the fact ``item`` tells which, from 0.
            Conflict: a session was deleted.
            Denied: a project is not that of the scope.
        """
        return await self._bridged(self._target.record_many, items)

    async def restore(self, id: str) -> Observation:
        """Bring a forgotten observation back.

        Args:
            id: Its UUID, or its number as ``#12``.
            for_session: On behalf of this session: what it may not hear does not exist.

        Raises:
            NotFound: the scope has none, or no session ``for_session``.
        """
        return await self._awaited(self._target.restore, id)

    @property
    def scope(self) -> Scope:
        """Whose observations they are."""
        return self._target.scope

    async def timeline(self, anchor: str | int | datetime | None=None, query: str | None=None, before: int=5, after: int=5, *, project: str | None=None, for_sender: str | None=None, since: int | datetime | str | None=None, until: int | datetime | str | None=None) -> Timeline:
        """Return what was said and done around something, as index lines by time.

        Around a record it is of the same project and the same audience; around a moment, of all
        that the asker hears. With ``since`` or ``until`` alone it begins or ends there.

        Args:
            anchor: A number such as ``#12`` or ``m88``, a UUID, or a time: ms UTC or datetime.
            query: Instead of an anchor: the best hit of this question is it.
            before: How many lines before it, at most.
            after: How many lines after it, at most.
            project: Only of this project.
            for_session: On behalf of this session: only what it may hear.
            for_sender: Whom that session answers, as for `Memory.search`.
            since: Only lines from then on, as for `Memory.search`; the anchor is there in any case.
            until: Only lines before then; of a text that is a range, before its end.

        Raises:
            InvalidInput: both anchor and query, or nothing at all; or one that cannot be one.
            NotFound: the record does not exist, or they may not hear it; nothing fits the
                question; or the session does not exist.
        """
        return await self._awaited(self._target.timeline, anchor, query, before, after, project=project, for_sender=for_sender, since=since, until=until)

    async def within(self, scope: Scope) -> AsyncObservations:
        """Return the same observations as another scope sees them."""
        return AsyncObservations(await self._awaited(self._target.within, scope), self._hops)

class AsyncSessionHandle(AsyncLeasedSession):
    """The right to go on with a session of a memory. A context manager.

    Each message is a sign of life. A program that was away for too long, so that another one took
    over, is refused with `Conflict` at its next message and has written nothing.

    It can do all that can be done with a session, without its id: each call of `Sessions` that
    takes one is here too, such as `append`, `messages`, `view`, `compact`, `fork`, `flush` and
    `rename`, and so is what the memory does for a session: `observations`, `context`, and `search`,
    `lines` and `read`, which hear what the session may hear. What changes the session does so with
    its lease, and is refused to others.

    Args:
        session: As it was when it was taken: the one asked for, or a fork of it.
        lease: The right itself, with its fence.
        sessions: The `Sessions` that it is one of.
        memory: The memory that it is of.
    """
    _target: SessionHandle

    async def context(self, query: str | None=None, budget_tokens: int | None=None, reason: Reason='startup', client: str | None=None, for_sender: str | None=None, *, sources: Sequence[str]=(), since: int | datetime | None=None, record: bool=True) -> ContextBlock:
        """Return what a prompt of a session is given by itself, and record that it was.

        At ``startup``, after ``clear`` and ``compact`` the whole block; at ``resume`` and ``fork``
        what the prompt does not have yet. For a ``prompt`` what answers it, where the setting
        ``context.prompt`` is on: nothing below ``context.prompt_floor``, nothing that is in
        the window. Observations only of the session's project, and only what it may hear.
        Where ``context.enabled`` is off nothing, unless a question asks.

        Args:
            session_id: Whose prompt.
            query: A question; what answers it comes first. For a ``prompt``, the prompt.
            budget_tokens: Never more; ``context.budget_tokens`` if not given.
            reason: What happened.
            client: The program that reads it, see `CLIENT_CHARS` and `LOADED`.
            for_sender: Whom the session answers, as for `Memory.search`.
            sources: Kinds of memory that may answer a ``prompt``, as for `Memory.search`; where
                none is given observations, if the setting is on.
            since: Where the client says when the oldest message was said that the prompt holds:
                what was said later is left out. Blocks of earlier prompts are then gone.
            record: Whether it is really injected; False to look at it only.

        Raises:
            NotFound: the scope has no such session.
            InvalidInput: an argument is out of range.
            StoreError: the records cannot be read.
        """
        return await self._awaited(self._target.context, query, budget_tokens, reason, client, for_sender, sources=sources, since=since, record=record)

    async def export(self, scope: Scope | None=None, *, since: int | datetime | None=None, files: bool=False, on_progress: AsyncCallback | Callable[[ExportProgress], None] | None=None) -> AsyncHomeExport:
        """Return everything that this memory has, as lines for elsewhere; see `import_export`.

        Sessions with their messages, compactions, observations and episodes, the deleted and the
        forgotten too; projects and their paths. No settings, no tokens, nothing that is derived.

        Args:
            scope: Only what belongs to it; it cannot see more than the scope of this memory.
            since: Only what is of this time or later, ms UTC or datetime.
            for_session: Only what this session may hear; without it the operator asks.
            files: Also the memory files of the workspace, without secrets.
            on_progress: Called after each session.

        Returns:
            ``.lines()`` yields the document, ``.save(path)`` writes it.

        Raises:
            NotFound: the scope lacks the session, or is of another owner.
            InvalidInput: memory files are wanted, and this memory has no workspace.
        """
        return AsyncHomeExport(await self._bridged(self._target.export, scope, since=since, files=files, on_progress=on_progress), self._hops)

    async def export_session(self, format_name: str) -> AsyncSessionExport:
        """Return a session as its program, and our own import, read it: ``.lines()``, ``.save(…)``.

        Args:
            session_id: Which session; of a fork also the messages that it shares.
            format_name: ``claude-code``, ``openclaw`` or ``jsonl``.

        Raises:
            NotFound: the scope has no such session.
            InvalidInput: the format is unknown.
        """
        return AsyncSessionExport(await self._awaited(self._target.export_session, format_name), self._hops)

    async def files(self, *, for_sender: str | None=None) -> builtins.list[str]:
        """Return the paths of the memory files that can be read, sorted; nothing is opened.

        Args:
            for_session: Only those that may be read on behalf of this session.
            for_sender: Whom that session answers, as for `search`.

        Raises:
            NotFound: the scope lacks the session.
            InvalidInput: a sender is given without a session, or cannot be an account.
        """
        return await self._awaited(self._target.files, for_sender=for_sender)

    @property
    def lease(self) -> Lease:
        return self._target.lease

    async def lines(self, result: SearchResult, *, for_sender: str | None=None) -> IndexLines:
        """Return what was found, in lines of at most 100 tokens; each tells what it would cost.

        Args:
            result: What `search` returned; what is gone meanwhile is left out.
            for_session: As it was searched: nothing else than this session may hear.
            for_sender: Whom that session answers, as for `search`.
        """
        return await self._awaited(self._target.lines, result, for_sender=for_sender)

    @cached_property
    def observations(self) -> AsyncSessionObservations:
        """What agents did and saw in it, and what it may hear of others."""
        return AsyncSessionObservations(self._target.observations, self._hops)

    async def read(self, path: str, from_line: int=1, lines: int | None=None, *, max_chars: int=MOST_CHARS, for_sender: str | None=None) -> ReadResult:
        """Return lines of a memory file, secrets taken out, and where to go on.

        Args:
            path: As hits name it, or absolute inside the workspace.
            from_line: First line, from 1; after the end there is no text.
            lines: How many at most; 120 if not given.
            max_chars: Where to stop, after a whole line; a first line that is longer is cut.
            for_session: Read on behalf of this session.
            for_sender: Whom that session answers, as for `search`.

        Returns:
            The lines; with the status ``not_found``, and no text, when the file does not exist.

        Raises:
            Denied: no memory file can have this path, it is a link, or it is not for them.
            InvalidInput: a number is below 1, or the file is binary or too large.
            NotFound: this memory has neither a workspace nor extra paths, or not the session.
            StoreClosed: the memory was closed.
        """
        return await self._awaited(self._target.read, path, from_line, lines, max_chars=max_chars, for_sender=for_sender)

    async def search(self, query: str, limit: int | None=None, min_score: float | None=None, sources: Sequence[str] | None=None, scope: Scope | None=None, *, mode: str='hybrid', channel: str | None=None, for_sender: str | None=None, since: int | datetime | str | None=None, until: int | datetime | str | None=None, types: Sequence[str] | None=None, min_importance: float | None=None, min_confidence: float | None=None, on_progress: AsyncCallback | OnProgress=ignore_progress) -> SearchResult:
        """Return the best hits for a question.

        Args:
            query: A question or words; or a number such as ``m88``, whose record comes first.
            limit: Hits at most, 1 to 1,000; `search.limit` if not given.
            min_score: Leave out hits below it, 0 to 1; `search.min_score` if not given. Hits with
                all of the words stay in places that are left, with any where nothing reaches it.
            sources: Only these kinds of memory; all if not given.
            scope: Narrows what is searched; it cannot see more than the scope of this memory.
            mode: ``hybrid``, ``lexical`` or ``vector``.
            channel: Only what was said or done on this channel: ``telegram``.
            for_session: Only what this session may hear. Without it the operator asks and sees all.
            for_sender: Whom that session answers: ``telegram:42``; else whose its newest turn is.
            since: Only what was said, happened or changed from then on: ms UTC, a datetime, or a
                text such as ``2026-05-12`` or ``last week``.
            until: Only what was before then; of a text that is a range, its end.
            types: Only observations of these types.
            min_importance: Only observations that are at least so important, 0 to 1.
            min_confidence: No hits, and a warning, where `SearchResult.confidence` is below it, 0
                to 1; hits with any confidence if not given.
            on_progress: Called while new messages and files are indexed first.

        Raises:
            InvalidInput: an argument is out of range.
            NotFound: no such session; or the operator names a channel that no session is on.
        """
        return await self._bridged(self._target.search, query, limit, min_score, sources, scope, mode=mode, channel=channel, for_sender=for_sender, since=since, until=until, types=types, min_importance=min_importance, min_confidence=min_confidence, **{} if on_progress is ignore_progress else {'on_progress': on_progress})

    @property
    def session(self) -> Session:
        return self._target.session

class AsyncMemorySessions(AsyncSessions):
    """The sessions of a memory, see `Sessions`.

    Args:
        components: What the memory is made of. The memory keeps its sessions, so they do not keep
            it: a memory is closed when its last user lets go of it.
    """
    _target: MemorySessions

    @cached_property
    def history(self) -> AsyncHistory:
        return AsyncHistory(self._target.history, self._hops)

    def hold(self, id_or_title: str, *, holder: str | None=None, on_busy: str='refuse', exclusive: bool=False) -> Opening[AsyncSessionHandle]:
        """Resume a session and keep other programs out of it; a context manager.

        Args:
            id_or_title: Which session.
            holder: Who holds it, a label; the same holder may come again. A new id if not given.
            on_busy: What to do when another program holds it: ``refuse``, or ``fork`` it.
            exclusive: Whether others may not append meanwhile; in a queue they may not in any case.

        Raises:
            NotFound: nothing is called so.
            Conflict: another program holds it, it was deleted, or several sessions are called so.
            InvalidInput: ``on_busy`` is neither.
        """
        return Opening(self._hops, AsyncSessionHandle, self._target.hold, id_or_title, holder=holder, on_busy=on_busy, exclusive=exclusive)

    @property
    def links(self) -> IdentityLinks:
        return self._target.links

    @property
    def owner(self) -> Owner:
        return self._target.owner

    @property
    def scope(self) -> Scope:
        return self._target.scope

class AsyncMemoryCalls(Twin):
    """The memory of one home. A context manager; threads may share it. Use `recollect.open`."""
    _target: Memory

    @cached_property
    def audit(self) -> AsyncAudit:
        """What was done with the rights of an operator, and what was refused."""
        return AsyncAudit(self._target.audit, self._hops)

    async def backup(self, path: Path | str, *, secrets: bool=False, workspace: bool=False, replace: bool=False, on_progress: AsyncCallback | OnBackup | None=None) -> BackupReport:
        """Write the whole home into one compressed file (0600), verified; programs go on meanwhile.

        Args:
            path: The new file, or a folder for one with the date in its name.
            secrets: Also tokens, and the keys in ``config.yaml``.
            workspace: Also the memory files of the workspace.
            replace: Take the place of a file that is there.
            on_progress: Called now and then with bytes done and in all.

        Raises:
            Conflict: the file is there, and is not to be replaced.
            InvalidInput: it would lie in the home; or this memory has no workspace.
            StoreError: something cannot be read or written; no file is left.
        """
        return await self._bridged(self._target.backup, path, secrets=secrets, workspace=workspace, replace=replace, on_progress=on_progress)

    @cached_property
    def capture(self) -> AsyncCaptureControls:
        """What is captured of them, and what is not."""
        return AsyncCaptureControls(self._target.capture, self._hops)

    async def checkup(self) -> AsyncIndexCheckup:
        """Return what examines the rows of the index, and repairs them."""
        return AsyncIndexCheckup(await self._awaited(self._target.checkup), self._hops)

    @cached_property
    def context(self) -> AsyncContexts:
        """What goes into prompts by itself: ``memory.context(session_id)`` gives a block."""
        return AsyncContexts(self._target.context, self._hops)

    async def counts(self) -> RecordCounts:
        """Return how many records there are within the scope of this memory."""
        return await self._awaited(self._target.counts)

    async def erase(self, *, session_id: str, dry_run: bool=False, with_forks: bool=False, on_progress: AsyncCallback | OnErase | None=None) -> ErasureReceipt:
        """Erase a conversation, so that no byte of it is left in the home; return a receipt.

        Args:
            session_id: Which session. Its deleted forks go with it.
            dry_run: Only tell what would go; nothing is changed.
            with_forks: Erase living forks that share messages with it as well.
            on_progress: Called while rows are removed.

        Raises:
            NotFound: the scope has no such session.
            Conflict: living forks share messages with it, or a program holds it.
            StoreBusy: another program is erasing, or makes a backup.
            StoreError: a database refused; what was begun is finished at the next opening.
        """
        return await self._bridged(self._target.erase, session_id=session_id, dry_run=dry_run, with_forks=with_forks, on_progress=on_progress)

    @cached_property
    def events(self) -> AsyncEventStream:
        return AsyncEventStream(self._target.events, self._hops)

    async def explain_settings(self) -> ResolvedSettings:
        """Return the settings in force and where each one comes from."""
        return await self._awaited(self._target.explain_settings)

    async def export(self, scope: Scope | None=None, *, since: int | datetime | None=None, for_session: str | None=None, files: bool=False, on_progress: AsyncCallback | Callable[[ExportProgress], None] | None=None) -> AsyncHomeExport:
        """Return everything that this memory has, as lines for elsewhere; see `import_export`.

        Sessions with their messages, compactions, observations and episodes, the deleted and the
        forgotten too; projects and their paths. No settings, no tokens, nothing that is derived.

        Args:
            scope: Only what belongs to it; it cannot see more than the scope of this memory.
            since: Only what is of this time or later, ms UTC or datetime.
            for_session: Only what this session may hear; without it the operator asks.
            files: Also the memory files of the workspace, without secrets.
            on_progress: Called after each session.

        Returns:
            ``.lines()`` yields the document, ``.save(path)`` writes it.

        Raises:
            NotFound: the scope lacks the session, or is of another owner.
            InvalidInput: memory files are wanted, and this memory has no workspace.
        """
        return AsyncHomeExport(await self._bridged(self._target.export, scope, since=since, for_session=for_session, files=files, on_progress=on_progress), self._hops)

    async def export_session(self, session_id: str, format_name: str) -> AsyncSessionExport:
        """Return a session as its program, and our own import, read it: ``.lines()``, ``.save(…)``.

        Args:
            session_id: Which session; of a fork also the messages that it shares.
            format_name: ``claude-code``, ``openclaw`` or ``jsonl``.

        Raises:
            NotFound: the scope has no such session.
            InvalidInput: the format is unknown.
        """
        return AsyncSessionExport(await self._awaited(self._target.export_session, session_id, format_name), self._hops)

    async def files(self, *, for_session: str | None=None, for_sender: str | None=None) -> builtins.list[str]:
        """Return the paths of the memory files that can be read, sorted; nothing is opened.

        Args:
            for_session: Only those that may be read on behalf of this session.
            for_sender: Whom that session answers, as for `search`.

        Raises:
            NotFound: the scope lacks the session.
            InvalidInput: a sender is given without a session, or cannot be an account.
        """
        return await self._awaited(self._target.files, for_session=for_session, for_sender=for_sender)

    async def forgive_batches(self) -> int:
        """Let batches of the provider be used again; return how many failures are forgotten."""
        return await self._awaited(self._target.forgive_batches)

    async def get(self, ids: str | Sequence[str], max_tokens: int | None=1000, *, for_session: str | None=None, for_sender: str | None=None) -> DetailBatch:
        """Return records of any kind in full, in the order of the ids, and which are missing.

        Args:
            ids: Numbers such as ``#12``, ``m88`` and ``e3``, or UUIDs.
            max_tokens: What each may cost; it is shortened to that. None gives all of it.
            for_session: On behalf of this session: what it may not hear is missing.
            for_sender: Whom that session answers, as for `search`.

        Raises:
            InvalidInput: an id is neither a number nor a UUID.
        """
        return await self._awaited(self._target.get, ids, max_tokens, for_session=for_session, for_sender=for_sender)

    async def heal_mirrors(self) -> Mapping[str, int]:
        """Make every readable transcript equal to the database; return how many were how before."""
        return await self._awaited(self._target.heal_mirrors)

    @property
    def home(self) -> Path:
        return self._target.home

    async def import_claude_mem(self, path: Path | str, *, dry_run: bool=False, on_progress: AsyncCallback | OnImport | None=None) -> ExchangeReport:
        """Import what claude-mem kept: its database, or a JSON file that it exported.

        Its sessions, prompts, observations and summaries, with the trust ``imported``, are heard
        by the owner only. The same again adds nothing; the database is only read.

        Args:
            path: ``claude-mem.db``, or the JSON file.
            dry_run: Only tell what would be stored.
            on_progress: Called after each transaction.

        Raises:
            NotFound: the file does not exist.
            InvalidInput: it is neither.
            ForeignStoreError: the database cannot be read, or its version is none that is known.
            StoreError: the database or the disk refused; what was stored stays.
        """
        return await self._bridged(self._target.import_claude_mem, path, dry_run=dry_run, on_progress=on_progress)

    async def import_export(self, source: Path | str | BinaryIO, *, dry_run: bool=False, other_tenant: bool=False, files: bool=False, on_progress: AsyncCallback | OnImport | None=None) -> ExchangeReport:
        """Import what `export` wrote; the same document again adds nothing.

        All of it is read first: one that is cut off or was changed is refused, and nothing is
        stored. Records keep their ids, and their short numbers where they are free. Secrets, and
        what is not captured here, are left out; what was erased here stays away.

        Args:
            source: A file, or one that is open and can be read from its beginning again.
            dry_run: Only tell what would be stored.
            other_tenant: Take a document of another tenant; its records get ids of their own.
            files: Also write memory files that the workspace does not have.
            on_progress: Called after each transaction.

        Raises:
            NotFound: the file does not exist.
            InvalidInput: it is another kind of file, or not as it was written.
            Denied: it is of another tenant, and that was not said.
            StoreError: the database or the disk refused; what was stored stays.
        """
        return await self._bridged(self._target.import_export, source, dry_run=dry_run, other_tenant=other_tenant, files=files, on_progress=on_progress)

    async def import_transcripts(self, path: Path | str, format_name: str='auto', progress: AsyncCallback | OnFiles | None=None, *, include_deleted: bool=False) -> ImportReport:
        """Import a transcript, or all below a folder; return what was new and what was wrong.

        Args:
            path: A file, or a folder whose ``.jsonl`` files and stores of OpenClaw are taken.
            format_name: ``claude-code``, ``openclaw``, ``jsonl``; ``auto`` lets each file tell.
            progress: Called after each batch and each file.
            include_deleted: Take sessions too that were deleted in OpenClaw.

        Raises:
            NotFound: the file or folder does not exist.
            InvalidInput: the format is unknown.
            StoreError: the database or the disk refused.
        """
        return await self._bridged(self._target.import_transcripts, path, format_name, progress, include_deleted=include_deleted)

    async def lines(self, result: SearchResult, *, for_session: str | None=None, for_sender: str | None=None) -> IndexLines:
        """Return what was found, in lines of at most 100 tokens; each tells what it would cost.

        Args:
            result: What `search` returned; what is gone meanwhile is left out.
            for_session: As it was searched: nothing else than this session may hear.
            for_sender: Whom that session answers, as for `search`.
        """
        return await self._awaited(self._target.lines, result, for_session=for_session, for_sender=for_sender)

    async def needs_confirmation(self, *, reindex: bool=False) -> bool:
        """Return cheaply whether a sync, or a reindex, is to be agreed to by who pays."""
        return await self._awaited(self._target.needs_confirmation, reindex=reindex)

    @cached_property
    def observations(self) -> AsyncObservationRecall:
        """What agents did and saw, and what was around it."""
        return AsyncObservationRecall(self._target.observations, self._hops)

    async def preview(self, *, reindex: bool=False) -> Preview:
        """Return what a sync, or a reindex, would read, embed and cost; nothing is changed.

        Args:
            reindex: Whether everything is rebuilt in any case.

        Raises:
            StoreError: a database refused.
        """
        return await self._awaited(self._target.preview, reindex=reindex)

    async def preview_uses(self) -> builtins.list[UsePreview]:
        """Return what each use of a language model would take in a day; nothing is asked."""
        return await self._awaited(self._target.preview_uses)

    async def probe_embedding(self) -> Probe:
        """Return whether the embedder answers: it is asked for one word, at most twice a minute."""
        return await self._awaited(self._target.probe_embedding)

    async def probe_vectors(self) -> bool:
        """Return whether the vector back end of the settings can be reached."""
        return await self._awaited(self._target.probe_vectors)

    @cached_property
    def projects(self) -> AsyncProjects:
        """The projects of this home."""
        return AsyncProjects(self._target.projects, self._hops)

    async def prune(self, *, dry_run: bool=False, on_progress: AsyncCallback | OnPrune | None=None) -> PruneReport:
        """Remove for good what is above the caps of ``sessions.retention``; return a receipt.

        Args:
            dry_run: Only tell what would go; nothing is changed.
            on_progress: Called after each session.

        Raises:
            StoreError: a database refused; what went before stays removed.
        """
        return await self._bridged(self._target.prune, dry_run=dry_run, on_progress=on_progress)

    async def read(self, path: str, from_line: int=1, lines: int | None=None, *, max_chars: int=MOST_CHARS, for_session: str | None=None, for_sender: str | None=None) -> ReadResult:
        """Return lines of a memory file, secrets taken out, and where to go on.

        Args:
            path: As hits name it, or absolute inside the workspace.
            from_line: First line, from 1; after the end there is no text.
            lines: How many at most; 120 if not given.
            max_chars: Where to stop, after a whole line; a first line that is longer is cut.
            for_session: Read on behalf of this session.
            for_sender: Whom that session answers, as for `search`.

        Returns:
            The lines; with the status ``not_found``, and no text, when the file does not exist.

        Raises:
            Denied: no memory file can have this path, it is a link, or it is not for them.
            InvalidInput: a number is below 1, or the file is binary or too large.
            NotFound: this memory has neither a workspace nor extra paths, or not the session.
            StoreClosed: the memory was closed.
        """
        return await self._awaited(self._target.read, path, from_line, lines, max_chars=max_chars, for_session=for_session, for_sender=for_sender)

    async def reindex(self, on_progress: AsyncCallback | OnProgress=ignore_progress) -> SyncReport:
        """Rebuild the index; the old one answers searches until the new one is finished.

        Raises:
            StoreError: a database refused.
            ProviderError: the embedder failed; the old index stays.
        """
        return await self._bridged(self._target.reindex, **{} if on_progress is ignore_progress else {'on_progress': on_progress})

    @property
    def scope(self) -> Scope:
        return self._target.scope

    async def scrub(self, *, dry_run: bool=False, on_progress: AsyncCallback | OnScrub | None=None) -> ScrubReceipt:
        """Redact everything stored by the rules of today; see `Scrubber.run`."""
        return await self._bridged(self._target.scrub, dry_run=dry_run, on_progress=on_progress)

    async def search(self, query: str, limit: int | None=None, min_score: float | None=None, sources: Sequence[str] | None=None, scope: Scope | None=None, *, mode: str='hybrid', channel: str | None=None, for_session: str | None=None, for_sender: str | None=None, since: int | datetime | str | None=None, until: int | datetime | str | None=None, types: Sequence[str] | None=None, min_importance: float | None=None, min_confidence: float | None=None, on_progress: AsyncCallback | OnProgress=ignore_progress) -> SearchResult:
        """Return the best hits for a question.

        Args:
            query: A question or words; or a number such as ``m88``, whose record comes first.
            limit: Hits at most, 1 to 1,000; `search.limit` if not given.
            min_score: Leave out hits below it, 0 to 1; `search.min_score` if not given. Hits with
                all of the words stay in places that are left, with any where nothing reaches it.
            sources: Only these kinds of memory; all if not given.
            scope: Narrows what is searched; it cannot see more than the scope of this memory.
            mode: ``hybrid``, ``lexical`` or ``vector``.
            channel: Only what was said or done on this channel: ``telegram``.
            for_session: Only what this session may hear. Without it the operator asks and sees all.
            for_sender: Whom that session answers: ``telegram:42``; else whose its newest turn is.
            since: Only what was said, happened or changed from then on: ms UTC, a datetime, or a
                text such as ``2026-05-12`` or ``last week``.
            until: Only what was before then; of a text that is a range, its end.
            types: Only observations of these types.
            min_importance: Only observations that are at least so important, 0 to 1.
            min_confidence: No hits, and a warning, where `SearchResult.confidence` is below it, 0
                to 1; hits with any confidence if not given.
            on_progress: Called while new messages and files are indexed first.

        Raises:
            InvalidInput: an argument is out of range.
            NotFound: no such session; or the operator names a channel that no session is on.
        """
        return await self._bridged(self._target.search, query, limit, min_score, sources, scope, mode=mode, channel=channel, for_session=for_session, for_sender=for_sender, since=since, until=until, types=types, min_importance=min_importance, min_confidence=min_confidence, **{} if on_progress is ignore_progress else {'on_progress': on_progress})

    @cached_property
    def sections(self) -> AsyncSections:
        """What was decided and fixed, as a section of a file that agents read by themselves."""
        return AsyncSections(self._target.sections, self._hops)

    @cached_property
    def sessions(self) -> AsyncMemorySessions:
        """The sessions of this home."""
        return AsyncMemorySessions(self._target.sessions, self._hops)

    async def set_stray_mirrors_aside(self) -> int:
        """Give mirrors of sessions that the database does not have another ending."""
        return await self._awaited(self._target.set_stray_mirrors_aside)

    @property
    def settings(self) -> Settings:
        return self._target.settings

    async def status(self) -> Status:
        """Return what the home holds and how it is doing; no provider is asked.

        Raises:
            StoreError: a database cannot be read.
        """
        return await self._awaited(self._target.status)

    async def sync(self, on_progress: AsyncCallback | OnProgress=ignore_progress) -> SyncReport:
        """Return when everything is indexed, embeddings included.

        Args:
            on_progress: Called after every batch.

        Returns:
            What this call did, beside the background; what the index holds says `status`.

        Raises:
            StoreError: a database refused.
            ProviderError: the embedder failed; words are indexed all the same.
        """
        return await self._bridged(self._target.sync, **{} if on_progress is ignore_progress else {'on_progress': on_progress})

    @cached_property
    def tokens(self) -> AsyncTokens:
        """Who may call the worker of this home."""
        return AsyncTokens(self._target.tokens, self._hops)

    async def transcript_grew(self, path: str, format_name: str, *, is_awaited: bool=False) -> FollowedFile | None:
        """Tell that a program wrote into a transcript, as its hooks say.

        Args:
            path: Absolute.
            format_name: The program, ``claude-code``.
            is_awaited: Read what is new before returning, for a second at most; else at once.

        Returns:
            The transcript; None where it is below no place that is followed, see
            ``workspace.transcripts``.
        """
        return await self._awaited(self._target.transcript_grew, path, format_name, is_awaited=is_awaited)

    async def unheard_warnings(self, result: SearchResult) -> builtins.list[str]:
        """Return the warnings of an answer that a person was not given in the last 24 hours.

        They count as given now. Without hits, or where the index is damaged, nothing is left out.
        """
        return await self._awaited(self._target.unheard_warnings, result)

    @property
    def warning(self) -> str | None:
        """Why it only answers and stores nothing: the home cannot be written. Else None."""
        return self._target.warning

    def watch(self) -> AsyncItems[Synced]:
        """Keep the index in step until it is closed; yield what each sync in the background did.

        The memory must be a live one. Only syncs that did something, or failed, are reported.

        Raises:
            InvalidInput: watching is turned off, or the memory was opened for a moment only.
            StoreBusy: another program does it already.
        """
        return AsyncItems(self._hops, partial(self._target.watch))

    @property
    def workspace(self) -> Path | None:
        return self._target.workspace
