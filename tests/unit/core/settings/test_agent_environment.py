"""What the command of an agent is told of our environment."""

from __future__ import annotations

import pytest

from recollect.core.settings import agent_environment, is_inside


def test_few_variables_and_a_guard() -> None:
    """Its account and its way out; no keys of others, nothing of the agent that we run in."""
    environ = {
        "PATH": "/bin",
        "HOME": "/home/me",
        "ANTHROPIC_BASE_URL": "https://gateway",
        "HTTPS_PROXY": "http://proxy",
        "OPENAI_API_KEY": "secret",
        "CLAUDECODE": "1",
        "RECOLLECT_LANGUAGE__API_KEY": "secret",
    }
    variables = agent_environment(environ)
    assert variables == {name: environ[name] for name in list(environ)[:4]} | {
        "RECOLLECT_INSIDE": "1"
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
