"""The handover scenes are well formed, and blocks are judged as the README of the set says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise

import pytest

from benchmarks.datasets.scenes import Expected, NextSession, Scene, SceneSet, load_scenes
from benchmarks.measure.environment import describe_environment
from benchmarks.quality.handover import (
    SceneResult,
    handover_grids,
    handover_run,
    newest_lines,
    scene_lines,
)
from benchmarks.quality.judged_blocks import judge

SETS: tuple[SceneSet, ...] = ("seen", "unseen")


def _expected(kind: str, *all_: str, unless: tuple[str, ...] = ()) -> Expected:
    return Expected(kind=kind, what=kind, all=all_, unless=unless)


SCENE = Scene(
    id="scene",
    language="en",
    area="coding",
    home="own",
    today="2026-11-02",
    project="/home/ana/shop",
    sessions=(),
    next=NextSession(
        at="09:00", source="startup", project="/home/ana/shop", resumes=None, prompt=None
    ),
    needed=(_expected("rule", "pnpm"), _expected("decision", "Postgres", "backup")),
    useful=(_expected("useful", r"cart\.ts"),),
    outdated=(_expected("outdated", "redis", unless=("postgres",)), _expected("foreign", "yarn")),
)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)
    else:
        yield str(value)


@pytest.mark.parametrize("name", SETS)
def test_a_set_has_the_scenes_that_it_promises(name: SceneSet) -> None:
    """Four languages and areas, a third in large homes, several sessions each."""
    scenes = load_scenes(name)
    assert len(scenes) >= 30
    assert len({scene.id for scene in scenes}) == len(scenes)
    assert {scene.language for scene in scenes} == {"en", "de", "es", "zh"}
    assert {scene.area for scene in scenes} == {"coding", "ops", "writing", "personal"}
    assert 3 * sum(scene.home == "large" for scene in scenes) >= len(scenes)
    assert {"startup", "resume", "compact"} == {scene.next.source for scene in scenes}
    assert all(len(scene.sessions) >= 2 for scene in scenes)


@pytest.mark.parametrize("name", SETS)
def test_what_a_scene_needs_was_said_in_it(name: SceneSet) -> None:
    """Every pattern of something needed is somewhere in the events."""
    for scene in load_scenes(name):
        said = "\n".join(text for each in scene.sessions for text in _texts(each.events))
        for expected in scene.needed:
            missing = [each for each in expected.all if not re.search(each, said, re.IGNORECASE)]
            assert not missing, (scene.id, missing)


@pytest.mark.parametrize("name", SETS)
def test_events_are_in_order_and_payloads(name: SceneSet) -> None:
    """Each session begins with its start, and no event is before the one before it."""
    for scene in load_scenes(name):
        events = list(scene.events())
        assert all(a.at <= b.at for a, b in pairwise(events)), scene.id
        assert events[-1].at <= scene.moment(0, scene.next.at), scene.id
        assert all(each.events[0]["hook_event_name"] == "SessionStart" for each in scene.sessions)
        assert all(json.dumps(event.payload) for event in events)


def test_lines_are_judged() -> None:
    """Needed goes before useful, what must not be there before both; the rest is noise."""
    block = """
<recollect-context 12>
## What the user asked for
- always use pnpm
- use yarn and pnpm
### Decisions
Postgres for the queue
because there is one backup
- redis streams
- Postgres instead of redis
- pnpm again
- Edit src/cart.ts
- ls -la
[e3 2026-10-28]
`recollect get '#12'` shows more.
"""
    judged = judge(SCENE, block)
    assert judged.said == (True, True)
    assert [line.verdict for line in judged.lines] == [
        "frame", "frame", "needed", "foreign", "frame", "needed", "needed", "outdated", "useful",
        "repeated", "useful", "noise", "frame", "frame",
    ]  # fmt: skip
    assert judged.content == 9


def test_what_is_needed_must_stand_together() -> None:
    """Its parts in lines far from each other do not say it."""
    apart = judge(SCENE, "Postgres\none\ntwo\nthree\nbackup")
    assert apart.said == (False, False)


def test_an_unseen_set_shows_totals_only() -> None:
    """No line of a block of it is in the report."""
    scene = load_scenes("unseen")[0]
    result: SceneResult = newest_lines(scene)
    run = handover_run(describe_environment(), "unseen", "played", (result,), (result,))
    assert run.results == ()
    assert handover_grids(run)[0].rows[0][:2] == ("all", "1")
    assert handover_grids(run)[0].rows[-1][0].startswith("newest")


def test_a_seen_scene_is_shown_line_by_line() -> None:
    """With what is missing."""
    result = SceneResult(
        id="scene", language="en", area="coding", home="own", block=judge(SCENE, "- pnpm\n- ls")
    )
    assert list(scene_lines(SCENE, result)) == [
        f"scene, {result.block.tokens} tokens",
        "needed   - pnpm",
        "noise    - ls",
        "said     rule: rule",
        "MISSING  decision: decision",
    ]
