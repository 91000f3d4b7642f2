"""A process that makes the everyday calls with the source tree on its path, and counts their walks.

Run by `walks`, as ``python -m benchmarks.load.walk_worker FOLDER``; the answer is a list of
`WalkRow` on stdout. It uses the public names only, and the worker, so that an older or newer tree
can be walked.
"""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw  # noqa: TID251  # looks at the statements from outside
import msgspec

import recollect
from benchmarks.load import walked_command
from benchmarks.measure.walk import Tracer, Walk
from benchmarks.served import serving
from recollect import Memory
from recollect.core.errors import StoreError

MESSAGES = 300
HITS = 6
QUESTION = "green tea garden"
WORDS = "green tea launch harbour river stone lamp paper candle orange window garden table".split()
WORDS_ONLY = {"embedding.provider": "none"}
QUIET_S = 0.25
"""Threads that walked nowhere for so long are done."""
PATIENCE_S = 10.0
IDLE_S = 1.5
"""In which a worker without requests does everything that it looks at again and again."""
_POSTS: tuple[tuple[str, str, dict[str, object]], ...] = (
    (
        "POST of an observation",
        "/api/observations",
        {"session_key": "walks", "tool_name": "Bash", "output": "the green tea is in the garden"},
    ),
    (
        "hook call",
        "/api/hooks/claude-code?event=PostToolUse",
        {
            "hook_event_name": "PostToolUse",
            "session_id": "5b1f6a3e-0c1d-4a55-9d0a-6f1d2c3b4a01",
            "cwd": "/x",
            "tool_name": "Bash",
            "tool_input": {"command": "make tea"},
            "tool_response": {"stdout": "the green tea is in the garden"},
        },
    ),
)
_LINE = {"type": "user", "sessionId": "s1", "cwd": "/x"}


class WalkRow(msgspec.Struct, frozen=True, kw_only=True):
    """The walk of one call, or of a part of it.

    Attributes:
        call: What was called.
        part: ``caller``: its thread until it returns; ``answered``: every thread until a request is
            answered; ``writer``: the thread that stores the records, until COMMIT; ``all``: every
            thread until all are quiet.
        walk: What was walked.
        reads: Read transactions; None where they were not counted.
        modules: Of ours that the process imported; None where it was not a fresh one.
    """

    call: str
    part: str
    walk: Walk
    reads: int | None = None
    modules: int | None = None


