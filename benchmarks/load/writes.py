"""How long a single write takes, alone and while the index is busy with a backlog.

The home is a copy: the writes do not change what later runs read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

from benchmarks.datasets.corpus import DatedSession, Turn
from benchmarks.measure.results import SLOW_WRITE_MS, WriteCost
from benchmarks.measure.stopwatch import Stopwatch, latency_of
from benchmarks.quality.homes import Progress
from benchmarks.quality.product import Product

KEY = "agent:bench:benchmark:main:direct:load"
"""The session key of everything in a load run."""

_PAUSE_S = 0.02
"""Between two rounds of indexing, as long as a background worker would wait for more work."""


def measure_writes(
    memory: Product,
    *,
    sessions: Iterator[DatedSession],
    writes: int,
    backlog: int,
    progress: Progress,
) -> WriteCost:
    """Return the latency of ``writes`` single writes while ``backlog`` messages are being indexed.

    Args:
        memory: Open on a home that may be changed.
        sessions: Gives the messages to write.
        writes: Single writes while merging; a quarter of them before that, alone.
        backlog: Messages stored, but not indexed, before the writes begin.
        progress: Told what goes on.
    """
    turns = (turn for session in sessions for turn in session.turns)
    alone = _write_each(memory, turns, max(1, writes // 4), progress, "writing alone")
    memory.sync()
    _store_backlog(memory, sessions, backlog)
    with _indexing(memory):
        merging = _write_each(memory, turns, writes, progress, "writing while merging")
    return WriteCost(
        alone=latency_of(alone.laps),
        merging=latency_of(merging.laps),
        backlog=backlog,
        slow=sum(lap.wall_s * 1000 > SLOW_WRITE_MS for lap in merging.laps),
    )


def store_session(memory: Product, session: DatedSession) -> None:
    """Store all turns of a session in one transaction."""
    stored = memory.sessions.create(key=KEY)
    memory.sessions.append_many(
        stored.id,
        [{"role": turn.role, "content": turn.text, "at": turn.at} for turn in session.turns],
    )


def _write_each(
    memory: Product, turns: Iterable[Turn], count: int, progress: Progress, stage: str
) -> Stopwatch:
    watch = Stopwatch()
    session = memory.sessions.create(key=KEY)
    for done, turn in zip(range(count), turns, strict=False):
        progress(stage, done, count)
        with watch.lap():
            memory.sessions.append(session.id, turn.role, turn.text, at=turn.at)
    progress(stage, count, count)
    return watch


def _store_backlog(memory: Product, sessions: Iterator[DatedSession], backlog: int) -> None:
    stored = 0
    while stored < backlog:
        session = next(sessions)
        store_session(memory, session)
        stored += len(session.turns)


@contextmanager
def _indexing(memory: Product) -> Iterator[None]:
    """Index in another thread, over and over, while the body runs; its errors are raised here."""
    stop = Event()

    def index() -> None:
        while not stop.is_set():
            memory.sync()
            stop.wait(_PAUSE_S)

    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="bench-index") as pool:
        work = pool.submit(index)
        try:
            yield
        finally:
            stop.set()
        work.result()
