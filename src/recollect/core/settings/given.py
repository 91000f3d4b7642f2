"""One setting as somebody wrote it, before it is checked."""

from __future__ import annotations

from msgspec import Struct


class Given(Struct, frozen=True):
    """A value and where it was written."""

    value: object
    origin: str
    is_text: bool
    """True when the source knows only texts, so that "10" may stand for 10."""
