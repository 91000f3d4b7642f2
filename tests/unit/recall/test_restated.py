"""The search: a later statement comes first that is like an earlier one, though no link says so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.core.clock import DAY_MS
from recollect.index.query import restated
from recollect.memory import Memory
from recollect.models.embedding.embedder import Vectors
from tests.unit.index.scripted import ScriptedEmbedder

JANUARY = 1_767_225_600_000
"""1 January 2026."""
NOW, EVENT = "How much do I put into the pension?", "When did I put that into the pension?"
PAST = "How much did I put into the pension before?"
FIVE = "I put five percent into the pension"
EIGHT = "Went up to eight for the retirement pot, it starts next payday"
NINE = "We now moved up to nine for the retirement, starting today"


class Pensions(ScriptedEmbedder):
    """One that hears of pensions and homes, and takes them for the same."""

    def _vector(self, text: str) -> Vectors:
        is_about = any(word in text for word in ("pension", "retirement", "live"))
        return super()._vector("pension" if is_about else text)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An empty memory with vectors."""
    with recollect.open(tmp_path / "home", embedder=Pensions(), live=False) as opened:
        yield opened


def say(memory: Memory, *texts: str, **session: object) -> None:
    """Append messages of the user, a month apart, and bring all of them into the index."""
    id_ = memory.sessions.create(**session).id  # type: ignore[arg-type]
    for number, each in enumerate(texts):
        memory.sessions.append(id_, "user", each, at=JANUARY + number * 31 * DAY_MS)
    memory.sync()


def snippets(memory: Memory, query: str) -> list[str]:
    """Return the hits of a search, best first."""
    return [hit.snippet for hit in memory.search(query, min_score=0.0).hits]


def test_a_later_statement_without_a_word_in_common_comes_first(memory: Memory) -> None:
    """The vectors say that it speaks of the same."""
    say(memory, FIVE, "I like tea", EIGHT)
    assert snippets(memory, NOW)[:2] == [EIGHT, FIVE]
    first = memory.search(NOW).hits[0]
    assert first.why["replaces"] > 0
    assert sum(first.why.values()) == pytest.approx(first.score, abs=1e-5)
    assert memory.search(NOW).hits[1].until is None


def test_of_three_values_the_last_comes_first(memory: Memory) -> None:
    """Asked for what was, the one before it."""
    say(memory, FIVE, "I like tea", EIGHT, NINE)
    assert snippets(memory, NOW)[0] == NINE
    assert snippets(memory, PAST)[0] == EIGHT


def test_asked_for_the_past_the_earlier_one_comes_first(memory: Memory) -> None:
    """What is said later makes way for what it may have replaced."""
    say(memory, FIVE, "I like tea", EIGHT)
    assert snippets(memory, PAST)[0] == FIVE
    say(memory, "How much is in the pension pot for me before tax?")
    assert snippets(memory, PAST)[0] == FIVE


def test_what_nobody_makes_way_for_comes_first(memory: Memory) -> None:
    """Also before a message that has more words of the question, and states nothing."""
    say(memory, "How much do I put into the pension?", FIVE, EIGHT)
    assert snippets(memory, NOW)[0] == EIGHT


def test_of_an_event_nothing_makes_way(memory: Memory) -> None:
    """Of an event nothing makes way."""
    say(memory, FIVE, EIGHT)
    assert not any("replaces" in hit.why for hit in memory.search(EVENT).hits)


def test_what_was_said_before_changes_nothing(memory: Memory) -> None:
    """What was said before changes nothing."""
    say(memory, EIGHT, FIVE)
    assert snippets(memory, NOW)[0] == FIVE


def test_what_is_not_alike_changes_nothing(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not alike changes nothing."""
    monkeypatch.setitem(restated.LEAST, "state", 99.0)
    say(memory, FIVE, EIGHT)
    assert snippets(memory, NOW)[0] == FIVE


def test_others_change_nothing(memory: Memory) -> None:
    """What a guest says moves nobody else."""
    guest = "agent:main:telegram:main:direct:7"
    say(memory, FIVE, owner=True)
    say(memory, "I like tea", EIGHT, key=guest)
    assert snippets(memory, NOW)[0] == FIVE


def test_of_a_person_that_is_named_only_their_words_count(memory: Memory) -> None:
    """Though another one speaks in the same chat."""
    id_ = memory.sessions.create().id
    said = (("Ana", FIVE), ("Ben", "I like tea"), ("Ben", EIGHT))
    for number, (name, each) in enumerate(said):
        memory.sessions.append(id_, "user", each, name=name, at=JANUARY + number * 31 * DAY_MS)
    memory.sync()
    assert snippets(memory, "How much does Ana put into the pension?")[0] == FIVE
    assert snippets(memory, NOW)[0] == EIGHT


def test_what_was_undone_by_hand_stays_undone(memory: Memory) -> None:
    """Whoever restores a fact knows better than the vectors."""
    say(memory, "I live in Leeds", "I live in Bristol now, we finally moved")
    (leeds,) = memory.facts.list(status="replaced")
    ask = "Where do I live?"
    assert "Bristol" in snippets(memory, ask)[0]
    memory.facts.restore(leeds.id)
    memory.sync()
    assert not any("replaces" in hit.why for hit in memory.search(ask).hits)
