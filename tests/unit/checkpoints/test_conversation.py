"""Rewinds of files together with the conversation: one commit, one undo."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import recollect
from recollect.core.errors import Conflict, NotFound, RewindConflict
from recollect.memory import Memory
from recollect.sessions.record.message import Message


class Work(msgspec.Struct, frozen=True):
    """A memory with a session whose agent changes files."""

    memory: Memory
    root: Path
    session: str

    def change(self, text: str, actor: str | None = None) -> None:
        """Let the agent write a file."""
        with self.memory.checkpoints.around(self.session, self.root, ["a.txt"], "Write"):
            (self.root / "a.txt").write_text(text)

    def say(self, role: str, text: str) -> Message:
        """Append a message."""
        return self.memory.sessions.append(self.session, role, text)

    def said(self) -> list[str]:
        """Return what the session shows."""
        return [each.text for each in self.memory.sessions.messages(self.session)]

    def hits(self, query: str) -> list[str]:
        """Return what a search finds."""
        self.memory.sync()
        return [hit.snippet for hit in self.memory.search(query).hits]

    @property
    def file(self) -> str:
        """What the file holds."""
        return (self.root / "a.txt").read_text()


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Work]:
    """Two turns, in each of which the file was changed."""
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.txt").write_text("nothing\n")
    with recollect.open(
        tmp_path / "home", overrides={"embedding.provider": "none"}, live=False
    ) as memory:
        work = Work(memory, root, memory.sessions.create(title="Tea").id)
        work.say("user", "Write the samovar into the file.")
        work.change("samovar\n")
        work.say("assistant", "The samovar is in.")
        work.say("user", "Now the porcelain instead.")
        work.change("porcelain\n")
        work.say("assistant", "The porcelain is in.")
        yield work


def test_a_message_takes_its_answer_and_its_files_along(work: Work) -> None:
    """And undo brings all of it back, redo takes it again, and undo brings it back again."""
    message = work.memory.sessions.messages(work.session)[2]
    plan = work.memory.checkpoints.plan(message.id, conversation=True)
    assert (plan.first_seq, plan.last_seq) == (3, 4)
    before = work.said()
    assert work.hits("porcelain")
    done = work.memory.checkpoints.apply(plan)
    assert (done.first_seq, done.last_seq, work.file) == (3, 4, "samovar\n")
    assert work.said() == before[:2]
    assert not work.hits("porcelain")
    for _ in range(2):
        work.memory.checkpoints.undo(done.id)
        assert (work.said(), work.file) == (before, "porcelain\n")
        assert work.hits("porcelain")
        work.memory.checkpoints.redo(done.id)
        assert (work.said(), work.file) == (before[:2], "samovar\n")


def test_a_checkpoint_keeps_what_was_said_before_it(work: Work) -> None:
    """The call of a tool runs after its prompt."""
    second = work.memory.checkpoints.list(work.session)[1]
    work.memory.checkpoints.rewind(second, conversation=True)
    assert work.said()[-1] == "Now the porcelain instead."
    assert work.file == "samovar\n"


def test_files_alone_leave_the_conversation(work: Work) -> None:
    """It is the default."""
    before = work.said()
    work.memory.checkpoints.rewind(work.memory.checkpoints.list(work.session)[1])
    assert (work.said(), work.file) == (before, "samovar\n")


def test_newer_messages_refuse_the_undo_of_a_conversation_and_not_of_files(work: Work) -> None:
    """Nothing is changed by the refused one; the hint names the fork."""
    done = work.memory.checkpoints.rewind(
        work.memory.checkpoints.list(work.session)[1], conversation=True
    )
    work.say("user", "Something newer.")
    with pytest.raises(RewindConflict, match="newer messages") as refused:
        work.memory.checkpoints.undo(done.id)
    assert "fork it at" in str(refused.value.hint)
    assert (work.said()[-1], work.file) == ("Something newer.", "samovar\n")
    work.memory.checkpoints.undo(done.id, conversation=False)
    assert (work.said()[-1], work.file) == ("Something newer.", "porcelain\n")


def test_a_plan_is_out_of_date_when_something_was_said(work: Work) -> None:
    """Nobody agreed to take it out."""
    plan = work.memory.checkpoints.plan(
        work.memory.checkpoints.list(work.session)[1], conversation=True
    )
    work.say("user", "Wait.")
    with pytest.raises(RewindConflict, match="out of date"):
        work.memory.checkpoints.apply(plan)
    assert (work.said()[-1], work.file) == ("Wait.", "porcelain\n")


def test_a_redo_takes_out_nothing_newer(work: Work) -> None:
    """What was said since the undo stays, and files with it."""
    done = work.memory.checkpoints.rewind(
        work.memory.checkpoints.list(work.session)[1], conversation=True
    )
    work.memory.checkpoints.undo(done.id)
    work.say("user", "Something newer.")
    with pytest.raises(RewindConflict, match="newer messages"):
        work.memory.checkpoints.redo(done.id)
    assert (work.said()[-1], work.file) == ("Something newer.", "porcelain\n")


def test_a_session_that_another_program_holds_is_not_rewound(work: Work) -> None:
    """Files neither: a rewind is whole or not at all."""
    checkpoint = work.memory.checkpoints.list(work.session)[1]
    with work.memory.sessions.hold(work.session, exclusive=True), pytest.raises(Conflict):
        work.memory.checkpoints.rewind(checkpoint, conversation=True)
    assert (work.said()[-1], work.file) == ("The porcelain is in.", "porcelain\n")
    assert not any(each.status == "done" for each in work.memory.checkpoints.rewinds(work.session))


def test_one_call_is_taken_back_where_nothing_came_after_it(work: Work) -> None:
    """Another call of the session changed the same file since: a conflict, which can be merged."""
    first, second = work.memory.checkpoints.list(work.session)
    assert work.memory.checkpoints.plan(first, only_call=True).conflicts == ("a.txt",)
    work.memory.checkpoints.rewind(second, only_call=True)
    assert work.file == "samovar\n"


def test_an_undo_after_an_erase_of_the_session_finds_nothing(work: Work) -> None:
    """Erase wins."""
    done = work.memory.checkpoints.rewind(
        work.memory.checkpoints.list(work.session)[1], conversation=True
    )
    work.memory.erase(session_id=work.session)
    with pytest.raises(NotFound):
        work.memory.checkpoints.undo(done.id)
    assert work.file == "samovar\n"
