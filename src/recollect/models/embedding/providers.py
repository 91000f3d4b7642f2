"""Builds embedders from the settings: a wire format, an address, a key, headers and limits."""

from __future__ import annotations

from recollect.core.settings import EmbeddingSettings
from recollect.models.budget import DailyBudget
from recollect.models.dependencies import Dependencies
from recollect.models.embedding import gemini, openai, voyage
from recollect.models.embedding.remote import RemoteEmbedder
from recollect.models.embedding.wire import Wire
from recollect.models.hints import EMBEDDING
from recollect.models.http.auth import is_private, parse_headers, public_headers
from recollect.models.providers import GEMINI, OPENAI, VOYAGE, Provider, open_client

_CONNECTIONS_FOR_QUESTIONS = 4
"""A search must not wait until an index that is being built gives a connection back."""


def create_openai(
    model: str, settings: EmbeddingSettings, dependencies: Dependencies
) -> RemoteEmbedder:
    """Return the embedder of OpenAI or of a compatible server; see `build_remote`."""
    wire = openai.OpenAIWire(
        model=model or openai.DEFAULT_MODEL,
        dimensions=settings.dimensions,
        query_type=settings.remote.query_input_type,
        document_type=settings.remote.document_input_type,
    )
    return build_remote(OPENAI, wire, settings, dependencies)


def create_gemini(
    model: str, settings: EmbeddingSettings, dependencies: Dependencies
) -> RemoteEmbedder:
    """Return the embedder of Gemini; see `build_remote`."""
    name = model.removeprefix("models/") or gemini.DEFAULT_MODEL
    wire = gemini.GeminiWire(model=name, dimensions=settings.dimensions)
    return build_remote(GEMINI, wire, settings, dependencies)


def create_voyage(
    model: str, settings: EmbeddingSettings, dependencies: Dependencies
) -> RemoteEmbedder:
    """Return the embedder of Voyage; see `build_remote`."""
    wire = voyage.VoyageWire(
        model=model or voyage.DEFAULT_MODEL,
        dimensions=settings.dimensions,
        query_type=settings.remote.query_input_type or "query",
        document_type=settings.remote.document_input_type or "document",
    )
    return build_remote(VOYAGE, wire, settings, dependencies)


def build_remote(
    provider: Provider, wire: Wire, settings: EmbeddingSettings, dependencies: Dependencies
) -> RemoteEmbedder:
    """Return the embedder that speaks ``wire`` with the address and limits of the settings.

    Nothing is sent yet.

    Raises:
        ProviderRejected: there is no key.
        ConfigError: the address or a header is not one.
    """
    remote = settings.remote
    connections = remote.concurrency + _CONNECTIONS_FOR_QUESTIONS
    client = open_client(provider, remote, dependencies, EMBEDDING, connections=connections)
    budget = DailyBudget(
        remote.daily_tokens,
        dependencies.spending,
        dependencies.retry_clock.clock,
        model=f"{wire.provider}:{wire.model}",
    )
    return RemoteEmbedder(
        wire,
        client,
        headers=public_headers(parse_headers(remote.headers)),
        limits=remote,
        budget=None if is_private(client.base_url) else budget,
    )
