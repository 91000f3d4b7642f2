"""The real Claude Code with a stand-in for its API, where it is wanted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.claude_code import REASON, ClaudeCode, find_claude
from tests.agents.messages_api import MessagesApi
from tests.agents.recording import Recording


@pytest.fixture
def messages_api() -> Iterator[MessagesApi]:
    """What answers the client; its script is empty."""
    with MessagesApi() as api:
        yield api


@pytest.fixture
def claude(tmp_path: Path, messages_api: MessagesApi) -> ClaudeCode:
    """The client of a user whose home is new."""
    program = find_claude()
    if program is None:
        pytest.skip(REASON)
    return ClaudeCode(program, tmp_path / "user", messages_api)


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    """Hooks that write down every event."""
    return Recording(tmp_path / "recording")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with one file."""
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "README.md").write_text("hello\n", encoding="utf-8")
    return folder
