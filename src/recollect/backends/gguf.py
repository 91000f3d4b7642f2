"""The GGUF embedder: any embedding model of llama.cpp on this machine, loaded at the first text.

Needs the package llama-cpp-python, which is compiled on install. One context reads one text after
another: llama.cpp's contexts cannot be shared between threads, and it uses the cores itself.
"""

from __future__ import annotations

import hashlib
import importlib.util
import struct
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import numpy as np

from recollect.core.errors import EmbeddingError, ModelMissing, ProviderRejected
from recollect.core.settings import EmbeddingSettings, user_path
from recollect.models.embedding.embedder import (
    EmbeddingInterrupted,
    Progress,
    Vectors,
    checked_vectors,
    sound_vectors,
)

PROVIDER = "gguf"
DEFAULT_FILE = "embeddinggemma-300M-Q8_0.gguf"
PACKAGE_HINT = 'run `pip install "recollect[gguf]"`; it compiles for some minutes'

_MAX_TOKENS = 2_048
"""Tokens of a text that are read: the limit embeddinggemma was trained with, five chunks."""
_SAMPLE_BYTES = 1 << 20
_PROMPTS: Mapping[str, tuple[str, str]] = {
    "gemma-embedding": ("task: search result | query: ", "title: none | text: ")
}
"""Architecture -> the prefixes of a question and of a text. Source: the model's card."""
_NO_PROMPTS = ("", "")


def create(model: str, settings: EmbeddingSettings, models: Path) -> GgufEmbedder:
    """Return the embedder of a GGUF file; it loads its model at the first text.

    Args:
        model: A file in ``models``, with or without its ending; empty for the file of
            ``embedding.gguf_path``, or the usual one.
        settings: The section ``embedding``.
        models: The folder of model files.

    Raises:
        ModelMissing: the package or the file is not there, or the file is damaged.
    """
    if model:
        name = model if model.endswith(".gguf") else f"{model}.gguf"
        file = models / Path(name).name
    else:
        path = settings.gguf_path
        file = user_path(path) if path else models / DEFAULT_FILE
    embedder = GgufEmbedder(file, threads=settings.threads)
    _ = embedder.dimensions  # reads the header, so that a wrong file is reported now
    return embedder


class GgufEmbedder:
    """Embeds texts with a GGUF model. Safe to share between threads.

    Args:
        file: The model's file.
        threads: Cores that llama.cpp may keep busy.

    Raises:
        ModelMissing: the package or the file is not there.
    """

    is_remote = False

    def __init__(self, file: Path, *, threads: int = 2) -> None:
        if not gguf_is_installed():
            raise ModelMissing("the package llama-cpp-python is not installed", hint=PACKAGE_HINT)
        if not file.is_file():
            raise _unreadable(file)
        self._file = file
        self.model = f"{PROVIDER}:{file.stem}"
        self._threads = threads
        self._lock = threading.Lock()
        self._header: GgufModel | None = None
        self._fingerprint = ""
        self._llama: Any = None

    @property
    def dimensions(self) -> int:
        """Return the size of the vectors, from the file's header.

        Raises:
            ModelMissing: the file is damaged.
        """
        return self._read_header().dimensions

    @property
    def fingerprint(self) -> str:
        """Return the identity of the vector space: the file's size and both of its ends."""
        with self._lock:
            self._fingerprint = self._fingerprint or self._identify()
            return self._fingerprint

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Return one vector a text, in order: ``(len(texts), dimensions)`` float32, normalised.

        Of a text, the first 2,048 tokens are read.

        Raises:
            EmbeddingInterrupted: some texts have no usable vector.
            ProviderError: the model cannot be loaded, or failed.
        """
        vectors: dict[int, Vectors] = {}
        for position, text in enumerate(texts):
            vector = self._embed(self._prompts()[1] + text)
            if vector is not None:
                vectors[position] = vector
            if progress is not None:
                progress(1)
        if len(vectors) < len(texts):
            raise EmbeddingInterrupted(
                _unusable(), vectors, frozenset(range(len(texts))) - set(vectors)
            )
        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        return checked_vectors(np.stack(list(vectors.values())), len(texts), self.dimensions)

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a question: ``(dimensions,)`` float32, normalised.

        Raises:
            ProviderError: the model cannot be loaded, or failed.
        """
        vector = self._embed(self._prompts()[0] + text)
        if vector is None:
            raise _unusable()
        checked: Vectors = checked_vectors(vector[np.newaxis], 1, self.dimensions)[0]
        return checked

    def close(self) -> None:
        """Release the memory of the model; a later call loads it again."""
        with self._lock:
            llama, self._llama = self._llama, None
            if llama is not None:
                llama.close()

    def _embed(self, text: str) -> Vectors | None:
        with self._lock:
            if self._llama is None:
                self._llama = self._load()
            try:
                row = self._llama.embed(text, normalize=False, truncate=True)
            except (RuntimeError, ValueError, TypeError) as error:
                raise _failed("embed a text") from error
        # Without pooling there is a vector for each token, and none for the text.
        if not row or isinstance(row[0], list):
            raise EmbeddingError(
                "the GGUF file must hold an embedding model: this one does not pool",
                hint="choose a model made for embeddings",
            )
        return sound_vectors([row])[0]

    def _prompts(self) -> tuple[str, str]:
        return _PROMPTS.get(self._read_header().architecture, _NO_PROMPTS)

    def _read_header(self) -> GgufModel:
        if self._header is None:
            try:
                self._header = read_gguf(self._file)
            except OSError as error:
                raise _unreadable(self._file) from error
        return self._header

    def _load(self) -> Any:
        import llama_cpp

        # llama.cpp aborts the process on a longer context than the model was trained for.
        tokens = min(self._read_header().context_tokens, _MAX_TOKENS)
        try:
            return llama_cpp.Llama(
                model_path=str(self._file),
                embedding=True,
                n_ctx=tokens,
                n_batch=tokens,
                n_ubatch=tokens,
                n_threads=self._threads,
                n_threads_batch=self._threads,
                verbose=False,
            )
        except (OSError, RuntimeError, ValueError, AssertionError) as error:
            raise _failed("load the model") from error

    def _identify(self) -> str:
        try:
            size = self._file.stat().st_size
            with self._file.open("rb") as file:
                head = file.read(_SAMPLE_BYTES)
                file.seek(max(0, size - _SAMPLE_BYTES))
                tail = file.read(_SAMPLE_BYTES)
        except OSError as error:
            raise _unreadable(self._file) from error
        ends = [hashlib.sha256(end).hexdigest() for end in (head, tail)]
        parts = (PROVIDER, size, ends, self._prompts(), _MAX_TOKENS)
        return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


