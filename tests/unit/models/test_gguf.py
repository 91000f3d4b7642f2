"""The GGUF embedder, over a stand-in with the interface of llama-cpp-python 0.3.

The real package is compiled on install for minutes; where it is there,
`tests/integration/models/test_llama.py` runs a tiny model with it.
"""

from __future__ import annotations

import importlib.machinery
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from recollect.backends.gguf import DEFAULT_FILE, GgufEmbedder, create
from recollect.core.errors import ModelMissing, ProviderError, ProviderRejected
from recollect.core.settings import EmbeddingSettings
from recollect.models.embedding.embedder import EmbeddingInterrupted
from tests.unit.models.gguf_file import USUAL, gguf_head


class Llama:
    """As llama_cpp.Llama: keyword arguments, ``embed`` of one text, ``close``."""

    made: list[Llama]

    def __init__(
        self,
        model_path: str,
        *,
        embedding: bool,
        n_ctx: int,
        n_batch: int,
        n_ubatch: int,
        n_threads: int,
        n_threads_batch: int,
        verbose: bool,
    ) -> None:
        if b"damaged" in Path(model_path).read_bytes():
            raise ValueError("Failed to load model from file")
        self.sizes = (n_ctx, n_batch, n_ubatch)
        self.threads = (n_threads, n_threads_batch)
        self.is_for_embedding = embedding and not verbose
        self.texts: list[str] = []
        self.is_closed = False
        Llama.made.append(self)

    def embed(self, text: str, *, normalize: bool, truncate: bool) -> object:
        """Return four values that follow from the text."""
        assert truncate
        assert not normalize
        self.texts.append(text)
        if "fail" in text:
            raise RuntimeError("llama_decode returned -1")
        if "tokens" in text:
            return [[1.0] * 4]
        return [3.0, 4.0, 0.0, float("nan") if "nan" in text else 0.0]

    def close(self) -> None:
        """Give the memory back."""
        self.is_closed = True


@pytest.fixture
def llama(monkeypatch: pytest.MonkeyPatch) -> type[Llama]:
    """The package, as if it were installed."""
    package = ModuleType("llama_cpp")
    package.__spec__ = importlib.machinery.ModuleSpec("llama_cpp", None)
    vars(package)["Llama"] = Llama
    monkeypatch.setitem(sys.modules, "llama_cpp", package)
    Llama.made = []
    return Llama


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of the usual name, whose head is right."""
    path = tmp_path / DEFAULT_FILE
    path.write_bytes(gguf_head())
    return path


@pytest.fixture
def embedder(llama: type[Llama], file: Path) -> Iterator[GgufEmbedder]:
    """An embedder of that file."""
    gguf = GgufEmbedder(file, threads=3)
    yield gguf
    gguf.close()


def test_texts_become_unit_vectors(embedder: GgufEmbedder) -> None:
    """The model is loaded with the first, and never with the file's head."""
    assert (embedder.dimensions, embedder.is_remote) == (4, False)
    assert embedder.model == "gguf:embeddinggemma-300M-Q8_0"
    assert Llama.made == []
    steps: list[int] = []
    vectors = embedder.embed_documents(["one", "two"], steps.append)
    np.testing.assert_allclose(vectors, [[0.6, 0.8, 0, 0]] * 2, atol=1e-6)
    np.testing.assert_allclose(embedder.embed_query("who?"), [0.6, 0.8, 0, 0], atol=1e-6)
    assert embedder.embed_documents([]).shape == (0, 4)
    assert steps == [1, 1]
    assert len(Llama.made) == 1


def test_the_context_is_never_larger_than_the_model(embedder: GgufEmbedder) -> None:
    """llama.cpp ends the process when it reads beyond."""
    embedder.embed_query("who?")
    assert Llama.made[0].sizes == (512, 512, 512)
    assert Llama.made[0].threads == (3, 3)
    assert Llama.made[0].is_for_embedding


def test_a_long_context_is_not_used_up(llama: type[Llama], file: Path) -> None:
    """Memory for 32,000 tokens would be wasted on chunks of 400."""
    file.write_bytes(gguf_head({**USUAL, "bert.context_length": 32_768}))
    GgufEmbedder(file).embed_query("who?")
    assert llama.made[0].sizes == (2_048, 2_048, 2_048)


