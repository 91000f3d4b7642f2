"""The commands that measure what an agent waits for: `hooks`, `day` and `knowledge`."""

from __future__ import annotations

from typing import Annotated

import typer

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
from benchmarks.quality.homes import work_folder


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
