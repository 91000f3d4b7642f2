"""What the everyday calls of the product walk: files, calls, moves, read transactions, modules.

A small home of 300 messages, words only. Each call is made once before it is counted, because the
first one imports and opens what the later ones find. The search of the command line is a fresh
process.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw  # noqa: TID251  # looks at the statements from outside
import msgspec

import recollect
from benchmarks.load import walked_command
from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.report import Grid
from benchmarks.measure.walk import Tracer, Walk
from recollect.memory import Memory

MESSAGES = 300
HITS = 6
QUESTION = "green tea garden"
WORDS = "green tea launch harbour river stone lamp paper candle orange window garden table".split()
WORDS_ONLY = {"embedding.provider": "none"}
QUIET_S = 0.25
"""Threads that walked nowhere for so long are done."""
PATIENCE_S = 10.0
_LINE = {"type": "user", "sessionId": "s1", "cwd": "/x"}


class WalkRow(msgspec.Struct, frozen=True, kw_only=True):
    """The walk of one call, or of a part of it.

    Attributes:
        call: What was called.
        part: ``caller``: its thread until it returns; ``writer``: the thread that stores the
            records, until COMMIT; ``all``: every thread until all are quiet.
        walk: What was walked.
        reads: Read transactions; None where they were not counted.
        modules: Of ours that the process imported; None where it was not a fresh one.
    """

    call: str
    part: str
    walk: Walk
    reads: int | None = None
    modules: int | None = None


class WalkRun(msgspec.Struct, frozen=True, kw_only=True):
    """All walks, and how many modules there are."""

    environment: Environment
    modules: int
    rows: tuple[WalkRow, ...]


class _Statements:
    """Watches what SQLite is asked for by every connection that is opened meanwhile."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self.begin()

    def begin(self) -> None:
        """Count from zero."""
        self.reads = 0
        self.committed: Walk | None = None

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch the connections that are opened within."""
        apsw.connection_hooks.append(self._watch)
        try:
            yield
        finally:
            apsw.connection_hooks.remove(self._watch)

    def _watch(self, connection: apsw.Connection) -> None:
        is_records = Path(connection.filename).name == "records.db"

        def see(event: dict[str, Any]) -> None:
            self.reads += event["sql"] == "BEGIN"
            if is_records and event["sql"] == "COMMIT" and self.committed is None:
                walk = self._tracer.walk(threading.get_ident())
                self.committed = walk if walk.calls else None

        connection.trace_v2(apsw.SQLITE_TRACE_STMT, see)


class WalkRunner:
    """Makes the calls in homes below a folder.

    Args:
        root: Where homes and workspaces are made.
        environment: What it runs on.
    """

    def __init__(self, root: Path, environment: Environment) -> None:
        self._root = root
        self._environment = environment
        self._tracer = Tracer()
        self._statements = _Statements(self._tracer)

    def run(self) -> WalkRun:
        """Return every walk."""
        with self._statements.watching():
            try:
                rows = [*self._live_calls(), *self._changed_file()]
            finally:
                self._tracer.close()
        rows.append(self._command())
        modules = sum(1 for _ in Path(recollect.__path__[0]).rglob("*.py"))
        return WalkRun(environment=self._environment, modules=modules, rows=tuple(rows))

    def _live_calls(self) -> Iterator[WalkRow]:
        with recollect.open(self._root / "home", overrides=WORDS_ONLY) as memory:
            session = memory.sessions.create(key="walks", owner=True)
            memory.sessions.append_many(session.id, [_message(i) for i in range(MESSAGES)])
            self._settle(memory)
            memory.search(QUESTION, limit=HITS)
            yield from self._counted("warm search", lambda: memory.search(QUESTION, limit=HITS))
            memory.sessions.append(session.id, "user", "warm")
            self._settle(memory)
            yield from self._counted(
                "append", lambda: memory.sessions.append(session.id, "user", "more green tea")
            )
            self._settle(memory)
            yield from self._counted(
                "append and sync", lambda: _append_and_sync(memory, session.id)
            )
            path = self._root / "s1.jsonl"
            path.write_text(_line(1), encoding="utf-8")
            memory.import_transcripts(path, "claude-code")
            self._settle(memory)
            path.write_text(_line(1) + _line(2), encoding="utf-8")
            yield from self._counted(
                "import of a line", lambda: memory.import_transcripts(path, "claude-code")
            )

    def _changed_file(self) -> Iterator[WalkRow]:
        workspace = self._root / "workspace"
        note = workspace / "memory" / "2026-01-01.md"
        note.parent.mkdir(parents=True)
        (workspace / "MEMORY.md").write_text("# Tea\n\nAnn likes green tea.\n", encoding="utf-8")
        home = self._root / "files"
        with recollect.open(home, workspace, overrides=WORDS_ONLY, live=False) as memory:
            memory.sync()
            for text in ("the orange lamp", "the lamp"):
                note.write_text(f"# note\n\n{text}\n", encoding="utf-8")
                self._settle(memory)
            note.write_text("# note\n\nthe orange lamp is green\n", encoding="utf-8")
            yield from self._counted("changed file", memory.sync)

    def _counted(self, name: str, call: Callable[[], object]) -> Iterator[WalkRow]:
        """Yield the walks of one call; how the background runs along differs from run to run."""
        self._statements.begin()
        with self._tracer.counting():
            call()
        reads = self._statements.reads
        walk = self._tracer.walk(threading.get_ident())
        yield WalkRow(call=name, part="caller", walk=walk, reads=reads)
        self._wait_until_quiet()
        self._tracer.stop()
        if self._statements.committed is not None:
            yield WalkRow(call=name, part="writer", walk=self._statements.committed)
        yield WalkRow(call=name, part="all", walk=self._tracer.walk(), reads=self._statements.reads)

    def _settle(self, memory: Memory) -> None:
        """Bring everything into the index, and let the background come to rest."""
        memory.sync()
        with self._tracer.counting():
            self._wait_until_quiet()
        self._tracer.stop()

    def _wait_until_quiet(self) -> None:
        until = time.monotonic() + PATIENCE_S
        seen = -1
        while time.monotonic() < until and self._tracer.walk().calls != seen:
            seen = self._tracer.walk().calls
            time.sleep(QUIET_S)

    def _command(self) -> WalkRow:
        """Return the walk of ``recollect search`` in a fresh process."""
        answer = self._root / "command.json"
        home = self._root / "home"
        (home / "config.yaml").write_text("embedding:\n  provider: none\n", encoding="utf-8")
        arguments = ["--home", str(home), "search", QUESTION, "--limit", str(HITS)]
        command = [sys.executable, walked_command.__file__, str(answer), *arguments]
        for _ in range(2):  # the first one compiles what has no cache yet
            subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - our own module
        return msgspec.json.decode(answer.read_bytes(), type=WalkRow)


def describe_walks(run: WalkRun) -> list[str]:
    """Return what was run on what."""
    home = f"{MESSAGES} messages, words only, {HITS} hits; {run.modules} modules in the package"
    return [*describe_lines(run.environment), home]


def walk_grids(run: WalkRun) -> list[Grid]:
    """Return one table: a line for each part of each call."""
    columns = ("call", "thread", "files", "calls", "moves", "read transactions", "modules")
    return [Grid(title="Walks", columns=columns, rows=tuple(_row(row) for row in run.rows))]


def _row(row: WalkRow) -> tuple[str, ...]:
    walk = row.walk
    optional = ("" if value is None else str(value) for value in (row.reads, row.modules))
    return (row.call, row.part, str(walk.files), f"{walk.calls:,}", f"{walk.moves:,}", *optional)


def _message(number: int) -> tuple[str, str]:
    said = " ".join(WORDS[(number * place + place) % len(WORDS)] for place in range(1, 12))
    return ("assistant" if number % 2 else "user", f"{said} number{number}")


def _append_and_sync(memory: Memory, session_id: str) -> None:
    memory.sessions.append(session_id, "user", "no green tea")
    memory.sync()


def _line(number: int) -> str:
    at = {"timestamp": f"2026-01-01T00:00:0{number}.000Z"}
    message = {"message": {"role": "user", "content": f"hello {number}"}}
    parent = {"uuid": f"u{number}", "parentUuid": None}
    return json.dumps({**_LINE, **parent, **at, **message}) + "\n"
