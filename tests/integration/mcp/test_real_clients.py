"""The Inspector and the conformance scenarios of the protocol, as they are published.

`make mcp` installs both; they are no part of the project.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from recollect.caller import Callers
from recollect.pool import MemoryPool
from recollect.server.app import HttpApp, all_mounts, all_routes
from recollect.server.response import Receive, Scope, Send
from tests.integration.mcp.conftest import Home, NewToken

CLIENTS = Path(__file__).parents[3] / ".cache" / "mcp"
INSPECTOR, CONFORMANCE = CLIENTS / "inspector-2.12.0", CLIENTS / "conformance-0.2.0-alpha.12"
PATIENCE_S = 120

pytestmark = pytest.mark.skipif(
    not (INSPECTOR.is_file() and CONFORMANCE.is_file()),
    reason="the MCP clients of the npm registry are not wanted: `make mcp`",
)

SCENARIOS = {
    "server-initialize": 2,
    "ping": 2,
    "tools-list": 3,
    "resources-list": 2,
    "prompts-list": 2,
    "http-header-validation": 14,
    "caching": 8,
    "dns-rebinding-protection": 2,
    "sep-2164-resource-not-found": 4,
    "server-session-lifecycle": 0,
    "server-sse-multiple-streams": 0,
    "server-stateless": 23,
}
"""Checks that must pass of each scenario that judges any server. Without sessions there are none
of the two about sessions."""
NEEDS_A_FIXTURE = {
    "server-stateless": {
        "sep-2575-server-rejects-undeclared-capability",
        "sep-2575-missing-capability-http-400",
    }
}
"""Checks that ask for a tool made for the test, which a server for users has not."""


class _Open(uvicorn.Server):
    """Serves a home to everybody as its owner: the scenarios know no tokens."""

    def __init__(self, home: Path, token: str) -> None:
        self.pool, self.ready = MemoryPool(home), threading.Event()
        self.inner = HttpApp(all_routes(), all_mounts())
        layers = self.inner.behind_layers(Callers(self.pool))

        async def owned(scope: Scope, receive: Receive, send: Send) -> None:
            bearer = (b"authorization", f"Bearer {token}".encode())
            await layers({**scope, "headers": [*scope["headers"], bearer]}, receive, send)

        app: Any = owned
        super().__init__(uvicorn.Config(app, port=0, lifespan="off", log_config=None))

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    def serve_home(self) -> None:
        """Serve until it is told to stop."""

        async def serve() -> None:
            async with self.inner.running():
                await self.serve()

        with self.pool:
            asyncio.run(serve())
        self.inner.calls.close()


@pytest.fixture
def open_url(home: Home, token: NewToken) -> Iterator[str]:
    """Return the address of a server that everybody may ask as the owner."""
    server = _Open(home.folder, token("judge", "owner"))
    thread = threading.Thread(target=server.serve_home)
    thread.start()
    try:
        server.ready.wait()
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.should_exit = True
        thread.join()


def run(home: Home, *command: object) -> subprocess.CompletedProcess[str]:
    """Run a client in the surroundings of the home."""
    return subprocess.run(
        [str(each) for each in command],
        env=home.environment | {"PATH": "/usr/local/bin:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_scenario_of_the_protocol_passes(home: Home, open_url: str, scenario: str) -> None:
    """Issue 12, shows: the conformance scenarios that judge any server."""
    done = run(home, CONFORMANCE, "server", "--url", open_url, "--scenario", scenario)
    failed = set(re.findall(r"\[(\S+?)\s*\] \x1b\[\d+mFAILURE", done.stdout))
    assert failed == NEEDS_A_FIXTURE.get(scenario, set()), done.stdout
    passed = re.search(r"Passed: (\d+)/", done.stdout)
    assert passed is not None, done.stdout + done.stderr
    assert int(passed[1]) == SCENARIOS[scenario]


@pytest.fixture(params=["stdio", "http"])
def target(request: pytest.FixtureRequest, home: Home, url: str, token: NewToken) -> list[str]:
    """Return how the Inspector is told of a server."""
    if request.param == "stdio":
        command = home.command("--as", "owner")
        return [command.command, *command.args]
    return [url, "--header", f"Authorization: Bearer {token('inspector', 'owner')}"]


def inspect(home: Home, target: list[str], *arguments: str, code: int = 0) -> Any:
    """Return what the Inspector prints."""
    done = run(home, INSPECTOR, "--cli", *target, "--format", "json", *arguments)
    assert done.returncode == code, done.stdout + done.stderr
    return json.loads(done.stdout)["result"]


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_uses_all_of_it(home: Home, target: list[str], era: str) -> None:
    """Issue 12, shows: the Inspector CLI, strict about schemas, in both eras."""
    speak = ("--protocol-era", era, "--method")
    tools = inspect(home, target, *speak, "tools/list", "--strict")["tools"]
    assert len(tools) == 6
    search = (*speak, "tools/call", "--tool-name", "memory_search", "--tool-arg")
    found = inspect(home, target, *search, "query=teapot", "maxResults=2")
    assert len(found["structuredContent"]["results"]) == 2
    failed = inspect(home, target, *search, "query=teapot", "minScore=7", code=5)
    assert failed["isError"] is True
    uri = "recollect://memory/memory/tea.md"
    (file,) = inspect(home, target, *speak, "resources/read", "--uri", uri)["contents"]
    assert "Oolong" in file["text"]
    assert len(inspect(home, target, *speak, "resources/templates/list")["resourceTemplates"]) == 2
    handed = inspect(home, target, *speak, "prompts/get", "--prompt-name", "session-handover")
    assert handed["messages"]
