"""Builds embedders out of the settings: an address, a key, headers and limits."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.core.settings import EmbeddingSettings
from recollect.models.budget import DailyBudget
from recollect.models.dependencies import Dependencies
from recollect.models.embedding import gemini, openai, voyage
from recollect.models.embedding.remote import Effort, RemoteEmbedder
from recollect.models.embedding.wire import Wire
from recollect.models.http.auth import (
    check_address,
    find_key,
    is_private,
    no_key,
    parse_headers,
    public_headers,
)
from recollect.models.http.client import ProviderClient
from recollect.models.http.retry import RetryClock

_CONNECTIONS_FOR_QUESTIONS = 4
"""A search must not wait until an index that is being built gives a connection back."""


def create_openai(
    model: str, settings: EmbeddingSettings, dependencies: Dependencies
) -> RemoteEmbedder:
    """Return the embedder of OpenAI or of what is compatible; asks nobody yet.

    Raises:
        ProviderRejected: there is no key, and no address of one's own that may need none.
        ConfigError: the address or a header is none.
    """
    remote = settings.remote
    key = find_key(openai.PROVIDER, remote.api_key, remote.base_url, dependencies.environ)
    if key is None and remote.base_url is None:
        raise no_key(openai.PROVIDER)
    wire = openai.OpenAIWire(
        model=model or openai.DEFAULT_MODEL,
        dimensions=settings.dimensions,
        query_type=remote.query_input_type,
        document_type=remote.document_input_type,
    )
    authorization = {"authorization": f"Bearer {key}"} if key else {}
    return build_remote(wire, openai.BASE_URL, authorization, settings, dependencies)


def create_gemini(
    model: str, settings: EmbeddingSettings, dependencies: Dependencies
) -> RemoteEmbedder:
    """Return the embedder of Gemini; asks nobody yet.

    Raises:
        ProviderRejected: there is no key.
        ConfigError: the address or a header is none.
    """
    remote = settings.remote
    key = find_key(gemini.PROVIDER, remote.api_key, remote.base_url, dependencies.environ)
    if key is None:
        raise no_key(gemini.PROVIDER)
    wire = gemini.GeminiWire(
        model=model.removeprefix("models/") or gemini.DEFAULT_MODEL,
        dimensions=settings.dimensions,
    )
    return build_remote(wire, gemini.BASE_URL, {"x-goog-api-key": key}, settings, dependencies)


def create_voyage(
    model: str, settings: EmbeddingSettings, dependencies: Dependencies
) -> RemoteEmbedder:
    """Return the embedder of Voyage; asks nobody yet.

    Raises:
        ProviderRejected: there is no key.
        ConfigError: the address or a header is none.
    """
    remote = settings.remote
    key = find_key(voyage.PROVIDER, remote.api_key, remote.base_url, dependencies.environ)
    if key is None:
        raise no_key(voyage.PROVIDER)
    wire = voyage.VoyageWire(
        model=model or voyage.DEFAULT_MODEL,
        dimensions=settings.dimensions,
        query_type=remote.query_input_type or "query",
        document_type=remote.document_input_type or "document",
    )
    bearer = {"authorization": f"Bearer {key}"}
    return build_remote(wire, voyage.BASE_URL, bearer, settings, dependencies)


def build_remote(
    wire: Wire,
    usual_url: str,
    authorization: Mapping[str, str],
    settings: EmbeddingSettings,
    dependencies: Dependencies,
) -> RemoteEmbedder:
    """Return the embedder that speaks ``wire`` with the address and limits of the settings."""
    remote = settings.remote
    base_url = check_address(remote.base_url or usual_url)
    headers = parse_headers(remote.headers)
    client = ProviderClient(
        wire.provider,
        base_url,
        {**authorization, **headers},
        retry_clock=dependencies.retry_clock or RetryClock(clock=dependencies.clock),
        connections=remote.concurrency + _CONNECTIONS_FOR_QUESTIONS,
    )
    name = f"{wire.provider}:{wire.model}"
    budget = DailyBudget(remote.daily_tokens, dependencies.spending, dependencies.clock, model=name)
    return RemoteEmbedder(
        wire,
        client,
        base_url=base_url,
        headers=public_headers(headers),
        effort=Effort(
            batch_tokens=remote.batch_tokens,
            concurrency=remote.concurrency,
            timeout_s=remote.timeout_s,
            query_timeout_s=remote.query_timeout_s,
        ),
        budget=None if is_private(base_url) else budget,
    )
