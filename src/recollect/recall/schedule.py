"""When the background works: what asked for it, and when that is due.

Time is passed in, in seconds of any clock that only goes forward; nothing here waits.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

Reason: TypeAlias = Literal[
    "interval", "manual", "message", "retry", "search", "session-start", "start", "transcript",
    "watch",
]  # fmt: skip
"""What started a sync."""

MOST_RESTS = 4
"""A debounce is put off by further changes for so many times its length: a file that is written
all the time is read all the same."""


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """Since when somebody waits, and when it is due."""

    since: float
    due: float


class Schedule:
    """Gathers what is asked for, so that one sync serves all of it.

    Args:
        interval_s: A sync every so often; 0 for none.
        now: The time.
    """

    def __init__(self, interval_s: float, now: float) -> None:
        self._asks: dict[Reason, Ask] = {}
        self._interval_s = interval_s
        self._next_interval = now + interval_s if interval_s else None

    @property
    def is_empty(self) -> bool:
        """Whether nobody waits."""
        return not self._asks

    def ask(self, reason: Reason, now: float, rest_s: float = 0.0) -> None:
        """Ask for a sync when nothing has asked for the same reason for ``rest_s`` seconds."""
        known = self._asks.get(reason)
        if known is not None and known.due <= now:
            return
        since = known.since if known else now
        self._asks[reason] = Ask(since=since, due=min(now + rest_s, since + MOST_RESTS * rest_s))

    def due_at(self) -> float | None:
        """Return when the next one is due; None when nothing is asked for."""
        every = [ask.due for ask in self._asks.values()]
        if self._next_interval is not None:
            every.append(self._next_interval)
        return min(every, default=None)

    def take(self, now: float) -> tuple[Reason, ...]:
        """Return the reasons that are due, and forget them."""
        if self._next_interval is not None and now >= self._next_interval:
            self._next_interval = now + self._interval_s
            self.ask("interval", now)
        due = tuple(reason for reason, ask in self._asks.items() if ask.due <= now)
        for reason in due:
            del self._asks[reason]
        return due

    def clear(self) -> None:
        """Forget everything: somebody did it all."""
        self._asks.clear()
