"""Builds language models from the settings: an address, a key and limits, or a command."""

from __future__ import annotations

from recollect.core.errors import ModelMissing
from recollect.core.settings import LanguageSettings, agent_environment
from recollect.models.budget import DailyBudget
from recollect.models.dependencies import Dependencies
from recollect.models.hints import LANGUAGE
from recollect.models.http.auth import is_private
from recollect.models.language import anthropic_messages, openai_chat
from recollect.models.language.claude_cli import PROVIDER as CLAUDE_CLI
from recollect.models.language.claude_cli import ClaudeCli
from recollect.models.language.remote import RemoteLanguageModel
from recollect.models.language.wire import LanguageWire
from recollect.models.prices import Price, language_price
from recollect.models.providers import ANTHROPIC, OPENAI, Provider, open_client

MAX_ANSWER_BYTES = 4 << 20
"""A million tokens are 4 MB; no model writes as many at once."""


def create_openai(
    model: str, settings: LanguageSettings, dependencies: Dependencies
) -> RemoteLanguageModel:
    """Return a model of OpenAI or of a compatible server; see `build_remote`."""
    name, is_own = model or openai_chat.DEFAULT_MODEL, settings.base_url is None
    wire = openai_chat.OpenAIChat(model=name, is_own=is_own)
    return build_remote(OPENAI, wire, settings, dependencies)


def create_anthropic(
    model: str, settings: LanguageSettings, dependencies: Dependencies
) -> RemoteLanguageModel:
    """Return a model of Anthropic or of a compatible server; see `build_remote`."""
    wire = anthropic_messages.AnthropicMessages(model=model or anthropic_messages.DEFAULT_MODEL)
    return build_remote(ANTHROPIC, wire, settings, dependencies)


def create_claude_cli(
    model: str, settings: LanguageSettings, dependencies: Dependencies
) -> ClaudeCli:
    """Return the model of Claude Code's command; it is looked for, not started.

    Raises:
        ModelMissing: there is no such command.
    """
    name = f"{CLAUDE_CLI}:{model}" if model else CLAUDE_CLI
    environ = agent_environment(dependencies.environ)
    budget = _budget(name, settings, dependencies, is_billed=True)
    made = ClaudeCli(model, environ, settings, budget, dependencies.retry_clock)
    if not made.is_installed:
        raise ModelMissing(
            "the command of claude-cli is not installed",
            hint="install Claude Code, or set language.claude_command",
        )
    return made


def build_remote(
    provider: Provider, wire: LanguageWire, settings: LanguageSettings, dependencies: Dependencies
) -> RemoteLanguageModel:
    """Return the model that speaks ``wire`` with the address and limits of the settings.

    Nothing is sent yet.

    Raises:
        ProviderRejected: there is no key, and no address of the user's own that may need none.
        ConfigError: the address or a header is not one.
    """
    client = open_client(
        provider,
        settings,
        dependencies,
        LANGUAGE,
        read_s=settings.timeout_s,
        max_answer_bytes=MAX_ANSWER_BYTES,
    )
    is_remote = not is_private(client.base_url)
    budget = _budget(f"{wire.provider}:{wire.model}", settings, dependencies, is_billed=is_remote)
    return RemoteLanguageModel(wire, client, settings, budget, is_remote=is_remote)


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
    )
