"""Value sentences: how likely it is that one states anything."""

from __future__ import annotations

import pytest

from recollect.text.statements.detector import detect
from recollect.text.statements.value_sentences import value_sentences, words_of


def stated(text: str) -> int:
    """Return the most of any sentence of a message."""
    return max(each.stated for each in value_sentences(text, detect(text)))


@pytest.mark.parametrize(
    ("says", "asks"),
    [
        ("We moved, the team now runs on Hetzner", "Now write a reminder for the team"),
        ("Wir sind umgezogen, das Team sitzt jetzt in Jena", "Schreib jetzt dem Team eine Mail"),
    ],
)
def test_a_statement_states_more_than_a_request(says: str, asks: str) -> None:
    """Both have a sign of change."""
    assert stated(says) > 0 > stated(asks)


def test_what_tells_no_change_is_not_weighed() -> None:
    """It is the newer one of no pair."""
    assert stated("I live in Leeds") == 0


def test_latin_words_between_characters_are_words_of_their_own() -> None:
    """They were one, with what stood between them."""
    words = words_of("我们用Terraform和Azure部署")
    assert {"terraform", "azure"} <= {word for word, is_name in words.items() if is_name}
