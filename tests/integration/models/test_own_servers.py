"""Ollama and a llama.cpp server as embedders, over OpenAI's wire format and without a key."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import recollect
from recollect.memory import Memory
from recollect.models.embedding.embedder import EmbeddingInterrupted
from tests.integration.models.remote import SIZE, embedder_for
from tests.support.own_servers import MODEL, LlamaFormat, MultilingualFormat, OllamaFormat
from tests.support.provider_formats import OpenAIFormat, unit_vector
from tests.support.provider_server import ProviderServer
from tests.support.scripted_time import ScriptedTime

LINES = ("The quilt for Nora is blue.", "The kettle is old.")
LONG = "endless " * 400


@pytest.fixture
def ollama() -> OllamaFormat:
    """Ollama with one model."""
    return OllamaFormat(key=None, dimensions=SIZE)


@pytest.fixture
def llama() -> LlamaFormat:
    """A llama.cpp server."""
    return LlamaFormat(key=None, dimensions=SIZE)


@pytest.fixture
def server(ollama: OllamaFormat, llama: LlamaFormat) -> Iterator[ProviderServer]:
    """Both on one port."""
    with ProviderServer(services=[ollama, llama]) as running:
        yield running


@pytest.fixture(params=["ollama", "llama"])
def own(request: pytest.FixtureRequest) -> OpenAIFormat:
    """Each in turn."""
    found: OpenAIFormat = request.getfixturevalue(str(request.param))
    return found


def _open(home: Path, server: ProviderServer, own: OpenAIFormat, model: str = MODEL) -> Memory:
    settings = {
        "embedding.provider": f"openai:{model}",
        "embedding.remote.base_url": server.origin + own.prefix,
    }
    return recollect.open(home, overrides=settings)


def test_a_home_is_searched_by_meaning_without_a_key(
    tmp_path: Path, server: ProviderServer, own: OpenAIFormat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An address and a model's name are enough; nobody's key goes there, and nothing is billed."""
    monkeypatch.setenv("OPENAI_API_KEY", "the-key-of-somebody-else")
    with _open(tmp_path, server, own) as memory:
        session = memory.sessions.create()
        memory.sessions.append_many(session.id, [("user", line) for line in LINES])
        memory.sync()
        result = memory.search(LINES[0])
        status = memory.status()
    assert (result.mode, result.warnings) == ("hybrid", [])
    assert result.hits[0].snippet == LINES[0]
    assert result.hits[0].why["vector"] > 0
    assert status.embedder == f"openai:{MODEL}"
    assert status.index.waiting == 0
    assert status.budget.tokens_today == 0
    assert {one.path for one in server.received} == {f"{own.prefix}/embeddings"}
    assert not any("authorization" in one.headers for one in server.received)
    sent = [text for one in server.received for text in own.inputs(one)]
    assert set(LINES) <= set(sent)


def test_a_multilingual_model_finds_one_language_in_another(tmp_path: Path) -> None:
    """No word is shared; the status says that the model reads many languages."""
    bge = MultilingualFormat(key=None, dimensions=16)
    lines = ["The kitten slept in the garden.", "A letter about the tax."]
    with ProviderServer(services=[bge]) as server, _open(tmp_path, server, bge, "bge-m3") as memory:
        session = memory.sessions.create()
        memory.sessions.append_many(session.id, [("user", line) for line in lines])
        memory.sync()
        found = [memory.search(q).hits[0].snippet for q in ("gatinho jardim", "税 手紙")]
        status = memory.status()
    assert found == lines
    assert status.embedder_languages == ["mul"]


def test_a_model_that_was_not_pulled_is_named_as_the_trouble(
    tmp_path: Path, server: ProviderServer, ollama: OllamaFormat
) -> None:
    """The search goes on by words, and the hint points at the model's name."""
    with _open(tmp_path, server, ollama, "another-model") as memory:
        session = memory.sessions.create()
        memory.sessions.append(session.id, "user", LINES[0])
        with pytest.raises(recollect.RecollectError) as caught:
            memory.sync()
        result = memory.search("quilt")
    assert "404, not_found_error" in caught.value.message
    assert "embedding.provider (the model's name)" in caught.value.hint
    assert (result.mode, [hit.snippet for hit in result.hits]) == ("lexical", [LINES[0]])


def test_a_model_that_is_being_loaded_is_waited_for(
    server: ProviderServer, llama: LlamaFormat
) -> None:
    """A llama.cpp server answers 503 meanwhile."""
    llama.loading, time = 2, ScriptedTime()
    address = server.origin + llama.prefix
    with closing(embedder_for(server, "openai", time, base_url=address)) as embedder:
        vectors = embedder.embed_documents(LINES)
    np.testing.assert_allclose(vectors, [unit_vector(line, SIZE) for line in LINES], atol=1e-6)
    assert len(server.received) == 3


def test_a_text_beyond_the_batch_of_a_server_stops_no_other(
    server: ProviderServer, llama: LlamaFormat
) -> None:
    """A llama.cpp server answers 500 to it: it is found by halving, and by its words later."""
    address = server.origin + llama.prefix
    with (
        closing(embedder_for(server, "openai", base_url=address)) as embedder,
        pytest.raises(EmbeddingInterrupted) as caught,
    ):
        embedder.embed_documents([*LINES, LONG])
    assert caught.value.refused == {2}
    assert sorted(caught.value.vectors) == [0, 1]
