"""A day in a life with the real Claude Code."""

from __future__ import annotations

from tests.agents.claude_code import ClaudeCode
from tests.agents.connected import RealAgent
from tests.support.agent_user import User
from tests.support.day import Day, live
from tests.support.wheel import PROGRAM

ITS_OWN = (".claude.json", ".claude/", ".cache/claude-cli-nodejs/")
"""What Claude Code writes into a home with or without us."""


def test_a_day_with_claude_code_leaves_nothing_behind(claude: ClaudeCode) -> None:
    """docs/hooks.md."""
    user = User(claude.home, PROGRAM)
    live(Day(user, RealAgent(claude), agents_own=ITS_OWN))
