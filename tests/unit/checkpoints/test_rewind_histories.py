"""Histories of a tree with several writers: a session gets its own work back, and no other.

``REWIND_HISTORIES`` says how many, ``REWIND_SEED`` where they begin.
"""

from __future__ import annotations

import hashlib
import os
import random
from contextlib import suppress
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from recollect.checkpoints.files.state import PathState, is_nothing
from recollect.checkpoints.files.tree import parents_of
from recollect.checkpoints.record.items import ConflictChoice
from recollect.checkpoints.record.rows import Rewind
from recollect.checkpoints.rewind.plan import RewindPlan
from recollect.core.errors import RewindConflict
from tests.unit.checkpoints.conftest import Deaths, Killed, Snapshot, opened_project
from tests.unit.checkpoints.rewind_world import NOTHING, Moment, State, Steps, World

HISTORIES = int(os.environ.get("REWIND_HISTORIES", "60"))  # noqa: TID251 - `make soak`
SEED = int(os.environ.get("REWIND_SEED", "0"))  # noqa: TID251 - repeats a history
STEPS = 14


@pytest.mark.parametrize("seed", range(SEED, SEED + HISTORIES))
def test_a_history_of_several_writers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Agents with tools and shells, a user, rewinds of each kind, undos and crashes."""
    dice = random.Random(seed)
    deaths = Deaths(monkeypatch)
    with opened_project(tmp_path) as project:
        world = World(project, dice)
        for _ in range(STEPS):
            deed = dice.choice(("edit", "edit", "edit", "shell", "user", "user", "rewind"))
            if deed != "rewind":
                getattr(world, deed)()
            elif world.moments:
                _rewind(world, dice.choice(world.moments), deaths)
        for moment in dice.sample(world.moments, min(3, len(world.moments))):
            _rewind(world, moment, deaths)


def _rewind(world: World, moment: Moment, deaths: Deaths) -> None:
    """Plan, apply and undo, and compare each with the model."""
    dice, checkpoints = world.dice, world.project.checkpoints
    before = world.project.snapshot()
    choice: ConflictChoice = dice.choice(get_args(ConflictChoice))
    plan = checkpoints.plan(moment.checkpoint, on_conflict=choice)
    assert checkpoints.plan(moment.checkpoint, on_conflict=choice) == plan
    assert msgspec.json.decode(msgspec.json.encode(plan), type=RewindPlan) == plan
    assert world.project.snapshot() == before
    _check_statuses(world, moment, plan)
    if plan.refused:
        with pytest.raises(RewindConflict):
            checkpoints.apply(plan)
        assert world.project.snapshot() == before
        return
    steps = dict(world.steps)
    merged = [item.path for item in plan.items if item.is_change and item.merged]
    others = {path: world.lines_of_others(path, moment) for path in merged}
    done = _applied(world, plan, deaths)
    _check_applied(plan, done, before, world.project.snapshot(), others)
    back = {
        item.path: steps.get(item.path, ()) if item.merged else world.begun(item.path, moment) or ()
        for item in plan.items
        if item.is_change
    }
    world.went_back(list(back), back, moment.session)
    _undo(world, done, before, {path: steps.get(path, ()) for path in back})


def _undo(world: World, done: Rewind, before: Snapshot, steps: Steps) -> None:
    checkpoints, dice = world.project.checkpoints, world.dice
    after, after_steps = world.project.snapshot(), dict(world.steps)
    if dice.random() < 0.5:
        return
    undone = checkpoints.undo(done.id)
    assert world.project.snapshot() == before
    world.went_back(list(steps), steps, done.session_id)
    if dice.random() < 0.4:
        if dice.random() < 0.5:
            checkpoints.redo(done.id)
        else:
            checkpoints.undo(undone.id)
        assert world.project.snapshot() == after
        world.went_back(list(steps), after_steps, done.session_id)


def _applied(world: World, plan: RewindPlan, deaths: Deaths) -> Rewind:
    """Apply a plan; sometimes die at a step, and again at one of the recovery, before that."""
    checkpoints, dice, before = world.project.checkpoints, world.dice, world.project.snapshot()
    deaths.left = dice.randrange(1, 12) if dice.random() < 0.4 else 0
    try:
        return checkpoints.apply(plan)
    except Killed:
        deaths.left = dice.randrange(5)
        with suppress(Killed):
            checkpoints.recover_all()
        deaths.left = 0
        checkpoints.recover_all()
    finally:
        deaths.left = 0
    assert not checkpoints.interrupted()
    assert world.project.snapshot() == before
    return checkpoints.apply(plan)


def _check_statuses(world: World, moment: Moment, plan: RewindPlan) -> None:
    """A path is clean exactly where nobody else changed it since its session did first."""
    foreign = {path: world.foreign(path, moment) for path in world.steps}
    for item in plan.items:
        begun = world.begun(item.path, moment)
        if begun is None:  # a parent that is needed again
            continue
        if foreign.get(item.path):
            is_kept = item.status != "clean" or not item.is_change
            assert is_kept or is_nothing(item.current), item
        elif foreign.get(item.path) is False and not _is_blocked(world, item.path, foreign):
            assert item.status in {"clean", "already"}, item
        if item.is_change and not item.reason:
            assert _state(item.target) == _seen(begun[-1].after if begun else NOTHING), item


def _is_blocked(world: World, path: str, foreign: dict[str, bool | None]) -> bool:
    """Return whether others are where the folders of a path were, or in it."""
    kinds = (world.now.get(parent, NOTHING)[0] for parent in parents_of(path))
    is_full = world.now.get(path, NOTHING)[0] == "folder" and any(
        each.startswith(f"{path}/") for each in world.now
    )
    return (
        is_full
        or not {"file", "symlink"}.isdisjoint(kinds)
        or any(
            path.startswith(f"{each}/") or each.startswith(f"{path}/")
            for each, is_foreign in foreign.items()
            if is_foreign is not False
        )
    )


def _check_applied(
    plan: RewindPlan,
    done: Rewind,
    before: Snapshot,
    after: Snapshot,
    others: dict[str, set[bytes]],
) -> None:
    """Exactly what was planned is changed, and is what was planned; a merge keeps others' lines."""
    changes = {item.path: item for item in plan.items if item.is_change}
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert changed <= changes.keys()
    for item in changes.values():
        assert _state(item.after) == _seen(after.get(item.path, NOTHING)), item
        if item.merged:
            assert others[item.path] <= set(after[item.path][2].split(b"\n")), item
    assert {item.path for item in done.items if item.outcome == "done"} == changes.keys()
    assert done.counts == plan.counts


def _seen(of: State) -> tuple[str, int, str]:
    kind, mode, content = of
    is_file = kind == "file"
    return kind, mode, hashlib.sha256(content).hexdigest() if is_file else content.decode()


def _state(of: PathState) -> tuple[str, int, str]:
    if is_nothing(of):
        return "absent", 0, ""
    return of.kind, of.mode or 0, of.digest or of.target or ""
