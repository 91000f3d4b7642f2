"""The import of transcripts: idempotent, resumable, never stopped by a bad line."""

from __future__ import annotations

import json
import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.core.errors import Denied, InvalidInput, NotFound
from recollect.core.events import ImportFinished
from recollect.core.scope import Scope
from recollect.exchange.report import ImportProgress, ImportReport, MalformedLine
from recollect.sessions.record.session import Session
from recollect.store.journal import events_since
from tests.unit.sessions.home import NOON, Home, WordRedactor

MAIN = "5b1f6a3e-0c1d-4a55-9d0a-6f1d2c3b4a01"


def lines(*records: object) -> bytes:
    """Return records as JSON lines."""
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def said(text: str, **more: object) -> dict[str, Any]:
    """Return a plain line."""
    return {"role": "user", "content": text, **more}


def claude(uuid: str, text: str, **more: object) -> dict[str, Any]:
    """Return a line of Claude Code."""
    return {
        "type": "user",
        "uuid": uuid,
        "sessionId": MAIN,
        "cwd": "/home/ana/shop",
        "timestamp": "2026-02-01T08:00:00Z",
        "message": {"role": "user", "content": text},
        **more,
    }


def write(path: Path, content: bytes) -> Path:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def texts(home: Home, session: Session) -> list[str]:
    """Return what was said in a session."""
    return [message.text for message in home.sessions.messages(session.id)]


def only(home: Home) -> Session:
    """Return the one session of a home."""
    (session,) = home.sessions.list()
    return session


def test_a_plain_file_becomes_a_session(home: Home, tmp_path: Path) -> None:
    """The file's name is its key, the first message its beginning."""
    path = write(
        tmp_path / "talk.jsonl",
        lines(said("hello", at=1_000_000_000_000, name="Ana"), said("bye", at=1_000_000_060_000)),
    )
    report = home.importer().run(path)
    assert report == ImportReport(files=1, sessions=1, unknown_origin=1, messages=2)
    session = only(home)
    assert (session.key, session.source, session.foreign_id) == ("talk", "jsonl", str(path))
    assert (session.created_at, session.updated_at) == (1_000_000_000_000, 1_000_000_060_000)
    assert texts(home, session) == ["hello", "bye"]
    assert home.sessions.messages(session.id)[0].name == "Ana"


def test_a_claude_code_project_becomes_sessions(home: Home, tmp_path: Path) -> None:
    """Project, title, tool calls; sub-agents and noise apart."""
    folder = tmp_path / "projects" / "-home-ana-shop"
    call = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file": "a.py"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "def a(): ..."}
    write(
        folder / f"{MAIN}.jsonl",
        lines(
            {"type": "summary", "summary": "Retry helper", "leafUuid": "u3"},
            {"type": "file-history-snapshot", "messageId": "u1", "snapshot": {}},
            claude("u1", "Look at a.py"),
            claude("u2", "", type="assistant", message={"content": [call], "model": "m"}),
            claude("u3", "", message={"content": [result]}),
            claude("u4", "caveat", isMeta=True),
            claude("u5", "inline sub-agent", isSidechain=True),
        ),
    )
    write(
        folder / MAIN / "subagents" / "agent-a1.jsonl",
        lines(claude("s1", "Find callers", isSidechain=True, agentId="a1")),
    )
    report = home.importer().run(tmp_path / "projects")
    assert (report.sessions, report.messages, report.skipped, report.malformed_count) == (
        3,
        5,
        2,
        0,
    )
    main = next(each for each in home.sessions.list() if each.foreign_id == MAIN)
    assert (main.title, main.project, main.agent) == (
        "Retry helper",
        "/home/ana/shop",
        "claude-code",
    )
    assert main.created_at == main.updated_at == 1_769_932_800_000
    assert [message.role for message in home.sessions.messages(main.id)] == [
        "user",
        "assistant",
        "tool",
    ]
    (call_row,) = home.sessions.tool_calls(main.id)
    assert (call_row.tool_name, call_row.result_text) == ("Read", "def a(): ...")
    agents = {each.foreign_id: each.metadata for each in home.sessions.list() if each != main}
    assert agents[f"{MAIN}/a1"].items() >= {"parent": MAIN, "subagent": "a1"}.items()


