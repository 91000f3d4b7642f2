"""What a benchmark run reports, as values: tables of estimates, differences, costs, surroundings.

They hold names, counts and figures, never a text of a data set.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from recollect.bench.environment import Environment
from recollect.bench.intervals import Estimate
from recollect.bench.stopwatch import Latency, Rate

Level = Literal["turn", "session", "document"]

Pool = Literal["conversation", "scope", "global", "collection"]
"""What one search looks through: a home per conversation, a scope per conversation in one home, all
conversations of one home, or a document collection."""


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
