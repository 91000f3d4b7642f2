"""One way of storing many messages: `python -m benchmarks.load.bulk_writer`.

Runs in a process of its own, so that the source of another checkout can be measured by the same
order: it knows nothing of the product but what programs use, and times stages by the names of
functions, of which a source may lack some. Prints one JSON line. Started by `BulkRunner`.
"""

from __future__ import annotations

import importlib
import json
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import wraps
from itertools import chain, count
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import msgspec

import recollect
from benchmarks.datasets.synthetic import SyntheticCorpus

WORDS = 60
CALL = 500
TURN_LINES = 8
"""Of a turn in a transcript: a question, two rounds of text, call and result, an answer."""
_SESSION_TURNS = 12
_FIRST_DAY_MS = 1_772_323_200_000

STAGES = (
    ("read the line", "recollect.exchange.reader", "decode_line"),
    ("format", "recollect.exchange.formats.claude_code", "ClaudeCodeFormat.parse"),
    ("format", "recollect.exchange.formats.jsonl", "JsonlFormat.parse"),
    ("observations", "recollect.exchange.rows.batch", "ImportBatch.prepare"),
    ("draft", "recollect.sessions.record.draft", "DraftMaker.message"),
    ("draft", "recollect.sessions.record.draft", "DraftMaker.messages"),
    ("redaction", "recollect.text.redaction.redactor", "Redactor.redact"),
    ("redaction", "recollect.text.redaction.redactor", "Redactor.redact_value"),
    ("insert", "recollect.sessions.record.transcript_rows", "append_drafts"),
    ("insert", "recollect.exchange.rows.batch", "append_drafts"),
    ("insert", "recollect.exchange.rows.batch", "ImportBatch.store"),
    ("outbox read", "recollect.recall.transcript_source", "changed_messages"),
    ("outbox read", "recollect.recall.observation_source", "changed_observations"),
    ("chunk", "recollect.index.indexing.ingestor", "prepare"),
    ("terms", "recollect.index.indexing.prepared_chunk", "terms"),
    ("postings", "recollect.index.lexical.own_postings", "OwnWriter.add"),
    ("index rows", "recollect.index.indexing.writer", "PartitionWriter.apply"),
)
"""Stage, module and function; each function's own time, without those inside it."""


class BulkOrder(msgspec.Struct, frozen=True, kw_only=True):
    """What one process does.

    Attributes:
        folder: Where its home and files are made.
        way: One of `WAYS`.
        count: Messages, or lines of transcripts.
        seed: The same seed makes the same texts.
        stages: Whether stages are timed, which makes the whole slower.
    """

    folder: str
    way: str
    count: int
    seed: int = 7
    stages: bool = False


class BulkCost(msgspec.Struct, frozen=True, kw_only=True):
    """What it took until everything was indexed, mirrored and closed.

    Attributes:
        cpu_s: Of the whole process.
        wall_s: From the first message to the end.
        stages: Seconds of CPU by stage; empty where they were not timed.
    """

    cpu_s: float
    wall_s: float
    stages: dict[str, float] = {}


def run(order: BulkOrder) -> BulkCost:
    """Store, index and mirror everything; return what it took."""
    texts = texts_of(order.count, order.seed)
    folder = Path(order.folder)
    clock = StageClock() if order.stages else None
    memory = recollect.open(folder / "home", overrides={"embedding.provider": "none"}, live=False)
    session = memory.sessions.create().id
    memory.sessions.append(session, "user", "the first message loads what all need")
    memory.sync()
    store = WAYS[order.way](memory, session, texts, folder)
    if clock is not None:
        clock.begin()
    cpu, wall = time.process_time(), time.perf_counter()
    store()
    memory.sync()
    stages = {} if clock is None else clock.stages()
    memory.close()
    cpu_s, wall_s = time.process_time() - cpu, time.perf_counter() - wall
    if stages:
        stages["closing"] = cpu_s - sum(stages.values())
    return BulkCost(cpu_s=cpu_s, wall_s=wall_s, stages=stages)


