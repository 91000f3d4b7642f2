"""The files of the local model on disk: which there are, whether they are sound, and repairs.

``model.safetensors`` and ``vocab.txt`` are the pinned originals. The graphs are derived from them,
one a quantisation. The weights, four times as large as the graph, are kept only on request; with
them, a missing or damaged graph is rebuilt automatically. ``manifest.json`` has their digests and
is written after them. The installer knows the source of the originals.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from recollect.core.decoding import decode_json
from recollect.core.errors import EmbeddingError, ModelMissing
from recollect.models.local.graph import GRAPH_VERSION, Quantisation, build_graph
from recollect.models.local.weights import read_weights
from recollect.models.local.wordpiece import read_vocabulary
from recollect.store.failures import os_errors, translate_os
from recollect.store.files import write_file

MODEL = "all-MiniLM-L6-v2"
INSTALL_HINT = "run `recollect models install`"
LICENSE = "Apache-2.0"

_MANIFEST = "manifest.json"
_LOCK = ".lock"


class Stamp(msgspec.Struct, frozen=True, kw_only=True):
    """The expected content of a file: its length and sha256."""

    bytes: int
    sha256: str


WEIGHTS, VOCABULARY = "model.safetensors", "vocab.txt"

ORIGINALS = {
    WEIGHTS: Stamp(
        bytes=90_868_376,
        sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    ),
    VOCABULARY: Stamp(
        bytes=231_508,
        sha256="07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    ),
}
"""Source: the digests of the upstream model, revision 1110a243, which unrelated projects pin too;
the vocabulary is identical to that of the tokenizer.json pinned there."""


class _Manifest(msgspec.Struct, frozen=True, kw_only=True):
    model: str
    license: str
    graph_version: int
    files: dict[str, Stamp]


class ModelFolder:
    """One folder with the files of the local model; cheap to create, reads nothing by itself.

    Args:
        path: The folder; it need not exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def is_installed(self, quantisation: Quantisation) -> bool:
        """Return whether it can be used, by the lengths of its files; takes microseconds."""
        graph = self._graph_path(quantisation)
        stamp = self._stamps().get(graph.name)
        has_graph = stamp is not None and has_length(graph, stamp)
        has_words = has_length(self.path / VOCABULARY, ORIGINALS[VOCABULARY])
        return has_words and (has_graph or self.has_weights)

    @property
    def has_weights(self) -> bool:
        """Return whether the weights, from which graphs are built, exist, by their length."""
        return has_length(self.path / WEIGHTS, ORIGINALS[WEIGHTS])

    def damaged_originals(self) -> list[str]:
        """Return the names of originals that are missing or damaged."""
        return [n for n, stamp in ORIGINALS.items() if not matches(self.path / n, stamp)]

    def needs_originals(self, quantisation: Quantisation, keeps_weights: bool = False) -> list[str]:
        """Return the names of originals to download; empty where the existing files suffice."""
        damaged = self.damaged_originals()
        does_without = not keeps_weights and self.has_graph(quantisation)
        return [name for name in damaged if not (name == WEIGHTS and does_without)]

    def drop_weights(self) -> None:
        """Remove the weights, which are not used once the graph is built.

        Raises:
            StoreError: it cannot be removed.
        """
        with os_errors(self.path):
            (self.path / WEIGHTS).unlink(missing_ok=True)

    def has_graph(self, quantisation: Quantisation) -> bool:
        """Return whether the graph exists and is sound."""
        return self._sound_graph(quantisation) is not None

    def read_graph(self, quantisation: Quantisation) -> bytes:
        """Return the serialised graph; a missing or damaged one is built first, in a second.

        Raises:
            ModelMissing: the originals are missing or damaged, or it cannot be built here.
            StoreError: it cannot be written.
        """
        if not self.is_installed(quantisation):
            has_words = has_length(self.path / VOCABULARY, ORIGINALS[VOCABULARY])
            raise _not_sound(self.path / (WEIGHTS if has_words else VOCABULARY))
        graph = self._sound_graph(quantisation)
        if graph is not None:
            return graph
        with self.locked():
            graph = self._sound_graph(quantisation)
            return self._build(quantisation) if graph is None else graph

    def read_vocabulary(self) -> list[str]:
        """Return the word pieces in order of their ids.

        Raises:
            ModelMissing: the file is missing or damaged.
        """
        path = self.path / VOCABULARY
        if not matches(path, ORIGINALS[VOCABULARY]):
            raise _not_sound(path)
        return read_vocabulary(path)

    def write_original(self, name: str, content: bytes) -> None:
        """Write one of the originals, in one step.

        Raises:
            EmbeddingError: ``content`` is not the original.
            StoreError: it cannot be written.
        """
        stamp = ORIGINALS[name]
        digest = hashlib.sha256(content).hexdigest()
        if digest != stamp.sha256:
            raise EmbeddingError(
                f"{name} is not the file of {MODEL}: its digest differs",
                hint="get the file again; nothing was installed",
                expected=stamp.sha256,
                found=digest,
            )
        write_file(self.path / name, content)

    def size_bytes(self) -> int:
        """Return the total size of the files."""
        return sum(path.stat().st_size for path in self.path.glob("*") if path.is_file())

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from writing here; waits for them.

        Raises:
            StoreError: the folder cannot be created or written.
        """
        path = self.path / _LOCK
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise translate_os(error, self.path) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _sound_graph(self, quantisation: Quantisation) -> bytes | None:
        path = self._graph_path(quantisation)
        stamp = self._stamps().get(path.name)
        if stamp is None:
            return None
        try:
            content = path.read_bytes()
        except OSError:
            return None
        return content if hashlib.sha256(content).hexdigest() == stamp.sha256 else None

    def _build(self, quantisation: Quantisation) -> bytes:
        weights = self.path / WEIGHTS
        if not matches(weights, ORIGINALS[WEIGHTS]):
            raise _not_sound(weights)
        content = build_graph(read_weights(weights), quantisation)
        path = self._graph_path(quantisation)
        write_file(path, content)
        stamp = Stamp(bytes=len(content), sha256=hashlib.sha256(content).hexdigest())
        self._write_manifest({**self._stamps(), path.name: stamp})
        return content

    def _write_manifest(self, files: dict[str, Stamp]) -> None:
        manifest = _Manifest(
            model=MODEL,
            license=LICENSE,
            graph_version=GRAPH_VERSION,
            files={**ORIGINALS, **files},
        )
        content = msgspec.json.format(msgspec.json.encode(manifest), indent=2)
        write_file(self.path / _MANIFEST, content + b"\n")

    def _stamps(self) -> dict[str, Stamp]:
        """Return the stamps of the graphs; empty when the manifest is missing, damaged or old."""
        try:
            manifest = decode_json((self.path / _MANIFEST).read_bytes(), _Manifest)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return {}
        return manifest.files if manifest.graph_version == GRAPH_VERSION else {}

    def _graph_path(self, quantisation: Quantisation) -> Path:
        return self.path / f"{quantisation}.onnx"


def has_length(path: Path, stamp: Stamp) -> bool:
    """Return whether a file exists with the expected length."""
    return _length(path) == stamp.bytes


def _length(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def matches(path: Path, stamp: Stamp) -> bool:
    """Return whether a file matches its stamp; reads all of it."""
    if _length(path) != stamp.bytes:
        return False
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == stamp.sha256
    except OSError:
        return False


def _not_sound(path: Path) -> ModelMissing:
    state = "damaged" if path.exists() else "missing"
    return ModelMissing(
        f"{path.name} of the local model {MODEL} is {state}", hint=INSTALL_HINT, path=str(path)
    )