def test_an_openclaw_agent_becomes_sessions_with_keys(home: Home, tmp_path: Path) -> None:
    """The header names the session, sessions.json its key, the path the agent."""
    folder = tmp_path / "agents" / "main" / "sessions"
    write(folder / "sessions.json", b'{"agent:main:telegram:direct:42": {"sessionId": "s-1"}}')
    entry = {"type": "message", "id": "e1", "message": {"role": "user", "content": "hi"}}
    write(folder / "2026_s-1.jsonl", lines({"type": "session", "version": 3, "id": "s-1"}, entry))
    write(folder / "s-2.jsonl", lines({"type": "session", "version": 3, "id": "s-2"}, entry))
    assert home.importer().run(tmp_path).messages == 2
    keys = {each.foreign_id: (each.key, each.agent, each.user) for each in home.sessions.list()}
    assert keys == {
        "s-1": ("agent:main:telegram:direct:42", "main", "telegram:42"),
        "s-2": (None, "main", None),
    }


def test_a_companion_that_cannot_be_read_is_done_without(home: Home, tmp_path: Path) -> None:
    """The messages matter more than their keys."""
    entry = {"type": "message", "id": "e1", "message": {"role": "user", "content": "hi"}}
    for name, content in (("a", b"{broken"), ("b", b"[]"), ("c", b"")):
        write(tmp_path / name / "sessions.json", content)
        write(tmp_path / name / f"{name}.jsonl", lines(entry))
    assert home.importer().run(tmp_path).messages == 3
    assert home.sessions.list(key="hi") == []


def openclaw(folder: Path, name: str, companion: object) -> None:
    """Write one transcript of OpenClaw and what stands beside it."""
    entry = {"type": "message", "id": "e1", "message": {"role": "user", "content": "hi"}}
    header = {"type": "session", "version": 3, "id": name}
    write(folder / f"{name}.jsonl", lines(header, entry))
    write(folder / "sessions.json", json.dumps(companion).encode())


@pytest.mark.parametrize(
    "companion",
    [
        {},
        {"agent:main:main": {"sessionId": "another"}},
        {"agent:main:": {"sessionId": "s-1"}},
        {"main": {"sessionId": "s-1"}},
        ["s-1"],
    ],
    ids=["empty", "others only", "no key", "a key that tells nothing", "no object"],
)
def test_a_transcript_without_a_telling_key_has_its_visibility_group_to_itself(
    home: Home, tmp_path: Path, companion: object
) -> None:
    """It may have been said in a group: neither the owner hears it in a chat nor anybody else."""
    folder = tmp_path / "agents" / "main" / "sessions"
    openclaw(folder, "s-1", companion)
    openclaw(folder, "s-2", companion)
    report = home.importer().run(tmp_path)
    assert (report.sessions, report.unknown_origin) == (2, 2)
    visibility_groups = [home.sessions.visibility_group(each.id) for each in home.sessions.list()]
    visibility_groups += [
        home.sessions.visibility_group(home.sessions.create(key="agent:main:main").id)
    ]
    assert [visibility_group.is_private for visibility_group in visibility_groups] == [
        False,
        False,
        True,
    ]
    assert len({visibility_group.name for visibility_group in visibility_groups}) == 3
    assert home.importer().run(tmp_path).unknown_origin == 0


def test_a_fork_of_unknown_origin_is_in_the_visibility_group_of_its_parent(
    home: Home, tmp_path: Path
) -> None:
    """As every fork; and its rules are those of a group."""
    openclaw(tmp_path, "s-1", {})
    home.importer().run(tmp_path)
    parent = only(home)
    fork = home.sessions.fork(parent.id)
    assert home.sessions.visibility_group(fork.id) == home.sessions.visibility_group(parent.id)
    assert not home.sessions.rules(fork.id).file_access


