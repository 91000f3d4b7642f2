"""The limits of a prompt and of its answer, and estimates of their tokens."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from recollect.core.bill import TokenUse
from recollect.core.errors import InvalidInput, ProviderRejected
from recollect.models.language.model import Prompt, ToolSpec
from recollect.models.language.tools import ToolRound
from recollect.text.tokens import estimate_tokens


def bounded(prompt: Prompt, max_output_tokens: int) -> Prompt:
    """Return a prompt with a limit for its answer: its own, else ``max_output_tokens``.

    Raises:
        InvalidInput: its last message is not the user's.
    """
    if not prompt.messages or prompt.messages[-1].role != "user":
        raise InvalidInput(
            "the last message of a prompt must be the user's", hint="add the question"
        )
    limit = prompt.max_output_tokens or max_output_tokens
    return msgspec.structs.replace(prompt, max_output_tokens=limit)


def most_tokens(prompt: Prompt) -> int:
    """Return the estimated maximum of tokens of a bounded prompt and its answer."""
    return estimated_use(prompt, "").input + prompt.max_output_tokens


def estimated_use(prompt: Prompt, answer: str) -> TokenUse:
    """Return the estimated tokens of a prompt and its answer, within 15 % for most languages."""
    schema = msgspec.json.encode(prompt.schema).decode() if prompt.schema is not None else ""
    texts = [prompt.system, schema, *(each.text for each in prompt.messages)]
    input_tokens = sum(estimate_tokens(text) for text in texts if text)
    return TokenUse(input=input_tokens, output=estimate_tokens(answer))


def estimated_input(prompt: Prompt, specs: Sequence[ToolSpec], rounds: Sequence[ToolRound]) -> int:
    """Return the estimated tokens of a prompt with its tools and their outcomes so far."""
    tools = msgspec.json.encode([specs, rounds]).decode() if specs else ""
    return estimated_use(prompt, "").input + estimate_tokens(tools)


def declined(name: str) -> ProviderRejected:
    """Return the error for a model that refuses to answer."""
    return ProviderRejected(
        f"{name} declined to answer", hint="choose another model, which may; it is done by rule"
    )
