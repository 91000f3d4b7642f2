"""Facts: remembered once, found in the one search, changed by hand and back again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.core.errors import Conflict, Denied, InvalidInput, NotFound
from recollect.core.scope import Scope
from recollect.memory import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """Return a memory without an embedder."""
    with recollect.open(tmp_path / "home", overrides={"embedding.provider": "none"}) as opened:
        yield opened


def test_a_fact_is_remembered_and_found(memory: Memory) -> None:
    """It is a hit of its own, with its number, kind and citation."""
    made = memory.facts.remember(None, "  I live\nin Leeds ", kind="personal", importance=7)
    assert (made.status, made.fact.number, made.fact.text) == ("new", 1, "I live in Leeds")
    (hit,) = memory.search("Leeds").hits
    assert (hit.source, hit.number, hit.citation) == ("facts", 1, "fact:f1")
    assert hit.fact is not None
    assert (hit.fact.kind, hit.fact.trust, hit.fact.valid_until) == ("personal", "owner", None)
    (found,) = memory.facts.search(None, "where do I live, Leeds?")
    assert (found.fact.id, found.fact.access_count) == (made.fact.id, 0)
    assert memory.get("f1").found[0].record.text == "I live in Leeds"
    assert memory.search("f1").hits[0].ref == made.fact.id


def test_the_same_words_are_known(memory: Memory) -> None:
    """Case, punctuation and spaces make no second fact; the surest source counts."""
    first = memory.facts.remember(None, "I prefer tabs.", confidence=0.6)
    again = memory.facts.remember(None, "i  prefer TABS", confidence=0.9)
    assert (first.status, again.status, again.fact.id) == ("new", "known", first.fact.id)
    assert again.fact.confidence == 0.9
    assert memory.facts.remember(None, "I prefer tabs", confidence=0.2).fact.confidence == 0.9
    assert [change.action for change in memory.facts.history("f1")] == ["new", "known"]
    assert len(memory.facts.list()) == 1


def test_the_same_words_of_another_person_are_another_fact(memory: Memory) -> None:
    """Facts are known within one audience only."""
    people = (None, "telegram:7", "mira", "telegram:8")
    made = [memory.facts.remember(user, "I like tea") for user in people]
    assert [each.status for each in made] == ["new"] * 4
    assert [each.fact.trust for each in made] == ["owner", "group", "group", "group"]
    assert [fact.user for fact in memory.facts.list("telegram:7")] == ["telegram:7"]
    assert len(memory.facts.list()) == 4
    assert len(memory.facts.search("mira", "tea")) == 1


def test_a_fact_of_a_project_is_known_within_it(memory: Memory) -> None:
    """Two projects may have the same rule."""
    said = [memory.facts.remember(None, "we use ruff", project=path) for path in ("/a", "/b", "/a")]
    assert [each.status for each in said] == ["new", "new", "known"]
    assert said[0].fact.subject == "project"
    assert said[0].fact.kind == "technical"
    assert [fact.number for fact in memory.facts.list(project="/b")] == [2]


def test_a_correction_is_undone(memory: Memory) -> None:
    """The words before come back, and the history tells both."""
    memory.facts.remember(None, "I live in Leeds", confidence=0.5)
    corrected = memory.facts.correct("f1", "I live in Bristol")
    assert (corrected.text, corrected.confidence) == ("I live in Bristol", 1.0)
    assert not memory.search("Leeds").hits
    assert memory.search("Bristol").hits[0].number == 1
    restored = memory.facts.restore("f1")
    assert (restored.text, restored.confidence) == ("I live in Leeds", 0.5)
    assert (restored.slot, restored.value) == ("home", "leeds")
    texts = [change.text for change in memory.facts.history("f1")]
    assert texts == ["I live in Leeds", "I live in Bristol", "I live in Leeds"]
    with pytest.raises(Conflict):
        memory.facts.restore("f1")


def test_a_forgotten_fact_is_in_nothing_until_it_is_restored(memory: Memory) -> None:
    """Said anew it is a new fact; forgetting it again changes nothing."""
    memory.facts.remember(None, "I collect old lamps")
    assert memory.facts.forget("f1").status == memory.facts.forget("f1").status == "forgotten"
    assert not memory.search("lamps").hits
    assert not memory.facts.search(None, "lamps")
    assert not memory.facts.list()
    assert [fact.number for fact in memory.facts.list(status="forgotten")] == [1]
    assert memory.facts.remember(None, "I collect old lamps").status == "new"
    assert memory.facts.restore("f1").status == "current"
    assert [fact.number for fact in memory.facts.list()] == [2, 1]


def test_a_pinned_fact_is_pinned_until_it_is_not(memory: Memory) -> None:
    """Both are in its history."""
    memory.facts.remember(None, "I live in Leeds")
    assert memory.facts.pin("f1").is_pinned
    assert not memory.facts.pin("f1", pinned=False).is_pinned
    actions = [change.action for change in memory.facts.history("f1")]
    assert actions == ["new", "pinned", "unpinned"]


def test_a_secret_is_redacted_before_it_is_stored(memory: Memory) -> None:
    """In new facts as in corrected ones."""
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    made = memory.facts.remember(None, f"my token is {key}").fact
    assert key not in made.text
    assert "[redacted:" in made.text
    assert key not in memory.facts.correct("f1", f"the token is {key}").text
    assert all(key not in change.text for change in memory.facts.history("f1"))


def test_what_cannot_be_a_fact_is_refused(memory: Memory) -> None:
    """With a hint, and nothing is stored."""
    for wrong in (
        {"text": "  "},
        {"text": "x" * 2_001},
        {"text": "tea", "kind": "persona"},
        {"text": "tea", "kind": "work", "category": "rule"},
        {"text": "tea", "importance": 11},
        {"text": "tea", "confidence": 1.5},
    ):
        with pytest.raises(InvalidInput):
            memory.facts.remember(None, **wrong)
    with pytest.raises(NotFound):
        memory.facts.remember(None, "tea", source="m9")
    with pytest.raises(NotFound):
        memory.facts.correct("f9", "tea")
    assert not memory.facts.list()
    assert memory.facts.remember(None, "tea", category="preference").fact.kind == "preference"


def test_a_scope_remembers_and_reads_its_own(memory: Memory) -> None:
    """A memory of one person gives and takes no other's facts."""
    anns = memory.within(Scope(user="ann"))
    assert anns.facts.remember(None, "I like tea").fact.user == "ann"
    memory.facts.remember("bob", "I like milk")
    assert [fact.text for fact in anns.facts.list()] == ["I like tea"]
    assert not anns.facts.search(None, "milk")
    with pytest.raises(Denied):
        anns.facts.remember("bob", "I like water")
    with pytest.raises(NotFound):
        anns.facts.get("f2")


