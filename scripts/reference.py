"""Writes the pages that are read off the code: settings, commands, their JSON and events.

`make reference` writes them; with `--check` nothing is written and stale pages are named, which is
what the test does.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, get_args

import typer
from typer.core import TyperGroup

from recollect.cli.main import app
from recollect.cli.output.documents import DOCUMENTS, schema_of
from recollect.core.events import AnyEvent
from recollect.core.settings import Option, list_options

SURFACE = Path(__file__).resolve().parent.parent / "tests/structure/snapshots/python.txt"
"""What `make snapshots` reads off the library."""
FOLDER = Path(__file__).resolve().parent.parent / "docs" / "reference"

SETTINGS_HEAD = """\
# Settings

<!-- Made by `make reference` from src/recollect/core/settings; edit there. -->

Each setting comes from the last of these that names it: its default, `config.yaml` in the home, an
environment variable, an argument. An unknown key is an error that names the nearest known one.
`recollect config` shows every value and where it came from.

```yaml
# ~/.recollect/config.yaml
search:
  limit: 10
embedding:
  provider: none
```

The same by environment: `RECOLLECT_SEARCH__LIMIT=10`, `RECOLLECT_EMBEDDING__PROVIDER=none`. Two
variables stand beside the tree: `RECOLLECT_HOME` is the home folder, `RECOLLECT_MODELS` the folder
of model files.
"""

COMMANDS_HEAD = """\
# Command line

<!-- Made by `make reference` from src/recollect/cli; edit there. -->

`recollect [--home DIR] [--workspace DIR] COMMAND`. With `--json` every command writes one JSON
document to stdout and nothing else, and errors as JSON to stderr. Exit codes: 0 done, 1 failed, 2
wrong usage. `recollect --install-completion` teaches your shell the commands.
"""


JSON_HEAD = """\
# JSON of the commands

<!-- Made by `make reference` from src/recollect/cli/output/documents.py and the types it names. -->

What each command prints with `--json`: one document on stdout (`events` and `sync --watch`: one a
line), by the fields of its top level. `recollect config schema COMMAND` prints the whole JSON
Schema (2020-12), with everything inside. A field that goes, or gets another type, has a line in the
changelog; new ones come, so a program must ignore what it does not know. Errors are
`{"error": {"code", "message", "hint"}}` on stderr. Tests compare the output of the commands with
these schemas.
"""

EVENTS_HEAD = """\
# Events

<!-- Made by `make reference` from src/recollect/core/events.py; edit there. -->

What recollect itself did. An event is stored in the transaction of what it tells of, so there is
never one without the other. Beside its own fields each has `seq`, its place in the journal, `at`,
ms UTC, and `scope`: tenant, agent, user, project and session that it belongs to. Events hold ids
and counts, never what somebody said. How to read them is on the page about [](../events.md).

| type | what happened | fields |
|---|---|---|
"""


def main(arguments: list[str]) -> int:
    """Write the pages, or name the stale ones and return 1."""
    stale = [name for name, text in _pages().items() if _read(FOLDER / name) != text]
    if "--check" in arguments:
        print("\n".join(f"stale: docs/reference/{name} (make reference)" for name in stale))
        return 1 if stale else 0
    for name in stale:
        (FOLDER / name).write_text(_pages()[name], encoding="utf-8")
        print(f"wrote docs/reference/{name}")
    return 0


EVERYTHING = """\
## Everything

<!-- Made by `make reference` from tests/structure/snapshots/python.txt; edit above. -->

