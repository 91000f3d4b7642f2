"""`recollect export --all`, and `recollect import` of what it wrote and of what claude-mem kept."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.claude_mem import ClaudeMem
from tests.unit.cli.conftest import Run


@pytest.fixture
def document(run: Run, filled: Path, tmp_path: Path) -> Path:
    """An export of a home that holds something."""
    path = tmp_path / "memory.jsonl"
    done = run("--home", filled, "export", "--all", path)
    assert done.code == 0, done.err
    return path


def test_everything_leaves_and_comes_in_again(run: Run, document: Path, tmp_path: Path) -> None:
    """The file tells what it is; twice is once."""
    other = tmp_path / "other"
    first = run("--home", other, "import", document)
    assert first.code == 0, first.err
    assert "new message" in first.out
    again = run("--home", other, "import", "recollect", document, "--json").json
    assert again["added"] == {}
    assert again["known"] > 0
    assert again["dry_run"] is False


def test_what_was_written_is_shown(run: Run, filled: Path, tmp_path: Path) -> None:
    """For people and for programs; a file that is there stays without --force."""
    path = tmp_path / "memory.jsonl"
    assert "exported" in run("--home", filled, "export", "--all", path).out
    refused = run("--home", filled, "export", "--all", path, "--json")
    assert refused.error["code"] == "conflict"
    report = run("--home", filled, "export", "--all", path, "--force", "--json").json
    assert report["bytes"] == path.stat().st_size
    assert report["counts"]["session"] >= 1


def test_a_dry_run_needs_a_home_and_changes_nothing(
    run: Run, document: Path, tmp_path: Path
) -> None:
    """It shows what would come."""
    other = tmp_path / "other"
    assert run("--home", other, "import", document, "--dry-run").code == 2
    run("--home", other, "init")
    plan = run("--home", other, "import", document, "--dry-run")
    assert plan.out.startswith("would be stored")
    assert run("--home", other, "sessions", "--json").json["sessions"] == []


def test_it_goes_through_pipes(filled: Path, tmp_path: Path) -> None:
    """`export --all - | import -`, in two processes."""
    command = [sys.executable, "-m", "recollect", "--home"]
    out = subprocess.run(
        [*command, str(filled), "export", "--all", "-"], capture_output=True, check=True
    )
    assert out.stdout.startswith(b'{"header":{"recollect_export":1')
    into = [*command, str(tmp_path / "other"), "import", "-", "--json"]
    done = subprocess.run(into, input=out.stdout, capture_output=True, check=True)
    assert json.loads(done.stdout)["added"]["session"] >= 1
    cut = subprocess.run(into, input=out.stdout[:-50], capture_output=True, check=False)
    assert cut.returncode == 2
    assert json.loads(cut.stderr)["error"]["code"] == "invalid_input"


def test_options_narrow_it(run: Run, filled: Path, tmp_path: Path) -> None:
    """As in search and sessions; --for-session hears what that session hears."""
    session = run("--home", filled, "sessions", "--json").json["sessions"][0]["id"]
    for number, narrowing in enumerate(
        (
            ["--session", session],
            ["--since", "2000-01-01"],
            ["--user", "nobody"],
            ["--for-session", session],
        )
    ):
        path = tmp_path / f"{number}.jsonl"
        report = run("--home", filled, "export", "--all", path, *narrowing, "--json").json
        assert bool(report["counts"].get("session")) == (number != 2)


@pytest.mark.parametrize(
    "words",
    [
        ["export", "--all", "x.jsonl", "--format", "jsonl"],
        ["export", "--all", "-", "--json"],
        ["export", "--all", "-", "--force"],
        ["export", "Tea", "--since", "yesterday"],
        ["export", "--all", "x.jsonl", "--since", "someday"],
        ["import", "recollect"],
        ["import", "recollect", "a", "b"],
        ["import", "claude-mem", "gone.db", "--other-tenant"],
        ["import", "jsonl", "x", "--dry-run"],
    ],
)
def test_words_that_do_not_fit_are_refused(run: Run, filled: Path, words: list[str]) -> None:
    """With a hint."""
    done = run("--home", filled, *words)
    assert done.code == 2
    assert "hint" in done.err


def test_all_without_a_file_asks_for_a_file(run: Run, filled: Path) -> None:
    """It said that a session is missing."""
    done = run("--home", filled, "export", "--all")
    assert (done.code, "'SESSION|FILE'" in done.err) == (2, True)


def test_a_claude_mem_that_is_not_there_is_looked_for_where_it_says(
    run: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the folder: nobody named one."""
    monkeypatch.setenv("CLAUDE_MEM_DATA_DIR", str(tmp_path / "data"))
    done = run("--home", home, "import", "claude-mem", "--json")
    assert (done.code, done.error["code"]) == (1, "not_found")
    assert str(tmp_path / "data" / "claude-mem.db") in done.error["message"]


def test_a_damaged_document_is_named(run: Run, document: Path, tmp_path: Path) -> None:
    """Exit 2 and nothing stored; a file that is missing is exit 1."""
    document.write_bytes(document.read_bytes()[:-200])
    done = run("--home", tmp_path / "other", "import", document)
    assert done.code == 2
    assert "cut off" in done.err or "changed" in done.err
    assert run("--home", tmp_path / "other", "import", "recollect", "gone.jsonl").code == 1


def test_claude_mem_is_found_where_it_keeps_its_database(
    run: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a path, as a folder, and by the name of its file."""
    kept = ClaudeMem(tmp_path / "data" / "claude-mem.db")
    kept.session()
    kept.prompt("make the tea")
    kept.observation("decision", "milk first")
    monkeypatch.setenv("CLAUDE_MEM_DATA_DIR", str(tmp_path / "data"))
    assert "1 new observation" in run("--home", home, "import", "claude-mem").out
    for words in (["claude-mem", tmp_path / "data"], [kept.path], ["auto", kept.path]):
        again = run("--home", home, "import", *words, "--json").json
        assert (again["added"], again["source"]) == ({}, "claude-mem schema 49")


def test_what_is_left_out_is_told(run: Run, home: Path, tmp_path: Path) -> None:
    """With the reason."""
    kept = ClaudeMem(tmp_path / "claude-mem.db")
    kept.session()
    kept.observation("decision", "milk first")
    run("--home", home, "config", "set", "privacy.exclude_projects", "tea")
    done = run("--home", home, "import", kept.path)
    assert "nothing new" in done.out
    assert "not captured" in done.err
