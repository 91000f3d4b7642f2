"""No command opens an outside socket, or makes a file where none of ours belong.

Seen from outside, by `strace -f`; where that cannot be had, by the audit hook of Python, which does
not see what SQLite opens.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.core import TyperGroup

from recollect.cli.main import CommandTable
from tests.integration.cli.conftest import Done

PRIVACY = Path(__file__).parents[3] / "docs" / "privacy.md"

LIFE: tuple[tuple[str, ...], ...] = (
    ("init", "--workspace", "WORKSPACE"),
    ("import", "jsonl", "chat.jsonl"),
    ("sync",),
    ("search", "tea"),
    ("get", "chat:1"),
    ("transcript", "chat"),
    ("events",),
    ("sessions",),
    ("sessions", "list"),
    ("sessions", "start", "--key", "talk"),
    ("sessions", "say", "talk", "user", "remember the tea", "--sender", "telegram:42"),
    ("sessions", "say", "talk", "assistant", "it is in the blue box"),
    ("observe", "the tea is in the blue box", "--session", "talk"),
    ("timeline", "#1"),
    ("sessions", "end", "talk"),
    ("context", "talk"),
    ("memory",),
    ("memory", "sync-section", "WORKSPACE/MEMORY.md", "--dry-run"),
    ("hook", "claude-code", "SessionStart"),
    ("pause", "--for", "1h"),
    ("resume",),
    ("privacy",),
    ("privacy", "check", "WORKSPACE"),
    ("projects",),
    ("projects", "list"),
    ("projects", "alias", "WORKSPACE/old", "WORKSPACE"),
    ("projects", "merge", "WORKSPACE/one", "WORKSPACE/two"),
    ("scrub",),
    ("models", "uses"),
    ("channels",),
    ("channels", "allow", "telegram:77"),
    ("channels", "deny", "telegram:13"),
    ("channels", "list"),
    ("channels", "status"),
    ("checkpoint",),
    ("checkpoint", "take", "--root", "WORKSPACE", "--session", "talk"),
    ("checkpoint", "list", "talk"),
    ("checkpoint", "show", "c1"),
    ("checkpoint", "fsck"),
    ("checkpoint", "roots", "--add", "WORKSPACE"),
    ("rewind", "c1", "--plan"),
    ("sessions", "show", "talk"),
    ("sessions", "tree", "talk"),
    ("sessions", "view", "talk"),
    ("sessions", "flush", "talk"),
    ("sessions", "compact", "talk", "--keep", "1"),
    ("sessions", "resume", "talk"),
    ("sessions", "fork", "talk"),
    ("sessions", "rename", "chat", "Chat"),
    ("sessions", "archive", "chat"),
    ("sessions", "restore", "chat"),
    ("sessions", "key", "--channel", "telegram", "--peer", "42"),
    ("sessions", "mode", "talk"),
    ("sessions", "model", "talk", "--thinking", "low"),
    ("chat", "--session", "talk"),
    ("sessions", "state", "talk", "--task", "Brew tea"),
    ("sessions", "reset", "talk"),
    ("config",),
    ("config", "get", "search.limit"),
    ("config", "explain", "search.limit"),
    ("config", "set", "sessions.owner", "telegram:42"),
    ("config", "unset", "sessions.owner"),
    ("config", "path"),
    ("config", "schema", "status"),
    ("config", "import", "settings.json"),
    ("models",),
    ("models", "list"),
    ("models", "add", "nothing"),
    ("models", "remove", "nothing"),
    ("models", "install", "--source", "nothing"),
    ("reindex",),
    ("prune", "--dry-run"),
    ("export", "chat"),
    ("export", "chat", "--output", "TARGET/chat.jsonl"),
    ("status", "--probe"),
    ("doctor",),
    ("backup", "TARGET/home.backup"),
    ("restore", "TARGET/home.backup", "--workspace", "WORKSPACE"),
    ("recover",),
    ("erase", "--session", "chat", "--yes"),
    ("forget", "#1"),
    ("sessions", "delete", "talk"),
    ("demo",),
    ("token",),
    ("token", "add", "bot", "--as", "shared"),
    ("remember", "I prefer tea"),
    ("facts",),
    *(("facts", each) for each in ("list", "review", "fade")),
    *(("facts", each, "f1") for each in ("history", "forget", "restore", "pin")),
    ("facts", "correct", "f1", "I prefer milk"),
    ("facts", "replace", "f1", "f2"),
    ("episodes",),
    ("episodes", "list"),
    ("episodes", "search", "tea"),
    ("episodes", "show", "e1"),
    ("episodes", "create", "chat"),
    ("identities",),
    ("identities", "list"),
    ("identities", "resolve", "telegram:7"),
    ("identities", "link", "ann", "telegram:8"),
    ("identities", "unlink", "telegram:8"),
    ("identities", "code", "telegram:8"),
    ("identities", "confirm", "telegram:9", "AAAAAAAA"),
    ("identities", "proposals"),
    ("identities", "accept", "1"),
    ("identities", "dismiss", "1"),
    ("token", "list"),
    ("token", "rotate"),
    ("token", "revoke", "bot"),
    ("mcp",),
    ("serve", "status"),
    ("serve", "stop"),
    ("uninstall", "--with-memory", "--yes"),
    ("serve",),
    ("open", "--print"),
)
"""Command lines in the order of a life; TARGET is a folder that only they name."""

MAY_FAIL = {
    ("chat",),  # no model is set
    ("facts", "replace"),
    ("identities", "confirm"),
    ("identities", "accept"),
    ("identities", "dismiss"),
    ("episodes", "show"),
    ("episodes", "create"),
    ("projects", "merge"),
    ("memory", "sync-section"),
    ("hook",),
    ("models", "install"),
    ("models", "add"),
    ("models", "remove"),
    ("demo",),
    ("checkpoint",),
    ("prune",),
    ("sessions", "key"),
    ("recover",),
    ("config", "import"),
    ("serve",),
    ("serve", "status"),
    ("open",),
}
"""Commands that have nothing to do here, and say so; what a worker leaves sees its own test."""

CALLS = (
    "connect,sendto,sendmsg,open,openat,creat,mkdir,mkdirat,rename,renameat,renameat2,"
    "link,linkat,symlink,symlinkat,mknod,mknodat"
)
_FILTERED = ("-f", "--seccomp-bpf")
"""The kernel stops a process at these calls alone, not at all of them."""
_CALL = re.compile(r"^(?:\d+ +)?(\w+)\((.*)\) += (-?\d+)")
_PLACE = re.compile(r'(?:(?:AT_FDCWD|\d+)(?:<([^>]*)>)?, )?"((?:[^"\\]|\\.)*)"')
_OUTSIDE = re.compile(r"sa_family=AF_(?:INET6?|NETLINK|PACKET)")

AUDIT = """
import os, sys
log = open(sys.argv.pop(1), "a", encoding="utf-8")
def note(event, args):
    made = event == "open" and isinstance(args[0], str) and (args[2] or 0) & os.O_CREAT
    if made or event in ("os.mkdir", "os.symlink", "os.link", "os.rename"):
        place = args[1] if event in ("os.symlink", "os.link", "os.rename") else args[0]
        if os.path.isabs(os.fsdecode(place)):  # what is named within a folder shows at the end
            log.write(f"made {os.fsdecode(place)}\\n")
    if event == "socket.connect" and isinstance(args[1], tuple):
        log.write(f"sent {args[1][0]}\\n")
    log.flush()
