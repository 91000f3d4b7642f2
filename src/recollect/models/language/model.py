"""The port of language models: prompts, answers, and the interface of a model.

Knows no provider. `recollect.models.registry` chooses the model; `structured_output` checks answers
that must be JSON of a certain type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, Protocol

import msgspec

from recollect.core.bill import TokenUse
from recollect.core.errors import Cancelled, ProviderError
from recollect.models.cancellation import Cancellation as Cancellation

Role = Literal["user", "assistant"]
Finish = Literal["stop", "length", "other"]
"""Why an answer ended: it was complete, it was cut at its limit, or another reason."""
OnPiece = Callable[[str], object]
"""Gets the next piece of an answer."""


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
        thinking: How much a streamed answer is thought over: ``off`` (as little as the model can),
            ``low``, ``medium`` or ``high``; None leaves it to the model.
    """

    system: str = ""
    messages: tuple[PromptMessage, ...]
    max_output_tokens: int = 0
    temperature: float | None = None
    schema: Mapping[str, object] | None = None
    purpose: str = ""
    thinking: str | None = None


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


class ToolSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A tool that a model may call.

    Attributes:
        name: Letters, digits, ``_`` and ``-``, at most 64 characters.
        description: When to call it, and what it returns.
        schema: The JSON schema of its arguments: an object.
        writes: Whether it changes something.
    """

    name: str
    description: str
    schema: Mapping[str, object]
    writes: bool = False


class ToolOutcome(msgspec.Struct, frozen=True):
    """The result of a tool, as the model reads it.

    Attributes:
        text: The result, or what is wrong with the call.
        is_error: Whether the call failed.
    """

    text: str
    is_error: bool = False


class Toolbox(Protocol):
    """The tools of one call of a model. They are called one at a time, from any thread."""

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """Return the tools that are offered."""

    def call(self, name: str, arguments: Mapping[str, object]) -> ToolOutcome:
        """Return the result of the tool ``name``, which is one of `specs`.

        Bad arguments are an outcome with ``is_error``, not an exception.
        """


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

    def stream(
        self,
        prompt: Prompt,
        on_piece: OnPiece,
        *,
        toolbox: Toolbox | None = None,
        cancellation: Cancellation | None = None,
    ) -> Completion:
        """Return the answer once it is complete, and its text in pieces as it arrives.

        Args:
            prompt: The request; a schema is only described, not enforced.
            on_piece: Gets each piece, in order, in the calling thread. The pieces make up
                ``Completion.text``.
            toolbox: The tools that the model may call before it answers, in at most 8 rounds.
            cancellation: Ends the call from another thread.

        Returns:
            The whole text, with the tokens and the cost of all rounds.

        Raises:
            Cancelled: it was cancelled; what was spent until then is counted.
            ProviderUnavailable: there was none in time, it broke off, or the day's tokens are
                spent. ``facts["partial"]`` if pieces were already given out.
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
        return self._watch(lambda: self.inner.complete(prompt))

    def stream(
        self,
        prompt: Prompt,
        on_piece: OnPiece,
        *,
        toolbox: Toolbox | None = None,
        cancellation: Cancellation | None = None,
    ) -> Completion:
        """Return the answer, given out in pieces; see `LanguageModel.stream`."""
        return self._watch(
            lambda: self.inner.stream(prompt, on_piece, toolbox=toolbox, cancellation=cancellation)
        )

    def _watch(self, answer: Callable[[], Completion]) -> Completion:
        try:
            completion = answer()
        except Cancelled:
            raise
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
