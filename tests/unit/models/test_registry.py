"""Embedders by name."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from recollect.core.errors import EmbeddingError, InvalidInput
from recollect.core.settings import EmbeddingSettings
from recollect.models.folder import MODEL, ORIGINALS
from recollect.models.registry import (
    choose_embedder,
    create_embedder,
    local_folder,
    provider_names,
)

SETTINGS = EmbeddingSettings()

PLUGIN = """
import numpy as np

class Echo:
    def __init__(self, model):
        self.model, self.fingerprint, self.dimensions = f"echo:{model}", "f" * 64, 2

    def embed_documents(self, texts, progress=None):
        return np.tile(np.float32([0.6, 0.8]), (len(texts), 1))

    def embed_query(self, text):
        return np.float32([0.6, 0.8])

    def close(self):
        pass

def create(model, settings, models):
    return Echo(model or "default")
"""


def _pretend_installed(models: Path) -> None:
    """Put files of the right length where the model's files belong: what `auto` looks at."""
    folder = models / MODEL
    folder.mkdir(parents=True)
    for name, stamp in ORIGINALS.items():
        with (folder / name).open("wb") as file:
            file.truncate(stamp.bytes)


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package of somebody else that brings two providers, one of them broken."""
    site = tmp_path / "site"
    (site / "echo-1.0.dist-info").mkdir(parents=True)
    (site / "echo_plugin.py").write_text(PLUGIN, encoding="utf-8")
    (site / "echo-1.0.dist-info" / "METADATA").write_text("Name: echo\nVersion: 1.0\n", "utf-8")
    (site / "echo-1.0.dist-info" / "entry_points.txt").write_text(
        "[recollect.embedders]\n"
        "echo = echo_plugin:create\nbroken = echo_plugin:missing\nlocal = echo_plugin:create\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(site))
    importlib.invalidate_caches()


def test_none_is_no_embedder(tmp_path: Path) -> None:
    """Search is lexical by choice."""
    choice = choose_embedder("none", SETTINGS, tmp_path)
    assert (choice.embedder, choice.reason) == (None, "embeddings are switched off")


def test_auto_without_the_model_says_what_to_do(tmp_path: Path) -> None:
    """Decision 3: no model is required, and its absence is visible."""
    choice = choose_embedder("auto", SETTINGS, tmp_path)
    assert choice.embedder is None
    assert "not installed" in choice.reason
    assert choice.hint == "run `recollect models install`"


def test_auto_without_the_runtime_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The weights alone are of no use."""
    _pretend_installed(tmp_path)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    choice = choose_embedder("auto", SETTINGS, tmp_path)
    assert choice.embedder is None
    assert "onnxruntime" in choice.reason
    assert "recollect[local]" in choice.hint


def test_auto_takes_the_local_model_where_it_is_installed(tmp_path: Path) -> None:
    """Without loading it: opening a memory stays fast."""
    _pretend_installed(tmp_path)
    choice = choose_embedder("auto", SETTINGS, tmp_path)
    assert choice.embedder is not None
    assert choice.embedder.model == "local:all-MiniLM-L6-v2"
    assert choice.hint == ""


@pytest.mark.parametrize("spec", ["local", "local:all-MiniLM-L6-v2", " local "])
def test_the_local_model_has_a_name(tmp_path: Path, spec: str) -> None:
    """Asked for by name it is taken even when its files are missing; using it then says so."""
    embedder = create_embedder(spec, SETTINGS, tmp_path)
    assert embedder is not None
    assert (embedder.model, embedder.dimensions) == ("local:all-MiniLM-L6-v2", 384)


def test_an_unknown_local_model_is_refused(tmp_path: Path) -> None:
    """The hint names the one there is."""
    with pytest.raises(InvalidInput) as caught:
        create_embedder("local:bert", SETTINGS, tmp_path)
    assert "local:all-MiniLM-L6-v2" in caught.value.hint


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ("lokal", "did you mean local?"),
        ("noone", "did you mean none?"),
        ("", "known are auto"),
        ("none:x", "did you mean none?"),
    ],
)
def test_an_unknown_provider_names_the_nearest(tmp_path: Path, spec: str, hint: str) -> None:
    """A typing mistake costs one look."""
    with pytest.raises(InvalidInput) as caught:
        create_embedder(spec, SETTINGS, tmp_path)
    assert caught.value.hint.startswith(hint)


@pytest.mark.usefixtures("plugin")
def test_another_package_can_bring_a_provider(tmp_path: Path) -> None:
    """Entry-point group ``recollect.embedders``."""
    embedder = create_embedder("echo:small", SETTINGS, tmp_path)
    assert embedder is not None
    assert embedder.model == "echo:small"
    ours = {"auto", "gemini", "gguf", "local", "none", "openai", "voyage"}
    assert provider_names() == sorted({*ours, "broken", "echo"})


@pytest.mark.usefixtures("plugin")
def test_another_package_cannot_replace_ours(tmp_path: Path) -> None:
    """Else an installed package could read every text."""
    embedder = create_embedder("local", SETTINGS, tmp_path)
    assert embedder is not None
    assert embedder.model == "local:all-MiniLM-L6-v2"


@pytest.mark.usefixtures("plugin")
def test_a_broken_provider_is_a_clear_error(tmp_path: Path) -> None:
    """Not an AttributeError of somebody else's module."""
    with pytest.raises(EmbeddingError, match="broken cannot be imported"):
        create_embedder("broken", SETTINGS, tmp_path)


def test_the_model_can_lie_elsewhere(tmp_path: Path) -> None:
    """``embedding.model_path`` names the folder of the files themselves."""
    elsewhere = EmbeddingSettings(model_path=str(tmp_path / "mine"))
    assert local_folder(elsewhere, tmp_path) == tmp_path / "mine"
    assert local_folder(SETTINGS, tmp_path) == tmp_path / MODEL


def test_settings_that_change_vectors_change_the_fingerprint(tmp_path: Path) -> None:
    """Vectors of different fingerprints must never meet; the number of threads changes none."""
    variants = [
        EmbeddingSettings(),
        EmbeddingSettings(quantisation="fp32"),
        EmbeddingSettings(max_windows=3),
        EmbeddingSettings(threads=1, batch_size=99),
    ]
    embedders = [create_embedder("local", settings, tmp_path) for settings in variants]
    prints = [embedder.fingerprint for embedder in embedders if embedder is not None]
    assert len(prints) == 4
    assert len(set(prints)) == 3
    assert prints[0] == prints[3]
