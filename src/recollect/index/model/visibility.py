"""Visibility: which groups of chunks a conversation may hear of, and from where to where.

The index does not know what a visibility group is, only that a group of chunks has the name of one.
A group without a name is seen by no audience; memory files have none and are
seen where the audience says so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.index.model.chunk_record import Mask
from recollect.index.model.document import FILES, SOURCES
from recollect.store.columns import typed_rows
from recollect.store.engine import Transaction

RULES_VERSION = 2
"""Version of the rules by which documents get their visibility; another one needs a new index."""
PART_BITS = 16
"""Bits of the place of a chunk within its document, in the column ``order``."""
ENDLESS = 1 << 62
NO_VISIBILITY_GROUP = -1


class Audience(msgspec.Struct, frozen=True, kw_only=True):
    """On whose behalf is searched.

    Attributes:
        visibility_group: The name of the visibility group whose documents are seen.
        sees_files: Whether memory files are seen too.
    """

    visibility_group: str
    sees_files: bool


class SeqRange(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a session that is searched: up to the seq ``last``; None for all of it."""

    session: str
    last: int | None = None


def visibility_rules(links: Iterable[str]) -> str:
    """Return what the visibility in an index depends on: our rules, and who is linked to whom."""
    state = "\n".join(sorted(links)).encode("utf-8", "surrogatepass")
    return f"{RULES_VERSION}:{hashlib.sha256(state).hexdigest()[:16]}"


class VisibilityGroups:
    """The visibility groups of the groups of one partition.

    Reads each group once: numbers of groups are never used again.

    Args:
        partition: The row of `partitions`.
    """

    def __init__(self, partition: int) -> None:
        self._partition = partition
        self._numbers: dict[str, int] = {}
        self._of_group = np.empty(0, np.int32)

    def refresh(self, tx: Transaction) -> None:
        """Take in new groups."""
        known = len(self._of_group)
        rows = tx.all(
            "SELECT number, visibility_group FROM chunk_groups"
            " WHERE partition_id = ? AND number >= ? AND visibility_group IS NOT NULL"
            " ORDER BY number",
            (self._partition, known),
        )
        found = {
            number: self._number(visibility_group)
            for number, visibility_group in typed_rows(rows, tuple[int, str])
        }
        if found:
            more = np.full(max(found) + 1 - known, NO_VISIBILITY_GROUP, np.int32)
            more[np.array(list(found)) - known] = list(found.values())
            self._of_group = np.concatenate([self._of_group, more])

    def heard(
        self, audience: Audience, groups: NDArray[np.integer], sources: NDArray[np.uint8]
    ) -> Mask:
        """Return which chunks an audience may see.

        Args:
            audience: Whose visibility group.
            groups: The group of each chunk.
            sources: The number of the source of each chunk.
        """
        own = np.zeros(max(int(groups.max(initial=0)) + 1, len(self._of_group)), np.bool_)
        number = self._numbers.get(audience.visibility_group)
        if number is not None:
            own[: len(self._of_group)] = self._of_group == number
        heard: Mask = own[groups]
        if audience.sees_files:
            heard |= sources == SOURCES.index(FILES)
        return heard

    def _number(self, visibility_group: str) -> int:
        return self._numbers.setdefault(visibility_group, len(self._numbers))


def within_ranges(
    stretches: Sequence[tuple[int, SeqRange]],
    groups: NDArray[np.integer],
    orders: NDArray[np.int64],
) -> Mask:
    """Return which chunks lie in one of some parts of sessions.

    Args:
        stretches: Number of a group, and which part of it; each group once.
        groups: The group of each chunk.
        orders: The place of each chunk in its group.
    """
    if len(stretches) == 1 and stretches[0][1].last is None:
        only: Mask = groups == stretches[0][0]
        return only
    ends = np.zeros(int(groups.max(initial=0)) + 1, np.int64)
    for number, stretch in stretches:
        if 0 <= number < len(ends):
            ends[number] = ENDLESS if stretch.last is None else (stretch.last + 1) << PART_BITS
    mask: Mask = orders < ends[groups]
    return mask
