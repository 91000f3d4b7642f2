"""Checks that no damage of a real home on this machine brings about: rights, and engines."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.cli.doctor.index_checks import check_files
from recollect.core.errors import StoreReadOnly
from recollect.workspace.memory_folder import MemoryFile, MemoryFolder, MemoryListing, list_memory


class Forbidding(MemoryFolder):
    """Memory files of somebody else: the tests may run as root, who may read everything."""

    def text(self, file: MemoryFile) -> tuple[str, list[str]]:
        """Refuse."""
        raise StoreReadOnly("permission denied", hint="chmod")


@pytest.fixture
def listing(workspace: Path) -> MemoryListing:
    """One note."""
    return list_memory(workspace, [])


def test_a_file_that_may_not_be_read_is_wrong(workspace: Path, listing: MemoryListing) -> None:
    """Its notes would silently be missing."""
    files = Forbidding(workspace, redactor=None)
    found = check_files(files, listing, "here")
    assert (found.state, found.detail) == ("wrong", "memory/2025-07-14.md: permission denied")


def test_a_folder_that_may_not_be_read_is_wrong(workspace: Path) -> None:
    """As one of its files would be."""
    files = MemoryFolder(workspace, redactor=None)
    listing = MemoryListing(files=(), warnings=("memory: left out",), closed=("memory",))
    found = check_files(files, listing, "here")
    assert (found.state, found.detail) == ("wrong", "memory cannot be looked into")


def test_a_file_that_is_gone_meanwhile_is_fine(workspace: Path, listing: MemoryListing) -> None:
    """It was there when they were listed."""
    (workspace / "memory" / "2025-07-14.md").unlink()
    files = MemoryFolder(workspace, redactor=None)
    assert check_files(files, listing, "here").state == "ok"
