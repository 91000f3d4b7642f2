"""`recollect bench sessions`: what the life of sessions costs. Chooses what to run and shows it."""

from __future__ import annotations

from typing import Annotated

import typer

from recollect.bench.environment import describe_environment
from recollect.bench.homes import work_folder
from recollect.bench.sessions import SessionPlan, SessionRunner, describe_sessions, session_grids
from recollect.cli.bench_options import AsJson, Keep, Markdown
from recollect.cli.bench_output import Output, show_progress


def sessions(
    *,
    messages: Annotated[int, typer.Option(min=1, help="Messages of the long session.")] = 100_000,
    many: Annotated[int, typer.Option(min=1, help="Sessions in the home.")] = 10_000,
    depth: Annotated[int, typer.Option(min=1, help="Forks of forks in the chain.")] = 50,
    tree: Annotated[int, typer.Option(min=1, help="Sessions of the tree.")] = 1_000,
    rounds: Annotated[int, typer.Option(min=1, help="Calls of each figure.")] = 100,
    processes: Annotated[int, typer.Option(min=1, help="That append to one session.")] = 8,
    seed: Annotated[int, typer.Option(help="The same seed makes the same texts.")] = 7,
    keep: Keep = None,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """Sessions: fork, view, append, reset, and finding one among many."""
    output = Output(as_json=as_json, markdown=markdown)
    output.check()
    plan = SessionPlan(
        messages=messages,
        sessions=many,
        depth=depth,
        tree=tree,
        rounds=rounds,
        processes=processes,
        seed=seed,
    )
    with show_progress() as progress, work_folder(keep) as root:
        run = SessionRunner(root, describe_environment(), progress).run(plan)
    output.deliver(run, describe_sessions(run), session_grids(run))
