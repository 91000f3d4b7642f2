"""The GGUF embedder with the real llama.cpp, on a tiny model with random weights.

Runs where the package llama-cpp-python is installed: it is compiled for minutes, which is why the
tests do not install it themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from recollect.backends.gguf import GgufEmbedder
from recollect.core.errors import ProviderError
from tests.unit.models.gguf_file import tiny_bert

pytest.importorskip("llama_cpp")

WORDS = ["the", "quilt", "is", "blue", "nora", "paints"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A whole model of 40 kB."""
    path = tmp_path / "tiny.gguf"
    path.write_bytes(tiny_bert(WORDS))
    return path


@pytest.fixture
def embedder(file: Path) -> Iterator[GgufEmbedder]:
    """An embedder that gives its memory back."""
    made = GgufEmbedder(file, threads=1)
    yield made
    made.close()


def test_a_real_model_makes_unit_vectors(embedder: GgufEmbedder) -> None:
    """One a text, in order, the same for the same text, another for another."""
    vectors = embedder.embed_documents(["the quilt is blue", "nora paints", "the quilt is blue"])
    assert vectors.shape == (3, 32)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    np.testing.assert_allclose(vectors[0], vectors[2], atol=1e-5)
    assert float(vectors[0] @ vectors[1]) < 0.999
    np.testing.assert_allclose(embedder.embed_query("nora paints"), vectors[1], atol=1e-5)


def test_a_text_beyond_the_context_is_read_as_far_as_it_goes(embedder: GgufEmbedder) -> None:
    """The model reads 64 tokens; beyond, llama.cpp would end the process."""
    vector = embedder.embed_query("the quilt is blue " * 1_000)
    assert float(np.linalg.norm(vector)) == pytest.approx(1.0, abs=1e-5)


def test_a_file_that_is_cut_short_is_a_clear_error(file: Path) -> None:
    """Its head says that all is well."""
    file.write_bytes(file.read_bytes()[:9_000])
    with pytest.raises(ProviderError, match="could not load"):
        GgufEmbedder(file).embed_query("the quilt")
