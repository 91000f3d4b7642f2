"""Plans: each path with what would be done to it and why, decided before anything is written."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from recollect.checkpoints.files.exclusion import Exclusions
from recollect.checkpoints.record.items import ConflictChoice, Counts, RewindItem
from recollect.checkpoints.record.rows import Checkpoint
from recollect.checkpoints.rewind.plan import ConflictChoices, RewindPlan
from recollect.core.errors import InvalidInput, RewindConflict
from tests.unit.checkpoints.conftest import Project


def _items(plan: RewindPlan) -> dict[str, RewindItem]:
    return {item.path: item for item in plan.items}


@pytest.fixture
def measured(project: Project) -> Checkpoint:
    """The measured scenario: the agent edits a file and makes one, the user goes on in both."""
    (project.root / "notes.txt").write_text("one\ntwo\nthree\n")
    paths = ["notes.txt", "made.txt"]
    with project.checkpoints.around(project.session, project.root, paths, "Edit") as taken:
        (project.root / "notes.txt").write_text("one\nTWO\nthree\n")
        (project.root / "made.txt").write_text("made\n")
    with (project.root / "notes.txt").open("a") as file:
        file.write("user\n")
    (project.root / "made.txt").write_text("made\nby both\n")
    return taken


def test_nothing_of_the_user_is_lost_and_the_plan_says_so(
    project: Project, measured: Checkpoint
) -> None:
    """Other tools overwrite the first file and remove the second, without a copy."""
    now = project.snapshot()
    plan = project.checkpoints.plan(measured)
    assert plan.refused == plan.conflicts == ("made.txt", "notes.txt")
    assert {item.reason for item in plan.items} == {"somebody else changed it since"}
    with pytest.raises(RewindConflict):
        project.checkpoints.apply(plan)
    assert project.snapshot() == now


def test_a_merge_takes_out_only_what_the_session_did(
    project: Project, measured: Checkpoint
) -> None:
    """The appended line stays; a file that was made can only be kept or removed."""
    plan = project.checkpoints.plan(measured, on_conflict="merge")
    merged, made = _items(plan)["notes.txt"], _items(plan)["made.txt"]
    assert (merged.action, merged.status, merged.choice) == ("merge", "conflict", "merge")
    assert (made.choice, made.reason) == ("stop", "it was made, removed or no file meanwhile")
    with pytest.raises(RewindConflict):
        project.checkpoints.apply(plan)
    done = project.checkpoints.rewind(
        measured, on_conflict={"notes.txt": "merge", "made.txt": "keep"}
    )
    assert (project.root / "notes.txt").read_text() == "one\ntwo\nthree\nuser\n"
    assert (project.root / "made.txt").read_text() == "made\nby both\n"
    assert {item.path: item.outcome for item in done.items} == {
        "notes.txt": "done",
        "made.txt": "left",
    }
    assert done.counts == Counts(merged=1, skipped=1, conflict=2)
    project.checkpoints.undo(done.id)
    assert (project.root / "notes.txt").read_text() == "one\nTWO\nthree\nuser\n"


def test_the_content_of_a_merge_is_stored_by_apply_alone(
    project: Project, measured: Checkpoint
) -> None:
    """The plan shows it as differences, and names its digest."""
    before = project.contents.usage()
    plan = project.checkpoints.plan(measured, ["notes.txt"], "merge")
    item = _items(plan)["notes.txt"]
    assert project.contents.usage() == before
    assert item.merged is not None
    assert item.diff is not None
    assert "-TWO\n+two\n" in item.diff
    assert "-user" not in item.diff
    project.checkpoints.apply(plan)
    assert item.merged.digest is not None
    assert project.contents.get(item.merged.digest) == b"one\ntwo\nthree\nuser\n"


@pytest.mark.parametrize(
    ("user", "reason"),
    [
        (b"one\n2\nthree\n", "others changed the same lines"),
        (b"one\nTWO\nthree\n\xff", "it is not a text"),
        (bytes(2 << 20), "it is too large to merge"),
    ],
)
def test_what_cannot_be_merged_stays_a_conflict(
    project: Project, measured: Checkpoint, user: bytes, reason: str
) -> None:
    """Nothing is changed."""
    (project.root / "notes.txt").write_bytes(user)
    plan = project.checkpoints.plan(measured, ["notes.txt"], "merge")
    assert (plan.refused, _items(plan)["notes.txt"].reason) == (("notes.txt",), reason)
    with pytest.raises(RewindConflict):
        project.checkpoints.apply(plan)
    assert (project.root / "notes.txt").read_bytes() == user


def test_several_edits_with_the_users_between_them_are_taken_out_one_by_one(
    project: Project,
) -> None:
    """What is there holds the first edit, the user's line and the second."""
    file = project.root / "a.txt"
    file.write_text("1\n2\n3\n4\n5\n")
    with project.checkpoints.around(project.session, project.root, ["a.txt"]) as first:
        file.write_text("one\n2\n3\n4\n5\n")
    file.write_text("one\n2\nuser\n3\n4\n5\n")
    with project.checkpoints.around(project.session, project.root, ["a.txt"]):
        file.write_text("one\n2\nuser\n3\n4\nfive\n")
    project.checkpoints.rewind(first, on_conflict="merge")
    assert file.read_text() == "1\n2\nuser\n3\n4\n5\n"
    (item,) = project.checkpoints.plan(first, on_conflict="merge").items
    assert (item.status, item.action) == ("already", "skip")


