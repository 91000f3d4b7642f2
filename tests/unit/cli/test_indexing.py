"""`recollect sync` and `recollect reindex`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run


def test_sync_tells_what_it_did(run: Run, home: Path, workspace: Path, chat: Path) -> None:
    """And the second time that there was nothing to do."""
    run("--home", home, "init", "--workspace", workspace)
    first = run("--home", home, "sync")
    assert first.out.startswith("up to date in ")
    assert first.out.endswith(": 1 document, 1 chunk\n")
    run("--home", home, "import", "jsonl", chat)  # indexes what it brought in, to say what it made
    assert run("--home", home, "sync").out.endswith(": nothing new\n")


def test_a_removed_file_is_told(run: Run, filled: Path, workspace: Path) -> None:
    """What is gone is not found any more."""
    (workspace / "memory" / "2025-07-14.md").unlink()
    assert run("--home", filled, "sync").out.endswith(": 1 document removed\n")


@pytest.mark.parametrize("command", ["sync", "reindex"])
def test_a_file_that_cannot_be_read_is_told(
    run: Run, filled: Path, workspace: Path, command: str
) -> None:
    """The rest is indexed; it stays so, and is no failure."""
    (workspace / "memory" / "odd.md").write_bytes(b"\0\1\2")
    (workspace / "memory" / "latin.md").write_bytes(b"caf\xe9")
    done = run("--home", filled, command)
    assert done.code == 0
    assert "warning: memory/odd.md: left out, the file is binary" in done.err
    assert "warning: memory/latin.md: bytes that are not UTF-8 were replaced" in done.err
    document = run("--home", filled, command, "--json")
    assert (document.code, document.err) == (0, "")
    assert len(document.json["warnings"]) >= 1


def test_a_link_is_told_and_is_no_failure(run: Run, filled: Path, workspace: Path) -> None:
    """It is left out on purpose."""
    (workspace / "memory" / "link.md").symlink_to("2025-07-14.md")
    done = run("--home", filled, "sync")
    assert done.code == 0
    assert "warning: memory/link.md: left out, symlink" in done.err


def test_reindex_says_that_the_old_index_answers(run: Run, filled: Path) -> None:
    """And what the new one holds."""
    done = run("--home", filled, "reindex")
    assert "the old one answers meanwhile" in done.err
    assert done.out.startswith("rebuilt in ")
    assert "6 chunks" in done.out


def test_both_answer_in_json(run: Run, filled: Path) -> None:
    """Nothing on stderr."""
    for command, rebuilt in (("sync", False), ("reindex", True)):
        done = run("--home", filled, command, "--json")
        assert done.err == ""
        assert done.json["rebuilt"] is rebuilt
        assert done.json["took_ms"] >= 0
