"""Whatever is said, imported, forked, erased and linked, in any order: what is known is the same.

The state after every history equals the one that is extracted from nothing.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

import recollect
from recollect.core.clock import DAY_MS
from recollect.core.errors import Conflict, NotFound
from recollect.memory import Memory
from recollect.recall.statements.extraction import CURSOR
from recollect.store.engine import Row, Transaction

HISTORIES = int(os.environ.get("KNOWLEDGE_HISTORIES", "8"))  # noqa: TID251 - `make soak`
SEED = int(os.environ.get("RECOLLECT_SEED", "0"))  # noqa: TID251 - which histories
PARTS = 4
STEPS = 16
JANUARY = 1_767_225_600_000
"""1 January 2026."""
KEYS = (
    "agent:main:main",
    "agent:main:telegram:acc:direct:42",
    "agent:main:slack:acc:direct:u7",
    "agent:main:telegram:acc:group:g1",
)
ACCOUNTS = (("telegram", "42"), ("slack", "u7"))
TEXTS = (
    "I live in Leeds.",
    "We moved, I live in Bristol now.",
    "I live in Bath these days.",
    "My manager is Ana.",
    "My manager is Tom now.",
    "The rate limit of the API is 100.",
    "The rate limit of the API went up to 250.",
    "We deploy the shop to Fly.io.",
    "Fly.io is gone, the shop runs on Hetzner.",
    "I sold the Golf.",
    "I drive a Golf.",
    "Always run the tests before a commit.",
    "I have a dog called Rex.",
    "Where do I live?",
)
WORDS = ("Bristol", "Tom", "250", "Hetzner", "Golf")
EXTRACTED = ("stated", "losses", "value_sentences", "replacements")


class History:
    """A home, and what happens to it.

    Args:
        memory: The home.
        folder: For transcripts.
        chance: Decides.
    """

    def __init__(self, memory: Memory, folder: Path, chance: random.Random) -> None:
        self.memory, self.folder, self.chance = memory, folder, chance
        self.log: list[str] = []
        self.imports = 0

    def step(self) -> None:
        """Let one thing happen."""
        steps: list[Callable[[], object]] = [self.say] * 4
        steps += [self.load, self.fork, self.hide, self.erase, self.link, self.memory.sync]
        step = self.chance.choice(steps)
        self.log.append(getattr(step, "__name__", ""))
        with suppress(NotFound, Conflict):  # nothing to erase, or linked otherwise
            step()

    def say(self) -> None:
        """Append a message, perhaps of long ago, and a reply that may repeat it."""
        key = self.chance.choice(KEYS)
        session = self.memory.sessions.open(key, owner=key == KEYS[0])
        text, at = self.chance.choice(TEXTS), JANUARY + self.chance.randrange(200) * DAY_MS
        self.memory.sessions.append(session.id, "user", text, at=at)
        if self.chance.random() < 0.3:
            self.memory.sessions.append(session.id, "assistant", f"Noted: {text}", at=at + 1)

    def load(self) -> None:
        """Import a transcript."""
        self.imports += 1
        lines = [
            {
                "role": "user",
                "content": self.chance.choice(TEXTS),
                "session": self.chance.choice(KEYS),
                "timestamp": JANUARY + self.chance.randrange(200) * DAY_MS,
            }
            for _ in range(3)
        ]
        path = self.folder / f"{self.imports}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        self.memory.import_transcripts(path, "jsonl")

    def fork(self) -> None:
        """Fork a session at some message of it."""
        for session in self._some_session():
            self.memory.sessions.fork(session, None)

    def hide(self) -> None:
        """Delete a session, or bring one back."""
        for session in self._some_session():
            status = self.chance.choice(("deleted", "active"))
            self.memory.sessions.set_status(session, status)

    def erase(self) -> None:
        """Erase what holds a word."""
        self.memory.erase(query=self.chance.choice(WORDS))

    def link(self) -> None:
        """Link an account to a person, or take it away."""
        channel, account = self.chance.choice(ACCOUNTS)
        if self.chance.random() < 0.6:
            self.memory.identities.link("ann", channel, account)
        else:
            self.memory.identities.unlink(channel, account)

    def _some_session(self) -> list[str]:
        listed = self.memory.sessions.list
        ids = sorted(session.id for session in (*listed(), *listed(status="deleted")))
        return [self.chance.choice(ids)] if ids else []


def known(tx: Transaction) -> tuple[list[Row], list[Row]]:
    """Return the links, and the facts with what became of them."""
    links = tx.all(
        "SELECT older_id, older_first, newer_id, newer_first, rule, is_flagged, is_ending"
        " FROM replacements ORDER BY 1, 2, 3, 4, 5"
    )
    facts = tx.all(
        "SELECT f.message_id, f.text, f.status, f.valid_to, n.text FROM facts f"
        " LEFT JOIN facts n ON n.id = f.replaced_by ORDER BY f.message_id, f.text, f.id"
    )
    return links, facts


def forget_all(tx: Transaction) -> None:
    """Remove all that was extracted but the facts, which follow the links."""
    for table in EXTRACTED:
        tx.execute(f"DELETE FROM {table}")  # noqa: S608  # literals
    tx.execute("DELETE FROM meta WHERE key = ?", (CURSOR,))


@pytest.mark.parametrize("part", range(PARTS))
def test_what_is_known_does_not_depend_on_the_order(tmp_path: Path, part: int) -> None:
    """Whatever happened, it is what follows from the messages that are there."""
    for number in range(part, HISTORIES, PARTS):
        seed = f"{SEED}-{number}"
        folder = tmp_path / str(number)
        folder.mkdir()
        overrides = {"embedding.provider": "none", "sessions.mirror": False}
        with recollect.open(folder / "home", overrides=overrides, live=False) as memory:
            history = History(memory, folder, random.Random(seed))
            try:
                for _ in range(STEPS):
                    history.step()
                memory.sync()
                records = memory._rooms.records  # noqa: SLF001
                links, facts = records.read(known)
                records.write(forget_all)
                memory.sync()
                assert records.read(known)[0] == links
                assert records.read(known)[1] == facts
            except BaseException as error:
                error.add_note(f"RECOLLECT_SEED={SEED}, history {number}: {history.log}")
                raise
