"""Models of the user's own: what an export may be, what its vectors are, and what goes wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import recollect
from recollect.core.errors import (
    Conflict,
    DimensionMismatch,
    EmbeddingError,
    InvalidInput,
    ModelMissing,
    RecollectError,
    StoreError,
)
from recollect.models.local.added import (
    AddedModel,
    Choices,
    add_model,
    find_model,
    list_models,
    remove_model,
)
from recollect.models.local.export import read_export
from recollect.models.local.exported import ExportedEmbedder
from recollect.models.local.pieces import open_pieces
from tests.support.onnx_export import (
    SIZE,
    graph_of,
    pieces_table,
    table_of,
    write_export,
    write_json,
    write_unigram,
    write_wordpiece,
)

TEXTS = ("the kitten slept in the garden", "tax letter", "庭 子猫", "", "letters's")
Add = Callable[..., ExportedEmbedder]


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """The folder of models; nothing is in it."""
    return tmp_path / "models"


@pytest.fixture
def add(models: Path) -> Add:
    """Add an export and return its embedder."""

    def added(source: Path, **choices: str) -> ExportedEmbedder:
        made = add_model(source, models, Choices(**choices), lambda _done, _total: None)
        return embedder_of(models, made)

    return added


def embedder_of(models: Path, made: AddedModel, **options: int) -> ExportedEmbedder:
    """Return the embedder of a model that was added."""
    return ExportedEmbedder(made.name, models / made.name, made.export, made.files, **options)


def expected(
    source: Path, ids: list[int], pooling: str
) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """Return what the reference would make of the ids of a text, special ones included."""
    states = pieces_table(source)[ids]
    states = states + states.mean(axis=0)
    pooled = {"mean": states.mean(axis=0), "cls": states[0], "last": states[-1]}[pooling]
    found: np.ndarray[tuple[int], np.dtype[np.float32]] = pooled / np.linalg.norm(pooled)
    return found


@pytest.mark.parametrize("pooling", ["mean", "cls", "last"])
@pytest.mark.parametrize("kind", ["vocab.txt", "wordpiece", "unigram"])
def test_a_vector_is_that_of_the_reference(
    tmp_path: Path, add: Add, kind: str, pooling: str
) -> None:
    """The ids of the package tokenizers, prefix and special ids included, pooled and scaled."""
    source = tmp_path / "export"
    write_unigram(source) if kind == "unigram" else write_wordpiece(
        source, as_json=kind == "wordpiece"
    )
    prompts = {"query": "query: ", "passage": "passage: "}
    write_export(source, pooling=pooling, prompts=prompts)
    embedder = add(source)
    assert embedder.dimensions == SIZE
    vectors = embedder.embed_documents(TEXTS)
    for text, vector in zip(TEXTS, vectors, strict=True):
        ids = _reference_ids(source, "passage: " + text, tmp_path)
        np.testing.assert_allclose(vector, expected(source, ids, pooling), atol=1e-5)
        ids = _reference_ids(source, "query: " + text, tmp_path)
        question = embedder.embed_query(text)
        np.testing.assert_allclose(question, expected(source, ids, pooling), atol=1e-5)


def _reference_ids(source: Path, text: str, tmp_path: Path) -> list[int]:
    from tokenizers import Tokenizer

    path = source / "tokenizer.json"
    if not path.exists():
        path = write_wordpiece(tmp_path / "reference", as_json=True) / "tokenizer.json"
    reference = Tokenizer.from_file(str(path))
    reference.no_truncation()
    ids: list[int] = reference.encode(text).ids
    return ids


def test_a_long_text_is_read_in_windows_that_each_have_the_prefix(tmp_path: Path, add: Add) -> None:
    """Of at most the pieces that the model reads; what comes last counts too."""
    source = write_export(
        write_unigram(tmp_path / "export"), prompts={"document": "passage: "}, max_pieces=8
    )
    embedder = add(source)
    text = "tax " * 5 + "kitten " * 5
    ids = _reference_ids(source, "passage: " + text, tmp_path)
    head, body, end = ids[:2], ids[2:-1], ids[-1:]
    windows = [body[start : start + 5] for start in range(0, len(body), 5)]
    vectors = [expected(source, [*head, *window, *end], "mean") for window in windows]
    combined = np.average(vectors, axis=0, weights=[len(window) for window in windows])
    combined /= np.linalg.norm(combined)
    np.testing.assert_allclose(embedder.embed_documents([text])[0], combined, atol=1e-5)
    giant = embedder.embed_documents(["tax " * 200_000])[0]
    assert np.isfinite(giant).all()


@pytest.mark.parametrize("write", [write_wordpiece, write_unigram])
def test_a_text_that_spells_a_control_piece_is_no_control(
    tmp_path: Path, write: Callable[[Path], Path]
) -> None:
    """Neither with our own tokenizer nor with the package's."""
    source = write_export(write(tmp_path / "export"))
    export = read_export(source)
    pieces = open_pieces(source / export.tokenizer, export)
    ids = pieces.encode("kitten <s> [CLS] tax </s> [SEP]", 100)
    assert not {*ids} & {*pieces.before, *pieces.after}
    assert len(ids) > 2


