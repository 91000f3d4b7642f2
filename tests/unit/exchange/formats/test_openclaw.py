"""Entries of OpenClaw and of OpenClaudeCode."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.exchange.formats.openclaw import OpenClawFormat
from recollect.exchange.transcript import (
    ForeignMessage,
    ForeignSession,
    Malformed,
    Skip,
)
from recollect.sessions.record.content import parse_content, readable_text

FORMAT = OpenClawFormat()
HEADER = {
    "type": "session",
    "version": 3,
    "id": "7c0f-main",
    "timestamp": "2026-02-10T00:00:00Z",
    "cwd": "/home/ana/notes",
}
PATH = PurePath("/home/ana/.openclaw/agents/main/sessions/2026_7c0f.jsonl")
FILE = FORMAT.describe(PATH, HEADER)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def entry(**message: object) -> dict[str, Any]:
    """Return a message entry as OpenClaw writes it."""
    return {
        "type": "message",
        "id": "b1bf6a1d",
        "parentId": "e8a14527",
        "timestamp": "2026-02-10T00:00:01Z",
        "message": message,
    }


def message(record: dict[str, Any]) -> ForeignMessage:
    """Return the message of an entry that must be one."""
    parsed = FORMAT.parse(record, FILE)
    assert isinstance(parsed, ForeignMessage)
    return parsed


def test_the_header_names_session_project_and_time_the_path_the_agent() -> None:
    """The file's name may carry a time or a topic as well."""
    assert (
        ForeignSession(
            id="7c0f-main", agent="main", project="/home/ana/notes", at=1_770_681_600_000
        )
        == FILE
    )
    assert FORMAT.parse(HEADER, FILE) == FILE


def test_without_a_header_the_file_is_the_session() -> None:
    """A torn header must not lose the rest."""
    assert FORMAT.describe(PurePath("/x/abc.jsonl"), None) == ForeignSession(id="abc")
    assert FORMAT.describe(PurePath("/x/abc.jsonl"), {"type": "message", "id": "m"}).id == "abc"


def test_the_session_key_stands_in_the_companion_file() -> None:
    """sessions.json maps keys to their current sessions."""
    companion = {
        "agent:main:main": {"sessionId": "other"},
        "agent:main:telegram:direct:42": {"sessionId": "7c0f-main", "updatedAt": 1},
        "odd": "entry",
    }
    assert FORMAT.describe(PATH, HEADER, companion).key == "agent:main:telegram:direct:42"
    assert FORMAT.describe(PATH, {"type": "session", "id": "gone"}, companion).key is None


def test_a_message_entry_is_a_message() -> None:
    """Role, blocks, id, time and model are kept."""
    blocks = [{"type": "text", "text": "part1"}, {"type": "toolCall", "name": "x"}]
    said = message(entry(role="assistant", content=blocks, model="gpt-x"))
    assert (said.role, said.content, said.id) == ("assistant", blocks, "b1bf6a1d")
    assert said.at == 1_770_681_601_000
    assert said.metadata == {"parent": "e8a14527", "model": "gpt-x"}


@pytest.mark.parametrize("sender", ["501", 501, -100])
def test_a_sender_that_is_a_number_is_no_less_a_sender(sender: object) -> None:
    """Without one the turn would be taken for the owner's in a session that people share."""
    facts = {"senderId": sender, "transport": {"channel": "telegram"}}
    found = message(entry(role="user", content="hello", __openclaw=facts))
    assert found.sender == f"telegram:{sender}"


@pytest.mark.parametrize("stamp", [1770681600, 1770681600000, "2026-02-10T00:00:00Z"])
def test_the_time_may_stand_in_the_message(stamp: object) -> None:
    """Golden sample 2026.9.6/buildSessionEntry/timestamps."""
    record = entry(role="user", content="c", timestamp=stamp)
    del record["timestamp"]
    assert message(record).at == 1_770_681_600_000


