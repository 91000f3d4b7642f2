"""The facade: what programs use, over a real home."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.core.clock import SystemClock
from recollect.core.errors import (
    ConfigError,
    Denied,
    InvalidInput,
    NotFound,
    ProviderUnavailable,
    RecollectError,
    StoreClosed,
)
from recollect.core.events import MessagesAppended, SessionCreated
from recollect.core.scope import Scope
from recollect.index.model.sync_report import Progress
from recollect.memory import Memory
from recollect.workspace.reading import ReadResult
from tests.unit.index.scripted import ScriptedEmbedder

LEXICAL = {"embedding.provider": "none"}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with a curated file and a note."""
    folder = tmp_path / "workspace"
    (folder / "memory").mkdir(parents=True)
    (folder / "MEMORY.md").write_text("# Tea\n\nAnn likes green tea.\n", encoding="utf-8")
    note = "one\ntwo\x0cstill two\r\nthree apricot\npassword = tr0ub4dor&3\n\nsix"
    (folder / "memory" / "note.md").write_bytes(note.encode())
    return folder


@pytest.fixture
def memory(tmp_path: Path, workspace: Path) -> Iterator[Memory]:
    """A memory for words only."""
    with recollect.open(tmp_path / "home", workspace, overrides=LEXICAL) as opened:
        yield opened


def test_what_was_said_and_written_is_found(memory: Memory) -> None:
    """The ten lines of the front page."""
    session = memory.sessions.create(key="k")
    message = memory.sessions.append(session.id, "user", "We moved the launch to 14 May.")
    assert memory.sync().warnings == ()
    index = memory.status().index
    assert (index.documents, index.vectors) == ({"facts": 1, "memory": 2, "sessions": 1}, 0)
    (hit,) = memory.search("when is the launch?", limit=1).hits
    assert (hit.ref, hit.session_id, hit.seq) == (message.id, session.id, 1)
    (hit,) = memory.search("green tea", limit=1).hits
    assert (hit.path, hit.start_line) == ("MEMORY.md", 1)


def test_search_takes_its_defaults_from_the_settings(tmp_path: Path) -> None:
    """And arguments win over them, zero included."""
    overrides = LEXICAL | {"search.limit": 2, "search.min_score": 0.2}
    with recollect.open(tmp_path, overrides=overrides) as memory:
        session = memory.sessions.create(key="k")
        memory.sessions.append_many(session.id, [("user", f"apple {n}") for n in range(5)])
        best = memory.sessions.append(memory.sessions.create().id, "user", "apple pie")
        assert [hit.ref for hit in memory.search("apple pie").hits] == [best.id]
        assert len(memory.search("apple pie", min_score=0).hits) == 2
        assert len(memory.search("apple pie", limit=4, min_score=0).hits) == 4


def test_search_is_narrowed_by_sources_scope_and_mode(memory: Memory) -> None:
    """Another tenant is told that it is one."""
    session = memory.sessions.create(key="k", project="p")
    memory.sessions.append(session.id, "user", "green tea")
    assert {hit.source for hit in memory.search("tea").hits} == {"memory", "sessions"}
    assert {hit.source for hit in memory.search("tea", sources=["memory"]).hits} == {"memory"}
    (hit,) = memory.search("tea", scope=Scope(project="p")).hits
    assert hit.session_id == session.id
    assert memory.search("tea", mode="lexical").warnings == []
    other = memory.search("tea", scope=Scope(tenant="other"))
    assert (other.hits, other.warnings) == ([], ["the scope is of another owner"])


@pytest.mark.parametrize(
    "arguments",
    [
        {"limit": 0},
        {"limit": 2_000},
        {"min_score": 2.0},
        {"sources": ["dreams"]},
        {"sources": "memory"},
        {"mode": "magic"},
    ],
)
def test_search_refuses_what_is_out_of_range(memory: Memory, arguments: dict[str, Any]) -> None:
    """With a hint."""
    with pytest.raises(InvalidInput) as caught:
        memory.search("tea", **arguments)
    assert caught.value.hint


def _read(memory: Memory, from_line: int, lines: int | None) -> tuple[str, int, int]:
    read = memory.read("memory/note.md", from_line, lines)
    assert (read.path, read.total_lines) == ("memory/note.md", 6)
    return read.text, read.from_line, read.lines


