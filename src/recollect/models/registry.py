"""Finds the embedder of a name: ``auto``, ``none``, ``provider`` or ``provider:model``.

Our own providers stand in a table, those of other packages are entry points of the group
``recollect.embedders``; both are imported when they are chosen. One of another package is a
function that takes the model's name (empty for its default), the embedding settings and the folder
of model files.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, cast

import msgspec

from recollect.core.errors import InvalidInput, ModelMissing, ProviderRejected
from recollect.core.plugins import load_plugin, plugin_names
from recollect.core.settings import EmbeddingSettings
from recollect.models.dependencies import Dependencies
from recollect.models.embedding.embedder import Embedder
from recollect.models.hints import EMBEDDING

GROUP = "recollect.embedders"
AUTO, NONE, LOCAL, GGUF = "auto", "none", "local", "gguf"

Creator = Callable[[str, EmbeddingSettings, Dependencies], Embedder]
"""Makes the embedder of a model; an empty name is the provider's default."""

_BUILT_IN = {
    LOCAL: "recollect.models.registry:create_local",
    "openai": "recollect.models.embedding.providers:create_openai",
    "gemini": "recollect.models.embedding.providers:create_gemini",
    "voyage": "recollect.models.embedding.providers:create_voyage",
}
REMOTE = ("openai", "gemini", "voyage")
"""Those that ``embedding.remote`` is about, in the order in which ``auto`` tries them."""


class EmbeddingProvider(Protocol):
    """What an entry point of the group `GROUP` names."""

    def __call__(self, model: str, settings: EmbeddingSettings, models: Path) -> Embedder:
        """Return the embedder of ``model``; an empty name is the provider's default."""


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """Which embedder is used, and why.

    Attributes:
        embedder: None for lexical search only.
        reason: One sentence for `recollect status`.
        hint: What would give a better embedder; empty when there is nothing to do.
        requested: What the settings ask for; empty when a program gave the embedder.
        fallback: Takes over when `embedder` fails; None where there is none.
        fallback_from: What was asked for and could not be made, when `embedder` is the fallback.
        fallback_reason: Why it could not.
    """

    embedder: Embedder | None
    reason: str
    hint: str = ""
    requested: str = ""
    fallback: Embedder | None = None
    fallback_from: str | None = None
    fallback_reason: str | None = None


def create_embedder(spec: str, settings: EmbeddingSettings, models: Path) -> Embedder | None:
    """Return the embedder that ``spec`` names, or None; see `choose_embedder`."""
    return choose_embedder(spec, settings, models).embedder


def choose_embedder(
    spec: str, settings: EmbeddingSettings, models: Path, dependencies: Dependencies | None = None
) -> Choice:
    """Return the embedder that ``spec`` names, and the reason for it. Loads no model, asks nobody.

    What cannot be made for want of a key, a file or a package is no error: the fallback of the
    settings takes its place, or the search is lexical and says why.

    Args:
        spec: ``auto``, ``none``, ``provider`` or ``provider:model``.
        settings: The section ``embedding``.
        models: The folder of model files that all homes share.
        dependencies: What else embedders are made with.

    Raises:
        InvalidInput: there is no such provider, or no such local model.
        ConfigError: an address or a header of the settings is none.
        ProviderError: another package's provider cannot be imported.
    """
    dependencies = dependencies or Dependencies(models=models)
    spec = spec.strip()
    chosen = _choose(spec, settings, dependencies)
    if spec == NONE:
        return chosen
    fallback = _fallback(spec, settings, dependencies)
    if chosen.embedder is not None:
        return msgspec.structs.replace(chosen, fallback=fallback)
    if fallback is None:
        return chosen
    return Choice(
        embedder=fallback,
        reason=f"{fallback.model} stands in for {spec}",
        hint=chosen.hint,
        requested=spec,
        fallback_from=spec,
        fallback_reason=chosen.reason,
    )


def provider_names() -> list[str]:
    """Return the names that a spec can start with, sorted."""
    return sorted({AUTO, NONE, *_BUILT_IN, *plugin_names(GROUP)})


def local_folder(settings: EmbeddingSettings, models: Path) -> Path:
    """Return the folder of the local model's files."""
    from recollect.models.local.folder import MODEL

    return Path(settings.model_path).expanduser() if settings.model_path else models / MODEL


