"""What is marked is what was compared."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.cli.output.hits import matches


def _marked(text: str, question: str) -> list[str]:
    return [text[start:end] for start, end in matches(text, question)]


@pytest.mark.parametrize(
    ("text", "question", "marked"),
    [
        ("Café Zoé gets deliveries", "cafe zoe delivery", ["Café", "Zoé", "deliveries"]),
        ("call getUserById(7)", "user id", ["getUserById"]),
        ("我们的数据库迁移先取消", "数据库迁移", ["数据库迁移"]),
        ("このラーメンは", "ラーメン", ["ラーメン"]),
        ("nothing here", "tea", []),
        ("the and of", "the", []),
    ],
)
def test_words_are_marked_by_their_terms(text: str, question: str, marked: list[str]) -> None:
    """Accents, endings, identifiers and scripts without spaces, as the search sees them."""
    assert _marked(text, question) == marked


@given(st.text(), st.text())
def test_stretches_are_in_order_and_apart(text: str, question: str) -> None:
    """For any text and question."""
    found = matches(text, question)
    assert all(0 <= start < end <= len(text) for start, end in found)
    assert all(first[1] <= second[0] for first, second in itertools.pairwise(found))
