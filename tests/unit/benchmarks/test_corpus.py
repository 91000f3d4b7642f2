"""Taking part of a data set."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.datasets.corpus import Question, spread
from benchmarks.datasets.cranfield import load_cranfield
from benchmarks.datasets.locomo import load_locomo
from recollect.core.errors import InvalidInput


def _questions(count: int) -> list[Question]:
    return [
        Question(key=str(position), cluster="c", group="g", text="?", gold=("k",))
        for position in range(count)
    ]


@given(st.integers(0, 60), st.integers(1, 80))
def test_spread_keeps_order_and_count(total: int, count: int) -> None:
    """As many as asked for, or all; never one twice."""
    chosen = [int(one.key) for one in spread(_questions(total), count)]

    assert len(chosen) == min(total, count)
    assert chosen == sorted(set(chosen))


def test_fewer_conversations_bring_only_their_questions(data_folder: Path) -> None:
    """Questions about conversations that are not stored cannot be answered."""
    narrowed = load_locomo(data_folder).narrowed(1, 2)

    assert [conversation.key for conversation in narrowed.conversations] == ["conv-1"]
    assert [one.cluster for one in narrowed.questions] == ["conv-1", "conv-1"]


def test_documents_stay_when_questions_go(data_folder: Path) -> None:
    """The collection is the haystack."""
    assert len(load_cranfield(data_folder).narrowed(1).documents) == 3


@pytest.mark.parametrize(("conversations", "questions"), [(0, None), (None, 0), (-1, 5)])
def test_numbers_below_one_are_refused(
    data_folder: Path, conversations: int | None, questions: int | None
) -> None:
    """A run over nothing measures nothing."""
    with pytest.raises(InvalidInput):
        load_locomo(data_folder).narrowed(conversations, questions)


def test_every_turn_knows_its_session(data_folder: Path) -> None:
    """For the mapping from turns to sessions."""
    sessions = load_locomo(data_folder).session_of()

    assert sessions["conv-2/D2:1"] == "conv-2/D2"
    assert len(sessions) == 8
