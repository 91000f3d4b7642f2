"""The memories of one home that a long-lived program holds open: one per agent and workspace.

Floor 4, above the facade. Settings are read again whenever a memory is asked for: after a change of
`config.yaml` the next caller gets a new one; the old one is closed when its last user
lets go of it.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from weakref import WeakSet

import msgspec

from recollect.core.errors import StoreClosed
from recollect.core.scope import Scope
from recollect.core.settings import default_home, known_agent, load_settings, user_path
from recollect.memory import Memory, open_memory


class _Place(msgspec.Struct, frozen=True):
    """What a memory is asked for by."""

    scope: Scope
    workspace: str | None


class MemoryPool:
    """Opens each memory once. A context manager; threads may share it.

    Args:
        home: The home of all of them; ``RECOLLECT_HOME`` or ``~/.recollect`` if not given.
        overrides: Settings by dotted key, for all of them.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as home, MemoryPool(home) as pool:
        ...     pool.memory(agent="work") is pool.memory(agent="Work")
        True
    """

    def __init__(
        self,
        home: Path | str | None = None,
        overrides: Mapping[str, object] | None = None,
    ) -> None:
        self.home = user_path(home) if home is not None else default_home()
        self._overrides = dict(overrides or {})
        self._lock = threading.Lock()
        self._open: dict[_Place, tuple[object, Memory]] = {}
        self._retired: WeakSet[Memory] = WeakSet()
        self._is_closed = False

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
        """Return the memory of an agent; do not close it, `close` of the pool does.

        Args:
            agent: Its name, in any spelling of `recollect.core.settings.agent_name`; None for all.
            workspace: The folder of its memory files; the one of its settings if not given.
            scope: Narrows it further.

        Raises:
            ConfigError: a setting is wrong.
            NotFound: the workspace is not a folder.
            StoreClosed: the pool is closed.
            StoreError: a database cannot be opened.
        """
        name = known_agent(agent) or agent
        seen = msgspec.structs.replace(scope or Scope(), agent=name)
        place = _Place(seen, None if workspace is None else str(Path(workspace).absolute()))
        settings = load_settings(self.home, self._overrides, agent=known_agent(agent)).settings
        with self._lock:
            if self._is_closed:
                raise StoreClosed("the pool of memories is closed", hint="make another one")
            known = self._open.get(place)
            if known is not None and known[0] == settings:
                return known[1]
            if known is not None:
                known[1].retire()
                self._retired.add(known[1])
            memory = open_memory(
                self.home,
                place.workspace,
                overrides=self._overrides,
                scope=place.scope,
            )
            self._open[place] = (settings, memory)
            return memory

    def close(self) -> None:
        """Close every memory; a second call does nothing."""
        with self._lock:
            self._is_closed = True
            while self._open:
                _, (_, memory) = self._open.popitem()
                memory.close()
            for memory in self._retired:
                memory.close()
