"""Where a window ends for us: the cost at which a view is flushed and compacted."""

from __future__ import annotations

import msgspec

from recollect.core.settings.sessions import ContextSettings


class Thresholds(msgspec.Struct, frozen=True, kw_only=True):
    """Where a window ends for us, in tokens.

    Attributes:
        window: The tokens that the model can read at once.
        reserve: The tokens kept free after the compaction.
        soft: The distance from the compaction at which memory is flushed.
    """

    window: int
    reserve: int
    soft: int

    @property
    def compact(self) -> int:
        """The cost from which on a view is compacted."""
        return self.window - self.reserve

    @property
    def flush(self) -> int:
        """The cost from which on memory is flushed."""
        return max(0, self.compact - self.soft)


def openclaw_thresholds(window: int, reserve: int, soft: int) -> Thresholds:
    """Return the thresholds as OpenClaw has them: small windows keep most of themselves.

    Source: OpenClaw 2026.9: the reserve is a quarter of the window at most, the margin of the flush
    half of what is left at most.

    >>> openclaw_thresholds(8_192, 20_000, 4_000).compact
    6144
    """
    kept = min(max(0, reserve), window // 4)
    return Thresholds(window=window, reserve=kept, soft=_soft(window - kept, soft))


def thresholds_of(settings: ContextSettings, window: int | None = None) -> Thresholds:
    """Return the thresholds of the settings, for their window or another one."""
    size = settings.window_tokens if window is None else window
    if settings.reserve_tokens:
        return openclaw_thresholds(size, settings.reserve_tokens, settings.flush_soft_tokens)
    compact = int(size * settings.compact_at)
    return Thresholds(
        window=size, reserve=size - compact, soft=_soft(compact, settings.flush_soft_tokens)
    )


def _soft(left: int, soft: int) -> int:
    return min(max(0, soft), left // 2)
