"""Builds language models from the settings: an address, a key and limits, or a command."""

from __future__ import annotations

import msgspec

from recollect.core.errors import ModelMissing
from recollect.core.settings import LanguageSettings, agent_environment
from recollect.models.budget import DailyBudget
from recollect.models.dependencies import Dependencies
from recollect.models.hints import LANGUAGE
from recollect.models.http.auth import is_private
from recollect.models.language.anthropic import AnthropicMessages
from recollect.models.language.claude_cli import PROVIDER as CLAUDE_CLI
from recollect.models.language.claude_cli import ClaudeCli
from recollect.models.language.model import LanguageModel
from recollect.models.language.openai import OpenAIChat
from recollect.models.language.remote import RemoteLanguageModel
from recollect.models.language.wires import LanguageWire
from recollect.models.prices import Price, language_price
from recollect.models.providers import open_client

MAX_ANSWER_BYTES = 4 << 20
"""A million tokens are 4 MB; no model writes that many at once."""


def create(spec: str, settings: LanguageSettings, dependencies: Dependencies) -> LanguageModel:
    """Return the model of a spec. Nothing is sent or started yet.

    Args:
        spec: ``openai`` or ``anthropic`` (or a compatible server) or ``claude-cli``, or one of them
            with a model: ``provider:model``.
        settings: Address, key, headers and limits.
        dependencies: Its other dependencies.

    Raises:
        ModelMissing: the command of ``claude-cli`` is not installed.
        ProviderRejected: a key is missing, and the address is the provider's own.
        ConfigError: the address or a header is not one.
    """
    provider, _, model = spec.partition(":")
    if provider == CLAUDE_CLI:
        return _claude_cli(model, settings, dependencies)
    wire = _wire(provider, model, settings)
    client = open_client(
        provider,
        settings,
        dependencies,
        LANGUAGE,
        read_s=settings.timeout_s,
        max_answer_bytes=MAX_ANSWER_BYTES,
    )
    is_remote = not is_private(client.base_url)
    budget = _budget(f"{provider}:{wire.model}", settings, dependencies, is_billed=is_remote)
    return RemoteLanguageModel(wire, client, settings, budget, is_remote=is_remote)


def _wire(provider: str, model: str, settings: LanguageSettings) -> LanguageWire:
    if provider == AnthropicMessages.provider:
        return AnthropicMessages(model=model or AnthropicMessages.default_model)
    is_own = settings.base_url is None
    return OpenAIChat(model=model or OpenAIChat.default_model, is_own=is_own)


def _claude_cli(model: str, settings: LanguageSettings, dependencies: Dependencies) -> ClaudeCli:
    name = f"{CLAUDE_CLI}:{model}" if model else CLAUDE_CLI
    environ = agent_environment(dependencies.environ)
    budget = _budget(name, settings, dependencies, is_billed=True)
    model_command = ClaudeCli(model, environ, settings, budget, dependencies.retry_clock)
    if not model_command.is_installed:
        raise ModelMissing(
            "the command of claude-cli is not installed",
            hint="install Claude Code, or set language.claude_command",
        )
    return model_command


def _budget(
    name: str, settings: LanguageSettings, dependencies: Dependencies, *, is_billed: bool
) -> DailyBudget:
    return DailyBudget(
        settings.daily_tokens if is_billed else 0,
        dependencies.spending,
        dependencies.retry_clock.clock,
        model=name,
        price=language_price(name, settings) if is_billed else Price(0.0),
        hints=LANGUAGE,
        purposes=msgspec.structs.asdict(settings.budgets) if is_billed else {},
    )
