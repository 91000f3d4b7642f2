"""The schemas of what commands print with --json; that real output has their form, `run` checks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from typer.main import get_command

from recollect.cli.main import app
from recollect.cli.output.documents import DOCUMENTS, schema_of
from tests.support.json_documents import check_document, command_of
from tests.unit.cli.conftest import Run

Record = Callable[[str, object], None]
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


ERROR = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {name: {"type": "string"} for name in ("code", "message", "hint")},
            "required": ["code", "message", "hint"],
            "additionalProperties": False,
        }
    },
    "required": ["error"],
    "additionalProperties": False,
}


WITHOUT_A_HOME = {"config path", "uninstall"}
STAYS = {"demo", "hook", "mcp", "models install", "serve"}
"""What would wait for others, or write elsewhere, if no error kept it from that."""


@pytest.mark.parametrize("name", [*DOCUMENTS, *PRINTS_NONE])
def test_an_error_of_any_command_is_a_document_too(run: Run, home: Path, name: str) -> None:
    """On stderr, and nothing on stdout: of an unknown option, and of a home below a file."""
    home.write_text("a file", encoding="utf-8")
    wrong = [(*name.split(), "--no-such-option", "--json")]
    if name not in WITHOUT_A_HOME | STAYS:
        wrong.append(("--home", str(home / "below"), *name.split(), "--json"))
    for arguments in wrong:
        done = run(*arguments)
        assert (done.out, done.code in {1, 2}) == ("", True), done
        jsonschema_rs.validate(ERROR, json.loads(done.err))


LINES = """
init --workspace {workspace}
import jsonl {chat}
sync
status
doctor
models
models list
models uses
checkpoint fsck
config
config path
config get search.limit
config explain search.limit
config set search.limit 7
config unset search.limit
config schema status
search delivery
search delivery --lines
timeline m1
get m1
projects
projects list
sessions
sessions list
sessions start --key telegram:42 --project /shop
sessions start --key telegram:44 --project /till
sessions rename telegram:42 Chat
sessions key --channel telegram --peer 42
sessions say Chat user Remember:_the_delivery_is_late.
sessions show Chat
sessions tree Chat
sessions view Chat
sessions mode Chat
sessions model Chat --thinking low
sessions state Chat
sessions flush Chat
sessions compact Chat
sessions fork Chat --title Fork
sessions rename Fork Other
sessions reset telegram:43
sessions end Other
sessions archive Other
sessions resume Other
sessions delete Other
sessions restore Other
transcript Chat
events
export Chat --output {below}/chat.jsonl
export --all {below}/all.jsonl
context Chat
memory
remember I prefer tea --about me
remember We use ruff --about project
facts
facts list
facts correct f1 I prefer water
facts history f1
facts pin f1
remember We use pnpm --about project
facts replace f2 f3
facts forget f1
facts restore f1
facts review
facts fade --dry-run
episodes create Chat
episodes
episodes list
episodes search delivery
episodes show e1
observe We decided to keep Tuesday --session Chat
observe --last 3
forget #1
memory sync-section {workspace}/CLAUDE.md --project /shop --force
projects alias /shop2 /shop
projects merge /shop /till
pause --for 1h
resume
privacy
privacy check /shop
identities link ann signal:43
identities resolve signal:43
identities
identities list
identities unlink signal:43
identities code signal:43
identities proposals
channels allow telegram:42
channels deny telegram:43
channels
channels list
channels status
token add bot
token list
token
token revoke bot
token rotate
checkpoint take --root {workspace} --session Chat --label Before
checkpoint list Chat
checkpoint show c1
checkpoint roots --add {workspace}
rewind c1 --plan
rewind --list --session Chat
prune
scrub
reindex
recover --dry-run
backup {below}/copy.tar.zst
restore {below}/copy.tar.zst
erase --session Other --yes
serve status
uninstall --dry-run
"""
ELSEWHERE = {
    "chat": "chat/test_pipe.py",
    "config import": "test_foreign_settings.py",
    "demo": "test_demo.py",
    **dict.fromkeys(
        ("identities accept", "identities confirm", "identities dismiss"), "test_identities.py"
    ),
    "hook": "test_hook.py",
    "models add": "test_added_models.py",
    "models install": "test_models.py",
    "models remove": "test_added_models.py",
    "open": "test_viewer.py",
    "serve": "tests/integration/packaging/test_wheel.py",
    "serve stop": "tests/integration/packaging/test_wheel.py",
}
"""What needs a model, an event, foreign settings or a worker, and where it is checked."""


@pytest.mark.slow
def test_the_document_of_every_command_is_what_its_schema_says(
    run: Run, home: Path, workspace: Path, chat: Path, record_property: Record
) -> None:
    """One after another in one home; `run` compares what they print with the schema."""
    places = {"workspace": workspace, "chat": chat, "below": chat.parent}
    checked = set()
    for line in LINES.split("\n")[1:-1]:
        words = line.format(**places).split()
        done = run("--home", home, *words, "--json")
        assert done.code == 0 or line == "serve status", (line, done)
        assert done.out, line
        checked.add(command_of(words))
    assert checked | set(ELSEWHERE) == set(DOCUMENTS)
    record_property("documents", f"{len(checked)} of {len(DOCUMENTS)} checked in one home")


def test_options_before_a_command_do_not_hide_it() -> None:
    """Nor do their values, whatever they are called."""
    assert command_of(["--home", "search", "sessions", "--limit", "3", "--json"]) == "sessions"
    assert command_of(["--json", "sessions", "--limit", "3", "show", "status"]) == "sessions show"


def test_a_program_gets_the_schema_from_the_command_line(run: Run, home: Path) -> None:
    """Without a home; of a command that prints none, the hint names the others."""
    done = run("--home", home, "config", "schema", "sessions", "show", "--json")
    shown = done.json["$defs"][done.json["$ref"].rpartition("/")[2]]
    assert {"$ref": "#/$defs/Lease"} in shown["properties"]["lease"]["anyOf"]
    printed = run("--home", home, "config", "schema", "status").out
    assert json.loads(printed)["title"] == "recollect status --json"
    refused = run("--home", home, "config", "schema", "mcp")
    assert refused.code == 2
    assert "sessions show" in refused.err
