"""An index whose embedder is a provider on loopback that takes batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from recollect.core.clock import SystemClock
from recollect.core.settings import Settings, StoreSettings
from recollect.core.settings.embedding import (
    BatchSettings,
    CacheSettings,
    EmbeddingSettings,
    RemoteSettings,
)
from recollect.index.embedding.batch_health import BatchStatus
from recollect.index.embedding.batch_job_rows import BatchJob, find_jobs
from recollect.index.index import Index
from recollect.index.model.locks import IndexLocks
from recollect.index.model.sync_report import SyncReport
from recollect.models.budget import DailyBudget, MemorySpending
from recollect.models.embedding.embedder import Embedder
from recollect.models.embedding.remote import RemoteEmbedder
from recollect.models.embedding.wires import GeminiWire, OpenAIWire, VoyageWire, Wire
from recollect.models.http.client import ProviderClient
from recollect.models.http.retry import RetryClock
from recollect.store.columns import blob, first_integer, text
from recollect.store.sqlite.database import open_index
from tests.support.provider_formats import unit_vector
from tests.unit.index.scripted import ScriptedFeed, said

DIMENSIONS = 8
PROVIDERS = ("openai", "voyage", "gemini")

BATCHES = BatchSettings(enabled=True, least_texts=3, poll_interval_ms=10)


class HastyClock:
    """A clock on which every look takes some time.

    Args:
        step_ms: How much.
    """

    def __init__(self, step_ms: int) -> None:
        self._now = SystemClock().now_ms()
        self._step_ms = step_ms

    def now_ms(self) -> int:
        """Return the time, later than at the look before."""
        self._now += self._step_ms
        return self._now


class Address(Protocol):
    """Where a provider is; a `ProviderServer`, or what another process knows of one."""

    @property
    def origin(self) -> str:
        """Return ``http://127.0.0.1:port``."""

    def base_url(self, provider: str) -> str:
        """Return the base URL of a provider there."""


def wire_of(provider: str, model: str = "m") -> Wire:
    """Return the wire of a provider, for vectors of eight values."""
    wires: dict[str, Callable[..., Wire]] = {
        "openai": OpenAIWire,
        "voyage": VoyageWire,
        "gemini": GeminiWire,
    }
    return wires[provider](model=model, dimensions=DIMENSIONS)


def embedder_at(
    server: Address, provider: str = "openai", *, model: str = "m", budget: int = 0
) -> RemoteEmbedder:
    """Return an embedder that waits for nothing between its tries.

    Args:
        server: Where it asks.
        provider: Whose wire it speaks.
        model: The model's name; another one is another space.
        budget: Tokens of a day; 0 sets no limit.
    """
    base_url = server.base_url(provider)
    retry_clock = RetryClock(pause=lambda _: None)
    daily = DailyBudget(budget, MemorySpending(), retry_clock.clock) if budget else None
    client = ProviderClient(
        provider, base_url, {"authorization": "Bearer k"}, retry_clock=retry_clock
    )
    return RemoteEmbedder(wire_of(provider, model), client, budget=daily)


class BatchHome:
    """An index in a folder; a context manager.

    Args:
        folder: Where it is.
        server: The provider.
        texts: Messages that it indexes.
        embedder: Another one than that of OpenAI's wire.
        fallback: Takes over from it.
        batch: The settings of batches.
        cache: Those of the cache.
        step_ms: What a look at the clock takes: more than the pause between two questions after a
            batch, so that every sync asks.
    """

    def __init__(
        self,
        folder: Path,
        server: Address,
        texts: Sequence[str],
        embedder: Embedder | None = None,
        *,
        fallback: Embedder | None = None,
        batch: BatchSettings = BATCHES,
        cache: CacheSettings | None = None,
        step_ms: int = 20,
    ) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.embedder = embedder or embedder_at(server)
        clock = HastyClock(step_ms)
        self.feed = ScriptedFeed(*(said(f"m{n}", one) for n, one in enumerate(texts)))
        self.database = open_index(folder, StoreSettings(), clock)
        remote = RemoteSettings(base_url=server.origin)
        embedding = EmbeddingSettings(batch=batch, cache=cache or CacheSettings(), remote=remote)
        self.index = Index(
            self.database,
            [self.feed],
            Settings(embedding=embedding),
            clock=clock,
            embedder=self.embedder,
            fallback=fallback,
            locks=IndexLocks(folder, clock),
        )

    def __enter__(self) -> BatchHome:
        return self

    def __exit__(self, *_: object) -> None:
        self.database.close()
        self.embedder.close()

    def say(self, *texts: str) -> None:
        """Add messages."""
        first = len(self.feed.entries)
        self.feed.entries += [said(f"m{first + n}", one) for n, one in enumerate(texts)]

    def sync(self) -> SyncReport:
        """Bring the index up to its feed."""
        return self.index.sync()

    @property
    def batches(self) -> BatchStatus:
        """How batches go."""
        status = self.index.batch_status()
        assert status is not None
        return status

    @property
    def waiting(self) -> int:
        """How many chunks have no vector."""
        return self.index.status().waiting

    @property
    def jobs(self) -> list[BatchJob]:
        """The batches that are written down."""
        return self.database.read(find_jobs)

    @property
    def cached(self) -> int:
        """How many vectors the cache holds."""
        return self.database.read(
            lambda tx: first_integer(tx.row("SELECT count(*) FROM embedding_cache"))
        )

    def check_vectors(self) -> None:
        """Compare the vector of every chunk with what the provider gives for its text."""
        rows = self.database.read(lambda tx: list(tx.rows(_VECTORS)))
        assert rows
        for content, data in rows:
            assert data is not None, content
            vector = np.frombuffer(blob(data), "<f2").astype(np.float32)
            np.testing.assert_allclose(vector, unit_vector(text(content), DIMENSIONS), atol=1e-3)


_VECTORS = "SELECT c.text, v.data FROM chunks c LEFT JOIN vectors v ON v.id = c.id"
