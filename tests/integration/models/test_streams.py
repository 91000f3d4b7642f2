"""Streamed answers over their real wire formats, on loopback, with everything that goes wrong."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator, Mapping

import msgspec
import pytest

from recollect.core.bill import TokenUse
from recollect.core.errors import (
    BudgetSpent,
    Cancelled,
    InvalidInput,
    NotFound,
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
    QuotaExhausted,
)
from recollect.models.budget import MemorySpending
from recollect.models.language import providers
from recollect.models.language.model import (
    Cancellation,
    Completion,
    LanguageModel,
    Prompt,
    PromptMessage,
    ToolOutcome,
    ToolSpec,
    ask,
)
from recollect.models.language.tools import MOST_ROUNDS
from tests.integration.models.chat import PROVIDERS, Chat
from tests.support import provider_faults as faults
from tests.support.chat_formats import Said
from tests.support.chat_streams import Calling, results_of
from tests.support.provider_server import Fault, Turn

QUERY = {"type": "object", "properties": {"query": {"type": "string"}}}
SEARCH = Calling("memory_search", '{"query": "kettle and its lid"}')
ANSWER = "The kettle is red.\n"


class Tools:
    """A tool that finds, and one that fails."""

    specs = (
        ToolSpec(name="memory_search", description="Search.", schema=QUERY),
        ToolSpec(name="broken", description="Fail.", schema={"type": "object"}, writes=True),
    )

    def __init__(self) -> None:
        self.calls: list[Mapping[str, object]] = []

    def call(self, name: str, arguments: Mapping[str, object]) -> ToolOutcome:
        """Find the kettle, or fail."""
        if name == "broken":
            raise NotFound("the record does not exist", hint="search first")
        self.calls.append(arguments)
        return ToolOutcome("#1: it is red")


@pytest.fixture
def chat() -> Iterator[Chat]:
    """A server with both formats, that says `ANSWER`."""
    made = Chat()
    made.says = [ANSWER]
    with made.server:
        yield made


def streamed(
    chat: Chat, provider: str, *, tools: Tools | None = None, **changes: object
) -> tuple[Completion, list[str]]:
    """Return an answer and its pieces."""
    pieces: list[str] = []
    with chat.model(provider, **changes) as model:
        completion = model.stream(ask("which?"), pieces.append, toolbox=tools)
    return completion, pieces


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_pieces_make_up_the_text(chat: Chat, provider: str) -> None:
    """With the tokens, where the provider tells them, and one bill."""
    chat.says = [Said(text="The kettle is red.", cached=7)]
    completion, pieces = streamed(chat, provider)
    assert pieces == ["The", " kettle", " is", " red."]
    assert completion.text == "The kettle is red."
    assert completion.finish == "stop"
    assert completion.model == ("openai:m-2026" if provider == "openai" else "anthropic:m")
    (body,) = chat.bodies()
    assert body["stream"] is True
    assert "tools" not in body
    assert isinstance(chat.spending, MemorySpending)
    (bill,) = chat.spending.bills
    assert bill.use == completion.use
    # A compatible server is not asked for its tokens: not every one takes the question.
    assert completion.use == (
        TokenUse(input=2, output=5)
        if provider == "openai"
        else TokenUse(input=completion.use.input, output=5, cache_read=7)
    )


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_piece_is_given_out_before_the_next_one_is_there(chat: Chat, provider: str) -> None:
    """The server holds the rest back until the first word is given out."""
    going_on = threading.Event()
    chat.server.script(faults.held_stream(4, going_on))
    pieces: list[str] = []

    def take(piece: str) -> None:
        pieces.append(piece)
        if len(pieces) == 1:
            assert not going_on.is_set()
        going_on.set()

    with chat.model(provider) as model:
        assert model.stream(ask("which?"), take).text == ANSWER
    assert len(pieces) > 2


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_call_reaches_the_tool_and_its_result_the_model(chat: Chat, provider: str) -> None:
    """The server refuses results without calls; tokens are those of both rounds."""
    chat.says = [Said(text="Let me look. ", calls=(SEARCH,)), ANSWER]
    tools = Tools()
    completion, pieces = streamed(chat, provider, tools=tools)
    assert tools.calls == [{"query": "kettle and its lid"}]
    assert completion.text == "".join(pieces) == f"Let me look. \n\n{ANSWER}"
    first, second = chat.bodies()
    assert [results_of(first["messages"]), results_of(second["messages"])] == [
        [],
        [("#1: it is red", False)],
    ]
    assert isinstance(chat.spending, MemorySpending)
    one, two = chat.spending.bills
    assert one.use + two.use == completion.use


@pytest.mark.parametrize("provider", PROVIDERS)
def test_calls_that_cannot_be_made_are_outcomes(chat: Chat, provider: str) -> None:
    """An invented tool, arguments that are not JSON or no object, a tool that fails."""
    calls = (
        Calling("shell", '{"command": "ls"}', "c1"),
        Calling("memory_search", '{"query": ', "c2"),
        Calling("memory_search", "[1]", "c3"),
        Calling("broken", "", "c4"),
        Calling("memory_search", "", "c5"),
    )
    chat.says = [Said(text="", calls=calls), ANSWER]
    tools = Tools()
    completion, _ = streamed(chat, provider, tools=tools)
    assert completion.text == ANSWER
    assert tools.calls == [{}]
    assert results_of(chat.bodies()[1]["messages"]) == [
        ("This tool does not exist. Use memory_search or broken.", True),
        ("The arguments are not a JSON object.", True),
        ("The arguments are not a JSON object.", True),
        ("the record does not exist. search first", True),
        ("#1: it is red", False),
    ]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_last_round_has_no_tools(chat: Chat, provider: str) -> None:
    """A model that calls for ever is asked to answer, and its last words are the answer."""
    chat.says = [Said(text="", calls=(SEARCH,))] * MOST_ROUNDS + [
        Said(text="I do not know.", calls=(SEARCH,))
    ]
    tools = Tools()
    completion, _ = streamed(chat, provider, tools=tools)
    assert completion.text == "I do not know."
    assert len(tools.calls) == MOST_ROUNDS
    choices = [body["tool_choice"] for body in chat.bodies()]
    kinds = [choice if isinstance(choice, str) else choice["type"] for choice in choices]
    assert kinds == ["auto"] * MOST_ROUNDS + ["none"]
    chat.says = [Said(text="", calls=(SEARCH,))]
    with chat.model(provider) as model, pytest.raises(ProviderUnavailable, match="read") as caught:
        model.stream(ask("which?"), lambda _: None, toolbox=tools)
    assert caught.value.facts["partial"]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_model_without_tools_answers_without_them(chat: Chat, provider: str) -> None:
    """As small local models do; the second call does not try again."""
    chat.formats[provider].takes_tools = False
    with chat.model(provider) as model:
        for _ in range(2):
            completion = model.stream(ask("which?"), lambda _: None, toolbox=Tools())
            assert completion.text == ANSWER
    assert ["tools" in body for body in chat.bodies()] == [True, False, False]


def test_a_refusal_of_the_conversation_is_not_one_of_the_tools(chat: Chat) -> None:
    """A wrong key stays one, and so does a refusal after a tool was called."""
    chat.server.script(faults.status(401, name="invalid_api_key"))
    with chat.model("openai") as model, pytest.raises(ProviderRejected):
        model.stream(ask("which?"), lambda _: None, toolbox=Tools())
    chat.says = [Said(text="", calls=(SEARCH,)), ANSWER]
    chat.server.script(None, faults.status(400, name="invalid_request_error"))
    with chat.model("openai") as model, pytest.raises(ProviderRejected) as caught:
        model.stream(ask("which?"), lambda _: None, toolbox=Tools())
    assert caught.value.facts["partial"]
    assert len(chat.bodies()) == 3


@pytest.mark.parametrize("text", ["<think>\nhm, a kettle? </think>\n\nIt is <think> red.", "<b>x"])
def test_reasoning_is_left_out(chat: Chat, text: str) -> None:
    """Also where its marks come in pieces; what only looks like it stays."""
    chat.says = [text]
    completion, pieces = streamed(chat, "openai")
    assert completion.text == "".join(pieces) == text.rpartition("</think>\n\n")[2]


BROKEN: dict[str, Fault] = {
    "429": faults.limited(),
    "429 in a second": faults.limited("1"),
    "500": faults.status(500),
    "529": faults.status(529, name="overloaded_error"),
    "200 with an error": faults.error_in_200,
    "200 with a page": faults.html,
    "empty": faults.empty_stream,
    "reset": faults.reset,
    "endless": faults.endless,
}
"""What fails before a piece is there."""
HALF: dict[str, Fault] = {
    "cut off": faults.cut_off,
    "ended": faults.ended_stream,
    "garbage": faults.garbage_in_stream,
    "error event": faults.error_in_stream,
}
"""What fails in the middle."""


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("name", BROKEN)
def test_what_fails_before_a_piece_is_tried_again(
    chat: Chat, provider: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody notices but by a wait, which ``Retry-After`` sets."""
    monkeypatch.setattr(providers, "MAX_ANSWER_BYTES", 1 << 20)
    chat.server.script(BROKEN[name])
    completion, pieces = streamed(chat, provider)
    assert completion.text == "".join(pieces) == ANSWER
    assert len(chat.time.waits) == 1
    if name == "429 in a second":
        assert chat.time.waits[0] >= 1.0


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("name", HALF)
def test_what_fails_in_the_middle_is_not(chat: Chat, provider: str, name: str) -> None:
    """What was given out cannot be taken back. It is counted, and said."""
    chat.says = ["one two three four five six seven eight nine ten"]
    chat.server.script(HALF[name])
    pieces: list[str] = []
    with chat.model(provider) as model, pytest.raises(ProviderUnavailable) as caught:
        model.stream(ask("which?"), pieces.append)
    assert caught.value.facts["partial"] is True
    assert caught.value.hint
    assert "".join(pieces).startswith("one two")
    assert "ten" not in pieces[-1]
    assert len(chat.bodies()) == 1
    assert isinstance(chat.spending, MemorySpending)
    (bill,) = chat.spending.bills
    assert bill.use.output >= len(pieces) // 2
    assert bill.use.input > 0


