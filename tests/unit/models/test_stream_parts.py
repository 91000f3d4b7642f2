"""The parts of a stream: events, reasoning, rounds, calls in pieces, cancelling."""

from __future__ import annotations

import threading
from typing import Any

import msgspec
import pytest

from recollect.core.errors import Cancelled, ProviderUnavailable
from recollect.models.cancellation import Cancellation
from recollect.models.http.events import ServerSentEvents
from recollect.models.language.anthropic import AnthropicMessages, MessageReply
from recollect.models.language.model import ToolOutcome, ask
from recollect.models.language.openai import OpenAIChat
from recollect.models.language.spoken import SpokenText, ThoughtFilter
from recollect.models.language.tools import ToolRound
from recollect.models.language.wires import LanguageReply, ToolRequest


@pytest.mark.parametrize("size", [1, 2, 3, 1_000])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_events_are_read_however_they_are_cut(size: int, end: str) -> None:
    """Comments, names and ids are no data; an event without an end is none."""
    lines = [": hello", "", "event: a", "data: one", "", "", "data:two", "data:  2", "id: 7", ""]
    body = end.join([*lines, "retry: 5", "", "data: {", "", "data: lost"]).encode()
    events = ServerSentEvents(body[at : at + size] for at in range(0, len(body), size))
    assert list(events) == [b"one", b"two\n 2", b"{"]


def test_what_is_no_event_is_kept_for_the_error() -> None:
    """A body of another kind, up to a limit."""
    events = ServerSentEvents([b'{"error":\n', b'{"code": 5}}'])
    assert (list(events), events.other) == ([], b'{"error":{"code": 5}}')
    events = ServerSentEvents([b"<html>\n" * 100_000])
    assert (list(events), len(events.other) < 66_000) == ([], True)


@pytest.mark.parametrize("size", [1, 4, 1_000])
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\n<think>a < b </think>\n\n It is </think> red. ", "It is </think> red. "),
        ("<think>no end", ""),
        ("<think></think>", ""),
        ("<thin>k", "<thin>k"),
        ("  plain <think>x</think>", "  plain <think>x</think>"),
        ("", ""),
    ],
)
def test_reasoning_before_the_answer_is_left_out(text: str, shown: str, size: int) -> None:
    """However it is cut."""
    thoughts = ThoughtFilter()
    pieces = [thoughts.take(text[at : at + size]) for at in range(0, len(text), size)]
    assert "".join(pieces) == shown


def test_rounds_are_set_apart_where_both_have_words() -> None:
    """The gap is a part of the next piece."""
    pieces: list[str] = []
    text = SpokenText(pieces.append)
    for round_pieces in [[""], ["Let", " me"], [], ["", "  It", " is"]]:
        text.begin_round()
        for piece in round_pieces:
            text.say(piece)
    assert pieces == ["Let", " me", "\n\nIt", " is"]
    assert (text.whole, text.pieces) == ("Let me\n\nIt is", 4)


def _chat(*chunks: dict[str, Any] | bytes) -> LanguageReply:
    received = OpenAIChat(model="m").receive()
    for chunk in chunks:
        received.take(chunk if isinstance(chunk, bytes) else msgspec.json.encode(chunk))
    return received


def _calls(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"tool_calls": list(parts)}}]}


def _part(index: int | None, call: str | None, name: str | None, arguments: str) -> dict[str, Any]:
    return {"index": index, "id": call, "function": {"name": name, "arguments": arguments}}


@pytest.mark.parametrize(
    "chunks",
    [
        [
            _calls(_part(0, "a", "one", "")),
            _calls(_part(1, "b", "two", "")),
            _calls(_part(0, None, None, '{"x":')),
            _calls(_part(1, None, None, "{}"), _part(0, None, None, "1}")),
        ],
        [_calls(_part(0, "a", "one", '{"x":1}')), _calls(_part(0, "b", "two", "{}"))],
        [_calls(_part(None, "a", "one", '{"x":1}')), _calls(_part(None, "b", "two", "{}"))],
        [
            _calls(_part(0, "a", "one", '{"x":')),
            _calls(_part(0, "a", "one", "1}"), _part(1, "b", "two", "{}")),
        ],
    ],
    ids=["in turn", "all in one place", "without places", "ids again"],
)
def test_calls_of_tools_are_put_together(chunks: list[dict[str, Any]]) -> None:
    """OpenAI numbers them; servers that send whole calls do not always."""
    calls = _chat(*chunks).calls
    assert [(call.id, call.name, call.decoded) for call in calls] == [
        ("a", "one", {"x": 1}),
        ("b", "two", {}),
    ]


def test_calls_without_an_id_get_one() -> None:
    """Their results need it."""
    calls = _chat(_calls(_part(0, None, "one", "{}"), _part(1, None, "two", "{}"))).calls
    assert [(call.id, call.name) for call in calls] == [("call_0", "one"), ("call_1", "two")]


