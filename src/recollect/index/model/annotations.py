"""The annotations of the chunks of one partition: their rows, and how a reader holds them.

Their weight is defined in `query.ranking`, their syntax in `recollect.text.markdown.annotations`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from recollect.index.model.chunk_record import Ints, chunk_id, chunk_ids
from recollect.store.columns import json_cell, typed_rows
from recollect.store.engine import SqlValue, Transaction
from recollect.text.markdown.annotations import Annotation
from recollect.text.terms import phrase_terms

Phrase = tuple[str, ...]
"""The terms of a trigger in their order."""


def annotation_row(key: int, annotation: Annotation) -> tuple[SqlValue, ...]:
    """Return the row of a chunk with the id ``key``, for `add_annotations`."""
    projects, triggers = map(msgspec.json.encode, (annotation.projects, annotation.triggers))
    return key, annotation.importance, projects.decode(), triggers.decode()


def add_annotations(tx: Transaction, rows: Sequence[Sequence[SqlValue]]) -> None:
    """Write the rows of new chunks."""
    tx.executemany(
        "INSERT INTO annotations (id, importance, projects, triggers) VALUES (?, ?, ?, ?)", rows
    )


class Annotations:
    """The annotations of a partition, by chunk number.

    Args:
        partition: The row of `partitions`.
    """

    def __init__(self, partition: int) -> None:
        self._partition = partition
        self.of_chunk: dict[int, Annotation] = {}
        self._triggered: defaultdict[Phrase, set[int]] = defaultdict(set)
        self._longest = 0

    def refresh(self, tx: Transaction, first_new: int, removed: Ints) -> None:
        """Add the chunks from number ``first_new`` on and drop those that are ``removed``."""
        for number in self.of_chunk.keys() & set(removed.tolist()):
            self._drop(number)
        rows = tx.all(
            "SELECT id, importance, projects, triggers FROM annotations WHERE id BETWEEN ? AND ?",
            chunk_ids(self._partition, first_new),
        )
        first = chunk_id(self._partition, 0)
        for key, importance, *lists in typed_rows(rows, tuple[int, int | None, str, str]):
            projects, triggers = (json_cell(one, tuple[str, ...]) for one in lists)
            annotation = Annotation(importance=importance, projects=projects, triggers=triggers)
            self._add(key - first, annotation)

    def among(self, numbers: Ints) -> Iterator[tuple[int, Annotation]]:
        """Yield the positions in ``numbers`` of chunks that have annotations, with these."""
        if not self.of_chunk:
            return
        for position, number in enumerate(numbers.tolist()):
            annotation = self.of_chunk.get(number)
            if annotation is not None:
                yield position, annotation

    def triggered(self, query: str) -> frozenset[int]:
        """Return the chunks with a trigger that ``query`` contains, word for word."""
        if not self._triggered:
            return frozenset()
        words = phrase_terms(query)
        chunks: set[int] = set()
        for start in range(len(words)):
            for end in range(start + 1, min(start + self._longest, len(words)) + 1):
                chunks |= self._triggered.get(tuple(words[start:end]), set())
        return frozenset(chunks)

    def _add(self, number: int, annotation: Annotation) -> None:
        self.of_chunk[number] = annotation
        for phrase in _phrases(annotation.triggers):
            self._triggered[phrase].add(number)
            self._longest = max(self._longest, len(phrase))

    def _drop(self, number: int) -> None:
        for phrase in _phrases(self.of_chunk.pop(number).triggers):
            self._triggered[phrase].discard(number)
            if not self._triggered[phrase]:
                del self._triggered[phrase]


def _phrases(triggers: Iterable[str]) -> set[Phrase]:
    return {phrase for trigger in triggers if (phrase := tuple(phrase_terms(trigger)))}
