"""The local embedder: all-MiniLM-L6-v2 on ONNX Runtime, loaded at the first text."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np

from recollect.models.embedding.embedder import Vectors
from recollect.models.embedding.wires import Purpose
from recollect.models.local.folder import MODEL, ORIGINALS, ModelFolder
from recollect.models.local.graph import DIMENSIONS, GRAPH_VERSION, Quantisation
from recollect.models.local.runtime import OnnxSession
from recollect.models.local.threaded import ThreadedEmbedder
from recollect.models.local.wordpiece import WordPieces

PROVIDER = "local"


class LocalEmbedder(ThreadedEmbedder):
    """Embeds English texts on this machine. Safe to share between threads.

    Args:
        folder: The model's own folder, see `recollect.models.local.install`.
        quantisation: ``int8``, or ``fp32`` for the reference.
        threads: Cores that `embed_documents` may keep busy; a query takes one.
        batch_size: Texts handed to a thread at once, and the step of the progress.
        rules: How long texts are cut into windows.
    """

    model = f"{PROVIDER}:{MODEL}"
    languages = ("en",)

    def __init__(
        self,
        folder: Path,
        *,
        quantisation: Quantisation = "int8",
        threads: int = 2,
        batch_size: int = 8,
        rules: WindowRules | None = None,
    ) -> None:
        super().__init__(DIMENSIONS, threads=threads, batch_size=batch_size)
        self._folder = ModelFolder(folder)
        self._quantisation = quantisation
        self._rules = rules or WindowRules()

    @property
    def fingerprint(self) -> str:
        """Return the identity of the vector space; known before the model is loaded."""
        parts = (PROVIDER, MODEL, ORIGINALS, self._quantisation, GRAPH_VERSION, self._rules)
        return hashlib.sha256(msgspec.json.encode(parts, order="sorted")).hexdigest()

    def open_model(self) -> MiniLM:
        """Return the model, loaded.

        Raises:
            ModelMissing: the model or its runtime is not installed.
            EmbeddingError: the runtime failed.
        """
        return MiniLM(self._folder, self._quantisation, self._rules)


class MiniLM:
    """The runtime's session and the tokenizer."""

    def __init__(self, folder: ModelFolder, quantisation: Quantisation, rules: WindowRules) -> None:
        self._session = OnnxSession(folder.read_graph(quantisation))
        self._pieces = WordPieces(folder.read_vocabulary())
        self._rules = rules

    def embed(self, text: str, purpose: Purpose) -> Vectors:
        """Return the vector of one text, in this thread; questions are treated like texts."""
        ids = self._pieces.encode(text, self._rules.max_pieces)
        windows = list(self._rules.cut(ids, self._pieces.is_continuation))
        vectors = [self._embed_window(window) for window in windows]
        return self._rules.combine(np.concatenate(vectors), [len(window) for window in windows])

    def _embed_window(self, window: Sequence[int]) -> Vectors:
        ids = [self._pieces.cls_id, *window, self._pieces.sep_id]
        return self._session.run(np.array([ids], np.int64))


class WindowRules(msgspec.Struct, frozen=True, kw_only=True):
    """How a text becomes windows and windows become one vector. Part of the fingerprint.

    Attributes:
        pieces: Word pieces of a window, special pieces not counted. The model was trained to
            read 256 with its two special pieces.
        max_windows: What comes after the last window of a text is not embedded.
        head_weight: Weight of the first window in the combined vector; the others have weight 1.
            Every weight is multiplied by the filled share of the window.
    """

    pieces: int = 254
    max_windows: int = 8
    head_weight: float = 1.0

    def __post_init__(self) -> None:
        """Refuse rules that no text could satisfy."""
        if self.pieces < 1 or self.max_windows < 1 or not self.head_weight > 0:
            raise ValueError("window rules need pieces, max_windows and head_weight above zero")

    @property
    def max_pieces(self) -> int:
        """Return the most pieces of a text that are embedded."""
        return self.pieces * self.max_windows

    def cut(
        self, ids: Sequence[int], is_continuation: Callable[[int], bool]
    ) -> Iterator[Sequence[int]]:
        """Yield the windows of ``ids`` in order; a text without pieces has one empty window."""
        start = 0
        for _ in range(self.max_windows):
            end = self._end(ids, start, is_continuation)
            yield ids[start:end]
            start = end
            if start >= len(ids):
                return

    def combine(self, vectors: Vectors, lengths: Sequence[int]) -> Vectors:
        """Return the normalised weighted mean of the window vectors of one text.

        Args:
            vectors: ``(windows, dimensions)`` float32, normalised, in order.
            lengths: Pieces of each window.
        """
        head: Vectors = vectors[0]
        if len(vectors) == 1:
            return head
        weights = np.array(lengths, np.float32)
        weights[0] *= self.head_weight
        combined: Vectors = weights @ vectors
        length = float(np.linalg.norm(combined))
        # If the vectors cancel out, there is nothing to scale: the head is used instead.
        return combined / np.float32(length) if length > 0 else head

    def _end(self, ids: Sequence[int], start: int, is_continuation: Callable[[int], bool]) -> int:
        end = min(start + self.pieces, len(ids))
        word = end
        while start < word < len(ids) and is_continuation(ids[word]):
            word -= 1
        # A word that fills the whole window has no better position to cut.
        return word if word > start else end
