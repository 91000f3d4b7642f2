"""The wire formats of language models: the requests and answers of each provider.

A wire knows path, requests and answers of one provider. It sends nothing itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, Protocol, TypeVar

import msgspec

from recollect.core.bill import TokenUse
from recollect.core.decoding import decode_json
from recollect.models.hints import LANGUAGE
from recollect.models.http.client import decode_answer
from recollect.models.http.error_mapping import map_error
from recollect.models.language.model import Finish, Prompt, ToolSpec
from recollect.models.language.tools import FunctionCall, ToolRound

T = TypeVar("T")

JsonWay = Literal["schema", "object", "words"]
"""How JSON is requested: the provider enforces the schema, enforces any object, or the schema is in
the prompt and not enforced."""


NOTHING = msgspec.Raw(b"null")
"""A missing part of an answer."""
MOST_TOKENS = 1_000_000_000
"""More than any request uses; a server that reports more is wrong."""


class ToolRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What a request with tools has besides its prompt.

    Attributes:
        specs: The tools; none makes it a request without tools.
        rounds: The calls so far.
        is_last: Whether the model must answer without another call.
    """

    specs: Sequence[ToolSpec] = ()
    rounds: Sequence[ToolRound] = ()
    is_last: bool = False


class LanguageReply(ABC):
    """The reply of a provider, as far as it was received.

    Args:
        provider: For errors.

    Attributes:
        text: The answer.
        written: All that the model wrote, its reasoning and calls included.
        use: Tokens; None if not reported.
        model: The provider's name of the model; empty if not reported.
        finish: Why it ended; None as long as the model did not say so.
        is_over: Whether no event follows.
        is_declined: Whether the model refused to answer.
        calls: Tools that it calls before it answers.
        thoughts: What it thought before that; Anthropic wants it back with what the tools returned.
    """

    def __init__(self, provider: str) -> None:
        self.provider = provider
        self.text = self.written = self.model = ""
        self.use: TokenUse | None = None
        self.finish: Finish | None = None
        self.is_over = self.is_declined = False
        self.calls: list[FunctionCall] = []
        self.thoughts: list[dict[str, str]] = []

    @abstractmethod
    def take(self, event: bytes) -> str:
        """Return the text that the data of an event adds to the answer.

        Raises:
            ProviderError: it is an error, or it cannot be read.
        """

    def decoded(self, event: bytes, shape: type[T]) -> T:
        """Return the data of an event; raise the error that it is."""
        error = map_error(200, event)
        if error is not None:
            raise error.error(self.provider, None, LANGUAGE)
        return decode_answer(self.provider, event, shape, LANGUAGE)


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

    def stream_body(self, prompt: Prompt, tools: ToolRequest) -> Mapping[str, object]:
        """Return a request whose answer is a stream of events, before it becomes JSON."""

    def receive(self) -> LanguageReply:
        """Return a reply that is empty so far."""


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
