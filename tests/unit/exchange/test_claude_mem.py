"""What claude-mem kept, in the schemas that its own migrations make."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from recollect.core.errors import ForeignStoreError, InvalidInput, NotFound
from recollect.memory import Memory
from tests.support.claude_mem import NOON, VERSIONS, ClaudeMem
from tests.unit.exchange.documents import exported, of_kind, opened


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """An empty memory."""
    return opened(tmp_path / "home")


def filled(path: Path, version: int = 49) -> ClaudeMem:
    """Return a database with a session and something of every kind."""
    kept = ClaudeMem(path / "claude-mem.db", version)
    kept.session()
    if version >= 10:
        kept.prompt("make the tea")
        kept.prompt("and milk", number=2)
    kept.observation("bugfix", "the kettle was off")
    kept.observation("discovery", "milk goes in last")
    kept.summary("tea was asked for")
    return kept


@pytest.mark.parametrize("version", VERSIONS)
def test_every_schema_gives_the_same(memory: Memory, tmp_path: Path, version: int) -> None:
    """Versions add and rename columns; what was said and seen is the same."""
    kept = filled(tmp_path, version)
    report = memory.import_claude_mem(kept.path)
    assert report.added == {
        "session": 1, "message": 2 if version >= 10 else 1, "observation": 3,
    }  # fmt: skip
    (session,) = memory.sessions.list()
    assert (session.source, session.foreign_id, session.project) == ("claude-mem", "s1", "tea")
    assert memory.sessions.messages(session.id)[0].text == "make the tea"
    found = {each.type: each for each in memory.observations.list()}
    assert set(found) == {"bugfix", "exploration", "summary"}
    assert {each.trust for each in found.values()} == {"imported"}
    assert found["bugfix"].title == "the kettle was off"
    assert found["bugfix"].created_at > NOON


def test_twice_is_once_and_more_is_added(memory: Memory, tmp_path: Path) -> None:
    """By ids that follow from its own."""
    kept = filled(tmp_path)
    memory.import_claude_mem(kept.path)
    before = exported(memory)[1:-1]
    assert memory.import_claude_mem(kept.path).added == {}
    assert exported(memory)[1:-1] == before
    kept.observation("decision", "milk first")
    kept.prompt("why?", number=3)
    assert memory.import_claude_mem(kept.path).added == {"message": 1, "observation": 1}


def test_the_database_is_only_read(memory: Memory, tmp_path: Path) -> None:
    """Its worker goes on; not a byte of its files changes."""
    kept = filled(tmp_path)

    def digests() -> dict[str, str]:
        names = ("claude-mem.db", "claude-mem.db-wal")
        return {n: hashlib.sha256((tmp_path / n).read_bytes()).hexdigest() for n in names}

    before = digests()
    memory.import_claude_mem(kept.path)
    assert digests() == before


def test_it_is_found_and_heard_by_the_owner_only(tmp_path: Path) -> None:
    """A guest and a group hear nothing of it, even where they hear observations."""
    with opened(tmp_path / "home", {"observations.shared": True}) as memory:
        memory.import_claude_mem(filled(tmp_path).path)
        guest = memory.sessions.create(key="agent:main:telegram:acc:direct:42")
        group = memory.sessions.create(key="agent:main:slack:group:g1")
        mine = memory.sessions.create(key="agent:main:main")
        for session in (guest, group):
            memory.sessions.append(session.id, "user", "who?", sender=None)
            assert memory.search("kettle milk tea", for_session=session.id).hits == []
            assert memory.observations.list(for_session=session.id) == []
        assert memory.search("kettle", for_session=mine.id).hits


def test_it_is_never_put_into_a_prompt_by_itself(memory: Memory, tmp_path: Path) -> None:
    """A model of another program wrote it, of what tools gave back; it is found by who asks."""
    memory.import_claude_mem(filled(tmp_path).path)
    session = memory.sessions.create(key="agent:main:main", project="tea")
    assert memory.context(session.id).text == ""
    hits = memory.search("what was asked for", for_session=session.id).hits
    assert "tea was asked for" in hits[0].snippet


def test_its_types_become_ours_and_others_keep_their_names(memory: Memory, tmp_path: Path) -> None:
    """Modes of claude-mem have types of their own."""
    kept = ClaudeMem(tmp_path / "c.db")
    kept.session()
    names = ("feature", "refactor", "change", "decision", "security_alert", "lawsuit")
    for name in names:
        kept.observation(name, f"about {name}")
    memory.import_claude_mem(kept.path)
    found = {each.title.removeprefix("about "): each.type for each in memory.observations.list()}
    assert found == dict.fromkeys(("feature", "refactor", "change"), "code_change") | {
        "decision": "decision", "security_alert": "security_alert", "lawsuit": "lawsuit",
    }  # fmt: skip


def test_its_json_export_says_the_same(memory: Memory, tmp_path: Path) -> None:
    """Of the database and of the file everything has the same ids."""
    kept = filled(tmp_path)
    path = tmp_path / "export.json"
    path.write_text(json.dumps(kept.exported()), "utf-8")
    memory.import_claude_mem(path)
    assert memory.import_claude_mem(kept.path).added == {}


def test_an_export_without_its_sessions_is_taken(memory: Memory, tmp_path: Path) -> None:
    """Its script leaves them out where its worker does not tell them."""
    document = filled(tmp_path).exported() | {"sessions": []}
    path = tmp_path / "export.json"
    path.write_text(json.dumps(document), "utf-8")
    assert memory.import_claude_mem(path).added["observation"] == 3


def test_the_same_name_on_two_platforms_is_two_sessions(memory: Memory, tmp_path: Path) -> None:
    """Since schema 33 a session is called so only on its platform."""
    kept = ClaudeMem(tmp_path / "c.db")
    first = kept.session()
    second = kept.session("s1", platform_source="codex", memory_session_id="mem-other")
    kept.prompt("from claude", session_db_id=first)
    kept.prompt("from codex", session_db_id=second)
    memory.import_claude_mem(kept.path)
    said = {s.foreign_id: memory.sessions.messages(s.id)[0].text for s in memory.sessions.list()}
    assert said == {"s1": "from claude", "codex:s1": "from codex"}


def test_what_has_no_session_row_gets_one(memory: Memory, tmp_path: Path) -> None:
    """Foreign keys were off for years."""
    kept = ClaudeMem(tmp_path / "c.db")
    kept.observation("decision", "tea", "gone")
    assert memory.import_claude_mem(kept.path).added == {"session": 1, "observation": 1}


def test_secrets_stay_out(memory: Memory, tmp_path: Path) -> None:
    """It has no detection of its own."""
    key = "sk-ant-api03-" + "q7XzR2mK" * 6
    kept = ClaudeMem(tmp_path / "c.db")
    kept.session()
    kept.prompt(f"use {key}")
    kept.observation("decision", f"the key is {key}", narrative=f"{key}!")
    memory.import_claude_mem(kept.path)
    assert key.encode() not in b"".join(exported(memory))


def test_what_is_not_captured_stays_out(tmp_path: Path) -> None:
    """As of any import."""
    with opened(tmp_path / "home", {"privacy.exclude_projects": ["tea"]}) as memory:
        report = memory.import_claude_mem(filled(tmp_path).path)
        assert report.added == {}
        assert report.left_out["excluded"] > 0


def test_odd_cells_do_not_stop_it(memory: Memory, tmp_path: Path) -> None:
    """Lists that are none, times that are none, empty titles."""
    kept = ClaudeMem(tmp_path / "c.db")
    kept.session()
    kept.observation("", "", facts="not json", files_read="{}", created_at_epoch=10**17)
    kept.observation("decision", "t" * 5_000, concepts='["gotcha"]', merged_into_project="tea2")
    kept.observation("decision", "seconds", created_at_epoch=NOON // 1000)
    report = memory.import_claude_mem(kept.path)
    assert report.added["observation"] == 3
    lines = of_kind(exported(memory), "observation")
    assert [each["project"] for each in lines].count("tea2") == 1
    assert {each["title"]: each["created_at"] for each in lines}["seconds"] == NOON


@pytest.mark.parametrize("version", [3, 50])
def test_another_version_is_refused_by_its_number(
    memory: Memory, tmp_path: Path, version: int
) -> None:
    """And nothing is stored."""
    kept = ClaudeMem(tmp_path / "c.db", 49)
    kept.connection.execute("DELETE FROM schema_versions WHERE version > ?", (version,))
    kept.connection.execute(
        "INSERT OR REPLACE INTO schema_versions (version, applied_at) VALUES (?, '')", (version,)
    )
    kept.connection.execute("DELETE FROM schema_versions WHERE version <> ?", (version,))
    with pytest.raises(ForeignStoreError, match=f"schema {version}"):
        memory.import_claude_mem(kept.path)
    assert memory.sessions.list() == []


def test_other_files_are_refused(memory: Memory, tmp_path: Path) -> None:
    """A text, JSON of something else, another database, a folder, nothing."""
    (tmp_path / "a.json").write_text("hello", "utf-8")
    (tmp_path / "b.json").write_text("[]", "utf-8")
    kept = ClaudeMem(tmp_path / "c.db")
    kept.connection.execute("DROP TABLE observations")
    for name in ("a.json", "b.json", "c.db"):
        with pytest.raises(InvalidInput):
            memory.import_claude_mem(tmp_path / name)
    for name in ("gone.db", "."):
        with pytest.raises(NotFound):
            memory.import_claude_mem(tmp_path / name)


def test_a_dry_run_stores_nothing(memory: Memory, tmp_path: Path) -> None:
    """And tells the same."""
    kept = filled(tmp_path)
    plan = memory.import_claude_mem(kept.path, dry_run=True)
    assert memory.sessions.list() == []
    assert memory.import_claude_mem(kept.path).added == plan.added
