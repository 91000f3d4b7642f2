"""What hooks missed comes from the transcript: tools, sub-agents, forks; killed anywhere."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from recollect.memory import Memory
from tests.support.claude_play import Play, Step, memory_and_caller, session_of, write_lines

AGENT = "a949e157a32b1ca25"
KILLED = """
import os, signal, sys
import recollect
from recollect.exchange.rows import batch as import_batch
import_batch.BATCH_MESSAGES = 3
left = int(sys.argv[3])
def stop(progress):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
with recollect.open(sys.argv[1], overrides={"embedding.provider": "none"}) as memory:
    memory.import_transcripts(sys.argv[2], progress=stop)
"""


@pytest.fixture
def projects(tmp_path: Path) -> Path:
    """The folder of all transcripts."""
    (tmp_path / "projects").mkdir()
    return tmp_path / "projects"


def written(projects: Path, session: str = "5b1f6a3e-0c1d-4a55-9d0a-6f1d2c3b4a01") -> Play:
    """Return a conversation whose transcript is there."""
    play = Play(projects, session)
    for step in play.steps:
        play.write(step)
    return play


def tools(memory: Memory) -> list[tuple[str | None, str, str | None, str | None]]:
    """Return tool, event, call and sub-agent of what was observed, oldest first."""
    found = memory.observations.list(limit=500)[::-1]
    return [(each.tool_name, each.event, each.tool_use_id, each.agent_id) for each in found]


USED = [
    ("Read", "tool", "toolu_p-0_0", None),
    ("Bash", "tool_failed", "toolu_p-0_1", None),
    ("Edit", "tool", "toolu_p-1_0", None),
]


@pytest.mark.parametrize("following", [True, False])
def test_old_conversations_bring_their_tools_with_their_own_time(
    tmp_path: Path, projects: Path, following: bool
) -> None:
    """As hooks record them: type, error and place; linked to the message that asked."""
    play = written(projects)
    with memory_and_caller(tmp_path / "home", projects, following=following) as (memory, _):
        report = None if following else memory.import_transcripts(projects)
        memory.sync()
        assert report is None or report.observations == 3
        assert tools(memory) == USED
        read, bash, edit = memory.observations.list(limit=9)[::-1]
        assert (read.type, bash.error, edit.type) == ("exploration", "told", "code_change")
        assert edit.files == ("/home/ana/shop/kettle.md",)
        assert (edit.project, edit.trust) == ("/home/ana/shop", "tool")
        said = {each.id: each for each in memory.sessions.messages(read.session_id)}
        assert [said[each.message_id or ""].foreign_id for each in (read, bash, edit)] == [
            play.uuids[2], play.uuids[5], play.uuids[10],
        ]  # fmt: skip
        assert all(each.created_at - said[each.message_id or ""].created_at == 1_000
                   for each in (read, bash, edit))  # fmt: skip


def test_a_result_that_comes_later_finds_its_call(tmp_path: Path, projects: Path) -> None:
    """Between them the transcript was read; the call is looked up in the lines before."""
    play = Play(projects)
    lines = [line for step in play.steps for line in step.lines]
    with memory_and_caller(tmp_path / "home", projects, following=True) as (memory, _):
        for line in lines:
            write_lines(play.path, [line])
            memory.sync()
        assert tools(memory) == USED
        assert play.problems(memory) == []


def test_what_is_not_captured_is_not_observed(tmp_path: Path, projects: Path) -> None:
    """The same rules as for hooks: tools that are left out, our own calls, secrets."""
    play = Play(projects)
    secret = "ghp_" + "a1B2c3D4" * 5
    for number, (name, given) in enumerate(
        [("Skipped", {}), ("mcp__recollect__memory_search", {"query": "tea"}),
         ("Bash", {"command": "recollect search tea"}), ("Bash", {"command": f"login {secret}"})]
    ):  # fmt: skip
        use = {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": given}
        result = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": secret}
        write_lines(play.path, [play.line("assistant", [use]), play.line("user", [result])])
    with memory_and_caller(tmp_path / "home", projects, following=False) as (memory, _):
        memory.import_transcripts(projects)
        assert tools(memory)[-1:] == [("Bash", "tool", "toolu_3", None)]
        (login,) = [each for each in memory.observations.list() if each.tool_use_id == "toolu_3"]
        assert secret not in login.input + login.output + login.title + login.summary
        assert not {"toolu_1", "toolu_2"} & {call for _, _, call, _ in tools(memory)}


@pytest.mark.parametrize("is_first", [True, False])
def test_a_sub_agent_works_for_the_session_of_its_parent(
    tmp_path: Path, projects: Path, is_first: bool
) -> None:
    """Followed: its tools are observations there, none of its messages is stored."""
    play = Play(projects) if is_first else written(projects)
    path = play.path.parent / play.session / "subagents" / f"agent-{AGENT}.jsonl"
    own = {"isSidechain": True, "agentId": AGENT}
    use = {"type": "tool_use", "id": "toolu_s", "name": "Grep", "input": {"pattern": "kettle"}}
    result = {"type": "tool_result", "tool_use_id": "toolu_s", "content": "2 files"}
    write_lines(path, [play.line("assistant", [use], **own)])
    with memory_and_caller(tmp_path / "home", projects, following=True) as (memory, _):
        memory.sync()
        write_lines(path, [play.line("user", [result], **own)])
        memory.sync()
        if is_first:
            for step in play.steps:
                play.write(step)
            memory.sync()
        session = session_of(memory, play.session)
        assert ("Grep", "tool", "toolu_s", AGENT) in tools(memory)
        assert len(tools(memory)) == 4
        assert {each.session_id for each in memory.observations.list()} == {session.id}
        assert len(memory.sessions.list()) == 1
        lines = [line for step in play.steps for line in step.lines]
        assert len(memory.sessions.messages(session.id)) == len(lines)


FORK = "7d2e7c10-77aa-4b1b-8c3c-001122334455"


@pytest.mark.parametrize("following", [True, False])
@pytest.mark.parametrize("begun", ["by a hook", "by its lines", "in pieces"])
def test_copied_lines_make_a_fork_and_no_messages(
    tmp_path: Path, projects: Path, following: bool, begun: str
) -> None:
    """`--fork-session` copies lines under their uuids, with the id of the new session."""
    play = written(projects)
    fork = Play(projects, FORK)
    lines = [line for step in play.steps for line in step.lines][:8]
    copies = [line | {"sessionId": FORK} for line in lines]
    for line in copies:
        if "promptId" in line:
            line["promptId"] = "p-fork"
    own = fork.line("user", "And the cup?", uuid="fork-1", promptId="p-fork")
    with memory_and_caller(tmp_path / "home", projects, following=following) as (memory, caller):
        read = memory.sync if following else lambda: memory.import_transcripts(projects)
        read()
        if begun == "by a hook":
            fork.hook(caller, fork.steps[0])
        if begun == "in pieces":
            write_lines(fork.path, copies[:2])
            read()
            write_lines(fork.path, copies[2:])
            read()
        write_lines(fork.path, [*(() if begun == "in pieces" else copies), own])
        read()
        memory.import_transcripts(projects)
        parent, child = session_of(memory, play.session), session_of(memory, FORK)
        assert (child.parent_id, child.forked_at_seq) == (parent.id, 8)
        said = memory.sessions.messages(child.id)
        assert [each.seq for each in said] == list(range(1, 10))
        assert (said[-1].text, child.message_count) == ("And the cup?", 1)
        assert tools(memory).count(USED[0]) == 1
        assert len(tools(memory)) == 3 or begun == "by a hook"
        (hit,) = memory.search("cup", sources=["sessions"]).hits
        assert (hit.session_id, hit.seq) == (child.id, 9)


@pytest.mark.parametrize("batches", [0, 1, 2, 4])
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_killed_anywhere_nothing_is_missing_and_nothing_doubled(
    tmp_path: Path, projects: Path, batches: int
) -> None:
    """Observations are stored with the messages, and with how far the transcript was read."""
    play = written(projects)
    command = [sys.executable, "-c", KILLED, str(tmp_path / "home"), str(projects)]
    died = subprocess.run([*command, str(batches)], check=False, capture_output=True)
    assert died.returncode == -signal.SIGKILL, died.stderr
    with memory_and_caller(tmp_path / "home", projects, following=False) as (memory, _):
        so_far = memory.observations.list(limit=500)
        if so_far:
            said = {each.id for each in memory.sessions.messages(so_far[0].session_id)}
            assert {each.message_id for each in so_far} <= said
        memory.import_transcripts(projects)
        assert play.problems(memory) == []
        assert tools(memory) == USED


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("part", ["prompt", "answer"])
@pytest.mark.parametrize("hooked", ["never", "before", "after"])
def test_a_decision_that_no_hook_reported_comes_from_the_transcript(
    tmp_path: Path, projects: Path, hooked: str, part: str, at_once: bool
) -> None:
    """A day without the worker: what was decided is an observation, once, with its message."""
    play = Play(projects)
    decided = "We decided to use Redis for the queue, not RabbitMQ."
    asked, said = (decided, "Good.") if part == "prompt" else ("Which queue?", decided)
    over = {"message": {"role": "assistant", "content": said, "stop_reason": "end_turn"}}
    lines = [play.line("user", asked, promptId="p-9"), play.line("assistant", said) | over]
    facts = {"prompt": ("UserPromptSubmit", "prompt"), "answer": ("Stop", "last_assistant_message")}
    name, field = facts[part]
    step = Step(name, {"prompt_id": "p-9", field: decided}, lines)
    with memory_and_caller(tmp_path / "home", projects, following=False) as (memory, caller):
        if hooked == "before":
            play.hook(caller, step)
        for some in [lines] if at_once else [[each] for each in lines]:
            write_lines(play.path, some)
            memory.import_transcripts(projects)
        memory.import_transcripts(projects)
        if hooked == "after":
            play.hook(caller, step)
        (made,) = [each for each in memory.observations.list() if each.type == "decision"]
        (told,) = [m for m in memory.sessions.messages(made.session_id) if m.text == decided]
        assert (made.event, made.message_id) == (part, told.id)
        assert (made.event_id, made.project) == (f"{part}:p-9", "/home/ana/shop")


@pytest.mark.parametrize(
    ("kind", "facts"),
    [
        ("user", {"origin": {"kind": "task-notification"}}),
        ("assistant", {"message": {"role": "assistant", "model": "<synthetic>", "content": "No."}}),
    ],
)
def test_what_the_program_writes_by_itself_is_no_message(
    tmp_path: Path, projects: Path, kind: str, facts: dict[str, Any]
) -> None:
    """Nobody said it: the end of a task in the background, an answer without a model."""
    play = Play(projects)
    asked = play.line("user", "Where is the kettle?")
    write_lines(play.path, [asked, play.line(kind, "<task-notification>done") | facts])
    with memory_and_caller(tmp_path / "home", projects, following=False) as (memory, _):
        memory.import_transcripts(projects)
        (session,) = memory.sessions.list()
        said = [each.text for each in memory.sessions.messages(session.id)]
        assert said == ["Where is the kettle?"]
