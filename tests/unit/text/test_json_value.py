"""What foreign JSON becomes before it is stored."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.errors import InvalidInput
from recollect.text.json_value import MAX_DEPTH, JsonCleaner, is_clean_json

ANY_TEXT = st.text(st.characters(codec=None))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(ANY_TEXT, inner),
)


@given(JSON)
def test_whatever_comes_can_be_encoded_as_utf8_json(value: object) -> None:
    """Cleaning is total over JSON-like values and its result is stable."""
    cleaned = JsonCleaner().value(value)
    again = JsonCleaner()
    assert msgspec.json.decode(msgspec.json.encode(cleaned)) == cleaned
    assert again.value(cleaned) == cleaned
    assert again.replaced == 0


def test_good_text_is_left_alone() -> None:
    """Nothing is replaced in text that can be stored."""
    cleaner = JsonCleaner()
    assert cleaner.text("naïve 绿茶 😀 \n\t") == "naïve 绿茶 😀 \n\t"
    assert cleaner.replaced == 0


def test_half_characters_and_nul_are_replaced_and_counted() -> None:
    """A lone surrogate or a NUL never reaches the database, and is not lost in silence."""
    cleaner = JsonCleaner()
    assert cleaner.value({"a\x00": ["\ud83d", "b"]}) == {"a\ufffd": ["\ufffd", "b"]}
    assert cleaner.replaced == 2


def test_two_halves_beside_each_other_are_one_character() -> None:
    """JavaScript writes an emoji as two escapes; that is no damage."""
    cleaner = JsonCleaner()
    assert cleaner.text("\ud83d\ude00!") == "😀!"
    assert cleaner.replaced == 0


def test_numbers_that_json_cannot_hold_are_replaced() -> None:
    """NaN and infinity become null, giant whole numbers text."""
    cleaner = JsonCleaner()
    assert cleaner.value([math.nan, math.inf, 2**70, 1.5, True]) == [
        None,
        None,
        str(2**70),
        1.5,
        True,
    ]


def test_keys_that_are_no_text_become_text() -> None:
    """A Python dict may have other keys than JSON."""
    assert JsonCleaner().value({1: "a"}) == {"1": "a"}


def test_a_value_that_is_no_json_is_refused() -> None:
    """A clear error instead of a surprising text."""
    with pytest.raises(InvalidInput):
        JsonCleaner().value({"at": datetime(2026, 1, 1, tzinfo=UTC)})


def test_endless_nesting_is_refused() -> None:
    """Thousands of levels would exhaust the stack of every reader."""
    nested: object = "x"
    for _ in range(MAX_DEPTH + 1):
        nested = [nested]
    with pytest.raises(InvalidInput):
        JsonCleaner().value(nested)


def _nested(levels: int) -> str:
    return '{"a":' * levels + "1" + "}" * levels


@pytest.mark.parametrize(
    ("line", "is_clean"),
    [
        ('{"text": "naïve 绿茶 😀 \\n", "n": [1, -2.5, null, true]}', True),
        ('{"code": "' + "[{" * 100 + '"}', True),
        ('{"n": 123456789012345678}', True),
        ('{"n": 9223372036854775808}', False),
        ('{"text": "a \\u0000 b"}', False),
        ('{"text": "halves \\ud83d\\ude00"}', False),
        ('{"text": "<recollect-context>x</recollect-context>"}', False),
        ('{"text": "<recollect\\u002dcontext>x</recollect-context>"}', False),
        (_nested(MAX_DEPTH), True),
        (_nested(MAX_DEPTH + 1), False),
    ],
)
def test_a_line_that_needs_no_cleaning_is_known_by_its_bytes(line: str, is_clean: bool) -> None:
    """What is proven clean is what the cleaner would make of it; where in doubt, it is cleaned."""
    value = msgspec.json.decode(line)
    assert is_clean_json(line.encode(), value) is is_clean
    if is_clean:
        cleaner = JsonCleaner()
        assert cleaner.value(value) == value
        assert cleaner.replaced == 0


@pytest.mark.slow
@given(st.dictionaries(ANY_TEXT, JSON))
def test_nothing_that_would_be_cleaned_is_taken_for_clean(value: dict[str, object]) -> None:
    """As other programs write it, escaped or not."""
    for line in (
        json.dumps(value, default=str),
        json.dumps(value, default=str, ensure_ascii=False),
    ):
        try:
            decoded = msgspec.json.decode(line.encode())
        except (msgspec.DecodeError, UnicodeError):
            continue  # such a line is cleaned
        cleaner = JsonCleaner()
        if is_clean_json(line.encode(), decoded):
            assert cleaner.value(decoded) == decoded
            assert cleaner.replaced == 0
