"""The mirror of facts: what people did to facts comes back without the records."""

from __future__ import annotations

import threading
from pathlib import Path

import recollect
from recollect.exchange.recover import recover
from recollect.knowledge import mirror
from recollect.memory import Memory
from recollect.sessions.mirror.mirror import TranscriptMirror
from recollect.store.engine import Database
from recollect.store.sqlite.home import FACTS_FILE
from tests.support.leftovers import files_that_hold

PLAIN = {"embedding.provider": "none"}
GUEST = "agent:main:telegram:acc:direct:7"


def _opened(home: Path, **overrides: object) -> Memory:
    return recollect.open(home, overrides=PLAIN | overrides)


def test_facts_by_hand_come_back_without_the_records(tmp_path: Path) -> None:
    """With numbers, history and hearers; also where nothing else was ever said."""
    home = tmp_path / "home"
    with _opened(home) as memory:
        memory.facts.remember(None, "I live in Leeds")
        memory.facts.remember("telegram:7", "I take tea")
        memory.facts.correct("f1", "I live in Bristol")
        memory.facts.forget("f2")
        before = [memory.facts.get(name) for name in ("f1", "f2")]
        history = memory.facts.history("f1")
    (home / "records.db").unlink()
    assert recover(home, dry_run=True).facts == 2
    assert recover(home).facts == 2
    with _opened(home) as memory:
        assert [memory.facts.get(name) for name in ("f1", "f2")] == before
        assert memory.facts.history("f1") == history
        assert memory.search("Bristol").hits[0].number == 1
        assert memory.facts.remember(None, "I am new").fact.number == 3
        guest = memory.sessions.open(GUEST).id
        memory.facts.restore("f2")
        assert [fact.number for fact in memory.facts.list(for_session=guest)] == [2]


def test_the_mirror_forgets_what_is_erased(tmp_path: Path) -> None:
    """At once, also where mirrors were turned off meanwhile; the rest of it stays."""
    home = tmp_path / "home"
    with _opened(home) as memory:
        memory.facts.remember(None, "I live in Zorvexplum")
        memory.facts.remember(None, "I work in Quibnavton")
        memory.facts.remember(None, "I take tea")
    assert files_that_hold(home, "zorvexplum")
    with _opened(home) as memory:
        memory.erase(fact_id="f1")
        assert not files_that_hold(home, "zorvexplum")
    with _opened(home, **{"sessions.mirror": False}) as memory:
        memory.erase(fact_id="f2")
        assert not files_that_hold(home, "quibnavton")
    (home / "records.db").unlink()
    assert recover(home).facts == 1


def test_scrubbing_redacts_the_mirror(tmp_path: Path) -> None:
    """It is written from the rows."""
    home = tmp_path / "home"
    with _opened(home) as memory:
        memory.facts.remember(None, "the gate is badge-7731")
    with _opened(home, **{"privacy.patterns": [r"badge-\d+"]}) as memory:
        memory.scrub()
    assert not files_that_hold(home, "badge-7731")


def test_a_backup_has_facts(tmp_path: Path) -> None:
    """Rows and history, without anything done for it."""
    with _opened(tmp_path / "home") as memory:
        memory.facts.remember(None, "I live in Leeds")
        memory.facts.correct("f1", "I live in Bristol")
        report = memory.backup(tmp_path / "copy.tar.zst")
    recollect.restore(report.path, tmp_path / "other")
    with _opened(tmp_path / "other") as memory:
        assert [line.text for line in memory.facts.history("f1")] == [
            *("I live in Leeds", "I live in Bristol")
        ]


def test_a_writer_that_read_before_an_erasure_writes_nothing_back(tmp_path: Path) -> None:
    """The mirror of the background had the erased words again, whenever it was in between."""
    home, has_read, is_gone = tmp_path / "home", threading.Event(), threading.Event()

    def late(folder: Path, database: Database) -> None:
        content = database.read(lambda tx: b"".join(mirror._lines(tx)))  # noqa: SLF001
        has_read.set()
        is_gone.wait(1)
        (folder / FACTS_FILE).write_bytes(content)

    with _opened(home, **{"sessions.mirror": False}) as memory:
        memory.facts.remember(None, "I keep zorvexplum")
        (home / FACTS_FILE).write_bytes(b"{}\n")
        records = memory._rooms.records  # noqa: SLF001  # as the mirror of a second program has it
        background = threading.Thread(target=TranscriptMirror(home, records, late).flush)
        background.start()
        assert has_read.wait(10)
        memory.erase(fact_id="f1")
        is_gone.set()
        background.join()
        assert not files_that_hold(home, "zorvexplum")
