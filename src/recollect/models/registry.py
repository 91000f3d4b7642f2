"""Finds models by name: ``provider`` or ``provider:model``; embedders and language models alike.

Our own providers are in a table, those of other packages are entry points; both are imported when
chosen. A model that lacks a key, a file or a package is not an error: the choice says why, and what
would help.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import msgspec

from recollect.core.errors import InvalidInput, ModelMissing, ProviderRejected, RecollectError
from recollect.core.plugins import load_plugin, plugin_names
from recollect.core.settings import EmbeddingSettings, LanguageSettings, is_inside, user_path
from recollect.models import hints
from recollect.models.dependencies import Dependencies
from recollect.models.embedding.embedder import Embedder

if TYPE_CHECKING:  # imported only if a language model is configured
    from recollect.models.language.model import LanguageModel, WatchedModel

AUTO, NONE, LOCAL, GGUF = "auto", "none", "local", "gguf"
REMOTE = ("openai", "gemini", "voyage")
"""The providers that ``embedding.remote`` applies to, in the order in which ``auto`` tries them."""

_DEFAULT_MODEL = "local:all-MiniLM-L6-v2"

Model = TypeVar("Model")


class Registry(msgspec.Struct, Generic[Model], frozen=True, kw_only=True):
    """The providers of one kind of model.

    Attributes:
        group: The entry points of other packages.
        built_in: Name -> module and function of ours, which takes the spec, the settings and the
            dependencies.
        reserved: Names that are not providers.
        hints: The hints for this kind of model.
        plugin_extras: Arguments of another package's provider after name and settings.
    """

    group: str
    built_in: Mapping[str, str]
    reserved: frozenset[str]
    hints: hints.Hints
    plugin_extras: Callable[[Dependencies], tuple[object, ...]]

    def names(self) -> list[str]:
        """Return the names that a spec can start with, sorted."""
        return sorted({*self.reserved, *self.built_in, *plugin_names(self.group)})

    def create(self, spec: str, settings: object, dependencies: Dependencies) -> Model:
        """Return the model of a spec; nothing is sent yet.

        Raises:
            InvalidInput: the provider or its model is unknown.
            ConfigError: an address or a header of the settings is not one.
            ModelMissing: it needs a file or a package.
            ProviderRejected: it needs a key.
            ProviderError: another package's provider cannot be imported.
        """
        name, _, model = spec.partition(":")
        instance: Model
        if name in self.built_in:
            module, _, function = self.built_in[name].partition(":")
            instance = getattr(importlib.import_module(module), function)(
                spec, settings, dependencies
            )
        else:
            names = (*self.reserved, *self.built_in)
            plugin = load_plugin(self.group, name, self.hints.kind, names)
            instance = plugin(model, settings, *self.plugin_extras(dependencies))
        return instance


EMBEDDERS: Registry[Embedder] = Registry(
    group="recollect.embedders",
    built_in=dict.fromkeys(REMOTE, "recollect.models.embedding.providers:create")
    | {LOCAL: "recollect.models.registry:create_local"},
    reserved=frozenset({AUTO, NONE}),
    hints=hints.EMBEDDING,
    plugin_extras=lambda dependencies: (dependencies.models,),
)
LANGUAGE_MODELS: Registry[LanguageModel] = Registry(
    group="recollect.language_models",
    built_in=dict.fromkeys(
        ("openai", "anthropic", "claude-cli"), "recollect.models.language.providers:create"
    ),
    reserved=frozenset({NONE}),
    hints=hints.LANGUAGE,
    plugin_extras=lambda _: (),
)


class EmbeddingProvider(Protocol):
    """The type of an entry point of the group ``recollect.embedders``."""

    def __call__(self, model: str, settings: EmbeddingSettings, models: Path) -> Embedder:
        """Return the embedder of ``model``; an empty name means the provider's default."""


class LanguageProvider(Protocol):
    """The type of an entry point of the group ``recollect.language_models``."""

    def __call__(self, model: str, settings: LanguageSettings) -> LanguageModel:
        """Return the model with a name; an empty one means the provider's default."""


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """Which embedder is used, and why.

    Attributes:
        embedder: None for lexical search only.
        reason: One sentence for `recollect status`.
        hint: How to get a better embedder; empty when there is nothing to do.
        requested: What the settings ask for; empty when a program gave the embedder.
        fallback: Takes over when `embedder` fails; None where there is none.
        fallback_from: The requested provider that could not be used, when `embedder` is the
            fallback.
        fallback_reason: Why it could not be used.
        fallback_error: Why the fallback cannot be used; None if it can, or none is set.
    """

    embedder: Embedder | None
    reason: str
    hint: str = ""
    requested: str = ""
    fallback: Embedder | None = None
    fallback_from: str | None = None
    fallback_reason: str | None = None
    fallback_error: str | None = None


