"""The real Claude Code with our plugin: what it does, we remember; what we remember, it is given.

docs/hooks.md. The client is opt-in: `make agents`.
"""

from __future__ import annotations

import json
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.claude_code import ClaudeCode
from tests.agents.connected import TOOL, Connected
from tests.agents.messages_api import Script, Use
from tests.agents.record import work
from tests.support.agent_user import User
from tests.support.wheel import PROGRAM

DECISION = "We decided to keep orders in PostgreSQL, not in Redis."
PRIVATE = "the fox sleeps at noon"
USES = ("write", "list", "read", "fail", "edit", "agent", "inner")
ONCE = Counter({f"toolu_{name}": 1 for name in USES})
KILLED_AT = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "SessionEnd",
)


@pytest.fixture
def connected(claude: ClaudeCode) -> Iterator[Connected]:
    """A user who typed `recollect init claude-code`, with a worker that runs."""
    project = claude.home / "shop"
    project.mkdir()
    (project / "README.md").write_text("hello\n", encoding="utf-8")
    there = Connected(User(claude.home, PROGRAM), claude, project)
    there.connect()
    try:
        yield there
    finally:
        there.signal_worker(signal.SIGCONT)
        there.user.types("serve", "stop")


def test_what_the_agent_does_is_observed_once_and_linked(connected: Connected) -> None:
    """Hooks and transcript tell the same; every use of a tool is one observation."""
    connected.run(DECISION, script=work(connected.project))
    connected.reconcile()
    assert connected.tools() == ONCE
    by_use = {one["tool_use_id"]: one for one in connected.observations()}
    assert by_use["toolu_fail"]["event"] == "tool_failed"
    assert by_use["toolu_inner"]["agent_id"]
    assert by_use["toolu_inner"]["session_id"] == by_use["toolu_write"]["session_id"]
    assert by_use["toolu_write"]["message_id"]
    assert len(connected.moments("prompt")) == 1
    assert len(connected.moments("subagent")) == 1
    said = connected.said()
    assert said["user", DECISION] == 1
    assert said["assistant", "The note says two."] == 1
    assert {count for (role, text), count in said.items() if text.strip()} == {1}


def test_the_next_session_is_given_what_was_decided(connected: Connected) -> None:
    """In the request that the model would get, without what was private."""
    connected.run(f"{DECISION} <private>{PRIVATE}</private>")
    connected.reconcile()
    connected.run("Where do orders go?")
    asked = connected.api.conversation()[0].text
    assert asked.count("<recollect-context") == 1
    assert DECISION in asked
    assert PRIVATE not in asked


def test_after_a_compaction_the_whole_block_is_given_again(connected: Connected) -> None:
    """The summary of the client replaced the first one."""
    connected.run(DECISION)
    connected.reconcile()
    session = connected.run("Where do orders go?").session_id
    first = _block(connected.asked())
    connected.run("/compact", "--resume", session)
    connected.run("Go on", "--resume", session)
    assert "They spoke of the kettle." in connected.asked()
    assert DECISION in _block(connected.asked())
    assert len(_block(connected.asked())) >= len(first)


def test_a_resumed_session_is_not_given_the_same_again(connected: Connected) -> None:
    """What stands in its transcript already, the client sends itself."""
    connected.run(DECISION)
    connected.reconcile()
    session = connected.run("Where do orders go?").session_id
    connected.run("And invoices?", "--resume", session)
    assert connected.asked().count("[#1") <= 1


def test_our_tool_is_called(connected: Connected) -> None:
    """The plugin brings the server; its answer reaches the model."""
    connected.run(DECISION)
    connected.reconcile()
    call = Use(TOOL, {"query": "where do orders go"}, "toolu_search")
    connected.run("Look it up", "--allowedTools", TOOL, script=Script(main=[[call]]))
    (result,) = _results(connected, "toolu_search")
    assert "PostgreSQL" in json.dumps(result)


def test_the_first_session_after_a_reboot_has_block_and_tools(connected: Connected) -> None:
    """Issue 23, items 5 and 6: no worker runs, and tools are deferred, as by default."""
    connected.run(DECISION)
    connected.reconcile()
    connected.reboot()
    connected.run("Where do orders go?")
    asked = connected.api.conversation()[0]
    assert asked.text.count("<recollect-context") == 1
    assert DECISION in asked.text
    at_hand = {
        each["name"].removeprefix("mcp__plugin_recollect_memory__")
        for each in asked.body["tools"]
        if not each.get("defer_loading")
    }
    assert {"memory_search", "remember"} <= at_hand
    assert not {"timeline", "forget"} & at_hand


