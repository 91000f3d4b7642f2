"""The port of a language model's wire format, and what all of them share.

A wire knows path, body and answer of one provider. It sends nothing itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, Protocol, TypeVar

import msgspec

from recollect.core.bill import TokenUse
from recollect.models.hints import LANGUAGE
from recollect.models.language.model import Finish, Prompt

T = TypeVar("T")

JsonWay = Literal["schema", "object", "words"]
"""How JSON is asked for: the provider holds the model to the schema, holds it to some object, or
the schema is in the prompt and nothing holds it."""


NOTHING = msgspec.Raw(b"null")
"""A part of an answer that is not there."""
MOST_TOKENS = 1_000_000_000
"""More than any request takes; a server that counts more is wrong."""


class LanguageReply(msgspec.Struct, frozen=True, kw_only=True):
    """What a provider answered.

    Attributes:
        text: The answer.
        use: Tokens; None where it does not say.
        model: The model's name as the provider knows it; empty where it does not say.
        finish: Why it ended.
        is_declined: The model will not answer this.
    """

    text: str
    use: TokenUse | None
    model: str = ""
    finish: Finish = "stop"
    is_declined: bool = False


class LanguageWire(Protocol):
    """One provider's wire format."""

    provider: ClassVar[str]
    path: ClassVar[str]
    """Where requests go, after the base URL."""
    json_ways: ClassVar[Sequence[JsonWay]]
    """The ways to ask for JSON, the surest first, ``words`` last."""

    @property
    def model(self) -> str:
        """Return the model's name, as the provider knows it."""

    def body(self, prompt: Prompt, way: JsonWay) -> Mapping[str, object]:
        """Return a request before it becomes JSON; ``way`` counts for a prompt with a schema."""

    def read(self, body: bytes) -> LanguageReply:
        """Return what an answer says.

        Raises:
            ProviderUnavailable: it cannot be read.
        """


def decode_reply(provider: str, body: bytes, shape: type[T]) -> T:
    """Return ``body`` as ``shape``.

    Raises:
        ProviderUnavailable: it is not JSON of that shape.
    """
    try:
        return msgspec.json.decode(body, type=shape)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise LANGUAGE.unreadable(provider) from error


def decode_usage(raw: msgspec.Raw, shape: type[T]) -> T | None:
    """Return what an answer says of its tokens; None where it says nothing that can be read.

    An answer is not lost because a server counts in a way of its own.
    """
    try:
        return msgspec.json.decode(raw, type=shape)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def counted(tokens: int | None) -> int:
    """Return a count as it can be: 0 for none or less, `MOST_TOKENS` at most."""
    return min(max(tokens or 0, 0), MOST_TOKENS)


def system_with_schema(prompt: Prompt) -> str:
    """Return the system text with the schema in it, for models that nothing else holds to it."""
    if prompt.schema is None:
        return prompt.system
    schema = msgspec.json.encode(prompt.schema).decode()
    rule = f"Answer with one JSON object and nothing else. It matches this JSON schema:\n{schema}"
    return f"{prompt.system}\n\n{rule}".strip()


def strict_schema(schema: Mapping[str, object]) -> dict[str, object]:
    """Return ``schema`` as providers that hold a model to it want it.

    Every property is required, none may be added, defaults are left out.

    Source: "Structured outputs", API guides of OpenAI and Anthropic.

    >>> found = strict_schema({"properties": {"name": {"type": "string", "default": ""}}})
    >>> found["required"], found["properties"]
    (['name'], {'name': {'type': 'string'}})
    """
    made = {key: _strict_part(key, value) for key, value in schema.items() if key != "default"}
    properties = made.get("properties")
    if isinstance(properties, dict):
        made |= {"required": list(properties), "additionalProperties": False}
    return made


def _strict_part(key: str, value: object) -> object:
    if isinstance(value, Mapping):
        if key in {"properties", "$defs"}:  # names, not words of the schema
            return {name: _strict_part("", part) for name, part in value.items()}
        return strict_schema(value)
    if isinstance(value, list | tuple):
        return [_strict_part("", each) for each in value]
    return value
