"""The options that the benchmark commands share."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
import typer

from benchmarks.datasets.beam import Tier
from benchmarks.datasets.data import VARIABLE
from benchmarks.datasets.locomo import Gold
from benchmarks.measure.lines import PACKAGE
from benchmarks.output import Output
from benchmarks.quality.experiment import PARTS, plan_variants
from benchmarks.quality.quality import DIALOGUE_POOLS, MODES, POOLS, QualityPlan
from benchmarks.quality.suite import Slice
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
        "guest: one home, each asked by the guest whose chat it is. "
        "global: one home, all together. May be repeated.",
    ),
]
Sizes = Annotated[
    list[int] | None, typer.Option("--messages", help="Messages in the home; may be repeated.")
]
Seed = Annotated[int, typer.Option("--seed", help="The same seed makes the same material.")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", help="key=value: a setting; may be repeated.")
]
Comparisons = Annotated[
    list[str] | None,
    typer.Option(
        "--compare", help="name:key=value,…: run that too, side by side; may be repeated."
    ),
]
LeaveOut = Annotated[
    list[str] | None,
    typer.Option(
        help=f"Run it without a part of the score, too; all, or of {', '.join(PARTS)}; "
        "may be repeated."
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


def source_folder(path: Path | None) -> Path | None:
    """Return the ``src`` folder of a checkout, absolute; None as it is.

    Raises:
        InvalidInput: the package is not in it.
    """
    if path is not None and not (path / PACKAGE).is_dir():
        raise InvalidInput(f"{path} has no package {PACKAGE}", hint="name the src folder")
    return path and path.resolve()


OTHER_TREE = typer.Option(
    help="The src folder of another checkout, to compare with ours.", callback=source_folder
)
Against = Annotated[Path | None, OTHER_TREE]


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


class QualityOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of the commands that measure quality; one that a command lacks is its default."""

    data: Data = None
    limit: Limit = None
    questions: Questions = None
    mode: Modes = None
    pool: Pools = None
    settings: Settings = None
    compare: Comparisons = None
    leave_out: LeaveOut = None
    keep: Keep = None
    as_json: AsJson = False
    plot: Plot = None
    markdown: Markdown = None
    answers: Answers = None

    def part(self) -> Slice:
        """Return how much of a data set is measured."""
        return Slice(conversations=self.limit, questions=self.questions)

    def output(self) -> Output:
        """Return where the report goes."""
        return Output(
            as_json=self.as_json, plot=self.plot, markdown=self.markdown, answers=self.answers
        )

    def plan(self, pools: Sequence[str] = POOLS) -> QualityPlan:
        """Return what is measured; ``pools`` where none is named.

        Raises:
            InvalidInput: a mode, a pool or a setting does not exist.
        """
        named = [] if self.leave_out in (None, ["all"]) else self.leave_out
        left_out = choose(named, tuple(PARTS), "leave-out") if self.leave_out else ()
        return QualityPlan(
            variants=plan_variants(self.settings or (), self.compare or (), left_out),
            modes=choose(self.mode, MODES, "mode"),
            pools=choose(self.pool or pools, DIALOGUE_POOLS, "pool"),
        )


def with_quality_options(*lacking: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that hands a command its `QualityOptions` as the first argument.

    Args:
        lacking: The fields that the command has no option for.
    """
    shared = inspect.signature(QualityOptions, eval_str=True).parameters.values()
    added = [each for each in shared if each.name not in lacking]

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        _, *own = inspect.signature(command, eval_str=True).parameters.values()

        @functools.wraps(command)
        def run(**given: Any) -> None:
            chosen = {each.name: given.pop(each.name) for each in added}
            command(QualityOptions(**chosen), **given)

        parameters = [*own, *added]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in parameters}
        return run

    return decorated