def texts_of(number: int, seed: int) -> list[str]:
    """Return texts of `WORDS` words, the same for the same seed."""
    corpus = SyntheticCorpus(seed)
    turns = chain.from_iterable(corpus.session(each).turns for each in count())
    words: list[str] = []
    texts: list[str] = []
    while len(texts) < number:
        while len(words) < WORDS:
            words += next(turns).text.split()
        texts.append(" ".join(words[:WORDS]))
        del words[:WORDS]
    return texts


def _in_one_call(memory: Any, session: str, texts: list[str], _: Path) -> Callable[[], object]:
    items = [(_role(position), text) for position, text in enumerate(texts)]
    return lambda: memory.sessions.append_many(session, items)


def _in_calls(memory: Any, session: str, texts: list[str], _: Path) -> Callable[[], object]:
    items = [(_role(position), text) for position, text in enumerate(texts)]
    calls = [items[at : at + CALL] for at in range(0, len(items), CALL)]
    return lambda: [memory.sessions.append_many(session, each) for each in calls]


def _one_by_one(memory: Any, session: str, texts: list[str], _: Path) -> Callable[[], object]:
    append, items = memory.sessions.append, list(enumerate(texts))
    return lambda: [append(session, _role(place), text) for place, text in items]


def _import_jsonl(memory: Any, _: str, texts: list[str], folder: Path) -> Callable[[], object]:
    path = folder / "messages.jsonl"
    records = (
        {"role": _role(position), "content": text, "at": _FIRST_DAY_MS + position * 1_000}
        for position, text in enumerate(texts)
    )
    _write_lines(path, records)
    return lambda: memory.import_transcripts(path, "jsonl")


def _import_claude(memory: Any, _: str, texts: list[str], folder: Path) -> Callable[[], object]:
    project = folder / "projects" / "-home-dev-app"
    project.mkdir(parents=True)
    most = _SESSION_TURNS * TURN_LINES
    for number, start in enumerate(range(0, len(texts), most)):
        name = _id("session", number)
        lines = claude_lines(name, start, texts[start : start + most])
        _write_lines(project / f"{name}.jsonl", lines)
    return lambda: memory.import_transcripts(project.parent, "claude-code")


WAYS: dict[str, Callable[[Any, str, list[str], Path], Callable[[], object]]] = {
    "append_many, one call": _in_one_call,
    f"append_many, calls of {CALL}": _in_calls,
    "import of jsonl": _import_jsonl,
    "import of Claude Code": _import_claude,
    "append, one by one": _one_by_one,
}
"""What prepares each way of storing texts, and returns what is measured."""


def claude_lines(session: str, start: int, texts: Sequence[str]) -> list[dict[str, Any]]:
    """Return a line of Claude Code for each text: turns of `TURN_LINES` lines."""
    lines: list[dict[str, Any]] = []
    for position, text in enumerate(texts):
        kind = position % TURN_LINES
        call = f"toolu_{session[:8]}{position - (kind in {3, 6}):06}"
        parts: dict[int, tuple[str, Any, dict[str, Any]]] = {
            0: ("user", text, {}),
            2: ("assistant", [_call(call, text)], {}),
            3: ("user", [_result(call, text)], {"toolUseResult": _output(text)}),
        }
        parts[5], parts[6] = parts[2], parts[3]
        answer: tuple[str, Any, dict[str, Any]] = (
            "assistant",
            [{"type": "text", "text": text}],
            {},
        )
        role, content, more = parts.get(kind, answer)
        said = {"role": role, "content": content}
        if role == "assistant":
            said = {**_MODEL, "id": f"msg_{session[:8]}{start + position:06}", **said}
        lines.append(
            {
                "parentUuid": _id(session, position - 1) if position else None,
                "isSidechain": False,
                "userType": "external",
                "cwd": "/home/dev/app",
                "sessionId": session,
                "version": "2.1.0",
                "gitBranch": "main",
                "type": role,
                "message": said,
                "uuid": _id(session, position),
                "timestamp": _timestamp(start + position),
                **more,
            }
        )
    return lines


