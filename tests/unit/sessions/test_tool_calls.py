"""Tool calls of transcripts that stand in several sessions."""

from __future__ import annotations

from typing import Any

from recollect.sessions.sessions import Sessions


def _call(call_id: str) -> tuple[str, Any]:
    block = {"type": "tool_use", "id": call_id, "name": "grep", "input": {"q": "x"}}
    return "assistant", [block]


def _result(call_id: str, text: str) -> tuple[str, Any]:
    return "user", [{"type": "tool_result", "tool_use_id": call_id, "content": text}]


def _seen(sessions: Sessions, session_id: str) -> list[tuple[str | None, str, str | None]]:
    calls = sessions.tool_calls(session_id)
    return [(call.call_id, call.tool_name, call.result_text) for call in calls]


def test_a_fork_does_not_see_a_result_that_came_later(sessions: Sessions) -> None:
    """It branched off between the call and its result; the parent keeps both."""
    parent = sessions.create()
    sessions.append_many(parent.id, [_call("c1"), _result("c1", "of the parent")])
    fork = sessions.fork(parent.id, at_seq=1)
    assert _seen(sessions, fork.id) == [("c1", "grep", None)]
    assert _seen(sessions, parent.id) == [("c1", "grep", "of the parent")]


def test_a_result_in_a_fork_belongs_to_the_call_that_the_parent_made(sessions: Sessions) -> None:
    """Parent and fork each have their own result of the one call."""
    parent = sessions.create()
    sessions.append_many(parent.id, [_call("c1"), _result("c1", "of the parent")])
    fork = sessions.fork(parent.id, at_seq=1)
    sessions.append_many(fork.id, [_result("c1", "of the fork")])
    (call,) = sessions.tool_calls(fork.id)
    assert (call.tool_name, call.input, call.result_text) == ("grep", {"q": "x"}, "of the fork")
    assert call.result_id == sessions.messages(fork.id)[-1].id
    assert _seen(sessions, parent.id) == [("c1", "grep", "of the parent")]


def test_a_fork_between_a_result_and_its_late_call_knows_the_result_alone(
    sessions: Sessions,
) -> None:
    """Some transcripts have them the wrong way round; the fork's own call completes it."""
    parent = sessions.create()
    sessions.append_many(parent.id, [_result("c1", "early"), _call("c1")])
    fork = sessions.fork(parent.id, at_seq=1)
    assert _seen(sessions, fork.id) == [("c1", "unknown", "early")]
    sessions.append_many(fork.id, [_call("c1")])
    assert _seen(sessions, fork.id) == [("c1", "grep", "early")]
