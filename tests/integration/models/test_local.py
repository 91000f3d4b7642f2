"""The local embedder with its real weights."""

from __future__ import annotations

import base64
import json
import math
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from recollect.core.errors import EmbeddingError, InvalidInput, ModelMissing
from recollect.models.local.folder import VOCABULARY, WEIGHTS
from recollect.models.local.minilm import LocalEmbedder, WindowRules
from recollect.models.local.runtime import OnnxSession, runtime_is_installed
from recollect.models.local.weights import Weights, read_weights
from recollect.models.local.wordpiece import WordPieces, read_vocabulary

pytestmark = pytest.mark.model

GOLDEN: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "golden.json").read_text(encoding="utf-8")
)
TEXTS = [str(golden["text"]) for golden in GOLDEN]
LONG = "The tide tables for the harbour were printed wrongly this year. " * 100

Matrix = NDArray[np.float32]


@pytest.fixture(scope="module")
def embedder(model_folder: Path) -> Iterator[LocalEmbedder]:
    """The embedder as it is by default."""
    embedder = LocalEmbedder(model_folder)
    yield embedder
    embedder.close()


@pytest.fixture(scope="module")
def exact(model_folder: Path) -> Iterator[LocalEmbedder]:
    """The float32 reference."""
    embedder = LocalEmbedder(model_folder, quantisation="fp32")
    yield embedder
    embedder.close()


def _golden_vectors() -> Matrix:
    raw = [base64.b64decode(golden["vector_f16"]) for golden in GOLDEN]
    return np.stack([np.frombuffer(vector, "<f2").astype(np.float32) for vector in raw])


def _cosines(first: Matrix, second: Matrix) -> list[float]:
    lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    return [float(value) for value in (first * second).sum(axis=1) / lengths]


def _linear(weights: Weights, name: str, rows: Matrix) -> Matrix:
    product: Matrix = rows @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]
    return product


def _normalise(weights: Weights, name: str, rows: Matrix) -> Matrix:
    centred = rows - rows.mean(axis=-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
    result: Matrix = scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]
    return result


def _attention(weights: Weights, layer: str, rows: Matrix) -> Matrix:
    names = ("query", "key", "value")
    heads = [_linear(weights, f"{layer}.attention.self.{name}", rows) for name in names]
    query, key, value = (part.reshape(-1, 12, 32).transpose(1, 0, 2) for part in heads)
    scores: Matrix = np.exp(query @ key.transpose(0, 2, 1) / np.sqrt(32))
    mixed = (scores / scores.sum(axis=-1, keepdims=True)) @ value
    joined: Matrix = mixed.transpose(1, 0, 2).reshape(-1, 384).astype(np.float32)
    return joined


def _gelu(rows: Matrix) -> Matrix:
    error = np.vectorize(math.erf, otypes=[np.float32])(rows / np.sqrt(2))
    result: Matrix = (rows * (1 + error) / 2).astype(np.float32)
    return result


def _forward(weights: Weights, ids: list[int]) -> Matrix:
    """Run the model as its paper writes it: no graph, no fusing, no quantisation."""
    rows: Matrix = (
        weights["embeddings.word_embeddings.weight"][ids]
        + weights["embeddings.position_embeddings.weight"][: len(ids)]
        + weights["embeddings.token_type_embeddings.weight"][0]
    )
    rows = _normalise(weights, "embeddings.LayerNorm", rows)
    for number in range(6):
        layer = f"encoder.layer.{number}"
        mixed = _linear(
            weights, f"{layer}.attention.output.dense", _attention(weights, layer, rows)
        )
        rows = _normalise(weights, f"{layer}.attention.output.LayerNorm", mixed + rows)
        inner = _gelu(_linear(weights, f"{layer}.intermediate.dense", rows))
        inner = _linear(weights, f"{layer}.output.dense", inner)
        rows = _normalise(weights, f"{layer}.output.LayerNorm", inner + rows)
    mean: Matrix = rows.mean(axis=0)
    return mean / np.float32(np.linalg.norm(mean))


def test_word_pieces_are_those_of_the_model(model_folder: Path) -> None:
    """Ids made with the reference tokenizer 0.23 from the tokenizer.json of the model."""
    pieces = WordPieces(read_vocabulary(model_folder / VOCABULARY))
    assert [pieces.encode(text) for text in TEXTS] == [golden["ids"] for golden in GOLDEN]


def test_the_golden_vectors_are_those_of_a_plain_forward_pass(model_folder: Path) -> None:
    """An oracle that shares no code with the graph; the first is also the published example."""
    weights = read_weights(model_folder / WEIGHTS)
    vectors = np.stack([_forward(weights, [101, *golden["ids"], 102]) for golden in GOLDEN])
    assert min(_cosines(vectors, _golden_vectors())) > 0.9999


def test_float32_gives_the_golden_vectors(exact: LocalEmbedder) -> None:
    """The reference that int8 is measured against."""
    assert min(_cosines(exact.embed_documents(TEXTS), _golden_vectors())) > 0.999


def test_int8_stays_near_the_golden_vectors(embedder: LocalEmbedder) -> None:
    """.985 to .995 on whole sentences; single words go down to .964."""
    assert min(_cosines(embedder.embed_documents(TEXTS), _golden_vectors())) > 0.97


def test_vectors_are_float32_of_length_one(embedder: LocalEmbedder) -> None:
    """The contract of the port."""
    vectors = embedder.embed_documents([*TEXTS, "", " ", LONG])
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TEXTS) + 3, embedder.dimensions)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


