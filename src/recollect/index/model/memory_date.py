"""Recency: a bounded factor for age, and the memory files that do not age.

With a floor of 0 it is the decay of OpenClaw; above 0 an old note that is the answer stays
reachable.
"""

from __future__ import annotations

import re
from datetime import date

CURATED = frozenset(("MEMORY.md", "memory.md", "USER.md"))
"""Curated files at the root of a workspace; their content does not age."""

_DATED = re.compile(r"(?:^|/)memory/(?:.+/)?(\d{4})-(\d{2})-(\d{2})(?:-[^/]*)?\.md$")
_UNDER_MEMORY = re.compile(r"(?:\./)*memory/")


def memory_date(path: str) -> date | None:
    """Return the day that a daily note is named for, or None.

    Source: `parseMemoryDateFromPath` of OpenClaw 2026.9.6.

    >>> memory_date("memory/2026-02-10-tea.md")
    datetime.date(2026, 2, 10)
    """
    match = _DATED.search(path)
    if match is None:
        return None
    year, month, day = map(int, match.groups())
    try:
        return date(year, month, day)
    except ValueError:
        return None


def is_evergreen(path: str) -> bool:
    """Return whether a memory file does not age: a curated one, or an undated one of `memory/`."""
    return path in CURATED or (_UNDER_MEMORY.match(path) is not None and memory_date(path) is None)
