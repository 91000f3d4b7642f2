"""Handover: what the next session is given, against what a colleague would tell it.

Each scene is played from its first event, then the block of the next session is judged line by
line, see `judged_blocks`. Of the unseen scenes only totals are shown.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from benchmarks.datasets.scenes import Fired, Scene, SceneSet
from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.report import Grid
from benchmarks.quality.homes import Progress
from benchmarks.quality.judged_blocks import JudgedBlock, judge
from benchmarks.quality.scene_play import StageOpener, copy_home, fill_large_home, play, with_files

NEWEST = 40
"""Lines of the baseline."""
_LINE = 160


class SceneResult(msgspec.Struct, frozen=True, kw_only=True):
    """A scene and the judgement of its block."""

    id: str
    language: str
    area: str
    home: str
    block: JudgedBlock


class Totals(msgspec.Struct, frozen=True, kw_only=True):
    """Counts over some scenes.

    Attributes:
        group: Which scenes.
        needed: What a colleague would tell; ``said`` of it is in the blocks.
        lines: Lines of the blocks that are not of the frame; ``noise`` of them say nothing that is
            needed or useful, those that are ``outdated`` or ``foreign`` included. Those that are
            ``repeated`` say only what is needed and was said before.
        tokens_p50: Of a block.
    """

    group: str
    scenes: int
    needed: int
    said: int
    lines: int
    noise: int
    repeated: int
    outdated: int
    foreign: int
    tokens_p50: int
    tokens_p95: int


class HandoverRun(msgspec.Struct, frozen=True, kw_only=True):
    """The judgements of a set.

    Attributes:
        way: How the events reached the memory.
        totals: Of all scenes, by area, language and home, and of the newest lines if asked.
        results: The blocks line by line; empty for the unseen set.
    """

    environment: Environment
    set: SceneSet
    way: str
    totals: tuple[Totals, ...]
    results: tuple[SceneResult, ...]


def run_scenes(
    scenes: Sequence[Scene], opener: StageOpener, root: Path, progress: Progress
) -> tuple[SceneResult, ...]:
    """Return the judgement of the block of each scene.

    Args:
        scenes: The scenes.
        opener: Opens where the events of a scene go, in a home.
        root: A folder for the homes; each is removed when its scene has been judged.
        progress: Told what goes on.

    Raises:
        RecollectError: the product failed.
    """
    large = [scene for scene in scenes if scene.home == "large"]
    template = fill_large_home(root, large, progress) if large else None
    results = []
    for done, scene in enumerate(scenes):
        progress("playing scenes", done, len(scenes))
        folder = root / scene.id
        shutil.rmtree(folder, ignore_errors=True)  # of a run that was interrupted
        if scene.home == "large" and template is not None:
            copy_home(template, folder / "home")
        prepared = with_files(scene, folder)
        with opener(prepared, folder / "home") as stage:
            results.append(_result(scene, play(prepared, stage)))
        shutil.rmtree(folder)
    return tuple(results)


def _result(scene: Scene, block: str) -> SceneResult:
    judged = judge(scene, block)
    return SceneResult(
        id=scene.id, language=scene.language, area=scene.area, home=scene.home, block=judged
    )


def newest_lines(scene: Scene) -> SceneResult:
    """Return the judgement of the newest `NEWEST` events of the project, a line each."""
    here = [event for event in scene.events() if event.payload["cwd"] == scene.next.project]
    lines = [line for line in map(_line_of, here) if line][-NEWEST:]
    return _result(scene, "\n".join(reversed(lines)))


def _line_of(event: Fired) -> str:
    payload = event.payload
    match event.name:
        case "UserPromptSubmit":
            text = f"user: {payload['prompt']}"
        case "Stop":
            text = f"agent: {payload['last_assistant_message']}"
        case "PostToolUse" | "PostToolUseFailure":
            text = f"{payload['tool_name']} {json.dumps(payload['tool_input'], ensure_ascii=False)}"
        case _:
            return ""
    return " ".join(text.split())[:_LINE]


def handover_run(
    environment: Environment,
    name: SceneSet,
    way: str,
    results: tuple[SceneResult, ...],
    newest: tuple[SceneResult, ...],
) -> HandoverRun:
    """Return the totals, and for the seen set the blocks."""
    groups = [("all", results)]
    for group, of in _GROUPS:
        groups += [
            (f"{group} {value}", tuple(each for each in results if of(each) == value))
            for value in sorted(set(map(of, results)))
        ]
    if newest:
        groups.append((f"newest {NEWEST} lines", newest))
    return HandoverRun(
        environment=environment,
        set=name,
        way=way,
        totals=tuple(_totals(group, some) for group, some in groups),
        results=() if name == "unseen" else results,
    )


_GROUPS: tuple[tuple[str, Callable[[SceneResult], str]], ...] = (
    ("area", lambda each: each.area),
    ("language", lambda each: each.language),
    ("home", lambda each: each.home),
)


def _totals(group: str, results: Sequence[SceneResult]) -> Totals:
    blocks = [each.block for each in results]
    tokens = sorted(block.tokens for block in blocks)
    return Totals(
        group=group,
        scenes=len(blocks),
        needed=sum(len(block.said) for block in blocks),
        said=sum(sum(block.said) for block in blocks),
        lines=sum(block.content for block in blocks),
        noise=sum(block.count("noise", "outdated", "foreign") for block in blocks),
        repeated=sum(block.count("repeated") for block in blocks),
        outdated=sum(block.count("outdated") for block in blocks),
        foreign=sum(block.count("foreign") for block in blocks),
        tokens_p50=tokens[len(tokens) // 2],
        tokens_p95=tokens[min(len(tokens) - 1, len(tokens) * 95 // 100)],
    )


def describe_handover(run: HandoverRun) -> list[str]:
    """Return what was run on what."""
    scenes = f"{run.totals[0].scenes} {run.set} scenes, {run.way}"
    return [scenes, *describe_lines(run.environment)]


def handover_grids(run: HandoverRun) -> list[Grid]:
    """Return the totals as a table."""
    rows = tuple(
        (
            each.group,
            f"{each.scenes}",
            f"{each.said} of {each.needed}",
            f"{each.said / max(1, each.needed):.2f}",
            f"{each.noise} of {each.lines}",
            f"{each.noise / max(1, each.lines):.2f}",
            f"{each.repeated}",
            f"{each.outdated}",
            f"{each.foreign}",
            f"{each.tokens_p50:,}",
            f"{each.tokens_p95:,}",
        )
        for each in run.totals
    )
    columns = ("scenes", "", "needed", "said", "lines", "noise", "repeated", "outdated", "foreign")
    return [Grid(title="Handover", columns=(*columns, "tokens p50", "p95"), rows=rows)]


def scene_lines(scene: Scene, result: SceneResult) -> Iterator[str]:
    """Yield the block of a seen scene line by line with the judgements, and what is needed."""
    yield f"{scene.id}, {result.block.tokens} tokens"
    for line in result.block.lines:
        yield f"{line.verdict:8} {line.text}"
    for each, is_said in zip(scene.needed, result.block.said, strict=True):
        yield f"{'said' if is_said else 'MISSING':8} {each.kind}: {each.what}"


def without_large(scenes: Iterable[Scene]) -> list[Scene]:
    """Return the scenes that have a home of their own."""
    return [scene for scene in scenes if scene.home == "own"]
