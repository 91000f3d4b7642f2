"""The commands that ask whether the right thing is found, and whether the search knows it."""

from __future__ import annotations

from typing import Annotated

import typer

from benchmarks.datasets.beam import load_abstentions, load_beam, load_wishes
from benchmarks.datasets.data import find_data
from benchmarks.datasets.locomo import load_locomo
from benchmarks.datasets.questions import HALVES, load_year
from benchmarks.datasets.replacements import FILES, Lines, SetName
from benchmarks.measure.environment import describe_environment, describe_lines
from benchmarks.options import (
    AsJson,
    Data,
    Markdown,
    QualityOptions,
    TierOption,
    choose,
    with_quality_options,
)
from benchmarks.output import Output, show_progress
from benchmarks.quality.confidence import (
    confidence_grids,
    describe_confidence,
    run_confidence,
)
from benchmarks.quality.homes import work_folder
from benchmarks.quality.moments import (
    MomentSet,
    describe_moments,
    moment_grids,
    run_moments,
)
from benchmarks.quality.quality import MODES
from benchmarks.quality.questions import (
    QuestionsPlan,
    describe_questions,
    questions_grids,
    run_questions,
)
from benchmarks.quality.quoted import describe_quoted, quoted_grids, run_quoted
from benchmarks.quality.real_changes import find_real_changes, real_grids
from benchmarks.quality.replaced import (
    ReplacedPlan,
    describe_replaced,
    replaced_grids,
    run_replaced,
)
from benchmarks.quality.statements import (
    describe_statements,
    run_statements,
    statements_grids,
)
from benchmarks.quality.wishes import describe_wishes, run_wishes, wishes_grids


@with_quality_options("data", "limit", "questions", "pool", "compare", "keep", "plot", "answers")
def questions(
    given: QualityOptions,
    *,
    half: Annotated[
        list[str] | None, typer.Option(help="seen, unseen; may be repeated. Both by default.")
    ] = None,
) -> None:
    """Questions over a year in four languages: is the first hit right, is one of the first six."""
    halves, asked = choose(half, HALVES, "half"), given.plan()
    plan = QuestionsPlan(halves=halves, modes=asked.modes, overrides=asked.variants[0].overrides)
    with show_progress() as progress, work_folder(None) as root:
        environment = describe_environment()
        run, _ = run_questions(environment, load_year(), plan, root / "year", progress)
    given.output().deliver(run, describe_questions(run), questions_grids(run))


@with_quality_options("questions", "pool", "settings", "compare", "plot", "answers")
def confidence(given: QualityOptions) -> None:
    """Confidence: does it know whether the answer is among the hits; the best score beside it."""
    folder, limit = find_data(given.data), given.limit
    data = (
        load_locomo(folder).narrowed(limit, None),
        load_beam(folder).narrowed(limit, None),
        load_abstentions(folder),
    )
    modes = choose(given.mode, MODES, "mode")
    with show_progress() as progress, work_folder(given.keep) as root:
        run = run_confidence(describe_environment(), data, modes, root, progress)
    given.output().deliver(run, describe_confidence(run), confidence_grids(run))


def statements(
    *,
    errors: Annotated[
        bool, typer.Option(help="List what is wrong in the sets that may be looked at.")
    ] = False,
    data: Data = None,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """Statements in messages: precision, recall, and CPU of a message. Kinds of questions."""
    output = Output(as_json=as_json, markdown=markdown)
    run = run_statements(describe_environment(), data and find_data(data))
    output.deliver(run, describe_statements(run), statements_grids(run, errors=errors))


def replaced(
    *,
    sets: Annotated[
        list[str] | None, typer.Option("--set", help="seen, opened, unseen; all by default.")
    ] = None,
    lines: Annotated[int, typer.Option(help="Real lines in each home.")] = 400,
    every: Annotated[int, typer.Option(help="Only every so manieth item.")] = 1,
    lexical: Annotated[bool, typer.Option(help="Without the embedder.")] = False,
    errors: Annotated[
        bool, typer.Option(help="List what is wrong in the sets that may be looked at.")
    ] = False,
    links: Annotated[
        bool, typer.Option(help="Instead, list what is replaced in LoCoMo and BEAM, to be judged.")
    ] = False,
    data: Data = None,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """Changes of values: does what holds now come first, and before what it replaced."""
    output = Output(as_json=as_json, markdown=markdown)
    folder = find_data(data)
    names: tuple[SetName, ...] = tuple(FILES)
    chosen = choose(sets, names, "set")
    plan = ReplacedPlan(sets=chosen, lines=lines, every=every, hybrid=not lexical)
    dialogues = [load_locomo(folder), load_beam(folder)]
    if links:
        with show_progress() as progress:
            found = find_real_changes(dialogues, hybrid=not lexical, progress=progress)
        output.deliver(found, describe_lines(describe_environment()), [*real_grids(found)])
        return
    around = Lines(dialogues)
    with show_progress() as progress:
        run = run_replaced(describe_environment(), around, plan, progress)
    output.deliver(run, describe_replaced(run), replaced_grids(run, errors=errors))


def quoted(
    *,
    lexical: Annotated[bool, typer.Option(help="Without the embedder.")] = False,
    data: Data = None,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """Context blocks for questions about a course of events: how much evidence they quote."""
    output, chats = Output(as_json=as_json, markdown=markdown), load_beam(find_data(data))
    with show_progress() as progress:
        run = run_quoted(describe_environment(), chats, hybrid=not lexical, progress=progress)
    output.deliver(run, describe_quoted(run), quoted_grids(run))


def wishes(
    *,
    tier: TierOption = "100K",
    lexical: Annotated[bool, typer.Option(help="Without the embedder.")] = False,
    data: Data = None,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """Context blocks after a chat: do they hold the instruction or preference behind a question."""
    output, folder = Output(as_json=as_json, markdown=markdown), find_data(data)
    chats, behind = load_beam(folder, tier), load_wishes(folder, tier)
    with show_progress() as progress:
        run = run_wishes(
            describe_environment(), chats, behind, hybrid=not lexical, progress=progress
        )
    output.deliver(run, describe_wishes(run), wishes_grids(run))


def moments(
    *,
    set_name: Annotated[MomentSet, typer.Option("--set", help="Of the unseen one only totals.")] = (
        "seen"
    ),
    errors: Annotated[bool, typer.Option(help="List what is wrong in the seen set.")] = False,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """Moments: do observations get the right type, by words and by tool."""
    output = Output(as_json=as_json, markdown=markdown)
    with show_progress() as progress, work_folder(None) as root:
        run = run_moments(describe_environment(), set_name, root, progress)
    output.deliver(run, describe_moments(run), moment_grids(run, errors=errors))
