"""Builds the embedders of remote providers out of the settings: address, key, headers, limits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

from recollect.core.clock import Clock, SystemClock
from recollect.core.errors import ConfigError, ProviderRejected
from recollect.core.settings import EmbeddingSettings, RemoteSettings
from recollect.core.settings.keys import KEY_VARIABLES, provider_key
from recollect.models import openai
from recollect.models.addresses import check_address, is_private
from recollect.models.budget import DailyBudget, MemorySpending, Spending
from recollect.models.patience import Tempo
from recollect.models.provider_client import ProviderClient
from recollect.models.remote import Effort, RemoteEmbedder
from recollect.models.wire import Wire

_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e]*)")
_SECRET_HEADER = re.compile(
    r"authorization|cookie|token|secret|password|signature|credential|api[-_]?key|[-_]key$|^key$",
    re.IGNORECASE,
)


class Supplies(msgspec.Struct, frozen=True, kw_only=True):
    """What an embedder is made with, besides its settings.

    Attributes:
        models: The folder of model files.
        spending: Counts the tokens sent to paid providers.
        clock: Tells the day.
        environ: Variables that may hold keys; None is the process environment.
    """

    models: Path
    spending: Spending = msgspec.field(default_factory=MemorySpending)
    clock: Clock = msgspec.field(default_factory=SystemClock)
    environ: Mapping[str, str] | None = None


def create_openai(model: str, settings: EmbeddingSettings, supplies: Supplies) -> RemoteEmbedder:
    """Return the embedder of OpenAI or of what is compatible; asks nobody yet.

    Raises:
        ProviderRejected: there is no key, and no address of one's own that may need none.
        ConfigError: the address or a header is none.
    """
    remote = settings.remote
    key = find_key(openai.PROVIDER, remote, supplies)
    if key is None and remote.base_url is None:
        raise no_key(openai.PROVIDER)
    wire = openai.OpenAIWire(
        model=model or openai.DEFAULT_MODEL,
        dimensions=settings.dimensions,
        query_type=remote.query_input_type,
        document_type=remote.document_input_type,
    )
    authorization = {"authorization": f"Bearer {key}"} if key else {}
    return build_remote(wire, openai.BASE_URL, authorization, settings, supplies)


def build_remote(
    wire: Wire,
    usual_url: str,
    authorization: Mapping[str, str],
    settings: EmbeddingSettings,
    supplies: Supplies,
) -> RemoteEmbedder:
    """Return the embedder that speaks ``wire`` with the address and limits of the settings."""
    remote = settings.remote
    base_url = check_address(remote.base_url or usual_url)
    headers = parse_headers(remote.headers)
    client = ProviderClient(
        wire.provider,
        base_url,
        {**authorization, **headers},
        tempo=Tempo(clock=supplies.clock),
        connections=remote.concurrency,
    )
    budget = DailyBudget(remote.daily_tokens, supplies.spending, supplies.clock)
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


def find_key(provider: str, remote: RemoteSettings, supplies: Supplies) -> str | None:
    """Return the key of ``provider``: the setting's, else the environment's, else None.

    A key of the environment is never sent to an address of one's own that is reached in clear.
    """
    if remote.api_key:
        return remote.api_key
    if remote.base_url and remote.base_url.lower().startswith("http://"):
        return None
    return provider_key(provider, supplies.environ)


def no_key(provider: str) -> ProviderRejected:
    """Return the error for a provider without a key."""
    return ProviderRejected(
        f"there is no key for the embedding provider {provider}",
        hint=f"set {KEY_VARIABLES[provider][0]} or embedding.remote.api_key",
        provider=provider,
    )


def parse_headers(lines: tuple[str, ...]) -> dict[str, str]:
    """Return ``("X-Team: search",)`` as name -> value, names in small letters.

    Raises:
        ConfigError: a line is no header; it is told by its number, for it may hold a secret.
    """
    headers: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        found = _HEADER.fullmatch(line.strip())
        if found is None:
            raise ConfigError(
                f"embedding.remote.headers has no header in place {number}",
                hint="write it as `X-Team: search`",
                key="embedding.remote.headers",
            )
        headers[found[1].lower()] = found[2].rstrip()
    return headers


def public_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers that hold no secret; they are part of the provider key."""
    return {name: value for name, value in headers.items() if not _SECRET_HEADER.search(name)}
