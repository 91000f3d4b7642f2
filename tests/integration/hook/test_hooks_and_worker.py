"""The hook client and the real worker: whatever happens to the worker, each event is stored once.

Source: issue of step 9, "Shows".
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.hook.keeping import keep
from recollect.hook.spool import Spool
from recollect.observations.observation import Observation
from recollect.server import spooling
from recollect.server.presence import START_LOCK, Presence, find_presence, is_served
from recollect.server.spooling import drain_home
from recollect.server.worker import daemon
from tests.support.hook_process import SECRET, Hook, spooled, until
from tests.support.leftovers import files_that_hold
from tests.support.served import serving

SESSION = "5b1f6a3e-0c1d-4a55-9d0a-6f1d2c3b4a01"
SLOW = ("--deadline-ms", "30000")
QUICK = ("--deadline-ms", "300")


@pytest.fixture
def hook(hook: Hook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hook]:
    """A hook of a home without an embedder; a worker of it is ended after the test."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("RECOLLECT_MODELS", str(tmp_path / "models"))
    monkeypatch.setattr(daemon, "START_S", 120.0)
    (hook.home / "config.yaml").write_text("embedding: {provider: none}\n")
    recollect.open(hook.home, live=False).close()
    yield hook
    there = find_presence(hook.home)
    if there is not None:
        os.kill(there.pid, signal.SIGKILL)
        until(lambda: not is_served(hook.home))


def told(event: str, turn: int = 1, **more: object) -> bytes:
    """Return the payload of an event of one session."""
    common = {
        "session_id": SESSION,
        "transcript_path": f"/nowhere/{SESSION}.jsonl",
        "cwd": "/nowhere/tea",
        "prompt_id": f"c0ffee00-1111-4222-8333-44445555{turn:04d}",
        "hook_event_name": event,
    }
    return json.dumps(common | more).encode()


def prompt(turn: int) -> bytes:
    """Return the payload of a prompt."""
    return told("UserPromptSubmit", turn, prompt=f"Do the thing number {turn}.")


def tool(turn: int, output: str = "ok") -> bytes:
    """Return the payload of a tool that ran."""
    given = {"command": f"git commit -m 'Fix number {turn}'"}
    response = {"stdout": output, "stderr": ""}
    name = {"tool_name": "Bash", "tool_use_id": f"toolu_{turn:04d}"}
    return told("PostToolUse", turn, **name, tool_input=given, tool_response=response)


def stored(home: Path) -> list[Observation]:
    """Return what is stored, oldest first."""
    with recollect.open(home, live=False) as memory:
        return memory.observations.list(limit=500)[::-1]


def test_an_event_is_stored_and_the_next_session_is_given_it(hook: Hook) -> None:
    """The thin path, by the real worker."""
    with serving(hook.home):
        assert hook.run(tool(1), *SLOW) == b"{}"
        start = told("SessionStart", source="startup").replace(b"4a01", b"4a02")
        answer = json.loads(hook.run(start, *SLOW, event="SessionStart"))
    assert "Fix number 1" in answer["hookSpecificOutput"]["additionalContext"]
    assert len(stored(hook.home)) == 1
    assert Spool(hook.home).files() == []


def test_what_happened_while_no_worker_ran_is_stored_by_the_next(hook: Hook) -> None:
    """In order, with the time at which it happened, and without its secret."""
    hook.run(told("SessionStart", source="startup"), event="SessionStart")
    spooled(hook.home, 1)
    hook.run(prompt(1), event="UserPromptSubmit")
    spooled(hook.home, 2)
    hook.run(tool(1, SECRET))
    events = spooled(hook.home, 3)
    assert [each["event"] for each in events] == [
        "SessionStart",
        "UserPromptSubmit",
        "PostToolUse",
    ]
    with serving(hook.home):
        until(lambda: not Spool(hook.home).files())
    found = stored(hook.home)
    assert [each.created_at for each in found] == [each["at"] for each in events[1:]]
    assert files_that_hold(hook.home, SECRET[8:]) == []
    assert Spool(hook.home).state().aside == []


def test_a_sync_takes_in_what_waits(hook: Hook) -> None:
    """Also where no worker ever runs; nothing counts as injected that no prompt was given."""
    hook.run(tool(1))
    hook.run(told("SessionStart", source="startup"), event="SessionStart")
    hook.run(prompt(2), event="UserPromptSubmit")
    spooled(hook.home, 3)
    assert drain_home(hook.home).events == 3
    assert len(stored(hook.home)) == 2
    with recollect.open(hook.home, live=False) as memory:
        assert list(memory.context.injections()) == []


