"""`recollect backup` and `recollect restore`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run


def test_a_backup_restores_what_was_said(
    run: Run, filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Into a home that was not there; issue 10, B2."""
    archive = tmp_path / "copies" / "mine.recollect"
    archive.parent.mkdir()
    made = run("--home", filled, "backup", archive, "--json")
    assert made.code == 0
    assert made.json["path"] == str(archive)
    assert archive.stat().st_mode & 0o777 == 0o600
    other = tmp_path / "other"
    done = run("--home", other, "restore", archive, "--json")
    assert done.code == 0
    assert done.json["aside"] is None
    (hit, *_) = run("--home", other, "search", "café delivery", "--json").json["hits"]
    assert "Thursdays" in hit["snippet"]
    assert run("--home", other, "doctor", "--json").json["healthy"]
