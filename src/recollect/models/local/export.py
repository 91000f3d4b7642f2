"""Reads the description of a model from the files of a sentence-transformers export.

An export is a folder: ``modules.json`` lists the steps (a transformer, its pooling, perhaps a
normalisation), each step has its own settings, ``tokenizer.json`` or ``vocab.txt`` is the tokenizer
and ``onnx/model.onnx`` the graph. What cannot be run as the export specifies is refused by name;
nothing is guessed.

Source: sentence-transformers 5, ``SentenceTransformer.save`` and ``export``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

import msgspec

from recollect.core.decoding import decode_json
from recollect.core.errors import EmbeddingError, InvalidInput

Pooling: TypeAlias = Literal["mean", "cls", "last"]

GRAPHS = ("onnx/model.onnx", "model.onnx")
TOKENIZERS = ("tokenizer.json", "vocab.txt")
"""The first existing one is used."""

_POOLING: dict[str, Pooling] = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_cls_token": "cls",
    "pooling_mode_lasttoken": "last",
}
_MOST_PIECES = 512
"""Pieces of a window, special ones included. Chunks have about 400 tokens; attention grows with
the square: a window of 8,192 pieces would take 4 GB in a model of 16 heads."""
_DOCUMENT_PROMPTS = ("document", "passage", "corpus")
_MOST_README_BYTES = 1 << 20


class Export(msgspec.Struct, frozen=True, kw_only=True):
    """A model as its files describe it.

    Attributes:
        graph: Its file, relative to the folder.
        tokenizer: Its file, relative to the folder.
        is_cased: Whether ``vocab.txt`` is case-sensitive.
        strips_accents: Whether accents are removed.
        lowers: Whether every text is lower-cased before it is cut into pieces.
        pooling: How the states of the pieces become one vector.
        dimensions: Size of the vectors.
        max_pieces: Pieces read at once, special ones included.
        query_prefix: Goes before a question.
        document_prefix: Goes before a text.
        languages: BCP 47 tags, ``mul`` for many; empty where the files do not state them.
    """

    graph: str
    tokenizer: str
    is_cased: bool = False
    strips_accents: bool = True
    lowers: bool = False
    pooling: Pooling
    dimensions: int
    max_pieces: int
    query_prefix: str = ""
    document_prefix: str = ""
    languages: tuple[str, ...] = ()


class _Module(msgspec.Struct):
    type: str
    path: str = ""


class _Transformer(msgspec.Struct):
    max_seq_length: int | None = None
    do_lower_case: bool = False


class _Config(msgspec.Struct):
    max_position_embeddings: int | None = None


class _Tokenizer(msgspec.Struct):
    tokenizer_class: str | None = None
    do_lower_case: bool = True
    strip_accents: bool | None = None
    tokenize_chinese_chars: bool = True


class _Prompts(msgspec.Struct):
    prompts: dict[str, str | None] | None = None
    default_prompt_name: str | None = None
    similarity_fn_name: str | None = None


def read_export(folder: Path, graph: str | None = None) -> Export:
    """Return the export described by the files in ``folder``.

    Args:
        folder: The export.
        graph: One of several graphs, relative to the folder, such as ``onnx/model_int8.onnx``.

    Raises:
        InvalidInput: it is not an export, or uses an unsupported feature.
        EmbeddingError: a file is damaged.
    """
    if not folder.is_dir():
        raise _unusable(folder, "must be a folder")
    modules = _read(folder, "modules.json", list[_Module])
    steps = {module.type.rpartition(".")[2]: module.path for module in modules}
    _check_steps(folder, steps, count=len(modules))
    prompts = _read_if_there(folder, "config_sentence_transformers.json", _Prompts)
    _check_similarity(folder, prompts, is_normalised="Normalize" in steps)
    pooling = _read(folder / steps["Pooling"], "config.json", dict[str, Any])
    rules = _read_if_there(folder / steps["Transformer"], "sentence_bert_config.json", _Transformer)
    tokenizer = _find(folder, TOKENIZERS)
    words = _read_if_there(folder, "tokenizer_config.json", _Tokenizer)
    if tokenizer == "vocab.txt":
        _check_vocabulary(folder, words)
    return Export(
        graph=_find(folder, GRAPHS) if graph is None else _find(folder, (graph,)),
        tokenizer=tokenizer,
        is_cased=not words.do_lower_case,
        strips_accents=words.do_lower_case if words.strip_accents is None else words.strip_accents,
        lowers=rules.do_lower_case,
        pooling=_pooling(folder, pooling),
        dimensions=_dimensions(folder, pooling),
        max_pieces=_max_pieces(folder, rules),
        query_prefix=_prompt(prompts, ("query",)),
        document_prefix=_prompt(prompts, _DOCUMENT_PROMPTS),
        languages=_languages(folder),
    )


def _check_steps(folder: Path, steps: dict[str, str], *, count: int) -> None:
    for name in steps:
        if name not in {"Transformer", "Pooling", "Normalize"}:
            raise _unusable(folder, f"has a step {name}, which is not supported")
    if not {"Transformer", "Pooling"} <= steps.keys() or count != len(steps):
        raise _unusable(folder, "must have one transformer and one pooling in modules.json")


def _check_similarity(folder: Path, prompts: _Prompts, *, is_normalised: bool) -> None:
    kind = prompts.similarity_fn_name or "cosine"
    if kind != "cosine" and not is_normalised:
        raise _unusable(folder, f"compares its vectors by {kind}; only cosine is supported")


def _check_vocabulary(folder: Path, words: _Tokenizer) -> None:
    kind = (words.tokenizer_class or "BertTokenizer").removesuffix("Fast")
    if kind not in {"BertTokenizer", "DistilBertTokenizer"} or not words.tokenize_chinese_chars:
        raise _unusable(
            folder, f"has a tokenizer {kind} with a vocab.txt, and no tokenizer.json that tells all"
        )


def _pooling(folder: Path, config: dict[str, Any]) -> Pooling:
    modes = [
        name for name, value in config.items() if name.startswith("pooling_mode_") and value is True
    ]
    mode_name = config.get("pooling_mode")  # the form of newer exports
    if isinstance(mode_name, str):
        modes = [f"pooling_mode_{mode_name}", *modes]
        pooling_of = dict(_POOLING) | {f"pooling_mode_{mode}": mode for mode in _POOLING.values()}
    else:
        pooling_of = _POOLING
    if len(modes) != 1 or modes[0] not in pooling_of:
        names = " and ".join(name.removeprefix("pooling_mode_") for name in modes) or "none"
        raise _unusable(folder, f"has the pooling {names}: must be mean, cls or last token")
    if config.get("include_prompt") is False:
        raise _unusable(folder, "leaves the prompt out of its pooling, which is not supported")
    return pooling_of[modes[0]]


def _dimensions(folder: Path, config: dict[str, Any]) -> int:
    size = config.get("word_embedding_dimension", config.get("embedding_dimension"))
    if not isinstance(size, int) or not 0 < size <= 1 << 16:
        raise _unusable(folder, "must state word_embedding_dimension in the config of its pooling")
    return size


def _max_pieces(folder: Path, rules: _Transformer) -> int:
    stated = rules.max_seq_length
    if stated is None:
        stated = _read_if_there(folder, "config.json", _Config).max_position_embeddings
    return max(8, min(stated or _MOST_PIECES, _MOST_PIECES))


def _prompt(prompts: _Prompts, names: tuple[str, ...]) -> str:
    texts = prompts.prompts or {}
    for name in (*names, prompts.default_prompt_name):
        text = texts.get(name) if name is not None else None
        if text:
            return text
    return ""


def _languages(folder: Path) -> tuple[str, ...]:
    """Return the languages in the header of the model card."""
    import yaml

    try:
        with (folder / "README.md").open(encoding="utf-8") as file:
            parts = file.read(_MOST_README_BYTES).split("---\n", 2)
        head = yaml.safe_load(parts[1]) if len(parts) == 3 and not parts[0] else {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        return ()
    entry = head.get("language") if isinstance(head, dict) else None
    entries = entry if isinstance(entry, list) else [entry]
    # YAML parses the tag of Norwegian as false.
    tags = [
        "no" if tag is False else tag for tag in entries if tag is False or isinstance(tag, str)
    ]
    return tuple(dict.fromkeys("mul" if tag == "multilingual" else tag for tag in tags))


def _find(folder: Path, names: tuple[str, ...]) -> str:
    for name in names:
        if (folder / name).is_file():
            return name
    raise _unusable(folder, f"has no {' or '.join(names)}")


_T = TypeVar("_T")


def _read(folder: Path, name: str, kind: type[_T]) -> _T:
    try:
        return decode_json((folder / name).read_bytes(), kind)
    except OSError as error:
        raise _unusable(folder, f"has no {name}") from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise EmbeddingError(
            f"{name} of the model is damaged", hint="get the file again", path=str(folder / name)
        ) from error


def _read_if_there(folder: Path, name: str, kind: type[_T]) -> _T:
    return _read(folder, name, kind) if (folder / name).exists() else kind()


def _unusable(folder: Path, why: str) -> InvalidInput:
    return InvalidInput(
        f"the model's folder {why}",
        hint="name a folder that sentence-transformers wrote, with its graph in onnx/model.onnx",
        path=str(folder),
    )
