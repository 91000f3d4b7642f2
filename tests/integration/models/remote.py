"""What the tests of remote embedders share: the three providers, set up against the server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from recollect.core.settings import EmbeddingSettings, RemoteSettings
from recollect.models.budget import MemorySpending, Spending
from recollect.models.dependencies import Dependencies
from recollect.models.embedding.providers import create
from recollect.models.embedding.remote import RemoteEmbedder
from tests.support.provider_server import ProviderServer
from tests.support.scripted_time import ScriptedTime

PROVIDERS = ("openai", "gemini", "voyage")
KEY = "a-made-up-key"
SIZE = 8


def remote_settings(server: ProviderServer, provider: str, **changes: object) -> RemoteSettings:
    """Return settings that lead to the server."""
    given: dict[str, object] = {"base_url": server.base_url(provider), "api_key": KEY}
    return msgspec.convert(given | changes, RemoteSettings)


def embedder_for(
    server: ProviderServer,
    provider: str,
    time: ScriptedTime | None = None,
    spending: Spending | None = None,
    **changes: Any,
) -> RemoteEmbedder:
    """Return the embedder of ``provider`` against the server; it waits for nothing."""
    settings = EmbeddingSettings(
        dimensions=SIZE, remote=remote_settings(server, provider, **changes)
    )
    time = time or ScriptedTime()
    dependencies = Dependencies(
        models=Path(),
        spending=spending or MemorySpending(),
        retry_clock=time.retry_clock(),
        environ={},
    )
    return create(provider, settings, dependencies)