@pytest.mark.parametrize(
    ("line", "unknown"),
    [
        (said("hi"), 1),
        (said("hi", session="a name"), 1),
        (said("hi", session="agent:main:main"), 0),
        (said("hi", session="telegram:42"), 0),
        ({"recollect": 1, "type": "session", "id": "m", "agent": "main"}, 1),
        ({"recollect": 1, "type": "session", "id": "m", "key": "telegram:42"}, 0),
        (claude("u1", "hi"), 0),
    ],
    ids=["plain", "a name", "an agent", "a channel", "a mirror", "a mirror's key", "Claude Code"],
)
def test_every_format_tells_what_it_does_not_know(
    home: Home, tmp_path: Path, line: dict[str, Any], unknown: int
) -> None:
    """Nobody but its owner speaks in Claude Code; elsewhere a key must say who heard it."""
    record = said("hi") if "recollect" in line else line
    write(tmp_path / "talk.jsonl", lines(line, record) if record is not line else lines(line))
    assert home.importer().run(tmp_path).unknown_origin == unknown
    assert (only(home).chat_type == "unknown") == bool(unknown)


def test_the_same_again_adds_nothing(home: Home, tmp_path: Path) -> None:
    """An unchanged file is not even read; a touched one has no new message."""
    path = write(tmp_path / "a.jsonl", lines(said("x"), said("x"), said("y", id="7")))
    home.importer().run(tmp_path)
    assert home.importer().run(tmp_path) == ImportReport(files=1, unchanged=1)
    os.utime(path, ns=(1, 1))
    report = home.importer().run(tmp_path)
    assert (report.messages, report.unchanged) == (0, 0)
    assert texts(home, only(home)) == ["x", "x", "y"]


def test_a_grown_file_is_read_on_from_where_it_was(home: Home, tmp_path: Path) -> None:
    """Nothing of what was read before is read again: broken lines are not told twice."""
    path = write(tmp_path / "a.jsonl", lines(said("one")) + b"broken\n")
    assert home.importer().run(path).malformed_count == 1
    with path.open("ab") as file:
        file.write(lines(said("one"), said("two")))
    report = home.importer().run(path)
    assert (report.messages, report.duplicates, report.malformed_count) == (2, 0, 0)
    assert texts(home, only(home)) == ["one", "one", "two"]


def test_a_rewritten_file_adds_what_is_new_only(home: Home, tmp_path: Path) -> None:
    """Lines put in before the others, others taken out: no doubles, nothing lost."""
    path = write(tmp_path / "a.jsonl", lines(said("one"), said("two"), said("one")))
    home.importer().run(path)
    path.write_bytes(lines(said("zero"), said("one"), said("three"), said("one")))
    report = home.importer().run(path)
    assert (report.messages, report.duplicates) == (2, 2)
    assert texts(home, only(home)) == ["one", "two", "one", "zero", "three"]


def test_of_a_rewritten_file_a_deleted_session_lacks_what_is_new_only(
    home: Home, tmp_path: Path
) -> None:
    """What it has already was not left out."""
    path = write(tmp_path / "talk.jsonl", lines(said("one")))
    home.importer().run(path)
    session = only(home)
    home.sessions.set_status(session.id, "deleted")
    write(path, lines(said("two"), said("one")))
    report = home.importer().run(path)
    assert (report.deleted, report.duplicates) == (1, 1)
    home.sessions.set_status(session.id, "active")
    assert home.importer().run(path).messages == 1


def test_a_line_that_is_still_being_written_is_left_for_later(home: Home, tmp_path: Path) -> None:
    """It is told, and read whole the next time."""
    whole = lines(said("one"), said("two"))
    path = write(tmp_path / "a.jsonl", whole[:-8])
    report = home.importer().run(path)
    assert report.messages == 1
    assert report.malformed == (
        MalformedLine(path=str(path), line=2, reason="an unfinished last line"),
    )
    path.write_bytes(whole)
    assert home.importer().run(path).messages == 1
    assert texts(home, only(home)) == ["one", "two"]


