"""Slots and values: two statements about one thing have one name for it."""

from __future__ import annotations

import pytest

from recollect.text.statements.slots import common_slot, open_slot
from recollect.text.statements.values import normalised, type_of


@pytest.mark.parametrize(
    ("code", "first", "second"),
    [
        ("en", "the API rate limit", "our new rate limit of the API"),
        ("en", "the staging database", "the database on staging"),
        ("de", "das API-Limit", "das Limit der API"),
        ("es", "el límite de la API", "nuestro límite de la API"),
        ("fr", "la limite de l'API", "la nouvelle limite de l'API"),
        ("zh", "API的限流", "API 限流"),
        ("ja", "APIの制限", "今のAPIの制限"),
    ],
)
def test_two_ways_to_name_a_thing_are_one_slot(code: str, first: str, second: str) -> None:
    """Its head with modifiers, then what tells it from others of its kind."""
    assert open_slot(first, code) == open_slot(second, code)


def test_what_tells_two_things_apart_is_in_the_name_of_the_slot() -> None:
    """Staging and production have a limit each."""
    assert open_slot("the staging limit", "en") != open_slot("the production limit", "en")


def test_a_phrase_of_little_words_names_no_slot() -> None:
    """There is nothing to be equal to."""
    assert open_slot("the new", "en") is None


def test_a_home_is_one_and_an_allergy_one_of_many() -> None:
    """A second home replaces the first; a second allergy does not."""
    assert common_slot("home").arity == "one"
    assert common_slot("allergy").arity == "many"


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("Fridays", "weekday"),
        ("mercredi", "weekday"),
        ("周三", "weekday"),
        ("14 May", "date"),
        ("6月17日", "date"),
        ("9:30", "time"),
        ("900 euros", "money"),
        ("100/min", "number"),
        ("Django 5.1", "version"),
        ("Otto", "name"),
        ("dark mode", "text"),
    ],
)
def test_the_type_of_a_value_is_known_by_its_form(value: str, kind: str) -> None:
    """In any language."""
    assert type_of(normalised(value, frozenset()), value, None) == kind
