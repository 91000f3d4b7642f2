"""The user's own models: copied beside the local model, each with the digests of its files.

A model is a folder with a manifest in the models folder. It appears there in one step, after a test
run; a command that is interrupted before leaves no usable model.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import numpy as np

from recollect.core.decoding import decode_json
from recollect.core.errors import Conflict, EmbeddingError, InvalidInput, ModelMissing
from recollect.models.languages import MULTILINGUAL
from recollect.models.local.export import Export, read_export
from recollect.models.local.exported import ExportedEmbedder
from recollect.models.local.folder import MODEL, ModelFolder, Stamp
from recollect.models.local.minilm import PROVIDER
from recollect.models.local.pieces import open_pieces
from recollect.store.failures import translate_os
from recollect.store.files import sync_folder, write_file

_MANIFEST = "model.json"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_OURS = {f"{PROVIDER}:{MODEL}", MULTILINGUAL}
_DRAFT_PREFIX = ".adding-"
_CHUNK_BYTES = 1 << 22
_TRIED = ("A line about the garden.", "Eine ganz andere Zeile, 別の行。")

Copied = Callable[[int, int], None]
"""Called with the copied bytes and the total."""


class AddedModel(msgspec.Struct, frozen=True, kw_only=True):
    """One of the user's own models.

    Attributes:
        name: Its name.
        export: The description from its files.
        files: Their expected stamps.
    """

    name: str
    export: Export
    files: dict[str, Stamp]

    @property
    def bytes(self) -> int:
        """Return the total size of the files."""
        return sum(stamp.bytes for stamp in self.files.values())


class Choices(msgspec.Struct, frozen=True, kw_only=True):
    """Choices that override or complete the files of an export; None leaves it to them.

    Attributes:
        name: The name of the model; by default that of its folder.
        graph: One of several graphs, relative to the folder.
        query_prefix: The prefix of a question.
        document_prefix: The prefix of a text.
    """

    name: str | None = None
    graph: str | None = None
    query_prefix: str | None = None
    document_prefix: str | None = None


def add_model(source: Path, models: Path, choices: Choices, copied: Copied) -> AddedModel:
    """Copy a sentence-transformers export into the models folder, tested and with digests.

    Args:
        source: The export; it is only read.
        models: The folder of model files.
        choices: Values that are not taken from the files.
        copied: Called while files are copied.

    Raises:
        InvalidInput: the folder is not such an export, or the name cannot be used.
        Conflict: a model of that name exists.
        ModelMissing: the model needs a package that is not installed.
        ProviderError: a file is damaged, or the model makes no usable vectors.
        StoreError: no space, or the folder cannot be written.
    """
    export = read_export(source, choices.graph)
    export = msgspec.structs.replace(
        export, **{n: v for n in _PREFIXES if (v := getattr(choices, n)) is not None}
    )
    name = _checked_name(choices.name or source.resolve().name)
    open_pieces(source / export.tokenizer, export)  # before gigabytes are copied
    with ModelFolder(models).locked():
        if (models / name).exists() or f"{PROVIDER}:{name}" in _OURS:
            raise Conflict(
                f"there is a model, or something else, called {name} already",
                hint=f"choose another name with --name, or `recollect models remove {name}` first",
            )
        with _draft(models) as draft:
            files = _copy(source, draft, export, copied)
            flat = msgspec.structs.replace(export, graph=Path(export.graph).name)
            added = AddedModel(name=name, export=flat, files=files)
            _try_out(ExportedEmbedder(name, draft, flat, files, threads=1))
            write_file(draft / _MANIFEST, msgspec.json.format(msgspec.json.encode(added)) + b"\n")
            draft.rename(models / name)
        sync_folder(models)
    return added


_PREFIXES = ("query_prefix", "document_prefix")


def find_model(models: Path, name: str) -> AddedModel:
    """Return the model with a name, from its manifest; its files are not read.

    Raises:
        ModelMissing: there is none, or its manifest is damaged.
    """
    hint = f"run `recollect models add FOLDER --name {name}`; `recollect models list` shows all"
    try:
        content = (models / _checked_name(name) / _MANIFEST).read_bytes()
    except OSError as error:
        raise ModelMissing(f"the local model {name} is not installed", hint=hint) from error
    try:
        return decode_json(content, AddedModel)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ModelMissing(
            f"the manifest of the local model {name} is damaged", hint=hint
        ) from error


def list_models(models: Path) -> list[str]:
    """Return the names of the user's own models, sorted; damaged ones included."""
    return sorted(path.parent.name for path in models.glob(f"*/{_MANIFEST}"))


def remove_model(models: Path, name: str) -> None:
    """Remove a model's folder: the model is gone at once, its files are deleted afterwards.

    Raises:
        StoreError: it cannot be removed.
    """
    with ModelFolder(models).locked(), _draft(models) as draft:
        try:
            (models / name).rename(draft / name)
        except OSError as error:
            raise translate_os(error, models / name) from error
        sync_folder(models)


def _checked_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise InvalidInput(
            "the name of a model must be letters, digits, dots, dashes and underscores, 64 at most",
            hint="choose one with --name",
        )
    return name


@contextmanager
def _draft(models: Path) -> Iterator[Path]:
    """Yield a temporary folder; it is removed afterwards, with those of killed processes."""
    for stale in models.glob(f"{_DRAFT_PREFIX}*"):
        shutil.rmtree(stale, ignore_errors=True)
    try:
        draft = Path(tempfile.mkdtemp(prefix=_DRAFT_PREFIX, dir=models))
    except OSError as error:
        raise translate_os(error, models) from error
    try:
        yield draft
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _copy(source: Path, draft: Path, export: Export, copied: Copied) -> dict[str, Stamp]:
    graph = source / export.graph
    # Large tensors are in model.onnx_data or model.onnx.data.
    sources = [source / export.tokenizer, *sorted(graph.parent.glob(f"{graph.name}*"))]
    copied_bytes, files = 0, {}
    try:
        total = sum(path.stat().st_size for path in sources)
        for path in sources:
            digest = hashlib.sha256()

            def parts(path: Path = path, digest: hashlib._Hash = digest) -> Iterator[bytes]:
                nonlocal copied_bytes
                with path.open("rb") as file:
                    while part := file.read(_CHUNK_BYTES):
                        digest.update(part)
                        copied_bytes += len(part)
                        copied(copied_bytes, total)
                        yield part

            size = write_file(draft / path.name, parts())
            files[path.name] = Stamp(bytes=size, sha256=digest.hexdigest())
    except OSError as error:
        raise translate_os(error, source) from error
    return files


def _try_out(embedder: ExportedEmbedder) -> None:
    """Embed two texts twice: the size must be as stated, vectors equal for equal texts only."""
    once = embedder.embed_documents(_TRIED)
    again = np.stack([embedder.embed_documents([text])[0] for text in _TRIED])
    questions = np.stack([embedder.embed_query(text) for text in _TRIED])
    embedder.close()
    is_stable = np.allclose(once, again, atol=1e-5)
    if not is_stable or np.allclose(once[0], once[1]) or np.allclose(questions[0], questions[1]):
        raise EmbeddingError(
            "the model must give equal texts equal vectors and different texts different ones",
            hint="check that graph, tokenizer and settings are of one model",
            model=f"{PROVIDER}:{embedder.model}",
        )
