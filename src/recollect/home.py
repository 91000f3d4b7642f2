"""What a home has open once, however many memories use it, and the order in which it closes.

An index with its models and its upkeep is in `home_index`, what a memory is made of in `rooms`.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from recollect.core.clock import IdSource, SystemClock
from recollect.core.errors import RecollectError
from recollect.core.scope import Scope
from recollect.core.settings import default_home, known_agent, load_settings, user_path
from recollect.home_index import HomeIndex, OpenOptions
from recollect.recall.ownership import lost_messages
from recollect.rooms import Rooms
from recollect.sessions.mirror.mirror import TranscriptMirror
from recollect.sessions.record.tombstone import has_unfinished_erasure
from recollect.store.engine import Database
from recollect.store.files import private_folder
from recollect.store.sqlite.database import SqliteDatabase, open_contents, open_records
from recollect.store.sqlite.home import CHECKPOINTS, CONTENTS_FILE
from recollect.store.streams import EventStream

if TYPE_CHECKING:  # imported where one is used
    from recollect.checkpoints.capture.manifest import Manifest
    from recollect.recall.search_port import SearchBackend
    from recollect.respond.pending import Conversations

_TURNS = 16
"""Calls of tools that are stored at the same time."""
_ONLY_READ = "what was stored before is found, and nothing new is stored"


class Home:
    """What is open once in a home, however many memories use it; threads may share it.

    Args:
        options: As the program opens it. The home is created when it is missing.

    Raises:
        ConfigError: a setting is wrong.
        InvalidInput: no package provides the model or back end that the settings name; or the path
            of the workspace holds a secret.
        NotFound: the workspace is not a folder.
        ProviderError: a model or back end cannot be imported.
        StoreError: a database cannot be opened.

    Attributes:
        main: The index that the options ask for: that of all, or that of an agent that has one.
    """

    def __init__(self, options: OpenOptions) -> None:
        self.options = options
        self.folder = user_path(options.home) if options.home is not None else default_home()
        self.clock = options.clock or SystemClock()
        self.ids = IdSource(self.clock)
        self._opening = threading.Lock()
        self._agents: dict[object, Rooms] = {}
        """Those of the other indexes, by agent and options."""
        self._backends: weakref.WeakSet[SearchBackend] = weakref.WeakSet()
        self._is_retired = False
        self._contents: SqliteDatabase | None = None
        self._conversations: Conversations | None = None
        self.manifests: dict[tuple[str, Path], Manifest] = {}
        """Of the roots whose files are kept, by tenant."""
        self.turns = tuple(threading.Lock() for _ in range(_TURNS))
        """Of the calls whose files are kept."""
        agent = known_agent(options.scope.agent) if options.scope else None
        resolved = load_settings(self.folder, options.settings, agent=agent)
        options.workspace_in(resolved)  # a wrong one is refused before anything is made
        settings = resolved.settings
        self.records = open_records(private_folder(self.folder), settings.store, self.clock)
        try:
            has_mirror = settings.sessions.mirror
            self.mirror = mirror_of(self.folder, self.records) if has_mirror else None
            self.main = HomeIndex(self, options, resolved)
            self._catch_up_mirror()
        except RecollectError:
            self.records.close()
            raise
        self.events = EventStream(self.records, self.main.scope)
        self._users: Callable[[], Rooms | None] = lambda: None
        """The rooms of the main index, as long as they are used."""

    def _catch_up_mirror(self) -> None:
        """Bring the mirror up to date; warn where it has messages that the records lack."""
        if self.mirror is None:
            return
        if self.main.incompatibility is None:
            warning = lost_messages(self.mirror, self.main.database)
            if warning is not None:
                self.main.index.tell_once(warning)
        self.mirror.catch_up()

    def open_rooms(self) -> Rooms:
        """Return the rooms of the main index; an erasure that was cut off is finished first."""
        rooms = Rooms(self.main, self.main.scope)
        self._users = weakref.ref(rooms)
        if not self.records.is_read_only and (
            rooms.settings.checkpoints.enabled or (self.folder / CHECKPOINTS).is_dir()
        ):
            self._publish_rules(rooms)
        if self.records.read(has_unfinished_erasure):
            with suppress(RecollectError):  # the next opening tries again
                rooms.eraser.finish()
        return rooms

    def _publish_rules(self, rooms: Rooms) -> None:
        """Tell hooks what they may keep of files, or that they may keep none any more."""
        from recollect.checkpoints.capture.rules import publish_rules

        publish_rules(self.folder, rooms.settings, rooms.capture.pauses())

    def contents(self) -> SqliteDatabase:
        """Return ``checkpoints/contents.db``, which is made with its first use."""
        with self._opening:
            if self._contents is None:
                store = self.main.resolved.settings.store
                self._contents = open_contents(self.folder, store, self.clock)
            return self._contents

    def contents_if_any(self) -> SqliteDatabase | None:
        """Return ``checkpoints/contents.db``; None where no file was ever kept."""
        path = self.folder / CHECKPOINTS / CONTENTS_FILE
        return self.contents() if self._contents is not None or path.exists() else None

    def conversations(self) -> Conversations:
        """Return what is answered in the home, by all memories over it; made with its first use."""
        with self._opening:
            if self._conversations is None:
                from recollect.respond.block_cache import BlockCache
                from recollect.respond.pending import Conversations
                from recollect.respond.queue import ConversationQueue

                most = self.main.settings.auto_responder.max_concurrent
                blocks = BlockCache(self.records)
                self._conversations = Conversations(ConversationQueue(most), blocks)
            return self._conversations

    @property
    def warning(self) -> str | None:
        """The warning that the home can only be read; None where it can be written."""
        return (
            f"{self.folder} cannot be written: {_ONLY_READ}" if self.records.is_read_only else None
        )

    def rooms_over(self, main: Rooms, scope: Scope) -> Rooms:
        """Return the rooms of the index that has the rows of a scope: of all, or of one agent.

        Settings of a single agent are read again: after a change the next memory uses the new ones.

        Args:
            main: Those of the main index.
            scope: Of this home; the caller has checked that it may be seen.

        Raises:
            The errors of `Home`, where the agent has an index of its own.
        """
        agent = known_agent(scope.agent)
        if agent is None or agent == known_agent(self.main.scope.agent):
            return main
        resolved = load_settings(self.folder, self.options.settings, agent=agent)
        return self._rooms_of(main, agent, self.options) if agent in resolved.agents else main

    def keep_others(self) -> None:
        """Keep the other indexes in step too, as long as the main one is used.

        Those of agents with settings of their own, and where the main index is of one of them, that
        of all others. What a program gave for its own memory does not apply to them, neither
        settings nor models; what a pool was given does. If one cannot be opened, the status says
        so.
        """
        main, options = self._users(), self.options
        if main is None or (options.is_pooled and options.workspace is not None):
            return  # left to the pool's memory without a workspace
        own_options = (options.workspace, options.overrides, options.embedder)
        if not options.is_pooled and own_options != (None,) * 3:
            options = msgspec.structs.replace(
                options, workspace=None, overrides=None, embedder=None
            )
        for agent in {None, *self.main.resolved.agents} - {self.main.agent}:
            try:
                self._rooms_of(main, agent, options).opened.maintenance.begin()
            except RecollectError as error:
                self.main.index.tell_once(f"the index of {agent or 'the home'}: {error.message}")

    def _rooms_of(self, main: Rooms, agent: str | None, options: OpenOptions) -> Rooms:
        """Return the rooms of an agent's own index, or of all others'; opened once.

        Once more if the settings changed; then the old ones close with their last user.
        """
        key = (agent, options is self.options)
        settings = load_settings(self.folder, options.settings, agent=agent).settings
        with self._opening:
            earlier = self._agents.get(key)
            if earlier is not None and earlier.settings == settings:
                return earlier
            if earlier is not None:
                earlier.retire()
            opened = self.open_other(agent, options)
            rooms = self._agents[key] = Rooms(opened, opened.scope, above=main)
            if self._is_retired:
                self._retire_agents()
            return rooms

    def open_other(self, agent: str | None, options: OpenOptions) -> HomeIndex:
        """Open the index of an agent that has one of its own, or that of all others."""
        scope = Scope(tenant=self.main.scope.tenant, agent=agent)
        options = msgspec.structs.replace(options, scope=scope)
        resolved = load_settings(self.folder, options.settings, agent=agent)
        return HomeIndex(self, options, resolved, self.main)

    def close_too(self, backend: SearchBackend) -> None:
        """Also close a search back end of a narrower scope, if it is still in use at the end."""
        with self._opening:
            self._backends.add(backend)

    def retire(self) -> None:
        """Let the index of each agent close once it is no longer used."""
        with self._opening:
            self._is_retired = True
            self._retire_agents()

    def _retire_agents(self) -> None:
        while self._agents:
            self._agents.popitem()[1].retire()

    def close(self) -> None:
        """Stop the background, write what is left, and close everything; again does nothing."""
        if self._conversations is not None:
            self._conversations.close()
        self.main.stop()
        with self._opening:
            for rooms in self._agents.values():
                rooms.opened.close()
            for backend in self._backends:
                backend.close()
        if self.mirror is not None:
            self.mirror.close()
        self.main.close()
        self.events.close()
        for manifest in self.manifests.values():
            manifest.close()
        if self._contents is not None:
            self._contents.close()
        self.records.close()


def mirror_of(folder: Path, records: Database) -> TranscriptMirror:
    """Return the mirror of a home, that of facts included."""
    return TranscriptMirror(folder, records, _write_facts)


def _write_facts(folder: Path, records: Database) -> None:
    from recollect.knowledge.mirror import write_facts

    write_facts(folder, records)
