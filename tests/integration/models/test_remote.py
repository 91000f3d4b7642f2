"""Remote embedders over their real wire formats, on loopback, with everything that goes wrong."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.core.errors import (
    BudgetSpent,
    DimensionMismatch,
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
    QuotaExhausted,
)
from recollect.models.budget import DailyBudget, MemorySpending
from recollect.models.embedding.embedder import EmbeddingInterrupted, Vectors
from recollect.models.embedding.remote import RemoteEmbedder
from recollect.models.embedding.wires import GeminiWire, OpenAIWire, Wire
from recollect.models.http.client import ProviderClient
from tests.integration.models.remote import KEY, PROVIDERS, SIZE, embedder_for
from tests.support import provider_faults as faults
from tests.support.provider_formats import json_response, unit_vector
from tests.support.provider_server import Fault, ProviderServer, Turn
from tests.support.scripted_time import ScriptedTime

Connect = Callable[..., RemoteEmbedder]

TEXTS = ["the quilt is blue", "Melanie paints", "naïve café", "東京に行く"]

PASSING: dict[str, Fault] = {
    "429": faults.limited(),
    "429 in a second": faults.limited("1"),
    "429 until a date": faults.limited("Tue, 14 Nov 2023 22:13:30 GMT"),
    "500": faults.status(500),
    "503": faults.status(503, retry_after="2"),
    "529": faults.status(529),
    "408": faults.status(408),
    "200 with an error": faults.error_in_200,
    "200 with a page": faults.html,
    "truncated JSON": faults.truncated_json,
    "cut off": faults.cut_off,
    "reset": faults.reset,
    "short batch": faults.short,
    "wrong size": faults.wrong_size,
    "endless": faults.endless,
}
"""What passes with another try."""

SLOW: dict[str, Fault] = {
    "slow first byte": faults.slow_start,
    "slow head": faults.slow_headers,
    "slow body": faults.slow_body,
}

LASTING: dict[str, tuple[Fault, type[ProviderError]]] = {
    "429": (faults.limited(), ProviderUnavailable),
    "429 for an hour": (faults.limited("3600"), ProviderUnavailable),
    "500": (faults.status(500), ProviderUnavailable),
    "200 with an error": (faults.error_in_200, ProviderUnavailable),
    "truncated JSON": (faults.truncated_json, ProviderUnavailable),
    "reset": (faults.reset, ProviderUnavailable),
    "short batch": (faults.short, ProviderUnavailable),
    "wrong size": (faults.wrong_size, DimensionMismatch),
    "no quota": (faults.quota(), QuotaExhausted),
    "402": (faults.status(402, name="payment_required"), QuotaExhausted),
    "400": (faults.status(400, name="invalid_request_error"), ProviderRejected),
    "401": (faults.status(401, name="invalid_api_key"), ProviderRejected),
    "403": (faults.status(403, name="forbidden"), ProviderRejected),
    "404": (faults.status(404, name="model_not_found"), ProviderRejected),
    "413": (faults.too_large(), ProviderRejected),
    "422": (faults.status(422, name="unprocessable"), ProviderRejected),
    "301": (faults.status(301, name="moved"), ProviderRejected),
}
"""What stays, and what it is in the end."""

NOT_FINITE: dict[str, Fault] = {
    "NaN": faults.not_a_number,
    "null": faults.null,
    "infinite": faults.infinite,
}


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    """A server that wants the key."""
    with ProviderServer(key=KEY, dimensions=SIZE) as running:
        yield running


@pytest.fixture
def at(server: ProviderServer) -> Iterator[Connect]:
    """Makes embedders against the server, and closes them."""
    made: list[RemoteEmbedder] = []

    def connect(provider: str, *args: Any, **changes: Any) -> RemoteEmbedder:
        made.append(embedder_for(server, provider, *args, **changes))
        return made[-1]

    yield connect
    for embedder in made:
        embedder.close()


def _bare(server: ProviderServer, wire: Wire, budget: DailyBudget | None = None) -> RemoteEmbedder:
    """Return an embedder that no settings shaped."""
    headers = {"authorization": f"Bearer {KEY}", "x-goog-api-key": KEY}
    base_url = server.base_url(wire.provider)
    client = ProviderClient(
        wire.provider, base_url, headers, retry_clock=ScriptedTime().retry_clock()
    )
    return RemoteEmbedder(wire, client, budget=budget)


def _right(texts: list[str]) -> Vectors:
    return np.stack([unit_vector(text, SIZE) for text in texts])


@pytest.mark.parametrize("provider", PROVIDERS)
def test_texts_become_their_vectors_in_order(
    server: ProviderServer, at: Connect, provider: str
) -> None:
    """Over the real wire format; a text that comes twice is sent once."""
    embedder = at(provider)
    steps: list[int] = []
    vectors = embedder.embed_documents([*TEXTS, TEXTS[0]], steps.append)
    np.testing.assert_allclose(vectors, _right([*TEXTS, TEXTS[0]]), atol=1e-6)
    assert vectors.dtype == np.float32
    assert server.texts() == TEXTS
    assert sum(steps) == 5


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_question_is_told_from_a_text(server: ProviderServer, at: Connect, provider: str) -> None:
    """Gemini and Voyage embed the two differently; OpenAI does not, unless the settings say so."""
    embedder = at(provider)
    np.testing.assert_allclose(embedder.embed_query("who?"), _right(["who?"])[0], atol=1e-6)
    embedder.embed_documents(["text"])
    question, text = (one.json for one in server.received)
    told = {
        "openai": (question.get("input_type"), text.get("input_type")),
        "voyage": (question.get("input_type"), text.get("input_type")),
        "gemini": (question.get("taskType"), text.get("requests", [{}])[0].get("taskType")),
    }[provider]
    assert (
        told
        == {
            "openai": (None, None),
            "voyage": ("query", "document"),
            "gemini": ("RETRIEVAL_QUERY", "RETRIEVAL_DOCUMENT"),
        }[provider]
    )


@pytest.mark.parametrize("provider", ["openai", "voyage"])
def test_input_types_can_be_set(server: ProviderServer, at: Connect, provider: str) -> None:
    """Compatible servers such as NVIDIA's have names of their own."""
    changes = {"query_input_type": "query", "document_input_type": "document"}
    embedder = at(provider, **changes)
    embedder.embed_query("who?")
    embedder.embed_documents(["text"])
    assert [one.json["input_type"] for one in server.received] == ["query", "document"]


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("name", PASSING)
def test_what_passes_costs_a_wait(
    server: ProviderServer, at: Connect, provider: str, name: str
) -> None:
    """The next try brings the right vectors."""
    time = ScriptedTime()
    server.script(PASSING[name])
    vectors = at(provider, time).embed_documents(TEXTS)
    np.testing.assert_allclose(vectors, _right(TEXTS), atol=1e-6)
    assert len(time.waits) == 1
    assert len(server.received) == 2


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("name", SLOW)
def test_what_is_too_slow_is_given_up(
    server: ProviderServer, at: Connect, provider: str, name: str
) -> None:
    """A try ends at its deadline, however the answer drips in, and not when the server is done."""
    ended: list[str] = []

    def slow(turn: Turn) -> None:
        SLOW[name](turn)
        ended.append(name)

    server.script(slow)
    vectors = at(provider, timeout_s=0.15).embed_documents(TEXTS)
    assert ended == []
    assert len(server.received) == 2
    np.testing.assert_allclose(vectors, _right(TEXTS), atol=1e-6)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("name", LASTING)