def test_a_last_line_without_its_end_is_read_if_it_is_whole(home: Home, tmp_path: Path) -> None:
    """Not every program ends its files with a line break."""
    path = write(tmp_path / "a.jsonl", lines(said("one"), said("two"))[:-1])
    report = home.importer().run(path)
    assert (report.messages, report.undated, report.malformed_count) == (2, 2, 0)
    with path.open("ab") as file:
        file.write(b"\n" + lines(said("three")))
    assert home.importer().run(path).messages == 1


def test_bad_lines_are_told_with_their_numbers_and_stop_nothing(home: Home, tmp_path: Path) -> None:
    """F4: counted, listed, never skipped in silence."""
    content = (
        lines(said("one"))
        + b"{broken\n"
        + b"[1, 2]\n"
        + b'"text"\n'
        + b"\n  \n"
        + lines({"role": "wizard", "content": "x"})
        + b"[" * 100_000
        + b"\n"
        + lines(said("two"))
    )
    path = write(tmp_path / "a.jsonl", content)
    report = home.importer().run(path)
    assert report.messages == 2
    assert [(bad.line, bad.reason) for bad in report.malformed] == [
        (2, "no JSON"),
        (3, "no JSON object"),
        (4, "no JSON object"),
        (7, "no known role"),
        (8, "no JSON"),
    ]


def test_many_bad_lines_are_counted_and_some_listed(home: Home, tmp_path: Path) -> None:
    """A report stays readable."""
    path = write(tmp_path / "a.jsonl", lines(said("one")) + b"x\n" * 250)
    report = home.importer().run(path)
    assert (report.malformed_count, len(report.malformed)) == (250, 100)


def test_odd_encodings_are_read(home: Home, tmp_path: Path) -> None:
    """Byte order mark, Windows line ends, bytes that are no UTF-8, half characters, NaN."""
    content = (
        b"\xef\xbb\xbf"
        + b'{"role": "user", "content": "mark"}\r\n'
        + b'{"role": "user", "content": "caf\xe9"}\r\n'
        + b'{"role": "user", "content": "half \\ud83d", "metadata": {"x": NaN}}\n'
        + b'{"role": "user", "content": "tab\there"}\n'
        + b'{"role": "user", "content": "nul \\u0000"}\n'
    )
    report = home.importer().run(write(tmp_path / "a.jsonl", content))
    assert (report.messages, report.malformed_count, report.replaced) == (5, 0, 3)
    assert texts(home, only(home)) == [
        "mark",
        "caf\ufffd",
        "half \ufffd",
        "tab\there",
        "nul \ufffd",
    ]


def test_ids_that_cannot_be_stored_are_cleaned_too(home: Home, tmp_path: Path) -> None:
    """A hostile id is no reason to fail."""
    line = b'{"role": "user", "content": "x", "session": "s\\ud800\\u0000", "id": "\\u0000"}\n'
    path = write(tmp_path / "a.jsonl", line + line)
    report = home.importer().run(path)
    assert (report.messages, report.duplicates, report.replaced) == (1, 1, 6)
    assert only(home).foreign_id == "s\ufffd\ufffd"


def test_mirrors_of_another_home_are_imported_and_our_own_are_not(
    home: Home, tmp_path: Path
) -> None:
    """What recollect wrote, recollect reads; a sweep over the whole disk makes no doubles."""
    session = home.sessions.create(key="telegram:42", project="/p")
    stored = home.sessions.append_many(session.id, [("user", "hi"), ("assistant", ["ho"])])
    home.mirror.flush()
    assert home.importer().run(home.path).unchanged == 1
    other = Home(tmp_path / "other")
    assert other.importer().run(home.path).messages == 2
    copied = only(other)
    assert (copied.key, copied.project, copied.foreign_id) == ("telegram:42", "/p", session.id)
    assert [(m.role, m.content, m.created_at) for m in other.sessions.messages(copied.id)] == [
        (m.role, m.content, m.created_at) for m in stored
    ]
    other.close()


