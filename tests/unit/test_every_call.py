"""Every public call refuses what it cannot take by a clear error: found by its signature.

Callers without a type checker send anything. Of 8,096 such calls 1,554 ended in a TypeError,
an AttributeError or an OverflowError from inside.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from itertools import islice
from pathlib import Path
from types import GeneratorType
from typing import Any

import numpy as np
import pytest

import recollect
from recollect.audience.account import parse_account
from recollect.core.errors import InvalidInput, RecollectError, StoreError
from recollect.memory import Memory
from recollect.respond.inbound import Inbound
from recollect.sessions.record.message import StandIn

LEXICAL: dict[str, object] = {"embedding.provider": "none"}
ROOMS = (
    "",
    "sessions",
    "sessions.history",
    "sessions.links",
    "observations",
    "facts",
    "episodes",
    "identities",
    "projects",
    "capture",
    "context",
    "sections",
    "tokens",
    "channels",
    "audit",
    "events",
    "responder",
)
WRONG: tuple[Any, ...] = (
    None, True, 0, -1, 2**70, 1.5, float("nan"), float("inf"), "", "\ud800", "\0", b"x",
    Path("/n/x"), [], [1], [None], (), {}, {"a": 1}, {1}, object(), type,
)  # fmt: skip
ENDLESS = {"close", "watch", "follow", "reader"}
"""What ends the memory, or waits for others: only what it does not take is given to it."""
OURS = {"pauses_in"}
"""What only our own rooms can call, within a transaction."""
NOT_THERE = {"backup": StoreError}
"""What else than a refused input a call may say of a path that does not exist."""


class Sound:
    """Arguments that calls take, by their names."""

    def __init__(self, memory: Memory, folder: Path) -> None:
        self.memory, self._folder, self._count = memory, folder, 0
        session = memory.sessions.create("telegram:42")
        message = memory.sessions.append(session.id, "user", "Tea.")
        self._made = memory.observations.record(session.id, summary="made tea")
        own = memory.sessions.create().id
        memory.observations.record(own, summary="We decided to keep the tea dry.")
        memory.context(memory.sessions.create().id)
        self._known: dict[str, Any] = {
            "account": parse_account("telegram:42"),
            "action": "look",
            "agent": "main",
            "arguments": {},
            "overrides": {"model": "openai:gpt-5-mini"},
            "by": "f1",
            "bell": lambda: None,
            "callback": print,
            "channel": "telegram",
            "channel_user_id": "42",
            "code": "123456",
            "content": "hi",
            "conversation": "agent:main:discord:group:1",
            "digest": b"x",
            "format_name": "jsonl",
            "from_": "/q",
            "id": self._made.id,
            "id_or_key": session.id,
            "id_or_title": session.id,
            "ids": "m1",
            "injection_id": memory.context.injections()[0].id,
            "inbound": Inbound(key="telegram:42", text="tea"),
            "into": "/q",
            "items": [("user", "x")],
            "lease": memory.sessions.hold(session.id).lease,
            "left_out": {"x": 1},
            "limit": 3,
            "message": message,
            "message_id": message.id,
            "mode": "main",
            "name_or_words": "f1",
            "number": 1,
            "other": "/q",
            "peer": "5",
            "pieces": ["a"],
            "query": "tea",
            "result": memory.search("tea"),
            "role": "user",
            "scope": recollect.Scope(),
            "source": folder / "none.jsonl",
            "status": "active",
            "sender": "Ann",
            "for_session": session.id,
            "project": "/p",
            "said": "hi",
            "text": "t",
            "title": "t",
            "to_seq": 0,
            "tool": "Bash",
            "tx": None,
            "user_id": "ann",
        }
        memory.sessions.release(self._known["lease"])
        memory.projects.note("/p")
        memory.projects.note("/q")

    def _session(self, room: str, call: str) -> str:
        session = self.memory.sessions.create().id
        if (room, call) == ("sessions", "rewind"):
            self.memory.sessions.append(session, "user", "x")
        return session

    def argument(self, room: str, call: str, name: str) -> Any:
        """Return what a call takes; a session or key that is new where it may be used up."""
        self._count += 1
        if name == "key":
            return f"telegram:{self._count}"
        if name == "session_id":
            return self._session(room, call)
        if name == "rewind_id":
            return self.memory.sessions.rewind(self._session(room, "rewind"), 0).id
        if name == "path":
            return "/p" if room in {"projects", "capture"} else self._path(room, call)
        if (room, name) == ("context", "name"):
            return self.memory.context.exclude(self._made.id).id
        if name == "name":
            return "/p" if room == "projects" else f"n{self._count}"
        if name == "of":
            return self._made if room == "observations" else StandIn(prompt="1", role="prompt")
        if (room, name) == ("observations", "items"):
            return [{"session_id": self.memory.sessions.create().id, "summary": "x"}]
        assert name in self._known, f"say above what a sound {name} of {room}.{call} is"
        return self._known[name]

    def _path(self, room: str, call: str) -> str | Path:
        place = self._folder / f"{room or call}{self._count}"
        return "memory/a.md" if call == "read" else place


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sound]:
    """Arguments for a memory of their own."""
    folder = tmp_path_factory.mktemp("every")
    (folder / "workspace" / "memory").mkdir(parents=True)
    (folder / "workspace" / "memory" / "a.md").write_text("Tea.\n", encoding="utf-8")
    home, place = folder / "home", folder / "workspace"
    with recollect.open(home, place, overrides=LEXICAL, live=False) as memory:
        yield Sound(memory, folder)


def _room(memory: Any, room: str) -> Any:
    for name in filter(None, room.split(".")):
        memory = getattr(memory, name)
    return memory


def _calls(of: object) -> Iterator[tuple[str, Callable[..., Any]]]:
    names = [name for name in dir(of) if name[0] != "_"]
    for name in [*names, *(["__call__"] if callable(of) else [])]:
        value = getattr(of, name)
        if inspect.isroutine(value) and name not in ENDLESS | OURS:
            yield name, value


def _drained(value: Any) -> None:
    if isinstance(value, GeneratorType):
        list(islice(value, 3))
    elif isinstance(value, AbstractContextManager) and not isinstance(value, Memory):
        with value:
            pass


def _wrong_calls(sound: Sound, room: str, of: Any) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Yield each call with each wrong value for each of its parameters."""
    for name, call in _calls(of):
        taken = inspect.signature(call).parameters.values()
        named = [each for each in taken if each.kind not in {each.VAR_POSITIONAL, each.VAR_KEYWORD}]
        for parameter in named:
            for value in WRONG:
                given = {
                    each.name: sound.argument(room, name, each.name)
                    for each in named
                    if each.default is each.empty and each is not parameter
                }
                yield name, call, {**given, parameter.name: value}


