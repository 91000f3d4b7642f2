"""Keys and modes on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

import recollect
from tests.unit.cli.conftest import Run

pytestmark = pytest.mark.usefixtures("filled")


@pytest.mark.parametrize(
    ("options", "key"),
    [
        (("--channel", "telegram", "--peer", "42"), "agent:main:telegram:default:direct:42"),
        (
            ("--agent", "tea", "--channel", "slack", "--peer", "C1", "--type", "channel"),
            "agent:tea:slack:channel:C1",
        ),
        (
            ("--channel", "slack", "--peer", "C1", "--type", "group", "--thread", "9"),
            "agent:main:slack:group:C1:thread:9",
        ),
    ],
)
def test_a_key_is_made_of_its_parts(
    run: Run, home: Path, options: tuple[str, ...], key: str
) -> None:
    """As a program makes it."""
    assert run("--home", home, "sessions", "key", *options).out == f"{key}\n"
    assert run("--home", home, "sessions", "key", *options, "--json").json == {"key": key}


def test_a_key_follows_the_settings(run: Run, home: Path) -> None:
    """Two accounts of one person are one conversation where the settings say so."""
    run("--home", home, "config", "set", "sessions.direct_scope", "per-peer")
    run("--home", home, "config", "set", "sessions.identity_links", "ann=telegram:42,ann=slack:U7")
    for channel, peer in (("telegram", "42"), ("slack", "U7")):
        done = run("--home", home, "sessions", "key", "--channel", channel, "--peer", peer)
        assert done.out == "agent:main:direct:ann\n"


def test_the_rules_of_a_group_are_shown(run: Run, home: Path) -> None:
    """What an agent may do where many read."""
    with recollect.open(home) as memory:
        memory.sessions.open("agent:main:slack:group:C1")
    lines = run("--home", home, "sessions", "mode", "agent:main:slack:group:C1").out.splitlines()
    shown = {line[:19].strip(): line[19:].strip() for line in lines}
    assert (shown["mode"], shown["sandbox"], shown["file access"]) == ("group", "yes", "no")
    assert shown["tools"].startswith("web_search, ")


def test_a_session_may_be_a_queue(run: Run, home: Path) -> None:
    """From now on; a direct chat is no group."""
    run("--home", home, "sessions", "start", "--key", "talk")
    document = run("--home", home, "sessions", "mode", "talk", "queue", "--json").json
    assert (document["mode"], document["one_at_a_time"], document["tools"]) == ("queue", True, None)
    assert run("--home", home, "sessions", "show", "talk", "--json").json["mode"] == "queue"
    assert run("--home", home, "sessions", "mode", "talk", "group").code == 2
    assert "tools" in run("--home", home, "sessions", "mode", "talk").out


def test_the_task_of_a_session_is_shown_and_set(run: Run, filled: Path) -> None:
    """With its steps, which are those that are given."""
    (session,) = run("--home", filled, "sessions", "--json").json["sessions"]
    state = ("--home", filled, "sessions", "state", session["id"])
    assert "nothing is known of its task" in run(*state).err
    assert run(*state, "--json").json["steps"] == []
    run(*state, "--task", "Mend the boat", "--step", "Sand it", "--step", "Paint it", "--done", "1")
    shown = run(*state).out.splitlines()
    assert shown[0].startswith("Mend the boat  caller, ")
    assert shown[1:] == ["  1 [x] Sand it", "  2 [ ] Paint it"]
    assert run(*state, "--done", "paint it").out.splitlines()[1:] == [
        "  1 [x] Sand it",
        "  2 [x] Paint it",
    ]


def test_a_step_that_is_not_there_is_not_completed(run: Run, filled: Path) -> None:
    """Nor are the others lost."""
    (session,) = run("--home", filled, "sessions", "--json").json["sessions"]
    state = ("--home", filled, "sessions", "state", session["id"])
    run(*state, "--step", "Sand it")
    done = run(*state, "--done", "9")
    assert (done.code, "position" in done.err) == (2, True)
    assert run(*state).out.splitlines()[1:] == ["  1 [ ] Sand it"]
