"""What a benchmark run reports, as values: tables of estimates, differences, costs, surroundings.

They hold names, counts and figures, never a text of a data set.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from benchmarks.measure.environment import Environment
from benchmarks.measure.intervals import Estimate
from benchmarks.measure.stopwatch import Latency, Rate

Level = Literal["turn", "session", "document"]

Pool = Literal["conversation", "scope", "guest", "global", "collection"]
"""What one search looks through: a home per conversation, a scope per conversation in one home,
what a guest of that home may hear, all conversations of one home, or a document collection."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """The measures of a group of ``n`` questions, by name of the measure."""

    label: str
    n: int
    scores: dict[str, Estimate]


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """One level of one run; the first row is the headline."""

    level: Level
    pool: Pool
    mode: str
    variant: str
    rows: tuple[Row, ...]


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """How much a run is better than another on the same questions of the headline row."""

    level: Level
    pool: Pool
    measure: str
    run: str
    against: str
    gain: Estimate


class SearchCost(msgspec.Struct, frozen=True, kw_only=True):
    """What one search of a run cost, the embedding of the query included."""

    pool: Pool
    mode: str
    variant: str
    latency: Latency


class IndexCost(msgspec.Struct, frozen=True, kw_only=True):
    """What it took to store and index the items of a home, embeddings included."""

    home: str
    stored: Rate
    indexed: Rate


class DatasetReport(msgspec.Struct, frozen=True, kw_only=True):
    """Everything measured on one data set."""

    name: str
    digest: str
    questions: int
    tables: tuple[Table, ...]
    differences: tuple[Difference, ...]
    searches: tuple[SearchCost, ...]
    homes: tuple[IndexCost, ...]
    notes: tuple[str, ...]


class AnswerRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What one search ranked for one question: keys only, best first, beside the gold keys."""

    dataset: str
    pool: Pool
    mode: str
    variant: str
    question: str
    group: str
    gold: tuple[str, ...]
    ranked: tuple[str, ...]


class VariantSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a variant overrides, and the fingerprint of all settings in force."""

    name: str
    overrides: dict[str, str]
    fingerprint: str


class QualityReport(msgspec.Struct, frozen=True, kw_only=True):
    """A quality run over one or more data sets."""

    environment: Environment
    variants: tuple[VariantSettings, ...]
    datasets: tuple[DatasetReport, ...]


class LoadSearch(msgspec.Struct, frozen=True, kw_only=True):
    """Searches of a loaded home in one mode, the query vector given.

    ``asked`` is what the questions are made of: words of a message, or with common ones between.
    ``found`` is the share of queries whose message was among the ten best hits: a check that the
    answers are answers, not a claim of quality.
    """

    mode: str
    asked: str
    latency: Latency
    found: float


class WriteCost(msgspec.Struct, frozen=True, kw_only=True):
    """Single-message writes, one after another, by one client; each returns when it is durable.

    ``alone``: nothing else runs. ``merging``: while another thread indexes a backlog and merges.
    ``slow`` counts the writes that took longer than `SLOW_WRITE_MS` while merging.
    """

    alone: Latency
    merging: Latency
    backlog: int
    slow: int


class ProcessCost(msgspec.Struct, frozen=True, kw_only=True):
    """A fresh process that opens the home and searches, with a warm page cache.

    Milliseconds: from the start of the process to its first answer, of which opening the home and
    that first search. Megabytes: after opening, and after all queries; None without ``/proc``.
    """

    mode: str
    start_to_answer_ms: float
    open_ms: float
    first_search_ms: float
    opened_mb: float | None
    searched_mb: float | None
    peak_mb: float | None


class LoadReport(msgspec.Struct, frozen=True, kw_only=True):
    """What one size costs.

    Attributes:
        messages: How many the home holds.
        words: Of a message, on average.
        stored: Messages from the caller until they can be found: redacted, durable, mirrored,
            indexed, by everything that the product does meanwhile.
        indexed: The same messages indexed anew from the records, without embeddings.
        chunks: Chunks of memory files read, cut and indexed, without embeddings.
        vectors: Vectors that were ready made brought into the index.
        searches: One mode each.
        writes: Single writes.
        processes: Fresh ones, without and with vectors.
        command_ms: ``recollect search`` as a new process, each time.
        disk_bytes: By file of the home.
        notes: What could not be measured.
    """

    messages: int
    words: float
    stored: Rate
    indexed: Rate
    chunks: Rate
    vectors: Rate
    searches: tuple[LoadSearch, ...]
    writes: WriteCost
    processes: tuple[ProcessCost, ...]
    command_ms: tuple[float, ...]
    disk_bytes: dict[str, int]
    notes: tuple[str, ...]


class LoadRun(msgspec.Struct, frozen=True, kw_only=True):
    """A load run over one or more sizes, all from one seed and one law of words."""

    environment: Environment
    seed: int
    law: str
    sizes: tuple[LoadReport, ...]


SLOW_WRITE_MS = 100.0
"""No write may wait longer than this for a merge."""
