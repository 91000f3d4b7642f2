"""Homes for quality runs: filled once, complete or absent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.datasets.cranfield import load_cranfield
from benchmarks.datasets.locomo import load_locomo
from benchmarks.quality.homes import Homes, Progress, complete_folder, work_folder

if TYPE_CHECKING:
    from tests.unit.benchmarks.conftest import ScriptedOpener


def test_a_home_knows_which_turn_every_hit_stands_for(
    data_folder: Path, tmp_path: Path, opener: ScriptedOpener, progress: Progress
) -> None:
    """By session and place, in the order in which the turns were stored."""
    data = load_locomo(data_folder)

    home = Homes(tmp_path, opener, progress).of_conversations(data, data.conversations[:1], {})

    assert home.keys == {
        "s0#1": "conv-1/D1:1",
        "s0#2": "conv-1/D1:2",
        "s1#1": "conv-1/D2:1",
        "s1#2": "conv-1/D2:2",
    }
    assert home.workspace is None
    assert home.cost.stored.count == 4


def test_a_complete_home_is_used_again(
    data_folder: Path, tmp_path: Path, opener: ScriptedOpener, progress: Progress
) -> None:
    """By the next run too; other settings of the index mean another home."""
    data = load_locomo(data_folder)
    first = Homes(tmp_path, opener, progress).of_conversations(data, data.conversations, {})

    again = Homes(tmp_path, opener, progress).of_conversations(data, data.conversations, {})
    other = Homes(tmp_path, opener, progress).of_conversations(
        data, data.conversations, {"chunking.tokens": "300"}
    )

    assert (again, opener.syncs) == (first, 2)
    assert other.folder != first.folder
    assert opener.opened == [{}, {"chunking.tokens": "300"}]


def test_documents_become_memory_files(
    data_folder: Path, tmp_path: Path, opener: ScriptedOpener, progress: Progress
) -> None:
    """One file each, empty ones too."""
    home = Homes(tmp_path, opener, progress).of_documents(load_cranfield(data_folder), {})

    assert home.workspace is not None
    files = sorted(path.name for path in (home.workspace / "memory").iterdir())
    assert files == ["1.md", "2.md", "3.md"]
    assert home.keys["memory/2.md"] == "2"


def test_an_interrupted_run_leaves_nothing(
    data_folder: Path, tmp_path: Path, opener: ScriptedOpener, progress: Progress
) -> None:
    """Ctrl-C while indexing: no folder that a later run would take for finished."""
    data = load_locomo(data_folder)
    root = tmp_path / "kept"
    root.mkdir()
    opener.fail_on_sync = True

    with pytest.raises(KeyboardInterrupt):
        Homes(root, opener, progress).of_conversations(data, data.conversations, {})

    assert list(root.iterdir()) == []


def test_leftovers_of_a_killed_run_are_removed(tmp_path: Path) -> None:
    """Kill -9 leaves the partial folder; the next run starts it afresh."""
    (tmp_path / "home.partial").mkdir()
    (tmp_path / "home.partial" / "half").touch()

    with complete_folder(tmp_path / "home") as folder:
        assert list(folder.iterdir()) == []

    assert (tmp_path / "home").is_dir()
    assert not folder.exists()


def test_work_without_a_place_is_gone_afterwards(tmp_path: Path) -> None:
    """A kept folder stays, made where it was missing."""
    with work_folder(None) as root:
        assert root.is_dir()
    assert not root.exists()

    with work_folder(tmp_path / "a" / "b") as kept:
        assert kept.is_dir()
    assert kept.is_dir()
