"""Checkpoints by the hooks of agents: what a tool changed is put back, and nothing else.

Source: issue of step 15, "Capture".
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.checkpoints.checkpoints import Checkpoints
from recollect.checkpoints.record.rows import Checkpoint
from tests.support.claude_hooks import IDS, ClaudeSession
from tests.support.running_server import OVERRIDES, RunningServer
from tests.unit.server.client import Client


class Worked:
    """A session of an agent that works in a root, and the checkpoints of its memory."""

    def __init__(self, client: Client, root: Path) -> None:
        self.client, self.root = client, root
        self.agent = ClaudeSession(client, str(root))

    @property
    def checkpoints(self) -> Checkpoints:
        """Those of the memory."""
        return self.client.memory.checkpoints

    @property
    def taken(self) -> list[Checkpoint]:
        """Those of the session that a tool had taken."""
        every = self.checkpoints.list(self.agent.session.id)
        return [each for each in every if each.kind == "tool"]

    def begin(self, name: str, use: str, **given: object) -> None:
        """Tell that a tool is about to run."""
        told = {"tool_name": name, "tool_input": given, "tool_use_id": use}
        assert self.agent.send("PreToolUse", **told) == {}

    def end(self, name: str, use: str, **given: object) -> None:
        """Tell that it ran."""
        assert self.agent.tool(name, {"stdout": ""}, use, **given) == {}

    def write(self, path: Path, content: str, use: str = "") -> None:
        """Write a file as the tool does, with its hooks."""
        use = use or f"toolu_{IDS.new()}"
        given = {"file_path": str(path), "content": content}
        self.begin("Write", use, **given)
        path.write_text(content, encoding="utf-8")
        self.end("Write", use, **given)

    def statuses(self, checkpoint: Checkpoint | None = None) -> dict[str, tuple[str, str | None]]:
        """Return what a rewind to the first checkpoint would find, by path."""
        plan = self.checkpoints.plan(checkpoint or self.taken[0])
        return {item.path: (item.status, item.reason) for item in plan.items}

    def rewind(self, checkpoint: Checkpoint | None = None) -> None:
        """Go back to the first checkpoint."""
        self.checkpoints.apply(self.checkpoints.plan(checkpoint or self.taken[0]))


@pytest.fixture
def served(tmp_path: Path) -> Iterator[RunningServer]:
    """A server whose memory keeps what changes below a root."""
    root = tmp_path / "root"
    root.mkdir()
    overrides = {**OVERRIDES, "checkpoints.enabled": True, "checkpoints.roots": [str(root)]}
    with RunningServer(tmp_path / "home", overrides=overrides) as running:
        yield running


@pytest.fixture
def worked(served: RunningServer, tmp_path: Path) -> Worked:
    """An agent in the root."""
    return Worked(Client(served), tmp_path / "root")


def test_a_file_that_a_tool_wrote_is_put_back(worked: Worked) -> None:
    """The thin path."""
    path = worked.root / "a.txt"
    path.write_text("mine\n")
    worked.agent.prompt("Change it")
    worked.write(path, "its\n")
    worked.write(worked.root / "new.txt", "new\n")
    assert {each.tool_name for each in worked.taken} == {"Write"}
    worked.rewind()
    assert path.read_text() == "mine\n"
    assert not (worked.root / "new.txt").exists()


def test_what_a_shell_did_is_put_back(worked: Worked) -> None:
    """Moved, removed, changed in place, made, with another mode: a whole root is compared."""
    for name in ("moved", "removed", "changed", "mode"):
        (worked.root / name).write_text(name, encoding="utf-8")
    worked.begin("Bash", "toolu_1", command="…")
    (worked.root / "moved").rename(worked.root / "elsewhere")
    (worked.root / "removed").unlink()
    (worked.root / "changed").write_text("other", encoding="utf-8")
    (worked.root / "mode").chmod(0o600)
    worked.end("Bash", "toolu_1", command="…")
    (worked.root / "users").write_text("mine", encoding="utf-8")
    worked.rewind()
    assert {each.name: each.read_text() for each in worked.root.iterdir()} == {
        "moved": "moved",
        "removed": "removed",
        "changed": "changed",
        "mode": "mode",
        "users": "mine",
    }
    assert (worked.root / "mode").stat().st_mode & 0o777 == 0o644


def test_a_tool_that_only_reads_costs_nothing(worked: Worked) -> None:
    """Neither a row nor a look at the disk; nor does one of ours."""
    worked.agent.prompt("Look")
    for name in ("Read", "Grep", "WebFetch", "mcp__plugin_recollect_memory__memory_search"):
        worked.begin(name, f"toolu_{name}", file_path=str(worked.root / "a"))
        worked.end(name, f"toolu_{name}", file_path=str(worked.root / "a"))
    assert worked.checkpoints.list(worked.agent.session.id) == []


def test_a_message_is_marked_with_the_first_call_that_changes_files(worked: Worked) -> None:
    """Going back to a message takes back what came after it; one that changes nothing has none."""
    path = worked.root / "a.txt"
    for turn in ("one", "two", "three"):
        worked.agent.prompt(turn)
        if turn != "two":
            worked.write(path, turn)
            worked.write(worked.root / "b.txt", turn)
    every = worked.checkpoints.list(worked.agent.session.id)
    assert [each.kind for each in every] == ["message", "tool", "tool"] * 2
    marks = [each for each in every if each.kind == "message"]
    messages = {each.id: each.text for each in worked.agent.messages}
    assert [messages[str(each.user_message_id)] for each in marks] == ["one", "three"]
    worked.rewind(marks[1])
    assert path.read_text(encoding="utf-8") == "one"
    worked.rewind(marks[0])
    assert list(worked.root.iterdir()) == []


def test_checkpoint_and_observation_are_of_one_session_and_call(worked: Worked) -> None:
    """A sub-agent is the actor of its calls."""
    path = worked.root / "a.txt"
    given = {"file_path": str(path), "content": "x"}
    told = {"tool_name": "Write", "tool_input": given, "tool_use_id": "toolu_1"}
    worked.agent.send("PreToolUse", agent_id="a949e1", **told)
    path.write_text("x", encoding="utf-8")
    worked.agent.send("PostToolUse", agent_id="a949e1", tool_response={}, **told)
    (checkpoint,) = worked.taken
    (observation,) = worked.agent.observations
    assert checkpoint.tool_use_id == observation.tool_use_id == "toolu_1"
    assert checkpoint.session_id == observation.session_id
    assert checkpoint.actor == observation.agent_id == "a949e1"


def test_a_hook_that_is_retried_keeps_the_first_state(worked: Worked) -> None:
    """Before and after alike."""
    path = worked.root / "a.txt"
    path.write_text("mine", encoding="utf-8")
    given = {"file_path": str(path), "content": "its"}
    worked.begin("Write", "toolu_1", **given)
    path.write_text("its", encoding="utf-8")
    worked.begin("Write", "toolu_1", **given)
    worked.end("Write", "toolu_1", **given)
    path.write_text("users", encoding="utf-8")
    worked.end("Write", "toolu_1", **given)
    assert len(worked.taken) == 1
    assert worked.statuses() == {"a.txt": ("conflict", "somebody else changed it since")}


def test_a_file_that_was_not_seen_before_is_said_to_be_uncaptured(worked: Worked) -> None:
    """A hook before the tool that did not come, or came too late."""
    path = worked.root / "a.txt"
    path.write_text("its", encoding="utf-8")
    given = {"file_path": str(path), "content": "its"}
    told = {"originalFile": "mine [redacted:x]", "structuredPatch": [{}]}
    worked.agent.tool("Write", told, "toolu_1", **given)
    assert worked.statuses() == {"a.txt": ("uncaptured", "not seen before")}
    late = {"tool_name": "Write", "tool_input": given, "tool_use_id": "toolu_2"}
    body = {"session_id": worked.agent.id, "cwd": worked.agent.folder, **late}
    target = "/api/hooks/claude-code?event=PreToolUse&waits_until=1"
    assert worked.client.post(target, body) == (200, {})
    assert worked.statuses(worked.taken[1]) == {"a.txt": ("uncaptured", "not seen before")}


def test_a_shell_that_was_not_seen_before_leaves_nothing_unsaid(worked: Worked) -> None:
    """What changed since the root was last looked at may be its doing."""
    (worked.root / "a.txt").write_text("mine", encoding="utf-8")
    worked.begin("Bash", "toolu_1", command="true")
    worked.end("Bash", "toolu_1", command="true")
    (worked.root / "a.txt").write_text("its", encoding="utf-8")
    worked.end("Bash", "toolu_2", command="sed")
    assert worked.statuses() == {"a.txt": ("uncaptured", "not seen before")}


def test_a_tool_that_failed_left_something_too(worked: Worked) -> None:
    """`PostToolUseFailure`."""
    path = worked.root / "a.txt"
    path.write_text("mine", encoding="utf-8")
    worked.begin("Bash", "toolu_1", command="…")
    path.write_text("half", encoding="utf-8")
    told = {"tool_name": "Bash", "tool_input": {"command": "…"}, "tool_use_id": "toolu_1"}
    worked.agent.send("PostToolUseFailure", error="Exit code 1", **told)
    worked.rewind()
    assert path.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("tool", ["Write", "Bash"])
def test_what_a_killed_tool_left_is_not_guessed(worked: Worked, tool: str) -> None:
    """Nothing tells of its end: what is as before is clean, what is not may be the user's."""
    same, other = worked.root / "same.txt", worked.root / "other.txt"
    for path in (same, other):
        path.write_text("mine", encoding="utf-8")
    for path in (same, other):
        worked.begin(tool, f"toolu_{path.stem}", file_path=str(path), command="…")
    other.write_text("half", encoding="utf-8")
    worked.agent.stop("I was interrupted.")
    other.write_text("users", encoding="utf-8")
    worked.begin("Bash", "toolu_next", command="true")
    worked.end("Bash", "toolu_next", command="true")
    statuses = worked.statuses()
    assert statuses.pop("other.txt")[0] == "conflict"
    assert {status for status, _ in statuses.values()} <= {"already"}


