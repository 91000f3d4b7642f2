"""Where memory files come from: the workspace is a part of what a file is called in the index.

Two workspaces of one home both have a `MEMORY.md`. The index knows them as
`/home/ann/work//MEMORY.md` and `/home/ann/play//MEMORY.md`; people and programs see `MEMORY.md`. A
scan adds and removes what its own workspace holds, and a search sees only that.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from recollect.core.scope import Scope
from recollect.store.columns import typed_rows
from recollect.store.engine import Transaction

_BETWEEN = "//"
"""Stands in no absolute path that was normalised, so its first place is the border."""

SOURCE = "memory"


def origin_name(workspace: Path | None, scope: Scope) -> str:
    """Return the origin of the files of a workspace; empty for extra paths without one.

    Files have an owner, so two agents with one workspace have the files of it twice.

    >>> origin_name(Path("/home/ann/work"), Scope(agent="writer"))
    'agent=writer@/home/ann/work'
    """
    owner = [("agent", scope.agent), ("user", scope.user), ("project", scope.project)]
    named = ";".join(f"{kind}={quote(value, safe='')}" for kind, value in owner if value)
    folder = "" if workspace is None else str(workspace.resolve())
    return f"{named}@{folder}" if named else folder


def qualified(origin: str, path: str) -> str:
    """Return the ref of a file.

    Args:
        origin: See `origin_name`.
        path: As people see it.

    >>> qualified("/home/ann/work", "memory/tea.md")
    '/home/ann/work//memory/tea.md'
    """
    return f"{origin}{_BETWEEN}{path}"


def origin_of(ref: str) -> str | None:
    """Return the workspace of a ref; None for a ref that names none.

    >>> origin_of("/home/ann/work///home/ann/notes/tea.md")
    '/home/ann/work'
    """
    origin, between, _ = ref.partition(_BETWEEN)
    return origin if between else None


def path_of(ref: str) -> str:
    """Return a ref as people see it.

    >>> path_of("/home/ann/work///home/ann/notes/tea.md")
    '/home/ann/notes/tea.md'
    """
    _, between, path = ref.partition(_BETWEEN)
    return path if between else ref


class Strangers:
    """Which groups of chunks are memory files of other workspaces.

    Reads each group once: numbers of groups are never used again.

    Args:
        partition: The row of `partitions`.
    """

    def __init__(self, partition: int) -> None:
        self._partition = partition
        self._read_until = -1
        self._groups: dict[str, list[int]] = {}

    def refresh(self, tx: Transaction) -> None:
        """Take in new groups."""
        rows = tx.all(
            "SELECT number, source, ref FROM chunk_groups"
            " WHERE partition_id = ? AND number > ? ORDER BY number",
            (self._partition, self._read_until),
        )
        for number, source, ref in typed_rows(rows, tuple[int, str, str]):
            self._read_until = number
            if source == SOURCE:
                self._groups.setdefault(origin_of(ref) or "", []).append(number)

    def visible(self, origin: str, groups: NDArray[np.integer]) -> NDArray[np.bool_] | None:
        """Return which chunks are not of another workspace than ``origin``; None for all.

        Args:
            origin: Whose files may be seen.
            groups: The group of each chunk.
        """
        hidden = [n for other, held in self._groups.items() if other != origin for n in held]
        if not hidden or not len(groups):
            return None
        flags = np.zeros(int(groups.max()) + 1, np.bool_)
        known = np.array(hidden)
        flags[known[known < len(flags)]] = True
        allowed: NDArray[np.bool_] = ~flags[groups]
        return allowed
