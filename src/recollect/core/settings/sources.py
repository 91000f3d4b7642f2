"""The three places that settings are given in: `config.yaml`, the environment, arguments.

Each reader returns what was given, by dotted key, with its origin in words that lead back to it
("config.yaml line 4"). Nothing is merged or converted here, but an unknown key is refused.
"""

from __future__ import annotations

import difflib
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

import yaml

from recollect.core.errors import ConfigError, InvalidInput
from recollect.core.settings.agents import SECTION, agent_name, option_key
from recollect.core.settings.environment import GivenValue
from recollect.core.settings.options import leaves, sections

Loader: TypeAlias = "yaml.SafeLoader | yaml.CSafeLoader"

FILE_NAME = "config.yaml"
MAX_FILE_BYTES = 256 * 1024
"""No hand-written configuration is larger; a larger file is something else by mistake."""

_MOST_LEVELS = 50
_PREFIX = "RECOLLECT_"
_YAML_HINT = "settings are sections of keys, such as search: and below it, indented, limit: 10"


def read_file(path: Path) -> dict[str, GivenValue]:
    """Return the settings in ``path``; none when there is no such file.

    Raises:
        ConfigError: unreadable, too large, not UTF-8, not YAML, not sections of keys, or a key
            that is unknown or given twice; the message has the line number.
    """
    text = _read_text(path)
    if not text.strip():
        return {}
    try:
        loader = loader_for(text)
        root = loader.get_single_node()
        return {} if root is None else _FileReader(path.name, loader).section(root, "")
    except yaml.YAMLError as error:
        raise _not_yaml(path.name, _yaml_line(error, text)) from error
    except RecursionError as error:
        raise _bad_file(path.name, "is nested too deeply") from error


def loader_for(text: str) -> Loader:
    """Return a loader: the one in C for what both loaders read alike.

    It takes .3 ms for the file that `init` writes, the other one 17. But it recurses in C, where a
    deep text ends the process; it takes tabs that the other one refuses, and counts a byte order
    mark, the lines of some errors and what follows a last line without its end differently.
    """
    if "\t" in text or text.startswith("\ufeff") or not text.endswith("\n"):
        return yaml.SafeLoader(text)
    levels = 0
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            levels += isinstance(event, yaml.CollectionStartEvent)
            levels -= isinstance(event, yaml.CollectionEndEvent)
            if levels > _MOST_LEVELS:
                return yaml.SafeLoader(text)
    except (AttributeError, UnicodeEncodeError, yaml.YAMLError):  # built without it, or malformed
        return yaml.SafeLoader(text)
    return yaml.CSafeLoader(text)


def read_environment(environ: Mapping[str, str]) -> dict[str, GivenValue]:
    """Return the settings among the variables; an empty variable counts as not set.

    Raises:
        ConfigError: a variable is meant as a setting but names none.
    """
    values: dict[str, GivenValue] = {}
    for name, text in sorted(environ.items()):
        if not name.startswith(_PREFIX) or not text:
            continue
        key = _key_of_variable(name)
        if key is not None:
            values[key] = GivenValue(text, f"environment {name}", is_text=True)
    return values


def read_arguments(overrides: Mapping[str, object]) -> dict[str, GivenValue]:
    """Return the settings in ``overrides``: dotted keys, or nested mappings of them.

    Raises:
        ConfigError: a key is unknown.
    """
    values: dict[str, GivenValue] = {}
    for key, value in overrides.items():
        if isinstance(value, Mapping):
            nested = {f"{key}.{inner}": inner_value for inner, inner_value in value.items()}
            values |= read_arguments(nested)
        else:
            origin = f"argument {key}"
            _require_known(key, origin)
            values[key] = GivenValue(value, origin, is_text=isinstance(value, str))
    return values


