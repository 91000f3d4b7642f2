"""Long texts become windows, and windows become one vector."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.models.local.minilm import WindowRules


def _is_odd(piece: int) -> bool:
    return piece % 2 == 1


def _windows(rules: WindowRules, ids: list[int]) -> list[list[int]]:
    return [list(window) for window in rules.cut(ids, _is_odd)]


@given(ids=st.lists(st.integers(0, 9), max_size=60), pieces=st.integers(1, 7))
def test_windows_are_the_text_in_order(ids: list[int], pieces: int) -> None:
    """Nothing is lost, nothing comes twice, and no window is too long."""
    windows = _windows(WindowRules(pieces=pieces, max_windows=60), ids)
    assert [piece for window in windows for piece in window] == ids
    assert all(len(window) <= pieces for window in windows)
    assert all(windows) or windows == [[]]


def test_a_window_ends_where_a_word_ends() -> None:
    """Odd pieces go on with a word here: 4 1 3 is one word and stays together."""
    rules = WindowRules(pieces=4)
    assert _windows(rules, [2, 2, 4, 1, 3, 6]) == [[2, 2], [4, 1, 3, 6]]


def test_a_word_longer_than_a_window_is_cut() -> None:
    """Otherwise the text would never end."""
    assert _windows(WindowRules(pieces=2), [1, 1, 1, 1, 1]) == [[1, 1], [1, 1], [1]]


def test_what_lies_behind_the_last_window_is_left_out() -> None:
    """`max_windows` bounds the cost of one giant text."""
    rules = WindowRules(pieces=2, max_windows=2)
    assert _windows(rules, [2, 4, 6, 8, 2]) == [[2, 4], [6, 8]]
    assert rules.max_pieces == 4


def test_an_empty_text_has_one_empty_window() -> None:
    """Every text has a vector."""
    assert _windows(WindowRules(), []) == [[]]


def test_the_vector_of_one_window_is_untouched() -> None:
    """Short texts, the many, cost nothing more."""
    vectors = np.array([[0.6, 0.8]], np.float32)
    assert WindowRules().combine(vectors, [3]).tolist() == vectors[0].tolist()


def test_windows_weigh_by_their_length() -> None:
    """A last window of two words must not count like a full one."""
    combined = WindowRules().combine(np.eye(2, dtype=np.float32), [3, 1])
    assert combined == pytest.approx(np.array([3, 1]) / math.sqrt(10))


def test_the_head_can_weigh_more() -> None:
    """What a message is about stands at its start."""
    combined = WindowRules(head_weight=2.0).combine(np.eye(2, dtype=np.float32), [1, 1])
    assert combined == pytest.approx(np.array([2, 1]) / math.sqrt(5))


def test_windows_that_cancel_out_leave_the_head() -> None:
    """A vector always has length one."""
    vectors = np.array([[1, 0], [-1, 0]], np.float32)
    assert WindowRules().combine(vectors, [1, 1]).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("pieces", "max_windows", "head_weight"), [(0, 1, 1), (1, 0, 1), (1, 1, 0), (1, 1, math.nan)]
)
def test_rules_that_no_text_can_follow_are_refused(
    pieces: int, max_windows: int, head_weight: float
) -> None:
    """A wrong rule must fail at once, not at the first long text."""
    with pytest.raises(ValueError, match="above zero"):
        WindowRules(pieces=pieces, max_windows=max_windows, head_weight=head_weight)
