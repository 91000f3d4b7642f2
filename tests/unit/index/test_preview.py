"""What a sync would take is told before it: the figures are those of the sync that follows."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.core.errors import ProviderUnavailable
from recollect.core.settings import EmbeddingSettings, RemoteSettings
from recollect.index.indexing.preview import Preview
from recollect.store.columns import first_integer
from recollect.text.tokens import estimate_tokens
from tests.unit.index.scripted import (
    PaidEmbedder,
    ScriptedEmbedder,
    ScriptedFeed,
    ScriptedIndex,
    note,
    said,
)


def figures(found: Preview) -> tuple[int, int, int]:
    """Return documents, chunks and texts."""
    return found.documents, found.chunks, found.texts


def test_a_first_sync_is_told_and_nothing_is_done(tmp_path: Path) -> None:
    """Equal texts are embedded once; tokens are those of distinct texts."""
    paid = PaidEmbedder("openai:text-embedding-3-small")
    feed = ScriptedFeed(said("a", "apple pie"), said("b", "apple pie"), said("c", "bread"))
    with ScriptedIndex(tmp_path, feed, paid) as home:
        preview = home.index.preview()
        assert figures(preview) == (3, 3, 2)
        assert preview.tokens == estimate_tokens("apple pie") + estimate_tokens("bread")
        assert (preview.model, preview.is_paid) == ("openai:text-embedding-3-small", True)
        assert preview.usd == pytest.approx(preview.tokens * 0.02 / 1e6)
        assert (preview.rebuild, preview.consent_needed) == (None, None)
        status = home.index.status()
        assert (status.chunks, paid.texts) == (0, [])
        report = home.index.sync()
        assert (report.put, report.chunks, len(paid.texts)) == figures(preview)
        assert figures(home.index.preview()) == (0, 0, 0)


def test_a_rebuild_for_another_model_names_the_price(tmp_path: Path) -> None:
    """The setting goes before the list; who does not know says so."""
    feed = ScriptedFeed(*(said(f"m{n}", f"apple number{n}") for n in range(5)))
    with ScriptedIndex(tmp_path, feed, ScriptedEmbedder()) as home:
        home.index.sync()
        free = home.index.preview(rebuild=True)
        assert (figures(free), free.usd, free.is_paid) == ((5, 5, 0), 0.0, False)
        assert free.rebuild == "it is asked for"
    paid = PaidEmbedder("paid:words")
    with ScriptedIndex(tmp_path, feed, paid) as home:
        preview = home.index.preview()
        assert (figures(preview), preview.usd) == ((5, 5, 5), None)
        assert str(preview.rebuild).startswith("the embedder was changed")
        assert "reindex" in str(preview.consent_needed)
    priced = EmbeddingSettings(remote=RemoteSettings(price_per_million=2.0))
    with ScriptedIndex(tmp_path, feed, paid, embedding=priced) as home:
        preview = home.index.preview()
        assert preview.usd == pytest.approx(preview.tokens * 2.0 / 1e6)
        assert home.index.rebuild().vectors == 5
        assert figures(home.index.preview(rebuild=True)) == (5, 5, 0), "the cache has them"


def test_what_waits_is_counted(tmp_path: Path) -> None:
    """Chunks whose vector is missing, and all of an index that has no embedder yet."""
    feed = ScriptedFeed(*(said(f"m{n}", f"apple number{n}") for n in range(5)))
    with ScriptedIndex(tmp_path, feed) as home:
        home.index.sync()
        words = home.index.preview()
        assert (figures(words), words.model) == ((0, 0, 0), None)
    embedder = ScriptedEmbedder()

    def fail(_: object) -> None:
        raise ProviderUnavailable("down", hint="later")

    embedder.before = fail
    with ScriptedIndex(tmp_path, feed, embedder) as home:
        assert figures(home.index.preview()) == (0, 0, 5)
        with pytest.raises(ProviderUnavailable):
            home.index.sync()
        feed.entries.append(said("m5", "bread"))
        assert figures(home.index.preview()) == (1, 1, 6)


def test_a_rebuild_that_was_begun_counts_what_is_left(tmp_path: Path) -> None:
    """Not what it has read and embedded already."""
    feed = ScriptedFeed(*(said(f"m{n}", f"apple number{n}") for n in range(5)))
    embedder = ScriptedEmbedder()
    with ScriptedIndex(tmp_path, feed, embedder) as home:
        home.index.sync()
    other = ScriptedEmbedder("other:words")

    def die(_: object) -> None:
        raise KeyboardInterrupt

    other.before = die
    with ScriptedIndex(tmp_path, feed, other) as home:
        with pytest.raises(KeyboardInterrupt):
            home.index.rebuild()
        assert figures(home.index.preview()) == (0, 0, 5)


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    texts=st.lists(
        st.sampled_from(["apple", "bread", "apple pie", " ", "cake\n\ncake"]), max_size=8
    ),
    later=st.lists(st.sampled_from(["apple", "grape", "bread"]), max_size=4),
    cut=st.booleans(),
)
def test_a_preview_says_what_the_sync_then_does(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], later: list[str], cut: bool
) -> None:
    """Whatever is there already."""
    make = note if cut else said
    feed = ScriptedFeed(*(make(f"m{n}", each) for n, each in enumerate(texts)))
    embedder = ScriptedEmbedder()
    with ScriptedIndex(tmp_path_factory.mktemp("home"), feed, embedder) as home:
        home.index.sync()
        embedded = len(embedder.texts)
        feed.entries += [make(f"m{n}", each) for n, each in enumerate(later)]
        preview = home.index.preview()
        rows = home.database.read(lambda tx: first_integer(tx.row("SELECT count(*) FROM chunks")))
        report = home.index.sync()
        assert (report.put, report.chunks) == (preview.documents, preview.chunks)
        assert len(embedder.texts) - embedded == preview.texts
        assert rows <= 8