def test_the_tokens_of_a_compatible_server_count_where_it_tells_them() -> None:
    """In the last chunk, or in each of them; only OpenAI is asked for them."""
    usage = {"prompt_tokens": 9, "completion_tokens": 2}
    received = _chat({"choices": [], "usage": usage}, {"choices": None}, b" [DONE]")
    use = received.use
    assert use is not None
    assert (use.input, use.output) == (9, 2)
    assert (received.is_over, received.finish is not None) == (True, True)
    bodies = [
        OpenAIChat(model="m", is_own=is_own).stream_body(ask("?"), ToolRequest())
        for is_own in (True, False)
    ]
    assert ["stream_options" in body for body in bodies] == [True, False]


def test_the_counts_of_a_message_are_those_at_its_end() -> None:
    """The input is told at the start, the output at the end; gateways tell some of it."""
    received = AnthropicMessages(model="m").receive()
    assert isinstance(received, MessageReply)
    start = {"input_tokens": 9, "cache_read_input_tokens": 5, "output_tokens": 1}
    for event in (
        {"type": "message_start", "message": {"model": "m", "usage": start}},
        {"type": "new_kind", "index": 3},
        {"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": "hm"}},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "max_tokens"},
            "usage": {"output_tokens": 8},
        },
    ):
        assert received.take(msgspec.json.encode(event)) == ""
    reply = received
    assert reply.use is not None
    assert (reply.use.input, reply.use.cache_read, reply.use.output) == (9, 5, 8)
    assert (reply.finish, received.finish is not None, received.is_over) == ("length", True, False)
    assert received.written == "hm"
    received = MessageReply("anthropic")
    delta = {"type": "message_delta", "delta": {}, "usage": {"output_tokens": 8}}
    received.take(msgspec.json.encode(delta))
    assert received.use is not None
    with pytest.raises(ProviderUnavailable, match="overloaded_error"):
        received.take(b'{"type": "error", "error": {"type": "overloaded_error", "message": "x"}}')


def test_a_cancellation_calls_back_once() -> None:
    """Also one that comes too late; what was taken back is not called."""
    cancellation, called = Cancellation(), list[str]()
    cancellation.on_cancel(lambda: called.append("a"))
    cancellation.on_cancel(lambda: called.append("b"))()
    cancellation.require_going()
    threading.Timer(0, cancellation.cancel).start()
    cancellation.wait(30)
    cancellation.cancel()
    cancellation.on_cancel(lambda: called.append("c"))()
    assert sorted(called) == ["a", "c"]
    assert cancellation.is_cancelled
    with pytest.raises(Cancelled) as caught:
        cancellation.require_going()
    assert caught.value.as_dict()["code"] == "cancelled"


@pytest.mark.parametrize(
    ("thinking", "own", "compatible", "tokens"),
    [(None, None, None, 0), ("off", "minimal", "none", 0), ("high", "high", "high", 16_384)],
)
def test_how_long_is_thought_is_said_in_the_words_of_the_provider(
    thinking: str | None, own: str | None, compatible: str | None, tokens: int
) -> None:
    """Thinking needs room beside the answer, and takes no temperature."""
    prompt = msgspec.structs.replace(
        ask("?", max_output_tokens=100), thinking=thinking, temperature=0.5
    )
    bodies = [
        OpenAIChat(model="m", is_own=is_own).stream_body(prompt, ToolRequest())
        for is_own in (True, False)
    ]
    assert [body.get("reasoning_effort") for body in bodies] == [own, compatible]
    body = dict[str, Any](AnthropicMessages(model="m").stream_body(prompt, ToolRequest()))
    assert body.get("thinking", {"budget_tokens": 0})["budget_tokens"] == tokens
    assert (body["max_tokens"], "temperature" in body) == (100 + tokens, not tokens)


def test_anthropic_gets_its_thoughts_back_with_what_the_tools_returned() -> None:
    """Signed, before the call, as it refuses the round without them."""
    received = MessageReply("anthropic")
    for event in (
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking"}},
        {"type": "content_block_delta", "index": 0, "delta": {"thinking": "look "}},
        {"type": "content_block_delta", "index": 0, "delta": {"thinking": "it up"}},
        {"type": "content_block_delta", "index": 0, "delta": {"signature": "c2ln"}},
        {
            "type": "content_block_start",
            "index": 1,
            "content_block": {"type": "redacted_thinking", "data": "ZGF0YQ"},
        },
        {"type": "content_block_delta", "index": 1, "delta": {"thinking": "not of this kind"}},
        {
            "type": "content_block_start",
            "index": 2,
            "content_block": {"type": "tool_use", "id": "t1", "name": "memory_search"},
        },
        {"type": "content_block_delta", "index": 2, "delta": {"partial_json": '{"query": "x"}'}},
    ):
        received.take(msgspec.json.encode(event))
    reply = received
    outcome = (ToolOutcome("none"),)
    of = ToolRound(
        text="", calls=tuple(reply.calls), outcomes=outcome, thoughts=tuple(reply.thoughts)
    )
    dialect = AnthropicMessages(model="m")
    body = dict[str, Any](dialect.stream_body(ask("?"), ToolRequest(rounds=(of,))))
    assert body["messages"][1]["content"] == [
        {"type": "thinking", "thinking": "look it up", "signature": "c2ln"},
        {"type": "redacted_thinking", "data": "ZGF0YQ"},
        {"type": "tool_use", "id": "t1", "name": "memory_search", "input": {"query": "x"}},
    ]