def test_embeddinggemma_is_prompted_as_its_card_says(llama: type[Llama], file: Path) -> None:
    """It was trained with words before questions and texts; others were not."""
    entries = {
        "general.architecture": "gemma-embedding",
        "gemma-embedding.context_length": 2_048,
        "gemma-embedding.embedding_length": 4,
    }
    file.write_bytes(gguf_head(entries))
    embedder = GgufEmbedder(file)
    embedder.embed_query("who?")
    embedder.embed_documents(["text"])
    assert llama.made[0].texts == ["task: search result | query: who?", "title: none | text: text"]


def test_a_vector_that_is_not_finite_never_enters(embedder: GgufEmbedder) -> None:
    """It alone is refused."""
    with pytest.raises(EmbeddingInterrupted) as caught:
        embedder.embed_documents(["one", "nan", "two"])
    assert caught.value.refused == {1}
    assert sorted(caught.value.vectors) == [0, 2]
    with pytest.raises(ProviderRejected):
        embedder.embed_query("nan")


@pytest.mark.parametrize("text", ["fail", "tokens"])
def test_what_llama_cpp_cannot_do_is_a_clear_error(embedder: GgufEmbedder, text: str) -> None:
    """A failure, and a model that gives a vector for each token."""
    with pytest.raises(ProviderError) as caught:
        embedder.embed_query(text)
    assert caught.value.hint


def test_closing_gives_the_memory_back(embedder: GgufEmbedder) -> None:
    """A later call loads the model again."""
    embedder.embed_query("who?")
    embedder.close()
    embedder.close()
    assert Llama.made[0].is_closed
    embedder.embed_query("who?")
    assert len(Llama.made) == 2


def test_a_model_that_cannot_be_loaded_is_a_clear_error(llama: type[Llama], file: Path) -> None:
    """Its head was right."""
    file.write_bytes(gguf_head() + b"damaged")
    with pytest.raises(ProviderError, match="could not load"):
        GgufEmbedder(file).embed_query("who?")


def test_the_fingerprint_follows_the_file(llama: type[Llama], file: Path) -> None:
    """Not its name, nor the number of threads."""
    before = GgufEmbedder(file).fingerprint
    renamed = file.rename(file.with_name("other.gguf"))
    assert GgufEmbedder(renamed, threads=9).fingerprint == before
    renamed.write_bytes(gguf_head() + b"\0" * (3 << 20) + b"weights")
    assert GgufEmbedder(renamed).fingerprint != before


def test_without_the_package_nothing_is_there(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hint says what to install."""
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    with pytest.raises(ModelMissing) as caught:
        GgufEmbedder(file)
    assert "recollect[gguf]" in caught.value.hint


@pytest.mark.usefixtures("llama")
def test_the_file_is_found_by_name_or_setting(file: Path, tmp_path: Path) -> None:
    """In the models folder, with or without its ending; a name never leaves the folder."""
    usual = EmbeddingSettings()
    assert create("", usual, tmp_path).model == f"gguf:{file.stem}"
    assert create(file.stem, usual, tmp_path).model == f"gguf:{file.stem}"
    assert create(f"../../{file.name}", usual, tmp_path).model == f"gguf:{file.stem}"
    (tmp_path / "mine.gguf").write_bytes(gguf_head())
    settings = EmbeddingSettings(gguf_path=str(tmp_path / "mine.gguf"))
    assert create("", settings, tmp_path).model == "gguf:mine"


@pytest.mark.usefixtures("llama")
def test_a_file_that_is_not_there_or_damaged_is_told_at_once(tmp_path: Path) -> None:
    """Before a sync begins."""
    with pytest.raises(ModelMissing):
        create("", EmbeddingSettings(), tmp_path)
    (tmp_path / DEFAULT_FILE).write_bytes(b"an error page")
    with pytest.raises(ModelMissing, match="not a GGUF file"):
        create("", EmbeddingSettings(), tmp_path)


@pytest.mark.usefixtures("llama")
def test_a_file_that_goes_away_is_a_clear_error(file: Path) -> None:
    """Between choosing and loading."""
    embedder = GgufEmbedder(file)
    file.unlink()
    with pytest.raises(ModelMissing):
        _ = embedder.dimensions
    with pytest.raises(ModelMissing):
        _ = embedder.fingerprint
