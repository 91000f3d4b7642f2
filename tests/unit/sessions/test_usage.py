"""Tokens: what a message weighs, and what the answers of a session cost."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.core.errors import InvalidInput
from recollect.sessions.record.token_usage import TokenUsage, usage_of
from recollect.sessions.sessions import Sessions
from recollect.text.tokens import estimate_tokens


@pytest.mark.parametrize(
    "given",
    [
        {"input_tokens": 10, "output_tokens": 3, "cache_read_input_tokens": 90},
        {"prompt_tokens": 10, "completion_tokens": 3, "cached_tokens": 90},
        {"promptTokenCount": 10, "candidatesTokenCount": 3, "cache_read": 90},
        {"input": 10, "output": 3, "cacheRead": 90, "cost": {"total": 0.1}},
    ],
)
def test_the_words_of_every_provider_are_understood(given: dict[str, Any]) -> None:
    """What is not a count of tokens is left out."""
    assert usage_of(given) == TokenUsage(input=10, output=3, cache_read=90)
    assert (usage_of(given).total, usage_of(given).in_context) == (103, 100)


def test_a_session_adds_up_what_its_answers_cost(sessions: Sessions) -> None:
    """And knows the model, and what stood in the last prompt."""
    session = sessions.create()
    sessions.append(session.id, "user", "hello")
    sessions.append(
        session.id, "assistant", "hi", model="opus", usage={"input_tokens": 10, "output_tokens": 2}
    )
    usage = TokenUsage(input=5, output=3, cache_read=15, context=21)
    sessions.append_many(
        session.id,
        [
            ("user", "and?"),
            {"role": "assistant", "content": "so", "model": "haiku", "usage": usage},
        ],
    )
    found = sessions.get(session.id)
    assert (found.input_tokens, found.output_tokens, found.cache_tokens) == (30, 5, 15)
    assert (found.total_tokens, found.context_tokens, found.model) == (35, 21, "haiku")
    answer = sessions.messages(session.id)[1]
    assert answer.metadata == {"model": "opus", "usage": {"input": 10, "output": 2}}


def test_messages_that_come_together_cost_what_they_cost_one_by_one(sessions: Sessions) -> None:
    """The newest that tells the model, or what stood in the prompt, has the last word."""
    said: list[dict[str, Any]] = [
        {"role": "assistant", "content": "a", "model": "opus", "usage": {"input": 10, "output": 2}},
        {"role": "assistant", "content": "b", "model": "haiku"},
        {"role": "assistant", "content": "c", "usage": {"input": 1, "cache_write": 4}},
        {"role": "user", "content": "d", "metadata": {"usage": "none"}},
    ]
    together, alone = sessions.create(), sessions.create()
    sessions.append_many(together.id, said)
    for each in said:
        sessions.append_many(alone.id, [each])
    one, other = sessions.get(together.id), sessions.get(alone.id)
    for name in ("input_tokens", "output_tokens", "cache_tokens", "total_tokens"):
        assert getattr(one, name) == getattr(other, name)
    assert (one.model, one.context_tokens) == (other.model, other.context_tokens) == ("haiku", 5)


def test_the_same_event_costs_once(sessions: Sessions) -> None:
    """Who tries again does not pay again."""
    session = sessions.create()
    for _ in range(2):
        sessions.append(session.id, "assistant", "hi", usage={"output": 2}, event_id="e1")
    assert sessions.get(session.id).output_tokens == 2


def test_every_message_knows_about_how_long_it_is(sessions: Sessions) -> None:
    """As the budget counts."""
    session = sessions.create()
    text = "The boiler is serviced in October, by the firm from Harburg."
    message = sessions.append(session.id, "user", text)
    assert message.tokens == estimate_tokens(text) > 5
    assert sessions.messages(session.id)[0].tokens == message.tokens


@pytest.mark.parametrize(
    "usage", [{"input": -1}, {"output": 1.5}, {"input": True}, 7, {"input": 10**13}]
)
def test_a_usage_that_cannot_be_one_is_refused(sessions: Sessions, usage: Any) -> None:
    """Nothing is stored."""
    session = sessions.create()
    with pytest.raises(InvalidInput):
        sessions.append(session.id, "assistant", "hi", usage=usage)
    assert sessions.messages(session.id) == []


def test_metadata_that_only_looks_like_a_usage_is_kept_and_not_counted(sessions: Sessions) -> None:
    """Imported facts are whatever they are."""
    session = sessions.create()
    sessions.append(session.id, "assistant", "hi", metadata={"usage": "much", "model": 7})
    assert sessions.get(session.id).total_tokens == 0
    assert sessions.get(session.id).model is None


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            {"prompt_tokens": 100, "completion_tokens": 7,
             "prompt_tokens_details": {"cached_tokens": 80}},
            (20, 7, 80, 0),
        ),
        ({"input_tokens": 100, "output_tokens": 7, "input_tokens_details": {"cached_tokens": 80}},
         (20, 7, 80, 0)),
        (
            {"promptTokenCount": 100, "candidatesTokenCount": 7, "thoughtsTokenCount": 5,
             "cachedContentTokenCount": 80},
            (20, 12, 80, 0),
        ),
        ({"prompt_tokens": 100, "completion_tokens": 7, "prompt_cache_hit_tokens": 80},
         (20, 7, 80, 0)),
        ({"inputTokens": 100, "outputTokens": 7, "cachedInputTokens": 80}, (20, 7, 80, 0)),
        (
            {"prompt_tokens": 100, "completion_tokens": 7, "cache_read_input_tokens": 80,
             "cache_creation_input_tokens": 15, "prompt_tokens_details": {"cached_tokens": 80}},
            (5, 7, 80, 15),
        ),
        (
            {"input_tokens": 20, "output_tokens": 7, "cache_read_input_tokens": 80,
             "cache_creation_input_tokens": 15},
            (20, 7, 80, 15),
        ),
        ({"inputTokens": 20, "outputTokens": 7, "cacheReadInputTokens": 80}, (20, 7, 80, 0)),
        ({"input": 20, "output": 7, "cacheRead": 80}, (20, 7, 80, 0)),
        ({"prompt_tokens": 10, "prompt_tokens_details": None}, (10, 0, 0, 0)),
    ],
)  # fmt: skip
def test_every_token_is_counted_once_whatever_the_provider_calls_it(
    given: dict[str, object], expected: tuple[int, int, int, int]
) -> None:
    """Some count what came from the cache within the prompt, others beside it."""
    usage = usage_of(given)
    assert (usage.input, usage.output, usage.cache_read, usage.cache_write) == expected
