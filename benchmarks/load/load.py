"""Load runs: what a home of a given size costs to fill, search, write to, keep and open.

A home is filled without embeddings first (the rate of the lexical index alone), then opened with a
scripted embedder that brings the vectors in. Fresh processes answer for memory and cold starts. The
corpus is made batch by batch, outside the measured time.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from benchmarks.datasets.corpus import DatedSession
from benchmarks.datasets.synthetic import (
    MESSAGE_WORDS,
    SESSION_MESSAGES,
    SyntheticCorpus,
    TargetedQuery,
    WordLaw,
)
from benchmarks.load.clustered import ClusteredEmbedder
from benchmarks.load.probe import SEARCH_LIMIT, run_probe, time_command
from benchmarks.load.writes import measure_writes, store_session
from benchmarks.measure.results import LoadReport, LoadSearch, ProcessCost, WriteCost
from benchmarks.measure.stopwatch import Rate, Spent, Stopwatch, latency_of, rate_of
from benchmarks.quality.homes import Progress, complete_folder
from benchmarks.quality.product import Mode, Opener, Product
from recollect.core.errors import InvalidInput, RecollectError
from recollect.text.chunking import chunk_markdown

MODES: tuple[Mode, ...] = ("lexical", "vector", "hybrid")

BATCH_SESSIONS = 200
"""Sessions stored between two rounds of indexing: about 6,000 messages, as an import would."""

FILE_CHUNKS = 20
"""Chunks of a memory file; a long note."""

MAX_BACKLOG = 20_000
"""Messages waiting to be indexed while single writes are timed: enough for several merges."""

COMMAND_STARTS = 5

_WARM_UP = 10
"""Queries before the measured ones: the first touch of a page is the cold start's figure."""

_PROBE_QUERIES = 50

_NO_MODEL = "embedding:\n  provider: none\n"
"""Settings of a load home: no run may reach for a real model."""

_FILLED = "filled.json"


class LoadPlan(msgspec.Struct, frozen=True, kw_only=True):
    """One size. ``chunks`` are of memory files, in a home of their own.

    ``length`` is how many words each message has; 38 to 52 where it is not given.
    """

    messages: int
    chunks: int
    queries: int = 300
    writes: int = 2_000
    seed: int = 7
    words: WordLaw = "natural"
    length: int | None = None

    def __post_init__(self) -> None:
        """Refuse sizes that would measure nothing."""
        for name in ("messages", "chunks", "queries", "writes"):
            if getattr(self, name) < 1:
                raise InvalidInput(f"{name} must be at least 1", hint=f"for example --{name} 1000")


class _Filled(msgspec.Struct, frozen=True, kw_only=True):
    """What filling a home cost; kept beside it."""

    words: float
    stored: Rate
    indexed: Rate
    chunks: Rate
    vectors: Rate
    cold: ProcessCost
    command_ms: tuple[float, ...]
    notes: tuple[str, ...]


