"""A home whose files are damaged at random, and what is asked of it.

Silent is an answer that differs from the truth without a word: neither an error nor a warning.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import msgspec

import recollect
from recollect.core.errors import Conflict, RecollectError, Unauthorized
from recollect.memory import Memory

PAGE = 4096
DAMAGES = int(os.environ.get("DAMAGES", "6"))
"""Of each kind."""
WORDS = ("kettle", "zebra", "harbour", "lantern", "pepper", "violin", "gasket", "meadow")
OPTIONS: dict[str, Any] = {"live": False, "overrides": {"embedding.provider": "none"}}
ERASED = "an-erased-conversation"
PROJECTS = ("/srv/kiln", "/srv/loom", "/srv/press")

Damage = Callable[[random.Random, bytearray, bytes], None]
Question = Callable[[], object]


def _flip(by: random.Random, now: bytearray, old: bytes) -> None:
    place = by.randrange(len(now))
    now[place] ^= 1 << by.randrange(8)


def _zero(by: random.Random, now: bytearray, old: bytes) -> None:
    page = by.randrange(_pages(now))
    now[page * PAGE : (page + 1) * PAGE] = bytes(len(now[page * PAGE : (page + 1) * PAGE]))


def _swap(by: random.Random, now: bytearray, old: bytes) -> None:
    one, two = (by.randrange(_pages(now)) * PAGE for _ in range(2))
    now[one : one + PAGE], now[two : two + PAGE] = now[two : two + PAGE], now[one : one + PAGE]


def _cut(by: random.Random, now: bytearray, old: bytes) -> None:
    del now[by.randrange(len(now)) :]


def _stale(by: random.Random, now: bytearray, old: bytes) -> None:
    page = by.randrange(_pages(old[: len(now)])) * PAGE
    now[page : page + PAGE] = old[page : page + PAGE]


def _pages(of: bytes | bytearray) -> int:
    return max(1, len(of) // PAGE)


KINDS: dict[str, Damage] = {
    "flip": _flip,
    "zeroed": _zero,
    "swapped": _swap,
    "cut": _cut,
    "stale": _stale,
}


class Truth:
    """A home with its answers, and its files as they were some time before."""

    summed = (0, 1, 6)
    """The places of sessions with compactions: the last is a fork of the first."""

    def __init__(self, folder: Path) -> None:
        words = random.Random(7)
        self.home = folder / "home"
        with recollect.open(self.home, **OPTIONS) as memory:
            self.sessions = [
                memory.sessions.create(title=f"talk {n}", project=PROJECTS[n % 3]).id
                for n in range(6)
            ]
            self.tokens = [memory.tokens.add(f"phone{n}").text for n in range(6)]
            self._say(memory, words, 40)
            self._compact(memory)
            memory.sync()
        self.old = self._settled()
        with recollect.open(self.home, **OPTIONS) as memory:
            for name in ("phone1", "phone4"):
                memory.tokens.revoke(name)
            self._say(memory, words, 40)
            self.sessions.append(memory.sessions.fork(self.sessions[0]).id)
            self._say(memory, words, 20)
            self._compact(memory)
            memory.sessions.rename(self.sessions[3], "another title")
            for session in self.sessions[4:6]:
                memory.sessions.set_status(session, "archived")
            memory.observations.forget("#5")
            memory.capture.pause(PROJECTS[0])
            for session in self.sessions:
                memory.context(session, "kettle")
            memory.sessions.create(session_id=ERASED)
            memory.sessions.append(ERASED, "user", "it never was")
            memory.erase(session_id=ERASED)
            memory.sync()
        self.now = self._settled()
        with recollect.open(self.home, **OPTIONS) as memory:
            self.answers = ask(memory, self)

    def _say(self, memory: Memory, words: random.Random, times: int) -> None:
        for number in range(times):
            for session in self.sessions:
                said = " ".join(words.choices(WORDS, k=words.randint(3, 60)))
                role = "assistant" if number % 2 else "user"
                memory.sessions.append(session, role, said)
                if number % 4 == 0:
                    memory.observations.record(session, type="note", title=said[:40], summary=said)

    def _compact(self, memory: Memory) -> None:
        for session in self.sessions[:2]:
            memory.sessions.compact(session, keep_messages=10)

    def _settled(self) -> dict[str, bytes]:
        for name in ("records.db", "index.db"):
            connection = apsw.Connection(str(self.home / name))
            connection.pragma("wal_checkpoint", "TRUNCATE")
            connection.close()
        paths = (path for path in self.home.rglob("*") if path.is_file())
        return {str(path.relative_to(self.home)): path.read_bytes() for path in paths}

    def silent(self, folder: Path, changed: dict[str, bytes]) -> list[str]:
        """Return the questions that the home answers wrongly without a word, files replaced."""
        home = folder / "damaged"
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(self.home, home)
        for name, content in changed.items():
            (home / name).write_bytes(content)
        try:
            with recollect.open(home, **OPTIONS) as memory:
                found = ask(memory, self)
        except RecollectError:
            return []
        return [
            name
            for name, answer in found.items()
            if answer != self.answers[name] and not isinstance(answer, RecollectError)
        ]


def ask(memory: Memory, truth: Truth) -> dict[str, object]:
    """Return what a home answers: values, or an error."""
    questions: dict[str, Question] = {
        "sessions": lambda: _told(memory.sessions.list()),
        "newest": lambda: _told(memory.sessions.list(limit=3)),
        "channels": memory.sessions.channels,
        "observations": lambda: _told(memory.observations.list(limit=1_000)),
        "forgotten": lambda: _told(memory.observations.list(forgotten=True)),
        "recent": lambda: _told(memory.observations.list(limit=20)),
        "timeline": lambda: memory.observations.timeline("#60", before=30, after=30),
        "events": lambda: _told(memory.events.since(0)),
        "latest": lambda: _told(memory.events.latest(10)),
        "projects": lambda: _told(memory.projects.list()),
        "tokens": lambda: [(t.name, t.revoked_at) for t in memory.tokens.list(revoked=True)],
        "pauses": lambda: _told(memory.capture.pauses()),
        "counts": memory.counts,
        "left out": memory.capture.counts,
        "injected": lambda: _told(memory.context.injections(limit=99)),
        "about": lambda: _entries(memory.context.about(PROJECTS[1]).text),
        "numbers": lambda: memory.observations.numbers(types=["note"]),
        "last": lambda: memory.sessions.latest(PROJECTS[1]),
        "got": lambda: memory.observations.get([f"#{number}" for number in (3, 5, 60, 90)]),
        "found": partial(_found, memory),
        "audit": lambda: _told(memory.audit.latest()),
    }
    for number, session in enumerate(truth.sessions):
        questions |= _of_session(memory, number, session, is_summed=number in truth.summed)
    for number, token in enumerate(truth.tokens):
        questions[f"token {number}"] = partial(_verified, memory, token)
    questions["tombstones"] = partial(_begun, memory)
    return {name: _answer(question) for name, question in questions.items()}


def _of_session(
    memory: Memory, number: int, session: str, *, is_summed: bool
) -> dict[str, Question]:
    sessions = memory.sessions
    view = "summarised" if is_summed else "view"
    return {
        f"messages {number}": lambda: _told(sessions.messages(session)),
        f"page {number}": lambda: _told(sessions.messages(session, 20)),
        f"after {number}": lambda: _told(sessions.messages(session, 20, after_seq=15)),
        f"{view} {number}": lambda: sessions.view(session, budget_tokens=50_000),
        f"session {number}": lambda: sessions.get(session),
        f"compactions {number}": lambda: _told(sessions.compactions(session)),
        f"episodes {number}": lambda: _told(sessions.episodes(session)),
        f"observed {number}": lambda: _told(memory.observations.list(session_id=session, limit=99)),
        f"happened {number}": lambda: _told(memory.events.since(0, session_id=session)),
    }


def _told(values: Iterable[Any]) -> list[object]:
    return [msgspec.to_builtins(value) for value in values]


def _entries(text: str) -> list[str]:
    """Return the lines of a block that name a record: others name the home."""
    return [line for line in text.splitlines() if line.startswith("[")]


def _found(memory: Memory) -> object:
    """Return lines of a search, or what it warns of."""
    result = memory.search("kettle zebra")
    return RecollectError("; ".join(result.warnings)) if result.warnings else memory.lines(result)


def _verified(memory: Memory, token: str) -> str:
    try:
        return memory.tokens.verify(token).name
    except Unauthorized:
        return "unauthorized"


def _begun(memory: Memory) -> str:
    try:
        return memory.sessions.create(session_id=ERASED).id
    except Conflict:
        return "erased"


def _answer(question: Question) -> object:
    try:
        return question()
    except RecollectError as error:
        return error