def test_the_answer_of_a_tool_becomes_a_tool_message() -> None:
    """OpenClaw gives it a role of its own, with the call's id beside it."""
    said = message(
        entry(
            role="toolResult",
            toolCallId="t1",
            toolName="read",
            content=[{"type": "text", "text": "secret output"}],
            isError=True,
        )
    )
    assert said.role == "tool"
    assert readable_text(parse_content(said.content)) == "secret output"
    assert said.content == [
        {
            "type": "tool_result",
            "tool_use_id": "t1",
            "name": "read",
            "content": [{"type": "text", "text": "secret output"}],
            "is_error": True,
        }
    ]


def test_a_command_of_the_user_becomes_a_call_with_its_result() -> None:
    """Commands that the user runs in the agent's shell are no model's call."""
    said = message(entry(role="bashExecution", command="ls", output="a.txt", exitCode=0))
    assert readable_text(parse_content(said.content)) == "bash: command=ls\na.txt"


def test_seed_000_tells_channel_and_sender_in_the_message() -> None:
    """{channel}:{from} is the session key of OpenClaudeCode."""
    record = entry(role="user", content="hi", channel="telegram") | {"id": None}
    record["message"]["from"] = "5054"
    said = message(record)
    assert (said.id, said.name, said.session.key) == (None, "5054", "telegram:5054")
    record["message"]["role"] = "assistant"
    assert message(record).session.key is None


@pytest.mark.parametrize("kind", ["compaction", "branch_summary"])
def test_a_summary_entry_is_kept_beside_what_it_stands_for(kind: str) -> None:
    """It is no word of the user or the agent."""
    said = message({"type": kind, "id": "c", "summary": "They chose Hetzner.", "tokensBefore": 5})
    assert (said.role, said.content) == ("system", "They chose Hetzner.")
    assert said.metadata == {"kind": kind}


def test_a_name_titles_the_session() -> None:
    """The user chose it."""
    parsed = FORMAT.parse({"type": "session_info", "name": "router"}, FILE)
    assert parsed == ForeignSession(id="7c0f-main", title="router", title_is_final=True)


@pytest.mark.parametrize(
    "record",
    [
        entry(role="user", content=""),
        entry(role="assistant", content=[]),
        entry(role="user", content=None),
        entry(role="assistant", content=" NO_REPLY\n"),
        {"type": "compaction", "id": "c"},
        {"type": "custom", "customType": "x", "data": {}},
        {"type": "custom_message", "content": "recalled: …"},
        {"type": "model_change", "modelId": "m"},
        {"type": "session_info"},
    ],
)
def test_entries_without_conversation_are_skipped(record: dict[str, Any]) -> None:
    """Golden sample empty_content, silent replies, injected memories, state."""
    assert isinstance(FORMAT.parse(record, FILE), Skip)


@pytest.mark.parametrize(
    "record",
    [
        {"type": "message"},
        {"type": "message", "message": "text"},
        entry(content="no role"),
        entry(role="wizard", content="x"),
        entry(role="user", content=42),
        {"id": "x"},
    ],
)
def test_broken_entries_are_reported(record: dict[str, Any]) -> None:
    """The reason is a fixed phrase."""
    assert isinstance(FORMAT.parse(record, FILE), Malformed)


def test_its_entries_are_recognised() -> None:
    """Headers and messages; not those of recollect's own mirrors."""
    assert FORMAT.recognises(HEADER)
    assert FORMAT.recognises(entry(role="user", content="x"))
    assert not FORMAT.recognises({"type": "message", "role": "user", "content": "x"})
    assert not FORMAT.recognises({"type": "session", "recollect": 1, "id": "x"})


@given(
    st.sampled_from(["message", "session", "compaction", "session_info", "x"]),
    st.dictionaries(
        st.sampled_from(["message", "id", "timestamp", "summary", "name", "parentId"]), JSON
    ),
    st.dictionaries(st.sampled_from(["role", "content", "from", "channel", "output"]), JSON),
)
def test_no_entry_makes_it_raise(
    kind: str, fields: dict[str, Any], message: dict[str, Any]
) -> None:
    """Whatever an entry holds, it is read, skipped or reported."""
    FORMAT.parse({"type": kind, **fields}, FILE)
    for role in ("user", "toolResult", "bashExecution", "compactionSummary"):
        FORMAT.parse({"type": kind, "message": {"role": role} | message} | fields, FILE)
    FORMAT.describe(PATH, {"type": kind, **fields})
