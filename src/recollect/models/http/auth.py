"""Authentication at a provider: its key, and custom headers.

A key in the environment is meant for the provider's own address; it is never sent in clear text.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from urllib.parse import urlsplit, urlunsplit

from recollect.core.errors import ConfigError, ProviderRejected
from recollect.core.settings.environment import KEY_VARIABLES, provider_key
from recollect.models.hints import EMBEDDING, Hints

_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e]*)")
_SECRET_HEADER = re.compile(
    r"authorization|cookie|token|secret|password|signature|credential|api[-_]?key|[-_]key$|^key$",
    re.IGNORECASE,
)


def find_key(
    provider: str,
    setting: str | None,
    base_url: str | None,
    environ: Mapping[str, str] | None,
) -> str | None:
    """Return the key of ``provider``: the setting's, else the environment's, else None.

    Args:
        provider: Such as ``openai``.
        setting: The key of the settings.
        base_url: The address of the settings; a key of the environment is not sent to an
            unencrypted one.
        environ: Variables that may hold keys; None is the process environment.
    """
    if setting:
        return setting
    if base_url and base_url.lower().startswith("http://"):
        return None
    return provider_key(provider, environ)


def no_key(provider: str, hints: Hints = EMBEDDING) -> ProviderRejected:
    """Return the error for a provider without a key."""
    return ProviderRejected(
        f"the {hints.kind} {provider} needs a key",
        hint=f"set {KEY_VARIABLES[provider][0]} or {hints.setting('api_key')}",
        provider=provider,
    )


def parse_headers(
    lines: tuple[str, ...], key: str = EMBEDDING.setting("headers")
) -> dict[str, str]:
    """Return ``("X-Team: search",)`` as name -> value, names in lower case.

    Args:
        lines: One header each.
        key: The setting that has them.

    Raises:
        ConfigError: a line is not a header; named by its number, as it may hold a secret.
    """
    headers: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        match = _HEADER.fullmatch(line.strip())
        if match is None:
            raise ConfigError(
                f"line {number} of {key} must be a header",
                hint="write it as `X-Team: search`",
                key=key,
            )
        headers[match[1].lower()] = match[2].rstrip()
    return headers


def public_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers without secrets; they are part of the provider key."""
    return {name: value for name, value in headers.items() if not _SECRET_HEADER.search(name)}


_PRIVATE_ENDINGS = (".localhost", ".local", ".internal", ".lan", ".home.arpa")


def is_private(url: str) -> bool:
    """Return whether ``url`` is on this machine or in a private network, where nothing is billed.

    >>> is_private("http://localhost:11434/v1"), is_private("https://api.openai.com/v1")
    (True, False)
    """
    host = urlsplit(url).hostname or ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        # A name without a dot is local to this network, such as a container's.
        return "." not in host or host.endswith(_PRIVATE_ENDINGS)
    return address.is_private or address.is_loopback or address.is_link_local


def plain_address(url: str) -> str:
    """Return ``url`` normalized: no credentials, query or final slash, in lower case.

    >>> plain_address("HTTPS://me:secret@Example.org:443/v1/")
    'https://example.org/v1'
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    host = f"[{host}]" if ":" in host else host
    usual = {"https": 443, "http": 80}.get(parts.scheme.lower())
    port = "" if parts.port in {None, usual} else f":{parts.port}"
    return urlunsplit((parts.scheme.lower(), host + port, parts.path.rstrip("/"), "", ""))


def check_address(url: str, key: str = "embedding.remote.base_url") -> str:
    """Return ``url`` if it is a valid address of a provider; ``key`` is its setting.

    Raises:
        ConfigError: it is not an http or https address.
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme.lower() in {"http", "https"} and bool(parts.hostname)
        _ = parts.port
    except ValueError:
        usable = False
    if not usable:
        raise ConfigError(
            f"{key} must be an http or https address",
            hint="write it like http://localhost:11434/v1",
            key=key,
        )
    return url
