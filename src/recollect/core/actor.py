"""The actor of an action: the name of the token of a request."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

ACTOR: ContextVar[str | None] = ContextVar("recollect.actor", default=None)
"""The name of the token; None without one, for programs that use the files directly."""


@contextmanager
def acting(name: str) -> Iterator[None]:
    """Record a token as the actor of every event and audit row written in the ``with`` block."""
    reset = ACTOR.set(name)
    try:
        yield
    finally:
        ACTOR.reset(reset)
