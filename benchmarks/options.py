"""The options that the benchmark commands share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from benchmarks.datasets.beam import Tier
from benchmarks.datasets.data import VARIABLE
from benchmarks.datasets.locomo import Gold
from benchmarks.quality.quality import MODES
from recollect.core.errors import InvalidInput

Choice = TypeVar("Choice", bound=str)

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
    list[str] | None,
    typer.Option("--mode", help=f"{', '.join(MODES)}; may be repeated. All by default."),
]
Pools = Annotated[
    list[str] | None,
    typer.Option(
        "--pool",
        help="conversation: a home for each. scope: one home, each searched in its own scope. "
        "global: one home, all together. May be repeated.",
    ),
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
Answers = Annotated[
    Path | None,
    typer.Option(help="Write what was ranked for each question, keys only, as lines of JSON."),
]
Markdown = Annotated[Path | None, typer.Option(help="Write the report as Markdown.")]


def choose(names: Sequence[str] | None, known: Sequence[Choice], option: str) -> tuple[Choice, ...]:
    """Return the ``known`` values that ``names`` spell, in that order; all when none are given.

    Raises:
        InvalidInput: a name is not among them.
    """
    by_name = {str(value): value for value in known}
    for name in names or ():
        if name not in by_name:
            raise InvalidInput(
                f"--{option} {name[:40]} does not exist", hint=f"one of {', '.join(by_name)}"
            )
    return tuple(by_name[name] for name in names or by_name)