def test_read_returns_ranges_of_lines(memory: Memory) -> None:
    """Behind the end there is no text."""
    assert _read(memory, 1, 1) == ("one", 1, 1)
    assert _read(memory, 5, None) == ("\nsix", 5, 2)
    assert _read(memory, 6, 100) == ("six", 6, 1)
    assert _read(memory, 7, None) == ("", 7, 0)
    whole = memory.read("memory/note.md")
    assert (whole.from_line, whole.lines) == (1, 6)
    assert "tr0ub4dor" not in whole.text


def test_read_counts_lines_as_hits_do(tmp_path: Path, workspace: Path) -> None:
    """Found by these tests: a form feed ended a line for `read` and for no hit."""
    overrides = LEXICAL | {"chunking.tokens": 8, "chunking.overlap": 0}
    with recollect.open(tmp_path / "home", workspace, overrides=overrides) as memory:
        (hit,) = [hit for hit in memory.search("apricot").hits if "apricot" in hit.snippet]
        assert hit.start_line is not None
        assert hit.end_line is not None
        lines = hit.end_line - hit.start_line + 1
        assert "three apricot" in memory.read(hit.ref, hit.start_line, lines).text
        assert _read(memory, 2, 2)[0] == "two\x0cstill two\nthree apricot"


@pytest.mark.parametrize(
    ("content", "lines"),
    [("", 0), ("\n", 1), ("one", 1), ("one\n", 1), ("one\n\n", 2), ("one\r\ntwo\r\n", 2)],
)
def test_read_counts_a_last_line_with_and_without_its_end(
    memory: Memory, workspace: Path, content: str, lines: int
) -> None:
    """An empty file has no lines."""
    (workspace / "memory" / "x.md").write_bytes(content.encode())
    read = memory.read("memory/x.md")
    assert (read.lines, read.total_lines) == (lines, lines)
    assert isinstance(read, ReadResult)


@pytest.mark.parametrize(("from_line", "lines"), [(0, None), (-1, 1), (1, 0), (1, -5)])
def test_read_refuses_lines_before_the_first(
    memory: Memory, from_line: int, lines: int | None
) -> None:
    """Lines are counted from 1."""
    with pytest.raises(InvalidInput):
        memory.read("memory/note.md", from_line, lines)


def test_read_finds_only_memory_files(memory: Memory, workspace: Path, tmp_path: Path) -> None:
    """Neither other files nor those outside; and none without a workspace."""
    (workspace / "README.md").write_text("no memory", encoding="utf-8")
    for path in ("README.md", "../workspace/MEMORY.md"):
        with pytest.raises(Denied):
            memory.read(path)
    assert memory.read(str(workspace / "MEMORY.md")).path == "MEMORY.md"
    assert memory.read("memory/none.md").status == "not_found"
    (workspace / "memory" / "binary.md").write_bytes(b"\0")
    with pytest.raises(InvalidInput):
        memory.read("memory/binary.md")
    with recollect.open(tmp_path / "bare", overrides=LEXICAL) as bare:
        with pytest.raises(NotFound) as caught:
            bare.read("MEMORY.md")
        assert "--workspace" in caught.value.hint


def test_a_closed_memory_reads_nothing(memory: Memory) -> None:
    """As everything else of it."""
    memory.close()
    with pytest.raises(StoreClosed):
        memory.read("memory/note.md")


def test_the_status_counts_what_the_home_holds(memory: Memory, workspace: Path) -> None:
    """Sessions, messages, the index by source, and what answers."""
    session = memory.sessions.create(key="k")
    memory.sessions.append_many(session.id, [("user", "tea"), ("assistant", "green tea")])
    memory.sync()
    status = memory.status()
    assert (status.home, status.workspace) == (str(memory.home), str(workspace))
    assert (status.sessions, status.messages) == (1, 2)
    assert status.index.documents == {"memory": 2, "sessions": 2}
    assert (status.index.chunks, status.index.vectors, status.index.waiting) == (4, 0, 0)
    assert (status.index.generation, status.index.rebuilding) == (1, False)
    assert status.embedder is None
    assert status.embedder_reason
    assert status.records_health.last_error is None
    assert status.index_health.last_error is None
    assert (status.mirror_error, status.background_error) == (None, None)


def test_a_bare_home_has_a_status(tmp_path: Path) -> None:
    """Without workspace, messages or mirrors."""
    with recollect.open(tmp_path, overrides=LEXICAL | {"sessions.mirror": False}) as memory:
        status = memory.status()
        assert (status.workspace, status.sessions, status.messages) == (None, 0, 0)
        assert status.index.documents == {}
        assert memory.heal_mirrors() == {}
        assert memory.search("tea").hits == []


