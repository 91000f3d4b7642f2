"""Embedders from sentence-transformers exports, each with its languages, pooling and prefix."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.core.errors import DimensionMismatch, EmbeddingError, ModelMissing
from recollect.models.embedding.embedder import Vectors
from recollect.models.embedding.wires import Purpose
from recollect.models.local.export import Export, Pooling
from recollect.models.local.folder import Stamp, has_length, matches
from recollect.models.local.minilm import PROVIDER, WindowRules
from recollect.models.local.pieces import Pieces, open_pieces
from recollect.models.local.runtime import OnnxSession
from recollect.models.local.threaded import ThreadedEmbedder

RUN_VERSION = 1
"""Part of the fingerprint: increase it when the output of an export changes."""

_HINT = "check the model: `recollect models list`; get its files again with `recollect models add`"
_STATES = ("last_hidden_state", "token_embeddings")
_POOLED = "sentence_embedding"
_IDS, _MASK, _TYPES, _POSITIONS = "input_ids", "attention_mask", "token_type_ids", "position_ids"
_NUMBERS: dict[str, type[np.integer[Any]]] = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


class ExportedEmbedder(ThreadedEmbedder):
    """Embeds texts with one of the user's own models. Safe to share between threads.

    Args:
        name: The name of the model in ``local:NAME``.
        folder: The folder of its files.
        export: Their description.
        files: What they must be.
        threads: Cores that `embed_documents` may keep busy; a query takes one.
        batch_size: Texts handed to a thread at once, and the step of the progress.
        max_windows: Text after the last window is not embedded.
    """

    def __init__(
        self,
        name: str,
        folder: Path,
        export: Export,
        files: Mapping[str, Stamp],
        *,
        threads: int = 2,
        batch_size: int = 8,
        max_windows: int = 8,
    ) -> None:
        super().__init__(export.dimensions, threads=threads, batch_size=batch_size)
        self.model = f"{PROVIDER}:{name}"
        self.languages = export.languages
        self._folder = folder
        self._export = export
        self._files = files
        self._max_windows = max_windows

    @property
    def fingerprint(self) -> str:
        """Return the identity of the vector space; the name and the languages do not count."""
        export = msgspec.structs.replace(self._export, languages=())
        parts = (PROVIDER, RUN_VERSION, export, dict(self._files), self._max_windows)
        return hashlib.sha256(msgspec.json.encode(parts, order="sorted")).hexdigest()

    def require_files(self, is_sound: Callable[[Path, Stamp], bool] = has_length) -> None:
        """Check the files against their stamps; by their lengths, in microseconds.

        Raises:
            ModelMissing: one is missing or damaged.
        """
        for name, stamp in self._files.items():
            path = self._folder / name
            if not is_sound(path, stamp):
                state = "damaged" if path.exists() else "missing"
                raise ModelMissing(
                    f"{name} of the model {self.model} is {state}", hint=_HINT, path=str(path)
                )

    def open_model(self) -> ExportedModel:
        """Return the model, loaded, after checking its files.

        Raises:
            ModelMissing: a file is missing or damaged, or a package is not installed.
            EmbeddingError: the runtime failed, or the graph is of another kind.
        """
        self.require_files(matches)
        return ExportedModel(self._folder, self._export, self._max_windows)


class ExportedModel:
    """The runtime's session, the tokenizer and the glue between them."""

    def __init__(self, folder: Path, export: Export, max_windows: int) -> None:
        self._export = export
        self._pieces = open_pieces(folder / export.tokenizer, export)
        self._session = OnnxSession(folder / export.graph, optimises=True, hint=_HINT)
        self._output = _output(self._session.outputs)
        self._numbers = _numbers(self._session.inputs)
        self._prefixes = {"query": export.query_prefix, "document": export.document_prefix}
        self._heads = {
            purpose: self._pieces.prefix(self._small(text))
            for purpose, text in self._prefixes.items()
        }
        self._rules = _rules(export, self._pieces, self._heads, max_windows)

    def embed(self, text: str, purpose: Purpose) -> Vectors:
        """Return the vector of one text, in this thread.

        Every window begins with the prefix; a text with one window has the same ids as the
        reference.
        """
        head, most = self._heads[purpose], self._rules.max_pieces
        ids = self._pieces.encode(self._small(self._prefixes[purpose] + text), most + len(head))
        if ids[: len(head)] == head:
            ids = ids[len(head) :]
        else:
            ids = self._pieces.encode(self._small(text), most)
        windows = list(self._rules.cut(ids, self._pieces.is_continuation))
        vectors = [self._embed_window([*head, *window]) for window in windows]
        return self._rules.combine(np.stack(vectors), [len(window) for window in windows])

    def _small(self, text: str) -> str:
        return text.lower() if self._export.lowers else text

    def _embed_window(self, window: Sequence[int]) -> Vectors:
        ids = np.array([[*self._pieces.before, *window, *self._pieces.after]], np.int64)
        values: dict[str, NDArray[Any]] = {
            _IDS: ids,
            _MASK: np.ones_like(ids),
            _TYPES: np.zeros_like(ids),
            _POSITIONS: np.arange(ids.shape[1], dtype=np.int64)[np.newaxis],
        }
        inputs = {name: values[name].astype(kind) for name, kind in self._numbers.items()}
        output = self._session.compute(self._output, inputs)[0]
        vector = output if output.ndim == 1 else _pool(output, self._export.pooling)
        if len(vector) != self._export.dimensions:
            raise DimensionMismatch(
                f"the graph makes vectors of {len(vector)} values, and the settings of its pooling"
                f" state {self._export.dimensions}",
                hint="get graph and settings of the same model",
                expected=self._export.dimensions,
                found=len(vector),
            )
        length = np.float32(np.linalg.norm(vector))
        scaled: Vectors = vector / length if length > 0 else vector
        return scaled


