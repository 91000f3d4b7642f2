"""Codex's hook events, as Codex 0.169 sent them on a loopback stand-in of its API."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.integrations.codex.payloads import CodexHooks
from recollect.integrations.hook_event import HookEvent
from tests.support.payloads import payloads_of

HOOKS = CodexHooks()
EVENTS = [HOOKS.read("", payload) for payload in payloads_of("codex")]


def of(moment: str) -> list[HookEvent]:
    """Return the recorded events of a moment."""
    return [event for event in EVENTS if event.moment == moment]


def test_every_recorded_event_names_its_session_and_folder() -> None:
    """Without these it would belong to nobody."""
    assert all(event.foreign_id and event.project_path == "/home/ada/shop" for event in EVENTS)
    assert {event.client for event in EVENTS} == {"codex"}


def test_a_session_says_what_began_it() -> None:
    """Startup, resume, and once more after a compaction."""
    assert {event.source for event in of("start")} == {"startup", "resume", "compact"}


def test_the_prompt_and_the_answer_of_a_turn_share_its_id() -> None:
    """So each has a key of its own within the turn."""
    prompt, answer = of("prompt")[0], of("answer")[0]
    assert prompt.text == "Rename the retry helper and add a test."
    assert answer.text == "Renamed and tested."
    assert prompt.prompt_id == answer.prompt_id is not None


def test_what_the_main_agent_tells_a_sub_agent_is_no_prompt_of_the_user() -> None:
    """Codex fires UserPromptSubmit inside a sub-agent, with the parent's session id."""
    told = [payload for payload in payloads_of("codex") if "agent_id" in payload]
    assert "UserPromptSubmit" in {payload["hook_event_name"] for payload in told}
    assert "Find the callers of again()." not in {event.text for event in of("prompt")}


def test_a_sub_agents_answer_belongs_to_its_parents_session() -> None:
    """With the id and the kind of the sub-agent."""
    (done,) = of("subagent")
    assert done.agent_type == "explorer"
    assert done.agent_id
    assert done.foreign_id in {event.foreign_id for event in of("prompt")}
    assert done.text == "Two callers found."


def test_the_files_of_a_patch_are_named_beside_its_text() -> None:
    """The rules of observations find files by arguments, not in a patch."""
    (patch,) = [event for event in of("tool") if event.tool_name == "apply_patch"]
    assert patch.tool_use_id == "call_patch"
    assert patch.input["paths"] == ["retry.py"]
    moved = "*** Begin Patch\n*** Update File: a b.py\n*** Move to: c.py\n@@\n*** End Patch"
    payload = {"tool_name": "apply_patch", "tool_input": {"command": moved}}
    assert HOOKS.read("PostToolUse", payload).input["paths"] == ["a b.py", "c.py"]


def test_a_compaction_is_told_before_and_after() -> None:
    """Its summary is not: Codex does not say it."""
    assert [event.reason for event in of("before_compaction")] == ["auto"]
    assert [event.text for event in of("compaction")] == [None]


def test_context_goes_only_where_codex_takes_it() -> None:
    """An unknown field makes Codex report the hook as failed; measured with Stop."""
    for event in EVENTS:
        answer = HOOKS.answer(event, "We use tabs.")
        if event.name in {"Stop", "SubagentStop", "SessionEnd", "PreCompact", "PostCompact"}:
            assert answer == {}
        elif event.name in {"SessionStart", "UserPromptSubmit"}:
            assert answer["hookSpecificOutput"] == {
                "hookEventName": event.name,
                "additionalContext": "We use tabs.",
            }
        assert HOOKS.answer(event, "") == {}


STRANGE: list[dict[str, Any]] = [
    {},
    {"session_id": 7, "cwd": None, "tool_input": [], "source": ["startup"], "prompt": {"a": 1}},
    {"tool_name": "apply_patch", "tool_input": {"command": 3}},
    {"tool_name": "apply_patch", "tool_input": "*** Add File: x"},
    {"source": "elsewhere", "agent_id": "", "tool_response": None},
]


@pytest.mark.parametrize("payload", STRANGE)
@pytest.mark.parametrize("name", ["", "PostToolUse", "SessionStart", "Unheard"])
def test_a_strange_payload_is_read_all_the_same(name: str, payload: dict[str, Any]) -> None:
    """A hook must not fail because a client changed."""
    event = HOOKS.read(name, payload)
    assert event.foreign_id is None
    assert event.source is None


def test_a_turn_that_was_broken_off_says_so() -> None:
    """Its payload has no words; by the schema that Codex 0.169 carries."""
    payload = {"session_id": "s", "turn_id": "t", "hook_event_name": "Interrupt"}
    event = HOOKS.read("", payload)
    assert (event.moment, event.error) == ("interrupted", "interrupted")
    assert HOOKS.answer(event, "We use tabs.") == {}
