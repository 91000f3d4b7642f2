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


@pytest.mark.parametrize(("told", "is_one"), [("fox7qb", True), ("fox7q", False)])
def test_six_characters_with_a_digit_among_them_are_a_password(told: str, is_one: bool) -> None:
    """Where a sentence says that it is one; shorter words are versions and the like."""
    redacted = Redactor(b"salt").redact(f"the password for the router is {told}").text
    assert (told not in redacted) is is_one


def test_a_card_of_nineteen_digits_goes() -> None:
    """As many as a Maestro card may have."""
    redacted = Redactor(b"salt", kinds=["cards"]).redact("card 6759123456789012342 here").text
    assert "6759123456789012342" not in redacted


def test_a_word_that_goes_on_as_a_credential_would_stays() -> None:
    """A true one beside it makes every place be looked at where such a one begins."""
    key, word = f"ghp_{'a1B2' * 9}", f"xghp_{'c3D4' * 9}"
    redacted = Redactor(b"salt").redact(f"{key} {word}").text
    assert (key in redacted, word in redacted) == (False, True)
