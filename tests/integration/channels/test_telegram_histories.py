"""Random conversations over Telegram, with a worker that is killed in the middle of them.

The model speaks like OpenAI's or Anthropic's, in turn from one worker to the next. It answers
``re`` the marks of the messages that it is to answer, and ``saw`` all marks in its prompt; a mark
is a word such as ``w12x3``.

Each message is answered once and in order, no chat hears a word of another, and who is not allowed
hears nothing. `make soak` plays 200 conversations.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import takewhile
from pathlib import Path
from typing import Any

import recollect
from recollect.memory import Memory
from tests.support.chat_formats import AnthropicFormat, OpenAIChatFormat
from tests.support.chat_model import SETTINGS
from tests.support.provider_server import ProviderServer
from tests.support.telegram_server import Failure, TelegramServer

ROOT = Path(__file__).resolve().parents[3]
CONVERSATIONS = int(os.environ.get("TELEGRAM_CONVERSATIONS", "12"))  # noqa: TID251
KILLS = int(os.environ.get("TELEGRAM_KILLS", "2"))  # noqa: TID251
SEED = int(os.environ.get("RECOLLECT_SEED", "1"))  # noqa: TID251
DONE_S = 60.0 + CONVERSATIONS


MARK = re.compile(r"\bw\d+x\d+\b")
KEY = "of-a-test"


def marks(text: str) -> list[str]:
    """Return the marks in a text, in order."""
    return MARK.findall(text)


def answer(messages: Sequence[Mapping[str, Any]]) -> str:
    """Tell everything that is in a prompt."""
    told = [(each["role"], str(each["content"])) for each in messages]
    news = takewhile(lambda each: each[0] != "assistant", reversed(told))
    newest = "\n".join(text for _, text in reversed([*news]))
    seen = dict.fromkeys(marks("\n".join(text for _, text in told)))
    return f"re {' '.join(marks(newest))} saw {' '.join(seen)}"


class Play:
    """People who write, and what must become of it."""

    def __init__(self, telegram: TelegramServer, seed: int) -> None:
        self.telegram = telegram
        self.random = random.Random(seed)
        self.chats = [self._chat(number) for number in range(CONVERSATIONS)]
        self.expected: dict[str, int] = {}
        """Marks that must be answered once, by chat."""
        self.edited: set[str] = set()
        self.heard: set[str] = set()
        self._count: Counter[int] = Counter()

    def _chat(self, number: int) -> int:
        return -(1_000 + number) if number % 4 == 3 else 1_000 + number

    @property
    def allowed(self) -> list[str]:
        """Return whom the owner allows: all but every sixth."""
        return [f"telegram:{chat}" for n, chat in enumerate(self.chats) if n % 6 != 5]

    def burst(self) -> None:
        """Let somebody write once or several times, edit, or write again."""
        number = self.random.randrange(CONVERSATIONS)
        for _ in range(self.random.choice((1, 1, 1, 2, 5))):
            self._write(number)

    def _write(self, number: int) -> None:
        chat, telegram = self.chats[number], self.telegram
        self._count[number] += 1
        mark = f"w{number}x{self._count[number]}"
        person = chat if chat > 0 else 5_000 + self.random.randrange(3)
        is_called = chat > 0 or self.random.random() < 0.6
        text = f"@tea_bot {mark}" if is_called and chat < 0 else mark
        entities = [{"type": "mention", "offset": 0, "length": 8}] if text != mark else []
        message = telegram.message(chat, text, person, entities=entities)
        update = telegram.update(message)
        if f"telegram:{chat}" not in self.allowed:
            return
        if not is_called:
            self.heard.add(mark)
            return
        self.expected[mark] = chat
        chance = self.random.random()
        if chance < 0.1:  # the same message under a new update
            telegram.update(update["message"])
        elif chance < 0.2:
            self._count[number] += 1
            other = f"w{number}x{self._count[number]}"
            telegram.edit(message, text.replace(mark, other))
            self.edited |= {mark, other}

    def check(self, lost: set[str]) -> None:
        """Compare what was sent with what was written.

        Args:
            lost: Keys of conversations with an answer of which nobody knows whether it arrived.
        """
        answered: Counter[str] = Counter()
        for chat, number in zip(self.chats, range(CONVERSATIONS), strict=True):
            texts = self.telegram.texts(chat)
            if f"telegram:{chat}" not in self.allowed:
                assert texts == [], f"{chat} is unknown, and was answered"
            order: list[int] = []
            for text in texts:
                assert text.startswith("re "), text
                answers, _, seen = text.partition(" saw ")
                foreign = [mark for mark in marks(seen) if not mark.startswith(f"w{number}x")]
                assert foreign == [], f"{chat} hears of {foreign}"
                own = [mark for mark in marks(answers) if mark not in self.heard]
                answered.update(own)
                order += [int(mark.partition("x")[2]) for mark in own]
            assert order == sorted(order), f"{chat} was answered out of order: {texts}"
        twice = {mark: count for mark, count in answered.items() if count > 1}
        assert twice == {}, f"answered twice: {twice}"
        missing = {
            mark
            for mark, chat in self.expected.items()
            if not answered[mark] and mark not in self.edited and not _is_lost(chat, lost)
        }
        assert missing == set(), f"never answered: {sorted(missing)}"


def _is_lost(chat: int, lost: set[str]) -> bool:
    kind = "group" if chat < 0 else "default:direct"
    return f"agent:main:telegram:{kind}:{chat}" in lost


@contextmanager
def _working(home: Path, settings: dict[str, object], end: signal.Signals) -> Iterator[None]:
    """Let a worker process serve a home; after the block it gets a signal."""
    command = [sys.executable, "-m", "tests.support.channel_worker", str(home)]
    with subprocess.Popen(
        [*command, json.dumps(settings)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline(), "the worker did not start"
            yield
        except BaseException:
            process.kill()
            raise
        process.send_signal(end)


def _opened(home: Path, settings: dict[str, object]) -> Memory:
    """Return the memory of the home, without the model of the worker."""
    return recollect.open(home, overrides=settings | {"language.provider": "none"}, live=False)


def _await_done(home: Path, settings: dict[str, object], telegram: TelegramServer) -> set[str]:
    """Wait until nothing waits; return the keys of conversations with an answer that was lost."""
    telegram.await_empty(DONE_S)
    until, resting = time.monotonic() + DONE_S, threading.Event()
    with _opened(home, settings) as memory:
        while True:
            status = memory.channels.status()
            waits = {"received", "sending"} & status.deliveries.keys()
            waiting = memory.responder.pending()
            if not waits and not waiting:
                return {each.key for each in status.lost}
            assert time.monotonic() < until, (status, waiting[:3])
            resting.wait(0.05)


def test_each_message_is_answered_once_whatever_is_killed(tmp_path: Path) -> None:
    """Bursts, duplicates, edits, groups, refusals of Telegram, kills at any moment."""
    home = tmp_path / "home"
    formats = [OpenAIChatFormat(answer), AnthropicFormat(answer)]
    with TelegramServer() as telegram, ProviderServer(services=formats) as models:
        play = Play(telegram, SEED)
        settings = (
            SETTINGS
            | telegram.settings()
            | {
                "sessions.owner": ["telegram:1"],
                "channels.rate_per_minute": 10_000,
                "auto_responder.debounce_ms": 20,
            }
        )
        with _opened(home, settings) as memory:
            for account in play.allowed:
                memory.channels.allow(account)
        speaking = [
            {
                "language.provider": f"{name}:tell",
                "language.base_url": models.origin + format_.prefix,
                "language.api_key": KEY,
            }
            for name, format_ in zip(("openai", "anthropic"), formats, strict=True)
        ]
        for number in range(KILLS):
            with _working(home, settings | speaking[number % 2], signal.SIGKILL):
                for _ in range(max(1, 3 * CONVERSATIONS // KILLS)):
                    play.burst()
                    if play.random.random() < 0.05:
                        telegram.fail("sendMessage", Failure(429, 0.05))
                with suppress(AssertionError):  # somewhere in the middle of the answers
                    telegram.await_sent(len(telegram.sent) + play.random.randrange(1, 12), 3)
        with _working(home, settings | speaking[KILLS % 2], signal.SIGTERM):
            lost = _await_done(home, settings, telegram)
    play.check(lost)
    assert len(lost) <= 3 * KILLS
    assert play.expected
