"""The hook client as agent programs run it: it ends with 0, whatever happens to it or around it.

Source: DESIGN decision 8; issue of step 9, item 2 and "Shows".
"""

from __future__ import annotations

import os
import resource
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from statistics import mean

import pytest

from recollect.hook.spool import LOST, Spool
from tests.support.hook_process import CLIENT, PATIENCE_S, SECRET, Hook, payload, spooled, until
from tests.support.scripted_worker import ANSWER, ScriptedWorker, http


def test_a_worker_gets_the_event_and_the_agent_its_answer(hook: Hook) -> None:
    """Nothing is written on the way."""
    with ScriptedWorker(hook.home, http()) as worker:
        assert hook.run() == ANSWER
    assert worker.requests[0][1] == payload()
    assert not (hook.home / "spool").exists()


def test_without_a_worker_the_event_waits_in_the_spool_without_its_secret(hook: Hook) -> None:
    """It is redacted before it reaches the disk, and only its owner can read it."""
    assert hook.run() == b""
    (event,) = spooled(hook.home)
    assert (event["client"], event["event"]) == ("claude-code", "PostToolUse")
    assert event["payload"]["tool_use_id"] == "toolu_01ABCdefGHIjklMNOpqrSTUv"
    assert "[redacted:github-token:" in event["payload"]["tool_input"]["command"]
    (path,) = Spool(hook.home).files()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert not any(SECRET[8:].encode() in each.read_bytes() for each in files_of(hook.home))


def files_of(home: Path) -> list[Path]:
    """Return every file of a home."""
    return [each for each in home.rglob("*") if each.is_file()]


@pytest.mark.parametrize(
    "answer",
    [None, b"", b"\0garbage\r\n\r\n", http(b"{}", "500 No"), http(b"{}", "404 No")],
    ids=["hangs", "hangs-up", "garbage", "fails", "knows-it-not"],
)
def test_a_worker_that_does_not_take_it_costs_no_event(hook: Hook, answer: bytes | None) -> None:
    """After the deadline at the latest the agent goes on, and the event is spooled."""
    with ScriptedWorker(hook.home, answer):
        assert hook.run(None, "--deadline-ms", "200") == b""
        assert len(spooled(hook.home)) == 1


def test_a_worker_that_reads_nothing_costs_no_event(hook: Hook) -> None:
    """What is sent fills the buffers, and nobody takes it."""
    told = payload(tool_response="x" * 8_000_000)
    with ScriptedWorker(hook.home, is_deaf=True):
        assert hook.run(told, "--deadline-ms", "300") == b""
        assert len(spooled(hook.home)) == 1


def test_a_wrong_token_stops_neither_the_agent_nor_fills_the_spool(hook: Hook) -> None:
    """A revoked token captures nothing."""
    with ScriptedWorker(hook.home, http(b"{}", "401 Unauthorized")):
        assert hook.run() == b""
    assert not (hook.home / "spool").exists()


def test_a_home_that_is_not_there_is_not_made(hook: Hook) -> None:
    """After an uninstall a hook that was left over writes nothing."""
    hook.home.rmdir()
    assert hook.run() == b""
    assert not hook.home.exists()


def test_a_file_in_the_place_of_the_home_costs_nothing(hook: Hook) -> None:
    """Whatever --home names."""
    hook.home.rmdir()
    hook.home.write_text("not a home")
    assert hook.run() == b""
    assert hook.home.read_text() == "not a home"


@pytest.mark.parametrize("name", ["serve.lock", "worker.json", "token"])
def test_strange_files_of_the_home_cost_nothing(hook: Hook, name: str) -> None:
    """A pipe in the place of a file would be waited for."""
    with ScriptedWorker(hook.home, http()):
        (hook.home / name).unlink()
        os.mkfifo(hook.home / name)
        assert hook.run() == b""
        (hook.home / name).unlink()
        (hook.home / name).write_bytes(b"\xff\0{")
        assert hook.run() == b""


@pytest.mark.parametrize("closed", [0, 1, 2])
def test_a_closed_stream_costs_nothing(hook: Hook, closed: int) -> None:
    """No other file gets its number: the answer is not written into the worker's connection."""
    with ScriptedWorker(hook.home, http()) as worker:
        done = run_without(closed, hook, hook.environment)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == (b"" if closed == 1 else ANSWER)
    assert worker.requests[0][1] == (b"" if closed == 0 else payload())


def test_why_it_was_not_delivered_may_be_told_to_nobody(hook: Hook) -> None:
    """An agent without a stderr, and a user who asked for the reason: the event is kept."""
    done = run_without(2, hook, hook.environment | {"RECOLLECT_HOOK_DEBUG": "1"})
    assert (done.returncode, done.stdout) == (0, b"")
    assert len(spooled(hook.home)) == 1


def run_without(
    closed: int, hook: Hook, environment: dict[str, str]
) -> subprocess.CompletedProcess[bytes]:
    """Run a hook with one of the three standard streams closed."""
    script = f'exec "$@" {closed}<&-'
    command = ["sh", "-c", script, "sh", sys.executable, "-I", "-S", CLIENT]
    return subprocess.run(
        [*command, "claude-code", "Stop", "--home", str(hook.home)],
        input=None if closed == 0 else payload(),
        capture_output=True,
        check=False,
        env=environment,
    )


def test_an_agent_that_does_not_read_the_answer_costs_nothing(hook: Hook) -> None:
    """It hung up."""
    with ScriptedWorker(hook.home, http(b'{"a": "' + b"x" * 900_000 + b'"}')):
        process = hook.start()
        process.stdout.close()
        process.stdin.write(payload())
        process.stdin.close()
        assert process.wait() == 0
    assert not (hook.home / "spool").exists()


