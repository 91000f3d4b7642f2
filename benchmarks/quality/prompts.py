"""Prompts: which score a line must have before it is added to a prompt that nobody searched for.

The turns of LoCoMo dev are recorded as observations, each conversation as a project. Its own
questions should bring evidence; the same questions asked in the next project should bring nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

import recollect
from benchmarks.datasets.corpus import Conversation, DialogueSet, Question
from benchmarks.datasets.locomo import ADVERSARIAL
from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.report import Grid
from benchmarks.quality.homes import Progress
from recollect.core.scope import Scope
from recollect.memory import Memory

FLOORS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6)
LINES = 12
"""Lines of a turn that 600 tokens hold."""
FloorMode = Literal["lexical", "hybrid"]


class FloorScore(msgspec.Struct, frozen=True, kw_only=True):
    """What a floor lets through.

    Attributes:
        floor: The score.
        answered: Share of a project's own questions that get a line with their evidence.
        spoken: Share of them that get any line.
        precise: Share of the lines of own questions that are evidence.
        noisy: Share of another project's questions that get any line.
        lines: Mean lines of an own question.
    """

    floor: float
    answered: float
    spoken: float
    precise: float
    noisy: float
    lines: float


class PromptRun(msgspec.Struct, frozen=True, kw_only=True):
    """The floors, by what took part in the search."""

    environment: Environment
    observations: int
    questions: int
    modes: dict[str, tuple[FloorScore, ...]]


class _Asked(msgspec.Struct, frozen=True):
    own: tuple[tuple[float, bool], ...]
    """Scores of the hits in the own project, best first, and whether each is evidence."""
    foreign: float
    """The best score in another project."""


def run_prompts(
    environment: Environment,
    data: DialogueSet,
    home: Path,
    modes: tuple[FloorMode, ...],
    progress: Progress,
) -> PromptRun:
    """Record the turns in a new home, ask all questions; return what each floor lets through."""
    overrides = {} if "hybrid" in modes else {"embedding.provider": "none"}
    asked = [each for each in data.questions if each.group != ADVERSARIAL]
    with recollect.open(home, overrides=overrides) as memory:
        keys: dict[str, str] = {}
        for done, conversation in enumerate(data.conversations):
            keys |= _record(memory, conversation)
            progress("recording", done + 1, len(data.conversations))
        memory.sync()
        projects = [each.key for each in data.conversations]
        following = dict(zip(projects, [*projects[1:], projects[0]], strict=True))
        scores: dict[str, tuple[FloorScore, ...]] = {}
        for mode in modes:
            found = []
            for done, question in enumerate(asked):
                found.append(_ask(memory, question, mode, following[question.cluster], keys))
                progress(mode, done + 1, len(asked))
            scores[mode] = tuple(_score(found, floor) for floor in FLOORS)
    return PromptRun(
        environment=environment, observations=len(keys), questions=len(asked), modes=scores
    )


def _record(memory: Memory, conversation: Conversation) -> dict[str, str]:
    keys: dict[str, str] = {}
    for session in conversation.sessions:
        stored = memory.sessions.create(project=conversation.key)
        made = memory.observations.record_many(
            {
                "session_id": stored.id,
                "title": f"{turn.name}: {turn.text}",
                "summary": turn.text,
                "at": turn.at,
            }
            for turn in session.turns
        )
        keys |= {each.id: turn.key for each, turn in zip(made, session.turns, strict=True)}
    return keys


def _ask(
    memory: Memory, question: Question, mode: FloorMode, other: str, keys: dict[str, str]
) -> _Asked:
    def hits(project: str) -> list[tuple[float, bool]]:
        scope = Scope(project=project)
        result = memory.search(question.text, LINES, None, ["observations"], scope, mode=mode)
        return [(hit.score, keys[hit.ref] in question.gold) for hit in result.hits]

    foreign = max((score for score, _ in hits(other)), default=0.0)
    return _Asked(tuple(hits(question.cluster)), foreign)


def _score(asked: list[_Asked], floor: float) -> FloorScore:
    shown = [[right for score, right in each.own if score >= floor] for each in asked]
    lines = sum(map(len, shown))
    return FloorScore(
        floor=floor,
        answered=sum(map(any, shown)) / len(asked),
        spoken=sum(map(bool, shown)) / len(asked),
        precise=sum(map(sum, shown)) / max(1, lines),
        noisy=sum(each.foreign >= floor for each in asked) / len(asked),
        lines=lines / len(asked),
    )


def describe_prompts(run: PromptRun) -> list[str]:
    """Return what was measured, and on what."""
    what = f"{run.questions} questions over {run.observations} observations of LoCoMo dev"
    return [what, *describe_lines(run.environment)]


def prompt_grids(run: PromptRun) -> list[Grid]:
    """Return one table for each mode."""
    columns = ("floor", "answered", "any line", "evidence in lines", "foreign: any line", "lines")
    return [
        Grid(
            title=mode,
            columns=columns,
            rows=tuple(
                (
                    f"{each.floor:.2f}",
                    *(f"{share:.3f}" for share in (each.answered, each.spoken, each.precise)),
                    f"{each.noisy:.3f}",
                    f"{each.lines:.1f}",
                )
                for each in scores
            ),
        )
        for mode, scores in run.modes.items()
    ]