LASTING: dict[str, tuple[Fault, type[ProviderError]]] = {
    "429 for an hour": (faults.limited("3600"), ProviderUnavailable),
    "empty": (faults.empty_stream, ProviderUnavailable),
    "no quota": (faults.quota(), QuotaExhausted),
    "401": (faults.status(401, name="invalid_api_key"), ProviderRejected),
    "413": (faults.too_large(), ProviderRejected),
}


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("name", LASTING)
def test_what_stays_is_a_clear_error(chat: Chat, provider: str, name: str) -> None:
    """With a hint, and without a word of the prompt."""
    fault, kind = LASTING[name]
    chat.server.always(fault)
    with chat.model(provider) as model, pytest.raises(ProviderError) as caught:
        model.stream(ask("my secret"), lambda _: None)
    assert type(caught.value) is kind
    assert caught.value.hint
    assert "secret" not in f"{caught.value} {caught.value.hint} {caught.value.facts}"
    assert "partial" not in caught.value.facts


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_model_that_says_nothing_or_declines_is_an_error(chat: Chat, provider: str) -> None:
    """Only an answer that was cut at its limit may be empty: reasoning took it all."""
    chat.says = ["", Said(text="x", declined=True), Said(text="", finish=_cut(provider))]
    with chat.model(provider) as model:
        with pytest.raises(ProviderRejected, match="declined"):
            model.stream(ask("which?"), lambda _: None)
        assert model.stream(ask("which?"), lambda _: None).finish == "length"


