"""Settings with where each comes from, and changes of the harmless ones.

What a page changes, a stolen token of a page changes as well. So what decides where texts are sent,
which programs are started, which folders are read or written, or who hears what, is changed by
`recollect config set` alone.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from recollect.caller import Caller
from recollect.core.errors import ConfigError, Denied, InvalidInput, NotFound
from recollect.core.settings import Option, list_options, load_settings
from recollect.core.settings.agents import file_key
from recollect.core.settings.config_file import with_setting, without_setting
from recollect.core.settings.resolve import ResolvedSettings
from recollect.governance.config_text import rewrite_config
from recollect.governance.foreign_settings import HARMLESS
from recollect.server.route import Fields, Routes

ROUTES = Routes()

CHANGEABLE = (
    *HARMLESS,
    *("capture.", "context.", "hooks.", "knowledge.", "retention.", "sessions.retention."),
    *("sessions.groups.history_", "sessions.idle_archives", "privacy.exclude_projects"),
    *("checkpoints.enabled", "checkpoints.exclude", "checkpoints.file_bytes"),
    *("checkpoints.root_bytes", "embedding.remote.daily_tokens", "language.uses"),
    *("language.daily_tokens", "language.budgets.", "server.port", "worker.autostart"),
)
"""Options and sections that a page may change. A new option is not included by default."""
AT_START = "server."
"""What the worker reads when it starts; all else is in force with the next request."""


class SettingFilter(Fields, frozen=True, kw_only=True):
    """Whose settings.

    Attributes:
        agent: With those below its name in ``agents``; the common ones if not given.
    """

    agent: str | None = None


class SettingChange(SettingFilter, frozen=True, kw_only=True):
    """A change of a setting.

    Attributes:
        name: Its dotted key.
        value: The value; null: the default again.
        confirm: Its dotted key once more, as the user has typed or confirmed it.
    """

    name: str
    confirm: str
    value: bool | int | float | str | list[str] | None = None


class SettingRow(msgspec.Struct, frozen=True, kw_only=True):
    """A setting, and where its value comes from.

    Attributes:
        name: Its dotted key.
        value: In force; null of a secret one.
        is_set: Whether it is another than the default.
        origin: ``default``, or the line of ``config.yaml``, variable or argument that sets it.
        default: Its value where nothing sets it.
        must_be: What it accepts.
        unit: Of a number.
        what_for: What it does, and why the default is what it is.
        secret: Whether its value is never sent.
        changeable: Whether a page may change it, or `recollect config set` alone.
        needs_restart: Whether a change is in force only when the worker starts again.
    """

    name: str
    value: Any
    is_set: bool
    origin: str
    default: Any
    must_be: str
    unit: str
    what_for: str
    secret: bool
    changeable: bool
    needs_restart: bool


class SettingList(msgspec.Struct, frozen=True, kw_only=True):
    """All settings.

    Attributes:
        settings: In the order of the page of settings.
        agents: The agents that have settings of their own.
    """

    settings: Sequence[SettingRow]
    agents: Sequence[str]


@ROUTES.add("GET", "/api/settings", "read")
def list_settings(caller: Caller, fields: SettingFilter) -> SettingList:
    """List all settings, and where each comes from."""
    caller.require_operator("home")
    resolved = load_settings(caller.memory.home, agent=fields.agent)
    return SettingList(settings=_rows(resolved), agents=resolved.agents)


@ROUTES.add("PUT", "/api/settings/{name}", "admin")
def change_setting(caller: Caller, fields: SettingChange) -> SettingRow:
    """Change a setting in config.yaml, as `recollect config set` does; its comments are kept.

    Raises:
        NotFound: the setting does not exist.
        Denied: only `recollect config set` may change it.
        InvalidInput: the value is wrong, or ``confirm`` is not the key.
    """
    caller.require_operator("home")
    option = _option(fields.name)
    if option.secret or not option.key.startswith(CHANGEABLE):
        caller.memory.audit.record("settings.set", target=option.key, outcome="refused")
        hint = f"run `recollect config set {option.key} VALUE`"
        raise Denied("only the command line may change this setting", hint=hint)
    if fields.confirm != option.key:
        raise InvalidInput("the change must be confirmed", hint="pass the key again as confirm")
    home = caller.memory.home
    try:
        rewrite_config(home, _change(home, fields, option))
        resolved = load_settings(home, agent=fields.agent)
    except ConfigError as error:
        raise InvalidInput(error.message, hint=error.hint) from error
    caller.memory.audit.record("settings.set", target=option.key)
    return next(row for row in _rows(resolved) if row.name == option.key)


def _change(home: Path, fields: SettingChange, option: Option) -> Callable[[str], str]:
    """Return the change of the text of config.yaml.

    Raises:
        ConfigError: the value is wrong, or the setting cannot differ between agents.
    """
    key = file_key(option.key, fields.agent)
    if fields.value is None:
        return lambda text: without_setting(text, key, option.default)
    tried = load_settings(home, {option.key: fields.value}).settings
    value = operator.attrgetter(option.key)(tried)
    return lambda text: with_setting(text, key, value)


def _option(name: str) -> Option:
    for option in list_options():
        if option.key == name:
            return option
    raise NotFound("the setting does not exist", hint="list them with GET /api/settings")


def _rows(resolved: ResolvedSettings) -> list[SettingRow]:
    return [
        SettingRow(
            name=option.key,
            value=None if option.secret else row.value,
            is_set=row.value != option.default,
            origin=row.origin,
            default=option.default,
            must_be=option.expects,
            unit=option.unit,
            what_for=option.why,
            secret=option.secret,
            changeable=option.key.startswith(CHANGEABLE) and not option.secret,
            needs_restart=option.key.startswith(AT_START),
        )
        for option, row in zip(list_options(), resolved.explain(), strict=True)
    ]
