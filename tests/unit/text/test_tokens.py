"""The token estimate against the vocabulary that it stands for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.text.tokens import estimate_tokens

# Written for this test; "o200k" is what o200k_base counted for the text.
SAMPLES = json.loads((Path(__file__).parent / "token_samples.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample["kind"])
def test_the_estimate_is_within_15_per_cent_of_o200k(sample: dict[str, str]) -> None:
    """For every kind of text that budgets are made for."""
    assert estimate_tokens(sample["text"]) == pytest.approx(int(sample["o200k"]), rel=0.15)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("word", 1),
        ("two words", 2),
        ("don't", 1),
        ("12345", 2),
        ("HTTP", 2),
        ("a 1", 3),
        ("\n", 1),
        ("a    b", 3),
        ("😀", 2),
        ("\u2603", 1),
        ("ő", 1),
        ("\u3000\u3000", 2),
    ],
)
def test_small_texts_have_small_estimates(text: str, tokens: int) -> None:
    """One of each class of characters; always rounded up."""
    assert estimate_tokens(text) == tokens


def test_encoded_data_is_charged_by_the_character() -> None:
    """Base64 has no words: about two thirds of a token a character."""
    assert (
        40 <= estimate_tokens("9bFlIKPyT5hFaVhYmD5hZCS7HSPrXcCQPDmqYnRzk1aQ2wE8rT0yU4iO6pL3") <= 45
    )


@pytest.mark.parametrize(
    "part", ["a", "aB", " ", "\n", " \n", "1", "'", "é", "一", "a1", "Ж", "😀"]
)
def test_a_giant_text_of_one_part_is_estimated_in_one_pass(part: str) -> None:
    """No regular expression backtracks over it; the suite's time limit would tell."""
    assert estimate_tokens(part * (1_000_000 // len(part))) > 0


@given(st.text(), st.text())
@example("0" * 31, "a")
def test_joining_costs_at_most_what_a_blob_at_the_border_does(one: str, two: str) -> None:
    """A word or a space can merge, and two harmless ends can make 32 characters of Base64."""
    assert estimate_tokens(one + two) <= estimate_tokens(one) + estimate_tokens(two) + 22


@pytest.mark.parametrize("digits", [1, 3, 4, 31, 32, 255])
def test_three_digits_are_a_token_however_long_the_number(digits: int) -> None:
    """As o200k cuts them; a number is not Base64."""
    assert estimate_tokens("0" * digits) == -(-digits // 3)


@given(st.text(alphabet="ab CDé 12\n\t  '.,一\u3000/+0", max_size=200))
@example("\n1 2")
@example(" 1\t1\r\n 1")
def test_what_is_remembered_of_words_changes_no_estimate(text: str) -> None:
    """A gap of 65 spaces lets the text be cut into pieces as a whole; it costs less than one."""
    whole = estimate_tokens(f"{text}x{65 * ' '}")
    assert whole - 1 <= estimate_tokens(f"{text}x") <= whole
