"""In whose name something is done: the name of the token of a request."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

ACTOR: ContextVar[str | None] = ContextVar("recollect.actor", default=None)
"""The name of the token; None where no token is in play: whoever uses the files."""


@contextmanager
def acting(name: str) -> Iterator[None]:
    """Let every event and audit row that is written in the ``with`` block name a token."""
    reset = ACTOR.set(name)
    try:
        yield
    finally:
        ACTOR.reset(reset)
