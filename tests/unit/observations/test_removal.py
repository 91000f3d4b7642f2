"""Removal: an erased or pruned session takes its observations along, blobs included."""

from __future__ import annotations

from pathlib import Path

import pytest

import recollect
from recollect.core.errors import Denied
from recollect.memory import Memory

WORDS_ONLY = {"embedding.provider": "none"}
LONG = "".join(f"zanzibar {n}\n" for n in range(3_000))


def _fill(memory: Memory) -> tuple[str, str]:
    """Two sessions with an observation each; both have the same long output."""
    ids = memory.sessions.create().id, memory.sessions.create().id
    for n, session in enumerate(ids):
        memory.sessions.append(session, "user", "go on")
        memory.observations.record(
            session, "Bash", input={"command": f"quagga{n}"}, output=LONG,
            title=f"okapi{n}", error=f"Error: marmot{n}", files=[f"/x/numbat{n}"],
        )  # fmt: skip
    memory.sync()
    return ids


def _holds(home: Path, word: str) -> list[str]:
    return [p.name for p in home.rglob("*") if p.is_file() and word.encode() in p.read_bytes()]


def test_nothing_of_an_observation_is_left_after_an_erasure(tmp_path: Path) -> None:
    """DESIGN, section 10: 0 bytes after erase; what another session observed stays."""
    with recollect.open(tmp_path / "home", overrides=WORDS_ONLY) as memory:
        first, second = _fill(memory)
        receipt = memory.erase(session_id=first, dry_run=True)
        assert receipt.counts["observations"] == 1
        assert memory.erase(session_id=first).is_clean
        words = ("quagga0", "okapi0", "marmot0", "numbat0")
        assert [word for word in words if _holds(memory.home, word)] == []
        (remaining,) = memory.observations.get("#2", max_tokens=None).found
        assert remaining.output == LONG, "the blob is named by another observation"
        assert memory.erase(session_id=second).is_clean
        assert _holds(memory.home, "zanzibar") == []
        newest = memory.observations.record(memory.sessions.create().id, summary="New")
        assert newest.number == 3, "numbers are never used again"


def test_a_pruned_session_takes_its_observations_along(tmp_path: Path) -> None:
    """Retention by sessions: rows, index and blobs."""
    caps = {**WORDS_ONLY, "sessions.retention.max_sessions": 1}
    with recollect.open(tmp_path / "home", overrides=caps, live=False) as memory:
        _fill(memory)
        memory.prune()
        assert [o.number for o in memory.observations.list()] == [2]
        assert memory.search("okapi0", sources=["observations"]).hits == []
        assert _holds(memory.home, "zanzibar")
        assert memory.observations.get("#1").missing == ("#1",)


def test_a_backup_holds_observations_and_their_blobs(tmp_path: Path) -> None:
    """Restored, they read the same."""
    with recollect.open(tmp_path / "home", overrides=WORDS_ONLY) as memory:
        _fill(memory)
        before = memory.observations.get(["#1", "#2"], max_tokens=None)
        memory.backup(tmp_path / "copy.tar.zst")
    recollect.restore(tmp_path / "copy.tar.zst", tmp_path / "again")
    with recollect.open(tmp_path / "again", overrides=WORDS_ONLY) as memory:
        assert memory.observations.get(["#1", "#2"], max_tokens=None) == before


def test_a_call_of_our_own_makes_no_observation(tmp_path: Path) -> None:
    """docs/observations.md: what was recalled is not remembered again."""
    with recollect.open(tmp_path / "home", overrides=WORDS_ONLY) as memory:
        session = memory.sessions.create().id
        for tool, tool_input in (
            ("mcp__recollect__memory_search", {"query": "x"}),
            ("Read", {"file_path": str(memory.home / "transcripts" / "a.jsonl")}),
        ):
            with pytest.raises(Denied, match="of our own"):
                memory.observations.record(session, tool, input=tool_input)
        assert memory.observations.list() == []
