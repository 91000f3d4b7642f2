"""Facts in an export: they come back as they were, and only as far as an asker hears them."""

from __future__ import annotations

import json
from pathlib import Path

import recollect
from recollect.core.scope import Scope
from recollect.memory import Memory

PLAIN = {"embedding.provider": "none"}
GUEST = "agent:main:telegram:acc:direct:7"


def _filled(home: Path) -> Memory:
    memory = recollect.open(home, overrides=PLAIN)
    guest = memory.sessions.open(GUEST).id
    memory.sessions.append(guest, "user", "I take tea")
    memory.facts.remember(None, "I take tea", source="m1")
    memory.facts.remember(None, "I live in Leeds", importance=8)
    memory.facts.correct("f2", "I live in Bristol")
    memory.facts.remember("telegram:7", "I like milk")
    memory.facts.forget("f3")
    return memory


def test_facts_come_back_with_numbers_and_history(tmp_path: Path) -> None:
    """And once only; who hears them stays."""
    with _filled(tmp_path / "one") as memory:
        report = memory.export().save(tmp_path / "all.jsonl")
        before = [memory.facts.get(f"f{n}") for n in (1, 2, 3)]
        history = memory.facts.history("f2")
        assert report.counts["fact"] == 3
    with recollect.open(tmp_path / "two", overrides=PLAIN) as memory:
        assert memory.import_export(tmp_path / "all.jsonl").added["fact"] == 3
        assert [memory.facts.get(f"f{n}") for n in (1, 2, 3)] == before
        assert memory.facts.history("f2") == history
        again = memory.import_export(tmp_path / "all.jsonl")
        assert "fact" not in again.added
        guest = memory.sessions.open(GUEST).id
        assert [fact.number for fact in memory.facts.list(for_session=guest)] == [1]
        assert memory.facts.restore("f3").status == "current"
        assert memory.facts.remember(None, "I am new").fact.number == 4
        assert memory.search("Bristol").hits[0].number == 2


def test_a_session_gets_the_facts_that_it_hears(tmp_path: Path) -> None:
    """Not the owner's, and none that was forgotten."""
    with _filled(tmp_path / "one") as memory:
        guest = memory.sessions.open(GUEST).id
        memory.export(for_session=guest).save(tmp_path / "guest.jsonl")
    lines = (tmp_path / "guest.jsonl").read_text("utf-8").splitlines()
    facts = [json.loads(line)["fact"] for line in lines if line.startswith('{"fact"')]
    assert [fact["text"] for fact in facts] == ["I take tea"]


def test_facts_of_an_erased_session_stay_away(tmp_path: Path) -> None:
    """An older export does not bring them back."""
    with _filled(tmp_path / "one") as memory:
        memory.export().save(tmp_path / "all.jsonl")
        memory.erase(session_id=memory.sessions.open(GUEST).id)
        report = memory.import_export(tmp_path / "all.jsonl")
        assert "fact" not in report.added
        assert report.left_out["erased"] >= 1
        assert [fact.number for fact in memory.facts.list()] == [2]


def test_a_narrowed_import_takes_no_facts_without_a_session(tmp_path: Path) -> None:
    """They could be another owner's."""
    with _filled(tmp_path / "one") as memory:
        memory.export().save(tmp_path / "all.jsonl")
    with recollect.open(tmp_path / "two", overrides=PLAIN, scope=Scope(project="/p")) as memory:
        report = memory.import_export(tmp_path / "all.jsonl")
        assert (report.added["fact"], report.left_out) == (1, {"denied": 2})
        assert [fact.project for fact in memory.facts.list()] == ["/p"]


def test_secrets_and_wrong_kinds_do_not_come_in(tmp_path: Path) -> None:
    """Anyone may have made a document."""
    with _filled(tmp_path / "one") as memory:
        memory.export().save(tmp_path / "all.jsonl")
    overrides = PLAIN | {"privacy.patterns": ["Bristol|Leeds"]}
    with recollect.open(tmp_path / "two", overrides=overrides) as memory:
        memory.import_export(tmp_path / "all.jsonl")
        told = [memory.facts.get("f2").text, *(each.text for each in memory.facts.history("f2"))]
        assert not any("Bristol" in each or "Leeds" in each for each in told)
