"""What an agent program runs at its hooks, step by step; as a process: integration/hook.

Source: DESIGN decision 8, memory never breaks the agent; issue of step 9, item 2.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recollect.core.clock import SystemClock
from recollect.hook import client
from recollect.hook.client import Discarded, HookCall, Undelivered
from tests.support.scripted_worker import ANSWER, ScriptedWorker, http

PAYLOAD = b'{"session_id": "s", "tool_name": "Bash"}'


class Left(BaseException):
    """The process ended, with this exit code."""


def _leave(code: int) -> None:
    raise Left(code)


class Hook:
    """Runs `client.main` in this process, with files in the place of stdin and stdout."""

    def __init__(self, home: Path, descriptors: Callable[[bytes], tuple[int, int]]) -> None:
        self.home = home
        self.spooled: list[HookCall] = []
        self._descriptors = descriptors

    def run(self, *arguments: str, payload: bytes = PAYLOAD) -> bytes:
        """Return what it prints."""
        argv = arguments or ("claude-code", "PostToolUse", "--home", str(self.home))
        stdin, stdout = self._descriptors(payload)
        descriptors = os.dup(0), os.dup(1)
        os.dup2(stdin, 0)
        os.dup2(stdout, 1)
        try:
            with pytest.raises(Left) as exit_:
                client.main(argv, _leave, self.spooled.append)
        finally:
            os.dup2(descriptors[0], 0)
            os.dup2(descriptors[1], 1)
            for each in descriptors:
                os.close(each)
        assert exit_.value.args == (0,)
        return os.pread(stdout, 1_000_000, 0)


@pytest.fixture
def hook(tmp_path: Path) -> Iterator[Hook]:
    """A hook of a home; what it does to the signals of this process is undone."""
    names = (signal.SIGALRM, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    before = {each: signal.getsignal(each) for each in names}
    opened: list[int] = []

    def descriptors(payload: bytes) -> tuple[int, int]:
        (tmp_path / "stdin").write_bytes(payload)
        opened.append(os.open(tmp_path / "stdin", os.O_RDONLY))
        opened.append(os.open(tmp_path / "stdout", os.O_RDWR | os.O_CREAT | os.O_TRUNC))
        return opened[-2], opened[-1]

    yield Hook(tmp_path / "home", descriptors)
    signal.setitimer(signal.ITIMER_REAL, 0)
    for each, handler in before.items():
        signal.signal(each, handler)
    for number in opened:
        os.close(number)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_an_event_reaches_the_worker_and_its_answer_is_printed(hook: Hook, host: str) -> None:
    """The body goes as it came; the route tells client and event."""
    with ScriptedWorker(hook.home, http(), host=host) as worker:
        assert hook.run() == ANSWER
    head, body = worker.requests[0]
    target = re.match(
        rb"POST /api/hooks/claude-code\?event=PostToolUse&at=(\d+)&waits_until=(\d+) HTTP/1.1\r\n",
        head,
    )
    assert target is not None
    assert abs(int(target[1]) - SystemClock().now_ms()) < 3_600_000
    assert int(target[2]) > int(target[1])
    assert b"Authorization: Bearer rcl_test\r\n" in head
    address = f"[{host}]" if ":" in host else host
    assert f"Host: {address}:{worker.port}\r\n".encode() in head
    assert body == PAYLOAD
    assert hook.spooled == []


def test_a_unix_socket_is_used_where_the_worker_has_one(hook: Hook, tmp_path: Path) -> None:
    """`server.socket` is for programs of this user only."""
    with ScriptedWorker(hook.home, http(), unix=tmp_path / "w.sock"):
        assert hook.run() == ANSWER
    assert hook.spooled == []


def test_the_token_of_the_client_comes_before_the_owners(hook: Hook) -> None:
    """The hooks' token may capture and nothing else."""
    with ScriptedWorker(hook.home, http()) as worker:
        (hook.home / "hooks").mkdir()
        (hook.home / "hooks" / "claude-code.token").write_text("rcl_hooks\n")
        hook.run()
    assert b"Bearer rcl_hooks\r\n" in worker.requests[0][0]


@pytest.mark.parametrize("status", ["401 Unauthorized", "403 Forbidden"])
def test_what_the_token_does_not_allow_is_not_kept(hook: Hook, status: str) -> None:
    """A token that was revoked captures nothing, by no way round."""
    with ScriptedWorker(hook.home, http(b"{}", status)):
        assert hook.run() == b""
    assert hook.spooled == []


