"""The composition root: builds every part of a memory from its home folder.

Floor 4, below the facade in `memory`. Nothing else decides which implementation is used.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from recollect.core.clock import Clock, IdSource, SystemClock
from recollect.core.errors import NotFound, RecollectError
from recollect.core.scope import Scope
from recollect.core.settings import (
    PrivacySettings,
    ResolvedSettings,
    default_home,
    known_agent,
    load_settings,
    models_folder,
    program_path,
)
from recollect.governance.episode import EpisodeWriter
from recollect.governance.retention import Retention
from recollect.governance.sweep import Copies, copies_elsewhere
from recollect.index.extra_paths import ExtraPath, extra_path
from recollect.index.feed import Feed
from recollect.index.index import Index
from recollect.index.locks import IndexLocks
from recollect.index.memory_files import MemoryFiles
from recollect.index.vectors.choice import VectorChoice
from recollect.models.embedder import Embedder
from recollect.models.language_registry import LanguageChoice, choose_language
from recollect.models.registry import Choice, choose_embedder
from recollect.models.supplies import Supplies
from recollect.recall.arrivals import Arrivals
from recollect.recall.followed import LEDGER, FollowedTranscripts, followed_places
from recollect.recall.qmd.backend import QmdBackend
from recollect.recall.qmd.collections import Collections
from recollect.recall.qmd.engine import QmdEngine
from recollect.recall.reading import Reading
from recollect.recall.status import Reported
from recollect.recall.transcript_feed import TranscriptFeed
from recollect.recall.upkeep import Kept, Upkeep, worker_lock
from recollect.sessions.foreign import TranscriptFormat
from recollect.sessions.identity_links import read_links
from recollect.sessions.importer import TranscriptImporter
from recollect.sessions.mirror import TranscriptMirror
from recollect.sessions.serving import TURNS
from recollect.sessions.sessions import Sessions
from recollect.sessions.window_parts import window_parts
from recollect.store.drawn import drawn
from recollect.store.engine import Database
from recollect.store.files import private_folder
from recollect.store.lock import TicketQueue
from recollect.store.sqlite import SqliteDatabase, open_index, open_records
from recollect.store.streams import EventStream
from recollect.store.usage import LANGUAGE, UsageLedger
from recollect.text.secret_redactor import SecretRedactor

AGENTS = "agents"
"""Folder of the home that holds the indexes of agents with settings of their own."""
QMD = "qmd"
"""Folder beside an index that holds what the external command keeps for its workspaces."""
_SALT = "redaction.salt"
_COPIES = "vectors.home"
"""Names the copies of our vectors outside of the home."""


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What a program asks for when it opens a memory; fields as in `recollect.open`.

    ``formats`` gives the formats of transcripts that are followed, when any are.
    """

    home: Path | str | None = None
    workspace: Path | str | None = None
    overrides: Mapping[str, object] | None = None
    scope: Scope | None = None
    clock: Clock | None = None
    embedder: Embedder | None = None
    formats: Callable[[], Sequence[TranscriptFormat]] = tuple
    live: bool = False
    count_tokens: Callable[[str], int] | None = None


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a memory is made of. Closing them is the facade's business."""

    home: Path
    workspace: Path | None
    scope: Scope
    resolved: ResolvedSettings
    clock: Clock
    ids: IdSource
    redactor: SecretRedactor | None
    records: SqliteDatabase
    index_database: SqliteDatabase
    choice: Choice
    language: LanguageChoice
    index: Index
    files: MemoryFiles | None
    reading: Reading | None
    qmd: QmdBackend | None
    mirror: TranscriptMirror | None
    live: bool
    upkeep: Upkeep
    sessions: Sessions
    events: EventStream
    retention: Retention

    def reported(self) -> Reported:
        """Return what a status tells of."""
        return Reported(
            home=self.home,
            workspace=self.workspace,
            extra=tuple(_extra_paths(self.resolved, self.workspace)),
            settings=self.resolved.settings,
            clock=self.clock,
            records=self.records,
            index_database=self.index_database,
            index=self.index,
            choice=self.choice,
            language=self.language,
            qmd=self.qmd,
            mirror=self.mirror,
            upkeep=self.upkeep,
            events=self.events,
        )


