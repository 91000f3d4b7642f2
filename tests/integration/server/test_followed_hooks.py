"""Hooks and the transcript that Claude Code writes meanwhile, over real HTTP: each thing once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.support.claude_hooks import IDS, ClaudeSession
from tests.support.running_server import OVERRIDES, RunningServer
from tests.unit.server.client import Client, folder


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where Claude Code keeps its transcripts."""
    made = tmp_path_factory.mktemp("claude") / "projects"
    made.mkdir()
    return made


@pytest.fixture(scope="module")
def server(projects: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A real server that follows them, with a workspace."""
    home = tmp_path_factory.mktemp("served")
    (home / "workspace").mkdir()
    settings = {
        "workspace.transcripts": (str(projects),),
        "workspace.path": str(home / "workspace"),
        "context.prompt": True,
    }
    with RunningServer(home / "home", overrides={**OVERRIDES, **settings}) as running:
        yield running


@pytest.fixture
def client(server: RunningServer) -> Client:
    """The owner's client."""
    return Client(server)


class Transcript:
    """The file that Claude Code writes for a session.

    Args:
        path: The file.
        session: Whose.
    """

    def __init__(self, path: Path, session: ClaudeSession) -> None:
        self.path = path
        self._session = session
        session.transcript = str(path)

    def say(self, kind: str, content: Any, **more: Any) -> None:
        """Write a line."""
        line: dict[str, Any] = {
            "type": kind,
            "uuid": IDS.new(),
            "sessionId": self._session.id,
            "timestamp": "2026-11-22T10:00:00.000Z",
            "cwd": self._session.folder,
            "message": {"role": kind, "content": content},
        }
        if kind == "user":
            line["promptId"] = self._session.prompt_id
        with self.path.open("ab") as file:
            file.write(msgspec.json.encode(line | more) + b"\n")


def written(client: Client, projects: Path, tmp_path: Path) -> tuple[ClaudeSession, Transcript]:
    """Return a session and its transcript, which is not there yet."""
    session = ClaudeSession(client, folder(tmp_path, "tea"))
    place = projects / "-tea"
    place.mkdir(exist_ok=True)
    return session, Transcript(place / f"{session.id}.jsonl", session)


def test_messages_come_from_the_transcript_alone(
    client: Client, projects: Path, tmp_path: Path
) -> None:
    """Issue 13, 1: its file is there only after the first prompt; the end waits for the reader."""
    session, transcript = written(client, projects, tmp_path)
    session.start()
    session.prompt("Where is the kettle?")
    assert session.messages == []
    transcript.say("user", "Where is the kettle?")
    transcript.say("assistant", [{"type": "text", "text": "In the scullery."}])
    session.stop("In the scullery.")
    session.end()
    assert [(each.role, each.text) for each in session.messages] == [
        ("user", "Where is the kettle?"), ("assistant", "In the scullery."),
    ]  # fmt: skip
    assert sorted(each.event for each in session.observations) == ["answer", "prompt"]
    assert session.session.status == "archived"
    assert client.memory.status().sessions >= 1


def test_a_program_that_keeps_no_transcript_is_heard_all_the_same(
    client: Client, projects: Path, tmp_path: Path
) -> None:
    """With `--no-session-persistence` the file that the hooks name never comes."""
    session, _ = written(client, projects, tmp_path)
    session.prompt("Where is the lid?")
    session.stop("On the pot.")
    session.stop("On the pot.")
    assert [each.text for each in session.messages] == ["Where is the lid?", "On the pot."]


def test_only_files_below_a_followed_place_are_looked_at(
    client: Client, projects: Path, tmp_path: Path
) -> None:
    """A hook says which file; it cannot make the worker read another."""
    grew = client.memory.transcript_grew
    inside = projects / "inside.jsonl"
    inside.touch()
    outside = tmp_path / "outside.jsonl"
    outside.touch()
    link = projects / "link.jsonl"
    link.symlink_to(outside)
    found = grew(str(inside), "claude-code")
    assert found is not None
    assert (found.path, found.is_there) == (str(inside.resolve()), True)
    missing = grew(str(projects / "later.jsonl"), "claude-code")
    assert missing is not None
    assert not missing.is_there
    for path in (outside, link, projects / ".." / "x.jsonl", projects / "notes.md", projects):
        assert grew(str(path), "claude-code") is None, path
    for name in ("inside.jsonl", "~/x.jsonl", f"{projects}/a\0.jsonl", f"{projects}/\ud800.jsonl"):
        at = grew(name, "claude-code")
        assert at is None or not at.is_there, name


def test_before_a_compaction_what_must_last_is_written_down(
    client: Client, server: RunningServer, projects: Path, tmp_path: Path
) -> None:
    """PreCompact: what the transcript says by then, each time."""
    session, transcript = written(client, projects, tmp_path)
    assert session.send("PreCompact", trigger="auto") == {}  # of a session never heard of
    session.prompt("Remember: the caddy is locked.")
    notes = Path(client.memory.workspace or "") / "memory"
    for said in ("Remember: the caddy is locked.", "Remember: the spoon is silver."):
        transcript.say("user", said)
        assert session.send("PreCompact", trigger="auto") == {}
        assert session.send("PreCompact", trigger="auto") == {}
        written_down = "".join(each.read_text() for each in notes.glob("*.md"))
        assert written_down.count(said.removeprefix("Remember: ")) == 1


def block(answer: dict[str, Any]) -> str:
    """Return the context that a hook prints; empty where there is none."""
    return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))


