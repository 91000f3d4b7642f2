"""The settings of language models: which one, over which wire, at what cost."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct


class LanguageSettings(Struct, frozen=True, kw_only=True):
    """The model that writes summaries; without one they are made by rule."""

    provider: Annotated[
        str,
        Meta(min_length=1, max_length=200),
        "none: no model, summaries are made by rule and nothing leaves the machine. Otherwise "
        "openai, anthropic or claude-cli, with a model after a colon if it is not to be the "
        "default one, such as openai:gpt-5-mini.",
    ] = "none"
    base_url: Annotated[
        str | None,
        "Address of openai or anthropic. Unset: the provider's own. With it, openai speaks to "
        "anything compatible: Ollama, LM Studio, vLLM, a llama.cpp server.",
    ] = None
    api_key: Annotated[
        str | None,
        Meta(extra={"secret": True}),
        "Key of the provider. Unset: OPENAI_API_KEY or ANTHROPIC_API_KEY of the environment.",
    ] = None
    headers: Annotated[
        tuple[str, ...],
        Meta(max_length=50, extra={"secret": True}),
        "More headers of every request, such as `X-Team: agents`.",
    ] = ()
    max_output_tokens: Annotated[
        int,
        Meta(ge=16, le=1_000_000, extra={"unit": "tokens"}),
        "Longest answer, where a request does not say it. What a model thinks before it writes is "
        "counted too.",
    ] = 8_000
    timeout_s: Annotated[
        float,
        Meta(ge=0.1, le=3_600.0, extra={"unit": "s"}),
        "Longest an answer may take, tries and waits included; then it is made by rule.",
    ] = 60.0
    daily_tokens: Annotated[
        int,
        Meta(ge=0, le=1_000_000_000_000, extra={"unit": "tokens"}),
        "Tokens read and written in one day (UTC) at most; a model on this machine or network has "
        "no limit. 0: no limit.",
    ] = 2_000_000
    input_price: Annotated[
        float | None,
        Meta(extra={"unit": "USD for a million tokens"}),
        "Price of what is read. Unset: the list price where it is known.",
    ] = None
    output_price: Annotated[
        float | None,
        Meta(extra={"unit": "USD for a million tokens"}),
        "Price of what is written. Unset: the list price where it is known.",
    ] = None
    claude_command: Annotated[
        str,
        Meta(min_length=1, max_length=1_000),
        "Program of the provider claude-cli: a name on the PATH, or a path.",
    ] = "claude"
    claude_max_usd: Annotated[
        float,
        Meta(ge=0.01, le=1_000.0, extra={"unit": "USD"}),
        "What one call of claude-cli may cost at most.",
    ] = 0.5
