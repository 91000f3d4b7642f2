"""No search waits for a provider longer than it must, and a lexical one not at all."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from recollect.core.errors import ProviderUnavailable
from recollect.core.settings import EmbeddingSettings, RemoteSettings
from recollect.index.query.search_service import SearchOptions
from recollect.models.embedding.embedder import Vectors
from tests.unit.index.scripted import PaidEmbedder, ScriptedFeed, ScriptedIndex, said

SOON = EmbeddingSettings(remote=RemoteSettings(query_timeout_s=0.1))
LONG_S = 30.0
"""Nothing in these tests takes so long unless it hangs."""


class Hanging(PaidEmbedder):
    """Answers nothing until it is let go."""

    def __init__(self) -> None:
        super().__init__("hanging:words")
        self.go = threading.Event()
        self.go.set()
        self.begun = threading.Event()
        self.questions = 0

    def embed_documents(self, texts: Sequence[str], progress: Any = None) -> Vectors:
        """Wait, then answer."""
        self.begun.set()
        assert self.go.wait(LONG_S)
        return super().embed_documents(texts, progress)

    def embed_query(self, text: str) -> Vectors:
        """Wait, then answer."""
        self.questions += 1
        assert self.go.wait(LONG_S)
        return super().embed_query(text)


@pytest.fixture
def embedder() -> Iterator[Hanging]:
    """One that hangs when a test says so, and never longer than the test."""
    hanging = Hanging()
    yield hanging
    hanging.go.set()


@pytest.fixture
def home(tmp_path: Path, embedder: Hanging) -> Iterator[ScriptedIndex]:
    """A home with vectors of it."""
    feed = ScriptedFeed(*(said(f"m{n}", f"apple number{n}") for n in range(6)))
    with ScriptedIndex(tmp_path, feed, embedder, embedding=SOON) as opened:
        opened.index.sync()
        yield opened


def add(home: ScriptedIndex, ref: str, text: str) -> None:
    """Say something that has no vector yet."""
    feed = home.index._feeds[0]  # noqa: SLF001  # the scripted one
    assert isinstance(feed, ScriptedFeed)
    feed.entries.append(said(ref, text))


def test_a_provider_that_hangs_costs_the_meaning_not_the_answer(
    home: ScriptedIndex, embedder: Hanging
) -> None:
    """After query_timeout_s words answer, and the answer says so."""
    assert home.ask("number3").mode == "hybrid"
    embedder.go.clear()
    result = home.ask("number3")
    assert (result.hits[0].ref, result.mode) == ("m3", "lexical")
    assert result.warnings == ["hanging did not answer in time: only words were compared"]


def test_nobody_waits_again_for_a_provider_that_was_late(
    home: ScriptedIndex, embedder: Hanging
) -> None:
    """One search pays for the hanging; when the answer comes, questions go there again."""
    embedder.go.clear()
    home.ask("number3")
    count = embedder.questions
    for _ in range(20):
        result = home.ask("number4")
        assert result.hits[0].ref == "m4"
        assert "did not answer an earlier question in time" in result.warnings[0]
    assert embedder.questions == count
    embedder.go.set()
    deadline = threading.Event()
    for _ in range(1_000):
        if home.ask("number4").mode == "hybrid":
            break
        deadline.wait(0.01)
    assert home.ask("number4").mode == "hybrid"


def test_a_provider_that_gives_up_late_has_a_rest_too(
    home: ScriptedIndex, embedder: Hanging
) -> None:
    """Its own deadline is about ours; a quick refusal costs nobody the next question."""

    def quick(_: Vectors) -> Vectors:
        raise ProviderUnavailable("hanging said no", hint="wait")

    def slow(_: Vectors) -> Vectors:
        threading.Event().wait(SOON.remote.query_timeout_s * 0.8)
        raise ProviderUnavailable("hanging gave up", hint="wait")

    embedder.query = quick
    assert [home.ask("number2").warnings for _ in range(2)] == [
        ["hanging said no: only words were compared"]
    ] * 2
    embedder.query = slow
    home.ask("number2")
    assert "an earlier question" in home.ask("number2").warnings[0]


def test_an_open_breaker_is_told_at_once(home: ScriptedIndex, embedder: Hanging) -> None:
    """Words answer, with the reason."""

    def refuse(_: Vectors) -> Vectors:
        raise ProviderUnavailable("hanging is left alone after 5 failures", hint="wait")

    embedder.query = refuse
    result = home.ask("number2")
    assert (result.hits[0].ref, result.mode) == ("m2", "lexical")
    assert result.warnings == ["hanging is left alone after 5 failures: only words were compared"]


def test_a_search_embeds_no_texts_through_a_provider(
    home: ScriptedIndex, embedder: Hanging
) -> None:
    """However few: they are found by their words and the answer says what is missing."""
    texts = list(embedder.texts)
    add(home, "new", "grape number77")
    result = home.ask("number77")
    assert result.hits[0].ref == "new"
    assert result.warnings == ["some chunks have no vector yet: run `recollect sync`"]
    assert embedder.texts == texts
    assert home.index.sync().vectors == 1


def test_a_lexical_search_asks_nobody_whatever_the_provider_does(
    home: ScriptedIndex, embedder: Hanging
) -> None:
    """No question, no text, no waiting and no warning."""
    texts, questions = list(embedder.texts), embedder.questions
    embedder.go.clear()
    add(home, "new", "grape number77")
    result = home.ask("number77", mode="lexical")
    assert (result.hits[0].ref, result.warnings) == ("new", [])
    assert (embedder.texts, embedder.questions) == (texts, questions)


def test_a_search_waits_for_no_embedding_in_the_background(
    home: ScriptedIndex, embedder: Hanging
) -> None:
    """The job holds its lock while it hangs at the provider; words of new messages are found."""
    embedder.go.clear()
    embedder.begun.clear()
    add(home, "new", "grape number77")
    job = threading.Thread(target=home.index.sync)
    job.start()
    assert embedder.begun.wait(LONG_S)
    add(home, "newer", "grape number88")
    for mode in ("lexical", "hybrid"):
        assert home.refs("number88", mode=mode)[0] == "newer"
    assert job.is_alive(), "the searches were answered while it was hanging"
    embedder.go.set()
    job.join(LONG_S)
    home.index.sync()
    assert home.index.status().waiting == 0


def test_a_search_without_hits_causes_no_work(home: ScriptedIndex, embedder: Hanging) -> None:
    """Neither a write, nor an embedding, nor a rebuild, however often it is asked."""
    options = SearchOptions(limit=5, min_score=0.99, sources=None, mode="hybrid")
    texts, commits = list(embedder.texts), home.database.health().commits
    for _ in range(5):
        assert home.index.search("zebra", scope=said("a", "").scope, options=options).hits == []
    assert home.database.health().commits == commits
    assert embedder.texts == texts
    assert not home.index.status().rebuilding
