"""What is remembered of the command between processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.backends.qmd.engine import FILE_NAME, QmdState, read_state, write_state


def test_what_is_remembered_comes_back(tmp_path: Path) -> None:
    """Times and the reason."""
    state = QmdState(updated_at=5, failed_at=7, reason="qmd took too long")
    write_state(tmp_path, state)
    assert read_state(tmp_path) == state


@pytest.mark.parametrize("content", [b"", b"{", b'{"updated_at": "x"}'])
def test_what_cannot_be_read_is_nothing(tmp_path: Path, content: bytes) -> None:
    """The command is asked again."""
    (tmp_path / FILE_NAME).write_bytes(content)
    assert read_state(tmp_path) == QmdState()


def test_a_folder_that_is_gone_remembers_nothing(tmp_path: Path) -> None:
    """That is no reason to fail."""
    write_state(tmp_path / "gone", QmdState(updated_at=5))
    assert read_state(tmp_path / "gone") == QmdState()
