"""Rewinds: what comes back is what was there, whatever happened and wherever it was cut off."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recollect.checkpoints.files.tree import Tree
from recollect.checkpoints.record.rows import Checkpoint
from recollect.core.errors import RewindConflict, StoreError
from tests.unit.checkpoints.conftest import Deaths, Killed, Project, Snapshot

PATHS = ("a.txt", "b.txt", "d/x.py", "d/y.py", "d/e/z.bin", "ünï/ß.txt", "link")
HISTORIES = 40


def _touch(dice: random.Random, path: Path) -> None:
    """Write, remove, link or chmod a path, as a tool might."""
    deed = dice.randrange(6)
    is_there = path.exists() or path.is_symlink()
    if deed == 4 and path.is_file() and not path.is_symlink():
        path.chmod(dice.choice((0o644, 0o600, 0o755)))
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    if is_there:
        path.unlink()
    if deed < 3:
        path.write_bytes(dice.randbytes(dice.randrange(300)))
    elif deed == 5:
        path.symlink_to(dice.choice(("a.txt", "nowhere")))


def _history(
    project: Project,
    dice: random.Random,
    after_step: Callable[[list[tuple[Checkpoint, Snapshot]]], None],
) -> list[tuple[Checkpoint, Snapshot]]:
    """Let a session change files; return each checkpoint with what was there."""
    for path in dice.sample(PATHS, 3):
        _touch(dice, project.root / path)
    moments: list[tuple[Checkpoint, Snapshot]] = []
    for _ in range(dice.randrange(2, 7)):
        paths = dice.sample(PATHS, dice.randrange(1, 3))
        before = project.snapshot()
        with project.checkpoints.around(project.session, project.root, paths, "Write") as taken:
            for path in paths:
                _touch(dice, project.root / path)
        moments.append((taken, before))
        after_step(moments)
    return moments


@pytest.mark.parametrize("seed", range(HISTORIES))
def test_a_rewind_gives_back_what_was_there_and_undo_what_was_before_it(
    project: Project, seed: int
) -> None:
    """Bytes, modes, links and folders; after rewinds, undone ones and repeated ones."""
    dice = random.Random(seed)
    checkpoints = project.checkpoints

    def rewind(moments: list[tuple[Checkpoint, Snapshot]]) -> None:
        if dice.random() < 0.6:
            return
        checkpoint, expected = dice.choice(moments)
        now = project.snapshot()
        done = checkpoints.apply(checkpoints.plan(checkpoint))
        assert project.snapshot() == expected
        if dice.random() < 0.5:
            checkpoints.undo(done.id)
            assert project.snapshot() == now
            if dice.random() < 0.5:
                checkpoints.redo(done.id)
                assert project.snapshot() == expected

    _history(project, dice, rewind)


@pytest.mark.parametrize("seed", range(6))
def test_a_rewind_that_is_killed_anywhere_is_put_back(
    project: Project, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """At each staged file, removal, rename and mode."""
    deaths = Deaths(monkeypatch)
    checkpoints = project.checkpoints
    checkpoint, expected = _history(project, random.Random(seed), lambda _: None)[0]
    now = project.snapshot()
    for step in range(1, 100):
        deaths.left = step
        try:
            checkpoints.apply(checkpoints.plan(checkpoint))
        except Killed:
            assert [each.status for each in checkpoints.recover(project.root)] == ["rolled_back"]
            assert project.snapshot() == now
        else:
            break
    deaths.left = 0
    assert project.snapshot() == expected


def test_what_somebody_changed_after_a_crash_is_not_touched(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rewind stays interrupted until the file is as it was before it."""
    deaths = Deaths(monkeypatch)
    one, other = project.root / "one.txt", project.root / "other.txt"
    with project.checkpoints.around(
        project.session, project.root, ["one.txt", "other.txt"]
    ) as taken:
        one.write_text("agent")
        other.write_text("agent")
    deaths.left = 2
    with pytest.raises(Killed):
        project.checkpoints.apply(project.checkpoints.plan(taken))
    gone = one if other.exists() else other
    gone.write_text("user")
    (ended,) = project.checkpoints.recover(project.root)
    assert (ended.status, gone.read_text()) == ("interrupted", "user")
    assert ended.unresolved == (gone.name,)
    gone.write_text("agent")
    (ended,) = project.checkpoints.recover(project.root)
    assert (ended.status, gone.read_text()) == ("rolled_back", "agent")