The whole public surface, as the code says it: first the calls of each object, then the values that
they take and return.
"""


def python_page() -> str:
    """Return the page of the library: its text, and below it every name and signature."""
    head = _read(FOLDER / "python.md").partition(EVERYTHING[:14])[0]
    lines = SURFACE.read_text(encoding="utf-8").splitlines()
    owners = {line: _OWNER.match(line) for line in lines}
    groups: dict[str, list[str]] = {}
    for line, owner in owners.items():
        groups.setdefault(owner[1] if owner else "", []).append(line)
    parts = [head + EVERYTHING]
    for name in sorted(groups, key=lambda each: (each[:1].isupper(), each)):
        listed = "\n".join(groups[name])
        parts.append(f"### `{name}`\n\n```text\n{listed}\n```\n" if name else listed)
    return "\n".join(parts)


_OWNER = re.compile(r"([\w.]+)\.\w+")


def _pages() -> dict[str, str]:
    return {
        "settings.md": settings_page(),
        "cli.md": command_page(),
        "events.md": event_page(),
        "json.md": json_page(),
        "python.md": python_page(),
    }


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def settings_page() -> str:
    """Return the page with every option of the tree, in its order."""
    parts = [SETTINGS_HEAD]
    for section, options in groupby(
        list_options(), key=lambda option: option.key.rpartition(".")[0]
    ):
        parts.append(f"\n## {section}\n")
        parts += [line for option in options for line in _option(option)]
    return "".join(parts)


def _option(option: Option) -> Iterator[str]:
    unit = f" ({option.unit})" if option.unit else ""
    yield f"\n### {option.key}\n\n{option.why}\n\n"
    yield f"- must be {option.expects}{unit}\n"
    yield f"- default: `{_shown(option.default)}`\n"
    yield f"- `{option.variable}`\n"


def _shown(value: object) -> str:
    if value is None:
        return "unset"
    if isinstance(value, bool):
        return str(value).lower()
    return "[]" if value == () else str(value)


def json_page() -> str:
    """Return the page with the fields of every command's document."""
    return JSON_HEAD + "".join(map(_document, DOCUMENTS))


def _document(command: str) -> str:
    schema = schema_of(command)
    defs = schema["$defs"]
    forms = list(dict.fromkeys(_fields(form, defs) for form in schema.get("anyOf", [schema])))
    return f"\n## {command}\n\n" + "\n\nor\n\n".join(forms) + "\n"


def _fields(form: dict[str, Any], defs: dict[str, Any]) -> str:
    found = defs[form["$ref"].rpartition("/")[2]] if "$ref" in form else form
    if "properties" not in found:
        return f"an object of names: {_type(found.get('additionalProperties', {}))}"
    return ", ".join(f"`{name}` {_type(each)}" for name, each in found["properties"].items())


def _type(schema: Any) -> str:
    """Return a type in a few words: ``text or null``, ``list of Hit``."""
    if not isinstance(schema, dict):
        return "anything"
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "anyOf" in schema:
        return " or ".join(map(_type, schema["anyOf"]))
    if "enum" in schema:
        return "/".join(str(value) for value in schema["enum"])
    kind = schema.get("type")
    if kind == "array":
        return f"list of {_type(schema.get('items'))}"
    return {"string": "text", "object": "object", None: "anything"}.get(kind, str(kind))


def event_page() -> str:
    """Return the page with every type of events, in alphabetical order."""
    rows = sorted(_event(kind) for kind in get_args(AnyEvent))
    return EVENTS_HEAD + "".join(rows)


def _event(kind: Any) -> str:
    own = [f"`{name}`" for name in kind.__struct_fields__ if name not in {"scope", "at"}]
    meaning = (kind.__doc__ or "").split("\n\n")[0]
    return f"| `{kind.__struct_config__.tag}` | {_cell(meaning)} | {', '.join(own)} |\n"


def command_page() -> str:
    """Return the page with every command, its arguments and its options."""
    root = typer.main.get_group(app)
    return COMMANDS_HEAD + "".join(_commands(root, typer.Context(root, info_name="recollect"), 2))


def _commands(group: TyperGroup, context: typer.Context, level: int) -> Iterator[str]:
    yield from _parameters(group, context)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        inner = typer.Context(command, info_name=name, parent=context)
        yield f"\n{'#' * level} {inner.command_path}\n\n{(command.help or '').strip()}\n"
        if isinstance(command, TyperGroup):
            yield from _commands(command, inner, level + 1)
        else:
            yield from _parameters(command, inner)


def _parameters(command: Any, context: typer.Context) -> Iterator[str]:
    records = [parameter.get_help_record(context) for parameter in command.get_params(context)]
    hidden = {"--help", "--json"}  # every command has them
    shown = [record for record in records if record and record[0] not in hidden]
    if shown:
        yield "\n| argument | meaning |\n|---|---|\n"
    for name, text in shown:
        yield f"| `{_cell(name)}` | {_cell(text)} |\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
