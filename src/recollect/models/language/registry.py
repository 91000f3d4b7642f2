"""Finds the language model of a name: ``none``, ``provider`` or ``provider:model``.

Our own providers stand in a table, those of other packages are entry points of the group
``recollect.language_models``; both are imported when they are chosen. One of another package is a
function that takes the model's name (empty for its default) and the section ``language``.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Protocol, cast

import msgspec

from recollect.core.errors import ModelMissing, ProviderError, ProviderRejected
from recollect.core.plugins import load_plugin, plugin_names
from recollect.core.settings import LanguageSettings, is_inside
from recollect.models.dependencies import Dependencies
from recollect.models.hints import LANGUAGE
from recollect.models.language.model import Completion, LanguageModel, Prompt

GROUP = "recollect.language_models"
NONE = "none"

Creator = Callable[[str, LanguageSettings, Dependencies], LanguageModel]
"""Makes the model of a name; an empty name is the provider's default."""

_BUILT_IN = {
    "openai": "recollect.models.language.providers:create_openai",
    "anthropic": "recollect.models.language.providers:create_anthropic",
    "claude-cli": "recollect.models.language.providers:create_claude_cli",
}


class LanguageProvider(Protocol):
    """What an entry point of the group `GROUP` names."""

    def __call__(self, model: str, settings: LanguageSettings) -> LanguageModel:
        """Return the model of a name; an empty one is the provider's default."""


class LanguageChoice(msgspec.Struct, frozen=True, kw_only=True):
    """Which language model is used, and why.

    Attributes:
        model: None where everything is done by rule.
        reason: One sentence for `recollect status`.
        hint: What would help; empty when there is nothing to do.
        requested: What the settings ask for; empty when a program gave the model.
    """

    model: WatchedModel | None
    reason: str
    hint: str = ""
    requested: str = ""


def choose_language(
    settings: LanguageSettings, dependencies: Dependencies | None = None
) -> LanguageChoice:
    """Return the model that the settings name, and the reason for it. Asks nobody.

    What cannot be made for want of a key or a program is no error: its work is done by rule.

    Args:
        settings: The section ``language``.
        dependencies: What else models are made with; without it, tokens are counted in memory.

    Raises:
        InvalidInput: there is no such provider.
        ConfigError: an address or a header of the settings is none.
        ProviderError: another package's model cannot be imported.
    """
    dependencies = dependencies or Dependencies()
    spec = settings.provider.strip()
    if spec == NONE:
        reason = "none is configured: summaries are made by rule"
        return LanguageChoice(model=None, reason=reason, requested=spec)
    if is_inside(dependencies.environ):
        reason = "this process serves a language model itself: it asks none"
        return LanguageChoice(model=None, reason=reason, requested=spec)
    name, _, model = spec.partition(":")
    try:
        made = _creator(name)(model, settings, dependencies)
    except (ModelMissing, ProviderRejected) as error:
        reason = f"{LANGUAGE.meanwhile}: {error.message}"
        return LanguageChoice(model=None, reason=reason, hint=error.hint, requested=spec)
    return LanguageChoice(
        model=WatchedModel(made), reason=f"{made.name} is configured", requested=spec
    )


def language_names() -> list[str]:
    """Return the names that ``language.provider`` can start with, sorted."""
    return sorted({NONE, *_BUILT_IN, *plugin_names(GROUP)})


def _creator(name: str) -> Creator:
    if name in _BUILT_IN:
        module, _, function = _BUILT_IN[name].partition(":")
        return cast("Creator", getattr(importlib.import_module(module), function))
    provider: LanguageProvider = load_plugin(GROUP, name, LANGUAGE.kind, (NONE, *_BUILT_IN))
    return lambda model, settings, _: provider(model, settings)


class WatchedModel:
    """Passes everything on, and keeps the last failure until an answer comes.

    Args:
        inner: Who is asked.
    """

    def __init__(self, inner: LanguageModel) -> None:
        self.inner = inner
        self.trouble: str | None = None

    @property
    def name(self) -> str:
        """Return ``provider:model``."""
        return self.inner.name

    @property
    def is_remote(self) -> bool:
        """Tell whether what is asked leaves this machine or network."""
        return self.inner.is_remote

    def complete(self, prompt: Prompt) -> Completion:
        """Return the answer; see `LanguageModel.complete`."""
        try:
            found = self.inner.complete(prompt)
        except ProviderError as error:
            self.trouble = error.message
            raise
        self.trouble = None
        return found

    def close(self) -> None:
        """Give connections back."""
        self.inner.close()