class _FileReader:
    """Walks the YAML nodes, which know their lines, instead of the values, which do not."""

    def __init__(self, name: str, loader: Loader) -> None:
        self._name = name
        self._loader = loader

    def section(self, node: yaml.Node, prefix: str) -> dict[str, GivenValue]:
        if not isinstance(node, yaml.MappingNode):
            if node.tag == "tag:yaml.org,2002:null":
                return {}
            raise _not_yaml(self._name, node.start_mark.line + 1)
        values: dict[str, GivenValue] = {}
        seen: set[str] = set()
        for key_node, value_node in node.value:
            key = prefix + str(key_node.value if isinstance(key_node, yaml.ScalarNode) else "?")
            origin = f"{self._name} line {key_node.start_mark.line + 1}"
            if key in seen:
                raise ConfigError(
                    f"setting {key} is given twice ({origin})",
                    hint="keep one of them",
                    key=key,
                    origin=origin,
                )
            seen.add(key)
            values |= self._entry(key, value_node, origin)
        return values

    def _entry(self, key: str, node: yaml.Node, origin: str) -> dict[str, GivenValue]:
        parts = key.split(".")
        if parts[0] == SECTION and len(parts) <= 2:
            try:
                names = [SECTION, *(agent_name(name) for name in parts[1:])]
            except InvalidInput as error:
                raise ConfigError(error.message, hint=error.hint, origin=origin) from None
            return self.section(node, ".".join(names) + ".")
        option = option_key(key)
        if option in sections():
            return self.section(node, key + ".")
        _require_known(option, origin)
        try:
            value = self._loader.construct_object(node, deep=True)
        except ValueError as error:  # a date that is none, an integer of 5,000 digits
            raise _not_yaml(self._name, node.start_mark.line + 1) from error
        return {key: GivenValue(value, origin, is_text=False)}


def _read_text(path: Path) -> str:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise _bad_file(path.name, "is not a file")
        if status.st_size > MAX_FILE_BYTES:
            raise _bad_file(path.name, f"is larger than {MAX_FILE_BYTES // 1024} KiB")
        content = path.read_bytes()
    except FileNotFoundError:
        return ""
    except NotADirectoryError as error:
        folder = str(path.parent)
        hint = "name another folder for the home"
        raise ConfigError(f"{folder} must be a folder", hint=hint, path=folder) from error
    except OSError as error:
        raise _bad_file(path.name, "cannot be read") from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _bad_file(path.name, f"line {line} is not UTF-8") from error


def _bad_file(name: str, why: str) -> ConfigError:
    return ConfigError(f"{name} {why}", hint="correct the file or move it away", key=name)


def _not_yaml(name: str, line: int) -> ConfigError:
    return ConfigError(
        f"{name} line {line} cannot be understood", hint=_YAML_HINT, key=name, line=line
    )


def _yaml_line(error: yaml.YAMLError, text: str) -> int:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        return int(error.problem_mark.line) + 1
    return text.count("\n", 0, getattr(error, "position", 0)) + 1


def _key_of_variable(name: str) -> str | None:
    """Return the dotted key that ``name`` sets; None when it is a variable for something else."""
    rest = name.removeprefix(_PREFIX)
    if "__" in rest:
        key = rest.lower().replace("__", ".")
        _require_known(key, f"environment {name}")
        return key
    key_of = {key.replace(".", "_").upper(): key for key in leaves()}
    if rest in key_of:
        variable = _PREFIX + key_of[rest].upper().replace(".", "__")
        raise ConfigError(
            f"environment variable {name} sets nothing",
            hint=f"try {variable}",
            key=key_of[rest],
        )
    return None


def _require_known(key: str, origin: str) -> None:
    if key in leaves():
        return
    nearest = _nearest(key)
    raise ConfigError(
        f"unknown setting {key[:80]} ({origin})",
        hint=f"try {nearest}" if nearest else "see every setting with `recollect config`",
        key=key,
        origin=origin,
        nearest=nearest,
    )


def _nearest(key: str) -> str | None:
    """Return the option or section spelled most like ``key``, or an option of its last name."""
    same_name = [leaf for leaf in leaves() if leaf.rpartition(".")[2] == key.rpartition(".")[2]]
    sections = {leaf.rpartition(".")[0] for leaf in leaves()}
    close = difflib.get_close_matches(key, [*leaves(), *sorted(sections)], n=1, cutoff=0.6)
    return next(iter([*same_name, *close]), None)