def test_each_start_gives_what_the_prompt_lacks(client: Client, tmp_path: Path) -> None:
    """The whole block at first, after clear and compact; at a resume only what is new."""
    project = folder(tmp_path, "context")
    first = ClaudeSession(client, project)
    first.prompt("We decided to use bergamot in the morning.")
    client.memory.sync()  # else the decision comes into the block in between
    session = ClaudeSession(client, project)
    assert "bergamot" in block(session.start())
    assert block(session.start("resume")) == ""
    first.prompt("We decided to use jasmine in the evening.")
    client.memory.sync()
    new = block(session.start("resume"))
    assert ("jasmine" in new, "bergamot" in new) == (True, False)
    for source in ("compact", "clear", "startup", "no such source"):
        whole = block(session.start(source))
        assert ("jasmine" in whole, "bergamot" in whole) == (True, True), source
    (made,) = client.memory.context.injections(session.session.id)
    assert made.client == "claude-code"


def test_a_fork_is_given_what_its_parent_was_not(client: Client, tmp_path: Path) -> None:
    """Its prompt holds what was put into the parent's; no hook says which session that is."""
    project = folder(tmp_path, "fork")
    first = ClaudeSession(client, project)
    first.prompt("We decided to use bergamot in the morning.")
    client.memory.sync()
    parent = ClaudeSession(client, project)
    assert "bergamot" in block(parent.start())
    parent.prompt("And at noon?")
    assert block(ClaudeSession(client, project).start("fork")) == ""
    first.prompt("We decided to use jasmine in the evening.")
    parent.prompt("And at night?")
    client.memory.sync()
    new = block(ClaudeSession(client, project).start("fork"))
    assert ("jasmine" in new, "bergamot" in new) == (True, False)
    alone = ClaudeSession(client, folder(tmp_path, "nothing before"))
    assert block(alone.start("fork")) == ""


def test_a_prompt_is_given_what_answers_it(client: Client, tmp_path: Path) -> None:
    """With `context.prompt`: what the window does not have, and not the prompt itself."""
    project = folder(tmp_path, "asked")
    first = ClaudeSession(client, project)
    first.prompt("We decided to use the porcelain samovar for feasts.")
    session = ClaudeSession(client, project)
    answer = session.prompt("Use the porcelain samovar for feasts?")
    assert answer["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    assert "porcelain samovar for feasts." in block(answer)
    assert block(answer).count("porcelain") == 1
    assert block(session.prompt("What of the porcelain samovar for feasts?")) == ""


def test_a_block_is_never_longer_than_the_client_takes(client: Client, tmp_path: Path) -> None:
    """Claude Code shows 2 kB of what is above 10,000 characters."""
    project = folder(tmp_path, "long")
    first = ClaudeSession(client, project)
    first.prompt("Begin")
    for number in range(150):
        guests = " ".join(f"guest{number}of{house}" for house in range(12))
        said = f"We decided to use pot {number} for {guests}"
        client.memory.observations.record(
            first.session.id, summary=said, type="decision", event="manual"
        )
    given = block(ClaudeSession(client, project).start())
    assert 8_000 < len(given) <= 9_500
