"""What of a session stands in the prompt, on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

import recollect
from tests.unit.cli.conftest import Run

pytestmark = pytest.mark.usefixtures("filled")


def test_the_view_is_what_a_model_is_shown(run: Run, home: Path) -> None:
    """All of a short session, as a transcript shows it."""
    done = run("--home", home, "sessions", "view", "delivery")
    assert done.out.startswith("    1 Mira  2026-05-04 09:00  m1\n")
    assert done.err.startswith("delivery  ")
    assert done.err.endswith(" tokens\n\n")
    document = run("--home", home, "sessions", "view", "delivery", "--json").json
    assert (len(document["messages"]), document["summary"]) == (4, None)


def test_a_small_budget_says_what_is_left_out(run: Run, home: Path) -> None:
    """And that a compaction would help."""
    done = run("--home", home, "sessions", "view", "delivery", "--budget", "40")
    assert " left out, a compaction is due\n" in done.err
    assert "    1 Mira" not in done.out
    assert run("--home", home, "sessions", "view", "delivery", "--budget", "0").code == 2


def test_a_message_that_is_too_long_is_shown_in_part_and_said_so(run: Run, home: Path) -> None:
    """The mark stands in the text, the number of such messages above it."""
    with recollect.open(home, live=False) as memory:
        memory.sessions.append(memory.sessions.find("delivery").id, "user", "one more crate " * 900)
    done = run("--home", home, "sessions", "view", "delivery", "--budget", "60")
    assert " 4 messages left out, 1 message in part, a compaction is due\n" in done.err
    assert "characters left out …]" in done.out
    document = run("--home", home, "sessions", "view", "delivery", "--budget", "60", "--json").json
    assert document["truncated"] == [5]


def test_a_compaction_tells_what_it_replaced(run: Run, home: Path) -> None:
    """The view begins with the summary, the transcript is as long as before."""
    done = run("--home", home, "sessions", "compact", "delivery", "--keep", "1")
    assert done.out.startswith("messages 1 to 3 are a summary by extractive")
    view = run("--home", home, "sessions", "view", "delivery").out.splitlines()
    assert view[0] == "messages 1 to 3, as a summary"
    assert len(run("--home", home, "transcript", "delivery", "--json").json["messages"]) == 4
    shown = run("--home", home, "sessions", "show", "delivery", "--json").json
    assert [made["through_seq"] for made in shown["compactions"]] == [3]


@pytest.mark.parametrize(
    ("options", "why"),
    [((), "all messages are among those that stay"), (("--if-due",), "the view is not full")],
)
def test_nothing_to_compact_is_an_answer(
    run: Run, home: Path, options: tuple[str, ...], why: str
) -> None:
    """With the reason."""
    done = run("--home", home, "sessions", "compact", "delivery", *options)
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith(f"not compacted: {why}\n")
    assert run("--home", home, "sessions", "compact", "delivery", "--json", *options).json


def talk(home: Path) -> None:
    """Say something that must last, in a session of the owner's."""
    with recollect.open(home) as memory:
        session = memory.sessions.open("talk", owner=True)
        said = ("Hello.", "Remember: the key is under the blue pot.", "Bye.")
        memory.sessions.append_many(session.id, [("user", text) for text in said])


def test_what_must_last_is_written_into_the_notes(run: Run, home: Path, workspace: Path) -> None:
    """Once."""
    talk(home)
    done = run("--home", home, "sessions", "flush", "talk")
    count, _, path = done.out.strip().partition(" added to ")
    assert count.endswith(("note", "notes"))
    assert "blue pot" in (workspace / path).read_text(encoding="utf-8")
    again = run("--home", home, "sessions", "flush", "talk")
    assert (again.out, again.err) == ("", "not flushed: it was done since the last compaction\n")
    document = run("--home", home, "sessions", "flush", "talk", "--json").json
    assert document["outcome"] == "done"


def test_a_flush_that_fails_is_a_failure(run: Run, home: Path, workspace: Path) -> None:
    """Of the command; a compaction goes on without it."""
    folder = workspace / "memory"
    folder.rename(workspace / "elsewhere")
    folder.symlink_to(workspace / "elsewhere")
    talk(home)
    done = run("--home", home, "sessions", "flush", "talk")
    assert (done.code, done.out) == (1, "")
    assert done.err == "not flushed: the notes could not be written: denied\n"
    assert "last flush    1 failed so far" in run("--home", home, "sessions", "show", "talk").out
    done = run("--home", home, "sessions", "compact", "talk", "--keep", "1")
    assert done.code == 0
    assert "are a summary" in done.out


def test_where_it_is_not_known_who_heard_it_nothing_is_flushed(run: Run, home: Path) -> None:
    """And the reason is told."""
    done = run("--home", home, "sessions", "flush", "delivery")
    why = "it was imported without a key, so it is not known who heard it"
    assert (done.code, done.out, done.err) == (0, "", f"not flushed: {why}\n")


def test_what_a_guest_said_is_flushed_into_the_home(run: Run, home: Path, workspace: Path) -> None:
    """Other programs index the workspace."""
    run("--home", home, "sessions", "start", "--key", "telegram:43")
    run("--home", home, "sessions", "say", "telegram:43", "user", "I always prefer tea.")
    done = run("--home", home, "sessions", "flush", "telegram:43")
    (note,) = home.glob("notes/*/*.md")
    assert (done.code, done.out) == (0, f"1 note added to {note.relative_to(home)}\n")
    assert "I always prefer tea." in note.read_text()
    assert "prefer tea" not in "".join(each.read_text() for each in workspace.rglob("*.md"))
