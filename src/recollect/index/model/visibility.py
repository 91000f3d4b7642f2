"""Visibility: the groups of chunks, and the parts of them, that a conversation may hear of.

The index does not know what a visibility group is, only that a group of chunks has the name of one.
A group without a name is seen by no audience; memory files have none and are
seen where the audience says so. Notes of guests are files with one, and of no workspace.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.audience.visibility import Audience, agent_of_group
from recollect.index.model.chunk_record import Mask
from recollect.index.model.document import FILES, OBSERVATIONS, SESSIONS, SOURCES
from recollect.index.model.origin import origin_of, path_of
from recollect.store.columns import typed_rows
from recollect.store.engine import Transaction

RULES_VERSION = 4
"""Version of the rules by which documents get their visibility; another one needs a new index."""
PART_BITS = 16
"""Bits of the position of a chunk within its document, in the column ``order``."""
ENDLESS = 1 << 62
UNOWNED, UNKNOWN = -1, -2
"""The owner of a group that has none, and one that no group has."""


Spoken: TypeAlias = Mapping[str, Sequence[int] | None]
"""The chunks that a visibility group hears: the seqs of a session by its id, None for all of them;
and None by the folder of each of its notes."""


class SeqRange(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a session that is searched: up to the seq ``last``; None for all of it."""

    session: str
    last: int | None = None


def visibility_rules(links: Iterable[str], owner: Iterable[str]) -> str:
    """Return a digest of all that visibility depends on: our rules, linked users, the owners."""
    state = "\n".join([*sorted(links), "", *sorted(owner)]).encode("utf-8", "surrogatepass")
    return f"{RULES_VERSION}:{hashlib.sha256(state).hexdigest()[:16]}"


class ChunkGroups:
    """The owners of the groups of one partition: by visibility group, and files by workspace.

    Reads each group once: numbers of groups are never used again.

    Args:
        partition: The row of `partitions`.
    """

    def __init__(self, partition: int) -> None:
        self._partition = partition
        self._audiences: dict[str, int] = {}
        self._agents: set[str] = set()
        self._origins: dict[str, int] = {}
        self._files: dict[int, str] = {}
        """Path of the file of each group that is one."""
        self._owners = np.empty((2, 0), np.int32)
        """Number of the audience and of the origin of each group, `UNOWNED` where it has none."""

    def refresh(self, tx: Transaction) -> None:
        """Add new groups."""
        first_new = self._owners.shape[1]
        rows = tx.all(
            "SELECT number, source, ref, visibility_group FROM chunk_groups"
            " WHERE partition_id = ? AND number >= ? ORDER BY number",
            (self._partition, first_new),
        )
        groups = typed_rows(rows, tuple[int, str, str, str | None])
        if not groups:
            return
        self._reserve(groups[-1][0] + 1)
        for number, source, ref, group in groups:
            if group is not None:
                if group not in self._audiences and (agent := agent_of_group(group)) is not None:
                    self._agents.add(agent)
                self._owners[0, number] = self._audiences.setdefault(group, len(self._audiences))
            elif source == FILES:
                self._files[number] = path_of(ref)
                origin = origin_of(ref) or ""
                self._owners[1, number] = self._origins.setdefault(origin, len(self._origins))

    def mask_for(
        self,
        tx: Transaction | None,
        audience: Audience,
        spoken: Callable[[], Spoken] | None,
        columns: Mapping[str, NDArray[np.integer]],
    ) -> Mask:
        """Return a mask of the chunks that an audience may see.

        Args:
            tx: The snapshot; read where the index was built with other rules, and needed there.
            audience: The caller.
            spoken: Only for such an index: returns what the audience hears now.
            columns: The group, order and source of each chunk.
        """
        groups, sources = columns["group"], columns["source"]
        self._reserve(int(groups.max(initial=-1)) + 1)
        if audience.group is None:
            mask: Mask = np.ones(len(groups), bool)
        elif spoken is None or tx is None:
            numbers = [self._audiences.get(name, UNKNOWN) for name in audience.names(self._agents)]
            mask = np.isin(self._owners[0], numbers)[groups]
        else:
            mask = self._spoken(tx, spoken(), groups, columns["order"])
        if audience.is_owners:
            mask |= sources == SOURCES.index(FILES)
        elif audience.guests_read:
            shared = [number for number, path in self._files.items() if audience.sees_file(path)]
            mask |= np.isin(groups, shared)
        if not audience.hears_deeds:
            mask &= sources != SOURCES.index(OBSERVATIONS)
        return mask

    def _spoken(
        self,
        tx: Transaction,
        spoken: Spoken,
        groups: NDArray[np.integer],
        orders: NDArray[np.integer],
    ) -> Mask:
        """Return a mask of the chunks that are heard, whatever visibility the index has stored."""
        rows = tx.all(
            "SELECT number, source, ref FROM chunk_groups"
            " WHERE partition_id = ? AND (visibility_group IS NOT NULL OR source <> ?)",
            (self._partition, FILES),
        )
        whole: list[int] = []
        mask = np.zeros(len(groups), bool)
        for number, source, ref in typed_rows(rows, tuple[int, str, str]):
            key = path_of(ref).rpartition("/")[0] if source == FILES else ref
            seqs = spoken.get(key, ())
            if seqs is None:
                whole.append(number)
            elif seqs and source == SESSIONS:  # the others have numbers, not seqs
                mask |= (groups == number) & np.isin(orders >> PART_BITS, seqs)
        return mask | np.isin(groups, whole)

    def owned(self, groups: NDArray[np.integer]) -> Mask:
        """Return a mask of the chunks that belong to a visibility group."""
        self._reserve(int(groups.max(initial=-1)) + 1)
        owned: Mask = (self._owners[0] != UNOWNED)[groups]
        return owned

    def of_workspace(self, origin: str, groups: NDArray[np.integer]) -> Mask | None:
        """Return a mask of the chunks that are not files of another workspace; None for all.

        Args:
            origin: The workspace whose files may be seen.
            groups: The group of each chunk.
        """
        if not self._origins.keys() - {origin}:
            return None
        self._reserve(int(groups.max(initial=-1)) + 1)
        origins = self._owners[1]
        own: Mask = ((origins == UNOWNED) | (origins == self._origins.get(origin, UNKNOWN)))[groups]
        return own

    def _reserve(self, count: int) -> None:
        """Make room for ``count`` groups; removed chunks may belong to groups that are gone too."""
        missing = count - self._owners.shape[1]
        if missing > 0:
            self._owners = np.pad(self._owners, ((0, 0), (0, missing)), constant_values=UNOWNED)


def within_ranges(
    ranges: Sequence[tuple[int, SeqRange]],
    groups: NDArray[np.integer],
    orders: NDArray[np.int64],
) -> Mask:
    """Return a mask of the chunks in any of some parts of sessions.

    Args:
        ranges: Number of a group, and which part of it; each group once.
        groups: The group of each chunk.
        orders: The position of each chunk in its group.
    """
    if len(ranges) == 1 and ranges[0][1].last is None:
        only: Mask = groups == ranges[0][0]
        return only
    ends = np.zeros(int(groups.max(initial=0)) + 1, np.int64)
    for number, part in ranges:
        if 0 <= number < len(ends):
            ends[number] = ENDLESS if part.last is None else (part.last + 1) << PART_BITS
    mask: Mask = orders < ends[groups]
    return mask
