"""Tiny sentence-transformers exports: real ONNX graphs of a few nodes, real tokenizers.

A piece's token state is a row of a table. Pieces of one meaning, in whatever language, have the
same row: that is what makes the model multilingual.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

SIZE = 16
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
MEANINGS = {
    "kitten": ("kitten", "gatinho", "子猫"),
    "garden": ("garden", "jardim", "庭"),
    "slept": ("slept", "dormiu", "眠った"),
    "tax": ("tax", "imposto", "税"),
    "letter": ("letter", "carta", "手紙"),
}
"""A meaning -> its words."""


def table_of(pieces: Sequence[str], size: int = SIZE) -> NDArray[np.float32]:
    """Return one row a piece; equal for words of one meaning, about nothing for special pieces."""
    meaning_of = {word: meaning for meaning, words in MEANINGS.items() for word in words}
    rows = []
    for piece in pieces:
        meaning = meaning_of.get(piece.lower().strip("▁"), piece.strip("▁"))
        seed = int.from_bytes(meaning.encode()[:8].ljust(8, b"\0"), "little")
        row = np.random.default_rng(seed).standard_normal(size)
        is_special = piece.startswith(("[", "<"))
        rows.append(row * (0.01 if is_special else 1.0))
    return np.array(rows, np.float32)


def graph_of(
    table: NDArray[np.float32],
    *,
    inputs: Iterable[str] = ("input_ids", "attention_mask", "token_type_ids"),
    output: str = "last_hidden_state",
) -> onnx.ModelProto:
    """Return a graph like BERT's from outside: ids and mask in, one state a piece out.

    Each state is its piece's row and the mean of all rows: so it depends on what is around it.

    Args:
        table: The state of each piece.
        inputs: Names; what is not an id or a mask changes nothing.
        output: The name of the states; ``sentence_embedding`` is their mean.
    """
    tensor = numpy_helper.from_array(table, "table")
    one = numpy_helper.from_array(np.array([1], np.int64), "one")
    last = numpy_helper.from_array(np.array([-1], np.int64), "last")
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["states"]),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "last"], ["column"]),
    ]
    nodes += [
        helper.make_node("Mul", ["states", "column"], ["kept"]),
        helper.make_node("ReduceMean", ["kept", "one"], ["context"], keepdims=1),
        helper.make_node("Add", ["kept", "context"], ["mixed"]),
    ]
    if output == "sentence_embedding":
        nodes.append(helper.make_node("ReduceMean", ["mixed", "one"], [output], keepdims=0))
        shape: list[str | int] = ["batch", table.shape[1]]
    else:
        nodes.append(helper.make_node("Identity", ["mixed"], [output]))
        shape = ["batch", "pieces", table.shape[1]]
    taken = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "pieces"])
        for name in inputs
    ]
    given = [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)]
    graph = helper.make_graph(nodes, "tiny", taken, given, [tensor, one, last])
    opset = helper.make_opsetid("", 18)
    return helper.make_model(graph, opset_imports=[opset], ir_version=9)


def write_json(path: Path, value: object) -> None:
    """Write a file of the export; its folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")


def write_export(
    folder: Path,
    *,
    pooling: str = "mean",
    prompts: Mapping[str, str] | None = None,
    is_normalised: bool = True,
    graph: onnx.ModelProto | None = None,
    table: NDArray[np.float32] | None = None,
    size: int = SIZE,
    max_pieces: int = 32,
    at: str = "onnx/model.onnx",
) -> Path:
    """Write what every export has but its tokenizer, which has to be there; return ``folder``."""
    made = graph_of(pieces_table(folder) if table is None else table) if graph is None else graph
    path = folder / at
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(made.SerializeToString())
    kinds = ["Transformer", "Pooling", *(["Normalize"] if is_normalised else [])]
    modules = [
        {"idx": n, "name": str(n), "path": f"{n}_{kind}" if n else "", "type": f"{_HOME}.{kind}"}
        for n, kind in enumerate(kinds)
    ]
    write_json(folder / "modules.json", modules)
    modes = {
        f"pooling_mode_{name}": name == f"{pooling}{_ENDINGS.get(pooling, '')}" for name in _MODES
    }
    write_json(folder / "1_Pooling" / "config.json", {"word_embedding_dimension": size, **modes})
    write_json(folder / "sentence_bert_config.json", {"max_seq_length": max_pieces})
    write_json(folder / "config.json", {"hidden_size": size, "max_position_embeddings": 512})
    if prompts is not None:
        write_json(folder / "config_sentence_transformers.json", {"prompts": prompts})
    return folder


def pieces_table(folder: Path) -> NDArray[np.float32]:
    """Return the table for the tokenizer that lies in ``folder``."""
    if (folder / "vocab.txt").is_file():
        return table_of((folder / "vocab.txt").read_text(encoding="utf-8").splitlines())
    vocabulary: Any = json.loads((folder / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    is_named = isinstance(vocabulary, dict)
    pieces = sorted(vocabulary, key=lambda each: vocabulary[each]) if is_named else vocabulary
    return table_of([piece if isinstance(piece, str) else piece[0] for piece in pieces])


_HOME = "sentence_transformers.models"
_MODES = ("cls_token", "mean_tokens", "max_tokens", "mean_sqrt_len_tokens", "lasttoken")
_ENDINGS = {"cls": "_token", "mean": "_tokens", "max": "_tokens", "last": "token"}


def write_wordpiece(
    folder: Path, words: Iterable[str] = (), *, is_cased: bool = False, as_json: bool = False
) -> Path:
    """Write the tokenizer of a BERT; return ``folder``."""
    known = [word for group in MEANINGS.values() for word in group]
    pieces = [
        *SPECIAL,
        *dict.fromkeys([*words, *known, "the", "in", "##s", "query", "passage", ":"]),
    ]
    folder.mkdir(parents=True, exist_ok=True)
    if not as_json:
        (folder / "vocab.txt").write_text("\n".join(pieces) + "\n", encoding="utf-8")
        write_json(folder / "tokenizer_config.json", {"do_lower_case": not is_cased})
        return folder
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    ids = {piece: number for number, piece in enumerate(pieces)}
    made = Tokenizer(models.WordPiece(ids, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=not is_cased)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    made.add_special_tokens(list(SPECIAL))
    made.enable_truncation(4)
    made.save(str(folder / "tokenizer.json"))
    return folder


def write_unigram(folder: Path, words: Iterable[str] = ()) -> Path:
    """Write a tokenizer of the kind that XLM-R and multilingual E5 have; return ``folder``."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    known = [word for group in MEANINGS.values() for word in group]
    pieces = ["<s>", "<pad>", "</s>", "<unk>", "▁"]
    pieces += [
        f"▁{word}" for word in dict.fromkeys([*words, *known, "the", "in", "query:", "passage:"])
    ]
    letters = sorted(set("abcdefghijklmnopqrstuvwxyz:'.子猫庭税"))
    scored = [(piece, -float(number) / 10) for number, piece in enumerate([*pieces, *letters])]
    made = Tokenizer(models.Unigram(scored, unk_id=3, byte_fallback=False))
    made.normalizer = normalizers.NFKC()
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    made.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>"])
    made.enable_truncation(4)
    folder.mkdir(parents=True, exist_ok=True)
    made.save(str(folder / "tokenizer.json"))
    return folder
