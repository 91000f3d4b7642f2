"""A store that OpenClaw 2026.9.6 wrote, and one of 2026.2.9 in lines: everything said, once.

The first is reference data: it is no part of the project, and without it these tests are skipped.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import recollect
from recollect.memory import Memory
from recollect.sessions.record.message import Message

LEXICAL: dict[str, object] = {"embedding.provider": "none"}
ANA, BORIS = "agent:main:telegram:direct:501", "agent:main:telegram:direct:502"
CREW, MAIN = "agent:main:telegram:group:-100900900", "agent:main:main"


@pytest.fixture
def sample(tmp_path: Path, openclaw_sample: Path) -> Path:
    """The folder of the agents, as OpenClaw leaves it when it stops."""
    folder = tmp_path / "state" / "agents"
    place = folder / "main" / "agent" / "openclaw-agent.sqlite"
    place.parent.mkdir(parents=True)
    shutil.copyfile(openclaw_sample / "main.openclaw-agent.sqlite", place)
    return folder


@pytest.fixture
def said(openclaw_sample: Path) -> dict[str, Counter[str]]:
    """What people and agents said on the active branch of each conversation, once."""
    found: dict[str, dict[str, str]] = {}
    for line in (openclaw_sample / "events.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        message = row["event"].get("message", {})
        is_said = (
            message.get("role") in {"user", "assistant"} and row["active_position"] is not None
        )
        if is_said and message.get("model") != "delivery-mirror":
            found.setdefault(row["session_key"], {})[row["event"]["id"]] = _text(message["content"])
    return {key: Counter(texts.values()) - Counter([""]) for key, texts in found.items()}


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return " ".join(block["text"] for block in content if "text" in block)


@pytest.fixture
def follower(tmp_path: Path, sample: Path) -> Iterator[Memory]:
    """A memory that follows the sample."""
    followed = LEXICAL | {"workspace.transcripts": [str(sample)]}
    with recollect.open(tmp_path / "home", overrides=followed) as memory:
        yield memory


def test_everything_said_in_the_store_is_imported_once(
    tmp_path: Path, sample: Path, said: dict[str, Counter[str]]
) -> None:
    """Seven conversations in eight windows, one of them a rewind of another."""
    with recollect.open(tmp_path / "home", overrides=LEXICAL) as memory:
        report = memory.import_transcripts(sample)
        assert (report.files, report.sessions, report.malformed_count) == (8, 8, 0)
        assert (report.unknown_origin, report.undated, report.replaced) == (0, 0, 0)
        stored: dict[str, Counter[str]] = {}
        for session in memory.sessions.list():
            texts = stored.setdefault(session.key or "", Counter())
            for message in memory.sessions.messages(session.id):
                if message.session_id == session.id and _is_spoken(message):
                    texts[_text(msgspec.to_builtins(message.blocks))] += 1
        assert {key: texts - Counter([""]) for key, texts in stored.items()} == said
        again = memory.import_transcripts(sample)
        assert (again.unchanged, again.messages) == (8, 0)


def _is_spoken(message: Message) -> bool:
    return message.role != "tool" and message.metadata.get("kind") != "compaction"


def test_the_store_is_followed_and_nothing_leaks_between_its_chats(follower: Memory) -> None:
    """Cron, sub-agents and heartbeats are not followed; each chat hears its own words only."""
    assert follower.sync().warnings == ()
    keys = Counter(session.key for session in follower.sessions.list())
    assert keys == {ANA: 1, BORIS: 2, CREW: 1, MAIN: 1, "agent:main:dashboard:arch": 1}
    sessions = {session.key: session.id for session in follower.sessions.list()}
    words = {ANA: "Lisbon", BORIS: "queen bees", CREW: "hotel", MAIN: "dentist Costa"}
    for asker in (ANA, BORIS, CREW):
        for place, word in words.items():
            heard = follower.search(word, for_session=sessions[asker]).hits
            groups = {follower.sessions.get(str(hit.session_id)).key for hit in heard}
            assert groups <= {asker}
            assert bool(groups) == (asker == place) or (asker, place) == (ANA, CREW)
    for word in words.values():
        assert follower.search(word).hits
    assert not follower.search("heartbeat").hits
    assert not follower.search("morning").hits
    before = {s.id: s.message_count for s in follower.sessions.list()}
    follower.sync()
    assert {s.id: s.message_count for s in follower.sessions.list()} == before


def test_the_session_deleted_in_the_store_comes_only_if_wanted(
    tmp_path: Path, sample: Path
) -> None:
    """Its archive lies in the store."""
    with recollect.open(tmp_path / "home", overrides=LEXICAL) as memory:
        memory.import_transcripts(sample)
        assert not memory.sessions.list(key="agent:main:dashboard:del")
        assert memory.import_transcripts(sample, include_deleted=True).sessions == 1
        (session,) = memory.sessions.list(key="agent:main:dashboard:del")
        assert memory.sessions.messages(session.id)


def test_a_store_of_2026_2_9_is_followed_once_and_nothing_leaks_between_its_chats(
    tmp_path: Path,
) -> None:
    """Transcripts as lines: two people, a group, an earlier talk, a job, a copy, a deletion."""
    folder = tmp_path / "agents" / "main" / "sessions"
    folder.mkdir(parents=True)
    stamp = "2026-02-11T09-00-00.000Z"
    envelope = 'Conversation info (untrusted metadata):\n```json\n{"id": "502"}\n```\n\n'
    talks = {
        "ana.jsonl": "My boat is called Heron.",
        "bob.jsonl": f"{envelope}My bees swarm in May.",
        "crew.jsonl": "[Telegram Crew id:-100 2026-02-11 09:00 UTC] Boris: The hotel is booked.",
        f"old.jsonl.reset.{stamp}": "The old boat was the Egret.",
        "night.jsonl": "[cron:7 sweep] Sweep the harbour.",
        "ana.checkpoint.3.jsonl": "My boat is called Heron.",
        f"gone.jsonl.deleted.{stamp}": "Forget the zebra.",
    }
    for name, text in talks.items():
        session = name.split(".")[0] + ("-copy" if "checkpoint" in name else "")
        message = {"role": "user", "content": text}
        lines = [{"type": "session", "version": 3, "id": session}]
        lines += [{"type": "message", "id": f"{session}-1", "message": message}]
        body = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / name).write_text(body, encoding="utf-8")
    keys = {
        ANA: {"sessionId": "ana", "previousSessionId": "old"},
        BORIS: {"sessionId": "bob"},
        CREW: {"sessionId": "crew"},
        "agent:main:cron:7": {"sessionId": "night"},
    }
    (folder / "sessions.json").write_text(json.dumps(keys), encoding="utf-8")
    followed = LEXICAL | {"workspace.transcripts": [str(tmp_path / "agents")]}
    with recollect.open(tmp_path / "home", overrides=followed) as memory:
        assert memory.sync().warnings == ()
        found = {s.foreign_id: s for s in memory.sessions.list()}
        assert set(found) == {"ana", "bob", "crew", "old"}
        said = {m.text for s in found.values() for m in memory.sessions.messages(s.id)}
        assert "My bees swarm in May." in said
        assert "Boris: The hotel is booked." in said
        for word, places in {"boat": {ANA}, "bees": {BORIS}, "hotel": {CREW}}.items():
            assert memory.search(word).hits
            for asker in ("ana", "bob", "crew"):
                hits = memory.search(word, for_session=found[asker].id).hits
                heard = {memory.sessions.get(str(hit.session_id)).key for hit in hits}
                assert heard == places & {found[asker].key}
        memory.sync()
        assert all(s.message_count == 1 for s in memory.sessions.list())
        assert not memory.search("zebra").hits
        assert not memory.search("harbour").hits
