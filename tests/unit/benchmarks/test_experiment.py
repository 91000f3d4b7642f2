"""Variants: what was typed becomes settings, and only some of them need another index."""

from __future__ import annotations

import pytest

from benchmarks.quality.experiment import BASE, Variant, plan_variants
from recollect.core.errors import InvalidInput


def test_comparisons_stand_on_the_base() -> None:
    """A comparison changes what it names and keeps the rest."""
    base, wide = plan_variants(
        ["search.limit=5", "chunking.tokens=300"], ["wide: search.limit=50 , search.candidates=900"]
    )

    assert base == Variant(name=BASE, overrides={"search.limit": "5", "chunking.tokens": "300"})
    assert wide.name == "wide"
    assert wide.overrides == {
        "search.limit": "50",
        "chunking.tokens": "300",
        "search.candidates": "900",
    }


def test_ranking_settings_do_not_need_another_index() -> None:
    """Only what is not under ``search.`` decides what is in the index."""
    variant = Variant(name="x", overrides={"search.ranking.dense": ".6", "chunking.tokens": "300"})

    assert variant.index_overrides() == {"chunking.tokens": "300"}


@pytest.mark.parametrize("text", ["search.limit", "=5", ""])
def test_a_setting_without_key_or_value_is_refused(text: str) -> None:
    """The hint shows the form."""
    with pytest.raises(InvalidInput) as refused:
        plan_variants([text], [])
    assert "search.limit=10" in refused.value.hint


@pytest.mark.parametrize("text", ["wide", "wide:", ":search.limit=5", "wide:search.limit"])
def test_a_comparison_without_name_or_settings_is_refused(text: str) -> None:
    """Each part is needed."""
    with pytest.raises(InvalidInput):
        plan_variants([], [text])


@pytest.mark.parametrize("names", [("a", "a"), (BASE,)])
def test_names_are_used_once(names: tuple[str, ...]) -> None:
    """The base has its name already."""
    with pytest.raises(InvalidInput):
        plan_variants([], [f"{name}:search.limit=5" for name in names])


def test_a_part_that_is_left_out_has_no_weight_in_any_mode() -> None:
    """The session has two: with vectors, and without."""
    _, date, group = plan_variants(["search.limit=5"], [], ["date", "group"])

    assert date.name == "without date"
    assert date.overrides == {"search.limit": "5", "search.ranking.date": "0"}
    assert set(group.overrides) == {
        "search.limit",
        "search.ranking.group",
        "search.ranking.group_alone",
    }
