"""What an import refuses, maps and leaves out, and that it can be stopped anywhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import msgspec
import pytest

import recollect
from recollect.core.errors import Denied, InvalidInput, NotFound
from recollect.exchange.report import ImportProgress
from recollect.memory import Memory
from tests.unit.exchange.documents import (
    exported,
    of_kind,
    opened,
    records,
    resealed,
    written,
)

KEY = "sk-ant-api03-" + "q7XzR2mK" * 6


@pytest.fixture
def lines(tmp_path: Path) -> list[bytes]:
    """The export of a home with two sessions."""
    with opened(tmp_path / "one") as memory:
        for name in ("a", "b"):
            session = memory.sessions.create(key=f"agent:main:{name}", project=f"/p/{name}")
            memory.sessions.append_many(session.id, [("user", f"{name}{n}") for n in range(5)])
            memory.observations.record(session.id, "Read", input={"path": name}, output=name)
            memory.sessions.end(session.id)
        return exported(memory)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """Another, empty home."""
    with opened(tmp_path / "two") as memory:
        yield memory


def changed(lines: list[bytes], old: bytes, new: bytes) -> list[bytes]:
    """Return lines with another text."""
    return [line.replace(old, new) for line in lines]


BROKEN: dict[str, Callable[[list[bytes]], list[bytes]]] = {
    "cut off": lambda lines: lines[:-1],
    "cut in a line": lambda lines: [*lines[:4], lines[4][:20]],
    "one line less": lambda lines: [*lines[:4], *lines[5:]],
    "one line twice": lambda lines: [*lines[:4], lines[3], *lines[4:]],
    "two lines swapped": lambda lines: [*lines[:4], lines[5], lines[4], *lines[6:]],
    "edited": lambda lines: changed(lines, b'"a1"', b'"x1"'),
    "more behind the end": lambda lines: [*lines, lines[3]],
    "two documents": lambda lines: [*lines, *lines],
    "no header": lambda lines: lines[1:],
    "nothing": lambda _: [],
    "a transcript": lambda _: [b'{"role":"user","content":"hello"}'],
    "an unknown kind, sealed": lambda lines: resealed([*lines[:3], b'{"magic":{}}', *lines[3:]]),
    "two kinds in a line, sealed": lambda lines: resealed(
        [*lines[:3], b'{"file":{"path":"a","text":""},"project":{}}', *lines[3:]]
    ),
    "a message before its session, sealed": lambda lines: resealed(
        [lines[0], next(line for line in lines if b'{"message"' in line), *lines[1:]]
    ),
    "an id that is a path, sealed": lambda lines: resealed(
        changed(lines, b'"type":"session","id":"', b'"type":"session","id":"../')
    ),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_document_that_is_not_whole_is_refused_and_nothing_is_stored(
    memory: Memory, lines: list[bytes], tmp_path: Path, how: str
) -> None:
    """Every byte is looked at before the first one is stored."""
    document = written(tmp_path / "x.jsonl", BROKEN[how](lines))
    with pytest.raises(InvalidInput) as caught:
        memory.import_export(document)
    assert caught.value.hint
    assert exported(memory)[1:-1] == []


def test_a_newer_form_is_refused_by_its_number(
    memory: Memory, lines: list[bytes], tmp_path: Path
) -> None:
    """Whatever it has then."""
    first = b'{"header":{"recollect_export":2,"new":true}}'
    with pytest.raises(InvalidInput, match="form 2"):
        memory.import_export(written(tmp_path / "x.jsonl", [first, *lines[1:]]))


def test_what_is_not_there_is_said(memory: Memory, tmp_path: Path) -> None:
    """A missing file, and a folder."""
    with pytest.raises(NotFound):
        memory.import_export(tmp_path / "gone")
    with pytest.raises(InvalidInput):
        memory.import_export(tmp_path)


def test_an_import_that_was_stopped_goes_on(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C after any transaction: the second run brings the rest, under the same numbers."""
    monkeypatch.setattr("recollect.exchange.intake.BATCH_MESSAGES", 2)
    with opened(tmp_path / "one") as other:
        for name in ("a", "b", "c"):
            session = other.sessions.create(key=f"agent:main:{name}")
            for n in range(4):
                other.sessions.append(session.id, "user", f"{name}{n}")
                other.observations.record(session.id, "Read", output=f"{name}{n}")
        lines = exported(other)
    document = written(tmp_path / "x.jsonl", lines)
    stops = 0

    def stop(_: ImportProgress) -> None:
        raise KeyboardInterrupt

    while True:
        with pytest.raises(KeyboardInterrupt) if stops < 4 else nullcontext():
            memory.import_export(document, on_progress=stop if stops < 4 else None)
        stops += 1
        said = [m.text for s in memory.sessions.list() for m in memory.sessions.messages(s.id)]
        assert len(said) == len(set(said))
        if stops == 5:
            break
    assert records(exported(memory)) == records(lines)
    assert _meta(memory) == []


