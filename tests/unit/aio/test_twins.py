"""Twins: every public name has its own, with the same parameters and documentation."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import re
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, get_origin

import msgspec
import pytest

from recollect.aio import twins
from recollect.aio.hops import Hops
from recollect.aio.items import AsyncInside, AsyncItems
from recollect.aio.twin import Opening, Twin
from recollect.knowledge.facts import Facts
from recollect.memory import open_memory
from recollect.respond.inbound import Inbound
from recollect.sessions.leased_session import LeasedSession
from scripts.async_twins import CLASSES, PLACE, WRITTEN, main, module

PLAIN = {"None", "bool", "bytes", "float", "dict", "int", "Hearer", "Iterator", "list", "Mapping",
         "str", "tuple"}  # fmt: skip
HELD = {"lease", "for_session"}
"""What a handle gives to each call by itself."""
WORDS: dict[str, object] = {"embedding.provider": "none"}


@pytest.fixture(scope="module")
def targets(tmp_path_factory: pytest.TempPathFactory) -> list[object]:
    """An object of each class that has a twin."""
    with ExitStack() as stack:
        home = tmp_path_factory.mktemp("twins") / "home"
        memory = stack.enter_context(open_memory(home, overrides=WORDS))
        sessions = memory.sessions
        session, other = sessions.create(), sessions.create()
        held = stack.enter_context(sessions.hold(session.id))
        plain = sessions.within(memory.scope)
        return [
            memory,
            sessions,
            plain,
            sessions.history,
            memory.observations,
            memory.observations.within(memory.scope),
            memory.facts,
            Facts(memory._rooms.fact_parts),  # noqa: SLF001  # the base, which no memory hands out
            memory.episodes,
            memory.identities,
            memory.projects,
            memory.capture,
            memory.context,
            memory.sections,
            memory.events,
            memory.export_session(session.id, "jsonl"),
            memory.export(),
            memory.checkup(),
            memory.knowledge_checkup(),
            held,
            held.facts,
            held.observations,
            stack.enter_context(plain.hold(other.id)),
            sessions.stream(session.id),
            memory.events.subscribe(lambda _: None),
            memory.events.reader(bell=lambda: None),
            memory.tokens,
            memory.channels,
            memory.file_calls,
            memory.audit,
            memory.checkpoints,
            memory.responder,
            memory.responder.submit(Inbound(key="telegram:1", text="Hi")),
        ]


def _twin(target: object) -> Twin:
    name = type(target).__name__
    made = getattr(twins, f"Async{name}Calls" if name in WRITTEN else f"Async{name}")(
        target, Hops()
    )
    assert isinstance(made, Twin)
    return made


def _public(target: object) -> Iterator[tuple[str, Any]]:
    for name in dir(target):
        if not name.startswith("_") and name not in WRITTEN.get(type(target).__name__, ()):
            yield name, getattr(target, name)


def _parameters(call: Any) -> list[tuple[str, object, object]]:
    """Return names, kinds and defaults; those that a held session binds are not of its twin."""
    bound = call.keywords if isinstance(call, partial) else {}
    taken = inspect.signature(call).parameters.values()
    kept = [each for each in taken if each.name not in HELD & bound.keys()]
    plain = inspect.signature(call.func).parameters if bound else {}
    return [
        (each.name, plain[each.name].kind if each.name in plain else each.kind, each.default)
        for each in kept
    ]


def test_a_twin_is_there_for_each_class(targets: list[object]) -> None:
    """The list above, and that of the script, have the same classes."""
    assert sorted(name.rpartition(".")[2] for name in CLASSES) == sorted(
        type(target).__name__ for target in targets
    )


def test_the_file_is_made_once(tmp_path: Path) -> None:
    """Where there is none, and not again while nothing changed; it is that of the package."""
    place = tmp_path / "twins.py"
    main(place)
    assert place.read_text(encoding="utf-8") == PLACE.read_text(encoding="utf-8")
    before = place.stat()
    main(place)
    assert place.stat().st_ino == before.st_ino
    assert [path.name for path in tmp_path.iterdir()] == ["twins.py"]


def test_every_name_has_a_twin_with_its_parameters(targets: list[object]) -> None:
    """What `help` shows is what is called; and nothing else is there."""
    for target in targets:
        twin = _twin(target)
        names = [name for name, _ in _public(target)]
        assert [name for name in dir(twin) if not name.startswith("_")] == names
        for name, value in _public(target):
            if inspect.isroutine(value) or isinstance(value, partial):
                other = getattr(twin, name)
                assert _parameters(other) == _parameters(value), name
                function = value.func if isinstance(value, partial) else value
                if name not in {"append_stream", "heard"}:
                    assert other.__doc__ == function.__doc__, name


def test_what_a_call_gives_is_a_value_or_has_a_twin(targets: list[object]) -> None:
    """An object with calls of its own must not reach the event loop without a twin."""
    known = {type(target).__name__ for target in targets}
    for target in targets:
        for name, value in _public(target):
            if inspect.isroutine(value) or isinstance(value, partial):
                function = inspect.unwrap(value.func if isinstance(value, partial) else value)
                gives: Any = function.__annotations__["return"]
                assert gives in known or _is_value(function, gives), (name, gives)


def _is_value(function: Any, gives: str) -> bool:
    for name in set(re.findall(r"\w+", gives)) - PLAIN:
        origin = module(function.__module__).origin(name)
        kind = getattr(importlib.import_module(origin), name)
        is_list = isinstance(kind, str) or get_origin(kind) in {list, tuple}
        if not is_list and not issubclass(kind, msgspec.Struct):
            return False
    return True


def test_the_kind_of_a_twin_follows_from_what_the_call_gives(targets: list[object]) -> None:
    """Iterators, blocks and handles are not coroutines: they are entered or iterated over."""
    given: dict[str, dict[str, Any]] = {
        "turn": {"session_id": ""},
        "hold": {"id_or_title": ""},
        "subscribe": {"callback": print},
    }

    async def kinds() -> dict[str, type]:
        found: dict[str, type] = {}
        for target in targets:
            if isinstance(target, LeasedSession):
                continue  # its calls take other arguments
            for name in ("since", "follow", "watch", "lines", "turn", "hold", "subscribe"):
                if hasattr(target, name) and (name != "lines" or hasattr(target, "save")):
                    found[name] = type(getattr(_twin(target), name)(**given.get(name, {})))
        return found

    wanted = dict.fromkeys(("since", "follow", "watch", "lines"), AsyncItems)
    assert asyncio.run(kinds()) == {
        **wanted,
        "turn": AsyncInside,
        "hold": Opening,
        "subscribe": Opening,
    }
