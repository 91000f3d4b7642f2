"""A home on a network or in a folder that is synchronized is found out before it is served."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.server.worker.shared_folder import shared_by

MOUNTS = """\
21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 21 0:40 / /mnt/team rw,relatime shared:9 - nfs4 server:/team rw
31 30 8:2 / /mnt/team/scratch rw,relatime - ext4 /dev/vdb rw
32 21 0:41 / /mnt/my\\040share rw - cifs //server/share rw
33 21 0:42 / /mnt/c rw - 9p C:\\134 rw
34 21 0:43 / /mnt/over rw - nfs server:/x rw
35 21 8:3 / /mnt/over rw - xfs /dev/vdc rw
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/mnt/team/home", "nfs4"),
        ("/mnt/team", "nfs4"),
        ("/mnt/teams", None),
        ("/mnt/team/scratch/home", None),
        ("/mnt/my share/home", "cifs"),
        ("/mnt/c/Users/ann", "9p"),
        ("/mnt/over/home", None),
        ("/srv/home", None),
    ],
)
def test_the_nearest_mount_says_whether_it_is_a_network(folder: str, kind: str | None) -> None:
    """Of two mounts on one point the last one counts (proc_pid_mountinfo(5))."""
    found = shared_by(Path(folder), MOUNTS)
    assert found == (None if kind is None else f"a network folder ({kind})")


@pytest.mark.parametrize(
    ("name", "is_shared"),
    [
        ("Dropbox", True),
        ("Dropbox (Work)", True),
        ("OneDrive - Contoso", True),
        ("Google Drive", True),
        ("GoogleDrive-ann@example.com", True),
        ("Mobile Documents", True),
        ("Nextcloud", True),
        ("dropbox-exporter", False),
        ("drive", False),
    ],
)
def test_folders_of_programs_that_synchronize_are_known_by_name(
    tmp_path: Path, name: str, is_shared: bool
) -> None:
    """The names that their installers give."""
    found = shared_by(tmp_path / name / "home", MOUNTS)
    assert found == (f"a folder that is synchronized ({name})" if is_shared else None)


def test_a_folder_is_known_by_what_such_a_program_puts_into_it(tmp_path: Path) -> None:
    """Syncthing shares folders of any name, and marks them."""
    (tmp_path / "notes" / ".stfolder").mkdir(parents=True)
    assert shared_by(tmp_path / "notes" / "home") == "a folder that is synchronized (notes)"


def test_a_link_is_followed_to_where_the_files_are(tmp_path: Path) -> None:
    """A home is often moved and linked."""
    (tmp_path / "Dropbox" / "home").mkdir(parents=True)
    (tmp_path / "home").symlink_to(tmp_path / "Dropbox" / "home")
    assert shared_by(tmp_path / "home", MOUNTS) == "a folder that is synchronized (Dropbox)"


def test_this_machine_is_asked_where_nothing_is_given(tmp_path: Path) -> None:
    """The folder of the tests is a local one."""
    assert shared_by(tmp_path) is None
