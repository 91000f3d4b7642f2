"""Transcripts that OpenClaw 2026.2.9 put aside, and words of its own around those of a person."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePath
from typing import Any

import pytest
import zstandard

import recollect
from recollect.exchange.formats.openclaw import OpenClawFormat
from recollect.exchange.transcript import ForeignMessage, Skip
from recollect.memory import Memory

LEXICAL: dict[str, object] = {"embedding.provider": "none"}
STAMP = "2026-02-11T09-00-00.000Z"


def _lines(session: str, *said: str) -> str:
    header = {"type": "session", "version": 3, "id": session, "timestamp": "2026-02-11T09:00:00Z"}
    entries = [
        {"type": "message", "id": f"{session}-{n}", "message": {"role": "user", "content": text}}
        for n, text in enumerate(said)
    ]
    return "".join(json.dumps(entry) + "\n" for entry in (header, *entries))


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    """The folder of an agent's transcripts; two of its sessions have keys."""
    folder = tmp_path / "agents" / "main" / "sessions"
    folder.mkdir(parents=True)
    keys = {
        "agent:main:main": {"sessionId": "new", "previousSessionId": "old"},
        "agent:main:telegram:direct:501": {"sessionId": "ana"},
    }
    (folder / "sessions.json").write_text(json.dumps(keys))
    (folder / "new.jsonl").write_text(_lines("new", "The new talk."))
    return folder


@pytest.fixture
def follower(tmp_path: Path, sessions: Path) -> Iterator[Memory]:
    """A memory that follows the folder."""
    followed = LEXICAL | {"workspace.transcripts": [str(sessions)]}
    with recollect.open(tmp_path / "home", overrides=followed) as memory:
        yield memory


def _texts(memory: Memory) -> set[str]:
    return {
        message.text
        for session in memory.sessions.list()
        for message in memory.sessions.messages(session.id)
    }


def test_what_was_put_aside_at_a_reset_is_imported_and_checkpoints_never(
    tmp_path: Path, sessions: Path
) -> None:
    """Also packed; the key is that of the session that came after it."""
    (sessions / f"old.jsonl.reset.{STAMP}").write_text(_lines("old", "Before the reset."))
    packed = zstandard.compress(_lines("older", "Long before.").encode())
    (sessions / f"older.jsonl.reset.{STAMP}.g1.zst").write_bytes(packed)
    (sessions / "new.checkpoint.7.jsonl").write_text(_lines("copy", "The new talk."))
    (sessions / f"gone.jsonl.deleted.{STAMP}").write_text(_lines("gone", "Forget this."))
    with recollect.open(tmp_path / "home", overrides=LEXICAL) as memory:
        assert memory.import_transcripts(sessions).messages == 3
        assert _texts(memory) == {"Before the reset.", "Long before.", "The new talk."}
        assert len(memory.sessions.list(key="agent:main:main")) == 2
        assert memory.import_transcripts(sessions, include_deleted=True).messages == 1
        assert "Forget this." in _texts(memory)
        again = memory.import_transcripts(sessions, include_deleted=True)
        assert (again.unchanged, again.files) == (4, 4)


def test_an_archive_without_a_header_is_the_session_of_its_name() -> None:
    """A torn header must not lose the rest."""
    path = PurePath(f"/x/abc.jsonl.reset.{STAMP}")
    assert OpenClawFormat().describe(path, None).id == "abc"


def test_a_renamed_transcript_comes_no_second_time(tmp_path: Path, sessions: Path) -> None:
    """A reset renames the file; the ids in it are the same."""
    with recollect.open(tmp_path / "home", overrides=LEXICAL) as memory:
        memory.import_transcripts(sessions)
        (sessions / "new.jsonl").rename(sessions / f"new.jsonl.reset.{STAMP}")
        report = memory.import_transcripts(sessions)
        assert (report.messages, report.duplicates) == (0, 1)


@pytest.mark.parametrize("content", [b"no frame", zstandard.compress(b"x")[:-2]])
def test_a_packed_transcript_that_is_damaged_is_named(
    tmp_path: Path, sessions: Path, content: bytes
) -> None:
    """It is no end of the import."""
    (sessions / f"old.jsonl.reset.{STAMP}.g1.zst").write_bytes(content)
    with recollect.open(tmp_path / "home", overrides=LEXICAL) as memory:
        report = memory.import_transcripts(sessions)
        assert (report.messages, report.malformed_count) == (1, 1)
        assert report.malformed[0].reason.startswith("not read: ")


