"""The pace of looks at files before a search: cheap ones always, others when they have rested."""

from __future__ import annotations

CHEAP_S = 0.005
"""A look that takes no longer is taken before every search; at some hundred files it is."""
_REST = 20
"""Others are taken when so many times their duration has passed; `sync` always takes one."""


def rest_s(took_s: float, cheap_s: float | None = None) -> float:
    """Return how many seconds a look that took ``took_s`` rests, if it was not cheap."""
    return 0.0 if took_s <= (CHEAP_S if cheap_s is None else cheap_s) else _REST * took_s
