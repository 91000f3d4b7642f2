"""The real Claude Code changes files, and `memory.checkpoints` puts them back.

Source: issue of step 15, "Shows". The client is opt-in: `make agents`.
"""

from __future__ import annotations

import signal
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.checkpoints.rewind.plan import RewindPlan
from tests.agents.claude_code import ClaudeCode
from tests.agents.connected import Connected
from tests.agents.messages_api import Script, Use
from tests.support.agent_user import User
from tests.support.wheel import PROGRAM

KINDS = ("clean", "dirty", "untracked", "ignored")
SECRET = "ghp_" + "b" * 36
Snapshot = dict[str, tuple[int, bytes]]


@pytest.fixture(params=["git", "bare"])
def connected(claude: ClaudeCode, request: pytest.FixtureRequest) -> Iterator[Connected]:
    """A user who typed `recollect init claude-code --checkpoints`, with and without git."""
    project = claude.home / "shop"
    project.mkdir()
    for kind in KINDS:
        for tool in ("write", "edit", "mv", "rm", "sed"):
            (project / f"{kind}_{tool}.txt").write_text(f"one {kind}\ntwo\n", encoding="utf-8")
    (project / ".gitignore").write_text("ignored_*\n", encoding="utf-8")
    if request.param == "git":
        _in_git(project, "init", "-q")
        _in_git(project, "add", ".gitignore", *(f"{k}_*" for k in ("clean", "dirty")))
        _in_git(project, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one")
    for path in project.glob("dirty_*"):
        path.write_text("one dirty\nchanged by the user\n", encoding="utf-8")
    there = Connected(User(claude.home, PROGRAM), claude, project)
    there.connect("--checkpoints", "--root", project)
    try:
        yield there
    finally:
        there.signal_worker(signal.SIGCONT)
        there.user.types("serve", "stop")


def _in_git(folder: Path, *words: object) -> str:
    command = ["git", "-C", folder, *words]
    done = subprocess.run(
        list(map(str, command)), capture_output=True, check=True, encoding="utf-8"
    )
    return done.stdout


def git_of(folder: Path) -> dict[str, str | bytes]:
    """Return what git says of a folder, and its index; empty where there is no repository."""
    if not (folder / ".git").exists():
        return {}
    return {
        "status": _in_git(folder, "--no-optional-locks", "status", "--porcelain=v2", "--ignored"),
        "refs": _in_git(folder, "for-each-ref"),
        "head": (folder / ".git" / "HEAD").read_text(encoding="utf-8"),
        "index": (folder / ".git" / "index").read_bytes(),
        "objects": "\n".join(sorted(map(str, (folder / ".git" / "objects").rglob("*")))),
    }


def snapshot(folder: Path) -> Snapshot:
    """Return mode and bytes of every file of a folder, but for those of git."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {
        str(path.relative_to(folder)): (stat.S_IMODE(path.stat().st_mode), path.read_bytes())
        for path in files
        if ".git" not in path.parts
    }


def works(project: Path) -> Script:
    """Return a script that changes a file of each kind by each tool."""
    uses = []
    for kind in KINDS:
        at = {tool: project / f"{kind}_{tool}.txt" for tool in ("write", "edit", "mv", "rm", "sed")}
        uses += [
            [
                Use("Read", {"file_path": str(at["write"])}),
                Use("Read", {"file_path": str(at["edit"])}),
            ],
            [
                Use(
                    "Write",
                    {"file_path": str(at["write"]), "content": "its\n"},
                    f"toolu_{kind}_write",
                )
            ],
            [
                Use(
                    "Edit",
                    {"file_path": str(at["edit"]), "old_string": "one", "new_string": "ten"},
                    f"toolu_{kind}_edit",
                )
            ],
            [Use("Bash", {"command": f"mv {at['mv']} {at['mv']}.moved"}, f"toolu_{kind}_mv")],
            [Use("Bash", {"command": f"rm {at['rm']}"}, f"toolu_{kind}_rm")],
            [Use("Bash", {"command": f"sed -i s/one/ten/ {at['sed']}"}, f"toolu_{kind}_sed")],
        ]
    new = {"file_path": str(project / "made" / "new.txt"), "content": "new\n"}
    return Script(main=[*uses, [Use("Write", new, "toolu_new")], ["Done."]])


def planned(connected: Connected) -> RewindPlan:
    """Return the plan back to the first checkpoint of the only session with some."""
    with recollect.open(connected.user.memory, live=False) as memory:
        first = memory.checkpoints.get(1)
        return memory.checkpoints.plan(first)


def test_all_that_the_agent_did_is_taken_back(connected: Connected) -> None:
    """Write, Edit and shell commands, on files of each kind; git is never touched."""
    before, git = snapshot(connected.project), git_of(connected.project)
    run = connected.run("Change the files", script=works(connected.project))
    assert not run.result["is_error"]
    after = snapshot(connected.project)
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert len(changed) == len(KINDS) * 6 + 1
    connected.reconcile()
    plan = planned(connected)
    assert plan.checkpoint.kind == "message"
    assert {item.path for item in plan.items} == changed | {"made"}
    assert [(it.path, it.reason) for it in plan.items if it.status != "clean"] == []
    with recollect.open(connected.user.memory, live=False) as memory:
        memory.checkpoints.apply(plan)
    assert snapshot(connected.project) == before
    assert not (connected.project / "made").exists()
    assert git_of(connected.project) == git


@pytest.mark.parametrize("how", ["gone", "hanging"])
def test_without_a_worker_files_are_kept_and_the_rest_is_named(
    claude: ClaudeCode, how: str
) -> None:
    """The hook keeps what Write and Edit name; what a command did is not said to be known."""
    project = claude.home / "shop"
    project.mkdir()
    for name in ("write", "edit", "rm"):
        (project / name).write_text("one\n", encoding="utf-8")
    before = snapshot(project)
    connected = Connected(User(claude.home, PROGRAM), claude, project)
    connected.connect("--checkpoints", "--root", project, "--no-start")
    uses = [
        [Use("Read", {"file_path": str(project / name)}) for name in ("write", "edit")],
        [Use("Write", {"file_path": str(project / "write"), "content": "its\n"}, "toolu_write")],
        [
            Use(
                "Edit",
                {"file_path": str(project / "edit"), "old_string": "one", "new_string": "ten"},
                "toolu_edit",
            )
        ],
    ]
    try:
        if how == "gone":
            connected.user.types("serve", "stop")
        else:
            connected.signal_worker(signal.SIGSTOP)
        run = connected.run("Change the files", script=Script(main=[*uses, ["Done."]]))
        assert not run.result["is_error"]
        assert snapshot(project) != before
        connected.signal_worker(signal.SIGCONT)
        connected.reconcile()
        plan = planned(connected)
        assert {(it.path, it.status) for it in plan.items} == {
            ("write", "clean"),
            ("edit", "clean"),
        }
        with recollect.open(connected.user.memory, live=False) as memory:
            memory.checkpoints.apply(plan)
        assert snapshot(project) == before
    finally:
        connected.signal_worker(signal.SIGCONT)
        connected.user.types("serve", "stop")


def test_what_was_taken_back_is_not_remembered(connected: Connected) -> None:
    """Files and messages, by the command; the client's own transcript brings nothing back."""
    before = snapshot(connected.project)
    write = Use("Write", {"file_path": str(connected.project / "new.txt"), "content": "tin\n"})
    script = Script(main=[[write], ["The porcelain samovar is in the file."]])
    assert not connected.run("Note the porcelain samovar", script=script).result["is_error"]
    connected.reconcile()
    user = connected.user
    assert user.asks("search", "porcelain samovar")["hits"]
    with recollect.open(user.memory, live=False) as memory:
        (message, *_) = memory.sessions.messages(memory.checkpoints.get(1).session_id)
    rewind = user.asks("rewind", message.id, "--scope", "both", "--yes")
    assert snapshot(connected.project) == before
    for _ in range(2):
        assert not user.asks("search", "porcelain samovar")["hits"]
        connected.reconcile()
    user.types("rewind", "--undo", rewind["rewind_id"])
    assert user.asks("search", "porcelain samovar")["hits"]
    assert (connected.project / "new.txt").read_text() == "tin\n"
