"""What hooks cost an agent: a hook as a process, and a whole run of the real Claude Code.

The worker is a real one: it runs, is stopped in the middle of everything (it holds its lock and its
port and answers nothing), does not accept the token, or was killed. The client runs as the tests of
`tests/agents` run it, against a stand-in for its API; without it the first table is all.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

import recollect
import recollect.hook.client
from benchmarks.load.session_writer import ALONE
from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.report import Grid
from benchmarks.measure.stopwatch import Latency, Spent, latency_of
from benchmarks.quality.homes import Progress
from recollect.integrations.claude_code.install import WAITED_FOR, ClaudeCode
from recollect.integrations.installing import Setup
from recollect.server.presence import PRESENCE_FILE
from tests.agents.claude_code import ClaudeCode as Client
from tests.agents.claude_code import find_claude
from tests.agents.messages_api import MessagesApi, Script, Use

State = Literal["up", "stopped", "refusing", "dead"]
STATES: tuple[State, ...] = get_args(State)
WORDS = {
    "up": "worker answers",
    "stopped": "worker hangs",
    "refusing": "token not accepted",
    "dead": "no worker",
}
HOOK = Path(recollect.hook.client.__file__)
TOKEN = Path("hooks") / "claude-code.token"
PROMPT = {
    "session_id": "5b1f6a3e-0c1d-4a55-9d0a-6f1d2c3b4a01",
    "transcript_path": "/nowhere/5b1f6a3e.jsonl",
    "cwd": "/nowhere",
    "hook_event_name": "UserPromptSubmit",
    "prompt": "Rename the retry helper and add a test.",
}
_PATIENCE_S = 30.0


class HooksPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What to measure.

    Attributes:
        events: Hooks of each state, as processes.
        tools: Calls of a tool in a run of the client.
        rounds: Runs of the client in each state.
        deadline_ms: Of a hook.
        has_client: Whether to run the client where it is installed.
    """

    events: int = 100
    tools: int = 20
    rounds: int = 5
    deadline_ms: int = 300
    has_client: bool = True


class ClientRow(msgspec.Struct, frozen=True, kw_only=True):
    """What runs of the client took.

    Attributes:
        hooks: Those that it waits for, the others, or none.
        state: Of the worker; None without hooks.
        events: How many hooks fired in a run.
        seconds: Of each run.
    """

    hooks: Literal["none", "waited for", "asynchronous"]
    state: State | None
    events: int
    seconds: list[float]


