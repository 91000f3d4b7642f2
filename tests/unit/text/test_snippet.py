"""The part of a text that is shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.snippet import snippet
from recollect.text.terms import query_terms, terms

FILLER = "Nothing of interest stands in this line of text, it only takes room.\n"


def test_a_short_text_is_shown_whole() -> None:
    """Without blank ends; the offsets say where it was."""
    excerpt = snippet("  a note\n", ["note"])
    assert (excerpt.text, excerpt.start, excerpt.end) == ("a note", 2, 8)


def test_the_place_with_most_different_words_is_shown() -> None:
    """Not the one where one word is repeated; a little of what comes before is shown too."""
    line = "Ann's green tea comes from Kyoto.\n"
    text = FILLER * 20 + "tea tea tea tea\n" + FILLER * 20 + line + FILLER * 20
    excerpt = snippet(text, query_terms("Where does the green tea come from, Kyoto?"), 200)
    assert line.strip() in excerpt.text
    assert text[excerpt.start : excerpt.end] == excerpt.text


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("dying flowers", "the flower died and the flowers were dying"),
        ("what did Ann buy?", "she BOUGHT plums"),
        ("happiness", "they were happy about the happiness of others"),
        ("getUserById", "call (getUserById) for it"),
        ("user", "call getUserById for it"),
        ("绿茶", "我昨天喝了一杯绿茶。"),
        ("ガ", "ガソリン ガ スタンド"),
        ("cafe", "the CAFÉ by the lake"),
        ("zoe", "Zoe\u0308 and Zoë"),
        ("안녕", "모두 안녕하세요"),
        ("o'brien", "said Mr. O'Brien"),
        ("sorensen", "said Mr. Sørensen"),
        ("thor", "Þór and Ægir"),
        ("strasse", "Ægir lives in the Schloßstraße, in the große Straße"),
    ],
)
def test_words_are_found_in_their_other_forms(question: str, line: str) -> None:
    """As the search finds them."""
    text = FILLER * 15 + line + "\n" + FILLER * 15
    assert line in snippet(text, query_terms(question), 200).text


def test_a_place_behind_letters_that_become_two_is_where_it_was() -> None:
    """However many stand before it: offsets are of the text as it is written."""
    line = "Þór met the captain\n"
    text = "Ægir aß Œuf. " * 400 + "\n" + FILLER * 4 + line + FILLER * 15
    excerpt = snippet(text, query_terms("thor captain"), 120)
    assert "Þór met the captain" in excerpt.text
    assert text[excerpt.start : excerpt.end] == excerpt.text


def test_a_whole_name_weighs_more_than_its_parts_apart() -> None:
    """No letters of `userid` stand in user_id."""
    text = FILLER * 15 + "the user shows an id\n" + FILLER * 15 + "where user_id is\n" + FILLER
    assert "user_id" in snippet(text, query_terms("user_id"), 200).text


def test_without_any_of_the_words_the_beginning_is_shown() -> None:
    """Up to a word's end."""
    excerpt = snippet("ten words " * 100, ["absent"], 45)
    assert (excerpt.start, excerpt.text) == (0, "ten words ten words ten words ten words ten")
    assert snippet(FILLER * 20, [], 80).start == 0


def test_a_text_without_spaces_is_cut_between_characters() -> None:
    """Not inside a joined emoji."""
    family = "👨\u200d👩\u200d👧"
    excerpt = snippet(family * 50 + "绿茶" + family * 50, ["绿茶"], 43)
    assert "绿茶" in excerpt.text
    assert excerpt.text.replace("绿茶", "").replace(family, "") == ""


def test_a_line_that_begins_close_before_is_shown_from_its_start() -> None:
    """And the end of the text as it is."""
    line = "Green tea comes all the way from Kyoto."
    assert snippet(FILLER * 20 + line, ["kyoto"], 200).text == line
    assert snippet("tea " + FILLER * 20, ["tea"], 80).start == 0


@given(st.text(max_size=400), st.text(max_size=30), st.integers(min_value=1, max_value=100))
def test_a_snippet_is_a_part_of_the_text_and_not_too_long(text: str, query: str, size: int) -> None:
    """For any text and question."""
    excerpt = snippet(text, query_terms(query), size)
    assert text[excerpt.start : excerpt.end] == excerpt.text
    assert len(excerpt.text) <= size


@pytest.mark.parametrize("part", ["a ", "tea ", "tea", "茶", "é ", "\n", "x"])
def test_a_giant_text_is_searched_in_one_pass(part: str) -> None:
    """Whatever it is made of."""
    text = part * (300_000 // len(part))
    assert len(snippet(text, ["tea", "茶"]).text) <= 700


def test_the_words_of_a_snippet_are_those_of_the_text() -> None:
    """Words at its ends are whole."""
    text = "green tea from Kyoto and black tea from Assam are in the cupboard above " * 30
    excerpt = snippet(text, ["kyoto"], 150)
    assert set(terms(excerpt.text)) <= set(terms(text))
