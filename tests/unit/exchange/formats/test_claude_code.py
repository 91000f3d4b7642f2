"""Lines of Claude Code: what is conversation, what is not, and whose it is."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.exchange.formats.claude_code import ClaudeCodeFormat
from recollect.exchange.transcript import (
    ForeignMessage,
    ForeignSession,
    Malformed,
    Skip,
)

FORMAT = ClaudeCodeFormat()
MAIN = "5b1f6a3e-0c1d-4a55-9d0a-6f1d2c3b4a01"
FILE = FORMAT.describe(PurePath(f"/p/-home-ana-shop/{MAIN}.jsonl"), None)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def line(kind: str, content: object, **more: object) -> dict[str, Any]:
    """Return a user or assistant line as Claude Code writes it."""
    return {
        "type": kind,
        "uuid": "u-1",
        "parentUuid": "u-0",
        "sessionId": MAIN,
        "cwd": "/home/ana/shop",
        "timestamp": "2026-02-10T08:00:00.250Z",
        "isSidechain": False,
        "message": {"role": kind, "content": content},
        **more,
    }


def message(record: dict[str, Any]) -> ForeignMessage:
    """Return the message of a line that must be one."""
    parsed = FORMAT.parse(record, FILE)
    assert isinstance(parsed, ForeignMessage)
    return parsed


def test_a_user_line_is_a_message_with_its_time_and_project() -> None:
    """The folder is the project, the uuid the id, the file the session."""
    said = message(line("user", "Rename the retry helper"))
    assert (said.role, said.content, said.id) == ("user", "Rename the retry helper", "u-1")
    assert said.at == 1_770_710_400_250
    assert said.session == ForeignSession(id=MAIN, agent="claude-code", project="/home/ana/shop")
    assert said.metadata == {"parent": "u-0"}


def test_an_assistant_line_keeps_its_blocks_and_model() -> None:
    """Thinking and tool calls are part of the reply."""
    blocks = [{"type": "thinking", "thinking": "hm"}, {"type": "tool_use", "name": "Edit"}]
    record = line("assistant", blocks)
    record["message"]["model"] = "claude-x"
    said = message(record)
    assert (said.role, said.content) == ("assistant", blocks)
    assert said.metadata["model"] == "claude-x"


def test_the_answer_of_a_tool_is_not_what_the_user_said() -> None:
    """Claude Code sends tool results in the user's name."""
    result = {"type": "tool_result", "tool_use_id": "t", "content": "ok"}
    assert message(line("user", [result])).role == "tool"
    assert message(line("user", [result, {"type": "text", "text": "and now?"}])).role == "user"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("plain", "plain"),
        ("<system-reminder>be brief</system-reminder>\nGo on", "Go on"),
        (
            "<command-message>fix is running</command-message>\n"
            "<command-name>/fix</command-name>\n<command-args>issue 7</command-args>",
            "/fix issue 7",
        ),
        ("<command-name>/clear</command-name>", "/clear"),
        ("<bash-input>git status</bash-input>", "! git status"),
    ],
)
def test_what_the_program_put_around_the_words_of_the_user_is_taken_off(
    typed: str, meant: str
) -> None:
    """Reminders and command wrappers are not what anybody said."""
    assert message(line("user", typed)).content == meant
    assert message(line("user", [{"type": "text", "text": typed}])).content == [
        {"type": "text", "text": meant}
    ]


