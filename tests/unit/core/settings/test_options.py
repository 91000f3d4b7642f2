"""The list of options."""

from __future__ import annotations

import pytest

from recollect.core.settings import list_options
from recollect.core.settings.options import Option, convert, leaves

OPTIONS = {option.key: option for option in list_options()}


@pytest.mark.parametrize("option", list_options(), ids=lambda option: option.key)
def test_every_option_says_what_it_is_for_and_what_it_accepts(option: Option) -> None:
    """The settings page and `recollect config` have nothing else to show."""
    assert option.why.endswith((".", "?"))
    assert option.expects
    assert option.unit or "number" not in option.expects
    assert option.unit or "integer" not in option.expects


@pytest.mark.parametrize("option", list_options(), ids=lambda option: option.key)
def test_every_default_is_a_legal_value(option: Option) -> None:
    """Else the settings page would promise what the loader refuses."""
    value = list(option.default) if isinstance(option.default, tuple) else option.default
    assert convert(option.key, value, from_text=False) == option.default


def test_options_are_worded_for_people() -> None:
    """Each kind of type once."""
    assert OPTIONS["search.limit"].expects == "an integer from 1 to 1000"
    assert OPTIONS["search.min_score"].expects == "a number from 0.0 to 1.0"
    assert OPTIONS["store.durability"].expects == "one of full, fast"
    assert OPTIONS["workspace.path"].expects == "a text or unset"
    assert OPTIONS["workspace.extra_paths"].expects == "a list of texts"
    assert OPTIONS["privacy.redact"].expects == "true or false"
    assert OPTIONS["embedding.provider"].expects == "a text of 1 to 200 characters"


def test_an_option_knows_its_environment_variable() -> None:
    """Also below a second section."""
    assert OPTIONS["search.limit"].variable == "RECOLLECT_SEARCH__LIMIT"
    assert OPTIONS["search.ranking.vector"].variable == "RECOLLECT_SEARCH__RANKING__VECTOR"


def test_options_come_in_the_order_of_the_tree() -> None:
    """Sections stay together."""
    sections = [key.split(".")[0] for key in leaves()]
    assert sections == sorted(sections, key=sections.index)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.1, 1.1])
def test_a_number_must_be_finite_and_in_its_range(value: float) -> None:
    """Also from YAML, which knows ``.nan``."""
    with pytest.raises(ValueError, match=r"."):
        convert("search.min_score", value, from_text=False)