def test_input_that_is_never_closed_is_waited_for_until_the_deadline(hook: Hook) -> None:
    """Half a payload is written nowhere: half a secret could be in it that nobody recognizes."""
    with ScriptedWorker(hook.home, http()) as worker:
        process = hook.start("PostToolUse", "--deadline-ms", "150")
        process.stdin.write(payload()[:90])
        process.stdin.flush()
        assert process.wait() == 0
    assert worker.requests == []
    assert not (hook.home / "spool").exists()


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_an_agent_that_ends_it_loses_no_event(hook: Hook, name: str) -> None:
    """What it was given whole is spooled, and it ends with 0."""
    with ScriptedWorker(hook.home) as worker:
        process = hook.start("PostToolUse", "--deadline-ms", "30000")
        process.stdin.write(payload())
        process.stdin.close()
        assert worker.heard.wait(PATIENCE_S)
        process.send_signal(getattr(signal, name))
        assert process.wait() == 0
        assert len(spooled(hook.home)) == 1


def test_the_end_of_the_whole_group_does_not_reach_what_spools(hook: Hook) -> None:
    """Agents end the group of a hook that took too long."""
    with ScriptedWorker(hook.home) as worker:
        process = hook.start("Stop", "--deadline-ms", "30000", start_new_session=True)
        process.stdin.write(payload())
        process.stdin.close()
        assert worker.heard.wait(PATIENCE_S)
        os.killpg(process.pid, signal.SIGTERM)
        assert process.wait() == 0
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        assert len(spooled(hook.home)) == 1


def test_a_kill_at_any_moment_leaves_no_half_file(hook: Hook) -> None:
    """Killed for good it loses its event at most; what is there is whole."""
    with ScriptedWorker(hook.home) as worker:
        process = hook.start("PostToolUse", "--deadline-ms", "30000")
        process.stdin.write(payload())
        process.stdin.close()
        assert worker.heard.wait(PATIENCE_S)
        process.kill()
        assert process.wait() == -signal.SIGKILL
    assert not (hook.home / "spool").exists()


@pytest.mark.parametrize(
    "told",
    [b"", b"\xff\xfe", b"[1, 2]", b'{"a": ', b'"' + SECRET.encode() + b'"', b"[" * 100_000],
    ids=["empty", "no-utf8", "list", "half", "text", "deep"],
)
def test_what_cannot_be_redacted_is_sent_and_never_spooled(hook: Hook, told: bytes) -> None:
    """The worker reads anything; the disk gets only what was understood."""
    with ScriptedWorker(hook.home, http()) as worker:
        assert hook.run(told) == ANSWER
        assert worker.requests[0][1] == told
    hook.run(told)
    if told:
        until(lambda: (hook.home / "spool" / LOST).exists())
    assert Spool(hook.home).files() == []


def test_bytes_that_are_no_text_do_not_lose_the_rest(hook: Hook) -> None:
    """Halves of surrogates and bytes outside of UTF-8 become marks."""
    hook.run(b'{"tool_use_id": "t\xff1", "prompt": "\\ud800 \\u00e9"}')
    (event,) = spooled(hook.home)
    assert event["payload"] == {"tool_use_id": "t\ufffd1", "prompt": "? é"}


def test_twenty_megabytes_are_delivered_or_spooled(hook: Hook) -> None:
    """As large as a tool's output may be."""
    told = payload(tool_response="words and words " * 1_300_000)
    assert len(told) > 20_000_000
    with ScriptedWorker(hook.home, http()) as worker:
        assert hook.run(told, "--deadline-ms", "30000") == ANSWER
        assert worker.requests[0][1] == told
    hook.run(told, "--deadline-ms", "30000")
    (event,) = spooled(hook.home)
    assert len(event["payload"]["tool_response"]) == 20_800_000


def test_the_agent_does_not_wait_for_what_spools(hook: Hook) -> None:
    """Its streams are closed when it ends, and it inherits no handle."""
    mine, theirs = socket.socketpair()
    with mine, theirs:
        process = hook.start(pass_fds=[theirs.fileno()])
        out, _ = process.communicate(payload())
        theirs.close()
        assert (process.returncode, out) == (0, b"")
        mine.settimeout(PATIENCE_S)
        assert mine.recv(1) == b""
    assert len(spooled(hook.home)) == 1


def test_what_a_hook_costs(hook: Hook, record_property: Callable[[str, object], None]) -> None:
    """Only told: the figures are those of the machine."""
    bare = [sys.executable, "-I", "-S", "-c", "pass"]
    ours = [sys.executable, "-I", "-S", CLIENT, "claude-code", "Stop", "--home", str(hook.home)]
    with ScriptedWorker(hook.home, http()):
        for name, command in (("bare interpreter", bare), ("hook, delivered", ours)):
            cpu_ms, wall_ms = mean_of(command, hook.environment)
            record_property("latency of a hook", f"{name}: {cpu_ms:.1f} ms CPU, {wall_ms:.1f} ms")


def mean_of(command: list[str], environment: dict[str, str], runs: int = 20) -> tuple[float, float]:
    """Return CPU and wall time of a command in ms, means."""
    cpu, wall = [], []
    for _ in range(runs):
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(command, input=payload(), env=environment, capture_output=True, check=True)
        wall.append(time.perf_counter() - began)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return mean(cpu) * 1000, mean(wall) * 1000
