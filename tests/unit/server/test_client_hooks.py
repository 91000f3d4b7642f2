"""Hooks of agent programs over real HTTP: their payloads in, what they honour out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from recollect.cli.output.status_lines import pairs_of
from recollect.core.errors import InvalidInput
from tests.support.claude_hooks import IDS, ClaudeSession
from tests.support.running_server import RunningServer
from tests.unit.server.client import Client, folder


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A real server; each test has sessions and projects of its own."""
    with RunningServer(tmp_path_factory.mktemp("served") / "home") as running:
        yield running


@pytest.fixture
def client(server: RunningServer) -> Client:
    """The owner's client."""
    return Client(server)


def test_a_day_of_claude_code(client: Client, tmp_path: Path) -> None:
    """Issue 13.1: observations by hooks; the next session is given what was learnt."""
    monday = ClaudeSession(client, folder(tmp_path, "tea"))
    assert monday.start() == {}
    assert monday.prompt("Rename the retry helper and add a test.") == {}
    assert monday.before("Bash", command="git commit -m 'Fix the PATH of cron'") == {}
    assert (
        monday.tool("Bash", {"stdout": "1 file"}, command="git commit -m 'Fix the PATH of cron'")
        == {}
    )
    assert monday.stop("Renamed and tested.") == {}
    assert monday.end() == {}
    session = monday.session
    assert (session.source, session.foreign_id, session.key) == ("claude-code", monday.id, None)
    assert (session.agent, session.project, session.status) == (
        "claude-code",
        monday.folder,
        "archived",
    )
    assert [(each.event, each.type) for each in monday.observations] == [
        ("prompt", "prompt"),
        ("tool", "bugfix"),
        ("answer", "answer"),
    ]
    tuesday = ClaudeSession(client, monday.folder)
    given = tuesday.start()["hookSpecificOutput"]
    assert given["hookEventName"] == "SessionStart"
    assert "Fix the PATH of cron" in given["additionalContext"]


def lines_of(client: Client, query: str) -> list[tuple[str, str]]:
    """Return the source and type of what a search finds."""
    asked = {"query": query, "sources": ["observations", "sessions"]}
    status, found = client.post("/api/search", asked)
    assert status == 200, found
    return [(each["source"], each["type"]) for each in found["results"]]


def test_a_prompt_and_an_answer_are_found_once(client: Client, tmp_path: Path) -> None:
    """Issue 13, 1: a message and an observation, one hit; a decision is a kind of its own."""
    session = ClaudeSession(client, folder(tmp_path, "once"))
    session.prompt("Where does the samovar stand?")
    session.stop("The samovar stands in the scullery.")
    assert [(each.role, each.text) for each in session.messages] == [
        ("user", "Where does the samovar stand?"),
        ("assistant", "The samovar stands in the scullery."),
    ]
    assert [each.message_id for each in session.observations] == [
        each.id for each in session.messages
    ]
    assert sorted(lines_of(client, "samovar")) == [("sessions", "assistant"), ("sessions", "user")]
    around = client.post("/api/timeline", {"anchor": session.messages[0].id})[1]
    assert [each["type"] for each in around["after"]] == ["assistant"]
    session.prompt("We decided to use the urn instead of the kettle for guests.")
    found = lines_of(client, "urn instead of kettle for guests")
    assert ("observations", "decision") in found
    assert ("observations", "tool_use") not in found


NAMES = """
SessionStart SessionEnd Setup UserPromptSubmit UserPromptExpansion PreToolUse PostToolUse
PostToolUseFailure PostToolBatch PermissionRequest PermissionDenied Notification MessageDisplay
SubagentStart SubagentStop Stop StopFailure PreCompact PostCompact TeammateIdle TaskCreated
TaskCompleted InstructionsLoaded ConfigChange CwdChanged DirectoryAdded FileChanged WorktreeCreate
WorktreeRemove Elicitation ElicitationResult PreModelSwitch PostModelSwitch NoSuchEvent
""".split()


@pytest.mark.parametrize("name", NAMES)
def test_every_event_is_answered_with_an_object(client: Client, tmp_path: Path, name: str) -> None:
    """Reference, ecosystem.md 4.3: also one that a later version has, with nothing in it at all."""
    session = ClaudeSession(client, folder(tmp_path, name))
    assert session.send(name, tool_calls=[{}], notification_type="x", message="m") == {}
    for body in (b"{}", b"[]", b"null", b"no JSON", b'{"session_id": 7, "cwd": []}'):
        assert client.send("POST", f"/api/hooks/claude-code?event={name}", body) == (200, {})
    made = [each.event for each in session.observations]
    assert len(made) <= 1


