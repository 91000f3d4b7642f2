"""What the wires of language models send and read, without a server."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.bill import TokenUse
from recollect.core.errors import ProviderUnavailable
from recollect.models.language.anthropic import AnthropicMessages
from recollect.models.language.model import ask
from recollect.models.language.openai import OpenAIChat
from recollect.models.language.wires import MOST_TOKENS, LanguageWire

WIRES: list[LanguageWire] = [OpenAIChat(model="m"), AnthropicMessages(model="m")]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
)


def _openai(message: object, **more: object) -> bytes:
    return msgspec.json.encode({"choices": [{"message": message}]} | more)


def test_openais_own_models_are_told_their_limit_by_its_new_name() -> None:
    """They think before they write; compatible servers know the old name."""
    prompt = ask("what?", max_output_tokens=9)
    assert OpenAIChat(model="m").body(prompt, "words")["max_completion_tokens"] == 9
    assert OpenAIChat(model="m", is_own=False).body(prompt, "words")["max_tokens"] == 9


def test_parts_of_an_answer_are_put_together() -> None:
    """Some servers send a list."""
    parts = [{"type": "text", "text": "green "}, {"type": "text", "text": "tea"}]
    assert OpenAIChat(model="m").read(_openai({"content": parts})).text == "green tea"


def test_what_a_model_thought_is_no_answer() -> None:
    """Open models write it in front; a later mention of the mark is text."""
    wire = OpenAIChat(model="m")
    answer = "<think>\nhm, tea?\n</think>\n\nuse <think> tags</think>"
    assert wire.read(_openai({"content": answer})).text == "use <think> tags</think>"


@pytest.mark.parametrize(
    ("usage", "use"),
    [
        (None, None),
        ({"prompt_tokens": "many"}, None),
        ({"prompt_tokens": None, "completion_tokens": 3}, TokenUse(output=3)),
        ({"prompt_tokens": -5, "completion_tokens": 10**30}, TokenUse(output=MOST_TOKENS)),
        (
            {"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": 9}},
            TokenUse(cache_read=9),
        ),
    ],
)
def test_an_odd_count_of_tokens_costs_no_answer(usage: object, use: TokenUse | None) -> None:
    """It is estimated instead; a number that cannot be is brought into bounds."""
    reply = OpenAIChat(model="m").read(_openai({"content": "tea"}, usage=usage))
    assert (reply.text, reply.use) == ("tea", use)


def test_an_answer_without_a_choice_is_none() -> None:
    """The next try may bring one."""
    with pytest.raises(ProviderUnavailable):
        OpenAIChat(model="m").read(b'{"choices": []}')


@given(found=JSON, body=st.binary(max_size=40), place=st.sampled_from(["content", "choices"]))
def test_anything_is_an_answer_or_an_error(found: Any, body: bytes, place: str) -> None:
    """Nothing from outside raises anything else."""
    shaped = msgspec.json.encode({place: found, "usage": found, "stop_reason": None})
    message = msgspec.json.encode({"choices": [{"message": found}], "usage": found})
    for wire in WIRES:
        for each in (body, shaped, message):
            with suppress(ProviderUnavailable):
                assert isinstance(wire.read(each).text, str)
