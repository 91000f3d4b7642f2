"""A chat whose commands can be given, without a model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.core.settings import LanguageSettings
from recollect.knowledge.own_facts import OwnFacts
from recollect.memory import Memory
from recollect.respond.commands.chat_commands import ChatCommands
from recollect.respond.commands.command import CommandParts
from recollect.respond.inbound import Inbound
from recollect.respond.reply import PromptItem, Reply
from recollect.sessions.record.session import Session

OWNER = "agent:main:telegram:acc:direct:42"
ANN = "agent:main:telegram:acc:direct:7"
BOB = "agent:main:telegram:acc:direct:8"
GROUP = "agent:main:telegram:acc:group:-100"
MAIN = "agent:main:main"


class Chat:
    """Gives commands in the chats of a memory."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.context: dict[str, list[PromptItem]] = {}
        self._commands = ChatCommands(
            CommandParts(
                sessions=memory.sessions,
                facts=memory.facts,
                own_facts=OwnFacts(memory._rooms.fact_parts),  # noqa: SLF001  # as the rooms do
                details=memory.get,
                context_of=lambda id_: self.context.get(id_, []),
                language=LanguageSettings(provider="openai:gpt-5"),
                waiting=lambda: 2,
            )
        )

    def session(self, key: str) -> Session:
        """Return the current session of a key."""
        return self.memory.sessions.open(key)

    def run(self, text: str, key: str = OWNER, sender: str | None = None) -> Reply | None:
        """Return what a message is answered as a command."""
        inbound = Inbound(key=key, text=text, sender=sender).checked()
        return self._commands.run(inbound, self.session(key))

    def said(self, text: str, key: str = OWNER, sender: str | None = None) -> str:
        """Return the text of the answer to a command."""
        reply = self.run(text, key, sender)
        assert reply is not None
        assert reply.status == "command"
        return reply.text


@pytest.fixture
def chat(tmp_path: Path) -> Iterator[Chat]:
    """Chats of an owner, telegram:42, and of others."""
    settings = {"embedding.provider": "none", "sessions.owner": ["telegram:42"]}
    with recollect.open(tmp_path / "home", overrides=settings, live=False) as memory:
        yield Chat(memory)