def test_the_name_of_an_event_may_stand_in_the_payload_alone(
    client: Client, tmp_path: Path
) -> None:
    """As of a hook over HTTP, whose address is the same for all events."""
    session = ClaudeSession(client, folder(tmp_path, "http"))
    told = {"session_id": session.id, "cwd": session.folder, "hook_event_name": "Stop"}
    told["last_assistant_message"] = "The lid is red."
    assert client.post("/api/hooks/claude-code", told) == (200, {})
    assert [each.output for each in session.observations] == ["The lid is red."]


def test_an_unknown_client_is_told_which_there_are(client: Client) -> None:
    """A mistake in the settings of a hook, not of a session."""
    status, answer = client.post("/api/hooks/no-such-agent?event=Stop", {})
    assert (status, "claude-code" in answer["error"]["hint"]) == (404, True)


def test_each_event_is_kept_as_what_it_is(client: Client, tmp_path: Path) -> None:
    """Reference, hooks_and_rewind.md 5.3: the payloads of a turn with all that can happen."""
    session = ClaudeSession(client, folder(tmp_path, "all"))
    session.start()
    session.prompt("Rename the retry helper.")
    patch = {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-a", "+b"]}
    edited = {"filePath": "/p/retry.py", "originalFile": "SECRETLESS", "structuredPatch": [patch]}
    session.tool("Edit", edited, file_path="/p/retry.py", old_string="a", new_string="b")
    failed = {"tool_name": "Bash", "tool_input": {"command": "pytest -q"}, "tool_use_id": "toolu_f"}
    session.send("PostToolUseFailure", error="Exit code 1\n1 failed", is_interrupt=False, **failed)
    agent = {"agent_id": "a949e157", "agent_type": "Explore"}
    session.tool("Read", {"type": "text"}, file_path="/p/a.py")
    session.send("SubagentStop", last_assistant_message="Two callers found.", **agent)
    session.send("SubagentStop", last_assistant_message="Hm.", agent_id="b1", agent_type="")
    session.send("StopFailure", error="rate_limit", error_details="429")
    session.send("PostCompact", trigger="manual", compact_summary="Renamed again to retry.")
    session.stop("Renamed and tested.")
    kept = [(each.event, each.tool_name, each.agent_id) for each in session.observations]
    assert kept == [
        ("prompt", None, None),
        ("tool", "Edit", None),
        ("tool_failed", "Bash", None),
        ("tool", "Read", None),
        ("subagent", None, "a949e157"),
        ("subagent", None, "b1"),
        ("interrupted", None, None),
        ("compaction", None, None),
        ("answer", None, None),
    ]
    prompt, edit, failure, _, helper, _, cut, compacted, answer = session.observations
    assert (prompt.input, prompt.trust, prompt.event_id) == (
        "Rename the retry helper.", "owner", f"prompt:{session.prompt_id}",
    )  # fmt: skip
    assert (edit.type, edit.files) == ("code_change", ("/p/retry.py",))
    assert "SECRETLESS" not in edit.output
    assert "structuredPatch" in edit.output
    assert failure.error == "1 failed"
    assert (helper.output, helper.event_id) == (
        "Two callers found.", f"subagent:{session.prompt_id}:a949e157",
    )  # fmt: skip
    assert cut.error == "rate_limit: 429"
    assert (compacted.output, answer.output) == ("Renamed again to retry.", "Renamed and tested.")


def test_what_comes_again_is_stored_once(client: Client, tmp_path: Path) -> None:
    """A hook that was not answered in time is delivered again; so is the end of a turn."""
    session = ClaudeSession(client, folder(tmp_path, "again"))
    session.prompt("Boil the water")
    turn = session.prompt_id
    for _ in range(2):
        session.tool("Read", "x", use="toolu_twice", file_path="/p/a")
        session.stop("It boils.")
        session.send("UserPromptSubmit", prompt="Boil the water")
    assert [each.event for each in session.observations] == ["prompt", "tool", "answer"]
    assert [each.text for each in session.messages] == ["Boil the water", "It boils."]
    assert session.prompt_id == turn


def test_every_answer_of_a_turn_is_kept(client: Client, tmp_path: Path) -> None:
    """An agent that goes on by itself answers again; a second hook reports the same one later."""
    session = ClaudeSession(client, folder(tmp_path, "on"))
    session.prompt("Boil the water")
    for at, answer in enumerate(("I begin.", "It boils.", "It boils."), start=1_767_323_045_000):
        said = {"prompt_id": session.prompt_id, "last_assistant_message": answer}
        payload = {"session_id": session.id, "cwd": session.folder, **said}
        assert client.post(f"/api/hooks/claude-code?event=Stop&at={at}", payload) == (200, {})
    answers = [each.text for each in session.messages if each.role == "assistant"]
    assert answers == ["I begin.", "It boils."]


def test_what_has_no_turn_is_known_by_its_time(client: Client, tmp_path: Path) -> None:
    """Programs without ids of turns: what is delivered again has the same time."""
    session = ClaudeSession(client, folder(tmp_path, "dated"))
    told = {"session_id": session.id, "cwd": session.folder, "last_assistant_message": "Tea."}
    for at in ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z", "1767323046000"):
        assert client.post(f"/api/hooks/claude-code?event=Stop&at={at}", told) == (200, {})
    assert [each.created_at for each in session.observations] == [1767323045000, 1767323046000]


def test_what_the_program_tells_itself_is_not_kept(client: Client, tmp_path: Path) -> None:
    """Recorded of 2.1.330: that a sub-agent is done; the summary, before PostCompact has it."""
    session = ClaudeSession(client, folder(tmp_path, "self"))
    session.prompt("<task-notification>\n<task-id>a1</task-id>")
    said = "<analysis>a</analysis><summary>They spoke of tea.</summary>"
    session.send("SubagentStop", agent_id="a2", agent_type="", last_assistant_message=said)
    session.send("PostCompact", trigger="auto", compact_summary=said)
    assert [each.event for each in session.observations] == ["compaction"]


HOSTILE: dict[str, dict[str, Any]] = {
    "extra fields": {"later": {"a": [1]}, "x" * 300: None},
    "a text": {"tool_response": "done"},
    "a list": {"tool_response": [{"type": "text", "text": "done"}]},
    "a number": {"tool_response": 7},
    "no input": {"tool_input": None},
    "a NUL in the folder": {"cwd": "/srv/a\0b", "tool_response": "a\0b"},
    "a relative folder": {"cwd": "tea/pot", "transcript_path": "a.jsonl"},
    "a folder of the user": {"cwd": "~/tea", "transcript_path": "~/.claude/projects/x.jsonl"},
    "a folder of Windows": {"cwd": "C:\\Users\\ann\\tea", "transcript_path": "C:\\x.jsonl"},
    "long names": {"tool_name": "T" * 5_000, "tool_use_id": "u" * 5_000, "cwd": "/" + "d" * 5_000},
    "wrong types": {"tool_name": 7, "prompt_id": {}, "agent_id": [], "transcript_path": 1},
    "odd ids": {"tool_use_id": "\n", "prompt_id": "\x00", "agent_id": "\r"},
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_payloads_are_stored(client: Client, tmp_path: Path, name: str) -> None:
    """Reference, hooks_and_rewind.md 5.3: nothing is refused for what it says."""
    session = ClaudeSession(client, folder(tmp_path, "hostile"))
    told = {"tool_name": "Read", "tool_input": {"file_path": "/a"}, "tool_response": "ok"}
    session.send("PostToolUse", **(told | {"tool_use_id": "toolu_1"} | HOSTILE[name]))
    assert [each.event for each in session.observations] == ["tool"]
    session.send("UserPromptSubmit", **({"prompt": "Tea?"} | HOSTILE[name]))
    session.send("Stop", **({"last_assistant_message": "Yes."} | HOSTILE[name]))
    session.send("SessionEnd", reason="other", **HOSTILE[name])
    assert session.session.status == "archived"


def test_bytes_that_are_no_text_are_replaced(client: Client, tmp_path: Path) -> None:
    """Invalid UTF-8, halves of surrogates, and a body that ends in the middle."""
    for number, said in enumerate((b"a\xff\xfeb", b"a\\ud800b", b'a"b": [', b"a\\u0000b")):
        session = ClaudeSession(client, folder(tmp_path, "bytes"))
        body = b'{"session_id": "%s", "tool_name": "Read", "tool_use_id": "t%d", ' % (
            session.id.encode(), number,
        ) + b'"tool_response": "' + said + b'"}'  # fmt: skip
        assert client.send("POST", "/api/hooks/claude-code?event=PostToolUse", body) == (200, {})
        assert [each.tool_name for each in session.observations] == ["Read"], said


def test_six_megabytes_of_output_are_stored_whole(client: Client, tmp_path: Path) -> None:
    """Head and tail in the row, all of it in a blob."""
    session = ClaudeSession(client, folder(tmp_path, "large"))
    session.tool("Bash", {"stdout": "tea " * 1_500_000}, command="yes tea")
    (made,) = session.observations
    assert made.output_blob is not None
    assert len(made.output) < 100_000


def test_events_without_a_session_are_in_one_of_their_own(client: Client, tmp_path: Path) -> None:
    """What is refused is lost; nobody else's session gets it."""
    project = folder(tmp_path, "none")
    told = {"cwd": project, "tool_name": "Read", "tool_response": "x", "tool_use_id": "toolu_none"}
    assert client.post("/api/hooks/claude-code?event=PostToolUse", told) == (200, {})
    session = ClaudeSession(client, project, id_="unnamed")
    assert session.observations[-1].tool_use_id == "toolu_none"


def test_the_end_and_what_comes_after_it(client: Client, tmp_path: Path) -> None:
    """Late tools belong to it; a resume and a prompt open it again; an old end ends nothing."""
    session = ClaudeSession(client, folder(tmp_path, "end"))
    session.end()
    assert session.known is None  # it ends, and was never heard of
    session.prompt("Boil the water")
    session.end()
    session.end()
    session.tool("Read", "late", file_path="/p")
    session.stop("It boiled.")
    assert session.session.status == "archived"
    assert [each.event for each in session.observations] == ["prompt", "tool", "answer"]
    session.start("resume")
    assert session.session.status == "active"
    told = {"session_id": session.id, "cwd": session.folder, "reason": "other"}
    client.post("/api/hooks/claude-code?event=SessionEnd&at=2026-01-02T03:04:05Z", told)
    assert session.session.status == "active"
    session.end()
    session.prompt("And now the tea")
    assert session.session.status == "active"
    client.memory.sessions.set_status(session.session.id, "deleted")
    assert session.start("resume") == {}
    assert session.prompt("Is anybody there?") == {}
    assert session.session.status == "deleted"


def test_an_erased_session_does_not_come_back(client: Client, tmp_path: Path) -> None:
    """Its events go on coming while the agent runs."""
    session = ClaudeSession(client, folder(tmp_path, "erased"))
    session.prompt("The password of the safe")
    client.memory.erase(session_id=session.session.id)
    assert session.start("resume") == session.prompt("Go on") == session.stop("Yes.") == {}
    assert session.known is None


def test_private_words_are_in_nothing(client: Client, tmp_path: Path) -> None:
    """A prompt of private blocks only leaves no trace; nested and unclosed ones are taken out."""
    session = ClaudeSession(client, folder(tmp_path, "private"))
    session.prompt("<private>hunter2</private> <PRIVATE>a <private>b</private></PRIVATE>")
    session.prompt("<private>never closed hunter2")
    assert (session.observations, session.messages) == ([], [])
    session.prompt("Rename it. <private>token is <private>hunter2</private> too</private>")
    session.stop("Done <private>hunter2")
    kept = [each.text for each in session.messages]
    kept += [each.input + each.output + each.title for each in session.observations]
    assert len(kept) == 4
    assert "hunter2" not in "".join(kept)
    assert "Rename it." in kept[0]


def test_a_pause_and_an_excluded_folder_leave_no_trace(client: Client, tmp_path: Path) -> None:
    """As on the hooks of the seed: no session, no context; what was left out is counted."""
    project = folder(tmp_path, "paused")
    session = ClaudeSession(client, project)
    client.memory.capture.pause(project)
    before = client.memory.capture.counts().get("paused", 0)
    session.start()
    session.prompt("Is it recorded?")
    session.tool("Read", "x", file_path="/p")
    session.stop("No.")
    session.end()
    assert session.known is None
    assert client.memory.capture.counts()["paused"] == before + 3
    client.memory.capture.resume(project)
    (Path(project) / ".recollect-off").touch()
    session.prompt("And now?")
    assert session.known is None


def test_what_this_memory_said_is_not_captured(client: Client, tmp_path: Path) -> None:
    """Its own calls make no observation, and its blocks are cut out of what others say."""
    project = folder(tmp_path, "own")
    first = ClaudeSession(client, project)
    first.prompt("We decided to use bergamot in every pot.")
    session = ClaudeSession(client, project)
    block = session.start()["hookSpecificOutput"]["additionalContext"]
    assert "bergamot" in block
    session.tool("mcp__recollect__memory_search", {"hits": ["bergamot"]}, query="tea")
    session.tool("Bash", {"stdout": "bergamot"}, command="recollect search tea")
    session.tool("Read", {"file": {"content": f"a {block} b"}}, file_path="/p/log")
    session.prompt(f"What is this? {block}")
    read, asked = session.observations
    assert [read.tool_name, asked.event] == ["Read", "prompt"]
    assert "bergamot" not in read.output + read.title + asked.input + asked.title
    assert "bergamot" not in "".join(each.text for each in session.messages)


def test_the_right_to_hooks_opens_this_route_only(client: Client, tmp_path: Path) -> None:
    """Issue 13, 3: the token of the hooks captures and gets context; it neither reads nor asks."""
    hooks = client.of("hooks-only", audience="owner", rights="hooks")
    session = ClaudeSession(hooks, folder(tmp_path, "rights"))
    session.start()
    session.prompt("Who may call?")
    assert [each.event for each in session.observations] == ["prompt"]
    target = "/api/hooks/claude-code?event=SessionStart"
    told = {"session_id": session.id, "cwd": session.folder, "source": "startup"}
    for asked in (
        ("/api/search", {"query": "call"}),
        ("/api/hooks/session-start", {"session_key": "a", "query": "call"}),
        ("/api/observations", {"session_key": "a", "summary": "b"}),
    ):
        assert hooks.post(*asked)[0] == 403, asked
    assert hooks.get("sessions", session.session.id)[0] == hooks.get("stats")[0] == 403
    assert client.of("reader", audience="owner", rights="read").post(target, told)[0] == 403
    assert client.of("capturer", audience="owner", rights="capture").post(target, told)[0] == 200


def test_a_guest_writes_into_no_session_of_the_owner(client: Client, tmp_path: Path) -> None:
    """The sessions of an agent program are the owner's; the agent goes on all the same."""
    session = ClaudeSession(client, folder(tmp_path, "guest"))
    session.prompt("The owner's words")
    guest = ClaudeSession(client.of("guest", rights="capture"), session.folder, id_=session.id)
    assert guest.start() == guest.prompt("Tell me all") == guest.end() == {}
    new = ClaudeSession(guest.client, session.folder)
    assert new.start() == new.prompt("Hello") == {}
    assert [each.input for each in session.observations] == ["The owner's words"]
    assert new.known is None


def test_an_event_that_a_token_may_not_store_is_counted_in_the_status(
    client: Client, tmp_path: Path
) -> None:
    """The agent goes on, but the owner learns that something of it is not kept."""
    before = client.memory.status().capture.left_out.get("hooks", 0)
    guest = ClaudeSession(client.of("counted", rights="capture"), folder(tmp_path, "counted"))
    guest.start()
    guest.prompt("Nobody keeps this")
    guest.tool("Bash", {"stdout": "1 file"}, command="git commit -m 'Not kept'")
    guest.end()
    status = client.memory.status()
    assert status.capture.left_out["hooks"] - before == 3
    assert "hook events left out so far" in dict(pairs_of(status))["capture"]


@pytest.mark.parametrize("audience", ["shared", "session:*", "session:telegram:42"])
def test_a_token_for_hooks_only_is_the_owners(client: Client, audience: str) -> None:
    """Another one would be answered with 200, and nothing would be stored."""
    with pytest.raises(InvalidInput, match="must be the owner's") as caught:
        client.of("deaf", audience=audience, rights="hooks")
    assert "--as owner" in caught.value.hint


def line(session: ClaudeSession, kind: str, said: str, **more: Any) -> bytes:
    """Return a line of the transcript of a session."""
    message = {"role": kind, "content": said}
    facts = {"type": kind, "uuid": IDS.new(), "sessionId": session.id, "message": message}
    return msgspec.json.encode(facts | more) + b"\n"


def test_what_the_transcript_brought_is_not_stored_again(client: Client, tmp_path: Path) -> None:
    """Nothing is followed, and the file was imported before late hooks come: by turn and words."""
    session = ClaudeSession(client, folder(tmp_path, "brought"))
    chat = tmp_path / f"{session.id}.jsonl"
    turns = [("t1", "Go on", "Done."), ("t2", "/greet Ana", "Done."), ("t3", "Go on", "Yes.")]
    for turn, asked, said in turns:
        with chat.open("ab") as file:
            file.write(line(session, "user", asked, promptId=turn))
            file.write(line(session, "assistant", said))
    client.memory.import_transcripts(chat, "claude-code")
    for turn, asked, said in (*turns, ("t4", "Go on", "Done.")):
        session.prompt_id = turn
        session.send("UserPromptSubmit", prompt=asked.replace("/greet Ana", "/greet  Ana"))
        session.stop(said)
    assert [each.text for each in session.messages] == [
        "Go on", "Done.", "/greet Ana", "Done.", "Go on", "Yes.", "Go on", "Done.",
    ]  # fmt: skip
    assert [each.event for each in session.observations].count("prompt") == 4
