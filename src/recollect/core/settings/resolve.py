"""Puts the layers together: defaults, then `config.yaml`, then environment, then arguments.

A value that does not fit names its key, what it must be and where it was given.
"""

from __future__ import annotations

import operator
import os
import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

from recollect.core.decoding import convert_value
from recollect.core.errors import ConfigError
from recollect.core.settings.agents import (
    APART,
    NO_WALLS,
    WHOSE,
    Walls,
    agent_name,
    agents_named,
    agents_tuned,
    layered,
    option_key,
    outgrows,
)
from recollect.core.settings.environment import GivenValue
from recollect.core.settings.linear import is_linear
from recollect.core.settings.options import SettingValue, convert, leaves, list_options
from recollect.core.settings.sources import (
    FILE_NAME,
    read_arguments,
    read_environment,
    read_file,
)
from recollect.core.settings.tree import Settings


class Explained(msgspec.Struct, frozen=True, kw_only=True):
    """One row of `recollect config`."""

    key: str
    value: SettingValue
    origin: str


class ResolvedSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings in force, and where each one comes from."""

    settings: Settings
    origins: Mapping[str, str]
    """Dotted key -> "default", "config.yaml line 4", "environment RECOLLECT_…", "argument …"."""
    agents: tuple[str, ...] = ()
    """The agents that have settings of their own, sorted."""
    walls: Walls = NO_WALLS
    """Which agents are apart."""

    def explain(self) -> tuple[Explained, ...]:
        """Return every option with its value and origin, in the order of the tree.

        What is secret is shown as `HIDDEN`.
        """
        secret = {option.key for option in list_options() if option.secret}
        return tuple(
            Explained(key=key, value=_shown(self._value(key), key in secret), origin=origin)
            for key, origin in self.origins.items()
        )

    def _value(self, key: str) -> SettingValue:
        value: SettingValue = operator.attrgetter(key)(self.settings)
        return value


HIDDEN = "set, not shown"
"""Shown instead of a secret wherever settings are shown."""


def _shown(value: SettingValue, secret: bool) -> SettingValue:
    return HIDDEN if secret and value else value


def load_settings(
    home: Path,
    overrides: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
    agent: str | None = None,
) -> ResolvedSettings:
    """Return the settings for ``home``; later layers win, key by key.

    Args:
        home: The folder that may hold ``config.yaml``; it need not exist.
        overrides: Arguments: dotted keys, or nested mappings.
        environ: The variables; the process environment by default.
        agent: Whose settings: what is below its name in ``agents`` wins over the rest of the
            file; without a name, or without settings of its own, the common ones.

    Raises:
        ConfigError: a key is unknown, or a value has the wrong type or is out of range.
    """
    in_file = read_file(home / FILE_NAME)
    for key, entry in in_file.items():
        _converted(option_key(key), entry)  # a mistake in another agent's settings is reported too
    agent = None if agent is None else agent_name(agent)
    outside = read_environment(os.environ if environ is None else environ)
    outside |= read_arguments(overrides or {})
    values = layered(in_file, agent) | outside
    converted = {key: default for key, (_, default) in leaves().items()}
    converted |= {key: _converted(key, entry) for key, entry in values.items()}
    origins = {key: values[key].origin if key in values else "default" for key in converted}
    if outgrows(in_file, agent):
        converted["chunking.overlap"] = _within(
            converted["chunking.overlap"], converted["chunking.tokens"]
        )
    _check_together(converted, origins)
    settings = convert_value(_nested(converted), Settings)
    return ResolvedSettings(
        settings=settings,
        origins=origins,
        agents=agents_tuned(in_file),
        walls=_walls(in_file, outside),
    )


def _walls(in_file: Mapping[str, GivenValue], outside: dict[str, GivenValue]) -> Walls:
    """Return which agents are apart: the settings say so, or give them another owner."""

    def of(agent: str | None, *keys: str) -> list[SettingValue]:
        values = layered(in_file, agent) | outside
        return [_converted(k, values[k]) if k in values else leaves()[k][1] for k in keys]

    everyone, owner = of(None, APART) == [True], of(None, *WHOSE)
    agents = frozenset(agents_named(in_file))
    apart = frozenset(a for a in agents if of(a, APART) == [True] or of(a, *WHOSE) != owner)
    return Walls(everyone, agents - apart if everyone else apart)


def _converted(key: str, entry: GivenValue) -> SettingValue:
    try:
        return convert(key, _split_list(key, entry), from_text=entry.is_text)
    except ValueError as error:
        expects = next(option.expects for option in list_options() if option.key == key)
        raise _wrong(key, f"must be {expects}", entry.origin) from error


def _split_list(key: str, entry: GivenValue) -> object:
    """Return the entry's value; a text for a list option as a list: JSON, or split at commas."""
    default = leaves()[key][1]
    if not (isinstance(default, tuple) and isinstance(entry.value, str) and entry.is_text):
        return entry.value
    if entry.value.lstrip().startswith("["):
        return msgspec.json.decode(entry.value)
    return [part.strip() for part in entry.value.split(",") if part.strip()]


def _within(overlap: SettingValue, tokens: SettingValue) -> SettingValue:
    """Return the common overlap, no larger than a fifth of the agent's chunks, as by default."""
    if not (isinstance(overlap, int) and isinstance(tokens, int)):
        return overlap
    return min(overlap, tokens // 5)


def _check_together(values: Mapping[str, SettingValue], origins: Mapping[str, str]) -> None:
    overlap, tokens = values["chunking.overlap"], values["chunking.tokens"]
    if isinstance(overlap, int) and isinstance(tokens, int) and overlap >= tokens:
        why = f"must be smaller than chunking.tokens, which is {tokens}"
        raise _wrong("chunking.overlap", why, origins["chunking.overlap"])
    patterns = values["privacy.patterns"]
    for number, pattern in enumerate(patterns if isinstance(patterns, tuple) else (), start=1):
        try:
            re.compile(pattern)
            is_fast = is_linear(pattern)
        except re.error as error:
            why = f"has an invalid regular expression, number {number} of the list"
            raise _wrong("privacy.patterns", why, origins["privacy.patterns"]) from error
        if not is_fast:
            why = (
                f"has a regular expression that may take for ever, number {number} of the list: a "
                "repetition must not repeat what matches in several ways; (?>…) and a++ have one"
            )
            raise _wrong("privacy.patterns", why, origins["privacy.patterns"])


def _wrong(key: str, why: str, origin: str) -> ConfigError:
    return ConfigError(
        f"setting {key} {why} ({origin})",
        hint=f"change it there; recollect config shows what {key} means",
        key=key,
        origin=origin,
    )


def _nested(values: Mapping[str, SettingValue]) -> dict[str, object]:
    """Return ``{"a.b": 1}`` as ``{"a": {"b": 1}}``."""
    tree: dict[str, object] = {}
    sections: dict[str, dict[str, SettingValue]] = {}
    for key, value in values.items():
        name, _, rest = key.partition(".")
        if rest:
            sections.setdefault(name, {})[rest] = value
        else:
            tree[name] = value
    return tree | {name: _nested(inner) for name, inner in sections.items()}
