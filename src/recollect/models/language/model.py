"""The port of language models: what is asked, what comes back, and what a model must be able to do.

Knows no provider. `recollect.models.registry` chooses who is asked; `structured_output` checks
answers that must be JSON of a certain type.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol

import msgspec

from recollect.core.bill import TokenUse
from recollect.core.errors import ProviderError

Role = Literal["user", "assistant"]
Finish = Literal["stop", "length", "other"]
"""Why an answer ended: it was done, it was cut at its limit, or for another reason."""


class PromptMessage(msgspec.Struct, frozen=True, kw_only=True):
    """One message of a prompt."""

    role: Role = "user"
    text: str


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """What a model is asked.

    Attributes:
        system: What it is to do. Texts of users belong into `messages`, where they are data.
        messages: The conversation, oldest first; the last one is the user's.
        max_output_tokens: Longest answer; 0 takes ``language.max_output_tokens``.
        temperature: How much is left to chance; None leaves it to the model, for some take none.
        schema: JSON schema of an object that the answer must be; None asks for text.
        purpose: What for, one of ``language.uses``: it has its own budget, and is counted apart.
    """

    system: str = ""
    messages: tuple[PromptMessage, ...]
    max_output_tokens: int = 0
    temperature: float | None = None
    schema: Mapping[str, object] | None = None
    purpose: str = ""


class Completion(msgspec.Struct, frozen=True, kw_only=True):
    """What a model answered.

    Attributes:
        text: The answer; JSON as text where a schema was asked for, not yet checked.
        use: Tokens as the provider counted them.
        usd: What it cost; None where the price is not known, 0.0 where no one bills.
        model: ``provider:model``, the model as the provider names it in its answer.
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
        """Tell whether what is asked leaves this machine or network."""

    def complete(self, prompt: Prompt) -> Completion:
        """Return the answer.

        Raises:
            ProviderUnavailable: there was none in time, or the day's tokens are spent.
            ProviderRejected: the model will never answer this.
        """

    def close(self) -> None:
        """Give connections back; calls in progress fail soon."""


class WatchedModel:
    """Passes everything on, and keeps the last failure until an answer comes.

    Args:
        inner: Who is asked.
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
            found = self.inner.complete(prompt)
        except ProviderError as error:
            self.trouble = error.message
            raise
        self.trouble = None
        return found


def ask(text: str, *, system: str = "", max_output_tokens: int = 0, purpose: str = "") -> Prompt:
    """Return the prompt of a single message.

    >>> ask("who?").messages[0].role
    'user'
    """
    messages = (PromptMessage(text=text),)
    return Prompt(
        system=system, messages=messages, max_output_tokens=max_output_tokens, purpose=purpose
    )
