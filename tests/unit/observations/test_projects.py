"""Projects: which paths are one, and what a person says about it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.core.errors import Conflict, InvalidInput, NotFound
from recollect.core.scope import Scope
from recollect.memory import Memory
from tests.unit.observations.trees import repository, worktree

LEXICAL = {"embedding.provider": "none"}
REMOTE = "git@github.com:acme/shop.git"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory for words only."""
    with recollect.open(tmp_path / "home", overrides=LEXICAL, live=False) as opened:
        yield opened


def _said(memory: Memory, folder: Path | str, text: str) -> str:
    session = memory.sessions.create(project=str(folder))
    memory.sessions.append(session.id, "user", text)
    return session.id


def _names(memory: Memory) -> list[str]:
    return [project.name for project in memory.projects.list()]


def test_worktrees_are_one_project_in_lists_latest_and_search(
    memory: Memory, tmp_path: Path
) -> None:
    """docs/projects.md: nothing stored is rewritten, and all of it is found."""
    main = repository(tmp_path / "shop")
    side = worktree(main, tmp_path / "side")
    (main / "src").mkdir()
    ids = [_said(memory, each, "The kettle is blue.") for each in (main, side, main / "src")]
    other = _said(memory, tmp_path / "other", "The kettle is red.")
    for name in (str(main), str(side), "shop"):
        assert {each.id for each in memory.sessions.list(project=name)} == set(ids)
    assert memory.sessions.latest(project=str(side)).id == ids[-1]  # type: ignore[union-attr]
    hits = memory.search("kettle", scope=Scope(project=str(side))).hits
    assert {hit.session_id for hit in hits} == set(ids)
    assert memory.sessions.get(ids[1]).project == str(side)
    assert other not in {hit.session_id for hit in hits}


def test_a_new_worktree_finds_its_project_before_anything_was_said_there(
    memory: Memory, tmp_path: Path
) -> None:
    """`sessions start --continue` in a worktree that was just made."""
    main = repository(tmp_path / "shop")
    message = _said(memory, main, "The kettle is blue.")
    side = worktree(main, tmp_path / "side")
    assert memory.sessions.latest(project=str(side)).id == message  # type: ignore[union-attr]


def test_a_moved_repository_stays_one_project(memory: Memory, tmp_path: Path) -> None:
    """Its log goes with it, and it is gone where it was."""
    before = repository(tmp_path / "shop", REMOTE, "0 1 Ann 17 clone: from acme")
    first = _said(memory, before, "The kettle is blue.")
    after = tmp_path / "work" / "shop"
    after.parent.mkdir()
    shutil.move(before, after)
    second = _said(memory, after, "It is red now.")
    assert {each.id for each in memory.sessions.list(project=str(after))} == {first, second}
    assert len(memory.projects.list()) == 1


def test_a_copy_of_a_repository_is_another_project(memory: Memory, tmp_path: Path) -> None:
    """The first is still there: a person is asked."""
    one = repository(tmp_path / "shop", REMOTE, "0 1 Ann 17 clone: from acme")
    _said(memory, one, "The kettle is blue.")
    shutil.copytree(one, tmp_path / "copy")
    _said(memory, tmp_path / "copy", "The kettle is red.")
    assert _names(memory) == ["shop", "copy"]


def test_a_remote_alone_joins_nothing_and_the_person_is_asked(
    memory: Memory, tmp_path: Path
) -> None:
    """docs/projects.md; also with other spellings of the remote."""
    one = repository(tmp_path / "shop", REMOTE)
    two = repository(tmp_path / "again", "https://ann:secret@github.com/acme/shop")
    ids = [_said(memory, each, "The kettle is blue.") for each in (one, two)]
    shop, again = memory.projects.list()
    assert (shop.looks_like, again.looks_like) == (("again",), ("shop",))
    assert memory.status().capture.alike == 1
    assert [each.id for each in memory.sessions.list(project=str(one))] == ids[:1]
    merged = memory.projects.merge("again", "shop")
    assert (merged.name, merged.merged, merged.sessions) == ("shop", ("again",), 2)
    assert {each.id for each in memory.sessions.list(project=str(two))} == set(ids)
    parted = memory.projects.unmerge("again", "shop")
    assert (parted.name, parted.sessions, parted.looks_like) == ("shop", 1, ())
    assert [each.id for each in memory.sessions.list(project=str(one))] == ids[:1]