def test_a_giant_line_is_told_and_the_rest_read(home: Home, tmp_path: Path) -> None:
    """200 MB in one line are not loaded; see test_lines for the memory."""
    path = tmp_path / "a.jsonl"
    with path.open("wb") as file:
        file.write(lines(said("one")) + b'{"role": "user", "content": "' + b"x" * 10_000)
        file.seek(200 * 1024 * 1024, os.SEEK_CUR)
        file.write(b'"}\n' + lines(said("two")))
    report = home.importer().run(path)
    assert texts(home, only(home)) == ["one", "two"]
    assert [bad.reason for bad in report.malformed] == ["a line longer than 18 MB"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\x7fELF\x00\x00\x01", "a binary file"),
        (b"just a text\n", "no known kind of transcript"),
        (b'{"some": "json"}\n', "no known kind of transcript"),
    ],
)
def test_a_file_of_another_kind_is_told(
    home: Home, tmp_path: Path, content: bytes, reason: str
) -> None:
    """And the next file is read."""
    write(tmp_path / "a.jsonl", content)
    write(tmp_path / "b.jsonl", lines(said("fine")))
    write(tmp_path / "c.jsonl", b"")
    report = home.importer().run(tmp_path)
    assert (report.files, report.messages) == (3, 1)
    assert [bad.reason for bad in report.malformed] == [reason]


def test_links_and_special_files_are_not_followed(home: Home, tmp_path: Path) -> None:
    """They are told, with the path, and not read."""
    secret = write(tmp_path / "outside" / "secret.jsonl", lines(said("secret")))
    folder = tmp_path / "in"
    write(folder / "fine.jsonl", lines(said("fine")))
    (folder / "link.jsonl").symlink_to(secret)
    (folder / "dir.jsonl").symlink_to(secret.parent)
    os.mkfifo(folder / "pipe.jsonl")
    report = home.importer().run(folder)
    assert report.messages == 1
    assert {(bad.path, bad.reason) for bad in report.malformed} == {
        ("link.jsonl", "not read: symlink"),
        ("dir.jsonl", "not read: symlink"),
        ("pipe.jsonl", "not read: special file"),
    }


def test_a_missing_path_and_an_unknown_format_are_clear_errors(home: Home, tmp_path: Path) -> None:
    """The hints say what to do."""
    for missing in (tmp_path / "nothing.jsonl", tmp_path / "no" / "folder" / "x.jsonl"):
        with pytest.raises(NotFound):
            home.importer().run(missing)
    with pytest.raises(InvalidInput) as caught:
        home.importer().run(tmp_path, "claude")
    assert "claude-code" in caught.value.hint


def test_a_format_may_be_named(home: Home, tmp_path: Path) -> None:
    """Then no file is asked what it is."""
    path = write(tmp_path / "a.jsonl", lines({"odd": 1}, said("x")))
    assert home.importer().run(path, "openclaw").malformed_count == 2
    report = home.importer().run(path, "jsonl")
    assert (report.messages, report.malformed_count) == (1, 1)
    assert home.importer().run(path, "jsonl").unchanged == 1


def test_messages_without_a_time_get_that_of_their_neighbour(home: Home, tmp_path: Path) -> None:
    """Or of the file; they are counted."""
    path = write(
        tmp_path / "a.jsonl", lines(said("a"), said("b", at="2020-01-01"), said("c", at="soon"))
    )
    os.utime(path, ns=(0, 1_500_000_000_000_000_000))
    assert home.importer().run(path).undated == 2
    times = [message.created_at for message in home.sessions.messages(only(home).id)]
    assert times == [1_500_000_000_000, 1_577_836_800_000, 1_577_836_800_000]


def test_titles_that_people_chose_win(home: Home, tmp_path: Path) -> None:
    """In one file and in one that grows."""
    title = {"type": "custom-title", "customTitle": "Mine", "sessionId": MAIN}
    guess = {"type": "ai-title", "aiTitle": "Guess", "sessionId": MAIN}
    path = write(tmp_path / f"{MAIN}.jsonl", lines(claude("u1", "hi"), guess))
    home.importer().run(path)
    assert only(home).title == "Guess"
    with path.open("ab") as file:
        file.write(lines(title, guess | {"aiTitle": "Other"}))
    home.importer().run(path)
    assert only(home).title == "Mine"