def _meta(memory: Memory) -> list[Any]:
    read = memory._rooms.records.read  # noqa: SLF001
    return read(lambda tx: tx.all("SELECT key FROM meta WHERE key LIKE 'import.%'"))


def test_numbers_that_are_taken_are_mapped_and_none_changes(
    memory: Memory, lines: list[bytes], tmp_path: Path
) -> None:
    """What this home has keeps its numbers, also those that it gave and took away again."""
    mine = memory.sessions.create(key="agent:main:mine")
    memory.sessions.append_many(mine.id, [("user", "mine"), ("user", "too")])
    first = memory.observations.record(mine.id, "Read", output="mine")
    report = memory.import_export(written(tmp_path / "x.jsonl", lines))
    assert report.renumbered == 3
    assert memory.observations.get("#1").found[0].id == first.id
    assert memory.sessions.message("m1").text == "mine"
    numbers = [m.number for s in memory.sessions.list() for m in memory.sessions.messages(s.id)]
    assert sorted(numbers) == [*range(1, 13)]
    assert memory.sessions.append(mine.id, "user", "more").number == 13


def test_a_number_of_something_erased_here_is_not_given_again(
    memory: Memory, lines: list[bytes], tmp_path: Path
) -> None:
    """Somebody may have written it down."""
    gone = memory.sessions.create()
    memory.sessions.append(gone.id, "user", "gone")
    memory.observations.record(gone.id, "Read", output="gone")
    memory.erase(session_id=gone.id)
    memory.import_export(written(tmp_path / "x.jsonl", lines))
    assert memory.observations.get("#1").found == ()
    with pytest.raises(NotFound):
        memory.sessions.message("m1")


def test_two_homes_can_be_joined_both_ways(
    memory: Memory, lines: list[bytes], tmp_path: Path
) -> None:
    """What went on in both is in both; nothing is doubled."""
    document = written(tmp_path / "x.jsonl", lines)
    memory.import_export(document)
    shared = memory.sessions.find("agent:main:a")
    memory.sessions.append(shared.id, "user", "on the second")
    with opened(tmp_path / "one") as other:
        other.sessions.append(shared.id, "user", "on the first")
        report = other.import_export(written(tmp_path / "y.jsonl", exported(memory)))
        assert report.added == {"message": 1}
        texts = [message.text for message in other.sessions.messages(shared.id)]
        assert texts[-2:] == ["on the first", "on the second"]
        memory.import_export(written(tmp_path / "z.jsonl", exported(other)))
    assert {m.text for m in memory.sessions.messages(shared.id)} == set(texts)


def test_the_same_transcript_imported_on_both_sides_is_one(memory: Memory, tmp_path: Path) -> None:
    """Of Claude Code, say, on two machines that share a folder."""
    file = tmp_path / "talk.jsonl"
    file.write_text('{"role":"user","content":"hello","id":"u1"}\n', "utf-8")
    with opened(tmp_path / "one") as other:
        other.import_transcripts(file)
        lines = exported(other)
    memory.import_transcripts(file)
    report = memory.import_export(written(tmp_path / "x.jsonl", lines))
    assert report.added == {}
    assert len(memory.sessions.list()) == 1


