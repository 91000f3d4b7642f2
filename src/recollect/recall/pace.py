"""The pace of checks of files before a search: cheap ones always, others after a rest."""

from __future__ import annotations

CHEAP_S = 0.005
"""A check that takes no longer runs before every search; with some hundred files it does."""
_REST = 20
"""Others rest for so many times their duration; `sync` always runs one."""


def rest_s(took_s: float, cheap_s: float | None = None) -> float:
    """Return the seconds to rest after a check that took ``took_s``; 0 if it was cheap."""
    return 0.0 if took_s <= (CHEAP_S if cheap_s is None else cheap_s) else _REST * took_s
