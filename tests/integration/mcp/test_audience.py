"""Random histories: no tool, resource, prompt or completion says to a token what is not its own.

The histories are those of `tests.integration.recall.test_audiences`, which says anew who hears a
word; `make soak` plays more of them.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from mcp_types import PromptReference, ResourceTemplateReference

from recollect.audience.visibility import EVERY_TURN
from recollect.caller import Caller
from recollect.governance.tokens import Token
from recollect.mcp import prompts, resources, tools
from recollect.mcp.asking import CALLER
from recollect.mcp.server import make_server
from recollect.sessions import transcripts
from tests.integration.recall.test_audiences import (
    HOSTILE,
    SEED,
    TOKEN,
    Audience,
    History,
    words_of,
)

HISTORIES = int(os.environ.get("MCP_HISTORIES", "8"))  # noqa: TID251 - `make soak`
PARTS = 4
"""Tests that share the histories, so that all cores play."""
NOBODY: Audience = ("nobody",)
ALL = {"maxResults": 1_000, "minScore": 0.0, "query": "apple"}


class Asked:
    """What one token is told, by every way that a client has.

    Args:
        history: Was played.
        caller: Who asks.
    """

    def __init__(self, history: History, caller: Caller) -> None:
        self._history, self._caller = history, caller
        self._names = [*history.chats, *HOSTILE[:12], "telegram:42", "agent:main:main"]
        self.told: list[str] = []
        """Of messages and observations."""
        self.files: list[str] = []
        self.completed: list[str] = []

    async def everything(self, client: Client) -> None:
        """Use every tool, resource, prompt and completion."""
        for narrower in ({}, {"channel": "telegram"}, {"project": "ann"}):
            asked = ALL | {"sources": ["sessions", "observations"]} | narrower
            await self._tell(client, "memory_search", asked)
        await self._tell(client, "memory_search", ALL | {"sources": ["memory"]}, self.files)
        await self._tell(client, "timeline", {"anchor": "1", "after": 200})
        await self._tell(client, "timeline", {"query": "apple", "before": 99})
        await self._records(client)
        for name in (None, *self._names):
            given: dict[str, str] = {} if name is None else {"session": name}
            await self._tell(client, "session_context", {"query": "apple", **given})
            with suppress(MCPError):
                got = await client.get_prompt("session-handover", given)
                self.told += [str(message.content) for message in got.messages]
            if name is not None:
                await self._read(client, f"recollect://sessions/{name}", self.told)
        with suppress(MCPError):
            got = await client.get_prompt("recall-before-you-answer", {"question": "apple"})
            self.files += [str(message.content) for message in got.messages]
        for path in ("MEMORY.md", *self._history.guest_notes()):
            await self._tell(client, "memory_get", {"path": path}, self.files)
            await self._read(client, f"recollect://memory/{path}", self.files)
        await self._lists(client)

    async def _records(self, client: Client) -> None:
        observed, said = len(self._history.seen) // 4, len(self._history.heard)
        ids = [f"#{n}" for n in range(1, observed + 1)]
        ids += [f"m{n}" for n in range(1, 2 * said + 1)] + [f"e{n}" for n in range(1, 40)]
        await self._tell(client, "get_observations", {"ids": ids, "max_tokens": 9_000})
        for name in ids[:observed]:
            await self._tell(client, "timeline", {"anchor": name, "before": 99})

    async def _lists(self, client: Client) -> None:
        offered = (await client.list_resources()).resources
        self.told += [each.model_dump_json() for each in offered]
        for each in offered:
            is_file = each.uri.startswith("recollect://memory/")
            await self._read(client, each.uri, self.files if is_file else self.told)
        asked: list[tuple[Any, str]] = [
            (ResourceTemplateReference(uri=resources.SESSION), "session"),
            (PromptReference(name="session-handover"), "session"),
        ]
        for ref, name in asked:
            got = await client.complete(ref, {"name": name, "value": ""})
            self.completed += got.completion.values

    async def _tell(
        self, client: Client, tool: str, given: dict[str, Any], told: list[str] | None = None
    ) -> None:
        result = await client.call_tool(tool, given)
        text = "".join(str(block) for block in result.content)
        assert "unexpected" not in text, (tool, given, text)
        (self.told if told is None else told).append(f"{text} {result.structured_content}")

    async def _read(self, client: Client, uri: str, told: list[str]) -> None:
        with suppress(MCPError):
            got = await client.read_resource(uri)
            told += [str(each) for each in got.contents]


def audience_of(history: History, caller: Caller) -> Audience | None:
    """Return whom a token hears; None for everybody, `NOBODY` for a session of its own."""
    own = caller.for_session()
    if own is None:
        return None
    chat = history.chats.get(own)
    return NOBODY if chat is None else chat.askers.get(None, NOBODY)


def callers_of(history: History) -> Iterator[Caller]:
    """Yield callers with tokens of every kind, for every conversation that has a key."""
    for tenant, memory in history.memories.items():
        audiences = ["owner", "shared"]
        for session, chat in history.chats.items():
            if chat.tenant == tenant and session not in history.hidden:
                key = memory.sessions.get(session).key
                audiences += [] if key is None else [f"session:{key}"]
        for number, audience in enumerate(dict.fromkeys(audiences)):
            name = f"t{number}"
            token = Token(id=name, name=name, tenant=tenant, audience=audience, rights="read")
            yield Caller(token, memory)


def check(history: History) -> int:
    """Ask with every token; return how many words of others' records they were told."""
    words = 0
    for caller in callers_of(history):
        audience, tenant = audience_of(history, caller), caller.token.tenant
        asked = Asked(history, caller)
        anyio.run(_ask, caller, asked)
        assert all(map(caller.hears, asked.completed))
        told = " ".join(asked.told)
        said = set(TOKEN.findall(told))
        history.within(tenant, said, audience)
        seen = words_of(told)
        assert all(history.seen[word][2] in history.chats for word in seen), "erased"
        if audience is None:  # who may look at what is deleted, by its number
            seen = {word for word in seen if history.lives(history.seen[word][2])}
        history.observed(tenant, seen, audience)
        files = " ".join(asked.files)
        is_owners = audience is None or audience[0] == "owner"
        noted = set(TOKEN.findall(files)) - said
        history.noted(tenant, noted, None if is_owners else audience)
        assert is_owners or "apple of the owner" not in files
        words += len(said)
    return words


