"""Plays handover scenes: every event reaches a memory as the hooks of Claude Code send it.

Two ways. `RouteStage`, the default: the use case of the route of hooks, in this process, with the
clock of the scene. `WorkerStage`: the real client of hooks and a real worker over its socket, with
the clock of the machine: everything happens now, since a session that went on after its end is
not over.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol, TypeAlias

import msgspec

import recollect
from benchmarks.datasets.agent_work import make_routine, make_work
from benchmarks.datasets.data import digest
from benchmarks.datasets.scenes import Fired, Scene
from benchmarks.datasets.synthetic import SyntheticCorpus
from benchmarks.datasets.work_seen import SEEN
from benchmarks.load.session_writer import ALONE
from benchmarks.quality.homes import Progress, complete_folder
from benchmarks.quality.work_homes import store_work
from benchmarks.served import serving
from recollect.caller import Caller
from recollect.core.clock import DAY_MS
from recollect.governance.tokens import Token
from recollect.hook.client import HookCall
from recollect.memory import Memory
from recollect.server.client import find_worker
from recollect.server.routes.client_hooks import ClientReport, answer

CLIENT = "claude-code"
LARGE_SESSIONS, LARGE_MESSAGES = 210, 20_400
"""Of a large home, beside the sessions with observations and those in the project of a scene."""
_WORK, _SESSION_WORK = 3_200, 16
_OF_A_PROJECT = 4
_SPAN_DAYS, _GAP_DAYS = 330, 35
"""Over how long a large home was filled, and how long before the scene its project was left."""


class Stage(Protocol):
    """Where events go."""

    def fire(self, event: Fired) -> str:
        """Hand over an event; return the context that it answers."""

    def settle(self) -> None:
        """Return when the work in the background is done."""


StageOpener: TypeAlias = Callable[[Scene, Path], AbstractContextManager[Stage]]


class SceneClock:
    """The time of the scene: that of its newest event."""

    def __init__(self) -> None:
        self._now_ms = 0

    def now_ms(self) -> int:
        """Return milliseconds since 1970-01-01 UTC."""
        return self._now_ms

    def reach(self, at: int) -> None:
        """Go on to a time."""
        self._now_ms = max(self._now_ms, at)


class RouteStage:
    """The use case of the worker's route of hooks, called in this process.

    Args:
        memory: The memory, with ``clock``.
        clock: Follows the events.
    """

    def __init__(self, memory: Memory, clock: SceneClock) -> None:
        self._memory, self._clock = memory, clock
        token = Token(id="local:hooks", name="hooks", audience="owner", rights="hooks")
        self._caller = Caller(token, memory)

    def fire(self, event: Fired) -> str:
        """Hand over an event; return the context that it answers."""
        self._clock.reach(event.at)
        report = ClientReport(client=CLIENT, event=event.name, at=event.at, payload=event.payload)
        with self._caller.acting():
            return _context_of(msgspec.json.encode(answer(self._caller, report)))

    def settle(self) -> None:
        """Index, extract, summarize: what the worker does in the background."""
        opened = self._memory._rooms.opened  # noqa: SLF001 - what its own thread would do
        opened.chores.run(lambda: False)
        self._memory.sync()


class WorkerStage:
    """A real worker, reached by the real client of hooks.

    Args:
        home: The home that it serves.
    """

    def __init__(self, home: Path) -> None:
        self._home = home

    def fire(self, event: Fired) -> str:
        """Hand over an event; return the context that it answers."""
        call = HookCall(CLIENT, event.name, str(self._home))
        call.payload = msgspec.json.encode(event.payload)
        return _context_of(call.deliver())

    def settle(self) -> None:
        """Let the worker index and extract, and return when it has."""
        worker = find_worker(self._home)
        if worker is None:
            raise RuntimeError("the worker is gone")
        with worker:
            worker.post("/api/sync", {})


def _context_of(body: bytes) -> str:
    output = msgspec.json.decode(body).get("hookSpecificOutput", {})
    return str(output.get("additionalContext", ""))


@contextmanager
def in_process(scene: Scene, home: Path) -> Iterator[Stage]:
    """Yield the stage of a scene in this process."""
    clock = SceneClock()
    clock.reach(next(scene.events()).at)
    with recollect.open(home, overrides=ALONE, clock=clock, live=False) as memory:
        yield RouteStage(memory, clock)


@contextmanager
def in_worker(_scene: Scene, home: Path) -> Iterator[Stage]:
    """Yield the stage of a scene in a real worker."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    config = home / "config.yaml"
    config.write_text("embedding:\n  provider: none\n", encoding="utf-8")
    config.chmod(0o600)
    with serving(home):
        yield WorkerStage(home)


