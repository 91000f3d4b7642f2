"""The wire formats of language models: the requests and answers of each provider.

A wire knows path, body and answer of one provider. It sends nothing itself.

Source: the API references of OpenAI ("Create chat completion") and Anthropic ("Create a Message").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, Protocol, TypeVar

import msgspec

from recollect.core.bill import TokenUse
from recollect.core.decoding import decode_json
from recollect.models.hints import LANGUAGE
from recollect.models.http.client import decode_answer
from recollect.models.language.model import Finish, Prompt
from recollect.models.language.spoken import ThoughtFilter
from recollect.models.language.tools import FunctionCall

T = TypeVar("T")

JsonWay = Literal["schema", "object", "words"]
"""How JSON is requested: the provider enforces the schema, enforces any object, or the schema is in
the prompt and not enforced."""


NOTHING = msgspec.Raw(b"null")
"""A missing part of an answer."""
MOST_TOKENS = 1_000_000_000
"""More than any request uses; a server that reports more is wrong."""


class LanguageReply(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of a provider.

    Attributes:
        text: The answer.
        use: Tokens; None if not reported.
        model: The provider's name of the model; empty if not reported.
        finish: Why it ended.
        is_declined: Whether the model refused to answer.
        calls: Tools that it calls before it answers.
        thoughts: What it thought before that; Anthropic wants it back with what the tools returned.
    """

    text: str
    use: TokenUse | None
    model: str = ""
    finish: Finish = "stop"
    is_declined: bool = False
    calls: tuple[FunctionCall, ...] = ()
    thoughts: tuple[Mapping[str, str], ...] = ()


class LanguageWire(Protocol):
    """One provider's wire format."""

    provider: ClassVar[str]
    path: ClassVar[str]
    """The path of requests, relative to the base URL."""
    json_ways: ClassVar[Sequence[JsonWay]]
    """The ways to request JSON, the most reliable first, ``words`` last."""

    @property
    def model(self) -> str:
        """Return the model's name, as the provider knows it."""

    def body(self, prompt: Prompt, way: JsonWay) -> Mapping[str, object]:
        """Return a request before it becomes JSON; ``way`` applies to a prompt with a schema."""

    def read(self, body: bytes) -> LanguageReply:
        """Return the reply in an answer.

        Raises:
            ProviderUnavailable: it cannot be read.
        """


def decode_usage(raw: msgspec.Raw, shape: type[T]) -> T | None:
    """Return the token counts of an answer; None where they cannot be read.

    Unusual counts of a server do not make its answer unusable.
    """
    try:
        return decode_json(raw, shape)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def counted(tokens: int | None) -> int:
    """Return a count within its bounds: 0 for None or less, `MOST_TOKENS` at most."""
    return min(max(tokens or 0, 0), MOST_TOKENS)


def system_with_schema(prompt: Prompt) -> str:
    """Return the system prompt with the schema in it, where nothing else enforces it."""
    if prompt.schema is None:
        return prompt.system
    schema = msgspec.json.encode(prompt.schema).decode()
    rule = f"Answer with one JSON object and nothing else. It matches this JSON schema:\n{schema}"
    return f"{prompt.system}\n\n{rule}".strip()


def strict_schema(schema: Mapping[str, object]) -> dict[str, object]:
    """Return ``schema`` in the form of providers that enforce it.

    Every property is required, none may be added, defaults are left out.

    Source: "Structured outputs", API guides of OpenAI and Anthropic.

    >>> found = strict_schema({"properties": {"name": {"type": "string", "default": ""}}})
    >>> found["required"], found["properties"]
    (['name'], {'name': {'type': 'string'}})
    """
    strict = {key: _strict_part(key, value) for key, value in schema.items() if key != "default"}
    properties = strict.get("properties")
    if isinstance(properties, dict):
        strict |= {"required": list(properties), "additionalProperties": False}
    return strict


def _strict_part(key: str, value: object) -> object:
    if isinstance(value, Mapping):
        if key in {"properties", "$defs"}:  # names of properties, not keywords of the schema
            return {name: _strict_part("", part) for name, part in value.items()}
        return strict_schema(value)
    if isinstance(value, list | tuple):
        return [_strict_part("", each) for each in value]
    return value


_CHAT_FINISHES: Mapping[str | None, Finish] = {
    "stop": "stop",
    "tool_calls": "stop",
    "length": "length",
}


class _Part(msgspec.Struct, frozen=True):
    text: str = ""


class _Message(msgspec.Struct, frozen=True):
    content: str | list[_Part] | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct, frozen=True):
    message: _Message
    finish_reason: str | None = None


class _Details(msgspec.Struct, frozen=True):
    cached_tokens: int | None = None


class _ChatUsage(msgspec.Struct, frozen=True):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _Details | None = None


class _ChatBody(msgspec.Struct, frozen=True):
    choices: list[_Choice]
    model: str | None = None
    usage: msgspec.Raw = NOTHING


