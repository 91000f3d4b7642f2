"""Places: what a folder's files say of where it belongs, and what they cannot make us read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from recollect.observations.project_folder import MAX_BYTES, inspect_folder, normal_remote
from tests.unit.observations.trees import repository, worktree


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/acme/shop",
        "https://ann:s3cret@GitHub.com/acme/shop.git/",
        "ssh://git@github.com:22/acme/shop.git",
        "git@github.com:acme/shop.git",
        "git@github.com:/acme//shop",
        "https://github.com:443/acme/shop?token=s3cret",
    ],
)
def test_spellings_of_a_remote_agree_and_have_no_credentials(url: str) -> None:
    """docs/projects.md."""
    assert normal_remote(url) == "github.com/acme/shop"


@pytest.mark.parametrize(
    "url", ["", "../shop", "/srv/git/shop.git", "https:" + "//[broken", "file:///x"]
)
def test_a_remote_on_this_disk_or_without_a_host_is_none(url: str) -> None:
    """Two of them would agree on different machines."""
    assert normal_remote(url) is None


def test_another_port_is_another_remote() -> None:
    """Two servers may run on one machine."""
    assert normal_remote("https://host:8443/a/b") == "host:8443/a/b"


def test_worktrees_and_folders_below_share_the_git_directory(tmp_path: Path) -> None:
    """What makes them one project."""
    main = repository(tmp_path / "shop", "git@github.com:acme/shop.git", "0 1 Ann 17 clone")
    side = worktree(main, tmp_path / "side")
    below = side / "src" / "deep"
    below.mkdir(parents=True)
    folders = [inspect_folder(str(path)) for path in (main, side, below)]
    assert {each.git for each in folders} == {str(main / ".git")}
    assert {each.remote for each in folders} == {"github.com/acme/shop"}
    assert [each.root for each in folders] == [str(main), str(side), str(side)]
    assert len({each.clone for each in folders} - {None}) == 1


def test_a_submodule_is_a_tree_of_its_own(tmp_path: Path) -> None:
    """Its configuration names the folder back."""
    main = repository(tmp_path / "shop")
    git = main / ".git" / "modules" / "lib"
    git.mkdir(parents=True)
    (git / "HEAD").write_text("ref: x\n")
    (git / "config").write_text("[core]\n\tworktree = ../../../lib\n")
    (main / "lib").mkdir()
    (main / "lib" / ".git").write_text("gitdir: ../.git/modules/lib\n")
    folder = inspect_folder(str(main / "lib"))
    assert (folder.git, folder.root) == (str(git), str(main / "lib"))


def test_a_git_file_cannot_join_the_repository_of_another_project(tmp_path: Path) -> None:
    """A folder from a stranger would be given the memory of a secret project."""
    secret = repository(tmp_path / "secret")
    worktree(secret, tmp_path / "real")
    hostile = tmp_path / "hostile"
    hostile.mkdir()
    targets = ["secret/.git", "secret/.git/worktrees/real", "secret/.git/nothing", "a\0b", ""]
    for each in targets:
        (hostile / ".git").write_text(f"gitdir: {tmp_path}/{each}\n")
        folder = inspect_folder(str(hostile))
        assert (folder.git, folder.remote, folder.root) == (None, None, str(hostile)), each


def test_a_commondir_file_in_a_plain_repository_is_not_followed(tmp_path: Path) -> None:
    """It would lead to the repository of another project as well."""
    secret, hostile = repository(tmp_path / "secret"), repository(tmp_path / "hostile")
    (hostile / ".git" / "commondir").write_text(f"{secret}/.git\n")
    assert inspect_folder(str(hostile)).git == str(hostile / ".git")


def test_links_pipes_and_devices_are_not_read(tmp_path: Path) -> None:
    """A link shows what the person's other files hold, a pipe waits for ever."""
    shop = repository(tmp_path / "shop")
    (tmp_path / "elsewhere").write_text('[remote "origin"]\n url = https://host/secret\n')
    (shop / ".git" / "config").unlink()
    (shop / ".git" / "config").symlink_to(tmp_path / "elsewhere")
    os.mkfifo(shop / ".recollect-project")
    folder = inspect_folder(str(shop))
    assert (folder.remote, folder.file_id, folder.name) == (None, None, None)
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / ".git").symlink_to(shop / ".git")
    assert inspect_folder(str(linked)).git is None


@pytest.mark.parametrize(("owner", "is_read"), [(0, True), (4_711, True), (4_712, False)])
def test_only_files_of_this_user_or_of_root_are_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: int, is_read: bool
) -> None:
    """In a shared folder somebody else could say whose project it is."""
    shop = repository(tmp_path / "shop", "https://host/shop")
    real = os.fstat

    def owned(descriptor: int) -> os.stat_result:
        status = real(descriptor)
        return os.stat_result((*status[:4], owner, *status[5:]))

    monkeypatch.setattr(os, "geteuid", lambda: 4_711)
    monkeypatch.setattr(os, "fstat", owned)
    assert inspect_folder(str(shop)).remote == ("host/shop" if is_read else None)


def test_only_the_beginning_of_a_large_file_is_read(tmp_path: Path) -> None:
    """A stranger's configuration may have gigabytes."""
    shop = repository(tmp_path / "shop")
    late = "#" * MAX_BYTES + '\n[remote "origin"]\n url = https://host/late\n'
    (shop / ".git" / "config").write_text(late)
    assert inspect_folder(str(shop)).remote is None


def test_a_mark_says_id_and_name_and_only_a_long_id_counts(tmp_path: Path) -> None:
    """Whoever knows an id joins the project: it must not be guessed."""
    shop = tmp_path / "shop"
    (shop / "src").mkdir(parents=True)
    (shop / ".recollect-project").write_text("# ours\nname: The Shop\nid: shop-7f3a9c0d1e5b\n")
    folder = inspect_folder(str(shop / "src"))
    assert (folder.root, folder.name, folder.file_id) == (
        str(shop),
        "The Shop",
        "shop-7f3a9c0d1e5b",
    )
    (shop / ".recollect-project").write_text("id: shop\n")
    assert inspect_folder(str(shop)).file_id is None


def test_a_mark_within_a_repository_makes_a_project_of_its_own(tmp_path: Path) -> None:
    """Packages of a large repository."""
    shop = repository(tmp_path / "shop", "https://host/shop")
    (shop / "api").mkdir()
    (shop / "api" / ".recollect-project").write_text("name: api\n")
    folder = inspect_folder(str(shop / "api"))
    assert (folder.root, folder.name, folder.git, folder.remote) == (
        str(shop / "api"),
        "api",
        None,
        None,
    )


@pytest.mark.parametrize("path", ["tea", "/not/there/at/all", "/a\0b", "relative/x"])
def test_what_is_no_folder_is_only_its_path(path: str) -> None:
    """Paths of other machines, and names that are no paths."""
    folder = inspect_folder(path)
    assert (folder.path, folder.root, folder.git) == (path, path, None)
