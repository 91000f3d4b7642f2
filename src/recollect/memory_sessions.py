"""The sessions of a memory: a session that is held through them can ask the memory, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.core.checks import checked
from recollect.sessions.sessions import Sessions

if TYPE_CHECKING:  # imported with the first session that is held
    from recollect.rooms import Rooms
    from recollect.session_handle import SessionHandle


@checked
class MemorySessions(Sessions):
    """The sessions of a memory, see `Sessions`.

    Args:
        rooms: Those of the memory. The memory keeps its sessions, so they do not keep
            it: a memory is closed when its last user lets go of it.
    """

    def __init__(self, rooms: Rooms) -> None:
        vars(self).update(vars(rooms.sessions))  # a copy of those without a memory
        self._rooms = rooms

    def hold(
        self,
        id_or_title: str,
        *,
        holder: str | None = None,
        on_busy: str = "refuse",
        exclusive: bool = False,
    ) -> SessionHandle:
        """Resume a session and keep other programs out of it; a context manager.

        Args:
            id_or_title: Which session.
            holder: Who holds it, a label; the same holder may come again. A new id if not given.
            on_busy: What to do when another program holds it: ``refuse``, or ``fork`` it.
            exclusive: Whether others may not append meanwhile; in a queue they may not in any case.

        Raises:
            NotFound: nothing has this name.
            Conflict: another program holds it, it was deleted, or several sessions have this name.
            InvalidInput: ``on_busy`` is neither.
        """
        from recollect.memory import Memory
        from recollect.session_handle import SessionHandle

        session, lease = self._take(id_or_title, holder, on_busy, exclusive=exclusive)
        return SessionHandle(session, lease, self, Memory(self._rooms))