class LoadRunner:
    """Measures one size after another.

    Args:
        root: Where homes are filled; one that is complete is used again.
        opener: Opens the product.
        progress: Told what goes on.
    """

    def __init__(self, root: Path, opener: Opener, progress: Progress) -> None:
        self._root = root
        self._open = opener
        self._progress = progress

    def run(self, plan: LoadPlan) -> LoadReport:
        """Return what ``plan.messages`` cost.

        Raises:
            RecollectError: the product failed.
        """
        lengths = MESSAGE_WORDS if plan.length is None else (plan.length, plan.length)
        corpus = SyntheticCorpus(plan.seed, law=plan.words, lengths=lengths)
        queries = corpus.queries(plan.messages, plan.queries)
        name = f"load-{plan.messages}-{plan.chunks}-{plan.words}-{plan.seed}"
        folder = self._root / (name if plan.length is None else f"{name}-{plan.length}")
        if not (folder / _FILLED).is_file():
            with complete_folder(folder) as partial:
                filled = self._fill(plan, corpus, queries, partial)
                (partial / _FILLED).write_bytes(msgspec.json.encode(filled))
        filled = msgspec.json.decode((folder / _FILLED).read_bytes(), type=_Filled)
        home = folder / "home"
        asked = corpus.asked(plan.messages, plan.queries)
        searches = self._search(plan, (queries, asked), home)
        loaded = run_probe(
            folder,
            home=home,
            mode="hybrid",
            queries=queries[:_PROBE_QUERIES],
            vector_seed=plan.seed,
        )
        return LoadReport(
            messages=plan.messages,
            words=filled.words,
            stored=filled.stored,
            indexed=filled.indexed,
            chunks=filled.chunks,
            vectors=filled.vectors,
            searches=searches,
            writes=self._write(plan, corpus, folder),
            processes=(filled.cold, loaded),
            command_ms=filled.command_ms,
            disk_bytes=disk_usage(home),
            notes=filled.notes,
        )

    def _fill(
        self, plan: LoadPlan, corpus: SyntheticCorpus, queries: list[TargetedQuery], folder: Path
    ) -> _Filled:
        home = folder / "home"
        _configure(home)
        words, stored = self._store(plan, corpus, home)
        indexed = self._index_anew(plan, home)
        cold = run_probe(
            folder,
            home=home,
            mode="lexical",
            queries=queries[:_PROBE_QUERIES],
            vector_seed=None,
        )
        command_ms, notes = _command_start(home, queries[0])
        chunks = self._index_files(plan, corpus, folder)
        return _Filled(
            words=words / plan.messages,
            stored=rate_of(plan.messages, stored),
            indexed=rate_of(plan.messages, indexed),
            chunks=chunks,
            vectors=rate_of(plan.messages, self._bring_vectors(plan, home)),
            cold=cold,
            command_ms=command_ms,
            notes=notes,
        )

    def _store(self, plan: LoadPlan, corpus: SyntheticCorpus, home: Path) -> tuple[int, Spent]:
        """Return how many words were stored, and what storing and indexing them spent."""
        watch = Stopwatch()
        words = done = 0
        sessions = corpus.sessions(plan.messages)
        with self._open(home) as memory:
            while batch := list(islice(sessions, BATCH_SESSIONS)):
                words += _count_words(batch)
                self._progress("storing and indexing", done, plan.messages)
                with watch.lap():
                    for session in batch:
                        store_session(memory, session)
                    memory.sync()
                done += sum(len(session.turns) for session in batch)
        self._progress("storing and indexing", done, plan.messages)
        return words, watch.total()

    def _index_anew(self, plan: LoadPlan, home: Path) -> Spent:
        """Return what indexing spends when nothing else runs beside it."""
        watch = Stopwatch()
        self._progress("indexing anew", 0, plan.messages)
        with self._open(home) as memory, watch.lap():
            memory.reindex()
        self._progress("indexing anew", plan.messages, plan.messages)
        return watch.total()

    def _index_files(self, plan: LoadPlan, corpus: SyntheticCorpus, folder: Path) -> Rate:
        workspace, home = folder / "files" / "workspace", folder / "files" / "home"
        (workspace / "memory").mkdir(parents=True)
        _configure(home)
        chunks = 0
        for number in range(-(-plan.chunks // FILE_CHUNKS)):
            self._progress("writing memory files", chunks, plan.chunks)
            text = corpus.file(number, min(FILE_CHUNKS, plan.chunks))
            chunks += len(chunk_markdown(text))
            path = workspace / "memory" / f"note-{number:06}.md"
            path.write_text(text, encoding="utf-8")
        self._progress("indexing memory files", 0, chunks)
        watch = Stopwatch()
        with self._open(home, workspace=workspace) as memory, watch.lap():
            memory.sync()
        self._progress("indexing memory files", chunks, chunks)
        return rate_of(chunks, watch.total())

    def _bring_vectors(self, plan: LoadPlan, home: Path) -> Spent:
        watch = Stopwatch()
        self._progress("bringing vectors in", 0, plan.messages)
        with self._open(home, embedder=ClusteredEmbedder(plan.seed)) as memory, watch.lap():
            memory.sync()
        self._progress("bringing vectors in", plan.messages, plan.messages)
        return watch.total()

    def _search(
        self,
        plan: LoadPlan,
        questions: tuple[Sequence[TargetedQuery], Sequence[TargetedQuery]],
        home: Path,
    ) -> tuple[LoadSearch, ...]:
        queries, asked = questions
        near = {query.text: query.target for query in (*queries, *asked)}
        with self._open(home, embedder=ClusteredEmbedder(plan.seed, near)) as memory:
            memory.sync()
            found = [self._search_mode(memory, mode, queries, "its words") for mode in MODES]
            found.append(self._search_mode(memory, "hybrid", asked, "half common"))
            return tuple(found)

    def _search_mode(
        self, memory: Product, mode: Mode, queries: Sequence[TargetedQuery], asked: str
    ) -> LoadSearch:
        for query in queries[:_WARM_UP]:
            memory.search(query.text, limit=SEARCH_LIMIT, mode=mode)
        watch, found = Stopwatch(), 0
        for done, query in enumerate(queries):
            self._progress(f"searching, {mode}", done, len(queries))
            with watch.lap():
                answer = memory.search(query.text, limit=SEARCH_LIMIT, mode=mode)
            found += any(hit.snippet in query.target for hit in answer.hits)
        self._progress(f"searching, {mode}", len(queries), len(queries))
        share = found / len(queries)
        return LoadSearch(mode=mode, asked=asked, latency=latency_of(watch.laps), found=share)

    def _write(self, plan: LoadPlan, corpus: SyntheticCorpus, folder: Path) -> WriteCost:
        with TemporaryDirectory(prefix="written-", dir=folder) as name:
            home = Path(name) / "home"
            shutil.copytree(folder / "home", home)
            with self._open(home) as memory:
                return measure_writes(
                    memory,
                    sessions=_more_sessions(corpus, plan),
                    writes=plan.writes,
                    backlog=min(plan.messages // 5, MAX_BACKLOG),
                    progress=self._progress,
                )


def disk_usage(home: Path) -> dict[str, int]:
    """Return the bytes of every file of ``home`` by name; a folder counts as one, with a slash."""
    found: dict[str, int] = {}
    for path in sorted(home.rglob("*")):
        if path.is_file():
            parts = path.relative_to(home).parts
            name = parts[0] if len(parts) == 1 else f"{parts[0]}/"
            found[name] = found.get(name, 0) + path.stat().st_size
    return found


def _configure(home: Path) -> None:
    home.mkdir(parents=True, mode=0o700)
    (home / "config.yaml").write_text(_NO_MODEL, encoding="utf-8")


def _command_start(home: Path, query: TargetedQuery) -> tuple[tuple[float, ...], tuple[str, ...]]:
    try:
        return time_command(home, query.text, COMMAND_STARTS), ()
    except RecollectError as error:
        return (), (f"the command line was not timed: {error.message}",)


def _more_sessions(corpus: SyntheticCorpus, plan: LoadPlan) -> Iterator[DatedSession]:
    number = plan.messages // SESSION_MESSAGES + 1
    while True:
        yield corpus.session(number)
        number += 1


def _count_words(batch: Sequence[DatedSession]) -> int:
    return sum(turn.text.count(" ") + 1 for session in batch for turn in session.turns)
