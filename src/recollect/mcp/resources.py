"""Memory files and sessions as resources, which a user attaches to a conversation."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from anyio import to_thread
from mcp.server.mcpserver import MCPServer, ResourceSecurity
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp_types import (
    Completion,
    CompletionArgument,
    CompletionContext,
    PromptReference,
    Resource,
    ResourceTemplateReference,
)

from recollect.answers.hit import trust_of_file
from recollect.core.clock import to_iso
from recollect.core.errors import Denied, NotFound, RecollectError
from recollect.mcp.asking import CALLER
from recollect.mcp.failures import readable
from recollect.mcp.quoting import SPOKEN, quoted
from recollect.mcp.sessions import transcript

FILE, SESSION = "recollect://memory/{+path}", "recollect://sessions/{session}"
MARKDOWN = "text/markdown"
_MOST_FILES, _MOST_SESSIONS = 100, 20
"""Resources that are listed; completion finds the others."""
_MOST_VALUES = 100
"""Values of a completion, as the protocol has it."""


def memory_file(path: str) -> str:
    """A memory file of the workspace: MEMORY.md, memory/2026-05-04.md."""
    caller = CALLER.get()
    file = caller.memory.read(path, for_session=caller.for_session())
    if file.status != "ok":
        raise NotFound("the memory file does not exist", hint="take a path of memory_search")
    more = "" if file.next_from is None else f"\n… from line {file.next_from} on: memory_get"
    return quoted(file.text + more, f"memory file {file.path}", trust_of_file(file.path))


def session_transcript(session: str) -> str:
    """The newest messages of a session, by id or key."""
    caller = CALLER.get()
    return quoted(transcript(caller, caller.session(session)), "session", SPOKEN)


def _read(resource: Callable[..., str]) -> Callable[..., str]:
    """Return a resource whose errors carry a hint; one that may not be read is not found."""

    @functools.wraps(resource)
    def call(**arguments: str) -> str:
        try:
            return resource(**arguments)
        except (NotFound, Denied) as error:
            raise ResourceNotFoundError(readable(error)) from None
        except RecollectError as error:
            raise ResourceError(readable(error)) from None

    return call


def list_resources() -> list[Resource]:
    """Return the memory files and the newest sessions that the caller may read."""
    caller = CALLER.get()
    files = caller.memory.files(for_session=caller.for_session())[:_MOST_FILES]
    return [
        *(
            Resource(
                uri=f"recollect://memory/{quote(path)}",
                name=path,
                description="A memory file",
                mime_type=MARKDOWN,
            )
            for path in files
        ),
        *(
            Resource(
                uri=f"recollect://sessions/{session.id}",
                name=session.title or session.key or session.id,
                description=f"A session, last used {to_iso(session.updated_at)[:16]}",
                mime_type=MARKDOWN,
            )
            for session in caller.sessions(limit=_MOST_SESSIONS)
        ),
    ]


def complete(argument: CompletionArgument) -> Completion:
    """Return the paths or sessions that begin as the user typed; sessions by title, too."""
    caller, prefix = CALLER.get(), argument.value.casefold()
    if argument.name == "path":
        paths = caller.memory.files(for_session=caller.for_session())
        values = [path for path in paths if path.casefold().startswith(prefix)]
    elif argument.name == "session":
        filters: tuple[dict[str, str], ...] = ({"id_prefix": prefix}, {"title": prefix})
        ids = (
            session.id
            for each in filters
            for session in caller.sessions(**each, limit=_MOST_VALUES + 1)
        )
        values = list(dict.fromkeys(ids))
    else:
        values = []
    return Completion(
        values=values[:_MOST_VALUES], total=len(values), has_more=len(values) > _MOST_VALUES
    )


def add_resources(server: MCPServer[Any]) -> None:
    """Add the templates and their completion to a server."""
    # The memory itself refuses paths that leave it, and has absolute ones: extra paths.
    paths = ResourceSecurity(exempt_params={"path"})
    server.resource(
        FILE, name="memory-file", title="Memory file", mime_type=MARKDOWN, security=paths
    )(_read(memory_file))
    server.resource(SESSION, name="session", title="Session", mime_type=MARKDOWN)(
        _read(session_transcript)
    )

    @server.completion()  # type: ignore[no-untyped-call, untyped-decorator]
    async def completed(
        _ref: PromptReference | ResourceTemplateReference,
        argument: CompletionArgument,
        _context: CompletionContext | None,
    ) -> Completion:
        return await to_thread.run_sync(complete, argument)
