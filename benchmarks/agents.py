"""The commands that measure what an agent waits for, and what it is given."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from benchmarks.datasets.scenes import SceneSet, load_scenes
from benchmarks.load.checkpoints import (
    CheckpointPlan,
    CheckpointRunner,
    checkpoint_grids,
    describe_checkpoints,
)
from benchmarks.load.day import DayRunner, day_grids, describe_day
from benchmarks.load.hooks import HooksPlan, HooksRunner, describe_hooks, hooks_grids
from benchmarks.load.knowledge import (
    KnowledgePlan,
    KnowledgeRunner,
    describe_knowledge,
    knowledge_grids,
)
from benchmarks.measure.environment import describe_environment
from benchmarks.options import AsJson, Keep, Markdown, Seed
from benchmarks.output import Output, show_progress
from benchmarks.quality.handover import (
    describe_handover,
    handover_grids,
    handover_run,
    newest_lines,
    run_scenes,
    scene_lines,
    without_large,
)
from benchmarks.quality.homes import work_folder
from benchmarks.quality.scene_play import in_process, in_worker
from recollect.core.errors import InvalidInput


def day(
    *,
    days: Annotated[int, typer.Option(min=1, help="Each in a new home.")] = 3,
    keep: Keep = None,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """What somebody waits for on a day with an agent that remembers, command by command."""
    output = Output(as_json=as_json, markdown=markdown)
    with show_progress() as progress, work_folder(keep) as root:
        run = DayRunner(root, describe_environment(), progress).run(days)
    output.deliver(run, describe_day(run), day_grids(run))


def hooks(
    *,
    events: Annotated[int, typer.Option(min=1, help="Hooks of each state of the worker.")] = 100,
    tools: Annotated[int, typer.Option(min=1, help="Calls of a tool in a run.")] = 20,
    rounds: Annotated[int, typer.Option(min=1, help="Runs of the client in each state.")] = 5,
    deadline_ms: Annotated[int, typer.Option(min=1, help="Of a hook.")] = 300,
    client: Annotated[
        bool, typer.Option(help="Run the real Claude Code too, where it is installed.")
    ] = True,
    keep: Keep = None,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """What hooks cost an agent while the worker answers, hangs, refuses, or is gone."""
    output = Output(as_json=as_json, markdown=markdown)
    plan = HooksPlan(
        events=events, tools=tools, rounds=rounds, deadline_ms=deadline_ms, has_client=client
    )
    with show_progress() as progress, work_folder(keep) as root:
        run = HooksRunner(root, describe_environment(), progress).run(plan)
    output.deliver(run, describe_hooks(run), hooks_grids(run))


def knowledge(
    *,
    facts: Annotated[int, typer.Option(min=1, help="Facts in the home.")] = 100_000,
    people: Annotated[int, typer.Option(min=1, help="Whose facts they are.")] = 1_000,
    rounds: Annotated[int, typer.Option(min=1, help="Calls of each figure.")] = 300,
    seed: Seed = 7,
    keep: Keep = None,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """Facts: remember, recall, search and list, among very many of many people."""
    output = Output(as_json=as_json, markdown=markdown)
    plan = KnowledgePlan(facts=facts, people=people, rounds=rounds, seed=seed)
    with show_progress() as progress, work_folder(keep) as root:
        run = KnowledgeRunner(root, describe_environment(), progress).run(plan)
    output.deliver(run, describe_knowledge(run), knowledge_grids(run))


def checkpoints(
    *,
    files: Annotated[int, typer.Option(min=100, help="In the root.")] = 100_000,
    edits: Annotated[int, typer.Option(min=1, help="Checkpoints of a file of 1 MB.")] = 1_000,
    rewound: Annotated[int, typer.Option(min=1, help="Files that a rewind puts back.")] = 1_000,
    rounds: Annotated[int, typer.Option(min=1, help="Commands, and edits of a file.")] = 20,
    seed: Seed = 7,
    keep: Keep = None,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """Checkpoints: looks at a large root, one edited file, a long history, a large rewind."""
    output = Output(as_json=as_json, markdown=markdown)
    plan = CheckpointPlan(files=files, edits=edits, rewound=rewound, rounds=rounds, seed=seed)
    with show_progress() as progress, work_folder(keep) as root:
        run = CheckpointRunner(root, describe_environment(), progress).run(plan)
    output.deliver(run, describe_checkpoints(run), checkpoint_grids(run))


def handover(
    *,
    set_name: Annotated[SceneSet, typer.Option("--set", help="Of the unseen one only totals.")] = (
        "seen"
    ),
    scene: Annotated[
        str | None, typer.Option(help="Judge one seen scene and show its block, line by line.")
    ] = None,
    small: Annotated[bool, typer.Option("--small", help="Without the large homes.")] = False,
    worker: Annotated[
        bool, typer.Option("--worker", help="Through the client of hooks and a real worker.")
    ] = False,
    baseline: Annotated[
        bool, typer.Option("--baseline", help="Judge a block of the newest lines too.")
    ] = False,
    keep: Keep = None,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """Handover: of what a colleague would tell the next session, how much its block says."""
    output = Output(as_json=as_json, markdown=markdown)
    scenes = list(load_scenes(set_name))
    if scene is not None:
        if set_name == "unseen":
            raise InvalidInput("an unseen scene is not shown", hint="leave out --scene or --set")
        scenes = [each for each in scenes if each.id == scene]
        if not scenes:
            raise InvalidInput(f"no scene is called {scene[:40]}", hint="seen-01, seen-02 …")
    scenes = without_large(scenes) if small else scenes
    with show_progress() as progress, work_folder(keep) as root:
        results = run_scenes(scenes, in_worker if worker else in_process, root, progress)
    newest = tuple(map(newest_lines, scenes)) if baseline else ()
    way = "through a worker" if worker else "through the use case of the hook route"
    run = handover_run(describe_environment(), set_name, way, results, newest)
    shown = [] if scene is None else [*results, *newest]
    lines = [escape(line) for each in shown for line in scene_lines(scenes[0], each)]
    output.deliver(run, [*lines, *describe_handover(run)], handover_grids(run))
