"""The cost of a model's answer, in tokens, as the provider counts it.

Kept in the metadata of the message that it belongs to (``usage``), and added up on the session.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any, LiteralString

import msgspec

from recollect.core.errors import InvalidInput
from recollect.store.engine import Transaction

FIELD = "usage"
MODEL = "model"

MOST = 10**12
"""More tokens than any provider counts; a larger number is a mistake."""

_WITHIN = (
    "prompt_tokens_details.cached_tokens",
    "input_tokens_details.cached_tokens",
    "prompt_cache_hit_tokens",
    "cachedContentTokenCount",
    "cachedInputTokens",
    "cached_tokens",
)
"""Names of counts that are a part of the input beside them."""
_NAMES = {
    "input": ("input", "input_tokens", "prompt_tokens", "promptTokenCount", "inputTokens"),
    "output": (
        "output",
        "output_tokens",
        "completion_tokens",
        "candidatesTokenCount",
        "outputTokens",
    ),
    "cache_read": (
        "cache_read",
        "cache_read_input_tokens",
        "cacheRead",
        "cacheReadInputTokens",
        *_WITHIN,
    ),
    "cache_write": (
        "cache_write",
        "cache_creation_input_tokens",
        "cacheWrite",
        "cacheWriteInputTokens",
        "cacheCreationInputTokens",
    ),
    "context": ("context", "context_tokens", "contextTokens"),
}
"""Our names, and those of Anthropic, OpenAI, Gemini, DeepSeek, Bedrock, the AI SDK and OpenClaw."""
_WHOLE = frozenset({"prompt_tokens", "promptTokenCount"})
"""Names of counts of the whole prompt, what came from the cache included."""
_BESIDE = "thoughtsTokenCount"
"""Output of Gemini that is not part of its candidates' count."""

_ADD: LiteralString = """
    UPDATE sessions SET input_tokens = input_tokens + ?, output_tokens = output_tokens + ?,
        cache_tokens = cache_tokens + ?, total_tokens = total_tokens + ?,
        context_tokens = coalesce(?, context_tokens), model = coalesce(?, model)
    WHERE id = ?
"""


class TokenUsage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Tokens of one answer.

    Attributes:
        input: Read, without what came from the provider's cache.
        output: Written.
        cache_read: Read from the cache.
        cache_write: Put into the cache.
        context: The whole prompt; if not given, all that was read.
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    context: int = 0

    @property
    def total(self) -> int:
        """Everything that was read and written."""
        return self.input + self.cache_read + self.cache_write + self.output

    @property
    def in_context(self) -> int:
        """What was in the prompt."""
        return self.context or self.input + self.cache_read + self.cache_write


def usage_of(usage: TokenUsage | Mapping[str, Any]) -> TokenUsage:
    """Return a usage by our names, from any known spelling; unknown names are ignored.

    Raises:
        InvalidInput: a count is not a whole number from 0.

    >>> usage_of({"prompt_tokens": 12, "completion_tokens": 3}).total
    15
    """
    if isinstance(usage, TokenUsage):
        counts = {name: getattr(usage, name) for name in _NAMES}
    elif isinstance(usage, dict) and usage.keys() <= _NAMES.keys():
        counts = {name: 0 if count is None else count for name, count in usage.items()}
    elif isinstance(usage, Mapping):
        counts = _counts(usage)
    else:
        raise InvalidInput("a usage must be an object", hint="pass counts of tokens by name")
    return TokenUsage(**{name: _checked(count) for name, count in counts.items()})


@functools.lru_cache(maxsize=64)
def _paths(fields: tuple[str, ...]) -> list[tuple[str, str, str, str]]:
    """Return our name, the spelling, its first part and its rest, of spellings in ``fields``."""
    return [
        (name, each, outer, inner)
        for name, spellings in _NAMES.items()
        for each in spellings
        for outer, _, inner in [each.partition(".")]
        if outer in fields
    ]


def _counts(usage: Mapping[str, Any]) -> dict[str, Any]:
    """Return the counts of a provider by our names, each token once."""
    given_as: dict[str, tuple[str, Any]] = dict.fromkeys(_NAMES, ("", 0))
    for name, spelling, outer, inner in _paths(tuple(usage)):
        value = usage[outer]
        if inner:
            value = value.get(inner) if isinstance(value, Mapping) else None
        if value is not None and not given_as[name][0]:
            given_as[name] = spelling, value
    counts = {name: _checked(count) for name, (_, count) in given_as.items()}
    is_whole = given_as["input"][0] in _WHOLE
    parts = ("cache_read", "cache_write") if is_whole else ("cache_read",)
    for part in parts:
        is_part = is_whole or given_as[part][0] in _WITHIN
        # A part is never more than the whole: what is more was counted beside it.
        if is_part and counts[part] <= counts["input"]:
            counts["input"] -= counts[part]
    counts["output"] += _checked(usage.get(_BESIDE) or 0)
    return counts


def _checked(count: Any) -> int:
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= MOST:
        raise InvalidInput("a count of tokens must be a whole number from 0", hint="leave it out")
    return count


def with_usage(
    metadata: Mapping[str, Any], model: str | None, usage: TokenUsage | Mapping[str, Any] | None
) -> Mapping[str, Any]:
    """Return metadata with the model and the usage of a message in it.

    Raises:
        InvalidInput: one of them cannot be read.
    """
    if model is not None and not isinstance(model, str):
        raise InvalidInput("the model must be a text", hint="pass its name, such as claude-opus")
    facts: dict[str, Any] = {} if model is None else {MODEL: model}
    if usage is not None:
        facts[FIELD] = msgspec.to_builtins(usage_of(usage))
    return {**metadata, **facts} if facts else metadata


def read_usage(metadata: Mapping[str, Any]) -> TokenUsage | None:
    """Return the usage in the metadata of a message; None without one that can be read."""
    usage = metadata.get(FIELD)
    if not isinstance(usage, Mapping):
        return None
    try:
        return usage_of(usage)
    except InvalidInput:
        return None


def add_usage(tx: Transaction, session_id: str, facts: Iterable[Mapping[str, Any]]) -> None:
    """Add the cost of messages to their session, and note the model that answered.

    Args:
        tx: Of ``records.db``.
        session_id: The session.
        facts: The metadata of its messages, the newest last.
    """
    model: str | None = None
    context: int | None = None
    inputs = output = cached = total = 0
    for metadata in facts:
        name = metadata.get(MODEL)
        model = name if isinstance(name, str) and name else model
        if (usage := read_usage(metadata)) is not None:
            inputs += usage.input + usage.cache_read + usage.cache_write
            output += usage.output
            cached += usage.cache_read
            total += usage.total
            context = usage.in_context
    if model is not None or context is not None:
        tx.execute(_ADD, (inputs, output, cached, total, context, model, session_id))
