"""The rooms of a memory: what it is made of, each made when it is first used.

`home` has what is open, `memory` is what programs call.
"""

from __future__ import annotations

import functools
from functools import cached_property, partial
from typing import TYPE_CHECKING
from weakref import finalize

from recollect.audience.visibility import Asker, group_of_turn
from recollect.core.errors import Denied, InvalidInput
from recollect.core.scope import Scope
from recollect.core.settings import shell_command
from recollect.recall.audience import AudienceResolver
from recollect.store.meta import REDACTION_SALT, persisted_random
from recollect.store.sqlite.home import BLOBS

if TYPE_CHECKING:  # imported on first use: opening a memory takes 40 ms less
    from collections.abc import Callable, Sequence

    from recollect.exchange.gate import Destination
    from recollect.exchange.importer import TranscriptImporter
    from recollect.exchange.transcript import TranscriptFormat
    from recollect.governance.erasure import Eraser
    from recollect.governance.retention import Retention
    from recollect.governance.scrubbing import Scrubber
    from recollect.home_index import HomeIndex
    from recollect.index.model.document import DocumentSource
    from recollect.index.query.hit import SearchResult
    from recollect.index.query.search_service import SearchOptions
    from recollect.knowledge.remembering import FactParts
    from recollect.observations.controls import CaptureControls, Pause
    from recollect.observations.observations import Observations
    from recollect.observations.recalled import OwnCalls
    from recollect.observations.recorder import ObservationParts
    from recollect.recall.context.contexts import ContextParts
    from recollect.recall.context.said import Search
    from recollect.recall.probe import EmbedderProbe
    from recollect.recall.retrieval.episodes import EpisodeParts
    from recollect.recall.retrieval.retriever import FactFinder, Retriever
    from recollect.recall.steps.links import Linker
    from recollect.sessions.context.episode_writer import EpisodeWriter
    from recollect.sessions.record.access import MirrorSignal, SessionAccess
    from recollect.sessions.record.content import IsRecall
    from recollect.sessions.record.draft import DraftMaker
    from recollect.sessions.sessions import Sessions
    from recollect.store.blobs import Blobs
    from recollect.store.streams import EventStream
    from recollect.workspace.reading import MemoryReader


