"""Memory files on the command line: links between their lines and observations."""

from __future__ import annotations

from pathlib import Path

import pytest

import recollect
from tests.unit.cli.conftest import Run


@pytest.fixture
def decided(tmp_path: Path, workspace: Path) -> Path:
    """A home in which something was decided for the project in which the workspace lies."""
    home = tmp_path / "decided"
    with recollect.open(home, overrides={"embedding.provider": "none"}, live=False) as memory:
        session = memory.sessions.create(project=str(workspace)).id
        memory.observations.record(session, type="decision", title="Redis for the queue")
        memory.observations.record(session, type="bugfix", title="The pump leaked")
    (home / "config.yaml").write_text(
        f"embedding:\n  provider: none\nworkspace:\n  path: {workspace}\n", "utf-8"
    )
    (workspace / "MEMORY.md").write_text("# Queue\n\nSee: observation #1\n", "utf-8")
    return home


def test_search_and_get_show_links_both_ways(run: Run, decided: Path) -> None:
    """Issue 13.6: `#1234` of a memory file is a place to go to, and knows who names it."""
    found = run("--home", decided, "search", "queue")
    assert "    line 3 names #1 Redis for the queue" in found.out.splitlines()
    assert "    named in MEMORY.md:3" in found.out.splitlines()
    hits = run("--home", decided, "search", "queue", "--json").json["hits"]
    links = {hit["source"]: hit["links"] for hit in hits if hit["links"]}
    assert links["memory"] == links["observations"]
    assert (links["memory"][0]["line"], links["memory"][0]["number"]) == (3, 1)
    assert "named in MEMORY.md:3" in run("--home", decided, "get", "#1").out
    got = run("--home", decided, "get", "#1", "--json").json["found"][0]
    assert got["links"] == links["memory"]
    read = run("--home", decided, "get", "MEMORY.md")
    assert "line 3 names #1 Redis for the queue" in read.err
    assert run("--home", decided, "get", "MEMORY.md", "--json").json["links"] == got["links"]


def test_sync_section_keeps_a_section_in_a_file(run: Run, decided: Path, workspace: Path) -> None:
    """Issue 13.6: shown first, written, taken out again; the rest stays byte for byte."""
    file = workspace / "MEMORY.md"
    before = file.read_bytes()
    tried = run("--home", decided, "memory", "sync-section", file, "--dry-run")
    assert (tried.code, file.read_bytes()) == (0, before)
    assert [line[:5] for line in tried.out.splitlines()[2:]] == ["- [#1", "- [#2"]
    assert "would be written, 2 observations" in tried.err
    done = run("--home", decided, "memory", "sync-section", file, "--json").json
    assert (done["outcome"], done["numbers"], done["path"]) == ("written", [1, 2], str(file))
    assert file.read_text("utf-8").splitlines()[4:-1] == done["lines"]
    again = run("--home", decided, "memory", "sync-section", file)
    assert "unchanged" in again.err
    assert run("--home", decided, "memory", "sync-section", file, "--remove").code == 0
    assert file.read_bytes() == before
    nothing = run("--home", decided, "memory", "sync-section", file, "--remove")
    assert "nothing to write or remove" in nothing.err


def test_sync_section_leaves_an_edited_section_alone(
    run: Run, decided: Path, workspace: Path
) -> None:
    """With a code, and what to do; --force overwrites."""
    file = workspace / "MEMORY.md"
    run("--home", decided, "memory", "sync-section", file, "--project", workspace)
    edited = file.read_text("utf-8").replace("pump", "boiler")
    file.write_text(edited, "utf-8")
    refused = run("--home", decided, "memory", "sync-section", file, "--json")
    assert (refused.code, refused.error["code"]) == (1, "conflict")
    assert "--force" in refused.error["hint"]
    assert "boiler" not in refused.err
    assert file.read_text("utf-8") == edited
    assert run("--home", decided, "memory", "sync-section", file, "--force").code == 0
    assert "pump" in file.read_text("utf-8")


def test_memory_alone_lists_the_files_with_a_section(
    run: Run, decided: Path, workspace: Path
) -> None:
    """So that nobody forgets one before an uninstall."""
    assert "sync-section" in run("--home", decided, "memory").err
    files = [workspace / name for name in ("AGENTS.md", "CLAUDE.md", "MEMORY.md")]
    for file in files:
        run("--home", decided, "memory", "sync-section", file)
    assert run("--home", decided, "memory").out.split() == list(map(str, files))
    files[0].unlink()
    files[1].write_text("<!-- recollect:begin -->\n", "utf-8")
    listed = run("--home", decided, "memory", "--json").json
    assert listed == {"files": list(map(str, files[1:]))}
    run("--home", decided, "memory", "sync-section", files[2], "--remove")
    assert run("--home", decided, "memory").out.split() == [str(files[1])]


def test_uninstall_takes_sections_out_and_names_those_that_somebody_changed(
    run: Run, decided: Path, workspace: Path
) -> None:
    """What recollect wrote into files of the user goes with it; their own lines stay."""
    before = (workspace / "MEMORY.md").read_bytes()
    files = [workspace / name for name in ("CLAUDE.md", "MEMORY.md")]
    for file in files:
        run("--home", decided, "memory", "sync-section", file)
    edited = files[0].read_text("utf-8").replace("pump", "boiler")
    files[0].write_text(edited, "utf-8")
    planned = run("--home", decided, "uninstall", "--dry-run", "--json").json
    assert planned["sections"] == [str(files[1])]
    assert "you changed" in planned["stays"][str(files[0])]
    assert files[1].read_bytes() != before, "a dry run writes nothing"
    asked = run("--home", decided, "uninstall", "--json")
    assert "the section out of 1 file of yours" in asked.error["message"]
    done = run("--home", decided, "uninstall", "--with-memory", "--yes")
    assert done.code == 0
    assert f"taken out  the section of {files[1]}" in done.out
    assert files[1].read_bytes() == before
    assert files[0].read_text("utf-8") == edited
    assert not decided.exists()
