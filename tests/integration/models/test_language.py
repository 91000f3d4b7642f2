"""Language models over their real wire formats, on loopback, with everything that goes wrong."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import msgspec
import pytest

from recollect.core.bill import TokenUse
from recollect.core.errors import (
    AnswerUnusable,
    BudgetSpent,
    InvalidInput,
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
    QuotaExhausted,
)
from recollect.models.budget import MemorySpending
from recollect.models.language import providers
from recollect.models.language.model import Prompt, PromptMessage, Role, ask
from recollect.models.language.structured_output import complete_as
from tests.integration.models.chat import KEY, PROVIDERS, Chat
from tests.support import provider_faults as faults
from tests.support.chat_formats import Said
from tests.support.provider_formats import json_response
from tests.support.provider_server import Fault, Turn

SECRET = "the treasure lies under the oak"


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked for as JSON."""

    text: str
    importance: int
    tags: list[str] = []


GOOD = '{"text": "likes tea", "importance": 3, "tags": []}'
WRONG = '{"text": "likes tea", "importance": "very", "tags": []}'

PASSING: dict[str, Fault] = {
    "429": faults.limited(),
    "429 in a second": faults.limited("1"),
    "500": faults.status(500),
    "529": faults.status(529, name="overloaded_error"),
    "200 with an error": faults.error_in_200,
    "200 with a page": faults.html,
    "truncated JSON": faults.truncated_json,
    "cut off": faults.cut_off,
    "reset": faults.reset,
    "endless": faults.endless,
}
"""What passes with another try."""


def _empty_account(turn: Turn) -> None:
    turn.send(turn.format.error(400, "invalid_request_error", "Your credit balance is too low"))


LASTING: dict[str, tuple[Fault, type[ProviderError]]] = {
    "429": (faults.limited(), ProviderUnavailable),
    "429 for an hour": (faults.limited("3600"), ProviderUnavailable),
    "503": (faults.status(503), ProviderUnavailable),
    "200 with an error": (faults.error_in_200, ProviderUnavailable),
    "another shape": (lambda turn: turn.send(json_response([])), ProviderUnavailable),
    "no quota": (faults.quota(), QuotaExhausted),
    "empty account": (_empty_account, QuotaExhausted),
    "402": (faults.status(402, name="payment_required"), QuotaExhausted),
    "400": (faults.status(400, name="invalid_request_error"), ProviderRejected),
    "401": (faults.status(401, name="invalid_api_key"), ProviderRejected),
    "404": (faults.status(404, name="model_not_found"), ProviderRejected),
    "413": (faults.too_large(), ProviderRejected),
}
"""What stays, and what it is in the end."""


@pytest.fixture
def chat() -> Iterator[Chat]:
    """A server that wants the key."""
    made = Chat()
    with made.server:
        yield made


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_question_is_answered(chat: Chat, provider: str) -> None:
    """Over the real wire format, with tokens, the model's own name and why it ended."""
    chat.says = [Said(text="the answer is tea", cached=7)]
    with chat.model(provider) as model:
        found = model.complete(ask("what?", system="Be brief.", max_output_tokens=50))
    assert (found.text, found.finish) == ("the answer is tea", "stop")
    assert found.model == ("openai:m-2026" if provider == "openai" else "anthropic:m")
    assert (found.use.cache_read, found.use.output) == (7, 5)
    assert found.use.input > 0
    (body,) = chat.bodies()
    assert body["max_tokens"] == 50
    assert "temperature" not in body
    assert "Be brief." in (body.get("system") or body["messages"][0]["content"])


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_conversation_and_a_temperature_are_passed_on(chat: Chat, provider: str) -> None:
    """In their order; the length of an answer is the setting's where nobody says it."""
    roles: tuple[Role, ...] = ("user", "assistant", "user")
    messages = tuple(PromptMessage(role=role, text=role) for role in roles)
    with chat.model(provider, max_output_tokens=123) as model:
        model.complete(Prompt(messages=messages, temperature=0.2))
    (body,) = chat.bodies()
    assert [each["role"] for each in body["messages"]] == list(roles)
    assert (body["temperature"], body["max_tokens"]) == (0.2, 123)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("name", PASSING)
