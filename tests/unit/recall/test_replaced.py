"""The search: what holds now comes before what it replaced, where that is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import UNSET

import recollect
from recollect.answers.hit import found_hit, search_answer, search_output
from recollect.core.clock import DAY_MS
from recollect.core.scope import Scope
from recollect.index.query.hit import SearchResult
from recollect.memory import Memory
from recollect.recall import audience
from recollect.recall.statements import messages as stated_messages
from tests.support.scripted_statements import detect
from tests.unit.recall.test_extraction import BATH, BRISTOL, NO_MODEL

JANUARY = 1_767_225_600_000
"""1 January 2026."""
NOW, PAST, EVENT = "Where do I live?", "Where did I use to live?", "When did I move to live here?"


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    """An empty memory that knows the scripted phrases."""
    monkeypatch.setattr(stated_messages, "detect", detect)
    with recollect.open(tmp_path / "home", overrides=NO_MODEL, live=False) as opened:
        yield opened


def said(memory: Memory, *texts: str, month: int = 0, session: str | None = None) -> str:
    """Append messages of the user, a month apart; > begins a reply. Return the session."""
    session = session or memory.sessions.create().id
    for number, each in enumerate(texts, month):
        role = "assistant" if each.startswith(">") else "user"
        at = JANUARY + number * 31 * DAY_MS
        memory.sessions.append(session, role, each.removeprefix(">"), at=at)
    return session


def first(memory: Memory, query: str, count: int = 3, **given: object) -> list[str]:
    """Return the first hits of a search."""
    memory.sync()
    hits = memory.search(query, **given).hits  # type: ignore[arg-type]
    return [hit.snippet for hit in hits[:count]]


def moved(memory: Memory) -> None:
    """Say three homes, the oldest with most of the question's words; and something else."""
    said(memory, "I live in Leeds, where I live well", ">So you live in Leeds!", "I like tea")
    said(memory, BRISTOL, month=4)
    said(memory, "At last, news of us: I live in Bath", month=6)


def test_what_holds_comes_first_and_what_it_replaced_behind(memory: Memory) -> None:
    """What holds comes first and what it replaced behind."""
    moved(memory)
    found = first(memory, NOW)
    assert found[0] == "At last, news of us: I live in Bath"
    assert found[1] != found[0]
    hits = memory.search(NOW).hits
    assert hits[0].why["replaces"] > 0
    assert sum(hits[0].why.values()) == pytest.approx(hits[0].score, abs=1e-5)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_the_past_is_asked_for(memory: Memory) -> None:
    """The past is asked for."""
    moved(memory)
    assert first(memory, PAST)[0] == BRISTOL
    assert "Leeds" in first(memory, "Where did I live in February 2026?")[0]
    assert first(memory, NOW, as_of="2026-02")[0].startswith("I live in Leeds")
    assert first(memory, NOW, as_of="2026-05-20")[0] == BRISTOL