def test_a_session_is_given_what_holds_in_its_project(connected: Connected) -> None:
    """Issue 23: three sessions over two projects and a reboot, tools deferred."""
    connected.run(f"From now on always use pnpm, never npm. {DECISION}")
    shop, connected.project = connected.project, connected.claude.home / "blog"
    connected.project.mkdir()
    connected.run("In this repo never commit drafts. Always answer me in English.")
    connected.reconcile()
    connected.reboot()
    connected.project = shop
    connected.run("What next?")
    asked = connected.asked()
    assert all(text in asked for text in ("always use pnpm", DECISION.rstrip("."), "in English"))
    assert "drafts" not in asked


def test_no_block_is_captured_back(connected: Connected) -> None:
    """What we put into a prompt is neither a message nor an observation nor found."""
    connected.run(DECISION)
    for prompt in ("Where do orders go?", "And where do invoices go?"):
        connected.reconcile()
        connected.run(prompt)
    connected.reconcile()
    assert not [text for _, text in connected.said() if "recollect-context" in text]
    assert "recollect-context" not in json.dumps(connected.observations())
    found = connected.user.asks("search", "recollect-context hook additional context")["hits"]
    assert "recollect-context" not in json.dumps(found)


def test_a_fork_repeats_nothing(connected: Connected) -> None:
    """Copied lines are the parent's; the fork has what was said after."""
    session = connected.run(DECISION).session_id
    connected.run("Otherwise?", "--resume", session, "--fork-session")
    connected.reconcile()
    prompts = Counter(text for (role, text), n in connected.said().items() for _ in range(n))
    assert prompts["Otherwise?"] == 1
    sessions = connected.user.asks("sessions")["sessions"]
    (fork,) = (one for one in sessions if one["parent_id"])
    assert fork["forked_at_seq"] >= 1
    assert connected.tools() == Counter()


@pytest.mark.parametrize("event", KILLED_AT)
def test_a_worker_killed_at_an_event_loses_and_doubles_nothing(
    connected: Connected, tmp_path: Path, event: str
) -> None:
    """The agent never fails; spool and transcript tell the rest."""
    kill = {"type": "command", "command": f"kill -9 {connected.worker()}; true"}
    settings = tmp_path / "kill.json"
    settings.write_text(json.dumps({"hooks": {event: [{"hooks": [kill]}]}}), encoding="utf-8")
    run = connected.run(DECISION, "--settings", settings, script=work(connected.project))
    assert not run.result["is_error"]
    _is_whole(connected)


@pytest.mark.parametrize("how", ["gone", "hanging"])
def test_a_worker_that_takes_nothing_loses_nothing(connected: Connected, how: str) -> None:
    """Down, or stopped in the middle of everything: the agent goes on, and all is told."""
    if how == "gone":
        connected.user.types("serve", "stop")
    else:
        connected.signal_worker(signal.SIGSTOP)
    run = connected.run(DECISION, script=work(connected.project))
    assert not run.result["is_error"]
    connected.signal_worker(signal.SIGCONT)
    _is_whole(connected)


def test_a_hook_whose_token_is_not_accepted_leaves_it_to_the_transcript(
    connected: Connected,
) -> None:
    """What is refused is not spooled: it would come in by a way that its token was denied."""
    token = connected.user.memory / "hooks" / "claude-code.token"
    token.write_text("not-the-token\n", encoding="utf-8")
    run = connected.run(DECISION, script=work(connected.project))
    assert not run.result["is_error"]
    connected.reconcile()
    assert not list((connected.user.memory / "spool").glob("*.json"))
    assert connected.tools() == ONCE
    assert connected.said()["user", DECISION] == 1


def _is_whole(connected: Connected) -> None:
    connected.reconcile()
    assert connected.tools() == ONCE
    assert len(connected.moments("prompt")) == 1
    assert connected.said()["user", DECISION] == 1
    assert connected.said()["assistant", "The note says two."] == 1


def _block(text: str) -> str:
    begin = text.rindex("<recollect-context")
    return text[begin : text.index("</recollect-context", begin)]


def _results(connected: Connected, use: str) -> list[object]:
    messages = connected.api.conversation()[-1].body["messages"]
    blocks = [
        block for one in messages if isinstance(one["content"], list) for block in one["content"]
    ]
    return [block for block in blocks if block.get("tool_use_id") == use]
