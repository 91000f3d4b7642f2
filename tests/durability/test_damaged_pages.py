"""Random damages of `records.db`: an answer is the true one or an error.

Silent is an answer that differs from the truth without a word. `DAMAGES` says how many damages
of each kind are made; `make soak` makes a thousand in all.
"""

from __future__ import annotations

import os
import random
import shutil
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import pytest

import recollect
from recollect.core.errors import RecollectError, Unauthorized
from recollect.memory import Memory
from tests.durability.scale import chance, report

PAGE = 4096
DAMAGES = int(os.environ.get("DAMAGES", "6"))
"""Of each kind."""
WORDS = ("kettle", "zebra", "harbour", "lantern", "pepper", "violin", "gasket", "meadow")
OPTIONS: dict[str, Any] = {"live": False, "overrides": {"embedding.provider": "none"}}

Damage = Callable[[random.Random, bytearray, bytes], None]


def _flip(by: random.Random, now: bytearray, old: bytes) -> None:
    place = by.randrange(len(now))
    now[place] ^= 1 << by.randrange(8)


def _zero(by: random.Random, now: bytearray, old: bytes) -> None:
    page = by.randrange(len(now) // PAGE)
    now[page * PAGE : (page + 1) * PAGE] = bytes(PAGE)


def _swap(by: random.Random, now: bytearray, old: bytes) -> None:
    one, two = (by.randrange(len(now) // PAGE) * PAGE for _ in range(2))
    now[one : one + PAGE], now[two : two + PAGE] = now[two : two + PAGE], now[one : one + PAGE]


def _cut(by: random.Random, now: bytearray, old: bytes) -> None:
    del now[by.randrange(len(now)) :]


def _stale(by: random.Random, now: bytearray, old: bytes) -> None:
    page = by.randrange(min(len(now), len(old)) // PAGE) * PAGE
    now[page : page + PAGE] = old[page : page + PAGE]


KINDS: dict[str, Damage] = {
    "flip": _flip,
    "zeroed": _zero,
    "swapped": _swap,
    "cut": _cut,
    "stale": _stale,
}


class Truth:
    """A home with its answers, and its records as they were some time before."""

    def __init__(self, folder: Path) -> None:
        words = random.Random(7)
        self.home = folder / "home"
        with recollect.open(self.home, **OPTIONS) as memory:
            self.sessions = [memory.sessions.create(title=f"talk {n}").id for n in range(6)]
            self.tokens = [memory.tokens.add(f"phone{n}").text for n in range(6)]
            self._say(memory, words, 40)
        self.old = self._settled()
        with recollect.open(self.home, **OPTIONS) as memory:
            for name in ("phone1", "phone4"):
                memory.tokens.revoke(name)
            self._say(memory, words, 40)
            self.sessions.append(memory.sessions.fork(self.sessions[0]).id)
            self._say(memory, words, 20)
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

    def _settled(self) -> bytes:
        connection = apsw.Connection(str(self.home / "records.db"))
        connection.pragma("wal_checkpoint", "TRUNCATE")
        connection.close()
        return (self.home / "records.db").read_bytes()


def ask(memory: Memory, truth: Truth) -> dict[str, object]:
    """Return what a home answers: values, or the code of an error."""
    questions: dict[str, Callable[[], object]] = {
        "sessions": lambda: sorted((s.id, s.title) for s in memory.sessions.list())
    }
    for number, session in enumerate(truth.sessions):
        questions |= _of_session(memory, number, session)
    for number, token in enumerate(truth.tokens):
        questions[f"token {number}"] = partial(_verified, memory, token)
    return {name: _answer(question) for name, question in questions.items()}


def _of_session(memory: Memory, number: int, session: str) -> dict[str, Callable[[], object]]:
    sessions = memory.sessions
    return {
        f"messages {number}": lambda: _said(sessions.messages(session)),
        f"page {number}": lambda: _said(sessions.messages(session, 20)),
        f"after {number}": lambda: _said(sessions.messages(session, 20, after_seq=15)),
        f"view {number}": lambda: _said(sessions.view(session, budget_tokens=50_000).messages),
    }


def _said(messages: Any) -> list[tuple[object, ...]]:
    return [(m.id, m.seq, m.role, m.text, m.created_at, m.number) for m in messages]


def _verified(memory: Memory, token: str) -> str:
    try:
        return memory.tokens.verify(token).name
    except Unauthorized:
        return "unauthorized"


def _answer(question: Callable[[], object]) -> object:
    try:
        return question()
    except RecollectError as error:
        return error


def silent(truth: Truth, folder: Path, damaged: bytes) -> list[str]:
    """Return the questions that a damaged home answers wrongly without a word."""
    home = folder / "damaged"
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(truth.home, home)
    (home / "records.db").write_bytes(damaged)
    try:
        with recollect.open(home, **OPTIONS) as memory:
            found = ask(memory, truth)
    except RecollectError:
        return []
    return [
        name
        for name, answer in found.items()
        if not isinstance(answer, RecollectError) and answer != truth.answers[name]
    ]


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> Truth:
    """A home of seven sessions."""
    return Truth(tmp_path_factory.mktemp("truth"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_damage_of_the_records_is_never_a_wrong_answer(
    truth: Truth, tmp_path: Path, kind: str
) -> None:
    """Of messages, pages, views, forks and tokens; lists of sessions are counted beside them."""
    random_damages = chance(f"damaged pages {kind}")
    wrong: Counter[str] = Counter()
    for _ in range(DAMAGES):
        now = bytearray(truth.now)
        KINDS[kind](random_damages, now, truth.old)
        wrong.update(name.split()[0] for name in silent(truth, tmp_path, bytes(now)))
    lists = wrong.pop("sessions", 0)
    report(f"damaged pages, {kind}", damages=DAMAGES, silent=sum(wrong.values()), lists=lists)
    assert not wrong
