"""The qmd back end against the real npm package, in its keyword mode; `make qmd` installs it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.memory import Memory

PROGRAM = Path(__file__).parents[3] / ".cache" / "qmd" / "qmd-2.8.3"

pytestmark = pytest.mark.skipif(
    not PROGRAM.is_file(), reason="the npm package @tobilu/qmd is not installed: `make qmd`"
)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Notes, one of them with a name that nobody would choose, and files that are no memory."""
    folder = tmp_path / "workspace"
    notes = {
        "MEMORY.md": "# Long term\n\nThe kettle is old.\n\n## Router\n\nIt is in the kitchen.\n",
        "memory/2026-01-02.md": "# Friday\n\nThe zanzibar blend, password: tr0ub4dor-3x\n",
        "memory/sub/My File, v2 [a].md": "# Odd\n\nOolong is for guests.\n",
        "README.md": "The zanzibar readme.\n",
    }
    for name, content in notes.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return folder


@pytest.fixture
def memory(tmp_path: Path, workspace: Path) -> Iterator[Memory]:
    """Searches by the real command."""
    overrides = {
        "embedding.provider": "none",
        "search.backend": "qmd",
        "qmd.command": str(PROGRAM),
        "qmd.timeout_ms": 60_000,
    }
    with recollect.open(tmp_path / "home", workspace, overrides=overrides) as opened:
        yield opened


def _found(memory: Memory, query: str) -> list[tuple[str | None, str]]:
    result = memory.search(query, sources=["memory"])
    assert not any("builtin" in warning for warning in result.warnings), result.warnings
    assert all(set(hit.why) == {"qmd"} and 0 < hit.score <= 1 for hit in result.hits)
    return [(hit.path, hit.snippet) for hit in result.hits]


def test_files_are_found_by_the_real_command(memory: Memory) -> None:
    """Only memory files, whatever their names, without their secrets."""
    ((path, snippet),) = _found(memory, "zanzibar")
    assert path == "memory/2026-01-02.md"
    assert "zanzibar blend" in snippet
    assert "tr0ub4dor" not in snippet
    assert [path for path, _ in _found(memory, "oolong")] == ["memory/sub/My File, v2 [a].md"]
    assert _found(memory, "--help") == []
    assert _found(memory, "rooibos") == []


def test_lines_are_those_of_the_file(memory: Memory) -> None:
    """What a hit names can be read."""
    (hit,) = memory.search("kitchen", sources=["memory"]).hits
    assert hit.path is not None
    assert hit.start_line is not None
    assert hit.end_line is not None
    read = memory.read(hit.path, hit.start_line, hit.end_line - hit.start_line + 1)
    assert "kitchen" in read.text


def test_a_sync_shows_it_what_changed(memory: Memory, workspace: Path) -> None:
    """New, changed and removed files."""
    assert [path for path, _ in _found(memory, "kettle")] == ["MEMORY.md"]
    (workspace / "MEMORY.md").write_text("# Long term\n\nThe samovar.\n", encoding="utf-8")
    (workspace / "memory" / "new.md").write_text("A new kettle.\n", encoding="utf-8")
    (workspace / "memory" / "2026-01-02.md").unlink()
    assert memory.sync().warnings == ()
    assert [path for path, _ in _found(memory, "kettle")] == ["memory/new.md"]
    assert [path for path, _ in _found(memory, "samovar")] == ["MEMORY.md"]
    assert _found(memory, "zanzibar") == []


def test_messages_are_found_beside_files(memory: Memory) -> None:
    """From the builtin index."""
    session = memory.sessions.create(key="k")
    memory.sessions.append(session.id, "user", "Is the kettle old?")
    assert {hit.source for hit in memory.search("kettle").hits} == {"memory", "sessions"}


def test_a_damaged_index_of_the_command_is_made_again(memory: Memory, tmp_path: Path) -> None:
    """Until then the builtin index answers."""
    assert _found(memory, "kettle")
    (index,) = (tmp_path / "home" / "qmd").glob("*/index.sqlite")
    for path in index.parent.glob("index.sqlite*"):
        path.write_bytes(b"no database" * 1_000)
    result = memory.search("kettle")
    assert {hit.path for hit in result.hits} == {"MEMORY.md"}
    assert "SQLITE_NOTADB): the builtin index answered" in result.warnings[-1]
    assert memory.sync().warnings == ()
    assert [path for path, _ in _found(memory, "kettle")] == ["MEMORY.md"]
