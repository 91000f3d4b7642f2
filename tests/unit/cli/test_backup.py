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


def test_people_are_told_where_it_is_and_what_was_kept(
    run: Run, filled: Path, workspace: Path, tmp_path: Path
) -> None:
    """On stdout; what is to be known comes as a warning."""
    archive = tmp_path / "mine.tar.zst"
    made = run("--home", filled, "--workspace", workspace, "backup", archive, "--workspace")
    assert made.out.startswith(f"backed up  {archive} (")
    assert "holds" in made.out
    assert run("--home", filled, "backup", archive).code == 1
    assert run("--home", filled, "backup", archive, "--workspace", "--force").code == 0
    notes = tmp_path / "notes"
    (notes / "memory").mkdir(parents=True)
    (notes / "memory" / "2025-07-14.md").write_text("Mine.\n", "utf-8")
    done = run("--home", filled, "restore", archive, "--workspace", notes)
    assert done.out.startswith(f"restored  {filled}, of ")
    assert f"before  {filled}.before-" in done.out
    assert "wrote   memory/2025-07-14.md" in done.out
    assert "kept    memory/2025-07-14.md.before-" in done.out
    assert "warning: tokens and keys" in done.err


def test_errors_say_what_to_do(run: Run, filled: Path, tmp_path: Path) -> None:
    """As JSON where that is asked for; without arguments it is wrong usage."""
    junk = tmp_path / "junk"
    junk.write_text("no backup", "utf-8")
    done = run("--home", filled, "restore", junk, "--json")
    assert (done.code, done.error["code"]) == (1, "invalid_input")
    assert "recollect backup" in done.error["hint"]
    assert run("--home", tmp_path / "none", "backup", tmp_path / "x", "--json").code == 1
    assert run("backup").code == run("restore").code == 2
    assert not (tmp_path / "none").exists()
