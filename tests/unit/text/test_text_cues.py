"""Cues of texts."""

from __future__ import annotations

import pytest

from recollect.text.text_cues import has_time_word, inner_capitals, is_question


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
    assert inner_capitals(text, 2) == count


def test_a_word_of_time_is_noticed_among_words_that_were_seen_before() -> None:
    """Words without a sign of time are remembered; what they stand beside is not."""
    assert not has_time_word("we met in spring and went on in may last")
    assert not has_time_word("we met in spring and went on in may last")
    assert has_time_word("we met in may 5")
    assert has_time_word("we met in spring last year and went on")
    assert not has_time_word("next to the yearbook of the number theorist")
    many = " ".join(f"number{letter} birthday{letter}" for letter in "abcdefghij")
    assert not has_time_word(f"{many} went on")
    assert has_time_word(f"{many} went on tomorrow")


def test_more_words_than_are_remembered_do_no_harm() -> None:
    """They are forgotten, and looked at again."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = [a + b + c + d for a in letters for b in letters for c in letters for d in "xyz"]
    for start in range(0, len(words), 1_000):
        has_time_word(" ".join(words[start : start + 1_000]))
    assert has_time_word(f"{words[0]} yesterday")