def test_what_passes_costs_a_wait(chat: Chat, provider: str, name: str) -> None:
    """The next try brings the answer."""
    chat.server.script(PASSING[name])
    with chat.model(provider) as model:
        assert model.complete(ask("what?")).text == "the answer is tea"
    assert len(chat.time.waits) == 1
    if name == "429 in a second":
        assert chat.time.waits[0] >= 1.0


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("name", LASTING)
def test_what_stays_is_a_clear_error(chat: Chat, provider: str, name: str) -> None:
    """With a hint that names the right settings, and without a word of what was sent."""
    fault, kind = LASTING[name]
    chat.server.always(fault)
    with chat.model(provider) as model, pytest.raises(ProviderError) as caught:
        model.complete(ask(SECRET, system=SECRET))
    assert type(caught.value) is kind
    shown = f"{caught.value} {caught.value.hint} {caught.value.facts}"
    assert caught.value.hint
    assert "embedding" not in shown
    assert "oak" not in shown
    assert KEY not in shown
    if kind is not ProviderUnavailable:
        assert len(chat.server.received) == 1


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("fault", [faults.slow_start, faults.slow_headers, faults.slow_body])
def test_what_is_too_slow_is_given_up(chat: Chat, provider: str, fault: Fault) -> None:
    """However the answer drips in; there is one deadline for all of it."""
    chat.server.always(fault)
    with (
        chat.model(provider, timeout_s=0.2) as model,
        pytest.raises(ProviderUnavailable, match="in time"),
    ):
        model.complete(ask("what?"))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_one_that_keeps_failing_is_left_alone(chat: Chat, provider: str) -> None:
    """Nobody waits for what will not come; it says what goes on meanwhile."""
    chat.server.always(faults.status(500))
    with chat.model(provider) as model:
        for _ in range(2):
            with pytest.raises(ProviderUnavailable):
                model.complete(ask("what?"))
        asked = len(chat.server.received)
        with pytest.raises(ProviderUnavailable, match="left alone") as caught:
            model.complete(ask("what?"))
    assert len(chat.server.received) == asked == 5
    assert "by rule" in caught.value.hint


