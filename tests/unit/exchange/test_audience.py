"""Who gets what of an export: scopes, times, and sessions that ask."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.core.clock import DAY_MS
from recollect.core.errors import Conflict, InvalidInput, NotFound
from recollect.core.events import HomeExported
from recollect.memory import Memory
from tests.unit.exchange.documents import exported, of_kind, opened, records, written

SHARED = "agent:main:main"
KEY = "sk-ant-api03-" + "q7XzR2mK" * 6


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A home in which the owner, two guests and a group talk."""
    owner = {"sessions.owner": ["telegram:1"]}
    with opened(tmp_path / "home", owner) as memory:
        for key, word in (
            ("agent:main:telegram:acc:direct:1", "owner"),
            ("agent:main:telegram:acc:direct:42", "ann"),
            ("agent:main:telegram:acc:direct:43", "bob"),
            ("agent:main:slack:group:g1", "group"),
        ):
            session = memory.sessions.create(
                key=key, title=f"title {word}", project=f"/p/{word}", metadata={"fact": word}
            )
            memory.sessions.append_many(session.id, [("user", f"word {word}"), ("assistant", "ok")])
            memory.observations.record(session.id, "Read", input={"x": word}, output=f"saw {word}")
            memory.sessions.end(session.id)
        together = memory.sessions.create(key=SHARED, title="title of all")
        for sender in ("telegram:42", "telegram:43", "telegram:1"):
            memory.sessions.append(together.id, "user", f"shared {sender}", sender=sender)
        yield memory


def asking(memory: Memory, peer: str) -> str:
    """Return the id of a direct chat."""
    return memory.sessions.find(f"agent:main:telegram:acc:direct:{peer}").id


def words(lines: list[bytes]) -> str:
    """Return everything in a document but its first line."""
    return b"\n".join(lines[1:]).decode()


def test_a_guest_gets_what_they_said_and_nothing_else(memory: Memory) -> None:
    """Not the owner's, not the other guest's, not the group's, nothing of what tools gave."""
    lines = exported(memory, for_session=asking(memory, "42"))
    text = words(lines)
    assert "word ann" in text
    assert "shared telegram:42" in text
    for other in ("owner", "bob", "group", "telegram:43", "telegram:1", "title of all", "saw"):
        assert other not in text
    assert of_kind(lines, "observation") == of_kind(lines, "project") == []
    assert {"fact": "ann"} not in [each.get("metadata") for each in of_kind(lines, "session")]


def test_a_guest_gets_titles_of_what_the_agent_did_where_they_are_shared(tmp_path: Path) -> None:
    """Never input and output."""
    with opened(tmp_path / "home", {"observations.shared": True}) as memory:
        session = memory.sessions.create(key="agent:main:telegram:acc:direct:42")
        memory.observations.record(session.id, "Read", output="secret", title="read a file")
        gone = memory.observations.record(session.id, "Read", output="secret", title="forgotten")
        memory.observations.forget(gone.id)
        (found,) = of_kind(exported(memory, for_session=session.id), "observation")
    assert (found["title"], found["input"], found["output"]) == ("read a file", "", "")


def test_the_owner_gets_their_group_with_payloads(memory: Memory) -> None:
    """As in a search for the owner's session."""
    lines = exported(memory, for_session=asking(memory, "1"), files=False)
    text = words(lines)
    assert "saw owner" in text
    assert "shared telegram:1" in text
    for other in ("word ann", "word bob", "word group", "telegram:42", "/p/ann"):
        assert other not in text


