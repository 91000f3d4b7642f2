"""What MCP costs: a server that a client starts, from nothing to its tools, then warm searches.

The server is `recollect mcp` as a process of its own, over stdio; the client is that of the SDK.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import anyio
import msgspec
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

import recollect
from benchmarks.datasets.synthetic import SyntheticCorpus
from benchmarks.load.session_writer import ALONE
from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.report import Grid
from benchmarks.measure.stopwatch import Latency, Stopwatch, latency_of
from benchmarks.quality.homes import Progress

_WARM = 20
"""Searches before the measured ones."""


class McpPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What to measure.

    Attributes:
        messages: In the home.
        calls: Of each figure.
        starts: Of the server.
        seed: The same seed makes the same texts.
    """

    messages: int = 10_000
    calls: int = 300
    starts: int = 5
    seed: int = 7


class McpRun(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a run; CPU time is the client's.

    Attributes:
        environment: Where it ran.
        plan: What was measured.
        start: From the start of the process to the list of its tools.
        search: One `memory_search`.
        get: One `get_observations` of one message.
    """

    environment: Environment
    plan: McpPlan
    start: Latency
    search: Latency
    get: Latency


class McpRunner:
    """Measures the server of one home.

    Args:
        folder: Where the home is made.
        environment: Where it runs.
        progress: Told what goes on.
    """

    def __init__(self, folder: Path, environment: Environment, progress: Progress) -> None:
        self._home = folder / "home"
        self._environment = environment
        self._progress = progress

    def run(self, plan: McpPlan) -> McpRun:
        """Return the figures."""
        corpus = SyntheticCorpus(plan.seed)
        with recollect.open(self._home, overrides=ALONE, live=False) as memory:
            for done, session in enumerate(corpus.sessions(plan.messages)):
                self._progress("writing sessions", done, plan.messages)
                said = [(turn.role, turn.text) for turn in session.turns]
                memory.sessions.append_many(memory.sessions.create().id, said)
            memory.sync()
        starts, search, get = Stopwatch(), Stopwatch(), Stopwatch()
        for number in range(plan.starts):
            self._progress("starting servers", number, plan.starts)
            with starts.lap():
                anyio.run(self._start)
        anyio.run(self._ask, plan, corpus, search, get)
        return McpRun(
            environment=self._environment,
            plan=plan,
            start=latency_of(starts.laps),
            search=latency_of(search.laps),
            get=latency_of(get.laps),
        )

    def _client(self) -> Client:
        given = ["-m", "recollect", "--home", str(self._home), "mcp", "--as", "owner"]
        environment = {**os.environ, "RECOLLECT_EMBEDDING__PROVIDER": "none"}  # noqa: TID251
        command = StdioServerParameters(command=sys.executable, args=given, env=environment)
        return Client(stdio_client(command))

    async def _start(self) -> None:
        async with self._client() as client:
            await client.list_tools()

    async def _ask(
        self, plan: McpPlan, corpus: SyntheticCorpus, search: Stopwatch, get: Stopwatch
    ) -> None:
        queries = corpus.queries(plan.messages, plan.calls)
        async with self._client() as client:
            for query in queries[:_WARM]:
                await client.call_tool("memory_search", {"query": query.text})
            for done, query in enumerate(queries):
                self._progress("asking", done, len(queries))
                with search.lap():
                    await client.call_tool("memory_search", {"query": query.text})
                with get.lap():
                    await client.call_tool("get_observations", {"ids": [f"m{done + 1}"]})


def describe_mcp(run: McpRun) -> list[str]:
    """Return what was run on what."""
    plan = run.plan
    size = f"{plan.messages:,} messages, {plan.calls} calls of each, {plan.starts} starts"
    return [f"{size}, seed {plan.seed}, words only", *describe_lines(run.environment)]


def mcp_grids(run: McpRun) -> list[Grid]:
    """Return the figures as a table."""
    named = {
        "start, to the list of tools": run.start,
        "memory_search, 10 hits": run.search,
        "get_observations, one message": run.get,
    }
    rows = tuple(
        (name, *(f"{ms:.1f} ms" for ms in (each.wall_ms.p50, each.wall_ms.p95, each.wall_ms.p99)))
        for name, each in named.items()
    )
    return [
        Grid(title="MCP over stdio, wall time", columns=("call", "p50", "p95", "p99"), rows=rows)
    ]
