"""The batch interfaces of OpenAI, Voyage and Gemini: what goes out, and how answers are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from recollect.core.errors import ProviderError, ProviderRejected
from recollect.models.embedding.batch_job import EmbeddingBatches, RemoteBatch, batches_of
from recollect.models.embedding.remote import RemoteEmbedder
from recollect.models.embedding.wires import GeminiWire, OpenAIWire, VoyageWire, Wire
from recollect.models.http.client import ProviderClient
from recollect.models.http.retry import RetryClock
from tests.support.batch_server import BatchService
from tests.support.provider_formats import Received, Response, json_response, unit_vector
from tests.support.provider_server import ProviderServer, Service

WIRES: dict[str, Wire] = {
    "openai": OpenAIWire(model="text-embedding-3-small", dimensions=8),
    "voyage": VoyageWire(model="voyage-4", dimensions=8),
    "gemini": GeminiWire(model="gemini-embedding-001", dimensions=8),
}
KEY = "ab" * 32
OpenBatches = Callable[..., EmbeddingBatches]


class Canned:
    """Answers every request with the same JSON."""

    def __init__(self, *answers: Any) -> None:
        self._answers = list(answers)

    def answer(self, received: Received) -> Response | None:
        """Return the next answer; the last one again and again."""
        return json_response(self._answers.pop(0) if len(self._answers) > 1 else self._answers[0])


def _embedder(base_url: str, wire: Wire) -> RemoteEmbedder:
    retry_clock = RetryClock(pause=lambda _: None)
    client = ProviderClient(wire.provider, base_url, {"x-key": "secret"}, retry_clock=retry_clock)
    return RemoteEmbedder(wire, client)


@pytest.fixture
def open_batches() -> Iterator[OpenBatches]:
    """Open the batches of providers, whose connections are closed at the end."""
    opened: list[RemoteEmbedder] = []

    def open_it(server: ProviderServer, provider: str, path: str = "") -> EmbeddingBatches:
        base_url = server.origin + path if path else server.base_url(provider)
        opened.append(_embedder(base_url, WIRES[provider]))
        batches = batches_of(opened[-1])
        assert batches is not None
        return batches

    yield open_it
    for embedder in opened:
        embedder.close()


@pytest.fixture
def service() -> BatchService:
    """The server's side."""
    return BatchService()


@pytest.fixture
def server(service: BatchService) -> Iterator[ProviderServer]:
    """A provider on loopback."""
    with ProviderServer(services=[service]) as running:
        yield running


@pytest.mark.parametrize(
    ("provider", "line"),
    [
        (
            "openai",
            {
                "custom_id": KEY,
                "method": "POST",
                "url": "/v1/embeddings",
                "body": {
                    "model": "text-embedding-3-small",
                    "input": ["plain words"],
                    "encoding_format": "float",
                    "dimensions": 8,
                },
            },
        ),
        ("voyage", {"custom_id": KEY, "body": {"input": ["plain words"]}}),
        (
            "gemini",
            {
                "key": KEY,
                "request": {
                    "model": "models/gemini-embedding-001",
                    "content": {"parts": [{"text": "plain words"}]},
                    "taskType": "RETRIEVAL_DOCUMENT",
                    "outputDimensionality": 8,
                },
            },
        ),
    ],
)
def test_a_line_asks_for_what_a_direct_request_asks_for(
    open_batches: OpenBatches, server: ProviderServer, provider: str, line: object
) -> None:
    """So that the vectors are the same; one line, whatever the text holds."""
    batches = open_batches(server, provider)
    assert msgspec.json.decode(batches.line(KEY, "plain words")) == line
    assert batches.line(KEY, "two\nlines\u2028three").count(b"\n") == 1


@pytest.mark.parametrize(
    ("provider", "start"),
    [
        ("openai", {"endpoint": "/v1/embeddings", "completion_window": "24h"}),
        (
            "voyage",
            {
                "endpoint": "/v1/embeddings",
                "completion_window": "12h",
                "request_params": {
                    "model": "voyage-4",
                    "input_type": "document",
                    "output_dimension": 8,
                },
            },
        ),
    ],
)
def test_a_batch_is_started_under_our_name(
    open_batches: OpenBatches,
    server: ProviderServer,
    provider: str,
    start: dict[str, object],
    tmp_path: Path,
) -> None:
    """The name is in the metadata, and what holds for all lines where the provider wants it."""
    file = tmp_path / "texts"
    batches = open_batches(server, provider)
    file.write_bytes(batches.line(KEY, "plain"))
    uploaded = batches.upload("recollect-1", file)
    batches.create("recollect-1", uploaded)
    body = server.received[-1].json
    assert body == {"input_file_id": uploaded, "metadata": {"recollect": "recollect-1"}, **start}


