"""The memories of one home that a long-running program keeps open: one per workspace, narrowed.

Floor 7, above the facade. Settings are read again whenever a memory is requested: after a change of
`config.yaml` the next caller gets a new one; the old one is closed when its last user releases it.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from weakref import WeakSet, WeakValueDictionary

import msgspec

from recollect.core.checks import checked
from recollect.core.clock import SystemClock
from recollect.core.errors import RecollectError, StoreClosed
from recollect.core.scope import Scope
from recollect.core.settings import default_home, known_agent, load_settings, user_path
from recollect.home import Home
from recollect.home_index import OpenOptions
from recollect.memory import Memory
from recollect.rooms import Rooms
from recollect.store.background import HomeRole, home_locks
from recollect.store.files import private_folder

WORK: HomeRole = "worker"


@checked
class MemoryPool:
    """Opens a home once for each workspace. A context manager; threads may share it.

    Args:
        home: The home of all of them; ``RECOLLECT_HOME`` or ``~/.recollect`` if not given.
        overrides: Settings by dotted key, for all of them; a workspace applies to the local tenant.
        role: A ``worker`` does the work of the home in the background from now on, and holds its
            lock until it is closed: other programs hand the work over, at most a second plus a
            piece of work later. A ``library`` does it from its first use on, unless another program
            does.

    Raises:
        ConfigError: a setting is wrong.
        StoreBusy: another worker serves the home.
        StoreError: a worker cannot open the home.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as home, MemoryPool(home) as pool:
        ...     memory = pool.memory(agent="work")
        ...     pool.memory(agent="Work") is memory
        True
    """

    def __init__(
        self,
        home: Path | str | None = None,
        overrides: Mapping[str, object] | None = None,
        *,
        role: HomeRole = "library",
    ) -> None:
        self.home = user_path(home) if home is not None else default_home()
        self.role = role
        self._overrides = dict(overrides or {})
        self._lock = threading.Lock()
        self._open: dict[str | None, Rooms] = {}
        """What is open, by workspace."""
        self._narrowed: WeakValueDictionary[tuple[int, Scope], Memory] = WeakValueDictionary()
        """By the identity of the index they share, and their scope."""
        self._retired: WeakSet[Rooms] = WeakSet()
        self._is_closed = False
        self._locks = home_locks(private_folder(self.home), SystemClock()) if role == WORK else None
        if self._locks is not None:
            self._locks.become_worker()
            try:
                self._main(None)
            except RecollectError:
                self._locks.retire_worker()
                raise

    def __enter__(self) -> MemoryPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def memory(
        self,
        agent: str | None = None,
        workspace: Path | str | None = None,
        scope: Scope | None = None,
    ) -> Memory:
        """Return the memory of an agent, or of any scope; closing it does nothing.

        It is the same one as long as it is referenced. A tenant other than the local one has memory
        files only in a workspace given here.

        Args:
            agent: Its name, in any spelling of `recollect.core.settings.agent_name`; that of the
                scope if not given.
            workspace: The folder of its memory files; the one of its settings if not given.
            scope: The scope of the memory; all of the local tenant if not given.

        Raises:
            ConfigError: a setting is wrong.
            NotFound: the workspace is not a folder.
            StoreClosed: the pool is closed.
            StoreError: a database cannot be opened.
        """
        seen = scope or Scope()
        if agent is not None:
            seen = msgspec.structs.replace(seen, agent=known_agent(agent) or agent)
        folder = None if workspace is None else str(Path(workspace).absolute())
        with self._lock:
            if self._is_closed:
                raise StoreClosed("the pool of memories is closed", hint="make another one")
            main = self._main(folder)
            wide = main.home.rooms_over(main, seen)
            memory = self._narrowed.get((id(wide.opened), seen))
            if memory is None:
                memory = self._narrowed[id(wide.opened), seen] = Memory(wide.narrowed_to(seen))
            return memory

    def close(self) -> None:
        """Close every memory; a second call does nothing."""
        with self._lock:
            self._is_closed = True
            while self._open:
                self._open.popitem()[1].home.close()
            for rooms in self._retired:
                rooms.home.close()
            if self._locks is not None:
                self._locks.retire_worker()

    def _main(self, workspace: str | None) -> Rooms:
        """Return the rooms of all local memories with a workspace, by the current settings."""
        earlier = self._open.get(workspace)
        if earlier is not None:
            overrides = earlier.opened.options.settings
            if load_settings(self.home, overrides).settings == earlier.settings:
                return earlier
        options = OpenOptions(
            home=self.home, workspace=workspace, overrides=self._overrides, is_pooled=True
        )
        rooms = Home(options).open_rooms()
        if earlier is not None:
            earlier.retire()
            self._retired.add(earlier)
        self._open[workspace] = rooms
        if self._locks is not None:
            rooms.opened.maintenance.begin()
        return rooms