def test_a_choice_is_made_for_each_path(project: Project, measured: Checkpoint) -> None:
    """One that is not named stops."""
    choices: ConflictChoices = {"notes.txt": "keep", str(project.root / "made.txt"): "force"}
    assert project.checkpoints.plan(measured, on_conflict={"notes.txt": "keep"}).refused == (
        "made.txt",
    )
    project.checkpoints.apply(project.checkpoints.plan(measured, on_conflict=choices))
    assert list(project.snapshot()) == ["notes.txt"]
    assert (project.root / "notes.txt").read_text() == "one\nTWO\nthree\nuser\n"


@pytest.mark.parametrize(
    "choices", [{"other.txt": "keep"}, {"notes.txt": "drop"}, "drop", {"": "keep"}, 5, ["keep"]]
)
def test_an_unknown_path_or_word_is_refused(
    project: Project, measured: Checkpoint, choices: ConflictChoices
) -> None:
    """Before anything is looked at."""
    with pytest.raises(InvalidInput):
        project.checkpoints.plan(measured, on_conflict=choices)


def test_a_plan_comes_back_from_a_client(project: Project, measured: Checkpoint) -> None:
    """It is made again; where it is another one, nothing is changed."""
    plan = project.checkpoints.plan(measured, on_conflict="force")
    back = msgspec.json.decode(msgspec.json.encode(plan), type=RewindPlan)
    assert back == plan
    (project.root / "made.txt").write_text("more\n")
    with pytest.raises(RewindConflict, match="out of date"):
        project.checkpoints.apply(back)
    with pytest.raises(RewindConflict, match="out of date"):
        project.checkpoints.rewind(measured, on_conflict="force", plan_id=plan.id)
    again = project.checkpoints.plan(measured, on_conflict="force")
    assert again.id != plan.id
    assert (project.root / "made.txt").read_text() == "more\n"
    assert project.checkpoints.apply(again).status == "done"


def test_items_that_a_client_changed_are_not_believed(
    project: Project, measured: Checkpoint
) -> None:
    """What is applied is what is planned here."""
    plan = project.checkpoints.plan(measured, on_conflict="keep")
    forged = tuple(msgspec.structs.replace(item, choice="force") for item in plan.items)
    now = project.snapshot()
    project.checkpoints.apply(msgspec.structs.replace(plan, items=forged))
    assert project.snapshot() == now


@pytest.mark.parametrize("choice", ["stop", "keep", "force", "merge"])
def test_the_id_of_a_plan_depends_on_the_choice(
    project: Project, measured: Checkpoint, choice: ConflictChoice
) -> None:
    """And on nothing that changes by itself."""
    others: set[ConflictChoice] = {"stop", "keep", "force", "merge"}
    ids = {project.checkpoints.plan(measured, on_conflict=each).id for each in others - {choice}}
    plan = project.checkpoints.plan(measured, on_conflict=choice)
    assert plan.id not in ids
    assert plan.id == project.checkpoints.plan(measured, on_conflict=choice).id


def test_a_path_behind_a_link_is_outside_and_named(project: Project, tmp_path: Path) -> None:
    """The rest is put back; where the link leads nothing is read or changed."""
    root = project.root
    (root / "d").mkdir()
    for name in ("d/a.txt", "b.txt"):
        (root / name).write_text("before")
    with project.checkpoints.around(project.session, root, ["d/a.txt", "b.txt"]) as taken:
        for name in ("d/a.txt", "b.txt"):
            (root / name).write_text("after")
    (root / "d").rename(tmp_path / "elsewhere")
    (root / "d").symlink_to(tmp_path / "elsewhere")
    plan = project.checkpoints.plan(taken)
    outside = _items(plan)["d/a.txt"]
    assert (outside.status, outside.action) == ("outside", "skip")
    assert outside.reason == "it is behind a link now"
    assert outside.diff is None
    assert project.checkpoints.apply(plan).counts == Counts(
        restored=1, skipped=1, clean=1, outside=1
    )
    assert (tmp_path / "elsewhere" / "a.txt").read_text() == "after"