@pytest.mark.parametrize(
    "record",
    [
        line("user", "Caveat: the messages below", isMeta=True),
        line("assistant", [{"type": "text", "text": "API Error"}], isApiErrorMessage=True),
        line("user", "<local-command-stdout>ok</local-command-stdout>"),
        line("user", "<system-reminder>only this</system-reminder>"),
        line("user", "[Request interrupted by user for tool use]"),
        line("user", ""),
        line("assistant", []),
        line("user", None),
        {"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"},
        {"type": "system", "subtype": "turn_duration", "durationMs": 5},
        {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
        {"type": "queue-operation", "operation": "dequeue", "sessionId": MAIN},
        {"type": "attachment", "sessionId": MAIN},
        {"type": "something-new", "sessionId": MAIN},
    ],
)
def test_lines_about_the_program_are_skipped(record: dict[str, Any]) -> None:
    """Snapshots, notices, wrappers and new kinds of lines are no conversation."""
    assert isinstance(FORMAT.parse(record, FILE), Skip)


def test_a_system_line_with_something_to_say_is_kept() -> None:
    """Only the known notices are left out."""
    record = {"type": "system", "content": "Read-only mode is on", "uuid": "s", "message": "x"}
    said = message(record)
    assert (said.role, said.content) == ("system", "Read-only mode is on")


def test_a_compaction_summary_is_no_word_of_the_user() -> None:
    """It stands for older messages, which are there themselves."""
    said = message(line("user", "This session continues…", isCompactSummary=True))
    assert (said.role, said.metadata["kind"]) == ("system", "compaction")


@pytest.mark.parametrize(
    ("record", "title", "final"),
    [
        ({"type": "summary", "summary": "Retry helper", "leafUuid": "u"}, "Retry helper", False),
        ({"type": "ai-title", "aiTitle": "Retries", "sessionId": MAIN}, "Retries", False),
        ({"type": "custom-title", "customTitle": "mine", "sessionId": MAIN}, "mine", True),
    ],
)
def test_titles_name_the_session(record: dict[str, Any], title: str, final: bool) -> None:
    """A title that the user gave wins over one that was made."""
    parsed = FORMAT.parse(record, FILE)
    assert isinstance(parsed, ForeignSession)
    assert (parsed.id, parsed.title, parsed.title_is_final) == (MAIN, title, final)


@pytest.mark.parametrize(("agent", "suffix"), [("a949e157", "a949e157"), (None, "sidechain")])
def test_a_sub_agent_talks_in_a_session_of_its_own(agent: str | None, suffix: str) -> None:
    """Its lines would tear the main conversation apart."""
    record = line("assistant", "Two callers found.", isSidechain=True, agentId=agent)
    session = message(record).session
    assert session.id == f"{MAIN}/{suffix}"
    assert session.metadata["parent"] == MAIN


@pytest.mark.parametrize(
    "record",
    [
        {"type": "user", "sessionId": MAIN},
        line("user", 42),
        {"uuid": "u"},
        {"type": 7},
        {"type": "summary", "summary": " "},
        {"type": "summary"},
    ],
)
def test_broken_lines_are_reported(record: dict[str, Any]) -> None:
    """The reason is a fixed phrase, never a part of the line."""
    assert isinstance(FORMAT.parse(record, FILE), Malformed)


def test_a_line_without_session_belongs_to_its_file() -> None:
    """Very old lines have none."""
    record = line("user", "hello")
    del record["sessionId"]
    assert message(record).session.id == MAIN


def test_its_lines_are_recognised() -> None:
    """A file may begin with a summary, a snapshot or a mode line."""
    assert FORMAT.recognises(line("user", "x"))
    assert FORMAT.recognises({"type": "summary", "leafUuid": "u", "summary": "t"})
    assert FORMAT.recognises({"type": "mode", "sessionId": MAIN})
    assert not FORMAT.recognises({"role": "user", "content": "x"})
    assert not FORMAT.recognises({"type": "session", "id": "x"})


@given(
    st.sampled_from(["user", "assistant", "system", "summary", "custom-title", "x"]),
    st.dictionaries(
        st.sampled_from(
            ["message", "uuid", "sessionId", "content", "isSidechain", "agentId", "cwd", "summary"]
        ),
        JSON,
    ),
    JSON,
)
def test_no_line_makes_it_raise(kind: str, fields: dict[str, Any], content: object) -> None:
    """Whatever a line holds, it is read, skipped or reported."""
    FORMAT.parse({"type": kind, **fields}, FILE)
    FORMAT.parse({"type": kind, "message": {"content": content}} | fields, FILE)
