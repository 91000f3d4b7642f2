"""An MCP client asks the memory over stdio, as Claude Code, Claude Desktop or Cursor do."""

import sys

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import get_default_environment, stdio_client

import recollect

with recollect.open("tea-memory", overrides={"embedding.provider": "none"}) as memory:
    session = memory.sessions.create(key="agent:main:main", project="/srv/shop")
    memory.sessions.append(session.id, "user", "The teapot is in the blue box.")
    memory.observations.record(session.id, summary="Moved the kettle to the red box")


async def ask(*arguments: str) -> None:
    """Search as one entry in the settings of a client would."""
    # start
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "recollect", "--home", "tea-memory", "mcp", *arguments],
        env=get_default_environment() | {"RECOLLECT_EMBEDDING__PROVIDER": "none"},
    )
    async with Client(stdio_client(server)) as client:
        found = await client.call_tool("memory_search", {"query": "Which box?", "maxResults": 2})
        hits = found.structured_content["results"]
        print([(hit["name"], hit["source"], hit["trust"]) for hit in hits])
    # end


anyio.run(ask, "--as", "owner")
anyio.run(ask)
