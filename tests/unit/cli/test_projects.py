"""`recollect projects`, `pause`, `resume` and `privacy check`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run
from tests.unit.observations.trees import repository, worktree

REMOTE = "git@github.com:acme/shop.git"


@pytest.fixture
def trees(run: Run, home: Path, tmp_path: Path) -> Path:
    """A home with sessions in a repository, its worktree, and another clone."""
    assert run("--home", home, "init").code == 0
    main = repository(tmp_path / "shop", REMOTE)
    for each in (main, worktree(main, tmp_path / "side"), repository(tmp_path / "clone", REMOTE)):
        assert run("--home", home, "sessions", "start", "--project", each).code == 0
    return tmp_path


def test_projects_are_listed_with_what_looks_like_the_same(
    run: Run, home: Path, trees: Path
) -> None:
    """Issue 11, item 2; people see paths, programs get one document."""
    found = run("--home", home, "projects", "list", "--json").json["projects"]
    told = [(each["name"], each["sessions"], each["looks_like"]) for each in found]
    assert told == [("shop", 2, ["clone"]), ("clone", 1, ["shop"])]
    shown = run("--home", home, "projects", "list")
    assert "  looks like the same as clone" in shown.out
    assert str(trees / "side") in shown.out
    assert "recollect projects merge shop clone" in shown.err


def test_the_status_mentions_once_that_projects_look_alike(
    run: Run, home: Path, trees: Path
) -> None:
    """Until somebody answers."""
    assert run("--home", home, "status").err.count("look like the same") == 1
    assert run("--home", home, "projects", "merge", "--apart", "clone", "shop").code == 0
    assert "look like the same" not in run("--home", home, "status").err


def test_a_merge_is_undone_by_the_command_that_it_names(run: Run, home: Path, trees: Path) -> None:
    """Sessions of both are listed in between."""
    done = run("--home", home, "projects", "merge", "clone", "shop")
    assert done.err.strip() == "undo: recollect projects merge --undo clone shop"
    listed = run("--home", home, "sessions", "--project", trees / "side", "--json").json
    assert len(listed["sessions"]) == 3
    parted = run("--home", home, "projects", "merge", "--undo", "clone", "shop", "--json").json
    assert parted["sessions"] == 2
    assert run("--home", home, "projects", "merge", "--undo", "--apart", "a", "b").code == 2


def test_an_alias_brings_a_folder_that_is_gone(run: Run, home: Path, trees: Path) -> None:
    """Relative paths mean the folder here."""
    done = run("--home", home, "projects", "alias", "./gone", "shop", "--json").json
    assert os.path.abspath("gone") in done["paths"]


def test_sessions_and_search_take_the_name_of_a_project(run: Run, home: Path, trees: Path) -> None:
    """As well as any of its paths."""
    session = run("--home", home, "sessions", "--project", "shop", "--json").json["sessions"][0]
    run("--home", home, "sessions", "say", session["id"], "user", "The quince kettle is blue.")
    for project in ("shop", trees / "shop", trees / "side"):
        hits = run("--home", home, "search", "quince", "--project", project, "--json").json["hits"]
        assert [hit["session_id"] for hit in hits] == [session["id"]]
    assert not run("--home", home, "search", "quince", "--project", "clone", "--json").json["hits"]


def test_an_empty_home_has_no_projects(run: Run, home: Path) -> None:
    """And says what makes them."""
    assert run("--home", home, "init").code == 0
    assert run("--home", home, "projects", "list").out.startswith("no projects yet")


def test_a_pause_is_shown_by_status_and_doctor_until_it_ends(
    run: Run, home: Path, trees: Path
) -> None:
    """`--for 1h` ends by itself; `resume` ends it at once."""
    done = run("--home", home, "pause", "--for", "1h")
    assert done.out.startswith("paused: nothing is captured until 20")
    status = run("--home", home, "status")
    assert "paused" in status.out
    assert "`recollect resume` ends it" in status.err
    doctor = run("--home", home, "doctor", "--json").json
    (found,) = (each for each in doctor["checks"] if each["name"] == "capture")
    assert found["state"] == "note"
    assert run("--home", home, "resume").out == "capturing\n"
    assert "ends it" not in run("--home", home, "status").err


def test_a_pause_of_one_project_says_which(run: Run, home: Path, trees: Path) -> None:
    """And another one goes on being paused."""
    assert "nothing of shop is captured" in run("--home", home, "pause", "--project", "shop").out
    assert run("--home", home, "pause", "--project", trees / "clone").code == 0
    status = run("--home", home, "status")
    assert "of one project" in status.err
    assert dict(row.split(maxsplit=1) for row in status.out.splitlines())["capture"] == (
        "paused for 2 projects"
    )
    left = run("--home", home, "resume", "--project", "clone")
    assert left.out.startswith("still paused: 1 project")
    assert run("--home", home, "pause", "--for", "a while").code == 2


def test_privacy_check_names_the_rules_that_say_no(
    run: Run, home: Path, trees: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them: who removes one wants to know of the other."""
    shown = run("--home", home, "privacy", "check", trees / "shop")
    assert shown.out == f"captured: {trees / 'shop'}, of the project shop\n"
    (trees / "shop" / ".recollect-off").touch()
    monkeypatch.setenv("RECOLLECT_PRIVACY__EXCLUDE_PROJECTS", '["shop"]')
    found = run("--home", home, "privacy", "check", trees / "shop", "--json").json
    assert not found["is_captured"]
    assert [each["reason"] for each in found["refusals"]] == ["off", "excluded"]
    shown = run("--home", home, "privacy", "check", trees / "shop")
    assert "privacy.exclude_projects has shop" in shown.out


def test_privacy_check_of_a_folder_that_is_gone_says_what_an_import_does(
    run: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It said "captured" of a folder whose transcripts are left unread by its name."""
    run("--home", home, "init")
    monkeypatch.setenv("RECOLLECT_PRIVACY__EXCLUDE_PROJECTS", '["secret-*"]')
    monkeypatch.setenv("RECOLLECT_CAPTURE__SKIP_PATHS", '["*.pem", "id_rsa"]')
    gone = tmp_path / "gone" / "secret-shop"
    for path in (gone, gone / "a.md", gone.parent / "a.pem", gone.parent / "id_rsa"):
        found = run("--home", home, "privacy", "check", path, "--json").json
        assert (found["is_captured"], len(found["refusals"])) == (False, 1), path
    for path in (gone.parent, gone.parent / "secret-plan.md"):
        assert run("--home", home, "privacy", "check", path, "--json").json["is_captured"], path


def test_an_import_tells_what_it_left_unread(run: Run, home: Path, trees: Path) -> None:
    """Never silently."""
    path = trees / "chat.jsonl"
    line = '{"role": "user", "content": "The kettle is blue."}\n'
    path.write_text(line, encoding="utf-8")
    assert run("--home", home, "pause").code == 0
    done = run("--home", home, "import", "jsonl", path)
    assert "1  transcripts of projects that are not captured were left unread" in done.err