def test_commands_that_overlap_lose_nothing(worked: Worked) -> None:
    """Of one session: what changed while both ran is taken back, whoever did it."""
    worked.begin("Bash", "toolu_1", command="…")
    (worked.root / "a").touch()
    worked.begin("Bash", "toolu_2", command="…")
    (worked.root / "b").touch()
    worked.end("Bash", "toolu_1", command="…")
    (worked.root / "c").touch()
    worked.end("Bash", "toolu_2", command="…")
    assert worked.statuses() == dict.fromkeys("abc", ("clean", None))
    worked.rewind()
    assert list(worked.root.iterdir()) == []


def test_commands_of_two_sessions_that_overlap_are_in_conflict(worked: Worked) -> None:
    """Nobody knows whose change it is."""
    other = Worked(worked.client, worked.root)
    worked.begin("Bash", "toolu_1", command="…")
    other.begin("Bash", "toolu_2", command="…")
    (worked.root / "a").touch()
    worked.end("Bash", "toolu_1", command="…")
    other.end("Bash", "toolu_2", command="…")
    for each in (worked, other):
        assert each.statuses() == {"a": ("conflict", "it is not known what the tool left")}


def test_what_another_tool_wrote_while_a_command_ran_is_that_tools(worked: Worked) -> None:
    """A command of one session does not take back a file that another session wrote."""
    other = Worked(worked.client, worked.root)
    worked.begin("Bash", "toolu_1", command="sleep")
    other.write(worked.root / "a", "other's")
    worked.end("Bash", "toolu_1", command="sleep")
    assert worked.statuses() == {}
    assert other.statuses() == {"a": ("clean", None)}