class OpenAIChat(msgspec.Struct, frozen=True, kw_only=True):
    """Speaks to OpenAI and compatible servers: Ollama, vLLM, OpenRouter and many others.

    ``POST {base}/chat/completions``. OpenAI's own models take ``max_completion_tokens``, as they
    reason before they write; compatible servers know ``max_tokens``. JSON is requested with the
    schema, then as any object, then in words: not every server supports the first two.

    Attributes:
        model: The model's name.
        is_own: Whether the address is OpenAI's.
    """

    model: str
    is_own: bool = True

    provider: ClassVar[str] = "openai"
    default_model: ClassVar[str] = "gpt-5-mini"
    path: ClassVar[str] = "chat/completions"
    json_ways: ClassVar[Sequence[JsonWay]] = ("schema", "object", "words")

    def body(self, prompt: Prompt, way: JsonWay) -> Mapping[str, object]:
        """Return a request before it becomes JSON."""
        system = prompt.system if way == "schema" else system_with_schema(prompt)
        messages = [{"role": "system", "content": system}] if system else []
        messages += [{"role": each.role, "content": each.text} for each in prompt.messages]
        limit = "max_completion_tokens" if self.is_own else "max_tokens"
        body: dict[str, object] = {
            "model": self.model,
            "messages": messages,
            limit: prompt.max_output_tokens,
        }
        if prompt.temperature is not None:
            body["temperature"] = prompt.temperature
        if prompt.schema is not None and way != "words":
            body["response_format"] = _format(prompt.schema, way)
        return body

    def read(self, body: bytes) -> LanguageReply:
        """Return the reply in an answer."""
        answer = decode_answer(self.provider, body, _ChatBody, LANGUAGE)
        if not answer.choices:
            raise LANGUAGE.unreadable(self.provider)
        choice = answer.choices[0]
        return LanguageReply(
            text=_text(choice.message.content),
            use=chat_use(answer.usage),
            model=answer.model or "",
            finish=chat_finish(choice.finish_reason),
            is_declined=bool(choice.message.refusal) or choice.finish_reason == "content_filter",
        )


def _format(schema: Mapping[str, object], way: JsonWay) -> dict[str, object]:
    if way == "object":
        return {"type": "json_object"}
    schema_format = {"name": "answer", "strict": True, "schema": strict_schema(schema)}
    return {"type": "json_schema", "json_schema": schema_format}


def _text(content: str | list[_Part] | None) -> str:
    if isinstance(content, list):
        content = "".join(part.text for part in content)
    return ThoughtFilter().take(content or "")


def chat_finish(reason: str | None) -> Finish:
    """Return why an answer of OpenAI ended."""
    return _CHAT_FINISHES.get(reason, "other")


def chat_use(raw: msgspec.Raw) -> TokenUse | None:
    """Return the tokens of an answer of OpenAI; None if not reported."""
    usage = decode_usage(raw, _ChatUsage)
    if usage is None:
        return None
    details = usage.prompt_tokens_details
    cached = counted(details.cached_tokens if details else None)
    return TokenUse(
        input=counted(counted(usage.prompt_tokens) - cached),
        output=counted(usage.completion_tokens),
        cache_read=cached,
    )


_TOOL = "answer"
_FINISHES: Mapping[str | None, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
}


def message_finish(reason: str | None) -> Finish:
    """Return why an answer of Anthropic ended."""
    return _FINISHES.get(reason, "other")


class _Block(msgspec.Struct, frozen=True):
    type: str
    text: str = ""
    input: msgspec.Raw = msgspec.Raw(b"{}")


class _Usage(msgspec.Struct, frozen=True):
    """The tokens of an answer, as Anthropic counts them; its command does the same."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None


def use_of(raw: msgspec.Raw) -> TokenUse | None:
    """Return the tokens of an answer; None if not reported."""
    usage = decode_usage(raw, _Usage)
    if usage is None:
        return None
    return TokenUse(
        input=counted(usage.input_tokens),
        output=counted(usage.output_tokens),
        cache_read=counted(usage.cache_read_input_tokens),
        cache_write=counted(usage.cache_creation_input_tokens),
    )


class _Body(msgspec.Struct, frozen=True):
    content: list[_Block]
    model: str | None = None
    stop_reason: str | None = None
    usage: msgspec.Raw = NOTHING


class AnthropicMessages(msgspec.Struct, frozen=True, kw_only=True):
    """Speaks to Anthropic and compatible servers.

    ``POST {base}/v1/messages``. JSON is requested as the input of a tool that the model must call,
    which every model and gateway supports, then in words.

    Attributes:
        model: The model's name.
    """

    model: str

    provider: ClassVar[str] = "anthropic"
    default_model: ClassVar[str] = "claude-haiku-4-5"
    path: ClassVar[str] = "v1/messages"
    json_ways: ClassVar[Sequence[JsonWay]] = ("schema", "words")

    def body(self, prompt: Prompt, way: JsonWay) -> Mapping[str, object]:
        """Return a request before it becomes JSON."""
        system = prompt.system if way == "schema" else system_with_schema(prompt)
        body: dict[str, object] = {
            "model": self.model,
            "max_tokens": prompt.max_output_tokens,
            "messages": [{"role": each.role, "content": each.text} for each in prompt.messages],
        }
        if system:
            body["system"] = system
        if prompt.temperature is not None:
            body["temperature"] = prompt.temperature
        if prompt.schema is not None and way == "schema":
            about = "Takes the answer."
            tool = {"name": _TOOL, "description": about, "input_schema": prompt.schema}
            body |= {"tools": [tool], "tool_choice": {"type": "tool", "name": _TOOL}}
        return body

    def read(self, body: bytes) -> LanguageReply:
        """Return the reply in an answer; the input of the tool as JSON."""
        answer = decode_answer(self.provider, body, _Body, LANGUAGE)
        calls = [block for block in answer.content if block.type == "tool_use"]
        if calls:
            text = bytes(calls[0].input).decode()
        else:
            text = "".join(block.text for block in answer.content if block.type == "text")
        return LanguageReply(
            text=text,
            use=use_of(answer.usage),
            model=answer.model or "",
            finish=message_finish(answer.stop_reason),
            is_declined=answer.stop_reason == "refusal",
        )
