"""The schemas of what commands print with --json; that real output has their form, `run` checks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from typer.main import get_command

from recollect.cli.main import app
from recollect.cli.output.documents import DOCUMENTS, schema_of
from tests.support.json_documents import check_document, command_of
from tests.unit.cli.conftest import Run

PRINTS_NONE = {"mcp"}
"""Speaks JSON-RPC."""


def _commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    inner = getattr(command, "commands", {})
    if path and (not inner or command.invoke_without_command):
        yield " ".join(path)
    for name in inner:
        yield from _commands(inner[name], (*path, name))


def test_every_command_has_a_schema() -> None:
    """Also those inside groups; none is left in the table that does not exist."""
    assert set(_commands(get_command(app))) - PRINTS_NONE == set(DOCUMENTS)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_schema_stands_alone(name: str) -> None:
    """It is valid, and every reference is into its own definitions."""
    schema = schema_of(name)
    jsonschema_rs.validator_for(schema)
    assert schema["title"] == f"recollect {name} --json"
    refs = set(_references(schema))
    assert refs <= {f"#/$defs/{each}" for each in schema["$defs"]}


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        found = schema.get("$ref")
        if isinstance(found, str):
            yield found
    values = schema.values() if isinstance(schema, dict) else schema
    for each in values if isinstance(schema, dict | list) else ():
        yield from _references(each)


def test_a_field_that_no_type_names_is_noticed(run: Run, filled: Path) -> None:
    """At the top, and inside a hit; so is one that is missing, or of another type."""
    arguments = ["--home", str(filled), "search", "delivery", "--json"]
    found = run(*arguments).json
    assert found["hits"]
    check_document(arguments, json.dumps(found))
    wrong = [
        found | {"new": 1},
        found | {"hits": [found["hits"][0] | {"new": 1}]},
        {name: value for name, value in found.items() if name != "took_ms"},
        found | {"took_ms": "3 ms"},
        found | {"hits": [found["hits"][0] | {"title": 3}]},
    ]
    for document in wrong:
        with pytest.raises(AssertionError, match="recollect search --json"):
            check_document(arguments, json.dumps(document))


def test_options_before_a_command_do_not_hide_it() -> None:
    """Nor do their values, whatever they are called."""
    assert command_of(["--home", "search", "sessions", "--limit", "3", "--json"]) == "sessions"
    assert command_of(["--json", "sessions", "--limit", "3", "show", "status"]) == "sessions show"


def test_a_program_gets_the_schema_from_the_command_line(run: Run, home: Path) -> None:
    """Without a home; of a command that prints none, the hint names the others."""
    done = run("--home", home, "config", "schema", "sessions", "show", "--json")
    assert {"$ref": "#/$defs/Lease"} in done.json["properties"]["lease"]["anyOf"]
    shown = run("--home", home, "config", "schema", "status").out
    assert json.loads(shown)["title"] == "recollect status --json"
    refused = run("--home", home, "config", "schema", "mcp")
    assert refused.code == 1
    assert "sessions show" in refused.err
