"""Exports: what goes out comes in again as the same conversation."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.core.clock import to_datetime
from recollect.core.errors import Conflict, NotFound, StoreError
from recollect.core.settings import SessionSettings
from recollect.exchange.formats.registry import WRITERS
from recollect.exchange.session_export import SessionExport
from recollect.sessions.context.compaction import Compaction, store_compaction
from recollect.sessions.record.content import (
    ContentBlock,
    ImageBlock,
    OtherBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from recollect.sessions.record.message import ROLES, Message
from recollect.sessions.record.session import Session
from tests.unit.sessions.home import NOON, Home, WordRedactor

MAIN = "5b1f6a3e-0c1d-4a55-9d0a-6f1d2c3b4a01"
FORMATS = sorted(WRITERS)


def claude_line(number: int, kind: str, content: object, **more: Any) -> dict[str, Any]:
    """Return a line as Claude Code writes it."""
    message: dict[str, Any] = {"role": kind, "content": content}
    if kind == "assistant":
        message |= {
            "id": "msg_01",
            "type": "message",
            "model": "claude-opus-4",
            "stop_reason": "tool_use",
            "stop_sequence": None,
            "usage": {
                "input_tokens": 5,
                "output_tokens": number,
                "cache_read_input_tokens": 100,
                "service_tier": "standard",
            },
        }
    return {
        "parentUuid": f"u-{number - 1}" if number else None,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/ana/shop",
        "sessionId": MAIN,
        "version": "2.1.3",
        "gitBranch": "main",
        "type": kind,
        "message": message,
        "uuid": f"u-{number}",
        "timestamp": f"2026-02-10T08:00:0{number}.250Z",
        **more,
    }


CLAUDE = [
    claude_line(0, "user", "Rename the helper", promptId="p-1"),
    claude_line(
        1, "assistant", [{"type": "thinking", "thinking": "hm", "signature": "EqQB"}], requestId="r"
    ),
    claude_line(2, "assistant", [{"type": "text", "text": "Reading."}], requestId="r"),
    claude_line(
        3,
        "assistant",
        [{"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"file_path": "a.py"}}],
        requestId="r",
    ),
    claude_line(
        4,
        "user",
        [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "def a(): ..."}],
        toolUseResult={"type": "text", "file": {"filePath": "a.py", "numLines": 1}},
        gitBranch="fix",
    ),
    claude_line(
        5,
        "user",
        [
            {"type": "text", "text": "like this", "citations": None},
            {"type": "image", "source": {"type": "url", "url": "https://x.test/a.png"}},
        ],
    ),
]

OPENCLAW = [
    {
        "type": "session",
        "version": 3,
        "id": "d44378d9",
        "timestamp": "2026-02-10T08:00:00.000Z",
        "cwd": "/p",
    },
    {
        "type": "message",
        "id": "a1",
        "parentId": None,
        "timestamp": "2026-02-10T08:00:01.000Z",
        "message": {"role": "user", "content": "Water the plants?", "timestamp": 1770710401000},
        "provenance": {"kind": "external_user"},
    },
    {
        "type": "message",
        "id": "a2",
        "parentId": "a1",
        "timestamp": "2026-02-10T08:00:02.000Z",
        "message": {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "thinkingSignature": "s"},
                {"type": "toolCall", "id": "c1", "name": "exec", "arguments": {"command": "date"}},
            ],
            "api": "anthropic-messages",
            "provider": "anthropic",
            "model": "claude-x",
            "usage": {"input": 7, "output": 3, "cacheRead": 2, "cost": {"total": 0.1}},
            "stopReason": "toolUse",
            "timestamp": 1770710402000,
        },
    },
    {
        "type": "message",
        "id": "a3",
        "parentId": "a2",
        "timestamp": "2026-02-10T08:00:03.000Z",
        "message": {
            "role": "toolResult",
            "toolCallId": "c1",
            "toolName": "exec",
            "content": [{"type": "text", "text": "Tuesday"}],
            "details": {"exitCode": 0},
            "isError": False,
            "timestamp": 1770710403000,
        },
    },
    {
        "type": "compaction",
        "id": "a4",
        "parentId": "a3",
        "timestamp": "2026-02-10T08:00:04.000Z",
        "summary": "They spoke of plants.",
        "firstKeptEntryId": "a1",
        "tokensBefore": 9,
    },
    {
        "type": "message",
        "id": "a5",
        "parentId": "a4",
        "timestamp": "2026-02-10T08:00:05.000Z",
        "message": {
            "role": "bashExecution",
            "command": "ls",
            "output": "a.txt",
            "exitCode": 0,
            "timestamp": 1770710405000,
        },
    },
]


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Home]:
    """A second, empty home."""
    opened = Home(tmp_path / "other")
    yield opened
    opened.close()


def imported(home: Home, path: Path) -> Session:
    """Return the only session that an import of a file makes."""
    known = {session.id for session in home.sessions.list()}
    report = home.importer().run(path)
    assert report.malformed == ()
    (session,) = [each for each in home.sessions.list() if each.id not in known]
    return session


def lines_of(home: Home, session: Session, form: str) -> list[dict[str, Any]]:
    """Return the exported records."""
    lines = SessionExport(home.sessions, session.id, WRITERS[form]).lines()
    return [json.loads(line) for line in lines]


def moved(home: Home, session: Session, form: str, other: Home, path: Path) -> Session:
    """Return a session that went out of one home and into another."""
    SessionExport(home.sessions, session.id, WRITERS[form]).save(path, replace=True)
    return imported(other, path)


def said(home: Home, session: Session) -> list[tuple[object, ...]]:
    """Return the transcript without what belongs to one home."""
    return [
        (m.seq, m.role, m.name, m.content, m.created_at, m.metadata)
        for m in home.sessions.messages(session.id)
    ]


def write(path: Path, records: list[dict[str, Any]]) -> Path:
    """Write a transcript."""
    path.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("form", "records"), [("claude-code", CLAUDE), ("openclaw", OPENCLAW)], ids=["claude", "claw"]
)
def test_a_foreign_transcript_goes_back_as_it_came(
    home: Home, tmp_path: Path, form: str, records: list[dict[str, Any]]
) -> None:
    """Every field of every line, the unknown ones too."""
    session = imported(home, write(tmp_path / f"{MAIN}.jsonl", records))
    assert lines_of(home, session, form) == records


def test_the_cost_of_an_answer_in_pieces_is_counted_once(home: Home, tmp_path: Path) -> None:
    """Claude Code repeats the usage of an answer on each line of it."""
    session = imported(home, write(tmp_path / f"{MAIN}.jsonl", CLAUDE))
    assert (session.output_tokens, session.cache_tokens, session.input_tokens) == (3, 100, 105)
    assert session.model == "claude-opus-4"


@pytest.mark.parametrize("through", FORMATS)
@pytest.mark.parametrize("records", [CLAUDE, OPENCLAW], ids=["claude", "claw"])
def test_any_format_carries_a_foreign_session(
    home: Home, other: Home, tmp_path: Path, through: str, records: list[dict[str, Any]]
) -> None:
    """What a format cannot say goes along in a field of ours."""
    session = imported(home, write(tmp_path / f"{MAIN}.jsonl", records))
    arrived = moved(home, session, through, other, tmp_path / "out.jsonl")
    assert said(other, arrived) == said(home, session)


def test_lines_behind_a_hole_are_chained_to_what_is_there(home: Home, tmp_path: Path) -> None:
    """A reader that walks up the parents must not end at a line that was no message."""
    records = [*CLAUDE[:2], claude_line(3, "user", "note", isMeta=True), CLAUDE[4]]
    session = imported(home, write(tmp_path / f"{MAIN}.jsonl", records))
    chain = [(line["uuid"], line["parentUuid"]) for line in lines_of(home, session, "claude-code")]
    assert chain == [("u-0", None), ("u-1", "u-0"), ("u-4", "u-1")]


def test_what_a_line_holds_beyond_measure_is_named_and_left_out(home: Home, tmp_path: Path) -> None:
    """Whole files stand in the results of tools a second time."""
    line = CLAUDE[4] | {"toolUseResult": {"originalFile": "x" * 100_000}}
    session = imported(home, write(tmp_path / f"{MAIN}.jsonl", [CLAUDE[0], line]))
    foreign = home.sessions.messages(session.id)[1].metadata["foreign"]
    assert foreign["left_out"] == ["line.toolUseResult"]
    assert foreign["line"] == {"gitBranch": "fix"}


def test_secrets_in_unknown_fields_are_taken_out(tmp_path: Path) -> None:
    """The one loss that is meant."""
    home = Home(tmp_path / "clean", WordRedactor())
    line = CLAUDE[0] | {"note": "hunter2", "password": "x"}
    session = imported(home, write(tmp_path / f"{MAIN}.jsonl", [line]))
    (record,) = lines_of(home, session, "claude-code")
    assert (record["note"], record["password"]) == ("[redacted]", "[redacted]")
    home.close()


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
ODD = st.sampled_from(
    [
        "",
        " ",
        "NO_REPLY",
        "<system-reminder>x</system-reminder>",
        "[Request interrupted by user]",
        "<command-name>/clear</command-name>",
        "<bash-input>ls</bash-input>",
    ]
)
WORDS = TEXT | ODD
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**62), 2**62) | WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
MAYBE = st.none() | TEXT
PLAIN = st.one_of(
    st.builds(TextBlock, text=WORDS),
    st.builds(
        ImageBlock,
        media_type=MAYBE,
        alt=MAYBE,
        url=st.none() | st.just("https://x.test/a.png"),
        size_bytes=st.none() | st.integers(0, 9),
        sha256=MAYBE,
    ),
    st.builds(OtherBlock, kind=TEXT, value=st.dictionaries(TEXT, JSON, max_size=2)),
)
BLOCK = st.one_of(
    PLAIN,
    st.builds(ThinkingBlock, thinking=WORDS),
    st.builds(ToolUseBlock, name=TEXT, input=JSON, id=MAYBE),
    st.builds(
        ToolResultBlock,
        content=st.lists(PLAIN, max_size=2).map(tuple),
        tool_use_id=MAYBE,
        name=MAYBE,
        is_error=st.booleans(),
    ),
)
MESSAGE = st.fixed_dictionaries(
    {
        "role": st.sampled_from(ROLES),
        "content": st.lists(BLOCK, max_size=3),
        "name": MAYBE,
        "at": st.integers(0, 253_402_300_799_999).map(to_datetime),
        "metadata": st.dictionaries(TEXT, JSON, max_size=2),
    },
    optional={
        "model": TEXT,
        "usage": st.fixed_dictionaries(
            {"input": st.integers(0, 9), "output": st.integers(0, 9), "context": st.integers(0, 9)}
        ),
    },
)


@pytest.mark.parametrize("form", FORMATS)
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(items=st.lists(MESSAGE, min_size=1, max_size=4))
def test_what_goes_out_comes_in_as_the_same_transcript(
    home: Home, other: Home, tmp_path: Path, form: str, items: list[dict[str, Any]]
) -> None:
    """Whatever blocks a session holds, in every format."""
    session = home.sessions.create()
    home.sessions.append_many(session.id, items)
    path = Path(tempfile.mkdtemp(dir=tmp_path)) / "out.jsonl"
    arrived = moved(home, session, form, other, path)
    assert said(other, arrived) == said(home, session)


@pytest.mark.parametrize("form", FORMATS)
def test_a_fork_goes_out_whole(home: Home, other: Home, tmp_path: Path, form: str) -> None:
    """With what it shares with its parents, in the session of its own."""
    parent = imported(home, write(tmp_path / f"{MAIN}.jsonl", CLAUDE))
    fork = home.sessions.fork(parent.id, 4)
    home.sessions.append(fork.id, "user", "another way")
    arrived = moved(home, fork, form, other, tmp_path / "out.jsonl")
    assert [row[:4] for row in said(other, arrived)] == [row[:4] for row in said(home, fork)]
    assert arrived.foreign_id == fork.id


@pytest.mark.parametrize("form", FORMATS)
def test_summaries_go_out_and_do_not_come_in(
    home: Home, other: Home, tmp_path: Path, form: str
) -> None:
    """The other program needs them; here they can be made again."""
    session = home.sessions.create(title="Plants")
    home.sessions.append_many(session.id, [("user", "a"), ("assistant", "b"), ("user", "c")])
    for through in (2, 3):
        made = Compaction(
            id=f"c-{through}",
            session_id=session.id,
            through_seq=through,
            last_seq=3,
            summary="They spoke.",
            made_by="test",
            tokens_before=9,
            tokens_after=3,
            created_at=NOON,
        )
        home.database.write(lambda tx, made=made: store_compaction(tx, session, made))  # type: ignore[misc]
    written = json.dumps(lines_of(home, session, form))
    assert written.count("They spoke.") == 2
    arrived = moved(home, session, form, other, tmp_path / "out.jsonl")
    assert [message.text for message in other.sessions.messages(arrived.id)] == ["a", "b", "c"]
    assert arrived.title == "Plants"


def test_claude_code_gets_the_lines_that_it_needs(home: Home) -> None:
    """Ids that are UUIDs, a chain from the first message to the last, answers as blocks."""
    session = home.sessions.create(project="/p", session_id="my-session")
    home.sessions.append(session.id, "user", "tea?")
    home.sessions.append(session.id, "assistant", "Yes.", model="m", usage={"input": 3})
    first, second = lines_of(home, session, "claude-code")
    assert first["parentUuid"] is None
    assert second["parentUuid"] == first["uuid"]
    assert (first["cwd"], first["isSidechain"], first["type"]) == ("/p", False, "user")
    assert first["sessionId"] == second["sessionId"] != "my-session"
    assert len(first["sessionId"]) == 36
    assert second["message"]["content"] == [{"type": "text", "text": "Yes."}]
    assert second["message"]["usage"]["input_tokens"] == 3


def test_an_export_replaces_nothing_unless_it_is_told(home: Home, tmp_path: Path) -> None:
    """Neither a file nor a link; and it is for its owner alone."""
    session = home.sessions.create()
    home.sessions.append(session.id, "user", "tea")
    leaving = SessionExport(home.sessions, session.id, WRITERS["jsonl"])
    path = tmp_path / "out.jsonl"
    report = leaving.save(path)
    assert (report.messages, report.bytes) == (1, path.stat().st_size)
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(Conflict):
        leaving.save(path)
    aim = tmp_path / "aim"
    aim.write_text("mine")
    (tmp_path / "link").symlink_to(aim)
    with pytest.raises(Conflict):
        leaving.save(tmp_path / "link")
    leaving.save(tmp_path / "link", replace=True)
    assert aim.read_text() == "mine"
    assert (tmp_path / "link").read_bytes() == path.read_bytes()


def test_an_export_that_fails_leaves_nothing_behind(home: Home, tmp_path: Path) -> None:
    """No half file, no draft."""
    session = home.sessions.create()
    (tmp_path / "folder").mkdir()
    leaving = SessionExport(home.sessions, session.id, WRITERS["jsonl"])
    with pytest.raises(StoreError):
        leaving.save(tmp_path / "folder", replace=True)
    with pytest.raises(NotFound):
        leaving.save(tmp_path / "missing" / "x")
    assert sorted(each.name for each in tmp_path.iterdir() if each.name != "home") == ["folder"]


def test_our_own_blocks_are_read_as_they_were_written() -> None:
    """A text that looks like JSON stays the text that a tool was given."""
    from recollect.sessions.record.content import parse_content

    block: ContentBlock = ToolUseBlock(name="x", input='{"a": 1}')
    assert parse_content([msgspec.to_builtins(block)]) == (block,)


def test_an_import_of_its_own_export_adds_nothing(home: Home, tmp_path: Path) -> None:
    """A home knows its own sessions."""
    session = home.sessions.create()
    home.sessions.append(session.id, "user", "tea")
    SessionExport(home.sessions, session.id, WRITERS["jsonl"]).save(tmp_path / "x.jsonl")
    report = home.importer().run(tmp_path / "x.jsonl")
    assert (report.unchanged, report.messages) == (1, 0)
    assert isinstance(home.sessions.messages(session.id)[0], Message)
    assert SessionSettings().mirror