def assemble(order: Order) -> Parts:
    """Build the parts of a memory; its home is made when it is missing.

    Raises:
        ConfigError: a setting is wrong.
        NotFound: the workspace is no folder.
        StoreError: a database cannot be opened.
    """
    ground = _ground(order)
    resolved, settings, clock = ground.resolved, ground.resolved.settings, ground.clock
    files = _memory_files(resolved, ground.workspace, ground.scope, ground.redactor)
    index = _index(ground, files)
    mirror = TranscriptMirror(ground.home, ground.records) if settings.sessions.mirror else None
    shared = (ground.records, ground.ids, ground.redactor, mirror)
    retention = _retention(ground, index, mirror)
    kept = Kept(
        index=index,
        lock=worker_lock(ground.index_home, files, ground.scope, clock),
        files=files,
        followed=_followed(order, resolved, shared, ground.scope),
        is_live=order.live,
        daily=retention.prune_daily,
    )
    upkeep = Upkeep(kept, settings.sync, clock)
    return Parts(
        home=ground.home,
        workspace=ground.workspace,
        scope=ground.scope,
        resolved=resolved,
        clock=clock,
        ids=ground.ids,
        redactor=ground.redactor,
        records=ground.records,
        index_database=ground.index_database,
        choice=ground.choice,
        language=ground.language,
        index=index,
        files=files,
        reading=_reading(resolved, ground.workspace, files),
        qmd=_qmd(ground, files, index),
        mirror=mirror,
        live=order.live,
        upkeep=upkeep,
        sessions=_sessions(ground, mirror, upkeep),
        events=EventStream(ground.records, ground.scope),
        retention=retention,
    )


class _Ground(msgspec.Struct, frozen=True, kw_only=True):
    """What everything else stands on."""

    order: Order
    home: Path
    index_home: Path
    workspace: Path | None
    scope: Scope
    resolved: ResolvedSettings
    clock: Clock
    ids: IdSource
    redactor: SecretRedactor | None
    records: SqliteDatabase
    index_database: SqliteDatabase
    choice: Choice
    language: LanguageChoice


def _ground(order: Order) -> _Ground:
    home = Path(order.home).expanduser() if order.home is not None else default_home()
    scope, clock = order.scope or Scope(), order.clock or SystemClock()
    resolved = load_settings(home, _overrides(order), agent=known_agent(scope.agent))
    workspace = _workspace(resolved)
    records = open_records(private_folder(home), resolved.settings.store, clock)
    try:
        supplies = Supplies(models=models_folder(), spending=UsageLedger(records), clock=clock)
        choice = _choice(order.embedder, resolved, supplies)
        language = _language(resolved, records, clock)
    except RecollectError:
        records.close()
        raise
    agent = own_index_of(resolved, scope)
    index_home = private_folder(home if agent is None else home / AGENTS / agent)
    return _Ground(
        order=order,
        home=home,
        index_home=index_home,
        workspace=workspace,
        scope=scope,
        resolved=resolved,
        clock=clock,
        ids=IdSource(clock),
        redactor=_redactor(records, resolved.settings.privacy),
        records=records,
        index_database=open_index(index_home, resolved.settings.store, clock),
        choice=choice,
        language=language,
    )


def _index(ground: _Ground, files: MemoryFiles | None) -> Index:
    agent = own_index_of(ground.resolved, ground.scope)
    records, database = ground.records, ground.index_database
    links = read_links(ground.resolved.settings.sessions.identity_links)
    feeds: list[Feed] = [TranscriptFeed(records, agent, links), *([files] if files else [])]
    vector = ground.resolved.settings.search.vector
    near = VectorChoice(vector, database, ground.index_home, _copies(records, agent), ground.clock)
    return Index(
        database,
        feeds,
        ground.resolved.settings,
        clock=ground.clock,
        embedder=ground.choice.embedder,
        fallback=ground.choice.fallback,
        locks=IndexLocks(ground.index_home, ground.clock),
        origin=files.origin if files else None,
        near=near.choose(),
    )


def _retention(ground: _Ground, index: Index, mirror: TranscriptMirror | None) -> Retention:
    copies = Copies(
        records=ground.records,
        index_database=ground.index_database,
        mirror=mirror or TranscriptMirror(ground.home, ground.records),
        is_mirrored=mirror is not None,
        catch_up=index.catch_up,
        elsewhere=lambda: copies_elsewhere(ground.home, ground.index_home),
    )
    settings, clock = ground.resolved.settings.sessions, ground.clock
    caps = settings.retention
    episodes = EpisodeWriter(ground.records, clock, ground.ids, caps.episode_tokens)
    return Retention(copies, caps, ground.scope, episodes=episodes, clock=clock)