def test_what_lasts_is_a_clear_error(
    server: ProviderServer, at: Connect, provider: str, name: str
) -> None:
    """With a hint, and without a word of what was sent."""
    fault, expected = LASTING[name]
    server.always(fault)
    embedder = at(provider)
    calls: list[Callable[[], Vectors]] = [
        lambda: embedder.embed_documents(TEXTS),
        lambda: embedder.embed_query(TEXTS[0]),
    ]
    for call in calls:
        with pytest.raises(ProviderError) as caught:
            call()
        assert type(caught.value) is expected
        shown = f"{caught.value} {caught.value.hint} {caught.value.facts}"
        assert caught.value.hint
        assert not any(text in shown for text in (*TEXTS, KEY))


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("name", NOT_FINITE)
def test_a_vector_that_is_not_finite_never_enters(
    server: ProviderServer, at: Connect, provider: str, name: str
) -> None:
    """It alone is refused; the others of its batch are right."""
    server.script(NOT_FINITE[name])
    with pytest.raises(EmbeddingInterrupted) as caught:
        at(provider).embed_documents(TEXTS)
    assert caught.value.refused == {0}
    assert sorted(caught.value.vectors) == [1, 2, 3]
    for place, vector in caught.value.vectors.items():
        np.testing.assert_allclose(vector, _right(TEXTS)[place], atol=1e-6)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_question_without_a_direction_is_an_error(
    server: ProviderServer, at: Connect, provider: str
) -> None:
    """Not a vector of zeros, which is as near to everything."""
    server.script(faults.zeros)
    with pytest.raises(ProviderRejected, match="not finite"):
        at(provider).embed_query("who?")