def test_another_tenant_must_be_said_and_gets_ids_of_its_own(
    lines: list[bytes], tmp_path: Path
) -> None:
    """In one home, too: neither sees or changes the other's."""
    document = written(tmp_path / "x.jsonl", lines)
    with (
        opened(tmp_path / "one") as theirs,
        opened(tmp_path / "one", scope=recollect.Scope(tenant="acme")) as ours,
    ):
        before = exported(theirs)[1:-1]
        with pytest.raises(Denied):
            ours.import_export(document)
        report = ours.import_export(document, other_tenant=True)
        assert report.added["message"] == 10
        assert ours.import_export(document, other_tenant=True).added == {}
        assert exported(theirs)[1:-1] == before
        ids = {each["id"] for each in of_kind(exported(ours), "session")}
        assert ids.isdisjoint({each["id"] for each in of_kind(lines, "session")})
        assert "a1" in {hit.snippet for hit in ours.search("a1").hits}


def test_a_narrow_scope_takes_only_what_may_be_its_own(tmp_path: Path) -> None:
    """A session of another agent or project is left out, and told."""
    with opened(tmp_path / "one") as memory:
        for agent in ("main", "work"):
            session = memory.sessions.create(key=f"agent:{agent}:main", project=f"/p/{agent}")
            memory.sessions.append(session.id, "user", f"of {agent}")
            memory.sessions.end(session.id)
        document = written(tmp_path / "x.jsonl", exported(memory))
    for scope in (recollect.Scope(agent="work"), recollect.Scope(project="/p/work")):
        with opened(tmp_path / str(scope.agent), scope=scope) as memory:
            report = memory.import_export(document)
            assert (report.added["message"], report.left_out["denied"]) == (1, 3)
            (session,) = memory.sessions.list()
            assert memory.sessions.messages(session.id)[0].text == "of work"


def test_a_session_of_another_owner_is_never_written_to(tmp_path: Path) -> None:
    """Not even where both are called the same in another program."""
    file = tmp_path / "talk.jsonl"
    file.write_text('{"role":"user","content":"hello","id":"u1"}\n', "utf-8")
    with opened(tmp_path / "one") as other:
        other.import_transcripts(file)
        session = other.sessions.list()[0]
        other.sessions.append(session.id, "user", "theirs")
        document = written(tmp_path / "x.jsonl", exported(other))
    with opened(tmp_path / "two", scope=recollect.Scope(agent="work")) as work:
        work.import_transcripts(file)
        before = exported(work)[1:-1]
        with opened(tmp_path / "two", scope=recollect.Scope(agent="play")) as play:
            assert play.import_export(document).added == {"session": 1, "message": 2}
            assert play.import_export(document).added == {}
            assert len(play.sessions.list()) == 1
        assert exported(work)[1:-1] == before


def test_what_was_erased_here_stays_away(
    memory: Memory, lines: list[bytes], tmp_path: Path
) -> None:
    """With all that belonged to it."""
    document = written(tmp_path / "x.jsonl", lines)
    memory.import_export(document)
    memory.erase(session_id=memory.sessions.find("agent:main:a").id)
    report = memory.import_export(document)
    assert report.added == {}
    assert report.left_out == {"erased": 8}
    assert memory.search("a1").hits == []


def test_what_is_deleted_or_pruned_here_stays_so(tmp_path: Path, lines: list[bytes]) -> None:
    """It is there, or was; it does not come twice."""
    document = written(tmp_path / "x.jsonl", lines)
    with opened(tmp_path / "two", {"sessions.retention.max_messages": 2}) as memory:
        memory.import_export(document)
        memory.prune()
        assert memory.import_export(document).left_out == {"pruned": 6}
        memory.sessions.set_status(memory.sessions.find("agent:main:a").id, "deleted")
        assert memory.import_export(document).left_out["deleted"] == 7


def test_secrets_are_taken_out_by_the_rules_of_this_home(
    memory: Memory, lines: list[bytes], tmp_path: Path
) -> None:
    """Whoever made the document may not have had any."""
    dirty = changed(changed(lines, b'"a1"', b'"use %s"' % KEY.encode()), b'"Read"', b'"sk R"')
    with opened(tmp_path / "three", {"privacy.patterns": ["b[0-9]"]}) as memory:
        memory.import_export(written(tmp_path / "x.jsonl", resealed(dirty)))
        found = b"".join(exported(memory))
        assert KEY.encode() not in found
        assert b'"b1"' not in found
        assert b'"a2"' in found


