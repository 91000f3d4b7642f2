"""Asks an embedder for one word, to know whether it answers; the answer is kept for a while."""

from __future__ import annotations

import threading

import msgspec

from recollect.core.clock import Clock
from recollect.core.errors import ProviderError
from recollect.models.embedding.embedder import Embedder, checked_vectors

KEPT_MS = 30_000
"""How long an answer counts; OpenClaw's value."""
WORD = "ping"


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """Whether an embedder answers.

    Attributes:
        ok: It gave a vector that can be used.
        error: Why not, or None.
        hint: What to do about it.
        at: When it was asked, ms UTC.
    """

    ok: bool
    error: str | None = None
    hint: str = ""
    at: int


class EmbedderProbe:
    """Asks one embedder. Threads may share it.

    Args:
        embedder: Which; None for words only.
        hint: What would give an embedder where there is none.
        clock: Tells how old an answer is.
    """

    def __init__(self, embedder: Embedder | None, hint: str, clock: Clock) -> None:
        self._embedder = embedder
        self._hint = hint
        self._clock = clock
        self._lock = threading.Lock()
        self._last: Probe | None = None

    def ask(self) -> Probe:
        """Return whether it answers, asked now or less than half a minute ago."""
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