def _file_to_folder(root: Path) -> None:
    (root / "it").unlink()
    (root / "it").mkdir()
    (root / "it" / "in.txt").write_text("in")


def _folder_to_file(root: Path) -> None:
    shutil.rmtree(root / "d")
    (root / "d").write_text("a file")


def _folder_to_link(root: Path) -> None:
    (root / "d").rename(root / "moved")
    (root / "d").symlink_to("moved")


def _link_to_file(root: Path) -> None:
    (root / "link").unlink()
    (root / "link").write_text("a file")


def _link_to_folder(root: Path) -> None:
    (root / "link").unlink()
    (root / "link").mkdir()
    (root / "link" / "x.txt").write_text("x")


def _file_to_link(root: Path) -> None:
    (root / "it").unlink()
    (root / "it").symlink_to("nowhere")


def _renamed_by_case(root: Path) -> None:
    (root / "it").rename(root / "IT")


def _modes(root: Path) -> None:
    (root / "d").chmod(0o700)
    (root / "read only").chmod(0o755)
    (root / "read only" / "x.txt").unlink()
    (root / "empty").chmod(0o711)
    (root / "sealed.txt").chmod(0o644)
    (root / "sealed.txt").write_text("opened")


def _removed(root: Path) -> None:
    for name in ("d", "read only", "empty"):
        shutil.rmtree(root / name)


def _new_lines(root: Path) -> None:
    (root / "it").write_bytes(b"one\ntwo\n")


@pytest.mark.parametrize(
    "change",
    [
        _file_to_folder,
        _folder_to_file,
        _folder_to_link,
        _link_to_file,
        _link_to_folder,
        _file_to_link,
        _renamed_by_case,
        _modes,
        _removed,
        _new_lines,
    ],
)
def test_a_command_that_changes_types_modes_or_names_is_taken_back(
    project: Project, change: Callable[[Path], None]
) -> None:
    """And comes back by undo and redo."""
    root = project.root
    for name in ("d", "read only", "empty"):
        (root / name).mkdir()
    for name in ("d/a.txt", "read only/x.txt", "sealed.txt"):
        (root / name).write_text(name)
    (root / "it").write_bytes(b"one\r\ntwo\r\n")
    (root / "link").symlink_to("nowhere")
    (root / "read only").chmod(0o555)
    (root / "sealed.txt").chmod(0o400)
    before = project.snapshot()
    with project.checkpoints.around(project.session, root, tool_name="Bash") as taken:
        change(root)
    after = project.snapshot()
    plan = project.checkpoints.plan(taken)
    assert not plan.conflicts
    done = project.checkpoints.apply(plan)
    assert project.snapshot() == before
    project.checkpoints.undo(done.id)
    assert project.snapshot() == after
    project.checkpoints.redo(done.id)
    assert project.snapshot() == before


def test_a_special_bit_is_never_given_to_a_restored_file(project: Project) -> None:
    """Its owner may be another one; where only permissions change, it stays."""
    content, mode = project.root / "content", project.root / "mode"
    for file in (content, mode):
        file.write_text("before")
        file.chmod(0o4755)
    with project.checkpoints.around(project.session, project.root, ["content", "mode"]) as taken:
        content.write_text("after")
        mode.chmod(0o4700)
    project.checkpoints.rewind(taken)
    assert [stat.S_IMODE(file.stat().st_mode) for file in (content, mode)] == [0o755, 0o4755]
    assert content.read_text() == "before"


def test_what_cannot_be_kept_now_is_not_replaced(project: Project) -> None:
    """No rescue could bring it back; the plan says so."""
    file = project.root / "a.txt"
    file.write_text("before")
    with project.checkpoints.around(project.session, project.root, ["a.txt"]) as taken:
        file.write_bytes(bytes(9 << 20))
    plan = project.checkpoints.plan(taken, on_conflict="force")
    (item,) = plan.items
    assert (item.status, item.action) == ("uncaptured", "skip")
    assert item.reason == "what is there now cannot be kept: too large"
    project.checkpoints.apply(plan)
    assert file.stat().st_size == 9 << 20


def test_a_file_in_the_place_of_a_folder_is_a_conflict(project: Project) -> None:
    """Also where the path itself was changed by the session alone."""
    root = project.root
    (root / "d").mkdir()
    (root / "d" / "a.txt").write_text("before")
    with project.checkpoints.around(project.session, root, ["d/a.txt"]) as taken:
        (root / "d" / "a.txt").unlink()
    (root / "d").rmdir()
    (root / "d").write_text("user")
    plan = project.checkpoints.plan(taken)
    assert plan.refused == ("d/a.txt",)
    assert _items(plan)["d/a.txt"].reason == "what it was in is not a folder any more"
    done = project.checkpoints.rewind(taken, on_conflict="force")
    assert done.counts == Counts(skipped=1, conflict=1)
    assert (root / "d").read_text() == "user"


