"""Text of others cannot reach the terminal as anything but text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.cli.output.screen import one_line, sanitized, shortened


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;a new title\x07text", "text"),
        ("\x1b]8;;file:///etc\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x9b31mred", "red"),
        ("\x1b]0;never ended", "0;never ended"),
        ("over\rwritten", "overwritten"),
        ("a\r\nb\u2028c\x85d", "a\nb\nc\nd"),
        ("tab\there", "tab    here"),
        ("user\u202egpj.exe", "usergpj.exe"),
        ("bell\x07 back\x08", "bell back"),
        ("\ud800", "\ufffd"),
        ("Zoé 数据库 🫖", "Zoé 数据库 🫖"),
    ],
)
def test_a_terminal_gets_no_orders_from_a_text(text: str, shown: str) -> None:
    """Sequences and control characters are left out, all else stays."""
    assert sanitized(text) == shown


@given(st.text())
def test_nothing_but_text_and_newlines_is_left(text: str) -> None:
    """For any text; and a safe text stays as it is."""
    shown = sanitized(text)
    kinds = {unicodedata.category(character) for character in shown if character != "\n"}
    assert kinds.isdisjoint({"Cc", "Cs", "Zl", "Zp"})
    assert sanitized(shown) == shown
    shown.encode()


def test_a_title_stays_on_one_line() -> None:
    """Also when it was several."""
    assert one_line("  a\n\nb\tc ") == "a b c"


def test_a_long_line_is_cut_with_an_ellipsis() -> None:
    """At the width asked for."""
    assert shortened("a title", 7) == "a title"
    assert shortened("a longer title", 8) == "a longe…"
