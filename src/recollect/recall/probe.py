"""Probes an embedder with one word; the result is kept for a while."""

from __future__ import annotations

import threading

import msgspec

from recollect.core.clock import Clock
from recollect.core.errors import ProviderError
from recollect.models.embedding.embedder import Embedder, checked_vectors

KEPT_MS = 30_000
"""How long a result is valid; OpenClaw's value."""
WORD = "ping"


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a probe of an embedder.

    Attributes:
        ok: Whether it returned a usable vector.
        error: Why not, or None.
        hint: What to do about it.
        at: When it was probed, ms UTC.
    """

    ok: bool
    error: str | None = None
    hint: str = ""
    at: int


class EmbedderProbe:
    """Probes one embedder. Threads may share it.

    Args:
        embedder: The one to probe; None for words only.
        hint: How to get an embedder where there is none.
        clock: Gives the age of a result.
    """

    def __init__(self, embedder: Embedder | None, hint: str, clock: Clock) -> None:
        self._embedder = embedder
        self._hint = hint
        self._clock = clock
        self._lock = threading.Lock()
        self._last: Probe | None = None

    def ask(self) -> Probe:
        """Return whether it answers, probed now or less than half a minute ago."""
        with self._lock:
            now = self._clock.now_ms()
            if self._last is None or now - self._last.at >= KEPT_MS:
                self._last = self._ask(now)
            return self._last

    def _ask(self, now: int) -> Probe:
        embedder = self._embedder
        if embedder is None:
            return Probe(ok=False, error="no embedder is installed", hint=self._hint, at=now)
        try:
            vector = embedder.embed_query(WORD)
            checked_vectors(vector[None], 1, embedder.dimensions)
        except ProviderError as error:
            return Probe(ok=False, error=error.message, hint=error.hint, at=now)
        return Probe(ok=True, at=now)
