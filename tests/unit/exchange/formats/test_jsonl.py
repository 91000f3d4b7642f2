"""Plain JSON lines, their spellings, and recollect's own mirrors."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.exchange.formats.jsonl import JsonlFormat
from recollect.exchange.formats.registry import FORMATS
from recollect.exchange.transcript import (
    ForeignMessage,
    ForeignSession,
    Malformed,
    Skip,
)
from recollect.sessions.record.content import parse_content, readable_text

FORMAT = JsonlFormat()
FILE = FORMAT.describe(PurePath("/data/talk.jsonl"), None)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def message(record: dict[str, Any]) -> ForeignMessage:
    """Return the message of a line that must be one."""
    parsed = FORMAT.parse(record, FILE)
    assert isinstance(parsed, ForeignMessage)
    return parsed


def test_the_three_fields_are_enough() -> None:
    """{role, content, at}: the file is the session."""
    said = message({"role": "user", "content": "hello", "at": 1_770_681_600_000})
    assert said == ForeignMessage(
        session=ForeignSession(id="/data/talk.jsonl", key="talk"),
        role="user",
        content="hello",
        at=1_770_681_600_000,
    )


@pytest.mark.parametrize("key", ["at", "timestamp", "created_at", "date", "time"])
@pytest.mark.parametrize("stamp", ["2026-02-10", "2026-02-10T01:00:00+01:00", 1_770_681_600])
def test_the_time_has_several_names_and_shapes(key: str, stamp: object) -> None:
    """ISO 8601, seconds or milliseconds."""
    assert message({"role": "user", "text": "x", key: stamp}).at == 1_770_681_600_000


def test_a_time_that_cannot_be_read_is_unknown() -> None:
    """The words are worth more than the time."""
    assert message({"role": "user", "content": "x", "date": "last Tuesday"}).at is None


@pytest.mark.parametrize(
    ("role", "ours"),
    [("human", "user"), ("AI", "assistant"), ("developer", "system"), ("function", "tool")],
)
def test_roles_of_other_tools_are_known(role: str, ours: str) -> None:
    """Each tool has its own words for the same four."""
    assert message({"role": role, "content": "x"}).role == ours


def test_a_line_may_name_session_speaker_and_id() -> None:
    """One file can hold many sessions."""
    said = message(
        {
            "role": "user",
            "content": "x",
            "session_id": "locomo:conv-26",
            "speaker": "Caroline",
            "id": 7,
            "project": "/p",
            "title": "May",
            "metadata": {"dia_id": "D1:1"},
        }
    )
    assert said.session == ForeignSession(
        id="locomo:conv-26", key="locomo:conv-26", project="/p", title="May"
    )
    assert (said.name, said.id, said.metadata) == ("Caroline", "7", {"dia_id": "D1:1"})


def test_a_name_that_is_no_key_gives_no_key() -> None:
    """The file is imported all the same."""
    assert FORMAT.describe(PurePath("/data/:.jsonl"), None).key is None
    assert FORMAT.describe(PurePath("/data/a\tb.jsonl"), None).key == "ab"


def test_openai_tool_calls_become_blocks() -> None:
    """The call stands beside the content, the answer is a message of its own."""
    function = {"name": "find", "arguments": '{"q": "tea"}'}
    said = message(
        {
            "role": "assistant",
            "content": "Looking.",
            "tool_calls": [{"id": "c1", "type": "function", "function": function}, "odd"],
        }
    )
    assert readable_text(parse_content(said.content)) == "Looking.\nfind: q=tea\nodd"
    answer = message({"role": "tool", "tool_call_id": "c1", "content": "green"})
    assert answer.content == [
        {"type": "tool_result", "tool_use_id": "c1", "name": None, "content": "green"}
    ]


def test_the_header_of_a_mirror_describes_the_session() -> None:
    """What recollect wrote, recollect reads."""
    header = {"recollect": 1, "id": "s1", "key": "a:b", "project": "/p", "created_at": "2026-02-10"}
    session = FORMAT.describe(PurePath("/t/s1.jsonl"), header)
    assert session == ForeignSession(id="s1", key="a:b", project="/p", at=1_770_681_600_000)
    assert FORMAT.parse(header, session) == session


@pytest.mark.parametrize("record", [{"role": "user"}, {"role": "user", "content": ""}])
def test_lines_without_content_are_skipped(record: dict[str, Any]) -> None:
    """There is nothing to remember."""
    assert isinstance(FORMAT.parse(record, FILE), Skip)


@pytest.mark.parametrize(
    "record",
    [{"content": "x"}, {"role": "wizard", "content": "x"}, {"role": "user", "content": 42}],
)
def test_broken_lines_are_reported(record: dict[str, Any]) -> None:
    """The reason is a fixed phrase."""
    assert isinstance(FORMAT.parse(record, FILE), Malformed)


def test_every_format_recognises_its_own_lines_only() -> None:
    """Auto-detection asks them in order."""
    lines: dict[str, dict[str, Any]] = {
        "claude-code": {"type": "user", "sessionId": "s", "message": {"content": "x"}},
        "openclaw": {"type": "session", "version": 3, "id": "x"},
        "jsonl": {"role": "user", "content": "x"},
    }
    for name, record in lines.items():
        assert [each for each, form in FORMATS.items() if form.recognises(record)] == [name]
    mirror = {"type": "session", "recollect": 1, "id": "x", "version": 1}
    assert [each for each, form in FORMATS.items() if form.recognises(mirror)] == ["jsonl"]


@given(
    st.dictionaries(
        st.sampled_from(
            ["role", "content", "text", "tool_calls", "tool_call_id", "id", "session", "recollect"]
        ),
        JSON,
    )
)
def test_no_line_makes_it_raise(fields: dict[str, Any]) -> None:
    """Whatever a line holds, it is read, skipped or reported."""
    for role in ("user", "tool", "assistant"):
        FORMAT.parse({"role": role} | fields, FILE)
        FORMAT.recognises({"role": role} | fields)
        FORMAT.describe(PurePath("/x.jsonl"), {"role": role} | fields)