sys.addaudithook(note)
from recollect.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


class Watched:
    """Runs commands where nothing but the surroundings of a test is, and sees what they touch."""

    def __init__(self, folder: Path, surroundings: dict[str, str]) -> None:
        self.folder = folder
        self.home, self.target = folder / "home", folder / "target"
        self.workspace = folder / "workspace"
        self._log = folder / "log"
        self._env = surroundings | {"PYTHONDONTWRITEBYTECODE": "1"}
        self._own = (self.home, self.workspace, Path(surroundings["RECOLLECT_MODELS"]))
        self._before: set[Path] = set()
        strace = shutil.which("strace")
        probe = (
            (strace, *_FILTERED, sys.executable, "-c", "")
            if strace
            else (sys.executable, "-c", "1/0")
        )
        can_trace = subprocess.run(probe, capture_output=True, check=False).returncode == 0
        self._strace = strace if can_trace else None

    def run(self, arguments: tuple[str, ...]) -> Done:
        """Run a command line to its end."""
        self._log.write_text("", "utf-8")
        self._before = set(self.folder.rglob("*"))
        words = [
            each.replace("WORKSPACE", str(self.workspace)).replace("TARGET", str(self.target))
            for each in arguments
        ]
        ran = ["--home", str(self.home), *words]
        if self._strace is None:
            command = [sys.executable, "-c", AUDIT, str(self._log), *ran]
        else:
            watching = [self._strace, *_FILTERED, "-y", "-qq", "-s", "4096", "-o", str(self._log)]
            command = [*watching, "-e", f"trace={CALLS}", sys.executable, "-m", "recollect", *ran]
        done = subprocess.run(
            command,
            env=self._env,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        return Done(code=done.returncode, out=done.stdout, err=done.stderr)

    def sent(self) -> list[str]:
        """Return what the last command sent to other machines, or tried to."""
        lines = self._log.read_text("utf-8", "replace").splitlines()
        if self._strace is None:
            return [line for line in lines if line.startswith("sent ")]
        return [
            line for line in lines if _OUTSIDE.search(line) and not re.search(r'"127\.|"::1"', line)
        ]

    def strays(self, arguments: tuple[str, ...]) -> list[str]:
        """Return the files and folders that the last command made outside of its places."""
        own = self._own + ((self.target,) if any("TARGET" in each for each in arguments) else ())
        aside = (f"{self.home}.before-", f"{self.home}.restoring-")
        beside = (
            "/dev/null",
            "/dev/tty",
            "/proc/self/",
            *(aside if arguments[0] == "restore" else ()),
        )
        return [
            place
            for place in self._made()
            if not place.startswith(beside)
            and not any(Path(place).is_relative_to(each) for each in own)
        ]

    def _made(self) -> Iterator[str]:
        if self._strace is None:
            yield from (str(path) for path in set(self.folder.rglob("*")) - self._before)
        for line in self._log.read_text("utf-8", "replace").splitlines():
            if self._strace is None:
                there = {str(self.folder), *map(str, self._before)}  # told before it was tried
                if line.startswith("made ") and line.removeprefix("made ") not in there:
                    yield line.removeprefix("made ")
                continue
            found = _CALL.match(line)
            if found is None or int(found[3]) < 0:
                continue
            name, given = found[1], found[2]
            if name in {"connect", "sendto", "sendmsg"}:
                continue
            if name.startswith("open") and "O_CREAT" not in given:
                continue
            places = _PLACE.findall(given)
            if places:
                folder, path = places[-1]
                yield str(Path(folder or self.folder) / path)


@pytest.fixture
def watched(tmp_path: Path, surroundings: dict[str, str]) -> Watched:
    """An empty HOME, one transcript, a workspace and a folder for targets."""
    said = json.dumps({"role": "user", "content": "Where is the tea?"})
    (tmp_path / "chat.jsonl").write_text(said + "\n", encoding="utf-8")
    (tmp_path / "target").mkdir()
    (tmp_path / "nothing").mkdir()
    return Watched(tmp_path, surroundings)


def _name(arguments: tuple[str, ...]) -> tuple[str, ...]:
    grouped = (
        arguments[0]
        in {
            *("sessions", "config", "memory", "models", "projects", "privacy", "serve", "token"),
            *("facts", "episodes", "identities", "checkpoint", "channels"),
        }
        and len(arguments) > 1
    )
    return arguments[: 2 if grouped else 1]


def test_no_command_reaches_out_of_its_places(watched: Watched) -> None:
    """Through the whole life of a home, with nothing in HOME afterwards."""
    for arguments in LIFE:
        done = watched.run(arguments)
        assert done.code in ({0, 1, 2} if _name(arguments) in MAY_FAIL else {0}), (arguments, done)
        assert (arguments, watched.sent()) == (arguments, [])
        assert (arguments, watched.strays(arguments)) == (arguments, [])
    assert list((watched.folder / "user").iterdir()) == []


def test_a_stray_would_be_seen(watched: Watched) -> None:
    """What is exported into a folder that nobody allowed is one, so the watching is not blind."""
    watched.run(("init", "--workspace", "WORKSPACE"))
    watched.run(("import", "jsonl", "chat.jsonl"))
    arguments = ("export", "chat", "--output", "elsewhere.jsonl")
    assert watched.run(arguments).code == 0
    assert any("elsewhere.jsonl" in place for place in watched.strays(arguments))


def test_every_command_is_watched() -> None:
    """A new one is added to the life, and to the page where it has a target."""
    names: set[tuple[str, ...]] = set()
    for name, command in CommandTable().items():
        names.add((name,))
        if isinstance(command, TyperGroup):
            names |= {(name, each) for each in command.commands}
    assert {_name(arguments) for arguments in LIFE} == names


def test_the_page_names_the_commands_with_a_target() -> None:
    """Those that were watched with one, and those that reach the network or a workspace."""
    text = PRIVACY.read_text("utf-8").split("## Where commands write", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| `recollect (models install|[a-z]+)", text, re.MULTILINE)
    targets = {each[0] for each in LIFE if any("TARGET" in part for part in each)}
    assert set(rows) == targets | {"init", "models install", "rewind", "sync"}
