"""What is not a tool that went well is captured, too."""

from __future__ import annotations

from pathlib import Path

import recollect


def test_failures_sub_agents_and_interruptions_are_observations(tmp_path: Path) -> None:
    """docs/observations.md: each under its event, with a title by rule."""
    with recollect.open(tmp_path / "home", overrides={"embedding.provider": "none"}) as memory:
        session = memory.sessions.create().id
        observations = [
            memory.observations.record(session, "Bash", input={"command": "make"}, error="no rule"),
            memory.observations.record(session, event="subagent", output="The tests are slow."),
            memory.observations.record(session, "Bash", event="interrupted"),
            memory.observations.record(session, event="compaction", output="We moved the files."),
        ]
    assert [(o.event, o.title) for o in observations] == [
        ("tool_failed", "Bash: make (failed)"),
        ("subagent", "The tests are slow."),
        ("interrupted", "The turn was interrupted"),
        ("compaction", "We moved the files."),
    ]
