"""Believable work of agents, made up: observations with raw payloads, and questions about them.

Two halves share nothing but this frame: `work_seen` is there to tune with, `work_unseen` was
written and committed before anything was tuned. Every observation of a *moment* holds one answer;
a moment comes up with several parts of a project, and some of them are asked for, in words of
their own. All else is routine: looking, building, editing, talking.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

import msgspec

from recollect.core.clock import to_ms

ASKED = 2
"""Parts about which a moment is asked for, in each half."""
UNASKED = 3
"""Parts with which it comes up besides: those that a search mixes up with them."""
SESSION = 16
"""Observations of a session."""
STRAYS = 0.2
"""Share of the routine of a session that is about another part than the session is."""
SIZES = (200, 20_000)
"""Characters of an output, evenly in their logarithm."""
_FIRST = to_ms(datetime(2026, 3, 2, 8, tzinfo=UTC))
_MINUTE_MS = 60_000
_SESSION_MS = 5 * 3_600_000

Kind = Literal["decision", "prompt", "fix", "failed", "research", "change", "look", "measure"]


class Moment(msgspec.Struct, frozen=True):
    """Something that happens once with a part of a project, and what is asked about it later.

    Attributes:
        kind: What happens.
        says: What the agent or the user says, calls, searches for or names.
        holds: The answer, somewhere in the output.
        asks: The question, in other words.
    """

    kind: Kind
    says: str
    holds: str
    asks: str


class Part(msgspec.Struct, frozen=True):
    """A part of a project: its name, its files, and what a person calls it later."""

    name: str
    path: str
    called: str


class Half(msgspec.Struct, frozen=True, kw_only=True):
    """The words of one half; ``{c}``, ``{path}``, ``{w}`` … are filled in."""

    name: str
    projects: tuple[str, ...]
    parts: tuple[Part, ...]
    moments: tuple[Moment, ...]
    people: tuple[str, ...]
    words: tuple[str, ...]
    logs: tuple[str, ...]
    routine: tuple[tuple[str, Mapping[str, Any]], ...]
    talk: tuple[str, ...]


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """One observation: its key, where it belongs, and what `Observations.record` is given."""

    key: str
    project: str
    session: str
    arguments: Mapping[str, Any]


class WorkQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question, its half, and the key of the one observation that holds the answer."""

    half: str
    kind: str
    text: str
    gold: str
    answer: str


class AgentWork(msgspec.Struct, frozen=True, kw_only=True):
    """Observations, oldest first, and the questions."""

    observations: tuple[Work, ...]
    questions: tuple[WorkQuestion, ...]


