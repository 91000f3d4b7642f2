"""Where a text may be cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.boundaries import good_cut, safe_cut


@pytest.mark.parametrize(
    ("text", "at", "cut"),
    [
        ("abc", 2, 2),
        ("cafe\u0301 noir", 4, 3),
        ("a\r\nb", 2, 1),
        ("a\n\nb", 2, 2),
        ("👨\u200d👩\u200d👧x", 3, 0),
        ("👍🏽!", 1, 0),
        ("❤\ufe0f!", 1, 0),
        ("🇩🇪🇫🇷", 1, 0),
        ("🇩🇪🇫🇷", 2, 2),
        ("x🇩🇪🇫🇷", 4, 3),
        ("\ud83d\ude00", 1, 0),
        ("a" + "\u0301" * 100, 60, 60),
        ("abc", 0, 0),
        ("abc", 3, 3),
    ],
)
def test_a_cut_never_falls_inside_a_visible_character(text: str, at: int, cut: int) -> None:
    """Accents, line breaks, joined emoji, skin tones, flags, pairs; a giant pile is cut anyway."""
    assert safe_cut(text, at) == cut


@given(st.text(max_size=80), st.data())
def test_a_safe_cut_is_never_later_than_asked(text: str, data: st.DataObject) -> None:
    """And never far before."""
    at = data.draw(st.integers(min_value=0, max_value=len(text)))
    assert max(0, at - 32) <= safe_cut(text, at) <= at


@pytest.mark.parametrize(
    ("text", "piece"),
    [
        ("One line here.\n\nA second part. More words follow", "One line here.\n\n"),
        ("Just one line\nand a second. More words", "Just one line\n"),
        ("A first sentence. And a second one that", "A first sentence. "),
        ("今天我们一起讨论了计划。明天我们继续讨论这个问题", "今天我们一起讨论了计划。"),
        ("words without any mark that goes on", "words without any "),
        ("wordsthatneverendandgoonforeverandever", "wordsthatneverendand"),
    ],
)
def test_a_piece_ends_at_the_best_border_of_its_later_half(text: str, piece: str) -> None:
    """Paragraph, line, sentence, word, anywhere: in this order, within 20 characters."""
    assert text[: good_cut(text, 0, 20)] == piece


def test_the_rest_of_a_text_is_not_cut() -> None:
    """It ends where the text ends."""
    assert good_cut("a. b", 0, 4) == 4


def test_a_piece_is_never_empty() -> None:
    """Even where every place is inside a character."""
    assert good_cut("a" + "\u0301" * 10, 0, 5) == 5
