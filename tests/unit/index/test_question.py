"""What a question asks for, beside its words."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC
from pathlib import Path

import pytest

from recollect.index.model.speakers import Names
from recollect.index.query.question import Question, analyse
from recollect.text.times.ranges import find_ranges
from tests.unit.index.scripted import ScriptedFeed, ScriptedIndex, said


@pytest.fixture
def names(tmp_path: Path) -> Iterator[Names]:
    """The names of a partition where Ann, Bob and Cid spoke, in this order."""
    feed = ScriptedFeed(*(said(name, "Hello there", name=name) for name in ("Ann", "Bob", "Cid")))
    with ScriptedIndex(tmp_path / "home", feed) as home:
        home.index.sync()
        names = Names()
        home.database.read(lambda tx: names.refresh(tx, 1))
        yield names


def asked(query: str, names: Names) -> Question:
    """Return what a question asks for in November 2026."""
    return analyse(query, names, find_ranges(query, 1_795_000_000_000, UTC))


def _speakers(question: Question, names: Names) -> set[str]:
    return {n for n in ("Ann", "Bob", "Cid") if names.number("speaker", n) in question.speakers}


def test_the_names_of_speakers_are_cut_from_the_question(names: Names) -> None:
    """A small model otherwise ranks by the name alone."""
    question = analyse("What did Bob plant  in the garden?", names)
    assert question.text == "What did plant in the garden?"
    assert "bob" not in question.terms
    assert _speakers(question, names) == {"Bob"}


def test_a_question_of_nothing_but_a_name_keeps_it(names: Names) -> None:
    """Without it there would be nothing to search for."""
    question = analyse("Bob?", names)
    assert (question.text, question.terms) == ("Bob?", ("bob",))
    assert _speakers(question, names) == {"Bob"}


def test_of_two_people_the_first_is_meant(names: Names) -> None:
    """What Ann thinks is said by Ann."""
    question = analyse("What does Ann think of Bob's plan?", names)
    assert _speakers(question, names) == {"Ann"}
    assert question.text == "What does think of plan?"


def test_a_name_that_stands_twice_is_one_person(names: Names) -> None:
    """Three mentions of two people are two people."""
    question = analyse("Did Bob tell Ann what Bob bought?", names)
    assert _speakers(question, names) == {"Bob"}


def test_three_people_are_nobody_in_particular(names: Names) -> None:
    """Their names are cut all the same."""
    question = analyse("Did Ann, Bob and Cid meet?", names)
    assert question.speakers == frozenset()
    assert question.terms == ("meet",)


@pytest.mark.parametrize(
    ("query", "is_first"),
    [
        ("What is my favourite tea?", True),
        ("Which tea do I like?", True),
        ("Which tea is best?", False),
        ("What did Ann tell me?", False),
    ],
)
def test_whoever_names_nobody_and_says_i_asks_about_the_user(
    names: Names, query: str, is_first: bool
) -> None:
    """With a name it is that person's statement that is asked for."""
    assert analyse(query, names).first_person is is_first


def test_dates_and_kinds_of_answers_are_read_from_the_question(names: Names) -> None:
    """Each of them has a part in the ranking."""
    question = asked("When and where was the trip of 14 May 2023?", names)
    assert [each.unit for each in question.times] == ["day"]
    assert question.names_date
    assert not question.asks_of_time
    assert question.asks_when
    assert question.asks_name
    plain = asked("the trip", names)
    assert not plain.times
    assert not plain.asks_when
    assert not plain.asks_name


def test_what_is_told_from_today_on_is_not_looked_for_as_words(names: Names) -> None:
    """A text that says "last week" means another week; a date is the same whoever says it."""
    question = asked("What did Bob plant last week in the garden in May?", names)
    assert question.terms == ("plant", "garden")
    assert question.asks_of_time
    assert "last week" not in question.text
    assert "in May" in question.text


def test_a_speaker_who_is_called_like_a_month_is_no_time(tmp_path: Path) -> None:
    """With a preposition it is one."""
    with ScriptedIndex(tmp_path / "home", ScriptedFeed(said("x", "Hello", name="June"))) as home:
        home.index.sync()
        names = Names()
        home.database.read(lambda tx: names.refresh(tx, 1))
        assert not asked("What did June say?", names).times
        assert asked("What was said in June?", names).times


def test_a_word_that_stands_twice_counts_once(names: Names) -> None:
    """Terms are distinct, in their order."""
    assert analyse("tea or more tea", names).terms == tuple(
        dict.fromkeys(analyse("tea or more tea", names).terms)
    )
    assert analyse("coffee tea coffee", names).terms[0].startswith("coff")
    assert len(analyse("coffee tea coffee", names).terms) == 2


def test_the_model_is_asked_in_the_characters_that_it_knows() -> None:
    """Full-width letters and half-width kana are the same words."""
    assert analyse("型番ＸＹＺ９８７ ﾗｰﾒﾝ", Names()).text == "型番XYZ987 ラーメン"
