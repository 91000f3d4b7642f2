"""Activation: when a text calls the agent."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.sessions.policy.conversation import calls


@pytest.mark.parametrize(
    ("text", "names", "called"),
    [
        ("Hey @Tea, what now?", ["@tea"], True),
        ("TEA!", ["tea"], True),
        ("one tea, please", ["tea"], True),
        ("tea's turn", ["tea"], True),
        ("teapot", ["tea"], False),
        ("steam", ["tea"], False),
        ("the team and tea", ["tea"], True),
        ("write to me@tea.org", ["@tea"], False),
        ("@tea_bot", ["@tea"], False),
        ("＠ＴＥＡ go", ["@tea"], True),
        ("小茶你好", ["小茶"], True),
        ("你好小茶", ["小茶"], True),
        ("你好tea吗", ["tea"], True),
        ("봇아 안녕", ["봇"], True),
        ("Grüße an ANDRÉ", ["andré"], True),
        ("Straße", ["strasse"], True),
        ("tea!!!", ["!!"], True),
        ("anything", [""], False),
        ("anything", [], False),
        ("", ["tea"], False),
    ],
)
def test_a_name_counts_where_it_stands_as_a_word(text: str, names: list[str], called: bool) -> None:
    """Whatever its case and width, in scripts with spaces and without."""
    assert calls(text, names) is called


@given(st.text(max_size=30), st.text("abcé茶", min_size=1, max_size=5), st.text(max_size=30))
def test_a_name_between_blanks_always_calls(before: str, name: str, after: str) -> None:
    """Nothing around it hides it."""
    assert calls(f"{before} {name} {after}", [name])