class Rooms:
    """What the memory of a scope is made of, over an index that is open.

    Nothing that is kept here keeps the rooms: they go as soon as nobody uses them, and a home or an
    index that was retired closes then.

    Args:
        opened: The index; its upkeep serves all memories over it.
        scope: What the memory sees, as rows store it.
        above: What must stay open as long as these: the rooms that they were narrowed from, or
            those of the main index.
    """

    def __init__(self, opened: HomeIndex, scope: Scope, above: Rooms | None = None) -> None:
        self.opened = opened
        self.home = opened.home
        self.above = above
        self.scope = scope
        self.settings = opened.settings
        self.records = opened.home.records
        self.mirror = opened.home.mirror
        self.is_narrowed = scope != opened.scope
        self.audience = AudienceResolver(
            records=self.records, settings=self.settings, people=opened.people, scope=scope
        )
        self.capture_controls = functools.cache(partial(_capture_controls, opened, scope))
        self.workspace = opened.workspace_of(scope)
        self.files, self.notes = opened.files, opened.notes
        self.index, self.search_backend = opened.index, opened.backend
        if self.is_narrowed:
            self._take_files()

    def _take_files(self) -> None:
        """Have memory files and notes of a narrower scope, and a view of the index with them."""
        opened, scope = self.opened, self.scope
        self.files, self.notes = opened.files_of(scope), opened.notes_of(scope)
        is_same_tenant = scope.tenant == opened.scope.tenant
        notes = opened.notes if is_same_tenant else self.notes
        scans: list[DocumentSource] = [notes] if self.files is None else [self.files, notes]
        self.index = opened.index.within(scans, self.files.origin if self.files else None)
        self.search_backend = opened.backend_for(self.files, self.index, scope)
        if self.search_backend is not None:
            self.home.close_too(self.search_backend)

    def narrowed(self, wanted: Scope) -> Scope | None:
        """Return the part of the scope that ``wanted`` selects, as `Scope.narrowed`.

        Raises:
            InvalidInput: it is not a scope, or its user cannot be one.
        """
        return self.scope.narrowed(self.opened.stored(wanted))

    def within(self, scope: Scope) -> Rooms:
        """Return the rooms of a narrower scope; see `Memory.within`."""
        seen = self.narrowed(scope)
        if seen is None:
            hint = "narrow it to what its own scope includes"
            raise Denied("the scope is of another owner", hint=hint)
        main = self
        while main.above is not None:
            main = main.above
        return self.home.rooms_over(main, seen).narrowed_to(seen)

    def narrowed_to(self, scope: Scope) -> Rooms:
        """Return the rooms of a scope whose rows this index has; it may be seen."""
        scope = self.opened.stored(scope)
        return self if scope == self.scope else Rooms(self.opened, scope, above=self)

    def require_whole(self, what: str) -> None:
        """Refuse an action on the whole home to a narrowed memory.

        Raises:
            Denied: this memory is a narrowed one.
        """
        if self.is_narrowed:
            hint = "ask the memory that this one was narrowed from"
            raise Denied(f"{what} takes in the whole home", hint=hint)

    def retire(self) -> None:
        """Give up the background work, and close what is open when the last user is gone."""
        self.opened.maintenance.pause()
        if self.above is None:
            self.home.retire()
        finalize(self, self.home.close if self.above is None else self.opened.close)

    # --- sessions ---------------------------------------------------------------------------------

    @cached_property
    def sessions(self) -> Sessions:
        """The sessions."""
        from recollect.sessions.context.summary import WindowParts, with_model
        from recollect.sessions.policy.conversation import TURNS
        from recollect.sessions.sessions import Sessions
        from recollect.store.locks import TicketQueue

        opened, home = self.opened, self.home
        window = WindowParts(
            workspace=self.workspace,
            home=home.folder,
            count=opened.options.count_tokens,
            people=opened.people,
        )
        return Sessions(
            self.access,
            opened=opened.maintenance.session_started,
            window=with_model(window, opened.model, self.settings.language.uses),
            turns=TicketQueue(home.folder / TURNS),
            episodes=partial(_episode_writer, opened),
        )

    @cached_property
    def access(self) -> SessionAccess:
        """The records of the scope, and what is needed to write them."""
        from recollect.sessions.record.access import SessionAccess

        opened, home, capture = self.opened, self.home, self.capture_controls
        return SessionAccess(
            database=self.records,
            clock=home.clock,
            ids=home.ids,
            settings=self.settings.sessions,
            drafts=self.drafts,
            mirror=opened.maintenance,
            scope=self.scope,
            projects=lambda: capture().projects,
        )

    @cached_property
    def drafts(self) -> DraftMaker:
        """Checks and redacts messages."""
        from recollect.sessions.record.draft import DraftMaker

        redactor, home = self.opened.redactor, self.home
        return DraftMaker(home.clock, home.ids, redactor, _recall_test(self.opened))

    @cached_property
    def events(self) -> EventStream:
        """What recollect did."""
        events = self.home.events
        return events if self.scope == self.home.main.scope else events.within(self.scope)

    # --- what agents did --------------------------------------------------------------------------

    @property
    def capture(self) -> CaptureControls:
        """Controls of the projects and of what is captured of them."""
        return self.capture_controls()

    @cached_property
    def observation_parts(self) -> ObservationParts:
        """What records observations and reads them."""
        from recollect.observations.draft import ObservationDrafts
        from recollect.observations.gathering import Gathering
        from recollect.observations.recorder import ObservationParts

        home, owner = self.home, self.opened.owner
        return ObservationParts(
            database=self.records,
            gathering=Gathering(),
            blobs=self.blobs,
            clock=home.clock,
            drafts=ObservationDrafts(home.clock, home.ids, self.opened.redactor),
            audience=self.audience,
            is_owners=lambda turn: group_of_turn(turn, owner).is_owners,
            controls=self.capture_controls,
            own_calls=_own_calls(self.opened),
            arrived=self.opened.maintenance.notify,
            scope=self.scope,
        )

    @property
    def observations(self) -> Observations:
        """The observations."""
        from recollect.observations.observations import Observations

        return Observations(self.observation_parts)

    @property
    def blobs(self) -> Blobs:
        """Long inputs and outputs of observations."""
        from recollect.store.blobs import Blobs

        return Blobs(self.home.folder / BLOBS)

    @cached_property
    def fact_parts(self) -> FactParts:
        """What remembers facts and reads them."""
        from recollect.knowledge.remembering import FactParts
        from recollect.recall.facts import SessionPlaces

        home, opened = self.home, self.opened
        return FactParts(
            database=self.records,
            clock=home.clock,
            ids=home.ids,
            redactor=opened.redactor,
            audience=self.audience,
            owner=opened.owner,
            people=opened.people,
            places=SessionPlaces(scope=self.scope, owner=opened.owner),
            project_of=partial(_stored_project, self.drafts, self.capture_controls),
            arrived=opened.maintenance.notify,
            scope=self.scope,
            decay=self.settings.knowledge.decay,
        )

    # --- recall -----------------------------------------------------------------------------------

    def episode_parts(self, search: Search) -> EpisodeParts:
        """Return the parts that make and read episodes, which ``search`` finds in the index."""
        from recollect.recall.retrieval.episodes import EpisodeParts

        sessions, capture = self.sessions, self.capture_controls
        return EpisodeParts(
            database=self.records,
            sessions=lambda: sessions,
            project_of=lambda name: capture().projects.find(name),
            audience=self.audience,
            owner=self.opened.owner,
            scope=self.scope,
            search=search,
        )

    def retriever(self, facts: FactFinder, search: Search) -> Retriever:
        """Return the retriever of facts and episodes, which ``search`` finds in the index."""
        from recollect.recall.retrieval.retriever import Retriever

        episodes, settings = self.episode_parts(search), self.settings.knowledge
        return Retriever(facts, episodes, self.home.clock, settings)

    @cached_property
    def reading(self) -> MemoryReader | None:
        """The reader of memory files for people; None where there are none."""
        from recollect.workspace.reading import MemoryReader

        if self.files is None:
            return None
        extra = [each.path for each in self.opened.extra_paths(self.scope)]
        return MemoryReader(self.files.folder, self.workspace, extra)

    @cached_property
    def context_parts(self) -> ContextParts:
        """What makes context blocks."""
        from recollect.recall.context.contexts import ContextParts
        from recollect.sessions.context.size import Sizer

        home, sessions, capture = self.home, self.sessions, self.capture_controls
        return ContextParts(
            database=self.records,
            clock=home.clock,
            ids=home.ids,
            sessions=lambda: sessions,
            settings=self.settings.context,
            audience=self.audience,
            scope=self.scope,
            sizer=Sizer(self.opened.options.count_tokens),
            secret=bytes.fromhex(persisted_random(self.records, REDACTION_SALT)),
            command=shell_command(home.folder),
            paths=lambda path: capture().projects.paths(path),
        )

    def linker(self, asker: Asker) -> Linker:
        """Return the linker from memory files to the observations that the asker may hear of."""
        from recollect.recall.steps.links import Linker

        scope = self.scope
        is_whole = (scope.agent, scope.user, scope.project) == (None,) * 3
        return Linker(
            index=self.index,
            records=self.records,
            scope=scope,
            asker=asker,
            audience=self.audience,
            has_files=self.files is not None or is_whole,  # else they may belong to other owners
        )

    def with_facts(
        self, result: SearchResult, asker: Asker, options: SearchOptions
    ) -> SearchResult:
        """Return a result whose hits tell what fact they are or say, as far as the asker hears."""
        from recollect.recall.facts import with_facts

        return self.records.read(
            lambda tx: with_facts(tx, self.scope, self.audience(tx, asker), result, options)
        )

    @cached_property
    def probe(self) -> EmbedderProbe:
        """Asks the embedder whether it answers."""
        from recollect.recall.probe import EmbedderProbe

        choice = self.opened.choice
        return EmbedderProbe(choice.embedder, choice.hint, self.home.clock)

    # --- data in and out, removal -----------------------------------------------------------------

    def destination(
        self, arrived: MirrorSignal, observed: Callable[[], ObservationParts] | None = None
    ) -> Destination:
        """Return the home as an import writes into it.

        Args:
            arrived: Notified after each transaction that added something.
            observed: Returns the recorder of the tools of transcripts; called with their first use.
        """
        from recollect.exchange.gate import Destination

        return Destination(
            database=self.records,
            blobs=self.blobs,
            clock=self.home.clock,
            ids=self.home.ids,
            drafts=self.drafts,
            redactor=self.opened.redactor,
            scope=self.scope,
            controls=self.capture,
            arrived=arrived,
            observed=observed,
            workspace=self.workspace,
        )

    @cached_property
    def importer(self) -> TranscriptImporter:
        """The importer of other programs' transcripts."""
        from recollect.exchange.formats.registry import FORMATS

        parts = self.observation_parts
        return self.importer_of(tuple(FORMATS.values()), lambda: parts)

    def importer_of(
        self,
        formats: Sequence[TranscriptFormat],
        observed: Callable[[], ObservationParts],
        ledger: str = "",
    ) -> TranscriptImporter:
        """Return an importer of some formats; see `TranscriptImporter`.

        Args:
            formats: Which.
            observed: As for `destination`.
            ledger: Tells what it has read from what others read.
        """
        from recollect.exchange.importer import TranscriptImporter
        from recollect.sessions.record.access import SilentMirror

        destination = self.destination(self.mirror or SilentMirror(), observed)
        return TranscriptImporter(destination, formats, ledger)

    @cached_property
    def retention(self) -> Retention:
        """Keeps the scope within its caps."""
        from recollect.upkeep import retention_of

        return retention_of(self.opened, self.scope)

    @cached_property
    def eraser(self) -> Eraser:
        """Erases conversations of the scope."""
        from recollect.governance.erasure import Eraser
        from recollect.upkeep import EveryIndex, copies_of

        home = self.home
        return Eraser(
            home.folder,
            copies_of(self.opened),
            self.scope,
            people=self.opened.people,
            clock=home.clock,
            ids=home.ids,
            indexes=EveryIndex(self.opened),
        )

    @property
    def scrubber(self) -> Scrubber:
        """Redacts the home by the current rules.

        Raises:
            InvalidInput: redaction is turned off.
        """
        from recollect.governance.scrubbing import Scrubber
        from recollect.upkeep import EveryIndex, copies_of, memory_paths

        opened = self.opened
        if opened.redactor is None:
            raise InvalidInput("privacy.redact is off", hint="set it to true, and scrub again")
        return Scrubber(
            self.home.folder,
            copies_of(opened),
            opened.redactor,
            clock=self.home.clock,
            indexes=EveryIndex(opened),
            memory_files=partial(memory_paths, opened),
        )


