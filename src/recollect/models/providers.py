"""The common part of providers of both kinds of models: address, key, client."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from recollect.core.settings import LanguageSettings, RemoteSettings
from recollect.models.dependencies import Dependencies
from recollect.models.hints import Hints
from recollect.models.http.auth import check_address, find_key, no_key, parse_headers
from recollect.models.http.client import MAX_ANSWER_BYTES, READ_S, ProviderClient


class Provider(msgspec.Struct, frozen=True, kw_only=True):
    """The address and the authentication of a provider.

    Attributes:
        name: Such as ``openai``.
        base_url: Its own address.
        key_header: The header that carries the key.
        key_prefix: The text before the key in it.
        headers: Other required headers.
        needs_key: Whether a key is needed also at the user's own address.
    """

    name: str
    base_url: str
    key_header: str = "authorization"
    key_prefix: str = "Bearer "
    headers: Mapping[str, str] = {}
    needs_key: bool = False


PROVIDERS = {
    provider.name: provider
    for provider in (
        Provider(name="openai", base_url="https://api.openai.com/v1"),
        Provider(name="voyage", base_url="https://api.voyageai.com/v1", needs_key=True),
        Provider(
            name="gemini",
            base_url="https://generativelanguage.googleapis.com/v1beta",
            key_header="x-goog-api-key",
            key_prefix="",
            needs_key=True,
        ),
        Provider(
            name="anthropic",
            base_url="https://api.anthropic.com",
            key_header="x-api-key",
            key_prefix="",
            headers={"anthropic-version": "2023-06-01"},
        ),
    )
}


def open_client(
    name: str,
    settings: RemoteSettings | LanguageSettings,
    dependencies: Dependencies,
    hints: Hints,
    *,
    connections: int = 4,
    read_s: float = READ_S,
    max_answer_bytes: int = MAX_ANSWER_BYTES,
) -> ProviderClient:
    """Return the client of a provider with the address, key and headers of the settings.

    Nothing is sent yet.

    Raises:
        ProviderRejected: a key is missing that the provider or its own address needs.
        ConfigError: the address or a header is not one.
    """
    provider = PROVIDERS[name]
    key = find_key(name, settings.api_key, settings.base_url, dependencies.environ)
    if key is None and (provider.needs_key or settings.base_url is None):
        raise no_key(name, hints)
    auth = {provider.key_header: f"{provider.key_prefix}{key}"} if key else {}
    return ProviderClient(
        name,
        check_address(settings.base_url or provider.base_url, hints.setting("base_url")),
        {**provider.headers, **auth, **parse_headers(settings.headers, hints.setting("headers"))},
        retry_clock=dependencies.retry_clock,
        connections=connections,
        read_s=read_s,
        max_answer_bytes=max_answer_bytes,
        hints=hints,
    )
