"""The wire format of Anthropic's messages.

``POST {base}/v1/messages`` with ``x-api-key`` and ``anthropic-version``. JSON is asked for as the
input of a tool that the model must call, which every model and gateway knows, then in words.

Source: the API reference of Anthropic, "Create a Message".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import msgspec

from recollect.core.bill import TokenUse
from recollect.models.language.model import Finish, Prompt
from recollect.models.language.wire import (
    NOTHING,
    JsonWay,
    LanguageReply,
    counted,
    decode_reply,
    decode_usage,
    system_with_schema,
)

PROVIDER = "anthropic"
DEFAULT_MODEL = "claude-haiku-4-5"

_TOOL = "answer"
_FINISHES: Mapping[str | None, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
}


class _Block(msgspec.Struct, frozen=True):
    type: str
    text: str = ""
    input: msgspec.Raw = msgspec.Raw(b"{}")


class Usage(msgspec.Struct, frozen=True):
    """The tokens of an answer, as Anthropic counts them; its command does the same."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None

    def use(self) -> TokenUse:
        """Return them as we count them."""
        return TokenUse(
            input=counted(self.input_tokens),
            output=counted(self.output_tokens),
            cache_read=counted(self.cache_read_input_tokens),
            cache_write=counted(self.cache_creation_input_tokens),
        )


def use_of(raw: msgspec.Raw) -> TokenUse | None:
    """Return the tokens of an answer; None where it does not say."""
    usage = decode_usage(raw, Usage)
    return usage.use() if usage else None


class _Body(msgspec.Struct, frozen=True):
    content: list[_Block]
    model: str | None = None
    stop_reason: str | None = None
    usage: msgspec.Raw = NOTHING


class AnthropicMessages(msgspec.Struct, frozen=True, kw_only=True):
    """Speaks to Anthropic and what is compatible.

    Attributes:
        model: The model's name.
    """

    model: str

    provider: ClassVar[str] = PROVIDER
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
        """Return what an answer says; the input of the tool as JSON."""
        answer = decode_reply(PROVIDER, body, _Body)
        calls = [block for block in answer.content if block.type == "tool_use"]
        if calls:
            text = bytes(calls[0].input).decode()
        else:
            text = "".join(block.text for block in answer.content if block.type == "text")
        return LanguageReply(
            text=text,
            use=use_of(answer.usage),
            model=answer.model or "",
            finish=_FINISHES.get(answer.stop_reason, "other"),
            is_declined=answer.stop_reason == "refusal",
        )