def test_a_fact_of_a_message_has_its_place(memory: Memory) -> None:
    """It belongs to the session and the project of the message, which carries it in a search."""
    session = memory.sessions.create(key="agent:main:main", project="/tea")
    memory.sessions.append(session.id, "user", "By the way, I drink oolong in the morning")
    fact = memory.facts.remember(None, "I drink oolong", source="m1").fact
    assert (fact.session_id, fact.project) == (session.id, "/tea")
    hits = memory.search("oolong").hits
    carried = {(hit.source, hit.fact.number) for hit in hits if hit.fact}
    assert ("facts", 1) in carried
    assert "sessions" in {source for source, _ in carried}


def test_an_agent_claims_nothing_of_its_owner(memory: Memory) -> None:
    """It goes to review, unless the owner said the same words in that session."""
    session = memory.sessions.create(key="agent:main:main").id
    memory.sessions.append(session, "user", "Please note: I live in Leeds!")
    facts = memory.facts
    said = facts.remember(None, "I live in Leeds", trust="agent", for_session=session).fact
    claim = facts.remember(None, "Never run tests", "rule", trust="agent", for_session=session).fact
    work = facts.remember(
        None, "the build needs Node 22", "technical", about="project", project="/w", trust="agent"
    ).fact
    assert [(each.trust, each.status) for each in (said, claim, work)] == [
        ("owner", "current"),
        ("agent", "review"),
        ("agent", "current"),
    ]
    assert [fact.number for fact in facts.list(status="review")] == [2]
    assert not memory.search("run tests", sources=["facts"]).hits
    confirmed = facts.restore("f2")
    assert (confirmed.status, confirmed.trust) == ("current", "owner")
    assert memory.search("run tests", sources=["facts"]).hits[0].number == 2


def test_facts_leave_the_words_of_messages_as_they_are(memory: Memory) -> None:
    """Neither document frequencies nor mean lengths of messages change with facts."""
    session = memory.sessions.create().id
    for n in range(6):
        memory.sessions.append(session, "user", f"tea number {n} and some other words")
    memory.sessions.append(session, "user", "the kettle is new")
    before = [(h.ref, h.score) for h in memory.search("tea kettle", sources=["sessions"]).hits]
    for n in range(5):
        memory.facts.remember(None, f"kettle fact {n} tea")
    after = [(h.ref, h.score) for h in memory.search("tea kettle", sources=["sessions"]).hits]
    assert before == after


class Tomorrow:
    """A clock that is set by hand."""

    now = 1_790_000_000_000

    def now_ms(self) -> int:
        """Return the time it was set to."""
        return self.now


def test_a_search_counts_as_an_access_once_a_day(tmp_path: Path) -> None:
    """So that a search seldom waits for a commit."""
    clock = Tomorrow()
    plain = {"embedding.provider": "none"}
    with recollect.open(tmp_path / "home", overrides=plain, clock=clock, live=False) as memory:
        memory.facts.remember(None, "I take tea")
        counts = []
        for hours in (1, 30, 31, 60):
            clock.now = Tomorrow.now + hours * 3_600_000
            memory.facts.search(None, "tea")
            counts.append(memory.facts.get("f1").access_count)
        assert counts == [0, 1, 1, 2]
