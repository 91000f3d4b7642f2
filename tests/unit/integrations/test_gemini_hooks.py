"""Gemini CLI's hook events, as version 0.61 sent them on a loopback stand-in of its API."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.integrations.gemini.payloads import GeminiHooks
from recollect.integrations.hook_event import HookEvent
from tests.support.payloads import payloads_of

HOOKS = GeminiHooks()
EVENTS = [HOOKS.read("", payload) for payload in payloads_of("gemini")]


def of(moment: str) -> list[HookEvent]:
    """Return the recorded events of a moment."""
    return [event for event in EVENTS if event.moment == moment]


def test_the_prompt_is_what_the_user_said_without_what_hooks_put_before_it() -> None:
    """Headless Gemini CLI hands the recalled block to the next hook as part of the prompt."""
    recorded = [each["prompt"] for each in payloads_of("gemini") if "prompt" in each]
    assert all(each.startswith("<hook_context>") for each in recorded)
    said = ["Rename the retry helper and add a test.", "And now the docs."]
    assert [event.text for event in of("prompt")] == said


def test_a_context_tag_in_the_middle_of_a_prompt_is_the_users_own() -> None:
    """Only what stands before the prompt was put there by a hook."""
    said = "What does <hook_context>x</hook_context> do?"
    assert HOOKS.read("BeforeAgent", {"prompt": said}).text == said


def test_the_answer_is_the_agents_and_not_the_prompt_again() -> None:
    """AfterAgent carries both."""
    assert [event.text for event in of("answer")] == ["Renamed and tested.", "All done."]


def test_calls_at_the_same_millisecond_are_told_apart() -> None:
    """There are no ids: the same payload twice is one call, two of a batch are two."""
    read = [event for event in of("tool") if event.tool_name == "read_file"]
    assert len({event.tool_use_id for event in of("tool")}) == len(of("tool")) == 7
    again = [HOOKS.read("", payload) for payload in payloads_of("gemini")]
    assert [event.tool_use_id for event in again] == [event.tool_use_id for event in EVENTS]
    batch = [each for each in payloads_of("gemini") if each.get("tool_name") == "read_file"]
    at_once = [HOOKS.read("AfterTool", {**each, "timestamp": "t"}) for each in batch]
    assert len({event.tool_use_id for event in at_once}) == len(read) == 2


def test_a_prompt_said_twice_is_two_prompts() -> None:
    """There is no id of the turn: its time is one."""
    payload = {"session_id": "s", "prompt": "yes", "timestamp": "2026-11-22T18:13:43.161Z"}
    later = payload | {"timestamp": "2026-11-22T18:14:00.000Z"}
    first, second = (HOOKS.read("BeforeAgent", each) for each in (payload, later))
    assert first.prompt_id != second.prompt_id
    assert first.at == payload["timestamp"]


def test_what_failed_says_so() -> None:
    """An error of a tool, of an MCP server, and the exit code of a shell."""
    failed = {event.tool_name: event.error for event in of("tool") if event.error}
    assert failed["read_file"] == "File not found: /home/ada/shop/none.txt"
    assert failed["run_shell_command"] == "Exit code 1"
    assert "reported tool error" in failed["mcp_toy_boom"]
    assert len([event for event in of("tool") if not event.error]) == 4


def test_the_output_is_what_the_model_saw() -> None:
    """What the screen showed beside it holds the file twice more."""
    written = next(event for event in of("tool") if event.tool_name == "write_file")
    assert written.output.startswith("Successfully created")


def test_a_request_is_no_compaction() -> None:
    """PreCompress came before each of the nine recorded requests, and nothing was compressed."""
    assert {event.moment for event in EVENTS if event.name == "PreCompress"} == {"other"}


def test_context_goes_only_where_gemini_takes_it() -> None:
    """At the start, before the agent and after a tool."""
    for event in EVENTS:
        answer = HOOKS.answer(event, "We use tabs.")
        hears = event.name in {"SessionStart", "BeforeAgent", "AfterTool"}
        assert bool(answer) is hears
        assert HOOKS.answer(event, "") == {}


STRANGE: list[dict[str, Any]] = [
    {},
    {"session_id": 7, "timestamp": 5, "tool_name": "x", "tool_response": "done"},
    {"tool_response": {"error": "x"}, "prompt": None},
    {"tool_response": {"error": {}, "llmContent": [1]}, "tool_input": {"a": "\ud800"}},
    {"tool_name": "run_shell_command", "tool_response": {"llmContent": 3}, "source": "fork!"},
]


@pytest.mark.parametrize("payload", STRANGE)
@pytest.mark.parametrize("name", ["", "AfterTool", "SessionStart", "Unheard"])
def test_a_strange_payload_is_read_all_the_same(name: str, payload: dict[str, Any]) -> None:
    """A hook must not fail because a client changed."""
    event = HOOKS.read(name, {"timestamp": "t", **payload})
    assert event.foreign_id is None
    assert event.source is None