class _Statements:
    """Watches what SQLite is asked for by every connection that is opened meanwhile."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self.begin()

    def begin(self) -> None:
        """Count from zero."""
        self._reads: Counter[int] = Counter()
        self.committed: Walk | None = None

    def reads(self, thread: int | None = None) -> int:
        """Return how many read transactions a thread began; all of them, without one."""
        return self._reads.total() if thread is None else self._reads[thread]

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
            thread = threading.get_ident()
            self._reads[thread] += event["sql"] == "BEGIN"
            if is_records and event["sql"] == "COMMIT" and self.committed is None:
                walk = self._tracer.walk(thread)
                self.committed = walk if walk.calls else None

        connection.trace_v2(apsw.SQLITE_TRACE_STMT, see)


class WalkRunner:
    """Makes the calls in homes below a folder.

    Args:
        root: Where homes and workspaces are made.

    Raises:
        StoreError: a thread runs already, which could not be counted.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        others = {each.name for each in threading.enumerate()} - {threading.main_thread().name}
        if others:
            raise StoreError(
                f"threads were started before they could be counted: {', '.join(sorted(others))}",
                hint="start the benchmark as a process of its own",
            )
        self._tracer = Tracer()
        self._statements = _Statements(self._tracer)
        self._looking: set[str] = set()
        """Files that a worker enters again and again, also where there is nothing to do."""

    def rows(self) -> list[WalkRow]:
        """Return every walk."""
        with self._statements.watching():
            try:
                rows = [*self._live_calls(), *self._calls_for_a_moment(), *self._requests()]
            finally:
                self._tracer.close()
        return [*rows, self._command()]

    def _live_calls(self) -> Iterator[WalkRow]:
        with recollect.open(self._root / "home", overrides=WORDS_ONLY) as memory:
            session = memory.sessions.create(key="walks", owner=True)
            memory.sessions.append_many(session.id, [_message(i) for i in range(MESSAGES)])
            self._settle(memory)
            memory.search(QUESTION, limit=HITS)
            yield from self._counted("warm search", lambda: memory.search(QUESTION, limit=HITS))
            yield from self._context(memory, session.id)
            memory.sessions.append(session.id, "user", "warm")
            self._settle(memory)
            yield from self._counted(
                "append", lambda: memory.sessions.append(session.id, "user", "more green tea")
            )
            self._settle(memory)
            yield from self._counted(
                "append and sync", lambda: _append_and_sync(memory, session.id)
            )
            self._settle(memory)
            yield from self._counted(
                "append until a hit", lambda: _append_and_find(memory, session.id)
            )
            yield from self._imported_line(memory)

    def _context(self, memory: Memory, session_id: str) -> Iterator[WalkRow]:
        """Yield the walks of a block: of a session that begins, and for a question."""
        memory.context(session_id)
        yield from self._counted("context block", lambda: memory.context(session_id))
        memory.observations.record(session_id, "Bash", type="decision", summary="green tea it is")
        memory.context(session_id, QUESTION)
        self._settle(memory)
        yield from self._counted(
            "context block for a question", lambda: memory.context(session_id, QUESTION)
        )
        self._settle(memory)

    def _imported_line(self, memory: Memory) -> Iterator[WalkRow]:
        path = self._root / "s1.jsonl"
        path.write_text(_line(1), encoding="utf-8")
        memory.import_transcripts(path, "claude-code")
        self._settle(memory)
        path.write_text(_line(1) + _line(2), encoding="utf-8")
        yield from self._counted(
            "import of a line", lambda: memory.import_transcripts(path, "claude-code")
        )

    def _calls_for_a_moment(self) -> Iterator[WalkRow]:
        """Yield the walks of a memory with a workspace that is opened with ``live=False``."""
        workspace = self._root / "workspace"
        note = workspace / "memory" / "2026-01-01.md"
        note.parent.mkdir(parents=True)
        (workspace / "MEMORY.md").write_text("# Tea\n\nAnn likes green tea.\n", encoding="utf-8")
        home = self._root / "files"
        with recollect.open(home, workspace, overrides=WORDS_ONLY, live=False) as memory:
            memory.sync()
            for text in ("the orange lamp", "the lamp"):
                _write(note, text)
                self._settle(memory)
            _write(note, "the orange lamp is green")
            yield from self._counted("changed file", memory.sync)
            memory.search(QUESTION, limit=HITS)
            yield from self._counted(
                "search with live=False", lambda: memory.search(QUESTION, limit=HITS)
            )
            _write(note, "the orange lamp is a kettle")
            yield from self._counted(
                "changed file until a hit", lambda: _found(memory, "kettle", note.name)
            )

    def _requests(self) -> Iterator[WalkRow]:
        """Yield the walks of requests to a worker, in all its threads: those until it answers too.

        The program of the hook itself is one file of ours, in a process of its own.
        """
        home = self._root / "served"
        home.mkdir(mode=0o700)
        (home / "config.yaml").write_text("embedding:\n  provider: none\n", encoding="utf-8")
        with serving(home) as port:
            token = (home / "token").read_text(encoding="utf-8").strip()
            connection = http.client.HTTPConnection("127.0.0.1", port)
            for name, path, fields in _POSTS:
                post = _Post(connection, token, path, fields)
                for _ in range(2):  # the first one imports and opens what the later ones find
                    post()
                self._see_idling()
                yield from self._counted(name, post, "answered")
            connection.close()

    def _counted(
        self, name: str, call: Callable[[], object], first: str = "caller"
    ) -> Iterator[WalkRow]:
        """Yield the walks of one call; how the background runs along differs from run to run."""
        self._statements.begin()
        with self._tracer.counting():
            call()
        thread = threading.get_ident() if first == "caller" else None
        reads, walk = self._statements.reads(thread), self._tracer.walk(thread)
        yield WalkRow(call=name, part=first, walk=walk, reads=reads)
        self._wait_until_quiet()
        self._tracer.stop()
        if self._statements.committed is not None:
            yield WalkRow(call=name, part="writer", walk=self._statements.committed)
        reads = self._statements.reads()
        yield WalkRow(call=name, part="all", walk=self._tracer.walk(), reads=reads)

    def _settle(self, memory: Memory) -> None:
        """Bring everything into the index, and let the background come to rest."""
        memory.sync()
        self._rest()

    def _rest(self) -> None:
        """Let the background come to rest."""
        with self._tracer.counting():
            self._wait_until_quiet()
        self._tracer.stop()

    def _see_idling(self) -> None:
        """Let a worker come to rest, and see what it does then."""
        time.sleep(IDLE_S)
        with self._tracer.counting():
            time.sleep(IDLE_S)
        self._tracer.stop()
        self._looking = set(self._tracer.walk().entered)

    def _wait_until_quiet(self) -> None:
        until = time.monotonic() + PATIENCE_S
        seen = -1
        while time.monotonic() < until and self._busy() != seen:
            seen = self._busy()
            time.sleep(QUIET_S)

    def _busy(self) -> int:
        """Return how many calls there were of more than looking whether there is work."""
        entered = self._tracer.walk().entered.items()
        return sum(calls for name, calls in entered if name not in self._looking)

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


def _message(number: int) -> tuple[str, str]:
    said = " ".join(WORDS[(number * position + position) % len(WORDS)] for position in range(1, 12))
    return ("assistant" if number % 2 else "user", f"{said} number{number}")


def _append_and_sync(memory: Memory, session_id: str) -> None:
    memory.sessions.append(session_id, "user", "no green tea")
    memory.sync()


def _line(number: int) -> str:
    at = {"timestamp": f"2026-01-01T00:00:0{number}.000Z"}
    message = {"message": {"role": "user", "content": f"hello {number}"}}
    parent = {"uuid": f"u{number}", "parentUuid": None}
    return json.dumps({**_LINE, **parent, **at, **message}) + "\n"


class _Post:
    """A request of a kept connection that must be answered well."""

    def __init__(
        self,
        connection: http.client.HTTPConnection,
        token: str,
        path: str,
        fields: dict[str, object],
    ) -> None:
        self._connection, self._path, self._body = connection, path, json.dumps(fields)
        self._headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}

    def __call__(self) -> None:
        self._connection.request("POST", self._path, self._body, self._headers)
        reply = self._connection.getresponse()
        answer = reply.read()
        if reply.status not in {200, 201}:
            raise StoreError(f"{self._path} answers {reply.status}", hint=answer.decode())


def _write(note: Path, text: str) -> None:
    note.write_text(f"# note\n\n{text}\n", encoding="utf-8")


def _append_and_find(memory: Memory, session_id: str) -> None:
    memory.sessions.append(session_id, "user", "the saucer is blue")
    _found(memory, "saucer", "message")


def _found(memory: Memory, word: str, what: str) -> None:
    if not memory.search(word, limit=HITS).hits:
        raise StoreError(f"the search does not find the {what}", hint="run it again")


def main() -> None:
    """Print the walks."""
    rows = WalkRunner(Path(sys.argv[1])).rows()
    sys.stdout.buffer.write(msgspec.json.encode(rows))


if __name__ == "__main__":
    main()
