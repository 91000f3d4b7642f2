"""`recollect sync` and `recollect reindex`."""

from __future__ import annotations

from pathlib import Path

from tests.unit.cli.conftest import Run


def test_sync_tells_what_it_did(run: Run, home: Path, workspace: Path, chat: Path) -> None:
    """And the second time that there was nothing to do."""
    run("--home", home, "init", "--workspace", workspace)
    run("--home", home, "import", "jsonl", chat)
    first = run("--home", home, "sync")
    assert first.out.startswith("up to date in ")
    assert first.out.endswith(": 5 documents, 5 chunks\n")
    assert run("--home", home, "sync").out.endswith(": nothing new\n")


def test_a_removed_file_is_told(run: Run, filled: Path, workspace: Path) -> None:
    """What is gone is not found any more."""
    (workspace / "memory" / "2025-07-14.md").unlink()
    assert run("--home", filled, "sync").out.endswith(": 1 document removed\n")


def test_a_file_that_cannot_be_read_is_a_warning(run: Run, filled: Path, workspace: Path) -> None:
    """The rest is indexed."""
    (workspace / "memory" / "odd.md").write_bytes(b"\0\1\2")
    done = run("--home", filled, "sync")
    assert done.code == 0
    assert "warning: memory/odd.md" in done.err


def test_reindex_says_that_the_old_index_answers(run: Run, filled: Path) -> None:
    """And what the new one holds."""
    done = run("--home", filled, "reindex")
    assert "the old one answers meanwhile" in done.err
    assert done.out.startswith("rebuilt in ")
    assert "5 chunks" in done.out


def test_both_answer_in_json(run: Run, filled: Path) -> None:
    """Nothing on stderr."""
    for command, rebuilt in (("sync", False), ("reindex", True)):
        done = run("--home", filled, command, "--json")
        assert done.err == ""
        assert done.json["rebuilt"] is rebuilt
        assert done.json["took_ms"] >= 0
