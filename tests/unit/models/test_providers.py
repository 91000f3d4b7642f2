"""Embedders out of settings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from recollect.core.errors import ConfigError, ProviderRejected
from recollect.core.settings import EmbeddingSettings, RemoteSettings
from recollect.models.dependencies import Dependencies
from recollect.models.embedding.providers import create
from recollect.models.embedding.remote import RemoteEmbedder

PROVIDERS = ("openai", "gemini", "voyage")
LOCAL = "http://localhost:11434/v1"


def _dependencies(environ: Mapping[str, str] | None = None) -> Dependencies:
    return Dependencies(models=Path(), environ=environ or {})


def _openai(model: str = "", dimensions: int = 0, **remote: object) -> RemoteEmbedder:
    values: dict[str, object] = {"api_key": "k", **remote}
    settings = EmbeddingSettings(
        dimensions=dimensions, remote=msgspec.convert(values, RemoteSettings)
    )
    return create(f"openai:{model}", settings, _dependencies())


@pytest.mark.parametrize(
    ("provider", "model", "dimensions"),
    [
        ("openai", "openai:text-embedding-3-small", 1_536),
        ("gemini", "gemini:gemini-embedding-001", 3_072),
        ("voyage", "voyage:voyage-4-large", 1_024),
    ],
)
def test_every_provider_has_a_default_model(provider: str, model: str, dimensions: int) -> None:
    """Of a known size: nobody is asked. Source: the providers of OpenClaw."""
    settings = EmbeddingSettings(remote=RemoteSettings(api_key="k"))
    embedder = create(provider, settings, _dependencies())
    assert (embedder.model, embedder.dimensions) == (model, dimensions)
    assert embedder.is_remote
    assert embedder.is_paid


@pytest.mark.parametrize("provider", PROVIDERS)
def test_without_a_key_there_is_no_embedder(provider: str) -> None:
    """The hint names the variable."""
    with pytest.raises(ProviderRejected) as caught:
        create(provider, EmbeddingSettings(), _dependencies())
    assert "_API_KEY" in caught.value.hint


def test_a_server_of_ones_own_needs_no_key() -> None:
    """Ollama, LM Studio, vLLM, llama.cpp."""
    settings = EmbeddingSettings(remote=RemoteSettings(base_url=LOCAL))
    embedder = create(
        "openai:nomic-embed-text", settings, _dependencies({"OPENAI_API_KEY": "real"})
    )
    assert embedder.model == "openai:nomic-embed-text"
    assert not embedder.is_paid


def test_an_address_must_be_one() -> None:
    """Before anybody is asked."""
    with pytest.raises(ConfigError):
        _openai(base_url="localhost:11434")


def test_what_decides_the_vectors_is_in_the_provider_key() -> None:
    """SHA-256 of provider, address, model, dimensions, input types and public headers."""
    variants = [
        _openai(),
        _openai("text-embedding-3-large"),
        _openai(dimensions=256),
        _openai(base_url="https://gateway.example/v1"),
        _openai(query_input_type="query"),
        _openai(document_input_type="passage"),
        _openai(headers=("X-Team: search",)),
        _openai(headers=("X-Team: other",)),
        create("voyage", EmbeddingSettings(remote=RemoteSettings(api_key="k")), _dependencies()),
        create("gemini", EmbeddingSettings(remote=RemoteSettings(api_key="k")), _dependencies()),
    ]
    prints = [embedder.fingerprint for embedder in variants]
    assert len(set(prints)) == len(prints)
    assert all(len(each) == 64 and int(each, 16) >= 0 for each in prints)


def test_what_does_not_decide_the_vectors_is_not() -> None:
    """A rotated key, more lanes or another spelling must not embed everything again."""
    same = [
        _openai(),
        _openai(api_key="rotated"),
        _openai(base_url="https://API.openai.com:443/v1/"),
        _openai(base_url="https://user:password@api.openai.com/v1"),
        _openai(
            headers=("Authorization: Bearer x", "X-Api-Key: y", "Cookie: z", "X-Goog-Api-Key: k")
        ),
        _openai(concurrency=9, batch_tokens=64, timeout_s=1.0, query_timeout_s=9.0),
        _openai(daily_tokens=1, price_per_million=1.0),
    ]
    assert len({embedder.fingerprint for embedder in same}) == 1


def test_a_models_prefix_is_geminis_own() -> None:
    """Its documentation writes models/NAME."""
    settings = EmbeddingSettings(remote=RemoteSettings(api_key="k"))
    embedder = create("gemini:models/gemini-embedding-001", settings, _dependencies())
    assert embedder.model == "gemini:gemini-embedding-001"