@pytest.mark.parametrize("provider", list(WIRES))
def test_the_whole_way_of_a_batch(
    open_batches: OpenBatches,
    server: ProviderServer,
    service: BatchService,
    provider: str,
    tmp_path: Path,
) -> None:
    """Up, started, found again, asked, down, deleted; with the client's own headers everywhere."""
    file, scratch = tmp_path / "texts", tmp_path / "results"
    batches = open_batches(server, provider)
    assert batches.provider == provider
    texts = {f"{n:064x}": f"text {n}" for n in range(3)}
    file.write_bytes(b"".join(batches.line(key, text) for key, text in texts.items()))
    uploaded = batches.upload("recollect-1", file)
    assert [one.name.removesuffix(".jsonl") for one in service.files.values()] == ["recollect-1"]
    started = batches.create("recollect-1", uploaded)
    assert batches.find("recollect-1") == started
    assert batches.find("recollect-2") is None
    assert not batches.look(started.id).is_over
    batch = batches.look(started.id)
    assert (batch.state, len(batch.results)) == ("completed", 1)
    results = dict(batches.read(batch, scratch))
    assert results.keys() == texts.keys()
    for key, vector in results.items():
        assert vector is not None
        np.testing.assert_allclose(vector, unit_vector(texts[key], 8), atol=1e-6)
    batches.discard(uploaded)
    batches.discard(batch.results[0])
    assert service.files == {}
    assert {one.headers["x-key"] for one in server.received} == {"secret"}


@pytest.mark.parametrize("provider", list(WIRES))
def test_a_batch_can_be_cancelled(
    open_batches: OpenBatches,
    server: ProviderServer,
    service: BatchService,
    provider: str,
    tmp_path: Path,
) -> None:
    """One that is over stays as it is."""
    file = tmp_path / "texts"
    batches = open_batches(server, provider)
    file.write_bytes(batches.line(KEY, "plain"))
    started = batches.create("recollect-1", batches.upload("recollect-1", file))
    batches.cancel(started.id)
    assert batches.look(started.id).state == "cancelled"
    with pytest.raises(ProviderRejected):
        batches.look("unknown")


@pytest.mark.parametrize(
    ("shown", "state", "reason"),
    [
        ({"status": "validating"}, "running", ""),
        ({"status": "finalizing"}, "running", ""),
        ({"status": "cancelling"}, "running", ""),
        ({"status": "a new word"}, "running", ""),
        ({"status": "expired"}, "expired", ""),
        ({"status": "cancelled"}, "cancelled", ""),
        (
            {"status": "failed", "errors": {"data": [{"code": "token_limit"}]}},
            "failed",
            "token_limit",
        ),
        ({"status": "failed", "errors": {"data": None}}, "failed", ""),
    ],
)
def test_the_states_of_openai(
    open_batches: OpenBatches, shown: dict[str, object], state: str, reason: str
) -> None:
    """An unknown one is not over; the errors of a batch are no refusal of the question."""
    with ProviderServer(services=[Canned({"id": "b", **shown})]) as server:
        batch = open_batches(server, "openai").look("b")
    assert batch == RemoteBatch(id="b", state=state, reason=reason)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("shown", "state", "reason"),
    [
        ({"metadata": {"state": "BATCH_STATE_PENDING"}}, "running", ""),
        ({"done": True, "metadata": {"state": "BATCH_STATE_CANCELLED"}}, "cancelled", ""),
        ({"done": True, "metadata": {"state": "JOB_STATE_EXPIRED"}}, "expired", ""),
        ({"done": True}, "failed", ""),
        ({"done": True, "error": {"code": 13, "message": "m"}}, "failed", "13"),
        ({"done": True, "error": {"status": "INTERNAL"}}, "failed", "INTERNAL"),
    ],
)
def test_the_states_of_gemini(
    open_batches: OpenBatches, shown: dict[str, object], state: str, reason: str
) -> None:
    """What the operation says counts, also beside metadata that lag behind."""
    with ProviderServer(services=[Canned({"name": "batches/b", **shown})]) as server:
        batch = open_batches(server, "gemini").look("batches/b")
    assert batch == RemoteBatch(id="batches/b", state=state, reason=reason)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "shown",
    [
        {"done": True, "response": {"responsesFile": "files/r"}},
        {"done": True, "response": {"responsesFile": "files/r"}, "metadata": {"state": "RUNNING"}},
        {"state": "BATCH_STATE_SUCCEEDED", "output": {"responsesFile": "files/r"}},
        {"metadata": {"state": "BATCH_STATE_SUCCEEDED", "output": {"responsesFile": "files/r"}}},
    ],
)
def test_the_results_of_gemini_stand_in_three_places(
    open_batches: OpenBatches, shown: dict[str, object]
) -> None:
    """Versions of the interface differ."""
    with ProviderServer(services=[Canned({"name": "batches/b", **shown})]) as server:
        batch = open_batches(server, "gemini").look("batches/b")
    assert (batch.state, batch.results) == ("completed", ("files/r",))


