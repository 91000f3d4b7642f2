"""Rules of redaction at their edges, where a change of them was not noticed before."""

from __future__ import annotations

import pytest

from recollect.text.redaction import Redactor
from recollect.text.redaction.blocks import is_private


@pytest.mark.parametrize(
    ("prompt", "is_nothing_else"),
    [
        ("<private>a</private>", True),
        (" <private>a</private>\n<private>b</private> ", True),
        ("<private>a</private> and this", False),
        ("this and <private>a</private>", False),
        ("nothing of it", False),
        ("", False),
    ],
)
def test_a_prompt_is_private_where_nothing_stands_beside_its_blocks(
    prompt: str, is_nothing_else: bool
) -> None:
    """What the user said beside a block is remembered."""
    assert is_private(prompt) is is_nothing_else


@pytest.mark.parametrize(
    ("number", "is_one"),
    [("86095742719", True), ("11223456785", False), ("65929970489", True), ("99881234568", False)],
)
def test_a_german_tax_number_repeats_one_digit_alone(number: str, is_one: bool) -> None:
    """Other numbers stay, even where the check digit is right."""
    redacted = Redactor(b"salt", kinds=["national-ids"]).redact(f"Steuer-ID: {number}").text
    assert (number not in redacted) is is_one