def test_a_hook_that_reaches_the_worker_brings_the_others_in(
    hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever was late before it."""
    monkeypatch.setattr(spooling, "LOOK_S", 3_600.0)
    with serving(hook.home):
        keep(hook.home, "claude-code", "PostToolUse", 1_770_000_000_000_000_000, tool(1))
        hook.run(tool(2), *SLOW)
        until(lambda: not Spool(hook.home).files())
    assert len(stored(hook.home)) == 2


def test_an_event_that_was_posted_and_spooled_is_stored_once(hook: Hook) -> None:
    """The answer came too late: what the worker did is not known to the hook."""
    events = {"UserPromptSubmit": prompt(1), "PostToolUse": tool(1)}
    events["Stop"] = told("Stop", last_assistant_message="All of it is done.")
    for name, given in events.items():
        at = 1_770_000_000_000_000_000
        keep(hook.home, "claude-code", name, at, given)
        keep(hook.home, "claude-code", name, at, given)
    with serving(hook.home):
        for name, given in events.items():
            hook.run(given, *SLOW, event=name)
        until(lambda: not Spool(hook.home).files())
    assert sorted(str(each.event) for each in stored(hook.home)) == ["answer", "prompt", "tool"]
    with recollect.open(hook.home, live=False) as memory:
        (session,) = memory.sessions.list()
        assert len(memory.sessions.messages(session.id)) == 2


def test_a_worker_that_stands_still_gets_the_event_once(hook: Hook) -> None:
    """It finds the request in its socket when it goes on, and the event in the spool."""
    worker = daemon.start(hook.home)
    os.kill(worker.pid, signal.SIGSTOP)
    try:
        assert hook.run(tool(1), *QUICK) == b""
        spooled(hook.home)
    finally:
        os.kill(worker.pid, signal.SIGCONT)
    until(lambda: not Spool(hook.home).files())
    assert hook.run(tool(2), *SLOW) == b"{}"
    daemon.stop(hook.home)
    assert [each.tool_use_id for each in stored(hook.home)] == ["toolu_0001", "toolu_0002"]


def test_a_worker_that_is_killed_at_each_event_loses_and_doubles_none(hook: Hook) -> None:
    """Some were stored before the kill, some after it, some of them both times."""
    for turn in range(1, 5):
        worker = daemon.start(hook.home)
        hook.run(prompt(turn), *SLOW, event="UserPromptSubmit")
        process = hook.start("PostToolUse", *SLOW)
        process.stdin.write(tool(turn))
        process.stdin.close()
        os.kill(worker.pid, signal.SIGKILL)
        assert process.wait() == 0
        until(lambda: not is_served(hook.home))
        hook.run(told("Stop", turn, last_assistant_message=f"Number {turn} is done."), event="Stop")
    until(lambda: is_whole(hook.home, 4))
    tools = [each.tool_use_id for each in stored(hook.home) if each.event == "tool"]
    assert sorted(map(str, tools)) == [f"toolu_{turn:04d}" for turn in range(1, 5)]


def is_whole(home: Path, turns: int) -> bool:
    """Return whether everything has arrived, once what waits is taken in."""
    if Spool(home).files():
        drain_home(home)
    kinds = [each.event for each in stored(home)]
    assert all(kinds.count(kind) <= turns for kind in ("prompt", "tool", "answer"))
    return len(kinds) == 3 * turns


@pytest.mark.parametrize("is_wanted", [True, False])
def test_a_hook_starts_the_worker_where_that_is_wished(hook: Hook, is_wanted: bool) -> None:
    """The agent does not wait for it; the worker takes what waited, and ends when it is asked."""
    config = hook.home / "config.yaml"
    config.write_text(f"{config.read_text()}worker: {{autostart: {str(is_wanted).lower()}}}\n")
    hook.environment["RECOLLECT_MODELS"] = str(hook.home.parent / "models")
    assert hook.run(told("SessionStart", source="startup"), event="SessionStart") == b""
    if not is_wanted:
        spooled(hook.home)
        assert not (hook.home / START_LOCK).exists()
        return
    until(lambda: find_presence(hook.home))
    until(lambda: not Spool(hook.home).files())
    there: Any = find_presence(hook.home)
    assert isinstance(there, Presence)
    assert daemon.stop(hook.home) == there
    with recollect.open(hook.home, live=False) as memory:
        assert [each.foreign_id for each in memory.sessions.list()] == [SESSION]


BEGIN = ("--deadline-ms", "300", "--start-ms", "60000")
"""As the command of a session's start; a machine under test is slower than 1.5 s."""


@pytest.fixture
def decided(hook: Hook) -> Hook:
    """A hook of a home that starts its worker by itself, and in which something was decided."""
    config = hook.home / "config.yaml"
    config.write_text(f"{config.read_text()}worker: {{autostart: true}}\n")
    hook.environment["RECOLLECT_MODELS"] = str(hook.home.parent / "models")
    with recollect.open(hook.home, live=False) as memory:
        session = memory.sessions.create(key="agent:claude-code:main", project="/nowhere/tea")
        memory.observations.record(
            session.id, type="decision", summary="Use green tea, not black tea", importance=0.9
        )
    return hook


def begun(hook: Hook, session: str = SESSION) -> Any:
    """Start the hook of a session's start; its input is there."""
    process = hook.start("SessionStart", *BEGIN)
    process.stdin.write(told("SessionStart", source="startup", session_id=session))
    process.stdin.close()
    return process


def test_the_first_session_after_a_reboot_gets_its_block(decided: Hook) -> None:
    """Issue 23, item 5: of two windows at once one starts the worker, and both get theirs."""
    starts = []
    for turn in range(2):
        windows = [begun(decided, f"{SESSION[:-2]}{turn}{window}") for window in range(2)]
        for each in windows:
            assert b"green tea" in each.stdout.read()
            assert (each.wait(), each.stderr.read()) == (0, b"")
        there = find_presence(decided.home)
        assert there is not None
        assert os.getsid(there.pid) == there.pid, "it outlives the hook and its agent"
        starts.append(there.pid)
        os.kill(there.pid, signal.SIGKILL)
        until(lambda: not is_served(decided.home))
    assert len(set(starts)) == 2
    assert not Spool(decided.home).files(), "each event was delivered"


def test_a_start_that_fails_is_marked_and_not_tried_again(decided: Hook) -> None:
    """Issue 23, item 5: the agent goes on as soon as it has failed, and its event waits."""
    config = decided.home / "config.yaml"
    config.write_text(f"{config.read_text()}server: {{host: 203.0.113.1}}\n")
    log = decided.home / "logs" / "start.log"
    for count in (1, 2):
        process = begun(decided)
        assert process.stdout.read() == b""
        assert process.wait() == 0
        spooled(decided.home, count)
        assert daemon.start_failed_at(decided.home) is not None
        if count == 1:
            assert "203.0.113.1" in log.read_text()
            log.write_text("not started again")
    assert log.read_text() == "not started again"


@pytest.mark.parametrize("what", ["paused", "off", "never"])
def test_where_memory_is_off_no_worker_is_started(decided: Hook, tmp_path: Path, what: str) -> None:
    """Issue 23, item 5: pause, `.recollect-off` and the user's setting win."""
    folder = tmp_path / "tea"
    folder.mkdir()
    with recollect.open(decided.home, live=False) as memory:
        if what == "paused":
            memory.capture.pause()
    if what == "off":
        (folder / ".recollect-off").touch()
    if what == "never":
        config = decided.home / "config.yaml"
        config.write_text(config.read_text().replace("true", "false"))
    process = decided.start("SessionStart", *BEGIN)
    out, err = process.communicate(told("SessionStart", source="startup", cwd=str(folder)))
    assert (process.returncode, out, err) == (0, b"", b"")
    assert not (decided.home / START_LOCK).exists()


def test_a_token_that_was_revoked_captures_nothing(hook: Hook) -> None:
    """Neither at once nor by the spool."""
    with recollect.open(hook.home, live=False) as memory:
        made = memory.tokens.add("hooks", audience="owner", rights="hooks")
        (hook.home / "hooks").mkdir()
        (hook.home / "hooks" / "claude-code.token").write_text(made.text)
        with serving(hook.home):
            hook.run(tool(1), *SLOW)
            memory.tokens.revoke("hooks")
            hook.run(tool(2), *SLOW)
    assert not (hook.home / "spool").exists()
    assert [each.tool_use_id for each in stored(hook.home)] == ["toolu_0001"]


def test_an_event_of_an_erased_session_does_not_bring_it_back(hook: Hook) -> None:
    """The program goes on with it: what it tells is nobody's."""
    with serving(hook.home):
        hook.run(tool(1), *SLOW)
    with recollect.open(hook.home, live=False) as memory:
        (session,) = memory.sessions.list()
        memory.erase(session_id=session.id)
    hook.run(tool(2))
    spooled(hook.home)
    drain_home(hook.home)
    assert stored(hook.home) == []
    assert Spool(hook.home).state().events == 0


def test_what_is_paused_while_it_waits_is_not_stored(hook: Hook) -> None:
    """As a tool whose events the owner leaves out from now on."""
    hook.run(tool(1))
    spooled(hook.home)
    config = hook.home / "config.yaml"
    config.write_text(f"{config.read_text()}capture: {{skip_tools: [Bash]}}\n")
    assert drain_home(hook.home).events == 1
    assert stored(hook.home) == []


def test_a_worker_with_a_socket_of_its_own_is_found(hook: Hook) -> None:
    """`server.socket`: no port is asked."""
    config = hook.home / "config.yaml"
    config.write_text(f"{config.read_text()}server: {{socket: w.sock}}\n")
    with serving(hook.home):
        assert hook.run(tool(1), *SLOW) == b"{}"


def test_a_strange_file_in_the_spool_is_set_aside_by_the_worker(hook: Hook) -> None:
    """It holds up nothing."""
    hook.run(tool(1))
    spooled(hook.home)
    spool = Spool(hook.home)
    broken = spool.folder / "00000000000000000001-ab.json"
    broken.write_text("{")
    unknown = {"client": "nobody", "event": "E", "at": 1, "payload": {}}
    (spool.folder / "00000000000000000002-ab.json").write_text(json.dumps(unknown))
    with serving(hook.home):
        until(lambda: not spool.files())
    assert len(spool.state().aside) == 2
    assert len(stored(hook.home)) == 1
