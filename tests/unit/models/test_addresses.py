"""Addresses of providers."""

from __future__ import annotations

import pytest

from recollect.core.errors import ConfigError
from recollect.models.addresses import check_address, is_private, plain_address


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://localhost:11434/v1", True),
        ("http://127.0.0.1:1234", True),
        ("http://[::1]:1234", True),
        ("http://192.168.1.7/v1", True),
        ("http://10.1.2.3/v1", True),
        ("http://169.254.1.1/v1", True),
        ("http://ollama:11434/v1", True),
        ("http://gpu.lan/v1", True),
        ("https://api.openai.com/v1", False),
        ("https://8.8.8.8/v1", False),
        ("https://localhost.example.org/v1", False),
    ],
)
def test_an_address_of_ones_own_is_told(url: str, expected: bool) -> None:
    """Nobody bills for what stays on the machine or in the network."""
    assert is_private(url) is expected


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        ("HTTPS://API.OpenAI.com:443/v1/", "https://api.openai.com/v1"),
        ("https://me:secret@host/v1?key=secret#x", "https://host/v1"),
        ("http://[::1]:80/v1", "http://[::1]/v1"),
        ("http://host:8080", "http://host:8080"),
    ],
)
def test_an_address_has_one_spelling_without_secrets(url: str, plain: str) -> None:
    """It is part of the provider key."""
    assert plain_address(url) == plain


@pytest.mark.parametrize(
    "url", ["localhost:11434", "ftp://host/v1", "http://", "http://host:port/v1", "", "http://[x"]
)
def test_what_is_no_address_is_refused(url: str) -> None:
    """Before anybody is asked."""
    with pytest.raises(ConfigError, match=r"embedding\.remote\.base_url"):
        check_address(url)
