"""Random histories with rewinds, forks, compactions and undos, against a home without the turns.

The twin is a simple model of what each session shows, message by message. `REWIND_HISTORIES` sets
how many histories are played, `RECOLLECT_SEED` which.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

import recollect
from recollect.core.errors import RewindConflict
from recollect.memory import Memory
from tests.unit.sessions.home import HandClock

HISTORIES = int(os.environ.get("REWIND_HISTORIES", "5"))  # noqa: TID251 - how long a test runs
SEED = int(os.environ.get("RECOLLECT_SEED", "0"))  # noqa: TID251 - which histories
STEPS = 24
SETTINGS = {"embedding.provider": "none"}
WORDS = (
    *("anchor", "birch", "copper", "dynamo", "ember", "fjord", "granite", "harbour", "isotope"),
    *("juniper", "kestrel", "lantern", "marble", "nectar", "obelisk", "pewter", "quarry", "rudder"),
)


class Model:
    """What each session shows: the texts of a line, and the rewinds that can still be undone."""

    def __init__(self) -> None:
        self.shown: dict[str, list[tuple[int, str]]] = {}
        self.last: dict[str, int] = {}
        self.rewinds: list[tuple[str, str, int, list[tuple[int, str]], int]] = []
        """Id, session, its newest seq then, what was shown before, and the seq that stayed."""

    def undo(self, id_: str) -> None:
        """Return what a rewind took out; those after it in the session still count."""
        ((_, session, _, before, _),) = [each for each in self.rewinds if each[0] == id_]
        position = next(n for n, each in enumerate(self.rewinds) if each[0] == id_)
        shown = before
        for n, (other, of, last, _, to_seq) in enumerate(self.rewinds[position + 1 :], 1):
            if of == session:
                self.rewinds[position + n] = (other, of, last, shown, to_seq)
                shown = [each for each in shown if each[0] <= to_seq]
        self.shown[session] = shown
        del self.rewinds[position]


class History:
    """One random history of a home, followed by a model."""

    def __init__(self, memory: Memory, clock: HandClock, chance: random.Random) -> None:
        self.memory, self.clock = memory, clock
        self.random, self.model = chance, Model()
        self.count = 0
        self.begin()

    def begin(self) -> None:
        """Begin a session."""
        id_ = self.memory.sessions.create().id
        self.model.shown[id_], self.model.last[id_] = [], 0

    def step(self) -> None:
        """Do something random."""
        session = self.random.choice(list(self.model.shown))
        ways = (self.say, self.say, self.say, self.rewind, self.undo, self.fork, self.compact)
        self.random.choice(ways)(session)
        self.clock.now += 1_000

    def say(self, session: str) -> None:
        """Append one to three messages."""
        for _ in range(self.random.randint(1, 3)):
            self.count += 1
            words = self.random.choices(WORDS, k=6)
            text = f"Note {self.count}: the {' '.join(words)}."
            role = self.random.choice(("user", "assistant"))
            message = self.memory.sessions.append(session, role, text)
            self.model.last[session] += 1
            assert message.seq == self.model.last[session]
            self.model.shown[session].append((message.seq, text))

    def rewind(self, session: str) -> None:
        """Take some of the last messages out."""
        before = self.model.shown[session]
        if before:
            to_seq = self.random.choice([0, *(seq for seq, _ in before[:-1])])
            rewind = self.memory.sessions.rewind(session, to_seq)
            last = self.model.last[session]
            self.model.rewinds.append((rewind.id, session, last, before, to_seq))
            self.model.shown[session] = [each for each in before if each[0] <= to_seq]

    def undo(self, session: str) -> None:
        """Undo a rewind; it is refused where newer messages follow."""
        mine = [each for each in self.model.rewinds if each[1] == session]
        if mine:
            id_, _, last, before, _ = self.random.choice(mine)
            if self.model.last[session] == last:
                self.memory.sessions.undo_rewind(id_)
                self.model.undo(id_)
                return
            with pytest.raises(RewindConflict) as refused:
                self.memory.sessions.undo_rewind(id_)
            seq = before[-1][0]
            assert refused.value.facts["at_seq"] == seq
            fork = self.memory.sessions.fork(session, seq).id
            self.model.shown[fork], self.model.last[fork] = list(before), seq

    def fork(self, session: str) -> None:
        """Branch off at a message that is shown."""
        shown = self.model.shown[session]
        if shown:
            seq = self.random.choice(shown)[0]
            fork = self.memory.sessions.fork(session, seq).id
            self.model.shown[fork] = [each for each in shown if each[0] <= seq]
            self.model.last[fork] = seq

    def compact(self, session: str) -> None:
        """Let a summary replace what is old; sometimes end the session."""
        if self.random.random() < 0.5:
            self.memory.sessions.end(session)
        elif len(self.model.shown[session]) > 2:
            self.memory.sessions.compact(session, f"Summary {self.count}.", keep_messages=1)

    def check(self) -> None:
        """Compare views, counts and searches with what the model says."""
        self.memory.sync()
        for session, shown in self.model.shown.items():
            messages = self.memory.sessions.messages(session)
            assert [(each.seq, each.text) for each in messages] == shown
            view = self.memory.sessions.view(session)
            tail = [each for each in shown if each[0] > view.through_seq]
            assert [(each.seq, each.text) for each in view.messages] == tail
            forked = self.memory.sessions.get(session).forked_at_seq or 0
            own = sum(seq > forked for seq, _ in shown)
            assert self.memory.sessions.get(session).message_count == own
        everything = {text for shown in self.model.shown.values() for _, text in shown}
        for word in WORDS:
            hits = self.memory.search(word, limit=1_000, sources=["sessions"]).hits
            found = {hit.snippet for hit in hits}
            assert found <= everything  # neighbours of what has the word are found as well
            assert {text for text in everything if f" {word}" in text} <= found


@pytest.mark.parametrize("number", range(HISTORIES))
def test_random_histories_show_what_a_model_says(tmp_path: Path, number: int) -> None:
    """After every few steps: messages, views, counts, and the one search."""
    clock, chance = HandClock(), random.Random(f"{SEED} {number}")
    with recollect.open(tmp_path, overrides=SETTINGS, clock=clock, live=False) as memory:
        history = History(memory, clock, chance)
        history.begin()
        try:
            for step in range(STEPS):
                history.step()
                if step % 6 == 5:
                    history.check()
        except AssertionError as error:
            error.add_note(f"RECOLLECT_SEED={SEED}, number {number}")
            raise
