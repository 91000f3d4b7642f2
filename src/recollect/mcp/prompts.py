"""Prompts: what a user may choose from a menu of their client."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS
from pydantic import Field

from recollect.core.errors import NotFound, RecollectError
from recollect.mcp.asking import CALLER
from recollect.mcp.failures import readable
from recollect.mcp.quoting import SPOKEN, quoted
from recollect.mcp.sessions import transcript

HANDOVER_TOKENS = 3_000
"""Of a transcript that is handed over: the last hour or so of work, not all of it."""
_HITS = 8
_NOTHING = "(nothing was found)"


def recall_before_you_answer(
    question: Annotated[str, Field(description="What is to be answered.")],
) -> list[str]:
    """Answer a question from what is remembered, and say where it comes from."""
    caller = CALLER.get()
    memory, hears = caller.memory, caller.for_session()
    near = caller.projects.at_hand
    result = memory.search(question, _HITS, for_session=hears, near_project=near)
    lines = [line.text for line in memory.lines(result, for_session=hears).lines]
    return [
        f"Answer this question: {question}\n\n"
        "First recall. Below are the best hits, one line each. Load those that may answer it with"
        " get_observations (messages and observations, by their names) or memory_get (files), and"
        " look around them with timeline. Search again in other words with memory_search if none"
        " of them does. Then answer, name what you rely on, such as m88, and say what you did not"
        " find.",
        quoted("\n".join(lines) or _NOTHING, "memory_search", "as each record says"),
    ]


def session_handover(
    session: Annotated[
        str, Field(description="Its id or key; the session used last if left out.")
    ] = "",
) -> list[str]:
    """Go on with the work of an earlier session: what was decided, done and left open."""
    caller = CALLER.get()
    sessions = [caller.session(session)] if session else []
    sessions = sessions or caller.sessions(project=caller.projects.at_hand, limit=1)
    if not sessions:
        raise NotFound("the home has no session yet", hint="begin one")
    block = caller.memory.context(sessions[0].id, record=False)
    text = quoted(transcript(caller, sessions[0], HANDOVER_TOKENS), "session", SPOKEN)
    return [
        "Go on with the work of an earlier session. Below are the notes of its project, and the"
        " end of what was said. Tell the user in a few lines what was decided, what was done and"
        " what is left open, then ask how to go on. Load what you need in full with"
        " get_observations.",
        *([block.text] if block.items else []),
        text,
    ]


def _rendered(prompt: Callable[..., list[str]]) -> Callable[..., list[str]]:
    """Return a prompt whose errors carry a hint."""

    @functools.wraps(prompt)
    def call(**arguments: Any) -> list[str]:
        try:
            return prompt(**arguments)
        except RecollectError as error:
            raise MCPError(code=INVALID_PARAMS, message=readable(error)) from None

    return call


def add_prompts(server: MCPServer[Any]) -> None:
    """Add the prompts to a server."""
    for prompt in (recall_before_you_answer, session_handover):
        name = prompt.__name__.replace("_", "-")
        title = name.replace("-", " ").capitalize()
        server.prompt(name, title=title, description=prompt.__doc__)(_rendered(prompt))
