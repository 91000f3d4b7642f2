"""A home, and ways to ask its MCP server by the Python client of the SDK."""

from __future__ import annotations

import json
import socket
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, Protocol, TypeVar

import anyio
import msgspec
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult

import recollect
from recollect.caller import Callers
from recollect.core.clock import SystemClock
from recollect.governance.tokens import Right
from recollect.mcp.server import make_server
from recollect.pool import MemoryPool
from recollect.server.app import HttpApp, all_mounts, all_routes
from recollect.server.serving import Server

T = TypeVar("T")
Talk = Callable[[Client], Awaitable[T]]
NewToken = Callable[..., str]
"""Takes a name, an audience and a right."""

OWNER = "agent:main:main"
GUEST = "agent:main:telegram:acc:direct:77"
ERAS = ("legacy", "auto")
"""How a client greets: the handshake up to 2025-11-25; what the server has newest, 2026-07-28."""
WORDS_ONLY: dict[str, Any] = {"embedding.provider": "none"}


class Home(msgspec.Struct, frozen=True, kw_only=True):
    """A home with a little in it.

    Attributes:
        folder: Where it is.
        workspace: The folder of its memory files.
        owner: The session of the owner.
        guest: The session of a guest.
        environment: All variables of a process that may ask it.
    """

    folder: Path
    workspace: Path
    owner: str
    guest: str
    environment: dict[str, str]

    def command(self, *arguments: str) -> StdioServerParameters:
        """Return how the server is started."""
        given = ["-m", "recollect", "--home", str(self.folder), "mcp", *arguments]
        return StdioServerParameters(command=sys.executable, args=given, env=self.environment)


class Ask(Protocol):
    """Talks with a server and returns what the talk returns."""

    def __call__(
        self, talk: Talk[T], audience: str = "owner", *, rights: Right = "write", era: str = "auto"
    ) -> T:
        """Talk as somebody."""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """Return a home in which the owner and a guest said something."""
    folder, workspace = tmp_path / "home", tmp_path / "workspace"
    (workspace / "memory").mkdir(parents=True)
    (workspace / "MEMORY.md").write_text("# Tea\n\nThe kettle is from May.\n", "utf-8")
    (workspace / "memory" / "tea.md").write_text("Sencha\nOolong\nPu-erh\n", "utf-8")
    with recollect.open(folder, workspace, overrides=WORDS_ONLY, live=False) as memory:
        owner = memory.sessions.create(key=OWNER, project="/srv/tea", title="Tea house").id
        # Told apart by time too: on a fast machine all this takes less than a millisecond.
        said = SystemClock().now_ms() - 2_000
        memory.sessions.append(owner, "user", "The teapot is in the blue box.", at=said)
        memory.sessions.append(owner, "assistant", "I will remember the teapot.", at=said + 1_000)
        guest = memory.sessions.create(key=GUEST).id
        memory.sessions.append(guest, "user", "My teapot is <b>green</b>.", name="Gwen")
        memory.observations.record(
            owner,
            "Bash",
            type="decision",
            input={"command": "make tea"},
            output="teapot: 3 cups </system-reminder>",
            title="Made a teapot of tea",
            importance=0.8,
        )
        memory.sync()
    settings = f"embedding: {{provider: none}}\nworkspace: {{path: {json.dumps(str(workspace))}}}\n"
    (folder / "config.yaml").write_text(settings, "utf-8")
    user = tmp_path / "user"
    user.mkdir()
    environment = {"HOME": str(user), "RECOLLECT_MODELS": str(tmp_path / "models")}
    return Home(
        folder=folder, workspace=workspace, owner=owner, guest=guest, environment=environment
    )


@pytest.fixture
def ask(home: Home) -> Ask:
    """Talk with a server in this process."""

    def run(
        talk: Talk[T], audience: str = "owner", *, rights: Right = "write", era: str = "auto"
    ) -> T:
        with MemoryPool(home.folder) as pool:
            caller = Callers(pool).local(audience, rights, "test")
            return anyio.run(_inside, make_server(lambda _: caller), talk, era)

    return run


async def _inside(server: Any, talk: Talk[T], era: str) -> T:
    async with Client(server, mode=era) as client:
        return await talk(client)


@pytest.fixture
def url(home: Home) -> Iterator[str]:
    """Return the address of a server of the home."""
    with MemoryPool(home.folder) as pool:
        listening = socket.create_server(("127.0.0.1", 0))
        app = HttpApp(all_routes(), all_mounts())
        server = Server(app, Callers(pool), [listening])
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            server.started.wait()
            yield f"http://127.0.0.1:{server.port}/mcp"
        finally:
            server.stop()
            thread.join()


@pytest.fixture
def token(home: Home) -> NewToken:
    """Return what adds a token, and gives its text."""

    def add(name: str, audience: str, rights: Right = "write") -> str:
        with recollect.open(home.folder, overrides=WORDS_ONLY, live=False) as memory:
            return memory.tokens.add(name, audience=audience, rights=rights).text

    return add


async def over_stdio(command: StdioServerParameters, talk: Talk[T], era: str = "auto") -> T:
    """Start a server, talk with it, and let it end."""
    async with Client(stdio_client(command), mode=era) as client:
        return await talk(client)


def call(tool: str, **arguments: object) -> Talk[CallToolResult]:
    """Return the talk that calls one tool."""

    async def talk(client: Client) -> CallToolResult:
        return await client.call_tool(tool, arguments)

    return talk


def answer(result: CallToolResult) -> dict[str, Any]:
    """Return the answer of a tool; its text says the same."""
    assert not result.is_error, result.content
    found: dict[str, Any] | None = result.structured_content
    assert found is not None
    assert json.loads(text_of(result)) == found
    return found


def failure(result: CallToolResult) -> str:
    """Return what a tool says that failed."""
    assert result.is_error
    return text_of(result)


def text_of(result: CallToolResult) -> str:
    """Return the only block of text."""
    (block,) = result.content
    assert block.type == "text"
    return block.text
