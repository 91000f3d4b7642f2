"""The tree: nothing is read or written outside of its root."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.checkpoints.files.state import ABSENT
from recollect.checkpoints.files.tree import Tree
from recollect.core.errors import Denied, NotFound

MOST = 1_000


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Tree]:
    """A tree in a folder of its own, with a secret beside it."""
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "secret.txt").write_text("outside")
    with Tree(root) as opened:
        yield opened


@pytest.mark.parametrize(
    "path", ["../secret.txt", "/etc/passwd", "a/../../secret.txt", "", ".", "a//b", "a\0b", "a/./b"]
)
def test_a_path_that_leaves_the_root_is_refused(tree: Tree, path: str) -> None:
    """However it is written."""
    with pytest.raises(Denied):
        tree.look(path, most_bytes=MOST)


@pytest.mark.parametrize("path", [".git/config", "sub/.git/HEAD", ".GIT/config"])
def test_the_inside_of_git_is_refused(tree: Tree, path: str) -> None:
    """Also where the file system takes capitals for small letters."""
    with pytest.raises(Denied):
        tree.remove(path, is_folder=False)


def test_a_folder_that_is_a_link_is_not_entered(tree: Tree, tmp_path: Path) -> None:
    """For reading and for writing alike."""
    (tree.root / "out").symlink_to(tmp_path)
    with pytest.raises(Denied, match="link"):
        tree.look("out/secret.txt", most_bytes=MOST)
    with tree.staging("t") as staging, pytest.raises(Denied, match="link"):
        tree.put("out/secret.txt", staging, staging.write(b"changed", 0o644))
    assert (tmp_path / "secret.txt").read_text() == "outside"


def test_a_link_is_replaced_and_not_followed(tree: Tree, tmp_path: Path) -> None:
    """What it leads to stays."""
    (tree.root / "link").symlink_to(tmp_path / "secret.txt")
    state = tree.look("link", most_bytes=MOST).state
    assert (state.kind, state.target) == ("symlink", str(tmp_path / "secret.txt"))
    with tree.staging("t") as staging:
        tree.put("link", staging, staging.write(b"inside", 0o640))
    assert (tmp_path / "secret.txt").read_text() == "outside"
    assert (tree.root / "link").read_bytes() == b"inside"


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path: os.mkfifo(path), "special file"),
        (lambda path: path.write_bytes(bytes(MOST + 1)), "too large"),
        (lambda path: path.hardlink_to(path.parent.parent / "secret.txt"), "hard link"),
    ],
)
def test_what_cannot_be_kept_says_why(tree: Tree, make: object, reason: str) -> None:
    """Nothing of it is read."""
    make(tree.root / "it")  # type: ignore[operator]
    look = tree.look("it", most_bytes=MOST)
    assert (look.state.kind, look.state.reason, look.content) == ("uncaptured", reason, None)


def test_what_is_not_there_is_absent(tree: Tree) -> None:
    """Also below a file."""
    (tree.root / "file").write_text("it")
    assert tree.look("none", most_bytes=MOST).state == ABSENT
    assert tree.look("file/none", most_bytes=MOST).state == ABSENT
    with pytest.raises(NotFound), Tree(tree.root / "none"):
        pass


def test_what_a_killed_process_staged_is_removed(tree: Tree) -> None:
    """The folder of the same operation."""
    (tree.root / ".recollect-t").mkdir()
    (tree.root / ".recollect-t" / "1").write_text("left")
    tree.discard("t")
    assert list(tree.root.iterdir()) == []


def test_a_root_that_is_a_link_is_refused(tree: Tree, tmp_path: Path) -> None:
    """Whoever swaps it in leads nowhere."""
    (tmp_path / "alias").symlink_to(tree.root)
    with pytest.raises(NotFound), Tree(tmp_path / "alias"):
        pass