def play(scene: Scene, stage: Stage) -> str:
    """Play the sessions of a scene; return what the next one is given.

    Raises:
        RecollectError: the product failed.
    """
    for event in scene.events():
        stage.fire(event)
        if event.name == "SessionEnd":
            stage.settle()
    stage.settle()
    return "\n".join(filter(None, map(stage.fire, _beginning(scene))))


def _beginning(scene: Scene) -> Iterator[Fired]:
    """Yield the events that begin the next session."""
    upcoming, at = scene.next, scene.moment(0, scene.next.at)
    session = upcoming.resumes or "next"
    fields = {"hook_event_name": "SessionStart", "source": upcoming.source}
    yield scene.fired(session, upcoming.project, at, fields, turn=None)
    if upcoming.prompt is not None:
        fields = {"hook_event_name": "UserPromptSubmit", "prompt": upcoming.prompt}
        yield scene.fired(session, upcoming.project, at + 20_000, fields, turn="next")


def with_files(scene: Scene, folder: Path) -> Scene:
    """Return a scene with its files written below ``folder``; one without files stays where it is.

    A project without files is a folder that does not exist.
    """
    if not scene.files:
        return scene
    raw = msgspec.json.encode(scene).replace(b'"/home/', f'"{folder}/home/'.encode())
    prepared = msgspec.json.decode(raw, type=Scene)
    for name, text in prepared.files.items():
        path = Path(prepared.project, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return prepared


def fill_large_home(folder: Path, scenes: list[Scene], progress: Progress) -> Path:
    """Return a home with the work of a year, made once: other projects, and those of the scenes.

    Raises:
        RecollectError: the product failed.
    """
    projects = sorted({scene.project for scene in scenes})
    home = folder / f"large-{digest(*map(str.encode, projects))}"
    if not home.exists():
        end = min(scene.moment(0, "00:00") for scene in scenes) - _GAP_DAYS * DAY_MS
        clock = SceneClock()
        clock.reach(end)
        with (
            complete_folder(home) as part,
            recollect.open(part, overrides=ALONE, clock=clock, live=False) as memory,
        ):
            _fill(memory, projects, end, progress)
    return home


def _fill(memory: Memory, projects: list[str], end: int, progress: Progress) -> None:
    corpus = SyntheticCorpus(7)
    others = [f"/home/dev/{name}" for name in SEEN.projects]
    messages = LARGE_MESSAGES // LARGE_SESSIONS
    for number in range(LARGE_SESSIONS):
        progress("filling a large home", number, LARGE_SESSIONS)
        at = end - (LARGE_SESSIONS - number) * _SPAN_DAYS * DAY_MS // LARGE_SESSIONS
        session = memory.sessions.create(project=others[number % len(others)]).id
        turns = [
            turn for part in range(4) for turn in corpus.session(number * 4 + part).turns
        ][:messages + 1]  # fmt: skip
        memory.sessions.append_many(
            session,
            [
                {"role": turn.role, "content": turn.text, "at": at + place * 60_000}
                for place, turn in enumerate(turns)
            ],
        )
        memory.sessions.set_status(session, "archived")
    store_work(memory, make_work((SEEN,), 7, _WORK))
    for place, project in enumerate(projects):
        _fill_project(memory, project, place * _OF_A_PROJECT, end)
    memory.sync()


def _fill_project(memory: Memory, project: str, first: int, end: int) -> None:
    """Store some sessions of routine in the project of a scene."""
    for number in range(_OF_A_PROJECT):
        session = memory.sessions.create(project=project).id
        at = end - (_OF_A_PROJECT - number) * 3 * DAY_MS
        memory.observations.record_many(
            {**given, "session_id": session, "at": at + place * 60_000}
            for place, given in enumerate(make_routine(SEEN, first + number, _SESSION_WORK))
        )
        memory.sessions.set_status(session, "archived")


def copy_home(home: Path, to: Path) -> None:
    """Copy a closed home."""
    shutil.copytree(home, to)
