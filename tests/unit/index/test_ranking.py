"""The ranking as questions see it: who, when and how something was said decides between equals."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.clock import DAY_MS
from recollect.core.settings import RankingSettings
from recollect.index.model.speakers import Names
from recollect.index.query.question import analyse
from recollect.index.query.ranking import (
    ScoreParts,
    best_possible,
    newest_factors,
    own_weight,
    weights_for,
)
from tests.unit.index.scripted import ScriptedFeed, ScriptedIndex, note, said


def _noon(year: int, month: int, day: int) -> int:
    return int(datetime(year, month, day, 12, tzinfo=UTC).timestamp() * 1000)


def _best(folder: Path, question: str, **times: int) -> str:
    """Return the ref of the best of messages that differ only in their time."""
    feed = ScriptedFeed(*(said(ref, "The picnic was lovely", at=at) for ref, at in times.items()))
    with ScriptedIndex(folder / "home", feed) as home:
        hits = home.ask(question).hits
        assert {hit.ref for hit in hits} == set(times)
        assert hits[0].score > hits[1].score, "they must not be equal"
        return hits[0].ref


@pytest.fixture
def people(tmp_path: Path) -> Iterator[ScriptedIndex]:
    """Two people say the same, and the assistant as well."""
    feed = ScriptedFeed(
        said("assistant", "Tulips are in the garden", role="assistant"),
        said("ann", "Tulips are in the garden", name="Ann", role="assistant"),
        said("bob", "Tulips are in the garden", name="Bob", role="user"),
    )
    with ScriptedIndex(tmp_path / "home", feed) as home:
        yield home


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("What did Ann put in the garden?", "ann"),
        ("What did Bob put in the garden?", "bob"),
        ("Did Ann see Bob's tulips?", "ann"),
        ("did ann see tulips?", "ann"),
        ("Where are my tulips?", "bob"),
    ],
)
def test_the_statement_of_whom_the_question_is_about_comes_first(
    people: ScriptedIndex, query: str, first: str
) -> None:
    """A name, the first of two, or the user where the question says "my"."""
    hits = people.ask(query).hits
    assert hits[0].ref == first
    assert hits[0].score > hits[1].score


def test_nobody_is_preferred_when_nobody_is_asked_about(people: ScriptedIndex) -> None:
    """Equal statements then have equal scores, and the assistant's reply a little less."""
    hits = people.ask("tulips in the garden").hits
    assert hits[-1].ref == "assistant"
    assert len({hit.score for hit in hits[:-1]}) == 1
    assert hits[-1].score > 0.9 * hits[0].score


@pytest.mark.parametrize(
    "question", ["What did you say of tulips?", "Was hast du zu Tulips gesagt?", "你说 tulips"]
)
def test_what_the_assistant_said_answers_who_asks_it(people: ScriptedIndex, question: str) -> None:
    """The message that asked for it is no answer."""
    hits = people.ask(question).hits
    assert "speaker" in {hit.ref: hit for hit in hits}["assistant"].why
    assert hits[-1].ref == "bob"


def test_a_note_is_as_much_mine_as_what_i_said(tmp_path: Path) -> None:
    """Who asks for their own things gets their notes too: docs/search.md."""
    feed = ScriptedFeed(
        note("MEMORY.md", "Tulips grow"),
        said("m", "Tulips grow", role="user"),
        said("r", "Tulips grow", role="assistant"),
    )
    with ScriptedIndex(tmp_path, feed) as home:
        hits = home.ask("where are my tulips?").hits
    assert ["speaker" in hit.why for hit in hits] == [True, True, False]


@pytest.mark.parametrize(
    "question",
    [*("which editor do I use now?", "welcher editor ist es jetzt?"), "que editor uso agora?"],
)
def test_the_newest_of_several_statements_answers_how_things_are_now(
    tmp_path: Path, question: str
) -> None:
    """The older one fits a little better, and what is older still does not matter."""
    feed = ScriptedFeed(
        said("old", "the editor is vim", at=_noon(2025, 2, 1), session="a"),
        said("new", "the editor that is used is zed from today on", at=_noon(2025, 5, 1)),
    )
    with ScriptedIndex(tmp_path / "home", feed) as home:
        assert home.ask("which editor is it?").hits[0].ref == "old"
        hits = home.ask(question).hits
    assert [hit.ref for hit in hits] == ["new", "old"]
    assert hits[1].why["newest"] < 0


def test_a_score_that_is_no_number_ends_no_search_for_the_newest() -> None:
    """A damaged vector makes such a score; which statements fit is not known then."""
    at, scores = np.array([1, 2]) * DAY_MS, np.array([0.5, np.nan], np.float32)
    assert newest_factors(at, scores, 0.3).tolist() == [0.7, 1.0]


def test_a_day_named_wins_over_its_month(tmp_path: Path) -> None:
    """The question names it."""
    days = {"other": _noon(2023, 5, 2), "day": _noon(2023, 5, 14), "far": _noon(2023, 9, 14)}
    assert _best(tmp_path, "the picnic on 14 May 2023", **days) == "day"


