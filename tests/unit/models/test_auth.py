"""Keys and headers: where they come from, where they may go."""

from __future__ import annotations

import pytest

from recollect.core.errors import ConfigError
from recollect.models.hints import LANGUAGE
from recollect.models.http.auth import find_key, no_key, parse_headers, public_headers

LOCAL = "http://localhost:11434/v1"


def test_a_key_of_the_environment_is_never_sent_in_clear() -> None:
    """It was made for the provider's own address."""
    environ = {"OPENAI_API_KEY": "real"}
    assert find_key("openai", None, None, environ) == "real"
    assert find_key("openai", None, "https://gateway/v1", environ) == "real"
    assert find_key("openai", None, LOCAL, environ) is None
    assert find_key("openai", "given", LOCAL, environ) == "given"


def test_a_missing_key_is_told_with_its_variable_and_its_setting() -> None:
    """Those of the kind of model that lacks it."""
    error = no_key("anthropic", LANGUAGE)
    assert error.message == "the language model anthropic needs a key"
    assert error.hint == "set ANTHROPIC_API_KEY or language.api_key"


def test_headers_are_read_from_lines() -> None:
    """Names in small letters; a wrong line is told by its number, for it may hold a secret."""
    assert parse_headers(("X-Team: search", "x-empty:")) == {"x-team": "search", "x-empty": ""}
    with pytest.raises(ConfigError) as caught:
        parse_headers(("X-Team: search", "my secret"))
    assert "line 2" in caught.value.message
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("line", ["", "no colon", "bad name: x", "x: a\nb: c", "x: ü"])
def test_what_is_no_header_is_refused(line: str) -> None:
    """No line break may smuggle another one in."""
    with pytest.raises(ConfigError):
        parse_headers((line,))


def test_secrets_are_recognised_by_the_name_of_their_header() -> None:
    """Whatever is left is public: it is hashed into the provider key."""
    names = [
        "authorization",
        "proxy-authorization",
        "api-key",
        "x-api-key",
        "x-auth-token",
        "cookie",
    ]
    assert public_headers(dict.fromkeys([*names, "x-client-secret", "x-team"], "v")) == {
        "x-team": "v"
    }
