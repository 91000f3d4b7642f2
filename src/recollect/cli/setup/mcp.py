"""`recollect mcp`: the memory as an MCP server, for a client that starts it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.addresses import path_or_name
from recollect.cli.help import App
from recollect.cli.invocation import invocation_of, require_home
from recollect.core.errors import NotFound
from recollect.core.scope import Scope
from recollect.mcp import check_installed

if TYPE_CHECKING:  # it is opened by the pool
    from recollect.memory import Memory

app = App()


@app.command(rich_help_panel="Set up")
def mcp(
    context: typer.Context,
    *,
    audience: Annotated[
        str,
        typer.Option("--as", help="Whose conversations it sees: owner, shared or session:KEY."),
    ] = "shared",
    project: Annotated[str | None, typer.Option(help="Only this project.")] = None,
) -> None:
    """Serve the memory to an MCP client over stdin and stdout, until it closes them."""
    check_installed()
    from recollect.caller import Callers
    from recollect.mcp.server import serve_stdio
    from recollect.pool import MemoryPool

    options = invocation_of(context)
    overrides = None if options.workspace is None else {"workspace.path": str(options.workspace)}
    with MemoryPool(require_home(context), overrides) as pool:
        about = None if project is None else _project(pool.memory(), path_or_name(project))
        scope = Scope(agent=options.agent, project=about)
        local = partial(Callers(pool).local, audience, "write", "mcp", scope=scope)
        caller_of = partial(local, folder=Path.cwd())
        caller_of()  # refuses a wrong audience before anything is served
        serve_stdio(caller_of)


def _project(memory: Memory, name: str) -> str:
    """Return a path of a project, which may be one that nothing has been captured of yet."""
    path = memory.projects.find(name)
    if memory.projects.known(path) is None and not Path(path).is_dir():
        raise NotFound("no such project or folder", hint="see `recollect projects`")
    return path
