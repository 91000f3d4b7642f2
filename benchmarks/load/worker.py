"""What the worker stores over HTTP: observations, each acknowledged once it is on the disk.

The worker is `recollect serve` as a process of its own; the clients share the machine with it. In
one run it is killed in the middle and started again, and every acknowledged event is asked for.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

import msgspec

import recollect
from benchmarks.load.session_writer import ALONE, WriteOrder, texts_of
from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.report import Grid
from benchmarks.measure.stopwatch import Percentiles, percentiles_of
from benchmarks.quality.homes import Progress
from recollect.core.errors import RecollectError

RATE_TARGET = 1_500
WAIT_TARGET_MS = 25.0
_WARM_S = 2.0
_START_S = 30.0
_TEXTS = 4_000
_SESSIONS = 8
_PAUSE_S = 0.05


class WorkerPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What to measure.

    Attributes:
        seconds: Of each load.
        connections: At the same time, kept alive.
        sizes: Bytes of the output in an observation.
    """

    seconds: float = 60.0
    connections: int = 16
    sizes: tuple[int, ...] = (600, 6_000, 40_000)


class LoadFigure(msgspec.Struct, frozen=True, kw_only=True):
    """One load.

    Attributes:
        size: Bytes of the output in an observation.
        stored: Acknowledged observations.
        rate: Of them a second.
        wall_ms: Wait for one.
        server_cpu_ms: CPU time of the worker for one, what it did in the background included.
        first_mb: Resident memory of the worker after a sixth of the time.
        last_mb: The same at the end.
        backlog_s: Until the index had read everything.
    """

    size: int
    stored: int
    rate: float
    wall_ms: Percentiles
    server_cpu_ms: float
    first_mb: float
    last_mb: float
    backlog_s: float


class KillFigure(msgspec.Struct, frozen=True, kw_only=True):
    """A load in which the worker was killed: what it acknowledged, and what it lost or doubled."""

    acknowledged: int
    lost: int
    doubled: int


