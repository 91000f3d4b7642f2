"""The public surface is what was written down; a change of it is seen line by line."""

from __future__ import annotations

import difflib

import pytest

from scripts.snapshots import FOLDER, SURFACES, snapshot

HINT = "a change for users: `make snapshots` takes it over, the changelog says it"


@pytest.mark.parametrize("name", SURFACES)
def test_the_public_surface_is_the_one_written_down(name: str) -> None:
    """Signatures, awaited twins, OpenAPI, MCP and what commands print as JSON."""
    kept = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    lines = difflib.unified_diff(
        kept.splitlines(), snapshot(name).splitlines(), "written down", "now", lineterm="", n=0
    )
    difference = "\n".join(lines)
    assert not difference, f"{HINT}\n{difference}"


def test_a_snapshot_is_no_leftover_of_a_surface_that_went() -> None:
    """One file each."""
    assert {path.stem for path in FOLDER.iterdir()} == set(SURFACES)


def test_the_snapshots_hold_the_names_of_the_design() -> None:
    """A surface that is not walked would be missing without a word."""
    python, awaited = (
        (FOLDER / f"{name}.txt").read_text("utf-8").splitlines() for name in ("python", "async")
    )
    for name in (
        *("recollect.open(", "memory.search(", "memory.read(", "memory.context(", "memory.erase("),
        *("memory.sessions.append(", "memory.sessions.history.add(", "memory.observations.record("),
        *("memory.events.since(", "memory.tokens.add(", "held.append(", "held.search(", "stream."),
        *("Hit.score: float", "ContextView.as_openai(", "recollect.core.errors.NotFound("),
        *("recollect.text.chunking.chunk_markdown(", "MemoryPool.memory("),
    ):
        assert any(line.startswith(name) for line in python), name
    assert "memory.search: awaited" in awaited
    assert any(line.startswith("memory.sessions.hold: called, gives ") for line in awaited)
