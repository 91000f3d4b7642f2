"""A day in a life, from the wheel to the uninstallation, with an agent that is played."""

from __future__ import annotations

from pathlib import Path

from tests.support.agent_user import PlayedAgent, User
from tests.support.day import Day, live
from tests.support.wheel import build_wheel, install_wheel


def test_a_day_with_an_agent_leaves_nothing_behind(tmp_path: Path) -> None:
    """docs/hooks.md: what is touched is listed, what was ours goes, no secret stays."""
    program = install_wheel(build_wheel(tmp_path / "wheel"), tmp_path / "environment")
    user = User(tmp_path / "ana", program)
    live(Day(user, PlayedAgent(user)))
