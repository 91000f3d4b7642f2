"""Checkpoints by hand: what everything was then comes back, whoever changed it."""

from __future__ import annotations

import subprocess

import pytest

from recollect.core.errors import RewindConflict
from tests.unit.checkpoints.conftest import Project


def test_what_the_user_changed_since_is_named_and_comes_back_when_forced(project: Project) -> None:
    """It is a conflict, as nobody says who changed it; what was made since stays."""
    (project.root / "a.txt").write_text("one\n")
    (project.root / "b.txt").write_text("same\n")
    (project.root / "run.sh").write_text("true\n")
    checkpoint = project.checkpoints.take(project.session, project.root, label="before")
    before = project.snapshot()
    (project.root / "a.txt").write_text("two\n")
    (project.root / "run.sh").unlink()
    (project.root / "new.txt").write_text("new\n")
    changed = project.snapshot()
    plan = project.checkpoints.plan(checkpoint)
    assert [(item.path, item.action, item.status) for item in plan.items] == [
        ("a.txt", "restore", "conflict"),
        ("run.sh", "restore", "conflict"),
    ]
    with pytest.raises(RewindConflict):
        project.checkpoints.apply(plan)
    assert project.snapshot() == changed
    done = project.checkpoints.rewind(checkpoint, on_conflict="force")
    assert project.snapshot() == {**before, "new.txt": changed["new.txt"]}
    project.checkpoints.undo(done.id)
    assert project.snapshot() == changed


def test_what_a_session_changed_since_comes_back_without_a_question(project: Project) -> None:
    """Also after another checkpoint by hand, and where a command did it."""
    (project.root / "a.txt").write_text("one\n")
    checkpoint = project.checkpoints.take(project.session, project.root)
    before = project.snapshot()
    with project.checkpoints.around(project.session, project.root, ["a.txt"]):
        (project.root / "a.txt").write_text("two\n")
    project.checkpoints.take(project.session, project.root)
    with project.checkpoints.around(project.session, project.root):
        (project.root / "a.txt").write_text("three\n")
        (project.root / "made.txt").write_text("made\n")
    plan = project.checkpoints.plan(checkpoint)
    assert {item.status for item in plan.items} == {"clean"}
    project.checkpoints.apply(plan)
    assert project.snapshot() == before


def test_named_paths_alone_can_be_kept_by_hand(project: Project) -> None:
    """The others are not looked at."""
    (project.root / "a.txt").write_text("one\n")
    (project.root / "b.txt").write_text("one\n")
    checkpoint = project.checkpoints.take(project.session, project.root, ["a.txt"])
    (project.root / "a.txt").write_text("two\n")
    (project.root / "b.txt").write_text("two\n")
    project.checkpoints.rewind(checkpoint, on_conflict="force")
    assert (project.root / "a.txt").read_text() == "one\n"
    assert (project.root / "b.txt").read_text() == "two\n"


def test_files_that_git_has_are_kept_too(project: Project) -> None:
    """What git's objects have may go with the next commit: by hand everything is stored."""
    git = ["git", "-C", str(project.root), "-c", "user.name=a", "-c", "user.email=a@b.c"]
    for number in range(150):
        (project.root / f"f{number}.txt").write_text(f"text {number}\n")
    for order in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]):
        subprocess.run([*git, *order], check=True)
    checkpoint = project.checkpoints.take(project.session, project.root)
    subprocess.run(["rm", "-rf", str(project.root / ".git")], check=True)
    (project.root / "f149.txt").write_text("other\n")
    project.checkpoints.rewind(checkpoint, on_conflict="force")
    assert (project.root / "f149.txt").read_text() == "text 149\n"
    assert [record.path for record in project.checkpoints.files(checkpoint)] == []