def test_a_summary_made_for_a_guest_is_not_exported_to_the_owner_once_its_words_are_pruned(
    tmp_path: Path,
) -> None:
    """What is left of a shared session is the owner's alone, but for what was summed up before."""
    settings = {
        "sessions.owner": ["telegram:1"],
        "sessions.retention.max_messages": 1,
        "sessions.context.keep_messages": 1,
    }
    with opened(tmp_path / "home", settings) as memory:
        together = memory.sessions.create(key=SHARED)
        for word in ("apples", "pears"):
            memory.sessions.append(together.id, "user", f"guest {word}", sender="telegram:42")
        memory.sessions.compact(together.id)
        memory.sessions.append(together.id, "user", "owner plums", sender="telegram:1")
        assert memory.prune().messages == 2
        lines = exported(memory, for_session=together.id)
    assert [message["content"] for message in of_kind(lines, "message")] == ["owner plums"]
    assert of_kind(lines, "compaction") == []
    assert "guest" not in words(lines)


def test_a_group_gets_its_own(memory: Memory) -> None:
    """A place, with all who read it."""
    group = memory.sessions.find("agent:main:slack:group:g1").id
    text = words(exported(memory, for_session=group))
    assert "word group" in text
    assert not any(other in text for other in ("word o", "word ann", "bob", "telegram:4"))


def test_what_a_guest_got_can_be_imported(memory: Memory, tmp_path: Path) -> None:
    """The turns of others leave no holes, and a link to what they do not hear is cut."""
    parent = asking(memory, "43")
    guest = memory.sessions.create(key="agent:main:telegram:acc:direct:42")
    lines = exported(memory, for_session=guest.id)
    assert parent not in words(lines)
    document = written(tmp_path / "x.jsonl", lines)
    with opened(tmp_path / "two") as other:
        report = other.import_export(document)
        assert report.left_out == {}
        for session in other.sessions.list():
            seqs = [message.seq for message in other.sessions.messages(session.id)]
            assert seqs == list(range(1, len(seqs) + 1))
        assert other.import_export(document).added == {}


def test_deleted_sessions_are_the_operators_alone(memory: Memory) -> None:
    """Nobody else hears of them."""
    ann = asking(memory, "42")
    other = memory.sessions.create(key="agent:main:telegram:acc:direct:42")
    memory.sessions.set_status(ann, "deleted")
    assert "word ann" not in words(exported(memory, for_session=other.id))
    assert "word ann" in words(exported(memory))


@pytest.mark.parametrize(
    "scope",
    [{"user": "telegram:42"}, {"project": "/p/ann"}, {"agent": "main", "user": "telegram:42"}],
)
def test_a_scope_narrows(memory: Memory, scope: dict[str, str]) -> None:
    """By owner columns; projects that have nothing to do with it stay away."""
    text = words(exported(memory, scope=recollect.Scope(**scope)))
    assert "word ann" in text
    assert not any(other in text for other in ("word bob", "word owner", "word group"))
    assert not any(other in text for other in ("/p/bob", "/p/owner", "/p/group"))


def test_a_session_comes_with_what_it_was_forked_from(memory: Memory, tmp_path: Path) -> None:
    """As far as both share it."""
    first = memory.sessions.create(project="/p/first")
    memory.sessions.append_many(first.id, [("user", f"first {n}") for n in range(4)])
    fork = memory.sessions.fork(first.id, 2)
    memory.sessions.append(fork.id, "user", "forked")
    lines = exported(memory, scope=recollect.Scope(session=fork.id))
    said = [each["content"] for each in of_kind(lines, "message")]
    assert said == ["first 0", "first 1", "forked"]
    with opened(tmp_path / "two") as other:
        other.import_export(written(tmp_path / "x.jsonl", lines))
        assert [m.text for m in other.sessions.messages(fork.id)] == said


def test_what_a_fork_shares_with_another_owner_comes_without_its_facts(memory: Memory) -> None:
    """Its messages are read through the fork; title, key and project are not."""
    first = memory.sessions.create(project="/p/first", title="plans", metadata={"fact": "first"})
    memory.sessions.append(first.id, "user", "shared words")
    scoped = memory.within(recollect.Scope(project="/p/second"))
    fork = memory.sessions.fork(first.id)
    memory._rooms.records.write(  # noqa: SLF001
        lambda tx: tx.execute("UPDATE sessions SET project = '/p/second' WHERE id = ?", (fork.id,))
    )
    text = words(list(scoped.export().lines()))
    assert "shared words" in text
    assert not any(fact in text for fact in ("plans", "/p/first", '"fact"'))