def gguf_is_installed() -> bool:
    """Return whether llama-cpp-python is installed; imports nothing."""
    try:
        return importlib.util.find_spec("llama_cpp") is not None
    except ValueError:  # an entry of sys.modules without a spec
        return False


def _unreadable(file: Path) -> ModelMissing:
    return ModelMissing(
        "the GGUF file is not there or cannot be read",
        hint=f"put {DEFAULT_FILE} there, or name a file with embedding.gguf_path",
        path=str(file),
    )


def _unusable() -> ProviderRejected:
    return ProviderRejected(
        "the GGUF model made a vector that is not finite",
        hint="try another file of the model; it is found by words",
    )


def _failed(what: str) -> EmbeddingError:
    return EmbeddingError(
        f"llama.cpp could not {what}",
        hint="check the file; `pip install --upgrade llama-cpp-python` may know newer models",
    )


_MAX_TEXT_BYTES = 1 << 20
_MAX_ENTRIES = 10_000
_MAX_ITEMS = 10_000_000
_TEXT, _LIST = 8, 9
_SCALARS = dict(zip((0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12), "BbHhIif?Qqd", strict=True))
"""The type number -> its code in `struct`."""

Value = int | float | bool | str | None


class GgufModel(msgspec.Struct, frozen=True, kw_only=True):
    """The metadata of a model file.

    Attributes:
        architecture: Such as ``gemma-embedding`` or ``bert``.
        name: The model's name; empty where the file has none.
        dimensions: Size of its vectors.
        context_tokens: How many tokens it reads at once.
    """

    architecture: str
    name: str
    dimensions: int
    context_tokens: int


def read_gguf(path: Path) -> GgufModel:
    """Return the metadata of the model file at ``path``.

    Raises:
        ModelMissing: it is not a GGUF file, is damaged, or lacks required metadata.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        try:
            model = _read(file)
        except (struct.error, UnicodeDecodeError) as error:
            raise _damaged("it ends too early") from error
    return model


def _read(file: BinaryIO) -> GgufModel:
    if file.read(4) != b"GGUF" or _number(file, "I") not in {2, 3}:
        raise _damaged("it is not a GGUF file")
    _number(file, "Q")
    count = int(_number(file, "Q"))
    entries: dict[str, Value] = {}
    for _ in range(min(count, _MAX_ENTRIES)):
        name = _text(file)
        entries[name] = _value(file, int(_number(file, "I")))
        model = _model(entries)
        if model is not None:
            return model
    raise _damaged("it does not say the size of its vectors")


def _model(entries: dict[str, Value]) -> GgufModel | None:
    architecture = entries.get("general.architecture")
    dimensions = entries.get(f"{architecture}.embedding_length")
    context = entries.get(f"{architecture}.context_length")
    if not (isinstance(architecture, str) and _is_size(dimensions) and _is_size(context)):
        return None
    name = entries.get("general.name")
    return GgufModel(
        architecture=architecture,
        name=name if isinstance(name, str) else "",
        dimensions=int(dimensions or 0),
        context_tokens=int(context or 0),
    )


def _is_size(value: Value) -> bool:
    return type(value) is int and 0 < value <= 1 << 24


def _value(file: BinaryIO, kind: int) -> Value:
    if kind in _SCALARS:
        return _number(file, _SCALARS[kind])
    if kind == _TEXT:
        return _text(file)
    if kind != _LIST:
        raise _damaged("it holds a value of an unknown type")
    _skip_list(file)
    return None


def _skip_list(file: BinaryIO) -> None:
    kind, count = int(_number(file, "I")), int(_number(file, "Q"))
    if count > _MAX_ITEMS or kind not in {*_SCALARS, _TEXT}:
        raise _damaged("it holds a list that no model has")
    if kind != _TEXT:
        file.seek(count * struct.calcsize("<" + _SCALARS[kind]), 1)
        return
    for _ in range(count):
        _text(file)


def _number(file: BinaryIO, code: str) -> int | float | bool:
    code = "<" + code
    number: int | float | bool = struct.unpack(code, file.read(struct.calcsize(code)))[0]
    return number


def _text(file: BinaryIO) -> str:
    length = int(_number(file, "Q"))
    raw = file.read(length) if length <= _MAX_TEXT_BYTES else b""
    if len(raw) != length:
        raise _damaged("a text in it has no possible length")
    return raw.decode("utf-8")


def _damaged(why: str) -> ModelMissing:
    return ModelMissing(
        f"the GGUF file cannot be used: {why}",
        hint="get the file again, or name another with embedding.gguf_path",
    )