def test_a_file_outside_of_all_roots_is_counted(worked: Worked, tmp_path: Path) -> None:
    """It has no checkpoint; nor has a command that runs elsewhere, or the inside of git."""
    outside = tmp_path / "outside.txt"
    worked.write(outside, "its")
    (worked.root / ".git").mkdir()
    worked.write(worked.root / ".git" / "config", "its")
    (worked.root / "link").symlink_to(tmp_path)
    worked.write(worked.root / "link" / "linked.txt", "its")
    assert worked.checkpoints.list(worked.agent.session.id) == []
    assert worked.client.memory.capture.counts()["outside_roots"] == 6


def test_the_root_is_the_longest_that_contains_the_file(tmp_path: Path) -> None:
    """A root in a root; a call may name files of several."""
    outer, inner = tmp_path / "outer", tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    roots = [str(outer), str(inner)]
    overrides = {**OVERRIDES, "checkpoints.enabled": True, "checkpoints.roots": roots}
    with RunningServer(tmp_path / "home", overrides=overrides) as server:
        worked = Worked(Client(server), outer)
        worked.write(inner / "a", "x")
        worked.write(outer / "b", "x")
        assert [each.root for each in worked.taken] == [str(inner), str(outer)]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("capture.skip_paths", ["a.txt"]),
        ("privacy.exclude_projects", ["root"]),
        ("pause", None),
        (".recollect-off", None),
        ("checkpoints.enabled", False),
    ],
)
def test_what_is_not_captured_has_no_checkpoint(tmp_path: Path, name: str, value: object) -> None:
    """Its bytes are nowhere."""
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text("mine", encoding="utf-8")
    settings = {"checkpoints.enabled": True, "checkpoints.roots": [str(root)]}
    changed = {name: value} if value is not None else {}
    with RunningServer(tmp_path / "home", overrides={**OVERRIDES, **settings, **changed}) as server:
        worked = Worked(Client(server), root)
        if name == "pause":
            worked.client.memory.capture.pause()
        elif name == ".recollect-off":
            (root / name).touch()
        worked.write(root / "a.txt", "its")
        assert not (tmp_path / "home" / "checkpoints" / "contents.db").exists()


