"""The register of a partition: the owners and groups of documents, under numbers.

Names of owners and speakers, and groups, each with a count of the documents that use it. Unused
names and groups are removed, so that nothing of an erased person remains.
"""

from __future__ import annotations

from collections import Counter
from typing import LiteralString

import msgspec

from recollect.index.model.document import Document
from recollect.store.columns import first_integer, typed_rows
from recollect.store.engine import Transaction

NOBODY = 0
"""The number of a name that is not given."""


_GROUP: LiteralString = """
    SELECT number FROM chunk_groups INDEXED BY chunk_groups_by_ref
    WHERE partition_id = ? AND source = ? AND ref = ? AND visibility_group IS NOT DISTINCT FROM ?
"""
"""Without this hint SQLite scans every group of the partition for each new one."""


class OwnerIds(msgspec.Struct, frozen=True, kw_only=True):
    """The group and the owners of a document, by number."""

    group: int
    agent: int
    user: int
    project: int
    speaker: int

    @property
    def names(self) -> tuple[int, ...]:
        """The names that are given."""
        every = (self.agent, self.user, self.project, self.speaker)
        return tuple(number for number in every if number != NOBODY)


def grouped_refs(tx: Transaction, source: str) -> set[str]:
    """Return the groups of a source's documents, such as the ids of sessions."""
    rows = tx.all("SELECT DISTINCT ref FROM chunk_groups WHERE source = ? AND uses > 0", (source,))
    return {ref for (ref,) in typed_rows(rows, tuple[str])}


class NameTable:
    """Numbers of names and groups, remembered from one transaction to the next.

    As with `lexical.own_postings.Dictionary`, its owner must call `forget` when another writer
    changed the partition or a transaction failed.

    Args:
        partition: The row of `partitions`.
    """

    def __init__(self, partition: int) -> None:
        self._partition = partition
        self._names: dict[tuple[str, str], int] = {}
        self._groups: dict[tuple[str, str, str | None], int] = {}
        self._ids_of: dict[tuple[str | None, ...], OwnerIds] = {}
        self._uses: Counter[OwnerIds] = Counter()

    def forget(self) -> None:
        """Drop the cache, and uses that were not stored."""
        self._names.clear()
        self._groups.clear()
        self._ids_of.clear()
        self._uses.clear()

    def enter(self, tx: Transaction, document: Document) -> OwnerIds:
        """Return the numbers of a new document and count its uses; `store` writes them."""
        scope = document.scope
        whose = (scope.agent, scope.user, scope.project, document.name)
        key = (document.source, document.group, document.visibility_group, *whose)
        belonging = self._ids_of.get(key)
        if belonging is None:
            belonging = self._ids_of[key] = OwnerIds(
                group=self._group(tx, document),
                agent=self._name(tx, "agent", scope.agent),
                user=self._name(tx, "user", scope.user),
                project=self._name(tx, "project", scope.project),
                speaker=self._name(tx, "speaker", document.name),
            )
        self._uses[belonging] += 1
        return belonging

    def leave(self, belonging: OwnerIds) -> None:
        """Count the uses of a removed document off."""
        self._uses[belonging] -= 1

    def store(self, tx: Transaction) -> None:
        """Write the uses and remove names and groups that are no longer used."""
        of_names, of_groups = Counter[int](), Counter[int]()
        for belonging, change in self._uses.items():
            of_groups[belonging.group] += change
            for number in belonging.names:
                of_names[number] += change
        if of_names:
            tx.executemany(
                "UPDATE names SET uses = uses + ? WHERE id = ?",
                [(change, number) for number, change in of_names.items() if change],
            )
        tx.executemany(
            "UPDATE chunk_groups SET uses = uses + ? WHERE partition_id = ? AND number = ?",
            [(change, self._partition, n) for n, change in of_groups.items() if change],
        )
        self._remove_unused(tx, of_names, of_groups)
        self._uses.clear()

    def _remove_unused(
        self, tx: Transaction, of_names: Counter[int], of_groups: Counter[int]
    ) -> None:
        names = [(number,) for number, change in of_names.items() if change < 0]
        groups = [(self._partition, n) for n, change in of_groups.items() if change < 0]
        if names:
            tx.executemany("DELETE FROM names WHERE id = ? AND uses = 0", names)
            self._names.clear()
            self._ids_of.clear()
        if groups:
            tx.executemany(
                "DELETE FROM chunk_groups WHERE partition_id = ? AND number = ? AND uses = 0",
                groups,
            )
            self._groups.clear()
            self._ids_of.clear()

    def _name(self, tx: Transaction, kind: str, value: str | None) -> int:
        if not value:
            return NOBODY
        if (kind, value) not in self._names:
            key = (self._partition, kind, value)
            row = tx.row(
                "SELECT id FROM names WHERE partition_id = ? AND kind = ? AND value = ?", key
            ) or tx.row(
                "INSERT INTO names (partition_id, kind, value) VALUES (?, ?, ?) RETURNING id", key
            )
            self._names[kind, value] = first_integer(row)
        return self._names[kind, value]

    def _group(self, tx: Transaction, document: Document) -> int:
        """Return the number of a document's group: of those with the same hearers in it."""
        key = (document.source, document.group, document.visibility_group)
        if key not in self._groups:
            row = tx.row(_GROUP, (self._partition, *key))
            self._groups[key] = first_integer(row) if row else self._new_group(tx, document)
        return self._groups[key]

    def _new_group(self, tx: Transaction, document: Document) -> int:
        row = tx.row(
            "UPDATE partitions SET groups = groups + 1 WHERE id = ? RETURNING groups - 1",
            (self._partition,),
        )
        number = first_integer(row)
        tx.execute(
            "INSERT INTO chunk_groups (partition_id, number, source, ref, visibility_group)"
            " VALUES (?, ?, ?, ?, ?)",
            (self._partition, number, document.source, document.group, document.visibility_group),
        )
        return number