class WorkerRun(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a run."""

    environment: Environment
    plan: WorkerPlan
    loads: tuple[LoadFigure, ...]
    kill: KillFigure


class WorkerRunner:
    """Loads workers of homes of their own.

    Args:
        root: Where the homes are made.
        environment: Where it runs.
        progress: Told what goes on.
    """

    def __init__(self, root: Path, environment: Environment, progress: Progress) -> None:
        self._root = root
        self._environment = environment
        self._progress = progress

    def run(self, plan: WorkerPlan) -> WorkerRun:
        """Return the figures.

        Raises:
            RecollectError: the worker did not start, or refused an observation.
        """
        loads = []
        for done, size in enumerate(plan.sizes):
            self._progress("loading the worker", done, len(plan.sizes) + 1)
            with Served(self._root / str(size)).running() as served:
                loads.append(asyncio.run(_load(served, plan, size)))
        self._progress("killing the worker", len(plan.sizes), len(plan.sizes) + 1)
        kill = _kill(Served(self._root / "killed"), plan)
        return WorkerRun(environment=self._environment, plan=plan, loads=tuple(loads), kill=kill)


class Served:
    """A worker process, and how to ask it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.pid = 0
        self._port = 0
        private = {"RECOLLECT_EMBEDDING__PROVIDER": "none"}
        self._environment = {**os.environ, **private}  # noqa: TID251

    @contextmanager
    def running(self) -> Iterator[Served]:
        """Run the worker inside the block."""
        with recollect.open(self.home, overrides=ALONE, live=False):
            pass  # a worker serves a home that is there
        command = [sys.executable, "-m", "recollect", "--home", str(self.home), "serve"]
        process = subprocess.Popen(  # noqa: S603  # our own program
            command,
            env=self._environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            self._wait(process)
            yield self
        finally:
            process.terminate()
            process.wait()

    def _wait(self, process: subprocess.Popen[bytes]) -> None:
        told, until = self.home / "worker.json", time.monotonic() + _START_S
        while time.monotonic() < until and process.poll() is None:
            with suppress(OSError, msgspec.DecodeError):
                there = msgspec.json.decode(told.read_bytes())
                if there["pid"] == process.pid:
                    self.pid, self._port = process.pid, there["port"]
                    return
            time.sleep(_PAUSE_S)
        raise RecollectError("the worker did not start", hint="run `recollect serve` by hand")

    async def connect(self, token: str = "") -> Connection:
        """Return a connection that is kept alive, of the owner where no token is given."""
        token = token or (self.home / "token").read_text(encoding="utf-8").strip()
        head = (
            "Host: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {token}\r\n"
        )
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        return Connection(reader, writer, head.encode())

    def cpu_s(self) -> float:
        """Return the CPU time that the worker took; Linux tells."""
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2]
        parts = fields.split()
        return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")

    def resident_mb(self) -> float:
        """Return the memory of the worker that is resident."""
        lines = Path(f"/proc/{self.pid}/status").read_text(encoding="utf-8").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


class Connection:
    """One client."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, head: bytes
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._head = head

    async def ask(self, line: bytes, body: bytes = b"") -> tuple[int, bytes]:
        """Send a request; return its status and what was answered."""
        self._begin(line, len(body))
        self._writer.write(body)
        status, head = await self._answer()
        size = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
        return status, await self._reader.readexactly(size)

    async def listen(self, line: bytes) -> int:
        """Read an answer that goes on until it ends; return the status."""
        self._begin(line, 0)
        status, _ = await self._answer()
        while status == 200 and await self._reader.read(65_536):
            pass
        return status

    async def trickle(self, line: bytes, size: int, pause_s: float) -> int:
        """Send a body byte by byte; return the status."""
        self._begin(line, size)
        answer = asyncio.ensure_future(self._answer())
        try:
            for _ in range(size):
                done, _ = await asyncio.wait({answer}, timeout=pause_s)
                if done:
                    break
                self._writer.write(b" ")
            return (await answer)[0]
        finally:
            answer.cancel()

    def close(self) -> None:
        """Hang up."""
        self._writer.close()

    def _begin(self, line: bytes, size: int) -> None:
        length = b"Content-Length: %d\r\n\r\n" % size
        self._writer.write(line + b" HTTP/1.1\r\n" + self._head + length)

    async def _answer(self) -> tuple[int, bytes]:
        """Return the status and the head of the next answer."""
        head = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        return int(head[9:12]), head

    async def store(self, number: int, text: str) -> int:
        """Store an observation; return the status."""
        body = {
            "session_key": f"k{number % _SESSIONS}",
            "tool_name": "Bash",
            "input": {"command": f"make test {number}"},
            "output": text,
            "event_id": f"e{number}",
        }
        return (await self.ask(b"POST /api/observations", msgspec.json.encode(body)))[0]


async def _load(served: Served, plan: WorkerPlan, size: int) -> LoadFigure:
    texts = texts_of(WriteOrder(home="", session="", name="w0", count=_TEXTS, size=size))
    numbers = count()

    async def client(until: float, laps: list[float]) -> None:
        connection = await served.connect()
        while time.perf_counter() < until:
            number, began = next(numbers), time.perf_counter()
            status = await connection.store(number, texts[number % _TEXTS])
            if status != 201:
                raise RecollectError(f"the worker answered {status}", hint="read its log")
            laps.append(time.perf_counter() - began)

    async def together(seconds: float) -> list[float]:
        laps: list[float] = []
        until = time.perf_counter() + seconds
        await asyncio.gather(*(client(until, laps) for _ in range(plan.connections)))
        return laps

    await together(_WARM_S)
    cpu_s, began = served.cpu_s(), time.perf_counter()
    first = asyncio.create_task(_later(plan.seconds / 6, served))
    laps = await together(plan.seconds)
    took_s, last_mb = time.perf_counter() - began, served.resident_mb()
    backlog_s = await _until_indexed(served)
    return LoadFigure(
        size=size,
        stored=len(laps),
        rate=len(laps) / took_s,
        wall_ms=percentiles_of(laps),
        server_cpu_ms=(served.cpu_s() - cpu_s) / len(laps) * 1000,
        first_mb=await first,
        last_mb=last_mb,
        backlog_s=backlog_s,
    )


async def _later(seconds: float, served: Served) -> float:
    await asyncio.sleep(seconds)
    return served.resident_mb()


async def _until_indexed(served: Served) -> float:
    connection, began = await served.connect(), time.perf_counter()
    while True:
        _, found = await connection.ask(b"GET /metrics")
        waiting = [
            each for each in found.splitlines() if each.startswith(b"recollect_index_backlog")
        ]
        if waiting and float(waiting[0].split()[-1]) == 0:
            return time.perf_counter() - began
        await asyncio.sleep(_PAUSE_S)


def _kill(served: Served, plan: WorkerPlan) -> KillFigure:
    """Kill the worker in the middle of a load, and ask for what it acknowledged."""
    texts = texts_of(WriteOrder(home="", session="", name="w0", count=_TEXTS, size=plan.sizes[0]))
    acknowledged: set[int] = set()
    numbers = count()

    async def client() -> None:
        with suppress(OSError, EOFError):
            connection = await served.connect()
            while True:
                number = next(numbers)
                if await connection.store(number, texts[number % _TEXTS]) == 201:
                    acknowledged.add(number)

    async def until_killed() -> None:
        clients = [asyncio.create_task(client()) for _ in range(plan.connections)]
        await asyncio.sleep(plan.seconds / 6)
        os.kill(served.pid, 9)
        await asyncio.gather(*clients)

    async def again() -> KillFigure:
        connection = await served.connect()
        sent = next(numbers)
        found = [await connection.store(each, texts[each % _TEXTS]) for each in range(sent)]
        lost = sum(found[each] != 200 for each in acknowledged)
        _, stats = await connection.ask(b"GET /api/stats")
        there = msgspec.json.decode(stats)["observations"]
        return KillFigure(acknowledged=len(acknowledged), lost=lost, doubled=there - sent)

    with served.running():
        asyncio.run(until_killed())
    with served.running():
        return asyncio.run(again())


def describe_worker(run: WorkerRun) -> list[str]:
    """Return what was run on what, and what is aimed at."""
    plan = run.plan
    what = (
        f"{plan.connections} connections for {plan.seconds:g} s on the cores of the worker; "
        "words only, each observation durable before its answer"
    )
    aim = (
        f"aims at 0.6 kB: {RATE_TARGET:,} a second, p99 {WAIT_TARGET_MS:g} ms, 0.5 ms of CPU and "
        "0.15 ms a kB, 20 MB more memory, no backlog after 10 s"
    )
    return [what, aim, *describe_lines(run.environment)]


def worker_grids(run: WorkerRun) -> list[Grid]:
    """Return the loads, and what a kill lost."""
    rows = tuple(
        (
            f"{each.size / 1000:g} kB",
            f"{each.stored:,}",
            f"{each.rate:,.0f}",
            f"{each.wall_ms.p50:.1f} ms",
            f"{each.wall_ms.p99:.1f} ms",
            f"{each.server_cpu_ms:.2f} ms",
            f"{each.first_mb:.0f} to {each.last_mb:.0f} MB",
            f"{each.backlog_s:.1f} s",
        )
        for each in run.loads
    )
    columns = (
        "output",
        "stored",
        "a second",
        "p50",
        "p99",
        "server CPU",
        "memory",
        "indexed after",
    )
    kill = run.kill
    row = (f"{kill.acknowledged:,}", str(kill.lost), str(kill.doubled))
    return [
        Grid(title="Observations over HTTP", columns=columns, rows=rows),
        Grid(
            title="Killed in the middle", columns=("acknowledged", "lost", "doubled"), rows=(row,)
        ),
    ]
