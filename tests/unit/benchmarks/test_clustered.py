"""The scripted embedder: repeatable unit vectors, queries near their message."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.load.clustered import CLUSTERS, DIMENSIONS, ClusteredEmbedder
from recollect.models.embedding.embedder import checked_vectors


@settings(max_examples=20, deadline=None)
@given(st.lists(st.text(max_size=20), min_size=1, max_size=8))
def test_vectors_may_enter_an_index_and_depend_on_the_text_alone(texts: list[str]) -> None:
    """The check of the port passes; the batch does not matter."""
    embedder = ClusteredEmbedder(1)

    vectors = checked_vectors(embedder.embed_documents(texts), len(texts), DIMENSIONS)

    alone = np.vstack([embedder.embed_documents([text]) for text in texts])
    assert np.array_equal(vectors, alone)


def test_queries_lie_near_their_message() -> None:
    """And unknown queries anywhere."""
    embedder = ClusteredEmbedder(1, {"query": "the message"})
    (target,) = embedder.embed_documents(["the message"])

    assert 0.6 < float(embedder.embed_query("query") @ target) < 0.9
    assert abs(float(embedder.embed_query("other") @ target)) < 0.5


def test_vectors_form_clusters() -> None:
    """Texts beyond the number of clusters share centres: they have near neighbours."""
    vectors = ClusteredEmbedder(1).embed_documents([str(n) for n in range(2 * CLUSTERS)])

    nearest = np.sort(vectors[:100] @ vectors.T, axis=1)[:, -2]
    assert float(np.median(nearest)) > 0.4


def test_fingerprint_follows_the_seed() -> None:
    """Vectors of two seeds must never meet in one index."""
    one, other = ClusteredEmbedder(1), ClusteredEmbedder(2)

    assert one.fingerprint == ClusteredEmbedder(1).fingerprint != other.fingerprint
    one.close()


def test_progress_hears_of_every_text() -> None:
    """The port's contract."""
    heard: list[int] = []

    ClusteredEmbedder(1).embed_documents(["a", "b"], heard.append)

    assert heard == [2]
