"""The bench of MCP: a real server, very few calls."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from benchmarks.commands import app


def test_the_command_prints_one_document() -> None:
    """The options make it as short as a test wants it."""
    few = ["mcp", "--messages", "20", "--calls", "3", "--starts", "1", "--json"]
    done = CliRunner().invoke(app, few)
    assert done.exit_code == 0, done.output
    run = json.loads(done.stdout)
    assert (run["start"]["n"], run["search"]["n"], run["get"]["n"]) == (1, 3, 3)


def test_the_command_prints_a_table() -> None:
    """For people: each figure in a row."""
    few = ["mcp", "--messages", "20", "--calls", "2", "--starts", "1"]
    done = CliRunner().invoke(app, few)
    assert "memory_search, 10 hits" in done.stdout
    assert "20 messages, 2 calls of each, 1 starts" in done.stdout
