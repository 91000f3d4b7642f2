"""An index that is open: its database, the settings and models in force with it, and its upkeep.

A home has one for all rows, and one for each agent with settings of its own.
"""

from __future__ import annotations

import functools
import hashlib
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from recollect.audience.identity_links import read_links
from recollect.audience.owner import read_owner
from recollect.audience.people import People
from recollect.core.clock import Clock
from recollect.core.errors import (
    ConfigError,
    InvalidInput,
    NotFound,
    RecollectError,
    StoreCorrupt,
    StoreError,
)
from recollect.core.scope import Scope
from recollect.core.settings import (
    ResolvedSettings,
    known_agent,
    user_path,
)
from recollect.core.settings.agents import APART, Walls
from recollect.core.settings.options import SettingValue, convert
from recollect.core.settings.sources import FILE_NAME, read_file
from recollect.index.index import Index
from recollect.index.model.document import FILES, DocumentBatch, DocumentSource, SourceState
from recollect.index.model.locks import IndexLocks
from recollect.index.vectors.port import VectorContext
from recollect.index.vectors.vector_index import choose as choose_vectors
from recollect.models.dependencies import Dependencies
from recollect.models.embedding.embedder import Embedder
from recollect.models.http.retry import RetryClock
from recollect.models.registry import (
    AUTO,
    NONE,
    Choice,
    LanguageChoice,
    choose_embedder,
    choose_language,
)
from recollect.recall.healing import heal_index, is_damaged, open_sound_index
from recollect.recall.maintenance import Maintenance
from recollect.recall.outbox_source import OutboxSource
from recollect.recall.ownership import claim
from recollect.rooms import Rooms
from recollect.store.background import BackgroundClaim, home_locks
from recollect.store.files import private_folder, write_file
from recollect.store.meta import (
    KEPT,
    REDACTION_SALT,
    UNTOLD,
    find_value,
    persisted_random,
    set_value,
)
from recollect.store.sqlite.database import SqliteDatabase
from recollect.store.sqlite.home import AGENTS, GUEST_NOTES
from recollect.store.usage_ledger import EMBEDDING, LANGUAGE, UsageLedger
from recollect.text.secret_redactor import SecretRedactor
from recollect.workspace.extra_paths import ExtraPath, extra_path

if TYPE_CHECKING:  # imported on first use: opening a memory takes 40 ms less
    from recollect.home import Home
    from recollect.index.model.sync_report import Watch
    from recollect.models.language.model import LanguageModel
    from recollect.recall.followed import FollowedTranscripts
    from recollect.recall.memory_source import MemorySource, NoteSource
    from recollect.recall.search_port import SearchBackend
    from recollect.upkeep import Chores

BUILTIN = "builtin"
"""The search back end that is the index itself."""
_COPIES = "vectors.home"
"""The key of the name of our copies of vectors outside of the home."""


class OpenOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a program requests when it opens a memory; fields as in `recollect.open`."""

    home: Path | str | None = None
    workspace: Path | str | None = None
    overrides: Mapping[str, object] | None = None
    scope: Scope | None = None
    clock: Clock | None = None
    embedder: Embedder | None = None
    live: bool = True
    count_tokens: Callable[[str], int] | None = None
    is_pooled: bool = False
    """Whether the overrides apply to all agents and tenants."""

    @property
    def settings(self) -> dict[str, object]:
        """The settings that the program gives, by dotted key."""
        values = dict(self.overrides or {})
        if self.workspace is not None:
            values["workspace.path"] = str(self.workspace)
        return values

    def has_files(self, scope: Scope) -> bool:
        """Return whether a memory has the memory files of the settings: the home tenant's.

        Another tenant has a workspace where the program gives it one. What a pool was given for all
        of its memories is not given to a tenant.
        """
        own = msgspec.structs.replace(self, overrides=None) if self.is_pooled else self
        return scope.tenant == Scope().tenant or "workspace.path" in own.settings

    def workspace_in(self, resolved: ResolvedSettings) -> Path | None:
        """Return the folder of the workspace; one that only the settings name may be missing.

        Raises:
            NotFound: the program names a folder that does not exist.
        """
        path = resolved.settings.workspace.path
        if path is None or not self.has_files(self.scope or Scope()):
            return None
        folder = user_path(path)
        if self.workspace is not None and not folder.is_dir():
            raise NotFound(
                f"the workspace {folder} must be a folder",
                hint="name another one with --workspace, or leave it out",
                path=path,
            )
        return folder


class HomeIndex:
    """An index that is open, the settings and models in force with it, and its upkeep.

    Args:
        home: Has the records.
        options: As it is opened; their scope is the widest that it is used with.
        resolved: The settings in force.
        main: The index of the home that this one is beside; None for that one.

    Raises:
        As `Home`.
    """

    def __init__(
        self,
        home: Home,
        options: OpenOptions,
        resolved: ResolvedSettings,
        main: HomeIndex | None = None,
    ) -> None:
        self.home, self.options, self._main = home, options, main
        self.workspace = options.workspace_in(resolved)
        self.resolved = _with_kept(home, resolved)
        self.settings = settings = self.resolved.settings
        self.redactor = self._redactor()
        self.choice, self.language = self._embedder(), self._language()
        self.model: LanguageModel | None = self.language.model if self.language else None
        people = settings.sessions
        links = read_links(people.identity_links)
        self.owner = read_owner(people.owner, links, self.resolved.walls)
        self.people = People(self.owner)
        self.scope = self.stored(options.scope or Scope())
        agent = known_agent(self.scope.agent)
        self.agent = agent if agent in resolved.agents else None
        """The agent whose index it is; None for that of all others."""
        own = home.folder / AGENTS / self.agent if self.agent else home.folder
        self.folder = private_folder(own)
        self.closed = threading.Event()
        """Set as soon as the database is closed."""
        self.database, damage = open_sound_index(self.folder, settings.store, home.clock)
        try:
            self.incompatibility = claim(home.records, self.database) or damage
            """Why the index that was found is rebuilt; None where it belongs to the records."""
            locks = IndexLocks(self.folder, home.clock)
            self.files, self.notes = self.files_of(self.scope), self.notes_of(self.scope)
            self.index = self._make_index(locks)
            self.backend = self.backend_for(self.files, self.index, self.scope)
            self.maintenance = self._make_maintenance(locks)
        except RecollectError:
            self.database.close()
            raise
        if home.warning is not None:
            self.index.tell_once(home.warning)

    def stop(self) -> None:
        """Stop the background. A second call does nothing."""
        self.closed.set()
        self.maintenance.close()

    def close(self) -> None:
        """Stop the background and close models and database. A second call does nothing."""
        self.stop()
        embedder = self.choice.embedder
        if self._main is not None and self.options.embedder is not None:
            embedder = None  # closed with the main index
        models = (self.backend, self.choice.fallback, self.model, self.index.near, embedder)
        for part in (*models, self.database):
            if part is not None:
                part.close()

    def stored(self, scope: Scope) -> Scope:
        """Return a scope as rows store it: accounts as their person, a project without secrets.

        Raises:
            InvalidInput: its user cannot be one.
        """
        links = self.owner.links
        if getattr(scope, "user", None) is not None:  # others are refused below
            links = self.home.records.read(lambda tx: self.people.at(tx, scope.tenant)).links
        scope = links.scope_of(scope)
        project = scope.project
        if self.redactor is None or project is None:
            return scope
        return msgspec.structs.replace(scope, project=self.redactor.label(project))

    def extra_paths(self, scope: Scope) -> list[ExtraPath]:
        """Return the extra paths that a scope has, relative ones from the workspace on."""
        entries = self.settings.workspace.extra_paths if self.options.has_files(scope) else ()
        return [extra_path(each, self.workspace) for each in entries]

    def workspace_of(self, scope: Scope) -> Path | None:
        """Return the workspace, where a scope has it."""
        return self.workspace if self.options.has_files(scope) else None

    def files_of(self, scope: Scope) -> MemorySource | None:
        """Return the memory files of a scope; None without workspace and extra paths."""
        extra, workspace = self.extra_paths(scope), self.workspace_of(scope)
        if workspace is None and not extra:
            return None
        from recollect.recall.memory_source import MemorySource
        from recollect.recall.note_source import withheld_lines
        from recollect.workspace.memory_folder import MemoryFolder

        withheld = withheld_lines(self.home.records, self.home.folder)
        folder = MemoryFolder(workspace, extra, redactor=self.redactor, withheld=withheld)
        return MemorySource(folder, scope)

    def backend_for(
        self, files: MemorySource | None, index: Index, scope: Scope
    ) -> SearchBackend | None:
        """Return the search back end of memory files; None where that is the index itself."""
        name = self.settings.search.backend
        if name == BUILTIN:
            return None
        from recollect.recall.search_port import SearchContext, find_factory

        make = find_factory(name, BUILTIN)  # a wrong name is refused in any case
        if files is None:
            return None
        context = SearchContext(
            settings=self.settings,
            builtin=index,
            files=files.folder,
            owner=scope,
            home=self.folder,
            clock=self.home.clock,
        )
        return make(context)

    def notes_of(self, scope: Scope) -> LateNotes:
        """Return the notes of guests in a scope."""
        return LateNotes(self, scope)

    @functools.cached_property
    def chores(self) -> Chores:
        """The work of once a day."""
        from recollect.upkeep import Chores

        return Chores(self)

    def _make_index(self, locks: IndexLocks) -> Index:
        home, remote = self.home, self.settings.embedding.remote
        feeds: list[DocumentSource] = [
            OutboxSource(home.records, self.agent, self.owner.with_walls())
        ]
        feeds += [self.notes] if self.files is None else [self.files, self.notes]
        near = VectorContext(
            settings=self.settings.search.vector,
            database=self.database,
            home=self.folder,
            home_id=_copies(home.records, self.agent),
            clock=home.clock,
        )
        reason = self.incompatibility
        return Index(
            self.database,
            feeds,
            self.settings,
            clock=home.clock,
            embedder=self.choice.embedder,
            fallback=self.choice.fallback,
            # by a key in the environment, not by a setting
            was_found=self.choice.requested == AUTO and not (remote.api_key or remote.base_url),
            locks=locks,
            origin=self.files.origin if self.files else None,
            near=choose_vectors(near),
            notice=reason and f"{reason}: it is rebuilt",
        )

    def _make_maintenance(self, locks: IndexLocks) -> Maintenance:
        home, scope = self.home, self.scope
        owner = (scope.tenant, scope.agent, scope.user, scope.project, scope.session)
        # Of several memories of one process with the same index, files and scope, one works.
        key = repr((str(self.folder), self.files.origin if self.files else "", owner))
        return Maintenance(
            self.index,
            BackgroundClaim(home_locks(home.folder, home.clock), key),
            locks.sync,
            self.settings.sync,
            home.clock,
            mirror=home.mirror,
            files=self.files,
            followed=self._followed(),
            is_live=self.options.live,
            heal=self._heal,
            daily=lambda stopping: self.chores.run(stopping),
            others=home.keep_others if self._main is None else lambda: None,
            derive=self.derive,
        )

    def extract(self, watch: Watch) -> int:
        """Extract what messages state, and derive what it replaced; return how many were read."""
        if self.home.records.is_read_only:
            return 0
        from recollect.recall.statements.extraction import Extraction

        return Extraction(self.home.records, self.people, self.home.clock).run(
            watch.stopping, watch.tell
        )

    def derive(self, watch: Watch) -> int:
        """Extract as `extract`, and classify observations of older rules again.

        Returns:
            How many messages were read, and observations changed.
        """
        from recollect.upkeep import classify_again

        return self.extract(watch) + classify_again(self, watch.stopping)

    def _heal(self, error: StoreCorrupt) -> bool:
        home, settings = self.home, self.settings.store
        is_file_damaged = partial(is_damaged, self.folder, settings, home.clock)
        return heal_index(error, home.records, self.database, self.index, is_file_damaged)

    def _followed(self) -> FollowedTranscripts | None:
        """Return the transcripts of other programs that are followed; None where none are.

        Those that the main index follows are left to it.
        """
        others = () if self._main is None else self._main.settings.workspace.transcripts
        entries = [each for each in self.settings.workspace.transcripts if each not in others]
        if not entries:
            return None
        from recollect.recall.followed import LEDGER, FollowedTranscripts, followed_places
        from recollect.recall.following import following_formats

        rooms = self.own_rooms
        importer = rooms.importer_of(following_formats(), lambda: rooms.observation_parts, LEDGER)
        return FollowedTranscripts(followed_places(entries), importer)

    @functools.cached_property
    def own_rooms(self) -> Rooms:
        """The rooms that the upkeep uses itself."""
        return Rooms(self, self.scope)

    def _redactor(self) -> SecretRedactor | None:
        """Return the redactor, which must leave the path of the workspace as it is.

        Index and notes name the folder, and an erasure finds the notes by that: a mark would hide
        them.
        """
        if not self.settings.privacy.redact:
            return None
        records, workspace = self.home.records, self.workspace
        salt = bytes.fromhex(persisted_random(records, REDACTION_SALT))
        redactor = SecretRedactor.chosen(salt, self.settings.privacy, records)
        paths = () if workspace is None else (str(workspace), str(workspace.resolve()))
        if any(redactor.path(path) != path for path in paths):
            raise InvalidInput(
                "the path of the workspace holds a secret",
                hint="use another folder: its name would be stored and shown",
            )
        return redactor

    def _embedder(self) -> Choice:
        if self.options.embedder is not None:
            return Choice(embedder=self.options.embedder, reason="given by the program")
        settings, needs = self.settings.embedding, self._dependencies(EMBEDDING)
        return choose_embedder(settings.provider, settings, needs.models, needs)

    def _language(self) -> LanguageChoice | None:
        """Return the model that writes; None where the settings say ``none``."""
        if self.settings.language.provider.strip() == NONE:
            return None
        return choose_language(self.settings.language, self._dependencies(LANGUAGE))

    def _dependencies(self, kind: str) -> Dependencies:
        retry_clock = RetryClock(clock=self.home.clock)
        return Dependencies(spending=UsageLedger(self.home.records, kind), retry_clock=retry_clock)


class LateNotes:
    """The notes of guests: looked for before each search, at no other cost where there are none.

    Args:
        opened: The index that they are in.
        scope: Whose they are.
    """

    name, source = "guest-notes", FILES

    def __init__(self, opened: HomeIndex, scope: Scope) -> None:
        self.tenant: str | None = scope.tenant
        self._opened = opened
        self._scope = scope
        self._folder = opened.home.folder / GUEST_NOTES

    @functools.cached_property
    def found(self) -> NoteSource:
        """The source that hands them to the index."""
        from recollect.recall.note_source import guest_notes_source

        opened, home = self._opened, self._opened.home
        return guest_notes_source(
            home.records,
            home.folder,
            self._scope,
            opened.owner.with_walls(),
            redactor=opened.redactor,
            agent=opened.agent,
        )

    def is_behind(self, cursor: int) -> bool:
        """Return whether notes were written, changed or hidden since the last scan."""
        is_there = "found" in self.__dict__ or os.path.lexists(self._folder)
        return is_there and self.found.is_behind(cursor)

    def batches(self, state: SourceState) -> Iterator[DocumentBatch]:
        """Yield new and changed notes, and with the last batch those that are gone."""
        is_known = any(ref.startswith(f"{GUEST_NOTES}:") for ref in state.stamps)
        if is_known or os.path.lexists(self._folder):
            yield from self.found.batches(state)


def _with_kept(home: Home, resolved: ResolvedSettings) -> ResolvedSettings:
    """Return settings that keep what a home did that is older than one of `KEPT`.

    Its settings file has them from then on; where that cannot be written, they still apply.
    """
    for key in KEPT:
        text = home.records.read(partial(find_value, key=key))
        if text in {None, "", UNTOLD}:
            continue
        value = convert(key, text, from_text=True)
        _keep(home, key, value)
        if resolved.origins[key] == "default":
            settings = _with_value(resolved.settings, key.split("."), value)
            walls = Walls(everyone=True) if key == APART else resolved.walls
            resolved = msgspec.structs.replace(resolved, settings=settings, walls=walls)
    return resolved


def _keep(home: Home, key: str, value: SettingValue) -> None:
    """Write a setting into the file of a home that does not say it."""
    from recollect.core.settings.config_file import with_setting

    path = home.folder / FILE_NAME
    with suppress(ConfigError, OSError, StoreError):
        is_said = key in read_file(path)
        if not is_said:
            text = path.read_text("utf-8-sig") if path.exists() else ""
            write_file(path, with_setting(text, key, value).encode())
        home.records.write(lambda tx: set_value(tx, key, "" if is_said else UNTOLD))


def _with_value(section: Any, names: Sequence[str], value: SettingValue) -> Any:
    name, *inner = names
    if inner:
        value = _with_value(getattr(section, name), inner, value)
    return msgspec.structs.replace(section, **{name: value})


def _copies(records: SqliteDatabase, agent: str | None) -> str:
    """Return the name of this index where copies of its vectors lie beside those of others."""
    return hashlib.sha256(f"{persisted_random(records, _COPIES)} {agent}".encode()).hexdigest()[:24]
