"""Kinds of memory beside one another: what one holds changes nothing in the scores of another."""

from __future__ import annotations

from pathlib import Path

import recollect
from recollect.memory import Memory

SAID = ("The oven is broken.", "Tea at four, as ever.", "Tests of the oven begin on Monday.")


def _scores(memory: Memory) -> dict[str, float]:
    hits = memory.search("when do tests of the oven begin", sources=["sessions"]).hits
    return {hit.snippet: round(hit.score, 5) for hit in hits}


def test_words_of_observations_do_not_make_those_of_messages_common(tmp_path: Path) -> None:
    """A word is as rare as it is in its own kind of memory; docs/experiments.md, sources."""
    with recollect.open(tmp_path / "home", overrides={"embedding.provider": "none"}) as memory:
        session = memory.sessions.create().id
        memory.sessions.append_many(session, [("user", text) for text in SAID])
        alone = _scores(memory)
        given = {"command": "pytest", "description": "Run the tests"}
        memory.observations.record_many(
            {"session_id": session, "tool_name": "Bash", "input": given} for _ in range(40)
        )
        assert _scores(memory) == alone
        assert len(memory.search("tests", sources=["observations"]).hits) == 6