@pytest.fixture
def edited(project: Project) -> Checkpoint:
    """A checkpoint before the agent changed a file and made one, both of which the user changed."""
    (project.root / "old.txt").write_text("one\n")
    paths = ["old.txt", "new.txt"]
    with project.checkpoints.around(project.session, project.root, paths) as taken:
        (project.root / "old.txt").write_text("one\ntwo\n")
        (project.root / "new.txt").write_text("made\n")
    for name in paths:
        with (project.root / name).open("a") as file:
            file.write("by the user\n")
    return taken


def test_what_the_user_changed_since_is_not_lost(project: Project, edited: Checkpoint) -> None:
    """It is a conflict, and nothing is changed."""
    now = project.snapshot()
    plan = project.checkpoints.plan(edited)
    assert plan.conflicts == ("new.txt", "old.txt")
    with pytest.raises(RewindConflict) as raised:
        project.checkpoints.apply(plan)
    assert raised.value.facts["paths"] == plan.conflicts
    assert project.snapshot() == now


def test_conflicts_can_be_kept_or_forced_and_a_forced_one_comes_back(
    project: Project, edited: Checkpoint
) -> None:
    """Also what was forced is in the rescue checkpoint."""
    now = project.snapshot()
    checkpoints = project.checkpoints
    checkpoints.apply(checkpoints.plan(edited, on_conflict="keep"))
    assert project.snapshot() == now
    done = checkpoints.apply(checkpoints.plan(edited, on_conflict="force"))
    assert list(project.snapshot()) == ["old.txt"]
    assert (project.root / "old.txt").read_text() == "one\n"
    checkpoints.undo(done.id)
    assert project.snapshot() == now


def test_what_the_user_changed_between_two_edits_is_a_conflict(project: Project) -> None:
    """The first state would take it away."""
    file = project.root / "notes.txt"
    with project.checkpoints.around(project.session, project.root, ["notes.txt"]) as first:
        file.write_text("agent\n")
    file.write_text("agent\nuser\n")
    with project.checkpoints.around(project.session, project.root, ["notes.txt"]) as second:
        file.write_text("agent\nuser\nagent\n")
    assert project.checkpoints.plan(first).conflicts == ("notes.txt",)
    project.checkpoints.apply(project.checkpoints.plan(second))
    assert file.read_text() == "agent\nuser\n"


def test_a_plan_that_is_out_of_date_changes_nothing(project: Project) -> None:
    """The file changed after the plan was made."""
    file = project.root / "notes.txt"
    with project.checkpoints.around(project.session, project.root, ["notes.txt"]) as taken:
        file.write_text("agent")
    plan = project.checkpoints.plan(taken)
    file.write_text("user")
    with pytest.raises(RewindConflict):
        project.checkpoints.apply(plan)
    assert file.read_text() == "user"


def test_an_undo_is_refused_where_the_files_changed_since(project: Project) -> None:
    """And only of what was done."""
    file = project.root / "notes.txt"
    with project.checkpoints.around(project.session, project.root, ["notes.txt"]) as taken:
        file.write_text("agent")
    done = project.checkpoints.apply(project.checkpoints.plan(taken))
    file.write_text("user")
    with pytest.raises(RewindConflict):
        project.checkpoints.undo(done.id)
    assert file.read_text() == "user"


