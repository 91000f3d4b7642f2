"""Bad input to sessions, over the public API and the command line: a clear error or a repair.

Nothing ends in an exception that is not ours, and nothing that was stored before is lost.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect import Memory, RecollectError
from tests.integration.cli.conftest import Run, message

MEGABYTE = 1024 * 1024
KEPT = "what was there before"
LEXICAL = {"embedding.provider": "none"}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A home with one session of one message, which must be there at the end."""
    with recollect.open(tmp_path / "api", overrides=LEXICAL, live=False) as opened:
        session = opened.sessions.create(title="kept", session_id="kept")
        opened.sessions.append(session.id, "user", KEPT)
        yield opened
        assert KEPT in [each.text for each in opened.sessions.messages("kept")]


def nested(levels: int) -> Any:
    """Return a deep value."""
    value: Any = "core"
    for _ in range(levels):
        value = [value]
    return value


REFUSED: dict[str, Callable[[Memory], object]] = {
    "an unknown role": lambda m: m.sessions.append("kept", "wizard", "x"),
    "a role that is none": lambda m: m.sessions.append("kept", None, "x"),  # type: ignore[arg-type]  # wrong
    "17 MB": lambda m: m.sessions.append("kept", "user", "x" * (17 * MEGABYTE)),
    "17 MB that arrive": lambda m: m.sessions.append_stream("kept", ["x" * MEGABYTE] * 17),
    "a text that grows as JSON": lambda m: m.sessions.append("kept", "user", "\1" * (4 * MEGABYTE)),
    "10,000 levels of a tool": lambda m: m.sessions.append(
        "kept", "assistant", [{"type": "tool_use", "name": "x", "input": nested(10_000)}]
    ),
    "10,000 levels of facts": lambda m: m.sessions.append(
        "kept", "user", "x", metadata={"a": nested(10_000)}
    ),
    "facts that are no JSON": lambda m: m.sessions.append("kept", "user", "x", metadata={"a": {1}}),
    "a number as content": lambda m: m.sessions.append("kept", "user", 42),  # type: ignore[arg-type]  # wrong
    "a time before 1970": lambda m: m.sessions.append("kept", "user", "x", at=-1),
    "a time beyond 9999": lambda m: m.sessions.append("kept", "user", "x", at=2**63),
    "a time that is no number": lambda m: m.sessions.append("kept", "user", "x", at=float("nan")),  # type: ignore[arg-type]  # wrong
    "an event id with NUL": lambda m: m.sessions.append("kept", "user", "x", event_id="a\0"),
    "an event id of half a pair": lambda m: m.sessions.append(
        "kept", "user", "x", event_id="\ud800"
    ),
    "an endless event id": lambda m: m.sessions.append("kept", "user", "x", event_id="x" * 600),
    "tokens beyond measure": lambda m: m.sessions.append(
        "kept", "user", "x", usage={"input": 2**63}
    ),
    "tokens below 0": lambda m: m.sessions.append("kept", "user", "x", usage={"input": -1}),
    "one of many": lambda m: m.sessions.append_many("kept", [("user", "x"), ("wizard", "y")]),
    "a field nobody knows": lambda m: m.sessions.append_many("kept", [{"rolle": "user"}]),
    "an id that is a path": lambda m: m.sessions.create(session_id="../../etc/passwd"),
    "an id with a NUL": lambda m: m.sessions.create(session_id="a\0b"),
    "an endless id": lambda m: m.sessions.create(session_id="a" * 65),
    "an id that is there": lambda m: m.sessions.create(session_id="kept"),
    "an endless title": lambda m: m.sessions.create(title="t" * 600),
    "an empty key": lambda m: m.sessions.open(""),
    "a path in place of a session": lambda m: m.sessions.messages("../kept"),
    "half a pair in place of a session": lambda m: m.sessions.messages("\ud800"),
    "a session that is not there": lambda m: m.sessions.stream("nobody"),
    "a fork ahead of everything": lambda m: m.sessions.fork("kept", 2**63),
    "a fork before everything": lambda m: m.sessions.fork("kept", -1),
    "a format nobody knows": lambda m: m.export_session("kept", "word").save(m.home / "x"),
    "a folder nobody made": lambda m: m.export_session("kept", "jsonl").save(
        Path(m.home / "no" / "x")
    ),
    "a home of nobody": lambda m: m.export_session("kept", "jsonl").save("~nobody-there/x"),
    "a file in place of a folder": lambda m: m.export_session("kept", "jsonl").save(
        m.home / "records.db" / "x"
    ),
    "a file name with NUL": lambda m: m.export_session("kept", "jsonl").save(m.home / "a\0b"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_stored_is_refused_with_a_hint(memory: Memory, what: str) -> None:
    """One of our errors, and the transcript is as it was."""
    before = memory.sessions.messages("kept")
    with pytest.raises(RecollectError) as caught:
        REFUSED[what](memory)
    assert caught.value.hint
    assert caught.value.code
    assert memory.sessions.messages("kept") == before


def test_what_can_be_stored_in_part_is_stored_and_counted(memory: Memory) -> None:
    """NUL and half pairs become U+FFFD; control characters and large numbers stay readable."""
    said = memory.sessions.append("kept", "user", "a\0b\ud800c\x1b[31m\r\n\x07")
    assert said.text == "a\ufffdb\ufffdc\x1b[31m\r\n\x07"
    assert said.metadata == {"replaced_characters": 2}
    block = {"type": "tool_use", "name": "n", "input": {"big": 2**80, "nan": float("nan")}}
    memory.sessions.append("kept", "assistant", [block])
    (call,) = memory.sessions.tool_calls("kept")
    assert call.input == {"big": str(2**80), "nan": None}


def test_ten_megabytes_are_a_message_and_leave_and_return(memory: Memory, tmp_path: Path) -> None:
    """Here as the result of a tool."""
    large = "ü" * (5 * MEGABYTE)
    result = {"type": "tool_result", "tool_use_id": "t", "content": large}
    memory.sessions.append("kept", "tool", [result])
    memory.export_session("kept", "openclaw").save(tmp_path / "out.jsonl")
    with recollect.open(tmp_path / "other", overrides=LEXICAL, live=False) as other:
        assert other.import_transcripts(tmp_path / "out.jsonl").malformed == ()
        (session,) = other.sessions.list()
        assert [each.content for each in other.sessions.messages(session.id)] == [
            each.content for each in memory.sessions.messages("kept")
        ]


def test_time_may_go_backwards(memory: Memory) -> None:
    """The order is that of storing; the session was used when its newest message says."""
    for at in (2_000, 1_000, 3_000):
        memory.sessions.append("kept", "user", str(at), at=at)
    assert [each.seq for each in memory.sessions.messages("kept")] == [1, 2, 3, 4]
    assert [each.created_at for each in memory.sessions.messages("kept")][1:] == [
        2_000,
        1_000,
        3_000,
    ]


def test_an_event_id_of_another_session_is_free(memory: Memory) -> None:
    """Programs count their messages as they like; neither loses one."""
    first = memory.sessions.append("kept", "user", "once", event_id="e")
    other = memory.sessions.create()
    assert memory.sessions.append(other.id, "user", "twice", event_id="e").text == "twice"
    assert memory.sessions.append("kept", "user", "again", event_id="e") == first


def test_bad_lines_are_told_and_the_others_stored(run: Run, home: Path, tmp_path: Path) -> None:
    """Deep values, unknown roles, numbers and texts of the wrong kind."""
    lines = [
        message("before it"),
        '{"role": "user", "content": ' + "[" * 10_000 + "]" * 10_000 + "}\n",
        '{"role": "wizard", "content": "x"}\n',
        '{"role": "user", "content": 12}\n',
        json.dumps({"role": "user", "content": "x", "metadata": {"a": nested(200)}}) + "\n",
        '{"role": "user", "content": "late", "at": 1e300}\n',
        '{"role": "user", "content": "large", "metadata": {"n": 99999999999999999999999}}\n',
        "[]\n",
        message("behind it"),
    ]
    path = tmp_path / "odd.jsonl"
    path.write_text("".join(lines), encoding="utf-8")
    done = run("--home", home, "import", "jsonl", path, "--json")
    assert done.code == 0
    assert [bad["line"] for bad in done.json["malformed"]] == [2, 3, 4, 5, 8]
    listed = run("--home", home, "sessions", "--json").json["sessions"]
    told = run("--home", home, "transcript", listed[0]["id"], "--json").json["messages"]
    assert [each["text"] for each in told] == ["before it", "late", "large", "behind it"]


def test_odd_mirrors_are_repaired_and_what_was_in_them_is_kept(
    run: Run, home: Path, chat: Path
) -> None:
    """Edited by hand, a link, a folder: `doctor --fix` makes them again."""
    assert run("--home", home, "import", "jsonl", chat).code == 0
    (mirror,) = (home / "transcripts").glob("*.jsonl")
    whole = mirror.read_bytes()
    mirror.write_bytes(whole + b'{"by": "hand"}\n')
    assert run("--home", home, "doctor", "--fix").code == 0
    assert mirror.read_bytes() == whole
    (edited,) = mirror.parent.glob("*.edited")
    assert b'"by": "hand"' in edited.read_bytes()
    mirror.unlink()
    mirror.mkdir()
    assert run("--home", home, "doctor", "--fix").code == 0
    assert mirror.read_bytes() == whole
