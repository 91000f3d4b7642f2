"""The page about MCP: its tables are those of the server, and its entries can be started."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import anyio
import pytest
from typer.main import get_group

from recollect.cli.main import app
from recollect.mcp.server import make_server

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "mcp.md").read_text("utf-8")


def nobody(_: object) -> Any:
    """Return no caller: what a server offers is the same for all."""


def test_the_table_has_the_tools_and_their_arguments() -> None:
    """A page that shows a tool which does not exist is worse than no page."""
    rows = re.findall(r"^\| `(\w+)` \|.*\| (.+) \|$", PAGE, re.MULTILINE)
    told = {name: set(re.findall(r"`(\w+)`", arguments)) for name, arguments in rows}
    tools = anyio.run(make_server(nobody).list_tools)
    assert told == {tool.name: set(tool.input_schema["properties"]) for tool in tools}


def test_the_page_names_all_resources_and_prompts() -> None:
    """What is offered, and nothing else."""
    server = make_server(nobody)
    templates = anyio.run(server.list_resource_templates)
    offered = {template.uri_template for template in templates}
    offered |= {prompt.name for prompt in anyio.run(server.list_prompts)}
    told = set(re.findall(r"`(recollect://[^`]+|[a-z]+(?:-[a-z]+)+)`", PAGE))
    assert told == offered


@pytest.mark.parametrize("entry", re.findall(r"```json\n(.*?)\n```", PAGE, re.DOTALL))
def test_an_entry_of_a_client_is_a_command_or_an_address(entry: str) -> None:
    """It is copied as it stands."""
    (server,) = json.loads(entry)["mcpServers"].values()
    if "command" not in server:
        assert server["url"].endswith("/mcp")
        assert server["headers"]["Authorization"].startswith("Bearer rcl_")
        return
    assert server["command"] == "recollect"
    name, *given = server["args"]
    command: Any = get_group(app).commands[name]
    with command.make_context(name, given) as context:
        assert context.params["audience"] == "owner"