async def _ask(caller: Caller, asked: Asked) -> None:
    async with Client(make_server(lambda _: caller)) as client:
        await asked.everything(client)


def play(folder: Path, seed: int) -> int:
    """Play a history and ask; an error says how to play it again."""
    with ExitStack() as opened:
        history = History(folder, seed, opened)
        try:
            history.play()
            words = check(history)
        except BaseException as error:
            error.add_note(f"AUDIENCE_SEED={seed} MCP_HISTORIES=1: {history.log}")
            raise
    shutil.rmtree(folder)
    return words


@pytest.mark.parametrize("part", range(PARTS))
def test_no_token_hears_across_audiences_over_mcp(part: int, tmp_path: Path) -> None:
    """Issue 12, shows: the histories again over MCP, with tokens of every kind."""
    seeds = range(SEED + part, SEED + HISTORIES, PARTS)
    assert sum(play(tmp_path / str(seed), seed) for seed in seeds) > 0


class AsOperator:
    """Lets a surface ask as the operator, whoever calls."""

    @staticmethod
    def get() -> Caller:
        """Return a caller who hears everything."""
        caller = CALLER.get()
        token = Token(id="m", name="m", tenant=caller.token.tenant, audience="owner")
        return Caller(token, caller.memory)


MUTANTS: dict[str, tuple[object, str, object]] = {
    "tools": (tools, "CALLER", AsOperator),
    "resources": (resources, "CALLER", AsOperator),
    "prompts": (prompts, "CALLER", AsOperator),
    "turns of a shared session": (transcripts, "heard_turns", lambda *_: EVERY_TURN),
}


SHOWN_FROM = {"turns of a shared session": 7}
"""The first history with what it takes; those before it are spared."""


@pytest.mark.parametrize("surface", MUTANTS)
def test_the_histories_notice_a_surface_that_tells(
    surface: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A check that never fails proves nothing: each of these changes is found out."""
    mutant: Any = MUTANTS[surface]
    monkeypatch.setattr(*mutant)
    with pytest.raises(AssertionError):
        play_some(tmp_path, 20, SHOWN_FROM.get(surface, 0))


def play_some(folder: Path, histories: int, first: int = 0) -> None:
    """Play some histories."""
    for seed in range(SEED + first, SEED + first + histories):
        play(folder / str(seed), seed)
