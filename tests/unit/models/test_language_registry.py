"""Which language model the settings name."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from recollect.core.errors import ConfigError, InvalidInput, ProviderError
from recollect.core.settings import LanguageSettings
from recollect.models.dependencies import Dependencies
from recollect.models.language.model import LanguageModel
from recollect.models.registry import LANGUAGE_MODELS, LanguageChoice, choose_language

PLUGIN = """
class Parrot:
    is_remote = False

    def __init__(self, name):
        self.name = name

    def close(self):
        pass


def create(model, settings):
    return Parrot(f"parrot:{model or 'grey'}:{settings.max_output_tokens}")
"""


def _choose(environ: Mapping[str, str] | None = None, **given: object) -> LanguageChoice:
    settings = msgspec.convert(given, LanguageSettings)
    return choose_language(settings, Dependencies(models=Path(), environ=environ or {}))


def _made(environ: Mapping[str, str] | None = None, **given: object) -> LanguageModel:
    model = _choose(environ, **given).model
    assert model is not None
    model.close()
    return model


def test_without_a_setting_there_is_none() -> None:
    """Nothing leaves the machine unless somebody says so: a key alone is no reason."""
    choice = _choose({"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"})
    assert (choice.model, choice.hint) == (None, "")
    assert "by rule" in choice.reason


@pytest.mark.parametrize(
    ("provider", "name"),
    [
        ("openai", "openai:gpt-5-mini"),
        ("openai:gpt-5:beta", "openai:gpt-5:beta"),
        ("anthropic", "anthropic:claude-haiku-4-5"),
        ("anthropic:claude-opus-5-5", "anthropic:claude-opus-5-5"),
    ],
)
def test_a_provider_may_name_its_model(provider: str, name: str) -> None:
    """Behind a colon; else it is the default one."""
    model = _made({"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}, provider=provider)
    assert (model.name, model.is_remote) == (name, True)


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_without_a_key_the_work_is_done_by_rule(provider: str) -> None:
    """That is no error; the hint says which key is missing."""
    choice = _choose(provider=provider)
    assert choice.model is None
    assert "by rule" in choice.reason
    assert "language.api_key" in choice.hint
    assert choice.requested == provider


def test_a_server_of_ones_own_needs_no_key() -> None:
    """Ollama, LM Studio, vLLM, llama.cpp; what is asked stays in this network."""
    model = _made(provider="openai:llama3", base_url="http://localhost:11434/v1")
    assert (model.name, model.is_remote) == ("openai:llama3", False)


def test_a_missing_command_is_told_with_the_way_to_get_it() -> None:
    """Nothing is started to find out."""
    choice = _choose({"PATH": "/nowhere"}, provider="claude-cli", claude_command="no-such-claude")
    assert choice.model is None
    assert "install" in choice.hint


def test_inside_of_a_model_no_model_is_asked() -> None:
    """A hook that the command calls must not start the command again."""
    environ = {"RECOLLECT_INSIDE": "1", "OPENAI_API_KEY": "k"}
    choice = _choose(environ, provider="openai")
    assert choice.model is None
    assert "itself" in choice.reason


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({"base_url": "localhost"}, "language.base_url"),
        ({"headers": ["my secret"]}, "language.headers"),
    ],
)
def test_wrong_settings_are_told_by_their_key(given: dict[str, object], key: str) -> None:
    """Before anybody is asked."""
    with pytest.raises(ConfigError) as caught:
        _choose({"OPENAI_API_KEY": "k"}, provider="openai", **given)
    assert caught.value.facts["key"] == key
    assert "secret" not in str(caught.value)


def test_an_unknown_name_gets_the_nearest_one() -> None:
    """Or all that are known."""
    with pytest.raises(InvalidInput) as caught:
        _choose(provider="antropic")
    assert "anthropic" in caught.value.hint
    with pytest.raises(InvalidInput) as caught:
        _choose(provider="zzz")
    assert "claude-cli" in caught.value.hint


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another package with two models, one of them broken, and one that is named like ours."""
    site = tmp_path / "site"
    info = site / "parrot-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "parrot_plugin.py").write_text(PLUGIN, encoding="utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: parrot\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[recollect.language_models]\n"
        "parrot = parrot_plugin:create\n"
        "broken = parrot_plugin:nothing\n"
        "openai = parrot_plugin:create\n"
    )
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.delitem(sys.modules, "parrot_plugin", raising=False)


@pytest.mark.usefixtures("plugin")
def test_another_package_brings_a_model() -> None:
    """It gets the model's name and the settings."""
    assert _made(provider="parrot:blue", max_output_tokens=99).name == "parrot:blue:99"
    assert {"parrot", "openai", "none"} <= set(LANGUAGE_MODELS.names())


@pytest.mark.usefixtures("plugin")
def test_another_package_cannot_replace_ours() -> None:
    """Else an installed package could read every text."""
    assert _made({"OPENAI_API_KEY": "k"}, provider="openai").name == "openai:gpt-5-mini"


@pytest.mark.usefixtures("plugin")
def test_a_broken_package_is_a_clear_error() -> None:
    """Not an AttributeError of somebody else's module."""
    with pytest.raises(ProviderError, match="broken cannot be imported"):
        _choose(provider="broken")
