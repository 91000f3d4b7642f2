"""Cues of texts and questions."""

from __future__ import annotations

import pytest

from recollect.text.query_cues import (
    asks_name,
    asks_when,
    has_time_word,
    inner_capitals,
    is_first_person,
    is_question,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Really?", True),
        ("Really? \n", True),
        ("本当？", True),
        ("Why? Because.", False),
        ("", False),
    ],
)
def test_a_question_ends_with_a_question_mark(text: str, expected: bool) -> None:
    """In either width."""
    assert is_question(text) is expected


@pytest.mark.parametrize(
    "text",
    [
        *["yesterday", "TODAY", "tomorrow", "tonight", "on Monday", "Fridays", "two weeks ago"],
        *["the weekend", "a month", "last night", "last year", "next summer", "last winter"],
        *["this morning", "this afternoon", "in 1999", "at 10:30", "by 5pm", "5 am", "in July"],
        *["September it was", "May 5", "5 march", "2026-11-20"],
    ],
)
def test_a_word_of_time_is_noticed(text: str) -> None:
    """Each kind once."""
    assert has_time_word(f"It was {text}, they said")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "It may march on",
        "a weekly",
        "monthly 12345",
        "daydream",
        "wago",
        "the years",
        "number 7",
    ],
)
def test_other_words_are_no_time(text: str) -> None:
    """Verbs, parts of words, numbers."""
    assert not has_time_word(text)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("nothing here", 0),
        ("Ann went home. Bob stayed.", 0),
        ("we met Ann", 1),
        ("we met Ann, then Bob and Cid", 2),
        ("in Paris, Berlin, Rome, Oslo", 2),
    ],
)
def test_capitals_inside_of_sentences_are_counted_up_to_two(text: str, count: int) -> None:
    """At the start of a sentence they mean nothing."""
    assert inner_capitals(text) == count


@pytest.mark.parametrize(
    ("question", "when", "name", "first"),
    [
        ("When did I go?", True, False, True),
        ("How long did it take us?", True, False, True),
        ("Which month was it?", True, True, False),
        ("What time is it?", True, False, False),
        ("Where does she live?", False, True, False),
        ("Whose idea was my plan?", False, True, True),
        ("What did Ann say?", False, False, False),
        ("Is it mine?", False, False, True),
        ("What use is it?", False, False, False),
    ],
)
def test_a_question_asks_for_something(question: str, when: bool, name: bool, first: bool) -> None:
    """For a time, for a name, about oneself."""
    assert (asks_when(question), asks_name(question), is_first_person(question)) == (
        *(when, name, first),
    )
