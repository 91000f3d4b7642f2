"""What the command of an agent is told of our environment."""

from __future__ import annotations

import pytest

from recollect.core.settings import agent_environment, is_inside


def test_few_variables_and_a_guard() -> None:
    """Its account and its way out; no keys of others, nothing of the agent that we run in.

    This machine is reached directly, and files that a text names stay closed.
    """
    environ = {
        "PATH": "/bin",
        "HOME": "/home/me",
        "ANTHROPIC_BASE_URL": "https://gateway",
        "HTTPS_PROXY": "http://proxy",
        "NO_PROXY": "intranet",
        "OPENAI_API_KEY": "secret",
        "CLAUDECODE": "1",
        "RECOLLECT_LANGUAGE__API_KEY": "secret",
    }
    variables = agent_environment(environ)
    assert variables == {name: environ[name] for name in list(environ)[:4]} | {
        "RECOLLECT_INSIDE": "1",
        "NO_PROXY": "intranet,127.0.0.1",
        "no_proxy": "intranet,127.0.0.1",
        "CLAUDE_CODE_DISABLE_ATTACHMENTS": "1",
        "CLAUDE_CODE_DISABLE_FILE_MENTIONS": "1",
    }
    assert is_inside(variables)
    assert not is_inside(environ)


def test_there_is_always_a_place_to_look_for_programs() -> None:
    """As the system has it."""
    assert agent_environment({})["PATH"]


@pytest.mark.parametrize("value", ["", "0"])
def test_the_guard_can_be_off(value: str) -> None:
    """As other variables of ours."""
    assert not is_inside({"RECOLLECT_INSIDE": value})