def test_a_cased_vocabulary_keeps_capitals_and_accents(tmp_path: Path, add: Add) -> None:
    """As its settings say."""
    cased = write_wordpiece(tmp_path / "cased", ["Tax", "é"], is_cased=True)
    rows = np.random.default_rng(7).standard_normal(pieces_table(cased).shape)
    embedder = add(write_export(cased, table=rows.astype(np.float32)))
    one, other, accent, plain = embedder.embed_documents(["Tax", "tax", "é", "e"])
    assert not np.allclose(one, other)
    assert not np.allclose(accent, plain)
    uncased = add(write_export(write_wordpiece(tmp_path / "uncased", ["e"])))
    vectors = uncased.embed_documents(["TAX", "tax", "É", "e"])
    np.testing.assert_allclose(vectors[0], vectors[1])
    np.testing.assert_allclose(vectors[2], vectors[3])


def test_the_pooled_output_of_a_graph_is_taken_as_it_is(tmp_path: Path, add: Add) -> None:
    """Some graphs pool by themselves; others take fewer inputs, or keep tables beside them."""
    plain = add(write_export(write_wordpiece(tmp_path / "plain")))
    source = write_wordpiece(tmp_path / "pooled")
    graph = graph_of(
        pieces_table(source), inputs=("input_ids", "attention_mask"), output="sentence_embedding"
    )
    pooled = add(write_export(source, graph=graph, at="model.onnx"))
    np.testing.assert_allclose(
        pooled.embed_documents(TEXTS), plain.embed_documents(TEXTS), atol=1e-6
    )


def test_tables_beside_the_graph_come_along(tmp_path: Path, add: Add, models: Path) -> None:
    """Models above two gigabytes have them in a file of their own."""
    import onnx

    source = write_wordpiece(tmp_path / "large")
    write_export(source)
    graph = onnx.load(source / "onnx" / "model.onnx")
    onnx.save(
        graph,
        source / "onnx" / "model.onnx",
        save_as_external_data=True,
        location="model.onnx_data",
        size_threshold=256,
    )
    plain = add(write_export(write_wordpiece(tmp_path / "plain")))
    large = add(source)
    assert (models / "large" / "model.onnx_data").is_file()
    np.testing.assert_allclose(large.embed_query("tax"), plain.embed_query("tax"), atol=1e-6)


def test_another_graph_and_other_prefixes_can_be_chosen(tmp_path: Path, add: Add) -> None:
    """E5 names its prefixes in its card only."""
    source = write_export(write_unigram(tmp_path / "e5"))
    write_export(source, at="onnx/model_int8.onnx", table=-pieces_table(source))
    plain, other = add(source), add(source, graph="onnx/model_int8.onnx", name="e5-int8")
    np.testing.assert_allclose(plain.embed_query("tax"), -other.embed_query("tax"), atol=1e-6)
    assert plain.fingerprint != other.fingerprint
    prefixed = add(source, name="e5-prefixed", query_prefix="query: ", document_prefix="passage: ")
    assert not np.allclose(prefixed.embed_query("tax"), plain.embed_query("tax"))
    assert (other.model, prefixed.model) == ("local:e5-int8", "local:e5-prefixed")


def test_the_newer_forms_of_the_files_are_read(tmp_path: Path, add: Add) -> None:
    """Names of modules moved, the pooling became one word, prompts may be null."""
    source = write_export(write_wordpiece(tmp_path / "new"))
    kinds = ("transformer.Transformer", "pooling.Pooling", "normalize.Normalize")
    modules = [
        {"idx": n, "name": str(n), "path": "1_Pooling" if n == 1 else "", "type": f"a.b.{kind}"}
        for n, kind in enumerate(kinds)
    ]
    write_json(source / "modules.json", modules)
    write_json(
        source / "1_Pooling" / "config.json", {"embedding_dimension": SIZE, "pooling_mode": "cls"}
    )
    write_json(source / "config_sentence_transformers.json", {"prompts": {"query": None}})
    (source / "sentence_bert_config.json").unlink()
    assert add(source).dimensions == SIZE


