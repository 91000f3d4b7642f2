"""The weight of characters, and how much fits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recollect.text.char_cost import HEAVIEST, char_cost, stop_within


def test_characters_weigh_what_they_cost() -> None:
    """One of each class: Latin, kana, half width, rare Han, Han beyond the first plane, emoji."""
    assert [char_cost(text) for text in ("a", "é", "カ", "ｶ", "㐀", "𠀀", "😀")] == [
        *(1, 1, 4, 8, 12, 16, 2)
    ]


@given(st.text())
def test_the_weight_of_a_text_is_that_of_its_characters(text: str) -> None:
    """Counting by runs gives the same."""
    assert char_cost(text) == sum(map(char_cost, text))
    assert len(text) <= char_cost(text) <= HEAVIEST * len(text)


@given(st.text(min_size=1), st.integers(min_value=2 * HEAVIEST, max_value=200), st.data())
def test_what_fits_fits_and_no_more(text: str, limit: int, data: st.DataObject) -> None:
    """From any place."""
    start = data.draw(st.integers(min_value=0, max_value=len(text) - 1))
    stop = stop_within(text, start, limit)
    assert start < stop <= len(text)
    assert char_cost(text[start:stop]) <= limit
    assert stop == len(text) or char_cost(text[start : stop + 1]) > limit


def test_a_surrogate_pair_of_two_characters_is_not_split() -> None:
    """Texts that came from broken UTF-16 hold them."""
    text = "a" * 31 + "\ud83d\ude00" + "b"
    assert stop_within(text, 0, 32) == 31
    assert stop_within(text, 0, 33) == 33
