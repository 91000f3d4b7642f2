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
