"""`recollect config`: what is in force, where it comes from, and how to change it."""

from __future__ import annotations

import operator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from recollect.cli.help import App
from recollect.cli.invocation import (
    answer,
    answers_json,
    argument,
    home_of,
    invocation_of,
    opened,
    print_document,
    scope_of,
)
from recollect.cli.output.screen import show, show_pairs, warn
from recollect.core.errors import InvalidInput

if TYPE_CHECKING:  # for a name only
    from collections.abc import Callable

    from recollect.cli.config.foreign import Taken
    from recollect.core.settings import Explained, Option, ResolvedSettings

app = App()
group = App(
    help="Show every setting and where it comes from, or change one.", invoke_without_command=True
)
app.add_typer(group, name="config", rich_help_panel="Set up")


class SettingValue(msgspec.Struct, frozen=True, kw_only=True):
    """A setting, and where its value comes from."""

    value: Any
    origin: str


class SettingMeaning(
    SettingValue,
    frozen=True,
    kw_only=True,
    rename={"must_be": "must be", "what_for": "what for"},
):
    """What a setting does, and what it may be."""

    key: str
    default: Any
    must_be: str
    unit: str
    variable: str
    what_for: str


class ConfigPlace(msgspec.Struct, frozen=True, kw_only=True):
    """Where config.yaml is."""

    path: str
    exists: bool


def _complete_key(incomplete: str) -> list[tuple[str, str]]:
    from recollect.core.settings import list_options

    options = [option for option in list_options() if option.key.startswith(incomplete)]
    return [(option.key, option.why) for option in options]


Key = Annotated[
    str,
    argument(metavar="KEY", help="Such as search.limit.", autocompletion=_complete_key),
]


@group.callback()
def show_config(
    context: typer.Context,
    *,
    changed: Annotated[
        bool, typer.Option("--changed", help="Only settings that differ from the default.")
    ] = False,
) -> None:
    """Show every setting and where it comes from, or change one."""
    if context.invoked_subcommand is not None:
        return
    rows = [row for row in _resolved(context).explain() if not changed or row.origin != "default"]
    document = {row.key: SettingValue(value=row.value, origin=row.origin) for row in rows}
    answer(context, document, lambda: _show(rows))


@group.command("get")
def get_setting(context: typer.Context, key: Key) -> None:
    """Show the value of one setting, and nothing else."""
    row = _row(_resolved(context), key)
    answer(context, row, lambda: show((_shown(row.value), "")))


@group.command("explain")
def explain_setting(context: typer.Context, key: Key) -> None:
    """Show what a setting does, what it may be, and where its value comes from."""
    row, option = _row(_resolved(context), key), _option(key)
    meaning = SettingMeaning(
        key=key,
        value=row.value,
        origin=row.origin,
        default=option.default,
        must_be=option.expects,
        unit=option.unit,
        variable=option.variable,
        what_for=option.why,
    )
    layers: dict[str, object] = msgspec.to_builtins(meaning)
    pairs = ((name, _shown(value)) for name, value in layers.items() if value != "")
    answer(context, meaning, lambda: show_pairs(pairs))


@group.command("set")
def set_setting(
    context: typer.Context,
    key: Key,
    value: Annotated[str, argument(metavar="VALUE", help="A list is split at commas.")],
) -> None:
    """Change a setting in config.yaml; its comments are kept."""
    from recollect.core.settings import load_settings
    from recollect.core.settings.agents import file_key
    from recollect.core.settings.config_file import with_setting

    home = home_of(context)
    _row(_resolved(context), key)
    effective = operator.attrgetter(key)(load_settings(home, {key: value}).settings)
    _check_back_end(key, effective)
    path = file_key(key, _agent(context))
    change_config(home, lambda text: with_setting(text, path, effective))
    _tell(context, key)
    if key == "language.uses" and not answers_json(context):
        _preview_uses(context)


def _preview_uses(context: typer.Context) -> None:
    """Show what the uses of a language model will take, where a home knows."""
    from recollect.cli.models import show_uses
    from recollect.store.sqlite.home import RECORDS_FILE

    if (home_of(context) / RECORDS_FILE).exists():
        with opened(context) as memory:
            show_uses(memory.preview_uses())


def _check_back_end(key: str, name: str) -> None:
    """Refuse the name of a back end that is not installed, before it stops every command."""
    if key not in {"search.backend", "search.lexical.backend", "search.vector.backend"}:
        return
    from recollect.core.plugins import check_plugin
    from recollect.home_index import BUILTIN
    from recollect.index.lexical import choice as lexical
    from recollect.index.vectors import vector_index as vectors
    from recollect.recall import search_port

    group, kind, built_in = {
        "search.backend": (search_port.GROUP, "search back end", BUILTIN),
        "search.lexical.backend": (
            lexical.LEXICAL_ENTRY_POINTS,
            "lexical back end",
            lexical.BUILTIN_LEXICAL,
        ),
        "search.vector.backend": (
            vectors.VECTOR_ENTRY_POINTS,
            "vector back end",
            vectors.BUILTIN_VECTORS,
        ),
    }[key]
    check_plugin(group, name, kind, (built_in,))


