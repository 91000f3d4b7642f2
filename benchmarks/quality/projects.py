"""Whether the context block of a second session holds the line that it needs from the first."""

from __future__ import annotations

from pathlib import Path

import msgspec

import recollect
from benchmarks.datasets.project_scripts import ProjectSession, project_sessions
from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.report import Grid
from benchmarks.quality.homes import Progress
from recollect.memory import Memory

_FULL_STOPS = ".。"


class ProjectResult(msgspec.Struct, frozen=True, kw_only=True):
    """One project.

    Attributes:
        needs: The words that the second session needs.
        is_there: Whether they are in the block at its start.
        tokens: What the block costs.
    """

    needs: str
    is_there: bool
    tokens: int


class ProjectsRun(msgspec.Struct, frozen=True, kw_only=True):
    """All projects, and how large a block may be."""

    environment: Environment
    seed: int
    budget: int
    results: tuple[ProjectResult, ...]


def run_projects(
    environment: Environment, root: Path, seed: int, progress: Progress
) -> ProjectsRun:
    """Return what each second session is given by itself, with the settings that ship.

    Args:
        environment: What it runs on.
        root: A folder for the home.
        seed: The same seed makes the same sessions.
        progress: Told what goes on.

    Raises:
        RecollectError: the product failed.
    """
    scripts = list(project_sessions(seed))
    results: list[ProjectResult] = []
    with recollect.open(root / "home", live=False) as memory:
        for done, script in enumerate(scripts):
            progress("projects", done, len(scripts))
            results.append(_play(memory, script))
        budget = memory.settings.context.budget_tokens
    return ProjectsRun(environment=environment, seed=seed, budget=budget, results=tuple(results))


def _play(memory: Memory, script: ProjectSession) -> ProjectResult:
    first = memory.sessions.create(project=script.project).id
    for given in script.observations:
        if "tool_name" not in given:
            is_prompt = given["event"] == "prompt"
            text = given["input"] if is_prompt else given["output"]
            memory.sessions.append(first, "user" if is_prompt else "assistant", text)
        memory.observations.record(first, **given)
    memory.sessions.end(first)
    memory.sync()
    second = memory.sessions.create(project=script.project).id
    block = memory.context(second, client="claude-code")
    is_there = script.needs.rstrip(_FULL_STOPS) in block.text  # a fact has none
    return ProjectResult(needs=script.needs, is_there=is_there, tokens=block.tokens)


def describe_projects(run: ProjectsRun) -> list[str]:
    """Return what it ran on."""
    told = f"seed {run.seed}, {run.budget:,} tokens and the limit of Claude Code"
    return [*describe_lines(run.environment), told]


def project_grids(run: ProjectsRun) -> list[Grid]:
    """Return how often the line was there, and which were not."""
    there = sum(each.is_there for each in run.results)
    tokens = sum(each.tokens for each in run.results) / len(run.results)
    rows = ((f"{there} of {len(run.results)}", f"{tokens:,.0f}"),)
    total = Grid(title="Projects", columns=("line in the block", "tokens of a block"), rows=rows)
    missing = tuple((each.needs,) for each in run.results if not each.is_there)
    return [total, *([Grid(title="Missing", columns=("line",), rows=missing)] if missing else [])]