@pytest.mark.parametrize(
    "answer",
    [
        http(b"{}", "500 Internal Server Error"),
        http(b"{}", "404 Not Found"),
        http(b"<html>"),
        b"",
        b"garbage\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n{}",
        b"x" * 4_000_000,
    ],
)
def test_an_event_that_was_not_taken_is_spooled(hook: Hook, answer: bytes) -> None:
    """Whatever answers: an error, no HTTP, half of it, or too much."""
    with ScriptedWorker(hook.home, answer):
        assert hook.run() == b""
    assert [call.payload for call in hook.spooled] == [PAYLOAD]


def test_without_a_worker_an_event_is_spooled(hook: Hook) -> None:
    """Neither the lock nor the file of one that was killed is believed."""
    hook.home.mkdir()
    hook.run()
    with ScriptedWorker(hook.home, http()) as worker:
        pass
    hook.run()
    assert len(hook.spooled) == 2
    assert worker.requests == []


@pytest.mark.parametrize("event", ["PreToolUse", "BeforeTool"])
def test_what_only_counts_before_a_tool_runs_is_not_spooled(hook: Hook, event: str) -> None:
    """It comes before each of them, and what the tool did says all of it."""
    hook.home.mkdir()
    hook.run("claude-code", event, "--home", str(hook.home))
    assert hook.spooled == []


def test_a_worker_that_has_just_started_is_not_taken_for_the_one_before(hook: Hook) -> None:
    """Another program may have its port; it must not be sent the token."""
    with ScriptedWorker(hook.home, http()) as worker:
        announcement = (hook.home / "worker.json").read_text()
        (hook.home / "worker.json").write_text(
            announcement.replace(f'"pid":{os.getpid()}', '"pid":1')
        )
        hook.run()
    assert worker.requests == []
    assert len(hook.spooled) == 1


def test_a_worker_that_hangs_costs_the_deadline(hook: Hook) -> None:
    """Then the event is spooled: whether the worker took it is not known, its key tells."""
    with ScriptedWorker(hook.home) as worker:
        arguments = ("claude-code", "Stop", "--home", str(hook.home), "--deadline-ms", "50")
        assert hook.run(*arguments) == b""
        assert worker.heard.is_set()
    assert [call.payload for call in hook.spooled] == [PAYLOAD]


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("claude-code",),
        ("claude-code", "Stop"),
        ("claude-code", "Stop", "--home"),
        ("claude-code", "Stop", "--home", "{home}", "--deadline-ms", "soon"),
        ("../../token", "Stop", "--home", "{home}"),
        ("claude-code", "Stop HTTP/1.1\r\nX: y", "--home", "{home}"),
        ("clödé", "Stop", "--home", "{home}"),
        ("c" * 65, "Stop", "--home", "{home}"),
    ],
)
def test_a_command_line_that_is_none_does_nothing(hook: Hook, arguments: tuple[str, ...]) -> None:
    """The agent goes on; nothing of it is sent or written."""
    with ScriptedWorker(hook.home, http()) as worker:
        argv = [each.format(home=hook.home) for each in arguments] or ["--home"]
        assert hook.run(*argv) == b""
    assert worker.requests == []
    assert hook.spooled == []


def test_a_model_of_our_own_is_not_captured(hook: Hook, monkeypatch: pytest.MonkeyPatch) -> None:
    """Claude Code that was started as a model runs its hooks too: its prompts are ours."""
    monkeypatch.setenv("RECOLLECT_INSIDE", "1")
    with ScriptedWorker(hook.home, http()) as worker:
        assert hook.run() == b""
    assert worker.requests == []
    assert hook.spooled == []


def test_an_empty_file_in_the_place_of_the_token_is_none(hook: Hook) -> None:
    """Somebody empties it, or it is no file at all."""
    with ScriptedWorker(hook.home, http()) as worker:
        (hook.home / "token").write_text("\n")
        assert hook.run() == b""
    assert worker.requests == []
    assert len(hook.spooled) == 1


def test_an_empty_payload_is_sent_and_not_spooled(hook: Hook) -> None:
    """There is nothing in it to be kept."""
    with ScriptedWorker(hook.home, http()) as worker:
        assert hook.run(payload=b"") == ANSWER
    assert worker.requests[0][1] == b""
    hook.run(payload=b"")
    assert hook.spooled == []


