"""The wire format of OpenAI's chat completions, spoken by Ollama, vLLM, OpenRouter and many others.

``POST {base}/chat/completions``. OpenAI's own models take ``max_completion_tokens``, for they think
before they write; compatible servers know ``max_tokens``. JSON is asked for with the schema, then
as some object, then in words: not every server knows the first two.

Source: the API reference of OpenAI, "Create chat completion".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

import msgspec

from recollect.core.bill import TokenUse
from recollect.models.hints import LANGUAGE
from recollect.models.language.model import Finish, Prompt
from recollect.models.language.wire import (
    NOTHING,
    JsonWay,
    LanguageReply,
    counted,
    decode_reply,
    decode_usage,
    strict_schema,
    system_with_schema,
)

PROVIDER = "openai"
DEFAULT_MODEL = "gpt-5-mini"

_THOUGHT = re.compile(r"\A\s*<think>.*?</think>\s*", re.DOTALL)
"""What some open models think before they answer; not all servers take it out."""
_FINISHES: Mapping[str | None, Finish] = {"stop": "stop", "length": "length"}


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


class _Usage(msgspec.Struct, frozen=True):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _Details | None = None


class _Body(msgspec.Struct, frozen=True):
    choices: list[_Choice]
    model: str | None = None
    usage: msgspec.Raw = NOTHING


class OpenAIChat(msgspec.Struct, frozen=True, kw_only=True):
    """Speaks to OpenAI and what is compatible.

    Attributes:
        model: The model's name.
        is_own: The address is OpenAI's.
    """

    model: str
    is_own: bool = True

    provider: ClassVar[str] = PROVIDER
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
        """Return what an answer says."""
        answer = decode_reply(PROVIDER, body, _Body)
        if not answer.choices:
            raise LANGUAGE.unreadable(PROVIDER)
        choice = answer.choices[0]
        return LanguageReply(
            text=_text(choice.message.content),
            use=_use(decode_usage(answer.usage, _Usage)),
            model=answer.model or "",
            finish=_FINISHES.get(choice.finish_reason, "other"),
            is_declined=bool(choice.message.refusal) or choice.finish_reason == "content_filter",
        )


def _format(schema: Mapping[str, object], way: JsonWay) -> dict[str, object]:
    if way == "object":
        return {"type": "json_object"}
    named = {"name": "answer", "strict": True, "schema": strict_schema(schema)}
    return {"type": "json_schema", "json_schema": named}


def _text(content: str | list[_Part] | None) -> str:
    if isinstance(content, list):
        content = "".join(part.text for part in content)
    return _THOUGHT.sub("", content or "")


def _use(usage: _Usage | None) -> TokenUse | None:
    if usage is None:
        return None
    details = usage.prompt_tokens_details
    cached = counted(details.cached_tokens if details else None)
    return TokenUse(
        input=counted(counted(usage.prompt_tokens) - cached),
        output=counted(usage.completion_tokens),
        cache_read=cached,
    )