def test_a_title_alone_makes_no_session(home: Home, tmp_path: Path) -> None:
    """It waits for the first message."""
    guess = {"type": "summary", "summary": "Guess", "leafUuid": "u"}
    path = write(tmp_path / f"{MAIN}.jsonl", lines(guess))
    assert home.importer().run(path).sessions == 0
    with path.open("ab") as file:
        file.write(lines(claude("u1", "hi")))
    assert home.importer().run(path).sessions == 1


def test_one_file_may_hold_many_sessions(home: Home, tmp_path: Path) -> None:
    """And two files parts of one."""
    write(tmp_path / "a.jsonl", lines(said("1", session="s:1"), said("2", session="s:2")))
    write(tmp_path / "b.jsonl", lines(said("3", session="s:1"), said("4", session="agent:")))
    report = home.importer().run(tmp_path)
    assert (report.sessions, report.messages) == (3, 4)
    (first,) = home.sessions.list(key="s:1")
    assert texts(home, first) == ["1", "3"]


def test_files_of_the_same_name_do_not_mix(home: Home, tmp_path: Path) -> None:
    """The whole path is the identity of a session without a name."""
    write(tmp_path / "a" / "chat.jsonl", lines(said("1")))
    write(tmp_path / "b" / "chat.jsonl", lines(said("1")))
    assert home.importer().run(tmp_path).sessions == 2