def create_local(model: str, settings: EmbeddingSettings, dependencies: Dependencies) -> Embedder:
    """Return the local embedder; it loads its model at the first text.

    Raises:
        InvalidInput: the local provider has no such model.
    """
    from recollect.models.local.folder import MODEL

    if model not in {"", MODEL}:
        raise InvalidInput(
            "the local provider has no such model",
            hint=f"use {LOCAL}:{MODEL}, or another provider",
            found=model,
        )
    from recollect.models.local.minilm import LocalEmbedder, WindowRules

    return LocalEmbedder(
        local_folder(settings, dependencies.models),
        quantisation=settings.quantisation,
        threads=settings.threads,
        batch_size=settings.batch_size,
        rules=WindowRules(max_windows=settings.max_windows),
    )


def _choose(spec: str, settings: EmbeddingSettings, dependencies: Dependencies) -> Choice:
    name, _, model = spec.partition(":")
    if spec == NONE:
        return Choice(embedder=None, reason="embeddings are switched off", requested=spec)
    if spec == AUTO:
        return _choose_first(settings, dependencies)
    create = _creator(name)
    try:
        embedder = create(model, settings, dependencies)
    except (ModelMissing, ProviderRejected) as error:
        return Choice(
            embedder=None,
            reason=f"search is lexical: {error.message}",
            hint=error.hint,
            requested=spec,
        )
    return Choice(embedder=embedder, reason=f"{embedder.model} is configured", requested=spec)


def _choose_first(settings: EmbeddingSettings, dependencies: Dependencies) -> Choice:
    """Return the first of our providers that has what it needs."""
    missing = _missing_local(settings, dependencies.models)
    if missing is None:
        embedder = create_local("", settings, dependencies)
        reason = f"{embedder.model} is installed"
        return Choice(embedder=embedder, reason=reason, requested=AUTO)
    for name in (GGUF, *REMOTE) if _has_gguf(settings, dependencies.models) else REMOTE:
        found = _choose(name, settings, dependencies)
        if found.embedder is not None:
            has = "is set up" if name in REMOTE else "is installed"
            reason = f"{found.embedder.model} {has}"
            return Choice(embedder=found.embedder, reason=reason, requested=AUTO)
    return missing


def _missing_local(settings: EmbeddingSettings, models: Path) -> Choice | None:
    """Return what the local embedder lacks, or None when it is there."""
    from recollect.models.local.folder import INSTALL_HINT, ModelFolder
    from recollect.models.local.runtime import RUNTIME_HINT, runtime_is_installed

    if not runtime_is_installed():
        reason = "search is lexical: the package onnxruntime is not installed"
        return Choice(embedder=None, reason=reason, hint=RUNTIME_HINT, requested=AUTO)
    if not ModelFolder(local_folder(settings, models)).is_installed:
        reason = "search is lexical: the local model is not installed"
        return Choice(embedder=None, reason=reason, hint=INSTALL_HINT, requested=AUTO)
    return None


def _has_gguf(settings: EmbeddingSettings, models: Path) -> bool:
    """Return whether it is worth looking for what reads GGUF files: one may be there."""
    return settings.gguf_path is not None or any(models.glob("*.gguf"))


def _fallback(
    spec: str, settings: EmbeddingSettings, dependencies: Dependencies
) -> Embedder | None:
    fallback = settings.fallback.strip()
    if fallback in {NONE, spec}:
        return None
    if fallback == AUTO:
        raise InvalidInput(
            "the fallback must be one provider",
            hint="set embedding.fallback to none, provider or provider:model",
            found=fallback,
        )
    return _choose(fallback, _settings_of(fallback, spec, settings), dependencies).embedder


def _settings_of(fallback: str, spec: str, settings: EmbeddingSettings) -> EmbeddingSettings:
    """Return the settings for a fallback: the first remote provider's address and key are its own.

    A key of one provider must never be sent to another.
    """
    first, second = spec.partition(":")[0], fallback.partition(":")[0]
    if first == second or first not in {*REMOTE, AUTO}:
        return settings
    remote = msgspec.structs.replace(
        settings.remote,
        base_url=None,
        api_key=None,
        headers=(),
        query_input_type=None,
        document_input_type=None,
    )
    return msgspec.structs.replace(settings, remote=remote)


def _creator(name: str) -> Creator:
    if name in _BUILT_IN:
        module, _, function = _BUILT_IN[name].partition(":")
        return cast("Creator", getattr(importlib.import_module(module), function))
    provider: EmbeddingProvider = load_plugin(GROUP, name, EMBEDDING.kind, (AUTO, NONE, *_BUILT_IN))
    return lambda model, settings, dependencies: provider(model, settings, dependencies.models)