def _cut(provider: str) -> str:
    return "length" if provider == "openai" else "max_tokens"


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_cancelled_stream_ends_at_once(chat: Chat, provider: str) -> None:
    """In the middle of an answer: the connection is closed, what came is counted."""
    chat.server.script(faults.held_stream(4, threading.Event()))
    cancellation = Cancellation()

    def take(_: str) -> None:
        threading.Thread(target=cancellation.cancel).start()

    with chat.model(provider) as model:
        with pytest.raises(Cancelled):
            model.stream(ask("which?"), take, cancellation=cancellation)
        assert _bills(chat) == 1
        with pytest.raises(Cancelled):
            model.stream(ask("which?"), take, cancellation=cancellation)
        assert len(chat.bodies()) == 1
        assert _trouble(model) is None
        assert model.stream(ask("which?"), lambda _: None).text == ANSWER


@pytest.mark.parametrize("is_first", [True, False])
def test_a_stream_is_cancelled_before_its_first_byte(chat: Chat, is_first: bool) -> None:
    """On a new connection and on one that was used before; the provider sees it leave."""
    left, asked = threading.Event(), threading.Event()
    silent = faults.silent(left)

    def answer(turn: Turn) -> None:
        asked.set()
        silent(turn)

    cancellation = Cancellation()
    with chat.model("openai") as model:
        if not is_first:
            model.stream(ask("which?"), lambda _: None)
        chat.server.script(answer)
        errors: list[ProviderError] = []
        thread = threading.Thread(target=_ask_in_vain, args=(model, errors, cancellation))
        thread.start()
        assert asked.wait(10)
        cancellation.cancel()
        thread.join(10)
        assert left.wait(10)
    assert [error.code for error in errors] == ["cancelled"]
    assert _bills(chat) == (1 if is_first else 2)


