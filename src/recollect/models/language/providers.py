"""Builds language models out of the settings: an address, a key, limits, or a command."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.core.bill import TokenUse
from recollect.core.errors import ModelMissing
from recollect.core.settings import LanguageSettings, agent_environment
from recollect.models.budget import DailyBudget
from recollect.models.dependencies import Dependencies
from recollect.models.hints import LANGUAGE
from recollect.models.http.auth import check_address, find_key, is_private, no_key, parse_headers
from recollect.models.http.client import ProviderClient
from recollect.models.http.retry import RetryClock
from recollect.models.language import anthropic_messages, openai_chat
from recollect.models.language.claude_cli import PROVIDER as CLAUDE_CLI
from recollect.models.language.claude_cli import ClaudeCli
from recollect.models.language.prices import language_price
from recollect.models.language.remote import Allowance, Price, RemoteLanguageModel
from recollect.models.language.wire import LanguageWire

MAX_ANSWER_BYTES = 4 << 20
"""A million tokens are 4 MB; no model writes as many at once."""


def create_openai(
    model: str, settings: LanguageSettings, dependencies: Dependencies
) -> RemoteLanguageModel:
    """Return a model of OpenAI or of what is compatible; asks nobody yet.

    Raises:
        ProviderRejected: there is no key, and no address of one's own that may need none.
        ConfigError: the address or a header is none.
    """
    key = _key(openai_chat.PROVIDER, settings, dependencies)
    wire = openai_chat.OpenAIChat(
        model=model or openai_chat.DEFAULT_MODEL, is_own=settings.base_url is None
    )
    bearer = {"authorization": f"Bearer {key}"} if key else {}
    return _build(wire, openai_chat.BASE_URL, bearer, settings, dependencies)


def create_anthropic(
    model: str, settings: LanguageSettings, dependencies: Dependencies
) -> RemoteLanguageModel:
    """Return a model of Anthropic or of what is compatible; asks nobody yet.

    Raises:
        ProviderRejected: there is no key, and no address of one's own that may need none.
        ConfigError: the address or a header is none.
    """
    key = _key(anthropic_messages.PROVIDER, settings, dependencies)
    wire = anthropic_messages.AnthropicMessages(model=model or anthropic_messages.DEFAULT_MODEL)
    headers = {"anthropic-version": anthropic_messages.VERSION}
    if key:
        headers["x-api-key"] = key
    return _build(wire, anthropic_messages.BASE_URL, headers, settings, dependencies)


def create_claude_cli(
    model: str, settings: LanguageSettings, dependencies: Dependencies
) -> ClaudeCli:
    """Return the model behind Claude Code's command; it is looked for, not started.

    Raises:
        ModelMissing: there is no such command.
    """
    name = f"{CLAUDE_CLI}:{model}" if model else CLAUDE_CLI
    made = ClaudeCli(
        settings.claude_command,
        model,
        agent_environment(dependencies.environ),
        _allowance(name, settings, dependencies, is_billed=True),
        max_usd=settings.claude_max_usd,
        retry_clock=dependencies.retry_clock or RetryClock(clock=dependencies.clock),
    )
    if not made.is_installed:
        raise ModelMissing(
            "the command of claude-cli is not installed",
            hint="install Claude Code, or set language.claude_command",
        )
    return made


def _key(provider: str, settings: LanguageSettings, dependencies: Dependencies) -> str | None:
    key = find_key(provider, settings.api_key, settings.base_url, dependencies.environ)
    if key is None and settings.base_url is None:
        raise no_key(provider, LANGUAGE)
    return key


def _build(
    wire: LanguageWire,
    usual_url: str,
    authorization: Mapping[str, str],
    settings: LanguageSettings,
    dependencies: Dependencies,
) -> RemoteLanguageModel:
    base_url = check_address(settings.base_url or usual_url, LANGUAGE.address)
    client = ProviderClient(
        wire.provider,
        base_url,
        {**authorization, **parse_headers(settings.headers, LANGUAGE.headers)},
        retry_clock=dependencies.retry_clock or RetryClock(clock=dependencies.clock),
        max_answer_bytes=MAX_ANSWER_BYTES,
        read_s=settings.timeout_s,
        hints=LANGUAGE,
    )
    name = f"{wire.provider}:{wire.model}"
    is_near = is_private(base_url)
    allowance = _allowance(name, settings, dependencies, is_billed=not is_near)
    return RemoteLanguageModel(wire, client, allowance, is_remote=not is_near)


def _allowance(
    name: str, settings: LanguageSettings, dependencies: Dependencies, *, is_billed: bool
) -> Allowance:
    limit = settings.daily_tokens if is_billed else 0
    return Allowance(
        budget=DailyBudget(limit, dependencies.spending, dependencies.clock, hints=LANGUAGE),
        price=_price(name, settings) if is_billed else _nothing,
        max_output_tokens=settings.max_output_tokens,
        timeout_s=settings.timeout_s,
    )


def _price(name: str, settings: LanguageSettings) -> Price:
    listed = language_price(name, settings)
    return lambda use: None if listed is None else listed.usd(use)


def _nothing(use: TokenUse) -> float | None:
    """Return the price of a model that nobody bills."""
    return 0.0