def test_a_deletion_in_a_followed_folder_marks_our_copy_deleted_once(
    follower: Memory, sessions: Path
) -> None:
    """What a person brings back here stays; of a session that lives on nothing is taken."""
    (sessions / "ana.jsonl").write_text(_lines("ana", "The zebra is hidden."))
    follower.sync()
    assert follower.search("zebra").hits
    (sessions / f"new.jsonl.deleted.{STAMP}").write_text(_lines("new", "An older one."))
    (sessions / "ana.jsonl").rename(sessions / f"ana.jsonl.deleted.{STAMP}")
    follower.sync()
    assert not follower.search("zebra").hits
    (ana,) = follower.sessions.list(status="deleted")
    assert ana.foreign_id == "ana"
    follower.sessions.set_status(ana.id, "active")
    follower.sync()
    assert follower.search("zebra").hits


ENVELOPES = {
    'Conversation info (untrusted metadata):\n```json\n{"a": 1}\n```\n\nHello.': "Hello.",
    'Sender (untrusted metadata):\n```json\n{"a": "```"}\n```\n\n'
    "Chat history since last reply (untrusted, for context):\n```json\n[]\n```\n\nHello.": "Hello.",
    "In a group. \u27e6openclaw:ctx\u27e7\nAnd more \u27e6openclaw:ctx\u27e7\nHello.": "Hello.",
    "[Sun 2026-11-22 10:00 UTC] Hello.": "Hello.",
    "[Telegram Ana Silva (@ana) id:501 +2m 2026-02-10 10:00 UTC] Hello.": "Hello.",
    "[Telegram Crew id:-100 2026-02-10T10:00Z] Boris: Hello.\n[message_id: 12]": "Boris: Hello.",
    "System: [2026-02-10 10:00:00 UTC] On.\nSystem: [2026-02-10 10:01] Off.\n\nHello.": "Hello.",
    "[Chat messages since your last reply - for context]\nBoris: Hi.\n\n"
    "[Current message - respond to this]\nHello.": "Hello.",
    "[Telegram is down] since 2026-02-10 10:00": "[Telegram is down] since 2026-02-10 10:00",
    "[Note 2026-02-10 10:00] mine": "[Note 2026-02-10 10:00] mine",
    "System: [broken] I think": "System: [broken] I think",
    "Sender (untrusted metadata): is what I see": "Sender (untrusted metadata): is what I see",
}


def _parsed(content: Any, role: str = "user") -> Any:
    form = OpenClawFormat()
    session = form.describe(PurePath("s.jsonl"), None)
    entry = {"type": "message", "id": "e", "message": {"role": role, "content": content}}
    return form.parse(entry, session)


@pytest.mark.parametrize(("written", "typed"), ENVELOPES.items())
def test_what_the_program_put_around_the_words_of_a_person_is_taken_off(
    written: str, typed: str
) -> None:
    """In texts and in blocks; what looks like it and is not stays."""
    line = _parsed(written)
    assert isinstance(line, ForeignMessage)
    assert line.content == typed
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": ""}}
    line = _parsed([{"type": "text", "text": written}, image])
    assert isinstance(line, ForeignMessage)
    assert line.content == [{"type": "text", "text": typed}, image]


def test_an_envelope_alone_is_nothing_and_one_of_the_agent_stays() -> None:
    """The agent may quote one."""
    assert isinstance(_parsed("[Sun 2026-11-22 10:00 UTC] "), Skip)
    assert isinstance(_parsed([{"type": "text", "text": "[Sun 2026-11-22 10:00 UTC]"}]), Skip)
    line = _parsed("[Sun 2026-11-22 10:00 UTC] Noted.", "assistant")
    assert isinstance(line, ForeignMessage)
    assert line.content == "[Sun 2026-11-22 10:00 UTC] Noted."


