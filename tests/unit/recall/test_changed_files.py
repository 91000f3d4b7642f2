"""Changed files whose paths are known are read without looking at all the others, where it is safe.

What is read must be what a scan of everything would have read.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from recollect.core.scope import Scope
from recollect.index.model.document import SourceState
from recollect.index.model.origin import path_of
from recollect.recall.memory_source import MemorySource
from recollect.workspace.memory_folder import MemoryFolder


class Known:
    """A workspace that was read once; refs of what is put and removed afterwards."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.write("MEMORY.md", "apple")
        self.write("memory/a.md", "apricot")
        self.write("memory/deep/b.md", "banana")
        self.files = MemorySource(MemoryFolder(folder, redactor=None), Scope())
        (batch,) = self.files.batches(SourceState(0, {}))
        self.stamps = {document.ref: document.stamp or "" for document in batch.documents}

    def write(self, path: str, text: str) -> None:
        """Write a file of the workspace."""
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text, encoding="utf-8")

    def read(self, *changed: str) -> tuple[list[str], list[str]]:
        """Return what is put and what is removed when these paths are said to have changed."""
        paths = frozenset(str(self.folder / path) for path in changed)
        batches = list(self.files.batches(SourceState(0, self.stamps, paths)))
        put = [path_of(document.ref) for batch in batches for document in batch.documents]
        return put, [path_of(removal.ref) for batch in batches for removal in batch.removals]


@pytest.fixture
def known(tmp_path: Path) -> Known:
    """Three files that were read."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    return Known(folder)


def test_only_the_file_that_changed_is_looked_at(known: Known) -> None:
    """Another one that changed as well is found by the next scan of all."""
    known.write("memory/deep/b.md", "bananas")
    known.write("memory/a.md", "apricots")
    known.write("memory/new.md", "cherry")
    assert known.read("memory/deep/b.md") == (["memory/deep/b.md"], [])
    assert known.read("memory/new.md", "memory/a.md") == (["memory/a.md", "memory/new.md"], [])
    assert known.read() == ([], [])


def test_a_file_that_is_gone_is_removed_alone(known: Known) -> None:
    """Nothing else is taken for gone."""
    (known.folder / "memory/a.md").unlink()
    (known.folder / "MEMORY.md").unlink()
    assert known.read("memory/a.md") == ([], ["memory/a.md"])


@pytest.mark.parametrize("path", ["memory", "memory/deep", "memory/gone.md", "../elsewhere/x.md"])
def test_a_path_that_may_be_more_than_a_file_has_all_looked_at(known: Known, path: str) -> None:
    """A folder that was moved, or a file that nobody knows: everything may have changed."""
    known.write("MEMORY.md", "apples")
    (known.folder / "memory/a.md").unlink()
    assert known.read(path) == (["MEMORY.md"], ["memory/a.md"])


def test_a_changed_path_over_a_link_is_left_out(known: Known, tmp_path: Path) -> None:
    """As by a scan: links lead out of the workspace."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/c.md").write_text("cherry", encoding="utf-8")
    os.symlink(tmp_path / "outside", known.folder / "memory/link")
    (known.folder / "memory/a.md").unlink()
    os.symlink(tmp_path / "outside/c.md", known.folder / "memory/a.md")
    assert known.read("memory/link/c.md") == ([], ["memory/a.md"])
    assert known.read("memory/a.md") == ([], ["memory/a.md"])