def test_a_tree_that_is_gone_may_be_the_one_of_the_same_name(
    memory: Memory, tmp_path: Path
) -> None:
    """It was moved, and has no remote that would tell; a person is asked."""
    here, old = repository(tmp_path / "here" / "shop"), repository(tmp_path / "old" / "shop")
    other = repository(tmp_path / "other")
    for each in (here, old, other):
        _said(memory, each, "The kettle is blue.")
    assert [each.looks_like for each in memory.projects.list()] == [(), (), ()]
    shutil.rmtree(old)
    projects = {each.root: each for each in memory.projects.list()}
    assert projects[str(here)].looks_like == (projects[str(old)].name,)
    assert projects[str(old)].looks_like == (projects[str(here)].name,)
    assert projects[str(other)].looks_like == ()
    shutil.rmtree(here)
    assert [each.looks_like for each in memory.projects.list()] == [(), (), ()]


def test_a_list_of_many_projects_looks_at_no_tree_of_another_name(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A status lists them: with 300 projects 90,000 pairs, whose trees were all looked at."""
    for number in range(20):
        _said(memory, f"/srv/shop {number}", "The kettle is blue.")
    seen: list[object] = []
    monkeypatch.setattr("os.path.lexists", seen.append)
    assert [each.looks_like for each in memory.projects.list()] == [()] * 20
    assert seen == []


def test_two_that_a_person_keeps_apart_are_not_suggested_again(
    memory: Memory, tmp_path: Path
) -> None:
    """A question must have both answers."""
    for name in ("one", "two"):
        _said(memory, repository(tmp_path / name, REMOTE), "The kettle is blue.")
    assert memory.projects.keep_apart("one", "two").looks_like == ()
    assert memory.status().capture.alike == 0


def test_what_cannot_be_merged_or_parted_says_so(memory: Memory, tmp_path: Path) -> None:
    """Errors, and nothing is changed."""
    for name in ("one", "two"):
        _said(memory, tmp_path / name, "The kettle is blue.")
    projects = memory.projects
    with pytest.raises(NotFound):
        projects.merge("three", "one")
    with pytest.raises(Conflict):
        projects.unmerge("one", "two")
    projects.merge("one", "two")
    for change in (projects.merge, projects.keep_apart):
        with pytest.raises(Conflict):
            change("one", "two")
    with pytest.raises(InvalidInput):
        projects.alias(" ", "one")
    with pytest.raises(NotFound):
        projects.get("three")


def test_a_chain_of_merges_is_parted_link_by_link(memory: Memory, tmp_path: Path) -> None:
    """Undo takes back one decision, not those before it."""
    for name in ("a", "b", "c"):
        _said(memory, tmp_path / name, "The kettle is blue.")
    memory.projects.merge("a", "b")
    memory.projects.merge("b", "c")
    assert memory.projects.get("a").name == "c"
    memory.projects.unmerge("b", "c")
    assert [memory.projects.get(name).name for name in ("a", "b", "c")] == ["b", "b", "c"]


def test_an_alias_brings_a_path_that_is_gone(memory: Memory, tmp_path: Path) -> None:
    """What a person says wins, also when the path is seen again."""
    main = repository(tmp_path / "shop")
    ids = {_said(memory, main, "The kettle is blue."), _said(memory, "/old/shop", "It was red.")}
    project = memory.projects.alias("/old/shop", "shop")
    assert project.paths == tuple(sorted(["/old/shop", str(main)]))
    assert {each.id for each in memory.sessions.list(project="/old/shop")} == ids
    assert memory.projects.alias("/elsewhere", "Brand new").name == "Brand new"
    memory.projects.catch_up()
    assert memory.projects.get("/old/shop").name == "shop"


def test_a_mark_joins_trees_by_its_id_and_names_them(memory: Memory, tmp_path: Path) -> None:
    """An explicit file; what the tree was before stays part of it."""
    one = repository(tmp_path / "one")
    first = _said(memory, one, "The kettle is blue.")
    two = tmp_path / "two"
    two.mkdir()
    mark = "id: shop-7f3a9c0d1e5b\nname: Shop\n"
    (one / ".recollect-project").write_text(mark)
    (two / ".recollect-project").write_text(mark)
    with recollect.open(memory.home, overrides=LEXICAL, live=False) as later:
        second, third = (_said(later, each, "It is red.") for each in (one, two))
        project = later.projects.get("Shop")
        assert (project.id, project.sessions) == ("shop-7f3a9c0d1e5b", 3)
        listed = {each.id for each in later.sessions.list(project=str(two))}
        assert listed == {first, second, third}


def test_marks_with_a_name_alone_do_not_join(memory: Memory, tmp_path: Path) -> None:
    """A name can be guessed by a stranger's repository."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / ".recollect-project").write_text("name: Shop\n")
        _said(memory, tmp_path / name, "The kettle is blue.")
    assert _names(memory) == ["Shop", f"{tmp_path.name}/Shop"]


def test_paths_of_an_older_home_are_resolved_when_they_are_read(tmp_path: Path) -> None:
    """Sessions that were stored before there were projects."""
    main = repository(tmp_path / "shop")
    side = worktree(main, tmp_path / "side")
    with recollect.open(tmp_path / "home", overrides=LEXICAL, live=False) as memory:
        ids = {_said(memory, each, "The kettle is blue.") for each in (main, side)}
        memory.projects.database.write(
            lambda tx: [tx.execute(f"DELETE FROM {t}") for t in ("projects", "project_aliases")]  # type: ignore[func-returns-value]  # noqa: S608
        )
    with recollect.open(tmp_path / "home", overrides=LEXICAL, live=False) as memory:
        assert {each.id for each in memory.sessions.list(project=str(main))} == ids


def test_a_scope_gets_the_paths_of_its_project_and_not_what_is_called_so(
    memory: Memory, tmp_path: Path
) -> None:
    """A scope is a border: a project of another path with that name stays behind it."""
    repository(tmp_path / "tea")
    _said(memory, tmp_path / "tea", "The kettle is blue.")
    with recollect.open(
        memory.home, overrides=LEXICAL, scope=Scope(project="tea"), live=False
    ) as scoped:
        assert scoped.search("kettle").hits == []
        assert scoped.sessions.list() == []
        mine = scoped.sessions.create()
        scoped.sessions.append(mine.id, "user", "My kettle is green.")
        assert [hit.session_id for hit in scoped.search("kettle").hits] == [mine.id]
        assert {each.event.scope.project for each in scoped.events.since(0)} == {"tea"}


def test_tenants_do_not_see_each_others_projects(memory: Memory, tmp_path: Path) -> None:
    """The tenant is part of every query."""
    main = repository(tmp_path / "shop")
    _said(memory, main, "The kettle is blue.")
    other = Scope(tenant="other")
    with recollect.open(memory.home, overrides=LEXICAL, scope=other, live=False) as theirs:
        assert theirs.projects.list() == []
        assert theirs.sessions.list(project=str(main)) == []


def test_an_erased_session_takes_its_path_along_and_leaves_that_of_others(
    memory: Memory, tmp_path: Path
) -> None:
    """Names of folders are the person's text too."""
    main = repository(tmp_path / "quince-shop")
    one, two = (_said(memory, main, "The kettle is blue.") for _ in range(2))
    memory.erase(session_id=one)
    assert _names(memory) == ["quince-shop"]
    memory.erase(session_id=two)
    assert memory.projects.list() == []
    memory.close()
    assert b"quince-shop" not in (memory.home / "records.db").read_bytes()


def test_a_very_long_name_is_cut_to_what_a_list_can_show(memory: Memory, tmp_path: Path) -> None:
    """Two hundred characters; a folder may have 255, and two that are cut stay two."""
    for letter in "ab":
        _said(memory, repository(tmp_path / letter / f"{'k' * 249}{letter}"), "The kettle is blue.")
    assert _names(memory) == ["k" * 200, f"b/{'k' * 200}"]


def test_secrets_in_a_path_are_not_stored(memory: Memory) -> None:
    """Redaction comes before every write."""
    secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    _said(memory, f"/srv/{secret}/shop", "The kettle is blue.")
    assert all(secret not in path for each in memory.projects.list() for path in each.paths)
    memory.close()
    assert secret.encode() not in (memory.home / "records.db").read_bytes()
