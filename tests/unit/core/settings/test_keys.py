"""Keys of providers in the environment."""

from __future__ import annotations

import pytest

from recollect.core.settings.environment import KEY_VARIABLES, provider_key


@pytest.mark.parametrize(
    ("name", "environ", "key"),
    [
        ("openai", {"OPENAI_API_KEY": "one"}, "one"),
        ("gemini", {"GOOGLE_API_KEY": "two"}, "two"),
        ("gemini", {"GOOGLE_API_KEY": "two", "GEMINI_API_KEY": "one"}, "one"),
        ("voyage", {"VOYAGE_API_KEY": " one\n"}, "one"),
        ("voyage", {"VOYAGE_API_KEY": "  "}, None),
        ("voyage", {"OPENAI_API_KEY": "one"}, None),
        ("unheard-of", {"OPENAI_API_KEY": "one"}, None),
    ],
)
def test_a_key_is_found_under_its_usual_name(
    name: str, environ: dict[str, str], key: str | None
) -> None:
    """That of the provider's own tools; an empty one is none."""
    assert provider_key(name, environ) == key


def test_the_process_environment_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """And no test finds the developer's own keys there."""
    assert all(provider_key(name) is None for name in KEY_VARIABLES)
    monkeypatch.setenv("OPENAI_API_KEY", "made-up")
    assert provider_key("openai") == "made-up"
