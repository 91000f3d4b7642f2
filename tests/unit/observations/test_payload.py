"""Long inputs and outputs: head and tail in the row, all of it in a blob, cut to a budget."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.errors import InvalidInput
from recollect.observations.draft import MAX_PAYLOAD_BYTES, check_payload
from recollect.observations.moments.evidence import Evidence
from recollect.observations.observation import Observation
from recollect.observations.payload import (
    MOST_PAYLOAD_CHARS,
    cost_of,
    cut,
    cut_to_tokens,
    payload_of,
    shortened,
)
from recollect.text.tokens import estimate_tokens


def test_a_text_that_fits_its_row_is_whole() -> None:
    """Exactly the limit too; one character more lies in a blob."""
    fits, long = payload_of("x" * MOST_PAYLOAD_CHARS), payload_of("é" * (MOST_PAYLOAD_CHARS + 1))
    assert (fits.text, fits.whole, fits.digest) == ("x" * MOST_PAYLOAD_CHARS, None, None)
    assert long.whole == ("é" * (MOST_PAYLOAD_CHARS + 1)).encode()
    assert long.digest == hashlib.sha256(long.whole).hexdigest()
    assert "characters left out" in long.text


def test_a_cut_says_how_much_is_left_out() -> None:
    """More from the head than from the tail; below sixty characters nothing is worth showing."""
    text = "a" * 5_000 + "b" * 5_000
    short = cut(text, 1_000)
    head, _, tail = short.partition("\n[… 9,100 characters left out …]\n")
    assert (len(head), len(tail), set(head), set(tail)) == (600, 300, {"a"}, {"b"})
    assert cut("x" * 60, 60) == "x" * 60
    assert "left out" in cut("x" * 61, 60)
    assert not cut("x" * 61, 59)


@given(st.text(max_size=3_000), st.integers(0, 400) | st.none())
def test_a_text_cut_to_tokens_costs_no_more(text: str, most: int | None) -> None:
    """All of it where that fits."""
    short = cut_to_tokens(text, most)
    if most is None or estimate_tokens(text) <= most:
        assert short == text
    else:
        assert estimate_tokens(short) <= most


OBSERVATION = Observation(
    id="1", number=1, session_id="s", tenant="local", type="tool_use", event="tool",
    title="Read the log", summary="of tea", input="", output="", importance=0.3, tokens=1,
    created_at=1, trust="tool", made_by="rules-1", files=(), is_forgotten=False,
    **dict.fromkeys((
        "tool_name", "input_blob", "output_blob", "error", "message_id", "tool_use_id",
        "agent_id", "event_id", "agent", "user", "project", "turn_sender",
    )),
)  # fmt: skip


@pytest.mark.parametrize("most", [0, 20, 100, 500, 2_000])
@pytest.mark.parametrize(("given_chars", "back_chars"), [(10, 9_000), (9_000, 10), (9_000, 9_000)])
def test_an_observation_is_shortened_to_what_it_may_cost(
    most: int, given_chars: int, back_chars: int
) -> None:
    """What is short stays whole, and the other part gets what is left."""
    long = msgspec.structs.replace(
        OBSERVATION, input="i " * (given_chars // 2), output="o " * (back_chars // 2)
    )
    short = shortened(long, most)
    own = cost_of(OBSERVATION)
    assert cost_of(short) <= max(most, own)
    if most >= 500:
        assert cost_of(short) > most // 2
        assert given_chars > 10 or short.input == long.input
        assert back_chars > 10 or short.output == long.output
    assert shortened(long, cost_of(long)) == long


def test_of_a_long_input_and_a_long_output_the_output_has_more_room() -> None:
    """What came back says more than what was asked: a third goes to the input."""
    long = msgspec.structs.replace(OBSERVATION, input="i " * 9_000, output="o " * 9_000)
    short = shortened(long, 1_000)
    assert 1.8 < len(short.output) / len(short.input) < 2.2


def test_the_limit_of_a_payload_counts_bytes_and_not_characters() -> None:
    """Five million letters fit; of Chinese a third of that many characters."""
    check_payload("x" * (MAX_PAYLOAD_BYTES // 4 + 1))
    check_payload("茶" * (MAX_PAYLOAD_BYTES // 3))
    for text in ("x" * (MAX_PAYLOAD_BYTES + 1), "茶" * (MAX_PAYLOAD_BYTES // 3 + 1)):
        with pytest.raises(InvalidInput, match="larger than"):
            check_payload(text)


@pytest.mark.parametrize(
    ("given", "command"),
    [
        ({"command": "make"}, "make"),
        ({"cmd": ["git", "push", 1]}, "git push 1"),
        ({"command": 7}, ""),
        ('{"command": "make"}', "make"),
        ('  {"cmd": "make"}', "make"),
        ('{"x": "make"}', ""),
        ("make it", "make it"),
        ("{make", "{make"),
        (["make"], ""),
        (None, ""),
    ],
)
def test_a_command_is_found_where_programs_put_it(given: Any, command: str) -> None:
    """In an argument, as a list, as JSON in a text, or as the text itself."""
    assert Evidence(event="tool", tool_name="Bash", input=given).command == command
