"""Texts within a text: without the escapes of JSON and without what stands before each line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.redaction import redact
from recollect.text.redaction.views import views
from tests.support.redaction_carriers import CARRIERS

LINES = "db:\n  password: >-\n  'a \"quoted\" one'"
AROUND = ["log", "diff", "numbered", "quoted", "json"]


@pytest.mark.parametrize("carrier", AROUND)
def test_a_text_is_seen_without_what_a_carrier_puts_around_it(carrier: str) -> None:
    """Whole, and with offsets that lead back."""
    carried = CARRIERS[carrier](LINES)
    view = next(view for view in views(carried) if LINES in view.text)
    at = view.text.index("password")
    _, start, end = view.to_text(("password", at, at + 8))
    assert carried[start:end] == "password"


def test_an_escape_is_taken_out_whole() -> None:
    r"""A value that ends in ``\"`` leaves no backslash behind."""
    (view,) = views(json.dumps('the value "x" ends'))
    at = view.text.index('"x"')
    _, start, end = view.to_text(("password", at, at + 3))
    assert json.dumps('the value "x" ends')[start:end] == '\\"x\\"'


def test_a_string_in_a_string_is_seen_too() -> None:
    """As deep as programs write them."""
    encoded = json.dumps({"a": json.dumps({"b": 'say\npassword = "two-words42"\n'})})
    (finding,) = redact(encoded).findings
    assert finding.length == len("two-words42")


@given(st.text(alphabet='a"\\n>+ 12\t\n{}:', max_size=60))
def test_what_is_seen_has_a_place_in_the_text(text: str) -> None:
    """Whatever the text is, well-formed or not."""
    for view in views(text):
        for at in range(len(view.text)):
            _, start, end = view.to_text(("x", at, at + 1))
            assert 0 <= start < end <= len(text)
            assert text[start] == view.text[at] or text[start] == "\\"