def plain(memory: Memory, query: str, **given: object) -> SearchResult:
    """Return what a search finds that knows nothing of replacements."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(audience.SearchQuestion, "_replacing", lambda *_: None)
        return memory.search(query, **given)  # type: ignore[arg-type]


def test_a_question_of_an_event_changes_nothing(memory: Memory) -> None:
    """A question of an event changes nothing."""
    moved(memory)
    memory.sync()
    assert memory.search(EVENT) == plain(memory, EVENT)
    assert memory.search(NOW) != plain(memory, NOW)


def test_confidence_is_taken_before(memory: Memory) -> None:
    """Confidence is taken before."""
    moved(memory)
    memory.sync()
    assert memory.search(NOW).confidence == plain(memory, NOW).confidence


def test_what_is_not_searched_replaces_nothing(memory: Memory) -> None:
    """What is not searched replaces nothing."""
    old = said(memory, "I live in Leeds, where I live well", "I like tea")
    said(memory, BRISTOL, month=4)
    assert first(memory, NOW)[0] == BRISTOL
    assert first(memory, NOW, until="2026-03-20")[0].startswith("I live in Leeds")
    assert first(memory, NOW, scope=Scope(session=old))[0].startswith("I live in Leeds")


def test_a_chain_leads_past_what_is_not_searched(memory: Memory) -> None:
    """A chain leads past what is not searched."""
    said(memory, "I live in Leeds, where I live well", "I like tea")
    gone = said(memory, BRISTOL, month=4)
    said(memory, BATH, month=6)
    memory.sync()
    memory.sessions.set_status(gone, "deleted")
    assert next(hit.snippet for hit in memory.search(NOW).hits) == BATH


def test_a_fork_keeps_what_was_said_before_it(memory: Memory) -> None:
    """A fork keeps what was said before it."""
    session = said(memory, "I live in Leeds, where I live well")
    fork = memory.sessions.fork(session).id
    said(memory, BRISTOL, month=4, session=session)
    assert first(memory, NOW, scope=Scope(session=fork))[0].startswith("I live in Leeds")
    assert first(memory, NOW, scope=Scope(session=session))[0] == BRISTOL


def test_guests_do_not_learn_what_others_replaced(memory: Memory) -> None:
    """Guests do not learn what others replaced."""
    keys = [f"agent:main:telegram:acc:direct:{peer}" for peer in (42, 43)]
    ids = [memory.sessions.create(key=key).id for key in keys]
    said(memory, "I live in Leeds, where I live well", session=ids[0])
    said(memory, BRISTOL, month=4, session=ids[1])
    assert first(memory, NOW, for_session=ids[0])[0].startswith("I live in Leeds")


def test_words_outside_of_what_was_replaced_hand_nothing_on(memory: Memory) -> None:
    """Words outside of what was replaced hand nothing on."""
    said(memory, "The tea shop is closed on Mondays; and I live in Leeds")
    said(memory, BRISTOL, month=4)
    assert first(memory, "Is the tea shop closed on Mondays?")[0].startswith("The tea shop")


def test_age_takes_nothing_of_what_is_linked(memory: Memory) -> None:
    """What is replaced hands over its own score; what is not linked loses for its age."""
    said(memory, "I live in Leeds, where I live well", "now I like tea")
    said(memory, BRISTOL, month=4)
    said(memory, "now we all live for tea", month=6)
    question = "Where do I live now?"
    assert first(memory, question)[0] == BRISTOL
    ages = {hit.snippet: hit.why.get("newest", 0.0) for hit in memory.search(question).hits}
    plain_ages = {h.snippet: h.why.get("newest", 0.0) for h in plain(memory, question).hits}
    linked = {BRISTOL, "I live in Leeds, where I live well"}
    assert all(plain_ages[each] < 0 for each in linked)
    assert {each: age for each, age in ages.items() if each not in linked} == {
        each: age for each, age in plain_ages.items() if each not in linked
    }
    assert all(ages[each] == 0 for each in linked)
    for hit in memory.search(question).hits:
        assert sum(hit.why.values()) == pytest.approx(hit.score, abs=1e-5)


def untils(memory: Memory, query: str, **given: object) -> dict[str, int | None]:
    """Return until when what each hit says held."""
    hits = memory.search(query, **given).hits  # type: ignore[arg-type]
    assert all(hit.fact is None for hit in hits)
    return {hit.snippet: hit.until for hit in hits}


def test_what_was_replaced_says_until_when_it_held(memory: Memory) -> None:
    """Until the next one was said, without a fact of either; what holds has no end."""
    moved(memory)
    memory.sync()
    found = untils(memory, NOW)
    leeds, bath = "I live in Leeds, where I live well", "At last, news of us: I live in Bath"
    assert found[leeds] == JANUARY + 4 * 31 * DAY_MS
    assert found[BRISTOL] == JANUARY + 6 * 31 * DAY_MS
    assert found[bath] is None
    assert untils(memory, PAST)[BRISTOL] == JANUARY + 6 * 31 * DAY_MS
    assert untils(memory, NOW, as_of="2026-02")[leeds] == JANUARY + 4 * 31 * DAY_MS
    assert set(untils(memory, EVENT).values()) == {None}


def test_what_is_not_searched_ends_nothing(memory: Memory) -> None:
    """Nor what others said, or what is deleted: the next that is heard does."""
    old = said(memory, "I live in Leeds, where I live well")
    gone = said(memory, BRISTOL, month=4)
    said(memory, BATH, month=6)
    memory.sync()
    assert set(untils(memory, NOW, until="2026-03-20").values()) == {None}
    assert set(untils(memory, NOW, scope=Scope(session=old)).values()) == {None}
    memory.sessions.set_status(gone, "deleted")
    found = untils(memory, NOW)
    assert found == {
        BATH: None, "I live in Leeds, where I live well": JANUARY + 6 * 31 * DAY_MS
    }  # fmt: skip


def test_only_what_is_asked_for_has_an_end(memory: Memory) -> None:
    """A message that says something else, too, does not end with a part of it."""
    said(memory, "The tea shop is closed on Mondays; and I live in Leeds")
    said(memory, BRISTOL, month=4)
    memory.sync()
    assert set(untils(memory, "Is the tea shop closed on Mondays?").values()) == {None}


def test_each_surface_says_until_when_a_message_held(memory: Memory) -> None:
    """HTTP, MCP and the command line; what holds has no such field, or null."""
    moved(memory)
    memory.sync()
    result = memory.search(NOW)
    lines = memory.lines(result)
    held, whole = "2026-05-05T00:00:00.000Z", [hit.until for hit in result.hits]
    (number,) = (n for n, hit in enumerate(result.hits) if hit.snippet.startswith("I live in L"))
    assert whole[0] is None
    assert [found_hit(hit, None).until for hit in result.hits] == whole
    http, mcp = search_answer(result, lines).results, search_output(memory, result, lines).results
    assert (http[number].until, mcp[number].until) == (held, held)
    assert http[0].until is mcp[0].until is UNSET


def test_a_block_says_until_when_a_message_held(memory: Memory) -> None:
    """Behind the number and the date."""
    moved(memory)
    memory.sync()
    text = memory.context(memory.sessions.create().id, NOW).text
    assert re.search(r"\[m\d+ 2026-01-01, until 2026-05-05\] user: I live in Leeds", text)
    assert re.search(r"\[m\d+ 2026-07-06\] user: At last", text)


WORDS = st.sampled_from("I live in Leeds tea work where now like the dog Rex shop".split())
TEXTS = st.lists(st.lists(WORDS, min_size=1, max_size=6).map(" ".join), min_size=1, max_size=8)


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(TEXTS, st.sampled_from([NOW, PAST, "Where is the tea shop now?", "my dog"]))
def test_without_a_link_the_ranking_is_the_same(
    memory: Memory, texts: list[str], query: str
) -> None:
    """Without a link the ranking is the same."""
    said(memory, *texts)
    memory.sync()
    memory._rooms.records.write(lambda tx: tx.execute("DELETE FROM replacements"))  # noqa: SLF001
    assert memory.search(query, 20) == plain(memory, query, limit=20)
