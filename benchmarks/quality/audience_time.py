"""Time and secrets of a history: the same in both trees, so that their answers can be compared.

The time stands still within a step. Salts and keys of a home are the same each time: the tags of a
context block are made from one, and count as tokens.
"""

from __future__ import annotations

import secrets
import time

_BEGIN_MS = 1_767_225_600_000
_STEP_MS = 60_000
_CACHED_S = 5.0
"""Longer than a server keeps what it knows of a token or the settings."""

_SALT_BYTES = 32


class Time:
    """What the clock of the machine says to the program."""

    def __init__(self) -> None:
        self._ms = _BEGIN_MS
        self._ahead_s = 0.0

    @staticmethod
    def install() -> None:
        """Let `time` tell this one, and `secrets` no secret, from now on.

        What waits for something to pass still waits; short names of files stay random.
        """
        passed = time.monotonic
        time.time_ns = TIME.now_ns  # noqa: TID251 - nobody asks here, everybody is told
        time.time = lambda: TIME.now_ns() / 1e9  # noqa: TID251
        time.monotonic = lambda: passed() + TIME._ahead_s
        secrets.token_hex = _hex
        secrets.token_bytes = _bytes

    def begin(self) -> None:
        """Go back to the beginning of a history."""
        self._ms = _BEGIN_MS

    def go_on(self) -> None:
        """Let a minute pass."""
        self._ms += _STEP_MS

    def now_ns(self) -> int:
        """Return nanoseconds since 1970."""
        return self._ms * 1_000_000

    def let_caches_end(self) -> None:
        """Let what is kept for a moment only be asked for again."""
        self._ahead_s += _CACHED_S


TIME = Time()

_drawn_bytes = secrets.token_bytes


def _bytes(nbytes: int | None = None) -> bytes:
    """Return random bytes, but always the same ones for a salt or a key."""
    is_key = nbytes is not None and nbytes >= _SALT_BYTES
    return b"Z" * (nbytes or 0) if is_key else _drawn_bytes(nbytes)


def _hex(nbytes: int | None = None) -> str:
    return _bytes(nbytes).hex()
