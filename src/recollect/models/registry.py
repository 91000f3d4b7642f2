"""Finds the embedder of a name: ``auto``, ``none``, ``provider`` or ``provider:model``.

Built-in providers and those of other packages stand in one table of entry points (group
``recollect.embedders``) and are imported when they are chosen. A provider is a function that takes
the model's name (empty for its default), the embedding settings and the folder of model files.
"""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec

from recollect.core.errors import EmbeddingError, InvalidInput
from recollect.core.settings import EmbeddingSettings
from recollect.models.embedder import Embedder
from recollect.models.folder import INSTALL_HINT, MODEL, ModelFolder
from recollect.models.runtime import RUNTIME_HINT, runtime_is_installed

if TYPE_CHECKING:  # it brings the mail parser, which a start with a built-in name can do without
    from importlib.metadata import EntryPoint

GROUP = "recollect.embedders"
AUTO, NONE, LOCAL = "auto", "none", "local"

_BUILT_IN = {LOCAL: "recollect.models.registry:create_local"}


class Provider(Protocol):
    """What an entry point of the group `GROUP` names."""

    def __call__(self, model: str, settings: EmbeddingSettings, models: Path) -> Embedder:
        """Return the embedder of ``model``; an empty name is the provider's default."""


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """Which embedder is used, and why.

    Attributes:
        embedder: None for lexical search only.
        reason: One sentence for `recollect status`.
        hint: What would give a better embedder; empty when there is nothing to do.
    """

    embedder: Embedder | None
    reason: str
    hint: str = ""


def create_embedder(spec: str, settings: EmbeddingSettings, models: Path) -> Embedder | None:
    """Return the embedder that ``spec`` names, or None; see `choose_embedder`."""
    return choose_embedder(spec, settings, models).embedder


def choose_embedder(spec: str, settings: EmbeddingSettings, models: Path) -> Choice:
    """Return the embedder that ``spec`` names, and the reason for it. Loads no model.

    Args:
        spec: ``auto`` (the local model where it is installed), ``none``, ``provider`` or
            ``provider:model``.
        settings: The section ``embedding``.
        models: The folder of model files that all homes share.

    Raises:
        InvalidInput: there is no such provider or model.
        EmbeddingError: another package's provider cannot be imported.
    """
    name, _, model = spec.strip().partition(":")
    if name == NONE and not model:
        return Choice(embedder=None, reason="embeddings are switched off")
    if name == AUTO and not model:
        return _choose_local(settings, models)
    embedder = _provider(name)(model, settings, models)
    return Choice(embedder=embedder, reason=f"{embedder.model} is configured")


def provider_names() -> list[str]:
    """Return the names that a spec can start with, sorted."""
    from importlib.metadata import entry_points

    return sorted({AUTO, NONE, *_BUILT_IN, *entry_points(group=GROUP).names})


def local_folder(settings: EmbeddingSettings, models: Path) -> Path:
    """Return the folder of the local model's files."""
    return Path(settings.model_path).expanduser() if settings.model_path else models / MODEL


def create_local(model: str, settings: EmbeddingSettings, models: Path) -> Embedder:
    """Return the local embedder; it loads its model at the first text.

    Raises:
        InvalidInput: the local provider has no such model.
    """
    if model not in {"", MODEL}:
        raise InvalidInput(
            "the local provider has no such model",
            hint=f"use {LOCAL}:{MODEL}, or another provider",
            found=model,
        )
    from recollect.models.local import LocalEmbedder
    from recollect.models.windows import WindowRules

    return LocalEmbedder(
        local_folder(settings, models),
        quantisation=settings.quantisation,
        threads=settings.threads,
        batch_size=settings.batch_size,
        rules=WindowRules(max_windows=settings.max_windows),
    )


def _choose_local(settings: EmbeddingSettings, models: Path) -> Choice:
    if not runtime_is_installed():
        reason = "search is lexical: the package onnxruntime is not installed"
        return Choice(embedder=None, reason=reason, hint=RUNTIME_HINT)
    if not ModelFolder(local_folder(settings, models)).is_installed:
        reason = "search is lexical: the local model is not installed"
        return Choice(embedder=None, reason=reason, hint=INSTALL_HINT)
    embedder = create_local("", settings, models)
    return Choice(embedder=embedder, reason=f"{embedder.model} is installed")


def _provider(name: str) -> Provider:
    point = _entry_point(name)
    if point is None:
        near = difflib.get_close_matches(name, provider_names(), n=1)
        known = ", ".join(provider_names())
        raise InvalidInput(
            "there is no such embedding provider",
            hint=f"did you mean {near[0]}?" if near else f"known are {known}",
            found=name,
        )
    try:
        provider: Provider = point.load()
    except (ImportError, AttributeError) as error:
        raise EmbeddingError(
            f"the embedding provider {name} cannot be imported",
            hint="install or upgrade the package that brings it",
            provider=name,
        ) from error
    return provider


def _entry_point(name: str) -> EntryPoint | None:
    """Return where the provider ``name`` is; one of ours cannot be replaced."""
    from importlib.metadata import EntryPoint, entry_points

    if name in _BUILT_IN:
        return EntryPoint(name, _BUILT_IN[name], GROUP)
    # Looking through all installed packages takes milliseconds, so ours come first.
    return next(iter(entry_points(group=GROUP, name=name)), None)