def test_events_are_handed_out_after_a_number(memory: Memory) -> None:
    """Oldest first; behind the newest there is none."""
    assert list(memory.events.since()) == []
    session = memory.sessions.create(key="k")
    for number in range(3):
        memory.sessions.create(key=f"k{number}")
    memory.sessions.append(session.id, "user", "tea")
    every = list(memory.events.since())
    assert [type(recorded.event) for recorded in every] == [SessionCreated] * 4 + [MessagesAppended]
    assert [recorded.seq for recorded in every] == sorted(recorded.seq for recorded in every)
    assert list(memory.events.since(every[2].seq)) == every[3:]
    assert list(memory.events.since(every[-1].seq)) == []


def test_transcripts_are_imported_and_found(memory: Memory, tmp_path: Path) -> None:
    """Through the integrations, which know the formats."""
    lines = [{"role": "user", "content": "Zebras are striped", "session": "zoo"}]
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    report = memory.import_transcripts(path)
    assert (report.sessions, report.messages) == (1, 1)
    assert memory.import_transcripts(path).messages == 0
    (hit,) = memory.search("zebra").hits
    assert hit.snippet == "Zebras are striped"
    with pytest.raises(NotFound):
        memory.import_transcripts(tmp_path / "missing")
    with pytest.raises(InvalidInput):
        memory.import_transcripts(path, "telegraph")


def test_reindex_builds_the_index_anew(memory: Memory) -> None:
    """With the same answers, and progress on the way."""
    before = memory.search("green tea").hits
    told: list[Progress] = []
    report = memory.reindex(told.append)
    assert (report.rebuilt, report.put) == (True, 2)
    assert told
    assert memory.status().index.generation == 2
    assert memory.search("green tea").hits == before


def test_settings_tell_where_they_come_from(memory: Memory) -> None:
    """An override is one of the places."""
    resolved = memory.explain_settings()
    assert resolved.settings == memory.settings
    assert resolved.settings.embedding.provider == "none"
    assert resolved.origins["embedding.provider"] != resolved.origins["search.limit"]


def test_mirrors_are_healed(memory: Memory) -> None:
    """A transcript that was damaged is equal to the database again."""
    session = memory.sessions.create(key="k")
    memory.sessions.append(session.id, "user", "tea")
    first = memory.heal_mirrors()
    assert sum(first.values()) == 1
    (mirror,) = (memory.home / "transcripts").glob("*.jsonl")
    mirror.write_text("damaged\n", encoding="utf-8")
    assert memory.heal_mirrors().get("equal", 0) == 0
    assert memory.heal_mirrors() == {"equal": 1}


def test_a_home_holds_on_to_its_scope(tmp_path: Path) -> None:
    """What is said belongs to it, and searches see no more than it."""
    ann, bob = Scope(user="ann"), Scope(user="bob")
    with recollect.open(tmp_path, overrides=LEXICAL, scope=ann) as memory:
        session = memory.sessions.create(key="k")
        memory.sessions.append(session.id, "user", "green tea")
        assert memory.scope == ann
        assert len(memory.search("tea").hits) == 1
    with recollect.open(tmp_path, overrides=LEXICAL, scope=bob) as memory:
        assert memory.search("tea").hits == []
        for wider in (Scope(), ann, Scope(user="ann", project="p"), Scope(tenant="other")):
            assert memory.search("tea", scope=wider).hits == []
    with recollect.open(tmp_path, overrides=LEXICAL) as memory:
        assert len(memory.search("tea", scope=ann).hits) == 1
        assert memory.search("tea", scope=bob).hits == []


def test_an_embedder_of_the_program_is_used_and_closed_once(tmp_path: Path) -> None:
    """Sync makes the vectors; a search embeds what came after it."""
    embedder = ScriptedEmbedder()
    with recollect.open(tmp_path, embedder=embedder, clock=SystemClock()) as memory:
        session = memory.sessions.create(key="k")
        memory.sessions.append(session.id, "user", "green tea")
        memory.sync()
        memory.sessions.append(session.id, "user", "black tea")
        assert memory.search("tea").mode == "hybrid"
        status = memory.status()
        assert (status.embedder, status.index.vectors) == ("scripted:words", 2)
        assert status.embedder_reason == "given by the program"
    assert embedder.closed == 1