def make_work(halves: Sequence[Half], seed: int, observations: int) -> AgentWork:
    """Return about so many observations, the halves in equal shares, with all their questions.

    Args:
        halves: Whose words.
        seed: The same seed makes the same work.
        observations: At least as many as the moments need.
    """
    made = [_Maker(half, seed, observations // len(halves)) for half in halves]
    works = sorted(
        (work for maker in made for work in maker.works()), key=lambda work: work.arguments["at"]
    )
    questions = [question for maker in made for question in maker.questions]
    return AgentWork(observations=tuple(works), questions=tuple(questions))


def make_routine(half: Half, seed: int, count: int) -> list[dict[str, Any]]:
    """Return what `Observations.record` is given for the routine of one session."""
    return _Maker(half, seed, 0).routine(count)


class _Maker:
    """Makes the work of one half."""

    def __init__(self, half: Half, seed: int, count: int) -> None:
        self._half = half
        self._dice = random.Random(f"{half.name} {seed}")  # noqa: S311  # the same for everybody
        self._count = count
        self.questions: list[WorkQuestion] = []

    def works(self) -> Iterator[Work]:
        """Yield the observations, session by session."""
        planted = self._planted()
        for number in range(self._count):
            session, position = divmod(number, SESSION)
            at = _FIRST + session * _SESSION_MS + position * 3 * _MINUTE_MS
            key = f"{self._half.name}/{number}"
            subject = self._subject(session)
            if number in planted:
                moment, is_asked = planted[number]
                filled = self._filling(self._half.parts[subject])
                arguments = self._moment(moment, filled)
                if is_asked:
                    self._ask(moment, filled, key)
            else:
                arguments = self._routine(subject)
            yield Work(
                key=key,
                project=f"/home/dev/{self._half.projects[subject % len(self._half.projects)]}",
                session=f"{self._half.name}/{session}",
                arguments={**arguments, "at": at},
            )

    def routine(self, count: int) -> list[dict[str, Any]]:
        """Return a session in which nothing happens that is asked for."""
        subject = self._dice.randrange(len(self._half.parts))
        return [self._routine(subject) for _ in range(count)]

    def _subject(self, session: int) -> int:
        """Return the place of the part that a session is about."""
        return session * 5 % len(self._half.parts)

    def _planted(self) -> dict[int, tuple[Moment, bool]]:
        """Return the moments by number, each in a session about its part."""
        planted: dict[int, tuple[Moment, bool]] = {}
        parts = range(len(self._half.parts))
        for moment in self._half.moments:
            for position, part in enumerate(self._dice.sample(parts, ASKED + UNASKED)):
                free = (n for n in range(self._count) if n not in planted)
                there = [n for n in free if self._subject(n // SESSION) == part]
                planted[self._dice.choice(there)] = moment, position < ASKED
        return planted

    def _ask(self, moment: Moment, filled: Mapping[str, str], key: str) -> None:
        self.questions.append(
            WorkQuestion(
                half=self._half.name,
                kind=moment.kind,
                text=moment.asks.format_map(filled),
                gold=key,
                answer=moment.holds.format_map(filled),
            )
        )

    def _filling(self, part: Part) -> dict[str, str]:
        word = self._dice.choice(self._half.words)
        return {
            "c": part.name,
            "path": part.path,
            "q": part.called,
            "w": word,
            "u": word.title().replace("_", ""),
            "n": str(self._dice.randint(100, 9_999)),
            "d": str(self._dice.randint(2, 29)),
            "p": self._dice.choice(self._half.people),
            "t": f"2026-03-{self._dice.randint(10, 28)}T{self._dice.randint(10, 23)}:00:07",
        }

    def _moment(self, moment: Moment, filled: Mapping[str, str]) -> dict[str, Any]:
        says, holds = moment.says.format_map(filled), moment.holds.format_map(filled)
        match moment.kind:
            case "decision":
                return _answer(f"{says} {holds}\n{self._talk(filled)}")
            case "prompt":
                text = f"{says} {holds}\n{self._talk(filled)}"
                return {"event": "prompt", "input": text}
            case "fix":
                given = {"command": f'git commit -am "{says}"'}
                return _tool("Bash", given, self._around(holds))
            case "failed":
                given = {"command": f"make {filled['path']}", "description": says}
                failed = _tool("Bash", given, self._around(holds))
                return {**failed, "error": f"Exit code {filled['d']}\n{holds}"}
            case "research":
                return _tool("WebSearch", {"query": says}, self._around(holds))
            case "change":
                old = holds.replace(filled["n"], "1").replace(filled["d"], "0")
                edited = {"file_path": says, "old_string": old, "new_string": holds}
                return _tool("Edit", edited, self._log())
            case "look":
                return _tool("Read", {"file_path": says}, self._around(holds))
            case "measure":
                given = {"command": f"./bench {filled['path']}", "description": says}
                return _tool("Bash", given, self._around(holds))

    def _routine(self, subject: int) -> dict[str, Any]:
        strays = self._dice.random() < STRAYS
        parts = self._half.parts
        filled = self._filling(self._dice.choice(parts) if strays else parts[subject])
        if self._dice.random() < 0.1:
            text = self._dice.choice(self._half.talk).format_map(filled)
            return _answer(f"{text}\n{self._talk(filled)}")
        name, given = self._dice.choice(self._half.routine)
        return _tool(name, _fill(given, filled), self._log())

    def _around(self, holds: str) -> str:
        lines = self._log().splitlines()
        lines.insert(self._dice.randint(0, len(lines)), holds)
        return "\n".join(lines)

    def _log(self) -> str:
        low, high = SIZES
        most = int(low * (high / low) ** self._dice.random())
        lines: list[str] = []
        kinds = self._dice.sample(self._half.logs, 3)
        while most > 0:
            filled = self._filling(self._dice.choice(self._half.parts))
            lines.append(self._dice.choice(kinds).format_map(filled))
            most -= len(lines[-1]) + 1
        return "\n".join(lines)

    def _talk(self, filled: Mapping[str, str]) -> str:
        said = self._dice.choices(self._half.talk, k=self._dice.randint(0, 4))
        return "\n".join(each.format_map(filled) for each in said)


def _answer(text: str) -> dict[str, Any]:
    return {"event": "answer", "output": text}


def _tool(name: str, given: Any, output: str) -> dict[str, Any]:
    return {"tool_name": name, "input": given, "output": output}


def _fill(value: Any, filled: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return value.format_map(filled)
    if isinstance(value, Mapping):
        return {name: _fill(each, filled) for name, each in value.items()}
    return [_fill(each, filled) for each in value]
