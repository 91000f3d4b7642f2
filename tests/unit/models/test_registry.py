"""Embedders by name."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from recollect.backends.gguf import DEFAULT_FILE
from recollect.core.errors import InvalidInput, ProviderError
from recollect.core.settings import EmbeddingSettings, RemoteSettings
from recollect.models.dependencies import Dependencies
from recollect.models.embedding.remote import RemoteEmbedder
from recollect.models.local.folder import MODEL, ORIGINALS
from recollect.models.registry import (
    EMBEDDERS,
    Choice,
    choose_embedder,
    create_embedder,
    local_folder,
)
from tests.unit.models.gguf_file import gguf_head

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


def test_a_local_model_that_is_not_there_leaves_search_lexical(tmp_path: Path) -> None:
    """As any model that is missing; what can be no name is refused."""
    choice = choose_embedder("local:bert", SETTINGS, tmp_path)
    assert choice.embedder is None
    assert choice.reason == "search is lexical: the local model bert is not installed"
    assert "recollect models add FOLDER --name bert" in choice.hint
    with pytest.raises(InvalidInput, match="name of a model"):
        choose_embedder("local:../bert", SETTINGS, tmp_path)


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ("lokal", "try local"),
        ("noone", "try none"),
        ("", "choose one of auto"),
        ("none:x", "try none"),
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
    assert EMBEDDERS.names() == sorted({*ours, "broken", "echo"})


@pytest.mark.usefixtures("plugin")
def test_another_package_cannot_replace_ours(tmp_path: Path) -> None:
    """Else an installed package could read every text."""
    embedder = create_embedder("local", SETTINGS, tmp_path)
    assert embedder is not None
    assert embedder.model == "local:all-MiniLM-L6-v2"


@pytest.mark.usefixtures("plugin")
def test_a_broken_provider_is_a_clear_error(tmp_path: Path) -> None:
    """Not an AttributeError of somebody else's module."""
    with pytest.raises(ProviderError, match="broken cannot be imported"):
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


def _choose(
    models: Path,
    spec: str,
    fallback: str = "none",
    remote: RemoteSettings | None = None,
    **keys: str,
) -> Choice:
    settings = EmbeddingSettings(
        provider=spec, fallback=fallback, remote=remote or RemoteSettings()
    )
    dependencies = Dependencies(
        models=models, environ={f"{name}_API_KEY": k for name, k in keys.items()}
    )
    return choose_embedder(spec, settings, models, dependencies)


def _name(choice: Choice) -> str | None:
    return choice.embedder.model if choice.embedder is not None else None


def test_auto_prefers_what_stays_on_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Local, then a GGUF file, then openai, gemini and voyage by their keys."""
    keys: dict[str, Any] = {"VOYAGE": "v"}
    assert _name(_choose(tmp_path, "auto", **keys)) == "voyage:voyage-4-large"
    keys["GOOGLE"] = "g"
    assert _name(_choose(tmp_path, "auto", **keys)) == "gemini:gemini-embedding-001"
    keys["OPENAI"] = "o"
    choice = _choose(tmp_path, "auto", **keys)
    assert _name(choice) == "openai:text-embedding-3-small"
    assert choice.reason == "openai:text-embedding-3-small is set up"
    monkeypatch.setattr("recollect.backends.gguf.gguf_is_installed", lambda: True)
    (tmp_path / DEFAULT_FILE).write_bytes(gguf_head())
    assert _name(_choose(tmp_path, "auto", **keys)) == "gguf:embeddinggemma-300M-Q8_0"
    _pretend_installed(tmp_path)
    assert _name(_choose(tmp_path, "auto", **keys)) == "local:all-MiniLM-L6-v2"


def test_auto_takes_a_server_of_ones_own(tmp_path: Path) -> None:
    """Its address is enough."""
    remote = RemoteSettings(base_url="http://localhost:11434/v1")
    choice = _choose(tmp_path, "auto", remote=remote)
    assert isinstance(choice.embedder, RemoteEmbedder)
    assert choice.embedder.client.base_url == "http://localhost:11434/v1"


def test_auto_survives_a_damaged_gguf_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is passed over."""
    monkeypatch.setattr("recollect.backends.gguf.gguf_is_installed", lambda: True)
    (tmp_path / DEFAULT_FILE).write_bytes(b"an error page")
    assert _name(_choose(tmp_path, "auto")) is None
    choice = _choose(tmp_path, "gguf")
    assert "not a GGUF file" in choice.reason
    assert choice.hint


@pytest.mark.parametrize("spec", ["openai", "gemini", "voyage", "gguf", "openai:some-model"])
def test_what_cannot_be_made_leaves_search_lexical(tmp_path: Path, spec: str) -> None:
    """With the reason and a hint: opening a memory never fails for want of a key."""
    choice = _choose(tmp_path, spec)
    assert (choice.embedder, choice.requested) == (None, spec)
    assert choice.reason.startswith("search is lexical: ")
    assert choice.hint


def test_a_fallback_takes_the_place_of_what_cannot_be_made(tmp_path: Path) -> None:
    """Whose place, and why, is told."""
    choice = _choose(tmp_path, "openai", "voyage", VOYAGE="v")
    assert _name(choice) == "voyage:voyage-4-large"
    assert choice.fallback is None
    assert choice.fallback_from == "openai"
    assert choice.fallback_reason is not None
    assert "needs a key" in choice.fallback_reason
    assert "openai" in choice.reason


def test_a_fallback_stands_by(tmp_path: Path) -> None:
    """For when the first one fails later."""
    choice = _choose(tmp_path, "openai", "local", OPENAI="o")
    assert _name(choice) == "openai:text-embedding-3-small"
    assert choice.fallback is not None
    assert choice.fallback.model == "local:all-MiniLM-L6-v2"
    assert (choice.fallback_from, choice.fallback_reason) == (None, None)


@pytest.mark.parametrize("fallback", ["none", "openai", "voyage"])
def test_a_fallback_that_cannot_be_made_is_none(tmp_path: Path, fallback: str) -> None:
    """Nor is the provider its own fallback."""
    assert _choose(tmp_path, "openai", fallback, OPENAI="o").fallback is None


@pytest.mark.parametrize("fallback", ["auto", "opanai"])
def test_a_fallback_must_be_one_provider(tmp_path: Path, fallback: str) -> None:
    """A typing mistake is told when the memory is opened."""
    with pytest.raises(InvalidInput):
        _choose(tmp_path, "openai", fallback, OPENAI="o")


def test_switched_off_is_off(tmp_path: Path) -> None:
    """A fallback is for failures."""
    assert _choose(tmp_path, "none", "openai", OPENAI="o").embedder is None


def test_a_key_of_one_provider_is_never_sent_to_another(tmp_path: Path) -> None:
    """Address, key and headers of the settings belong to the first remote provider."""
    remote = RemoteSettings(base_url="https://gateway.example/v1", api_key="o", headers=("x-a: b",))
    assert _choose(tmp_path, "openai", "voyage", remote).fallback is None
    other = _choose(tmp_path, "openai", "voyage", remote, VOYAGE="v").fallback
    assert isinstance(other, RemoteEmbedder)
    assert other.client.base_url == "https://api.voyageai.com/v1"
    same = _choose(tmp_path, "openai", "openai:other", remote).fallback
    own = _choose(tmp_path, "local", "openai", remote).fallback
    for embedder in (same, own):
        assert isinstance(embedder, RemoteEmbedder)
        assert embedder.client.base_url == "https://gateway.example/v1"