class LanguageChoice(msgspec.Struct, frozen=True, kw_only=True):
    """Which language model is used, and why.

    Attributes:
        model: None where everything is done by rule.
        reason: One sentence for `recollect status`.
        hint: What would help; empty when there is nothing to do.
        requested: What the settings ask for; empty when a program gave the model.
    """

    model: WatchedModel | None
    reason: str
    hint: str = ""
    requested: str = ""


def create_embedder(spec: str, settings: EmbeddingSettings, models: Path) -> Embedder | None:
    """Return the embedder that ``spec`` names, or None; see `choose_embedder`."""
    return choose_embedder(spec, settings, models).embedder


def choose_embedder(
    spec: str, settings: EmbeddingSettings, models: Path, dependencies: Dependencies | None = None
) -> Choice:
    """Return the embedder that ``spec`` names, and the reason. Loads no model, sends nothing.

    An embedder that lacks a key, a file or a package is not an error: the fallback of the settings
    replaces it, or the search is lexical and says why.

    Args:
        spec: ``auto``, ``none``, ``provider`` or ``provider:model``.
        settings: The section ``embedding``.
        models: The folder of model files that all homes share.
        dependencies: Other dependencies of embedders.

    Raises:
        InvalidInput: the provider or the local model is unknown.
        ConfigError: an address or a header of the settings is not one.
        ProviderError: another package's provider cannot be imported.
    """
    dependencies = dependencies or Dependencies(models=models)
    spec = spec.strip()
    choice = _choose(spec, settings, dependencies)
    if spec == NONE:
        return choice
    fallback, error = _fallback(spec, settings, dependencies)
    if choice.embedder is not None or fallback is None:
        return msgspec.structs.replace(choice, fallback=fallback, fallback_error=error)
    return Choice(
        embedder=fallback,
        reason=f"{fallback.model} replaces {spec}",
        hint=choice.hint,
        requested=spec,
        fallback_from=spec,
        fallback_reason=choice.reason,
        fallback_error=error,
    )


def choose_language(
    settings: LanguageSettings, dependencies: Dependencies | None = None
) -> LanguageChoice:
    """Return the model that the settings name, and the reason for it. Sends nothing.

    A model that lacks a key or a program is not an error: its work is done by rule.

    Args:
        settings: The section ``language``.
        dependencies: Other dependencies of models; without them, tokens are counted in memory.

    Raises:
        InvalidInput: the provider is unknown.
        ConfigError: an address or a header of the settings is not one.
        ProviderError: another package's model cannot be imported.
    """
    dependencies = dependencies or Dependencies()
    spec = settings.provider.strip()
    why = ""
    if spec == NONE:
        why = "none is configured: summaries are made by rule"
    elif is_inside(dependencies.environ):
        why = "this process serves a language model itself: it asks none"
    if why:
        return LanguageChoice(model=None, reason=why, requested=spec)
    from recollect.models.language.model import WatchedModel

    try:
        model = LANGUAGE_MODELS.create(spec, settings, dependencies)
    except (ModelMissing, ProviderRejected) as error:
        reason = f"{hints.LANGUAGE.meanwhile}: {error.message}"
        return LanguageChoice(model=None, reason=reason, hint=error.hint, requested=spec)
    return LanguageChoice(
        model=WatchedModel(model), reason=f"{model.name} is configured", requested=spec
    )


def local_folder(settings: EmbeddingSettings, models: Path) -> Path:
    """Return the folder of the local model's files."""
    from recollect.models.local.folder import MODEL

    return user_path(settings.model_path) if settings.model_path else models / MODEL


def create_local(spec: str, settings: EmbeddingSettings, dependencies: Dependencies) -> Embedder:
    """Return a local embedder, ours or the user's own; it loads its model at the first text.

    Raises:
        InvalidInput: the name is not valid for a model.
        ModelMissing: a model other than the default is missing, or lacks a file or package.
    """
    from recollect.models.local.folder import MODEL

    model = spec.partition(":")[2]
    if model not in {"", MODEL}:
        return _create_named(spec, settings, dependencies.models)
    from recollect.models.local.minilm import LocalEmbedder, WindowRules

    return LocalEmbedder(
        local_folder(settings, dependencies.models),
        quantisation=settings.quantisation,
        threads=settings.threads,
        batch_size=settings.batch_size,
        rules=WindowRules(max_windows=settings.max_windows),
    )


def _create_named(spec: str, settings: EmbeddingSettings, models: Path) -> Embedder:
    """Return the multilingual model, or one of the user's own."""
    from recollect.models.languages import MULTILINGUAL

    if spec != MULTILINGUAL:
        return _create_added(spec.partition(":")[2], settings, models)
    from recollect.models.local.sentence_encoder import SentenceEncoder

    return SentenceEncoder(
        threads=settings.threads,
        batch_size=settings.batch_size,
        max_windows=settings.max_windows,
    )


