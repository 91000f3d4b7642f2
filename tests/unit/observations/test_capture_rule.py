"""What programs record is captured by the same rule as what is followed and imported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.core.clock import Clock
from recollect.core.errors import Denied
from recollect.memory import Memory
from tests.support.scripted_time import ScriptedTime


def opened(
    home: Path, settings: dict[str, Any] | None = None, clock: Clock | None = None
) -> Memory:
    """Return a memory with some settings, and without a background."""
    overrides = {"embedding.provider": "none", **(settings or {})}
    return recollect.open(home, overrides=overrides, live=False, clock=clock)


def test_a_skipped_tool_makes_no_observation_and_is_counted(tmp_path: Path) -> None:
    """By its name, or by a file that it names."""
    settings = {"capture.skip_tools": ["mcp__bank__*"], "capture.skip_paths": ["*.pem"]}
    with opened(tmp_path, settings) as memory:
        session = memory.sessions.create(project="/srv/shop")
        with pytest.raises(Denied) as tool:
            memory.observations.record(session.id, "mcp__bank__pay", input={"to": "Ann"})
        with pytest.raises(Denied) as file:
            memory.observations.record(session.id, "Read", input={"file_path": "/srv/key.pem"})
        assert (tool.value.facts["reason"], file.value.facts["reason"]) == ("tool", "file")
        assert memory.observations.list() == []
        assert memory.capture.counts() == {"file": 1, "tool": 1}


def test_a_pause_and_an_excluded_project_leave_out_what_programs_do(tmp_path: Path) -> None:
    """Until it ends; the project is that of the session unless another one is given."""
    with opened(tmp_path, {"privacy.exclude_projects": ["/srv/secret*"]}) as memory:
        session = memory.sessions.create(project="/srv/shop")
        with pytest.raises(Denied, match="exclude_projects"):
            memory.observations.record(session.id, "Bash", project="/srv/secret-1")
        memory.capture.pause()
        with pytest.raises(Denied, match="recollect resume"):
            memory.observations.record(session.id, "Bash")
        memory.capture.resume()
        assert memory.observations.record(session.id, "Bash").number == 1
        assert memory.capture.counts() == {"excluded": 1, "paused": 1}


def test_what_was_done_during_a_pause_stays_out_when_it_is_recorded_later(tmp_path: Path) -> None:
    """A spool is read after the pause."""
    time = ScriptedTime()
    with opened(tmp_path, clock=time) as memory:
        session = memory.sessions.create()
        during = memory.capture.pause().since
        time.pause(60)
        memory.capture.resume()
        with pytest.raises(Denied, match="paused"):
            memory.observations.record(session.id, "Bash", at=during)


def test_what_a_person_records_is_stored_in_any_case(tmp_path: Path) -> None:
    """It is an order, as `memory.sessions.append` is."""
    with opened(tmp_path, {"privacy.exclude_projects": ["/srv/*"]}) as memory:
        session = memory.sessions.create(project="/srv/shop")
        memory.capture.pause()
        memory.observations.record(session.id, summary="We chose SQLite.")
        memory.observations.record(session.id, "Bash", event="manual")
        assert len(memory.observations.list()) == 2
        assert memory.capture.counts() == {}


def test_of_many_only_those_are_left_out_that_are_not_captured(tmp_path: Path) -> None:
    """One that is left out does not cost the others."""
    with opened(tmp_path, {"capture.skip_tools": ["Secret"]}) as memory:
        session = memory.sessions.create()
        items = [{"session_id": session.id, "tool_name": t} for t in ("Bash", "Secret", "Read")]
        observations = memory.observations.record_many(items)
        assert [each.tool_name for each in observations] == ["Bash", "Read"]
        assert memory.capture.counts() == {"tool": 1}
