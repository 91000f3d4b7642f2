"""The checkup of what is known: what does not fit is found, and derived again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.memory import Memory
from recollect.store.columns import typed_rows


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory in which somebody moved, and a key changed its place."""
    settings = {"embedding.provider": "none"}
    with recollect.open(tmp_path / "home", overrides=settings, live=False) as opened:
        session = opened.sessions.create().id
        for said in ("I live in Leeds.", "Good.", "We moved, I live in Bristol now."):
            opened.sessions.append(session, "user", said)
        for said in ("The key hangs behind the door", "Ann has the key"):
            opened.facts.remember(None, said, kind="technical")
        opened.sync()
        opened.facts.replace("f1", "f2")
        yield opened


def _execute(memory: Memory, sql: str) -> None:
    memory._rooms.records.write(lambda tx: tx.execute(sql))  # noqa: SLF001  # to do damage


def _links(memory: Memory) -> list[tuple[str, str]]:
    return memory._rooms.records.read(  # noqa: SLF001
        lambda tx: typed_rows(tx.all("SELECT older_id, rule FROM replacements"), tuple[str, str])
    )


def test_what_fits_is_sound(memory: Memory) -> None:
    """The numbers are those of the status."""
    found, status = memory.knowledge_checkup().examine(deep=True), memory.status()
    assert (found.derived, found.damaged) == (0, 0)
    assert (found.facts, found.links) == (status.facts, status.replacements)
    assert (found.links, status.facts_by_status["replaced"]) == (2, 2)  # of a slot, and alike
    assert sum(status.facts_by_status.values()) == status.facts
    assert (status.episodes, status.identities) == (0, 0)
    memory.identities.link("owner", "telegram", "42")
    assert memory.status().identities == 1


def test_what_does_not_fit_is_derived_again(memory: Memory) -> None:
    """Links of what is gone, statements of what is gone, links that are missing."""
    links = _links(memory)
    _execute(memory, "UPDATE replacements SET newer_id = 'gone'")
    _execute(memory, "UPDATE stated SET message_id = 'gone' WHERE seq = 3")
    checkup = memory.knowledge_checkup()
    found = checkup.examine(deep=True)
    assert (found.dangling, found.stray > 0) == (2, True)
    assert len(checkup.repair(found)) == 1
    assert checkup.examine(deep=True).derived == 0
    assert _links(memory) == links
    assert checkup.repair(checkup.examine()) == []
    _execute(memory, "DELETE FROM replacements")
    found = checkup.examine(deep=True)
    assert (found.wrong, checkup.examine().wrong) == (2, 0)
    checkup.repair(found)
    assert _links(memory) == links


def test_a_fact_whose_follower_is_lost_counts_again(memory: Memory) -> None:
    """A damaged row is told, and not repaired."""
    _execute(memory, "DELETE FROM facts WHERE number = 2")
    checkup = memory.knowledge_checkup()
    found = checkup.examine()
    assert (found.lost, found.damaged) == (1, 0)
    checkup.repair(found)
    assert memory.facts.get("f1").status == "current"
    _execute(memory, "UPDATE facts SET text = 'x' WHERE number = 1")
    assert checkup.examine().damaged == 1
