"""The taxonomy: which things are of a kind that a question names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.kinds import things_of
from recollect.text.terms import query_terms


@pytest.mark.parametrize(
    ("question", "thing"),
    [
        ("What pets does Ana have?", "hamster"),
        ("How many instruments does she play?", "violin"),
        ("Which countries has he visited?", "Portugal"),
        ("What toys are in the box?", "puzzle"),
        ("Which sports?", "climbing"),
    ],
)
def test_a_thing_is_of_the_kind_that_a_question_names(question: str, thing: str) -> None:
    """In any of their forms."""
    assert set(query_terms(thing)) <= set(things_of(query_terms(question)))


def test_the_first_kind_counts() -> None:
    """What comes after it says more of the same things."""
    assert things_of(("pet", "citi")) == things_of(("pet",))
    assert things_of(("ana", "pet")) == things_of(("pet",))


@given(st.lists(st.text(max_size=12), max_size=6))
def test_any_words_are_asked_in_vain_or_name_one_kind(words: list[str]) -> None:
    """The same things in the same order each time."""
    things = things_of(words)
    assert list(things) == sorted(set(things))
    assert things == things_of(words)
    assert not things or any(things == things_of([word]) for word in words)