def test_a_vector_depends_on_its_text_alone(embedder: LocalEmbedder, model_folder: Path) -> None:
    """Bit for bit: not on neighbours, order, batches or threads; so a rebuild changes nothing."""
    texts = [*TEXTS, LONG]
    expected = np.stack([embedder.embed_query(text) for text in texts])
    assert np.array_equal(embedder.embed_documents(texts), expected)
    assert np.array_equal(embedder.embed_documents(texts[::-1])[::-1], expected)
    single = LocalEmbedder(model_folder, threads=1, batch_size=1)
    assert np.array_equal(single.embed_documents(texts), expected)
    single.close()


def test_meaning_is_near(embedder: LocalEmbedder) -> None:
    """A smoke test of the whole: paraphrases are nearer than other subjects."""
    question = embedder.embed_query("How do I get a refund?")
    near, far = embedder.embed_documents(["Money back policy", "The moon orbits the earth"])
    assert question @ near > question @ far + 0.2


def test_a_long_text_is_read_to_its_end(embedder: LocalEmbedder) -> None:
    """Longer texts are embedded in windows, not cut."""
    whole = embedder.embed_query(LONG + "A zebra escaped from the circus. " * 40)
    assert _cosines(whole[None], embedder.embed_query(LONG)[None])[0] < 0.99


def test_windows_after_the_last_are_not_read(model_folder: Path) -> None:
    """The cost of one text is bounded."""
    short = LocalEmbedder(model_folder, rules=WindowRules(max_windows=2))
    assert np.array_equal(short.embed_query(LONG), short.embed_query(LONG + "zebra " * 99_999))
    short.close()


def test_the_head_can_be_given_more_weight(embedder: LocalEmbedder, model_folder: Path) -> None:
    """The vector moves towards that of the first window."""
    text = "Our cat is ill. " * 60 + LONG
    head = embedder.embed_query("Our cat is ill. " * 50)
    heavy = LocalEmbedder(model_folder, rules=WindowRules(head_weight=4))
    assert head @ heavy.embed_query(text) > head @ embedder.embed_query(text) + 0.05
    heavy.close()


def test_progress_counts_every_text(embedder: LocalEmbedder) -> None:
    """Steps of one batch; the sum is the number of texts."""
    steps: list[int] = []
    embedder.embed_documents(["a text"] * 21, steps.append)
    assert (sum(steps), max(steps)) == (21, 8)


def test_an_interrupt_leaves_a_working_embedder(embedder: LocalEmbedder) -> None:
    """Ctrl-C during a long run stops it; the next call works."""

    def interrupt(_done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        embedder.embed_documents(["a text"] * 100, interrupt)
    assert len(embedder.embed_documents(TEXTS)) == len(TEXTS)


def test_threads_may_share_one_embedder(model_folder: Path) -> None:
    """Also its first load; all see the same vectors."""
    shared = LocalEmbedder(model_folder)
    results: list[Matrix] = []
    threads = [
        threading.Thread(target=lambda: results.append(shared.embed_documents(TEXTS)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    assert all(np.array_equal(results[0], result) for result in results)
    shared.close()


def test_a_closed_embedder_loads_again(model_folder: Path) -> None:
    """Closing gives memory back; closing twice is harmless."""
    embedder = LocalEmbedder(model_folder)
    first = embedder.embed_query("hello")
    embedder.close()
    embedder.close()
    assert np.array_equal(embedder.embed_query("hello"), first)
    embedder.close()


def test_closing_does_not_break_a_call_in_progress(model_folder: Path) -> None:
    """The call ends with its vectors; the threads end with the call."""
    before = set(threading.enumerate())
    embedder = LocalEmbedder(model_folder)
    vectors = embedder.embed_documents(TEXTS * 4, lambda _done: embedder.close())
    assert len(vectors) == len(TEXTS) * 4
    ours = set(threading.enumerate()) - before
    for thread in ours:
        thread.join(timeout=60)
    assert not any(thread.is_alive() for thread in ours)


def test_no_texts_have_no_vectors(embedder: LocalEmbedder) -> None:
    """An empty batch keeps its shape."""
    assert embedder.embed_documents([]).shape == (0, 384)


@pytest.mark.parametrize(("threads", "batch_size"), [(0, 8), (2, 0)])
def test_impossible_settings_are_refused(tmp_path: Path, threads: int, batch_size: int) -> None:
    """Before any work is done."""
    with pytest.raises(InvalidInput):
        LocalEmbedder(tmp_path, threads=threads, batch_size=batch_size)


def test_without_files_it_says_how_to_install(tmp_path: Path) -> None:
    """Asking for the local model by name must fail loudly."""
    with pytest.raises(ModelMissing, match="missing") as caught:
        LocalEmbedder(tmp_path / "nothing").embed_query("hello")
    assert caught.value.hint == "run `recollect models install`"
    assert not (tmp_path / "nothing").exists()


def test_without_the_runtime_it_says_what_to_install(
    model_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The extra ``local`` brings it."""
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert not runtime_is_installed()
    with pytest.raises(ModelMissing, match="onnxruntime") as caught:
        LocalEmbedder(model_folder).embed_query("hello")
    assert "recollect[local]" in caught.value.hint


def test_a_graph_that_the_runtime_cannot_load_is_our_error() -> None:
    """The runtime's own classes never leave."""
    with pytest.raises(EmbeddingError, match="could not load"):
        OnnxSession(b"no graph")


def test_a_run_that_fails_is_our_error(model_folder: Path) -> None:
    """An id outside of the vocabulary stands for any failure inside of the runtime."""
    session = OnnxSession((model_folder / "int8.onnx").read_bytes())
    with pytest.raises(EmbeddingError, match="could not run"):
        session.run(np.array([[10**6]], np.int64))
