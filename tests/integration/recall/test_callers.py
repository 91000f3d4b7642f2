"""Random histories: no token hears or writes what is not its audience's, whatever it passes.

The histories are those of `test_audiences`, which says anew who hears a word; `make soak` plays
more of them.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from recollect.caller import Caller
from recollect.core.errors import Denied, InvalidInput, NotFound
from recollect.core.settings.agents import Walls
from recollect.governance.tokens import Token
from recollect.sessions.record.session import Session
from tests.integration.recall.test_audiences import (
    HOSTILE,
    SEED,
    TOKEN,
    Audience,
    History,
    said_by,
    words_of,
)

HISTORIES = int(os.environ.get("CALLER_HISTORIES", "6"))  # noqa: TID251 - `make soak`
PARTS = 6
"""Tests that share the histories, so that all cores play."""
NOBODY: Audience = ("nobody",)
"""Of a token that captured nothing: nobody said anything to it."""


class Calls:
    """Calls with tokens of every kind, after a history was played."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.sessions = {
            session: history.memories[chat.tenant].sessions.get(session)
            for session, chat in history.chats.items()
        }
        keys = {found.key for found in self.sessions.values() if found.key}
        self.names = sorted({*self.sessions, *keys, *HOSTILE, "telegram:42", "guest:shared"})

    def callers(self) -> Iterator[Caller]:
        """Yield those who call."""
        for tenant, memory in self.history.memories.items():
            for token in self.tokens(tenant):
                yield Caller(token, memory)

    def tokens(self, tenant: str) -> Iterator[Token]:
        """Yield a token of every kind of a tenant; one for each conversation."""
        yield self.token(tenant, "owner", "owner")
        yield self.token(tenant, "owner", "bridge", ("telegram",))
        yield self.token(tenant, "shared", "shared")
        yield self.token(tenant, "shared", "guest", ("irc",))
        keys = {s.key for s in self.sessions.values() if s.key and s.tenant == tenant}
        for number, key in enumerate(sorted(keys)):
            yield self.token(tenant, f"session:{key}", f"s{number}")
        yield self.token(tenant, "session:agent:main:telegram:acc:group:new", "new")

    @staticmethod
    def token(tenant: str, audience: str, name: str, channels: tuple[str, ...] = ()) -> Token:
        """Return a token that may do everything within its audience."""
        return Token(
            id=name,
            name=name,
            tenant=tenant,
            audience=audience,
            rights="admin",
            channels=channels,
        )

    def check(self) -> None:
        """Ask and write with every token, by every name."""
        for caller in self.callers():
            audience = self.audience(caller)
            for name in (None, *self.names):
                with suppress(NotFound):
                    self.ask(caller, caller.for_session(name), audience)
                if name is not None:
                    with suppress(NotFound):
                        self.look(caller, caller.session(name), audience)
                    with suppress(NotFound, Denied, InvalidInput):
                        self.write(caller, caller.writes_to(name))

    def audience(self, caller: Caller) -> Audience | None:
        """Return whom a token hears; None for everybody."""
        own = caller.for_session()
        if own is None:
            return None
        chat = self.history.chats.get(own)
        if chat is not None:
            return chat.askers.get(None, NOBODY)
        for session in self.sessions.values():  # it was deleted, and another one was begun
            if (session.tenant, session.key) == (caller.token.tenant, caller.token.session_key):
                said = self.history.chats[session.id]
                is_shared = session.chat_type is None
                if is_shared:
                    return self.history.hearers(("owner",), said.agent)
                return said.askers.get(None, NOBODY)
        return NOBODY

    def ask(self, caller: Caller, for_session: str | None, audience: Audience | None) -> None:
        """Search, and look at observations by number and time."""
        memory, tenant = caller.memory, caller.token.tenant
        hits = memory.search("apple", 1_000, 0.0, for_session=for_session).hits
        told = said_by([hit for hit in hits if hit.session_id])
        observations = memory.observations
        told += said_by(observations.list(limit=1_000, for_session=for_session))
        told += said_by(observations.timeline(1, after=200, for_session=for_session))
        self.history.within(tenant, set(TOKEN.findall(told)), audience)
        self.history.observed(tenant, words_of(told), audience)

    def look(self, caller: Caller, session: Session, audience: Audience | None) -> None:
        """Read the messages that the token may hear of a session."""
        messages = caller.memory.sessions.messages(session.id)
        told = said_by([each for each in messages if caller.hears_message(each)])
        self.history.within(caller.token.tenant, set(TOKEN.findall(told)), audience)

    def write(self, caller: Caller, session: Session) -> None:
        """Require that a session is of a channel or of the audience that the token speaks for."""
        token, group = caller.token, caller.memory.sessions.visibility_group
        assert session.tenant == token.tenant
        if session.channel is not None and token.speaks_for(session.channel):
            return
        if token.is_owners:
            assert session.channel is None
            return
        own = caller.for_session()
        assert own is not None
        assert group(session.id).name == group(own).name


def play(folder: Path, seed: int) -> None:
    """Play a history and call; an error says how to play it again."""
    with ExitStack() as opened:
        history = History(folder, seed, opened)
        try:
            history.play()
            Calls(history).check()
        except BaseException as error:
            error.add_note(f"AUDIENCE_SEED={seed} CALLER_HISTORIES=1: {history.log}")
            raise
    shutil.rmtree(folder)


@pytest.mark.parametrize("part", range(PARTS))
def test_no_token_hears_or_writes_across_audiences(part: int, tmp_path: Path) -> None:
    """Issue 12, 3: scope and audience come from the token only, arguments can only narrow them."""
    for number in range(part, HISTORIES, PARTS):
        play(tmp_path / str(number), SEED + number)


MUTANTS: dict[str, tuple[object, str, object]] = {
    "walls between agents": (Walls, "side", lambda *_: None),
    "who hears a session": (Caller, "_hears", lambda *_: True),
    "the own session": (Token, "session_key", "agent:main:main"),
    "channels": (Caller, "_check_channel", lambda *_: None),
    "turns of a shared session": (Caller, "hears_message", lambda *_: True),
}


SHOWN_FROM = {"turns of a shared session": 7}
"""The first history with what it takes; those before it are spared."""


@pytest.mark.parametrize("place", MUTANTS)
def test_the_calls_notice_a_caller_that_lets_through(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A check that never fails proves nothing: each of these changes is found out."""
    mutant: Any = MUTANTS[place]
    monkeypatch.setattr(*mutant)
    with pytest.raises(AssertionError):
        play_some(tmp_path, 20, SHOWN_FROM.get(place, 0))


def play_some(folder: Path, histories: int, first: int = 0) -> None:
    """Play some histories."""
    for number in range(first, first + histories):
        play(folder / str(number), SEED + number)