class HooksRun(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a run.

    Attributes:
        environment: Where it ran.
        plan: What was measured.
        bare: The interpreter alone, as it is started for a hook; CPU time is the process's.
        hook: A hook from its start to its end, by the state of the worker.
        client: Runs of the client; empty where it is not installed.
    """

    environment: Environment
    plan: HooksPlan
    bare: Latency
    hook: dict[State, Latency]
    client: list[ClientRow]


class HooksRunner:
    """Measures hooks in one home.

    Args:
        folder: Where the home, the user and the project are made.
        environment: Where it runs.
        progress: Told what goes on.
    """

    def __init__(self, folder: Path, environment: Environment, progress: Progress) -> None:
        self._folder, self._home = folder, folder / "home"
        self._environment, self._progress = environment, progress
        self._done = 0

    def run(self, plan: HooksPlan) -> HooksRun:
        """Return the figures."""
        recollect.open(self._home, overrides=ALONE, live=False).close()
        program = find_claude() if plan.has_client else None
        return HooksRun(
            environment=self._environment,
            plan=plan,
            bare=self._laps([sys.executable, "-I", "-S", "-c", "pass"], plan.events),
            hook={state: self._hook(state, plan) for state in STATES},
            client=self._client(program, plan) if program else [],
        )

    def _hook(self, state: State, plan: HooksPlan) -> Latency:
        with self._worker(state):
            return self._laps(self._command("UserPromptSubmit", plan), plan.events)

    def _laps(self, command: list[str], count: int) -> Latency:
        laps = []
        for done in range(count):
            self._progress("starting hooks", done, count)
            cpu, wall = _cpu_of_children(), time.perf_counter()
            subprocess.run(  # noqa: S603 - our own hook
                command, input=json.dumps(PROMPT).encode(), stdout=subprocess.PIPE, check=True
            )
            wall = time.perf_counter() - wall
            laps.append(Spent(cpu_s=_cpu_of_children() - cpu, wall_s=wall))
        return latency_of(laps)

    def _command(self, event: str, plan: HooksPlan) -> list[str]:
        (group,) = self._hooks(plan)[event]
        (handler,) = group["hooks"]
        return [handler["command"], *handler["args"]]

    def _hooks(self, plan: HooksPlan) -> dict[str, Any]:
        """Return the hooks as `recollect init claude-code` writes them."""
        setup = Setup(
            home=self._home,
            python=sys.executable,
            hook=str(HOOK),
            url=None,
            options={"deadline_ms": plan.deadline_ms},
        )
        changes = ClaudeCode().installation(setup).changes
        (written,) = (each for each in changes if str(each.path).endswith("hooks.json"))
        found: dict[str, Any] = json.loads(written.after or b"")["hooks"]
        return found

    def _client(self, program: Path, plan: HooksPlan) -> list[ClientRow]:
        hooks = self._hooks(plan)
        waited = {event: hooks[event] for event in hooks if event in WAITED_FOR}
        others = {event: hooks[event] for event in hooks if event not in WAITED_FOR}
        rows = [ClientRow(hooks="none", state=None, events=0, seconds=[])]
        for state in STATES:
            events = 2 + plan.tools
            rows.append(ClientRow(hooks="waited for", state=state, events=events, seconds=[]))
            events = 2 + 2 * plan.tools  # after each tool, after each batch; the answer, the end
            rows.append(ClientRow(hooks="asynchronous", state=state, events=events, seconds=[]))
        of = {"none": {}, "waited for": waited, "asynchronous": others}
        for _ in range(plan.rounds):
            for row in rows:
                self._progress("running the client", self._done, plan.rounds * len(rows))
                self._done += 1
                with self._worker(row.state or "dead"):
                    row.seconds.append(self._run(program, plan, of[row.hooks]))
        return rows

    def _run(self, program: Path, plan: HooksPlan, hooks: Mapping[str, Any]) -> float:
        settings = self._folder / "settings.json"
        settings.write_text(json.dumps({"hooks": hooks}), encoding="utf-8")
        call = Use("Bash", {"command": "true", "description": "Nothing"})
        options = ("--settings", settings, "--allowedTools", "Bash")
        with MessagesApi(Script(main=[[call] for _ in range(plan.tools)])) as api:
            client = Client(program, self._folder / "user", api)
            return client.run("Go on", *options, folder=self._folder / "shop").seconds

    @contextmanager
    def _worker(self, state: State) -> Iterator[None]:
        """Put the worker into a state; nothing is spooled when it begins."""
        shutil.rmtree(self._home / "spool", ignore_errors=True)
        token = self._home / TOKEN
        token.unlink(missing_ok=True)
        command = [sys.executable, "-m", "recollect", "--home", str(self._home), "serve"]
        given = {"RECOLLECT_EMBEDDING__PROVIDER": "none"}
        with subprocess.Popen(  # noqa: S603 - our own worker
            command,
            env={**os.environ, **given},  # noqa: TID251 - it runs as it would for this user
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            self._wait_for(process)
            if state == "refusing":
                token.parent.mkdir(mode=0o700, exist_ok=True)
                token.write_text("not-the-token\n", encoding="utf-8")
            if state == "stopped":
                process.send_signal(signal.SIGSTOP)
            if state == "dead":
                process.kill()
                process.wait()
            try:
                yield
            finally:
                process.kill()
        (self._home / PRESENCE_FILE).unlink(missing_ok=True)

    def _wait_for(self, process: subprocess.Popen[bytes]) -> None:
        end = time.monotonic() + _PATIENCE_S
        while not (self._home / PRESENCE_FILE).exists():
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError("the worker did not start")
            time.sleep(0.02)


def describe_hooks(run: HooksRun) -> list[str]:
    """Return what was run on what."""
    plan = run.plan
    size = f"{plan.events} hooks of each state, {plan.rounds} runs of {plan.tools} tools each"
    return [f"{size}, deadline {plan.deadline_ms} ms", *describe_lines(run.environment)]


def hooks_grids(run: HooksRun) -> list[Grid]:
    """Return the figures as tables: of the process, and of the client."""
    named = {"the interpreter alone": run.bare}
    named |= {WORDS[state]: latency for state, latency in run.hook.items()}
    rows = tuple(
        (
            name,
            *(f"{ms:.0f} ms" for ms in (each.wall_ms.p50, each.wall_ms.p95, each.wall_ms.max)),
            f"{each.cpu_ms.p50:.1f} ms",
        )
        for name, each in named.items()
    )
    columns = ("a hook as a process", "p50", "p95", "max", "CPU")
    grids = [Grid(title="From the start of a hook to its end", columns=columns, rows=rows)]
    return grids + ([_client_grid(run.client)] if run.client else [])


def _client_grid(rows: list[ClientRow]) -> Grid:
    without = min(rows[0].seconds)
    written = tuple(
        (
            f"{row.hooks}, {WORDS[row.state]}" if row.state else "without hooks",
            f"{sorted(row.seconds)[len(row.seconds) // 2]:.2f} s",
            f"{min(row.seconds):.2f} s",
            f"{row.events}",
            f"{(min(row.seconds) - without) * 1000 / row.events:.0f} ms" if row.events else "",
        )
        for row in rows
    )
    # On a busy machine the slower runs measure what else it does.
    columns = ("hooks", "median", "fastest", "events", "an event, of the fastest")
    return Grid(title="A run of Claude Code, from start to end", columns=columns, rows=written)


def _cpu_of_children() -> float:
    """Return the CPU seconds of children that have ended, and were waited for."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime
