"""Many conversations at once: bursts, repetitions, edits, and restarts in the middle.

Whatever happens, each message is answered once and in order, with its newest words, and nobody
hears of another conversation. `RESPOND_CONVERSATIONS` sets how many, `RECOLLECT_SEED` which.
"""

from __future__ import annotations

import os
import re
import threading
from collections import defaultdict
from pathlib import Path
from random import Random

import pytest

import recollect
from recollect.core.errors import ProviderUnavailable, StoreClosed
from recollect.memory import Memory
from recollect.respond.inbound import Inbound
from recollect.respond.pending import Pending
from recollect.respond.reply import Reply
from tests.support.chat_model import SETTINGS, Call, ChatModel, install

CONVERSATIONS = int(os.environ.get("RESPOND_CONVERSATIONS", "12"))  # noqa: TID251 - how many
SEED = int(os.environ.get("RECOLLECT_SEED", "0"))  # noqa: TID251 - which
WAIT_S = 120.0
_WORD = re.compile(r"c\d+w\d+v\d")


class Sent:
    """A message of a conversation, its versions, and the replies to it."""

    def __init__(self, conversation: int, number: int) -> None:
        self.conversation, self.number, self.version = conversation, number, 0
        self.noted = False
        self.replies: list[Pending] = []

    @property
    def event_id(self) -> str:
        """The id on the channel."""
        return f"m{self.number}"

    def word(self, version: int | None = None) -> str:
        """The text, as it is now."""
        return f"c{self.conversation}w{self.number}v{self.version if version is None else version}"


class Talk:
    """A home whose people write at random, and whose program is stopped now and then."""

    def __init__(self, home: Path, chance: Random) -> None:
        self.chance, self._home = chance, home
        self.sent: dict[int, list[Sent]] = defaultdict(list)
        self._memory: Memory | None = None
        self.restart()

    @property
    def memory(self) -> Memory:
        """The open one."""
        assert self._memory is not None
        return self._memory

    def restart(self) -> None:
        """Stop in the middle of whatever is answered, and go on."""
        self.close()
        self._memory = recollect.open(self._home, overrides=SETTINGS, live=False)
        self._memory.responder.resume()

    def close(self) -> None:
        """Stop."""
        if self._memory is not None:
            self._memory.close()

    def key(self, conversation: int) -> str:
        """Who writes where."""
        return f"agent:main:telegram:direct:{conversation + 100}"

    def say(self, conversation: int) -> None:
        """A new message."""
        sent = Sent(conversation, len(self.sent[conversation]))
        self.sent[conversation].append(sent)
        self._submit(sent)

    def repeat(self, conversation: int) -> None:
        """The channel delivers one again."""
        if self.sent[conversation]:
            self._submit(self.chance.choice(self.sent[conversation]))

    def edit(self, conversation: int) -> None:
        """Somebody changes what they said last."""
        if self.sent[conversation]:
            sent = self.sent[conversation][-1]
            sent.version += 1
            event_id = f"{sent.event_id}e{sent.version}"
            pending = self._submit(sent, event_id=event_id, edits=sent.event_id)
            reply = pending.wait(WAIT_S)
            sent.noted = sent.noted or (reply is not None and reply.status == "noted")

    def _submit(self, sent: Sent, **ids: str) -> Pending:
        inbound = Inbound(
            key=self.key(sent.conversation),
            text=sent.word(),
            sender=f"telegram:{sent.conversation + 100}",
            event_id=ids.get("event_id", sent.event_id),
            edits=ids.get("edits"),
        )
        delay = self.chance.choice([0, 0, 5])
        pending = self.memory.responder.submit(inbound, debounce_ms=delay)
        if not ids:
            sent.replies.append(pending)
        return pending


def moody(chance: Random) -> ChatModel:
    """A model that answers with the words it was asked, in pieces, and fails now and then."""
    lock = threading.Lock()

    def answer(call: Call) -> str:
        words = _WORD.findall(call.prompt.messages[-1].text)
        with lock:
            fails, late = chance.random() < 0.1, chance.random() < 0.2
        if fails:
            raise ProviderUnavailable("the model is down", hint="wait")
        if late:
            call.wait(threading.Event()) if call.cancellation.is_cancelled else None
        for word in words:
            call.cancellation.require_going()
            call.say(f"{word} ")
        return " ".join(words) + " "

    model = ChatModel()
    model.steps = [answer] * 100_000
    return model


def test_each_message_is_answered_once_and_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over restarts, repetitions and edits."""
    chance = Random(SEED)
    install(monkeypatch, moody(Random(SEED + 1)))
    talk = Talk(tmp_path / "home", chance)
    steps = [talk.say] * 6 + [talk.repeat] * 2 + [talk.edit]
    for _ in range(CONVERSATIONS * 8):
        conversation = chance.randrange(CONVERSATIONS)
        for _ in range(chance.choice([1, 1, 2, 3])):
            chance.choice(steps)(conversation)
        if chance.random() < 0.04:
            talk.restart()
    try:
        _settle(talk)
        for conversation, messages in talk.sent.items():
            _check(talk, conversation, messages)
    except AssertionError as error:
        error.add_note(f"RECOLLECT_SEED={SEED}")
        raise
    finally:
        talk.close()


def _settle(talk: Talk) -> None:
    """Deliver every message again until each has its answer, as a channel does."""
    for _ in range(100):
        waiting = [
            (sent, talk._submit(sent))  # noqa: SLF001
            for messages in talk.sent.values()
            for sent in messages
        ]
        replies: list[Reply | None] = [pending.wait(WAIT_S) for _, pending in waiting]
        assert None not in replies
        if all(reply.status in {"answered", "joined"} for reply in replies if reply):
            return
    pytest.fail("some were never answered")


def _check(talk: Talk, conversation: int, messages: list[Sent]) -> None:
    session = talk.memory.sessions.open(talk.key(conversation))
    stored = talk.memory.sessions.messages(session.id)
    assert [each.seq for each in stored] == list(range(1, len(stored) + 1))
    answered = [
        word for each in stored if each.role == "assistant" for word in _WORD.findall(each.text)
    ]
    own = f"c{conversation}w"
    assert all(word.startswith(own) for word in answered)
    numbers = [int(word.removeprefix(own).partition("v")[0]) for word in answered]
    by_message = [sent.number for sent in messages]
    assert sorted(set(numbers)) == by_message, "each is answered"
    finished = [
        each for each in stored if each.role == "assistant" and "unfinished" not in each.metadata
    ]
    once = [
        int(word.removeprefix(own).partition("v")[0])
        for each in finished
        for word in _WORD.findall(each.text)
    ]
    notes = sum(each.text.startswith("(edited") for each in stored)
    assert len(once) <= len(set(once)) + notes, "none is answered twice"


def test_a_closed_memory_takes_no_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The channel hears of it, and delivers it again later."""
    install(monkeypatch, ChatModel())
    memory = recollect.open(tmp_path / "home", overrides=SETTINGS, live=False)
    responder = memory.responder
    memory.close()
    with pytest.raises(StoreClosed):
        responder.submit(Inbound(key="telegram:1", text="Hi"))
