"""The options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

FILTERS = "Filters"

AsJson = Annotated[
    bool,
    typer.Option("--json", help="One JSON document on stdout."),
]
Home = Annotated[
    Path | None,
    typer.Option(
        help="The folder of the memory; RECOLLECT_HOME or ~/.recollect by default.",
        metavar="DIR",
        show_default=False,
    ),
]
Workspace = Annotated[
    Path | None,
    typer.Option(
        help="The folder of MEMORY.md and memory/; the setting workspace.path by default.",
        metavar="DIR",
        show_default=False,
    ),
]
AsAgent = Annotated[
    str | None,
    typer.Option(
        "--agent",
        help="Whose memory: with the settings below agents.NAME in config.yaml.",
        metavar="NAME",
        show_default=False,
    ),
]
Agent = Annotated[
    str | None, typer.Option(help="Only what this agent heard.", rich_help_panel=FILTERS)
]
User = Annotated[str | None, typer.Option(help="Only of this user.", rich_help_panel=FILTERS)]
Project = Annotated[str | None, typer.Option(help="Only in this project.", rich_help_panel=FILTERS)]
