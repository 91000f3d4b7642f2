"""A tree that several agents, their shells and a user change, and a model of whose work is where.

Every write holds a line that is written once, so that the work of each can be found again. The
model knows of each path who changed it when, and what it was then.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

import msgspec

from recollect.checkpoints.record.rows import Checkpoint
from tests.unit.checkpoints.conftest import Project, Snapshot

NAMES = ("a.txt", "A.txt", "d/x.py", "d/y.py", "d/e/z.bin", "ünï/ß.txt", "n\u0303.txt", "link")
FOLDERS = ("d", "d/e", "ünï", "empty", "a.txt")
MODES = (0o644, 0o600, 0o755, 0o444)
FOLDER_MODES = (0o755, 0o700, 0o750)
USER = "user"

State = tuple[str, int, bytes]
NOTHING: State = ("absent", 0, b"")


class Step(msgspec.Struct, frozen=True):
    """What somebody did to one path."""

    number: int
    writer: str
    after: State


Steps = dict[str, tuple[Step, ...]]


class Touch(msgspec.Struct, frozen=True):
    """A record of one path by a session: the steps before it, and what the session left."""

    number: int
    steps: tuple[Step, ...]
    left: State


class Moment(msgspec.Struct, frozen=True):
    """A checkpoint, and when it was taken."""

    checkpoint: Checkpoint
    session: str
    number: int


class World:
    """The tree, its writers and what the model knows of them."""

    def __init__(self, project: Project, dice: random.Random) -> None:
        self.project = project
        self.dice = dice
        self.sessions = (project.session, project.other_session)
        self.steps: Steps = {}
        self.moments: list[Moment] = []
        self._touches: dict[tuple[str, str], list[Touch]] = {}
        self._number = 0
        for name in dice.sample(NAMES, 4):
            self._write(self.project.root / name, USER)
        self.now: Snapshot = {}
        self.noted(USER)

    def user(self) -> None:
        """Let the user change some paths."""
        for _ in range(self.dice.randrange(1, 3)):
            self._deed(self.dice.choice(NAMES), USER, is_free=True)
        self.noted(USER)

    def edit(self) -> None:
        """Let an agent change paths that it names, with a tool."""
        session = self.dice.choice(self.sessions)
        paths = self.dice.sample(NAMES, self.dice.randrange(1, 3))
        paths = [path for path in paths if not self._is_blocked(self.project.root / path)]
        missing = {each for path in paths for each in self._missing(path)}
        number, steps = self._number, dict(self.steps)
        around = self.project.checkpoints.around(session, self.project.root, paths, "Write")
        with around as checkpoint:
            for path in paths:
                self._deed(path, session, is_free=False)
        self.moments.append(Moment(checkpoint, session, number))
        self.noted(session)
        self._touch(session, {*paths, *missing}, number, steps)

    def shell(self) -> None:
        """Let an agent change any paths, with a command."""
        session = self.dice.choice(self.sessions)
        number, steps = self._number, dict(self.steps)
        with self.project.checkpoints.around(session, self.project.root, None, "Bash") as taken:
            for _ in range(self.dice.randrange(1, 5)):
                self._deed(self.dice.choice(NAMES), session, is_free=True)
        self.moments.append(Moment(taken, session, number))
        self._touch(session, self.noted(session), number, steps)

    def _missing(self, path: str) -> Iterator[str]:
        root = self.project.root
        for parent in self._parents(root / path):
            if not parent.exists() and not parent.is_symlink():
                yield parent.relative_to(root).as_posix()

    def _touch(self, session: str, paths: Iterable[str], number: int, steps: Steps) -> None:
        for path in paths:
            touch = Touch(number, steps.get(path, ()), self.now.get(path, NOTHING))
            self._touches.setdefault((session, path), []).append(touch)

    def noted(self, writer: str) -> list[str]:
        """Note what somebody changed just now; return the paths."""
        then, self.now = self.now, self.project.snapshot()
        self._number += 1
        both = then.keys() | self.now.keys()
        changed = [path for path in both if self.now.get(path) != then.get(path)]
        for path in changed:
            step = Step(self._number, writer, self.now.get(path, NOTHING))
            self.steps[path] = (*self.steps.get(path, ()), step)
        return changed

    def went_back(self, paths: Sequence[str], to: Steps, session: str) -> None:
        """Note that a session put paths back to where they were at a moment."""
        self.now = self.project.snapshot()
        self._touch(session, paths, self._number, self.steps)
        self._number += 1
        for path in paths:
            step = Step(self._number, session, self.now.get(path, NOTHING))
            self.steps[path] = (*to.get(path, ()), step)

    def begun(self, path: str, moment: Moment) -> tuple[Step, ...] | None:
        """Return the steps of a path before its session touched it after a moment, if it did."""
        touches = self._touches.get((moment.session, path), ())
        return next((each.steps for each in touches if each.number >= moment.number), None)

    def lines_of_others(self, path: str, moment: Moment) -> set[bytes]:
        """Return the lines of a file that its session has neither written nor brought there."""
        lines = _lines(self.now.get(path, NOTHING))
        for each in self._touches[moment.session, path]:
            before = each.steps[-1].after if each.steps else NOTHING
            lines -= _lines(each.left) - _lines(before)
        return {line for line in lines if b":" in line}

    def foreign(self, path: str, moment: Moment) -> bool | None:
        """Return whether others changed a path after its session touched it after a moment.

        None where it was put back to what others did before that.
        """
        then, now = self.begun(path, moment), self.steps.get(path, ())
        if then is None:
            return False
        shared = 0
        while shared < min(len(then), len(now)) and then[shared] == now[shared]:
            shared += 1
        runs = groupby(now[shared:], lambda step: step.writer == moment.session)
        others = [list(run) for is_own, run in runs if not is_own]
        touches = self._touches[moment.session, path]
        touches = [each for each in touches if each.number >= moment.number]

        def left_before(run: Sequence[Step]) -> State | None:
            left = [each.left for each in touches if each.number < run[0].number]
            return left[-1] if left else None

        if any(left_before(run) not in {None, run[-1].after} for run in others):
            return True
        return None if any(left_before(run) is None for run in others) else False

    def _deed(self, name: str, writer: str, *, is_free: bool) -> None:
        """Change a path; a free hand changes types and folders as well."""
        dice, path = self.dice, self.project.root / name
        if self._is_blocked(path):
            return
        kind = dice.randrange(10 if is_free else 7)
        if kind == 7:
            self._change_folder(self.project.root / dice.choice(FOLDERS), writer)
        elif kind == 8 and path.is_file() and not path.is_symlink():
            target = self.project.root / dice.choice(NAMES)
            if not self._is_blocked(target):
                target.parent.mkdir(parents=True, exist_ok=True)
                if not target.is_dir() or target.is_symlink():
                    path.rename(target)
        elif path.is_dir() and not path.is_symlink():
            return
        elif kind == 6:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            path.symlink_to(dice.choice(("a.txt", "nowhere", "d", "..")))
        elif kind == 5:
            path.unlink(missing_ok=True)
        elif kind == 4 and path.is_file() and not path.is_symlink():
            path.chmod(dice.choice(MODES))
        else:
            self._write(path, writer)

    def _parents(self, path: Path) -> Iterator[Path]:
        while path.parent != self.project.root:
            path = path.parent
            yield path

    def _is_blocked(self, path: Path) -> bool:
        return any(each.is_symlink() or each.is_file() for each in self._parents(path))

    def _write(self, path: Path, writer: str) -> None:
        """Insert or replace a line of a text, or begin a new one."""
        dice = self.dice
        path.parent.mkdir(parents=True, exist_ok=True)
        is_text = path.is_file() and not path.is_symlink()
        lines = path.read_bytes().split(b"\n") if is_text else []
        self._number += 1
        new = f"{writer}:{self._number}".encode() + b"." * (self._number % 89)
        at = dice.randrange(len(lines) + 1)
        lines[at : at + dice.randrange(2)] = [new, *[b"}"] * dice.randrange(3)]
        if path.is_symlink() or (path.exists() and dice.random() < 0.5):
            path.unlink()  # as an editor that renames a new file over it
        path.write_bytes(b"\n".join(lines))

    def _change_folder(self, folder: Path, writer: str) -> None:
        """Make, remove, chmod or replace a folder."""
        dice = self.dice
        if self._is_blocked(folder):
            return
        if folder.is_symlink() or folder.is_file():
            if dice.random() < 0.5:
                folder.unlink()
                folder.mkdir()
                self._write(folder / "in.txt", writer)
            return
        if not folder.exists():
            folder.mkdir(parents=True)
        elif dice.random() < 0.5:
            folder.chmod(dice.choice(FOLDER_MODES))
        else:
            shutil.rmtree(folder)
            if dice.random() < 0.3:
                folder.symlink_to(dice.choice(("empty", "nowhere", "..")))
            elif dice.random() < 0.5:
                self._write(folder, writer)


def _lines(of: State) -> set[bytes]:
    return set(of[2].split(b"\n")) if of[0] == "file" else set()