def _stored_project(
    drafts: DraftMaker, controls: Callable[[], CaptureControls], project: str | None
) -> str | None:
    """Return a project as rows have it, and note it."""
    if project is None:
        return None
    label = drafts.label(project, "project")
    controls().projects.note(project, label)
    return label


def _capture_controls(opened: HomeIndex, scope: Scope) -> CaptureControls:
    from recollect.observations.controls import CaptureControls
    from recollect.observations.projects import Projects
    from recollect.sessions.record.tombstone import PROJECT, is_buried

    home, settings, redactor = opened.home, opened.settings, opened.redactor
    parts = (home.records, home.clock, home.ids, scope)
    projects = Projects(
        *parts,
        redactor.label if redactor is not None else str,
        was_erased=lambda tx, path: is_buried(tx, scope.tenant, [(PROJECT, path)]),
    )

    def tell_hooks(pauses: Sequence[Pause]) -> None:
        from recollect.checkpoints.capture.rules import publish_rules

        publish_rules(home.folder, settings, pauses)

    excluded = settings.privacy.exclude_projects
    return CaptureControls(projects, excluded, settings.capture, tell_hooks)


def _own_calls(opened: HomeIndex) -> OwnCalls:
    """Return the calls that ask this memory."""
    from recollect.observations.recalled import PORT, OwnCalls, names_of

    return OwnCalls(names_of(opened.home.folder), frozenset({PORT}))


def _recall_test(opened: HomeIndex) -> IsRecall:
    """Return a test whether a call asks this memory; its data is loaded by the first call."""
    own_calls = functools.cache(partial(_own_calls, opened))
    return lambda tool_name, arguments: own_calls().includes(tool_name, arguments)


def _episode_writer(opened: HomeIndex) -> EpisodeWriter:
    from recollect.upkeep import episode_writer

    return episode_writer(opened)