def test_sync_raises_what_the_embedder_could_not_and_words_are_found(tmp_path: Path) -> None:
    """The text is indexed all the same."""

    def down(_: object) -> None:
        raise ProviderUnavailable("the provider is down", hint="try later")

    with recollect.open(tmp_path, embedder=ScriptedEmbedder(before=down)) as memory:
        session = memory.sessions.create(key="k")
        memory.sessions.append(session.id, "user", "green tea")
        with pytest.raises(ProviderUnavailable):
            memory.sync()
        result = memory.search("tea")
        assert [hit.snippet for hit in result.hits] == ["green tea"]
        assert result.warnings


def test_many_missing_vectors_are_left_to_sync(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search does not make them all; it tells that some are missing."""
    monkeypatch.setattr("recollect.memory.INLINE_EMBEDDINGS", 1)
    embedder = ScriptedEmbedder(before=lambda _: None)
    with recollect.open(tmp_path, overrides=LEXICAL) as memory:
        session = memory.sessions.create(key="k")
        memory.sessions.append_many(session.id, [("user", f"tea {n}") for n in range(3)])
        memory.sync()
    with recollect.open(tmp_path, embedder=embedder, live=False) as memory:
        result = memory.search("tea")
        assert result.warnings == ["some chunks have no vector yet: run `recollect sync`"]
        assert len(result.hits) == 3
        assert embedder.texts == []
        memory.sync()
        assert memory.search("tea").warnings == []


def test_what_was_said_is_indexed_in_the_background(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a sync and without a search; closing waits for what has begun."""
    monkeypatch.setattr("recollect.recall.maintenance.GATHER_S", 0.0)
    embedder = ScriptedEmbedder()
    with recollect.open(tmp_path, embedder=embedder) as memory:
        session = memory.sessions.create(key="k")
        memory.sessions.append(session.id, "user", "green tea")
        for _ in range(20_000):
            if memory.status().index.vectors:
                break
        assert memory.status().index.vectors == 1
        assert memory.status().background_error is None


@pytest.mark.parametrize(
    "use",
    [
        lambda memory: memory.search("tea"),
        lambda memory: memory.sync(),
        lambda memory: memory.reindex(),
        lambda memory: memory.status(),
        lambda memory: list(memory.events.since()),
        lambda memory: memory.sessions.create(key="k"),
        lambda memory: memory.sessions.list(),
        lambda memory: memory.heal_mirrors(),
    ],
)
def test_a_closed_memory_says_so(
    tmp_path: Path, workspace: Path, use: Callable[[Memory], object]
) -> None:
    """Closing twice is fine; using it then is a clear error."""
    memory = recollect.open(tmp_path / "home", workspace, overrides=LEXICAL)
    memory.close()
    memory.close()
    with pytest.raises(StoreClosed) as caught:
        use(memory)
    assert caught.value.hint


def test_a_home_that_cannot_be_opened_is_told(tmp_path: Path) -> None:
    """A wrong setting and a workspace that is no folder; every error is one of ours."""
    with pytest.raises(ConfigError):
        recollect.open(tmp_path / "home", overrides={"search.limits": 3})
    with pytest.raises(NotFound) as caught:
        recollect.open(tmp_path / "home", tmp_path / "missing", overrides=LEXICAL)
    assert isinstance(caught.value, RecollectError)
    assert caught.value.hint


def test_a_memory_is_closed_when_its_block_fails(tmp_path: Path) -> None:
    """The error of the block is what the program sees."""
    with (
        pytest.raises(ZeroDivisionError),
        recollect.open(tmp_path, overrides=LEXICAL) as memory,
    ):
        raise ZeroDivisionError
    with pytest.raises(StoreClosed):
        memory.status()


def test_a_deleted_session_is_in_no_search_until_it_is_restored(tmp_path: Path) -> None:
    """Also after the index was rebuilt; its rows stay."""
    with recollect.open(tmp_path, overrides=LEXICAL) as memory:
        session = memory.sessions.create()
        memory.sessions.append(session.id, "user", "The boiler rattles.")
        memory.sessions.append(memory.sessions.create().id, "user", "The boiler hums.")
        assert len(memory.search("boiler").hits) == 2
        memory.sessions.set_status(session.id, "deleted")
        assert [hit.snippet for hit in memory.search("boiler").hits] == ["The boiler hums."]
        memory.reindex()
        assert len(memory.search("boiler").hits) == 1
        memory.sessions.set_status(session.id, "archived")
        assert len(memory.search("boiler").hits) == 2
        assert memory.sessions.messages(session.id)[0].text == "The boiler rattles."
