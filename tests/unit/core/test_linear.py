"""Which regular expressions of people may take for ever."""

from __future__ import annotations

from pathlib import Path

import pytest

import recollect
from recollect.core.errors import ConfigError
from recollect.core.settings.linear import is_linear


@pytest.mark.parametrize(
    "pattern",
    [
        r"(a+)+$",
        r"(\w+\s?)*x",
        r"(a|a)*b",
        r"(x+x+)+y",
        r"([a-z]+)*",
        r"(.*)*",
        r"((?:a|ab)c?)*d",
    ],
)
def test_a_pattern_with_too_many_ways_is_found(pattern: str) -> None:
    """A repetition of what has several ways itself."""
    assert not is_linear(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"ACME-[0-9]{6}", r"key=\S+", r"(?:[A-Z]+-)+\d", r"(a|b)*c", r"(\d{1,3}\.){3}\d+"),
        *(r"(?>a+)+b", r"a++b", r"(\w+\s)+", r"(?i)BEGIN X[\s\S]*?END X", r"((a{2}){2})*"),
    ],
)
def test_patterns_of_every_day_are_not(pattern: str) -> None:
    """Nor is one whose parts are delimited, or atomic."""
    assert is_linear(pattern)


def test_a_home_is_not_opened_with_one(tmp_path: Path) -> None:
    """It would stop at the first text that nearly matches."""
    overrides = {"privacy.patterns": ["ACME", "(a+)+$"], "embedding.provider": "none"}
    with pytest.raises(ConfigError, match="number 2 of the list"):
        recollect.open(tmp_path, overrides=overrides)
