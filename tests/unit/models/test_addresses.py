"""Addresses of providers."""

from __future__ import annotations

import pytest

from recollect.core.errors import ConfigError
from recollect.models.http.auth import check_address, is_private, plain_address

SELF = "[::1]"


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost:11434", True),
        ("127.0.0.1:1234", True),
        (f"{SELF}:1234", True),
        ("192.168.1.7", True),
        ("10.1.2.3", True),
        ("169.254.1.1", True),
        ("ollama:11434", True),
        ("gpu.lan", True),
        ("api.openai.com", False),
        ("8.8.8.8", False),
        ("localhost.example.org", False),
    ],
)
def test_an_address_of_ones_own_is_told(host: str, expected: bool) -> None:
    """Nobody bills for what stays on the machine or in the network."""
    assert is_private(f"http://{host}/v1") is expected


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        ("HTTPS://API.OpenAI.com:443/v1/", "https://api.openai.com/v1"),
        ("https://me:secret@host/v1?key=secret#x", "https://host/v1"),
        (f"http://{SELF}:80/v1", f"http://{SELF}/v1"),
        ("http://host:8080", "http://host:8080"),
    ],
)
def test_an_address_has_one_spelling_without_secrets(url: str, plain: str) -> None:
    """It is part of the provider key."""
    assert plain_address(url) == plain


@pytest.mark.parametrize(
    "url", ["localhost:11434", "ftp://host/v1", "http://", "http://host:port", "", f"http:{'//[x'}"]
)
def test_what_is_no_address_is_refused(url: str) -> None:
    """Before anybody is asked."""
    with pytest.raises(ConfigError, match=r"embedding\.remote\.base_url"):
        check_address(url)
