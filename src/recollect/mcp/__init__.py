"""The memory as an MCP server: tools, resources and prompts, over stdio and streamable HTTP.

The packages that it needs are the extra ``mcp``; they are imported when something is served.
"""

from __future__ import annotations

import importlib.util

from recollect.core.errors import NotFound


def check_installed() -> None:
    """Refuse to serve without the packages.

    Raises:
        NotFound: they are not installed.
    """
    if importlib.util.find_spec("mcp") is None:
        raise NotFound(
            "the package mcp is not installed", hint="run `pip install 'recollect[mcp]'`"
        )