def test_a_payload_that_is_too_long_is_nobodys(hook: Hook, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not held in memory to its end."""
    monkeypatch.setattr(client, "MOST_BYTES", 10)
    with ScriptedWorker(hook.home, http()) as worker:
        assert hook.run() == b""
    assert worker.requests == []
    assert hook.spooled == []


def test_a_payload_of_just_the_limit_is_sent(hook: Hook, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the limit says fits."""
    monkeypatch.setattr(client, "MOST_BYTES", len(PAYLOAD))
    with ScriptedWorker(hook.home, http()) as worker:
        assert hook.run() == ANSWER
    assert worker.requests[0][1] == PAYLOAD


@pytest.mark.parametrize(("value", "is_told"), [("", False), ("0", False), ("yes", True)])
def test_an_empty_setting_or_a_zero_asks_for_nothing(
    hook: Hook,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    value: str,
    is_told: bool,
) -> None:
    """A shell may export a variable without a value: the event is captured all the same."""
    monkeypatch.setenv("RECOLLECT_INSIDE", "" if is_told else value)
    monkeypatch.setenv("RECOLLECT_HOOK_DEBUG", value)
    hook.home.mkdir()
    hook.run()
    assert len(hook.spooled) == 1
    assert bool(capfd.readouterr().err) is is_told


def test_names_that_are_as_long_as_they_may_be_are_sent(hook: Hook) -> None:
    """Letters, digits, dashes and underscores, 64 of them; one more is none."""
    longest = "my_own-agent-2" + "x" * 50
    with ScriptedWorker(hook.home, http()) as worker:
        assert hook.run(longest, "Stop", "--home", str(hook.home)) == ANSWER
        assert hook.run(f"{longest}x", "Stop", "--home", str(hook.home)) == b""
    assert [
        head.startswith(f"POST /api/hooks/{longest}?".encode()) for head, _ in worker.requests
    ] == [True]


def test_an_answer_that_came_in_pieces_or_with_more_behind_it_is_read_to_its_length(
    hook: Hook,
) -> None:
    """Nothing of what stands behind it is printed; the name of a field has any case."""
    answer = b"HTTP/1.1 200 OK\r\nServer: x\r\nCONTENT-LENGTH: 2\r\n\r\n{}trailing"
    with ScriptedWorker(hook.home, answer):
        assert hook.run() == b"{}"
    assert hook.spooled == []


def test_what_the_agent_waits_for_imports_only_the_interpreter() -> None:
    """Each module more costs the agent at every call of a tool."""
    script = (
        "import sys; before = set(sys.modules); sys.argv = ['client']\n"
        f"exec(compile(open({client.__file__!r}).read(), 'client', 'exec'), {{'__name__': 'it'}})\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    command = [sys.executable, "-I", "-S", "-c", script]
    loaded = subprocess.run(command, capture_output=True, check=True, text=True).stdout.split()
    assert set(loaded) <= {
        *("_json", "_signal", "_socket", "fcntl", "os", "os.path", "posixpath", "genericpath"),
        *("stat", "_stat", "abc", "_abc", "_collections_abc", "time"),
    }


def test_why_it_was_not_delivered_is_told_who_asks(
    hook: Hook, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """And to nobody else: what a hook says on stderr is shown to the user."""
    hook.home.mkdir()
    hook.run()
    assert capfd.readouterr().err == ""
    monkeypatch.setenv("RECOLLECT_HOOK_DEBUG", "1")
    hook.run()
    assert "recollect hook: NotServed: no worker runs" in capfd.readouterr().err


def test_a_call_says_what_went_wrong(tmp_path: Path) -> None:
    """For `recollect hook`, which a person runs."""
    call = HookCall("claude-code", "Stop", str(tmp_path / "home"))
    with ScriptedWorker(tmp_path / "home", http(b"{}", "503 Busy")) as worker:
        with pytest.raises(Undelivered, match="HTTP 503"):
            call.deliver()
        worker.answer = http(b"{}", "401 Unauthorized")
        with pytest.raises(Discarded, match="HTTP 401"):
            call.deliver()
    with pytest.raises(Undelivered, match="no worker runs"):
        call.deliver()