def test_a_wait_between_two_tries_is_cancelled(chat: Chat) -> None:
    """Also one that the provider asked for."""
    chat.server.always(faults.limited("50"))
    cancellation = Cancellation()
    dependencies = chat.dependencies()
    clock = msgspec.structs.replace(dependencies.retry_clock, pause=None, elapsed=_SlowTime())
    chat.time.retry_clock = lambda: clock  # type: ignore[method-assign]
    errors: list[ProviderError] = []
    with chat.model("openai") as model:
        thread = threading.Thread(target=_ask_in_vain, args=(model, errors, cancellation))
        thread.start()
        while not chat.bodies():
            thread.join(0.01)
        cancellation.cancel()
        thread.join(10)
    assert [error.code for error in errors] == ["cancelled"]


class _SlowTime:
    """Time that stands still, so that no wait ends by itself."""

    def __call__(self) -> float:
        return 0.0


def _ask_in_vain(
    model: LanguageModel, errors: list[ProviderError], cancellation: Cancellation | None = None
) -> None:
    try:
        model.stream(ask("which?"), lambda _: None, cancellation=cancellation)
    except ProviderError as error:
        errors.append(error)


def test_a_closed_model_ends_its_streams(chat: Chat) -> None:
    """In the middle of an answer, and while the provider says nothing."""
    chat.server.script(faults.held_stream(4, threading.Event()))
    model = chat.model("openai").__enter__()
    with pytest.raises(ProviderUnavailable):
        model.stream(ask("which?"), lambda _: model.close())


def test_an_error_of_the_caller_ends_the_stream(chat: Chat) -> None:
    """It is not the provider's; the next stream gets a connection of its own."""

    def fail(_: str) -> None:
        raise OSError("the terminal is gone")

    with chat.model("openai") as model:
        with pytest.raises(OSError, match="terminal"):
            model.stream(ask("which?"), fail)
        assert _bills(chat) == 1
        assert model.stream(ask("which?"), lambda _: None).text == ANSWER


def test_streams_use_one_connection_after_the_other(
    chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new one for each round of tools would cost a handshake."""
    connected: list[object] = []
    connect = socket.create_connection

    def count(*args: object, **named: object) -> socket.socket:
        connected.append(args)
        return connect(*args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "create_connection", count)
    chat.says = [Said(text="", calls=(SEARCH,)), ANSWER]
    with chat.model("anthropic") as model:
        for _ in range(3):
            model.stream(ask("which?"), lambda _: None, toolbox=Tools())
    assert len(chat.bodies()) == 4
    assert len(connected) == 1


def test_silence_has_a_limit(chat: Chat) -> None:
    """Before the first byte and between two; the limits are real time."""
    clock = msgspec.structs.replace(chat.time.retry_clock(), elapsed=time.monotonic)
    chat.time.retry_clock = lambda: clock  # type: ignore[method-assign]
    chat.server.script(faults.slow_start, faults.held_stream(4, threading.Event()))
    with chat.model("openai", timeout_s=0.3) as model:
        for _ in range(2):
            with pytest.raises(ProviderUnavailable, match="in time"):
                model.stream(ask("which?"), lambda _: None)


def test_each_round_is_within_the_budget(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    """The day ends between two rounds: the tokens of the first are counted, and so are prices."""
    monkeypatch.setattr(providers, "is_private", lambda _: False)
    chat.says = [Said(text="One moment.", calls=(SEARCH,)), ANSWER]
    prices = {"input_price": 10.0, "output_price": 20.0}
    prompt = ask("which?", max_output_tokens=100, purpose="respond")
    with chat.model("anthropic", daily_tokens=190, **prices) as model:
        with pytest.raises(BudgetSpent) as caught:
            model.stream(prompt, lambda _: None, toolbox=Tools())
        assert caught.value.facts["partial"]
        assert isinstance(chat.spending, MemorySpending)
        (bill,) = chat.spending.bills
        assert bill.purpose == "respond"
        assert bill.usd == pytest.approx((bill.use.input * 10 + bill.use.output * 20) / 1e6)
        chat.time.pause(86_400)
        assert model.stream(ask("which?", max_output_tokens=50), lambda _: None).text == ANSWER
    assert len(chat.bodies()) == 2


def test_a_prompt_must_end_with_the_user(chat: Chat) -> None:
    """As with whole answers."""
    prompt = Prompt(messages=(PromptMessage(role="assistant", text="hi"),))
    with chat.model("openai") as model, pytest.raises(InvalidInput):
        model.stream(prompt, lambda _: None)


def _bills(chat: Chat) -> int:
    assert isinstance(chat.spending, MemorySpending)
    return len(chat.spending.bills)


def _trouble(model: LanguageModel) -> str | None:
    return getattr(model, "trouble", None)