def test_nobody_at_the_address_is_a_clear_error(chat: Chat) -> None:
    """The hint names the setting."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{closed.getsockname()[1]}"
        with (
            chat.model("openai", base_url=address) as model,
            pytest.raises(ProviderUnavailable, match="cannot be reached") as caught,
        ):
            model.complete(ask("what?"))
    assert "language.base_url" in caught.value.hint


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_empty_answer_is_none(chat: Chat, provider: str) -> None:
    """It was paid for, and is asked for again."""
    chat.says = [" ", "now"]
    with chat.model(provider) as model:
        assert model.complete(ask("what?")).text == "now"
    assert isinstance(chat.spending, MemorySpending)
    assert len(chat.spending.bills) == 2


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_model_may_decline(chat: Chat, provider: str) -> None:
    """It is paid for and not asked again."""
    chat.says = [Said(text="", declined=True)]
    with chat.model(provider) as model, pytest.raises(ProviderRejected, match="declined"):
        model.complete(ask("what?"))
    assert isinstance(chat.spending, MemorySpending)
    assert len(chat.spending.bills) == len(chat.server.received) == 1


@pytest.mark.parametrize(
    ("provider", "finish"), [("openai", "length"), ("anthropic", "max_tokens")]
)
def test_an_answer_says_that_it_was_cut(chat: Chat, provider: str, finish: str) -> None:
    """A model that thought until its limit has said nothing: asking again would not help."""
    chat.says = [Said(text="", finish=finish), Said(text="a", finish="pause_turn")]
    with chat.model(provider) as model:
        assert model.complete(ask("what?")).finish == "length"
        assert model.complete(ask("what?")).finish == "other"


@pytest.mark.parametrize("provider", PROVIDERS)
def test_json_is_a_checked_value(chat: Chat, provider: str) -> None:
    """The provider is told the schema in its own way."""
    chat.says = [GOOD]
    with chat.model(provider) as model:
        found = complete_as(model, ask("which fact?"), Fact)
    assert found.value == Fact(text="likes tea", importance=3)
    assert not found.is_repaired
    (body,) = chat.bodies()
    if provider == "openai":
        assert body["response_format"]["json_schema"]["strict"] is True
    else:
        assert body["tool_choice"] == {"type": "tool", "name": "answer"}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_wrong_json_gets_one_try_to_mend_it(chat: Chat, provider: str) -> None:
    """The model is shown what it wrote and what is wrong with it; both answers are paid for."""
    chat.says = [WRONG, GOOD]
    with chat.model(provider) as model:
        found = complete_as(model, ask("which fact?"), Fact)
    assert found.is_repaired
    first, second = chat.bodies()
    assert len(second["messages"]) == len(first["messages"]) + 2
    assert "importance" in second["messages"][-1]["content"]
    assert isinstance(chat.spending, MemorySpending)
    assert found.use.total == sum(bill.use.total for bill in chat.spending.bills)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_json_that_stays_wrong_is_an_error(chat: Chat, provider: str) -> None:
    """Twice is enough; the answer is not shown."""
    chat.says = [WRONG]
    with chat.model(provider) as model, pytest.raises(AnswerUnusable, match="twice") as caught:
        complete_as(model, ask("which fact?"), Fact)
    assert "tea" not in f"{caught.value} {caught.value.facts}"
    assert len(chat.bodies()) == 2


def test_json_that_was_cut_is_not_asked_for_again(chat: Chat) -> None:
    """It would be cut again."""
    chat.says = [Said(text='{"text": "lik', finish="length")]
    with chat.model("openai") as model, pytest.raises(AnswerUnusable) as caught:
        complete_as(model, ask("which fact?"), Fact)
    assert "max_output_tokens" in caught.value.hint
    assert len(chat.bodies()) == 1


@pytest.mark.parametrize(
    ("provider", "knows", "asked"),
    [("openai", ("object",), 2), ("openai", (), 3), ("anthropic", (), 2)],
)
def test_a_server_that_knows_no_schema_is_told_in_words(
    chat: Chat, provider: str, knows: tuple[str, ...], asked: int
) -> None:
    """Found out once; fences and words around the JSON do no harm."""
    chat.knows(*knows)
    chat.says = [f"Here you are:\n```json\n{GOOD}\n```\nAnything else?"]
    with chat.model(provider) as model:
        for _ in range(2):
            assert complete_as(model, ask("which fact?"), Fact).value.importance == 3
    assert len(chat.bodies()) == asked + 1
    told = chat.bodies()[-1]
    assert "importance" in (told.get("system") or told["messages"][0]["content"])


def test_a_key_that_is_refused_is_no_reason_to_ask_another_way(chat: Chat) -> None:
    """Only what may be about the way is tried another way."""
    with chat.model("openai", api_key="wrong") as model, pytest.raises(ProviderRejected) as caught:
        complete_as(model, ask("which fact?"), Fact)
    assert "language.api_key" in caught.value.hint
    assert len(chat.bodies()) == 1


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_model_on_this_machine_costs_nothing_and_has_no_limit(chat: Chat, provider: str) -> None:
    """Its tokens are counted all the same."""
    chat.says = [Said(text="tea", counts=False)]
    with chat.model(provider, daily_tokens=1, input_price=5.0) as model:
        found = model.complete(ask("what is it that she drinks?"))
        assert not model.is_remote
    assert found.usd == 0.0
    assert found.use == TokenUse(input=7, output=1)
    assert isinstance(chat.spending, MemorySpending)
    assert chat.spending.bills[0].model == f"{provider}:m"


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_day_has_a_limit_and_answers_a_price(
    chat: Chat, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer that might go beyond it is not asked for; the next day it is."""
    monkeypatch.setattr(providers, "is_private", lambda url: False)
    changes = {"daily_tokens": 100, "input_price": 10.0, "output_price": 20.0}
    with chat.model(provider, **changes) as model:
        found = model.complete(ask("what?", max_output_tokens=90))
        spent = found.use.total
        assert found.usd == pytest.approx((found.use.input * 10 + found.use.output * 20) / 1e6)
        with pytest.raises(BudgetSpent) as caught:
            model.complete(ask("what?", max_output_tokens=100 - spent))
        assert (caught.value.facts["limit"], caught.value.facts["spent"]) == (100, spent)
        assert "language.daily_tokens" in caught.value.hint
        assert len(chat.bodies()) == 1
        chat.time.pause(86_400)
        model.complete(ask("what?", max_output_tokens=90))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_prompt_ends_with_a_question(chat: Chat, provider: str) -> None:
    """Else nobody is asked."""
    said = PromptMessage(role="assistant", text="tea")
    with chat.model(provider) as model:
        for messages in ((), (said,)):
            with pytest.raises(InvalidInput):
                model.complete(Prompt(messages=messages))
    assert not chat.bodies()


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_closed_model_asks_nobody(chat: Chat, provider: str) -> None:
    """It says so."""
    with chat.model(provider) as model:
        pass
    with pytest.raises(ProviderUnavailable, match="closed"):
        model.complete(ask("what?"))
    assert not chat.bodies()