def test_progress_is_told_by_batch_and_by_file(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bytes add up to the size of what was found."""
    monkeypatch.setattr("recollect.exchange.rows.batch.BATCH_MESSAGES", 2)
    for name in ("a", "b"):
        write(tmp_path / f"{name}.jsonl", lines(*(said(str(n)) for n in range(5))))
    told: list[ImportProgress] = []
    home.importer().run(tmp_path, progress=told.append)
    assert [each.messages for each in told] == [2, 4, 5, 7, 9, 10]
    assert [each.files_done for each in told] == [0, 0, 1, 1, 1, 2]
    assert told[-1].bytes_done == told[-1].bytes
    assert all(a.bytes_done < b.bytes_done for a, b in pairwise(told))


def test_an_interrupted_import_goes_on_where_it_was(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C between two batches: what is stored stays, the rest comes with the next run."""
    monkeypatch.setattr("recollect.exchange.rows.batch.BATCH_MESSAGES", 3)
    path = write(tmp_path / "a.jsonl", lines(*(said("same") for _ in range(10))))

    def interrupt(progress: ImportProgress) -> None:
        if progress.messages == 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        home.importer().run(path, progress=interrupt)
    assert len(texts(home, only(home))) == 6
    report = home.importer().run(path)
    assert (report.messages, report.duplicates) == (4, 0)
    assert texts(home, only(home)) == ["same"] * 10
    assert home.importer().run(path).unchanged == 1


def test_secrets_are_taken_out_of_what_is_imported(tmp_path: Path) -> None:
    """Redaction stands before storage, wherever a text comes from."""
    home = Home(tmp_path / "home", WordRedactor())
    write(tmp_path / "in" / "a.jsonl", lines(said("hunter2", name="hunter2", title="hunter2")))
    home.importer().run(tmp_path / "in")
    home.close()
    stored = b"".join(path.read_bytes() for path in home.path.rglob("*") if path.is_file())
    assert b"hunter2" not in stored


def test_what_is_imported_belongs_to_the_scope(home: Home, tmp_path: Path) -> None:
    """A key of somebody else is denied, not given away."""
    write(tmp_path / "in" / "a.jsonl", lines(said("x")))
    scope = Scope(tenant="t", user="ana")
    home.importer(scope).run(tmp_path / "in")
    (session,) = home.sessions_of(scope).list()
    assert (session.tenant, session.user) == ("t", "ana")
    write(tmp_path / "b.jsonl", lines(said("x", session="telegram:ben")))
    with pytest.raises(Denied):
        home.importer(scope).run(tmp_path / "b.jsonl")


def test_an_import_is_an_event(home: Home, tmp_path: Path) -> None:
    """One that found nothing new to read is none."""
    write(tmp_path / "a.jsonl", lines(said("x")) + b"broken\n")
    home.importer().run(tmp_path)
    home.importer().run(tmp_path)
    events = [each.event for each in home.database.read(lambda tx: events_since(tx, 0))]
    assert [each for each in events if isinstance(each, ImportFinished)] == [
        ImportFinished(scope=Scope(), at=NOON, source="auto", sessions=1, messages=1, malformed=1)
    ]


def test_long_names_titles_and_ids_are_cut_or_hashed(home: Home, tmp_path: Path) -> None:
    """Nothing of a foreign file is too long to be imported."""
    long = "n" * 2_000
    line = said("x", name=long, title=long, session=long, id=long)
    report = home.importer().run(write(tmp_path / "a.jsonl", lines(line, line)))
    assert (report.messages, report.duplicates, report.malformed_count) == (1, 1, 0)
    (message,) = home.sessions.messages(only(home).id)
    assert message.event_id is not None
    assert message.event_id.startswith("jsonl:sha256:")


def test_a_message_that_cannot_be_stored_is_told(home: Home, tmp_path: Path) -> None:
    """Nested too deeply, or with facts that are too large."""
    deep: Any = "x"
    for _ in range(100):
        deep = [deep]
    content = lines(
        said("a", metadata={"x": deep}), said("b", metadata={"x": "y" * 300_000}), said("c")
    )
    report = home.importer().run(write(tmp_path / "a.jsonl", content))
    assert (report.messages, [bad.line for bad in report.malformed]) == (1, [1, 2])


def test_a_file_that_vanishes_is_told(home: Home, tmp_path: Path) -> None:
    """Programs clean up while we read."""
    write(tmp_path / "a.jsonl", lines(said("x")))
    gone = write(tmp_path / "b.jsonl", lines(said("y")))
    report = home.importer().run(tmp_path, progress=lambda _: gone.unlink(missing_ok=True))
    assert [(bad.path, bad.reason) for bad in report.malformed] == [
        (str(gone), "not read: not_found")
    ]


def test_a_line_like_the_one_before_comes_too_when_that_had_no_line_break(
    home: Home, tmp_path: Path
) -> None:
    """The first import ended between the line and its break; the second names the next line."""
    content = lines(said("x"), said("x"), said("x"))
    path = tmp_path / "a.jsonl"
    for cut in (content.index(b"\n"), len(content) - 1, len(content)):
        path.write_bytes(content[:cut])
        home.importer().run(path, "jsonl")
    assert texts(home, home.sessions.list(key="a")[0]) == ["x", "x", "x"]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.one_of(
            st.builds(said, st.text(min_size=1, max_size=3), at=st.none() | st.just(5)),
            st.builds(lambda t, i: said(t, id=i), st.text(min_size=1), st.integers(0, 3)),
            st.just({"broken": True}),
        ),
        max_size=8,
    ),
    st.data(),
)
def test_in_whatever_pieces_a_file_grows_each_line_comes_once(
    home: Home, tmp_path: Path, records: list[dict[str, Any]], data: st.DataObject
) -> None:
    """Import after every growth, also in the middle of a line: the same as all at once."""
    content = lines(*records)
    cuts = data.draw(st.lists(st.integers(0, len(content)), max_size=4).map(sorted))
    number = len(list(tmp_path.iterdir()))
    path = tmp_path / f"grown{number}.jsonl"
    stored = 0
    for cut in [*cuts, len(content)]:
        path.write_bytes(content[:cut])
        stored += home.importer().run(path, "jsonl").messages
    assert home.importer().run(path, "jsonl").messages == 0
    expected: list[str] = []
    seen: set[int] = set()
    for record in records:
        if "broken" in record or record.get("id") in seen:
            continue
        seen |= {record["id"]} if "id" in record else set()
        expected.append(record["content"].replace("\x00", "\ufffd"))
    found = home.sessions.list(key=path.stem)
    assert (texts(home, found[0]) if found else []) == expected
    assert stored == len(expected)