def test_what_this_home_does_not_capture_stays_out(tmp_path: Path) -> None:
    """Projects, tools, and what was said in a pause; the rest stays in order."""
    with opened(tmp_path / "one") as memory:
        session = memory.sessions.create(project="/p/tea")
        call = [
            {"type": "text", "text": "look"},
            {"type": "tool_use", "id": "c1", "name": "Bank", "input": {}},
        ]
        answer = [{"type": "tool_result", "tool_use_id": "c1", "content": "rich"}]
        memory.sessions.append_many(
            session.id, [("user", "one"), ("assistant", call), ("tool", answer), ("user", "two")]
        )
        memory.observations.record(session.id, "Bank", output="rich")
        fork = memory.sessions.fork(session.id, 4)
        memory.sessions.append(fork.id, "user", "three")
        secret = memory.sessions.create(project="/p/secret")
        memory.sessions.append(secret.id, "user", "four")
        document = written(tmp_path / "x.jsonl", exported(memory))
    rules = {"capture.skip_tools": ["Bank"], "privacy.exclude_projects": ["/p/secret"]}
    with opened(tmp_path / "two", rules) as memory:
        report = memory.import_export(document)
        assert report.left_out == {"calls": 2, "excluded": 2}
        shown = [(m.seq, m.text) for m in memory.sessions.messages(fork.id)]
        assert shown == [(1, "one"), (2, "look"), (3, "two"), (4, "three")]
        assert memory.import_export(document).added == {}


def test_memory_files_are_written_where_they_are_missing(tmp_path: Path) -> None:
    """Never over what is there; only on demand; paths stay inside."""
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    for folder, text in ((mine, "tea"), (theirs, "coffee")):
        (folder / "memory").mkdir(parents=True)
        (folder / "MEMORY.md").write_text(f"# {text}\n", "utf-8")
    (mine / "memory" / "a.md").write_text(f"key {KEY}\nmilk\n", "utf-8")
    places: dict[str, Any] = {"workspace": mine, "live": False}
    settings = {"embedding.provider": "none"}
    with recollect.open(tmp_path / "one", overrides=settings, **places) as memory:
        assert of_kind(exported(memory), "file") == []
        lines = exported(memory, files=True)
    assert {each["path"] for each in of_kind(lines, "file")} == {"MEMORY.md", "memory/a.md"}
    assert KEY.encode() not in b"".join(lines)
    bad = resealed([*lines[:-1], b'{"file":{"path":"../x.md","text":"no"}}', lines[-1]])
    document = written(tmp_path / "x.jsonl", bad)
    places["workspace"] = theirs
    with recollect.open(tmp_path / "two", overrides=settings, **places) as memory:
        memory.import_export(document)
        assert not (theirs / "memory" / "a.md").exists()
        report = memory.import_export(document, files=True)
    assert report.kept_files == ("MEMORY.md",)
    assert (theirs / "MEMORY.md").read_text("utf-8") == "# coffee\n"
    assert (theirs / "memory" / "a.md").read_text("utf-8").endswith("milk\n")
    assert not (tmp_path / "x.md").exists()


def test_records_that_cannot_be_stored_are_counted(
    memory: Memory, lines: list[bytes], tmp_path: Path
) -> None:
    """A document may be sealed and still be nonsense."""
    dirty = changed(lines, b'"role":"user","at"', b'"role":"wizard","at"')
    dirty = changed(dirty, b'"through_seq":1', b'"through_seq":99')
    report = memory.import_export(written(tmp_path / "x.jsonl", resealed(dirty)))
    assert report.left_out == {"unreadable": 10}
    assert report.added["session"] == 2


@pytest.mark.parametrize("kind", ["message", "observation", "episode"])
@pytest.mark.parametrize("number", [(1 << 53) - 1, (1 << 63) - 1, 1 << 64])
def test_a_number_that_no_other_could_follow_is_refused(
    tmp_path: Path, lines: list[bytes], memory: Memory, kind: str, number: int
) -> None:
    """Or the home could never store another record of the kind, nor find any."""
    forged = []
    for line in lines:
        told = msgspec.json.decode(line)
        if kind in told:
            told[kind]["number"] = number
        forged.append(json.dumps(told, separators=(",", ":")).encode())
    with pytest.raises(InvalidInput, match="line"):
        memory.import_export(written(tmp_path / "forged", resealed(forged)))
    session = memory.sessions.create(key="agent:main:c")
    memory.sessions.append(session.id, "user", "kites")
    assert memory.observations.record(session.id, "Read", output="c").number == 1
