"""The tools of the MCP server, over stdio, as a client has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from mcp import Client

from tests.integration.mcp.conftest import ERAS, answer

TOOLS = {
    "memory_search",
    "memory_get",
    "timeline",
    "get_observations",
    "session_context",
    "forget",
}

Ask = Callable[..., Any]


@pytest.mark.parametrize("era", ERAS)
def test_a_client_of_each_era_finds_what_was_said(ask: Ask, era: str) -> None:
    """Issue 12, item 7: memory_search over stdio."""

    async def talk(client: Client) -> tuple[str, dict[str, Any]]:
        found = await client.call_tool("memory_search", {"query": "teapot"})
        return client.protocol_version, answer(found)

    version, found = ask(talk, "--as", "owner", era=era)
    assert version == ("2025-11-25" if era == "legacy" else "2026-07-28")
    sources = {hit["source"] for hit in found["results"]}
    assert sources == {"sessions", "observations"}
    assert found["mode"] == "lexical"
    assert found["tokens"] > 0
    assert {hit["trust"] for hit in found["results"]} == {"owner", "agent", "group", "tool"}


def test_every_tool_says_all_that_a_client_may_ask_of_it(ask: Ask) -> None:
    """Issue 12, item 7: annotations, output schemas, descriptions that teach the three steps."""

    async def talk(client: Client) -> Any:
        return (await client.list_tools()).tools, client.instructions

    tools, instructions = ask(talk)
    assert {tool.name for tool in tools} == TOOLS
    for tool in tools:
        hints = tool.annotations
        assert hints is not None
        assert tool.title
        assert None not in {
            hints.read_only_hint,
            hints.destructive_hint,
            hints.idempotent_hint,
            hints.open_world_hint,
        }
        assert hints.read_only_hint is (tool.name != "forget")
        assert tool.output_schema is not None
        assert "tokens" in tool.output_schema["required"]
        for name, given in tool.input_schema["properties"].items():
            assert given.get("description"), (tool.name, name)
    told = {tool.name: tool.description for tool in tools}
    for step, name in enumerate(("memory_search", "timeline", "get_observations"), start=1):
        assert f"Step {step} of 3" in told[name]
    for name in ("memory_search", "timeline", "get_observations"):
        assert name in instructions
