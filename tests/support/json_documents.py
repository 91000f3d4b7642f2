"""Checks what commands print with --json against the schemas that are made from the types."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

import jsonschema_rs
from typer.main import get_command

from recollect.cli.main import app
from recollect.cli.output.documents import DOCUMENTS, schema_of

LINE_BY_LINE = {"events", "sync"}
"""Commands that may print several documents, one a line."""


def command_of(arguments: Sequence[str]) -> str:
    """Return the command of a line, ``sessions show``; its options and arguments left out."""
    command: Any = get_command(app)
    names: list[str] = []
    rest = iter(arguments)
    for word in rest:
        if word.startswith("-") and word != "-":
            if word in _takes_value(command):
                next(rest, None)
            continue
        inner = getattr(command, "commands", {})
        if word not in inner:
            break
        names.append(word)
        command = inner[word]
    return " ".join(names)


def check_document(arguments: Sequence[str], out: str) -> None:
    """Raise `AssertionError` where the output of a command line is not what its schema says.

    A field that no type names is wrong: the schemas are closed for it.
    """
    name = command_of(arguments)
    if name not in DOCUMENTS:
        raise AssertionError(f"recollect {name} prints JSON and is not in DOCUMENTS")
    documents = out.splitlines() if name in LINE_BY_LINE else [out]
    for document in filter(None, documents):
        errors = list(_validator(name).iter_errors(json.loads(document)))
        if errors:
            raise AssertionError(f"recollect {name} --json: {[str(each) for each in errors]}")


@cache
def _validator(name: str) -> Any:
    return jsonschema_rs.validator_for(closed(schema_of(name)))


def closed(schema: Any) -> Any:
    """Return a schema in which no object may have fields that it does not name."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(value) for key, value in schema.items()}
    if schema.get("type") == "object" and isinstance(schema.get("properties"), dict):
        made.setdefault("additionalProperties", False)
    return made


def _takes_value(command: Any) -> set[str]:
    return {
        form
        for parameter in command.params
        if not getattr(parameter, "is_flag", False)
        for form in (*parameter.opts, *parameter.secondary_opts)
        if form.startswith("-")
    }