def test_since_leaves_out_what_is_older(memory: Memory, tmp_path: Path) -> None:
    """For what is added to another home again and again."""
    session = memory.sessions.create()
    now = session.created_at
    memory.sessions.append(session.id, "user", "before", at=now - DAY_MS)
    for each in memory.sessions.list():
        if each.id != session.id:
            memory.erase(session_id=each.id)
    base = written(tmp_path / "base.jsonl", exported(memory))
    memory.sessions.append(session.id, "user", "later", at=now)
    memory.observations.record(session.id, "Read", output="seen later", at=now)
    lines = exported(memory, since=now)
    assert [each["content"] for each in of_kind(lines, "message")] == ["later"]
    assert [each["output"] for each in of_kind(lines, "observation")] == ["seen later"]
    with opened(tmp_path / "two") as other:
        other.import_export(base)
        added = other.import_export(written(tmp_path / "x.jsonl", lines)).added
        assert added == {"message": 1, "observation": 1}
        assert other.sessions.messages(session.id)[-1].text == "later"
    with opened(tmp_path / "three") as other:
        other.import_export(tmp_path / "x.jsonl")
        (message,) = other.sessions.messages(session.id)
        assert (message.seq, message.text) == (1, "later")


def test_settings_and_tokens_are_not_in_it(tmp_path: Path) -> None:
    """Neither keys, nor the token, nor the salt that marks are made with."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.yaml").write_text(f"language:\n  api_key: {KEY}\n", "utf-8")
    (home / "token").write_text("rcl_secret", "utf-8")
    with opened(home) as memory:
        session = memory.sessions.create()
        memory.sessions.append(session.id, "user", f"my key is {KEY}")
        salt = memory._rooms.records.read(  # noqa: SLF001
            lambda tx: tx.row("SELECT value FROM meta WHERE key = 'redaction.salt'")
        )
        text = b"\n".join(exported(memory)).decode()
    assert KEY not in text
    assert "rcl_secret" not in text
    assert salt is not None
    assert str(salt[0]) not in text


def test_a_file_is_there_whole_or_not_and_outside_of_the_home(
    memory: Memory, tmp_path: Path
) -> None:
    """For its owner alone, and not in the place of another."""
    path = tmp_path / "x.jsonl"
    report = memory.export().save(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert report.bytes == path.stat().st_size
    assert sum(report.counts.values()) == len(records(path.read_bytes().splitlines()))
    with pytest.raises(Conflict):
        memory.export().save(path)
    memory.export().save(path, replace=True)
    with pytest.raises(InvalidInput):
        memory.export().save(memory.home / "x.jsonl")
    events = [each.event for each in memory.events.since(0, types=["home.exported"])]
    assert all(isinstance(each, HomeExported) for each in events)
    assert len(events) == 2


def test_what_cannot_be_exported_is_said(memory: Memory) -> None:
    """Another owner, a session that is not there, files without a workspace."""
    with pytest.raises(NotFound):
        memory.export(recollect.Scope(tenant="acme"))
    with pytest.raises(NotFound):
        memory.export(recollect.Scope(session="nobody"))
    with pytest.raises(NotFound):
        memory.export(for_session="nobody")
    with pytest.raises(InvalidInput):
        memory.export(files=True)


def test_progress_tells_of_each_session(memory: Memory, tmp_path: Path) -> None:
    """Long work shows how far it is, in and out."""
    out: list[Any] = []
    memory.export(on_progress=out.append).save(tmp_path / "x.jsonl")
    assert [(each.done, each.total) for each in out] == [(n, 5) for n in range(1, 6)]
    came: list[Any] = []
    with opened(tmp_path / "two") as other:
        other.import_export(tmp_path / "x.jsonl", on_progress=came.append)
    assert came[-1].bytes_done <= came[-1].bytes
