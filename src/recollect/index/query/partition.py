"""A partition as a reader holds it: chunk arrays, the tail's postings, names and codes in memory.

`refresh` brings it to the state of a read transaction, so that the data in memory and the rows that
the same transaction reads belong to one snapshot, whichever process wrote it.

A caller that does not hear all of it is answered from a `PartitionView`: columns of the heard
chunks alone, with their own numbers, links and sums. A score of all chunks would tell them about
those of others: how rare a word is, how long texts are, which words and names there are, whose
sessions are better. A chunk outside the view cannot change an answer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.audience.visibility import Audience
from recollect.core.scope import Scope
from recollect.index.lexical.choice import BUILTIN_LEXICAL, backend
from recollect.index.lexical.port import NarrowingReader, Words
from recollect.index.lexical.segments import TailRow, read_tail, sealed_end, sealed_records
from recollect.index.model import chunk_record
from recollect.index.model.annotations import Annotations
from recollect.index.model.chunk_arrays import ChunkArrays
from recollect.index.model.chunk_record import (
    LAYOUT,
    Floats,
    Ints,
    Mask,
    Records,
    damaged_records,
    damaged_rows,
    decode_records,
)
from recollect.index.model.document import SOURCES
from recollect.index.model.file_names import NamedFile, named_files
from recollect.index.model.speakers import Names
from recollect.index.model.visibility import ChunkGroups, Spoken
from recollect.index.query.question import Question, analyse
from recollect.index.vectors.codes import CodeMatrix
from recollect.index.vectors.port import NearScan
from recollect.index.vectors.vector_index import CodeSource, VectorIndex
from recollect.index.vectors.vector_rows import HeldVectors
from recollect.store.columns import text, typed_rows
from recollect.store.engine import Transaction
from recollect.text.terms import terms

if TYPE_CHECKING:  # only where a question names times
    from recollect.text.times.ranges import TimeRange

HELD_VIEWS = 8
"""Views of callers who hear a part; the least recently used is dropped. Each takes about 80 bytes a
chunk that is heard, and the memory of its words."""
OWNERS = ("agent", "user", "project", "speaker")
"""Columns of `layout` that hold numbers of names."""


NOTHING_GONE = np.zeros(0, np.int64)
LOOKED_UP = 1_000
"""Chunks without a vector that are looked up in the queue at once."""


class Partition:
    """One tenant of one generation.

    Hold `lock` from before the read transaction begins until it ends: memory only goes forward, so
    a transaction must not be older than the one that refreshed last.

    Args:
        number: The row of `partitions`.
        dimensions: Size of the vectors; 0 without an embedder.
        lexical: What finds words, by name.
        near: What finds near vectors; the codes alone if not given.
    """

    def __init__(
        self,
        number: int,
        dimensions: int,
        lexical: str = BUILTIN_LEXICAL,
        near: VectorIndex | None = None,
    ) -> None:
        self.number = number
        self.first_id = chunk_record.chunk_id(number, 0)
        self.dimensions = dimensions
        self._backend = backend(lexical)
        self._near = near
        self.lock = threading.Lock()
        self._empty()

    def _empty(self) -> None:
        self.arrays = ChunkArrays()
        self.names = Names()
        self.annotations = Annotations(self.number)
        self.groups = ChunkGroups(self.number)
        self.codes = CodeMatrix(self.dimensions) if self.dimensions else None
        self.vectors = HeldVectors(self.number, self.dimensions) if self.dimensions else None
        self.words = self._backend.reader(self.number)
        self.revision = -1
        self._whole = PartitionView(self)
        self._views: dict[Access, PartitionView] = {}
        self._tail: list[TailRow] = []
        self._removals_read = 0

    def refresh(self, tx: Transaction) -> None:
        """Bring it up to the commits since the last call."""
        rows = tx.all(
            "SELECT revision, chunks, groups FROM partitions WHERE id = ?", (self.number,)
        )
        for revision, count, groups in typed_rows(rows, tuple[int, int, int]):
            if revision == self.revision:
                return
            try:
                self._take_in(tx, count, groups)
            except BaseException:
                self._empty()  # never continue with a partial state
                raise
            self.revision = revision

    def scan(self, tx: Transaction, vector: Floats) -> NearScan | None:
        """Return the scan for chunks near ``vector``, or None without vectors."""
        if self.codes is None:
            return None
        if self._near is None:
            return self.codes.scan(vector, self.arrays.count)
        return self._near.scan(tx, CodeSource(self.number, self.codes, self.arrays.count), vector)

    def view(self, tx: Transaction | None, access: Access) -> PartitionView:
        """Return the view of a caller; used under the lock, until the next `refresh`.

        Args:
            tx: The snapshot; None where `Access.is_noted`.
            access: What the caller may hear.
        """
        if access.is_whole:
            return self._whole
        view = self._views.pop(access, None) or PartitionView(self)
        if view.revision != self.revision:
            view.follow(access.mask_for(tx, self))
        if access.is_noted:
            self._views[access] = view
            if len(self._views) > HELD_VIEWS:
                self._views.pop(next(iter(self._views)))
        return view

    def terms_of(self, tx: Transaction, number: int) -> list[str]:
        """Return the terms of a chunk, in order."""
        row = tx.row("SELECT text FROM chunks WHERE id = ?", (self.first_id + number,))
        return terms(text(row[0])) if row else []

    def _take_in(self, tx: Transaction, count: int, groups: int) -> None:
        first_new, self._whole = self.arrays.count, PartitionView(self)
        self.names.refresh(tx, self.number)
        self.groups.refresh(tx)
        removed = self._new_removals(tx)
        self._read_tail(tx, first_new)
        if count > first_new:
            records = self._records(tx, first_new, count)
            wrong = (records["group"] < 0) | (records["group"] >= max(1, groups))
            if (wrong | (records["source"] >= len(SOURCES))).any():
                raise damaged_records()  # they would lead out of the arrays
            self.arrays.append(records, removed[removed >= first_new])
        self.annotations.refresh(tx, first_new, removed)
        self._remove(tx, removed[removed < first_new])
        if self.codes and self.vectors:
            self.vectors.forget(self.codes.refresh(tx, self.number, count))
            self.vectors.forget(removed)
            self.codes.forget(removed)

    def _new_removals(self, tx: Transaction) -> Ints:
        rows = tx.all(
            "SELECT id, chunk FROM removals WHERE partition_id = ? AND id > ? ORDER BY id",
            (self.number, self._removals_read),
        )
        removals = typed_rows(rows, tuple[int, int])
        if removals:
            self._removals_read = removals[-1][0]
        return np.array([chunk for _, chunk in removals], np.int64)

    def _read_tail(self, tx: Transaction, first_new: int) -> None:
        end = sealed_end(tx, self.number)
        self._tail = [row for row in self._tail if row.number >= end]
        self._tail += read_tail(tx, self.number, max(first_new, end))
        self.words.hold(self._tail)

    def _records(self, tx: Transaction, first_new: int, count: int) -> Records:
        """Return the records of the chunks from ``first_new`` on; removed ones may be empty."""
        records = np.zeros(count - first_new, LAYOUT)
        for first, sealed in sealed_records(tx, self.number, first_new):
            start = max(first, first_new)
            records[start - first_new : first + len(sealed) - first_new] = sealed[start - first :]
        for row in self._tail:
            if row.number >= count:
                raise damaged_rows("chunks")
            if row.number >= first_new:
                records[row.number - first_new] = decode_records(row.layout)[0]
        return records

    def _remove(self, tx: Transaction, removed: Ints) -> None:
        if not len(removed):
            return
        self.arrays.kill(removed)
        dead = set(removed.tolist())
        self._tail = [row for row in self._tail if row.number not in dead]
        self.words.hold(self._tail)
        owners = np.unique(
            np.concatenate([self.arrays.columns[column][removed] for column in OWNERS])
        )
        self.names.forget_missing(tx, owners.tolist())


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """What a caller may hear of a partition; what a question is about is a filter instead.

    Attributes:
        agent: The owner of the chunks; None for all.
        user: A scope with the user alone; likewise.
        projects: Likewise; paths.
        audience: On whose behalf is searched; None: the owner of the scope.
        spoken: Returns what the audience hears now, for an index of other rules; else None.
        origin: The workspace whose memory files are seen; None for those of all. An owner who hears
            all else ranks by the words of every workspace.
    """

    agent: str | None = None
    user: Scope | None = None
    projects: tuple[str, ...] | None = None
    audience: Audience | None = None
    spoken: Callable[[], Spoken] | None = None
    origin: str | None = None

    @property
    def is_whole(self) -> bool:
        """Whether everything is heard."""
        return (self.agent, self.user, self.projects, self.audience) == (None,) * 4

    @property
    def is_noted(self) -> bool:
        """Whether the index knows what is heard, and no record needs to be read."""
        return self.spoken is None

    def mask_for(self, tx: Transaction | None, partition: Partition) -> Mask:
        """Return a mask of the living chunks heard; without a snapshot, as far as indexed."""
        arrays, count, names = partition.arrays, partition.arrays.count, partition.names
        columns = {name: column[:count] for name, column in arrays.columns.items()}
        mask: Mask = arrays.alive[:count].copy()
        if self.agent is not None:
            mask &= columns["agent"] == names.number("agent", self.agent)
        if self.user is not None:
            mask &= np.isin(columns["user"], names.users(self.user))
        if self.projects is not None:
            project_numbers = [names.number("project", path) for path in self.projects]
            mask &= np.isin(columns["project"], project_numbers)
        if self.audience is not None:
            mask &= partition.groups.mask_for(tx, self.audience, self.spoken, columns)
        if self.origin is not None:
            own = partition.groups.of_workspace(self.origin, columns["group"])
            mask &= True if own is None else own
        return mask


class PartitionView:
    """The chunks of a partition that a caller may hear; all of them until `follow` is called.

    Attributes:
        arrays: The chunks, numbered from 0 in the order of the partition.
        is_whole: Whether everything is heard.
        is_empty: Whether nothing is heard, as if nothing were there; never where all is.
        revision: Of the partition, when this was brought up to it.
    """

    def __init__(self, partition: Partition) -> None:
        self.partition = partition
        self.is_whole, self.is_empty = True, False
        self.arrays = partition.arrays
        self.revision = -1
        self._numbers: Ints | None = None
        """Their numbers in the partition; None where these are the same."""
        self._last_question: tuple[str, tuple[TimeRange, ...], Question] | None = None

    def follow(self, mask: Mask) -> None:
        """Hear these chunks, and no others; cached values stay valid where no chunk changed."""
        whole, former = self.partition.arrays, self._numbers
        self.revision, self._last_question = self.partition.revision, None
        numbers = np.flatnonzero(mask)
        self.is_empty = not len(numbers)
        if len(numbers) == np.count_nonzero(whole.alive[: whole.count]):
            self._start(whole, None)
        elif former is None or not np.array_equal(numbers[: len(former)], former):
            arrays = ChunkArrays()
            arrays.append(whole.records(numbers), NOTHING_GONE)
            self._start(arrays, numbers)
        elif len(numbers) > len(former):
            self.arrays.append(whole.records(numbers[len(former) :]), NOTHING_GONE)
            self._start(self.arrays, numbers)

    def _start(self, arrays: ChunkArrays, numbers: Ints | None) -> None:
        self.is_whole, self.arrays, self._numbers = False, arrays, numbers
        for attribute in ("words", "_speakers"):
            vars(self).pop(attribute, None)

    @cached_property
    def words(self) -> Words:
        """The words of the chunks."""
        reader = self.partition.words
        if self.is_whole:
            return reader.whole(self.arrays)
        if isinstance(reader, NarrowingReader):
            return reader.within(self.arrays, self._numbers)
        from recollect.index.lexical.counted_words import CountedWords

        return CountedWords(reader, self.arrays, self._numbers)

    def global_numbers(self, numbers: Ints) -> Ints:
        """Return the numbers of chunks in the partition; -1 stays."""
        if self._numbers is None:
            return numbers
        global_numbers: Ints = np.where(numbers >= 0, self._numbers[numbers], numbers)
        return global_numbers

    def local(self, global_numbers: NDArray[np.int64]) -> Ints:
        """Return the local numbers of those chunks of the partition that are heard."""
        if self._numbers is None:
            return global_numbers
        if not len(self._numbers):
            return global_numbers[:0]
        positions = np.searchsorted(self._numbers, global_numbers).clip(max=len(self._numbers) - 1)
        local: Ints = positions[self._numbers[positions] == global_numbers]
        return local

    @cached_property
    def _speakers(self) -> frozenset[int]:
        """The speakers that are heard."""
        living = self.arrays.alive[: self.arrays.count]
        spoke = self.arrays.columns["speaker"][: self.arrays.count][living]
        return frozenset(np.unique(spoke).tolist())

    def question(self, query: str, times: tuple[TimeRange, ...]) -> Question:
        """Return the analysed question, with the known names; it is kept for `take_question`.

        Relative times after the newest chunk have no effect: their words stay in the question.
        """
        if self._last_question is None or self._last_question[:2] != (query, times):
            past = [e for e in times if not e.is_relative or e.since <= self._newest()]
            speakers = None if self.is_whole else self._speakers
            self._last_question = query, times, analyse(query, self.partition.names, past, speakers)
        return self._last_question[2]

    def _newest(self) -> int:
        times = self.arrays.columns["at"]
        if not self.is_whole:
            times = times[: self.arrays.count][self.arrays.alive[: self.arrays.count]]
        return int(times.max(initial=0))

    def take_question(self, query: str, times: tuple[TimeRange, ...]) -> Question:
        """Return the result of `question`, and keep no question of a user."""
        question, self._last_question = self.question(query, times), None
        return question

    def triggered(self, query: str) -> frozenset[int]:
        """Return the chunks with a trigger that ``query`` contains, word for word."""
        annotations = self.partition.annotations
        if not annotations.of_chunk:
            return frozenset()
        chunks = sorted(annotations.triggered(query))
        return frozenset(self.local(np.array(chunks, np.int64)).tolist())

    def named(self, tx: Transaction, query: str) -> list[NamedFile]:
        """Return the files that ``query`` names, the most exact first, each once."""
        visible = None if self.is_whole else self.local
        return named_files(tx, self.partition.number, query, visible)

    def scan(self, tx: Transaction, vector: Floats) -> NearScan | None:
        """Return the scan for chunks near ``vector``, or None without vectors.

        The codes answer for a part, since a back end ranks the vectors of all.
        """
        partition = self.partition
        if self.is_whole or partition.codes is None:
            return partition.scan(tx, vector)
        near = partition.codes.scan(vector, partition.arrays.count)
        return near if self._numbers is None else near.among(self._numbers)

    def waits(self, tx: Transaction) -> bool:
        """Return whether one of the chunks waits for its vector."""
        numbers, codes = (
            np.flatnonzero(self.arrays.alive[: self.arrays.count]),
            self.partition.codes,
        )
        absent = self.global_numbers(numbers)
        if codes is not None:
            absent = absent[~codes.present[absent]]
        keys = (absent + self.partition.first_id).tolist()
        steps = range(0, len(keys), LOOKED_UP)
        return any(tx.row(_WAITING, (_json(keys[s : s + LOOKED_UP]),)) for s in steps)


def _json(keys: list[int]) -> str:
    return msgspec.json.encode(keys).decode()


_WAITING = "SELECT 1 FROM vector_queue WHERE id IN (SELECT value FROM json_each(?)) LIMIT 1"