_MODEL = {
    "model": "claude-bench-1",
    "type": "message",
    "stop_reason": None,
    "stop_sequence": None,
    "usage": {"input_tokens": 10, "cache_read_input_tokens": 2_000, "output_tokens": 80},
}


def _call(call: str, text: str) -> dict[str, Any]:
    given = {"command": f"grep -rn '{text[:30]}' src", "description": text[30:80]}
    return {"type": "tool_use", "id": call, "name": "Bash", "input": given}


def _result(call: str, text: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call, "content": text, "is_error": False}


def _output(text: str) -> dict[str, Any]:
    return {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}


def _role(place: int) -> str:
    return "assistant" if place % 2 else "user"


def _id(name: str, place: int) -> str:
    return str(uuid5(NAMESPACE_URL, f"{name}/{place}"))


def _timestamp(second: int) -> str:
    at = time.gmtime(_FIRST_DAY_MS // 1_000 + second)
    return time.strftime("%Y-%m-%dT%H:%M:%S.250Z", at)


def _write_lines(path: Path, records: Any) -> None:
    lines = "".join(f"{json.dumps(record)}\n" for record in records)
    path.write_text(lines, encoding="utf-8")


class StageClock:
    """Times `STAGES` by CPU of their threads; what is left of a thread goes by its name."""

    def __init__(self) -> None:
        self._spent: defaultdict[tuple[str, str], float] = defaultdict(float)
        self._inner = threading.local()
        self._threads: dict[str, float] = {}
        for stage, module, name in STAGES:
            self._wrap(stage, module, name)

    def begin(self) -> None:
        """Count from now on."""
        self._spent.clear()
        self._threads = _thread_seconds()

    def stages(self) -> dict[str, float]:
        """Return the seconds of each stage, and of each thread outside of them."""
        threads = {
            name: spent - self._threads.get(name, 0.0) for name, spent in _thread_seconds().items()
        }
        found: defaultdict[str, float] = defaultdict(float)
        for (thread, stage), spent in self._spent.items():
            found[stage] += spent
            threads[thread] = threads.get(thread, 0.0) - spent
        for thread, spent in threads.items():
            found[_REST.get(thread.removeprefix("recollect-"), "rest")] += spent
        return dict(found)

    def _wrap(self, stage: str, module: str, name: str) -> None:
        try:
            holder: Any = importlib.import_module(module)
        except ModuleNotFoundError:  # another source has none of it
            return
        *path, last = name.split(".")
        for part in path:
            holder = getattr(holder, part, None)
        timed = getattr(holder, last, None)
        if timed is None:
            return

        @wraps(timed)
        def wrapper(*given: Any, **named: Any) -> Any:
            outer = getattr(self._inner, "spent", 0.0)
            self._inner.spent, began = 0.0, time.thread_time()
            try:
                return timed(*given, **named)
            finally:
                spent = time.thread_time() - began
                own = spent - self._inner.spent
                self._inner.spent = outer + spent
                self._spent[threading.current_thread().name, stage] += own

        setattr(holder, last, wrapper)


_REST = {
    "writer-records.db": "commit of records",
    "writer-index.db": "commit of index",
    "mirror": "mirror",
    "sync": "sync, rest",
    "MainThread": "caller, rest",
    "checkpoint-records.db": "checkpoints",
    "checkpoint-index.db": "checkpoints",
}
"""What a thread does outside of the stages."""


def _thread_seconds() -> dict[str, float]:
    clock_of = getattr(time, "pthread_getcpuclockid", None)
    if clock_of is None:
        return {}
    running = [(each.name, each.ident) for each in threading.enumerate()]
    return {name: time.clock_gettime(clock_of(ident)) for name, ident in running if ident}


def main(arguments: Sequence[str]) -> None:
    """Run as a process: a `BulkOrder` as JSON."""
    order = msgspec.json.decode(arguments[0], type=BulkOrder)
    sys.stdout.write(msgspec.json.encode(run(order)).decode() + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
