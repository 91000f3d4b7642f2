"""One of several processes that append to a home: `python -m benchmarks.load.session_writer`.

Says that it is ready, waits for a line, appends, and answers with one JSON line: what each message
took, and the CPU time of each thread. Started by `WritingProcess`.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from itertools import chain, count

import msgspec

import recollect
from benchmarks.datasets.synthetic import SyntheticCorpus
from benchmarks.measure.stopwatch import Spent, Stopwatch
from recollect.core.errors import RecollectError

ALONE = {"embedding.provider": "none"}
"""Settings of a home whose sessions are measured: as by default, without a model."""


class WriteOrder(msgspec.Struct, frozen=True, kw_only=True):
    """What one process appends.

    Attributes:
        home: The home.
        session: Where the messages belong.
        name: Of the process; the start of its event ids.
        count: How many messages.
        size: Bytes of each; 0 for a few words.
        is_live: Whether the home is kept in step meanwhile, as in a program that stays.
    """

    home: str
    session: str
    name: str
    count: int
    size: int = 0
    is_live: bool = False


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """What it took.

    Attributes:
        laps: For each message.
        began: When the first message was handed in, in seconds of a clock of all processes.
        ended: When the last one was on the disk.
        cpu_s: CPU time of the whole process, until everything is indexed and mirrored.
        threads: That of each thread by name, as far as the messages are indexed.
    """

    laps: list[Spent]
    began: float
    ended: float
    cpu_s: float
    threads: dict[str, float]


def write(order: WriteOrder) -> Written:
    """Append the messages when a line comes, then let the index and the mirror catch up."""
    texts = texts_of(order)
    memory = recollect.open(order.home, overrides=ALONE, live=order.is_live)
    with memory:
        memory.sessions.get(order.session)
        if order.is_live:  # what the first one imports and compiles is not counted
            memory.sessions.append(order.session, "user", texts[0])
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.readline()
        watch, cpu_s, before = Stopwatch(), time.process_time(), _thread_seconds()
        began = time.perf_counter()
        for number, text in enumerate(texts):
            with watch.lap():
                memory.sessions.append(
                    order.session, "user", text, event_id=f"{order.name}-{number}"
                )
        ended = time.perf_counter()
        if order.is_live:
            memory.sync()
        threads = {name: s - before.get(name, 0.0) for name, s in _thread_seconds().items()}
    return Written(
        laps=watch.laps,
        began=began,
        ended=ended,
        cpu_s=time.process_time() - cpu_s,
        threads=threads,
    )


def texts_of(order: WriteOrder) -> list[str]:
    """Return the texts of an order, the same for the same order."""
    if not order.size:
        return [f"{order.name} says {number}" for number in range(order.count)]
    corpus = SyntheticCorpus(sum(order.name.encode()))
    turns = chain.from_iterable(corpus.session(number).turns for number in count())
    texts: list[str] = []
    room = ""
    while len(texts) < order.count:
        while len(room) < order.size:
            room = f"{next(turns).text} {room}"
        texts.append(room[: order.size])
        room = room[order.size :]
    return texts


def _thread_seconds() -> dict[str, float]:
    """Return the CPU time of each thread by name; nothing where the system does not tell."""
    clock_of = getattr(time, "pthread_getcpuclockid", None)
    if clock_of is None:
        return {}
    running = [(each.name, each.ident) for each in threading.enumerate()]
    return {name: time.clock_gettime(clock_of(ident)) for name, ident in running if ident}


class WritingProcess:
    """A process that appends; a context manager that ends it.

    Args:
        command: What is run: that of `writer_command`.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(  # noqa: S603  # our own module
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> WritingProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def expect_ready(self) -> None:
        """Wait until it has opened the home.

        Raises:
            RecollectError: it has ended.
        """
        if self._process.stdout is None or self._process.stdout.readline() != "ready\n":
            raise RecollectError("a writing process ended", hint="read what it wrote to stderr")

    def go(self) -> None:
        """Let it write; that it has ended shows in `written`."""
        with suppress(BrokenPipeError):
            if self._process.stdin is not None:
                self._process.stdin.write("go\n")
                self._process.stdin.flush()

    def written(self) -> Written:
        """Wait until it is done, and return what it took.

        Raises:
            RecollectError: it failed.
        """
        line = "" if self._process.stdout is None else self._process.stdout.readline()
        if not line:
            raise RecollectError("a writing process failed", hint="read what it wrote to stderr")
        return msgspec.json.decode(line, type=Written)


def writer_command(order: WriteOrder) -> list[str]:
    """Return the command that runs an order in a process of its own."""
    told = msgspec.json.encode(order).decode()
    return [sys.executable, "-m", "benchmarks.load.session_writer", told]


def write_together(orders: Sequence[WriteOrder]) -> list[Written]:
    """Run orders at the same time, each in a process of its own.

    Raises:
        RecollectError: one of them failed.
    """
    with ExitStack() as running:
        started = [running.enter_context(WritingProcess(writer_command(order))) for order in orders]
        for process in started:
            process.expect_ready()
        for process in started:
            process.go()
        return [process.written() for process in started]


def main(arguments: Sequence[str]) -> None:
    """Run as a process: a `WriteOrder` as JSON."""
    order = msgspec.json.decode(arguments[0], type=WriteOrder)
    sys.stdout.write(msgspec.json.encode(write(order)).decode() + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