AT = "2026-02-10 10:00 UTC]"
SENDERS = [
    (f"[Telegram Ana Silva (@ana) id:501 +2m {AT} Hi.", "Ana Silva", "telegram:501"),
    ("[Telegram id:501 2026-02-10T10:00Z] Hi.", None, "telegram:501"),
    (f"[WhatsApp +15551234567 +5m {AT} Hi.", "+15551234567", "whatsapp:+15551234567"),
    (f"[Signal Bo id:uuid-7 {AT} Hi.", "Bo", "signal:uuid-7"),
    (f"[Google Chat Bo id:users/7 host 10.0.0.7 {AT} Hi.", "Bo", "googlechat:users/7"),
    (f"System: [2026-02-10 10:01] Off.\n\n[Slack Bo id:U07 {AT} Hi.", "Bo", "slack:U07"),
    (f"[Telegram Crew id:-100 {AT} Bo (@bo) id:7: Hi.", "Bo", "telegram:7"),
    (f"[WhatsApp Crew id:1@g.us {AT} Bo (+15551234567): Hi.", "Bo", "whatsapp:+15551234567"),
    (f"[Telegram Crew id:-100 {AT} Boris: Hi.", None, None),
    (f"[Telegram Crew id:-100 {AT} Bo id:42: Ann id:7: Hi.", None, None),
    (f"[Telegram Bo id:42 id:7 {AT} Hi.", "Bo id:42", "telegram:7"),
    (f"[Telegram id:42 {AT} id:7 {AT} Hi.", None, "telegram:unknown"),
    (f"[Telegram Ann id:7 {AT} [Telegram Bo id:42 {AT} Hi.", "Ann", "telegram:unknown"),
    (f"Look: [Telegram Bo id:42 {AT} Hi.", None, None),
    ("[Sun 2026-11-22 10:00 UTC] Hi.", None, None),
]


@pytest.mark.parametrize(("written", "name", "sender"), SENDERS)
def test_the_envelope_of_older_versions_tells_who_wrote(
    written: str, name: str | None, sender: str | None
) -> None:
    """The program wrote the first one; what looks like another may be the person's own words."""
    for content in (written, [{"type": "text", "text": written}]):
        line = _parsed(content)
        assert isinstance(line, ForeignMessage)
        assert (line.name, line.sender) == (name, sender)
    line = _parsed(written, "assistant")
    assert (line.name, line.sender) == (None, None)


def test_where_the_sender_is_a_fact_no_envelope_counts() -> None:
    """Newer versions store clean words: brackets in them are what a person typed."""
    form = OpenClawFormat()
    facts = {"senderId": 7, "senderName": "Ann", "transport": {"channel": "telegram"}}
    said = "[Telegram Bo id:42 2026-02-10 10:00] Hi."
    message = {"role": "user", "content": said, "__openclaw": facts}
    line = form.parse(
        {"type": "message", "id": "e", "message": message}, form.describe(PurePath("s.jsonl"), None)
    )
    assert isinstance(line, ForeignMessage)
    assert (line.name, line.sender) == ("Ann", "telegram:7")


def test_in_the_shared_main_session_old_envelopes_keep_people_apart(
    tmp_path: Path, sessions: Path
) -> None:
    """All direct chats had one session: what Ann said there is not told to the owner's guests."""
    (sessions / "new.jsonl").write_text(
        _lines(
            "new",
            "[Telegram Ann id:7 2026-02-10 10:00 UTC] My zebra is ill.",
            "[Telegram Me id:42 2026-02-10 10:05 UTC] My giraffe is well.",
        )
    )
    overrides = LEXICAL | {"sessions.owner": ["telegram:42"]}
    with recollect.open(tmp_path / "home", overrides=overrides, live=False) as memory:
        memory.import_transcripts(sessions, "openclaw")
        (session,) = memory.sessions.list()
        search = partial(memory.search, for_session=session.id)
        assert search("zebra", for_sender="telegram:7").hits
        assert not search("giraffe", for_sender="telegram:7").hits
        assert search("giraffe", for_sender="telegram:42").hits


@pytest.mark.parametrize("packed", [False, True])
def test_an_archive_that_was_not_read_is_not_in_step(
    tmp_path: Path, sessions: Path, *, packed: bool
) -> None:
    """The status tells of it as of a plain transcript; a damaged one is no news for ever."""
    followed = LEXICAL | {"workspace.transcripts": [str(sessions)]}
    content = _lines("old", "The old talk.").encode()
    name = f"old.jsonl.reset.{STAMP}"
    with recollect.open(tmp_path / "home", overrides=followed, live=False) as memory:
        memory.sync()
        assert not memory.status().dirty
        archive = sessions / (f"{name}.zst" if packed else name)
        archive.write_bytes(zstandard.compress(content) if packed else content)
        assert memory.status().dirty
        memory.sync()
        assert not memory.status().dirty
        (sessions / f"bad.jsonl.reset.{STAMP}.zst").write_bytes(b"no frame")
        assert not memory.status().dirty
