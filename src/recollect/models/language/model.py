"""The port of language models: prompts, answers, and the interface of a model.

Knows no provider. `recollect.models.registry` chooses the model; `structured_output` checks answers
that must be JSON of a certain type.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol

import msgspec

from recollect.core.bill import TokenUse
from recollect.core.errors import ProviderError

Role = Literal["user", "assistant"]
Finish = Literal["stop", "length", "other"]
"""Why an answer ended: it was complete, it was cut at its limit, or another reason."""


class PromptMessage(msgspec.Struct, frozen=True, kw_only=True):
    """One message of a prompt."""

    role: Role = "user"
    text: str


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """A request to a model.

    Attributes:
        system: The instructions. Texts of users belong in `messages`, where they are data.
        messages: The conversation, oldest first; the last one is the user's.
        max_output_tokens: Longest answer; 0 takes ``language.max_output_tokens``.
        temperature: Randomness; None leaves it to the model, as some do not accept one.
        schema: The JSON schema of an object as the answer; None asks for text.
        purpose: One of ``language.uses``: it has its own budget, and is counted separately.
    """

    system: str = ""
    messages: tuple[PromptMessage, ...]
    max_output_tokens: int = 0
    temperature: float | None = None
    schema: Mapping[str, object] | None = None
    purpose: str = ""


class Completion(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of a model.

    Attributes:
        text: The answer; unchecked JSON as text if there was a schema.
        use: Tokens as counted by the provider.
        usd: The cost; None where the price is not known, 0.0 if it is free.
        model: ``provider:model``, with the model's name in the answer.
        finish: Why it ended.
    """

    text: str
    use: TokenUse
    usd: float | None
    model: str
    finish: Finish


class LanguageModel(Protocol):
    """Writes answers. Safe to share between threads."""

    @property
    def name(self) -> str:
        """Return ``provider:model``."""

    @property
    def is_remote(self) -> bool:
        """Return whether requests leave this machine or network."""

    def complete(self, prompt: Prompt) -> Completion:
        """Return the answer.

        Raises:
            ProviderUnavailable: there was none in time, or the day's tokens are spent.
            ProviderRejected: the model will never answer this.
        """

    def close(self) -> None:
        """Close the connections; calls in progress fail soon."""


class WatchedModel:
    """Passes everything on, and keeps the last failure until the next answer.

    Args:
        inner: The model that answers.
    """

    def __init__(self, inner: LanguageModel) -> None:
        self.inner = inner
        self.name = inner.name
        self.is_remote = inner.is_remote
        self.close = inner.close
        self.trouble: str | None = None

    def complete(self, prompt: Prompt) -> Completion:
        """Return the answer; see `LanguageModel.complete`."""
        try:
            completion = self.inner.complete(prompt)
        except ProviderError as error:
            self.trouble = error.message
            raise
        self.trouble = None
        return completion


def ask(text: str, *, system: str = "", max_output_tokens: int = 0, purpose: str = "") -> Prompt:
    """Return the prompt of a single message.

    >>> ask("who?").messages[0].role
    'user'
    """
    messages = (PromptMessage(text=text),)
    return Prompt(
        system=system, messages=messages, max_output_tokens=max_output_tokens, purpose=purpose
    )
