"""Short numbers: one parser for every way in which people and models write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.numbers import PREFIXES, RecordName, parse_record, show_number

UUID = "0190b6e2-7d3a-7c4e-9f10-1a2b3c4d5e6f"


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("#1234", RecordName("observation", 1234)),
        ("observation #1234", RecordName("observation", 1234)),
        ("m88", RecordName("message", 88)),
        (" M88 ", RecordName("message", 88)),
        ("message m88", RecordName("message", 88)),
        ("Message #88", RecordName("message", 88)),
        ("f12", RecordName("fact", 12)),
        ("e3", RecordName("episode", 3)),
        ("c5", RecordName("checkpoint", 5)),
        (f" {UUID.upper()}\n", RecordName(id=UUID)),
    ],
)
def test_a_record_is_named_as_people_write_it(said: str, meant: RecordName) -> None:
    """docs/search.md: one parser for every surface."""
    assert parse_record(said) == meant


@pytest.mark.parametrize(
    "said",
    [
        *("", "88", "message 88", "m0", "m-1", "m007", "m88 and more", "mm88", "x1", "# 1234"),
        *("#m88", "m٨٨", "m" + "9" * 16, "fact m88", "observations #12", UUID[:-1], "tea", "#"),
    ],
)
def test_anything_else_names_no_record(said: str) -> None:
    """A word of a question is not taken for a number."""
    assert parse_record(said) is None


@given(st.sampled_from(sorted(PREFIXES)), st.integers(1, 10**15 - 1))
def test_what_is_shown_can_be_read_again(kind: str, number: int) -> None:
    """Every line that shows a number gives what a command takes."""
    assert parse_record(show_number(kind, number)) == RecordName(kind, number)