def _pages(provider: str) -> list[Any]:
    if provider == "gemini":
        return [
            {"operations": [{"name": "batches/1"}], "nextPageToken": "t/2"},
            {"operations": [{"name": "batches/2", "metadata": {"displayName": "ours"}}]},
        ]
    return [
        {"data": [{"id": "1", "status": "failed"}], "has_more": True},
        {"data": [{"id": "2", "status": "failed", "metadata": {"recollect": "ours"}}]},
    ]


@pytest.mark.parametrize("provider", list(WIRES))
def test_a_batch_is_looked_for_on_later_pages_too(open_batches: OpenBatches, provider: str) -> None:
    """But not for ever: an account may have thousands."""
    with ProviderServer(services=[Canned(*_pages(provider))]) as server:
        batch = open_batches(server, provider).find("ours")
        assert batch is not None
        assert batch.id.endswith("2")
        assert server.received[-1].path.endswith(("after=1", "pageToken=t%2F2"))
    with ProviderServer(services=[Canned(_pages(provider)[0])]) as server:
        assert open_batches(server, provider).find("ours") is None
        assert len(server.received) == 5


@pytest.mark.parametrize("path", ["/v1beta", "/gateway/team/v1beta"])
def test_gemini_uploads_and_downloads_elsewhere(
    open_batches: OpenBatches, path: str, tmp_path: Path
) -> None:
    """Upload and download stand in front of the version, behind the prefix of a gateway."""
    file = tmp_path / "texts"
    file.write_bytes(b"{}\n")
    prefix = path.removesuffix("/v1beta")
    with ProviderServer(services=[Canned({"file": {"name": "files/a"}})]) as server:
        batches = open_batches(server, "gemini", path)
        assert batches.upload("ours", file) == "files/a"
        batch = RemoteBatch(id="batches/b", state="completed", results=("files/r",))
        assert list(batches.read(batch, tmp_path / "results")) == []
        assert [one.path for one in server.received][:2] == [
            f"{prefix}/upload/v1beta/files?uploadType=multipart",
            f"{prefix}/download/v1beta/files/r:download?alt=media",
        ]


class Lines:
    """Answers every request with lines."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def answer(self, received: Received) -> Response | None:
        """Return them."""
        return Response(body=self._content)


@pytest.mark.parametrize(
    "line",
    [
        b'{"custom_id": "k", "response": null, "error": {"code": "x"}}',
        b'{"custom_id": "k", "response": {"status_code": 200, "body": {"data": []}}}',
        b'{"custom_id": "k", "response": {"status_code": 200, "body": {"error": "no"}}}',
        b'{"custom_id": "k", "response": {"status_code": 200, "body": "words"}}',
        b'{"custom_id": "k", "response": {"status_code": 500, "body": {}}}',
    ],
)
def test_a_line_without_a_vector_says_so(
    open_batches: OpenBatches, line: bytes, tmp_path: Path
) -> None:
    """Its text goes another way."""
    batch = RemoteBatch(id="b", state="completed", results=("f",))
    service: Service = Lines(b"not JSON\n" + line + b"\n")
    with ProviderServer(services=[service]) as server:
        results = list(open_batches(server, "openai").read(batch, tmp_path / "results"))
    assert results == [("k", None)]


@pytest.mark.parametrize(
    ("content", "keys"),
    [
        (b"", []),
        (b"<html></html>", []),
        (b'{"custom_id": "k"}\n{"custom_', ["k", "k", "k"]),
    ],
)
def test_a_file_that_cannot_be_whole_is_fetched_again(
    open_batches: OpenBatches, content: bytes, keys: list[str], tmp_path: Path
) -> None:
    """A page of a proxy, or a file that ends within a line; but not for ever."""
    batch = RemoteBatch(id="b", state="completed", results=("f",))
    with ProviderServer(services=[Lines(content)]) as server:
        results = list(open_batches(server, "openai").read(batch, tmp_path / "results"))
        assert [key for key, _ in results] == keys
        assert len(server.received) == 3


def test_only_some_embedders_have_batches() -> None:
    """The others make vectors themselves, or their provider has none."""

    class Stranger(msgspec.Struct, frozen=True):
        provider: str = "stranger"
        model: str = "m"
        known_dimensions: int = 8
        identity: dict[str, object] = {}

    assert batches_of(object()) is None
    stranger: Any = Stranger()
    assert batches_of(_embedder("http://127.0.0.1:1", stranger)) is None


def test_an_error_tells_no_secret(
    open_batches: OpenBatches, server: ProviderServer, tmp_path: Path
) -> None:
    """Neither the key nor a text."""
    batches = open_batches(server, "openai")
    file = tmp_path / "texts"
    file.write_bytes(batches.line(KEY, "my private words"))
    with pytest.raises(ProviderError) as caught:
        batches.create("recollect-1", "no such file")
    message = f"{caught.value} {caught.value.hint} {caught.value.facts}"
    assert "secret" not in message
    assert "private" not in message
    assert caught.value.hint