@pytest.mark.slow
@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room or "memory")
def test_what_a_call_cannot_take_is_a_clear_error(sound: Sound, room: str) -> None:
    """Never a traceback from inside; a hint with each."""
    memory = sound.memory
    wrong, made = [], 0
    for name, call, given in _wrong_calls(sound, room, _room(memory, room)):
        made += 1
        shown = f"{room}.{name}({list(given)[-1]}={list(given.values())[-1]!r})"
        try:
            _drained(call(**given))
        except RecollectError as error:
            if not error.hint or (isinstance(error, StoreError) and name not in NOT_THERE):
                wrong.append(f"{shown}: {error!r}")
        except Exception as error:  # noqa: BLE001 - whatever comes from inside
            wrong.append(f"{shown}: {error!r}")
    assert wrong == []
    assert made or room == "sections"


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room or "memory")
def test_an_argument_of_a_wrong_type_is_refused_when_it_is_awaited(sound: Sound, room: str) -> None:
    """By the same error as of the synchronous call, whatever kind of call it is."""

    async def play() -> None:
        async with recollect.open_async(sound.memory.home, overrides=LEXICAL, live=False) as memory:
            for name, call, given in _wrong_calls(sound, room, _room(sound.memory, room)):
                last = list(given)[-1]
                if given[last] is None and _is_typed(call, last):
                    twin = _room(memory, room)
                    twin = twin if name == "__call__" else getattr(twin, name)
                    with pytest.raises(InvalidInput) as caught:
                        await _asked(twin(**{**given, last: object()}))
                    assert caught.value.hint

    asyncio.run(play())


def _is_typed(call: Callable[..., Any], name: str) -> bool:
    written = str(inspect.get_annotations(inspect.unwrap(call)).get(name))
    return not {"object", "Any"} & set(written.split(" | "))


async def _asked(made: Any) -> None:
    if hasattr(made, "__aiter__"):
        async for _ in made:
            break
    elif hasattr(made, "__await__"):
        await made
    else:
        async with made:
            pass


class Incomparable:
    """Refuses to be compared, as an array of numpy refuses to be true or false."""

    def __eq__(self, other: object) -> bool:
        raise ValueError("no")

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize("value", [np.array([1, 2]), Incomparable(), [np.array([1, 2])]])
def test_a_value_that_cannot_be_compared_is_refused_like_any_other(
    tmp_path: Path, value: object
) -> None:
    """An array where a text must be; the refusal looked whether it was the empty text."""
    with recollect.open(tmp_path / "home", live=False) as memory, pytest.raises(InvalidInput):
        memory.sessions.messages(value)  # type: ignore[arg-type]
