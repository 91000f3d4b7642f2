"""Recovery: what a crash left is put back, and what somebody changed since is theirs to decide."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from recollect.checkpoints.files.tree import Tree
from recollect.checkpoints.record.rows import Checkpoint, Rewind
from recollect.core.errors import Conflict, InvalidInput, RewindConflict
from tests.unit.checkpoints.conftest import Deaths, Killed, Project

NAMES = ["a.txt", "b.txt", "c.txt"]


def _edited(project: Project, root: Path) -> Checkpoint:
    """Let the agent change three files of a root."""
    for name in NAMES:
        (root / name).write_text("before")
    with project.checkpoints.around(project.session, root, NAMES) as taken:
        for name in NAMES:
            (root / name).write_text("after")
    return taken


def _crash(project: Project, taken: Checkpoint, deaths: Deaths, step: int = 5) -> None:
    """Die in a rewind: three files are staged, and one of them has its name."""
    deaths.left = step
    with pytest.raises(Killed):
        project.checkpoints.rewind(taken)
    deaths.left = 0


@pytest.fixture
def deaths(monkeypatch: pytest.MonkeyPatch) -> Deaths:
    """Ends a rewind at a step."""
    return Deaths(monkeypatch)


@pytest.fixture
def interrupted(project: Project, deaths: Deaths) -> Rewind:
    """A rewind that died, after which the user changed the file that it had put back."""
    _crash(project, _edited(project, project.root), deaths)
    (project.root / "a.txt").write_text("user")
    (ended,) = project.checkpoints.recover_all()
    return ended


def test_an_interrupted_rewind_names_what_is_not_resolved(
    project: Project, interrupted: Rewind
) -> None:
    """The path is as the user left it, the others as before, and it stays so."""
    for _ in range(2):
        (listed,) = project.checkpoints.interrupted()
        assert (listed, listed.status) == (interrupted, "interrupted")
        assert listed.unresolved == ("a.txt",)
        texts = [(project.root / name).read_text() for name in NAMES]
        assert texts == ["user", "after", "after"]
        project.checkpoints.recover(project.root)


def test_an_unresolved_path_is_kept(project: Project, interrupted: Rewind) -> None:
    """As the user left it; then the next rewind sees a conflict as always."""
    ended = project.checkpoints.resolve(interrupted.id, "keep")
    assert (ended.id, ended.status, ended.unresolved) == (interrupted.id, "rolled_back", ())
    assert project.checkpoints.interrupted() == ()
    (taken,) = (it for it in project.checkpoints.list(project.session) if it.kind == "tool")
    assert project.checkpoints.plan(taken).refused == ("a.txt",)
    project.checkpoints.rewind(taken, on_conflict="keep")
    assert [(project.root / name).read_text() for name in NAMES] == ["user", "before", "before"]


def test_an_unresolved_path_is_forced_back_and_the_users_is_kept_for_undo(
    project: Project, interrupted: Rewind
) -> None:
    """It is as before the rewind that died."""
    back = project.checkpoints.resolve(interrupted.id, "force")
    assert (back.status, back.type) == ("done", "rewind")
    assert [(project.root / name).read_text() for name in NAMES] == ["after"] * 3
    assert project.checkpoints.interrupted() == ()
    project.checkpoints.undo(back.id)
    assert (project.root / "a.txt").read_text() == "user"


def test_what_cannot_be_kept_is_not_forced(project: Project, interrupted: Rewind) -> None:
    """A file that is too large has no rescue."""
    (project.root / "a.txt").write_bytes(bytes(9 << 20))
    with pytest.raises(RewindConflict) as raised:
        project.checkpoints.resolve(interrupted.id, "force")
    assert raised.value.facts["paths"] == ("a.txt",)
    assert [each.id for each in project.checkpoints.interrupted()] == [interrupted.id]


def test_only_an_interrupted_rewind_is_resolved(project: Project, interrupted: Rewind) -> None:
    """And only with a choice that there is."""
    with pytest.raises(InvalidInput):
        project.checkpoints.resolve(interrupted.id, "merge")  # type: ignore[arg-type]
    project.checkpoints.resolve(interrupted.id, "keep")
    with pytest.raises(Conflict):
        project.checkpoints.resolve(interrupted.id, "keep")


def test_a_rewind_of_an_unresolved_path_is_refused_and_of_others_is_not(
    project: Project, interrupted: Rewind
) -> None:
    """It would hide what is to be decided; what it did is not put back by recovery."""
    (taken,) = (it for it in project.checkpoints.list(project.session) if it.kind == "tool")
    with pytest.raises(RewindConflict, match="1 path"):
        project.checkpoints.rewind(taken, on_conflict="force")
    project.checkpoints.rewind(taken, ["b.txt", "c.txt"])
    for _ in range(2):
        assert [(project.root / name).read_text() for name in NAMES] == ["user", "before", "before"]
        project.checkpoints.recover_all()
    assert [each.id for each in project.checkpoints.interrupted()] == [interrupted.id]


def test_a_root_that_fails_does_not_stop_the_others(project: Project, deaths: Deaths) -> None:
    """One is gone; it stays listed, and is put back where it comes again."""
    roots = [project.root.parent / name for name in ("one", "two", "three")]
    for root in roots:
        root.mkdir()
        _crash(project, _edited(project, root), deaths)
    roots[0].rename(project.root.parent / "gone")
    assert sorted(each.root for each in project.checkpoints.recover_all()) == sorted(
        map(str, roots[1:])
    )
    for root in roots[1:]:
        assert [(root / name).read_text() for name in NAMES] == ["after"] * 3
    assert [each.root for each in project.checkpoints.interrupted()] == [str(roots[0])]
    (project.root.parent / "gone").rename(roots[0])
    (ended,) = project.checkpoints.recover_all()
    assert ended.status == "rolled_back"
    assert [(roots[0] / name).read_text() for name in NAMES] == ["after"] * 3


def test_files_of_others_in_a_made_folder_are_not_removed_by_recovery(
    project: Project, deaths: Deaths
) -> None:
    """The rewind had made the folder again; the user uses it, so it stays and is named."""
    (project.root / "d").mkdir()
    (project.root / "d" / "a.txt").write_text("before")
    with project.checkpoints.around(project.session, project.root, tool_name="Bash") as taken:
        shutil.rmtree(project.root / "d")
    _crash(project, taken, deaths, step=3)
    (project.root / "d" / "user.txt").write_text("user")
    (ended,) = project.checkpoints.recover_all()
    assert (ended.status, ended.unresolved) == ("interrupted", ("d",))
    assert (project.root / "d" / "user.txt").read_text() == "user"


def test_what_the_user_saves_while_a_rewind_runs_is_not_lost(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each path is looked at again before it is changed; what was changed is put back."""
    taken = _edited(project, project.root)
    put = Tree.put

    def saving(self: Tree, path: str, *rest: object) -> None:
        put(self, path, *rest)  # type: ignore[arg-type]
        (project.root / "b.txt").write_text("user")

    monkeypatch.setattr(Tree, "put", saving)
    with pytest.raises(RewindConflict) as raised:
        project.checkpoints.rewind(taken)
    assert raised.value.facts["paths"] == ("b.txt",)
    assert (project.root / "b.txt").read_text() == "user"
    monkeypatch.undo()
    assert project.checkpoints.interrupted() == ()
    assert [(project.root / name).read_text() for name in NAMES] == ["after", "user", "after"]


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_an_error_that_is_none_of_ours_leaves_the_tree_as_it_was(
    project: Project, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    """Also where the command is cut off from the keyboard."""
    taken = _edited(project, project.root)
    put, calls = Tree.put, list[str]()

    def failing(self: Tree, path: str, *rest: object) -> None:
        calls.append(path)
        if len(calls) == 2:
            raise error
        put(self, path, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Tree, "put", failing)
    with pytest.raises(error):
        project.checkpoints.rewind(taken)
    assert [(project.root / name).read_text() for name in NAMES] == ["after"] * 3
    assert project.checkpoints.interrupted() == ()