def test_vectors_are_put_by_their_index(server: ProviderServer, at: Connect) -> None:
    """A compatible server may answer in any order."""
    server.script(faults.shuffled)
    vectors = at("openai").embed_documents(TEXTS)
    np.testing.assert_allclose(vectors, _right(TEXTS), atol=1e-6)


def test_indexes_that_name_no_order_are_no_answer(server: ProviderServer, at: Connect) -> None:
    """Which vector belongs to which text would be a guess."""

    def confuse(turn: Turn) -> None:
        decoded = msgspec.json.decode(turn.response.body)
        for item in decoded["data"]:
            item["index"] = 0
        turn.send(json_response(decoded))

    server.always(confuse)
    with pytest.raises(ProviderUnavailable, match="cannot be read"):
        at("openai").embed_documents(TEXTS)


def test_a_server_without_indexes_is_taken_in_order(server: ProviderServer, at: Connect) -> None:
    """Some compatible ones send none."""

    def strip(turn: Turn) -> None:
        decoded = msgspec.json.decode(turn.response.body)
        stripped = [{"embedding": item["embedding"]} for item in decoded["data"]]
        turn.send(json_response({"data": stripped}))

    server.always(strip)
    np.testing.assert_allclose(at("openai").embed_documents(TEXTS), _right(TEXTS), atol=1e-6)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_batch_that_is_too_large_is_halved(provider: str) -> None:
    """Recursively, until the server takes it."""
    texts = [f"text number {number}" for number in range(50)]
    with ProviderServer(dimensions=SIZE, max_texts=7) as small:
        with closing(embedder_for(small, provider)) as embedder:
            vectors = embedder.embed_documents(texts)
        np.testing.assert_allclose(vectors, _right(texts), atol=1e-6)
        assert max(len(small.texts_of(one)) for one in small.received[3:]) <= 25


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_text_that_is_refused_alone_does_not_stop_the_others(
    server: ProviderServer, at: Connect, provider: str
) -> None:
    """It is found by halving, and told by its place."""
    server.refuse("bad")
    texts = [*TEXTS, "bad", "more"]
    with pytest.raises(EmbeddingInterrupted) as caught:
        at(provider).embed_documents(texts)
    assert caught.value.refused == {4}
    assert sorted(caught.value.vectors) == [0, 1, 2, 3, 5]
    assert caught.value.hint


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_text_of_white_space_is_refused_without_asking(
    server: ProviderServer, at: Connect, provider: str
) -> None:
    """Providers refuse it, and it means nothing."""
    with pytest.raises(EmbeddingInterrupted) as caught:
        at(provider).embed_documents(["one", " \n"])
    assert caught.value.refused == {1}
    assert server.texts() == ["one"]


def test_a_wrong_setup_blames_no_text(server: ProviderServer, at: Connect) -> None:
    """A server that refuses everything is asked for one harmless word, and not for every text."""
    server.always(faults.status(400, name="invalid_request_error"))
    with pytest.raises(ProviderRejected) as caught:
        at("openai").embed_documents([f"text {n}" for n in range(100)])
    assert not isinstance(caught.value, EmbeddingInterrupted)
    assert len(server.received) == 2


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_key_that_expires_blames_no_text(
    server: ProviderServer, at: Connect, provider: str
) -> None:
    """Gemini answers 400 to it, as to a bad text; what was refused would be left out for good."""
    embedder = at(provider)
    embedder.embed_documents(TEXTS)
    server.always(faults.status(400, name="API_KEY_EXPIRED"))
    with pytest.raises(ProviderRejected) as caught:
        embedder.embed_documents([f"text {n}" for n in range(20)])
    assert not isinstance(caught.value, EmbeddingInterrupted)


def test_what_was_made_before_the_quota_ended_is_not_lost(
    server: ProviderServer, at: Connect
) -> None:
    """It was paid for; and nobody is asked again."""
    texts = [f"text number {number} of some words" for number in range(40)]
    server.script(None, None)
    server.always(faults.quota())
    embedder = at("openai", batch_tokens=64, concurrency=1)
    with pytest.raises(EmbeddingInterrupted) as caught:
        embedder.embed_documents(texts)
    assert isinstance(caught.value.reason, QuotaExhausted)
    made = len(server.texts_of(server.received[0])) + len(server.texts_of(server.received[1]))
    assert sorted(caught.value.vectors) == list(range(made))
    assert len(server.received) == 3


