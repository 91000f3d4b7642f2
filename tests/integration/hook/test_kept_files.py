"""Files that the hook keeps itself, before the tool runs, where no worker answers.

Source: issue of step 15, "Rules that hold throughout".
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import recollect
from recollect.server.spooling import drain_home
from tests.support.hook_process import CLIENT, SECRET, Hook, spooled, until
from tests.support.leftovers import files_that_hold
from tests.support.scripted_worker import ScriptedWorker
from tests.support.served import serving
from tests.support.wheel import PROGRAM

SESSION = "5b1f6a3e-0c1d-4a55-9d0a-6f1d2c3b4a01"
SLOW = ("--deadline-ms", "30000")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder whose files are kept."""
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def hook(hook: Hook, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hook:
    """A hook of a home with checkpoints, whose rules are written."""
    monkeypatch.setenv("HOME", str(tmp_path))
    config(hook.home, root)
    opened(hook.home)
    return hook


def config(home: Path, root: Path, more: str = "") -> None:
    """Write the settings of a home."""
    text = f"embedding: {{provider: none}}\ncheckpoints:\n  enabled: true\n  roots: [{root}]\n"
    (home / "config.yaml").write_text(text + more, encoding="utf-8")


def opened(home: Path) -> None:
    """Open a home, as anything does that changes its settings."""
    recollect.open(home, live=False).close()


def told(event: str, path: Path, use: str = "toolu_1", /, **more: object) -> bytes:
    """Return the payload of an event of a tool that writes a file."""
    value = {
        "session_id": SESSION,
        "cwd": str(path.parent),
        "hook_event_name": event,
        "tool_name": "Write",
        "tool_use_id": use,
        "tool_input": {"file_path": str(path), "content": "its\n"},
    }
    return json.dumps(value | more).encode()


def write(hook: Hook, path: Path, content: str = "its\n", use: str = "toolu_1") -> None:
    """Write a file as the tool does, with its hooks; the second event is spooled."""
    hook.run(told("PreToolUse", path, use), *SLOW, event="PreToolUse")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    hook.run(told("PostToolUse", path, use), *SLOW)


def copies(home: Path) -> list[Path]:
    """Return what hooks kept."""
    return sorted((home / "checkpoints" / "incoming").glob("*"))


def statuses(home: Path) -> dict[str, tuple[str, str | None]]:
    """Return what a rewind to the first checkpoint would find, by path."""
    with recollect.open(home, live=False) as memory:
        items = memory.checkpoints.plan(1).items
    return {item.path: (item.status, item.reason) for item in items}


def rewind(home: Path) -> None:
    """Go back to the first checkpoint."""
    with recollect.open(home, live=False) as memory:
        memory.checkpoints.apply(memory.checkpoints.plan(1))


def test_without_a_worker_the_hook_keeps_the_file_and_the_worker_adopts_it(
    hook: Hook, root: Path
) -> None:
    """Also a file that was not there, in a folder that was not; only the owner can read a copy."""
    path, new = root / "a.txt", root / "made" / "new.txt"
    path.write_text("mine\n", encoding="utf-8")
    path.chmod(0o640)
    write(hook, path)
    write(hook, new, use="toolu_2")
    assert all(stat.S_IMODE(each.stat().st_mode) == 0o600 for each in copies(hook.home))
    spooled(hook.home, 2)
    assert drain_home(hook.home).events == 2
    assert copies(hook.home) == []
    assert set(statuses(hook.home).values()) == {("clean", None)}
    rewind(hook.home)
    assert (path.read_text(encoding="utf-8"), stat.S_IMODE(path.stat().st_mode)) == (
        "mine\n",
        0o640,
    )
    assert not new.parent.exists()


def test_what_the_user_did_before_the_event_came_in_is_a_conflict(hook: Hook, root: Path) -> None:
    """The hook kept what the tool left, too."""
    path = root / "a.txt"
    path.write_text("mine\n", encoding="utf-8")
    write(hook, path)
    path.write_text("mine, later\n", encoding="utf-8")
    spooled(hook.home)
    drain_home(hook.home)
    assert statuses(hook.home) == {"a.txt": ("conflict", "somebody else changed it since")}


def test_a_worker_that_hangs_is_not_waited_for_where_the_file_is_kept(
    hook: Hook, root: Path
) -> None:
    """100 ms; it answers a command that names no file later."""
    path = root / "a.txt"
    path.write_text("mine\n", encoding="utf-8")
    with ScriptedWorker(hook.home, None):
        hook.run(told("PreToolUse", path), "--deadline-ms", "120000", event="PreToolUse")
        assert len(copies(hook.home)) == 1


def test_a_spooled_event_never_restores_redacted_text(hook: Hook, root: Path) -> None:
    """A secret in `.env`: raw below checkpoints/ alone, and put back as it was."""
    path = root / ".env"
    path.write_text(f"GITHUB_TOKEN={SECRET}\n", encoding="utf-8")
    original = {"originalFile": path.read_text(encoding="utf-8"), "structuredPatch": [{}]}
    given = {"file_path": str(path), "old_string": SECRET, "new_string": f"{SECRET}2"}
    more: dict[str, object] = {"tool_name": "Edit", "tool_input": given, "tool_response": original}
    hook.run(told("PreToolUse", path, **more), *SLOW, event="PreToolUse")
    path.write_text(f"GITHUB_TOKEN={SECRET}2\n", encoding="utf-8")
    hook.run(told("PostToolUse", path, **more), *SLOW)
    spooled(hook.home)
    drain_home(hook.home)
    assert statuses(hook.home) == {".env": ("clean", None)}
    _is_in_checkpoints_alone(hook.home)
    rewind(hook.home)
    assert path.read_text(encoding="utf-8") == f"GITHUB_TOKEN={SECRET}\n"


def test_a_spooled_event_without_a_copy_is_uncaptured(hook: Hook, root: Path) -> None:
    """What it says of the file before is redacted, and counts for nothing."""
    path = root / ".env"
    path.write_text("its\n", encoding="utf-8")
    original = {"originalFile": f"GITHUB_TOKEN={SECRET}\n", "structuredPatch": [{}]}
    hook.run(told("PostToolUse", path, tool_response=original), *SLOW)
    spooled(hook.home)
    shutil.rmtree(hook.home / "checkpoints" / "incoming")
    drain_home(hook.home)
    assert statuses(hook.home) == {".env": ("uncaptured", "not seen before")}


def test_a_secret_that_an_agent_edits_is_raw_in_checkpoints_alone(hook: Hook, root: Path) -> None:
    """With a worker, its index, logs and mirrors."""
    path = root / ".env"
    path.write_text(f"GITHUB_TOKEN={SECRET}\n", encoding="utf-8")
    with serving(hook.home):
        write(hook, path, f"GITHUB_TOKEN={SECRET}2\n")
        write(hook, root / "b.txt", f"{SECRET}\n", use="toolu_2")
    with recollect.open(hook.home, live=False) as memory:
        memory.sync()
        plan = memory.checkpoints.plan(1)
        assert all(SECRET not in (item.diff or "") for item in plan.items)
    _is_in_checkpoints_alone(hook.home)
    rewind(hook.home)
    assert path.read_text(encoding="utf-8") == f"GITHUB_TOKEN={SECRET}\n"


def _is_in_checkpoints_alone(home: Path) -> None:
    opened(home)
    with recollect.open(home, live=False) as memory:
        assert not any(SECRET in str(line) for line in memory.export().lines())
    places = {Path(each).parts[0] for each in files_that_hold(home, SECRET)}
    assert places <= {"checkpoints"}


@pytest.mark.parametrize(
    "rule", ["off", "paused", "project", "skipped", "excluded", "below", "disabled"]
)
def test_the_hook_keeps_nothing_that_a_rule_excludes(hook: Hook, root: Path, rule: str) -> None:
    """The rules of the settings, a pause, and `.recollect-off` at and above the file."""
    path = root / "sub" / "a.txt"
    path.parent.mkdir()
    path.write_text("mine\n", encoding="utf-8")
    more = {
        "project": "privacy: {exclude_projects: [root]}\n",
        "skipped": "capture: {skip_paths: [a.txt]}\n",
        "excluded": "  exclude: ['*/sub/*']\n",
    }
    config(hook.home, root, more.get(rule, ""))
    if rule == "disabled":
        (hook.home / "config.yaml").write_text("embedding: {provider: none}\n", encoding="utf-8")
    elif rule == "off":
        (root / ".recollect-off").touch()
    elif rule == "below":
        (path.parent / ".recollect-off").touch()
    with recollect.open(hook.home, live=False) as memory:
        if rule == "paused":
            memory.capture.pause()
    hook.run(told("PreToolUse", path), *SLOW, event="PreToolUse")
    assert copies(hook.home) == []


def test_the_hook_keeps_again_after_a_pause(hook: Hook, root: Path) -> None:
    """`resume` tells it."""
    path = root / "a.txt"
    path.write_text("mine\n", encoding="utf-8")
    with recollect.open(hook.home, live=False) as memory:
        memory.capture.pause()
        memory.capture.resume()
    hook.run(told("PreToolUse", path), *SLOW, event="PreToolUse")
    assert len(copies(hook.home)) == 1


@pytest.mark.parametrize("what", ["outside", "link", "folder", "hard", "pipe", "large", "git"])
def test_the_hook_keeps_only_a_plain_file_below_a_root(
    hook: Hook, root: Path, tmp_path: Path, what: str
) -> None:
    """One that is there; nothing is waited for."""
    outside, path = tmp_path / "outside.txt", root / "a.txt"
    outside.write_text("not yours\n", encoding="utf-8")
    match what:
        case "outside":
            path = outside
        case "link":
            path.symlink_to(outside)
        case "folder":
            (root / "sub").symlink_to(tmp_path)
            path = root / "sub" / "outside.txt"
        case "hard":
            os.link(outside, path)
        case "pipe":
            os.mkfifo(path)
        case "large":
            config(hook.home, root, "  file_bytes: 3\n")
            opened(hook.home)
            path.write_text("four", encoding="utf-8")
        case "git":
            path = root / ".git" / "config"
            path.parent.mkdir()
            path.write_text("x", encoding="utf-8")
    hook.run(told("PreToolUse", path), *SLOW, event="PreToolUse")
    assert copies(hook.home) == []


def test_a_copy_that_nothing_asked_for_goes(hook: Hook, root: Path) -> None:
    """After a week, with the start of a worker."""
    path = root / "a.txt"
    path.write_text("mine\n", encoding="utf-8")
    for use in ("toolu_old", "toolu_new"):
        hook.run(told("PreToolUse", path, use), *SLOW, event="PreToolUse")
    old = min(
        copies(hook.home), key=lambda each: bytes.fromhex(each.name.split(".")[0]) != b"toolu_old"
    )
    os.utime(old, (0, 0))
    with serving(hook.home):
        until(lambda: not old.exists())
    assert len(copies(hook.home)) == 1


def test_settings_tell_hooks_what_to_keep(hook: Hook, root: Path) -> None:
    """`recollect config set`, and a memory that is opened."""
    rules = hook.home / "checkpoints" / "capture.json"
    recollect_command(hook.home, "config", "set", "checkpoints.enabled", "false")
    assert not rules.exists()
    recollect_command(hook.home, "config", "set", "checkpoints.enabled", "true")
    assert json.loads(rules.read_bytes())["roots"] == [str(root)]
    assert stat.S_IMODE(rules.stat().st_mode) == 0o600


def recollect_command(home: Path, *words: str) -> None:
    """Type a command."""
    command = [PROGRAM, "--home", home, *words]
    subprocess.run(list(map(str, command)), check=True, capture_output=True)


def test_what_a_hook_costs_with_checkpoints(
    hook: Hook, root: Path, record_property: Callable[[str, object], None]
) -> None:
    """Only told: off it is what it was."""
    path = root / "a.txt"
    path.write_text("mine\n", encoding="utf-8")
    on = _cpu_ms(hook, told("PreToolUse", path))
    record_property("latency of a hook", f"no worker, the file is kept: {on:.1f} ms CPU")
    (hook.home / "checkpoints" / "capture.json").unlink()
    off = _cpu_ms(hook, told("PreToolUse", path))
    record_property("latency of a hook", f"no worker, checkpoints off: {off:.1f} ms CPU")


def _cpu_ms(hook: Hook, payload: bytes, runs: int = 20) -> float:
    command = [sys.executable, "-I", "-S", CLIENT, "claude-code", "PreToolUse"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(runs):
        given = [*command, "--home", str(hook.home)]
        subprocess.run(given, input=payload, env=hook.environment, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used / runs * 1000
