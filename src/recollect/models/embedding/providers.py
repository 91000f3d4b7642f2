"""Builds embedders from the settings: a wire format, an address, a key, headers and limits."""

from __future__ import annotations

from recollect.core.settings import EmbeddingSettings
from recollect.models.budget import DailyBudget
from recollect.models.dependencies import Dependencies
from recollect.models.embedding.remote import RemoteEmbedder
from recollect.models.embedding.wires import GeminiWire, OpenAIWire, VoyageWire, Wire
from recollect.models.hints import EMBEDDING
from recollect.models.http.auth import is_private, parse_headers, public_headers
from recollect.models.providers import open_client

_CONNECTIONS_FOR_QUESTIONS = 4
"""A search must not wait for a connection that the building of an index uses."""


def create(spec: str, settings: EmbeddingSettings, dependencies: Dependencies) -> RemoteEmbedder:
    """Return the embedder of ``openai`` (or a compatible server), ``gemini`` or ``voyage``.

    Nothing is sent yet.

    Args:
        spec: The provider, or ``provider:model``.
        settings: Address, key, headers and limits.
        dependencies: Its other dependencies.

    Raises:
        ProviderRejected: a key is missing.
        ConfigError: the address or a header is not one.
    """
    remote = settings.remote
    wire = _wire(spec, settings)
    connections = remote.concurrency + _CONNECTIONS_FOR_QUESTIONS
    client = open_client(wire.provider, remote, dependencies, EMBEDDING, connections=connections)
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


def _wire(spec: str, settings: EmbeddingSettings) -> Wire:
    name, _, model = spec.partition(":")
    size, remote = settings.dimensions, settings.remote
    if name == GeminiWire.provider:
        model = model.removeprefix("models/") or GeminiWire.default_model
        return GeminiWire(model=model, dimensions=size)
    of_query, of_document = remote.query_input_type, remote.document_input_type
    kind = OpenAIWire
    if name == VoyageWire.provider:
        kind, of_query, of_document = VoyageWire, of_query or "query", of_document or "document"
    return kind(
        model=model or kind.default_model,
        dimensions=size,
        query_type=of_query,
        document_type=of_document,
    )
