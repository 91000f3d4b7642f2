"""Memory files over HTTP: their paths, their text, and the chunks that the index made of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.running_server import RunningServer
from tests.unit.server.client import Client

DIARY = "# May\n\nplain words before\n\n## Tea\n\n- green\n\n```\n# no heading\n```\nafter it\n"
LONG = "\n".join(f"Line {number} of a long note about the tides." for number in range(400))


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """The owner's client of a real server, with a workspace."""
    workspace = tmp_path / "workspace"
    (workspace / "memory").mkdir(parents=True)
    (workspace / "MEMORY.md").write_text("# Tea\n- Keep it dry.\n- Warm the pot.\n", "utf-8")
    (workspace / "memory" / "2026-05-04.md").write_text(DIARY, "utf-8")
    (workspace / "memory" / "2026-05-05.md").write_text(f"# Tides\n{LONG}\n", "utf-8")
    with RunningServer(tmp_path / "home", overrides={"workspace.path": str(workspace)}) as server:
        assert Client(server).post("/api/sync")[0] == 200
        yield Client(server)


def test_files_are_listed(client: Client) -> None:
    """Issue 25: what there is to read."""
    paths = client.get("files", "paths")[1]["paths"]
    assert paths == ["MEMORY.md", "memory/2026-05-04.md", "memory/2026-05-05.md"]


def test_a_file_is_shown_with_its_chunks(client: Client) -> None:
    """Issue 25: text, and of each chunk its lines, its heading and its cost."""
    shown = client.get("files", "chunks", path="MEMORY.md")[1]
    assert shown["text"] == "# Tea\n- Keep it dry.\n- Warm the pot."
    rows = [(each["start_line"], each["end_line"], each["heading"]) for each in shown["chunks"]]
    assert rows == [(2, 2, "Tea"), (3, 3, "Tea")]
    assert len({each["id"] for each in shown["chunks"]}) == 2
    assert all(each["tokens"] > 4 for each in shown["chunks"])


def test_a_chunk_is_under_the_heading_above_it(client: Client) -> None:
    """Not under a line of code that looks like one; a long file is whole, as reads are not."""
    diary = client.get("files", "chunks", path="memory/2026-05-04.md")[1]
    assert diary["chunks"][0]["heading"] == "May"
    assert {each["heading"] for each in diary["chunks"]} <= {"May", "Tea"}
    long = client.get("files", "chunks", path="memory/2026-05-05.md")[1]
    assert (long["total_lines"], long["truncated"], long["text"].count("\n")) == (401, False, 400)
    assert len(long["chunks"]) > 2
    assert {each["heading"] for each in long["chunks"]} == {"Tides"}
    assert [each["start_line"] for each in long["chunks"]] == sorted(
        each["start_line"] for each in long["chunks"]
    )
    assert client.get("files", path="memory/2026-05-05.md")[1]["truncated"]


def test_chunks_of_a_changed_file_follow_it(client: Client, tmp_path: Path) -> None:
    """What is not written has no text and no chunk; what is not a memory file is refused."""
    (tmp_path / "workspace" / "MEMORY.md").write_text("# Pots\n- Brown ones.\n", "utf-8")
    client.post("/api/sync")
    (chunk,) = client.get("files", "chunks", path="MEMORY.md")[1]["chunks"]
    assert (chunk["heading"], chunk["start_line"]) == ("Pots", 2)
    none = client.get("files", "chunks", path="memory/2026-06-01.md")[1]
    assert (none["status"], none["text"], none["chunks"]) == ("not_found", "", [])
    assert client.get("files", "chunks", path="../secret.md")[0] == 403


def test_files_are_the_owners(client: Client) -> None:
    """A guest sees neither paths nor chunks, unless the settings share them."""
    guest = client.of("guest", audience="session:agent:main:telegram:acc:direct:7", rights="read")
    assert guest.get("files", "paths")[1] == {"paths": []}
    assert guest.get("files", "chunks", path="MEMORY.md")[0] == 403