MODULES = [
    {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
]
POOLING = {"word_embedding_dimension": SIZE, "pooling_mode_mean_tokens": True}


@pytest.mark.parametrize(
    ("file", "value", "says"),
    [
        ("modules.json", None, "has no modules.json"),
        ("1_Pooling/config.json", None, "has no config.json"),
        ("onnx/model.onnx", None, "has no onnx/model.onnx or model.onnx"),
        ("vocab.txt", None, "has no tokenizer.json or vocab.txt"),
        ("modules.json", [*MODULES, {"type": "x.Dense", "path": "2_Dense"}], "a step Dense"),
        ("modules.json", MODULES[:1], "one transformer and one pooling"),
        ("1_Pooling/config.json", POOLING | {"pooling_mode_max_tokens": True}, "mean, cls or last"),
        ("1_Pooling/config.json", {"pooling_mode": "max", "word_embedding_dimension": 4}, "max"),
        ("1_Pooling/config.json", {"pooling_mode_mean_tokens": True}, "word_embedding_dimension"),
        ("1_Pooling/config.json", POOLING | {"include_prompt": False}, "leaves the prompt out"),
        (
            "tokenizer_config.json",
            {"tokenizer_class": "MPNetTokenizer"},
            "tokenizer MPNetTokenizer",
        ),
    ],
)
def test_what_is_not_supported_is_refused_by_name(
    tmp_path: Path, add: Add, file: str, value: object, says: str
) -> None:
    """Before anything is copied."""
    source = write_export(write_wordpiece(tmp_path / "export"))
    if value is None:
        (source / file).unlink()
    else:
        write_json(source / file, value)
    with pytest.raises(InvalidInput, match=says) as caught:
        add(source)
    assert caught.value.hint
    assert not (tmp_path / "models").exists()


def test_vectors_that_are_compared_otherwise_are_refused(tmp_path: Path, add: Add) -> None:
    """Where their length counts; once they are normalised it does not."""
    source = write_export(write_wordpiece(tmp_path / "dot"), is_normalised=False)
    write_json(source / "config_sentence_transformers.json", {"similarity_fn_name": "dot"})
    with pytest.raises(InvalidInput, match="by dot; only cosine"):
        add(source)
    write_export(source, is_normalised=True)
    assert add(source).dimensions == SIZE


@pytest.mark.parametrize("file", ["modules.json", "1_Pooling/config.json", "tokenizer.json"])
def test_a_damaged_file_is_named(tmp_path: Path, add: Add, file: str) -> None:
    """The model is not added."""
    source = write_export(write_unigram(tmp_path / "export"))
    (source / file).write_bytes(b'{"half": ')
    with pytest.raises(EmbeddingError, match=Path(file).name) as caught:
        add(source)
    assert caught.value.hint == "get the file again"


def test_a_tokenizer_that_the_package_cannot_read_is_named(tmp_path: Path, add: Add) -> None:
    """It is JSON, and not a tokenizer."""
    source = write_export(write_unigram(tmp_path / "export"))
    write_json(source / "tokenizer.json", {"model": {"type": "Unigram", "vocab": 3}})
    with pytest.raises(EmbeddingError, match=r"tokenizer\.json"):
        add(source)


def test_a_graph_of_another_kind_is_refused_and_leaves_nothing(
    tmp_path: Path, add: Add, models: Path
) -> None:
    """Inputs, outputs, the size of the vectors, numbers that are not finite, no graph at all."""
    source = write_wordpiece(tmp_path / "export")
    table = pieces_table(source)
    cases = [
        (graph_of(table, inputs=("input_ids", "attention_mask", "past.0.key")), "past.0.key"),
        (graph_of(table_of(["a"] * len(table), 8)), "vectors of 8 values"),
        (graph_of(np.full_like(table, np.nan)), "finite"),
        (graph_of(np.ones_like(table)), "different texts different ones"),
    ]
    for graph, says in cases:
        with pytest.raises(EmbeddingError, match=says):
            add(write_export(source, graph=graph))
        assert sorted(os.listdir(models)) == [".lock"]
    with pytest.raises(DimensionMismatch):
        add(write_export(source, size=24))
    (source / "onnx" / "model.onnx").write_bytes(b"no graph")
    with pytest.raises(EmbeddingError, match="could not load"):
        add(source)
    assert sorted(os.listdir(models)) == [".lock"]


def test_without_the_package_its_extra_is_named(
    tmp_path: Path, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Our own tokenizer needs none."""
    bert = write_export(write_wordpiece(tmp_path / "bert", as_json=True))
    unigram = write_export(write_unigram(tmp_path / "unigram"))
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    assert add(bert).dimensions == SIZE
    with pytest.raises(ModelMissing) as caught:
        add(unigram)
    assert "recollect[tokenizers]" in caught.value.hint


def test_a_name_is_given_once(tmp_path: Path, add: Add, models: Path) -> None:
    """Also not that of our own model, nor one that is no name."""
    source = write_export(write_wordpiece(tmp_path / "mine"))
    add(source)
    with pytest.raises(Conflict, match="mine already") as caught:
        add(source)
    assert "recollect models remove mine" in caught.value.hint
    with pytest.raises(Conflict):
        add(source, name="all-MiniLM-L6-v2")
    for name in ("../mine", ".mine", "a" * 65, "mein Modell"):
        with pytest.raises(InvalidInput, match="name of a model"):
            add(source, name=name)
    assert list_models(models) == ["mine"]


def test_what_a_killed_process_left_goes_with_the_next(
    tmp_path: Path, add: Add, models: Path
) -> None:
    """It was no model yet."""
    stale = models / ".adding-killed" / "model.onnx"
    stale.parent.mkdir(parents=True)
    stale.write_bytes(b"half")
    add(write_export(write_wordpiece(tmp_path / "mine")))
    assert sorted(os.listdir(models)) == [".lock", "mine"]


def test_ctrl_c_leaves_nothing(tmp_path: Path, models: Path) -> None:
    """Neither a model nor a draft of one."""
    source = write_export(write_wordpiece(tmp_path / "mine"))

    def interrupt(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        add_model(source, models, Choices(), interrupt)
    assert sorted(os.listdir(models)) == [".lock"]


def test_a_folder_that_cannot_be_written_is_our_error(tmp_path: Path) -> None:
    """A file is in the place of the models folder."""
    source = write_export(write_wordpiece(tmp_path / "mine"))
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreError):
        add_model(source, tmp_path / "file", Choices(), lambda _done, _total: None)


def test_a_removed_model_is_gone(tmp_path: Path, add: Add, models: Path) -> None:
    """Once."""
    add(write_export(write_wordpiece(tmp_path / "mine")))
    remove_model(models, "mine")
    assert sorted(os.listdir(models)) == [".lock"]
    with pytest.raises(StoreError):
        remove_model(models, "mine")
    with pytest.raises(ModelMissing, match="mine is not installed"):
        find_model(models, "mine")


def _ask(home: Path, models: Path) -> tuple[str, list[str], str, str]:
    """Ask a home in a process of its own; return mode, hits, reason and error of a sync."""
    code = (
        "import sys, json, recollect\n"
        "with recollect.open(sys.argv[1], live=False) as memory:\n"
        "    error = ''\n"
        "    try:\n"
        "        memory.sync()\n"
        "    except recollect.RecollectError as found:\n"
        "        error = found.message\n"
        "    result = memory.search('garden kitten')\n"
        "    reason = memory.status().embedder_reason\n"
        "print(json.dumps([result.mode, [h.snippet for h in result.hits], reason, error]))\n"
    )
    environ = {
        "RECOLLECT_MODELS": str(models),
        "RECOLLECT_EMBEDDING__PROVIDER": "local:mine",
        "HOME": str(home.parent),
        "PATH": os.defpath,
    }
    command = [sys.executable, "-c", code, str(home)]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    mode, hits, reason, error = json.loads(done.stdout)
    return mode, hits, reason, error


def test_a_home_goes_on_by_words_when_its_model_is_damaged_or_gone(
    tmp_path: Path, add: Add, models: Path
) -> None:
    """And by meaning again once the model is back, without embedding anything again."""
    home, line = tmp_path / "home", "The kitten slept in the garden."
    with recollect.open(home, live=False) as memory:
        session = memory.sessions.create()
        memory.sessions.append(session.id, "user", line)
    add(write_export(write_wordpiece(tmp_path / "mine")))
    assert _ask(home, models)[:2] == ("hybrid", [line])

    graph = models / "mine" / "model.onnx"
    sound = graph.read_bytes()
    graph.write_bytes(bytes(len(sound)))  # of the right length
    mode, hits, _, error = _ask(home, models)
    assert (mode, hits) == ("lexical", [line])
    assert error == ""  # a search needs no sync: nothing is waiting
    graph.write_bytes(sound[:100])
    mode, hits, reason, _ = _ask(home, models)
    assert (mode, hits) == ("lexical", [line])
    assert "model.onnx of the model local:mine is damaged" in reason

    (models / "mine").rename(tmp_path / "elsewhere")
    mode, hits, reason, _ = _ask(home, models)
    assert (mode, hits) == ("lexical", [line])
    assert "the local model mine is not installed" in reason

    (tmp_path / "elsewhere").rename(models / "mine")
    graph.write_bytes(sound)
    assert _ask(home, models)[:2] == ("hybrid", [line])


def test_a_damaged_manifest_is_named(tmp_path: Path, add: Add, models: Path) -> None:
    """It is what tells the rest."""
    add(write_export(write_wordpiece(tmp_path / "mine")))
    (models / "mine" / "model.json").write_text("{", encoding="utf-8")
    with pytest.raises(RecollectError, match="manifest of the local model mine is damaged"):
        find_model(models, "mine")
    assert list_models(models) == ["mine"]
