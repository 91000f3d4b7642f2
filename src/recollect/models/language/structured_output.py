"""Answers as JSON of a certain type: requested, decoded, checked, and corrected once.

After an invalid answer the model gets the error and a second try; after that it is an error. The
output is only decoded, never executed.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import msgspec

from recollect.core.bill import TokenUse
from recollect.core.decoding import decode_json
from recollect.core.errors import AnswerUnusable, InvalidInput
from recollect.models.language.model import Completion, LanguageModel, Prompt, PromptMessage

T = TypeVar("T")

_SHOWN = 20_000
"""Characters of an invalid answer that the model is shown again."""


class Answered(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """A checked answer.

    Attributes:
        value: The decoded answer.
        use: Tokens of all requests for it.
        usd: The cost; None where a price is not known.
        model: ``provider:model``.
        is_repaired: Whether the first answer was invalid.
    """

    value: T
    use: TokenUse
    usd: float | None
    model: str
    is_repaired: bool


def complete_as(model: LanguageModel, prompt: Prompt, shape: type[T]) -> Answered[T]:
    """Return the answer of ``model`` as a value of ``shape``.

    Args:
        model: The model.
        prompt: The request; its schema is set here.
        shape: A msgspec struct; its constraints are checked.

    Raises:
        AnswerUnusable: the second answer was invalid too, or one was cut at its limit.
        InvalidInput: ``shape`` is not a struct.
        ProviderError: the model did not answer.
    """
    prompt = msgspec.structs.replace(prompt, schema=schema_of(shape))
    first = model.complete(prompt)
    try:
        return _answered(_decoded(first, shape), first)
    except msgspec.MsgspecError as error:
        second = model.complete(_again(prompt, first.text, str(error)))
    try:
        return _answered(_decoded(second, shape), second, first)
    except msgspec.MsgspecError as error:
        raise AnswerUnusable(
            f"{second.model} answered with something else than what was asked for, twice",
            hint="choose another model, which may do better; it is done by rule",
            model=second.model,
        ) from error


def schema_of(shape: type[Any]) -> dict[str, object]:
    """Return the JSON schema of a struct, with an object at its root as providers want it.

    Raises:
        InvalidInput: ``shape`` is not a struct, or has types that JSON does not have.
    """
    if not issubclass(shape, msgspec.Struct):
        raise InvalidInput("an answer must be a struct", hint="wrap it in a msgspec.Struct")
    try:
        schema = msgspec.json.schema(shape)
    except TypeError as error:
        raise InvalidInput("no JSON can be of this type", hint="use plain types") from error
    definitions: dict[str, Any] = dict(schema.get("$defs", {}))
    root: dict[str, object] = dict(definitions.pop(schema["$ref"].rpartition("/")[2]))
    return root | {"$defs": definitions} if definitions else root


def bare_json(text: str) -> str:
    """Return the text that looks like a JSON object in an answer, without fences and words around.

    >>> bare_json('Here you are: ```json {"a": 1} ``` Anything else?')
    '{"a": 1}'
    """
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else text


def _decoded(completion: Completion, shape: type[T]) -> T:
    if completion.finish == "length":
        raise AnswerUnusable(
            f"the answer of {completion.model} was cut at its limit",
            hint="raise language.max_output_tokens",
            model=completion.model,
        )
    return decode_json(bare_json(completion.text), shape)


def _again(prompt: Prompt, answer: str, why: str) -> Prompt:
    request = f"This cannot be used: {why}. Answer again, with the corrected JSON object only."
    messages = (
        *prompt.messages,
        PromptMessage(role="assistant", text=answer[:_SHOWN] or "{}"),
        PromptMessage(text=request),
    )
    return msgspec.structs.replace(prompt, messages=messages)


def _answered(value: T, last: Completion, first: Completion | None = None) -> Answered[T]:
    costs = [each.usd for each in (first, last) if each is not None]
    return Answered(
        value=value,
        use=last.use + first.use if first else last.use,
        usd=None if None in costs else sum(cost or 0.0 for cost in costs),
        model=last.model,
        is_repaired=first is not None,
    )