@group.command("unset")
def unset_setting(context: typer.Context, key: Key) -> None:
    """Remove a setting from config.yaml, so that its default applies again."""
    from recollect.core.settings.agents import file_key
    from recollect.core.settings.config_file import without_setting

    default = _option(key).default
    path = file_key(key, _agent(context))
    change_config(home_of(context), lambda text: without_setting(text, path, default))
    _tell(context, key)


@group.command("path")
def show_path(context: typer.Context) -> None:
    """Show where config.yaml is."""
    path = _config_path(home_of(context))
    document = ConfigPlace(path=str(path), exists=path.exists())
    answer(context, document, lambda: show((str(path), "")))


@group.command("schema")
def show_schema(
    context: typer.Context,
    command: Annotated[
        list[str], argument(metavar="COMMAND", help="Such as search, or sessions show.")
    ],
) -> None:
    """Show the JSON Schema of what a command prints with --json."""
    from recollect.cli.output.documents import DOCUMENTS, schema_of

    name = " ".join(command)
    if name not in DOCUMENTS:
        commands = ", ".join(DOCUMENTS)
        raise InvalidInput("no command of that name prints JSON", hint=f"use one of: {commands}")
    schema = schema_of(name)
    text = msgspec.json.format(msgspec.json.encode(schema), indent=2).decode()
    answer(context, schema, lambda: show((text, "")))


@group.command("import")
def import_file(
    context: typer.Context,
    file: Annotated[
        Path | None,
        argument(metavar="FILE", help="~/.openclaw-mem/settings.json if not given."),
    ] = None,
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would change.")
    ] = False,
) -> None:
    """Import the settings of OpenClaw-Mem or of seed 004 that config.yaml does not set."""
    from recollect.cli.config.foreign import TakenSettings, import_settings
    from recollect.core.settings import openclaw_mem_settings, user_path

    path = openclaw_mem_settings() if file is None else user_path(file)
    home = home_of(context)
    text, outcomes = import_settings(path, home)
    if not dry_run:
        change_config(home, lambda _: text)
    document = TakenSettings(file=str(path), dry_run=dry_run, settings=outcomes)
    answer(context, document, lambda: _show_taken(outcomes))


def _show_taken(outcomes: list[Taken]) -> None:
    for one in outcomes:
        text = f"{one.key} = {_shown(one.value)}" if one.outcome != "not taken" else one.why
        style = {"set": "bold green", "kept": "yellow", "not taken": "yellow"}.get(one.outcome, "")
        show((f"{one.theirs:<30}", "cyan"), (f"{one.outcome:<10}", style), (text, ""))


def _resolved(context: typer.Context) -> ResolvedSettings:
    from recollect.core.settings import load_settings

    workspace = invocation_of(context).workspace
    overrides = {} if workspace is None else {"workspace.path": str(workspace)}
    return load_settings(home_of(context), overrides, agent=_agent(context))


def _agent(context: typer.Context) -> str | None:
    scope = scope_of(context)
    return None if scope is None else scope.agent


def _row(resolved: ResolvedSettings, key: str) -> Explained:
    """Return the row of a key.

    Raises:
        ConfigError: there is no such setting.
    """
    _option(key)
    return next(row for row in resolved.explain() if row.key == key)


def _option(key: str) -> Option:
    """Return the description of a setting.

    Raises:
        ConfigError: there is no such setting.
    """
    from recollect.core.settings import list_options
    from recollect.core.settings.sources import read_arguments

    read_arguments({key: None})
    return next(option for option in list_options() if option.key == key)


def _config_path(home: Path) -> Path:
    from recollect.core.settings.sources import FILE_NAME

    return home / FILE_NAME


def change_config(home: Path, change: Callable[[str], str]) -> None:
    """Replace config.yaml in one step; hooks learn of it where it is about checkpoints."""
    from recollect.governance.config_text import rewrite_config

    before, after = rewrite_config(home, change)
    if after != before and "checkpoints" in before + after:
        _tell_hooks(home)


def _tell_hooks(home: Path) -> None:
    """Open the home, which writes what hooks may keep of files; a worker does so later itself."""
    from recollect.core.errors import RecollectError
    from recollect.memory import open_memory

    if (home / "records.db").exists():
        with suppress(RecollectError), open_memory(home, live=False):
            pass


def _tell(context: typer.Context, key: str) -> None:
    """Show what is in force now; the environment may be stronger than the file."""
    row = _row(_resolved(context), key)
    if answers_json(context):
        print_document(row)
        return
    show((key, "cyan"), (" = ", "dim"), (_shown(row.value), "bold"), (f"  {row.origin}", "dim"))
    if row.origin.startswith("environment"):
        warn(f"{row.origin} is stronger than config.yaml")


def _show(rows: list[Explained]) -> None:
    names = max((len(row.key) for row in rows), default=0)
    values = max((len(_shown(row.value)) for row in rows), default=0)
    values = min(values, 24)
    for row in rows:
        is_default = row.origin == "default"
        show(
            (f"{row.key:<{names}}  ", "cyan"),
            (f"{_shown(row.value):<{values}}  ", "" if is_default else "bold"),
            (row.origin, "dim" if is_default else "yellow"),
        )


def _shown(value: object) -> str:
    if value is None:
        return "unset"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list):
        return ", ".join(value) or "[]"
    return str(value)