def test_a_forced_rewind_that_was_undone_leaves_the_work_with_its_owner(project: Project) -> None:
    """It came back with the undo, and is a conflict for the next plan again."""
    file = project.root / "a.txt"
    file.write_text("one\n")
    with project.checkpoints.around(project.session, project.root, ["a.txt"]) as taken:
        file.write_text("two\n")
    file.write_text("user\n")
    done = project.checkpoints.rewind(taken, on_conflict="force")
    project.checkpoints.undo(done.id)
    assert project.checkpoints.plan(taken).refused == ("a.txt",)


def test_what_another_session_did_is_not_taken_back(project: Project) -> None:
    """Two agents in one tree: each has its own."""
    root, checkpoints = project.root, project.checkpoints
    with checkpoints.around(project.session, root, ["a.txt", "both.txt"]) as taken:
        (root / "a.txt").write_text("first")
        (root / "both.txt").write_text("first")
    with checkpoints.around(project.other_session, root, ["b.txt", "both.txt"]):
        (root / "b.txt").write_text("second")
        (root / "both.txt").write_text("second")
    plan = checkpoints.plan(taken)
    assert set(_items(plan)) == {"a.txt", "both.txt"}
    assert plan.conflicts == ("both.txt",)
    assert [item.path for item in checkpoints.plan(taken, session_id=project.other_session).items]
    checkpoints.rewind(taken, on_conflict="keep")
    assert sorted(os.listdir(root)) == ["b.txt", "both.txt"]


def test_a_tool_that_makes_a_link_of_its_folder_is_captured(
    project: Project, tmp_path: Path
) -> None:
    """Its path is outside then, and not read there."""
    root = project.root
    (root / "d").mkdir()
    (root / "d" / "a.txt").write_text("before")
    with project.checkpoints.around(project.session, root, ["d/a.txt"]) as taken:
        (root / "d").rename(tmp_path / "elsewhere")
        (root / "d").symlink_to(tmp_path / "elsewhere")
    (item,) = project.checkpoints.plan(taken).items
    assert (item.status, item.current.reason) == ("outside", "outside")


def test_a_path_that_is_excluded_since_is_only_listed(
    project: Project, measured: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither shown nor kept in a rescue."""
    monkeypatch.setattr(Exclusions, "include", lambda *_: True)
    before = project.contents.usage()
    plan = project.checkpoints.plan(measured, on_conflict="force")
    assert {(item.status, item.diff) for item in plan.items} == {("uncaptured", None)}
    project.checkpoints.apply(plan)
    assert project.contents.usage() == before


def test_a_state_that_came_twice_holds_what_others_did_only_once(project: Project) -> None:
    """The user deleted the file once; a rewind to before it was ever made forgets that."""
    path, checkpoints = project.root / "a.txt", project.checkpoints
    with checkpoints.around(project.session, project.root, ["a.txt"], "Write") as first:
        path.write_text("one\n")
    path.unlink()
    with checkpoints.around(project.session, project.root, ["a.txt"], "Write") as second:
        path.write_text("two\n")
    (item,) = checkpoints.plan(first).items
    assert item.status == "conflict"
    checkpoints.rewind(first, on_conflict="force")
    with checkpoints.around(project.session, project.root, ["a.txt"], "Write"):
        path.write_text("three\n")
    (item,) = checkpoints.plan(first).items
    assert (item.action, item.status) == ("delete", "clean")
    (item,) = checkpoints.plan(second).items
    assert item.status == "clean"


def test_a_rewind_to_a_checkpoint_by_hand_brings_back_what_the_user_did(project: Project) -> None:
    """The work of the user that it holds is a conflict for an earlier plan, whatever followed."""
    path, checkpoints = project.root / "a.txt", project.checkpoints
    path.write_text("zero\n")
    with checkpoints.around(project.session, project.root, ["a.txt"], "Write") as first:
        path.write_text("agent\n")
    path.write_text("user\n")
    by_hand = checkpoints.take(project.session, project.root, ["a.txt"])
    path.write_text("agent\n")
    with checkpoints.around(project.session, project.root, ["a.txt"], "Write"):
        path.write_text("again\n")
    checkpoints.rewind(by_hand, on_conflict="force")
    assert path.read_text() == "user\n"
    assert checkpoints.plan(first).refused == ("a.txt",)