def test_the_day_before_the_first_of_a_month_is_beside_it(tmp_path: Path) -> None:
    """Found by these tests: days were compared within one month only."""
    days = {"before": _noon(2023, 5, 31), "same": _noon(2023, 6, 20)}
    assert _best(tmp_path, "the picnic on 1 June 2023", **days) == "before"
    days = {"after": _noon(2024, 1, 1), "same": _noon(2023, 12, 11)}
    assert _best(tmp_path / "home", "the picnic on 31 December 2023", **days) == "after"


def test_a_month_named_wins_over_the_next_and_the_next_over_others(tmp_path: Path) -> None:
    """What happened in May is told in May or in June."""
    june, august = _noon(2023, 6, 3), _noon(2023, 8, 3)
    assert _best(tmp_path, "the picnic in May", may=_noon(2023, 5, 3), june=june) == "may"
    assert _best(tmp_path / "home", "the picnic in May", june=june, august=august) == "june"


def test_january_follows_december_of_the_year_before(tmp_path: Path) -> None:
    """Found by these tests: January of the same year, eleven months earlier, took its place."""
    times = {"next": _noon(2024, 1, 5), "long_before": _noon(2023, 1, 5)}
    assert _best(tmp_path, "the picnic in December 2023", **times) == "next"


def test_the_year_narrows_the_month_and_counts_alone(tmp_path: Path) -> None:
    """May of another year is not what was asked for."""
    may = {"wrong": _noon(2022, 5, 3), "right": _noon(2023, 5, 3)}
    assert _best(tmp_path, "the picnic in May 2023", **may) == "right"
    any_month = {"wrong": _noon(2022, 3, 3), "right": _noon(2023, 9, 3)}
    assert _best(tmp_path / "home", "the picnic of 2023", **any_month) == "right"


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        ("When was the picnic?", "The picnic was yesterday", "The picnic was lovely"),
        ("Where was the picnic?", "The picnic was in Paris", "The picnic was in rain"),
        ("the picnic", "The picnic was here", "The picnic was here?"),
    ],
)
def test_the_kind_of_the_answer_decides_between_equals(
    tmp_path: Path, query: str, better: str, worse: str
) -> None:
    """Times for when, names for where, and questions seldom answer."""
    with ScriptedIndex(tmp_path, ScriptedFeed(said("b", worse), said("a", better))) as home:
        hits = home.ask(query).hits
        assert [hit.ref for hit in hits] == ["a", "b"]
        assert hits[0].score > hits[1].score


def test_weights_stand_only_for_what_can_speak() -> None:
    """A part that cannot speak must not lower the share of the others."""
    ranking, plain = RankingSettings(), analyse("picnic", Names())
    assert weights_for(plain, ranking, lexical=False, vector=False).keys() == {"question"}
    assert "vector" not in weights_for(plain, ranking, lexical=True, vector=False)
    assert "context" not in weights_for(plain, ranking, lexical=False, vector=True)
    without_terms = analyse("?", Names())
    assert "context" not in weights_for(without_terms, ranking, lexical=True, vector=True)


@given(
    st.dictionaries(st.sampled_from("abcd"), st.floats(-1, 10, width=32), min_size=1),
    st.lists(st.floats(-1, 2, width=32), min_size=1, max_size=5),
)
def test_a_total_is_a_share_of_the_best_possible(
    weights: dict[str, float], values: list[float]
) -> None:
    """In [0, 1], whatever the parts say, and 1 where all of them are at their best."""
    numbers = np.arange(len(values))
    parts = ScoreParts(numbers, {name: np.array(values, np.float32) for name in "abc"})
    total = parts.total(weights)
    assert bool(np.all((total >= 0) & (total <= 1)))
    full = {name: np.full(1, float(weight > 0), np.float32) for name, weight in weights.items()}
    if any(weight > 1e-6 for weight in weights.values()):
        assert math.isclose(ScoreParts(numbers[:1], full).total(weights)[0], 1.0, rel_tol=1e-4)
    assert best_possible(weights) > 0


def test_files_have_no_speaker(tmp_path: Path) -> None:
    """A file is found for a question about somebody, without that part."""
    feed = ScriptedFeed(note("MEMORY.md", "Tulips grow"), said("m", "Tulips grow", name="Ann"))
    with ScriptedIndex(tmp_path, feed) as home:
        hits = {hit.source: hit for hit in home.ask("Ann's tulips").hits}
    assert "speaker" in hits["sessions"].why
    assert "speaker" not in hits["memory"].why


def test_pairs_of_characters_count_where_they_stand(tmp_path: Path) -> None:
    """A short message behind the exact one takes over nearly all of it, and must not win."""
    feed = ScriptedFeed(
        said("m1", "下周三开始做数据库迁移的演练", session="s"),
        said("m2", "bread", session="s"),
        *(said(f"x{n}", f"six stools {n}", session="t") for n in range(20)),
    )
    with ScriptedIndex(tmp_path, feed) as home:
        first, second = home.ask("数据库迁移").hits[:2]
        assert (first.ref, second.ref) == ("m1", "m2")
        assert first.why["own"] > 0
        assert "own" not in second.why
        assert not any("own" in hit.why for hit in home.ask("six stools").hits)


def test_only_questions_without_spaces_have_the_part() -> None:
    """With words it costs recall."""
    ranking = RankingSettings()
    assert own_weight(analyse("绿茶 tea", Names()), ranking) == ranking.own
    assert own_weight(analyse("green tea", Names()), ranking) == 0.0
