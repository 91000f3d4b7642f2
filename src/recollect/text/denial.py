"""Signs of a denial: "I've never", "noch nie", "nunca he"."""

from __future__ import annotations

import functools
import re

from recollect.text.languages import all_languages


def denies(text: str) -> bool:
    """Return whether a text has signs of a denial.

    >>> denies("I’ve never used Zotero"), denies("Never use Zotero")
    (True, False)
    """
    return find_denial(text.replace("’", "'").lower()) is not None


def find_denial(lowered: str) -> re.Match[str] | None:
    """Return the first sign of a denial in a text in small letters; None if it has none."""
    signs = (sign for part, sign in _denials() if part in lowered)
    return next(filter(None, (sign.search(lowered) for sign in signs)), None)


@functools.cache
def _denials() -> tuple[tuple[str, re.Pattern[str]], ...]:
    signs = (sign for each in all_languages() for sign in each.denials)
    return tuple((part, re.compile(pattern)) for part, pattern in signs)