def _create_added(name: str, settings: EmbeddingSettings, models: Path) -> Embedder:
    from recollect.models.local.added import find_model
    from recollect.models.local.exported import ExportedEmbedder
    from recollect.models.local.runtime import RUNTIME_HINT, runtime_is_installed

    if not runtime_is_installed():
        raise ModelMissing("the package onnxruntime is not installed", hint=RUNTIME_HINT)
    added = find_model(models, name)
    embedder = ExportedEmbedder(
        name,
        models / name,
        added.export,
        added.files,
        threads=settings.threads,
        batch_size=settings.batch_size,
        max_windows=settings.max_windows,
    )
    embedder.require_files()
    return embedder


def _choose(spec: str, settings: EmbeddingSettings, dependencies: Dependencies) -> Choice:
    if spec == NONE:
        return Choice(embedder=None, reason="embeddings are switched off", requested=spec)
    if spec == AUTO:
        return _choose_first(settings, dependencies)
    try:
        embedder = EMBEDDERS.create(spec, settings, dependencies)
    except (ModelMissing, ProviderRejected) as error:
        return _lexical(error.message, error.hint, spec)
    return Choice(embedder=embedder, reason=f"{embedder.model} is configured", requested=spec)


def _lexical(why: str, hint: str, spec: str) -> Choice:
    reason = f"search is lexical: {why}"
    return Choice(embedder=None, reason=reason, hint=hint, requested=spec)


def _choose_first(settings: EmbeddingSettings, dependencies: Dependencies) -> Choice:
    """Return the first of our providers that has what it needs."""
    missing = _missing_local(settings, dependencies.models)
    if missing is None:
        embedder = create_local(LOCAL, settings, dependencies)
        return Choice(embedder=embedder, reason=f"{embedder.model} is installed", requested=AUTO)
    for name in (GGUF, *REMOTE) if _has_gguf(settings, dependencies.models) else REMOTE:
        choice = _choose(name, settings, dependencies)
        if choice.embedder is not None:
            has = "is set up" if name in REMOTE else "is installed"
            return Choice(
                embedder=choice.embedder, reason=f"{choice.embedder.model} {has}", requested=AUTO
            )
    return _lexical(missing.message, missing.hint, AUTO)


def _missing_local(settings: EmbeddingSettings, models: Path) -> ModelMissing | None:
    """Return what the local embedder lacks, or None when it is complete."""
    from recollect.models.local.folder import INSTALL_HINT, ModelFolder
    from recollect.models.local.runtime import RUNTIME_HINT, runtime_is_installed

    if not runtime_is_installed():
        return ModelMissing("the package onnxruntime is not installed", hint=RUNTIME_HINT)
    if not ModelFolder(local_folder(settings, models)).is_installed(settings.quantisation):
        return ModelMissing("the local model is not installed", hint=INSTALL_HINT)
    return None


def _has_gguf(settings: EmbeddingSettings, models: Path) -> bool:
    """Return whether to look for a provider that reads GGUF files: one may exist."""
    return settings.gguf_path is not None or any(models.glob("*.gguf"))


def _fallback(
    spec: str, settings: EmbeddingSettings, dependencies: Dependencies
) -> tuple[Embedder | None, str | None]:
    """Return the fallback of the settings, if it can be made, and why it cannot be used."""
    fallback = settings.fallback.strip()
    if fallback in {NONE, spec}:
        return None, None
    if fallback == AUTO:
        raise InvalidInput(
            "the fallback must be one provider",
            hint="set embedding.fallback to none, provider or provider:model",
            found=fallback,
        )
    own = _settings_of(fallback, spec, settings)
    missing: RecollectError | None = None
    try:
        embedder = EMBEDDERS.create(fallback, own, dependencies)
        if embedder.model == _DEFAULT_MODEL:  # it checks for its files only at the first text
            missing = _missing_local(own, dependencies.models)
    except (ModelMissing, ProviderRejected) as error:
        embedder, missing = None, error
    return embedder, None if missing is None else f"{fallback}: {missing.message}"


def _settings_of(fallback: str, spec: str, settings: EmbeddingSettings) -> EmbeddingSettings:
    """Return the settings for a fallback, without the address and key of another provider.

    A key of one provider must never be sent to another.
    """
    first, second = spec.partition(":")[0], fallback.partition(":")[0]
    if first == second or first not in {*REMOTE, AUTO}:
        return settings
    own = dict.fromkeys(("base_url", "api_key", "query_input_type", "document_input_type"))
    remote = msgspec.structs.replace(settings.remote, headers=(), **own)
    return msgspec.structs.replace(settings, remote=remote)