def test_an_excluded_file_is_only_listed(tmp_path: Path) -> None:
    """`checkpoints.exclude`."""
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.pem").write_text("mine", encoding="utf-8")
    settings = {
        "checkpoints.enabled": True,
        "checkpoints.roots": [str(root)],
        "checkpoints.exclude": ["*.pem"],
    }
    with RunningServer(tmp_path / "home", overrides={**OVERRIDES, **settings}) as server:
        worked = Worked(Client(server), root)
        worked.write(root / "a.pem", "its")
        assert worked.statuses() == {"a.pem": ("uncaptured", "excluded")}


def test_a_part_of_a_root_can_be_left_out(worked: Worked) -> None:
    """`.recollect-off` in a folder of it, for files by name and for commands."""
    private = worked.root / "private"
    private.mkdir()
    (private / ".recollect-off").touch()
    (private / "a.txt").write_text("mine", encoding="utf-8")
    worked.write(private / "a.txt", "its")
    worked.begin("Bash", "toolu_1", command="…")
    (private / "a.txt").write_text("other", encoding="utf-8")
    worked.end("Bash", "toolu_1", command="…")
    assert worked.statuses() == {"private/a.txt": ("uncaptured", "excluded")}


def test_a_tool_of_the_settings_changes_files(tmp_path: Path) -> None:
    """`checkpoints.tools`."""
    root = tmp_path / "root"
    root.mkdir()
    settings = {
        "checkpoints.enabled": True,
        "checkpoints.roots": [str(root)],
        "checkpoints.tools": ["Scribble:where", "Deploy"],
    }
    with RunningServer(tmp_path / "home", overrides={**OVERRIDES, **settings}) as server:
        worked = Worked(Client(server), root)
        for tool in ("Scribble", "Deploy"):
            worked.begin(tool, f"toolu_{tool}", where=str(root / tool))
            (root / tool).touch()
            worked.end(tool, f"toolu_{tool}", where=str(root / tool))
        assert worked.statuses() == dict.fromkeys(("Scribble", "Deploy"), ("clean", None))


def test_a_worker_that_hung_is_told_of_a_call_all_at_once(worked: Worked) -> None:
    """Both hooks of a call are answered at the same time: it has one checkpoint."""
    path = worked.root / "a.txt"
    path.write_text("its", encoding="utf-8")
    given = {"file_path": str(path), "content": "its"}
    for number in range(10):
        use = f"toolu_{number}"
        threads = [
            threading.Thread(target=call, args=("Write", use), kwargs=given)
            for call in (worked.begin, worked.end)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(worked.taken) == 10


def test_gemini_names_a_call_only_by_its_input(worked: Worked) -> None:
    """The time differs before and after; the checkpoint has the id of the observation."""
    path = worked.root / "a.txt"
    given = {"file_path": str(path), "content": "x"}
    told = {"session_id": "g-1", "cwd": str(worked.root), "tool_name": "write_file"}
    for turn in (1, 2):
        body = {**told, "tool_input": given, "timestamp": f"2026-01-02T03:04:0{turn}Z"}
        assert worked.client.post("/api/hooks/gemini?event=BeforeTool", body) == (200, {})
        path.write_text(f"x{turn}", encoding="utf-8")
        body |= {"timestamp": f"2026-01-02T03:05:0{turn}Z", "tool_response": {"llmContent": "ok"}}
        assert worked.client.post("/api/hooks/gemini?event=AfterTool", body) == (200, {})
    memory = worked.client.memory
    (session,) = memory.sessions.list()
    uses = [each.tool_use_id for each in memory.observations.list(session_id=session.id)]
    taken = memory.checkpoints.list(session.id)
    assert [each.tool_use_id for each in taken] == uses[::-1]
    assert [it.status for it in memory.checkpoints.plan(taken[0]).items] == ["clean"]