def _pool(states: Vectors, pooling: Pooling) -> Vectors:
    if pooling == "mean":
        mean: Vectors = states.mean(axis=0)
        return mean
    state: Vectors = states[0 if pooling == "cls" else -1]
    return state


def _output(outputs: Mapping[str, Sequence[object]]) -> str:
    """Return the output to read: the states of the pieces, else the pooled vector."""
    for name in (*_STATES, *outputs):
        if name in outputs and len(outputs[name]) == 3:
            return name
    if len(outputs.get(_POOLED, ())) == 2:
        return _POOLED
    raise _other(f"gives {', '.join(outputs)}: must give last_hidden_state or {_POOLED}")


def _numbers(inputs: Mapping[str, str]) -> dict[str, type[np.integer[Any]]]:
    """Return the inputs of the graph and the type of each."""
    names = {_IDS, _MASK, _TYPES, _POSITIONS}
    wrong = [name for name, kind in inputs.items() if name not in names or kind not in _NUMBERS]
    if wrong or _IDS not in inputs:
        raise _other(f"takes {', '.join(wrong or inputs)}: must take {_IDS} and {_MASK}")
    return {name: _NUMBERS[kind] for name, kind in inputs.items()}


def _rules(
    export: Export, pieces: Pieces, heads: Mapping[str, list[int]], max_windows: int
) -> WindowRules:
    around = len(pieces.before) + len(pieces.after) + max(map(len, heads.values()))
    if export.max_pieces <= around:
        raise EmbeddingError(
            f"the model reads {export.max_pieces} pieces, and its prefix leaves none for the text",
            hint="choose a shorter prefix",
        )
    return WindowRules(pieces=export.max_pieces - around, max_windows=max_windows)


def _other(what: str) -> EmbeddingError:
    return EmbeddingError(
        f"the graph {what}",
        hint="get one that was exported for feature extraction, without a cache of keys and values",
    )
