"""The options that the benchmark commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from recollect.bench.beam import Tier
from recollect.bench.data import VARIABLE
from recollect.bench.locomo import Gold
from recollect.bench.product import Mode
from recollect.bench.results import Pool

Data = Annotated[
    Path | None,
    typer.Option(
        envvar=VARIABLE, help="Folder with locomo/, beam/, cranfield/.", rich_help_panel="Data"
    ),
]
Limit = Annotated[
    int | None, typer.Option(help="Only the first conversations.", rich_help_panel="Data")
]
Questions = Annotated[
    int | None, typer.Option(help="At most so many questions.", rich_help_panel="Data")
]
GoldOption = Annotated[
    Gold,
    typer.Option(
        "--gold", help="Evidence of LoCoMo: as published, or corrected.", rich_help_panel="Data"
    ),
]
TierOption = Annotated[
    Tier, typer.Option("--tier", help="Size of the BEAM chats.", rich_help_panel="Data")
]
Modes = Annotated[
    list[Mode] | None, typer.Option("--mode", help="Search mode; may be repeated. All by default.")
]
Pools = Annotated[
    list[Pool] | None,
    typer.Option("--pool", help="What a search looks through; may be repeated."),
]
Settings = Annotated[
    list[str] | None, typer.Option("--set", help="key=value: a setting; may be repeated.")
]
Comparisons = Annotated[
    list[str] | None,
    typer.Option(
        "--compare", help="name:key=value,…: run that too, side by side; may be repeated."
    ),
]
Keep = Annotated[
    Path | None, typer.Option(help="Keep the indexed homes here, and use those that are there.")
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
Plot = Annotated[Path | None, typer.Option(help="Write a picture: .png, .svg or .pdf.")]
Markdown = Annotated[Path | None, typer.Option(help="Write the report as Markdown.")]