def test_requests_run_side_by_side_up_to_the_limit(server: ProviderServer, at: Connect) -> None:
    """Three at once, and never four."""
    meeting = threading.Barrier(3, timeout=10)
    together: list[int] = []
    under_way = 0
    lock = threading.Lock()

    def meet(turn: Turn) -> None:
        nonlocal under_way
        with lock:
            under_way += 1
            together.append(under_way)
        meeting.wait()
        with lock:
            under_way -= 1
        turn.send()

    server.always(meet)
    texts = [f"{number} " + "word " * 60 for number in range(9)]
    embedder = at("openai", batch_tokens=64, concurrency=3)
    np.testing.assert_allclose(embedder.embed_documents(texts), _right(texts), atol=1e-6)
    assert max(together) == 3


def test_the_wait_of_a_search_has_an_end(server: ProviderServer, at: Connect) -> None:
    """All tries together stay within ``query_timeout_s``."""
    time = ScriptedTime(spread=0.99)
    server.always(faults.status(503))
    with pytest.raises(ProviderUnavailable):
        at("openai", time, query_timeout_s=1.0).embed_query("who?")
    assert sum(time.waits) < 1.0


def test_a_model_of_unknown_size_is_asked_once(server: ProviderServer) -> None:
    """With one word; the answer is remembered."""
    with closing(_bare(server, OpenAIWire(model="some-local-model"))) as embedder:
        assert (embedder.dimensions, embedder.dimensions) == (SIZE, SIZE)
        assert server.texts() == ["memory"]
        assert embedder.embed_documents([]).shape == (0, SIZE)


def test_the_first_vectors_tell_the_size_too(server: ProviderServer) -> None:
    """Nothing is asked twice; later answers of another size are refused."""
    with closing(_bare(server, GeminiWire(model="new"))) as embedder:
        embedder.embed_query("who?")
        assert embedder.dimensions == SIZE
        server.always(faults.wrong_size)
        with pytest.raises(DimensionMismatch):
            embedder.embed_documents(["text"])
        assert server.texts().count("memory") == 0


def test_an_empty_vector_tells_no_size(server: ProviderServer) -> None:
    """It is an answer that cannot be read."""
    server.always(lambda turn: turn.send(json_response({"data": [{"embedding": []}]})))
    with (
        closing(_bare(server, OpenAIWire(model="m"))) as embedder,
        pytest.raises(ProviderUnavailable, match="cannot be read"),
    ):
        _ = embedder.dimensions


@pytest.mark.parametrize("provider", PROVIDERS)
def test_tokens_are_counted_and_limited(server: ProviderServer, at: Connect, provider: str) -> None:
    """As the provider bills them where it says so; the limit is checked before a request."""
    time, spending = ScriptedTime(), MemorySpending()
    wire = at(provider).wire
    with closing(_bare(server, wire, DailyBudget(60, spending, time))) as embedder:
        embedder.embed_documents(["a text of about ten tokens, more or less"])
        spent = spending.spent("2023-11-14")
        assert spent in {10, 11}
        with pytest.raises(BudgetSpent) as caught:
            embedder.embed_documents(["word " * 60])
        assert caught.value.facts["spent"] == spent
        assert len(server.received) == 1
        time.pause(86_400.0)
        embedder.embed_query("the next day is another")


def test_a_local_server_is_not_billed(server: ProviderServer, at: Connect) -> None:
    """The limit is about money: it holds for paid addresses alone."""
    spending = MemorySpending()
    embedder = at("openai", spending=spending, daily_tokens=1)
    embedder.embed_documents(TEXTS)
    assert not embedder.is_paid
    assert spending.spent("2023-11-14") == 0


@pytest.fixture(scope="module")
def open_server() -> Iterator[ProviderServer]:
    """A server for many small cases."""
    with ProviderServer(dimensions=SIZE) as running:
        yield running


@settings(max_examples=25)
@given(
    texts=st.lists(st.text(min_size=1, max_size=40).filter(str.strip), max_size=30),
    batch_tokens=st.integers(64, 200),
    concurrency=st.integers(1, 4),
    provider=st.sampled_from(PROVIDERS),
)
def test_every_text_gets_its_own_vector(
    open_server: ProviderServer,
    texts: list[str],
    batch_tokens: int,
    concurrency: int,
    provider: str,
) -> None:
    """Whatever the batches: in order, each distinct text sent once."""
    open_server.received.clear()
    changes: dict[str, Any] = {"batch_tokens": batch_tokens, "concurrency": concurrency}
    with closing(embedder_for(open_server, provider, **changes)) as embedder:
        vectors = embedder.embed_documents(texts)
    expected = _right(texts) if texts else np.empty((0, SIZE), np.float32)
    np.testing.assert_allclose(vectors, expected, atol=1e-6)
    assert sorted(open_server.texts()) == sorted(set(texts))