def test_a_disk_that_refuses_leaves_the_tree_as_it_was(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was changed is put back at once; only a finished rewind can be undone."""
    paths = ["a.txt", "b.txt"]
    for name in paths:
        (project.root / name).write_text("before")
    with project.checkpoints.around(project.session, project.root, paths) as taken:
        for name in paths:
            (project.root / name).write_text("after")
    now = project.snapshot()
    refused = StoreError("no space is left on the device")
    put, calls = Tree.put, []

    def failing(self: Tree, path: str, *rest: Any) -> None:
        calls.append(path)
        if len(calls) == 2:
            raise refused
        put(self, path, *rest)

    monkeypatch.setattr(Tree, "put", failing)
    with pytest.raises(StoreError):
        project.checkpoints.apply(project.checkpoints.plan(taken))
    assert project.snapshot() == now
    assert project.checkpoints.recover(project.root) == ()


def test_a_folder_with_files_of_others_stays(project: Project) -> None:
    """The agent made it; the user's file keeps it."""
    with project.checkpoints.around(project.session, project.root, ["made/by/agent.txt"]) as taken:
        (project.root / "made/by").mkdir(parents=True)
        (project.root / "made/by/agent.txt").write_text("agent")
    (project.root / "made/user.txt").write_text("user")
    project.checkpoints.apply(project.checkpoints.plan(taken))
    assert list(project.snapshot()) == ["made", "made/user.txt"]


def test_only_some_paths_can_be_rewound(project: Project) -> None:
    """A file, or all that is in a folder."""
    paths = ["one.txt", "folder/two.txt"]
    with project.checkpoints.around(project.session, project.root, paths) as taken:
        (project.root / "one.txt").write_text("agent")
        (project.root / "folder").mkdir()
        (project.root / "folder/two.txt").write_text("agent")
    project.checkpoints.apply(project.checkpoints.plan(taken, paths=["folder"]))
    assert list(project.snapshot()) == ["one.txt"]


def test_an_undo_can_be_undone_as_long_as_nothing_changed_since(project: Project) -> None:
    """It is a rewind like any other."""
    file = project.root / "notes.txt"
    with project.checkpoints.around(project.session, project.root, ["notes.txt"]) as taken:
        file.write_text("agent")
    done = project.checkpoints.apply(project.checkpoints.plan(taken))
    undone = project.checkpoints.undo(done.id)
    assert (done.type, undone.type, undone.target_id) == ("rewind", "undo", done.id)
    project.checkpoints.undo(undone.id)
    assert not file.exists()
    with pytest.raises(RewindConflict):
        project.checkpoints.undo(undone.id)


def test_a_hard_link_and_a_large_file_are_not_captured_and_said_so(project: Project) -> None:
    """They are seen, and nothing is done to them."""
    (project.root / "large.bin").write_bytes(bytes(9 << 20))
    (project.root / "one.txt").write_text("shared")
    (project.root / "two.txt").hardlink_to(project.root / "one.txt")
    with project.checkpoints.around(
        project.session, project.root, ["large.bin", "one.txt"]
    ) as taken:
        (project.root / "large.bin").write_bytes(b"short")
    assert taken.coverage.uncaptured == 2
    items = {
        item.path: (item.status, item.reason) for item in project.checkpoints.plan(taken).items
    }
    assert items == {
        "large.bin": ("uncaptured", "too large"),
        "one.txt": ("uncaptured", "hard link"),
    }


def test_kept_states_of_one_checkpoint_list(project: Project) -> None:
    """By number, with what they hold."""
    first = project.checkpoints.take(project.session, project.root, ["a.txt"], "before the move")
    second = project.checkpoints.take(project.session, project.root, ["b.txt"])
    assert [each.number for each in project.checkpoints.list(project.session)] == [1, 2]
    assert project.checkpoints.get("c1") == first
    assert project.checkpoints.get(second.id) == second


def test_what_a_command_did_to_any_file_is_taken_back(project: Project) -> None:
    """Made, changed, removed, renamed, made executable: without a word of which."""
    root = project.root
    for name in ("kept.txt", "changed.txt", "gone.txt", "old name.txt", "run.sh"):
        (root / name).write_text(name)
    (root / "empty").mkdir()
    before = project.snapshot()
    with project.checkpoints.around(project.session, root, tool_name="Bash") as taken:
        (root / "changed.txt").write_text("other")
        (root / "gone.txt").unlink()
        (root / "old name.txt").rename(root / "new name.txt")
        (root / "run.sh").chmod(0o755)
        (root / "empty").rmdir()
        (root / "made/deep").mkdir(parents=True)
        (root / "made/deep/file.txt").write_text("made")
        (root / "link").symlink_to("kept.txt")
    after = project.snapshot()
    done = project.checkpoints.apply(project.checkpoints.plan(taken))
    assert project.snapshot() == before
    project.checkpoints.undo(done.id)
    assert project.snapshot() == after


def test_what_others_do_between_commands_is_theirs(project: Project) -> None:
    """It is not taken back with the command, and is a conflict where both changed a file."""
    root = project.root
    (root / "shared.txt").write_text("one")
    with project.checkpoints.around(project.session, root, tool_name="Bash") as taken:
        (root / "agent.txt").write_text("agent")
        (root / "shared.txt").write_text("two")
    (root / "user.txt").write_text("user")
    (root / "shared.txt").write_text("three")
    with project.checkpoints.around(project.session, root, tool_name="Bash"):
        (root / "later.txt").write_text("agent")
    plan = project.checkpoints.plan(taken)
    assert plan.conflicts == ("shared.txt",)
    project.checkpoints.apply(project.checkpoints.plan(taken, on_conflict="keep"))
    assert sorted(project.snapshot()) == ["shared.txt", "user.txt"]
