"""The real OpenClaw with stand-ins for all that it talks to, where it is wanted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

OPT_IN = "RECOLLECT_TEST_OPENCLAW"
INSTALLED = Path(__file__).parents[3] / ".cache" / "agents" / "openclaw"
REASON = f"the real OpenClaw is not wanted: make agents installs it, {OPT_IN} names its command"


@pytest.fixture(scope="session")
def openclaw() -> list[str]:
    """The command of OpenClaw."""
    named = os.environ.get(OPT_IN)  # noqa: TID251 - who runs the tests opts in
    found = Path(named) if named else INSTALLED
    if not found.is_file():
        pytest.skip(REASON)
    return [str(found)]