def _sessions(ground: _Ground, mirror: TranscriptMirror | None, upkeep: Upkeep) -> Sessions:
    return Sessions(
        database=ground.records,
        clock=ground.clock,
        ids=ground.ids,
        settings=ground.resolved.settings.sessions,
        redactor=ground.redactor,
        mirror=Arrivals(mirror, upkeep),
        scope=ground.scope,
        opened=upkeep.session_started,
        window=window_parts(ground.language.model, ground.workspace, ground.order.count_tokens),
        turns=TicketQueue(ground.home / TURNS),
    )


def own_index_of(resolved: ResolvedSettings, scope: Scope) -> str | None:
    """Return the agent that a memory is for, if it has settings and so an index of its own."""
    agent = known_agent(scope.agent)
    return agent if agent in resolved.agents else None


def _overrides(order: Order) -> dict[str, object]:
    given = dict(order.overrides or {})
    if order.workspace is not None:
        given["workspace.path"] = str(order.workspace)
    return given


def _choice(embedder: Embedder | None, resolved: ResolvedSettings, supplies: Supplies) -> Choice:
    if embedder is not None:
        return Choice(embedder=embedder, reason="given by the program")
    settings = resolved.settings.embedding
    return choose_embedder(settings.provider, settings, supplies.models, supplies)


def _language(resolved: ResolvedSettings, records: Database, clock: Clock) -> LanguageChoice:
    spending = UsageLedger(records, LANGUAGE)
    supplies = Supplies(spending=spending, clock=clock)
    return choose_language(resolved.settings.language, supplies)


def _workspace(resolved: ResolvedSettings) -> Path | None:
    path = resolved.settings.workspace.path
    if path is None:
        return None
    folder = Path(path).expanduser()
    if not folder.is_dir():
        raise NotFound(
            "the workspace is no folder", hint="check workspace.path or --workspace", path=path
        )
    return folder


def _memory_files(
    resolved: ResolvedSettings,
    workspace: Path | None,
    scope: Scope,
    redactor: SecretRedactor | None,
) -> MemoryFiles | None:
    extra = _extra_paths(resolved, workspace)
    if workspace is None and not extra:
        return None
    return MemoryFiles(workspace, extra, scope=scope, redactor=redactor)


def _extra_paths(resolved: ResolvedSettings, workspace: Path | None) -> list[ExtraPath]:
    return [extra_path(named, workspace) for named in resolved.settings.workspace.extra_paths]


def _followed(
    order: Order,
    resolved: ResolvedSettings,
    stores: tuple[Database, IdSource, SecretRedactor | None, TranscriptMirror | None],
    scope: Scope,
) -> FollowedTranscripts | None:
    named = resolved.settings.workspace.transcripts
    if not named:
        return None
    formats = order.formats()
    records, ids, redactor, mirror = stores
    importer = TranscriptImporter(
        database=records,
        clock=order.clock or SystemClock(),
        ids=ids,
        redactor=redactor,
        formats=formats,
        mirror=mirror,
        scope=scope,
        links=read_links(resolved.settings.sessions.identity_links),
        ledger=LEDGER,
    )
    return FollowedTranscripts(followed_places(named, formats), importer)


def _reading(
    resolved: ResolvedSettings, workspace: Path | None, files: MemoryFiles | None
) -> Reading | None:
    extra = [each.path for each in _extra_paths(resolved, workspace)]
    return None if files is None else Reading(files, workspace, extra)


def _qmd(ground: _Ground, files: MemoryFiles | None, index: Index) -> QmdBackend | None:
    settings = ground.resolved.settings
    if settings.search.backend != "qmd" or files is None:
        return None
    collections = Collections(
        ground.index_home / QMD,
        ground.workspace,
        _extra_paths(ground.resolved, ground.workspace),
        cache=models_folder() / QMD,
        program_path=program_path(),
    )
    return QmdBackend(
        QmdEngine(settings.qmd, collections, ground.clock),
        collections,
        files,
        index,
        settings=settings.search,
        owner=ground.scope,
        mode=settings.qmd.mode,
    )


def _redactor(records: Database, settings: PrivacySettings) -> SecretRedactor | None:
    if not settings.redact:
        return None
    return SecretRedactor(bytes.fromhex(drawn(records, _SALT)), settings.patterns)


def _copies(records: Database, agent: str | None) -> str:
    """Return the name of this index where copies of its vectors lie beside those of others."""
    return hashlib.sha256(f"{drawn(records, _COPIES)} {agent}".encode()).hexdigest()[:24]
