"""What the address of a provider says: whether it is ours, and how it reads without secrets."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit, urlunsplit

from recollect.core.errors import ConfigError

_PRIVATE_ENDINGS = (".localhost", ".local", ".internal", ".lan", ".home.arpa")


def is_private(url: str) -> bool:
    """Tell whether ``url`` is on this machine or in a private network: nobody bills for it.

    >>> is_private("http://localhost:11434/v1"), is_private("https://api.openai.com/v1")
    (True, False)
    """
    host = urlsplit(url).hostname or ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        # A name without a dot is known to this network alone, such as a container's.
        return "." not in host or host.endswith(_PRIVATE_ENDINGS)
    return address.is_private or address.is_loopback or address.is_link_local


def plain_address(url: str) -> str:
    """Return ``url`` in one spelling: no credentials, query or final slash, small letters.

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
    """Return ``url`` if a provider can be asked there; ``key`` is the setting that named it.

    Raises:
        ConfigError: it is no http or https address.
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme.lower() in {"http", "https"} and bool(parts.hostname)
        _ = parts.port
    except ValueError:
        usable = False
    if not usable:
        raise ConfigError(
            f"{key} is no http or https address",
            hint="an example is http://localhost:11434/v1",
            key=key,
        )
    return url
